//! Suggestion for an action.

use std::path::Path;

use sscg::parse::FileType;

use super::event::{Action, Event};

/// Size in bytes from which a file is better read in parts.
const LARGE: u64 = 24_000;

/// Maximum number of names in a suggestion.
const MAX_NAMES: usize = 5;
/// Maximum length of a name or path in a suggestion, in bytes.
const MAX_NAME_LENGTH: usize = 100;

/// Keywords before a name in a search for its declaration.
const KEYWORDS: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "impl",
    "import",
    "interface",
    "let",
    "module",
    "mod",
    "new",
    "pub",
    "return",
    "static",
    "struct",
    "trait",
    "type",
    "use",
    "var",
];

/// Returns the suggestion for an event, if the server could do better: a search in the whole project or a directory of it,
/// or the read of a large file of code.
pub(super) fn suggest(event: &Event) -> Option<String> {
    let directory = &event.directory;
    match &event.action {
        Action::Text { pattern, paths, files } => {
            let is_narrow = paths.iter().any(|path| directory.join(path).is_file());
            let is_other = files.as_deref().is_some_and(is_about_other_files);
            if is_narrow || is_other {
                return None;
            }
            Some(match names_in(pattern) {
                Some(names) => format!(
                    "The MCP server sscg answers this in one call: `look_up` with `names` {} and `mode` `mentions` \
                     lists every use with its declaration, `callers` the calls, `show` the code. Grep stays right for \
                     files that are not code.",
                    serde_json::to_string(&names).ok()?
                ),
                None => "The MCP server sscg may answer this in one call: `search_code` with the question in plain \
                         words and `terms`, guesses at names, returns the code and what it is connected with; `look_up` \
                         with `mode` `text` lists every line with a text. Grep stays right for files that are not code."
                    .to_owned(),
            })
        }
        Action::Files { pattern } => {
            if pattern
                .as_deref()
                .is_some_and(|pattern| names_a_file(pattern) || is_about_other_files(pattern))
            {
                return None;
            }
            Some(
                "The MCP server sscg finds the files for a question: `search_code` with the question in plain words; \
                 `look_up` with `mode` `outline` and a directory lists its files with their declarations."
                    .to_owned(),
            )
        }
        Action::Read { path } => {
            let is_code = FileType::of_path(path).is_some_and(FileType::is_code);
            let size = directory.join(path).metadata().ok()?.len();
            if !is_code || size < LARGE || path.len() > MAX_NAME_LENGTH {
                return None;
            }
            let path = Path::new(path).strip_prefix(directory).unwrap_or(Path::new(path)).display();
            Some(format!(
                "This file is large. With the MCP server sscg, `look_up` with `names` [\"{path}\"] and `mode` `outline` \
                 lists its declarations with their lines, and `show` prints those that you name, or [\"{path}:40-90\"]."
            ))
        }
    }
}

/// True if a pattern of file names has an extension that is not one of code.
fn is_about_other_files(pattern: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or(pattern);
    let extension =
        last.rsplit_once('.').map(|(_, extension)| extension).filter(|it| !it.contains(['*', '{']));
    let is_code =
        |extension: &str| FileType::of_path(&format!("x.{extension}")).is_some_and(FileType::is_code);
    extension.is_some_and(|extension| !is_code(extension))
}

/// True if a pattern is the name of a file, in any directory.
fn names_a_file(pattern: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or(pattern);
    !last.contains(['*', '?', '[', '{'])
}

/// Returns the names that a regular expression looks for, if it looks for nothing else: `def close\(` or `Retry|Backoff`.
fn names_in(pattern: &str) -> Option<Vec<String>> {
    let pattern = pattern.replace("\\|", "|").replace("\\b", "").replace("\\s+", " ").replace("\\s*", " ");
    let alternatives: Vec<&str> = pattern.trim_matches(['(', ')', '^', '$']).split('|').collect();
    let name = |text: &str| {
        let text = text.trim().trim_end_matches(['(', '\\', ' ', ':', '{', '<', '=']);
        let words = text.split_whitespace().filter(|word| !KEYWORDS.contains(word));
        let words: Vec<&str> = words.collect();
        let [name] = words.as_slice() else { return None };
        // A dot is any character, and separates names as well.
        let name = name.rsplit(['.', ':']).next()?.trim_start_matches('\\');
        let is_name = name.chars().all(|char| char.is_alphanumeric() || char == '_')
            && name.chars().any(char::is_alphabetic);
        (is_name && name.len() <= MAX_NAME_LENGTH).then(|| name.to_owned())
    };
    let names: Option<Vec<String>> = alternatives.into_iter().map(name).collect();
    names.filter(|names| names.len() <= MAX_NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_searches_for_declarations_and_uses() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("close", Some(&["close"])),
            (r"def close\(", Some(&["close"])),
            (r"\bRetry\b", Some(&["Retry"])),
            ("(Retry|Backoff)", Some(&["Retry", "Backoff"])),
            (r"Retry\|Backoff", Some(&["Retry", "Backoff"])),
            (r"self\.close\(", Some(&["close"])),
            (r"class\s+Session", Some(&["Session"])),
            ("MAX_RETRIES =", Some(&["MAX_RETRIES"])),
            ("how are retries done", None),
            ("retry.*backoff", None),
            ("TODO: fix", None),
            ("", None),
            ("a|b|c|d|e|f", None),
            ("404", None),
        ];
        for (pattern, expected) in cases {
            let names = names_in(pattern);
            let names = names.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(names.as_deref(), *expected, "{pattern}");
        }
    }
}
