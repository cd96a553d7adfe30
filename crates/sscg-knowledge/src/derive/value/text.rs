//! Texts of which some pieces are known.

use sscg_core::FileId;

use super::ALTERNATIVES;

/// The pieces of a text in order.
pub(crate) type Text = Vec<Piece>;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// As written.
    Text(Box<str>),
    /// The value of an environment variable.
    Variable(Box<str>),
    /// What a function is given.
    Parameter(Parameter),
    /// Something, at least one character.
    Unknown,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parameter {
    /// The file of the function.
    pub file: FileId,
    /// Its place among the functions of the file's wiring.
    pub function: u32,
    /// Which one, counted from 0.
    pub index: u32,
}

/// The text, if every piece of it is written.
pub(crate) fn literal(text: &[Piece]) -> Option<String> {
    text.iter().map(|piece| if let Piece::Text(text) = piece { Some(&**text) } else { None }).collect()
}

/// Every text that begins with one of the first texts, goes on with one of the second, and so on.
pub(crate) fn joined(parts: impl IntoIterator<Item = Vec<Text>>) -> Vec<Text> {
    parts.into_iter().fold(vec![Text::new()], |heads, tails| {
        let both = heads.iter().flat_map(|head| tails.iter().map(move |tail| appended(head, tail)));
        both.take(ALTERNATIVES).collect()
    })
}

fn appended(head: &[Piece], tail: &[Piece]) -> Text {
    let mut text = head.to_vec();
    for piece in tail {
        match (text.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(more)) => *last = format!("{last}{more}").into(),
            _ => text.push(piece.clone()),
        }
    }
    text
}
