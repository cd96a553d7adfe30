//! Data flow between files against the direction of imports: arguments of calls to the functions that they run, and
//! assignments to attributes of instances outside their classes.
//!
//! An argument may be a parameter of the calling function. All calls are therefore evaluated in rounds, in each of
//! which parameters hold the arguments of the previous round. A file whose calls see nothing new in a round passes the
//! same values as before, so later rounds cover few files.

use std::mem;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sscg_core::{Confidence, FileId, IndexVec, LocalFunction};

use super::Reads;
use super::abstract_value::{AbstractValue, ValuesOf, merged};
use super::tables::{Decl, LookupKey, hash_of};

/// Number of rounds: arguments are followed through at most this many functions that pass on a parameter.
pub(super) const ROUNDS: usize = 2;

/// Maximum number of abstract values passed to a target; with more, it counts as unknown.
pub(super) const MAX_PASSED: usize = 32;

/// Target of values passed by code anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum FlowTarget {
    /// Parameter at this position of a function.
    Parameter(FileId, LocalFunction, u8),
    /// Attribute of a class and its instances, by the hash of its name.
    Attribute(Decl, u64),
}

impl FlowTarget {
    pub(super) fn attribute(class: Decl, name: &str) -> Self {
        Self::Attribute(class, hash_of(name))
    }

    /// Returns the key for a lookup of the values passed to the target.
    pub(super) fn key(self) -> LookupKey {
        LookupKey::new(hash_of(&("passed", self)))
    }
}

/// Abstract values that outlive the project they were found in.
pub(super) type Kept = ValuesOf<Box<str>>;

/// Values that a file passes, by target.
pub(super) type FilePassed = Vec<(FlowTarget, Kept)>;

/// Values that all files pass, by target.
#[derive(Clone, Default)]
pub(super) struct Passed(FxHashMap<FlowTarget, TargetValues>);

#[derive(Clone, Default)]
struct TargetValues {
    /// Values by file, in the order of the project.
    by_file: Vec<(FileId, Kept)>,
    all: Kept,
}

impl Passed {
    /// Returns the values passed to a target.
    pub(super) fn to(&self, target: FlowTarget) -> impl Iterator<Item = (AbstractValue<'_>, Confidence)> {
        let all = self.0.get(&target).map_or(&[][..], |target| &target.all);
        all.iter().map(|(pointee, sure)| (pointee.map(|text| &**text), *sure))
    }

    fn replace(&mut self, target: FlowTarget, file: FileId, pointees: Option<Kept>) {
        let by_file = &mut self.0.entry(target).or_default().by_file;
        let at = by_file.binary_search_by_key(&file, |(file, _)| *file);
        match (at, pointees) {
            (Ok(at), Some(pointees)) => by_file[at].1 = pointees,
            (Ok(at), None) => drop(by_file.remove(at)),
            (Err(at), Some(pointees)) => by_file.insert(at, (file, pointees)),
            (Err(_), None) => {}
        }
    }

    /// Merges the values passed to a target again. Returns true if they differ from before.
    fn merge(&mut self, target: FlowTarget) -> bool {
        let Some(passed) = self.0.get_mut(&target) else { return false };
        let all = merged(passed.by_file.iter().flat_map(|(_, pointees)| pointees.iter().cloned()));
        let all = if all.len() > MAX_PASSED { Vec::new() } else { all };
        let before = mem::replace(&mut passed.all, all);
        let is_changed = before != passed.all;
        if passed.by_file.is_empty() {
            self.0.remove(&target);
        }
        is_changed
    }
}

fn in_file(passed: &FilePassed, target: FlowTarget) -> Option<&Kept> {
    let at = passed.binary_search_by_key(&target, |(target, _)| *target).ok()?;
    Some(&passed[at].1)
}

/// Values passed in one round, in which parameters hold the values of the previous round.
#[derive(Clone, Default)]
pub(super) struct Round {
    /// Results of each file, mostly shared with the round before.
    pub(super) files: IndexVec<FileId, Arc<(FilePassed, Reads)>>,
    pub(super) passed: Passed,
}

impl Round {
    /// Creates an empty round.
    pub(super) fn new(files: usize) -> Self {
        let nothing = Arc::default();
        Self { files: (0..files).map(|_| Arc::clone(&nothing)).collect(), passed: Passed::default() }
    }

    /// Returns the reads of a file.
    pub(super) fn reads(&self, file: FileId) -> &Reads {
        &self.files[file].1
    }

    /// Returns the files that read one of these targets.
    pub(super) fn readers(&self, targets: &FxHashSet<LookupKey>) -> Vec<FileId> {
        let reads = |file: &FileId| self.reads(*file).names.iter().any(|name| targets.contains(name));
        self.files.ids().filter(reads).collect()
    }

    /// Replaces the values that some files pass, and returns the keys of the targets that changed.
    pub(super) fn update(
        &mut self,
        files: &[FileId],
        found: Vec<(FilePassed, Reads)>,
    ) -> FxHashSet<LookupKey> {
        let mut touched = FxHashSet::default();
        for (&file, found) in files.iter().zip(found) {
            let before = mem::replace(&mut self.files[file], Arc::new(found));
            let (before, after) = (&before.0, &self.files[file].0);
            for (target, _) in before.iter().filter(|(target, _)| in_file(after, *target).is_none()) {
                self.passed.replace(*target, file, None);
                touched.insert(*target);
            }
            for (target, pointees) in after {
                if in_file(before, *target) != Some(pointees) {
                    self.passed.replace(*target, file, Some(pointees.clone()));
                    touched.insert(*target);
                }
            }
        }
        let changed = touched.into_iter().filter(|target| self.passed.merge(*target));
        changed.map(FlowTarget::key).collect()
    }
}
