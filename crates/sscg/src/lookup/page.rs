//! Lists as text.

use sscg_core::TokenCounter;
use sscg_format::O200k;

/// Tokens that are kept for what tells of the rest.
const REST_TOKENS: usize = 40;

/// A text that takes lines while they fit.
pub(super) struct Page {
    text: String,
    left: usize,
    /// A heading that is written before the next line, if that fits.
    heading: Option<String>,
}

impl Page {
    pub(super) fn new(budget: usize) -> Self {
        Self { text: String::new(), left: budget.saturating_sub(REST_TOKENS), heading: None }
    }

    /// Has a line stand before the next one that is written.
    pub(super) fn heading(&mut self, line: &str) {
        self.heading = Some(format!("{line}\n"));
    }

    /// Writes a line, with the heading before it; nothing if they do not fit. Tells whether they did.
    pub(super) fn line(&mut self, line: &str) -> bool {
        let heading = self.heading.as_deref().unwrap_or_default();
        let text = format!("{heading}{line}\n");
        let fits = self.left.checked_sub(O200k.count(&text));
        if let Some(left) = fits {
            self.left = left;
            self.text += &text;
            self.heading = None;
        }
        fits.is_some()
    }

    /// Writes a line whether it fits or not.
    pub(super) fn always(&mut self, line: &str) {
        let text = format!("{line}\n");
        self.left = self.left.saturating_sub(O200k.count(&text));
        self.text += &text;
    }

    /// The text, with a last line.
    pub(super) fn end(mut self, line: &str) -> String {
        self.text += line;
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
