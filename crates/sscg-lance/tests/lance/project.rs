//! Small projects on disk, and stores for them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sscg_index::{Index, IndexOptions, Snapshot, Storage};
use sscg_lance::{LanceOptions, LanceStore};
use tempfile::TempDir;

/// Creates a temporary directory for the stores of a test.
pub(crate) fn directory() -> TempDir {
    tempfile::tempdir().expect("temporary directory")
}

/// Opens the store of `project` in a directory.
pub(crate) fn store(directory: &Path, project: &str) -> Arc<LanceStore> {
    store_with(directory, project, LanceOptions::default())
}

pub(crate) fn store_with(directory: &Path, project: &str, options: LanceOptions) -> Arc<LanceStore> {
    let address = format!("lance:{}", directory.display());
    Arc::new(LanceStore::open(&address, project, options).expect("a directory can be opened"))
}

/// Creates a tree of these files, by path and text.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("temporary directory");
    write(root.path(), files);
    root
}

pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("writable");
        fs::write(path, text).expect("writable");
    }
}

/// Indexes a tree and returns its snapshot; its facts and manifest are in the store afterwards.
pub(crate) fn index(root: &Path, store: &Arc<LanceStore>, tree: &str) -> Arc<Snapshot> {
    let storage = Storage::Store { store: Arc::clone(store) as _, tree: tree.to_owned() };
    let options = IndexOptions::default().with_storage(storage);
    let (snapshot, report) =
        Index::open(root, &options).expect("a directory").refresh().expect("memory has no limit");
    assert_eq!(report.warnings, Vec::<String>::new());
    snapshot
}

/// Returns files that contain the number of their state and call each other.
pub(crate) fn state(number: usize) -> Vec<(String, String)> {
    let file = |name: usize| {
        let other = (name + 1) % 4;
        let text = format!(
            "from module{other} import run{other}\n\ndef run{name}():\n    \"\"\"Runs.\"\"\"\n    state = \"state {number}\"\n    return run{other}()\n"
        );
        (format!("module{name}.py"), text)
    };
    (0..4).map(file).collect()
}

pub(crate) fn write_state(root: &Path, number: usize) {
    for (path, text) in state(number) {
        write(root, &[(&path, &text)]);
    }
}

/// Returns the state that a text belongs to.
pub(crate) fn state_in(text: &str) -> usize {
    let rest = text.split("\"state ").nth(1).expect("it names its state");
    rest.split('"').next().and_then(|number| number.parse().ok()).expect("states are numbers")
}
