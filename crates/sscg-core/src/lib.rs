//! Vocabulary of the SSCG code graph.
//!
//! Every other crate of the workspace uses the terms defined here and no others:
//!
//! - [`Span`], [`LineRange`] and [`LineIndex`]: positions in a file;
//! - [`Language`], [`Corpus`] and [`ModuleSystem`]: languages and document formats, as data;
//! - [`SymbolKind`], [`ChunkKind`], [`Relation`], [`Confidence`] and [`Provenance`]: closed sets of the graph, each
//!   with its wire names;
//! - [`FileFacts`]: all facts extracted from one file in isolation, the unit of work, caching and parallelism. Its
//!   [`Outline`] is the part that ranking needs of thousands of files; [`LazyFacts`] are decoded only for the rest;
//! - [`Project`]: facts of all files of one tree under dense ids, and the only place that converts between dense ids
//!   and stable keys;
//! - [`DetailLevel`]: detail level of a chunk in an answer;
//! - [`Adjacency`] and [`TokenCounter`]: the two traits shared by crates on both sides of this one.
//!
//! *Invariant:* no I/O, no clock, no environment, no knowledge of any particular language's grammar.

mod adjacency;
mod code_chunk;
mod detail;
mod facts;
mod flow;
mod id;
mod kind;
mod language;
mod lazy;
mod names;
mod outline;
mod project;
mod quoted;
mod relation;
mod span;
mod token;
mod unknown;
pub mod wiring;

pub use adjacency::Adjacency;
pub use code_chunk::CodeChunk;
pub use detail::DetailLevel;
pub use facts::{
    Bound, Chunk, Diagnostic, Export, FileFacts, Head, Import, ImportKind, Modifiers, NameRef, Part,
    Reference, Symbol, TypeHint, TypeParameter,
};
pub use flow::{
    Argument, ArgumentKind, CallForm, Flow, FlowCall, Function, Key, Parameter, ParameterKind, Slot, Store,
    Value,
};
pub use id::{
    ChunkId, FileId, Id, IndexVec, LocalCall, LocalChunk, LocalFunction, LocalImport, LocalSymbol,
    LocalValue, NodeId, SymbolId,
};
pub use kind::{ChunkKind, SymbolKind};
pub use language::{Corpus, Language, LanguageDef, ModuleSystem};
pub use lazy::LazyFacts;
pub use outline::{Outline, OutlineChunk, OutlineSymbol};
pub use project::{Manifest, Manifests, Package, Project, ProjectFile};
pub use quoted::quoted;
pub use relation::{Confidence, Provenance, ProvenanceSet, Relation, RelationSet};
pub use span::{LineIndex, LineRange, Span};
pub use token::TokenCounter;
pub use unknown::UnknownName;
pub use wiring::Wiring;
