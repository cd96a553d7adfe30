//! Tests of indexes that other versions wrote.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tree::{Tree, refresh};

/// Directory of indexes written by other versions of this program, with their trees: facts of that version's extractor,
/// and a snapshot that an earlier version derived from them.
const GOLDEN: &str = "../../fixtures/index";
const GOLDEN_EXTRACTORS: [u32; 2] = [10, 11];

#[test]
fn what_another_version_derived_is_made_again_from_the_facts_that_are_valid() {
    for extractor in GOLDEN_EXTRACTORS {
        check(extractor);
    }
}

fn check(extractor: u32) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN).join(format!("extractor-{extractor}"));
    let text = |name: &str| fs::read_to_string(golden.join(name)).expect("part of the fixture");
    let tree = Tree::new(&[("a.py", &text("a.py")), ("b.ts", &text("b.ts"))]);
    let mut index = tree.open();
    refresh(&mut index);
    let store = PathBuf::from(index.store().expect("on disk").place());
    drop(index);
    let of = |ending: &str| {
        let mut paths = fs::read_dir(&store).expect("made").map(|entry| entry.expect("readable").path());
        paths.find(|path| path.to_string_lossy().ends_with(ending)).expect("written")
    };
    let (snapshot, facts) = (of(".snapshot"), store.join("facts-v2.redb"));
    fs::remove_file(of(".redb")).expect("ours");
    fs::copy(golden.join("facts-v2.redb"), &facts).expect("writable");
    fs::copy(golden.join("snapshot"), &snapshot).expect("writable");

    let (made, report) = tree.index();
    let is_valid = sscg_parse::EXTRACTOR_VERSION == extractor;
    assert_eq!((report.files, report.parsed), (2, if is_valid { 0 } else { 2 }));
    assert_eq!(made.project.symbols_named("three").count(), 1);
    let written = fs::read(&snapshot).expect("written");
    assert_ne!(written, fs::read(golden.join("snapshot")).expect("part of the fixture"), "it was replaced");
}
