//! Documents: what people read beside the code, and the data and configuration that comes with it.
//!
//! A format is a [`Format`]: its definition, and a function that finds the sections of a text and the places where a
//! long one is best cut. What becomes of them is the same for all ([`layout`]): a section is a declaration without a
//! meaning to the code graph, named by its heading or key, so that chunks, collapsed texts, qualified names and look-ups by
//! name are those of code.
//!
//! The bytes of most formats are their text. One of which they are not has a function that takes the text out of them,
//! and all else, the hash of the file included, is of that text.

mod html;
mod keyed;
mod layout;
mod markdown;
mod nesting;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
mod rst;

use std::sync::LazyLock;

use sscg_core::{Corpus, FileFacts, Language, LanguageDef, ModuleSystem, Span};

use crate::highlight::{Highlight, Highlighting};
use crate::registry::{Decoder, LanguageFrontend};
use layout::Found;

/// A format of documents.
pub(crate) struct Format {
    languages: [Language; 1],
    find: fn(&str) -> Found,
    decode: Option<Decoder>,
    missing_feature: Option<&'static str>,
    highlighting: Option<&'static LazyLock<Highlighting>>,
}

impl Format {
    const fn highlighted(mut self, highlighting: &'static LazyLock<Highlighting>) -> Self {
        self.highlighting = Some(highlighting);
        self
    }
}

impl LanguageFrontend for Format {
    fn languages(&self) -> &[Language] {
        &self.languages
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        layout::lay_out(source, (self.find)(source))
    }

    fn decoder(&self) -> Option<Decoder> {
        self.decode
    }

    fn missing_feature(&self) -> Option<&'static str> {
        self.missing_feature
    }

    fn highlights(&self, _extension: &str, source: &str) -> Vec<(Span, Highlight)> {
        self.highlighting.map_or_else(Vec::new, |highlighting| highlighting.of(source))
    }
}

/// Every format. A new one is a definition, a function and a line here.
pub(crate) static FORMATS: &[Format] = &[
    format(&CSV, plain::csv),
    format(&HTML, html::find).highlighted(&html::HIGHLIGHTING),
    format(&INI, plain::ini),
    format(&JSON, keyed::json).highlighted(&keyed::JSON_HIGHLIGHTING),
    format(&LOG, plain::log),
    format(&MARKDOWN, markdown::find),
    #[cfg(feature = "pdf")]
    Format { decode: Some(pdf::decode), ..format(&PDF, pdf::find) },
    #[cfg(not(feature = "pdf"))]
    Format { missing_feature: Some("pdf"), ..format(&PDF, plain::log) },
    format(&RST, rst::find),
    format(&TEXT, rst::find),
    format(&TOML, keyed::toml).highlighted(&keyed::TOML_HIGHLIGHTING),
    format(&YAML, keyed::yaml).highlighted(&keyed::YAML_HIGHLIGHTING),
];

const fn format(def: &'static LanguageDef, find: fn(&str) -> Found) -> Format {
    Format { languages: [Language::new(def)], find, decode: None, missing_feature: None, highlighting: None }
}

static CSV: LanguageDef = data("csv", &["tsv"], &["csv", "tsv"]);
static HTML: LanguageDef = def("html", &[], &["html", "htm", "xhtml"]);
static INI: LanguageDef = data("ini", &["cfg"], &["ini", "cfg", "conf", "properties"]);
static JSON: LanguageDef = data("json", &["jsonc"], &["json", "jsonc"]);
static LOG: LanguageDef = data("log", &[], &["log"]);
static MARKDOWN: LanguageDef = def("markdown", &["md", "mdx"], &["md", "markdown", "mdx"]);
static PDF: LanguageDef = def("pdf", &[], &["pdf"]);
static RST: LanguageDef = def("restructuredtext", &["rst"], &["rst", "rest"]);
static TEXT: LanguageDef = def("text", &["txt"], &["txt", "text"]);
static TOML: LanguageDef = data("toml", &[], &["toml"]);
static YAML: LanguageDef = data("yaml", &["yml"], &["yaml", "yml"]);

/// A format of configuration or data.
const fn data(
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
) -> LanguageDef {
    LanguageDef { is_data: true, ..def(name, aliases, extensions) }
}

const fn def(
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
) -> LanguageDef {
    LanguageDef {
        name,
        aliases,
        extensions,
        corpus: Corpus::Documents,
        is_data: false,
        modules: ModuleSystem::None,
        stub: " ...",
    }
}
