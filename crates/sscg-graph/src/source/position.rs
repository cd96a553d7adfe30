//! Positions as lines and characters, in which indexers and language servers refer to a text.

use super::site::last_segment;

/// Unit in which a position counts characters within its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Unicode code points.
    Utf32,
}

impl Encoding {
    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// Position in a text: line and character, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Character in the line, in units of an [`Encoding`].
    pub character: u32,
}

impl Position {
    /// Creates a position.
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// Lines of a text, for conversion between positions and bytes.
#[derive(Clone, Debug)]
pub struct TextPositions<'t> {
    text: &'t str,
    /// First byte of each line.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> TextPositions<'t> {
    /// Finds the lines of a text. O(bytes).
    pub fn new(text: &'t str, encoding: Encoding) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts, encoding }
    }

    /// Returns a line without its line break, counted from 0; `None` after the last one.
    pub fn line(&self, line: u32) -> Option<&'t str> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).map_or(self.text.len(), |next| next - 1);
        Some(self.text[start..end].trim_end_matches('\r'))
    }

    /// Returns the byte of a position; `None` if it is not on a character boundary of the text. O(line).
    pub fn byte(&self, at: Position) -> Option<usize> {
        let line = self.line(at.line)?;
        let mut units = 0;
        for (byte, c) in line.char_indices() {
            if units >= at.character as usize {
                return (units == at.character as usize).then_some(self.starts[at.line as usize] + byte);
            }
            units += self.encoding.units(c);
        }
        (units == at.character as usize).then_some(self.starts[at.line as usize] + line.len())
    }

    /// Returns the position of a byte, which must be on a character boundary. O(log lines + line).
    pub fn position(&self, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = &self.text[self.starts[line]..byte];
        let character = before.chars().map(|c| self.encoding.units(c)).sum::<usize>();
        Position::new(line as u32, character as u32)
    }

    /// Returns the name at a range of one line: a whole identifier, or the last segment of a quoted module or of a dotted
    /// path. `None` if the text there is none of these. O(line).
    pub fn name(&self, start: Position, end: Position) -> Option<&'t str> {
        let (start, end) = (self.byte(start)?, self.byte(end)?);
        let text = self.text.get(start..end).filter(|text| !text.contains('\n'))?;
        let quoted = text.trim_matches(['"', '\'', '`']);
        if quoted.len() < text.len() {
            return Some(last_segment(quoted)).filter(|name| !name.is_empty());
        }
        let name = last_segment(text);
        let is_whole =
            !self.text[..start].ends_with(is_identifier) && !self.text[end..].starts_with(is_identifier);
        (is_whole && !name.is_empty() && name.trim_start_matches('#').chars().all(is_identifier))
            .then_some(name)
    }

    /// Returns the byte ranges at which an identifier is part of a line, counted from 0, in order. O(line).
    pub fn tokens(&self, line: u32, name: &str) -> Vec<std::ops::Range<usize>> {
        let Some(text) = self.line(line).filter(|_| !name.is_empty()) else { return Vec::new() };
        let start = self.starts[line as usize];
        let found = text.match_indices(name).map(|(at, _)| at..at + name.len());
        let is_whole = |it: &std::ops::Range<usize>| {
            !text[..it.start].ends_with(is_identifier) && !text[it.end..].starts_with(is_identifier)
        };
        found.filter(is_whole).map(|it| start + it.start..start + it.end).collect()
    }
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_and_positions_are_each_others_inverse(text in "[aß𝒳\r\n ]{0,30}") {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let lines = TextPositions::new(&text, encoding);
                let boundaries = (0..=text.len()).filter(|byte| text.is_char_boundary(*byte));
                for byte in boundaries.filter(|byte| !text[..*byte].ends_with('\r')) {
                    prop_assert_eq!(lines.byte(lines.position(byte)), Some(byte));
                }
            }
        }
    }

    #[test]
    fn characters_count_in_the_given_unit() {
        let text = "x = '𝒳'; name()\n";
        for (encoding, character) in [(Encoding::Utf8, 12), (Encoding::Utf16, 10), (Encoding::Utf32, 9)] {
            let lines = TextPositions::new(text, encoding);
            let (start, end) = (Position::new(0, character), Position::new(0, character + 4));
            assert_eq!(lines.name(start, end), Some("name"), "{encoding:?}");
            assert_eq!(lines.name(start, Position::new(0, character + 3)), None);
            assert_eq!(lines.name(start, Position::new(1, 4)), None);
        }
        let inside = TextPositions::new(text, Encoding::Utf8).byte(Position::new(0, 6));
        assert_eq!(inside, None);
    }

    #[test]
    fn modules_and_paths_are_named_by_their_last_segment() {
        for (text, name) in
            [("'./a/b.js'", Some("b")), ("a.b.c", Some("c")), ("\"react\"", Some("react")), ("+", None)]
        {
            let lines = TextPositions::new(text, Encoding::Utf16);
            assert_eq!(lines.name(Position::new(0, 0), Position::new(0, text.len() as u32)), name);
        }
    }

    #[test]
    fn tokens_are_whole_identifiers() {
        let lines = TextPositions::new("\nrun(rerun, run)\n", Encoding::Utf8);
        assert_eq!(lines.tokens(1, "run"), [1..4, 12..15]);
        assert!(lines.tokens(2, "run").is_empty());
    }
}
