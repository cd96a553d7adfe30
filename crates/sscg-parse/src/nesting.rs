//! Limits for texts that nest deeper than people write.
//!
//! Recursive parsers and walks use up to 2,400 bytes of memory per level, on the stack and in their trees, so a
//! megabyte of opening brackets would use gigabytes. Text that nests too deep is blanked before parsing. Its lines
//! remain text of the enclosing chunk. The same applies to lines in which each part is an operand of the part before.

use memchr::{memchr_iter, memmem};
use sscg_core::Span;
use tree_sitter::Tree;

use crate::text::long_lines;
use crate::tree::span;

/// Maximum nesting depth of brackets.
pub(crate) const MAX_NESTING: usize = 2_000;

/// Diagnostic for a text with blanked parts.
pub(crate) const TOO_DEEP: &str = "nested too deeply; what is inside was left out";

/// Returns the text with everything inside more than [`MAX_NESTING`] brackets blanked, and the offset where that
/// begins; `None` if nothing nests so deep. O(bytes). A text that may nest so deep is first parsed with `parse`, which
/// must not recurse on the stack. If `parse` returns `None`, the text from the deep bracket on is blanked.
pub(crate) fn levelled(source: &str, parse: impl FnOnce(&str) -> Option<Tree>) -> Option<(String, u32)> {
    let deep = deep_bracket(source)?;
    let Some(tree) = parse(source) else {
        let mut text = source.to_owned();
        blank(&mut text, Span::new(deep, source.len() as u32));
        return Some((text, deep));
    };
    let mut cursor = tree.walk();
    // Kinds of the ancestors of the cursor's node. `Node::parent` would start at the root each time.
    let mut around: Vec<&str> = Vec::new();
    let (mut open, mut since) = (0, None);
    let mut pieces: Vec<Piece> = Vec::new();
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            around.push(node.kind());
            continue;
        }
        let parent = around.last().copied().unwrap_or_default();
        match bracket(node.kind(), parent) {
            Some(Bracket::Opening) => {
                open += 1;
                if open == MAX_NESTING + 1 {
                    since = Some((span(node), takes_a_value(node.kind(), parent)));
                }
            }
            Some(Bracket::Closing) => {
                if open == MAX_NESTING + 1 {
                    pieces.extend(since.take().map(|since| Piece::new(since, span(node).start)));
                }
                open = open.saturating_sub(1);
            }
            None => {}
        }
        while !cursor.goto_next_sibling() {
            around.pop();
            if !cursor.goto_parent() {
                // An unclosed bracket extends to the end of the text.
                pieces.extend(since.map(|since| Piece::new(since, source.len() as u32)));
                return flattened(source, &pieces);
            }
        }
    }
}

/// Maximum number of operators, members and calls on one line of which each is an operand of the one before.
const MAX_CHAIN: usize = 20_000;

/// Maximum number of unclosed angles on one line with nothing between them that ends a type. Both oxc and the Rust
/// grammar parse the text after such an angle once as a comparison and once as types, and do so again for each angle
/// inside.
const MAX_ANGLES: usize = 300;

/// Returns the text without the rest of a line in which each part is an operand of the part before (`a => a => a`,
/// `f<f<f<`), and the offset of the first cut; `None` if no line exceeds [`MAX_CHAIN`], or [`MAX_ANGLES`] opening
/// angles. Strings and comments are not recognized, so a cut may be inside one. O(bytes).
pub(crate) fn unchained(source: &str) -> Option<(String, u32)> {
    // Nearly every text stays unchanged and is not copied.
    let mut cut: Option<(String, u32)> = None;
    for (start, line) in long_lines(source, MAX_ANGLES) {
        if may_chain(line)
            && let Some(at) = end_of_chain(line.as_bytes())
        {
            // A Rust statement needs its semicolon.
            let cut_end = line.trim_end().trim_end_matches(';').len().max(at);
            let rest = Span::new((start + at) as u32, (start + cut_end) as u32);
            let (text, _) = cut.get_or_insert_with(|| (source.to_owned(), rest.start));
            blank(text, rest);
            // The last remaining operator needs an operand; a call is complete.
            let arrow = usize::from(line.as_bytes()[at] == b'>');
            let value = start + at + arrow;
            if line.as_bytes()[at] != b'.' && value < rest.end as usize {
                text.replace_range(start + at..value + 1, if arrow == 1 { ">0" } else { "0" });
            }
        }
    }
    cut
}

/// Returns true if [`end_of_chain`] may find an offset in a line. Far cheaper, and false for nearly every line.
fn may_chain(line: &str) -> bool {
    let line = line.as_bytes();
    let has_many = |sign: &[u8]| memmem::find_iter(line, sign).nth(MAX_CHAIN).is_some();
    has_open_run(line) && memchr_iter(b'<', line).nth(MAX_ANGLES).is_some()
        || line.len() > MAX_CHAIN
            && (has_many(b"=>") || has_many(b".") || count_all(line, is_sign) > MAX_CHAIN)
}

/// Returns true if more than [`MAX_ANGLES`] bytes in a row have no sign at which [`end_of_chain`] begins to count angles
/// and elements anew. Looks only at a few bytes of most code.
fn has_open_run(line: &[u8]) -> bool {
    let mut start = 0;
    while let Some(run) = line.get(start..=start + MAX_ANGLES) {
        match run.iter().rposition(|byte| b",&|?(){}".contains(byte)) {
            Some(last) => start += last + 1,
            None => return true,
        }
    }
    false
}

/// Returns true for bytes with which a name may begin.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Returns true for prefix operators.
fn is_sign(byte: u8) -> bool {
    b"!~+-*&^".contains(&byte)
}

/// Returns the offset at which a line has too many arrows, members and calls, opening angles, opening elements or signs in one
/// chain.
fn end_of_chain(line: &[u8]) -> Option<usize> {
    let (mut arrows, mut angles, mut elements, mut signs, mut links) =
        (0_usize, 0_usize, 0_usize, 0_usize, 0_usize);
    // Angles that are closed later on the line are brackets.
    let mut in_angles = None;
    let chained = line.iter().enumerate().position(|(at, byte)| {
        let next = line.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or(0, |at| line[at]);
        match byte {
            b';' => (arrows, angles, links) = (0, 0, 0),
            b'.' if before == b')' || is_name(next) => links += 1,
            // These occur between comparisons, not between types in angles.
            b',' | b'&' | b'|' | b'?' | b'(' | b')' | b'{' | b'}' => {
                (angles, elements) = (0, 0);
                arrows = if *byte == b',' { 0 } else { arrows };
                links = if b",{}".contains(byte) { 0 } else { links };
            }
            b'>' if before == b'=' => arrows += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'<' => angles += 1,
            _ => {}
        }
        match (byte, next) {
            (b'<', b'/') | (b'/', b'>') => elements = elements.saturating_sub(1),
            (b'<', next) if next.is_ascii_alphabetic() => elements += 1,
            _ => {}
        }
        signs = if is_sign(*byte) { signs + 1 } else { 0 };
        in_angles = if angles > MAX_ANGLES { in_angles.or(Some(at)) } else { None };
        [arrows, elements, signs, links].iter().any(|count| *count > MAX_CHAIN)
    });
    chained.into_iter().chain(in_angles).min()
}

/// Text between two brackets.
struct Piece {
    bracket: u32,
    inside: Span,
    /// Set when the syntax requires a value between the brackets.
    takes_a_value: bool,
}

impl Piece {
    fn new((opening, takes_a_value): (Span, bool), end: u32) -> Self {
        Self { bracket: opening.start, inside: Span::new(opening.end, end), takes_a_value }
    }
}

fn flattened(source: &str, pieces: &[Piece]) -> Option<(String, u32)> {
    let mut text = source.to_owned();
    for Piece { inside, takes_a_value, .. } in pieces {
        blank(&mut text, *inside);
        if *takes_a_value && inside.start < inside.end {
            let at = inside.start as usize;
            text.replace_range(at..at + 1, "0");
        }
    }
    pieces.first().map(|piece| (text, piece.bracket))
}

/// Returns the text with everything after a bracket blanked that is nested several times deeper than [`MAX_NESTING`], and
/// the offset of the bracket; `None` if there is none. Angles do not count. Parsing such a text takes up to 700 bytes of
/// memory for each byte. O(bytes).
pub(crate) fn cut_deep(source: &str) -> Option<(String, u32)> {
    /// Depth that brackets in strings and comments, which are counted as well, do not add up to.
    const DEEP: usize = 4 * MAX_NESTING;
    if count_all(source.as_bytes(), is_opening) <= DEEP {
        return None;
    }
    let mut depth: usize = 0;
    let at = source.bytes().position(|byte| {
        if is_opening(byte) {
            depth += 1;
        } else if is_closing(byte) {
            depth = depth.saturating_sub(1);
        }
        depth > DEEP
    })?;
    let mut text = source.to_owned();
    blank(&mut text, Span::new(at as u32, source.len() as u32));
    Some((text, at as u32))
}

/// Returns the offset at which brackets may nest deeper than `MAX_NESTING`, by a scan of the bytes. A comparison looks
/// like an angle, so `>` closes no other bracket.
fn deep_bracket(source: &str) -> Option<u32> {
    if count_all(source.as_bytes(), |byte| is_opening(byte) || byte == b'<') <= MAX_NESTING
        || most_nesting(source.as_bytes()) <= MAX_NESTING
    {
        return None;
    }
    depths(source.as_bytes()).position(|depth| depth > MAX_NESTING).map(|at| at as u32)
}

/// Returns the depth after each byte.
fn depths(source: &[u8]) -> impl Iterator<Item = usize> {
    let (mut brackets, mut angles): (usize, usize) = (0, 0);
    let mut before = 0;
    source.iter().map(move |byte| {
        match byte {
            byte if is_opening(*byte) => brackets += 1,
            byte if is_closing(*byte) => brackets = brackets.saturating_sub(1),
            b'<' => angles += 1,
            b'>' if before != b'=' => angles = angles.saturating_sub(1),
            _ => {}
        }
        before = *byte;
        brackets + angles
    })
}

/// Returns an upper bound of the [`depths`] in a text. Counts the brackets of short blocks, which is faster than to
/// follow them: the bound assumes that each block closes before it opens.
fn most_nesting(source: &[u8]) -> usize {
    let (mut brackets, mut angles, mut most) = (0_usize, 0_usize, 0);
    let mut last = 0;
    for block in source.chunks(BLOCK) {
        let (opened, closed) = (count(block, is_opening), count(block, is_closing));
        let opened_angles = count(block, |byte| byte == b'<');
        let arrows = block.iter().zip(&block[1..]).map(|pair| u8::from(pair == (&b'=', &b'>'))).sum::<u8>();
        let arrows = usize::from(arrows) + usize::from(last == b'=' && block[0] == b'>');
        let closed_angles = count(block, |byte| byte == b'>') - arrows;
        most = most.max(brackets + opened + angles + opened_angles);
        brackets = brackets.saturating_sub(closed) + opened;
        angles = angles.saturating_sub(closed_angles) + opened_angles;
        last = block[block.len() - 1];
    }
    most
}

/// Returns true for `(`, `[` and `{`. The last two differ in one bit, which saves a comparison of each byte.
fn is_opening(byte: u8) -> bool {
    byte == b'(' || byte | 0x20 == b'{'
}

/// Returns true for `)`, `]` and `}`.
fn is_closing(byte: u8) -> bool {
    byte == b')' || byte | 0x20 == b'}'
}

/// Number of bytes that a counter of a byte can count.
const BLOCK: usize = 255;

/// Counts bytes of a block of at most [`BLOCK`], with a counter of a byte, which compilers vectorize.
fn count(block: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    usize::from(block.iter().map(|byte| u8::from(is_counted(*byte))).sum::<u8>())
}

/// Counts bytes of a text.
fn count_all(text: &[u8], is_counted: impl Fn(u8) -> bool + Copy) -> usize {
    text.chunks(BLOCK).map(|block| count(block, is_counted)).sum()
}

enum Bracket {
    Opening,
    Closing,
}

/// Returns the role of a token that opens or closes a nesting level.
fn bracket(token: &str, parent: &str) -> Option<Bracket> {
    match token {
        "(" | "[" | "{" | "{|" | "${" => Some(Bracket::Opening),
        ")" | "]" | "}" | "|}" => Some(Bracket::Closing),
        "<" if is_angled(parent) => Some(Bracket::Opening),
        ">" if is_angled(parent) => Some(Bracket::Closing),
        _ => None,
    }
}

/// True if `<` and `>` in a node are brackets (around types and elements, possibly in broken code) and not comparisons.
fn is_angled(parent: &str) -> bool {
    ["type_", "jsx_", "template_"].iter().any(|prefix| parent.starts_with(prefix))
        || matches!(parent, "bracketed_type" | "ERROR")
}

fn takes_a_value(opening: &str, parent: &str) -> bool {
    match opening {
        "${" | "<" => true,
        "(" => parent.starts_with("parenthesized"),
        "[" => matches!(parent, "subscript_expression" | "subscript" | "type_parameter"),
        "{" => parent == "interpolation",
        _ => false,
    }
}

/// Replaces everything except line breaks by spaces.
pub(crate) fn blank(text: &mut String, piece: Span) {
    let range = piece.start as usize..piece.end as usize;
    let blanks: String = text[range.clone()].bytes().map(blank_for).collect();
    text.replace_range(range, &blanks);
}

pub(crate) fn blank_for(byte: u8) -> char {
    if byte == b'\n' { '\n' } else { ' ' }
}

#[cfg(all(test, feature = "all-languages", feature = "documents"))]
mod tests;
