//! Syntax errors found by the parser.

use tree_sitter::{Tree, TreeCursor};

use super::grammar::{Kind, kind};
use crate::builder::FactsBuilder;
use crate::tree::text;

/// Maximum number of errors reported; more give no further information about a file.
const MAX_REPORTED: usize = 20;

/// Reports the outermost errors of a tree. Costs nothing if there are none.
pub(super) fn report(tree: &Tree, builder: &mut FactsBuilder<'_>) {
    let mut cursor = tree.walk();
    let mut reported = 0;
    while reported < MAX_REPORTED {
        let node = cursor.node();
        let at = node.start_byte() as u32;
        if node.is_missing() {
            builder.diagnostic(at, format!("missing {}", node.kind()));
            reported += 1;
        } else if node.is_error() && !is_default(&cursor, builder.source()) {
            builder.diagnostic(at, "syntax error");
            reported += 1;
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Returns true if an error is a type parameter with a default, `[T = int]`, which the grammar does not support.
fn is_default(error: &TreeCursor<'_>, source: &str) -> bool {
    let around = error.node().parent();
    around.is_some_and(|around| kind(around) == Kind::TypeParameter)
        && text(error.node(), source)
            .trim()
            .split_once('=')
            .is_some_and(|(a, b)| a.is_empty() || b.is_empty())
}
