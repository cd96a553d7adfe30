//! Errors of query parsing.

use sscg_core::quoted;

/// Error of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetrievalError {
    /// Empty question.
    #[error("the question is empty")]
    Empty,
    /// Question that consists of stop words.
    #[error("the question has only words that say nothing about code: {}", quoted(.0))]
    OnlyStopWords(String),
    /// `symbol =` without a name, or with an empty part.
    #[error("not a symbol path: {}", quoted(.0))]
    SymbolPath(String),
    /// Path filter that is not a valid glob.
    #[error("not a path or glob: {}: {message}", quoted(pattern))]
    PathFilter {
        /// Filter as given.
        pattern: String,
        /// Message of the glob parser.
        message: String,
    },
}
