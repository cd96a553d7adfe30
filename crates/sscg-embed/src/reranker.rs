//! What orders candidates anew.

use std::fmt;

use crate::EmbedError;

/// A model that reads a question together with each candidate, which is slower and better than comparing vectors.
pub trait Reranker: fmt::Debug + Send + Sync {
    /// Provider and model.
    fn model_id(&self) -> &str;

    /// How well each document answers the query: a score for each, in the order of the documents, the higher the
    /// better. Providers give 0 to 1, but raw scores of a model of one's own may be any finite number.
    ///
    /// # Errors
    /// [`EmbedError`] if the model cannot be asked; the order that the documents have then stays the best known.
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError>;
}
