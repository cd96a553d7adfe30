//! Texts composed of pieces.

use sscg_core::wiring::Expression;

/// Collector of the pieces of a text.
#[derive(Default)]
pub(super) struct Pieces {
    done: Vec<Expression>,
    text: String,
}

impl Pieces {
    pub(super) fn text(&mut self, text: &str) {
        self.text += text;
    }

    pub(super) fn escape(&mut self, sequence: &str) {
        match replaced(sequence) {
            Some(character) => self.text.extend(character),
            None => self.text += sequence,
        }
    }

    pub(super) fn value(&mut self, value: Expression) {
        self.flush();
        self.done.push(value);
    }

    /// Appends an adjacent text.
    pub(super) fn beside(&mut self, value: Expression) {
        match value {
            Expression::Text(text) => self.text(&text),
            Expression::Join(pieces) => {
                self.flush();
                self.done.extend(pieces);
            }
            value => self.value(value),
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Expression::Text(self.text.as_str().into()));
            self.text.clear();
        }
    }

    /// Returns the text, if it consists of literal pieces only.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn finish(mut self) -> Expression {
        if self.done.is_empty() {
            return Expression::Text(self.text.into());
        }
        self.flush();
        Expression::Join(self.done.into())
    }
}

/// Returns the concatenation of the operands of `+`. `Expression::Other` if neither is text and one of them is
/// unknown.
pub(super) fn concatenation(left: Expression, right: Expression) -> Expression {
    let is_text = |value: &Expression| matches!(value, Expression::Text(_) | Expression::Join(_));
    let is_none = |value: &Expression| *value == Expression::Other;
    if !is_text(&left) && !is_text(&right) && (is_none(&left) || is_none(&right)) {
        return Expression::Other;
    }
    let mut pieces = match left {
        Expression::Join(pieces) => pieces.into_vec(),
        one => vec![one],
    };
    match right {
        Expression::Join(more) => pieces.extend(more),
        one => pieces.push(one),
    }
    Expression::Join(pieces.into())
}

/// Decodes an escape sequence: `Some(None)` if it yields no character, `None` if its meaning is not common to the
/// languages.
fn replaced(sequence: &str) -> Option<Option<char>> {
    let rest = sequence.strip_prefix('\\')?;
    let kind = rest.chars().next()?;
    let digits = |digits: &str, radix| {
        u32::from_str_radix(digits, radix).ok().map(|code| Some(char::from_u32(code).unwrap_or('\u{fffd}')))
    };
    match kind {
        'n' => Some(Some('\n')),
        't' => Some(Some('\t')),
        'r' => Some(Some('\r')),
        'b' => Some(Some('\u{8}')),
        'f' => Some(Some('\u{c}')),
        'v' => Some(Some('\u{b}')),
        'a' => Some(Some('\u{7}')),
        '\n' | '\r' => Some(None),
        'x' | 'u' | 'U' => digits(rest[1..].trim_start_matches('{').trim_end_matches('}'), 16),
        '0'..='7' => digits(rest, 8),
        'N' => None,
        other => Some(Some(other)),
    }
}
