//! The comments and attributes that stand before an item.

use sscg_core::Span;
use tree_sitter::Node;

use super::kind::{FIELDS, Kind, child, kind};
use crate::text::{comment_text, one_line};
use crate::tree::text;

/// What was seen since the last item of a list.
#[derive(Default)]
pub(super) struct Lead<'t> {
    /// From the first comment or attribute to the end of the last.
    pub(super) span: Option<Span>,
    /// What holds it together with the next item.
    pub(super) bond: Bond,
    pub(super) attributes: Vec<Node<'t>>,
    doc: Vec<Span>,
}

/// How a lead relates to the item after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bond {
    /// Ordinary comments: they belong to the item if no blank line is between.
    #[default]
    Adjacent,
    /// An inner documentation comment: it describes what is around it.
    Inner,
    /// Documentation or attributes: they belong to the item.
    Attached,
}

impl<'t> Lead<'t> {
    /// Adds a comment or attribute.
    pub(super) fn push(&mut self, span: Span, bond: Bond) {
        self.span = Some(self.span.map_or(span, |lead| Span::new(lead.start, span.end)));
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
    pub(super) fn push_attribute(&mut self, attribute: Node<'t>, span: Span) {
        self.push(span, Bond::Attached);
        self.attributes.push(attribute);
    }

    /// Where an item that starts at `start` starts with its lead.
    pub(super) fn start(&self, start: u32) -> u32 {
        self.span.map_or(start, |lead| lead.start)
    }

    /// The documentation without its markers.
    pub(super) fn doc(&self, source: &str) -> Option<String> {
        let mut lines = self.doc.iter().map(|span| span.text(source));
        let first = lines.next()?;
        let raw = lines.fold(first.to_owned(), |raw, line| raw + "\n" + line);
        Some(comment_text(&raw))
    }

    /// Whether the item is only part of test builds.
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

    /// Whether an attribute of this name is among them.
    pub(super) fn has_attribute(&self, name: &str, source: &str) -> bool {
        self.attributes
            .iter()
            .filter_map(|node| Attribute::of(*node, source))
            .any(|attribute| attribute.path == name)
    }
}

/// An attribute.
pub(super) struct Attribute<'s, 't> {
    pub(super) path: &'s str,
    pub(super) name: Node<'t>,
    pub(super) arguments: Option<Node<'t>>,
}

impl<'s, 't> Attribute<'s, 't> {
    /// The attribute of an attribute item.
    pub(super) fn of(item: Node<'t>, source: &'s str) -> Option<Self> {
        let attribute = item.named_child(0)?;
        let name = attribute.named_child(0)?;
        let arguments = child(attribute, FIELDS.arguments);
        Some(Self { path: text(name, source), name, arguments })
    }

    /// Whether it is the language's own or a tool's, and so names nothing in the project.
    pub(super) fn is_builtin(&self) -> bool {
        const BUILTIN: &[&str] = &[
            "allow",
            "automatically_derived",
            "bench",
            "cfg",
            "cfg_attr",
            "cold",
            "default",
            "deny",
            "deprecated",
            "derive",
            "doc",
            "expect",
            "export_name",
            "feature",
            "forbid",
            "global_allocator",
            "ignore",
            "inline",
            "link",
            "link_name",
            "link_section",
            "macro_export",
            "macro_use",
            "must_use",
            "naked",
            "no_mangle",
            "non_exhaustive",
            "panic_handler",
            "path",
            "proc_macro",
            "proc_macro_attribute",
            "proc_macro_derive",
            "repr",
            "should_panic",
            "target_feature",
            "test",
            "track_caller",
            "unsafe",
            "used",
            "warn",
        ];
        let tool = self.path.split("::").next().filter(|first| first.len() < self.path.len());
        BUILTIN.contains(&self.path) || matches!(tool, Some("clippy" | "diagnostic" | "rustfmt" | "rustdoc"))
    }
}

/// Whether a derive is the standard library's, and so names nothing in the project.
pub(super) fn is_builtin_derive(name: &str) -> bool {
    const BUILTIN: &[&str] =
        &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];
    BUILTIN.contains(&name)
}

/// What a comment is to the items around it.
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

/// Whether a node of a list is what a [`Lead`] gathers.
pub(super) fn leads(node: Node<'_>) -> bool {
    let kind = kind(node);
    kind.is_comment() || kind == Kind::AttributeItem
}
