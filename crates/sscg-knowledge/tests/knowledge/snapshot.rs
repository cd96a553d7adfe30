//! Graphs as files, and invalid files.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use sscg_knowledge::{KnowledgeSnapshot, SNAPSHOT_VERSION, SnapshotError};

use crate::support::built;

static WHOLE: LazyLock<String> = LazyLock::new(|| snapshot().to_json());

fn snapshot() -> KnowledgeSnapshot {
    let (graph, report) = built();
    KnowledgeSnapshot { graph, report }
}

#[test]
fn a_snapshot_keeps_graph_and_report_and_has_the_same_bytes() {
    let text = snapshot().to_json();
    assert_eq!(snapshot().to_json(), text);
    let read = KnowledgeSnapshot::from_json(&text).unwrap();
    assert_eq!(read.report, snapshot().report);
    assert_eq!(read.to_json(), text);
}

#[test]
fn an_unknown_version_is_named_with_the_known_one() {
    let mut value: Value = serde_json::from_str(&snapshot().to_json()).unwrap();
    value["version"] = 99.into();
    let error = KnowledgeSnapshot::from_json(&value.to_string()).unwrap_err();
    assert!(matches!(error, SnapshotError::Version { found: 99 }));
    let message = error.to_string();
    assert!(message.contains("99") && message.contains(&SNAPSHOT_VERSION.to_string()), "{message}");
}

#[test]
fn other_files_are_told_from_damaged_ones() {
    assert!(matches!(KnowledgeSnapshot::from_json("{}"), Err(SnapshotError::Format(_))));
    assert!(matches!(KnowledgeSnapshot::from_json("[1"), Err(SnapshotError::Syntax { .. })));
    assert!(matches!(KnowledgeSnapshot::from_json(""), Err(SnapshotError::Syntax { .. })));
}

#[test]
fn what_contradicts_itself_is_an_error_that_names_it() {
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&snapshot().to_json()).unwrap();
        change(&mut value);
        KnowledgeSnapshot::from_json(&value.to_string()).unwrap_err().to_string()
    };
    let no_node = broken(&|value| value["edges"][0]["target"] = "file::none".into());
    assert!(no_node.contains("file::none"), "{no_node}");
    let wrong_kind = broken(&|value| value["nodes"][0]["id"] = "file::orders".into());
    assert!(wrong_kind.contains("not the id of a service"), "{wrong_kind}");
    let twice = broken(&|value| {
        let first = value["nodes"][0].clone();
        value["nodes"].as_array_mut().unwrap().push(first);
    });
    assert!(twice.contains("two nodes"), "{twice}");
    let rank = broken(&|value| value["nodes"][0]["pagerank"] = json!(7.5));
    assert!(rank.contains("7.5"), "{rank}");
    let community = broken(&|value| value["nodes"][0]["community_id"] = json!(-7));
    assert!(community.contains("-7"), "{community}");
    let sure = broken(&|value| value["edges"][0]["confidence"] = "certain".into());
    assert!(sure.contains("certain"), "{sure}");
    let kind = broken(&|value| value["nodes"][0]["node_type"] = "table".into());
    assert!(kind.contains("table"), "{kind}");
}

proptest! {
    #[test]
    fn broken_bytes_are_an_error_and_never_a_panic(at in 0.0..1.0_f64, len in 0..40_usize, text in ".{0,8}") {
        let whole = &*WHOLE;
        let mut start = (whole.len() as f64 * at) as usize;
        while !whole.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = (start + len).min(whole.len());
        while !whole.is_char_boundary(end) {
            end += 1;
        }
        let broken = format!("{}{text}{}", &whole[..start], &whole[end..]);
        if let Ok(read) = KnowledgeSnapshot::from_json(&broken) {
            let written = read.to_json();
            prop_assert_eq!(KnowledgeSnapshot::from_json(&written).unwrap().to_json(), written);
        }
    }
}
