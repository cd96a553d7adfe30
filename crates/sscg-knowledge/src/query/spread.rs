//! Propagation of a change over the graph.

use rustc_hash::FxHashMap;
use sscg_core::Confidence;

use super::events::WITHIN_PROCESS;
use crate::graph::{SymbolNode, file_id};
use crate::{Edge, EdgeData, EdgeKind, KnowledgeGraph, NodeData, NodeIndex};

/// Propagation of a change; [`find_cross_service_impact`](super::find_cross_service_impact) describes the rules.
pub(super) struct Spread<'a> {
    graph: &'a KnowledgeGraph,
    /// Calls of services by the id of the called endpoint.
    calls: FxHashMap<&'a str, Vec<&'a Edge>>,
    /// Published events by the id of the publishing node.
    sent: FxHashMap<&'a str, Vec<&'a Edge>>,
}

/// Last step of the path to a node.
#[derive(Clone, Copy)]
struct Step {
    before: NodeIndex,
    depth: u32,
    confidence: Confidence,
}

/// Nodes that a change reaches.
#[derive(Default)]
pub(super) struct Reached {
    /// Nodes, nearest first, after the changed ones.
    pub(super) nodes: Vec<NodeIndex>,
    steps: FxHashMap<NodeIndex, Step>,
}

impl Reached {
    fn add(&mut self, node: NodeIndex, step: Step) {
        self.steps.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            step
        });
    }

    /// Returns the number of steps to a node; 0 if it is one of the changed nodes.
    pub(super) fn depth(&self, node: NodeIndex) -> u32 {
        self.steps[&node].depth
    }

    /// Returns the node from which it was reached.
    pub(super) fn before(&self, node: NodeIndex) -> NodeIndex {
        self.steps[&node].before
    }

    /// Returns the lowest confidence of the steps to a node.
    pub(super) fn confidence(&self, node: NodeIndex) -> Confidence {
        self.steps[&node].confidence
    }

    /// Returns the ids of the nodes on the path to a node, from the changed node on.
    pub(super) fn path(&self, graph: &KnowledgeGraph, node: NodeIndex) -> Vec<Box<str>> {
        let before = |node: &NodeIndex| Some(self.before(*node)).filter(|before| before != node);
        let mut path: Vec<NodeIndex> = std::iter::successors(Some(node), before).collect();
        path.reverse();
        path.into_iter().map(|node| graph.node(node).id().into()).collect()
    }
}

impl<'a> Spread<'a> {
    pub(super) fn new(graph: &'a KnowledgeGraph) -> Self {
        let mut spread = Self { graph, calls: FxHashMap::default(), sent: FxHashMap::default() };
        for edge in graph.edges() {
            match edge.kind {
                EdgeKind::ServiceCalls => {
                    spread.calls.entry(edge.data.via_endpoint()).or_default().push(edge);
                }
                EdgeKind::PublishesEvent => {
                    for site in edge.data.sites() {
                        spread.sent.entry(&*site.symbol).or_default().push(edge);
                    }
                }
                _ => {}
            }
        }
        spread
    }

    /// Returns all nodes that a change of a node reaches in at most `max_depth` steps.
    pub(super) fn run(&self, start: NodeIndex, max_depth: u32) -> Reached {
        let mut reached = Reached::default();
        for node in std::iter::once(start).chain(self.parts(start)) {
            reached.add(node, Step { before: start, depth: 0, confidence: Confidence::Exact });
        }
        let mut at = 0;
        while let Some(&node) = reached.nodes.get(at) {
            at += 1;
            let step = reached.steps[&node];
            if step.depth == max_depth {
                break;
            }
            self.for_each_dependent(node, step, &mut |next, before, confidence| {
                let confidence = confidence.min(step.confidence);
                reached.add(next, Step { before, depth: step.depth + 1, confidence });
            });
        }
        reached
    }

    /// Returns the nodes that change together with a node.
    fn parts(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let graph = self.graph;
        match graph.node(node).data() {
            NodeData::File(_) => graph.targets(node, EdgeKind::DefinesSymbol).collect(),
            NodeData::Symbol(symbol) => {
                let within = format!("{}.", symbol.symbol_name);
                let is_within = |other: &NodeIndex| match graph.node(*other).data() {
                    NodeData::Symbol(other) => other.symbol_name.starts_with(&within),
                    _ => false,
                };
                let file = graph.sources(node, EdgeKind::DefinesSymbol);
                file.flat_map(|file| graph.targets(file, EdgeKind::DefinesSymbol)).filter(is_within).collect()
            }
            NodeData::Contract(_) => graph.targets(node, EdgeKind::ExposesEndpoint).collect(),
            NodeData::DomainEntity(_) => graph.sources(node, EdgeKind::ImplementsEntity).collect(),
            NodeData::Service(_) => {
                let files = graph.targets(node, EdgeKind::ContainsFile);
                let contracts = graph.targets(node, EdgeKind::ProvidesContract);
                let wholes: Vec<NodeIndex> = files.chain(contracts).collect();
                let parts: Vec<NodeIndex> = wholes.iter().flat_map(|whole| self.parts(*whole)).collect();
                [wholes, parts].concat()
            }
            NodeData::Endpoint(_) | NodeData::Event(_) => Vec::new(),
        }
    }

    /// Visits the nodes one step away, each with the node before it and the confidence of the step.
    fn for_each_dependent(
        &self,
        node: NodeIndex,
        step: Step,
        visit: &mut impl FnMut(NodeIndex, NodeIndex, Confidence),
    ) {
        let graph = self.graph;
        let id = graph.node(node).id();
        match graph.node(node).data() {
            NodeData::Symbol(symbol) => {
                for edge in graph.edges_in(node) {
                    if matches!(edge.kind, EdgeKind::Calls | EdgeKind::Inherits | EdgeKind::Implements) {
                        visit(edge.source, node, edge.evidence.confidence);
                    }
                }
                if step.depth == 0 || !symbol.kind.is_callable() {
                    self.for_each_importer(node, symbol, visit);
                }
                self.for_each_answer(node, visit);
            }
            NodeData::File(_) => {
                for edge in graph.edges_in(node) {
                    if edge.kind == EdgeKind::Imports && step.depth == 0 {
                        visit(edge.source, node, edge.evidence.confidence);
                    }
                }
                self.for_each_answer(node, visit);
            }
            NodeData::Endpoint(_) => {
                for edge in self.calls.get(id).into_iter().flatten() {
                    self.for_each_site(edge, |_| true, |user| visit(user, node, edge.evidence.confidence));
                }
            }
            NodeData::Event(_) => {
                let sender = graph.node(step.before).service_name();
                for edge in graph.edges_in(node).filter(|edge| edge.kind == EdgeKind::ConsumesEvent) {
                    // Events within a process reach only the service itself.
                    let is_same = graph.node(edge.source).service_name() == sender;
                    let hears = |transport: &str| transport != WITHIN_PROCESS || is_same;
                    self.for_each_site(edge, hears, |user| visit(user, node, edge.evidence.confidence));
                }
            }
            NodeData::Service(_) | NodeData::Contract(_) | NodeData::DomainEntity(_) => {}
        }
    }

    /// Visits the files that import a symbol, and their symbols unless the imported symbol is a function.
    fn for_each_importer(
        &self,
        node: NodeIndex,
        symbol: &SymbolNode,
        visit: &mut impl FnMut(NodeIndex, NodeIndex, Confidence),
    ) {
        let graph = self.graph;
        let outermost = symbol.symbol_name.split('.').next().unwrap_or_default();
        let Some(file) = graph.find(&file_id(&symbol.file_path)) else { return };
        for edge in graph.edges_in(file) {
            let EdgeData::Import(names) = &edge.data else { continue };
            if !names.iter().any(|name| &**name == outermost) {
                continue;
            }
            visit(edge.source, node, edge.evidence.confidence);
            if !symbol.kind.is_callable() {
                // The file uses the symbol somewhere, but no edge has the place.
                let inferred = edge.evidence.confidence.min(Confidence::Inferred);
                let all = graph.targets(edge.source, EdgeKind::DefinesSymbol);
                all.for_each(|user| visit(user, edge.source, inferred));
            }
        }
    }

    /// Visits the endpoints that code handles and the events that it publishes.
    fn for_each_answer(&self, node: NodeIndex, visit: &mut impl FnMut(NodeIndex, NodeIndex, Confidence)) {
        let endpoints = self.graph.edges_out(node).filter(|edge| edge.kind == EdgeKind::HandlesEndpoint);
        let events = self.sent.get(self.graph.node(node).id()).into_iter().flatten().copied();
        endpoints.chain(events).for_each(|edge| visit(edge.target, node, edge.evidence.confidence));
    }

    /// Visits the code behind an edge of a service, or the service if no code is known.
    fn for_each_site(&self, edge: &Edge, admits: impl Fn(&str) -> bool, visit: impl FnMut(NodeIndex)) {
        let sites = edge.data.sites();
        let admitted = || sites.iter().filter(|site| admits(&site.transport));
        let code: Vec<NodeIndex> = admitted().filter_map(|site| self.graph.find(&site.symbol)).collect();
        if code.is_empty() && (sites.is_empty() || admitted().next().is_some()) {
            std::iter::once(edge.source).for_each(visit);
        } else {
            code.into_iter().for_each(visit);
        }
    }
}
