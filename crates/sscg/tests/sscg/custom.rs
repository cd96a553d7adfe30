//! Signals, formats and token counters of the program that embeds SSCG.

use std::sync::Arc;

use sscg::{
    Answer, Engine, EngineOptions, Error, GraphQuery, GraphRequest, Reach, SearchRequest, Storage, Workspace,
};
use sscg_core::{ChunkId, Id, TokenCounter};
use sscg_format::conformance::{check_renderer, check_token_counter};
use sscg_format::{GraphAnswer, Renderer};
use sscg_retrieve::conformance::check_signal;
use sscg_retrieve::{Signal, SignalContext, SignalId, SignalScores};

/// Scores the file with a name.
struct Favorite(&'static str, f64);

impl Signal for Favorite {
    fn id(&self) -> SignalId {
        SignalId::new("favorite")
    }

    fn weight(&self) -> f64 {
        self.1
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let files = context.snapshot.project.files();
        let named = files.ids().filter(|file| *files[*file].path == *self.0);
        SignalScores::default().with_files(named.map(|file| (file, 1.0)).collect())
    }
}

/// Names only.
struct Names;

impl Renderer for Names {
    fn name(&self) -> &str {
        "names"
    }

    fn description(&self) -> &str {
        "files and names"
    }

    fn render(&self, answer: &Answer) -> String {
        answer.results.iter().map(|it| format!("{} {}\n", it.file, it.name)).collect::<String>() + "\n"
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        answer.nodes.iter().map(|it| format!("{}\n", it.name)).collect::<String>() + "\n"
    }
}

/// One token per byte.
struct Bytes;

impl TokenCounter for Bytes {
    fn count(&self, text: &str) -> usize {
        text.len()
    }
}

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    for name in ["a", "b"] {
        let text = format!("def parse_{name}(text):\n    return text.split()\n");
        std::fs::write(directory.path().join(format!("{name}.py")), text).expect("writable");
    }
    directory
}

fn options() -> EngineOptions {
    EngineOptions::stored_in(Storage::Ephemeral)
        .with_signals(vec![Arc::new(Favorite("b.py", 1.0))])
        .with_renderers(vec![Arc::new(Names)])
        .with_token_counter(Arc::new(Bytes))
}

fn request(format: &str) -> SearchRequest {
    SearchRequest::new("how is text parsed").with_format(format)
}

#[test]
fn a_signal_raises_what_it_scores_and_is_named_as_a_source() {
    let project = project();
    let first = |options| {
        let engine = Engine::open_with(project.path(), options).expect("it is there");
        engine.search(&request("text")).expect("a valid request").answer.results.remove(0)
    };
    let plain = first(EngineOptions::stored_in(Storage::Ephemeral));
    let raised = first(options());
    assert_eq!((&*plain.file, &*raised.file), ("a.py", "b.py"));
    assert!(raised.rank_sources.contains_key("favorite"), "{:?}", raised.rank_sources);
    let silent = first(options().with_signals(vec![Arc::new(Favorite("b.py", 0.0))]));
    assert_eq!(silent.file, "a.py");
}

#[test]
fn a_format_and_a_counter_are_used_for_search_and_graph() {
    let project = project();
    let engine = Engine::open_with(project.path(), options()).expect("it is there");
    let response = engine.search(&request("names")).expect("a known format");
    assert_eq!(response.text, "b.py parse_b\na.py parse_a\n\n");
    assert_eq!(response.answer.token_count, response.text.len());
    let query = GraphQuery::Expand { seeds: vec!["parse_a".to_owned()], reach: Reach::default() };
    let near = engine.explore(&GraphRequest::new(query).with_format("names"));
    let near = near.expect("a known format");
    assert!(near.text.contains("parse_a\n"), "{}", near.text);
    assert_eq!(near.answer.token_count, near.text.len());
}

#[test]
fn an_unknown_format_is_an_error_that_lists_the_custom_ones() {
    let project = project();
    let check = |error: Error| {
        assert_eq!(error.to_string(), "unknown format \"nothing\"");
        assert!(error.hint().ends_with(", names"), "{error:?}");
    };
    let engine = Engine::open_with(project.path(), options()).expect("it is there");
    check(engine.search(&request("nothing")).expect_err("no such format"));
    let workspace = Workspace::new(usize::MAX);
    workspace.add(project.path(), options());
    check(workspace.search(&[] as &[&str], &request("nothing")).expect_err("no such format"));
}

#[test]
fn the_custom_ones_meet_their_contracts() {
    let project = project();
    let engine = Engine::open_with(project.path(), options()).expect("it is there");
    let (snapshot, _) = engine.rank(&request("text")).expect("a valid request");
    check_signal(&Favorite("b.py", 1.0), &snapshot, &["how is text parsed", "parse", "nothing of this"]);
    check_renderer(&Names, &Bytes);
    check_token_counter(&Bytes);
}

#[test]
fn names_that_are_taken_are_errors() {
    let project = project();
    let check = |options: EngineOptions, name: &str| {
        let error = Engine::open_with(project.path(), options).err().expect("the name is taken").to_string();
        assert!(error.contains(name), "{error}");
    };
    let twice = || Arc::new(Favorite("b.py", 1.0));
    check(options().with_signals(vec![twice(), twice()]), "favorite");
    check(options().with_renderers(vec![Arc::new(Names), Arc::new(Names)]), "names");
}

#[test]
fn a_format_of_one_project_is_unknown_to_the_other() {
    let (one, other) = (project(), project());
    let workspace = Workspace::new(usize::MAX);
    workspace.add(one.path(), options());
    workspace.add(other.path(), EngineOptions::stored_in(Storage::Ephemeral));
    let responses = workspace.search(&[] as &[&str], &request("names")).expect("one of them has it");
    assert_eq!(responses.iter().map(|it| it.outcome.is_ok()).collect::<Vec<_>>(), [true, false]);
    check_unknown(
        Workspace::new(usize::MAX).search(&[] as &[&str], &request("nothing")).expect_err("no format"),
    );
}

fn check_unknown(error: Error) {
    assert_eq!(error.to_string(), "unknown format \"nothing\"");
}

#[test]
fn evidence_that_cannot_be_used_is_ignored() {
    struct Wild;

    impl Signal for Wild {
        fn id(&self) -> SignalId {
            SignalId::new("wild")
        }

        fn score(&self, _context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
            let (file, chunk) = (sscg_core::FileId::new, ChunkId::new);
            SignalScores::default()
                .with_files(vec![(file(1), f64::NAN), (file(0), f64::INFINITY), (file(99), 1.0)])
                .with_chunks(vec![(chunk(99), 1.0), (chunk(0), -1.0), (chunk(1), 1.0)])
                .with_lines(vec![(chunk(99), 1), (chunk(1), 999)])
        }
    }
    let project = project();
    let found = |signals| {
        let options = EngineOptions::stored_in(Storage::Ephemeral).with_signals(signals);
        let engine = Engine::open_with(project.path(), options).expect("it is there");
        let results = engine.search(&request("text")).expect("a valid request").answer.results;
        results.into_iter().map(|it| it.name).collect::<Vec<_>>()
    };
    let plain = found(Vec::new());
    let mut wild = found(vec![Arc::new(Wild)]);
    wild.sort_unstable();
    assert_eq!(wild, plain);
}
