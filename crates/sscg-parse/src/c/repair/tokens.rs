//! Tokens of C and C++ before macro expansion.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Token of the text that is relevant here.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: TokenKind,
    /// Lists of words that have the token, as bits.
    pub(super) lists: u8,
    /// Index of the matching parenthesis, for parentheses; `usize::MAX` without one.
    pub(super) pair: usize,
    /// Type among whose members the token is.
    pub(super) owner: Option<Owner>,
    /// True if the line starts with `template`.
    pub(super) in_template_line: bool,
}

/// Type with a body.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    /// Index of the token after its keyword, which usually is its name.
    name: usize,
    pub(super) is_enum: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Literal,
    Punctuation(u8),
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
pub(super) const SPECIFIERS: &[&str] = &[
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
pub(super) const SPECIFIER: u8 = 2;
pub(super) const TYPE: u8 = 4;
pub(super) const TAG: u8 = 8;

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

/// Tokens of a text outside of comments and directives.
pub(super) struct Tokens<'s> {
    pub(super) source: &'s str,
    pub(super) all: Vec<Token>,
}

impl<'s> Tokens<'s> {
    /// Reads the tokens. A conditional block in the middle of an expression or list has no place in the grammar, so its
    /// directives are blanked, with all branches but the first. O(bytes).
    pub(super) fn of(source: &'s str, blanks: &mut Vec<(usize, usize)>) -> Self {
        let bytes = source.as_bytes();
        let mut reader = Reader {
            source,
            blanks,
            all: Vec::with_capacity(bytes.len() / 6),
            open: Vec::new(),
            braces: Vec::new(),
            conditions: Vec::new(),
            in_template_line: false,
        };
        let (mut at, mut is_line_start) = (0, true);
        while at < bytes.len() {
            let (piece, end) = piece(bytes, at, is_line_start);
            match piece {
                Piece::LineEnd => is_line_start = true,
                Piece::Space => {}
                Piece::Directive => reader.directive(at, end),
                Piece::Token(kind) => {
                    is_line_start = false;
                    reader.token(at, end, kind);
                }
            }
            at = end;
        }
        Self { source, all: reader.all }
    }

    pub(super) fn text(&self, at: usize) -> &'s str {
        self.all.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    pub(super) fn is(&self, at: usize, punctuation: u8) -> bool {
        self.all.get(at).is_some_and(|token| token.kind == TokenKind::Punctuation(punctuation))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Returns true for a word in a list.
    pub(super) fn is_in(&self, at: usize, list: u8) -> bool {
        self.all.get(at).is_some_and(|token| token.lists & list != 0)
    }

    pub(super) fn in_type(&self, at: usize) -> bool {
        self.all[at].owner.is_some()
    }

    /// Returns true for the name of the type around it, before the parameters of a constructor.
    pub(super) fn is_constructor(&self, at: usize) -> bool {
        let owner = self.all.get(at).and_then(|it| it.owner);
        owner.is_some_and(|owner| self.is(at + 1, b'(') && self.text(owner.name) == self.text(at))
    }

    /// Returns true for a name that is no keyword.
    pub(super) fn is_name(&self, at: usize) -> bool {
        self.is_word(at) && self.all[at].lists == 0 && !self.text(at).starts_with("__")
    }

    /// Returns true for a name in the style of macros.
    pub(super) fn is_capital(&self, at: usize) -> bool {
        let text = self.text(at);
        text.len() > 2
            && self.is_word(at)
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && text.bytes().any(|byte| byte.is_ascii_uppercase())
    }

    /// Returns true if a token is the first or, if `last` is set, the last one on its line.
    pub(super) fn is_at_edge(&self, at: usize, last: bool) -> bool {
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
}

/// Piece of a text.
enum Piece {
    LineEnd,
    /// White space within a line, or a comment.
    Space,
    Directive,
    Token(TokenKind),
}

/// Returns the piece of a text at an offset, and its end.
fn piece(bytes: &[u8], at: usize, is_line_start: bool) -> (Piece, usize) {
    let byte = bytes[at];
    match (byte, bytes.get(at + 1)) {
        (b'\n', _) => (Piece::LineEnd, at + 1),
        (b'#', _) if is_line_start => (Piece::Directive, end_of_directive(bytes, at)),
        (b'/', Some(b'/')) => {
            (Piece::Space, memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end))
        }
        (b'/', Some(b'*')) => {
            let end = memchr::memmem::find(&bytes[at + 2..], b"*/");
            (Piece::Space, end.map_or(bytes.len(), |end| at + end + 4))
        }
        (b'"' | b'\'', _) => (Piece::Token(TokenKind::Literal), end_of_literal(bytes, at)),
        _ if byte.is_ascii_whitespace() => (Piece::Space, at + 1),
        _ if is_word(byte) => {
            let kind = if byte.is_ascii_digit() { TokenKind::Literal } else { TokenKind::Word };
            (Piece::Token(kind), at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count())
        }
        _ => (Piece::Token(TokenKind::Punctuation(byte)), at + 1),
    }
}

/// State of reading: the tokens so far, and what is open after them.
struct Reader<'s, 'b> {
    source: &'s str,
    blanks: &'b mut Vec<(usize, usize)>,
    all: Vec<Token>,
    /// Tokens that are open parentheses.
    open: Vec<usize>,
    /// For each open brace, its type. Members of an enumeration may be conditional.
    braces: Vec<Option<Owner>>,
    /// For each open conditional block, the start of what to blank at its end.
    conditions: Vec<Option<usize>>,
    in_template_line: bool,
}

impl Reader<'_, '_> {
    fn directive(&mut self, start: usize, end: usize) {
        included_names(self.source.as_bytes(), (start, end), self.blanks);
        let directive = self.source[start + 1..end].trim_start();
        if directive.starts_with("if") {
            let in_enum = self.braces.last().is_some_and(|it| it.is_some_and(|it| it.is_enum));
            let is_apart = in_enum || !is_in_expression(self.source, &self.all, self.open.is_empty());
            self.conditions.push((!is_apart).then_some(usize::MAX));
            if !is_apart {
                self.blanks.push((start, end));
            }
        } else if directive.starts_with("el") {
            if let Some(Some(from)) = self.conditions.last_mut() {
                *from = start.min(*from);
            }
        } else if directive.starts_with("endif")
            && let Some(Some(from)) = self.conditions.pop()
        {
            self.blanks.push((start.min(from), end));
        }
    }

    fn token(&mut self, start: usize, end: usize, kind: TokenKind) {
        let pair = self.pair(kind);
        let text = &self.source[start..end];
        self.in_template_line = self.is_in_template_line(start, text.starts_with("template"));
        let lists = match kind {
            TokenKind::Word => LISTS.get(text).copied().unwrap_or_default(),
            _ => 0,
        };
        let owner = self.braces.last().copied().flatten();
        let in_template_line = self.in_template_line;
        self.all.push(Token { start, end, kind, lists, pair, owner, in_template_line });
    }

    /// Opens or closes a parenthesis or brace. Returns the parenthesis that the next token closes.
    fn pair(&mut self, kind: TokenKind) -> usize {
        match kind {
            TokenKind::Punctuation(b'(') => self.open.push(self.all.len()),
            TokenKind::Punctuation(b')') => {
                if let Some(opening) = self.open.pop() {
                    self.all[opening].pair = self.all.len();
                    return opening;
                }
            }
            // A parenthesis does not reach beyond the braces around it.
            TokenKind::Punctuation(b'{') => {
                self.open.clear();
                self.braces.push(owner_before(self.source, &self.all));
            }
            TokenKind::Punctuation(b'}') => {
                self.open.clear();
                self.braces.pop();
            }
            _ => {}
        }
        usize::MAX
    }

    /// Returns true if the next token, which starts at an offset, is on a line that starts with `template`.
    fn is_in_template_line(&self, start: usize, is_template: bool) -> bool {
        if !self.in_template_line && !is_template {
            return false;
        }
        // The text since the start of the token before this one.
        let gap = &self.source[self.all.last().map_or(0, |before| before.start)..start];
        let line = gap.rfind('\n').map(|end| &gap[end + 1..]).or(self.all.is_empty().then_some(gap));
        line.map_or(self.in_template_line, |line| line.trim().is_empty() && is_template)
    }
}

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

pub(super) fn is_word(byte: u8) -> bool {
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
