//! Helpers shared by the tree-sitter frontends.

use sscg_core::Span;
use tree_sitter::{Language, Node, Parser, Tree};

/// Returns the byte span of a node.
pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// Returns the text of a node.
pub(crate) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    &source[node.byte_range()]
}

/// Parses a text.
///
/// # Panics
/// If the grammar was built for an incompatible version of tree-sitter.
pub(crate) fn parsed(grammar: &Language, source: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(grammar).expect("the grammar is of this version");
    parser.parse(source, None).expect("a parser with a language and without a time limit returns a tree")
}
