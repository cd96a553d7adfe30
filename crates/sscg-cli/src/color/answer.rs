//! Colors of answers in the format `text`.

use sscg::Answer;
use sscg::format::{FileSnapshot, Renderer, TextRenderer, numbered_lines, pieces};

use super::frame::{self, Frame};
use super::{DIM, Painted, code, is_on};

/// Returns a search answer, in colors if they are on and the format is `text`.
pub(crate) fn found(answer: &Answer, text: &str, format: &str) -> Painted {
    let mut painted = Painted::plain(text);
    if !is_on() || format != TextRenderer.name() {
        return painted;
    }
    let snapshots = answer.snapshots.iter().map(Some);
    let mut at = 0;
    for (piece, snapshot) in pieces(answer).iter().zip([None].into_iter().chain(snapshots)) {
        // If its token count did not settle, the text differs from the pieces and stays plain.
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

/// Returns an answer about the graph, in colors if they are on and the format is `text`.
pub(crate) fn explored(text: &str, format: &str) -> Painted {
    let mut painted = Painted::plain(text);
    if is_on() && format == TextRenderer.name() {
        frame::paint(Frame::Graph, text, 0, &mut painted);
    }
    painted
}

/// Paints the code of a file at an offset. The line before a document and the line numbers are dimmed.
fn paint_snapshot(snapshot: &FileSnapshot, piece: &str, at: usize, painted: &mut Painted) {
    let code = snapshot.text.trim_end();
    let numbered = numbered_lines(snapshot).filter(|_| !piece.starts_with(code));
    let Some(lines) = numbered else {
        let origin = if piece.starts_with(code) { 0 } else { piece.find('\n').map_or(0, |end| end + 1) };
        painted.paint(at..at + origin, DIM);
        for (part, style) in code::parts(&snapshot.file, &piece[origin..]) {
            let start = at + origin;
            painted.paint(start + part.start..start + part.end, style);
        }
        return;
    };
    // Code is parsed without the numbers, and a part of it may have several lines.
    let text: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
    let parts = code::parts(&snapshot.file, &text);
    let (mut next, mut start, mut at) = (0, 0, at);
    for line in &lines {
        painted.paint(at..at + line.number.len(), DIM);
        at += line.number.len();
        let end = start + line.text.len();
        while let Some((part, style)) = parts.get(next).filter(|(part, _)| part.start < end) {
            painted.paint(at + part.start.max(start) - start..at + part.end.min(end) - start, *style);
            if part.end > end {
                break;
            }
            next += 1;
        }
        (start, at) = (end + 1, at + line.text.len() + 1);
    }
}
