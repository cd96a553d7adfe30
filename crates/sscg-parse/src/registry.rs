//! Registry of the languages and document formats.

use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, ProjectFile, Span};

use crate::builder::undivided;
use crate::frontend::{Decoder, LanguageFrontend, MAX_PARTS};
use crate::highlight::Highlight;
use crate::signature::SignatureTypes;
use crate::spec::SpecFrontend;
use crate::stack::with_stack_for;
use crate::syntax::Syntax;

/// Version of the extracted facts, to invalidate stored ones. Changes whenever [`extract`] may return different facts
/// for the same text in several languages, or the terms stored beside them are built differently. What concerns one
/// language or format changes its own [`version`](sscg_core::LanguageDef::version), be it its facts or what its
/// [`decoder`] returns.
pub const EXTRACTOR_VERSION: u32 = 24;

/// All code frontends. A new language needs a directory and a line here.
static FRONTENDS: &[&dyn LanguageFrontend] = &[
    #[cfg(feature = "lang-python")]
    &crate::python::Python,
    #[cfg(feature = "lang-rust")]
    &crate::rust::Rust,
    #[cfg(feature = "lang-typescript")]
    &crate::typescript::TypeScript,
    #[cfg(feature = "lang-c")]
    &SpecFrontend(&crate::c::C::C),
    #[cfg(feature = "lang-cpp")]
    &SpecFrontend(&crate::c::C::CPP),
    #[cfg(feature = "lang-csharp")]
    &SpecFrontend(&crate::csharp::CSharp),
    #[cfg(feature = "lang-go")]
    &SpecFrontend(&crate::go::Go),
    &crate::plain::PlainText,
    #[cfg(feature = "lang-java")]
    &SpecFrontend(&crate::java::Java),
    #[cfg(test)]
    &crate::toy::Toy,
];

/// Returns all frontends, including those of documents.
fn frontends() -> impl Iterator<Item = &'static dyn LanguageFrontend> {
    #[cfg(feature = "documents")]
    let formats = crate::document::FORMATS.iter().map(|format| format as &dyn LanguageFrontend);
    #[cfg(not(feature = "documents"))]
    let formats = std::iter::empty();
    FRONTENDS.iter().copied().chain(formats)
}

fn frontend_of(language: Language) -> Option<&'static dyn LanguageFrontend> {
    frontends().find(|frontend| frontend.languages().contains(&language))
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

/// Returns the language or format with a name or alias, ignoring case.
pub fn named(corpus: Corpus, name: &str) -> Option<Language> {
    let matches = |known: &str| known.eq_ignore_ascii_case(name);
    let mut all = of_corpus(corpus).iter().copied();
    all.find(|language| matches(language.name) || language.aliases.iter().any(|alias| matches(alias)))
}

/// Language or format of a file, with the extension that it was recognized by, which selects the dialect (`ts`, `tsx`
/// or `d.ts`).
///
/// ```
/// use sscg_parse::{FileType, Highlight};
///
/// let file_type = FileType::of_path("src/view.test.tsx").unwrap();
/// assert_eq!((file_type.language.name, file_type.extension), ("typescript", "tsx"));
/// let (span, class) = file_type.highlights("const a = 1;")[0];
/// assert_eq!((span.text("const a = 1;"), class), ("const", Highlight::Keyword));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileType {
    /// Language or format.
    pub language: Language,
    /// Registered extension, without the leading dot.
    pub extension: &'static str,
}

impl FileType {
    /// Returns the type of a file by the longest registered extension of its path. No extension is registered for both
    /// a language and a document format.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        // Longest extension first: `d.ts` before `ts`.
        endings.into_iter().find_map(|ending| {
            languages().iter().chain(formats()).find_map(|language| {
                let known = language.extensions.iter().find(|known| known.eq_ignore_ascii_case(ending))?;
                Some(Self { language: *language, extension: known })
            })
        })
    }

    /// Returns the facts of a text. Never fails: text that cannot be parsed is reported in the diagnostics.
    ///
    /// # Panics
    /// If the language is not in the registry, or `source` is longer than 4 GiB.
    pub fn extract(self, source: &str) -> FileFacts {
        let frontend = self.frontend().expect("a language comes from the registry");
        let mut facts = with_stack_for(source.len(), || {
            let facts = frontend.extract(self.extension, source);
            if self.is_code() && has_too_much(&facts) { undivided(source, TOO_MUCH) } else { facts }
        });
        facts.shrink_to_fit();
        facts
    }

    /// Returns the classified spans of a text for syntax highlighting: in order, disjoint and on character boundaries.
    /// Text between them has no class; formats without a grammar have no spans. Never fails: broken text is classified
    /// as far as it parses.
    ///
    /// # Panics
    /// If `source` is longer than 4 GiB.
    pub fn highlights(self, source: &str) -> Vec<(Span, Highlight)> {
        let frontend = self.frontend();
        frontend.map_or_else(Vec::new, |frontend| {
            with_stack_for(source.len(), || frontend.highlights(self.extension, source))
        })
    }

    /// Returns the body facts of a text: the values of arguments, decorators, names and fields, as written. Documents
    /// have none. Never fails: code that does not parse yields no facts, and values nest at most
    /// [`MAX_DEPTH`](sscg_core::wiring::Expression::MAX_DEPTH) levels deep.
    ///
    /// # Panics
    /// If `source` is longer than 4 GiB.
    pub fn wiring(self, source: &str) -> Wiring {
        let frontend = self.frontend();
        frontend.map_or_else(Wiring::default, |frontend| {
            with_stack_for(source.len(), || frontend.wiring(self.extension, source))
        })
    }

    /// True for languages, false for document formats.
    pub fn is_code(self) -> bool {
        self.language.corpus == Corpus::Code
    }

    /// Returns the tree-sitter grammar of a text; `None` if tree-sitter does not parse the language.
    pub(crate) fn grammar(self, source: &str) -> Option<&'static tree_sitter::Language> {
        self.frontend()?.grammar(self.extension, source)
    }

    fn frontend(self) -> Option<&'static dyn LanguageFrontend> {
        frontend_of(self.language)
    }
}

/// Returns the facts of a text, in the language or format that the extension of `path` indicates; `None` if it
/// indicates none. Only the extension counts: `Makefile` and a first line `#!/bin/sh` indicate no language.
///
/// ```
/// let facts = sscg_parse::extract("src/lib.rs", "/// Adds.\npub fn add(a: i32) -> i32 { a }\n").unwrap();
/// let symbol = facts.symbols.iter().next().unwrap();
/// assert_eq!(&*symbol.signature, "pub fn add(a: i32) -> i32");
/// assert_eq!(symbol.doc.as_deref(), Some("Adds."));
/// assert!(sscg_parse::extract("picture.png", "").is_none());
/// ```
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn extract(path: &str, source: &str) -> Option<FileFacts> {
    Some(FileType::of_path(path)?.extract(source))
}

/// Returns a file of a [`Project`](sscg_core::Project) with the facts of its text, like [`extract`].
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_parse::project_file;
///
/// let file = project_file("src/lib.rs", "pub fn add(a: i32) -> i32 { a }\n").unwrap();
/// assert_eq!((&*file.path, file.language.name), ("src/lib.rs", "rust"));
/// let project = Project::new(vec![file], Manifests::default());
/// assert_eq!(project.symbols_named("add").count(), 1);
/// assert!(project_file("picture.png", "").is_none());
/// ```
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn project_file(path: &str, source: &str) -> Option<ProjectFile> {
    let file_type = FileType::of_path(path)?;
    let facts = file_type.extract(source).into();
    Some(ProjectFile { path: path.into(), language: file_type.language, facts })
}

/// Diagnostic for a file with more than [`MAX_PARTS`].
const TOO_MUCH: &str = "more declarations or statements than people write; its lines are searched as text";

fn has_too_much(facts: &FileFacts) -> bool {
    facts.symbols.len() > MAX_PARTS || facts.chunks.len() > MAX_PARTS
}

/// Returns the function that extracts the text of a format's files; `None` if their bytes are text.
pub fn decoder(language: Language) -> Option<Decoder> {
    frontend_of(language)?.decoder()
}

/// Returns the Cargo feature that is required to read files of a format, if this build lacks it.
pub fn missing_feature(language: Language) -> Option<&'static str> {
    frontend_of(language)?.missing_feature()
}

/// Returns the rules for eliding parts of a language's files; `None` for documents, which are shown unchanged.
pub fn syntax(language: Language) -> Option<&'static dyn Syntax> {
    frontend_of(language)?.syntax()
}

/// Returns the types in the [signature](sscg_core::Symbol::signature) of the function `name`, as written; none for
/// languages without a grammar. O(length).
///
/// ```
/// use sscg_parse::{FileType, signature_types};
///
/// let rust = FileType::of_path("a.rs").unwrap().language;
/// let types = signature_types(rust, "open", "fn open(path: &Path) -> io::Result<File>");
/// assert_eq!((types.parameters[0].name, types.parameters[0].ty), ("path", "&Path"));
/// assert_eq!(types.result, "io::Result<File>");
/// ```
pub fn signature_types<'s>(language: Language, name: &str, signature: &'s str) -> SignatureTypes<'s> {
    let syntax = frontend_of(language).and_then(|frontend| frontend.signature_syntax());
    syntax.map_or_else(SignatureTypes::default, |syntax| syntax.types(name, signature))
}

#[cfg(all(test, feature = "all-languages", feature = "documents"))]
mod tests {
    use super::*;
    use crate::tree::TOO_SLOW;

    #[test]
    fn the_longest_known_ending_decides() {
        let name = |path| FileType::of_path(path).map(|it| it.language.name);
        assert_eq!(name("a/b.rs"), Some("rust"));
        assert_eq!(name("a/b.test.tsx"), Some("typescript"));
        assert_eq!(name("a/b.PY"), Some("python"));
        assert_eq!(name("a/b.d.ts"), Some("typescript"));
        assert_eq!(FileType::of_path("a/b.d.ts").map(|it| it.extension), Some("d.ts"));
        assert_eq!(name("a/b.md"), Some("markdown"));
        assert_eq!(name("a/rs"), None);
        assert_eq!(name(".rs/readme"), None);
    }

    #[test]
    fn a_file_of_very_many_declarations_is_searched_as_text() {
        let facts = |count| {
            let text = "def x(): pass\n".repeat(count) + "\nlast = 1\n";
            extract("a.py", &text).expect("it is read")
        };
        assert_eq!(facts(20_000).diagnostics, []);
        let many = facts(60_000);
        assert!(many.symbols.is_empty() && many.chunks.len() == 60_000 / 40 + 1);
        assert_eq!(&*many.diagnostics[0].message, TOO_MUCH);
    }

    #[test]
    fn a_text_that_takes_too_long_to_parse_is_searched_as_text() {
        for (path, code, slow) in [
            ("a.py", "def y(): pass\n", "not:"),
            ("a.rs", "fn y() {}\n", "-,"),
            ("a.ts", "function y() {}\n", "-,"),
        ] {
            let file_type = FileType::of_path(path).expect("it is read");
            let text = format!("{code}{}\n{code}", slow.repeat(20_000));
            let facts = file_type.extract(&text);
            assert_eq!(facts.diagnostics.len(), 1, "{:?}", facts.diagnostics);
            assert_eq!(&*facts.diagnostics[0].message, TOO_SLOW);
            let covered: usize = facts.chunks.iter().map(|chunk| chunk.span.text(&text).trim().len()).sum();
            assert!(facts.symbols.is_empty() && covered + 2 >= text.trim().len(), "{path}");
            assert_eq!(file_type.highlights(&text), []);
            assert!(file_type.wiring(&text).calls.is_empty());
            // The next text starts afresh.
            let next = file_type.extract(code);
            assert_eq!((next.symbols.len(), next.diagnostics.len()), (1, 0), "{path}");
        }
    }

    #[test]
    fn a_file_whose_macros_take_too_long_to_parse_is_searched_as_text() {
        let slow = "m! { fn y() {} -,-,-,-,-,-,-,-,-,-, }\n".repeat(20_000);
        let facts = extract("a.rs", &(slow + "m! { fn last() {} }\n")).expect("it is read");
        assert_eq!((facts.symbols.len(), &*facts.diagnostics[0].message), (0, TOO_SLOW));
    }

    #[test]
    fn dense_code_takes_few_enough_steps() {
        for (path, text) in [
            ("a.rs", format!("fn x() {{let x=vec![{}];}}\n", "0,1,".repeat(20_000))),
            ("a.rs", format!("fn x() {{m!{{{}}}}}\n", "a:0,".repeat(20_000))),
            ("a.py", format!("x=[{}]\n", "[a],".repeat(20_000))),
        ] {
            let facts = extract(path, &text).expect("it is read");
            assert_eq!((facts.symbols.len(), &*facts.diagnostics), (1, &[][..]), "{path}");
        }
    }

    #[test]
    fn a_level_per_byte_does_not_exhaust_the_stack() {
        for (path, before) in [
            ("a.c", "int x = "),
            ("a.cpp", "int x = "),
            ("a.cs", "class A { bool x = "),
            ("a.go", "package a\nvar x = "),
            ("a.java", "class A { boolean x = "),
            ("a.js", "x = "),
            ("a.rs", "const X: bool = "),
            ("a.py", "x = "),
        ] {
            let operator = if path == "a.py" { "~" } else { "!" };
            for levels in [100, 4_000, 6_000] {
                let text = format!("{before}{}y;\n", operator.repeat(levels));
                assert!(extract(path, &text).is_some());
            }
        }
        for levels in [1_000, 1_900] {
            assert!(extract("a.go", &format!("package a\nvar x {}", "A[".repeat(levels))).is_some());
        }
    }

    #[test]
    fn a_document_of_very_many_headings_is_cut_into_passages() {
        let facts = |count| {
            let text = "# x\n".repeat(count);
            extract("a.md", &text).expect("it is read")
        };
        assert_eq!(facts(MAX_PARTS).symbols.len(), MAX_PARTS);
        let many = facts(MAX_PARTS + 1);
        assert_eq!(many.symbols.len(), 54);
        assert_eq!(many.diagnostics.len(), 1);
    }

    #[test]
    fn no_extension_is_registered_twice() {
        for language in languages().iter().chain(formats()) {
            for extension in language.extensions {
                let file_type = FileType::of_path(&format!("a.{extension}"));
                assert_eq!(file_type, Some(FileType { language: *language, extension }));
            }
        }
    }

    #[test]
    fn languages_are_found_by_name_and_alias() {
        assert_eq!(named(Corpus::Code, "TS").map(|language| language.name), Some("typescript"));
        assert_eq!(named(Corpus::Code, "rust").map(|language| language.name), Some("rust"));
        assert_eq!(named(Corpus::Code, "cobol"), None);
    }
}
