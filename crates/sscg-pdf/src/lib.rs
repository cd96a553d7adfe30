//! Extracts the text of PDF files.
//!
//! Use it to search or to quote documents of unknown origin. A PDF consists of positioned glyphs; this crate finds
//! words, lines, paragraphs and headings by their position and size. Pictures are not read: a scanned page has no text.
//!
//! *Invariants:* pure; no I/O, no environment, no clock. A file that takes more work or memory than `limits` and `draw`
//! allow yields a [`PdfError`], and so does a panic of a library below, unless the program aborts on panics.
//!
//! # Example
//!
//! ```
//! # let file = b"%PDF-1.4
//! # 1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
//! # 2 0 obj <</Type /Pages /Count 1 /Kids [4 0 R]>> endobj
//! # 3 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
//! # 4 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R
//! # /Resources <</Font <</F 3 0 R>>>>>> endobj
//! # 5 0 obj <</Length 102>> stream
//! # BT /F 24 Tf 50 600 Td (Manual) Tj ET
//! # BT /F 10 Tf 50 550 Td (Words of the body, at some length.) Tj ET
//! # endstream endobj
//! # trailer <</Root 1 0 R>>
//! # %%EOF";
//! // `file` has the bytes of a PDF file with a line of 24 points and one of 10 points.
//! let text = sscg_pdf::extract_text(file)?;
//! assert_eq!(text, "# Manual (page 1)\n\nWords of the body, at some length.\n");
//! let heading = sscg_pdf::headings(&text).next().unwrap();
//! assert_eq!((heading.level, heading.name), (1, "Manual (page 1)"));
//!
//! let pages = sscg_pdf::extract_lines(file)?;
//! assert_eq!((&*pages[0][0].text, pages[0][0].size, pages[0][0].y), ("Manual", 24.0, 200.0));
//! assert_eq!(sscg_pdf::extract_text(b"no PDF"), Err(sscg_pdf::PdfError::Damaged));
//! # Ok::<(), sscg_pdf::PdfError>(())
//! ```
//!
//! # Overview
//!
//! - [`extract_text`] makes one text of all pages. Larger text becomes a heading, written as `## Name (page 3)`. Text
//!   that continues on a later page than its heading follows a line `[page 4]`. Words cut at the end of a line are
//!   joined.
//! - [`headings`] finds the headings and page marks of such a text again, each a [`Heading`] with its level.
//! - [`extract_lines`] returns the lines of each page, each a [`Line`] with its position and size, for a composition of
//!   your own.
//! - [`PdfError`] is the reason why a file has no text to return.
//!
//! # Design
//!
//! - **The text operators are interpreted here.** `hayro-syntax` and `hayro-font` read objects and fonts.
//!   `hayro-interpret` covers all operators, but it cannot be interrupted: forms that draw each other ran for minutes.
//! - **One budget covers all work**: content, glyphs, fonts and forms. A file of forms that draw each other is
//!   abandoned after 2 s, in an unoptimized build.
//! - **Streams are measured before they are inflated**, because the libraries inflate a stream whole, whatever its
//!   size.
//! - **Lines are in drawing order**, because typesetting programs write column after column.
//! - **Running heads are omitted**: lines that at least three pages repeat at the same place. On ten real files, .84 to
//!   1.00 of the words that pdftotext finds are found (.75 where text is rotated); the missing words are mostly running
//!   heads.
//! - **PDF is a feature of the crates above, off by default**, because few trees contain PDF and it adds 20 packages.

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
///
/// ```
/// let text = "# Manual (page 1)\n\nWords.\n\n[page 2]\nMore words.\n";
/// let found: Vec<_> = sscg_pdf::headings(text).map(|it| (it.level, it.name, &text[it.start..it.end])).collect();
/// assert_eq!(found, [(1, "Manual (page 1)", "# Manual (page 1)"), (7, "page 2", "[page 2]")]);
/// ```
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
