//! Errors of the index as a whole. A single unreadable file is not an error: it is [skipped](crate::Skipped) with a
//! reason.

use std::io;
use std::path::PathBuf;

/// Error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Project root that cannot be opened.
    #[error("cannot open {}", path.display())]
    Root {
        /// Path as given.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Project root that is not a directory.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// Path as given.
        path: PathBuf,
    },
    /// File that has changed since it was indexed.
    #[error("{path} has changed since it was indexed")]
    Changed {
        /// Path relative to the project's root.
        path: String,
    },
    /// Missing location for the index.
    #[error("no cache directory is known for this user")]
    NoCacheDirectory,
    /// Store held by other processes for too long.
    #[error("the index at {place} is in use by another process")]
    InUse {
        /// Directory or address of the store.
        place: String,
    },
    /// Corrupt stored data, which was discarded.
    #[error("the index at {place} is damaged; it is made anew")]
    Damaged {
        /// Directory or address of the store.
        place: String,
    },
    /// Stored results of other programs that are corrupt or of another version.
    #[error("the results of other programs in the index at {place} cannot be read; import them again")]
    OccurrencesLost {
        /// Directory or address of the store.
        place: String,
    },
    /// Failure of a model to embed all texts.
    #[error(
        "{missing} of {texts} texts have no vector of {model}: {message}; vectors that were made are kept, and the \
         others asked for again next time"
    )]
    Embedding {
        /// ID of the model.
        model: String,
        /// Number of texts without a vector.
        missing: usize,
        /// Number of texts that needed a vector.
        texts: usize,
        /// Cause and suggested remedy.
        message: String,
    },
    /// Memory need that exceeds [`IndexOptions::max_memory`](crate::IndexOptions::max_memory).
    #[error(
        "indexing needs {} MB of memory and may take {}: {done} of {all} files are parsed",
        needed.div_ceil(1 << 20),
        limit.div_ceil(1 << 20)
    )]
    OutOfMemory {
        /// Bytes in use by the process, plus bytes that the next step needs.
        needed: usize,
        /// Maximum number of bytes.
        limit: usize,
        /// Number of files parsed so far.
        done: usize,
        /// Number of files to parse.
        all: usize,
    },
    /// Update that its [observer](crate::Observer) canceled.
    #[error("indexing was canceled")]
    Canceled,
    /// Failed store operation.
    #[error("cannot {operation} the index at {place}: {message}")]
    Store {
        /// Attempted operation, as a verb.
        operation: &'static str,
        /// Directory, file or address of the store.
        place: String,
        /// Error message of the store or the system.
        message: String,
    },
}
