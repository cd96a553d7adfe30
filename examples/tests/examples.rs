//! Runs every example, so that none goes stale.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The example programs stand beside the directory of this test's own; cargo builds them for it.
fn program(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("a test knows its own path");
    let target = this.parent().and_then(Path::parent).expect("it stands in target/<profile>/deps");
    target.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// What an example prints when it is run on the project in `fixtures/projects/parcel`.
fn run(name: &str, argument: &str) -> String {
    let cache = tempfile::tempdir().expect("temporary directory");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/projects/parcel");
    let mut command = Command::new(program(name));
    // The index goes where the user's cache is.
    command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path()).env("LOCALAPPDATA", cache.path());
    let output = command.arg(argument).arg(project).output().expect("the example was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

#[test]
fn quickstart_answers_a_question() {
    let printed = run("quickstart", "plan a tour to the nearest stop");
    assert!(printed.starts_with("Search: \"plan a tour to the nearest stop\""), "{printed}");
    assert!(printed.contains("\nrouter/src/plan.rs:15 plan_tour ("), "{printed}");
    let edge = "plan.rs:15-34:function:plan_tour calls router/src/plan.rs:36-45:function:nearest [exact]";
    assert!(printed.contains(edge), "{printed}");
}

#[test]
fn callers_are_followed_upwards() {
    let printed = run("callers", "shortest_path");
    assert_eq!(
        printed,
        "router/src/roads.rs::RoadNetwork.shortest_path\n  \
           <- router/src/plan.rs::nearest, line 39 (exact)\n    \
             <- router/src/plan.rs::plan_tour, line 27 (exact)\n\
         0 uses of `shortest_path` could not be resolved\n"
    );
}

#[test]
fn every_example_is_run_here() {
    let this = include_str!("examples.rs");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(directory).expect("readable") {
        let name = entry.expect("readable").file_name().to_string_lossy().replace(".rs", "");
        assert!(this.contains(&format!("run(\"{name}\"")), "no test runs the example {name}");
    }
}
