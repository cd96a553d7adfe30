//! Extracts the text of PDF files.
//!
//! A PDF consists of positioned glyphs. [`extract_lines`] groups those of each page into lines, and [`extract_text`] makes
//! one text of all lines. Text set larger than most is a heading, written as `## Name (page 3)`. Text that continues on a
//! later page than its heading follows a line `[page 4]`. [`headings`] finds both in the text again.
//!
//! ```
//! let text = "# Manual (page 1)\n\nWords.\n\n[page 2]\nMore words.\n";
//! let names: Vec<&str> = sscg_pdf::headings(text).map(|heading| heading.name).collect();
//! assert_eq!(names, ["Manual (page 1)", "page 2"]);
//! assert_eq!(sscg_pdf::extract_text(b"no PDF"), Err(sscg_pdf::PdfError::Damaged));
//! ```
//!
//! *Invariants:* pure; no I/O, no environment, no clock. A file that takes more work or memory than `limits` and `draw`
//! allow yields a [`PdfError`], and so does a panic of a library below, unless the program aborts on panics.

mod compose;
mod draw;
mod limits;
mod page;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_font::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

pub use page::Line;

/// Maximum number of pages, because a small file may list the same page over and over.
const MAX_PAGES: usize = 5_000;

/// Level of a page mark: below all headings.
const PAGE_MARK_LEVEL: usize = compose::LEVELS + 1;

/// Reason why a file has no text to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// Password required.
    #[error("the PDF file requires a password")]
    Encrypted,
    /// Not a PDF file, or broken beyond repair.
    #[error("the file is not a PDF file, or is damaged")]
    Damaged,
    /// Only images, such as scanned pages, or glyphs that are not mapped to characters.
    #[error("the PDF file contains no text")]
    NoText,
    /// More pages, drawing operations or unpacked bytes than in a document that people read.
    #[error("the PDF file is too long")]
    TooLong,
}

/// Heading or page mark in a text made by [`extract_text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heading<'t> {
    /// Level: 1 to 6 for headings by descending size, 7 for page marks.
    pub level: usize,
    /// Heading with its page, such as `Install (page 3)`; the page alone for a page mark, such as `page 4`.
    pub name: &'t str,
    /// Offset of the line in the text, in bytes.
    pub start: usize,
    /// Offset of the line's end, before its line break, in bytes.
    pub end: usize,
}

/// Extracts the text of a PDF file, with headings and page marks.
///
/// # Errors
/// See [`PdfError`].
pub fn extract_text(bytes: &[u8]) -> Result<String, PdfError> {
    let text = compose::compose(extract_lines(bytes)?);
    match text.contains(char::is_alphanumeric) {
        true => Ok(text),
        false => Err(PdfError::NoText),
    }
}

/// Extracts the lines of each page, in drawing order: typesetting programs write column after column. A page without
/// text has no lines.
///
/// # Errors
/// See [`PdfError`]; [`PdfError::NoText`] is not returned.
pub fn extract_lines(bytes: &[u8]) -> Result<Vec<Vec<Line>>, PdfError> {
    // The PDF libraries are meant not to panic on any input, but some do.
    catch_unwind(AssertUnwindSafe(|| lines_by_page(bytes))).unwrap_or(Err(PdfError::Damaged))
}

fn lines_by_page(bytes: &[u8]) -> Result<Vec<Vec<Line>>, PdfError> {
    limits::check_file(bytes)?;
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => PdfError::Encrypted,
        _ => PdfError::Damaged,
    })?;
    if pdf.pages().is_empty() {
        return Err(PdfError::Damaged);
    }
    if pdf.pages().len() > MAX_PAGES {
        return Err(PdfError::TooLong);
    }
    draw::lines_of(&pdf)
}

/// Finds the headings and page marks of a text made by [`extract_text`], in order.
pub fn headings(text: &str) -> impl Iterator<Item = Heading<'_>> {
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = next;
        next += line.len();
        let line = line.trim_end();
        let (level, name) = heading(line)?;
        Some(Heading { level, name, start, end: start + line.len() })
    })
}

/// Returns the level and name of a heading line or page mark.
fn heading(line: &str) -> Option<(usize, &str)> {
    if let Some(page) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let number = page.strip_prefix("page ")?;
        return number.bytes().all(|byte| byte.is_ascii_digit()).then_some((PAGE_MARK_LEVEL, page));
    }
    let name = line.trim_start_matches('#');
    let level = line.len() - name.len();
    let name = name.strip_prefix(' ')?;
    (1..=compose::LEVELS).contains(&level).then_some((level, name))
}

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
