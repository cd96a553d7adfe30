//! Converts source text to [`FileFacts`]: symbols, references, imports and AST-shaped chunks.
//!
//! [`extract`] is the main entry point. It never fails for a file of a known language or format, and depends only on its
//! arguments. A broken file yields the facts of the parts that parse, and [diagnostics](sscg_core::Diagnostic).
//!
//! ```
//! let facts = sscg_parse::extract("src/lib.rs", "/// Adds.\npub fn add(a: i32) -> i32 { a }\n").unwrap();
//! let symbol = facts.symbols.iter().next().unwrap();
//! assert_eq!(&*symbol.signature, "pub fn add(a: i32) -> i32");
//! assert_eq!(symbol.doc.as_deref(), Some("Adds."));
//! ```
//!
//! Each language is one directory: its definition, its grammar, its code and its tests. Only the module `registry`
//! lists the languages. Chunking (`chunk`) and lexical name lookup (`scope`) are shared by all languages.
//!
//! A language's [`Syntax`] defines how to elide parts of a text so that the rest still parses.
//!
//! [`FileType`] is the language or format of a file. [`FileType::highlights`] returns the tokens of a text by class, for
//! syntax highlighting, and [`FileType::wiring`] its body facts: the values that code passes to its callees.
//!
//! Documents (`document`) yield facts of the same form: sections named by their headings or keys. [`decoder`] extracts
//! the text of formats whose bytes are not text.
//!
//! Features: `pdf` reads PDF documents. It is off by default, because it adds a parser for PDF and its fonts.
//!
//! *Invariant:* pure; no I/O, no environment, and no clock except the CPU time that limits a parse.

mod builder;
pub mod check;
mod chunk;
mod document;
mod highlight;
mod nesting;
mod python;
mod references;
mod registry;
mod rust;
mod scope;
mod stack;
mod syntax;
mod text;
#[cfg(test)]
mod toy;
mod tree;
mod typescript;
mod wiring;

pub use highlight::Highlight;
pub use references::references;
pub use registry::{
    Decoder, EXTRACTOR_VERSION, FileType, Undecodable, decoder, extract, formats, languages, missing_feature,
    named, of_corpus, project_file, syntax,
};
pub use syntax::{Blocks, Ending, GLOB, Syntax};

#[doc(no_inline)]
pub use sscg_core::{Corpus, FileFacts};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
