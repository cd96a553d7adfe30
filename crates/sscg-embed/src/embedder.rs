//! What embeds texts.

use std::fmt;
use std::ops::{ControlFlow, Range};

use crate::EmbedError;

/// A model that turns texts into vectors, of which those of similar texts point the same way.
///
/// Implementations are static tables on disk and providers over HTTP; the built-in [`TermTable`](crate::TermTable) is
/// not one of them, since it takes terms and no text.
pub trait Embedder: fmt::Debug + Send + Sync {
    /// What vectors are kept under: provider, model and dimension, and whatever else changes vectors. Vectors under
    /// different names cannot be compared.
    fn model_id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimension(&self) -> usize;

    /// How many tokens of a text count; of a longer one the rest is left out.
    fn max_tokens(&self) -> usize;

    /// Embeds texts and hands over each finished batch at once, in any order and on the caller's thread, so that what
    /// is done (and paid for) can be kept whatever happens later. Together the batches of a run without error cover
    /// each text once. With [`ControlFlow::Break`] no further batch is begun; those under way are still handed over.
    ///
    /// Vectors need not have length 1. A text without anything in it becomes zeros.
    ///
    /// # Errors
    /// The first one; batches that were under way when it happened are finished and handed over first.
    fn embed_batches(
        &self,
        texts: &[&str],
        input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError>;

    /// Embeds texts: a vector for each.
    ///
    /// # Errors
    /// Those of [`embed_batches`](Self::embed_batches); vectors that were finished by then are lost.
    fn embed(&self, texts: &[&str], input: Input) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = vec![Vec::new(); texts.len()];
        self.embed_batches(texts, input, &mut |batch| {
            vectors[batch.texts].iter_mut().zip(batch.vectors).for_each(|(slot, vector)| *slot = vector);
            ControlFlow::Continue(())
        })?;
        Ok(vectors)
    }

    /// What embedding these texts would take.
    fn estimate(&self, texts: &[&str]) -> Estimate;
}

/// What a text is embedded for. Models that are trained for search treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A question.
    Query,
    /// What questions are to find.
    Document,
}

/// The vectors of some of the texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Which texts.
    pub texts: Range<usize>,
    /// A vector for each of them.
    pub vectors: Vec<Vec<f32>>,
}

/// What embedding some texts would take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// How many texts.
    pub texts: usize,
    /// About how many tokens they have, not counting what is left out.
    pub tokens: u64,
    /// How many requests to a provider; 0 for a model on this machine.
    pub requests: usize,
    /// About how many US dollars, if the price is known.
    pub dollars: Option<f64>,
}
