//! What connects a set of chunks.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, NodeId, Project};

use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Limits of a subgraph.
#[derive(Clone, Copy, Debug)]
pub struct SubgraphOptions {
    /// At most this many edges to nodes outside the set are listed for each chunk and direction.
    pub boundary_edges: usize,
}

impl Default for SubgraphOptions {
    /// 3 boundary edges.
    fn default() -> Self {
        Self { boundary_edges: 3 }
    }
}

/// The part of the code graph that a set of chunks induces. Chunks are named by their place in the set.
#[derive(Clone, Debug, Default)]
pub struct Subgraph {
    /// Edges between two chunks of the set, by (source, target, relation).
    pub edges: Vec<ChunkEdge>,
    /// The most telling edges that leave the set, by chunk, callers first.
    pub boundary: Vec<BoundaryEdge>,
    /// How many further boundary edges the limit left out.
    pub boundary_omitted: usize,
    /// The chunks with dependencies first. Chunks of a cycle stand together, in the order of the set.
    pub order: Vec<usize>,
    /// Chunks that depend on each other in a circle.
    pub cycles: Vec<Vec<usize>>,
}

/// An edge between two chunks of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkEdge {
    /// Place of the source chunk in the set.
    pub source: usize,
    /// Place of the target chunk in the set.
    pub target: usize,
    /// The edge between their declarations.
    pub edge: Edge,
}

/// An edge between a chunk of the set and something outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryEdge {
    /// Place of the chunk in the set.
    pub chunk: usize,
    /// [`Direction::Incoming`] if the chunk is the target.
    pub direction: Direction,
    /// The node outside.
    pub outside: NodeId,
    /// The edge.
    pub edge: Edge,
}

/// The subgraph that `chunks` induce. Structural edges are left out. O(edges at the chunks, sorted).
pub fn subgraph(
    project: &Project,
    graph: &CodeGraph,
    chunks: &[ChunkId],
    options: &SubgraphOptions,
) -> Subgraph {
    let places: FxHashMap<ChunkId, usize> = chunks.iter().enumerate().map(|(at, c)| (*c, at)).collect();
    let place = |node: NodeId, line: u32| chunk_of(project, graph, node, line).and_then(|c| places.get(&c));
    let mut result = Subgraph::default();
    for (at, chunk) in chunks.iter().enumerate() {
        let mut outside = Vec::new();
        for edge in edges_from(project, graph, *chunk) {
            match place(edge.target, 0) {
                Some(&target) if target != at => {
                    result.edges.push(ChunkEdge { source: at, target, edge: *edge });
                }
                Some(_) => {}
                None => outside.push(boundary(at, Direction::Outgoing, edge)),
            }
        }
        for edge in edges_into(project, graph, *chunk) {
            if place(edge.source, edge.line).is_none() {
                outside.push(boundary(at, Direction::Incoming, edge));
            }
        }
        result.boundary_omitted += cap_boundary(graph, &mut outside, options.boundary_edges);
        result.boundary.extend(outside);
    }
    result.edges.sort_by_key(|e| (e.source, e.target, e.edge.relation, e.edge.line));
    result.edges.dedup_by_key(|e| (e.source, e.target, e.edge.relation));
    (result.order, result.cycles) = dependencies_first(chunks.len(), &result.edges);
    result
}

fn boundary(chunk: usize, direction: Direction, edge: &Edge) -> BoundaryEdge {
    let outside = match direction {
        Direction::Outgoing => edge.target,
        Direction::Incoming => edge.source,
    };
    BoundaryEdge { chunk, direction, outside, edge: *edge }
}

/// The chunk whose code an edge's end is: that of its symbol, or of the root statement on the edge's line.
fn chunk_of(project: &Project, graph: &CodeGraph, node: NodeId, line: u32) -> Option<ChunkId> {
    match graph.node(node) {
        Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
        Node::File(file) => {
            let chunks = project.chunks_of(file);
            let facts = &project.files()[file].facts;
            let root = facts.chunks.iter_enumerated().find(|(_, chunk)| {
                chunk.symbol.is_none() && chunk.parent.is_none() && chunk.lines.contains(line)
            });
            root.map(|(local, _)| project.chunk_id(file, local)).filter(|chunk| chunks.contains(chunk))
        }
        Node::Boundary(_) => None,
    }
}

/// Edges out of a chunk's own declarations, or of the top-level code on its lines.
fn edges_from<'g>(project: &Project, graph: &'g CodeGraph, chunk: ChunkId) -> Vec<&'g Edge> {
    let file = project.chunk_file(chunk);
    let shown = project.chunk(chunk);
    if shown.symbol.is_none() {
        return graph.file_edges_on(file, shown.lines).collect();
    }
    let nodes = symbols_shown(project, graph, chunk);
    let edges = nodes.into_iter().flat_map(|node| graph.edges_at(node, Direction::Outgoing));
    edges.filter(|edge| !edge.relation.is_structural()).collect()
}

/// Edges into a chunk's own declarations.
fn edges_into<'g>(project: &Project, graph: &'g CodeGraph, chunk: ChunkId) -> Vec<&'g Edge> {
    let nodes = symbols_shown(project, graph, chunk);
    let edges = nodes.into_iter().flat_map(|node| graph.edges_at(node, Direction::Incoming));
    edges.filter(|edge| !edge.relation.is_structural()).collect()
}

/// The nodes of the declarations a chunk shows: its own, and members without a body.
fn symbols_shown(project: &Project, graph: &CodeGraph, chunk: ChunkId) -> Vec<NodeId> {
    let (file, local) = project.local_chunk(chunk);
    let facts = &project.files()[file].facts;
    let Some(symbol) = facts.chunks[local].symbol else { return Vec::new() };
    let span = facts.symbols[symbol].span;
    let from = sscg_core::Id::index(symbol);
    facts.symbols.as_slice()[from..]
        .iter()
        .take_while(|declaration| span.contains(declaration.span))
        .enumerate()
        .filter(|(_, declaration)| declaration.chunk == local)
        .map(|(offset, _)| {
            let id = project.symbol_id(file, sscg_core::Id::new(from + offset));
            graph.id(Node::Symbol(id))
        })
        .collect()
}

/// Keeps the edges that say most, `limit` in each direction, and returns how many went.
fn cap_boundary(graph: &CodeGraph, edges: &mut Vec<BoundaryEdge>, limit: usize) -> usize {
    let inside = |edge: &BoundaryEdge| !matches!(graph.node(edge.outside), Node::Boundary(_));
    let worth =
        |edge: &BoundaryEdge| f64::from(edge.edge.relation.weight()) * f64::from(edge.edge.certainty());
    edges.sort_by(|a, b| {
        (b.direction, inside(b))
            .cmp(&(a.direction, inside(a)))
            .then_with(|| worth(b).total_cmp(&worth(a)))
            .then_with(|| a.outside.cmp(&b.outside))
    });
    edges.dedup_by_key(|edge| (edge.direction, edge.outside));
    let before = edges.len();
    let mut kept = [0; 2];
    edges.retain(|edge| {
        let kept = &mut kept[edge.direction as usize];
        *kept += 1;
        *kept <= limit
    });
    before - edges.len()
}

/// Dependencies first: Tarjan's strongly connected components come out in reverse topological order, which
/// for edges from user to used is the order wanted.
fn dependencies_first(count: usize, edges: &[ChunkEdge]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, edges.len());
    for _ in 0..count {
        graph.add_node(());
    }
    for edge in edges {
        graph.add_edge(NodeIndex::new(edge.source), NodeIndex::new(edge.target), ());
    }
    let mut order = Vec::with_capacity(count);
    let mut cycles = Vec::new();
    for component in tarjan_scc(&graph) {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        order.extend(&members);
        if members.len() > 1 {
            cycles.push(members);
        }
    }
    (order, cycles)
}
