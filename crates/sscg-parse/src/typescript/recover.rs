//! What to leave out of a text for which oxc gives no tree.
//!
//! oxc says where it gave up, but not what is wrong around there; tree-sitter gives a tree of any text, with the
//! broken places marked in it. The smallest piece of that tree that explains oxc's complaint is blanked, and oxc
//! tries again: first what tree-sitter could not make sense of, then the statement or member around it, and so
//! on outwards. This is done to the whole text and to each top-level block by itself, since one bracket that is
//! missing makes tree-sitter misread all that follows; what keeps more wins. Blanks keep offsets and lines, so that
//! what is found stands where it stands in the text.

use std::ops::ControlFlow;

use sscg_core::Span;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::grammar::Grammar;
use crate::nesting::{blank, blank_for};
use crate::tree::span;

/// How often as many bytes as a text has are looked at before it is given up: what is broken in many places is no
/// code, and must not cost more than its length.
const MAX_ROUNDS: usize = 24;

/// What a round costs besides looking at bytes, in bytes.
const ROUND: usize = 512;

/// The bytes that may still be looked at.
struct Budget(usize);

impl Budget {
    fn new(text: &str) -> Self {
        Self(MAX_ROUNDS * (text.len() + ROUND))
    }

    /// `None` if too few are left.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes)?;
        Some(())
    }
}

/// The text with spaces in place of what does not parse. `gives_up` says where the parser gives up on a text, if
/// it does.
pub(super) fn mend(extension: &str, source: &str, gives_up: impl Fn(&str) -> Option<u32>) -> String {
    let by_block = fit_together(mend_blocks(extension, source, &gives_up), &gives_up);
    match mend_nodes(extension, source, &gives_up) {
        Some(whole) if solid_bytes(&whole) > solid_bytes(&by_block) => whole,
        _ => by_block,
    }
}

/// Blanks top-level blocks of a text each of which parses by itself until they parse one after the other: what one
/// leaves open may make something else of the next (`x` before `/re/.test(y)`).
fn fit_together(mut text: String, gives_up: impl Fn(&str) -> Option<u32>) -> String {
    for _ in 0..MAX_ROUNDS {
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

/// Blanks nodes of tree-sitter's tree until the text parses; `None` if that does not lead anywhere.
fn mend_nodes(extension: &str, source: &str, gives_up: impl Fn(&str) -> Option<u32>) -> Option<String> {
    let tree = parse(extension, source)?;
    let mut text = source.to_owned();
    let mut budget = Budget::new(source);
    while let Some(at) = gives_up(&text) {
        budget.spend(text.len() + ROUND)?;
        for piece in pieces_at(&tree, &text, at, &mut budget)? {
            blank(&mut text, piece);
        }
    }
    Some(text)
}

/// How often tree-sitter reports progress for a text of so many bytes before it is stopped. Code with three signs too many has
/// .007 to .037 reports for each byte; a megabyte of opened comments took 7 s and 2 GB.
const fn most_reports(bytes: usize) -> usize {
    200 + bytes / 10
}

/// tree-sitter's tree of a text; `None` if it takes too long to make sense of it.
pub(super) fn parse(extension: &str, source: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&Grammar::of(extension).language()).ok()?;
    let mut reports = 0;
    let mut go_on = |_: &ParseState| {
        reports += 1;
        if reports > most_reports(source.len()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut text = |at: usize, _| source.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut text, None, Some(options))
}

/// The smallest pieces to blank next for a parser that gives up at an offset.
fn pieces_at(tree: &Tree, text: &str, at: u32, budget: &mut Budget) -> Option<Vec<Span>> {
    let mut path = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while cursor.goto_first_child_for_byte(at as usize).is_some() && span(cursor.node()).start <= at {
        let is_exported = path.last().is_some_and(|around| around.kind() == "export_statement");
        // What is exported cannot go without its keyword.
        if !(is_exported && is_unit(cursor.node())) {
            path.push(cursor.node());
        }
    }
    let is_left = |piece: &Span| !piece.text(text).trim().is_empty();
    for node in path.iter().rev() {
        // A statement without its end is noticed where the next one starts.
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
    // Nothing is around it: a bracket too many, say.
    let token = span(*path.last()?);
    (path.len() > 1 && is_left(&token)).then(|| vec![token])
}

/// Whether the text around a node is still complete without it: a statement, or a member of a class.
fn is_unit(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.ends_with("_statement")
        || kind.ends_with("_declaration")
        || kind.ends_with("_definition")
        || kind.ends_with("_signature") && kind != "call_signature"
}

/// Whether a text can go without taking the start or the end of something else with it.
fn is_apart(text: &str) -> bool {
    !text.contains('\n') && closes_brackets(text)
}

/// Whether a text closes the brackets it opens and no others.
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

/// What tree-sitter could not make sense of inside a node.
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
            // The siblings of what was left are next.
        }
    }
}

/// What stands in an error besides whole statements and members.
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

/// Mends each top-level block on its own, so that what one leaves open ends with it; blanks those that cannot be.
fn mend_blocks(extension: &str, source: &str, gives_up: impl Fn(&str) -> Option<u32>) -> String {
    let mut mended = String::with_capacity(source.len());
    for block in blocks(source, "") {
        if gives_up(block).is_none() {
            mended.push_str(block);
            continue;
        }
        let tries = [mend_layout(block, &gives_up), mend_nodes(extension, block, &gives_up)];
        match tries.into_iter().flatten().max_by_key(|text| solid_bytes(text)) {
            Some(block) => mended.push_str(&block),
            None => mended.extend(block.bytes().map(blank_for)),
        }
    }
    mended
}

/// Blanks the statements or members of a block that open more brackets than they close or the other way round,
/// going by how they are indented: what people have not finished to type is still laid out as it will be.
fn mend_layout(block: &str, gives_up: impl Fn(&str) -> Option<u32>) -> Option<String> {
    let indented = block.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty())?;
    let margin = &indented[..indented.len() - indented.trim_start().len()];
    let mut mended = String::with_capacity(block.len());
    for part in blocks(block, margin) {
        // What is further out is the head and the end of what the others stand in.
        if !part.starts_with(margin) || closes_brackets(part) {
            mended.push_str(part);
        } else {
            mended.extend(part.bytes().map(blank_for));
        }
    }
    gives_up(&mended).is_none().then_some(mended)
}

/// Cuts at the lines that start a statement by their looks: at the margin, with anything but a bracket's end; and
/// at those that are further out.
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
