//! Reads SCIP indexes of other programs for SSCG, and writes its code graph as one.
//!
//! Use it to add the findings of an indexer, which runs the compiler of a language, to a graph of
//! [`sscg-graph`](https://docs.rs/sscg-graph), or to give that graph to a tool that reads
//! [SCIP](https://github.com/scip-code/scip).
//!
//! *Invariant:* pure. Any bytes give an error or occurrences; an occurrence is only used if the text at its range is the
//! name that the index has there.
//!
//! # Overview
//!
//! - [`read`] returns the [`Occurrences`](sscg_graph::Occurrences) of an index in the files of a project.
//! - [`write`](fn@write) returns an index of a project and its graph.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use sscg_core::{FileId, Manifests, Project};
//! use sscg_graph::{EdgeSource, SourceTree, link};
//! use sscg_scip::{ReadOptions, SourceText, WriteOptions, read, write};
//!
//! let code = "def helper(): pass\n\ndef main():\n    helper()\n";
//! let files = vec![sscg_parse::project_file("a.py", code).unwrap()];
//! let project = Project::new(files, Manifests::default());
//! let graph = Arc::new(link(&project));
//! let hash = *blake3::hash(code.as_bytes()).as_bytes();
//! let texts = |_: FileId| Some(SourceText { text: code.to_owned(), hash });
//!
//! let index = write(&project, &graph, &texts, &WriteOptions::default());
//! let found = read(&index, &project, &texts, &ReadOptions::default())?;
//! let hashes = |_| Some(hash);
//! let applied = found.occurrences.apply(&SourceTree::new(&project, &hashes), graph);
//! assert_eq!((applied.comparison.agreed, applied.comparison.contradicted.len()), (1, 0));
//! # Ok::<(), sscg_scip::ScipError>(())
//! ```
//!
//! # Design
//!
//! - **The messages are those of the format's authors**, from the crate `scip`. They do not appear in this crate's API.
//! - **A document is used only if it fits the text.** Indexes have no hashes. A document whose definitions are not where
//!   the text has their names is stale as a whole.
//! - **Positions default to UTF-16**, as in the indexers that leave their encoding open.

mod external;
mod read;
mod symbol;
#[cfg(test)]
mod tests;
mod write;

use sscg_core::FileId;

pub use read::{ImportedIndex, ReadOptions, ScipError, read};
pub use write::{WriteOptions, write};

/// Function that returns the current text of a file; `None` if it cannot be read, or is not the text of the project's
/// facts.
pub type Texts<'a> = dyn Fn(FileId) -> Option<SourceText> + 'a;

/// Text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Text.
    pub text: String,
    /// BLAKE3 hash of the text.
    pub hash: [u8; 32],
}
