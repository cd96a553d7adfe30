//! Documents for people, and the data and configuration that comes with code.
//!
//! A format is a [`Format`]: its definition, and a function that finds the sections of a text and the preferred break
//! points of a long one. The rest is common to all formats ([`layout`]). A section is a declaration without a meaning
//! in the code graph, named by its heading or key, so that chunks, collapsed texts, qualified names and lookups by
//! name work as for code.
//!
//! For most formats, the bytes of a file are its text. Any other format has a function that extracts the text;
//! everything else, including the file's hash, is based on that text.

mod html;
mod keyed;
mod layout;
mod markdown;
mod nesting;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
mod rst;
mod xml;

use std::sync::LazyLock;

use sscg_core::{Corpus, FileFacts, Language, LanguageDef, ModuleSystem, NO_LIBRARY, Span};

use crate::frontend::{Decoder, LanguageFrontend};
use crate::highlight::{Highlight, Highlighting};
use layout::DocumentLayout;

/// Document format.
pub(crate) struct Format {
    languages: [Language; 1],
    find: fn(&str) -> DocumentLayout,
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

/// All formats. A new one is a definition, a function and a line here.
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
    format(&XML, xml::find),
    format(&YAML, keyed::yaml).highlighted(&keyed::YAML_HIGHLIGHTING),
];

const fn format(def: &'static LanguageDef, find: fn(&str) -> DocumentLayout) -> Format {
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
static XML: LanguageDef = data(
    "xml",
    &["xsd", "xslt"],
    &[
        "xml", "xsd", "xsl", "xslt", "wsdl", "csproj", "fsproj", "vbproj", "props", "targets", "plist",
        "xaml", "resx",
    ],
);
static YAML: LanguageDef = data("yaml", &["yml"], &["yaml", "yml"]);

/// Returns the definition of a configuration or data format.
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
        version: 1,
        corpus: Corpus::Documents,
        is_data: false,
        modules: ModuleSystem::None,
        family: name,
        library: &NO_LIBRARY,
        stub: " ...",
    }
}
