//! From the glyphs of a page to lines of text.

use hayro_font::kurbo::{Point, Vec2};

/// Two glyphs so far apart, in ems, have a space between them: less than words are set apart, more than letters.
const SPACE: f64 = 0.15;

/// Two glyphs so far apart, in ems, stand in different columns of a table.
const GAP: f64 = 1.5;

/// Glyphs whose base lines differ by no more than this, in ems, stand in the same line: those above and below it, too.
const SAME_LINE: f64 = 0.5;

/// A line of text on a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) text: String,
    /// How far from the page's top the base line of the first glyph is, in points.
    pub(super) y: f64,
    /// The same, as part of the page's height.
    pub(super) depth: f64,
    /// The mean size of its glyphs, in points.
    pub(super) size: f64,
    /// How many glyphs it has.
    pub(super) glyphs: usize,
    /// Where the last of them ends.
    end: f64,
}

/// A glyph on a page, whose top is at 0.
pub(super) struct Glyph {
    pub(super) characters: String,
    pub(super) origin: Point,
    /// Where the next one stands if there is no space between them.
    pub(super) end: Point,
    /// The direction of the line, an em long.
    pub(super) along: Vec2,
    /// In points.
    pub(super) size: f64,
}

/// Collects the lines of one page.
pub(super) struct Lines {
    height: f64,
    line: Line,
    done: Vec<Line>,
}

impl Lines {
    /// Of a page that is so high, in points.
    pub(super) fn of_height(height: f64) -> Self {
        Self { height: height.max(1.0), line: Line::default(), done: Vec::new() }
    }

    pub(super) fn add(&mut self, glyph: &Glyph) {
        let Glyph { origin, end, along, size, .. } = *glyph;
        // Text that runs upwards or is mirrored is a label of something; what has no size or place is not there to be read.
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

    pub(super) fn finish(mut self) -> Vec<Line> {
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

/// Adds a character as people type it.
fn push(text: &mut String, character: char) {
    match character {
        '\u{fb00}' => text.push_str("ff"),
        '\u{fb01}' => text.push_str("fi"),
        '\u{fb02}' => text.push_str("fl"),
        '\u{fb03}' => text.push_str("ffi"),
        '\u{fb04}' => text.push_str("ffl"),
        // Where it is drawn, a soft hyphen ends a line.
        '\u{ad}' | '\u{2010}' | '\u{2011}' => text.push('-'),
        character if character.is_whitespace() => {
            if !text.ends_with(' ') {
                text.push(' ');
            }
        }
        // Without a meaning, or of a font's own.
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => {}
        character if character.is_control() => {}
        character => text.push(character),
    }
}
