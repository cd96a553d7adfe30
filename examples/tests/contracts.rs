//! Checks the custom parts of the examples with the conformance suites, as programs that embed SSCG check theirs.
#![allow(dead_code, reason = "only the custom part of an example is used")]

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use sscg::core::Project;
use sscg::embed::conformance::{check_embedder, check_reranker};
use sscg::format::O200k;
use sscg::format::conformance::{check_renderer, check_token_counter};
use sscg::graph::conformance::check_edge_source;
use sscg::index::{Store, conformance::check as check_store};
use sscg::retrieve::conformance::check_signal;
use sscg::{Engine, EngineOptions, Storage};

#[path = "../examples/edge_source.rs"]
mod edge_source;
#[path = "../examples/embedder.rs"]
mod embedder;
#[path = "../examples/renderer.rs"]
mod renderer;
#[path = "../examples/reranker.rs"]
mod reranker;
#[path = "../examples/signal.rs"]
mod signal;
#[path = "../examples/store.rs"]
mod store;
#[path = "../examples/token_counter.rs"]
mod token_counter;

#[test]
fn models_meet_their_contracts() {
    check_embedder(&embedder::Trigrams);
    check_reranker(&reranker::Names);
}

#[test]
fn the_format_and_the_counter_meet_their_contracts() {
    check_renderer(&renderer::Csv, &O200k);
    check_token_counter(&token_counter::Words);
}

#[test]
fn the_signal_meets_its_contract() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/projects/parcel");
    let engine =
        Engine::open_with(project, EngineOptions::stored_in(Storage::Ephemeral)).expect("a directory");
    let (snapshot, _) = engine.refresh().expect("memory has no limit");
    let questions = ["plan a tour to the nearest stop", "roads", "nothing of this"];
    check_signal(&signal::Recency { now: SystemTime::now() }, &snapshot, &questions);
}

#[test]
fn the_source_of_edges_meets_its_contract() {
    let code = "def handle_a(): pass\n\ndef handle_b(): pass\n\ndef dispatch(name):\n    globals()['handle_' + name]()\n";
    let files = vec![sscg::parse::project_file("a.py", code).expect("a known language")];
    let project = Project::new(files, Default::default());
    check_edge_source(&edge_source::Handlers, &project, &|_| None);
}

#[test]
fn the_store_meets_its_contract() {
    let store: Arc<dyn Store> = Arc::new(store::Memory::default());
    check_store(&|| Arc::clone(&store));
}
