//! Grouping of a page's glyphs into lines of text.

use hayro_font::kurbo::{Point, Vec2};

/// Minimum gap between words, in ems; less than word spacing, more than letter spacing.
const SPACE: f64 = 0.15;

/// Minimum gap between columns of a table, in ems.
const GAP: f64 = 1.5;

/// Maximum baseline difference of glyphs in one line, in ems; covers superscripts and subscripts.
const SAME_LINE: f64 = 0.5;

/// Line of text on a page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Line {
    /// Text, not empty, without white space at its ends. Columns of a table are separated by two spaces.
    pub text: String,
    /// Distance of the first glyph's baseline from the top of the page, in points.
    pub y: f64,
    /// Same distance as a fraction of the page height.
    pub depth: f64,
    /// Mean glyph size, in points.
    pub size: f64,
    /// Number of glyphs.
    pub glyphs: usize,
    /// Horizontal end of the last glyph.
    end: f64,
}

/// Glyph on a page, with the origin at the top.
pub(crate) struct Glyph {
    pub(crate) characters: String,
    pub(crate) origin: Point,
    /// Position of the next glyph if no space lies between them.
    pub(crate) end: Point,
    /// Direction of the line, one em long.
    pub(crate) along: Vec2,
    /// Size in points.
    pub(crate) size: f64,
}

/// Collector of the lines of one page.
pub(crate) struct Lines {
    height: f64,
    line: Line,
    done: Vec<Line>,
}

impl Lines {
    /// Creates a collector for a page of this height, in points.
    pub(crate) fn of_height(height: f64) -> Self {
        Self { height: height.max(1.0), line: Line::default(), done: Vec::new() }
    }

    pub(crate) fn add(&mut self, glyph: &Glyph) {
        let Glyph { origin, end, along, size, .. } = *glyph;
        // Vertical or mirrored text is a label. A glyph without size or position is not visible.
        if !(along.x > along.y.abs() && size > 0.1 && size.is_finite() && end.x.is_finite()) {
            return;
        }
        let reach = size.max(self.line.size);
        let apart = origin.x - self.line.end;
        let goes_on = self.line.glyphs > 0
            && (origin.y - self.line.y).abs() <= SAME_LINE * reach
            && apart > -SAME_LINE * reach;
        if !goes_on {
            self.end_line();
            self.line.y = origin.y;
            self.line.depth = origin.y / self.height;
        } else if apart > GAP * reach {
            self.line.text.push_str("  ");
        } else if apart > SPACE * reach && !self.line.text.ends_with(' ') {
            self.line.text.push(' ');
        }
        for character in glyph.characters.chars() {
            push(&mut self.line.text, character);
        }
        let glyphs = self.line.glyphs as f64;
        self.line.size = (self.line.size * glyphs + size) / (glyphs + 1.0);
        self.line.glyphs += 1;
        self.line.end = end.x;
    }

    pub(crate) fn finish(mut self) -> Vec<Line> {
        self.end_line();
        self.done
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        line.text.truncate(line.text.trim_end().len());
        line.text.drain(..line.text.len() - line.text.trim_start().len());
        if !line.text.is_empty() {
            self.done.push(line);
        }
    }
}

/// Appends a character, normalized to the form that people type.
fn push(text: &mut String, character: char) {
    match character {
        '\u{fb00}' => text.push_str("ff"),
        '\u{fb01}' => text.push_str("fi"),
        '\u{fb02}' => text.push_str("fl"),
        '\u{fb03}' => text.push_str("ffi"),
        '\u{fb04}' => text.push_str("ffl"),
        // A soft hyphen is drawn only at the end of a line.
        '\u{ad}' | '\u{2010}' | '\u{2011}' => text.push('-'),
        character if character.is_whitespace() => {
            if !text.ends_with(' ') {
                text.push(' ');
            }
        }
        // Replacement character and private use area: no meaning outside the font.
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => {}
        character if character.is_control() => {}
        character => text.push(character),
    }
}
