//! Texts that nest deeper than any that people write.
//!
//! Parsers and walks that recurse take up to 2,400 bytes of memory for each level, on the stack and in their trees, so that a
//! megabyte of opening brackets would take gigabytes. What stands too deep is blanked before a text comes to them; its lines are still
//! text of the chunk around it.

use sscg_core::Span;
use tree_sitter::Tree;

use crate::tree::span;

/// Maximum number of brackets in each other.
pub(crate) const MAX_NESTING: usize = 2_000;

/// What is said of a text of which something was left out.
pub(crate) const TOO_DEEP: &str = "nested too deeply; what is inside was left out";

/// The text without what stands in more than [`MAX_NESTING`] brackets, and where that begins; `None` if nothing does.
/// O(bytes); of texts that may nest so deep, `parse` makes a tree first, which takes no stack. What it can make none of goes from
/// there on.
pub(crate) fn levelled(source: &str, parse: impl FnOnce(&str) -> Option<Tree>) -> Option<(String, u32)> {
    let deep = deep_bracket(source)?;
    let Some(tree) = parse(source) else {
        let mut text = source.to_owned();
        blank(&mut text, Span::new(deep, source.len() as u32));
        return Some((text, deep));
    };
    let mut cursor = tree.walk();
    // What is around the cursor's node; to ask a node for it would start at the root each time.
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
                // What is opened and never closed goes on to the end.
                pieces.extend(since.map(|since| Piece::new(since, source.len() as u32)));
                return flattened(source, &pieces);
            }
        }
    }
}

/// Text between two brackets.
struct Piece {
    bracket: u32,
    inside: Span,
    /// Whether nothing at all between them would be no code.
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

/// Where a text may have that many brackets in each other, by brackets alone. Comparisons look like brackets, too.
fn deep_bracket(source: &str) -> Option<u32> {
    let mut open: usize = 0;
    let mut before = 0;
    let deep = source.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' | b'<' => open += 1,
            b'>' if before == b'=' => {}
            b')' | b']' | b'}' | b'>' => open = open.saturating_sub(1),
            _ => {}
        }
        before = byte;
        open > MAX_NESTING
    });
    deep.map(|at| at as u32)
}

enum Bracket {
    Opening,
    Closing,
}

/// Whether a token opens or closes something.
fn bracket(token: &str, parent: &str) -> Option<Bracket> {
    match token {
        "(" | "[" | "{" | "{|" | "${" => Some(Bracket::Opening),
        ")" | "]" | "}" | "|}" => Some(Bracket::Closing),
        "<" if parent != "binary_expression" => Some(Bracket::Opening),
        ">" if parent != "binary_expression" => Some(Bracket::Closing),
        _ => None,
    }
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

/// Puts spaces in place of all but the line breaks.
pub(crate) fn blank(text: &mut String, piece: Span) {
    let range = piece.start as usize..piece.end as usize;
    let blanks: String = text[range.clone()].bytes().map(blank_for).collect();
    text.replace_range(range, &blanks);
}

pub(crate) fn blank_for(byte: u8) -> char {
    if byte == b'\n' { '\n' } else { ' ' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parsed;

    #[test]
    fn comparisons_and_texts_are_no_brackets() {
        let text = "fn x() { let x = a < b && '[' < c; }\n".repeat(3_000);
        assert!(deep_bracket(&text).is_some());
        let rust = tree_sitter_rust::LANGUAGE.into();
        assert_eq!(levelled(&text, |text| Some(parsed(&rust, text))), None);
    }

    #[test]
    fn what_stands_too_deep_is_left_out_in_every_language() {
        for (language, extension, before, open, middle, close) in [
            ("rust", "rs", "fn x() -> ", "(", "u8", ",) "),
            ("rust", "rs", "type X = ", "A<", "B", ">"),
            ("rust", "rs", "#[a", "(", "1", ")"),
            ("rust", "rs", "const X: u8 = ", "m!{", "1", "}"),
            ("python", "py", "x = ", "[", "1", "]"),
            ("python", "py", "x = ", "f(", "1", ")"),
            ("python", "py", "x: ", "A[", "1", "]"),
        ] {
            let after = match before {
                "#[a" => "] fn x() {}\n",
                "fn x() -> " => "{ }\n",
                _ if language == "rust" => ";\n",
                _ => "\n",
            };
            let last = if language == "rust" { "fn y() {}\n" } else { "def y(): pass\n" };
            let (open, close) = (open.repeat(20_000), close.repeat(20_000));
            let text = format!("{before}{open}{middle}{close}{after}{last}");
            let facts = crate::extract(crate::by_name(language).expect("it is read"), extension, &text);
            assert!(
                facts.symbols.iter().any(|symbol| &*symbol.name == "y"),
                "{before} {:?}",
                facts.diagnostics
            );
            assert!(
                facts.diagnostics.iter().any(|it| &*it.message == TOO_DEEP),
                "{before} {:?}",
                facts.diagnostics
            );
        }
    }
}
