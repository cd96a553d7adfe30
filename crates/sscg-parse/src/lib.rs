//! Converts source text to [`FileFacts`]: symbols, references, imports and AST-shaped chunks.
//!
//! Use it to cut code into chunks or to list declarations without an index. It reads Rust, Python, TypeScript,
//! JavaScript, Go, Java, C, C++ and C#, declarations of other languages, and documents such as Markdown, HTML, JSON, YAML
//! and TOML.
//!
//! *Invariant:* pure; no I/O, no environment, and no clock except the CPU time that limits a parse.
//!
//! # Overview
//!
//! - [`extract`] is the main entry point: path and text in, facts out. [`project_file`] returns the same as a file of a
//!   [`Project`](sscg_core::Project), for the linker of [`sscg-graph`](https://docs.rs/sscg-graph).
//! - [`FileType`] is the language or format of a file. [`FileType::highlights`] returns the tokens of a text by class,
//!   for syntax highlighting, and [`FileType::wiring`] its body facts: the values that code passes to its callees.
//! - [`languages`] and [`formats`] list what is supported; [`named`] finds one by name.
//! - [`syntax`] returns the rules for eliding parts of a text so that the rest still parses.
//! - [`decoder`] extracts the text of formats whose bytes are not text.
//! - [`check`] has the invariants of the facts of any text, for tests and fuzzing.
//!
//! # Example
//!
//! ```
//! use sscg_core::Id;
//!
//! let source = "class Session:
//!     '''An open connection.'''
//!     def close(self):
//!         self.socket.close()
//! ";
//! let facts = sscg_parse::extract("session.py", source).unwrap();
//!
//! let names: Vec<String> = facts.symbols.ids().map(|symbol| facts.qualified_name(symbol)).collect();
//! assert_eq!(names, ["Session", "Session.close"]);
//! let class = facts.symbols.iter().next().unwrap();
//! assert_eq!(class.doc.as_deref(), Some("An open connection."));
//!
//! // The chunk of the class has a stub in place of each method, which is a chunk of its own.
//! let chunk = facts.chunk_text(Id::new(0), source, ": ...");
//! assert!(chunk.contains("def close(self): ...") && !chunk.contains("socket"));
//! ```
//!
//! # Design
//!
//! - **Parsing never fails.** A broken file yields the facts of the parts that parse, and
//!   [diagnostics](sscg_core::Diagnostic). Every run of lines that no frontend reports becomes a chunk, so no line is
//!   lost.
//! - **oxc parses TypeScript and JavaScript, tree-sitter the others.** Where oxc returns no tree, tree-sitter
//!   locates the error, the place is blanked, and oxc parses the rest: one walk over one kind of tree.
//! - **Chunks are whole declarations**, with the bodies of their children collapsed. No size limit splits one in two.
//! - **Foreign text has limits.** Nesting, unclosed chains and the number of declarations are bounded by counts, so
//!   facts are the same on every machine. Only CPU time is not: a parse is stopped after 300 ms and 2 µs per byte,
//!   where code takes at most 0.6 µs, and the file becomes text.
//! - **Languages are not added from outside.** A frontend needs a module system for the linker, and that is a
//!   closed enum. In this crate, a language is one directory and a line in the registry.
//! - **[`EXTRACTOR_VERSION`] and the [version](sscg_core::LanguageDef::version) of the language identify the output.** Store
//!   facts under these, the hash of the text and the extension.
//!
//! # Cargo features
//!
//! - `lang-c`, `lang-cpp`, `lang-csharp`, `lang-go`, `lang-java`, `lang-python`, `lang-rust`, `lang-typescript`: languages,
//!   each with its grammar. `all-languages` turns all of them on, and is on by default. Declarations of languages without a
//!   grammar are always read.
//! - `documents`: documents, data and configuration. On by default.
//! - `pdf`: PDF documents. Off by default, because it adds a reader of PDF and of its fonts, and few trees contain PDF.

// Shared code has parts that only some languages use.
#![cfg_attr(
    not(all(feature = "all-languages", feature = "documents")),
    allow(dead_code, unused_imports, unused_macros)
)]

mod builder;
#[cfg(feature = "lang-c")]
mod c;
pub mod check;
mod chunk;
#[cfg(feature = "lang-csharp")]
mod csharp;
#[cfg(feature = "documents")]
mod document;
mod frontend;
#[cfg(feature = "lang-go")]
mod go;
mod grammar;
mod highlight;
#[cfg(feature = "lang-java")]
mod java;
mod nesting;
mod plain;
#[cfg(feature = "lang-python")]
mod python;
mod references;
mod registry;
#[cfg(feature = "lang-rust")]
mod rust;
mod scope;
mod signature;
mod spec;
mod stack;
mod syntax;
mod text;
#[cfg(test)]
mod toy;
mod tree;
#[cfg(feature = "lang-typescript")]
mod typescript;
mod wiring;

pub use builder::undivided;
pub use frontend::{Decoder, Undecodable};
pub use highlight::Highlight;
pub use references::references;
pub use registry::{
    EXTRACTOR_VERSION, FileType, decoder, extract, formats, languages, missing_feature, named, of_corpus,
    project_file, signature_types, syntax,
};
pub use signature::{SignatureTypes, TypedParameter};
pub use syntax::{Blocks, Ending, GLOB, Syntax};

#[doc(no_inline)]
pub use sscg_core::{Corpus, FileFacts};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
