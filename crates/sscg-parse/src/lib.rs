//! Converts source text to [`FileFacts`]: symbols, references, imports and AST-shaped chunks.
//!
//! [`extract`] is the main entry point. It never fails and depends only on its arguments. A broken file yields the
//! facts of the parts that parse, and [diagnostics](sscg_core::Diagnostic).
//!
//! ```
//! let language = sscg_parse::language_of_path("src/lib.rs").unwrap();
//! let facts = sscg_parse::extract(language, "rs", "/// Adds.\npub fn add(a: i32) -> i32 { a }\n");
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
//! [`highlights`] returns the tokens of a text by class, for syntax highlighting.
//!
//! [`wiring()`] returns the body facts of a text: the values that code passes to its callees.
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
    Decoder, EXTRACTOR_VERSION, LanguageFrontend, Undecodable, by_name, claim, decoder, extension_of_path,
    extract, formats, highlights, language_of_path, languages, missing_feature, named, of_corpus, syntax,
    wiring,
};
pub use syntax::{Blocks, Ending, GLOB, Syntax};

#[doc(no_inline)]
pub use sscg_core::{Corpus, FileFacts};
