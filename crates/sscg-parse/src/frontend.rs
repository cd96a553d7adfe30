//! Interface of the parsers of languages and document formats.

use std::fmt;

use sscg_core::wiring::Wiring;
use sscg_core::{FileFacts, Language, Span};

use crate::highlight::Highlight;
use crate::signature::SignatureSyntax;
use crate::syntax::Syntax;

/// Maximum number of declarations, and of chunks, of a file: one per 26 bytes of the largest file (1 MB).
pub(crate) const MAX_PARTS: usize = 40_000;

/// Extracts the text from the bytes of a file. Must not panic on any input.
pub type Decoder = fn(&[u8]) -> Result<String, Undecodable>;

/// Reason why a [`Decoder`] returns no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecodable {
    /// Password required.
    Encrypted,
    /// Not of the format that the file name indicates, or broken beyond repair.
    Damaged,
    /// Only images, such as scanned pages, or glyphs that are not mapped to characters.
    NoText,
    /// More pages, drawing operations or unpacked bytes than in a document that people read.
    TooLong,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encrypted => "takes a password",
            Self::Damaged => "damaged",
            Self::NoText => "holds pictures alone",
            Self::TooLong => "too long",
        })
    }
}

impl std::error::Error for Undecodable {}

/// Parser of one or more languages.
///
/// Implementations are stateless values. Parsing allocates what it needs per call, so one frontend serves any number of
/// threads.
pub(crate) trait LanguageFrontend: Send + Sync {
    /// Returns the supported languages.
    fn languages(&self) -> &[Language];

    /// Returns the facts of `source`. `extension` is the file extension that determined the language; it selects the
    /// dialect (`ts`, `tsx` or `d.ts`). Consumers recurse over types, so a frontend that does not bound their depth must
    /// call [`FileFacts::limit_nesting`].
    fn extract(&self, extension: &str, source: &str) -> FileFacts;

    /// Returns the decoder for formats whose bytes are not text.
    fn decoder(&self) -> Option<Decoder> {
        None
    }

    /// Returns the Cargo feature that is required to read these files, if this build lacks it.
    fn missing_feature(&self) -> Option<&'static str> {
        None
    }

    /// Returns the rules for eliding parts of a file; `None` for documents.
    fn syntax(&self) -> Option<&dyn Syntax> {
        None
    }

    /// Returns the syntax of signatures; `None` if functions of the language have no written types.
    fn signature_syntax(&self) -> Option<SignatureSyntax> {
        None
    }

    /// Returns the tree-sitter grammar of a file; `None` if tree-sitter does not parse the language.
    fn grammar(&self, _extension: &str, _source: &str) -> Option<&'static tree_sitter::Language> {
        None
    }

    /// Returns the classified spans of `source`, in order and disjoint; none without a grammar.
    fn highlights(&self, _extension: &str, _source: &str) -> Vec<(Span, Highlight)> {
        Vec::new()
    }

    /// Returns the body facts of `source`; none for documents.
    fn wiring(&self, _extension: &str, _source: &str) -> Wiring {
        Wiring::default()
    }
}
