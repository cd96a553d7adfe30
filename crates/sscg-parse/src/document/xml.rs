//! XML: one section for each element with several lines, and for the elements inside it if it is long.
//!
//! The parser of events is lenient: names of end tags are matched as far as possible, and after an error the rest of the
//! text has no sections. Nothing recurses, so that nesting costs no stack.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use sscg_core::Span;

use super::layout::{Breaks, DocumentLayout, PASSAGE_BYTES, Section};

/// Maximum number of elements that enclose a section, except for the root.
const MAX_DEPTH: usize = 4;

/// Attributes and child elements, in any case, that tell elements of the same name apart, most specific first.
const IDENTIFIERS: [&str; 7] = ["id", "artifactId", "name", "key", "include", "ref", "class"];

/// Maximum number of open elements that an end tag is compared with: each end tag without a start would be compared with
/// all of them.
const MAX_UNCLOSED: usize = 64;

/// Element whose end has not been reached.
struct Open {
    name: String,
    /// Place of the identifier in [`IDENTIFIERS`], and its value.
    identifier: Option<(usize, String)>,
    /// Start, including comments above.
    start: u32,
    head: Span,
    /// Number of sections before those inside.
    sections: usize,
}

struct Elements<'s> {
    source: &'s str,
    open: Vec<Open>,
    sections: Vec<Section>,
    /// Start of the comments that directly precede.
    comments: Option<u32>,
    breaks: Vec<u32>,
}

/// Returns the layout of an XML document. O(bytes).
pub(super) fn find(source: &str) -> DocumentLayout {
    // The reader does not count a byte order mark.
    let mark = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() as u32 } else { 0 };
    let mut reader = Reader::from_str(&source[mark as usize..]);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut elements =
        Elements { source, open: Vec::new(), sections: Vec::new(), comments: None, breaks: Vec::new() };
    loop {
        let start = mark + reader.buffer_position() as u32;
        let Ok(event) = reader.read_event() else { break };
        let span = Span::new(start, mark + reader.buffer_position() as u32);
        match event {
            Event::Start(tag) => elements.start(&tag, span),
            Event::Empty(tag) => elements.empty(&tag, span),
            Event::End(tag) => elements.end(tag.name().as_ref(), span),
            Event::Comment(_) => {
                elements.comments.get_or_insert(span.start);
            }
            Event::Text(_) => elements.text(span),
            Event::Eof => break,
            _ => elements.comments = None,
        }
    }
    let Elements { sections, breaks, .. } = elements;
    DocumentLayout { sections, breaks: Breaks::At(breaks), ..DocumentLayout::default() }
}

impl Elements<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, span: Span) {
        let start = self.comments.take().unwrap_or(span.start);
        self.breaks.push(start);
        self.open.push(Open {
            name: tag.name().as_ref().to_owned(),
            identifier: identifier(tag),
            start,
            head: span,
            sections: self.sections.len(),
        });
    }

    /// An element without content, such as `<property name="a"/>`, has several lines only if its attributes do.
    fn empty(&mut self, tag: &BytesStart<'_>, span: Span) {
        self.start(tag, span);
        self.close(span.end);
    }

    /// Ends the innermost element of that name, and those inside it that have no end tag.
    fn end(&mut self, name: &str, span: Span) {
        self.comments = None;
        let mut innermost = self.open.iter().rev().take(MAX_UNCLOSED);
        let Some(unclosed) = innermost.position(|open| open.name == name) else { return };
        for _ in 0..unclosed {
            self.close(span.start);
        }
        self.close(span.end);
    }

    fn close(&mut self, end: u32) {
        let Some(Open { name, identifier, start, head, sections }) = self.open.pop() else { return };
        let depth = self.open.len();
        let span = Span::new(start, end);
        let is_section = (1..=MAX_DEPTH).contains(&depth) && span.text(self.source).contains('\n');
        if depth > 0 && span.len() <= PASSAGE_BYTES {
            // It is found as a whole.
            self.sections.truncate(sections);
        }
        if is_section {
            let name = identifier.map_or(name.clone(), |(_, identifier)| format!("{name} {identifier}"));
            self.sections.insert(sections, Section { name, head, body: head.end, span });
        }
    }

    /// Takes the text of an element such as `artifactId` as the identifier of the element around it.
    fn text(&mut self, span: Span) {
        let text = span.text(self.source).trim();
        if text.is_empty() {
            return;
        }
        self.comments = None;
        let [.., outer, inner] = &mut self.open[..] else { return };
        let place = IDENTIFIERS.iter().position(|name| name.eq_ignore_ascii_case(&inner.name));
        if let Some(place) =
            place.filter(|place| outer.identifier.as_ref().is_none_or(|(best, _)| place < best))
        {
            outer.identifier = Some((place, text.to_owned()));
        }
    }
}

/// Returns the most specific identifier among the attributes of a tag.
fn identifier(tag: &BytesStart<'_>) -> Option<(usize, String)> {
    let mut attributes = tag.attributes();
    let known = attributes.with_checks(false).flatten().filter_map(|attribute| {
        let place = IDENTIFIERS.iter().position(|name| name.eq_ignore_ascii_case(attribute.key.as_ref()))?;
        Some((place, attribute.value.into_owned()))
    });
    known.min_by_key(|(place, _)| *place)
}
