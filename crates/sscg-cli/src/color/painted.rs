//! Text with styles.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use anstream::AutoStream;
use anstream::stream::{AsLockedWrite, RawStream};
use anstyle::Style;

use super::{PLAIN, takes_color};

/// Text with the styles of its parts.
#[derive(Debug, Default)]
pub(crate) struct Painted {
    text: String,
    /// Sorted and disjoint parts.
    styles: Vec<(Range<usize>, Style)>,
}

impl Painted {
    /// Creates a text without styles.
    pub(crate) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), styles: Vec::new() }
    }

    /// Appends text.
    pub(crate) fn push(&mut self, style: Style, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.paint(start..self.text.len(), style);
    }

    /// Styles a part after all parts that have a style.
    pub(crate) fn paint(&mut self, part: Range<usize>, style: Style) {
        debug_assert!(
            self.styles.last().is_none_or(|(last, _)| last.end <= part.start),
            "parts are in order"
        );
        if style != PLAIN && !part.is_empty() {
            self.styles.push((part, style));
        }
    }

    /// Writes the text with its styles if the stream supports them. Otherwise, a terminal gets the text with control
    /// characters escaped, and any other stream gets the text unchanged.
    pub(crate) fn write(&self, mut stream: impl RawStream + AsLockedWrite) -> io::Result<()> {
        if takes_color(&stream) {
            let text = self.on_terminal(&stream);
            let mut stream = AutoStream::always(stream);
            stream.write_all(text.as_bytes())?;
            return stream.flush();
        }
        if stream.is_terminal() {
            stream.write_all(self.on_terminal(&stream).as_bytes())?;
        } else {
            stream.write_all(self.text.as_bytes())?;
        }
        stream.flush()
    }

    /// Returns the text for this terminal.
    pub(crate) fn on_terminal(&self, stream: &impl RawStream) -> String {
        self.shown(if takes_color(stream) { &self.styles } else { &[] })
    }

    /// Returns the text for a terminal. Styles end with the line and start again on the next, so that pagers and
    /// truncated lines keep them.
    fn shown(&self, styles: &[(Range<usize>, Style)]) -> String {
        let mut out = String::with_capacity(self.text.len() + 16 * styles.len());
        let mut at = 0;
        for (part, style) in styles {
            self.show(at..part.start, &mut out);
            let mut start = part.start;
            for line in self.text[part.clone()].split_inclusive('\n') {
                let end = start + line.trim_end_matches(['\r', '\n']).len();
                if end > start {
                    let _ = write!(out, "{style}");
                    self.show(start..end, &mut out);
                    let _ = write!(out, "{style:#}");
                }
                self.show(end..start + line.len(), &mut out);
                start += line.len();
            }
            at = part.end;
        }
        self.show(at..self.text.len(), &mut out);
        out
    }

    /// Appends a part, with control characters and changes of the text direction escaped.
    fn show(&self, part: Range<usize>, out: &mut String) {
        for (at, letter) in self.text[part.clone()].char_indices() {
            let steers = match letter {
                '\n' | '\t' => false,
                '\r' => !self.text[part.start + at + 1..].starts_with('\n'),
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
                letter => letter.is_control(),
            };
            if steers {
                out.extend(letter.escape_unicode());
            } else {
                out.push(letter);
            }
        }
    }
}
