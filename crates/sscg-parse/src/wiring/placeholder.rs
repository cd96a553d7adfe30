//! Texts with placeholders: `{}`, `{0}` and `{name}`, `%s`, Python's `%(name)s` and Java's `%1$s`.

use sscg_core::wiring::{Argument, Expression};

use super::pieces::Pieces;

/// Maximum number of repeated uses of values in one text, to bound its size.
const MAX_REPEATED: usize = 64;

/// Values for the placeholders of a text.
pub(super) struct Values<'a> {
    arguments: &'a [Argument],
    used: Vec<bool>,
    next: usize,
    repeated: usize,
}

impl<'a> Values<'a> {
    pub(super) fn new(arguments: &'a [Argument]) -> Self {
        Self { arguments, used: vec![false; arguments.len()], next: 0, repeated: 0 }
    }

    fn following(&mut self) -> Expression {
        self.next += 1;
        self.positional(self.next - 1)
    }

    fn positional(&mut self, n: usize) -> Expression {
        let unnamed = self.arguments.iter().enumerate().filter(|(_, argument)| argument.name.is_none());
        let place = unnamed.map(|(place, _)| place).nth(n);
        self.at(place)
    }

    fn named(&mut self, name: &str) -> Option<Expression> {
        let place = self.arguments.iter().position(|argument| argument.name.as_deref() == Some(name))?;
        Some(self.at(Some(place)))
    }

    /// Returns a value. Composite values are used once only, others repeatedly up to `MAX_REPEATED`.
    fn at(&mut self, place: Option<usize>) -> Expression {
        let Some(place) = place else { return Expression::Other };
        let value = &self.arguments[place].value;
        if std::mem::replace(&mut self.used[place], true) {
            self.repeated += 1;
            let holds_others = matches!(
                value,
                Expression::Join(_) | Expression::Record(_) | Expression::List(_) | Expression::Either(_)
            );
            if holds_others || self.repeated > MAX_REPEATED {
                return Expression::Other;
            }
        }
        value.clone()
    }
}

/// Returns a text with its placeholders replaced by `fill`. Non-literal pieces stay.
pub(super) fn filled(
    template: &Expression,
    values: &mut Values<'_>,
    fill: fn(&str, &mut Values<'_>, &mut Pieces),
) -> Expression {
    let mut pieces = Pieces::default();
    let parts = match template {
        Expression::Join(parts) => parts,
        one => std::slice::from_ref(one),
    };
    for part in parts {
        match part {
            Expression::Text(text) => fill(text, values, &mut pieces),
            value => pieces.value(value.clone()),
        }
    }
    pieces.finish()
}

/// Fills `{}`, `{0}` and `{name}`. A name without an argument is a variable of the surrounding code.
pub(super) fn braces(text: &str, values: &mut Values<'_>, pieces: &mut Pieces) {
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        pieces.text(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            pieces.text(brace);
            rest = after;
        } else if brace == "{" {
            let end = closing(rest);
            let field = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or("");
            let name = &field[..field.find(['!', ':', '.', '[']).unwrap_or(field.len())];
            let is_whole = matches!(field[name.len()..].chars().next(), None | Some('!' | ':'));
            let value = match name.parse() {
                Ok(n) => values.positional(n),
                Err(_) if name.is_empty() => values.following(),
                Err(_) => values.named(name).unwrap_or_else(|| Expression::Name(name.into())),
            };
            pieces.value(if is_whole { value } else { Expression::Other });
        }
    }
    pieces.text(rest);
}

/// Returns the offset of the brace that closes the one opened before `text`.
fn closing(text: &str) -> usize {
    let mut open = 0;
    for (at, character) in text.char_indices() {
        match character {
            '{' => open += 1,
            '}' if open == 0 => return at,
            '}' => open -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Fills `%s`, `%(name)s` and `%1$s`.
pub(super) fn percent(text: &str, values: &mut Values<'_>, pieces: &mut Pieces) {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        pieces.text(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            pieces.text("%");
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('(').and_then(|named| named.split_once(')'));
        let mut flags = name.map_or(rest, |(_, flags)| flags);
        let place =
            flags.split_once('$').and_then(|(place, after)| Some((place.parse::<usize>().ok()?, after)));
        let place = place.map(|(place, after)| {
            flags = after;
            place.saturating_sub(1)
        });
        let conversion = flags.trim_start_matches(|c: char| c.is_ascii_digit() || "#-+ .*hlL".contains(c));
        rest = conversion.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(conversion);
        pieces.value(match (name, place) {
            (Some((name, _)), _) => values.named(name).unwrap_or(Expression::Other),
            (None, Some(place)) => values.positional(place),
            (None, None) => values.following(),
        });
    }
    pieces.text(rest);
}
