//! Connections between the results of an answer, and code between and around them.

use std::collections::BTreeMap;

use sscg_core::{ChunkId, NodeId};
use sscg_format::{Answer, Community, ResultItem, ResultOrigin, SubgraphEdge, SubgraphNode};
use sscg_graph::traverse::{EdgeFilter, ExpandOptions, expand};
use sscg_graph::{ChunkEdge, ConnectOptions, Edge, Node, SubgraphOptions, connect, subgraph};
use sscg_retrieve::{DetailLevel, is_product};

use super::Composer;
use crate::structure::CommunityMap;

/// Tokens of budget per edge that is shown from each result to code outside of the answer.
const TOKENS_PER_EDGE: usize = 2_000;

/// Tokens of budget per declaration that is added to connect results.
const TOKENS_PER_CONNECTION: usize = 1_000;

/// Maximum number of neighbors of results, if they are requested.
const MOST_NEIGHBORS: usize = 10;

/// Tokens of budget per neighbor.
const TOKENS_PER_NEIGHBOR: usize = 400;

impl Composer<'_> {
    /// Adds the subgraph of the results to their answer, with the connecting declarations and the requested extras.
    /// Returns the cycles in it.
    pub(super) fn connect(&self, answer: &mut Answer, results: &[ChunkId]) -> Vec<Vec<String>> {
        let (project, graph) = (&self.snapshot.project, &self.snapshot.graph);
        let known = "results are chunks of the snapshot";
        let through = |chunk: ChunkId| is_product(self.snapshot, chunk);
        let options = ConnectOptions::default()
            .with_added(self.request.budget / TOKENS_PER_CONNECTION)
            .with_through(&through)
            .with_min_confidence(self.request.min_confidence);
        let mut connection = connect(project, graph, results, &options).expect(known);
        // A chunk inside a result is already part of it.
        connection
            .added
            .retain(|added| !results.iter().any(|result| project.chunk_contains(*result, *added)));
        let neighbors = self.neighbors(results, &connection.added);
        let mut chunks = results.to_vec();
        chunks.extend(&connection.added);
        chunks.extend(&neighbors);
        let found = subgraph(project, graph, &chunks, &self.surroundings(results.len())).expect(known);

        let items = neighbors.iter().map(|chunk| {
            let shown = DetailLevel::Name.as_str().to_owned();
            self.place(*chunk, ResultOrigin::EgoGraph).with_shown(shown)
        });
        answer.results.extend(items);
        answer.subgraph_nodes = self.nodes(&chunks, results.len(), connection.added.len());
        let ids: Vec<&str> = answer.subgraph_nodes.iter().map(|node| node.id.as_str()).collect();
        // Containment is not an edge of a subgraph, but can be a step of a path.
        let steps = connection.paths.iter().flat_map(|path| &path.path.edges);
        let steps = steps.filter(|edge| edge.relation.is_containment()).filter_map(|edge| {
            let ends = [edge.source, edge.target].map(|node| self.place_of(node, &chunks));
            let [Some(source), Some(target)] = ends else { return None };
            (source != target).then_some(ChunkEdge::new(source, target, *edge))
        });
        let steps: Vec<ChunkEdge> = steps.collect();
        let among = found.edges.iter().chain(&steps).map(|edge| {
            described(&edge.edge)
                .with_src(ids[edge.source].to_owned())
                .with_tgt(ids[edge.target].to_owned())
                .with_src_member(self.member(edge.edge.source, chunks[edge.source]))
                .with_tgt_member(self.member(edge.edge.target, chunks[edge.target]))
        });
        let around = found.boundary.iter().map(|edge| {
            let (id, outside) = (ids[edge.chunk].to_owned(), graph.label(project, edge.outside));
            let (src, tgt) = if edge.outside == edge.edge.source { (outside, id) } else { (id, outside) };
            described(&edge.edge).with_src(src).with_tgt(tgt).with_boundary(true)
        });
        answer.subgraph_edges = among.chain(around).collect();
        answer.omitted_boundary_edges = found.boundary_omitted;
        answer.subgraph_order = found.order.iter().map(|at| ids[*at].to_owned()).collect();
        let named =
            |places: &[usize]| -> Vec<String> { places.iter().map(|at| ids[*at].to_owned()).collect() };
        if connection.is_complete && connection.groups.len() > 1 {
            answer.unconnected = connection.groups.iter().map(|group| named(group)).collect();
        }
        let cycles = found.cycles.iter().map(|cycle| named(cycle)).collect();
        if self.request.communities {
            self.add_communities(answer, &chunks);
        }
        cycles
    }

    /// Returns the options for edges around the results: a smaller budget shows fewer, to leave room for code.
    fn surroundings(&self, results: usize) -> SubgraphOptions {
        let most = SubgraphOptions::default().boundary_edges;
        let boundary_edges = (self.request.budget / TOKENS_PER_EDGE).clamp(1, most);
        SubgraphOptions::default()
            .with_boundary_edges(boundary_edges)
            .with_results(results)
            .with_min_confidence(self.request.min_confidence)
    }

    fn nodes(&self, chunks: &[ChunkId], results: usize, connections: usize) -> Vec<SubgraphNode> {
        let node = |(at, chunk): (usize, &ChunkId)| {
            let source = match at {
                _ if at < results => ResultOrigin::Search,
                _ if at < results + connections => ResultOrigin::Connection,
                _ => ResultOrigin::EgoGraph,
            };
            let ResultItem { chunk_id, file, kind, name, centrality, .. } = self.place(*chunk, source);
            SubgraphNode::default()
                .with_id(chunk_id)
                .with_name(name)
                .with_kind(kind)
                .with_file(file)
                .with_centrality(centrality)
                .with_source(source)
        };
        chunks.iter().enumerate().map(node).collect()
    }

    /// Returns the chunks near the results that are not among them, nearest first.
    fn neighbors(&self, results: &[ChunkId], connections: &[ChunkId]) -> Vec<ChunkId> {
        let (project, graph) = (&self.snapshot.project, &self.snapshot.graph);
        if self.request.ego_graph == 0 {
            return Vec::new();
        }
        let node =
            |chunk: &ChunkId| project.symbol_of_chunk(*chunk).map(|symbol| graph.id(Node::Symbol(symbol)));
        let seeds: Vec<NodeId> = results.iter().filter_map(node).collect();
        let is_declared = |node: NodeId| matches!(graph.node(node), Node::Symbol(_));
        // Several nodes can belong to one chunk, or to a result.
        let options = ExpandOptions::default()
            .with_depth(self.request.ego_graph)
            .with_limit(seeds.len() + 4 * MOST_NEIGHBORS)
            .with_nodes(&is_declared)
            .with_edges(EdgeFilter::default().with_min_confidence(self.request.min_confidence));
        let reached = expand(graph, &seeds, &options).expect("results are nodes of the graph");
        let mut neighbors = Vec::new();
        for reached in &reached.nodes[seeds.len().min(reached.nodes.len())..] {
            let Node::Symbol(symbol) = graph.node(reached.node) else { continue };
            let chunk = project.chunk_of_symbol(symbol);
            if ![results, connections, &neighbors].iter().any(|known| known.contains(&chunk)) {
                neighbors.push(chunk);
            }
        }
        neighbors.truncate(MOST_NEIGHBORS.min(self.request.budget / TOKENS_PER_NEIGHBOR));
        neighbors
    }

    fn add_communities(&self, answer: &mut Answer, chunks: &[ChunkId]) {
        let map = self.snapshot.derived(CommunityMap::of);
        let mut communities: BTreeMap<u32, Community> = BTreeMap::new();
        for (node, chunk) in answer.subgraph_nodes.iter_mut().zip(chunks) {
            node.community = map.get(self.snapshot, *chunk);
            if let Some(number) = node.community {
                let community = communities.entry(number).or_default();
                community.count += 1;
                map.label(number).clone_into(&mut community.label);
            }
        }
        answer.subgraph_communities =
            communities.into_iter().map(|(number, community)| (number.to_string(), community)).collect();
    }

    /// Returns the position in `chunks` of the chunk that shows a node.
    fn place_of(&self, node: NodeId, chunks: &[ChunkId]) -> Option<usize> {
        let Node::Symbol(symbol) = self.snapshot.graph.node(node) else { return None };
        let chunk = self.snapshot.project.chunk_of_symbol(symbol);
        chunks.iter().position(|known| *known == chunk)
    }

    /// Returns the qualified name of a node; empty if the node is its chunk's own symbol.
    fn member(&self, node: NodeId, chunk: ChunkId) -> String {
        let project = &self.snapshot.project;
        match self.snapshot.graph.node(node) {
            Node::Symbol(symbol) if project.symbol_of_chunk(chunk) != Some(symbol) => {
                project.qualified_name(symbol)
            }
            _ => String::new(),
        }
    }
}

/// Describes an edge without its ends.
pub(crate) fn described(edge: &Edge) -> SubgraphEdge {
    SubgraphEdge::default()
        .with_rel(edge.relation.as_str())
        .with_line(edge.line)
        .with_confidence(edge.confidence)
        .with_candidates(edge.candidates)
        .with_provenance(edge.provenance.as_str())
}
