//! Answers in the format `text`.

use sscg::Answer;
use sscg::format::{FileSnapshot, Renderer, Text, pieces};

use super::frame::{self, Frame};
use super::{DIM, Painted, code, is_on};

/// What was found, in colours if they are on and the format is that for people.
pub(crate) fn found(answer: &Answer, text: &str, format: &str) -> Painted {
    let mut painted = Painted::plain(text);
    if !is_on() || format != Text.name() {
        return painted;
    }
    let snapshots = answer.snapshots.iter().map(Some);
    let mut at = 0;
    for (piece, snapshot) in pieces(answer).iter().zip([None].into_iter().chain(snapshots)) {
        // A text whose numbers could not be made to agree with it differs, and is not taken apart.
        if !text[at..].starts_with(piece.as_str()) {
            break;
        }
        match snapshot {
            None => frame::paint(Frame::Search, piece, at, &mut painted),
            Some(snapshot) => paint_snapshot(snapshot, piece, at, &mut painted),
        }
        at += piece.len();
    }
    painted
}

/// What the graph says, in colours if they are on and the format is that for people.
pub(crate) fn explored(text: &str, format: &str) -> Painted {
    let mut painted = Painted::plain(text);
    if is_on() && format == Text.name() {
        frame::paint(Frame::Graph, text, 0, &mut painted);
    }
    painted
}

/// Paints the code of a file that stands at an offset, and the line before it that a document has.
fn paint_snapshot(snapshot: &FileSnapshot, piece: &str, at: usize, painted: &mut Painted) {
    let code = snapshot.text.trim_end();
    let origin = if piece.starts_with(code) { 0 } else { piece.find('\n').map_or(0, |end| end + 1) };
    painted.paint(at..at + origin, DIM);
    for (part, style) in code::parts(&snapshot.file, &piece[origin..]) {
        let start = at + origin;
        painted.paint(start + part.start..start + part.end, style);
    }
}
