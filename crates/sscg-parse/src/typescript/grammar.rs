//! Tree-sitter grammars of the dialects.

use std::sync::LazyLock;

use tree_sitter::Language;

use crate::highlight::Highlighting;

/// Grammar of a dialect.
#[derive(Clone, Copy, Debug)]
pub(super) enum Grammar {
    JavaScript,
    TypeScript,
    Tsx,
}

impl Grammar {
    /// Returns the grammar for a file extension.
    pub(super) fn of(extension: &str) -> Self {
        match extension {
            "tsx" => Self::Tsx,
            "ts" | "mts" | "cts" | "d.ts" | "d.mts" | "d.cts" => Self::TypeScript,
            _ => Self::JavaScript,
        }
    }

    pub(super) fn language(self) -> Language {
        match self {
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }

    /// Returns the highlighting. The queries of TypeScript only name tokens that JavaScript does not have.
    pub(super) fn highlighting(self) -> &'static Highlighting {
        use tree_sitter_javascript::{HIGHLIGHT_QUERY as JAVASCRIPT, JSX_HIGHLIGHT_QUERY as JSX};
        use tree_sitter_typescript::HIGHLIGHTS_QUERY as TYPESCRIPT;
        static OF_JAVASCRIPT: LazyLock<Highlighting> =
            LazyLock::new(|| Highlighting::new(Grammar::JavaScript.language(), &[JAVASCRIPT, JSX]));
        static OF_TYPESCRIPT: LazyLock<Highlighting> =
            LazyLock::new(|| Highlighting::new(Grammar::TypeScript.language(), &[JAVASCRIPT, TYPESCRIPT]));
        static OF_TSX: LazyLock<Highlighting> =
            LazyLock::new(|| Highlighting::new(Grammar::Tsx.language(), &[JAVASCRIPT, TYPESCRIPT, JSX]));
        match self {
            Self::JavaScript => &OF_JAVASCRIPT,
            Self::TypeScript => &OF_TYPESCRIPT,
            Self::Tsx => &OF_TSX,
        }
    }
}
