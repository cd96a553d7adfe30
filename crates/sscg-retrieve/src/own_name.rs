//! Removal of the project's own name from questions: it is where to search, not what to find.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use sscg_core::{ModuleSystem, Package, ProjectFile};
use sscg_index::{Snapshot, query_terms, words};

use crate::thesaurus::Thesaurus;

/// Names of the project; cached with the snapshot.
#[derive(Debug)]
pub(crate) struct OwnNames {
    /// Case-insensitive matcher of the longest name at an offset.
    finder: Option<AhoCorasick>,
}

/// Minimum number of terms of a question from which the project's name is removed.
const FEW_TERMS: usize = 3;

/// Words next to a name that mark it as the name of a declaration.
const KINDS: &[&str] = &[
    "class",
    "component",
    "constructor",
    "enum",
    "function",
    "instance",
    "interface",
    "method",
    "object",
    "struct",
    "trait",
    "type",
];

impl OwnNames {
    /// Collects the names of the project's directory, of the package at its root, of a package whose name begins most
    /// package names, and of the only Python package at the root. O(files + packages).
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let root = snapshot.root.file_name().unwrap_or_default().to_string_lossy();
        // Those of Python are directories, named by their manifests or not.
        let packages = snapshot.project.packages().iter();
        let packages: Vec<&Package> =
            packages.filter(|package| package.modules != ModuleSystem::PythonPackages).collect();
        let leads = |name: &str| {
            let lead = query_terms(name);
            let led = packages.iter().filter(|other| query_terms(&other.name).first() == lead.first());
            lead.len() == 1 && 2 * led.count() > packages.len()
        };
        let called = packages.iter().filter(|package| package.dir.is_empty() || leads(&package.name));
        // If there are several Python packages, none of them is the project.
        let mut imported = snapshot.project.files().iter().filter_map(import_package);
        let only = imported.next().filter(|_| imported.next().is_none());
        Self::of(called.map(|package| &*package.name).chain(only).chain([&*root]))
    }

    fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut names: Vec<&str> = names.filter(|name| words(name).next().is_some()).collect();
        names.sort_unstable();
        names.dedup();
        let mut finder = AhoCorasick::builder();
        finder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        Self { finder: finder.build(names).ok() }
    }

    /// Removes the project's name from a question wherever it can only be the project: it is no word with another
    /// meaning and not written as code. O(question).
    pub(crate) fn left_out<'q>(&self, question: &'q str) -> Cow<'q, str> {
        let found = self.finder.iter().flat_map(|finder| finder.find_iter(question));
        let found: Vec<Range<usize>> =
            found.map(|found| found.range()).filter(|range| is_project(question, range)).collect();
        if found.is_empty() || query_terms(question).len() < FEW_TERMS {
            return Cow::Borrowed(question);
        }
        let mut left = String::with_capacity(question.len());
        let mut start = 0;
        for range in found {
            left.push_str(&question[start..range.start]);
            start = range.end;
        }
        left.push_str(&question[start..]);
        if query_terms(&left).is_empty() { Cow::Borrowed(question) } else { Cow::Owned(left) }
    }
}

/// Returns the name of the Python package of an `__init__.py` at the root or in `src`, unless it is a test package.
fn import_package(file: &ProjectFile) -> Option<&str> {
    let directory = file.path.strip_suffix("/__init__.py")?;
    let name = directory.strip_prefix("src/").unwrap_or(directory);
    (!name.contains('/') && !name.starts_with("test")).then_some(name)
}

/// True if a name in a text is the project: it is not part of another word, has no adjacent characters that only code
/// has (`` `Name` ``, `Name(`, `Name.open`, `Name::new`), is not called a class or the like, and is no word of prose.
fn is_project(text: &str, range: &Range<usize>) -> bool {
    let (before, name, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let mut next = after.chars();
    let (sign, behind) = (next.next(), next.next());
    let is_part = |c: char| c.is_alphanumeric() || "_`:<@/-\"$.".contains(c);
    if before.ends_with(is_part) || sign.is_some_and(|c| c.is_alphanumeric() || "_`(</-{\"".contains(c)) {
        return false;
    }
    if matches!(sign, Some('.' | ':')) && behind.is_some_and(|c| !c.is_whitespace()) {
        return false;
    }
    let beside = [words(before).last(), words(after).next()];
    if beside.into_iter().flatten().any(|word| KINDS.contains(&word)) {
        return false;
    }
    // `API` and `HTTP` are words.
    let is_capital = name.starts_with(char::is_uppercase)
        && name.contains(char::is_lowercase)
        && !before.trim().is_empty();
    is_capital || !matches!(&query_terms(name)[..], [term] if Thesaurus::built_in().has(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_left_out_where_nothing_else_is_meant() {
        let names = OwnNames::of(["flask", "requests", "redux-toolkit"].into_iter());
        for (question, left) in [
            ("In Flask, how are cookies signed", "In , how are cookies signed"),
            ("how does flask sign session cookies", "how does  sign session cookies"),
            ("Flask's session cookies are not signed", "'s session cookies are not signed"),
            ("In Requests, where are headers merged", "In , where are headers merged"),
            ("does redux-toolkit freeze the state it gets", "does  freeze the state it gets"),
        ] {
            assert_eq!(names.left_out(question), left);
        }
        for kept in [
            "what does `Flask` do with session cookies",
            "why does Flask(__name__) fail when cookies are signed",
            "where does flask.json encode dates and decimals",
            "what does the Flask class do with cookies",
            "where are requests sent again after a timeout",
            "how does flask-sqlalchemy open its sessions",
            "which REQUESTS are sent again after a timeout",
            "flask cookies",
        ] {
            assert_eq!(names.left_out(kept), kept);
        }
    }
}
