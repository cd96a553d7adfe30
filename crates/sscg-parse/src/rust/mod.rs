//! Rust, through tree-sitter.

use sscg_core::{FileFacts, Language, LanguageDef, ModuleSystem};

use crate::builder::FactsBuilder;
use crate::registry::LanguageFrontend;

/// Rust.
pub(crate) static RUST: LanguageDef = LanguageDef {
    name: "rust",
    aliases: &["rs"],
    extensions: &["rs"],
    modules: ModuleSystem::RustCrates,
    line_comment: "//",
};

/// The Rust frontend.
pub(crate) struct Rust;

impl LanguageFrontend for Rust {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&RUST)];
        LANGUAGES
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        FactsBuilder::new(source).finish(";")
    }
}
