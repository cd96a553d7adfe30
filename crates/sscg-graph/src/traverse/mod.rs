//! Walks over the graph: neighbors, expansion, paths, call trees, type hierarchies, impact.
//!
//! Every walk is bounded by its options, and its cost depends on what it looks at, not on the size of the graph.
//! Results are deterministic: ties are broken by node id, which follows file path and position in the file.

mod call_tree;
mod construction;
mod expand;
mod hierarchy;
mod impact;
mod members;
mod pack;
mod trace;
mod uses;

use derive_setters::Setters;
use sscg_core::{Confidence, NodeId, ProvenanceSet, RelationSet};

pub use call_tree::{CallTreeOptions, Mark, TreeNode, call_tree};
pub use expand::{ExpandOptions, Expansion, Reached, expand};
pub use hierarchy::{RelatedType, TypeHierarchy, type_hierarchy};
pub use impact::{Affected, Dependency, Impact, ImpactOptions, impact};
pub use members::{members, type_of};
pub use pack::{Packed, pack};
pub use trace::{Path, TraceOptions, trace};
pub use uses::{UseSite, Uses, may_use, uses};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge};

/// Filter for the edges that a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct EdgeFilter {
    /// Direction of the edges; `None` for both.
    pub direction: Option<Direction>,
    /// Relations to follow.
    pub relations: RelationSet,
    /// Minimum confidence of the edges.
    pub min_confidence: Confidence,
    /// Provenances to follow.
    pub provenances: ProvenanceSet,
}

impl Default for EdgeFilter {
    /// Returns the defaults: all code relations, in both directions.
    fn default() -> Self {
        Self {
            direction: None,
            relations: RelationSet::CODE,
            min_confidence: Confidence::Ambiguous,
            provenances: ProvenanceSet::ALL,
        }
    }
}

impl EdgeFilter {
    /// Returns true if an edge passes, in either direction.
    pub fn admits(&self, edge: &Edge) -> bool {
        self.relations.contains(edge.relation)
            && edge.confidence >= self.min_confidence
            && self.provenances.contains(edge.provenance)
    }

    fn follows(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|only| only == direction)
    }
}

/// Step of a walk: an edge, and the node at its other end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step<'g> {
    /// Edge of the step.
    pub edge: &'g Edge,
    /// Direction in which the edge is followed.
    pub direction: Direction,
    /// Node that the step leads to.
    pub node: NodeId,
}

impl CodeGraph {
    /// Returns the steps out of `node` that a filter admits: first along the edges, then against them, each ordered by
    /// the node they lead to. O(edges at the node).
    ///
    /// # Errors
    /// Returns an error if the node is not in the graph.
    pub fn neighbors(
        &self,
        node: NodeId,
        filter: EdgeFilter,
    ) -> Result<impl Iterator<Item = Step<'_>>, UnknownNode> {
        self.known(node)?;
        Ok(self.steps(node, filter))
    }

    /// Returns the [`CodeGraph::neighbors`] of a node that is in the graph.
    fn steps(&self, node: NodeId, filter: EdgeFilter) -> impl Iterator<Item = Step<'_>> {
        [Direction::Outgoing, Direction::Incoming]
            .into_iter()
            .filter(move |direction| filter.follows(*direction))
            .flat_map(move |direction| self.edges_at(node, direction).map(move |edge| step(edge, direction)))
            .filter(move |step| filter.admits(step.edge))
    }
}

pub(crate) fn step(edge: &Edge, direction: Direction) -> Step<'_> {
    let node = match direction {
        Direction::Outgoing => edge.target,
        Direction::Incoming => edge.source,
    };
    Step { edge, direction, node }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{Id, Provenance, Relation};

    use super::*;
    use crate::graph::UnresolvedReferences;
    use crate::testing::large;

    fn edge() -> impl Strategy<Value = (usize, usize, Relation, Confidence, Provenance)> {
        let relation = prop::sample::select(vec![Relation::Calls, Relation::Imports, Relation::Contains]);
        let confidence =
            prop::sample::select(vec![Confidence::Ambiguous, Confidence::Inferred, Confidence::Exact]);
        let provenance =
            prop::sample::select(vec![Provenance::Syntax, Provenance::Resolver, Provenance::Lsp]);
        (0..5_usize, 0..5_usize, relation, confidence, provenance)
    }

    proptest! {
        #[test]
        fn neighbors_are_the_other_ends_of_the_edges_that_pass(
            edges in prop::collection::vec(edge(), 0..20),
            node in 0..5_usize,
            direction in prop::option::of(any::<bool>()),
            calls_only in any::<bool>(),
            least in prop::sample::select(vec![Confidence::Ambiguous, Confidence::Inferred, Confidence::Exact]),
            no_lsp in any::<bool>(),
        ) {
            let (empty, nodes) = large(5, std::iter::empty());
            let edges = edges.iter().map(|(from, to, relation, confidence, provenance)| Edge {
                source: nodes[*from],
                target: nodes[*to],
                relation: *relation,
                line: 1,
                confidence: *confidence,
                provenance: *provenance,
                candidates: 1,
            });
            let graph = CodeGraph::of_size(empty.size(), Vec::new(), edges.collect(), UnresolvedReferences::default);
            let without_lsp = ProvenanceSet::ALL.without(Provenance::Lsp);
            let way = |outgoing| if outgoing { Direction::Outgoing } else { Direction::Incoming };
            let filter = EdgeFilter {
                direction: direction.map(way),
                relations: if calls_only { RelationSet::CALLS } else { RelationSet::ALL },
                min_confidence: least,
                provenances: if no_lsp { without_lsp } else { ProvenanceSet::ALL },
            };
            let steps = graph.neighbors(nodes[node], filter).expect("a known node");
            let found: Vec<(NodeId, Direction)> = steps.map(|it| (it.node, it.direction)).collect();
            let mut expected = Vec::new();
            for direction in [Direction::Outgoing, Direction::Incoming] {
                let other_end = |edge: &Edge| {
                    let (near, far) = match direction {
                        Direction::Outgoing => (edge.source, edge.target),
                        Direction::Incoming => (edge.target, edge.source),
                    };
                    let passes = (!calls_only || edge.relation == Relation::Calls)
                        && edge.confidence >= least
                        && (!no_lsp || edge.provenance != Provenance::Lsp)
                        && filter.direction.is_none_or(|only| only == direction);
                    (near == nodes[node] && passes).then_some(far)
                };
                let mut others: Vec<NodeId> = graph.edges().iter().filter_map(other_end).collect();
                others.sort_unstable();
                expected.extend(others.into_iter().map(|other| (other, direction)));
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn filters_that_nothing_passes_give_nothing_and_unknown_nodes_are_named() {
        let (graph, nodes) = large(2, [(0, 1)].into_iter());
        let nothing = |filter| graph.neighbors(nodes[0], filter).expect("a known node").next().is_none();
        assert!(!nothing(EdgeFilter::default()));
        assert!(nothing(EdgeFilter { relations: RelationSet::EMPTY, ..EdgeFilter::default() }));
        assert!(nothing(EdgeFilter { provenances: ProvenanceSet::EMPTY, ..EdgeFilter::default() }));
        assert!(nothing(EdgeFilter { direction: Some(Direction::Incoming), ..EdgeFilter::default() }));
        let stranger = NodeId::new(99);
        assert_eq!(graph.neighbors(stranger, EdgeFilter::default()).err(), Some(UnknownNode(stranger)));
    }
}
