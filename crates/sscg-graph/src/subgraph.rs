//! Edges among a set of chunks, and out of it.

use std::cmp::Reverse;

use derive_setters::Setters;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;
use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, Confidence, Id, NodeId, Project, Relation};

use crate::error::UnknownChunk;
use crate::graph::{CodeGraph, Direction, Edge, Node};
use crate::shown::{chunk_of, collapse_anonymous, edges_from, edges_into, edges_within};

/// Limits of a subgraph.
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct SubgraphOptions {
    /// Maximum number of edges to nodes outside the set per chunk. Callers get up to two thirds of them, rounded up, if
    /// there are callees as well; each side fills what the other leaves free.
    pub boundary_edges: usize,
    /// Number of chunks, from the first, that are search results. The chunks after them are neighbors; nodes next to
    /// those are too far away to be listed.
    pub results: usize,
    /// Minimum confidence of edges to include.
    pub min_confidence: Confidence,
}

impl Default for SubgraphOptions {
    /// Returns the defaults: 3 boundary edges per chunk, edges of any confidence.
    fn default() -> Self {
        Self { boundary_edges: 3, results: usize::MAX, min_confidence: Confidence::Ambiguous }
    }
}

/// Subgraph that a set of chunks induces. Chunks are identified by their position in the set.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Subgraph {
    /// Edges between two chunks of the set, by (source, target, relation).
    pub edges: Vec<ChunkEdge>,
    /// Most informative edges that leave the set, by chunk, callers first.
    pub boundary: Vec<BoundaryEdge>,
    /// Number of further boundary edges that the limit left out.
    pub boundary_omitted: usize,
    /// Positions of the chunks, dependencies first. Chunks of a cycle are consecutive, in the order of the set.
    pub order: Vec<usize>,
    /// Cycles of dependencies among the results, apart from edges between nested chunks.
    pub cycles: Vec<Vec<usize>>,
}

/// Edge between two chunks of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChunkEdge {
    /// Position of the source chunk in the set.
    pub source: usize,
    /// Position of the target chunk in the set.
    pub target: usize,
    /// Edge between their declarations.
    pub edge: Edge,
}

impl ChunkEdge {
    /// Creates an edge between the chunks at two positions.
    pub fn new(source: usize, target: usize, edge: Edge) -> Self {
        Self { source, target, edge }
    }
}

/// Edge between a chunk of the set and a node outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoundaryEdge {
    /// Position of the chunk in the set.
    pub chunk: usize,
    /// [`Direction::Incoming`] if the chunk is the target.
    pub direction: Direction,
    /// Node outside the set.
    pub outside: NodeId,
    /// Edge between them.
    pub edge: Edge,
}

/// Returns the subgraph that `chunks` induce, without containment and uses of the standard library. A repeated chunk
/// has its edges at its first position. A declaration nested in a chunk of the set that is not in the set itself, such
/// as a method of a class, counts as part of it. O(edges at the chunks, sorted).
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::{SubgraphOptions, link, subgraph};
///
/// let text = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
/// let project = Project::new(sscg_parse::project_file("a.py", text).into_iter().collect(), Manifests::default());
/// let chunk = |name: &str| project.chunk_of_symbol(project.symbols_named(name).next().unwrap());
///
/// let chunks = [chunk("main"), chunk("parse")];
/// let found = subgraph(&project, &link(&project), &chunks, &SubgraphOptions::default())?;
/// // `main` calls `parse`, and `parse` calls a function outside of the set.
/// assert_eq!((found.edges[0].source, found.edges[0].target), (0, 1));
/// assert_eq!(found.boundary.len(), 1);
/// assert_eq!(found.order, [1, 0]);
/// # Ok::<(), sscg_graph::UnknownChunk>(())
/// ```
///
/// # Errors
/// Returns an error if one of `chunks` is not in the project.
pub fn subgraph(
    project: &Project,
    graph: &CodeGraph,
    chunks: &[ChunkId],
    options: &SubgraphOptions,
) -> Result<Subgraph, UnknownChunk> {
    let mut places: FxHashMap<ChunkId, usize> = FxHashMap::default();
    for (at, &chunk) in chunks.iter().enumerate() {
        if chunk.index() >= project.chunk_count() {
            return Err(UnknownChunk(chunk));
        }
        places.entry(chunk).or_insert(at);
    }
    let place = |node: NodeId, line: u32| {
        let innermost = chunk_of(project, graph, node, line);
        let mut around = std::iter::successors(innermost, |chunk| project.parent_chunk(*chunk));
        around.find_map(|chunk| places.get(&chunk).copied())
    };
    let is_sure = |edge: &&Edge| edge.confidence >= options.min_confidence;
    let mut result = Subgraph::default();
    for (at, chunk) in chunks.iter().enumerate().filter(|(at, chunk)| places[chunk] == *at) {
        let mut outside = Vec::new();
        let from = edges_from(project, graph, *chunk).into_iter().filter(is_sure);
        let from = from.filter(|edge| !graph.is_standard(edge.target));
        let from = from.map(|edge| (Direction::Outgoing, edge, Some(at), place(edge.target, 0)));
        let into = edges_into(project, graph, *chunk).into_iter().filter(is_sure);
        let into = into.map(|edge| (Direction::Incoming, edge, place(edge.source, edge.line), Some(at)));
        for (direction, edge, source, target) in from.chain(into) {
            match (source, target) {
                (Some(source), Some(target)) if source == target => {}
                (Some(source), Some(target)) => result.edges.push(ChunkEdge { source, target, edge: *edge }),
                _ => outside.push(boundary(at, direction, edge)),
            }
        }
        for edge in edges_within(project, graph, *chunk).into_iter().filter(is_sure) {
            if let (Some(source), Some(target)) = (place(edge.source, 0), place(edge.target, 0))
                && source == at
                && target != at
            {
                result.edges.push(ChunkEdge { source, target, edge: *edge });
            }
        }
        if at < options.results {
            let ends: Vec<NodeId> = outside.iter().map(|edge| edge.outside).collect();
            let shown = collapse_anonymous(project, graph, &ends);
            outside.iter_mut().for_each(|edge| edge.outside = shown(edge.outside));
            result.boundary_omitted += cap_boundary(graph, &mut outside, options.boundary_edges);
            result.boundary.extend(outside);
        }
    }
    let are_nested = |edge: &ChunkEdge| {
        let (source, target) = (chunks[edge.source], chunks[edge.target]);
        project.chunk_contains(source, target) || project.chunk_contains(target, source)
    };
    // Nesting already shows that a method accesses fields of its own class.
    let is_access = |edge: &Edge| matches!(edge.relation, Relation::ReadsFrom | Relation::AssignsTo);
    result.edges.retain(|edge| !(is_access(&edge.edge) && are_nested(edge)));
    let surest =
        |e: &ChunkEdge| (e.source, e.target, e.edge.relation, Reverse(e.edge.confidence), e.edge.line);
    result.edges.sort_by_key(surest);
    result.edges.dedup_by_key(|e| (e.source, e.target, e.edge.relation));
    (result.order, _) = dependencies_first(chunks.len(), ends(&result.edges));
    let is_result = |at: usize| at < options.results;
    let mut among = result.edges.clone();
    among.retain(|edge| is_result(edge.source) && is_result(edge.target) && !are_nested(edge));
    (_, result.cycles) = dependencies_first(chunks.len(), ends(&among));
    Ok(result)
}

fn boundary(chunk: usize, direction: Direction, edge: &Edge) -> BoundaryEdge {
    let outside = match direction {
        Direction::Outgoing => edge.target,
        Direction::Incoming => edge.source,
    };
    BoundaryEdge { chunk, direction, outside, edge: *edge }
}

/// Keeps the `limit` most informative edges over both directions, and returns the number of dropped ones.
fn cap_boundary(graph: &CodeGraph, edges: &mut Vec<BoundaryEdge>, limit: usize) -> usize {
    let inside = |edge: &BoundaryEdge| !matches!(graph.node(edge.outside), Node::External(_));
    let worth = |edge: &BoundaryEdge| {
        f64::from(edge.edge.relation.weight()) * f64::from(edge.edge.confidence_weight())
    };
    edges.sort_by(|a, b| {
        (b.direction, inside(b))
            .cmp(&(a.direction, inside(a)))
            .then_with(|| worth(b).total_cmp(&worth(a)))
            .then_with(|| a.outside.cmp(&b.outside))
    });
    edges.dedup_by_key(|edge| (edge.direction, edge.outside));
    let before = edges.len();
    let incoming = edges.iter().filter(|edge| edge.direction == Direction::Incoming).count();
    let outgoing = before - incoming;
    let share = limit - limit / 3;
    let callers = incoming.min(share.max(limit.saturating_sub(outgoing)));
    let callees = outgoing.min(limit - callers);
    // Callers come first.
    edges.truncate(incoming + callees);
    edges.drain(callers..incoming);
    before - edges.len()
}

fn ends(edges: &[ChunkEdge]) -> impl Iterator<Item = (usize, usize)> {
    edges.iter().map(|edge| (edge.source, edge.target))
}

/// Orders the nodes of a graph with dependencies first, and otherwise by number; also returns the cycles. An edge goes from a
/// user to what it uses. O(nodes + edges).
///
/// A post-order walk leaves a node after all that it uses; the nodes of a cycle wait for the one at which the walk entered it.
/// There is no recursion, so a long chain of nodes does not overflow the stack.
pub fn dependencies_first(
    count: usize,
    edges: impl IntoIterator<Item = (usize, usize)>,
) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, 0);
    for _ in 0..count {
        graph.add_node(());
    }
    for (source, target) in edges {
        graph.add_edge(NodeIndex::new(source), NodeIndex::new(target), ());
    }
    let mut left_at = vec![0; count];
    let mut walk = DfsPostOrder::empty(&graph);
    let mut left = 0;
    for start in graph.node_indices() {
        walk.move_to(start);
        while let Some(node) = walk.next(&graph) {
            left_at[node.index()] = left;
            left += 1;
        }
    }
    let members = |component: Vec<NodeIndex>| -> Vec<usize> {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        members
    };
    let mut components: Vec<Vec<usize>> = kosaraju_scc(&graph).into_iter().map(members).collect();
    components.sort_by_key(|members| members.iter().map(|member| left_at[*member]).max());
    let order = components.iter().flatten().copied().collect();
    components.retain(|members| members.len() > 1);
    (order, components)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::link;
    use crate::testing::{functions, project};

    fn chunks_of(project: &Project, functions: &[usize]) -> Vec<ChunkId> {
        functions.iter().map(|function| project.chunk_of_symbol(Id::new(*function))).collect()
    }

    /// Returns the boundary edges kept at a function with the given numbers of callers and callees, a letter each (`c`
    /// for a caller, `o` for a callee), and the number left out.
    fn kept(callers: usize, callees: usize, limit: usize) -> (String, usize) {
        let hub = callers + callees;
        let calls =
            (0..callers).map(|caller| (caller, hub)).chain((callers..hub).map(|callee| (hub, callee)));
        let project = functions(hub + 1, &calls.collect::<Vec<_>>());
        let graph = link(&project);
        let options = SubgraphOptions { boundary_edges: limit, ..SubgraphOptions::default() };
        let result =
            subgraph(&project, &graph, &chunks_of(&project, &[hub]), &options).expect("its own chunks");
        let letter = |edge: &BoundaryEdge| if edge.direction == Direction::Incoming { 'c' } else { 'o' };
        (result.boundary.iter().map(letter).collect(), result.boundary_omitted)
    }

    #[test]
    fn the_limit_is_shared_between_callers_and_callees() {
        let check = |callers, callees, limit, expected: &str| {
            let (kept, omitted) = kept(callers, callees, limit);
            assert_eq!(kept, expected, "{callers} callers, {callees} callees, limit {limit}");
            assert_eq!(omitted, callers + callees - kept.len());
        };
        check(5, 5, 3, "cco");
        check(5, 0, 3, "ccc");
        check(0, 5, 3, "ooo");
        check(1, 5, 3, "coo");
        check(5, 1, 3, "cco");
        check(1, 1, 3, "co");
        check(5, 5, 6, "ccccoo");
        check(5, 5, 1, "c");
        check(5, 5, 0, "");
    }

    #[test]
    fn code_of_the_project_comes_before_other_packages_and_the_standard_library_is_left_out() {
        let text = "import json\nimport yaml\n\ndef used(): pass\n\ndef hub():\n    json.dumps(1)\n    \
                    yaml.dump(1)\n    yaml.emit(2)\n    yaml.load(3)\n    used()\n";
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let chunks = chunks_of(&project, &[1]);
        let result =
            subgraph(&project, &graph, &chunks, &SubgraphOptions::default()).expect("its own chunks");
        let outside: Vec<String> =
            result.boundary.iter().map(|edge| graph.label(&project, edge.outside)).collect();
        assert_eq!(outside, ["a.py::used", "yaml.dump", "yaml.emit"]);
        assert_eq!(result.boundary_omitted, 1);
    }

    #[test]
    fn a_cycle_stands_together_after_what_it_needs() {
        let project = functions(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
        let graph = link(&project);
        let chunks = chunks_of(&project, &[0, 1, 2, 3]);
        let result =
            subgraph(&project, &graph, &chunks, &SubgraphOptions::default()).expect("its own chunks");
        assert_eq!(result.order, [3, 1, 2, 0]);
        assert_eq!(result.cycles, [[1, 2]]);
        assert_eq!(result.boundary, []);
    }

    #[test]
    fn what_stands_in_a_chunk_of_the_set_is_part_of_it() {
        let text = "class Store:\n    def save(self):\n        log()\n\ndef log():\n    pass\n\n\
                    def run(store: Store):\n    store.save()\n";
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let chunk = |name: &str| {
            let symbol = project.symbol_ids().find(|symbol| project.symbol_name(*symbol) == name);
            project.chunk_of_symbol(symbol.expect("it is declared"))
        };
        let set = [chunk("run"), chunk("Store"), chunk("log")];
        let found = subgraph(&project, &graph, &set, &SubgraphOptions::default()).expect("its own chunks");
        let calls = found.edges.iter().filter(|edge| edge.edge.relation == Relation::Calls);
        let ends: Vec<(usize, usize)> = calls.map(|edge| (edge.source, edge.target)).collect();
        assert_eq!(ends, [(0, 1), (1, 2)], "run calls Store.save, which calls log");
        assert_eq!(found.boundary, []);
    }

    #[test]
    fn members_connect_what_they_stand_in_and_a_class_and_its_method_are_no_circle() {
        let text = "class Door:\n    def open(self):\n        pass\n    def shut(self):\n        self.open()\n\n\
                    class House:\n    def enter(self, door: Door):\n        door.open()\n";
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let chunk = |name: &str| {
            let symbol = project.symbol_ids().find(|symbol| project.symbol_name(*symbol) == name);
            project.chunk_of_symbol(symbol.expect("it is declared"))
        };
        let set = [chunk("House"), chunk("Door"), chunk("shut")];
        let found = subgraph(&project, &graph, &set, &SubgraphOptions::default()).expect("its own chunks");
        let calls = found.edges.iter().filter(|edge| edge.edge.relation == Relation::Calls);
        let ends: Vec<(usize, usize)> = calls.map(|edge| (edge.source, edge.target)).collect();
        assert_eq!(ends, [(0, 1), (2, 1)]);
        assert!(found.cycles.is_empty(), "{:?}", found.cycles);
        let connection = crate::connect(&project, &graph, &set, &crate::ConnectOptions::default());
        assert_eq!(connection.expect("its own chunks").groups.len(), 1);
    }

    #[test]
    fn chunks_that_need_nothing_of_each_other_keep_their_order() {
        let project = functions(6, &[(0, 4), (2, 1)]);
        let graph = link(&project);
        let chunks = chunks_of(&project, &[0, 1, 2, 3, 4, 5]);
        let result =
            subgraph(&project, &graph, &chunks, &SubgraphOptions::default()).expect("its own chunks");
        assert_eq!(result.order, [4, 0, 1, 2, 3, 5]);
    }

    #[test]
    fn a_long_chain_is_ordered_without_recursion() {
        let any = link(&functions(1, &[(0, 0)])).edges()[0];
        let chain: Vec<ChunkEdge> =
            (0..99_999).map(|at| ChunkEdge { source: at, target: at + 1, edge: any }).collect();
        let (order, cycles) = dependencies_first(100_000, ends(&chain));
        assert!(order.into_iter().eq((0..100_000).rev()) && cycles.is_empty());
    }

    #[test]
    fn what_is_near_is_connected_and_has_no_boundary_of_its_own() {
        let project = functions(6, &[(0, 1), (1, 2), (1, 3), (4, 0), (5, 4)]);
        let graph = link(&project);
        let shown = |set: &[usize], results| {
            let options = SubgraphOptions { results, ..SubgraphOptions::default() };
            subgraph(&project, &graph, &chunks_of(&project, set), &options).expect("its own chunks")
        };
        let near = shown(&[0, 1], 1);
        assert_eq!((near.edges.len(), &near.order[..]), (1, &[1, 0][..]));
        let boundary: Vec<(usize, Direction)> =
            near.boundary.iter().map(|edge| (edge.chunk, edge.direction)).collect();
        assert_eq!(boundary, [(0, Direction::Incoming)]);
        assert_eq!((shown(&[0, 1], 2).boundary.len(), shown(&[0, 1], 0).boundary.len()), (3, 0));
    }

    #[test]
    fn nothing_induces_nothing_twins_count_once_and_unknown_chunks_are_named() {
        let project = functions(3, &[(0, 1), (1, 2)]);
        let graph = link(&project);
        let shown = |chunks: &[ChunkId]| subgraph(&project, &graph, chunks, &SubgraphOptions::default());
        let nothing = shown(&[]).expect("no chunk is unknown");
        assert_eq!((nothing.edges.len(), nothing.boundary.len(), nothing.order.len()), (0, 0, 0));
        let twins = shown(&chunks_of(&project, &[0, 1, 0, 1])).expect("its own chunks");
        assert_eq!((twins.edges.len(), twins.boundary.len(), twins.order.len()), (1, 1, 4));
        let stranger = ChunkId::new(99);
        assert_eq!(shown(&[stranger]).err(), Some(UnknownChunk(stranger)));
    }

    proptest! {
        #[test]
        fn the_set_induces_its_edges_and_an_order(
            calls in proptest::collection::vec((0..12_usize, 0..12_usize), 0..40),
            set in proptest::collection::btree_set(0..12_usize, 0..12),
        ) {
            let project = functions(12, &calls);
            let graph = link(&project);
            let set: Vec<usize> = set.into_iter().collect();
            let chunks = chunks_of(&project, &set);
            let options = SubgraphOptions { boundary_edges: 2, ..SubgraphOptions::default() };
            let result = subgraph(&project, &graph, &chunks, &options).expect("its own chunks");

            let expected: BTreeSet<(usize, usize)> =
                calls.iter().copied().filter(|(a, b)| a != b && set.contains(a) && set.contains(b)).collect();
            let induced: Vec<(usize, usize)> =
                result.edges.iter().map(|edge| (set[edge.source], set[edge.target])).collect();
            prop_assert_eq!(&induced, &expected.iter().copied().collect::<Vec<_>>());
            prop_assert!(result.edges.iter().all(|edge| edge.edge.relation == Relation::Calls));

            for chunk in 0..set.len() {
                let kept = result.boundary.iter().filter(|edge| edge.chunk == chunk).count();
                prop_assert!(kept <= options.boundary_edges);
            }
            let crossing: BTreeSet<(usize, usize)> =
                calls.iter().copied().filter(|(a, b)| set.contains(a) != set.contains(b)).collect();
            prop_assert_eq!(result.boundary.len() + result.boundary_omitted, crossing.len());

            let mut sorted = result.order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..set.len()).collect::<Vec<_>>());
            let place = |chunk: usize| result.order.iter().position(|at| *at == chunk);
            for edge in &result.edges {
                let in_cycle = |cycle: &Vec<usize>| cycle.contains(&edge.source) && cycle.contains(&edge.target);
                prop_assert!(place(edge.target) < place(edge.source) || result.cycles.iter().any(in_cycle));
            }
        }
    }
}
