//! Contract that every [`EdgeSource`] must meet. Implementations run [`check_edge_source`] in their tests.

use std::sync::Arc;

use sscg_core::{FileId, Project};

use crate::{CodeGraph, Edge, EdgeSource, SourceTree, link};

/// Checks a source of edges on a project: its graph has the files and symbols of the project, and the containment edges of
/// the linker; applying it to the result again changes nothing; the same input gives the same result. `hash` returns the
/// BLAKE3 hash of a file's text, if it is known.
///
/// # Panics
/// Panics if the source violates the contract.
pub fn check_edge_source(
    source: &dyn EdgeSource,
    project: &Project,
    hash: &dyn Fn(FileId) -> Option<[u8; 32]>,
) {
    let tree = SourceTree::new(project, hash);
    let linked = Arc::new(link(project));
    let first = source.apply(&tree, Arc::clone(&linked)).graph;
    assert!(first.fits(project), "the graph has other files or symbols than the project");
    let containment = |graph: &CodeGraph| -> Vec<Edge> {
        graph.edges().iter().filter(|edge| edge.relation.is_containment()).copied().collect()
    };
    assert_eq!(containment(&first), containment(&linked), "containment edges follow from the facts alone");
    let again = source.apply(&tree, linked);
    assert!(*again.graph == *first, "the same input gives another graph");
    let twice = source.apply(&tree, Arc::clone(&first));
    assert!(*twice.graph == *first, "the graph changes when the source is applied to its own result");
    assert_eq!(twice.comparison.contradicted, [], "the source contradicts its own result");
}
