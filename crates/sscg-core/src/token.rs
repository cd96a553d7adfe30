//! Counting tokens.

/// Counts the tokens a language model would see.
///
/// The trait stands here because selection (which spends a budget) and rendering (which reports what was
/// spent) must count alike, and neither depends on the other.
pub trait TokenCounter: Send + Sync {
    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> usize;
}
