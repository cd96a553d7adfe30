//! Index of one project on disk: its files, their changes, their facts, and the tables that answer queries.
//!
//! An [`Index`] represents one directory. [`Index::refresh`] brings it up to date with the tree. Only files with new
//! content are parsed. All others come from memory or from the facts store, which is keyed by content hash. The result
//! is a [`Snapshot`]: project, graph, lexical index and vectors of one state of the tree, immutable and shared.
//!
//! State is kept in the user's cache directory (or as set by [`IndexOptions::storage`]), with one store per repository,
//! so that its branches and work trees share facts. Nothing is written into the tree itself.
//!
//! *Invariant:* the parsing, graph and ranking crates do no I/O. This crate does it for them, and it never writes below
//! the project's root.

mod analyze;
mod changes;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod damage;
mod discovery;
mod error;
mod index;
mod lexical;
mod location;
mod memory;
mod progress;
pub mod rows;
mod snapshot;
mod stack;
mod stamps;
mod store;
mod vectors;
mod watch;

pub use analyze::{is_stop_word, parts_of, query_terms, stems, term_counts, whole_term, words};
pub use discovery::{
    MAX_ENCODED_BYTES, MAX_FILE_BYTES, SkipReason, Skipped, Unsupported, describe, is_admitted, map_files,
    read_files,
};
pub use error::IndexError;
pub use index::{Busy, Index, IndexOptions, IndexStatus, RefreshReport, Storage};
pub use lexical::{
    BLOCK_LINES, Block, Field, FilePostings, FileTerms, LexicalIndex, PathTerm, PathTerms, Posting,
    TermCount, TermEntry, TermSource,
};
pub use location::{base_directory, index_directory, repository_directory, stores};
pub use progress::{Observer, Progress, unobserved};
pub use snapshot::Snapshot;
pub use store::{
    Collected, EmbeddedStore, FactsKey, IndexLock, ManifestEntry, Shared, Store, StoredFacts, TextHash,
    Update, Usage, documents_of,
};
pub use vectors::Vectors;
pub use watch::{Stopper, Watch, WatchMode, WatchOptions};
