//! What the tree-sitter frontends share.

use sscg_core::Span;
use tree_sitter::Node;

/// The byte span of a node.
pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// The text of a node.
pub(crate) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    &source[node.byte_range()]
}
