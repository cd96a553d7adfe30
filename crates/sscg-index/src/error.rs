//! What can go wrong with an index as a whole. A single file that cannot be read is no error: it is
//! [skipped](crate::Skipped) with its reason.

use std::io;
use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The project's root cannot be opened.
    #[error("cannot open {}", path.display())]
    Root {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The project's root is not a directory.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// A file is not what was indexed any more.
    #[error("{path} has changed since it was indexed")]
    Changed {
        /// Path relative to the project's root.
        path: String,
    },
    /// There is no place to keep the index.
    #[error("no cache directory is known for this user")]
    NoCacheDirectory,
    /// Others did not let go of the store for long.
    #[error("the index at {place} is in use by another process")]
    InUse {
        /// The store's directory or address.
        place: String,
    },
    /// What is stored made no sense; it was discarded.
    #[error("the index at {place} is damaged; it is made anew")]
    Damaged {
        /// The store's directory or address.
        place: String,
    },
    /// A model could not be asked for vectors of all texts.
    #[error(
        "{missing} of {texts} texts have no vector of {model}: {message}; vectors that were made are kept, and the \
         others asked for again next time"
    )]
    Embedding {
        /// The model's id.
        model: String,
        /// Texts without a vector.
        missing: usize,
        /// Texts that need one.
        texts: usize,
        /// What went wrong, and what to do about it.
        message: String,
    },
    /// Indexing needs more memory than [`IndexOptions::max_memory`](crate::IndexOptions::max_memory).
    #[error(
        "indexing needs {} MB of memory and may take {}: {done} of {all} files are parsed",
        needed.div_ceil(1 << 20),
        limit.div_ceil(1 << 20)
    )]
    OutOfMemory {
        /// Bytes that the process takes, with those that the next step needs.
        needed: usize,
        /// Bytes that it may take.
        limit: usize,
        /// Files that are parsed.
        done: usize,
        /// Files to parse.
        all: usize,
    },
    /// The store cannot be used.
    #[error("cannot {operation} the index at {place}: {message}")]
    Store {
        /// What was tried, as a verb.
        operation: &'static str,
        /// The store's directory, file or address.
        place: String,
        /// What the store or the system said.
        message: String,
    },
}
