//! Words of a snapshot's paths, indexed for questions.

use rustc_hash::FxHashMap;
use sscg_core::{FileId, Id, ModuleSystem};
use sscg_index::{Snapshot, query_terms};

use super::Term;

/// Distinct words of all paths and their uses by files; cached with the snapshot.
#[derive(Debug, Default)]
pub(crate) struct PathWords {
    words: Vec<Box<str>>,
    uses: Vec<PathWord>,
    /// End of each file's uses.
    ends: Vec<u32>,
}

/// Word in a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathWord {
    /// Number of the word.
    pub(crate) word: u32,
    /// 0 for the file's name, 1 for the innermost directory, and so on.
    pub(crate) level: u8,
    /// True if the word identifies the file: a part of its name, or of its directory's name if its own is generic.
    pub(crate) names_file: bool,
}

impl PathWord {
    /// Returns the weight of the word: `name` in the file's name, `directory` in the innermost directory, and `decay` of
    /// that in each further one.
    pub(crate) fn weight(self, name: f64, directory: f64, decay: f64) -> f64 {
        match self.level {
            0 => name,
            level => directory * decay.powi(i32::from(level) - 1),
        }
    }
}

/// File names that stand for their directory, as word stems.
const DIRECTORY_FILES: &[&str] = &["index", "init", "lib", "main", "mod"];

impl PathWords {
    /// Builds the table. O(words in paths).
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let project_names = project_names(snapshot);
        let mut table = Self::default();
        let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
        for file in snapshot.project.files().ids() {
            let path = snapshot.lexical().path_terms(file);
            let mut stem = path.stem();
            let stands_for_directory = match (stem.next(), stem.next()) {
                (Some(only), None) => DIRECTORY_FILES.contains(&only.text),
                (first, _) => first.is_none(),
            };
            let naming_level = u8::from(stands_for_directory);
            let mut push = |text, is_compound: bool, level: u8| {
                let next = table.words.len() as u32;
                let word = *ids.entry(text).or_insert(next);
                if word == next {
                    table.words.push(Box::from(text));
                }
                let names_file =
                    level == naming_level && !is_compound && !project_names.iter().any(|name| name == text);
                table.uses.push(PathWord { word, level, names_file });
            };
            path.stem().for_each(|term| push(term.text, term.is_compound, 0));
            for (directory, level) in path.directories().zip(1..) {
                directory.for_each(|term| push(term.text, term.is_compound, level));
            }
            table.ends.push(table.uses.len() as u32);
        }
        table
    }

    /// Returns the words of a file's path, innermost first.
    pub(crate) fn uses(&self, file: FileId) -> &[PathWord] {
        let end = |file: usize| self.ends[file] as usize;
        let start = file.index().checked_sub(1).map_or(0, end);
        &self.uses[start..end(file.index())]
    }

    /// Returns the text of a word, analyzed.
    pub(crate) fn text(&self, used: PathWord) -> &str {
        &self.words[used.word as usize]
    }

    /// Returns the numbers of the terms that equal each word, by [`PathWord::word`]. O(words + terms).
    pub(crate) fn equal_terms(&self, terms: &[Term]) -> Vec<Vec<u32>> {
        let mut numbers: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (term, number) in terms.iter().zip(0..) {
            numbers.entry(&term.text).or_default().push(number);
        }
        self.words.iter().map(|word| numbers.get(&**word).cloned().unwrap_or_default()).collect()
    }

    /// Returns the path words that a question mentions.
    pub(crate) fn mentions(&self, terms: &[Term]) -> Mentions {
        let mut mentions = Mentions { first: vec![0; self.words.len() + 1], found: Vec::new() };
        for (word, first) in self.words.iter().zip(&mut mentions.first[1..]) {
            for (at, term) in terms.iter().enumerate() {
                let similarity = similarity(&term.text, word);
                if similarity > 0.0 {
                    mentions.found.push((at as u32, similarity));
                }
            }
            *first = mentions.found.len() as u32;
        }
        mentions
    }
}

/// Returns the names of the project and its packages, as terms. They identify no single file.
fn project_names(snapshot: &Snapshot) -> Vec<String> {
    let root = snapshot.root.file_name().unwrap_or_default().to_string_lossy();
    let packages = snapshot.project.packages().iter();
    // Those of Python are directories, named by their manifests or not.
    let packages = packages.filter(|package| package.modules != ModuleSystem::PythonPackages);
    let packages = packages.map(|package| &*package.name);
    packages.chain([&*root]).flat_map(query_terms).collect()
}

/// Path words that a question mentions.
#[derive(Debug)]
pub(crate) struct Mentions {
    first: Vec<u32>,
    found: Vec<(u32, f64)>,
}

impl Mentions {
    /// Returns the question's terms that are similar to the word, each with its similarity; 1 is equality.
    pub(crate) fn of(&self, used: PathWord) -> &[(u32, f64)] {
        let word = used.word as usize;
        &self.found[self.first[word] as usize..self.first[word + 1] as usize]
    }
}

/// Minimum length of a word that may abbreviate another one as its prefix.
const PREFIX_LETTERS: usize = 3;

/// Returns the similarity of a question term and a path word: people write `config` for `configuration` and the other
/// way round.
fn similarity(term: &str, word: &str) -> f64 {
    if term == word {
        1.0
    } else if term.len().min(word.len()) >= PREFIX_LETTERS
        && (term.starts_with(word) || word.starts_with(term))
    {
        0.8
    } else {
        0.0
    }
}
