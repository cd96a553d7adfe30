//! Token counting.

/// Estimated length of a token in bytes.
pub const TOKEN_BYTES: usize = 4;

/// Counts the tokens that a language model would see.
///
/// The trait is in this crate because selection (which spends a budget) and rendering (which reports the tokens
/// spent) must count alike, and neither depends on the other.
///
/// `conformance::check_token_counter` of `sscg-format` (feature `conformance`) checks an implementation.
///
/// ```
/// use sscg_core::TokenCounter;
///
/// /// Four bytes per token.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn count(&self, text: &str) -> usize {
///         text.len().div_ceil(4)
///     }
/// }
///
/// assert_eq!(Bytes.count("fn open() {}"), 3);
/// ```
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of `text`.
    fn count(&self, text: &str) -> usize;
}
