//! Interface of reranking models.

use std::fmt;

use crate::EmbedError;

/// Model that reads a query together with each candidate, which is slower and better than comparing vectors.
///
/// `conformance::check_reranker` (feature `conformance`) checks an implementation.
///
/// ```
/// use sscg_embed::{EmbedError, Reranker};
///
/// /// Prefers short documents.
/// #[derive(Debug)]
/// struct Brevity;
///
/// impl Reranker for Brevity {
///     fn model_id(&self) -> &str {
///         "brevity"
///     }
///
///     fn rerank(&self, _query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
///         Ok(documents.iter().map(|document| 1.0 / (1 + document.len()) as f32).collect())
///     }
/// }
///
/// let scores = Brevity.rerank("close", &["fn close()", "fn close_all_sessions()"])?;
/// assert!(scores[0] > scores[1]);
/// # Ok::<(), EmbedError>(())
/// ```
pub trait Reranker: fmt::Debug + Send + Sync {
    /// Returns the names of provider and model.
    fn model_id(&self) -> &str;

    /// Scores how well each document answers the query: one score per document, in their order, the higher the better.
    /// Providers return 0 to 1, but raw scores of a custom model may be any finite number.
    ///
    /// # Errors
    /// [`EmbedError`] if the model fails. The existing order of the documents is then the best available.
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError>;
}
