//! HTML: sections by headings, at any depth of the tree.

use std::sync::LazyLock;

use sscg_core::Span;
use tree_sitter::Node;

use super::layout::{Breaks, DocumentLayout, Heading, one_line, sections};
use super::nesting::{TOO_DEEP, html_is_deep};
use crate::highlight::Highlighting;
use crate::tree::{ParseTime, TOO_SLOW_DOCUMENT, span, text};

/// Elements before which a long section may be cut.
const BLOCKS: &[&str] =
    &["article", "blockquote", "div", "dl", "dt", "li", "ol", "p", "pre", "section", "table", "tr", "ul"];

pub(super) static HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    Highlighting::new(tree_sitter_html::LANGUAGE, &[tree_sitter_html::HIGHLIGHTS_QUERY]).but(html_is_deep)
});

pub(super) fn find(source: &str) -> DocumentLayout {
    if html_is_deep(source) {
        return DocumentLayout::without_sections(TOO_DEEP);
    }
    let tree = ParseTime::for_text(source).parse_with(&tree_sitter_html::LANGUAGE.into(), source);
    let Some(tree) = tree else { return DocumentLayout::without_sections(TOO_SLOW_DOCUMENT) };
    let (mut headings, mut breaks): (Vec<Heading>, Vec<u32>) = Default::default();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let name = element_name(node, source).map(str::to_ascii_lowercase);
        let level = name.as_deref().and_then(heading_level);
        if let Some(level) = level {
            let name = one_line(&inner_text(node, source));
            if !name.is_empty() {
                let head = span(node);
                headings.push(Heading { level, name, head, body: head.end, start: head.start });
            }
        } else if name.is_some_and(|name| BLOCKS.contains(&name.as_str())) {
            breaks.push(span(node).start);
        }
        // A heading contains no further headings.
        if level.is_none() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return DocumentLayout {
                    sections: sections(headings, source),
                    breaks: Breaks::At(breaks),
                    ..DocumentLayout::default()
                };
            }
        }
    }
}

/// Returns the tag name of an element.
fn element_name<'s>(node: Node<'_>, source: &'s str) -> Option<&'s str> {
    let start = node.child(0).filter(|tag| node.kind() == "element" && tag.kind() == "start_tag")?;
    start.named_child(0).map(|name| text(name, source))
}

fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Returns the text of an element without tags.
fn inner_text(node: Node<'_>, source: &str) -> String {
    let mut inner = String::new();
    let mut in_tag = false;
    for c in Span::text(span(node), source).chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if in_tag => continue,
            c => inner.push(c),
        }
        if c == '>' {
            inner.push(' ');
        }
    }
    inner
}
