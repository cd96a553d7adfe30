//! Lists as text within a token budget.

use sscg_core::TokenCounter;
use sscg_format::O200k;

/// Tokens reserved for the lines about omitted entries.
const REST_TOKENS: usize = 40;

/// Approximate number of tokens of a line of a list.
const LINE_TOKENS: usize = 16;

/// Text of lists that accept lines while they fit.
pub(super) struct Page {
    text: String,
    left: usize,
    /// Part of `left` that is reserved for later lists.
    kept: usize,
    /// Heading that is written before the next line, if that fits.
    heading: Option<String>,
    /// Set if a line of the list did not fit; the lines after it are omitted, too.
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

    /// Begins the list of one name, before `others` with about that many lines each. Their tokens are reserved, up to
    /// an equal share of what is left.
    pub(super) fn begin(&mut self, others: impl ExactSizeIterator<Item = usize>) {
        let share = self.left / (others.len() + 1);
        self.kept = others.map(|lines| share.min(lines * LINE_TOKENS)).sum();
    }

    /// Sets a heading for the next line that is written.
    pub(super) fn heading(&mut self, line: &str) {
        self.heading = Some(format!("{line}\n"));
    }

    /// Writes a line of a list, after its heading; nothing if they do not fit, or an earlier line did not. Returns
    /// true if the line was written.
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

    /// Begins another list.
    pub(super) fn next_list(&mut self) {
        (self.heading, self.is_cut) = (None, false);
    }

    /// Writes a line even if it does not fit.
    pub(super) fn always(&mut self, line: &str) {
        let text = format!("{line}\n");
        self.left = self.left.saturating_sub(O200k.count(&text));
        self.text += &text;
    }

    pub(super) fn end(self) -> String {
        self.text
    }
}

/// Formats line numbers: `142, 163, 164`.
pub(super) fn numbers(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// Formats a count: `1 use`, `2 uses`.
pub(super) fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
