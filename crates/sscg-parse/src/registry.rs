//! Registry of the languages and document formats.

use std::fmt;
use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, Span};

use crate::builder::undivided;
use crate::highlight::Highlight;
use crate::stack::with_stack_for;
use crate::syntax::Syntax;
use crate::{document, python, rust, typescript};

/// Version of the extracted facts, to invalidate stored ones. Changes whenever [`extract`] may return different facts
/// for the same text, the terms stored beside them are built differently, or a [`decoder`] may return different text
/// for the same bytes.
pub const EXTRACTOR_VERSION: u32 = 19;

/// Extracts the text from the bytes of a file. Must not panic on any input.
pub type Decoder = fn(&[u8]) -> Result<String, Undecodable>;

/// Reason why a [`Decoder`] returns no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecodable {
    /// Password required.
    Encrypted,
    /// Not of the format that the file name indicates, or broken beyond repair.
    Damaged,
    /// Only images, such as scanned pages, or glyphs that are not mapped to characters.
    NoText,
    /// More pages, drawing operations or unpacked bytes than in a document that people read.
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

/// Parser of one or more languages.
///
/// Implementations are stateless values. Parsing allocates what it needs per call, so one frontend serves any number of
/// threads.
pub trait LanguageFrontend: Send + Sync {
    /// Returns the supported languages.
    fn languages(&self) -> &[Language];

    /// Returns the facts of `source`. `extension` is the file extension that determined the language; it selects the
    /// dialect (`ts`, `tsx` or `d.ts`).
    fn extract(&self, extension: &str, source: &str) -> FileFacts;

    /// Returns the decoder for formats whose bytes are not text.
    fn decoder(&self) -> Option<Decoder> {
        None
    }

    /// Returns the Cargo feature that is required to read these files, if this build lacks it.
    fn missing_feature(&self) -> Option<&'static str> {
        None
    }

    /// Returns the rules for eliding parts of a file; `None` for documents.
    fn syntax(&self) -> Option<&dyn Syntax> {
        None
    }

    /// Returns the classified spans of `source`, in order and disjoint; none without a grammar.
    fn highlights(&self, _extension: &str, _source: &str) -> Vec<(Span, Highlight)> {
        Vec::new()
    }

    /// Returns the body facts of `source`; none for documents.
    fn wiring(&self, _extension: &str, _source: &str) -> Wiring {
        Wiring::default()
    }
}

/// All code frontends. A new language needs a directory and a line here.
static FRONTENDS: &[&dyn LanguageFrontend] = &[
    &python::Python,
    &rust::Rust,
    &typescript::TypeScript,
    #[cfg(test)]
    &crate::toy::Toy,
];

/// Returns all frontends, including those of documents.
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

/// Returns all programming languages, sorted by name.
pub fn languages() -> &'static [Language] {
    &LANGUAGES
}

/// Returns all document formats, sorted by name.
pub fn formats() -> &'static [Language] {
    &FORMATS
}

/// Returns the languages or the formats, sorted by name.
pub fn of_corpus(corpus: Corpus) -> &'static [Language] {
    match corpus {
        Corpus::Code => languages(),
        Corpus::Documents => formats(),
    }
}

/// Returns the language with a name or alias, ignoring case.
pub fn by_name(name: &str) -> Option<Language> {
    named(Corpus::Code, name)
}

/// Returns the language or format with a name or alias, ignoring case.
pub fn named(corpus: Corpus, name: &str) -> Option<Language> {
    let matches = |known: &str| known.eq_ignore_ascii_case(name);
    let mut all = of_corpus(corpus).iter().copied();
    all.find(|language| matches(language.name) || language.aliases.iter().any(|alias| matches(alias)))
}

/// Returns the language of a source file, by its longest registered extension.
pub fn language_of_path(path: &str) -> Option<Language> {
    claim(Corpus::Code, path).map(|(language, _)| language)
}

/// Returns the extension by which [`language_of_path`] recognizes a source file, for the `extension` of [`extract`].
pub fn extension_of_path(path: &str) -> Option<&'static str> {
    claim(Corpus::Code, path).map(|(_, extension)| extension)
}

/// Returns the language or format of a file and its longest registered extension. No extension is registered in both
/// corpora.
pub fn claim(corpus: Corpus, path: &str) -> Option<(Language, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
    // Longest extension first: `d.ts` before `ts`.
    endings.into_iter().find_map(|ending| {
        of_corpus(corpus).iter().find_map(|language| {
            let known = language.extensions.iter().find(|known| known.eq_ignore_ascii_case(ending))?;
            Some((*language, *known))
        })
    })
}

/// Returns the facts of one file's text. Never fails: text that cannot be parsed is reported in the diagnostics.
///
/// # Panics
/// If `language` is in neither [`languages`] nor [`formats`], or `source` is longer than 4 GiB.
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

/// Maximum number of declarations, and of chunks, of a file: one per 26 bytes of the largest file (1 MB).
pub(crate) const MAX_PARTS: usize = 40_000;

/// Diagnostic for a file with more than [`MAX_PARTS`].
const TOO_MUCH: &str = "more declarations or statements than people write; its lines are searched as text";

fn has_too_much(facts: &FileFacts) -> bool {
    facts.symbols.len() > MAX_PARTS || facts.chunks.len() > MAX_PARTS
}

/// Returns the function that extracts the text of a format's files; `None` if their bytes are text.
pub fn decoder(language: Language) -> Option<Decoder> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.decoder()
}

/// Returns the Cargo feature that is required to read files of a format, if this build lacks it.
pub fn missing_feature(language: Language) -> Option<&'static str> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.missing_feature()
}

/// Returns the rules for eliding parts of a language's files; `None` for documents, which are shown unchanged.
pub fn syntax(language: Language) -> Option<&'static dyn Syntax> {
    frontends().find(|frontend| frontend.languages().contains(&language))?.syntax()
}

/// Returns the classified spans of a text for syntax highlighting: in order, disjoint and on character boundaries. Text
/// between them has no class; formats without a grammar have no spans. Never fails: broken text is classified as far as
/// it parses.
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn highlights(language: Language, extension: &str, source: &str) -> Vec<(Span, Highlight)> {
    let frontend = frontends().find(|frontend| frontend.languages().contains(&language));
    frontend.map_or_else(Vec::new, |frontend| {
        with_stack_for(source.len(), || frontend.highlights(extension, source))
    })
}

/// Returns the body facts of one file: the values of arguments, decorators, names and fields, as written. Documents
/// have none. Never fails: code that does not parse yields no facts, and values nest at most
/// [`MAX_DEPTH`](sscg_core::wiring::Expression::MAX_DEPTH) levels deep.
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
    use crate::tree::TOO_SLOW;

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
    fn a_text_that_takes_too_long_to_parse_is_searched_as_text() {
        for (name, extension, code, slow) in
            [("python", "py", "def y(): pass\n", "not:"), ("rust", "rs", "fn y() {}\n", "-,")]
        {
            let language = by_name(name).expect("it is read");
            let text = format!("{code}{}\n{code}", slow.repeat(20_000));
            let facts = extract(language, extension, &text);
            assert_eq!(facts.diagnostics.len(), 1, "{:?}", facts.diagnostics);
            assert_eq!(&*facts.diagnostics[0].message, TOO_SLOW);
            let covered: usize = facts.chunks.iter().map(|chunk| chunk.span.text(&text).trim().len()).sum();
            assert!(facts.symbols.is_empty() && covered + 2 >= text.trim().len(), "{name}");
            assert_eq!(highlights(language, extension, &text), []);
            assert!(wiring(language, extension, &text).calls.is_empty());
            // The next text starts afresh.
            let next = extract(language, extension, code);
            assert_eq!((next.symbols.len(), next.diagnostics.len()), (1, 0), "{name}");
        }
    }

    #[test]
    fn a_file_whose_macros_take_too_long_to_parse_is_searched_as_text() {
        let slow = "m! { fn y() {} -,-,-,-,-,-,-,-,-,-, }\n".repeat(20_000);
        let facts = extract(by_name("rust").expect("it is read"), "rs", &(slow + "m! { fn last() {} }\n"));
        assert_eq!((facts.symbols.len(), &*facts.diagnostics[0].message), (0, TOO_SLOW));
    }

    #[test]
    fn dense_code_takes_few_enough_steps() {
        for (name, extension, text) in [
            ("rust", "rs", format!("fn x() {{let x=vec![{}];}}\n", "0,1,".repeat(20_000))),
            ("rust", "rs", format!("fn x() {{m!{{{}}}}}\n", "a:0,".repeat(20_000))),
            ("python", "py", format!("x=[{}]\n", "[a],".repeat(20_000))),
        ] {
            let facts = extract(by_name(name).expect("it is read"), extension, &text);
            assert_eq!((facts.symbols.len(), &*facts.diagnostics), (1, &[][..]), "{name}");
        }
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
