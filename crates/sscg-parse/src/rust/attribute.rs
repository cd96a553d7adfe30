//! Attributes and derives.

use tree_sitter::Node;

use super::kind::{FIELDS, child};
use crate::tree::text;

/// Parsed attribute.
pub(super) struct Attribute<'s, 't> {
    pub(super) path: &'s str,
    pub(super) arguments: Option<Node<'t>>,
    /// Expression after `=`.
    pub(super) value: Option<Node<'t>>,
}

impl<'s, 't> Attribute<'s, 't> {
    /// Parses an attribute item.
    pub(super) fn of(item: Node<'t>, source: &'s str) -> Option<Self> {
        let attribute = item.named_child(0)?;
        let name = attribute.named_child(0)?;
        let arguments = child(attribute, FIELDS.arguments);
        let value = child(attribute, FIELDS.value);
        Some(Self { path: text(name, source), arguments, value })
    }

    /// True if the attribute belongs to the language or to a tool, and so names nothing in the project.
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

/// True if a derive belongs to the standard library, and so names nothing in the project.
pub(super) fn is_builtin_derive(name: &str) -> bool {
    const BUILTIN: &[&str] =
        &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];
    BUILTIN.contains(&name)
}

/// Returns the contents of a string literal as documentation. `\n` becomes a line break, any other escape the character
/// after its backslash.
pub(super) fn string_contents(literal: &str) -> String {
    let is_raw = literal.starts_with('r');
    let inside = literal.trim_start_matches('r').trim_matches('#');
    let inside = inside.strip_prefix('"').unwrap_or(inside);
    let inside = inside.strip_suffix('"').unwrap_or(inside);
    let mut text = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' if !is_raw => text.extend(chars.next().map(|c| if c == 'n' { '\n' } else { c })),
            char => text.push(char),
        }
    }
    text.trim().to_owned()
}
