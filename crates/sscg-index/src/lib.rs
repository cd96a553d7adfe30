//! Index of one project on disk: its files, their changes, their facts, and the tables that answer queries.
//!
//! Use it to keep an index of a tree up to date without the search on top, or to read the parts of an index.
//!
//! *Invariant:* the parsing, graph and ranking crates do no I/O. This crate does it for them, and it never writes below
//! the project's root.
//!
//! # Overview
//!
//! - [`Index`] represents one directory. [`Index::refresh`] brings it up to date with the tree and returns a
//!   [`Snapshot`]: project, graph, lexical index and vectors of one state of the tree, immutable and shared.
//! - [`IndexOptions`] sets the [storage](Storage), the embedding model, the corpus (code or documents) and the memory
//!   limit.
//! - [`Watch`] reports when a tree may have changed.
//! - [`Store`] keeps facts, vectors and snapshots; [`EmbeddedStore`] is the one on this machine, and
//!   [`sscg-lance`](https://docs.rs/sscg-lance) has one for many machines.
//! - [`LexicalIndex`] has the postings of terms, [`Vectors`] those of chunks and paths.
//! - [`rows`] returns a snapshot as rows of plain values, for tables and other programs.
//!
//! # Example
//!
//! ```
//! use sscg_index::{Index, IndexOptions, Storage};
//!
//! let tree = tempfile::tempdir()?;
//! std::fs::write(tree.path().join("a.py"), "def helper(): pass\n")?;
//!
//! let mut options = IndexOptions::default();
//! options.storage = Storage::Ephemeral; // By default, the user's cache directory.
//! let mut index = Index::open(tree.path(), &options)?;
//! let (snapshot, report) = index.refresh()?;
//! assert_eq!((report.files, report.parsed), (1, 1));
//! assert_eq!(snapshot.project.symbols_named("helper").count(), 1);
//!
//! // A refresh parses only new contents.
//! std::fs::write(tree.path().join("b.py"), "from a import helper\nhelper()\n")?;
//! let (snapshot, report) = index.refresh()?;
//! assert_eq!((report.files, report.parsed), (2, 1));
//! assert!(!snapshot.graph.edges().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **Content decides.** Size and time of a file determine whether it is read, the hash of its text whether it is
//!   parsed. Facts are keyed by that hash, so branches and work trees of a repository share them.
//! - **All stored data can be computed again.** A store that is damaged, busy or unreachable costs time and a warning,
//!   never the answer. After a `kill -9` at any moment, at most four batches of files are parsed again.
//! - **The store is open only during a refresh**, because redb lets one process write at a time. Readers need no lock.
//! - **Stamps are compared before a tree is walked.** A long-running process walks only if something that its last walk
//!   depended on has changed; the walk was half the time of a warm question.
//! - **Watching is not recursive.** Directories are watched one by one, up to 4,096, since recursive watches would
//!   include build outputs; larger trees are polled.
//! - **Code and documents are two indexes** in one store, so that neither changes the ranking of the other.
//!
//! # Cargo features
//!
//! - `all-languages`: all languages of `sscg-parse`. On by default; without it, a program chooses some by the features of
//!   `sscg-parse`, such as `lang-rust`.
//! - `documents`: documents, data and configuration. On by default.
//! - `arrow`: rows as Arrow record batches.
//! - `pdf`: PDF documents. Adds a reader of PDF and of its fonts.
//! - `conformance`: the module `conformance`, with the tests that every [`Store`] has to pass.

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
mod shared;
mod snapshot;
mod stack;
mod stamps;
mod store;
mod vectors;
mod watch;

pub use analyze::{bigrams, is_stop_word, query_terms, stems, term_counts, whole_term, words};
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
pub use shared::SharedBytes;
pub use snapshot::Snapshot;
pub use store::{
    Collected, EmbeddedStore, FactsKey, IndexLock, ManifestEntry, Store, StoredFacts, TextHash, Update,
    Usage, documents_of,
};
pub use vectors::Vectors;
pub use watch::{Stopper, Watch, WatchMode, WatchOptions};
