//! Wording of documentation: first words of doc comments and help texts, and phrases that have a field term.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// First words without a subject: a doc comment begins with a noun or a verb.
const FIRST_WORDS: &[&str] = &["What", "How", "Whether", "So", "Whoever", "Wherever", "Such"];

/// Phrases that personify code or leave the subject out.
const PHRASES: &[&str] = &["so many", "so sure", "tell of", "told of", "is that of"];

/// Files that contain the words for a reason.
const EXCEPTIONS: &[(&str, &str)] = &[("xtask/src/tidy/words.rs", "lists the words")];

const HINT: &str = "begin with a noun or a verb, and use the field's term (CONTRIBUTING.md, Rules)";

pub(super) fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for file in files {
        let is_listed = EXCEPTIONS.iter().any(|(name, _)| name == file);
        if is_listed || !(is_own_code(file) || is_own_page(file)) {
            continue;
        }
        let text = fs::read_to_string(root.join(file))?;
        problems.extend(if file.ends_with(".rs") {
            code_problems(file, &text)
        } else {
            page_problems(file, &text)
        });
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
    let mut continues = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let first = doc.and_then(|doc| doc.split_whitespace().next()).unwrap_or_default();
        if !continues && FIRST_WORDS.contains(&first) {
            problems.push(format!("{file}:{} begins with `{first}`: {HINT}", at + 1));
        }
        continues = doc.is_some();
        if let Some((_, comment)) = line.split_once("//") {
            problems.extend(phrase_problem(file, at, comment));
        }
    }
    problems
}

/// Phrases in prose. Fenced code and quotes of output are not prose.
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
    Some(format!("{file}:{} contains `{phrase}`: {HINT}", at + 1))
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
        assert_eq!(code_problems("a.rs", "/// What it returns.\nfn a() {}\n").len(), 1);
        assert_eq!(code_problems("a.rs", "    //! How it is done.\n").len(), 1);
        assert!(
            code_problems("a.rs", "/// Returns the name.\n/// What follows is a second line.\n").is_empty()
        );
        assert!(code_problems("a.rs", "/// Whatever is left.\n// What a reader asks.\n").is_empty());
    }

    #[test]
    fn a_phrase_is_found_in_comments_and_prose_and_not_in_code() {
        assert_eq!(code_problems("a.rs", "let a = 1; // so many of them\n").len(), 1);
        assert!(code_problems("a.rs", "let a = \"so many\";\n").is_empty());
        assert_eq!(page_problems("a.md", "It is that of\n```\nso many\n```\n").len(), 1);
        assert!(page_problems("a.md", "also manyfold, install ofs\n").is_empty());
    }
}
