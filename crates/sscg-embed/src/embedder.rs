//! Interface of embedding models.

use std::fmt;
use std::ops::{ControlFlow, Range};

use derive_setters::Setters;

use crate::EmbedError;

/// Model that converts texts to vectors. Vectors of similar texts point in similar directions.
///
/// Implementations are static tables on disk and providers over HTTP. The built-in [`TermTable`](crate::TermTable) is
/// not one of them, since it takes terms, not texts.
///
/// `conformance::check_embedder` (feature `conformance`) checks an implementation.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use sscg_embed::{Batch, EmbedError, Embedder, Estimate, Input};
///
/// /// Counts letters.
/// #[derive(Debug)]
/// struct Letters;
///
/// impl Embedder for Letters {
///     fn model_id(&self) -> &str {
///         "letters-26"
///     }
///
///     fn dimension(&self) -> usize {
///         26
///     }
///
///     fn max_tokens(&self) -> usize {
///         usize::MAX
///     }
///
///     fn embed_batches(
///         &self,
///         texts: &[&str],
///         _input: Input,
///         done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
///     ) -> Result<(), EmbedError> {
///         let vector = |text: &&str| {
///             let count = |letter: u8| text.bytes().filter(|byte| *byte == letter).count() as f32;
///             (b'a'..=b'z').map(count).collect()
///         };
///         // One batch, after which there is nothing to stop.
///         let _ = done(Batch::new(0..texts.len(), texts.iter().map(vector).collect()));
///         Ok(())
///     }
///
///     fn estimate(&self, texts: &[&str]) -> Estimate {
///         Estimate::default().with_texts(texts.len())
///     }
/// }
///
/// assert_eq!(Letters.embed(&["abba"], Input::Query)?[0][..3], [2.0, 2.0, 0.0]);
/// # Ok::<(), EmbedError>(())
/// ```
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Returns the ID under which vectors are stored: provider, model, dimension, and anything else that changes
    /// vectors. Vectors with different IDs are not comparable.
    fn model_id(&self) -> &str;

    /// Returns the dimension of the vectors.
    fn dimension(&self) -> usize;

    /// Returns the maximum number of tokens of a text; longer texts are truncated.
    fn max_tokens(&self) -> usize;

    /// Embeds texts and hands over each batch as soon as it is finished, in any order and on the caller's thread, so
    /// that finished (and paid) work can be kept whatever happens later. Without an error, the batches together cover
    /// each text once. After [`ControlFlow::Break`], no further batch is started; those in flight are still handed
    /// over.
    ///
    /// Vectors need not have unit length. A blank text gets a vector of zeros.
    ///
    /// # Errors
    /// Returns the first error. Batches in flight at that time are finished and handed over first.
    fn embed_batches(
        &self,
        texts: &[&str],
        input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError>;

    /// Embeds texts, one vector per text.
    ///
    /// # Errors
    /// Same as [`embed_batches`](Self::embed_batches). Vectors finished before the error are lost.
    fn embed(&self, texts: &[&str], input: Input) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = vec![Vec::new(); texts.len()];
        self.embed_batches(texts, input, &mut |batch| {
            vectors[batch.texts].iter_mut().zip(batch.vectors).for_each(|(slot, vector)| *slot = vector);
            ControlFlow::Continue(())
        })?;
        Ok(vectors)
    }

    /// Estimates the cost of embedding these texts.
    fn estimate(&self, texts: &[&str]) -> Estimate;
}

/// Purpose of a text. Models trained for search treat queries and documents differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Search query.
    Query,
    /// Text to be found by queries.
    Document,
}

/// Vectors of some of the texts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Batch {
    /// Range of the texts.
    pub texts: Range<usize>,
    /// Vectors, one per text.
    pub vectors: Vec<Vec<f32>>,
}

impl Batch {
    /// Creates a batch of the vectors of a range of texts.
    pub fn new(texts: Range<usize>, vectors: Vec<Vec<f32>>) -> Self {
        Self { texts, vectors }
    }
}

/// Estimated cost of embedding some texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Estimate {
    /// Number of texts.
    pub texts: usize,
    /// Approximate number of tokens, without truncated ones.
    pub tokens: u64,
    /// Number of requests to a provider; 0 for a local model.
    pub requests: usize,
    /// Approximate cost in US dollars, if the price is known.
    pub dollars: Option<f64>,
}
