//! Recovery from syntax errors for which oxc returns no tree.
//!
//! oxc reports where it gave up, but not the extent of the error. Tree-sitter returns a tree for any text, with the
//! errors marked in it. The smallest piece of that tree that explains oxc's error is blanked, and oxc runs again: first
//! the error nodes, then the enclosing statement or member, and so on outwards. This is done for the whole text and for
//! each top-level block by itself, because one missing bracket makes tree-sitter misparse everything after it. The
//! result that keeps more text wins. Blanks keep offsets and lines, so positions in the result are valid in the
//! original text.

use sscg_core::Span;
use tree_sitter::{Node, Tree, TreeCursor};

use super::grammar::Grammar;
use crate::nesting::{blank, blank_for};
use crate::tree::{ParseTime, span};

/// Maximum number of bytes read per byte of text before recovery is given up. A text that is broken in many places is
/// not code, and its cost must stay linear in its length.
const MAX_ROUNDS: usize = 24;

/// Fixed cost of a round, in bytes.
const ROUND: usize = 512;

/// Number of bytes that may still be read.
struct Budget(usize);

impl Budget {
    fn new(text: &str) -> Self {
        Self(MAX_ROUNDS * (text.len() + ROUND))
    }

    /// Spends part of the budget; `None` if too little is left.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes)?;
        Some(())
    }
}

/// Returns the text with spaces in place of the parts that do not parse, or any text if the time is over. `gives_up`
/// returns the offset at which the parser gives up on a text, if it does.
pub(super) fn mend(
    extension: &str,
    source: &str,
    time: &ParseTime,
    gives_up: impl Fn(&str) -> Option<u32>,
) -> String {
    let gives_up = |text: &str| time.count(|| gives_up(text));
    let by_block = fit_together(mend_blocks(extension, source, time, gives_up), time, gives_up);
    match mend_nodes(extension, source, time, gives_up) {
        Some(whole) if solid_bytes(&whole) > solid_bytes(&by_block) => whole,
        _ => by_block,
    }
}

/// Blanks top-level blocks that parse separately until they parse together: an unfinished block may change the meaning
/// of the next (`x` before `/re/.test(y)`).
fn fit_together(mut text: String, time: &ParseTime, gives_up: impl Fn(&str) -> Option<u32>) -> String {
    for _ in 0..MAX_ROUNDS {
        if time.is_over() {
            break;
        }
        let Some(at) = gives_up(&text) else { break };
        let mut end = 0;
        let spans = blocks(&text, "").map(|block| {
            let start = end;
            end += block.len() as u32;
            Span::new(start, end)
        });
        let is_solid = |span: &Span| !span.text(&text).trim().is_empty();
        let Some(block) = spans.take_while(|span| span.start <= at).filter(is_solid).last() else { break };
        blank(&mut text, block);
    }
    text
}

fn solid_bytes(text: &str) -> usize {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// Blanks nodes of tree-sitter's tree until the text parses; `None` if the time, the budget or the candidate nodes are
/// exhausted.
fn mend_nodes(
    extension: &str,
    source: &str,
    time: &ParseTime,
    gives_up: impl Fn(&str) -> Option<u32>,
) -> Option<String> {
    let tree = parse(extension, source, time)?;
    let mut text = source.to_owned();
    let mut budget = Budget::new(source);
    while let Some(at) = gives_up(&text) {
        if time.is_over() {
            return None;
        }
        budget.spend(text.len() + ROUND)?;
        for piece in time.count(|| pieces_at(&tree, &text, at, &mut budget))? {
            blank(&mut text, piece);
        }
    }
    Some(text)
}

/// Parses a text with tree-sitter; `None` if that takes too long.
pub(super) fn parse(extension: &str, source: &str, time: &ParseTime) -> Option<Tree> {
    time.parse_with(&Grammar::of(extension).language(), source)
}

/// Returns the smallest pieces to blank next for a parser that gives up at an offset.
fn pieces_at(tree: &Tree, text: &str, at: u32, budget: &mut Budget) -> Option<Vec<Span>> {
    let mut path = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while cursor.goto_first_child_for_byte(at as usize).is_some() && span(cursor.node()).start <= at {
        let is_exported = path.last().is_some_and(|around| around.kind() == "export_statement");
        // An exported declaration cannot be blanked without its keyword.
        if !(is_exported && is_unit(cursor.node())) {
            path.push(cursor.node());
        }
    }
    let is_left = |piece: &Span| !piece.text(text).trim().is_empty();
    for node in path.iter().rev() {
        // An unfinished statement is detected at the start of the next one.
        let starts_here = is_unit(*node) && span(*node).start == at;
        let before = if starts_here { node.prev_named_sibling() } else { None };
        let before = before.filter(|before| before.has_error());
        for node in before.into_iter().chain([*node]) {
            let mut pieces = Vec::new();
            budget.spend(node.byte_range().len())?;
            if node.is_error() {
                loose_tokens(node, &mut pieces);
            } else if is_unit(node) {
                broken_pieces(node, &mut cursor, &mut pieces);
            }
            pieces.retain(|piece| is_left(piece) && is_apart(piece.text(text).trim()));
            if pieces.is_empty() && is_unit(node) && is_left(&span(node)) {
                pieces.push(span(node));
            }
            if !pieces.is_empty() {
                return Some(pieces);
            }
        }
    }
    // No enclosing node applies: a surplus bracket, for example.
    let token = span(*path.last()?);
    (path.len() > 1 && is_left(&token)).then(|| vec![token])
}

/// True if the text around a node is complete without it: a statement, or a member of a class.
fn is_unit(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.ends_with("_statement")
        || kind.ends_with("_declaration")
        || kind.ends_with("_definition")
        || kind.ends_with("_signature") && kind != "call_signature"
}

/// True if a text can be blanked without removing the start or the end of something else.
fn is_apart(text: &str) -> bool {
    !text.contains('\n') && closes_brackets(text)
}

/// True if a text closes the brackets it opens and no others.
fn closes_brackets(text: &str) -> bool {
    let mut open = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open -= 1,
            _ => {}
        }
        if open < 0 {
            return false;
        }
    }
    open == 0
}

/// Collects the errors inside a node.
fn broken_pieces<'t>(node: Node<'t>, cursor: &mut TreeCursor<'t>, pieces: &mut Vec<Span>) {
    cursor.reset(node);
    loop {
        let node = cursor.node();
        if node.is_error() {
            loose_tokens(node, pieces);
        }
        let goes_in = node.has_error() && !node.is_error() && cursor.goto_first_child();
        while !goes_in && !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            // Next are the siblings of the parent.
        }
    }
}

/// Collects the parts of an error outside of whole statements and members.
fn loose_tokens(error: Node<'_>, pieces: &mut Vec<Span>) {
    let mut start = error.start_byte() as u32;
    let mut cursor = error.walk();
    for child in error.children(&mut cursor) {
        if is_unit(child) && !child.has_error() {
            pieces.push(Span::new(start, child.start_byte() as u32));
            start = child.end_byte() as u32;
        }
    }
    pieces.push(Span::new(start, error.end_byte() as u32));
}

/// Mends each top-level block by itself, so that an unclosed bracket only affects its block. Blanks blocks that cannot
/// be mended.
fn mend_blocks(
    extension: &str,
    source: &str,
    time: &ParseTime,
    gives_up: impl Fn(&str) -> Option<u32>,
) -> String {
    let mut mended = String::with_capacity(source.len());
    for block in blocks(source, "") {
        if time.is_over() {
            break;
        }
        if gives_up(block).is_none() {
            mended.push_str(block);
            continue;
        }
        let tries = [mend_layout(block, &gives_up), mend_nodes(extension, block, time, &gives_up)];
        match tries.into_iter().flatten().max_by_key(|text| solid_bytes(text)) {
            Some(block) => mended.push_str(&block),
            None => mended.extend(block.bytes().map(blank_for)),
        }
    }
    mended
}

/// Blanks the statements or members of a block with unbalanced brackets. They are delimited by indentation, because
/// unfinished code already has its final layout.
fn mend_layout(block: &str, gives_up: impl Fn(&str) -> Option<u32>) -> Option<String> {
    let indented = block.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty())?;
    let margin = &indented[..indented.len() - indented.trim_start().len()];
    let mut mended = String::with_capacity(block.len());
    for part in blocks(block, margin) {
        // Less indented parts are the head and the end of the enclosing declaration.
        if !part.starts_with(margin) || closes_brackets(part) {
            mended.push_str(part);
        } else {
            mended.extend(part.bytes().map(blank_for));
        }
    }
    gives_up(&mended).is_none().then_some(mended)
}

/// Splits a text at the lines that look like the start of a statement: at the margin, without a closing bracket, or
/// less indented than the margin.
fn blocks<'s>(source: &'s str, margin: &str) -> impl Iterator<Item = &'s str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let starts = rest.match_indices('\n').map(|(at, _)| at + 1);
        let next = starts.into_iter().find(|&at| match rest[at..].strip_prefix(margin) {
            Some(line) => {
                line.starts_with(|first: char| !first.is_whitespace() && !matches!(first, '}' | ')' | ']'))
            }
            None => !rest[at..].starts_with(['\r', '\n']),
        });
        let (block, after) = rest.split_at(next.unwrap_or(rest.len()));
        rest = after;
        Some(block)
    })
}
