// Source code with a little color.

const KEYWORDS = {
  python:
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield None True False self cls",
  rust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  typescript:
    "abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
};
KEYWORDS.tsx = KEYWORDS.javascript = KEYWORDS.jsx = KEYWORDS.typescript;

const C_LIKE = String.raw`//[^\n]*|/\*[\s\S]*?(?:\*/|$)`;
const QUOTED = String.raw`"(?:[^"\\\n]|\\[\s\S])*"?`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\[\s\S])*'?`;

/** Comments and strings, by language. */
const COMMENTS = { python: String.raw`#[^\n]*` };
const STRINGS = {
  python: String.raw`[bfru]{0,2}"""[\s\S]*?(?:"""|$)|[bfru]{0,2}'''[\s\S]*?(?:'''|$)|[bfru]{0,2}${QUOTED}|[bfru]{0,2}${SINGLE}`,
  // A quote before a name is a lifetime, unless it is closed behind one letter.
  rust: String.raw`b?r#+"[\s\S]*?"#+|b?"(?:[^"\\]|\\[\s\S])*"?|b?'(?:[^'\\\n]|\\[^\n]{1,8}?)'`,
};

/** What becomes of a text: its pieces as elements, none of which is ever read as HTML. */
function colored(text, language) {
  const comment = COMMENTS[language] ?? C_LIKE;
  const string = STRINGS[language] ?? `${QUOTED}|${SINGLE}|${"`(?:[^`\\\\]|\\\\[\\s\\S])*`?"}`;
  const keywords = new Set((KEYWORDS[language] ?? "").split(" "));
  const pattern = new RegExp(
    String.raw`(?<comment>${comment})|(?<string>${string})|(?<number>\b\d[\w.]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)(?=(?<call>\s*\()?)`,
    "gu",
  );
  const pieces = document.createDocumentFragment();
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const { comment: isComment, string: isString, number, word, call } = found.groups;
    const kind = isComment
      ? "comment"
      : isString
        ? "string"
        : number
          ? "number"
          : keywords.has(word)
            ? "keyword"
            : call !== undefined
              ? "call"
              : "";
    if (kind === "") continue;
    pieces.append(text.slice(end, found.index), element("span", { className: kind }, found[0]));
    end = found.index + found[0].length;
  }
  pieces.append(text.slice(end));
  return pieces;
}

/** An element with what is in it; texts stay texts. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
