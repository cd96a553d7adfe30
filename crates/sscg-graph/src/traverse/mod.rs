//! Walks over the graph: neighbours, expansion, paths, call trees, type hierarchies, impact.
//!
//! Every walk is bounded by what its options say and costs what it looks at, whatever the size of the graph, and
//! gives the same answer each time: ties are broken by node id, which follows path and place in the file.

mod call_tree;
mod expand;
mod hierarchy;
mod impact;
mod pack;
mod trace;

use sscg_core::{Confidence, NodeId, ProvenanceSet, RelationSet};

pub use call_tree::{CallTreeOptions, Mark, TreeNode, call_tree};
pub use expand::{ExpandOptions, Expansion, Reached, expand};
pub use hierarchy::{RelatedType, TypeHierarchy, type_hierarchy};
pub use impact::{Affected, Impact, ImpactOptions, impact};
pub use pack::{Packed, pack};
pub use trace::{Path, TraceOptions, trace};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge};

/// Which edges a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFilter {
    /// Along the edges, against them, or (`None`) both.
    pub direction: Option<Direction>,
    /// What they say.
    pub relations: RelationSet,
    /// How sure they are at least.
    pub min_confidence: Confidence,
    /// What they were learned from.
    pub provenances: ProvenanceSet,
}

impl Default for EdgeFilter {
    /// All edges of what code does, both ways.
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
    /// Whether an edge passes, in either direction.
    pub fn admits(&self, edge: &Edge) -> bool {
        self.relations.contains(edge.relation)
            && edge.confidence >= self.min_confidence
            && self.provenances.contains(edge.provenance)
    }

    fn follows(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|only| only == direction)
    }
}

/// One step of a walk: an edge, and the node at its other end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'g> {
    /// The edge.
    pub edge: &'g Edge,
    /// The way it was taken.
    pub direction: Direction,
    /// The node that it leads to.
    pub node: NodeId,
}

impl CodeGraph {
    /// The steps out of `node` that a filter admits: first along the edges, then against them, each ordered by the
    /// node they lead to. O(edges at the node).
    ///
    /// # Errors
    /// If the graph has no such node.
    pub fn neighbors(
        &self,
        node: NodeId,
        filter: EdgeFilter,
    ) -> Result<impl Iterator<Item = Step<'_>>, UnknownNode> {
        self.known(node)?;
        Ok(self.steps(node, filter))
    }

    /// [`CodeGraph::neighbors`] of a node that is known to exist.
    fn steps(&self, node: NodeId, filter: EdgeFilter) -> impl Iterator<Item = Step<'_>> {
        [Direction::Outgoing, Direction::Incoming]
            .into_iter()
            .filter(move |direction| filter.follows(*direction))
            .flat_map(move |direction| self.edges_at(node, direction).map(move |edge| step(edge, direction)))
            .filter(move |step| filter.admits(step.edge))
    }
}

fn step(edge: &Edge, direction: Direction) -> Step<'_> {
    let node = match direction {
        Direction::Outgoing => edge.target,
        Direction::Incoming => edge.source,
    };
    Step { edge, direction, node }
}
