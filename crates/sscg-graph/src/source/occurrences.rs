//! Results of other programs: names in files, and the declarations that they refer to.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sscg_core::{Project, Provenance};

use super::site::NamedSites;
use crate::graph::ExternalSymbol;

/// Occurrences of names in the files of a project, each with its target, as another program found them.
///
/// A name is identified by its line and its text rather than by a column, like the edges of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrences {
    /// Program that found them.
    pub provenance: Provenance,
    /// Files, by path; also those that only declare targets.
    pub files: Vec<FileOccurrences>,
    /// Targets of all files.
    pub targets: Vec<Target>,
}

/// Occurrences of names in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOccurrences {
    /// Path relative to the project's root, with forward slashes.
    pub path: Box<str>,
    /// BLAKE3 hash of the text in which they were found.
    pub hash: [u8; 32],
    /// Occurrences; [`Occurrences::sort`] brings them in order.
    pub occurrences: Vec<Occurrence>,
}

/// Occurrence of a name that refers to a declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Occurrence {
    /// 1-based line.
    pub line: u32,
    /// Name as written: one segment, without quotes.
    pub name: Box<str>,
    /// Index of the target among those of all files.
    pub target: u32,
}

/// Entity that a name refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Target {
    /// Declaration of the project, at one or more sites; none if the program knows no declaration.
    Declared(Vec<DeclarationSite>),
    /// Declaration outside of the project.
    External(ExternalSymbol),
}

/// Site of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeclarationSite {
    /// Path of the file relative to the project's root.
    pub path: Box<str>,
    /// 1-based line of the declared name; 0 for the file itself.
    pub line: u32,
    /// Declared name; empty for the file itself.
    pub name: Box<str>,
}

impl Occurrences {
    /// Creates an empty list.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, files: Vec::new(), targets: Vec::new() }
    }

    /// Returns the number of occurrences.
    pub fn len(&self) -> usize {
        self.files.iter().map(|file| file.occurrences.len()).sum()
    }

    /// Returns true if there are no occurrences.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.occurrences.is_empty())
    }

    /// Sorts files by path, and the occurrences of each by line and name. O(n log n).
    pub fn sort(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.files.iter_mut().for_each(|file| file.occurrences.sort_unstable());
    }

    /// Removes the occurrences at sites where the facts of a file have no reference and no import: they can have no edge.
    /// Returns their number. Decodes the facts of the files. O(occurrences + references).
    pub fn retain_references(&mut self, project: &Project) -> usize {
        let before = self.len();
        for FileOccurrences { path, occurrences, .. } in &mut self.files {
            match project.file_at(path) {
                Some(file) => {
                    let known = NamedSites::new(&project.files()[file].facts);
                    occurrences.retain(|it| known.has(it.line, &it.name));
                }
                None => occurrences.clear(),
            }
        }
        before - self.len()
    }

    /// Replaces the occurrences of each file that `newer` has, and adds its other files. O(n log n).
    ///
    /// # Panics
    /// Panics if the provenances differ.
    pub fn update(&mut self, newer: Self) {
        assert_eq!(self.provenance, newer.provenance, "both come from one kind of program");
        let replaced: FxHashSet<&str> = newer.files.iter().map(|file| &*file.path).collect();
        self.files.retain(|file| !replaced.contains(&*file.path));
        let first = self.targets.len() as u32;
        self.targets.extend(newer.targets);
        self.files.extend(newer.files.into_iter().map(|mut file| {
            file.occurrences.iter_mut().for_each(|occurrence| occurrence.target += first);
            file
        }));
        self.compact();
    }

    /// Merges equal targets, drops unused ones, and sorts. O(n log n).
    pub fn compact(&mut self) {
        let mut used = vec![false; self.targets.len()];
        for occurrence in self.files.iter_mut().flat_map(|file| &mut file.occurrences) {
            if let Some(used) = used.get_mut(occurrence.target as usize) {
                *used = true;
            }
        }
        let targets = std::mem::take(&mut self.targets);
        let mut sorted: Vec<(Target, u32)> =
            targets.into_iter().zip(0..).filter(|(_, at)| used[*at as usize]).collect();
        sorted.sort_unstable();
        let mut moved = vec![u32::MAX; used.len()];
        for (target, at) in sorted {
            if self.targets.last() != Some(&target) {
                self.targets.push(target);
            }
            moved[at as usize] = self.targets.len() as u32 - 1;
        }
        for file in &mut self.files {
            file.occurrences.retain(|it| (it.target as usize) < moved.len());
            file.occurrences.iter_mut().for_each(|it| it.target = moved[it.target as usize]);
        }
        self.sort();
    }
}
