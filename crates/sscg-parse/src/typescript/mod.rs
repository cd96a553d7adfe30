//! TypeScript and JavaScript, through oxc.

use sscg_core::{FileFacts, Language, LanguageDef, ModuleSystem};

use crate::builder::FactsBuilder;
use crate::registry::LanguageFrontend;

/// TypeScript, with and without JSX.
pub(crate) static TYPESCRIPT: LanguageDef = LanguageDef {
    name: "typescript",
    aliases: &["ts", "tsx"],
    extensions: &["d.ts", "d.mts", "d.cts", "ts", "tsx", "mts", "cts"],
    modules: ModuleSystem::EsModules,
    line_comment: "//",
};

/// JavaScript, with and without JSX.
pub(crate) static JAVASCRIPT: LanguageDef = LanguageDef {
    name: "javascript",
    aliases: &["js", "jsx"],
    extensions: &["js", "jsx", "mjs", "cjs"],
    modules: ModuleSystem::EsModules,
    line_comment: "//",
};

/// The frontend of both.
pub(crate) struct TypeScript;

impl LanguageFrontend for TypeScript {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&JAVASCRIPT), Language::new(&TYPESCRIPT)];
        LANGUAGES
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        FactsBuilder::new(source).finish(";")
    }
}
