//! Questions and the code that answers them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, Result};
use serde::Deserialize;
use sscg_core::LineRange;
use sscg_index::{query_terms, words};

/// A folder with `repositories.json` and `annotations/<name>.json`.
pub(crate) struct Dataset {
    folder: PathBuf,
    /// Repositories by name.
    pub(crate) repositories: BTreeMap<String, Repository>,
}

#[derive(Deserialize)]
pub(crate) struct Repository {
    pub(super) language: String,
    /// Folder to search, or the whole repository if absent. Paths of targets are relative to the repository's root.
    pub(crate) benchmark_root: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) query: String,
    category: String,
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
}

/// A file, or lines of it, that answers a question.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Target {
    File(String),
    Lines { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

impl Dataset {
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let repositories = read_json(&folder.join("repositories.json"))?;
        Ok(Self { folder: folder.to_owned(), repositories })
    }

    pub(crate) fn questions(&self, repository: &str) -> Result<Vec<Question>> {
        read_json(&self.folder.join(format!("annotations/{repository}.json")))
    }
}

impl Question {
    /// Returns the category: `semantic`, `bug` and so on.
    pub(super) fn category(&self) -> &str {
        &self.category
    }

    /// Returns the targets that an answer must include; the first of [`targets`](Self::targets).
    pub(super) fn relevant(&self) -> &[Target] {
        &self.relevant
    }

    /// Returns all targets; all have equal weight.
    pub(crate) fn targets(&self) -> Vec<&Target> {
        self.relevant.iter().chain(&self.secondary).collect()
    }
}

impl Target {
    pub(super) fn path(&self) -> &str {
        match self {
            Target::File(path) | Target::Lines { path, .. } => path,
        }
    }

    /// Returns the first and last line; `None` for the whole file.
    pub(super) fn lines(&self) -> Option<(u32, u32)> {
        match self {
            Target::Lines { start_line: Some(start), end_line: Some(end), .. } => Some((*start, *end)),
            _ => None,
        }
    }

    /// True if the lines of a file overlap the target.
    pub(crate) fn is_hit_by(&self, path: &str, lines: LineRange) -> bool {
        self.is_in(path) && self.lines().is_none_or(|(start, end)| lines.start <= end && start <= lines.end)
    }

    /// True if the target is the file, or in it; one path may be a suffix of the other.
    pub(crate) fn is_in(&self, path: &str) -> bool {
        let own = self.path();
        own == path || own.ends_with(&format!("/{path}")) || path.ends_with(&format!("/{own}"))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())?;
        self.lines().map_or(Ok(()), |(start, end)| write!(f, ":{start}-{end}"))
    }
}

/// Converts a path relative to the searched folder into one relative to the repository.
pub(crate) fn under(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}/{path}") }
}

/// Group of a question: named if it mentions the name of a file that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Named,
    Unnamed,
}

impl Group {
    /// Classifies a question. A target is named if the question has at least a third of the words of its file's name,
    /// compared as in the index: without stop words, by stem. One named target makes a named question.
    pub(super) fn of(question: &str, targets: &[&Target]) -> Self {
        let asked = query_terms(question);
        let is_named = |target: &&Target| {
            let parts = name_parts(target.path());
            let mentioned = parts.iter().filter(|part| asked.contains(part)).count();
            mentioned > 0 && mentioned * 3 >= parts.len()
        };
        if targets.iter().any(is_named) { Self::Named } else { Self::Unnamed }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Unnamed => "unnamed",
        }
    }
}

/// Files that are named after their directory.
const DIRECTORY_FILES: [&str; 6] = ["__init__", "index", "init", "lib", "main", "mod"];

/// Returns the words of a file's name as terms, each once.
fn name_parts(path: &str) -> Vec<String> {
    let mut levels = path.rsplit('/');
    let name = levels.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let called = if DIRECTORY_FILES.contains(&stem) { levels.next().unwrap_or(stem) } else { stem };
    let mut parts = Vec::new();
    for word in words(called) {
        let mut terms = query_terms(word);
        // A compound word yields its parts and then the joined word.
        if terms.len() > 1 {
            terms.pop();
        }
        parts.extend(terms);
    }
    parts.sort();
    parts.dedup();
    parts
}

pub(crate) fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not in the dataset's format", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_named_if_it_has_a_third_of_a_files_words() {
        let group = |question: &str, path: &str| Group::of(question, &[&Target::File(path.to_owned())]);
        assert_eq!(group("how are requests sent", "lib/core/dispatchRequest.js"), Group::Named);
        assert_eq!(group("how are bodies sent", "lib/core/dispatchRequest.js"), Group::Unnamed);
        assert_eq!(group("where is a timer kept", "src/a_b_c_timers.rs"), Group::Named);
        assert_eq!(group("where is a timer kept", "src/the_big_old_timers.rs"), Group::Unnamed);
        // A directory's own file is named after the directory.
        assert_eq!(group("the default values", "lib/defaults/index.js"), Group::Named);
        assert_eq!(group("an index of values", "lib/defaults/index.js"), Group::Unnamed);
        // The named file need not be the first.
        let targets = ["src/a.rs", "src/sleep.rs"].map(|path| Target::File(path.to_owned()));
        assert_eq!(Group::of("sleeping", &[&targets[0], &targets[1]]), Group::Named);
    }
}
