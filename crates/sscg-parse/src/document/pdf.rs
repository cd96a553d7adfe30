//! PDF: its text, and the sections of that text, by headings and pages.

use sscg_core::Span;
use sscg_pdf::PdfError;

use super::layout::{DocumentLayout, Heading, sections};
use crate::frontend::Undecodable;

/// Extracts the text of a PDF.
pub(super) fn decode(bytes: &[u8]) -> Result<String, Undecodable> {
    sscg_pdf::extract_text(bytes).map_err(|error| match error {
        PdfError::Encrypted => Undecodable::Encrypted,
        PdfError::NoText => Undecodable::NoText,
        PdfError::TooLong => Undecodable::TooLong,
        _ => Undecodable::Damaged,
    })
}

/// Finds the sections of a text made by [`decode`].
pub(super) fn find(source: &str) -> DocumentLayout {
    let heading = |found: sscg_pdf::Heading<'_>| {
        let head = Span::new(found.start as u32, found.end as u32);
        Heading { level: found.level, name: found.name.to_owned(), head, body: head.end, start: head.start }
    };
    let headings = sscg_pdf::headings(source).map(heading).collect();
    DocumentLayout { sections: sections(headings, source), ..DocumentLayout::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_extends_to_the_next_heading_of_its_level_and_holds_the_pages_it_continues_on() {
        let [manual, page, index] = ["# Manual (page 1)\n\n", "[page 2]\nWords.\n\n", "# Index (page 3)\n"];
        let text = [manual, page, index].concat();
        let sections = find(&text).sections;
        let found: Vec<_> = sections.iter().map(|it| (&*it.name, it.span.text(&text))).collect();
        let manual = [manual, page].concat();
        assert_eq!(found, [("Manual (page 1)", &*manual), ("page 2", page), ("Index (page 3)", index)]);
    }

    #[test]
    fn a_file_without_text_is_not_decoded() {
        assert_eq!(decode(b"%PDF-1.7 and nothing of one"), Err(Undecodable::Damaged));
    }
}
