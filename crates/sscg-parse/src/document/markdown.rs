//! Markdown: CommonMark with tables, footnotes and front matter.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use sscg_core::Span;

use super::layout::{Breaks, DocumentLayout, Heading, one_line, sections};
use super::nesting::{TOO_DEEP, markdown_is_deep};

/// Finds the headings outside lists and quotations. A long section may be cut at the start of a block.
pub(super) fn find(source: &str) -> DocumentLayout {
    if markdown_is_deep(source) {
        return DocumentLayout::without_sections(TOO_DEEP);
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let (mut headings, mut breaks): (Vec<Heading>, Vec<u32>) = Default::default();
    // Number of open blocks, and the text of the current heading, if any.
    let mut depth = 0_usize;
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if is_block(&tag) {
                    // A block in a list or quotation may start after its marker.
                    let known = breaks.last().map_or(0, |last| *last as usize).min(range.start);
                    let line =
                        source[known..range.start].rfind('\n').map_or(known, |at| known + at + 1) as u32;
                    if breaks.last().is_none_or(|last| *last < line) {
                        breaks.push(line);
                    }
                }
                if matches!(tag, Tag::Heading { .. }) && depth == 0 {
                    heading = Some(String::new());
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if let (TagEnd::Heading(level), Some(name)) = (tag, heading.take_if(|_| depth == 0)) {
                    // Of two lines, the second is the underline.
                    let text = source[range.clone()].lines().next().unwrap_or_default().trim_end();
                    let (start, body) = (range.start as u32, range.end as u32);
                    let head = Span::new(start, start + text.len() as u32);
                    let (level, name) = (level as usize, one_line(&name));
                    headings.push(Heading { level, name, head, body, start });
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(name) = &mut heading {
                    name.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(name) = &mut heading {
                    name.push(' ');
                }
            }
            _ => {}
        }
    }
    headings.retain(|heading| !heading.name.is_empty());
    DocumentLayout {
        sections: sections(headings, source),
        breaks: Breaks::At(breaks),
        ..DocumentLayout::default()
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    use Tag::*;
    matches!(
        tag,
        Paragraph | Heading { .. } | BlockQuote(_) | CodeBlock(_) | HtmlBlock | List(_) | Item | Table(_)
    )
}
