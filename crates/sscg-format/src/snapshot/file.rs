//! Facts and text of one file, and the layout of its declarations.

use sscg_core::{ChunkKind, FileFacts, Id, LocalSymbol, Modifiers, Span, Symbol, SymbolKind};
use sscg_parse::{Blocks, Ending, Syntax};

use super::SHORT;

/// Maximum number of bytes of a declaration whose value is shown where the constant is only referred to.
const LONG_BYTES: usize = 800;

/// Characters after which an expression continues.
const OPERATORS: [char; 15] = ['(', '[', ',', '=', ':', '?', '&', '|', '!', '+', '-', '*', '~', '<', '>'];

pub(super) struct File<'a> {
    pub(super) facts: &'a FileFacts,
    pub(super) source: &'a str,
    pub(super) extension: &'a str,
    pub(super) syntax: &'a dyn Syntax,
    /// Innermost declaration with a name whose text contains each declaration. It is not always the parent: `self.x = 1` is in a
    /// method.
    around: Vec<Option<LocalSymbol>>,
}

impl<'a> File<'a> {
    /// Creates the layout. O(symbols).
    pub(super) fn new(
        facts: &'a FileFacts,
        source: &'a str,
        extension: &'a str,
        syntax: &'a dyn Syntax,
    ) -> Self {
        let mut around = Vec::with_capacity(facts.symbols.len());
        let mut open: Vec<(LocalSymbol, Span)> = Vec::new();
        for (symbol, declaration) in facts.symbols.iter_enumerated() {
            let span = declaration.span;
            while open.pop_if(|(_, outer)| !outer.contains(span) || *outer == span).is_some() {}
            around.push(open.last().map(|(outer, _)| *outer));
            if !declaration.modifiers.contains(Modifiers::ANONYMOUS) {
                open.push((symbol, span));
            }
        }
        Self { facts, source, extension, syntax, around }
    }

    pub(super) fn symbol(&self, symbol: LocalSymbol) -> &'a Symbol {
        &self.facts.symbols[symbol]
    }

    pub(super) fn text(&self, span: Span) -> &'a str {
        span.text(self.source)
    }

    pub(super) fn around(&self, symbol: LocalSymbol) -> Option<LocalSymbol> {
        self.around[symbol.index()]
    }

    /// True if a declaration has a chunk of its own.
    pub(super) fn has_chunk(&self, symbol: LocalSymbol) -> bool {
        self.facts.chunks[self.symbol(symbol).chunk].symbol == Some(symbol)
    }

    /// Returns the span that shows all of a declaration: its statement. It does not start with white space.
    pub(super) fn extent(&self, symbol: LocalSymbol) -> Span {
        let declaration = self.symbol(symbol);
        let chunk = &self.facts.chunks[declaration.chunk];
        let is_statement = chunk.symbol.is_none()
            && chunk.parent.is_none()
            && declaration.body.is_none()
            && (matches!(chunk.kind, ChunkKind::Symbol(_)) || declaration.parent.is_none());
        let mut extent = if chunk.symbol == Some(symbol) || is_statement {
            chunk.span
        } else {
            let statement = self.syntax.statement(self.source, declaration.span);
            match self.around(symbol).filter(|outer| self.is_in_body(*outer, symbol)) {
                Some(outer) => {
                    let outer = self.symbol(outer).span;
                    Span::new(statement.start.max(outer.start), statement.end.min(outer.end))
                }
                None => statement,
            }
        };
        extent = self.trimmed(extent);
        let is_listed = declaration.body.is_some() || !self.keyword(symbol, extent).is_empty();
        if is_listed && self.text(extent).ends_with(',') {
            extent.end = declaration.span.end;
        }
        extent
    }

    /// Returns the keyword of a variable's declaration if it is not directly before it in the text, because other
    /// declarations are: `const ` for `b = 2` in `const a = 1, b = 2`. Empty if the whole statement is shown, which is
    /// `extent`.
    pub(super) fn keyword(&self, symbol: LocalSymbol, extent: Span) -> &'static str {
        const WORDS: [&str; 3] = ["const ", "let ", "var "];
        let Symbol { name, span, parent, signature, .. } = self.symbol(symbol);
        let owner = parent.map(|parent| self.symbol(parent).kind);
        let holds_statements = owner.is_none_or(|owner| owner.is_callable() || owner == SymbolKind::Module);
        let is_part = extent.start >= span.start && self.syntax.blocks() == Blocks::Braces;
        let text = self.text(Span::new(self.head_start(symbol).min(span.end), span.end));
        let assigned =
            text.strip_prefix(&**name).map(|rest| rest.trim_start_matches(['!', '?']).trim_start());
        let is_assigned =
            assigned.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':', ',', ';']));
        if !holds_statements || !is_part || !is_assigned {
            return "";
        }
        // A signature contains the keyword of a variable, but not of a function.
        let said = WORDS.iter().find(|word| signature.contains(**word)).copied();
        let before = self.source[..span.start as usize].lines().rev().map(str::trim_start);
        let mut starts = before.map(|line| line.trim_start_matches("export "));
        let found = || starts.find_map(|line| WORDS.iter().find(|word| line.starts_with(**word)).copied());
        said.or_else(found).unwrap_or("var ")
    }

    /// True if a declaration may lack the semicolon that it needs outside of its statement: in the arguments of a macro
    /// (`thread_local! { static A: B = c }`).
    pub(super) fn needs_end(&self, symbol: LocalSymbol) -> bool {
        use SymbolKind::{Constant, TypeAlias, Variable};
        let Symbol { kind, parent, chunk, .. } = self.symbol(symbol);
        let is_in_statement = parent.is_none() && self.facts.chunks[*chunk].parent.is_some();
        is_in_statement
            && matches!(kind, Constant | TypeAlias | Variable)
            && self.syntax.blocks() == Blocks::Braces
    }

    /// True if a declaration is in the body of the one around it. Its comments may be above the body's first line.
    pub(super) fn is_in_body(&self, outer: LocalSymbol, inner: LocalSymbol) -> bool {
        self.symbol(outer).body.is_some_and(|body| body.start < self.symbol(inner).span.end)
    }

    /// Returns a span without the white space at its ends.
    pub(super) fn trimmed(&self, span: Span) -> Span {
        let text = self.text(span);
        let start = text.len() - text.trim_start_matches(is_blank).len();
        let len = text.trim_matches(is_blank).len();
        Span::new(span.start + start as u32, span.start + (start + len) as u32)
    }

    /// Returns the start of a declaration after its comments and attributes.
    pub(super) fn head_start(&self, symbol: LocalSymbol) -> u32 {
        let Symbol { span, attributes, .. } = self.symbol(symbol);
        let mut at = span.start;
        loop {
            at += blanks(self.text(Span::new(at, span.end)));
            let rest = self.text(Span::new(at, span.end));
            let attribute =
                attributes.iter().find(|attribute| attribute.start == at && !attribute.is_empty());
            match (attribute, comment(rest, self.syntax.line_comment())) {
                (Some(attribute), _) => at = attribute.end.min(span.end),
                (None, 0) => return at,
                (None, comment) => at += comment,
            }
        }
    }

    /// Returns the attributes and decorators before a declaration, each with true if a line break follows it. Those of
    /// several lines are left out: readers of the code below do not need them.
    pub(super) fn attributes(&self, symbol: LocalSymbol) -> impl Iterator<Item = (&'a str, bool)> {
        let head = self.head_start(symbol);
        let attributes = self
            .symbol(symbol)
            .attributes
            .iter()
            .filter(move |span| span.end <= head && !self.text(**span).contains('\n'));
        attributes.map(move |span| {
            let rest = self.text(Span::new(span.end, head));
            (self.text(*span), rest.contains('\n'))
        })
    }

    /// Returns the text of a declaration before and after its body, without leading comments and attributes. Without a
    /// body, all of it is before.
    pub(super) fn head(&self, symbol: LocalSymbol) -> (&'a str, &'a str) {
        let Symbol { span, body, signature, .. } = self.symbol(symbol);
        if self.syntax.blocks() == Blocks::Indentation && body.is_some() {
            // Between the colon and the body there may be comments.
            return (signature, "");
        }
        let start = self.head_start(symbol);
        match body {
            Some(body) => (
                self.text(Span::new(start.min(body.start), body.start)),
                self.text(Span::new(body.end, span.end)),
            ),
            None => (self.text(Span::new(start, span.end)), ""),
        }
    }

    /// Returns the value of a constant or variable that is too long to be shown where it is only referred to.
    pub(super) fn long_value(&self, symbol: LocalSymbol) -> Option<Span> {
        let Symbol { kind, span, body, .. } = self.symbol(symbol);
        if body.is_some() || !matches!(kind, SymbolKind::Constant | SymbolKind::Variable) {
            return None;
        }
        let start = self.head_start(symbol).min(span.end);
        let text = self.text(Span::new(start, span.end));
        if text.len() <= LONG_BYTES && text.lines().count() <= SHORT as usize {
            return None;
        }
        let sign = assignment(text)?;
        let value = text[sign + 1..].trim_end_matches([';', ',']);
        let skipped = value.len() - value.trim_start().len();
        let from = start + (sign + 1 + skipped) as u32;
        Some(Span::new(from, start + (sign + 1 + value.len()) as u32))
    }

    /// Returns the ending of a function whose body is elided.
    pub(super) fn ending(&self, symbol: LocalSymbol) -> Ending {
        let Symbol { parent, attributes, span, .. } = self.symbol(symbol);
        let owner = parent.map(|parent| self.symbol(parent).kind);
        let before = self.source[..span.start as usize].trim_end_matches([' ', '\t']);
        let starts_line = before.is_empty() || before.ends_with(['\n', ';', '{', '}']);
        let is_operand = !starts_line || before.trim_end().ends_with(OPERATORS);
        let is_plain = attributes.is_empty() && !is_operand;
        self.syntax.ending(self.extension, self.head(symbol).0, owner, is_plain)
    }

    /// True if a declaration is a statement, or can become one: a class without a name is part of an expression.
    pub(super) fn stands_alone(&self, symbol: LocalSymbol) -> bool {
        let head = self.head(symbol).0;
        let Some(rest) = ["class", "function"].iter().find_map(|word| head.strip_prefix(word)) else {
            return true;
        };
        let name = rest.trim_start_matches('*').split_whitespace().next();
        name.is_some_and(|name| name != "extends" && name.starts_with(is_word))
    }

    /// True if a declaration can show some items of its body without the rest.
    pub(super) fn is_frame(&self, symbol: LocalSymbol) -> bool {
        let Some(body) = self.symbol(symbol).body else { return false };
        match self.syntax.blocks() {
            Blocks::Braces => {
                let text = self.text(body);
                let is_block = text.len() > 1 && text.starts_with('{') && text.ends_with('}');
                // The expression after an arrow may contain functions with statements.
                is_block || self.head(symbol).0.trim_end().ends_with("=>")
            }
            Blocks::Indentation => {
                let before = self.source[..body.start as usize].trim_end_matches([' ', '\t']);
                before.ends_with('\n')
            }
        }
    }

    /// True if a declaration is useful without the members of its body, which a function is not.
    pub(super) fn is_container(&self, symbol: LocalSymbol) -> bool {
        let is_class = || self.head(symbol).0.split_whitespace().any(|word| word == "class");
        match self.symbol(symbol).kind {
            SymbolKind::Component => is_class(),
            SymbolKind::Macro => true,
            kind => kind.has_members(),
        }
    }

    /// Returns the leading white space of an offset's line, and true if nothing else is before the offset.
    pub(super) fn indent(&self, at: u32) -> (&'a str, bool) {
        let start = self.source[..at as usize].rfind('\n').map_or(0, |before| before + 1);
        let before = &self.source[start..at as usize];
        let width = before.len() - before.trim_start_matches(is_blank).len();
        (before[..width].trim_start_matches('\u{feff}'), width == before.len())
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn blanks(text: &str) -> u32 {
    (text.len() - text.trim_start_matches(is_blank).len()) as u32
}

/// True if a text may end in a comment, so that whatever follows must start on a new line.
pub(super) fn ends_in_comment(text: &str, line_comment: &str) -> bool {
    text.lines().last().is_some_and(|line| line.contains(line_comment))
}

/// Returns the length of the comment at the start of a text; 0 if there is none.
fn comment(text: &str, line_comment: &str) -> u32 {
    if text.starts_with(line_comment) {
        return text.find('\n').unwrap_or(text.len()) as u32;
    }
    if line_comment != "//" || !text.starts_with("/*") {
        return 0;
    }
    text[2..].find("*/").map_or(text.len(), |end| end + 4) as u32
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// True if a text contains a name as a whole word.
pub(super) fn names(text: &str, name: &str) -> bool {
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// Returns the offset of the `=` before the value of a declaration: outside of brackets and comments, and not part of a
/// longer operator (`==`, `=>`).
fn assignment(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let comment = match () {
            () if rest.starts_with("//") => rest.find('\n'),
            () if rest.starts_with("/*") => rest.find("*/").map(|end| end + 2),
            () => None,
        };
        if let Some(len) = comment {
            at += len;
            continue;
        }
        match next {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => {
                let around = [text[..at].chars().next_back(), rest[1..].chars().next()];
                if !around.iter().flatten().any(|sign| ['=', '>', '<', '!', ':'].contains(sign)) {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += next.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_starts_behind_a_sign_of_its_own() {
        let value = |text: &'static str| assignment(text).map(|at| text[at + 1..].trim());
        assert_eq!(value("const A: u32 = 3"), Some("3"));
        assert_eq!(value("const f: (a: A) => B = (a) => a == b"), Some("(a) => a == b"));
        assert_eq!(value("const f: { /** x = 1 */ (a: A): B } = dual(2)"), Some("dual(2)"));
        assert_eq!(value("X: dict[str, int] = {1: 2}"), Some("{1: 2}"));
        assert_eq!(value("let a // = 1\n = 2"), Some("2"));
        assert_eq!(value("declare const a: A"), None);
    }
}
