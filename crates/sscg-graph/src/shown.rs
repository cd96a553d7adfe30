//! Nodes and edges that a chunk shows.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Chunk, ChunkId, Id, LocalChunk, LocalSymbol, Modifiers, NodeId, Project};

use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Number of functions without a name above which their file stands for them: tests that use a declaration, for example.
const MOST_ANONYMOUS: usize = 3;

/// Returns what stands for each of some nodes in a list of them: for more than three functions without a name their file,
/// otherwise the node. O(nodes), and O(1) for each look-up.
pub fn collapse_anonymous<'g>(
    project: &'g Project,
    graph: &'g CodeGraph,
    nodes: &[NodeId],
) -> impl Fn(NodeId) -> NodeId + use<'g> {
    let file_of = move |node| {
        let symbol = graph.node(node).symbol().filter(|symbol| project.is_anonymous(*symbol))?;
        Some(graph.id(Node::File(project.symbol_file(symbol))))
    };
    let mut by_file: FxHashMap<NodeId, FxHashSet<NodeId>> = FxHashMap::default();
    for node in nodes {
        if let Some(file) = file_of(*node) {
            by_file.entry(file).or_default().insert(*node);
        }
    }
    by_file.retain(|_, nodes| nodes.len() > MOST_ANONYMOUS);
    move |node| file_of(node).filter(|file| by_file.contains_key(file)).unwrap_or(node)
}

/// Returns the chunk of an edge's end: that of its symbol, or the root statement on the edge's line.
pub(crate) fn chunk_of(project: &Project, graph: &CodeGraph, node: NodeId, line: u32) -> Option<ChunkId> {
    match graph.node(node) {
        Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
        Node::File(file) => {
            let outline = project.files()[file].facts.outline();
            let chunks = outline.chunks().as_slice();
            // Chunks are in source order, and root chunks overlap in at most one line.
            let end = chunks.partition_point(|chunk| chunk.lines.start <= line);
            let roots = chunks[..end].iter().enumerate().rev().filter(|(_, chunk)| chunk.parent.is_none());
            let around = roots.take_while(|(_, chunk)| chunk.lines.contains(line));
            let root = around.filter(|(_, chunk)| chunk.symbol.is_none()).last();
            root.map(|(local, _)| project.chunk_id(file, LocalChunk::new(local)))
        }
        Node::External(_) => None,
    }
}

/// Returns the edges out of a chunk's own declarations, or of the top-level code on its lines.
pub(crate) fn edges_from<'g>(project: &Project, graph: &'g CodeGraph, chunk: ChunkId) -> Vec<&'g Edge> {
    let nodes = symbols_shown(project, graph, chunk);
    let edges = nodes.into_iter().flat_map(|node| graph.edges_at(node, Direction::Outgoing));
    let edges = edges.filter(|edge| !edge.relation.is_containment());
    if project.symbol_of_chunk(chunk).is_some() {
        return edges.collect();
    }
    let file = project.chunk_file(chunk);
    graph.file_edges_on(file, project.chunk_lines(chunk)).chain(edges).collect()
}

/// Returns the edges out of declarations that are nested in a chunk and shown by others, such as methods of a class.
pub(crate) fn edges_within<'g>(project: &Project, graph: &'g CodeGraph, chunk: ChunkId) -> Vec<&'g Edge> {
    let (file, local) = project.local_chunk(chunk);
    let facts = &project.files()[file].facts;
    let Some(symbol) = facts.outline().chunks()[local].symbol else { return Vec::new() };
    if !project.symbol_kind(project.symbol_id(file, symbol)).has_members() {
        return Vec::new();
    }
    let inside = facts.descendants(symbol).filter(|inner| facts.symbols[*inner].chunk != local);
    let nodes = inside.map(|inner| graph.id(Node::Symbol(project.symbol_id(file, inner))));
    let edges = nodes.flat_map(|node| graph.edges_at(node, Direction::Outgoing));
    edges.filter(|edge| !edge.relation.is_containment()).collect()
}

/// Returns the edges into a chunk's own declarations.
pub(crate) fn edges_into<'g>(project: &Project, graph: &'g CodeGraph, chunk: ChunkId) -> Vec<&'g Edge> {
    let nodes = symbols_shown(project, graph, chunk);
    let edges = nodes.into_iter().flat_map(|node| graph.edges_at(node, Direction::Incoming));
    edges.filter(|edge| !edge.relation.is_containment()).collect()
}

/// Returns the nodes of the declarations that a chunk shows: its own, members without a body, and in a statement the
/// functions without a name.
pub(crate) fn symbols_shown(project: &Project, graph: &CodeGraph, chunk: ChunkId) -> Vec<NodeId> {
    let (file, local) = project.local_chunk(chunk);
    let facts = &project.files()[file].facts;
    let Chunk { symbol, span, .. } = facts.chunks[local];
    let (from, span) = match symbol {
        Some(symbol) => (symbol.index(), facts.symbols[symbol].span),
        None => (facts.symbols.as_slice().partition_point(|it| it.span.start < span.start), span),
    };
    facts.symbols.as_slice()[from..]
        .iter()
        .take_while(|declaration| span.contains(declaration.span))
        .enumerate()
        .filter(|(_, it)| {
            it.chunk == local && (symbol.is_some() || it.modifiers.contains(Modifiers::ANONYMOUS))
        })
        .map(|(offset, _)| {
            let id = project.symbol_id(file, LocalSymbol::new(from + offset));
            graph.id(Node::Symbol(id))
        })
        .collect()
}
