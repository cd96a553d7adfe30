//! Engine for one project.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::{fs, thread};

use sscg::{Corpus, Engine, EngineOptions, ErrorKind, SearchRequest, Storage, find_language};
use sscg_core::TokenCounter;
use sscg_format::{O200k, renderers};
use sscg_index::Snapshot;

fn open(path: &Path, index: &Path) -> Engine {
    let options = EngineOptions::stored_in(Storage::Directory(index.to_owned()));
    Engine::open_with(path, options).expect("the directory exists")
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects/parcel")
}

#[test]
fn a_long_lived_engine_answers_from_the_tree_as_it_is_now() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).expect("writable");
    fs::write(tree.join("a.py"), "def alpha():\n    pass\n").expect("writable");
    let engine = open(&tree, &dir.path().join("index"));
    let names = |question: &str| {
        let response = engine.search(&SearchRequest::new(question)).expect("a valid request");
        response.answer.results.into_iter().map(|result| result.name).collect::<Vec<_>>()
    };
    assert_eq!(names("alpha"), ["alpha"]);
    fs::write(tree.join("a.py"), "def gamma():\n    pass\n").expect("writable");
    assert_eq!(names("alpha"), Vec::<String>::new());
    assert_eq!(names("gamma"), ["gamma"]);
    fs::write(tree.join("b.py"), "from a import gamma\n\ndef delta():\n    gamma()\n").expect("writable");
    assert_eq!(names("symbol = delta"), ["delta"]);
    fs::remove_file(tree.join("a.py")).expect("writable");
    assert_eq!(names("symbol = gamma"), Vec::<String>::new());
}

#[test]
fn threads_share_an_engine() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).expect("writable");
    fs::write(tree.join("a.py"), "def alpha():\n    pass\n").expect("writable");
    let engine = open(&tree, &dir.path().join("index"));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let response = engine.search(&SearchRequest::new("alpha")).expect("a valid request");
                    assert_eq!(response.answer.results[0].name, "alpha");
                }
            });
        }
        for number in 0..10 {
            fs::write(tree.join("b.py"), format!("def beta{number}():\n    pass\n")).expect("writable");
            let (snapshot, _) = engine.refresh().expect("there is enough memory");
            assert_eq!(snapshot.project.definitions_named(&format!("beta{number}")).count(), 1);
        }
    });
}

#[test]
fn an_update_that_panics_does_no_harm_to_the_next() {
    let dir = tempfile::tempdir().expect("temporary directory");
    fs::write(dir.path().join("a.py"), "def alpha():\n    pass\n").expect("writable");
    let engine =
        Engine::open_with(dir.path(), EngineOptions::stored_in(Storage::Ephemeral)).expect("it is there");
    let panics = || engine.refresh_with_progress(Corpus::Code, &|_| panic!("an observer that fails"));
    assert!(panic::catch_unwind(AssertUnwindSafe(panics)).is_err());
    let response = engine.search(&SearchRequest::new("alpha")).expect("a valid request");
    assert_eq!(response.answer.results[0].name, "alpha");
}

#[test]
fn no_answer_exceeds_its_budget_in_any_format() {
    let index = tempfile::tempdir().expect("temporary directory");
    let engine = open(&project(), index.path());
    for renderer in renderers() {
        for budget in (SearchRequest::MIN_BUDGET..2_000).step_by(97) {
            for (question, corpus) in [
                ("how is a tour planned", Corpus::Code),
                ("symbol = Invoice", Corpus::Code),
                ("parcel", Corpus::Code),
                ("parcel", Corpus::Documents),
            ] {
                let format = renderer.name().to_owned();
                let request =
                    SearchRequest::new(question).with_budget(budget).with_corpus(corpus).with_format(format);
                match engine.search(&request) {
                    Ok(response) => {
                        let count = O200k.count(&response.text);
                        assert_eq!(count, response.answer.token_count);
                        assert!(count <= budget, "{question:?} as {}: {count} of {budget}", renderer.name());
                    }
                    Err(error) => {
                        // The budget in the hint suffices.
                        let least = error.hint().rsplit(' ').next().expect("words").parse();
                        let budget = least.expect("the hint ends in a number");
                        let request = request.with_budget(budget);
                        assert!(engine.search(&request).is_ok(), "{error}: {}", error.hint());
                    }
                }
            }
        }
    }
}

#[test]
fn documents_are_indexed_when_they_are_first_asked_for() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).expect("writable");
    fs::write(tree.join("a.py"), "def alpha():\n    pass\n").expect("writable");
    let guide = |text: &str| fs::write(tree.join("guide.md"), text).expect("writable");
    guide("# Guide\n\n## Alpha\n\nHow to call it.\n");
    let engine = open(&tree, &dir.path().join("index"));
    let about = |corpus| SearchRequest::new("alpha").with_corpus(corpus);
    let code = engine.search(&about(Corpus::Code)).expect("a valid request").text;
    assert_eq!(engine.count_documents().expect("readable"), 0);
    let headings = |engine: &Engine| {
        let response = engine.search(&about(Corpus::Documents)).expect("a valid request");
        response.answer.results.into_iter().map(|it| it.heading_path.join(" > ")).collect::<Vec<_>>()
    };
    assert_eq!(headings(&engine)[0], "Guide > Alpha");
    assert_eq!(engine.count_documents().expect("readable"), 1);
    guide("# Guide\n\n## Beta\n\nCalls alpha.\n");
    assert_eq!(headings(&engine)[0], "Guide > Beta");
    assert_eq!(engine.search(&about(Corpus::Code)).expect("a valid request").text, code);

    let engine = Engine::of_snapshot(Snapshot::default(), EngineOptions::default()).expect("no custom names");
    let error = engine.search(&about(Corpus::Documents)).expect_err("it holds code alone");
    assert_eq!(error.kind(), ErrorKind::Project);
}

#[test]
fn an_explained_score_is_the_sum_of_what_signals_add() {
    let index = tempfile::tempdir().expect("temporary directory");
    let engine = open(&project(), index.path());
    for question in ["how is a tour planned", "symbol = Invoice", "parcel", "tests of the tax of a country"] {
        let plain = engine.search(&SearchRequest::new(question)).expect("a valid question").answer;
        assert!(plain.results.iter().all(|result| result.explanation.is_empty()));
        let request = SearchRequest::new(question).with_explain(true);
        let explained = engine.search(&request).expect("a valid question").answer;
        assert!(!explained.results.is_empty());
        for result in &explained.results {
            let sum: f64 = result.explanation.iter().map(|it| it.contribution).sum();
            assert!((sum - result.score).abs() < 1e-12, "{question}: {result:#?}");
            let of_files = result.explanation.iter().filter(|it| it.rank > 0);
            let ranks = of_files.map(|it| (it.signal.clone(), it.rank)).collect();
            assert_eq!(result.rank_sources, ranks);
        }
    }
}

#[test]
fn requests_that_cannot_be_answered_say_whose_doing_it_is() {
    let index = tempfile::tempdir().expect("temporary directory");
    let engine = open(&project(), index.path());
    let kind = |request: SearchRequest| {
        let error = engine.search(&request).expect_err("not a valid request");
        assert!(!error.hint().is_empty(), "{error}");
        error.kind()
    };
    let valid = || SearchRequest::new("how is a tour planned");
    assert_eq!(kind(SearchRequest::new("")), ErrorKind::Request);
    assert_eq!(kind(valid().with_limit(0)), ErrorKind::Request);
    assert_eq!(kind(valid().with_budget(10)), ErrorKind::Request);
    assert_eq!(kind(valid().with_format("xml")), ErrorKind::Request);
    let markdown = find_language(Corpus::Documents, "markdown").expect("it is a format");
    assert_eq!(kind(valid().with_languages(vec![markdown])), ErrorKind::Request);
    let unknown = find_language(Corpus::Code, "cobol").expect_err("it is not read");
    assert_eq!(unknown.kind(), ErrorKind::Request);
    assert_eq!(kind(valid().with_paths(vec!["a[".into()])), ErrorKind::Request);

    let empty = tempfile::tempdir().expect("temporary directory");
    let engine = open(empty.path(), index.path());
    assert_eq!(engine.search(&valid()).expect_err("no files").kind(), ErrorKind::Project);
    let missing = Engine::open(empty.path().join("missing"));
    assert_eq!(missing.err().expect("no directory").kind(), ErrorKind::Project);
}
