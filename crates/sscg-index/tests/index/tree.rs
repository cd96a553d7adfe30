//! Directory to index, with a directory for its index.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sscg_index::{Index, IndexOptions, RefreshReport, Snapshot, Storage};
use tempfile::TempDir;

pub(crate) struct Tree {
    dir: TempDir,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self { dir: tempfile::tempdir().expect("temporary directory") };
        fs::create_dir(tree.root()).expect("writable");
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    /// Returns the path of the tree as the index names it.
    pub(crate) fn root(&self) -> PathBuf {
        self.beside("tree")
    }

    /// Returns the path of a directory beside the tree.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("it exists").join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    pub(crate) fn open(&self) -> Index {
        self.open_tree(&self.root())
    }

    /// Opens another tree, with the same directory for indexes.
    pub(crate) fn open_tree(&self, root: &Path) -> Index {
        let storage = Storage::Directory(self.beside("index"));
        let options = IndexOptions::default().with_storage(storage);
        Index::open(root, &options).expect("the tree exists")
    }

    /// Refreshes the index as a new process would.
    pub(crate) fn index(&self) -> (Arc<Snapshot>, RefreshReport) {
        let (snapshot, report) = refresh(&mut self.open());
        check_like_new(&snapshot);
        (snapshot, report)
    }
}

pub(crate) fn refresh(index: &mut Index) -> (Arc<Snapshot>, RefreshReport) {
    let (snapshot, report) = index.refresh().expect("memory has no limit");
    assert_eq!(report.warnings, Vec::<String>::new());
    (snapshot, report)
}

/// Sets the modification time of a file to `seconds` ago. Files modified in the last seconds are read again.
pub(crate) fn set_age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("ours");
}

/// Checks that a snapshot equals that of a new index of the same tree, so that nothing of an earlier state is left.
pub(crate) fn check_like_new(snapshot: &Snapshot) {
    let options = IndexOptions::default().with_storage(Storage::Ephemeral);
    let (new, _) = refresh(&mut Index::open(&snapshot.root, &options).expect("the tree exists"));
    assert_eq!(paths(snapshot), paths(&new));
    assert_eq!(snapshot.skipped, new.skipped);
    assert_eq!(snapshot.unsupported, new.unsupported);
    assert_eq!(declarations(snapshot), declarations(&new));
    assert_eq!(edges(snapshot), edges(&new));
    assert_eq!(snapshot.graph.unresolved_references(), new.graph.unresolved_references());
    assert_eq!(snapshot.lexical().chunk_count(), new.lexical().chunk_count());
}

/// Returns the paths of the files of a snapshot.
pub(crate) fn paths(snapshot: &Snapshot) -> Vec<String> {
    snapshot.project.files().iter().map(|file| file.path.to_string()).collect()
}

/// Returns the keys of all declarations.
pub(crate) fn declarations(snapshot: &Snapshot) -> Vec<String> {
    let project = &snapshot.project;
    project.symbol_ids().map(|symbol| project.symbol_key(symbol)).collect()
}

/// Returns the edges as `source relation target`.
pub(crate) fn edges(snapshot: &Snapshot) -> Vec<String> {
    let label = |node| snapshot.graph.label(&snapshot.project, node);
    let edges = snapshot.graph.edges().iter();
    edges.map(|edge| format!("{} {} {}", label(edge.source), edge.relation, label(edge.target))).collect()
}

/// Counts the postings of a term.
pub(crate) fn chunks_with(snapshot: &Snapshot, word: &str) -> usize {
    let lexical = snapshot.lexical();
    let postings = |term| lexical.postings(&term).map(|file| file.iter().count()).sum();
    lexical.term(word).map_or(0, postings)
}
