//! Languages and formats as data. Which there are is known to the registry of `sscg-parse` alone.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// What one language, or one format of documents, is, apart from its grammar.
#[derive(Debug)]
pub struct LanguageDef {
    /// The wire name, lower case, as in `--language rust`.
    pub name: &'static str,
    /// Other names that people type.
    pub aliases: &'static [&'static str],
    /// File-name endings without the leading dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whether it is code or a document.
    pub corpus: Corpus,
    /// Whether programs read it more than people do: configuration and data among documents.
    pub is_data: bool,
    /// How code in this language names code in other files.
    pub modules: ModuleSystem,
    /// What ends a declaration whose body is left out, after its signature.
    pub stub: &'static str,
}

/// The two bodies of text in a tree. They are indexed and searched apart, so that neither pushes the other out of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Corpus {
    /// What is compiled or run.
    #[default]
    Code,
    /// What people read beside it, and the data and configuration that comes with it.
    Documents,
}

/// How code in a language names code in other files. Linking has one set of rules for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ModuleSystem {
    /// Relative file paths and package names (`import x from "./y"`).
    EsModules,
    /// A tree of modules below a crate root (`use crate::a::b`).
    RustCrates,
    /// Dotted package paths, absolute or relative (`from .a import b`).
    PythonPackages,
    /// Not at all: documents.
    None,
}

/// A language: a handle to its definition, compared by name.
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageDef);

impl Language {
    /// The language of a definition.
    pub const fn new(def: &'static LanguageDef) -> Self {
        Self(def)
    }
}

impl Deref for Language {
    type Target = LanguageDef;
    fn deref(&self) -> &LanguageDef {
        self.0
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

impl PartialOrd for Language {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Language {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
