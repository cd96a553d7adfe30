//! What can go wrong with models and vectors.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// Bytes are no term table, or a damaged one.
    #[error("the term table cannot be read: {message}")]
    TermTable {
        /// What is wrong, and where.
        message: String,
    },
    /// Bytes are no rows of a matrix of this dimension.
    #[error("{bytes} bytes are no whole number of vectors of dimension {dimension}")]
    MatrixBytes {
        /// How many bytes there are.
        bytes: usize,
        /// The dimension asked for.
        dimension: usize,
    },
}
