//! Repair of text that only parses after macro expansion.
//!
//! The parser sees macros as they are written: `ZEXTERN int ZEXPORT inflate(z_streamp strm);`. Macros in places where
//! the grammar allows no name are blanked before parsing, which keeps all offsets.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Token of the text that is relevant here.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    kind: TokenKind,
    /// Lists of words that have the token, as bits.
    lists: u8,
    /// Index of the matching parenthesis, for parentheses.
    pair: usize,
    /// Type among whose members the token is.
    owner: Option<Owner>,
    /// True if the line starts with `template`.
    in_template_line: bool,
}

/// Type with a body.
#[derive(Clone, Copy)]
struct Owner {
    /// Index of the token after its keyword, which usually is its name.
    name: usize,
    is_enum: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    Literal,
    Punctuation(u8),
}

/// Blanks macros that stand beside declarations (see the rules at [`Tokens::macros`]), and turns loops whose head is a
/// macro into conditions.
pub(super) fn without_macros(source: &str) -> Cow<'_, str> {
    let mut blanks = linkage_braces(source);
    let tokens = Tokens::of(source, &mut blanks);
    tokens.macros(&mut blanks);
    let loops: Vec<usize> = tokens.macro_loops().collect();
    if blanks.is_empty() && loops.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = source.as_bytes().to_vec();
    for start in loops {
        text[start..start + 3].copy_from_slice(b"if ");
    }
    // Conditional blocks nest.
    blanks.sort_unstable();
    let mut done = 0;
    for (start, end) in blanks {
        for byte in &mut text[start.max(done).min(end)..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        done = end.max(done);
    }
    String::from_utf8(text).map_or(Cow::Borrowed(source), Cow::Owned)
}

/// Returns the lines that open and close `extern "C"` for C++ alone. Each brace is in a conditional block of its own.
fn linkage_braces(source: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if !source.contains("__cplusplus") {
        return found;
    }
    let (mut at, mut is_inside) = (0, false);
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if let Some(directive) = text.strip_prefix('#') {
            let directive = directive.trim_start();
            is_inside = directive.starts_with("if") && directive.contains("__cplusplus");
        } else if is_inside
            && (text.starts_with("extern \"C\"") && text.ends_with('{') || text.starts_with('}'))
        {
            found.push((at, at + line.trim_end().len()));
        }
        at += line.len();
    }
    found
}

/// Words that start no declaration and are no type.
const STATEMENTS: &[&str] = &[
    "return",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "continue",
    "delete",
    "throw",
    "new",
    "co_return",
    "co_await",
    "co_yield",
    "sizeof",
    "using",
    "namespace",
    "template",
    "typename",
    "public",
    "private",
    "protected",
    "try",
    "catch",
    "and",
    "or",
    "not",
    "operator",
    "concept",
    "requires",
    "goto",
    "static_assert",
    "_Static_assert",
    "asm",
    "__asm__",
    "typeof",
    "__typeof__",
    "final",
    "override",
    "noexcept",
];
/// Words before a type.
const SPECIFIERS: &[&str] = &[
    "static",
    "extern",
    "inline",
    "const",
    "volatile",
    "register",
    "typedef",
    "virtual",
    "explicit",
    "friend",
    "constexpr",
    "consteval",
    "constinit",
    "mutable",
    "thread_local",
    "_Thread_local",
    "__inline",
    "__inline__",
    "_Noreturn",
    "restrict",
];
/// Words that are a type, or start one.
const TYPES: &[&str] = &[
    "void", "char", "int", "short", "long", "float", "double", "unsigned", "signed", "_Bool", "bool", "auto",
    "size_t", "struct", "union", "enum", "class",
];
const TAGS: &[&str] = &["class", "struct", "union", "enum"];

const STATEMENT: u8 = 1;
const SPECIFIER: u8 = 2;
const TYPE: u8 = 4;
const TAG: u8 = 8;

/// Lists above that have a word, as bits.
static LISTS: LazyLock<FxHashMap<&str, u8>> = LazyLock::new(|| {
    let mut lists = FxHashMap::default();
    for (list, words) in [(STATEMENT, STATEMENTS), (SPECIFIER, SPECIFIERS), (TYPE, TYPES), (TAG, TAGS)] {
        for word in words {
            *lists.entry(*word).or_default() |= list;
        }
    }
    lists
});

struct Tokens<'s> {
    source: &'s str,
    all: Vec<Token>,
}

impl<'s> Tokens<'s> {
    /// Reads the tokens outside of comments and directives. A conditional block in the middle of an expression or list
    /// has no place in the grammar, so its directives are blanked, with all branches but the first. O(bytes).
    fn of(source: &'s str, blanks: &mut Vec<(usize, usize)>) -> Self {
        let bytes = source.as_bytes();
        let mut all: Vec<Token> = Vec::with_capacity(bytes.len() / 6);
        let mut open = Vec::new();
        // For each brace, its type. Members of an enumeration may be conditional.
        let mut braces: Vec<Option<Owner>> = Vec::new();
        // For each conditional block, the start of what to blank at its end.
        let mut conditions: Vec<Option<usize>> = Vec::new();
        let (mut at, mut is_line_start) = (0, true);
        let mut in_template_line = false;
        while at < bytes.len() {
            let start = at;
            let byte = bytes[at];
            let next = bytes.get(at + 1);
            match byte {
                b'\n' => {
                    is_line_start = true;
                    at += 1;
                    continue;
                }
                b'#' if is_line_start => {
                    at = end_of_directive(bytes, at);
                    let directive = source[start + 1..at].trim_start();
                    included_names(bytes, (start, at), blanks);
                    let in_enum = braces.last().is_some_and(|it| it.is_some_and(|it| it.is_enum));
                    let is_apart = in_enum || !is_in_expression(source, &all, open.is_empty());
                    if directive.starts_with("if") {
                        conditions.push((!is_apart).then_some(usize::MAX));
                        if !is_apart {
                            blanks.push((start, at));
                        }
                    } else if directive.starts_with("el") {
                        if let Some(Some(from)) = conditions.last_mut() {
                            *from = start.min(*from);
                        }
                    } else if directive.starts_with("endif")
                        && let Some(Some(from)) = conditions.pop()
                    {
                        blanks.push((start.min(from), at));
                    }
                    continue;
                }
                b'/' if next == Some(&b'/') => {
                    at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                    continue;
                }
                b'/' if next == Some(&b'*') => {
                    at =
                        memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |end| at + end + 4);
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'"' | b'\'' => at = end_of_literal(bytes, at),
                _ if is_word(byte) => {
                    at += bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                }
                _ => at += 1,
            }
            is_line_start = false;
            let kind = match byte {
                b'"' | b'\'' => TokenKind::Literal,
                _ if byte.is_ascii_digit() => TokenKind::Literal,
                _ if is_word(byte) => TokenKind::Word,
                _ => TokenKind::Punctuation(byte),
            };
            let mut pair = usize::MAX;
            match byte {
                b'(' => open.push(all.len()),
                b')' => {
                    if let Some(opening) = open.pop() {
                        pair = opening;
                        let here = all.len();
                        all[opening].pair = here;
                    }
                }
                // A parenthesis does not reach beyond the braces around it.
                b'{' => {
                    open.clear();
                    braces.push(owner_before(source, &all));
                }
                b'}' => {
                    open.clear();
                    braces.pop();
                }
                _ => {}
            }
            let is_template = source[start..at].starts_with("template");
            if in_template_line || is_template {
                // The text since the start of the token before this one.
                let gap = &source[all.last().map_or(0, |before| before.start)..start];
                let line = gap.rfind('\n').map(|end| &gap[end + 1..]).or(all.is_empty().then_some(gap));
                if let Some(line) = line {
                    in_template_line = line.trim().is_empty() && is_template;
                }
            }
            let owner = braces.last().copied().flatten();
            let lists = match kind {
                TokenKind::Word => LISTS.get(&source[start..at]).copied().unwrap_or_default(),
                _ => 0,
            };
            all.push(Token { start, end: at, kind, lists, pair, owner, in_template_line });
        }
        Self { source, all }
    }

    fn text(&self, at: usize) -> &'s str {
        self.all.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    fn is(&self, at: usize, punctuation: u8) -> bool {
        self.all.get(at).is_some_and(|token| token.kind == TokenKind::Punctuation(punctuation))
    }

    fn is_word(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Returns true for a word in a list.
    fn is_in(&self, at: usize, list: u8) -> bool {
        self.all.get(at).is_some_and(|token| token.lists & list != 0)
    }

    fn in_type(&self, at: usize) -> bool {
        self.all[at].owner.is_some()
    }

    /// Returns true for the name of the type around it, before the parameters of a constructor.
    fn is_constructor(&self, at: usize) -> bool {
        let owner = self.all.get(at).and_then(|it| it.owner);
        owner.is_some_and(|owner| self.is(at + 1, b'(') && self.text(owner.name) == self.text(at))
    }

    /// Returns true for a name that is no keyword.
    fn is_name(&self, at: usize) -> bool {
        self.is_word(at) && self.all[at].lists == 0 && !self.text(at).starts_with("__")
    }

    /// Returns true for a name in the style of macros.
    fn is_capital(&self, at: usize) -> bool {
        let text = self.text(at);
        text.len() > 2
            && self.is_word(at)
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && text.bytes().any(|byte| byte.is_ascii_uppercase())
    }

    /// Returns true if a token is the first or, if `last` is set, the last one on its line.
    fn is_at_edge(&self, at: usize, last: bool) -> bool {
        let Token { start, end, .. } = self.all[at];
        let is_space = |letter: char| letter != '\n' && letter.is_whitespace();
        if last {
            let rest = self.source[end..].trim_start_matches(is_space);
            rest.is_empty() || ["\n", "//", "/*"].iter().any(|next| rest.starts_with(next))
        } else {
            let before = self.source[..start].trim_end_matches(is_space);
            before.is_empty() || before.ends_with('\n')
        }
    }

    /// Finds macros that the grammar has no place for. O(tokens).
    fn macros(&self, blanks: &mut Vec<(usize, usize)>) {
        let mut is_start = true;
        let mut previous = usize::MAX;
        let mut template_end = 0;
        let mut at = 0;
        while at < self.all.len() {
            if at >= template_end && self.text(at) == "template" && self.is(at + 1, b'<') {
                template_end = self.template_parameters(at + 1, blanks);
            }
            let end = self.enum_base(at, previous).or_else(|| self.macro_at(at, previous, is_start));
            if let Some(last) = end {
                blanks.push((self.all[at].start, self.all[last].end));
                at = last + 1;
                continue;
            }
            let keeps_start = is_start && self.is_in(at, SPECIFIER) || self.is_access(at);
            is_start = keeps_start
                || [b';', b'{', b'}', b':'].iter().any(|it| self.is(at, *it)) && !self.is_path(at)
                || self.is(at, b'>') && (at == template_end || self.is_template_end(at));
            previous = at;
            at += 1;
        }
    }

    /// Returns the offsets of the loops whose head a macro expands to: `for (ALL_LIST_ELEMENTS(list, node, item))`. The
    /// grammar wants the semicolons of a head, or the colon of C++.
    fn macro_loops(&self) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter_map(|at| {
            let close = self.all.get(at + 3)?.pair;
            let is_loop = self.text(at) == "for"
                && self.is(at + 1, b'(')
                && self.is_capital(at + 2)
                && self.is(at + 3, b'(')
                && close != usize::MAX
                && close + 1 == self.all[at + 1].pair;
            is_loop.then_some(self.all[at].start)
        })
    }

    /// Finds macros with arguments among the parameters of a template: `template <class T, ENABLE_IF(a < b)>`. Returns the
    /// last token of the parameters, or that at which the search for it ended.
    fn template_parameters(&self, open: usize, blanks: &mut Vec<(usize, usize)>) -> usize {
        let (mut at, mut depth, first) = (open, 0_u32, blanks.len());
        while let Some(token) = self.all.get(at) {
            match token.kind {
                TokenKind::Punctuation(b'<') => depth += 1,
                TokenKind::Punctuation(b'>') => depth -= 1,
                TokenKind::Punctuation(b';' | b'{' | b'}') => break,
                TokenKind::Punctuation(b'(') if token.pair != usize::MAX => {
                    let is_macro = depth == 1
                        && self.is_capital(at - 1)
                        && (self.is(at - 2, b',') || self.is(at - 2, b'<'));
                    let is_first = self.is(at - 2, b'<');
                    if is_macro {
                        let start = if is_first { token.start } else { self.all[at - 2].start };
                        blanks.push((start, self.all[token.pair].end));
                    }
                    at = token.pair;
                }
                _ => {}
            }
            if depth == 0 {
                return at;
            }
            at += 1;
        }
        blanks.truncate(first);
        at
    }

    fn is_access(&self, at: usize) -> bool {
        self.is(at + 1, b':') && matches!(self.text(at), "public" | "private" | "protected")
    }

    fn is_path(&self, at: usize) -> bool {
        self.is(at, b':') && (self.is(at + 1, b':') || at > 0 && self.is(at - 1, b':'))
    }

    /// Returns true for the end of the parameters of a template on one line.
    fn is_template_end(&self, at: usize) -> bool {
        self.all[at].in_template_line && self.is_at_edge(at, true)
    }

    /// Returns the last token of the type of an enumeration without a name, which the grammar does not read: `enum : int {`.
    fn enum_base(&self, at: usize, previous: usize) -> Option<usize> {
        let is_base = self.is(at, b':') && previous != usize::MAX && self.text(previous) == "enum";
        (at..at + MAX_MACROS).find(|it| self.is(it + 1, b'{')).filter(|_| is_base)
    }

    /// Returns the last token of a macro that starts at a token.
    fn macro_at(&self, at: usize, previous: usize, is_start: bool) -> Option<usize> {
        if !self.is_word(at) {
            return None;
        }
        if self.text(at) == "extern" && self.text(at + 1) == "template" {
            return Some(at);
        }
        // `} __packed;`, `} __aligned(8);`: an attribute, because names with two underscores are reserved.
        if previous != usize::MAX && self.is(previous, b'}') && self.text(at).starts_with("__") {
            let last = if self.is(at + 1, b'(') { self.all[at + 1].pair } else { at };
            let is_last = last != usize::MAX
                && (self.is(last + 1, b';')
                    || self.is_word(last + 1) && self.text(last + 1).starts_with("__"));
            return is_last.then_some(last);
        }
        // `operator const Type &()`
        if previous != usize::MAX && self.text(previous) == "operator" {
            return Some(at).filter(|_| self.text(at) == "const");
        }
        // `unsigned(a)`
        let is_cast = matches!(self.text(at), "unsigned" | "signed" | "long" | "short");
        if is_cast && self.is(at + 1, b'(') && previous != usize::MAX && !self.is(at + 2, b'*') {
            let is_operand = !self.is_word(previous) || self.text(previous) == "return";
            return is_operand.then_some(at);
        }
        let is_capital = self.is_capital(at);
        // `if CONSTEXPR (`
        if is_capital && previous != usize::MAX && self.text(previous) == "if" {
            return Some(at).filter(|_| self.is(at + 1, b'('));
        }
        if self.is(at + 1, b'(') {
            return self.call_at(at, previous, is_start, is_capital);
        }
        let after = at + 1;
        let is_name = self.is_name(at);
        let is_after_word = self.is_word(previous);
        // `class API Name {`
        if is_capital && is_after_word && self.is_in(previous, TAG) {
            let is_named = self.is_name(after) && !matches!(self.text(after), "final");
            return is_named.then_some(at);
        }
        // `BEGIN_NAMESPACE`
        if is_capital
            && is_start
            && self.is_at_edge(at, false)
            && self.is_at_edge(at, true)
            && (self.is_word(after) || self.is_last_field(at))
            && (previous == usize::MAX || !self.is_in(previous, SPECIFIER))
            && (self.in_type(at) || !self.is_function_name(after))
        {
            return Some(at);
        }
        // `local int f(`, `API unsigned x`, `API static int f(`
        let starts_type = self.is_in(after, TYPE) || SPECIFIERS[..3].contains(&self.text(after));
        if is_start && is_name && starts_type {
            return Some(at);
        }
        // `EXPORT template <class T>`, `CONSTEXPR Name(`, `CONSTEXPR ~Name(`
        if is_start && is_capital && self.starts_declaration(after) {
            return Some(at);
        }
        // `int a UNUSED)`
        let is_last = self.is(after, b')') || self.is(after, b',');
        if is_capital && is_last && previous != usize::MAX && previous > 0 && self.is_name(previous) {
            let before = self.text(previous - 1);
            let is_typed = ["*", "&", ">"].contains(&before)
                || self.is_word(previous - 1) && !self.is_in(previous - 1, SPECIFIER | TAG);
            return is_typed.then_some(at);
        }
        if is_start && is_name {
            let skipped = (after..).take_while(|it| self.is_in(*it, SPECIFIER)).count();
            let ty = after + skipped;
            // `gzFile ZEXPORT open(`, `Bytef FAR *p`: the second name is the macro.
            if skipped == 0 && self.is_capital(ty) && (!is_capital || self.is_function_name(ty + 1)) {
                return None;
            }
            let is_typed = self.is_name(ty) || skipped > 0 && self.is_in(ty, TYPE);
            let declares = self.is_name(ty + 1) && !self.is_capital(ty + 1)
                || self.is(ty + 1, b'*')
                || is_capital
                    && (self.is(ty + 1, b'&') || self.is(ty + 1, b'<') || self.is_double_colon(ty + 1));
            let is_qualified = skipped == 0 || !self.is(ty + 1, b'=');
            let is_certain = is_capital || skipped == 0 || self.is_in(ty, TYPE) || self.is_name(ty + 1);
            if is_typed && declares && is_qualified && is_certain {
                return Some(at);
            }
        }
        // `(z_const Bytef *source`
        if is_name && (self.is(previous, b'(') || self.is(previous, b',')) {
            let is_typed = self.is_name(after) && !self.is_capital(after) || self.is_in(after, TYPE);
            if is_typed && (self.is(after + 1, b'*') || self.is_name(after + 1)) {
                return Some(at);
            }
        }
        // `int API f(`, `void * API f(`, `char FAR *p`, `(API *f)(`
        if is_capital && previous != usize::MAX {
            let is_type = self.is_in(previous, TYPE) || self.is_name(previous);
            let is_before_function =
                self.is_name(after) && (self.is(after + 1, b'(') || self.is(after + 1, b'['));
            let is_called = is_before_function && (is_type || self.is(previous, b'*'));
            let is_pointer = is_type && self.is(after, b'*');
            let is_name_of_type = self.is(previous, b'}')
                && self.is_name(after)
                && self.is(after + 1, b';')
                && !self.source[self.all[previous].end..self.all[at].start].contains('\n');
            let is_in_parentheses = self.is(previous, b'(')
                && self.is(after, b'*')
                && self.is_name(after + 1)
                && self.is(after + 2, b')')
                && self.is(after + 3, b'(');
            return (is_called || is_pointer || is_in_parentheses || is_name_of_type).then_some(at);
        }
        None
    }

    /// Returns true for a token that starts a declaration after a macro, perhaps behind others: `template`, `static`, the
    /// name of a constructor or destructor.
    fn starts_declaration(&self, at: usize) -> bool {
        let macros = (at..at + MAX_MACROS).take_while(|it| self.is_capital(*it)).count();
        let start = at + macros;
        let text = self.text(start);
        matches!(text, "template" | "using" | "namespace")
            || self.is_in(start, SPECIFIER) && !matches!(text, "const" | "volatile")
            || self.is_in(start, TYPE) && macros > 0
            || self.is_constructor(start)
            || self.is(start, b'~') && self.in_type(start)
    }

    /// Returns true for the name of a function before its parameters.
    fn is_function_name(&self, at: usize) -> bool {
        self.is_name(at) && !self.is_capital(at) && self.is(at + 1, b'(')
    }

    /// Returns true for the last of the members of a struct.
    fn is_last_field(&self, at: usize) -> bool {
        self.all[at].owner.is_some_and(|it| !it.is_enum) && self.is(at + 1, b'}')
    }

    fn is_double_colon(&self, at: usize) -> bool {
        self.is(at, b':') && self.is(at + 1, b':')
    }

    /// Returns the last token of a macro with arguments that is no call: `ATTRIBUTE(x) int f(`, `int x GUARDED_BY(y);`.
    fn call_at(&self, at: usize, previous: usize, is_start: bool, is_capital: bool) -> Option<usize> {
        let close = self.all[at + 1].pair;
        if !is_capital || close == usize::MAX {
            return None;
        }
        let after = close + 1;
        // `class VISIBILITY("default") Name`
        if previous != usize::MAX && self.is_in(previous, TAG) {
            return self.is_name(after).then_some(close);
        }
        // Members that a macro lists.
        let is_separate = is_start || self.is(previous, b',');
        if self.in_type(at) && is_separate && self.is_at_edge(at, false) && self.is_at_edge(close, true) {
            return (self.is_word(after) || self.is(after, b'}')).then_some(close);
        }
        if is_start {
            let starts_type = self.is_in(after, TYPE) || self.is_in(after, SPECIFIER);
            let declares = self.is_name(after)
                && (self.is_name(after + 1) || self.is(after + 1, b'*') || self.is_double_colon(after + 1));
            let is_alone = self.is_at_edge(at, false)
                && self.is_at_edge(close, true)
                && self.is_word(after)
                && (self.all[at].start == 0 || self.source[..self.all[at].start].ends_with('\n'));
            return (starts_type || declares || is_alone).then_some(close);
        }
        let ends = [b';', b'{', b'='].iter().any(|it| self.is(after, *it));
        if !ends || previous == usize::MAX {
            return None;
        }
        let is_after_parameters = self.is(previous, b')') && {
            let opening = self.all[previous].pair;
            let is_function = opening != usize::MAX && opening > 0 && self.is_name(opening - 1);
            is_function && !self.is_capital(opening - 1)
        };
        let is_after_name = self.is_name(previous) || matches!(self.text(previous), "const" | "override");
        (is_after_parameters || is_after_name && !self.is(after, b'=')).then_some(close)
    }
}

/// Maximum number of macros before a declaration.
const MAX_MACROS: usize = 4;

/// Maximum number of tokens between the keyword of a type and its body.
const MAX_HEAD: usize = 64;

/// Returns the type whose body a brace after these tokens opens.
fn owner_before(source: &str, tokens: &[Token]) -> Option<Owner> {
    let text = |at: usize| tokens.get(at).map_or("", |it| &source[it.start..it.end]);
    let all = (0..tokens.len()).rev().take(MAX_HEAD);
    let mut head = all.take_while(|at| !matches!(text(*at), ")" | "(" | ";" | "{" | "}" | "="));
    let keyword = head.find(|at| tokens[*at].lists & TAG != 0)?;
    let is_enum = text(keyword) == "enum" || keyword > 0 && text(keyword - 1) == "enum";
    // `class API Name {`
    let is_second = tokens.get(keyword + 2).is_some_and(|it| it.kind == TokenKind::Word);
    let name = keyword + 1 + usize::from(is_second && !matches!(text(keyword + 2), "final"));
    Some(Owner { name, is_enum })
}

/// Returns true if code after these tokens continues an expression or list.
fn is_in_expression(source: &str, tokens: &[Token], is_outside: bool) -> bool {
    let Some(last) = tokens.last() else { return false };
    let before = tokens.iter().nth_back(1);
    match last.kind {
        TokenKind::Punctuation(b',' | b'(' | b'=' | b'|' | b'+' | b'?') => true,
        TokenKind::Punctuation(b'&') => before.is_some_and(|it| it.end == last.start),
        // `Type(int a) : member(a)`
        TokenKind::Punctuation(b':') => before.is_some_and(|it| &source[it.start..it.end] == ")"),
        // `int a[] = {`
        TokenKind::Punctuation(b'{') => before.is_some_and(|it| it.kind == TokenKind::Punctuation(b'=')),
        TokenKind::Punctuation(b';' | b'}') => false,
        _ => !is_outside,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Finds the names of headers in a condition, which the grammar does not read: `#if __has_include(<a.h>)`.
fn included_names(bytes: &[u8], (start, end): (usize, usize), blanks: &mut Vec<(usize, usize)>) {
    /// Maximum length of such a name, in bytes.
    const MAX_NAME: usize = 256;
    let text = &bytes[start..end];
    let is_condition =
        text[1..].trim_ascii_start().starts_with(b"if") || text[1..].trim_ascii_start().starts_with(b"el");
    let opens = memchr::memchr_iter(b'(', text).filter(|_| is_condition);
    let mut done = 0;
    for open in opens {
        let close = match text.get(open + 1) {
            Some(b'<') => b'>',
            Some(b'"') => b'"',
            _ => continue,
        };
        let name = &text[open + 2..text.len().min(open + 2 + MAX_NAME)];
        let Some(len) = memchr::memchr(close, name).filter(|_| open >= done) else { continue };
        let last = open + 2 + len + 1;
        if text.get(last) == Some(&b')') {
            blanks.push((start + open, start + last + 1));
            done = last;
        }
    }
}

fn end_of_directive(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let Some(end) = memchr::memchr(b'\n', &bytes[at..]) else { return bytes.len() };
        let line = bytes[at..at + end].trim_ascii_end();
        at += end + 1;
        if !line.ends_with(b"\\") {
            return at;
        }
    }
}

fn end_of_literal(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns true if a header is C++: it has a class, namespace, template, access specifier or qualified name.
pub(super) fn is_cpp(source: &str) -> bool {
    let mut is_comment = false;
    source.lines().any(|line| {
        let line = line.trim();
        if is_comment || line.starts_with("/*") {
            is_comment = !line.contains("*/");
            return false;
        }
        if line.starts_with("//") || line.starts_with('*') || line.starts_with('#') {
            return false;
        }
        let code = line.split("//").next().unwrap_or(line);
        let is_qualified = || {
            code.match_indices("::").any(|(at, _)| {
                let bytes = code.as_bytes();
                at > 0 && is_word(bytes[at - 1]) && bytes.get(at + 2).is_some_and(|byte| is_word(*byte))
            })
        };
        let starts = ["class ", "namespace ", "template<", "template <", "public:", "private:", "protected:"];
        starts.iter().any(|start| code.starts_with(start)) || code.contains("::") && is_qualified()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> String {
        without_macros(source).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_beside_declarations_are_blanked() {
        assert_eq!(kept("ZEXTERN int ZEXPORT inflate(z_streamp s);"), "int inflate(z_streamp s);");
        assert_eq!(kept("local block_state deflate(state *s);"), "block_state deflate(state *s);");
        assert_eq!(kept("static redisAtomic size_t n = 0;"), "static size_t n = 0;");
        assert_eq!(kept("gzFile ZEXPORT open(int a);"), "gzFile open(int a);");
        assert_eq!(kept("struct state FAR *state;"), "struct state *state;");
        assert_eq!(kept("local const config table[2] = {"), "const config table[2] = {");
        assert_eq!(kept("struct a { int b; } FAR c;"), "struct a { int b; } c;");
        assert_eq!(kept("x = (z_const Bytef *)y;"), "x = ( Bytef *)y;");
        assert_eq!(
            kept("int a[] = {\n1,\n#ifdef B\n2,\n#else\n3,\n#endif\n4};\n#if C\nint d;\n#endif\n"),
            "int a[] = { 1, 2, 4}; #if C int d; #endif"
        );
        assert_eq!(
            kept("enum { A,\n#if B\nC,\n#else\nD,\n#endif\n};"),
            "enum { A, #if B C, #else D, #endif };"
        );
        assert_eq!(kept("struct a {\n  FIELDS\n};"), "struct a { };");
        assert_eq!(kept("enum a {\n  MAP(XX)\n  LAST\n};"), "enum a { LAST };");
        assert_eq!(kept("enum a {\n  ONLY\n};"), "enum a { ONLY };");
        assert_eq!(kept("class API Name : B {};"), "class Name : B {};");
        assert_eq!(kept("FMT_BEGIN_NAMESPACE\nnamespace detail {}"), "namespace detail {}");
        assert_eq!(kept("int val GUARDED_BY(mu);"), "int val ;");
        assert_eq!(kept("void f(int a) LOCKS_EXCLUDED(mu) { g(); }"), "void f(int a) { g(); }");
        assert_eq!(kept("NO_SANITIZE(\"alignment\")\nint f(void) {}"), "int f(void) {}");
        assert_eq!(kept("API INLINE void a(int b UNUSED) {}"), "void a(int b ) {}");
        assert_eq!(kept("class API(\"x\") a {};"), "class a {};");
        assert_eq!(
            kept("template <class T,\nENABLE_IF(is<T>() && 1 > 0)>\nINLINE auto a(T b) {}"),
            "template <class T > auto a(T b) {}"
        );
        assert_eq!(kept("#if has(<a.h>) || has(\"b.h\")\nint a;\n#endif"), "#if has || has int a; #endif");
        assert_eq!(kept("int a[] = {\n#if B\n1\n#else\n2\n#endif\n};"), "int a[] = { 1 };");
        assert_eq!(kept("if (unsigned(a) < 1) b();"), "if ( (a) < 1) b();");
        assert_eq!(kept("enum : int { A };"), "enum { A };");
        assert_eq!(kept("if CONSTEXPR (a) b();"), "if (a) b();");
        assert_eq!(kept("for (ALL(a, (b), c)) d();"), "if (ALL(a, (b), c)) d();");
        assert_eq!(kept("EXPORT template <class T> class a {"), "template <class T> class a {");
        assert_eq!(
            kept("class a : public B<C> {\nINLINE a(int b);\nINLINE ~a();\nBOOL c(int d);"),
            "class a : public B<C> { a(int b); ~a(); BOOL c(int d);"
        );
        assert_eq!(kept("void *(CDECL *allocate)(size_t n);"), "void *( *allocate)(size_t n);");
        assert_eq!(kept("BOOL WINAPI DllMain(HANDLE h) {}"), "BOOL DllMain(HANDLE h) {}");
        assert_eq!(
            kept("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);"),
            "#ifdef __cplusplus #endif int f(void);"
        );
    }

    #[test]
    fn other_code_is_kept() {
        let kept_whole = [
            "BYTE const *p;",
            "DWORD x = 1;",
            "if (a) CHECK(b);",
            "Status DB::Open(int a) { return b; }",
            "unsigned LONG;",
            "x = a * b;",
            "return FOO(1);",
            "for (EACH(a); b; c) d();",
            "CHECK(a);",
            "struct FILE *f;",
            "foo (*g)(int);",
            "case A: foo(b); break;",
            "TEST(a, b) { return; }",
            "const BYTE *f(int a);",
            "static BYTE f(void);",
            "DWORD\nfoo(int a)\n{}",
        ];
        for source in kept_whole {
            assert_eq!(without_macros(source), source);
        }
    }

    #[test]
    fn headers_of_cpp_are_found() {
        assert!(is_cpp("namespace a {\n}"));
        assert!(is_cpp("std::string f();"));
        assert!(!is_cpp("/* class a */\n// class b\nint f(void);\n#define A \"::1\"\n"));
    }
}
