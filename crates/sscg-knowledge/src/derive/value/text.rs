//! Texts with known and unknown pieces.

use sscg_core::FileId;

use super::ALTERNATIVES;

/// Pieces of a text, in order.
pub(crate) type TextPattern = Vec<Piece>;

/// Piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// Literal text.
    Text(Box<str>),
    /// Value of an environment variable.
    Variable(Box<str>),
    /// Argument for a parameter.
    Parameter(Parameter),
    /// Unknown text of at least one character.
    Unknown,
}

/// Parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parameter {
    /// File of the function.
    pub file: FileId,
    /// Index of the function in the body facts of the file.
    pub function: u32,
    /// Index of the parameter, counted from 0.
    pub index: u32,
}

/// Returns the text if every piece is literal.
pub(crate) fn literal(text: &[Piece]) -> Option<String> {
    text.iter().map(|piece| if let Piece::Text(text) = piece { Some(&**text) } else { None }).collect()
}

/// Returns the texts that concatenate one alternative of each part, in order.
pub(crate) fn joined(parts: impl IntoIterator<Item = Vec<TextPattern>>) -> Vec<TextPattern> {
    parts.into_iter().fold(vec![TextPattern::new()], |heads, tails| {
        let both = heads.iter().flat_map(|head| tails.iter().map(move |tail| appended(head, tail)));
        both.take(ALTERNATIVES).collect()
    })
}

fn appended(head: &[Piece], tail: &[Piece]) -> TextPattern {
    let mut text = head.to_vec();
    for piece in tail {
        match (text.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(more)) => *last = format!("{last}{more}").into(),
            _ => text.push(piece.clone()),
        }
    }
    text
}
