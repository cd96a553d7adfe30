//! PDF: its text, and the sections of that text.
//!
//! A PDF consists of positioned glyphs. `draw` finds them, `page` groups those of each page into lines, and `compose`
//! makes one text of all lines. Text set larger than most is a heading, written as `## Name (page 3)`. Text that
//! continues on a later page than its heading follows a line `[page 4]`. Both start a section.

mod compose;
mod draw;
mod limits;
mod page;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_font::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use sscg_core::Span;

use super::layout::{DocumentLayout, Heading, sections};
use crate::registry::Undecodable;
use page::Line;

/// Maximum number of pages, because a small file may list the same page over and over.
const MAX_PAGES: usize = 5_000;

/// Extracts the text of a PDF.
pub(super) fn decode(bytes: &[u8]) -> Result<String, Undecodable> {
    // The PDF libraries are meant not to panic on any input, but some do.
    let lines = catch_unwind(AssertUnwindSafe(|| lines_by_page(bytes)));
    let text = compose::compose(lines.unwrap_or(Err(Undecodable::Damaged))?);
    match text.contains(char::is_alphanumeric) {
        true => Ok(text),
        false => Err(Undecodable::NoText),
    }
}

fn lines_by_page(bytes: &[u8]) -> Result<Vec<Vec<Line>>, Undecodable> {
    limits::check_file(bytes)?;
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => Undecodable::Encrypted,
        _ => Undecodable::Damaged,
    })?;
    if pdf.pages().is_empty() {
        return Err(Undecodable::Damaged);
    }
    if pdf.pages().len() > MAX_PAGES {
        return Err(Undecodable::TooLong);
    }
    draw::lines_of(&pdf)
}

/// Finds the sections of a text made by [`decode`].
pub(super) fn find(source: &str) -> DocumentLayout {
    let mut headings = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim_end();
        if let Some((level, name)) = heading(text) {
            let head = Span::new(at, at + text.len() as u32);
            headings.push(Heading { level, name: name.to_owned(), head, body: head.end, start: at });
        }
        at += line.len() as u32;
    }
    DocumentLayout { sections: sections(headings, source), ..DocumentLayout::default() }
}

/// Returns the level and name of a heading line. Page marks are below all other levels.
fn heading(line: &str) -> Option<(usize, &str)> {
    if let Some(page) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let number = page.strip_prefix("page ")?;
        return number.bytes().all(|byte| byte.is_ascii_digit()).then_some((compose::LEVELS + 1, page));
    }
    let name = line.trim_start_matches('#');
    let level = line.len() - name.len();
    let name = name.strip_prefix(' ')?;
    (1..=compose::LEVELS).contains(&level).then_some((level, name))
}

#[cfg(test)]
mod tests;
