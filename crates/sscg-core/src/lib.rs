//! The vocabulary of the SSCG code graph.
//!
//! Every other crate of the workspace speaks in the terms defined here and in no others:
//!
//! - [`Span`], [`LineRange`] and [`LineIndex`]: where something stands in a file;
//! - [`Language`], [`Corpus`] and [`ModuleSystem`]: what a file is written in, as data;
//! - [`SymbolKind`], [`ChunkKind`], [`Relation`], [`Confidence`] and [`Provenance`]: the closed sets of the
//!   graph, each with its wire name;
//! - [`FileFacts`]: everything one file says on its own, the unit of work, caching and parallelism;
//!   its [`Outline`] is what ranking asks of very many files, and [`LazyFacts`] are decoded for more than that;
//! - [`Project`]: the facts of all files of one tree under dense ids, and the one place where dense ids and
//!   stable keys are turned into each other;
//! - [`Shown`]: how much of a chunk a reader gets to see;
//! - [`Adjacency`] and [`TokenCounter`]: the two seams that crates on both sides of this one share.
//!
//! *Invariant:* no I/O, no clock, no environment, no knowledge of any particular language's grammar.

mod adjacency;
mod code_chunk;
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
mod shown;
mod span;
mod token;
pub mod wiring;

pub use adjacency::Adjacency;
pub use code_chunk::CodeChunk;
pub use facts::{
    Bound, Chunk, Diagnostic, Export, FileFacts, Head, Import, ImportKind, Modifiers, NameRef, Part,
    Reference, Symbol, TypeHint, TypeParameter,
};
pub use flow::{
    Argument, ArgumentKind, Call, CallForm, Flow, Function, Key, Parameter, ParameterKind, Slot, Store, Value,
};
pub use id::{
    ChunkId, FileId, Id, IndexVec, LocalCall, LocalChunk, LocalFunction, LocalImport, LocalSymbol,
    LocalValue, NodeId, SymbolId,
};
pub use kind::{ChunkKind, SymbolKind};
pub use language::{Corpus, Language, LanguageDef, ModuleSystem};
pub use lazy::LazyFacts;
pub use outline::{Outline, OutlineChunk, OutlineSymbol};
pub use project::{Manifest, Package, Project, ProjectFile};
pub use quoted::quoted;
pub use relation::{Confidence, Provenance, ProvenanceSet, Relation, RelationSet};
pub use shown::Shown;
pub use span::{LineIndex, LineRange, Span};
pub use token::TokenCounter;
pub use wiring::Wiring;
