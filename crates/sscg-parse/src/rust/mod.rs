//! Rust frontend, based on tree-sitter.
//!
//! One walk over the tree declares symbols, binds names in scopes and collects references ([`walk`]), which are
//! resolved afterwards. Item macros are searched for items ([`macros`]): the contents of `cfg_feature! { .. }` are
//! declared as if the macro were not there, and macros that the file defines are expanded ([`expand`]).

mod attribute;
mod decoration;
mod dialect;
mod elide;
mod error;
mod expand;
mod expression;
mod generics;
mod import;
mod item;
mod kind;
mod list;
mod macros;
mod name;
mod pattern;
mod readable;
mod syntax;
mod trivia;
mod walk;

use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, LanguageDef, ModuleSystem, NO_LIBRARY, Span};

use crate::frontend::LanguageFrontend;
use crate::highlight::{Highlight, Highlighting};
use crate::signature::{Order, SignatureSyntax};
use crate::syntax::Syntax;
use crate::tree::ParseTime;
use crate::wiring;

/// Definition of the Rust language.
pub(crate) static RUST: LanguageDef = LanguageDef {
    name: "rust",
    aliases: &["rs"],
    extensions: &["rs"],
    version: 3,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::RustCrates,
    family: "rust",
    library: &NO_LIBRARY,
    stub: ";",
};

/// Frontend for Rust.
pub(crate) struct Rust;

impl LanguageFrontend for Rust {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&RUST)];
        LANGUAGES
    }

    fn syntax(&self) -> Option<&dyn Syntax> {
        Some(self)
    }

    fn signature_syntax(&self) -> Option<SignatureSyntax> {
        Some(SignatureSyntax { order: Order::NameColonType, quotes: b"\"" })
    }

    fn grammar(&self, _extension: &str, _source: &str) -> Option<&'static tree_sitter::Language> {
        Some(&kind::LANGUAGE)
    }

    fn highlights(&self, _extension: &str, source: &str) -> Vec<(Span, Highlight)> {
        static RUST: LazyLock<Highlighting> = LazyLock::new(|| {
            Highlighting::new(tree_sitter_rust::LANGUAGE, &[tree_sitter_rust::HIGHLIGHTS_QUERY])
        });
        RUST.of(&readable::readable(source).0)
    }

    fn wiring(&self, _extension: &str, source: &str) -> Wiring {
        let text = readable::readable(source).0;
        let time = ParseTime::for_text(source);
        let tree = time.parse_with(&kind::LANGUAGE, &text);
        wiring::read::<wiring::rust::Rust>(source, tree.as_ref(), &time)
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        walk::extract(source)
    }
}

#[cfg(test)]
mod tests;
