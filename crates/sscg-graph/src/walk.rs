//! The code graph as input of ranking kernels.

use derive_setters::Setters;
use sscg_core::{Adjacency, Confidence, Id, NodeId, Relation};

use crate::graph::{CodeGraph, Direction, Edge, Node};

/// All relations, by the direction of their edges: files and declarations rank each other also by containment. The weight
/// of an edge is its relation's weight times its confidence weight. External nodes are left out, and so are edges of a node
/// to itself: recursion is no evidence of proximity and would trap a walk. [`Relation::Contains`] is left out: each of its
/// edges has another relation, such as `defines`, beside it.
///
/// ```
/// use sscg_core::{Confidence, Id, Manifests, NodeId, Project, Relation, RelationSet};
/// use sscg_graph::traverse::EdgeFilter;
/// use sscg_rank::{PageRankOptions, RandomWalk, pagerank};
///
/// let text = "def log(): pass\n\ndef fetch(): log()\n\ndef main():\n    fetch()\n    log()\n";
/// let files = sscg_parse::project_file("a.py", text).into_iter().collect();
/// let project = Project::new(files, Manifests::default());
/// let graph = sscg_graph::link(&project);
///
/// // Calls alone, on all nodes.
/// let nodes: Vec<NodeId> = (0..graph.node_count()).map(NodeId::new).collect();
/// let filter = EdgeFilter::default().with_relations(RelationSet::EMPTY.with(Relation::Calls));
/// let calls = graph.induced(&nodes, filter).unwrap();
/// let ranking = pagerank(&RandomWalk::new(&calls), &[], &PageRankOptions::default());
/// let ranked = ranking.scores.top(calls.node_count());
/// let best = ranked.iter().find_map(|(node, _)| calls.node(NodeId::new(*node as usize)).symbol());
/// assert_eq!(best.map(|symbol| project.symbol_key(symbol)).as_deref(), Some("a.py::log"));
/// ```
impl Adjacency for CodeGraph {
    fn node_count(&self) -> usize {
        CodeGraph::node_count(self)
    }

    fn edge_count(&self) -> usize {
        self.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        Walk::new(self, 0.0).for_each(Direction::Outgoing, node, visit);
    }
}

/// Code graph that is also walked against its edges, otherwise like the [`Adjacency`] of [`CodeGraph`].
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Walk<'a> {
    /// Graph to walk.
    pub graph: &'a CodeGraph,
    /// Weight of a step against an edge, relative to one along it.
    pub backward: f32,
    /// Minimum confidence of the edges to walk.
    pub min_confidence: Confidence,
}

impl<'a> Walk<'a> {
    /// Creates a walk along edges of any confidence.
    pub fn new(graph: &'a CodeGraph, backward: f32) -> Self {
        Self { graph, backward, min_confidence: Confidence::Ambiguous }
    }

    /// Visits the nodes at the other end of a node's edges in one direction, with the weight of the edge.
    fn for_each(&self, direction: Direction, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        let is_external = |node: NodeId| matches!(self.graph.node(node), Node::External(_));
        let node = NodeId::new(node as usize);
        if is_external(node) {
            return;
        }
        let counts = |edge: &&Edge| {
            edge.source != edge.target
                && edge.confidence >= self.min_confidence
                && (edge.relation == Relation::Contains || !edge.relation.is_containment())
        };
        for edge in self.graph.edges_at(node, direction).filter(counts) {
            let other = match direction {
                Direction::Outgoing => edge.target,
                Direction::Incoming => edge.source,
            };
            if !is_external(other) {
                visit(other.index() as u32, edge.relation.weight() * edge.confidence_weight());
            }
        }
    }
}

impl Adjacency for Walk<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn edge_count(&self) -> usize {
        2 * self.graph.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.for_each(Direction::Outgoing, node, visit);
        self.for_each(Direction::Incoming, node, &mut |source, weight| visit(source, self.backward * weight));
    }
}
