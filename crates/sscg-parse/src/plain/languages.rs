//! Languages without a grammar, and their keywords.

use sscg_core::{Corpus, Language, LanguageDef, ModuleSystem, NO_LIBRARY, SymbolKind};

use crate::text::{comment_text, is_blank};

use SymbolKind::{Class, Enum, Function, Interface, Macro, Module, Struct, Trait, TypeAlias};

/// Language that is read by its lines.
pub(super) struct Plain {
    pub(super) language: Language,
    pub(super) form: Form,
    /// Marker of comments, besides `/*` and `*`.
    comment: &'static str,
    /// Keywords of declarations.
    pub(super) keywords: &'static [(&'static str, SymbolKind)],
}

/// Form of declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Keyword and name: `fun area`.
    Keyword,
    /// Like [`Form::Keyword`], and functions without a keyword: `area() {`.
    Shell,
    /// Keywords in upper or lower case: `CREATE TABLE people`.
    Sql,
    /// Keyword and quoted names: `resource "bucket" "logs"`.
    Quoted,
    /// Lists: `(defn area [x] ..)`.
    Lisp,
}

impl Plain {
    /// Returns true for a line that belongs to the declaration below it: a comment or an annotation.
    pub(super) fn is_above(&self, line: &str) -> bool {
        let is_comment = line.starts_with(self.comment)
            || line.starts_with("/*")
            || line.starts_with("* ")
            || line == "*"
            || line.starts_with("*/");
        let is_annotation = line.starts_with('@') && !line.contains(' ') || line.starts_with("#[");
        is_comment || is_annotation && self.form == Form::Keyword
    }

    /// Returns the text of the lines above a declaration without the markers of comments.
    pub(super) fn documentation(&self, above: &str) -> String {
        let Some(repeated) = self.comment.chars().last().filter(|_| !matches!(self.comment, "//" | "#"))
        else {
            return comment_text(above);
        };
        let mut text = String::with_capacity(above.len());
        for line in above.lines().map(|line| line.trim_matches(is_blank)) {
            match line.strip_prefix(self.comment) {
                Some(rest) => {
                    text.push_str("//");
                    let rest = rest.trim_start_matches(repeated);
                    text.push_str(if self.comment == "(*" { rest.trim_end_matches("*)") } else { rest });
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        comment_text(&text)
    }
}

macro_rules! languages {
    ($($static:ident: $name:literal, [$($alias:literal),*], [$($extension:literal),*], $form:ident, $comment:literal, $keywords:expr;)*) => {
        $(static $static: LanguageDef = LanguageDef {
            name: $name,
            aliases: &[$($alias),*],
            extensions: &[$($extension),*],
            version: 1,
            corpus: Corpus::Code,
            is_data: false,
            modules: ModuleSystem::None,
            family: $name,
            library: &NO_LIBRARY,
            stub: " ...",
        };)*

        /// All languages of this frontend.
        pub(super) const ALL: &[Language] = &[$(Language::new(&$static)),*];

        /// Rules of each language.
        pub(super) static LANGUAGES: &[Plain] = &[$(Plain {
            language: Language::new(&$static),
            form: Form::$form,
            comment: $comment,
            keywords: $keywords,
        }),*];
    };
}

const NONE: &[(&str, SymbolKind)] = &[];
const COMMON: &[(&str, SymbolKind)] = &[
    ("class", Class),
    ("enum", Enum),
    ("extension", Class),
    ("fn", Function),
    ("fun", Function),
    ("func", Function),
    ("function", Function),
    ("interface", Interface),
    ("mixin", Trait),
    ("module", Module),
    ("object", Class),
    ("protocol", Interface),
    ("record", Struct),
    ("struct", Struct),
    ("trait", Trait),
    ("typealias", TypeAlias),
];
const SCALA: &[(&str, SymbolKind)] = &[
    ("class", Class),
    ("def", Function),
    ("enum", Enum),
    ("object", Class),
    ("trait", Trait),
    ("type", TypeAlias),
];
const RUBY: &[(&str, SymbolKind)] = &[("class", Class), ("def", Function), ("module", Module)];
const ELIXIR: &[(&str, SymbolKind)] = &[
    ("def", Function),
    ("defimpl", Module),
    ("defmacro", Macro),
    ("defmodule", Module),
    ("defp", Function),
    ("defprotocol", Interface),
];
const FUNCTIONAL: &[(&str, SymbolKind)] = &[
    ("class", Class),
    ("data", Struct),
    ("instance", Class),
    ("let", Function),
    ("module", Module),
    ("newtype", Struct),
    ("type", TypeAlias),
    ("val", Function),
];
const PROTO: &[(&str, SymbolKind)] =
    &[("enum", Enum), ("message", Struct), ("rpc", Function), ("service", Interface)];
const GRAPHQL: &[(&str, SymbolKind)] = &[
    ("enum", Enum),
    ("fragment", Struct),
    ("input", Struct),
    ("interface", Interface),
    ("mutation", Function),
    ("query", Function),
    ("type", Struct),
    ("union", TypeAlias),
];
const SQL: &[(&str, SymbolKind)] = &[
    ("function", Function),
    ("index", Struct),
    ("procedure", Function),
    ("table", Struct),
    ("trigger", Function),
    ("type", TypeAlias),
    ("view", Struct),
];
const HCL: &[(&str, SymbolKind)] = &[
    ("data", Struct),
    ("module", Module),
    ("output", Struct),
    ("provider", Module),
    ("resource", Struct),
    ("variable", Struct),
];
const PERL: &[(&str, SymbolKind)] = &[("package", Module), ("sub", Function)];
const SHELL: &[(&str, SymbolKind)] = &[("function", Function)];
const JULIA: &[(&str, SymbolKind)] =
    &[("function", Function), ("macro", Macro), ("module", Module), ("struct", Struct), ("type", TypeAlias)];
const SOLIDITY: &[(&str, SymbolKind)] = &[
    ("contract", Class),
    ("enum", Enum),
    ("event", Struct),
    ("function", Function),
    ("interface", Interface),
    ("library", Module),
    ("modifier", Function),
    ("struct", Struct),
];

languages! {
    CLOJURE: "clojure", ["clj"], ["clj", "cljs", "cljc", "edn"], Lisp, ";", NONE;
    CRYSTAL: "crystal", [], ["cr"], Keyword, "#", RUBY;
    DART: "dart", [], ["dart"], Keyword, "//", COMMON;
    ELIXIR_DEF: "elixir", ["ex"], ["ex", "exs"], Keyword, "#", ELIXIR;
    ERLANG: "erlang", [], ["erl", "hrl"], Keyword, "%", NONE;
    FSHARP: "fsharp", ["f#"], ["fs", "fsi", "fsx"], Keyword, "//", FUNCTIONAL;
    GRAPHQL_DEF: "graphql", ["gql"], ["graphql", "gql"], Keyword, "#", GRAPHQL;
    GROOVY: "groovy", ["gradle"], ["groovy", "gradle"], Keyword, "//", SCALA;
    HASKELL: "haskell", ["hs"], ["hs"], Keyword, "--", FUNCTIONAL;
    HCL_DEF: "hcl", ["terraform"], ["tf", "hcl", "tfvars"], Quoted, "#", HCL;
    JULIA_DEF: "julia", ["jl"], ["jl"], Keyword, "#", JULIA;
    KOTLIN: "kotlin", ["kt"], ["kt", "kts"], Keyword, "//", COMMON;
    LUA: "lua", [], ["lua"], Keyword, "--", SHELL;
    OBJECTIVE_C: "objective-c", ["objc"], ["m", "mm"], Keyword, "//", NONE;
    OCAML: "ocaml", ["ml"], ["ml", "mli"], Keyword, "(*", FUNCTIONAL;
    PERL_DEF: "perl", ["pl"], ["pl", "pm"], Keyword, "#", PERL;
    PHP: "php", [], ["php"], Keyword, "//", COMMON;
    POWERSHELL: "powershell", ["ps1"], ["ps1", "psm1"], Keyword, "#", SHELL;
    PROTO_DEF: "protobuf", ["proto"], ["proto"], Keyword, "//", PROTO;
    R: "r", [], ["r"], Keyword, "#", NONE;
    RUBY_DEF: "ruby", ["rb"], ["rb", "rake"], Keyword, "#", RUBY;
    SCALA_DEF: "scala", [], ["scala", "sc"], Keyword, "//", SCALA;
    SHELL_DEF: "shell", ["bash", "sh"], ["sh", "bash", "zsh", "fish"], Shell, "#", SHELL;
    SOLIDITY_DEF: "solidity", ["sol"], ["sol"], Keyword, "//", SOLIDITY;
    SQL_DEF: "sql", [], ["sql"], Sql, "--", SQL;
    SVELTE: "svelte", [], ["svelte"], Keyword, "//", NONE;
    SWIFT: "swift", [], ["swift"], Keyword, "//", COMMON;
    VUE: "vue", [], ["vue"], Keyword, "//", NONE;
    ZIG: "zig", [], ["zig"], Keyword, "//", COMMON;
}
