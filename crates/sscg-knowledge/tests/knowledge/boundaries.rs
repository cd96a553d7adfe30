//! Files that belong to the wrong service, and files that only seem to.

use sscg_knowledge::query::validate_service_boundaries;
use sscg_knowledge::{EdgeData, EdgeKind, KnowledgeGraph};

use crate::support::{add_file, built, exact};

/// Returns files with imports between them, given with the number of imported names. The first path segment is the
/// service; `lib` has none.
fn files(imports: &[(&str, &str, usize)]) -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    for (source, target, count) in imports {
        let mut file = |path: &str| {
            let service = path.split('/').next().unwrap_or_default();
            add_file(&mut graph, path, if service == "lib" { "" } else { service })
        };
        let (source, target) = (file(source), file(target));
        let names = (0..*count).map(|name| Box::from(format!("name{name}"))).collect();
        graph.add_edge(source, target, EdgeKind::Imports, EdgeData::Import(names), exact());
    }
    graph
}

const ALIGNED: &[(&str, &str, usize)] = &[
    ("a/1", "a/2", 2),
    ("a/1", "a/3", 2),
    ("a/2", "a/3", 1),
    ("b/1", "b/2", 2),
    ("b/1", "b/3", 2),
    ("b/2", "b/3", 1),
    ("a/1", "lib/x", 9),
    ("b/1", "lib/x", 9),
];

#[test]
fn validate_service_boundaries_detects_misplaced_files() {
    let mut imports = ALIGNED.to_vec();
    imports.extend([("b/1", "a/lost", 2), ("b/2", "a/lost", 2), ("a/lost", "b/3", 1), ("a/lost", "a/3", 1)]);
    let found = validate_service_boundaries(&files(&imports), &Default::default()).unwrap();
    let [lost] = &found.misplaced_files[..] else { panic!("{found:?}") };
    assert_eq!((&*lost.file, &*lost.declared_service, &*lost.community_service), ("a/lost", "a", "b"));
    assert_eq!((lost.links_to_declared, lost.links_to_community, lost.confidence), (1, 5, 0.75));
    assert_eq!((found.communities_detected, found.services_declared), (2, 2));
    assert!((found.alignment_score - 6.0 / 7.0).abs() < 1e-9);
    assert_eq!(found.service_coupling[0].cross_edges, 3);
}

#[test]
fn validate_service_boundaries_perfect_alignment() {
    let found = validate_service_boundaries(&files(ALIGNED), &Default::default()).unwrap();
    assert_eq!((found.alignment_score, found.misplaced_files.len()), (1.0, 0));
    assert!(found.service_coupling.is_empty() && found.isolated_files.is_empty());
    let nothing = validate_service_boundaries(&KnowledgeGraph::new(), &Default::default()).unwrap();
    assert_eq!((nothing.alignment_score, nothing.communities_detected), (1.0, 0));
}

#[test]
fn a_small_service_that_uses_much_of_another_is_not_misplaced() {
    let mut imports = ALIGNED.to_vec();
    // The only other file of the service has at least as many links.
    imports.extend([("c/1", "b/1", 2), ("c/1", "c/2", 2), ("c/2", "a/1", 1)]);
    let found = validate_service_boundaries(&files(&imports), &Default::default()).unwrap();
    assert_eq!(found.misplaced_files, []);
}

#[test]
fn a_client_of_a_service_and_what_is_offered_to_one_are_not_misplaced() {
    let mut imports = ALIGNED.to_vec();
    // The client uses much of the other service and is not used there; the API is used there and uses its own service.
    imports.extend([
        ("a/client", "b/1", 3),
        ("a/client", "b/2", 3),
        ("b/1", "a/api", 3),
        ("b/2", "a/api", 3),
    ]);
    imports.push(("a/api", "a/1", 2));
    let found = validate_service_boundaries(&files(&imports), &Default::default()).unwrap();
    assert_eq!(found.misplaced_files, []);
}

#[test]
fn files_without_imports_are_isolated() {
    let found = validate_service_boundaries(&built().0, &Default::default()).unwrap();
    assert_eq!(found.isolated_files, ["services/shipping/src/alone.ts".into()]);
}
