//! Samples in the documentation.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

use crate::sandbox::Sandbox;

/// Marker of a sample: `<!-- gate: sscg search "..." -->` above the output of a command in that project of
/// `fixtures/projects`, or `<!-- path -->` above the content of a file.
fn sample(root: &Path, marker: &str) -> String {
    let Some((project, command)) = marker.split_once(": sscg ") else {
        return fs::read_to_string(root.join(marker)).unwrap_or_else(|error| panic!("{marker}: {error}"));
    };
    // Every second part is in quotes.
    let arguments = command.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    let run = Sandbox::of_project(project).run(&arguments.collect::<Vec<_>>());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{marker}");
    run.stdout
}

#[test]
fn every_sample_of_an_answer_is_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = root.join("docs/output.md");
    let text = fs::read_to_string(&page).expect("the page is there");
    let mut expected = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        assert!(!line.starts_with("```"), "a sample without an origin below {:?}", expected.lines().last());
        expected += line;
        expected.push('\n');
        if let Some(marker) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            let fence = lines.next().expect("a sample follows");
            assert!(fence.starts_with("```"), "{fence:?} below {marker}");
            expected += &format!("{fence}\n{}\n```\n", sample(&root, marker).trim_end());
            assert!(lines.any(|line| line == "```"), "the sample of {marker} ends");
        }
    }
    expect_file![page].assert_eq(&expected);
}
