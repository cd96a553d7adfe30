//! Wording of comments and pages: first words of doc comments, from which clap also takes help texts, and phrases that have
//! a field term. String literals are not checked.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// First words without a subject: a doc comment begins with a noun or a verb.
const FIRST_WORDS: &[&str] = &["what", "how", "whether", "so", "whoever", "wherever", "such"];

/// Phrases that personify code or leave the subject out.
const PHRASES: &[&str] = &["so many", "so sure", "tell of", "told of", "is that of"];

/// Files that contain the words for a reason.
const EXCEPTIONS: &[(&str, &str)] = &[("xtask/src/tidy/words.rs", "lists the words")];

pub(super) fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| !EXCEPTIONS.iter().any(|(name, _)| name == file)) {
        if is_own_code(file) {
            problems.extend(code_problems(file, &fs::read_to_string(root.join(file))?));
        } else if is_own_page(file) {
            problems.extend(page_problems(file, &fs::read_to_string(root.join(file))?));
        }
    }
    for (file, _) in EXCEPTIONS {
        if !files.iter().any(|known| known == file) {
            problems.push(format!("xtask/src/tidy/words.rs lists {file}, which does not exist"));
        }
    }
    Ok(problems)
}

/// True for Rust code of the project. Fixtures are code of others, or imitate it.
fn is_own_code(file: &str) -> bool {
    let directories = ["crates/", "xtask/", "examples/", "fuzz/"];
    file.ends_with(".rs") && directories.iter().any(|directory| file.starts_with(directory))
}

fn is_own_page(file: &str) -> bool {
    file.ends_with(".md") && !file.starts_with("fixtures/")
}

/// First words of doc comments, and phrases in all comments.
fn code_problems(file: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    // Marker of the doc comment that the line continues.
    let mut continued = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let doc =
            ["///", "//!"].into_iter().find_map(|marker| Some((marker, line.strip_prefix(marker)?.trim())));
        if let Some((marker, words)) =
            doc.filter(|(marker, words)| continued != Some(*marker) && !words.is_empty())
        {
            problems.extend(first_word_problem(file, at, words));
            continued = Some(marker);
        } else if doc.is_none() {
            continued = None;
        }
        problems.extend(comment(line).and_then(|comment| phrase_problem(file, at, comment)));
    }
    problems
}

/// Returns the comment of a line. `//` inside a word, as in an address, begins none.
fn comment(line: &str) -> Option<&str> {
    let mut starts = line.match_indices("//").map(|(at, _)| at);
    starts.find(|at| line[..*at].chars().next_back().is_none_or(char::is_whitespace)).map(|at| &line[at..])
}

fn first_word_problem(file: &str, at: usize, words: &str) -> Option<String> {
    let is_letter = |letter: char| letter.is_alphabetic();
    let word =
        words.trim_start_matches(|letter| !is_letter(letter)).split(|letter| !is_letter(letter)).next()?;
    let is_listed = FIRST_WORDS.contains(&word.to_lowercase().as_str());
    is_listed.then(|| {
        format!(
            "{file}:{} begins with `{word}`: begin with a noun or a verb (CONTRIBUTING.md, Rules)",
            at + 1
        )
    })
}

/// Phrases in prose. Fenced code is not prose.
fn page_problems(file: &str, text: &str) -> Vec<String> {
    let mut is_code = false;
    let prose = text.lines().enumerate().filter(|(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    prose.filter_map(|(at, line)| phrase_problem(file, at, line)).collect()
}

fn phrase_problem(file: &str, at: usize, text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let phrase = PHRASES.iter().find(|phrase| has_words(&text, phrase))?;
    Some(format!("{file}:{} contains `{phrase}`: use the field's term (CONTRIBUTING.md, Rules)", at + 1))
}

fn has_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doc_comment_without_a_subject_is_found() {
        for text in [
            "/// What it returns.\nfn a() {}\n",
            "    //! How it is done.\n",
            "/// What's left.\n",
            "/// Whether, or not.\n",
            "/// *What* it is.\n",
            "///\n/// So it is.\n",
            "//! The page.\n/// What follows.\n",
            "/// A.\nfn a() {}\n/// Such as b.\n",
        ] {
            assert_eq!(code_problems("a.rs", text).len(), 1, "{text:?}");
        }
        for text in [
            "/// Returns the name.\n/// What follows is a second line.\n",
            "/// Returns the name.\n///\n/// How it is made.\n",
            "/// Whatever is left.\n// What a reader asks.\n",
            "/// Some of them.\n",
        ] {
            assert!(code_problems("a.rs", text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_phrase_is_found_in_comments_and_prose_and_not_in_code() {
        assert_eq!(code_problems("a.rs", "let a = 1; // so many of them\n").len(), 1);
        assert!(code_problems("a.rs", "let a = \"so many\";\n").is_empty());
        assert!(code_problems("a.rs", "let a = \"https://so many\";\n").is_empty());
        assert_eq!(page_problems("a.md", "It is that of\n```\nso many\n```\n").len(), 1);
        for text in ["also many\n", "so manyfold\n", "foretell of\n", "tell often\n"] {
            assert!(page_problems("a.md", text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn own_code_and_pages_are_checked() {
        for (file, code, page) in [
            ("crates/a/src/lib.rs", true, false),
            ("fuzz/src/lib.rs", true, false),
            ("fixtures/parser/rust/a.rs", false, false),
            ("docs/a.md", false, true),
            ("fixtures/eval/README.md", false, false),
        ] {
            assert_eq!((is_own_code(file), is_own_page(file)), (code, page), "{file}");
        }
    }
}
