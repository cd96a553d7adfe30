//! Leading trivia: the comments and attributes before an item.

use sscg_core::Span;
use tree_sitter::Node;

use super::attribute::{Attribute, string_contents};
use super::kind::{Kind, kind};
use crate::text::{comment_text, one_line};
use crate::tree::{span, text};

/// Leading trivia since the last item of a list.
#[derive(Default)]
pub(super) struct LeadingTrivia<'t> {
    /// Span from the first comment or attribute to the end of the last.
    pub(super) span: Option<Span>,
    /// Relation to the next item.
    pub(super) bond: Bond,
    pub(super) attributes: Vec<Node<'t>>,
    /// Documentation comments, and the strings of `#[doc = ".."]`.
    doc: Vec<Span>,
}

/// Relation of leading trivia to the item after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bond {
    /// Ordinary comments. They belong to the item if no blank line is between.
    #[default]
    Adjacent,
    /// Inner documentation comment. It documents the enclosing item.
    Inner,
    /// Documentation or attributes. They belong to the item.
    Attached,
}

impl<'t> LeadingTrivia<'t> {
    /// Adds a comment or attribute.
    pub(super) fn push(&mut self, span: Span, bond: Bond) {
        self.span = Some(self.span.map_or(span, |before| Span::new(before.start, span.end)));
        if self.bond != Bond::Attached {
            self.bond = bond;
        }
    }

    /// Adds an outer documentation comment.
    pub(super) fn push_doc(&mut self, span: Span) {
        self.push(span, Bond::Attached);
        self.doc.push(span);
    }

    /// Adds an attribute.
    pub(super) fn push_attribute(&mut self, node: Node<'t>, source: &str) {
        self.push(span(node), Bond::Attached);
        self.attributes.push(node);
        let doc = Attribute::of(node, source).filter(|attribute| attribute.path == "doc");
        let is_string = |value: &Node<'_>| text(*value, source).ends_with(['"', '#']);
        self.doc.extend(doc.and_then(|doc| doc.value).filter(is_string).map(span));
    }

    /// Returns the start of the item at `start` including its leading trivia.
    pub(super) fn start(&self, start: u32) -> u32 {
        self.span.map_or(start, |span| span.start)
    }

    /// Returns the documentation without comment markers.
    pub(super) fn doc(&self, source: &str) -> Option<String> {
        let is_comment = |span: &Span| span.text(source).starts_with('/');
        let runs = self.doc.chunk_by(|a, b| is_comment(a) && is_comment(b));
        let texts: Vec<String> = runs
            .map(|run| {
                let raw: Vec<&str> = run.iter().map(|span| span.text(source)).collect();
                if is_comment(&run[0]) { comment_text(&raw.join("\n")) } else { string_contents(raw[0]) }
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns the spans of the attributes.
    pub(super) fn attribute_spans(&self) -> Vec<Span> {
        self.attributes.iter().map(|node| span(*node)).collect()
    }

    /// True if the item is only part of test builds.
    pub(super) fn is_test(&self, source: &str) -> bool {
        self.attributes.iter().filter_map(|node| Attribute::of(*node, source)).any(
            |attribute| match attribute.path.rsplit("::").next() {
                Some("test" | "rstest" | "test_case") => true,
                Some("cfg") => attribute.arguments.is_some_and(|arguments| {
                    let condition = one_line(text(arguments, source));
                    condition == "(test)" || condition.starts_with("(all(test,")
                }),
                _ => false,
            },
        )
    }

    /// Returns the conjunction of all `cfg` attributes.
    pub(super) fn condition(&self, source: &str) -> Option<String> {
        let attributes = self.attributes.iter().filter_map(|node| Attribute::of(*node, source));
        let conditions = attributes.filter(|attribute| attribute.path == "cfg").filter_map(|it| it.arguments);
        let written = conditions.map(|arguments| one_line(text(arguments, source)));
        let inner = |it: String| it.trim_matches(['(', ' ']).strip_suffix(')').map(str::to_owned);
        all_of(written.filter_map(inner))
    }

    /// Returns the files that may contain a module instead of the default ones, each with the condition that its
    /// attribute adds: `#[path = "unix.rs"]`, `#[cfg_attr(unix, path = "unix.rs")]`.
    pub(super) fn module_paths(&self, source: &str) -> Vec<(String, Option<String>)> {
        let attributes = self.attributes.iter().filter_map(|node| Attribute::of(*node, source));
        let path_of = |attribute: Attribute<'_, '_>| match attribute.path {
            "path" => Some((string_contents(text(attribute.value?, source)), None)),
            "cfg_attr" => {
                let arguments = one_line(text(attribute.arguments?, source));
                let mut parts = arguments_of(&arguments).into_iter();
                let condition = parts.next()?.to_owned();
                let path = parts.find_map(|it| it.strip_prefix("path")?.trim_start().strip_prefix('='))?;
                Some((string_contents(path.trim()), Some(condition)))
            }
            _ => None,
        };
        attributes.filter_map(path_of).collect()
    }

    /// True if there is an attribute with this name.
    pub(super) fn has_attribute(&self, name: &str, source: &str) -> bool {
        self.attributes
            .iter()
            .filter_map(|node| Attribute::of(*node, source))
            .any(|attribute| attribute.path == name)
    }
}

/// Splits an attribute's arguments at top-level commas and trims them.
fn arguments_of(written: &str) -> Vec<&str> {
    let inside = written.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(written);
    let (mut depth, mut in_string) = (0_usize, false);
    let parts = inside.split(|c| {
        match c {
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !in_string
    });
    parts.map(str::trim).collect()
}

/// Returns the conjunction of conditions.
pub(super) fn all_of(conditions: impl Iterator<Item = String>) -> Option<String> {
    conditions.reduce(|a, b| format!("all({a}, {b})"))
}

/// Returns the relation of a comment to the items around it.
pub(super) fn comment_bond(comment: &str) -> Bond {
    if comment.starts_with("//!") || comment.starts_with("/*!") {
        Bond::Inner
    } else if comment.starts_with("///") && !comment.starts_with("////")
        || comment.starts_with("/**") && !comment.starts_with("/***") && comment != "/**/"
    {
        Bond::Attached
    } else {
        Bond::Adjacent
    }
}

/// Returns true if a node is leading trivia.
pub(super) fn is_trivia(node: Node<'_>) -> bool {
    let kind = kind(node);
    kind.is_comment() || kind == Kind::AttributeItem
}
