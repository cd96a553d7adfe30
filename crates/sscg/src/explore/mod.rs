//! Queries of the code graph.

mod describe;
pub(crate) mod names;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use derive_setters::Setters;
use sscg_core::{Corpus, NodeId, SymbolKind, TokenCounter, quoted};
use sscg_format::{Evidence, Format, GraphAnswer, Operation, Renderer, fit_graph};
use sscg_graph::traverse::{
    Affected, EdgeFilter, ExpandOptions, Expansion, ImpactOptions, TraceOptions, expand, impact, pack, trace,
};
use sscg_graph::{Edge, Node, collapse_anonymous};
use sscg_index::{RefreshReport, Snapshot};
use sscg_rank::{Csr, PageRankOptions, RandomWalk, pagerank};

use crate::context::{AnswerContext, nothing_to_search};
use crate::{Error, SearchRequest, evidence};
use describe::{GraphResult, Weight};

/// Query of the code graph with its limits.
///
/// Nodes are named as in answers (`path::Outer.inner`, a `chunk_id`, the path of a file), as in the service graph
/// (`symbol::path::Outer.inner`, `file::path`) or informally (`Outer > inner`, `Outer.inner`, `src/a.rs > open`). A name
/// shared by several declarations selects all of them. Among those that share it in one file, the suffix `~1` selects
/// only the first, `~2` the second.
#[derive(Clone, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct GraphRequest {
    /// Query.
    pub query: GraphQuery,
    /// Maximum number of tokens in the rendered answer (default 8,000, at least [`SearchRequest::MIN_BUDGET`]).
    pub budget: usize,
    /// Output format: a built-in one (default [`Format::TEXT`]), or one of [`EngineOptions::renderers`].
    ///
    /// [`EngineOptions::renderers`]: crate::EngineOptions::renderers
    #[setters(into)]
    pub format: Format,
}

impl GraphRequest {
    /// Creates a request with the default limits.
    pub fn new(query: GraphQuery) -> Self {
        let SearchRequest { budget, format, .. } = SearchRequest::new("");
        Self { query, budget, format }
    }
}

/// Query of the code graph.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphQuery {
    /// Nodes within some steps of these nodes, and the edges that connect them.
    Expand {
        /// Start nodes.
        seeds: Vec<String>,
        /// Limits of the expansion.
        reach: Reach,
    },
    /// Nodes of some kinds within some steps of one node: [`GraphQuery::Expand`] from a single name. Nodes of other
    /// kinds are still traversed.
    Neighborhood {
        /// Center node.
        node: String,
        /// Limits of the expansion.
        reach: Reach,
        /// Kinds of declarations to return, all if empty. The center node is returned regardless of its kind.
        kinds: Vec<SymbolKind>,
    },
    /// Most informative few of many nodes: see [`sscg_graph::traverse::pack`].
    Pack {
        /// Candidates: names, or files, directories and globs for all of their declarations. The whole project if
        /// empty.
        nodes: Vec<String>,
        /// Number of nodes to choose.
        count: usize,
    },
    /// Shortest paths from one node to another.
    Trace {
        /// Start node.
        from: String,
        /// End node.
        to: String,
        /// Maximum number of steps in a path.
        max_depth: u32,
        /// Maximum number of paths.
        max_paths: usize,
        /// Edges to follow, as seen from the start node.
        edges: EdgeFilter,
    },
    /// Nodes that a change of a declaration may affect: see [`sscg_graph::traverse::impact`].
    Impact {
        /// Changed declaration.
        symbol: String,
        /// Limits on depth, number and confidence.
        options: ImpactOptions,
    },
}

impl GraphQuery {
    /// Usual number of nodes in a [pack](GraphQuery::Pack).
    pub const PACK_COUNT: usize = 20;

    /// Creates a trace with the default limits: five steps, ten paths, along all edges except containment.
    pub fn trace(from: impl Into<String>, to: impl Into<String>) -> Self {
        let TraceOptions { max_depth, max_paths, edges, .. } = TraceOptions::default();
        Self::Trace { from: from.into(), to: to.into(), max_depth, max_paths, edges }
    }
}

/// Limits of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Reach {
    /// Maximum number of steps.
    pub depth: u32,
    /// Maximum number of nodes, including the start nodes.
    pub limit: usize,
    /// Edges to follow.
    pub edges: EdgeFilter,
}

impl Default for Reach {
    /// Returns two steps, 50 nodes, all edges except containment, in both directions.
    fn default() -> Self {
        let ExpandOptions { depth, limit, edges, .. } = ExpandOptions::default();
        Self { depth, limit, edges }
    }
}

/// Response to a graph query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GraphResponse {
    /// Answer as data.
    pub answer: GraphAnswer,
    /// Answer in the requested format. Its token count is `answer.token_count`.
    pub text: String,
    /// Report of the index update with its problems.
    pub refresh: RefreshReport,
    /// State of the tree that was queried.
    pub snapshot: Arc<Snapshot>,
}

impl GraphResponse {
    /// Returns the declarations among the nodes as evidence, each with all of its code. Reads their files: O(bytes of
    /// those files).
    pub fn evidence(&self) -> Vec<Evidence> {
        evidence::of_graph(&self.snapshot, &self.answer)
    }
}

/// Validates the parts of a request that do not need an index, except for its format.
pub(crate) fn prepare(request: &GraphRequest) -> Result<(), Error> {
    if request.budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {} tokens holds no answer", request.budget),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    Ok(())
}

/// Answers a [checked](prepare) request on a snapshot within the budget: the farthest or least informative parts are
/// dropped first.
pub(crate) fn answer(
    request: &GraphRequest,
    renderer: &dyn Renderer,
    counter: &dyn TokenCounter,
    AnswerContext { snapshot, refresh, warning }: AnswerContext,
) -> Result<GraphResponse, Error> {
    if snapshot.project.files().is_empty() {
        return Err(nothing_to_search(&snapshot, Corpus::Code));
    }
    let mut whole = find(&snapshot, &request.query)?.answer(&snapshot, request.budget);
    whole.warnings.extend(warning);
    let fitted = |parts: usize| {
        let mut answer = whole.cut(parts);
        let text = fit_graph(&mut answer, renderer, counter);
        (answer, text)
    };
    // Find the maximum number of parts that fits: usually all of them, otherwise by bisection. Each takes at least
    // one token.
    let (mut least, mut most) = (0, whole.parts().min(request.budget));
    let mut best = fitted(most);
    if best.0.token_count > request.budget {
        best = fitted(0);
        if best.0.token_count > request.budget {
            return Err(Error::argument_of_request(
                "budget",
                format!("a budget of {} tokens does not hold the names alone", request.budget),
                format!("give `budget` at least {}, or name fewer", best.0.token_count),
            ));
        }
        while most - least > 1 {
            let middle = least.midpoint(most);
            let (answer, text) = fitted(middle);
            if answer.token_count <= request.budget {
                (least, best) = (middle, (answer, text));
            } else {
                most = middle;
            }
        }
    }
    let (answer, text) = best;
    Ok(GraphResponse { answer, text, refresh, snapshot })
}

/// Runs a query on the graph.
fn find(snapshot: &Snapshot, query: &GraphQuery) -> Result<GraphResult, Error> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let known = "names stand for nodes of the graph";
    Ok(match query {
        GraphQuery::Expand { seeds, reach } => {
            let seeds = names::nodes(snapshot, seeds)?;
            GraphResult { operation: Operation::Expand, ..around(snapshot, seeds, reach, &[]) }
        }
        GraphQuery::Neighborhood { node, reach, kinds } => {
            let seeds = names::node(snapshot, node)?;
            GraphResult { operation: Operation::Neighborhood, ..around(snapshot, seeds, reach, kinds) }
        }
        GraphQuery::Pack { nodes, count } => {
            let nodes = names::declarations(snapshot, nodes)?;
            let packed = pack(project, graph, nodes.as_deref(), usize::MAX).expect(known);
            let omitted = packed.len().saturating_sub(*count);
            let chosen: Vec<NodeId> = packed.iter().take(*count).map(|packed| packed.node).collect();
            let weights = packed
                .into_iter()
                .take(*count)
                .map(|it| (it.node, Weight { score: Some(it.score), reason: it.reason, ..Weight::default() }))
                .collect();
            let edges = among(snapshot, &chosen);
            GraphResult {
                operation: Operation::Pack,
                nodes: chosen,
                weights,
                edges,
                omitted,
                ..GraphResult::default()
            }
        }
        GraphQuery::Trace { from, to, max_depth, max_paths, edges } => {
            let (starts, ends) = (names::node(snapshot, from)?, names::node(snapshot, to)?);
            let pairs = starts.iter().flat_map(|start| ends.iter().map(move |end| (*start, *end)));
            let pairs: Vec<(NodeId, NodeId)> = pairs.filter(|(start, end)| start != end).collect();
            let Some(first) = pairs.first().filter(|_| starts != ends) else {
                return Err(Error::request(
                    format!("{} and {} are the same, so that no way is needed", quoted(from), quoted(to)),
                    "name two that differ, or ask what is around the one",
                ));
            };
            // One extra path shows that there are more.
            let looked_for = max_paths.saturating_add(1);
            let options = TraceOptions::default()
                .with_max_depth(*max_depth)
                .with_max_paths(looked_for)
                .with_edges(*edges);
            let mut paths = Vec::new();
            for (start, end) in &pairs {
                paths.extend(trace(graph, *start, *end, &options).expect(known));
            }
            paths.sort_by(|a, b| a.nodes.len().cmp(&b.nodes.len()).then(a.nodes.cmp(&b.nodes)));
            let omitted = paths.len().saturating_sub(*max_paths);
            paths.truncate(*max_paths);
            let seeds = match paths.first() {
                Some(path) => vec![path.nodes[0], path.nodes[path.nodes.len() - 1]],
                None => vec![first.0, first.1],
            };
            let mut nodes = seeds.clone();
            nodes.extend(paths.iter().flat_map(|path| &path.nodes));
            let edges = paths.iter().flat_map(|path| path.edges.iter().copied()).collect();
            let paths = paths.into_iter().map(|path| path.nodes).collect();
            GraphResult {
                operation: Operation::Trace,
                seeds,
                nodes,
                edges,
                paths,
                omitted,
                ..GraphResult::default()
            }
        }
        GraphQuery::Impact { symbol, options } => {
            let seeds = names::node(snapshot, symbol)?;
            let (affected, omitted) = affected(snapshot, &seeds, options);
            // A change may reach a node through a member of the changed declaration, or through an overridden method.
            let reached: BTreeSet<NodeId> =
                affected.iter().map(|(it, _)| it.node).chain(seeds.iter().copied()).collect();
            let between = affected.iter().map(|(it, _)| (it.distance - 1, it.via.target));
            let mut placed: Vec<(u32, NodeId)> =
                between.filter(|(_, node)| !reached.contains(node)).collect();
            placed.sort_unstable();
            placed.extend(affected.iter().map(|(it, _)| (it.distance, it.node)));
            placed.sort_by_key(|(distance, _)| *distance);
            let mut nodes = seeds.clone();
            nodes.extend(placed.iter().map(|(_, node)| *node));
            let mut weights: BTreeMap<NodeId, Weight> = BTreeMap::new();
            for (distance, node) in seeds.iter().map(|seed| (0, *seed)).chain(placed) {
                weights.entry(node).or_insert(Weight::at(distance));
            }
            for (Affected { node, strength, .. }, relevance) in &affected {
                let weight = weights.entry(*node).or_default();
                (weight.score, weight.relevance) = (Some(f64::from(*strength)), Some(*relevance));
            }
            let edges: Vec<Edge> = affected.iter().map(|(affected, _)| affected.via).collect();
            let unresolved_uses = Some(names::unresolved_uses(snapshot, &seeds));
            GraphResult {
                operation: Operation::Impact,
                seeds,
                nodes,
                weights,
                edges,
                omitted,
                unresolved_uses,
                ..GraphResult::default()
            }
        }
    })
}

/// Returns the nodes of some kinds within reach of `seeds`; of all kinds if `kinds` is empty.
fn around(snapshot: &Snapshot, seeds: Vec<NodeId>, reach: &Reach, kinds: &[SymbolKind]) -> GraphResult {
    let Reach { depth, limit, edges } = *reach;
    let Snapshot { project, graph, .. } = snapshot;
    // Everything calls the standard library, so it is no evidence of proximity.
    let enters = |node| !graph.is_standard(node);
    let limit = limit.max(seeds.len());
    // Nodes of other kinds lead to wanted ones and do not count toward the limit.
    let most = if kinds.is_empty() { limit } else { usize::MAX };
    let options =
        ExpandOptions::default().with_depth(depth).with_limit(most).with_edges(edges).with_nodes(&enters);
    let Expansion { mut nodes, mut edges, mut omitted, .. } =
        expand(graph, &seeds, &options).expect("seeds are nodes of the graph");
    if !kinds.is_empty() {
        let is_wanted = |node| match graph.node(node) {
            Node::Symbol(symbol) => kinds.contains(&project.symbol_kind(symbol)),
            Node::File(_) | Node::External(_) => false,
        };
        nodes.retain(|reached| reached.distance == 0 || is_wanted(reached.node));
        omitted += nodes.len().saturating_sub(limit);
        nodes.truncate(limit);
        let kept: HashSet<NodeId> = nodes.iter().map(|reached| reached.node).collect();
        edges.retain(|edge| kept.contains(&edge.source) && kept.contains(&edge.target));
    }
    GraphResult {
        seeds,
        kinds: kinds.to_vec(),
        nodes: nodes.iter().map(|reached| reached.node).collect(),
        weights: nodes.iter().map(|reached| (reached.node, Weight::at(reached.distance))).collect(),
        edges,
        omitted,
        ..GraphResult::default()
    }
}

/// Returns the edges among some nodes, except containment.
fn among(snapshot: &Snapshot, nodes: &[NodeId]) -> Vec<Edge> {
    let options = ExpandOptions::default().with_depth(0).with_limit(nodes.len());
    expand(&snapshot.graph, nodes, &options).expect("they are nodes of the graph").edges
}

/// Replaces the functions without a name of a file by the file, if they are many.
fn collapsed(snapshot: &Snapshot, all: Vec<(Affected, f64)>) -> Vec<(Affected, f64)> {
    let nodes: Vec<NodeId> = all.iter().map(|(it, _)| it.node).collect();
    let shown = collapse_anonymous(&snapshot.project, &snapshot.graph, &nodes);
    let mut found: BTreeMap<NodeId, (Affected, f64)> = BTreeMap::new();
    for (mut it, score) in all {
        let node = shown(it.node);
        if node != it.node {
            (it.node, it.via.source) = (node, node);
        }
        found
            .entry(node)
            .and_modify(|(known, sum)| {
                *sum += score;
                if it.distance < known.distance {
                    *known = it;
                }
            })
            .or_insert((it, score));
    }
    found.into_values().collect()
}

/// Returns the nodes affected by a change of any of some declarations, each with its relevance, and the number that the
/// limit left out. Nodes are sorted by distance, then the project's own code before secondary code and tests, then by
/// relevance.
///
/// The relevance of a node is its personalized PageRank: the share of visits of a random walk that starts at what
/// changes and leads from each node to those that depend on it. It is relative to the highest of all affected nodes. A
/// direct caller that also depends on other affected code is visited more often. The walk stays within the depth.
fn affected(
    snapshot: &Snapshot,
    changed: &[NodeId],
    options: &ImpactOptions,
) -> (Vec<(Affected, f64)>, usize) {
    let Snapshot { project, graph, .. } = snapshot;
    let found = impact(project, graph, changed, &(*options).with_limit(usize::MAX))
        .expect("they are nodes of the graph");
    // Numbers of the reached nodes: the cost does not depend on the size of the project.
    let reached: Vec<NodeId> =
        found.changed.iter().copied().chain(found.affected.iter().map(|it| it.node)).collect();
    let numbers: HashMap<NodeId, u32> = reached.iter().copied().zip(0..).collect();
    let steps = found.dependencies.iter().map(|it| (numbers[&it.used], numbers[&it.user], it.weight));
    let walk = RandomWalk::new(&Csr::from_edges(reached.len(), steps));
    let seeds: Vec<(u32, f64)> = (0..found.changed.len() as u32).map(|seed| (seed, 1.0)).collect();
    let scores = pagerank(&walk, &seeds, &PageRankOptions::default()).scores;
    let score = |node: NodeId| scores.get(numbers[&node]);
    let all = found.affected.into_iter().map(|it| (it, score(it.node))).collect();
    let mut all = collapsed(snapshot, all);
    let most = all.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
    all.iter_mut().for_each(|(_, score)| *score /= most);
    all.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then(a.node.cmp(&b.node)));
    all.sort_by_cached_key(|(it, _)| (it.distance, names::standing_of(snapshot, it.node)));
    let omitted = all.len().saturating_sub(options.limit);
    all.truncate(options.limit);
    (all, omitted)
}
