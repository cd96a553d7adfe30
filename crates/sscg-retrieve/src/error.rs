//! Why a query cannot be answered.

use sscg_core::quoted;

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Nothing is asked.
    #[error("the question is empty")]
    Empty,
    /// A question in which no word says what is looked for.
    #[error("the question has only words that say nothing about code: {}", quoted(.0))]
    OnlyStopWords(String),
    /// `symbol =` without a name, or with an empty part.
    #[error("not a symbol path: {}", quoted(.0))]
    SymbolPath(String),
    /// A path filter that is no valid glob.
    #[error("not a path or glob: {}: {message}", quoted(pattern))]
    PathFilter {
        /// The filter as given.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
}
