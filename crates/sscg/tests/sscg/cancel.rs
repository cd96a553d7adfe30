//! Cancellation of long operations.

use std::ops::ControlFlow;

use sscg::config::LspConfig;
use sscg::knowledge::GivenInputs;
use sscg::{Engine, EngineOptions, Error, ErrorKind, Progress, Storage};

/// Returns an engine on a project with a call that a language server would be asked about.
fn engine(tree: &tempfile::TempDir) -> Engine {
    std::fs::write(tree.path().join("a.py"), "def run(x):\n    x.grow()\n").expect("writable");
    Engine::open_with(tree.path(), EngineOptions::stored_in(Storage::Ephemeral)).expect("a directory")
}

/// Asserts that an operation with a canceling observer fails, after it has reported `phase`, as its last one.
fn assert_canceled<T>(
    phase: &str,
    operation: impl FnOnce(&(dyn Fn(Progress) -> ControlFlow<()> + Sync)) -> Result<T, Error>,
) {
    let last = std::sync::Mutex::new("");
    let outcome = operation(&|progress: Progress| {
        *last.lock().expect("no panic") = progress.phase();
        if progress.phase() == phase { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let error = outcome.map(|_| ()).expect_err("it was canceled");
    assert_eq!((error.kind(), *last.lock().expect("no panic")), (ErrorKind::Canceled, phase), "{error}");
}

#[cfg(unix)]
#[test]
fn a_language_server_that_never_answers_is_not_waited_for() {
    let tree = tempfile::tempdir().expect("a directory");
    let engine = engine(&tree);
    let mut config = LspConfig::default();
    config.timeout = 3600;
    config.servers.entry("python".to_owned()).or_default().command = "sleep 3600".to_owned();
    assert_canceled("asking", |observer| engine.ask_servers_with_progress(&config, observer));
}

#[test]
fn a_build_of_the_service_graph_is_canceled_and_repeated() {
    let tree = tempfile::tempdir().expect("a directory");
    let engine = engine(&tree);
    assert_canceled("deriving", |observer| engine.knowledge_with_progress(&GivenInputs::default(), observer));
    assert!(engine.knowledge(&GivenInputs::default()).is_ok());
}

#[cfg(feature = "scip")]
#[test]
fn an_import_is_canceled_before_it_keeps_anything() {
    let tree = tempfile::tempdir().expect("a directory");
    let engine = engine(&tree);
    let (snapshot, _) = engine.refresh().expect("readable");
    let mut index = Vec::new();
    sscg::export::write_scip(&snapshot, &mut index).expect("memory");
    assert_canceled("reading", |observer| engine.import_scip_with_progress([&index[..]], observer));
    assert!(engine.imported().expect("a directory").is_empty());
}
