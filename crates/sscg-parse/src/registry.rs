//! Which languages there are.

use std::sync::LazyLock;

use sscg_core::{FileFacts, Language};

use crate::{python, rust, typescript};

/// Changes whenever [`extract`] may return other facts for the same text, or the terms that are stored beside them
/// are made in another way, so that stored facts are not taken for current ones.
pub const EXTRACTOR_VERSION: u32 = 11;

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
}

/// Every frontend. A new language is a directory and a line here.
static FRONTENDS: &[&dyn LanguageFrontend] = &[
    &python::Python,
    &rust::Rust,
    &typescript::TypeScript,
    #[cfg(test)]
    &crate::toy::Toy,
];

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let mut languages: Vec<Language> = FRONTENDS.iter().flat_map(|f| f.languages()).copied().collect();
    languages.sort();
    languages
});

/// Every language, by name.
pub fn languages() -> &'static [Language] {
    &LANGUAGES
}

/// The language of a name or alias, in any case.
pub fn by_name(name: &str) -> Option<Language> {
    let matches = |known: &str| known.eq_ignore_ascii_case(name);
    languages().iter().copied().find(|l| matches(l.name) || l.aliases.iter().any(|alias| matches(alias)))
}

/// The language of a file, by the longest ending of its name that a language claims.
pub fn language_of_path(path: &str) -> Option<Language> {
    claim(path).map(|(language, _)| language)
}

/// The ending of a file's name by which [`language_of_path`] knows it; what [`extract`] takes as `extension`.
pub fn extension_of_path(path: &str) -> Option<&'static str> {
    claim(path).map(|(_, extension)| extension)
}

fn claim(path: &str) -> Option<(Language, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
    // Endings come longest first: `d.ts` before `ts`.
    endings.into_iter().find_map(|ending| {
        languages().iter().find_map(|language| {
            let known = language.extensions.iter().find(|known| known.eq_ignore_ascii_case(ending))?;
            Some((*language, *known))
        })
    })
}

/// The facts of one file's text. Never fails: what cannot be parsed is named in the diagnostics.
///
/// # Panics
/// If `language` is not one of [`languages`], or `source` is longer than 4 GiB.
pub fn extract(language: Language, extension: &str, source: &str) -> FileFacts {
    let frontend = FRONTENDS.iter().find(|frontend| frontend.languages().contains(&language));
    let mut facts = frontend.expect("a language comes from the registry").extract(extension, source);
    facts.shrink_to_fit();
    facts
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
    fn languages_are_found_by_name_and_alias() {
        assert_eq!(by_name("TS").map(|language| language.name), Some("typescript"));
        assert_eq!(by_name("rust").map(|language| language.name), Some("rust"));
        assert_eq!(by_name("cobol"), None);
    }
}
