//! Rust, through tree-sitter.
//!
//! One walk over the tree declares symbols, binds names in scopes and collects uses ([`walk`]); the uses are
//! resolved after it. Item macros are looked into ([`macros`]): what stands in `cfg_feature! { .. }` counts as
//! if it stood there without the macro.

mod expression;
mod import;
mod item;
mod kind;
mod lead;
mod list;
mod macros;
mod name;
mod pattern;
mod syntax;
mod walk;

use sscg_core::{FileFacts, Language, LanguageDef, ModuleSystem};

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
        walk::extract(source)
    }
}
