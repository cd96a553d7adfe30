//! Rules for every file of the tree.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// Maximum number of lines of a source file; longer files hold a second idea.
const MAX_LINES: usize = 1000;

/// Exceptions that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];

/// Prefixes of paths that exist on only one machine.
const MACHINE_PATHS: &[&str] = &["/home/", "/root/", "/tmp/", "/Users/", "C:\\Users\\"];

/// Files that may contain such a path, each with its reason.
const NAMES_MACHINE_PATHS: &[(&str, &str)] = &[
    ("packaging/container/Containerfile", "names the home directory of the image's user"),
    ("xtask/src/tidy/sources.rs", "says what to look for"),
];

pub(super) fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for file in files {
        // Files that are not text contain no paths for readers.
        let Ok(text) = String::from_utf8(fs::read(root.join(file))?) else { continue };
        problems.extend(length_problem(file, &text, LONG));
        problems.extend(docs_problem(file, &text));
        problems.extend(path_problem(file, &text, NAMES_MACHINE_PATHS));
    }
    for (file, _) in LONG.iter().chain(NAMES_MACHINE_PATHS) {
        if !files.iter().any(|known| known == file) {
            problems.push(format!(
                "xtask/src/tidy/sources.rs makes an exception for {file}, which does not exist"
            ));
        }
    }
    Ok(problems)
}

fn length_problem(file: &str, text: &str, exceptions: &[(&str, &str)]) -> Option<String> {
    let lines = text.lines().count();
    let listed = exceptions.iter().any(|(name, _)| *name == file);
    match (file.ends_with(".rs") && lines > MAX_LINES, listed) {
        (true, false) => Some(format!("{file} has {lines} lines; what is its second idea?")),
        (false, true) => Some(format!("{file} is listed as longer than {MAX_LINES} lines and is not")),
        _ => None,
    }
}

/// Checks that no file disables the compiler warning for undocumented public items.
fn docs_problem(file: &str, text: &str) -> Option<String> {
    let silenced = text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with('#') && line.contains("missing_docs")
    });
    (file.ends_with(".rs") && silenced).then(|| format!("{file} silences missing_docs"))
}

fn path_problem(file: &str, text: &str, exceptions: &[(&str, &str)]) -> Option<String> {
    if exceptions.iter().any(|(name, _)| *name == file) {
        return None;
    }
    let (number, path) = text.lines().enumerate().find_map(|(index, line)| {
        MACHINE_PATHS.iter().find(|path| names_path(line, path)).map(|path| (index + 1, path))
    })?;
    Some(format!("{file}:{number} names a path of one machine ({path})"))
}

/// True if a line contains an absolute path with this prefix, unlike `src/home/` and `https://example.org/tmp/`.
fn names_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~/})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_without_a_reason_is_found() {
        let long = "\n".repeat(MAX_LINES + 1);
        assert!(length_problem("a.rs", &long, &[]).is_some());
        assert!(length_problem("a.rs", &long, &[("a.rs", "a table")]).is_none());
        assert!(length_problem("a.rs", &long[1..], &[]).is_none());
        assert!(length_problem("a.md", &long, &[]).is_none());
    }

    #[test]
    fn a_reason_that_is_no_longer_needed_is_found() {
        assert!(length_problem("a.rs", "", &[("a.rs", "a table")]).is_some());
    }

    #[test]
    fn switching_off_the_documentation_lint_is_found() {
        assert!(docs_problem("a.rs", "    #![allow(missing_docs)]").is_some());
        assert!(docs_problem("a.rs", "// missing_docs is on").is_none());
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        assert!(
            path_problem("a.md", "\nsee /home/jo/notes", &[]).is_some_and(|it| it.starts_with("a.md:2 "))
        );
        assert!(path_problem("a.md", "dir = \"/tmp/x\"", &[]).is_some());
        assert!(path_problem("a.md", "src/home/mod.rs, https://example.org/tmp/x", &[]).is_none());
        assert!(path_problem("a.md", "/home/jo/notes", &[("a.md", "an example")]).is_none());
    }
}
