//! Source text to [`FileFacts`]: symbols, references, imports and AST-shaped chunks.
//!
//! [`extract`] is the whole interface: it never fails and depends on nothing but its arguments. A broken file
//! gives the facts of the parts that parse, with [diagnostics](sscg_core::Diagnostic).
//!
//! ```
//! let language = sscg_parse::language_of_path("src/lib.rs").unwrap();
//! let facts = sscg_parse::extract(language, "rs", "/// Adds.\npub fn add(a: i32) -> i32 { a }\n");
//! let symbol = facts.symbols.iter().next().unwrap();
//! assert_eq!(&*symbol.signature, "pub fn add(a: i32) -> i32");
//! assert_eq!(symbol.doc.as_deref(), Some("Adds."));
//! ```
//!
//! A language is one directory here: its definition, its grammar, the code it needs, and its tests. The
//! module `registry` is the only place that lists them; how chunks are cut (`chunk`) and how names are looked up
//! in scopes (`scope`) is the same for all.
//!
//! How a text is cut down for show without breaking it is its language's [`Syntax`].
//!
//! What the pieces of a text are, for those who show it in colours, [`highlights`] tells.
//!
//! What code passes to what it calls, [`wiring()`] tells.
//!
//! Documents (`document`) become facts in the same shape: sections named by their headings or keys. [`decoder`] takes
//! the text out of those whose bytes are not text.
//!
//! Features: `pdf` reads PDF documents. It is off by default, because it adds a reader of PDF and of its fonts.
//!
//! *Invariant:* pure; no I/O, no clock, no environment.

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
