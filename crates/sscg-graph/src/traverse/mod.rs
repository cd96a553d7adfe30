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

use std::fmt;

use sscg_core::{Confidence, Id, NodeId, RelationSet};

pub use call_tree::{CallTree, CallTreeOptions, Mark, call_tree};
pub use expand::{ExpandOptions, Expansion, Reached, expand};
pub use hierarchy::{TypeHierarchy, type_hierarchy};
pub use impact::{Affected, Impact, ImpactOptions, impact};
pub use pack::{Packed, pack};
pub use trace::{Path, TraceOptions, trace};

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
}

impl Default for EdgeFilter {
    /// All edges of what code does, both ways.
    fn default() -> Self {
        Self { direction: None, relations: RelationSet::CODE, min_confidence: Confidence::Ambiguous }
    }
}

impl EdgeFilter {
    /// Whether an edge passes, in either direction.
    pub fn admits(&self, edge: &Edge) -> bool {
        self.relations.contains(edge.relation) && edge.confidence >= self.min_confidence
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

    fn known(&self, node: NodeId) -> Result<(), UnknownNode> {
        if node.index() < self.node_count() { Ok(()) } else { Err(UnknownNode(node)) }
    }
}

fn step(edge: &Edge, direction: Direction) -> Step<'_> {
    let node = match direction {
        Direction::Outgoing => edge.target,
        Direction::Incoming => edge.source,
    };
    Step { edge, direction, node }
}

/// A node id that belongs to another graph: ids are valid for the snapshot they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownNode(pub NodeId);

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the graph has no node {}: it belongs to another state of the project", self.0.index())
    }
}

impl std::error::Error for UnknownNode {}
