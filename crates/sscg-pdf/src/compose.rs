//! Composition of one text from the lines of all pages.

use rustc_hash::FxHashMap;

use crate::page::Line;

/// Number of heading levels.
pub(crate) const LEVELS: usize = 6;

/// Minimum ratio of heading size to body text size.
const LARGER: f64 = 1.15;

/// Maximum length of a heading, in characters and in lines.
const HEADING_CHARACTERS: usize = 120;
const HEADING_LINES: usize = 3;

/// Maximum line spacing in a paragraph, in multiples of the text size.
const LEADING: f64 = 1.7;

/// Fraction of the page height, at top and bottom, that may hold running heads, and the minimum number of pages that
/// repeat one.
const MARGIN: f64 = 0.12;
const RUNNING_PAGES: usize = 3;

/// Composes the text of all pages. O(lines).
pub(crate) fn compose(mut pages: Vec<Vec<Line>>) -> String {
    drop_running_heads(&mut pages);
    let levels = Levels::of(&pages);
    let mut text = PageText::default();
    for (page, lines) in pages.iter().enumerate() {
        let mut rest = &lines[..];
        while let [line, ..] = rest {
            let heading = levels.heading(rest);
            let (these, after) = rest.split_at(heading.map_or(1, |(_, lines)| lines));
            match heading {
                Some((level, _)) => text.heading(level, these, page + 1),
                None => text.line(line, page + 1),
            }
            rest = after;
        }
    }
    text.written
}

/// Removes lines that several pages repeat at the same place, ignoring digits.
fn drop_running_heads(pages: &mut [Vec<Line>]) {
    let key = |line: &Line| {
        let is_in_margin = !(MARGIN..=1.0 - MARGIN).contains(&line.depth);
        let masked = || {
            // Page numbers differ in length.
            let parts = line.text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty());
            (parts.collect::<Vec<_>>().join("#"), (line.y / 4.0).round() as i64)
        };
        is_in_margin.then(masked)
    };
    let mut counts: FxHashMap<(String, i64), usize> = FxHashMap::default();
    for line in pages.iter().flatten() {
        if let Some(key) = key(line) {
            *counts.entry(key).or_default() += 1;
        }
    }
    for lines in pages {
        lines.retain(|line| key(line).is_none_or(|key| counts[&key] < RUNNING_PAGES));
    }
}

/// Font sizes of headings.
struct Levels {
    /// Heading sizes in half points, in descending order.
    sizes: Vec<u32>,
    /// Most common text size, in points.
    text: f64,
}

fn half_points(size: f64) -> u32 {
    (size * 2.0).round() as u32
}

impl Levels {
    fn of(pages: &[Vec<Line>]) -> Self {
        let mut glyphs: FxHashMap<u32, usize> = FxHashMap::default();
        for line in pages.iter().flatten() {
            *glyphs.entry(half_points(line.size)).or_default() += line.glyphs;
        }
        let most = glyphs.iter().max_by_key(|(size, count)| (**count, **size));
        let mut levels =
            Self { sizes: Vec::new(), text: most.map_or(0.0, |(size, _)| f64::from(*size) / 2.0) };
        let headings = pages.iter().flatten().filter(|line| levels.is_heading(line));
        let mut sizes: Vec<u32> = headings.map(|line| half_points(line.size)).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        levels.sizes = sizes;
        levels
    }

    fn is_heading(&self, line: &Line) -> bool {
        line.size >= self.text * LARGER
            && line.text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
            && line.text.chars().nth(HEADING_CHARACTERS).is_none()
    }

    /// Returns the level and number of lines of the heading that starts these lines, if any.
    fn heading(&self, lines: &[Line]) -> Option<(usize, usize)> {
        let first = lines.first().filter(|line| self.is_heading(line))?;
        let goes_on = |pair: &&[Line]| {
            half_points(pair[1].size) == half_points(first.size) && follows(&pair[0], &pair[1])
        };
        let count = 1 + lines.windows(2).take_while(goes_on).count();
        let level = self.sizes.iter().position(|size| *size == half_points(first.size))? + 1;
        (count <= HEADING_LINES).then_some((level.min(LEVELS), count))
    }
}

/// Returns true if both lines belong to one paragraph.
fn follows(above: &Line, below: &Line) -> bool {
    let size = above.size.max(below.size);
    let down = below.y - above.y;
    down > 0.0 && down <= LEADING * size && (above.size - below.size).abs() < 0.15 * size
}

#[derive(Default)]
struct PageText {
    written: String,
    /// Page given by the last heading or page mark.
    page: usize,
    last: Option<Line>,
}

impl PageText {
    fn heading(&mut self, level: usize, lines: &[Line], page: usize) {
        let words: Vec<&str> = lines.iter().flat_map(|line| line.text.split_whitespace()).collect();
        self.separate();
        self.written.push_str(&format!("{} {} (page {page})\n", "#".repeat(level), words.join(" ")));
        self.page = page;
        self.last = None;
    }

    fn line(&mut self, line: &Line, page: usize) {
        let mut words = line.text.as_str();
        if self.page != page {
            self.separate();
            self.written.push_str(&format!("[page {page}]\n"));
            self.page = page;
        } else if !self.last.as_ref().is_some_and(|last| follows(last, line)) {
            self.separate();
        } else if self.ends_in_half_a_word() && words.starts_with(char::is_lowercase) {
            let (half, rest) = words.split_once(' ').unwrap_or((words, ""));
            self.written.truncate(self.written.len() - "-\n".len());
            self.written.push_str(half);
            self.written.push('\n');
            words = rest;
        }
        if !words.is_empty() {
            // Keeps the line from being read as a heading.
            if crate::heading(words).is_some() {
                self.written.push(' ');
            }
            self.written.push_str(words);
            self.written.push('\n');
        }
        self.last = Some(line.clone());
    }

    /// Appends a blank line.
    fn separate(&mut self) {
        if !self.written.is_empty() {
            self.written.push('\n');
        }
    }

    /// Returns true if the last line ends with a letter and a hyphen.
    fn ends_in_half_a_word(&self) -> bool {
        let word = self.written.strip_suffix("-\n");
        word.is_some_and(|word| word.ends_with(char::is_lowercase))
    }
}
