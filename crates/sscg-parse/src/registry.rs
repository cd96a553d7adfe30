//! Which languages, and which formats of documents, there are.

use std::fmt;
use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, Span};

use crate::builder::undivided;
use crate::highlight::Highlight;
use crate::stack::with_stack_for;
use crate::syntax::Syntax;
use crate::{document, python, rust, typescript};

/// Changes whenever [`extract`] may return other facts for the same text, or the terms that are stored beside them
/// are made in another way, or a [`decoder`] may return another text for the same bytes, so that stored facts are not
/// taken for current ones.
pub const EXTRACTOR_VERSION: u32 = 17;

/// Takes the text out of the bytes of a file. Does not panic, whatever they are.
pub type Decoder = fn(&[u8]) -> Result<String, Undecodable>;

/// Why a [`Decoder`] finds no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecodable {
    /// It takes a password.
    Encrypted,
    /// It is not what its name says, or broken beyond repair.
    Damaged,
    /// It shows pictures, such as scanned pages, or characters that it does not name.
    NoText,
    /// It has more pages, draws more on them or unpacks to more than a document that people read.
    TooLong,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encrypted => "takes a password",
            Self::Damaged => "damaged",
            Self::NoText => "holds pictures alone",
            Self::TooLong => "too long",
        })
    }
}

impl std::error::Error for Undecodable {}

/// One parser and the languages it reads.
///
/// Implementations are stateless values; parsing allocates what it needs per call, so one frontend serves
/// any number of threads.
pub trait LanguageFrontend: Send + Sync {
    /// The languages it reads.
    fn languages(&self) -> &[Language];

    /// The facts of `source`. `extension` is the file-name ending by which the language was found; it tells
    /// dialects apart (`ts` from `tsx` and `d.ts`).
    fn extract(&self, extension: &str, source: &str) -> FileFacts;

    /// What takes the text out of its files, if their bytes are not their text.
    fn decoder(&self) -> Option<Decoder> {
        None
    }

    /// The feature of this crate that reading its files takes, if it was built without.
    fn missing_feature(&self) -> Option<&'static str> {
        None
    }

    /// What showing parts of its files takes; documents have none.
    fn syntax(&self) -> Option<&dyn Syntax> {
        None
    }

    /// What the pieces of `source` are, in order and apart from each other; none where nothing tells.
    fn highlights(&self, _extension: &str, _source: &str) -> Vec<(Span, Highlight)> {
        Vec::new()
    }

    /// What the code of `source` passes to what it calls; nothing in documents.
    fn wiring(&self, _extension: &str, _source: &str) -> Wiring {
        Wiring::default()
    }
}

/// Every frontend. A new language is a directory and a line here.
static FRONTENDS: &[&dyn LanguageFrontend] = &[
    &python::Python,
    &rust::Rust,
    &typescript::TypeScript,
    #[cfg(test)]
    &crate::toy::Toy,
];

/// Every frontend, those of documents included.
fn frontends() -> impl Iterator<Item = &'static dyn LanguageFrontend> {
    let formats = document::FORMATS.iter().map(|format| format as &dyn LanguageFrontend);
    FRONTENDS.iter().copied().chain(formats)
}

fn by_corpus(corpus: Corpus) -> Vec<Language> {
    let all = frontends().flat_map(|frontend| frontend.languages()).copied();
    let mut languages: Vec<Language> = all.filter(|language| language.corpus == corpus).collect();
    languages.sort();
    languages
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| by_corpus(Corpus::Code));
static FORMATS: LazyLock<Vec<Language>> = LazyLock::new(|| by_corpus(Corpus::Documents));

/// Every language of code, by name.
pub fn languages() -> &'static [Language] {
    &LANGUAGES
}

/// Every format of documents, by name.
pub fn formats() -> &'static [Language] {
    &FORMATS
}

/// The languages or the formats, by name.
pub fn of_corpus(corpus: Corpus) -> &'static [Language] {
    match corpus {
        Corpus::Code => languages(),
        Corpus::Documents => formats(),
    }
}

/// The language of a name or alias, in any case.
pub fn by_name(name: &str) -> Option<Language> {
    named(Corpus::Code, name)
}

/// The language or format of a name or alias, in any case.
pub fn named(corpus: Corpus, name: &str) -> Option<Language> {
    let matches = |known: &str| known.eq_ignore_ascii_case(name);
    let mut all = of_corpus(corpus).iter().copied();
    all.find(|language| matches(language.name) || language.aliases.iter().any(|alias| matches(alias)))
}

/// The language of a source file, by the longest ending of its name that a language claims.
pub fn language_of_path(path: &str) -> Option<Language> {
    claim(Corpus::Code, path).map(|(language, _)| language)
}

/// The ending of a source file's name by which [`language_of_path`] knows it; what [`extract`] takes as `extension`.
pub fn extension_of_path(path: &str) -> Option<&'static str> {
    claim(Corpus::Code, path).map(|(_, extension)| extension)
}

/// The language or format of a file, by the longest ending of its name that one claims, and that ending. No ending is
/// claimed in both bodies of text.
pub fn claim(corpus: Corpus, path: &str) -> Option<(Language, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
    // Endings come longest first: `d.ts` before `ts`.
    endings.into_iter().find_map(|ending| {
        of_corpus(corpus).iter().find_map(|language| {
            let known = language.extensions.iter().find(|known| known.eq_ignore_ascii_case(ending))?;
            Some((*language, *known))
        })
    })
}

/// The facts of one file's text. Never fails: what cannot be parsed is named in the diagnostics.
///
/// # Panics
/// If `language` is neither one of [`languages`] nor of [`formats`], or `source` is longer than 4 GiB.
pub fn extract(language: Language, extension: &str, source: &str) -> FileFacts {
    let frontend = frontends().find(|frontend| frontend.languages().contains(&language));
    let frontend = frontend.expect("a language comes from the registry");
    let mut facts = with_stack_for(source.len(), || {
        let mut facts = frontend.extract(extension, source);
        if language.corpus == Corpus::Code && has_too_much(&facts) {
            return undivided(source, TOO_MUCH);
        }
        facts.limit_nesting();
        facts
    });
    facts.shrink_to_fit();
    facts
}

/// Maximum number of declarations, and of chunks, of one file, which has at most a megabyte: one for each 26 bytes.
pub(crate) const MAX_PARTS: usize = 40_000;

/// What is said of a file with more than [`MAX_PARTS`].
const TOO_MUCH: &str = "more declarations or statements than people write; its lines are searched as text";

fn has_too_much(facts: &FileFacts) -> bool {
    facts.symbols.len() > MAX_PARTS || facts.chunks.len() > MAX_PARTS
}

/// What takes the text out of files of a format; `None` if their bytes are their text.
pub fn decoder(language: Language) -> Option<Decoder> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.decoder()
}

/// The feature that reading files of a format takes and this build has not.
pub fn missing_feature(language: Language) -> Option<&'static str> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.missing_feature()
}

/// What showing parts of a language's files takes; `None` for documents, which are shown as they are.
pub fn syntax(language: Language) -> Option<&'static dyn Syntax> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.syntax()
}

/// What the pieces of a text are, for those who show it in colours: in order, apart from each other, and on character
/// boundaries. Text between them is nothing special; of formats without a grammar all is. Never fails: what does not
/// parse is told apart as far as it goes.
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn highlights(language: Language, extension: &str, source: &str) -> Vec<(Span, Highlight)> {
    let frontend = frontends().find(|frontend| frontend.languages().contains(&language));
    frontend.map_or_else(Vec::new, |frontend| {
        with_stack_for(source.len(), || frontend.highlights(extension, source))
    })
}

/// What the code of one file passes to what it calls: the values of arguments, decorators, names and fields, as written.
/// Documents have none. Never fails: what does not parse says nothing, and values nest at most
/// [`MAX_DEPTH`](sscg_core::wiring::Expression::MAX_DEPTH) deep.
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn wiring(language: Language, extension: &str, source: &str) -> Wiring {
    let frontend = frontends().find(|frontend| frontend.languages().contains(&language));
    frontend.map_or_else(Wiring::default, |frontend| {
        with_stack_for(source.len(), || frontend.wiring(extension, source))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_known_ending_decides() {
        let name = |path| language_of_path(path).map(|language| language.name);
        assert_eq!(name("a/b.rs"), Some("rust"));
        assert_eq!(name("a/b.test.tsx"), Some("typescript"));
        assert_eq!(name("a/b.PY"), Some("python"));
        assert_eq!(name("a/b.d.ts"), Some("typescript"));
        assert_eq!(extension_of_path("a/b.d.ts"), Some("d.ts"));
        assert_eq!(name("a/rs"), None);
        assert_eq!(name(".rs/readme"), None);
    }

    #[test]
    fn a_file_of_very_many_declarations_is_searched_as_text() {
        let facts = |count| {
            let text = "def x(): pass\n".repeat(count) + "\nlast = 1\n";
            extract(by_name("python").expect("it is read"), "py", &text)
        };
        assert_eq!(facts(20_000).diagnostics, []);
        let many = facts(60_000);
        assert!(many.symbols.is_empty() && many.chunks.len() == 60_000 / 40 + 1);
        assert_eq!(&*many.diagnostics[0].message, TOO_MUCH);
    }

    #[test]
    fn a_document_of_very_many_headings_is_cut_into_passages() {
        let facts = |count| {
            let text = "# x\n".repeat(count);
            extract(named(Corpus::Documents, "markdown").expect("it is read"), "md", &text)
        };
        assert_eq!(facts(MAX_PARTS).symbols.len(), MAX_PARTS);
        let many = facts(MAX_PARTS + 1);
        assert_eq!(many.symbols.len(), 54);
        assert_eq!(many.diagnostics.len(), 1);
    }

    #[test]
    fn no_ending_is_that_of_code_and_of_a_document() {
        for format in formats() {
            for ending in format.extensions {
                assert_eq!(language_of_path(&format!("a.{ending}")), None);
                let claimed = claim(Corpus::Documents, &format!("a.{ending}"));
                assert_eq!(claimed, Some((*format, *ending)));
            }
        }
        assert_eq!(claim(Corpus::Documents, "a.rs"), None);
    }

    #[test]
    fn languages_are_found_by_name_and_alias() {
        assert_eq!(by_name("TS").map(|language| language.name), Some("typescript"));
        assert_eq!(by_name("rust").map(|language| language.name), Some("rust"));
        assert_eq!(by_name("cobol"), None);
    }
}
