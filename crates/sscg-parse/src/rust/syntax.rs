//! Parsing and syntax errors.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Point, Range, Tree};

use super::kind::LANGUAGE;
use crate::builder::FactsBuilder;
use crate::text::headline;
use crate::tree::{ParseTime, parser, text};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(parser(&LANGUAGE));
}

/// Parses a whole file; `None` if that takes too long.
pub(super) fn parse(source: &str, time: &ParseTime) -> Option<Tree> {
    parse_ranges(source, &[], time)
}

/// Parses the text between the delimiters of a token tree as the items of a file. Offsets in the tree are offsets in
/// the whole file. `None` if that takes too long.
pub(super) fn parse_inside(source: &str, tokens: Node<'_>, time: &ParseTime) -> Option<Tree> {
    let Range { start_byte, end_byte, start_point, end_point } = tokens.range();
    let inside = Range {
        start_byte: start_byte + 1,
        end_byte: end_byte - 1,
        start_point: Point { column: start_point.column + 1, ..start_point },
        end_point: Point { column: end_point.column.saturating_sub(1), ..end_point },
    };
    parse_ranges(source, &[inside], time)
}

/// Parses a part of a text as the items of a file, as [`parse_inside`] does. Rows and columns in the tree mean nothing.
pub(super) fn parse_part(source: &str, part: std::ops::Range<usize>, time: &ParseTime) -> Option<Tree> {
    let [start_point, end_point] = [part.start, part.end].map(|column| Point { row: 0, column });
    let range = Range { start_byte: part.start, end_byte: part.end, start_point, end_point };
    parse_ranges(source, &[range], time)
}

fn parse_ranges(source: &str, ranges: &[Range], time: &ParseTime) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_included_ranges(ranges).expect("one range is in order");
        time.parse(parser, source)
    })
}

/// Maximum number of syntax errors reported per file.
const MAX_DIAGNOSTICS: usize = 20;

/// Reports the syntax errors of a tree. O(nodes on the paths to them).
pub(super) fn diagnose(root: Node<'_>, facts: &mut FactsBuilder<'_>) {
    let mut cursor = root.walk();
    let mut found = 0;
    loop {
        let node = cursor.node();
        let message = if node.is_missing() {
            Some(format!("expected `{}`", node.kind()))
        } else if node.is_error() {
            Some(format!("unexpected `{}`", headline(text(node, facts.source()))))
        } else {
            None
        };
        let descend = message.is_none() && node.has_error();
        if let Some(message) = message {
            facts.diagnostic(node.start_byte() as u32, message);
            found += 1;
            if found == MAX_DIAGNOSTICS {
                return;
            }
        }
        if descend && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
