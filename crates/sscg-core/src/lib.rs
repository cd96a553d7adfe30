//! Vocabulary of the SSCG code graph: positions, symbols, relations, chunks, and the facts of files.
//!
//! All other crates of SSCG use these types. Depend on this crate to read the output of
//! [`sscg-parse`](https://docs.rs/sscg-parse) and [`sscg-graph`](https://docs.rs/sscg-graph), or to run the kernels of
//! [`sscg-rank`](https://docs.rs/sscg-rank) on a graph of your own (implement [`Adjacency`]).
//!
//! *Invariant:* no I/O, no clock, no environment, no knowledge of any particular language's grammar.
//!
//! # Overview
//!
//! - [`Span`], [`LineRange`] and [`LineIndex`]: positions in a file;
//! - [`Language`], [`Corpus`] and [`ModuleSystem`]: languages and document formats, as data;
//! - [`SymbolKind`], [`ChunkKind`], [`Relation`], [`Confidence`] and [`Provenance`]: closed sets of the graph, each
//!   with its wire names;
//! - [`FileFacts`]: all facts extracted from one file in isolation, the unit of work, caching and parallelism. Its
//!   [`Outline`] is the part that ranking needs of thousands of files; [`LazyFacts`] are decoded only for the rest;
//! - [`Project`]: facts of all files of one tree under dense ids, and the only place that converts between dense ids
//!   and stable keys. `sscg_parse::project_file` makes its files;
//! - [`FileRole`]: role of a file, such as test, example or vendored copy, by its path;
//! - [`CodeChunk`]: a chunk with all its properties spelled out;
//! - [`Wiring`]: the body facts of a file, computed on demand: values that code passes to its callees;
//! - [`DetailLevel`]: detail level of a chunk in an answer;
//! - [`Adjacency`] and [`TokenCounter`]: the two traits shared by crates on both sides of this one.
//!
//! # Example
//!
//! ```
//! use sscg_core::{Confidence, LineIndex, LineRange, Relation, Span};
//!
//! let source = "fn open() {}\nfn close() {}\n";
//! let close = Span::new(13, 26);
//! assert_eq!(close.text(source), "fn close() {}");
//! assert_eq!(LineIndex::new(source).lines(close), LineRange { start: 2, end: 2 });
//!
//! assert_eq!(Relation::Calls.as_str(), "calls");
//! assert_eq!(Relation::Calls.reverse_name(), "called_by");
//! assert!(Confidence::Exact > Confidence::Inferred);
//! ```
//!
//! # Design
//!
//! - **Facts do not depend on the path.** They are a function of extension, text and extractor version, so a moved file
//!   or another branch is not parsed again. [`Project`] adds the paths.
//! - **Two id spaces.** Dense numbers inside one state of a project make tables small. Outside of it, keys such as
//!   `src/a.rs:3-9:function:open` survive the process.
//! - **Facts hold no source text.** A chunk's text is a view of the file, with stubs for its children
//!   ([`FileFacts::for_each_piece`]). With texts, the store of a project of 148,000 lines was 9.4 MB instead of 7.2 MB.
//! - **Body facts are not stored.** Few questions need the values of arguments; storing them would enlarge every index.
//! - **Traits used on both sides are here.** Selection and rendering must count tokens alike and do not depend on each
//!   other, so their trait is here. The same holds for graphs and ranking kernels.
//!
//! # Cargo features
//!
//! - `schema`: JSON schemas of the types that occur in answers. Off by default.

mod adjacency;
mod code_chunk;
mod detail;
mod facts;
mod flow;
mod id;
mod kind;
mod language;
mod lazy;
mod library;
mod names;
mod outline;
mod project;
mod quoted;
mod relation;
mod role;
mod span;
mod token;
mod unknown;
pub mod wiring;
mod words;

pub use adjacency::Adjacency;
pub use code_chunk::CodeChunk;
pub use detail::DetailLevel;
pub use facts::{
    Bound, Chunk, Diagnostic, Export, FileFacts, Head, Import, ImportKind, Modifiers, NameRef, Part,
    Reference, Symbol, TypeHint, TypeParameter,
};
pub use flow::{
    ArgumentKind, CallForm, FieldStore, Flow, FlowArgument, FlowCall, FlowFunction, Key, Parameter,
    ParameterKind, Slot, Value,
};
pub use id::{
    ChunkId, FileId, Id, IndexVec, LocalCall, LocalChunk, LocalFunction, LocalImport, LocalSymbol,
    LocalValue, NodeId, SymbolId,
};
pub use kind::{ChunkKind, SymbolKind};
pub use language::{Corpus, Language, LanguageDef, ModuleSystem, NO_LIBRARY};
pub use lazy::LazyFacts;
pub use library::Library;
pub use outline::{Outline, OutlineChunk, OutlineSymbol};
pub use project::{Manifest, Manifests, Package, Project, ProjectFile, Using};
pub use quoted::quoted;
pub use relation::{Confidence, Provenance, ProvenanceSet, Relation, RelationSet};
pub use role::{FileRole, is_generated};
pub use span::{LineIndex, LineRange, Span};
pub use token::{TOKEN_BYTES, TokenCounter};
pub use unknown::UnknownName;
pub use wiring::Wiring;
pub use words::{is_cjk, parts_of, words_of};
