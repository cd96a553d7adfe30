//! Languages and document formats as data. The set of languages is defined by the registry of `sscg-parse`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::Library;

/// Definition of one language or document format, apart from its grammar.
#[derive(Debug)]
pub struct LanguageDef {
    /// Wire name, lower case, as in `--language rust`.
    pub name: &'static str,
    /// Other names accepted from users.
    pub aliases: &'static [&'static str],
    /// File-name endings without the leading dot, lower case.
    pub extensions: &'static [&'static str],
    /// Version of the facts. Changes whenever other facts may be read from the same text, for a reason that concerns this
    /// language alone.
    pub version: u32,
    /// Corpus of the files: code or documents.
    pub corpus: Corpus,
    /// True for configuration and data formats among documents, which programs read more than people do.
    pub is_data: bool,
    /// Rules by which code in this language names code in other files.
    pub modules: ModuleSystem,
    /// Name of the group of languages that can name each other's declarations, such as JavaScript and TypeScript; the
    /// language's own name if there are no others.
    pub family: &'static str,
    /// Names that the language and its standard library define; [`NO_LIBRARY`] where linking has them in code.
    pub library: &'static LazyLock<Library>,
    /// Ending of a declaration whose body is elided, after its signature.
    pub stub: &'static str,
}

impl LanguageDef {
    /// Returns true if references are read and linked, not only declarations.
    pub fn is_linked(&self) -> bool {
        self.modules != ModuleSystem::None
    }
}

/// Library without names.
pub static NO_LIBRARY: LazyLock<Library> = LazyLock::new(Library::default);

/// Part of a tree. The two corpora are indexed and searched separately, so that neither displaces the other in
/// answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Corpus {
    /// Compiled or interpreted source code.
    #[default]
    Code,
    /// Documents for people, and the data and configuration that comes with them.
    Documents,
}

impl Corpus {
    /// All parts of a tree; the first is the default.
    pub const ALL: [Self; 2] = [Self::Code, Self::Documents];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Documents => "documents",
        }
    }
}

/// Rules by which code in a language names code in other files. Linking has one rule set per variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ModuleSystem {
    /// Relative file paths and package names (`import x from "./y"`).
    EsModules,
    /// Tree of modules below a crate root (`use crate::a::b`).
    RustCrates,
    /// Dotted package paths, absolute or relative (`from .a import b`).
    PythonPackages,
    /// Packages that consist of the files that declare them, wherever these are (`package a.b;`).
    DeclaredPackages,
    /// Namespaces that files declare and that nest: code sees the declarations of the namespaces around its own
    /// (`namespace A.B`).
    Namespaces,
    /// Packages that consist of the files of a directory, imported by its path below that of a module (`import
    /// "example.com/module/directory"`).
    DirectoryPackages,
    /// Files included as text (`#include "a.h"`), and names shared by all files of a program.
    Includes,
    /// No modules: documents.
    None,
}

/// Handle to a language definition, compared by name.
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageDef);

impl Language {
    /// Creates the language of a definition.
    pub const fn new(def: &'static LanguageDef) -> Self {
        Self(def)
    }

    /// Returns the definition.
    pub const fn definition(self) -> &'static LanguageDef {
        self.0
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
