//! Lists as text.

use sscg_core::TokenCounter;
use sscg_format::O200k;
use sscg_index::Snapshot;

use super::show;

/// Tokens that are kept for what tells of the rest.
const REST_TOKENS: usize = 40;

/// Tokens of a line of a list, about.
const LINE_TOKENS: usize = 16;

/// A text of lists that take lines while they fit.
pub(super) struct Page {
    text: String,
    left: usize,
    /// What is kept of that for the lists to come.
    kept: usize,
    /// A heading that is written before the next line, if that fits.
    heading: Option<String>,
    /// Whether a line of the list did not fit: what comes behind it is left out too.
    is_cut: bool,
}

impl Page {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            text: String::new(),
            left: budget.saturating_sub(REST_TOKENS),
            kept: 0,
            heading: None,
            is_cut: false,
        }
    }

    /// Begins with what is said of a name, before others of about so many lines each: what these take is kept for them, but
    /// no more than an equal share of what is left.
    pub(super) fn begin(&mut self, others: impl ExactSizeIterator<Item = usize>) {
        let share = self.left / (others.len() + 1);
        self.kept = others.map(|lines| share.min(lines * LINE_TOKENS)).sum();
    }

    /// Has a line stand before the next one that is written.
    pub(super) fn heading(&mut self, line: &str) {
        self.heading = Some(format!("{line}\n"));
    }

    /// Writes a line of a list, with the heading before it; nothing if they do not fit, or one before did not. Tells whether
    /// it is there.
    pub(super) fn line(&mut self, line: &str) -> bool {
        if self.is_cut {
            return false;
        }
        let heading = self.heading.as_deref().unwrap_or_default();
        let text = format!("{heading}{line}\n");
        let cost = O200k.count(&text);
        self.is_cut = self.left < self.kept + cost;
        if !self.is_cut {
            self.left -= cost;
            self.text += &text;
            self.heading = None;
        }
        !self.is_cut
    }

    /// Begins with another list.
    pub(super) fn next_list(&mut self) {
        (self.heading, self.is_cut) = (None, false);
    }

    /// Writes a line whether it fits or not.
    pub(super) fn always(&mut self, line: &str) {
        let text = format!("{line}\n");
        self.left = self.left.saturating_sub(O200k.count(&text));
        self.text += &text;
    }

    /// Writes the code of declarations, or around `src/a.rs:12`, below an empty line, each once, those that fit.
    pub(super) fn bodies(&mut self, snapshot: &Snapshot, places: &[String]) {
        // What is no declaration has no body.
        let (found, _) = show::find(snapshot, places);
        self.kept = 0;
        self.always("");
        let left_out = show::write(self, &found, false);
        if !left_out.is_empty() {
            let code = count(left_out.len(), "declaration", "declarations");
            self.always(&format!("Left out, the budget is spent: the code of {code}"));
        }
    }

    pub(super) fn end(self) -> String {
        self.text
    }
}

/// `142, 163, 164`
pub(super) fn numbers(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// `1 use`, `2 uses`
pub(super) fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
