//! Line blocks: the unit of term positions.

use sscg_core::LineRange;

/// Number of lines of a block. Queries are compared with windows of two neighboring blocks.
pub const BLOCK_LINES: u32 = 10;

/// Block of ten lines, fewer at the end of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Number of terms (at most 4,095).
    pub terms: u16,
    /// Number of lines that contain only comments or documentation.
    pub comment_lines: u8,
}

impl Block {
    /// Returns the lines of a full block, by its number.
    pub fn lines(number: u32) -> LineRange {
        LineRange { start: number * BLOCK_LINES + 1, end: (number + 1) * BLOCK_LINES }
    }

    /// Returns the number of the block that contains a line, counted from 1.
    pub fn of_line(line: u32) -> u32 {
        line.saturating_sub(1) / BLOCK_LINES
    }

    pub(super) fn encode(self) -> [u8; 2] {
        (self.terms.min(MAX_TERMS) << COMMENT_BITS | u16::from(self.comment_lines)).to_le_bytes()
    }

    pub(super) fn decode(bytes: [u8; 2]) -> Self {
        let bits = u16::from_le_bytes(bytes);
        Self { terms: bits >> COMMENT_BITS, comment_lines: (bits & ((1 << COMMENT_BITS) - 1)) as u8 }
    }
}

/// Bits of the number of comment lines: ten lines take four.
const COMMENT_BITS: u32 = 4;

const MAX_TERMS: u16 = u16::MAX >> COMMENT_BITS;

/// Marks the lines that contain only comments, judging by their start, in a language whose line comments start with
/// `marker`. Languages with `//` also have block comments between `/*` and `*/`.
///
/// The heuristic suffices: a string that looks like a comment shifts a share by one line. O(lines).
pub(super) fn comment_lines<'t>(text: &'t str, marker: &'t str) -> impl Iterator<Item = bool> + 't {
    let has_blocks = marker == "//";
    let mut in_block = false;
    text.lines().map(move |line| {
        let line = line.trim();
        if in_block {
            in_block = !line.contains("*/");
            return true;
        }
        if has_blocks && line.starts_with("/*") {
            in_block = !line.contains("*/");
            return true;
        }
        line.starts_with(marker) && !(marker == "#" && line.starts_with("#!"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_numbers() {
        for block in [
            Block { terms: 0, comment_lines: 10 },
            Block { terms: 4_095, comment_lines: 0 },
            Block { terms: 37, comment_lines: 3 },
        ] {
            assert_eq!(Block::decode(block.encode()), block);
        }
        assert_eq!(Block::decode(Block { terms: u16::MAX, comment_lines: 1 }.encode()).terms, 4_095);
    }

    #[test]
    fn lines_of_comments_are_told_by_their_start() {
        let marked = |text, marker| comment_lines(text, marker).collect::<Vec<_>>();
        assert_eq!(marked("# a\nb = 1  # c\n\n#!/bin/sh", "#"), [true, false, false, false]);
        assert_eq!(
            marked("/** a\n * b\n */\n// c\nd(); // e\n*f = 1;\n/* g */", "//"),
            [true, true, true, true, false, false, true]
        );
    }

    #[test]
    fn a_line_belongs_to_one_block() {
        assert_eq!([1, 10, 11].map(Block::of_line), [0, 0, 1]);
        assert_eq!(Block::lines(1), LineRange { start: 11, end: 20 });
    }
}
