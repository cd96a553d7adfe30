//! Store in a directory.

use std::path::Path;
use std::sync::Arc;

use sscg_index::rows::Rows;
use sscg_index::{Snapshot, Store, Update};
use sscg_lance::{ChunkFilter, LanceOptions, LanceStore};

use crate::project::{directory, index, state_in, store, store_with, tree, write, write_state};

#[test]
fn it_is_a_store() {
    let directory = directory();
    sscg_index::conformance::check(&|| store(directory.path(), "shop"));
}

const FILES: &[(&str, &str)] = &[
    (
        "src/auth.py",
        "def check_token(token):\n    \"\"\"Checks the token of a session.\"\"\"\n    return verify(token)\n\n\ndef verify(token):\n    return bool(token)\n",
    ),
    (
        "src/parser/parseHttpRequest.ts",
        "export function parseHttpRequest(text: string): string[] {\n  return text.split(\"\\r\\n\");\n}\n",
    ),
    ("tests/it's.py", "from auth import check_token\n\n\ndef test_token():\n    assert check_token(\"x\")\n"),
    ("[slug]/page.tsx", "export function Page() {\n  return <p>token page</p>;\n}\n"),
];

fn published(directory: &Path) -> (Arc<LanceStore>, Arc<Snapshot>, tempfile::TempDir) {
    let root = tree(FILES);
    let store = store(directory, "shop");
    let snapshot = index(root.path(), &store, "main");
    store.publish("main", &snapshot).expect("it can be published");
    (store, snapshot, root)
}

fn found(store: &LanceStore, question: &str, filter: &ChunkFilter) -> Vec<String> {
    let hits = store.matching("main", question, filter, 100).expect("it can be searched");
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.chunk.id).collect();
    ids.sort();
    ids
}

#[test]
fn a_process_without_the_tree_has_the_same_snapshot() {
    let directory = directory();
    let (_, original, root) = published(directory.path());
    drop(root);
    let store = store(directory.path(), "shop");
    let snapshot = Arc::clone(&store).detached("main").expect("readable").expect("it was published");
    assert!(snapshot.graph == original.graph);
    let (rows, before) = (Rows::new(&snapshot), Rows::new(&original));
    for file in snapshot.project.files().ids() {
        assert_eq!(rows.symbols(file), before.symbols(file));
        assert_eq!(rows.edges(file), before.edges(file));
        let texts: Vec<&str> = FILES.iter().map(|(_, text)| *text).collect();
        assert!(texts.contains(&&*snapshot.source(file).expect("the text was stored")));
    }
    assert_eq!(store.published().expect("readable"), ["main"]);
    assert!(Arc::clone(&store).detached("other").expect("readable").is_none());
    let again = Arc::clone(&store).detached("main").expect("readable").expect("it was published");
    assert!(Arc::ptr_eq(&again, &snapshot), "nothing was published since");
}

#[test]
fn text_is_found_by_the_parts_of_identifiers_and_by_filters() {
    let directory = directory();
    let (store, _, _root) = published(directory.path());
    let all = ChunkFilter::default();
    assert!(found(&store, "http request", &all).iter().any(|id| id.contains("parseHttpRequest")));
    assert!(found(&store, "nowhere", &all).is_empty());
    let everywhere = found(&store, "token", &all);
    let paths = |paths: &[&str]| {
        ChunkFilter::default().with_paths(paths.iter().map(|path| (*path).to_owned()).collect())
    };
    for (filter, expected) in [
        (paths(&["src"]), "src/"),
        (paths(&["./tests/"]), "tests/"),
        (paths(&["it's.py"]), "tests/it's.py"),
        (paths(&["**/*.tsx"]), "[slug]/"),
        (paths(&["[slug]"]), "[slug]/"),
        (paths(&["auth.*", "nothing"]), "src/auth.py"),
        (all.clone().with_languages(vec!["typescript".into()]), "[slug]/"),
        (paths(&["src/auth.py"]).with_kinds(vec!["function".into()]), "src/auth.py"),
    ] {
        let some = found(&store, "token", &filter);
        assert!(!some.is_empty() && some.len() < everywhere.len(), "{filter:?}: {some:?}");
        assert!(some.iter().all(|id| id.starts_with(expected)), "{filter:?}: {some:?}");
    }
    let none = all.clone().with_languages(vec!["python' OR '1' = '1".into()]);
    assert!(found(&store, "token", &none).is_empty());
    assert!(store.matching("main", "token", &paths(&["a["]), 10).is_err());
}

/// Returns a vector for every chunk, each with another direction.
fn vectors_of(snapshot: &Snapshot, dimension: usize) -> Vec<([u8; 32], Vec<f32>)> {
    let rows = Rows::new(snapshot);
    let chunks =
        snapshot.project.files().ids().flat_map(|file| rows.chunks(file).expect("the tree is there"));
    chunks
        .enumerate()
        .map(|(at, chunk)| {
            let angle = at as f32;
            let vector = (0..dimension).map(|part| (angle * (part + 1) as f32 * 0.37).sin()).collect();
            (*blake3::hash(chunk.embedding_text.as_bytes()).as_bytes(), vector)
        })
        .collect()
}

#[test]
fn vectors_are_searched_flat_and_by_index_with_the_same_filters() {
    let directory = directory();
    let functions: String =
        (0..600).map(|at| format!("def function{at}():\n    return {at}\n\n\n")).collect();
    let root = tree(&[("big/many.py", &functions), ("small/few.py", "def only():\n    return 1\n")]);
    let options = LanceOptions::default().with_index_rows(300);
    let store = store_with(directory.path(), "shop", options);
    let snapshot = index(root.path(), &store, "main");
    let vectors = vectors_of(&snapshot, 16);
    store.write(&Update::default().with_model("m").with_vectors(&vectors)).expect("writable");
    store.publish("main", &snapshot).expect("it can be published");

    let nearest = |at: usize, filter: &ChunkFilter| {
        let hits = store.nearest("main", &vectors[at].1, filter, 5).expect("it can be searched");
        hits.into_iter().map(|hit| (hit.chunk.id, hit.score)).collect::<Vec<_>>()
    };
    let everything = ChunkFilter::default();
    let flat = nearest(17, &everything);
    assert_eq!(flat.len(), 5);
    assert!(flat[0].0.ends_with("function17") && flat[0].1 > 0.999, "{flat:?}");

    store.optimize().expect("it can be indexed");
    let indexed = nearest(17, &everything);
    assert_eq!(indexed[0].0, flat[0].0);
    // The filter applies before the limit, so all matching chunks are returned.
    let few = ChunkFilter::default().with_paths(vec!["small".into()]);
    let passed = nearest(17, &few);
    assert!(passed.len() == 1 && passed[0].0.starts_with("small/"), "{passed:?}");
    assert!(store.nearest("main", &[1.0; 3], &everything, 5).is_err(), "vectors of another length");

    // A model of another dimension replaces the first.
    let vectors = vectors_of(&snapshot, 8);
    store.write(&Update::default().with_model("n").with_vectors(&vectors)).expect("writable");
    store.publish("main", &snapshot).expect("it can be published");
    let hits = store.nearest("main", &vectors[3].1, &everything, 1).expect("it can be searched");
    assert!(hits[0].score > 0.999, "{hits:?}");
}

#[test]
fn what_changes_is_replaced_and_what_goes_is_removed() {
    let directory = directory();
    let (store, _, root) = published(directory.path());
    let before = Arc::clone(&store).detached("main").expect("readable").expect("it was published");
    let other = index(root.path(), &store, "branch");
    store.publish("branch", &other).expect("two trees share the tables");
    std::fs::remove_dir_all(root.path().join("tests")).expect("it is there");
    write(root.path(), &[("src/auth.py", "def check_session(token):\n    return None\n")]);
    let snapshot = index(root.path(), &store, "main");
    store.publish("main", &snapshot).expect("it can be published");

    let all = ChunkFilter::default();
    assert!(found(&store, "verify", &all).is_empty());
    assert!(!found(&store, "session", &all).is_empty());
    let restored = Arc::clone(&store).detached("main").expect("readable").expect("it was published");
    assert!(restored.graph == snapshot.graph && before.graph != snapshot.graph);
    let branch = store.matching("branch", "verify", &all, 10).expect("it can be searched");
    assert!(!branch.is_empty(), "the other tree is as it was");

    // A cleanup keeps everything that is in use and removes what is obsolete.
    let bytes = store.usage().expect("readable").bytes;
    store.collect_garbage(0).expect("it can be cleaned");
    assert!(store.usage().expect("readable").bytes <= bytes);
    assert!(!found(&store, "session", &all).is_empty());
    assert!(
        Arc::clone(&store).detached("branch").expect("readable").expect("it was published").graph
            == other.graph
    );
}

#[test]
fn many_small_publications_stay_few_files() {
    let directory = directory();
    let root = tree(&[]);
    let store = store(directory.path(), "shop");
    for number in 0..34 {
        write_state(root.path(), number);
        let snapshot = index(root.path(), &store, "main");
        store.publish("main", &snapshot).expect("it can be published");
    }
    let data = directory.path().join("shop/chunks.lance/data");
    let snapshot = Arc::clone(&store).detached("main").expect("readable").expect("it was published");
    let states = snapshot.project.files().ids().map(|file| state_in(&snapshot.source(file).expect("stored")));
    assert!(states.into_iter().all(|state| state == 33));
    store.collect_garbage(0).expect("it can be cleaned");
    assert!(std::fs::read_dir(data).expect("there are chunks").count() < 34);
}

#[test]
fn two_writers_of_one_project_take_turns() {
    let directory = directory();
    let write = |first: usize| {
        let root = tree(&[]);
        let store = store(directory.path(), "shop");
        for number in (first..first + 10).step_by(2) {
            write_state(root.path(), number);
            let snapshot = index(root.path(), &store, "main");
            store.publish("main", &snapshot).expect("it waits for the other");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| write(0));
        scope.spawn(|| write(1));
    });
    let snapshot = store(directory.path(), "shop").detached("main").expect("readable").expect("published");
    let mut states: Vec<usize> = snapshot
        .project
        .files()
        .ids()
        .map(|file| state_in(&snapshot.source(file).expect("stored")))
        .collect();
    states.dedup();
    assert!(states == [8] || states == [9], "{states:?}");
}

#[test]
fn a_place_that_cannot_be_is_named() {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    let address = format!("lance:{}", file.path().display());
    let opened = LanceStore::open(&address, "shop", LanceOptions::default());
    let error = match opened {
        Err(error) => error,
        Ok(store) => store.publish("main", &Snapshot::default()).expect_err("a file holds no tables"),
    };
    assert!(error.to_string().contains(&*file.path().to_string_lossy()), "{error}");
}
