//! Contract that every [`Store`] implementation must meet. Implementations run [`check`] in their tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use sscg_parse::FileType;

use crate::shared::SharedBytes;
use crate::store::{FactsKey, ManifestEntry, Store, TextHash, Update};
use crate::{Index, IndexOptions, RefreshReport, SkipReason, Snapshot, Storage};

/// Opens the same store on each call, as another process would.
pub type OpenStore<'a> = &'a (dyn Fn() -> Arc<dyn Store> + Sync);

/// Checks an empty store against the contract.
///
/// # Panics
/// If the store violates the contract, or if no temporary directory can be created.
pub fn check(open: OpenStore<'_>) {
    check_with_one_writer(open);
    writers_lose_nothing(open);
}

/// Runs [`check`] without concurrent writers, for test-only servers that do not isolate them.
///
/// # Panics
/// Same as [`check`].
pub fn check_with_one_writer(open: OpenStore<'_>) {
    what_was_never_written_is_not_there(open);
    content_is_found_by_its_key(open);
    manifests_are_replaced_whole(open);
    a_lock_can_be_taken_again(open);
    occurrences_are_replaced_and_removed(open);
    garbage_is_what_nothing_names(open);
    work_is_done_once_for_all(open);
}

fn key(name: &str) -> FactsKey {
    FactsKey::new(hash(name), file_type("a.py"))
}

fn file_type(path: &str) -> FileType {
    FileType::of_path(path).expect("a registered extension")
}

fn hash(text: &str) -> TextHash {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Returns a manifest of Python files whose content is their name.
fn manifest(names: &[&str]) -> Vec<ManifestEntry> {
    let entry = |name: &&str| ManifestEntry {
        path: format!("{name}.py"),
        size: name.len() as u64,
        mtime: 1_700_000_000_123_456_789,
        content: Ok(hash(name)),
    };
    names.iter().map(entry).collect()
}

fn write_facts(store: &dyn Store, names: &[&str]) {
    let fact = |name: &&str| (key(name), SharedBytes::from(name.as_bytes().to_vec()));
    let facts: Vec<(FactsKey, SharedBytes)> = names.iter().map(fact).collect();
    store.write(&Update { facts: &facts, ..Update::default() }).expect("facts can be written");
}

fn facts(store: &dyn Store, names: &[&str]) -> Vec<Option<Vec<u8>>> {
    let keys: Vec<FactsKey> = names.iter().map(|name| key(name)).collect();
    store.facts(&keys).expect("facts can be read")
}

fn occurrences_are_replaced_and_removed(open: OpenStore<'_>) {
    let store = open();
    assert_eq!(store.occurrences("tree").expect("readable"), None);
    assert_eq!(store.occurrences_version("tree"), None);
    // A store need not keep them.
    if store.write_occurrences("tree", Some(b"first list")).is_err() {
        return;
    }
    let read = |store: &dyn Store| store.occurrences("tree").expect("readable");
    let first = open().occurrences_version("tree");
    assert_eq!(read(&*open()).as_deref(), Some(&b"first list"[..]));
    assert_eq!(store.occurrences("other").expect("readable"), None);
    store.write_occurrences("tree", Some(b"another list")).expect("writable");
    assert_eq!(read(&*open()).as_deref(), Some(&b"another list"[..]));
    assert!(first.is_some() && first != open().occurrences_version("tree"), "the version changes");
    store.write_occurrences("tree", None).expect("writable");
    assert_eq!((read(&*open()), open().occurrences_version("tree")), (None, None));
    store.write_occurrences("tree", None).expect("it may be gone already");
}

fn what_was_never_written_is_not_there(open: OpenStore<'_>) {
    let store = open();
    assert!(!store.place().is_empty());
    assert_eq!(store.manifest("nobody").expect("readable"), []);
    assert_eq!(facts(&*store, &["nothing"]), [None]);
    assert_eq!(store.facts(&[]).expect("readable"), Vec::<Option<Vec<u8>>>::new());
    assert_eq!(store.vectors("model", &[hash("nothing")]).expect("readable"), [None]);
    assert!(store.snapshot("nobody").expect("readable").is_none());
    assert_eq!(store.progress("nobody"), None);
    let usage = store.usage().expect("readable");
    assert_eq!((usage.trees.len(), usage.facts, usage.vectors), (0, 0, 0));
}

fn content_is_found_by_its_key(open: OpenStore<'_>) {
    write_facts(&*open(), &["one", "two"]);
    let store = open();
    let expected = [Some(b"two".to_vec()), None, Some(b"one".to_vec()), Some(b"two".to_vec())];
    assert_eq!(facts(&*store, &["two", "three", "one", "two"]), expected);
    let other = FactsKey::new(hash("one"), file_type("a.md"));
    assert_eq!(store.facts(&[other]).expect("readable"), [None]);

    let vectors = [(hash("one"), vec![0.5, -1.0, 2.0]), (hash("two"), vec![0.0, 1.0, 0.0])];
    let update = Update { model: "small", vectors: &vectors, ..Update::default() };
    store.write(&update).expect("vectors can be written");
    let update = Update { model: "it's", vectors: &[(hash("one"), vec![1.0])], ..Update::default() };
    store.write(&update).expect("vectors of another length can be written for another model");
    let store = open();
    let found = store.vectors("small", &[hash("two"), hash("three"), hash("one")]).expect("readable");
    assert_eq!(found, [Some(vec![0.0, 1.0, 0.0]), None, Some(vec![0.5, -1.0, 2.0])]);
    assert_eq!(store.vectors("it's", &[hash("one")]).expect("readable"), [Some(vec![1.0])]);
    assert_eq!(store.vectors("large", &[hash("one")]).expect("readable"), [None]);
    let usage = store.usage().expect("readable");
    assert_eq!((usage.facts, usage.vectors), (2, 3));
    assert!(usage.bytes > 0);
}

fn manifests_are_replaced_whole(open: OpenStore<'_>) {
    let put = |tree: &str, manifest: &[ManifestEntry]| {
        open().write(&Update { tree, manifest: Some(manifest), ..Update::default() }).expect("writable");
    };
    let mut first = manifest(&["one", "two"]);
    first[1].content = Err(SkipReason::NotUtf8);
    first[0].path = "it's \"odd\"/ü.py".to_owned();
    put("/tree", &first);
    put("/it's another", &manifest(&["two"]));
    assert_eq!(open().manifest("/tree").expect("readable"), first);
    put("/tree", &manifest(&["one"]));
    write_facts(&*open(), &["three"]);
    assert_eq!(open().manifest("/tree").expect("readable"), manifest(&["one"]));
    assert_eq!(open().manifest("/it's another").expect("readable"), manifest(&["two"]));
    assert_eq!(open().manifest("tree").expect("readable"), []);
    let trees = open().usage().expect("readable").trees;
    assert_eq!(trees, [("/it's another".to_owned(), 1), ("/tree".to_owned(), 1)]);
}

fn writers_lose_nothing(open: OpenStore<'_>) {
    let names: Vec<String> = (0..24).map(|name| format!("written {name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    thread::scope(|scope| {
        for some in names.chunks(8) {
            scope.spawn(move || {
                let store = open();
                some.iter().for_each(|name| write_facts(&*store, &[name]));
            });
        }
    });
    assert!(
        facts(&*open(), &names)
            .iter()
            .zip(&names)
            .all(|(found, name)| found.as_deref() == Some(name.as_bytes()))
    );
}

fn a_lock_can_be_taken_again(open: OpenStore<'_>) {
    for _ in 0..2 {
        let lock = open().lock("/tree").expect("it can be asked for").expect("no one else has it");
        lock.report(1, 2);
    }
}

fn garbage_is_what_nothing_names(open: OpenStore<'_>) {
    let store = open();
    write_facts(&*store, &["named", "never named"]);
    let update = Update { tree: "/kept", manifest: Some(&manifest(&["named"])), ..Update::default() };
    store.write(&update).expect("writable");
    let collected = store.collect_garbage(30).expect("there is little to do");
    assert_eq!((collected.facts, collected.vectors), (0, 0), "all of it is of today");
    assert_eq!(
        facts(&*store, &["named", "never named"]),
        [Some(b"named".to_vec()), Some(b"never named".to_vec())]
    );
    let before = store.usage().expect("readable").facts;
    let collected = store.collect_garbage(0).expect("it can be removed");
    let store = open();
    assert_eq!(facts(&*store, &["never named"]), [None]);
    assert_eq!(store.usage().expect("readable").facts, before - collected.facts);
}

/// Creates a tree with a few files in more than one language.
fn make_tree(root: &Path) {
    let write = |path: &str, text: &str| fs::write(root.join(path), text).expect("writable");
    fs::create_dir_all(root.join("web")).expect("writable");
    write(
        "shop.py",
        "from base import Base\n\nclass Shop(Base):\n    \"\"\"Sells.\"\"\"\n\n    def sell(self):\n        return self.price()\n",
    );
    write("base.py", "import os\n\nclass Base:\n    def price(self):\n        return os.getpid()\n");
    write(
        "web/cart.ts",
        "import { total } from \"./total\";\n\nexport function cart(): number {\n  return total();\n}\n",
    );
    write("web/total.ts", "export function total(): number {\n  return 1;\n}\n");
    write("package.json", "{ \"name\": \"shop\" }\n");
}

fn refresh(root: &Path, open: OpenStore<'_>, tree: &str) -> (Arc<Snapshot>, RefreshReport) {
    let storage = Storage::Store { store: open(), tree: tree.to_owned() };
    let mut index =
        Index::open(root, &IndexOptions { storage, ..IndexOptions::default() }).expect("it is a directory");
    index.refresh().expect("memory has no limit")
}

fn work_is_done_once_for_all(open: OpenStore<'_>) {
    let (one, two) = (tempfile::tempdir(), tempfile::tempdir());
    let (one, two) = (one.expect("temporary directory"), two.expect("temporary directory"));
    make_tree(one.path());
    make_tree(two.path());
    let (first, report) = refresh(one.path(), open, "main");
    assert_eq!((report.parsed, report.warnings), (4, Vec::new()));
    let (_, report) = refresh(two.path(), open, "branch");
    assert_eq!((report.parsed, report.warnings), (0, Vec::new()), "another tree of the same content");
    open().publish("main", &first).expect("it can be published");
    let snapshot = open().snapshot("main").expect("readable").expect("it was published");
    assert!(snapshot.graph == first.graph && snapshot.skipped == first.skipped);
    let paths = |snapshot: &Snapshot| -> Vec<String> {
        snapshot.project.files().iter().map(|file| file.path.to_string()).collect()
    };
    assert_eq!(paths(&snapshot), paths(&first));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EmbeddedStore;

    #[test]
    fn the_embedded_store_meets_it() {
        let directory = tempfile::tempdir().expect("temporary directory");
        check(&|| Arc::new(EmbeddedStore::new(directory.path().join("store"))));
    }
}
