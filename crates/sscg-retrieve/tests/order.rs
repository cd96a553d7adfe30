//! Order of the spans of small projects.

use std::fs;

use sscg_index::{Index, IndexOptions, Storage};
use sscg_retrieve::{Filters, Query, RankOptions, rank};

/// Returns the paths of the ranked spans, best first.
fn ranked(files: &[(&str, String)], question: &str, options: &RankOptions) -> Vec<String> {
    let tree = tempfile::tempdir().expect("temporary directory");
    for (path, text) in files {
        fs::write(tree.path().join(path), text).expect("the directory is writable");
    }
    let stored = IndexOptions::default().with_storage(Storage::Ephemeral);
    let mut index = Index::open(tree.path(), &stored).expect("the tree is there");
    let (snapshot, _) = index.refresh().expect("memory has no limit");
    let query = Query::parse(question, Filters::default()).expect("a valid question");
    let project = &snapshot.project;
    let path = |chunk| project.files()[project.chunk_file(chunk)].path.to_string();
    rank(&snapshot, &query, options).iter().map(|hit| path(hit.chunk)).collect()
}

#[test]
fn the_file_of_a_type_comes_before_files_of_its_parts() {
    let part = |member: &str, doc: &str| {
        format!(
            "public partial class Reader\n{{\n{doc}    public int {member}()\n    {{\n        return 1;\n    }}\n}}\n"
        )
    };
    let doc = "    /// Reads.\n    /// It needs a buffer.\n    /// It returns a number.\n";
    let files = [("Reader.Integers.cs", part("Next", "")), ("Reader.cs", part("Peek", doc))];
    assert_eq!(ranked(&files, "Reader", &RankOptions::default())[0], "Reader.cs");
}

#[test]
fn further_spans_of_a_file_come_after_the_first_of_the_next() {
    let function = |name: &str| {
        format!(
            "def {name}(session):\n    # close the idle session\n    session.close()\n    return session.idle\n\n\n"
        )
    };
    let many: String = ["close_idle", "close_idle_session", "close_session"].map(function).concat();
    let files = [("session.py", many), ("other.py", function("finish"))];
    let second = |crowding: f64| {
        let mut options = RankOptions::default();
        options.spans.crowding = crowding;
        ranked(&files, "close the idle session", &options)[1].clone()
    };
    assert_eq!(second(0.0), "session.py");
    assert_eq!(second(9.0), "other.py");
}
