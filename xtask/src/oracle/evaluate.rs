//! Comparison of the oracle's edges with the graph's.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, FileId, LocalSymbol, NodeId, Project, Relation, RelationSet, SymbolKind};
use sscg_graph::{CodeGraph, Direction, Edge, Node};
use sscg_index::Snapshot;

use super::callers::Callers;
use super::fact::{DeclarationLine, Fact};

/// Comparison of the graph's edges of each relation with the oracle's.
pub(super) struct Evaluation {
    pub(super) relations: BTreeMap<Relation, Comparison>,
    pub(super) callers: Callers,
    /// Targets of the oracle's edges that cannot be mapped to the graph.
    pub(super) unmapped: Vec<String>,
    rules: Rules,
}

/// Differences in an oracle's view of edges.
#[derive(Clone, Copy, Default)]
pub(super) struct Rules {
    /// The oracle reports `calls` where the graph has `instantiates`.
    pub(super) construction_is_call: bool,
    /// The oracle attributes the initializer of a variable to the enclosing function, class or file.
    pub(super) variables_are_code: bool,
    /// The oracle has edges to macros.
    pub(super) macros_are_targets: bool,
}

/// Edges of one relation.
#[derive(Default)]
pub(super) struct Comparison {
    /// The oracle's edges, with their results in the graph.
    pub(super) expected: Vec<Expected>,
    /// The graph's edges that can be judged.
    pub(super) judged: Vec<Judged>,
}

/// An edge of the oracle.
pub(super) struct Expected {
    pub(super) edge: Ends,
    pub(super) found: Verdict,
}

/// An edge of the graph.
pub(super) struct Judged {
    pub(super) edge: Ends,
    pub(super) confidence: Confidence,
    pub(super) right: bool,
}

/// Source and target of an edge, and the line of the use.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) source: NodeId,
    pub(super) target: NodeId,
    pub(super) line: u32,
}

/// Result of an oracle's edge in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Edge(Confidence),
    /// The ledger has an unresolved reference of this name in the source, with this reason.
    Unresolved(&'static str),
    Missing,
}

impl Comparison {
    /// Counts the oracle's edges that the graph has with this confidence.
    pub(super) fn found(&self, confidence: Confidence) -> usize {
        self.expected.iter().filter(|edge| edge.found == Verdict::Edge(confidence)).count()
    }

    /// Counts the oracle's edges that are unresolved references in the ledger.
    pub(super) fn unresolved(&self) -> usize {
        self.expected.iter().filter(|edge| matches!(edge.found, Verdict::Unresolved(_))).count()
    }

    /// Returns the share of the oracle's edges that the graph has, with at least this confidence.
    pub(super) fn recall(&self, least: Confidence) -> f64 {
        let has = |edge: &&Expected| matches!(edge.found, Verdict::Edge(confidence) if confidence >= least);
        share(self.expected.iter().filter(has).count(), self.expected.len())
    }

    /// Returns the number of correct edges with one of these confidences, and the number of all such edges.
    pub(super) fn right(&self, confidences: &[Confidence]) -> (usize, usize) {
        let of = self.judged.iter().filter(|edge| confidences.contains(&edge.confidence));
        (of.clone().filter(|edge| edge.right).count(), of.count())
    }

    /// Returns the harmonic mean of precision and recall over the exact and inferred edges.
    pub(super) fn f1(&self) -> f64 {
        let (right, judged) = self.right(&[Confidence::Exact, Confidence::Inferred]);
        let (precision, recall) = (share(right, judged), self.recall(Confidence::Inferred));
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }
}

/// Returns `part / whole`, or 1 if `whole` is 0.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl Evaluation {
    /// Compares the graph with the facts.
    pub(super) fn new(project: &Project, graph: &CodeGraph, facts: &[Fact], rules: Rules) -> Self {
        let unified = |relation| rules.relation(relation);
        let mut places = Places::new(project, graph, rules);
        places.unify(facts);
        let mut covered: FxHashMap<NodeId, RelationSet> = FxHashMap::default();
        let mut oracle: BTreeMap<(Relation, NodeId, NodeId), u32> = BTreeMap::new();
        let mut unknown: FxHashSet<(Relation, NodeId, &str)> = FxHashSet::default();
        let mut unmapped = BTreeSet::new();
        for fact in facts {
            match fact {
                Fact::Same { .. } => {}
                Fact::Covered { place, relations } => {
                    for node in places.covered(place) {
                        let known = covered.entry(node).or_insert(RelationSet::EMPTY);
                        *known = relations.iter().fold(*known, |set, relation| set.with(relation.0));
                    }
                }
                Fact::Edge { relation, source, target, at } => {
                    let ends = (places.source(source), places.target(target));
                    if let (Some(source), Some(target)) = ends {
                        let line = oracle.entry((unified(relation.0), source, target)).or_insert(*at);
                        *line = (*line).min(*at);
                    } else {
                        unmapped.insert(format!("{}:{} {}", target.path, target.line, target.name));
                    }
                }
                Fact::Unknown { relation, source, name, .. } => {
                    if let Some(source) = places.source(source) {
                        unknown.insert((unified(relation.0), source, name));
                    }
                }
            }
        }

        let mut ours: BTreeMap<(Relation, NodeId, NodeId), (Confidence, u32)> = BTreeMap::new();
        for edge in graph.edges() {
            let Some(target) = places.own(edge.target) else { continue };
            let key = (unified(edge.relation), places.code(edge.source), target);
            let best = ours.entry(key).or_insert((edge.confidence, edge.line));
            if edge.confidence > best.0 {
                *best = (edge.confidence, edge.line);
            }
        }
        let mut unresolved: FxHashMap<(Relation, NodeId, &str), &'static str> = FxHashMap::default();
        for entry in graph.unresolved_references().iter() {
            let key = (unified(entry.relation), places.defined(entry.source), entry.name);
            unresolved.insert(key, entry.reason.as_str());
        }

        let is_judged = |relation, source, target| {
            let is_covered = covered.get(&source).is_some_and(|relations| relations.contains(relation));
            let is_unknown = |name| unknown.contains(&(relation, source, name));
            is_covered && !is_unknown(places.name(target)) && !is_unknown("*")
        };
        let mut relations: BTreeMap<Relation, Comparison> = BTreeMap::new();
        let mut callers: FxHashMap<NodeId, BTreeMap<NodeId, u32>> = FxHashMap::default();
        for (&(relation, source, target), &line) in &oracle {
            if relation == Relation::Calls {
                callers.entry(target).or_default().insert(source, line);
            }
            let found = match ours.get(&(relation, source, target)) {
                Some((confidence, _)) => Verdict::Edge(*confidence),
                None => match unresolved.get(&(relation, source, places.name(target))) {
                    Some(reason) => Verdict::Unresolved(reason),
                    None => Verdict::Missing,
                },
            };
            let edge = Ends { source, target, line };
            relations.entry(relation).or_default().expected.push(Expected { edge, found });
        }
        for (&(relation, source, target), &(confidence, line)) in &ours {
            let right = oracle.contains_key(&(relation, source, target));
            let is_covered = covered.get(&source).is_some_and(|relations| relations.contains(relation));
            if right && is_covered || is_judged(relation, source, target) {
                let edge = Ends { source, target, line };
                relations.entry(relation).or_default().judged.push(Judged { edge, confidence, right });
            }
        }
        let callers =
            Callers::new(&places, &callers, |source, target| is_judged(Relation::Calls, source, target));
        Self { relations, callers, unmapped: unmapped.into_iter().collect(), rules }
    }

    /// Returns the oracle's edges.
    pub(super) fn executed(&self) -> FxHashSet<(Relation, NodeId, NodeId)> {
        let all = self.relations.iter();
        all.flat_map(|(relation, comparison)| {
            comparison.expected.iter().map(|edge| (*relation, edge.edge.source, edge.edge.target))
        })
        .collect()
    }

    /// Converts an edge of the graph to the form that is compared with the oracle's.
    pub(super) fn comparable(&self, snapshot: &Snapshot, edge: &Edge) -> (Relation, NodeId, NodeId) {
        let places = Places::new(&snapshot.project, &snapshot.graph, self.rules);
        let target = places.own(edge.target).unwrap_or(edge.target);
        (self.rules.relation(edge.relation), places.code(edge.source), target)
    }

    /// Returns true if the graph has an edge between two declarations; `None` if one of them is missing.
    pub(super) fn has_edge(
        &self,
        snapshot: &Snapshot,
        source: &DeclarationLine,
        target: &DeclarationLine,
    ) -> Option<bool> {
        let graph = &snapshot.graph;
        let places = Places::new(&snapshot.project, graph, self.rules);
        let (source, target) = (places.source(source)?, places.target(target)?);
        let mut edges = graph.edges_at(target, Direction::Incoming);
        Some(edges.any(|edge| places.code(edge.source) == source && !edge.relation.is_containment()))
    }
}

impl Rules {
    fn relation(self, relation: Relation) -> Relation {
        match relation {
            Relation::Instantiates if self.construction_is_call => Relation::Calls,
            other => other,
        }
    }
}

/// Mapping from an oracle's declarations to nodes.
pub(super) struct Places<'a> {
    rules: Rules,
    pub(super) project: &'a Project,
    pub(super) graph: &'a CodeGraph,
    files: FxHashMap<&'a str, FileId>,
    /// Definitions by their other declarations.
    definitions: FxHashMap<NodeId, NodeId>,
}

impl<'a> Places<'a> {
    fn new(project: &'a Project, graph: &'a CodeGraph, rules: Rules) -> Self {
        let files = project.files().iter_enumerated().map(|(id, file)| (&*file.path, id)).collect();
        Self { rules, project, graph, files, definitions: FxHashMap::default() }
    }

    /// Represents all declarations of one thing by its definition.
    fn unify(&mut self, facts: &[Fact]) {
        for fact in facts {
            let Fact::Same { place, definition } = fact else { continue };
            if let (Some(declaration), Some(definition)) = (self.node(place), self.node(definition)) {
                self.definitions.insert(declaration, definition);
            }
        }
    }

    /// Returns the definition of a node that only declares.
    fn defined(&self, node: NodeId) -> NodeId {
        self.definitions.get(&node).copied().unwrap_or(node)
    }

    /// Returns the node of exactly this declaration.
    fn node(&self, place: &DeclarationLine) -> Option<NodeId> {
        let file = *self.files.get(&*place.path)?;
        Some(self.symbol(file, self.declared(file, place)?))
    }

    fn covered(&self, place: &DeclarationLine) -> Vec<NodeId> {
        if place.name != "*" {
            return self.source(place).into_iter().collect();
        }
        let Some(file) = self.files.get(&*place.path).copied() else { return Vec::new() };
        let symbols = self.project.files()[file].facts.symbols.ids();
        let symbols = symbols.map(|symbol| self.defined(self.symbol(file, symbol)));
        std::iter::once(self.graph.id(Node::File(file))).chain(symbols).collect()
    }

    /// Returns the node that a declaration's code is attributed to: its own, or that of the enclosing declaration or
    /// file.
    fn source(&self, place: &DeclarationLine) -> Option<NodeId> {
        let file = *self.files.get(&*place.path)?;
        if place.name.is_empty() {
            return Some(self.graph.id(Node::File(file)));
        }
        let around = || self.around(file, place.line);
        Some(match self.declared(file, place).or_else(around) {
            Some(symbol) => self.code(self.symbol(file, symbol)),
            None => self.graph.id(Node::File(file)),
        })
    }

    /// Returns the node that a node's code is attributed to.
    pub(super) fn code(&self, node: NodeId) -> NodeId {
        let node = self.defined(node);
        let Node::Symbol(symbol) = self.graph.node(node) else { return node };
        if !self.rules.variables_are_code {
            return node;
        }
        let mut around = self.project.self_and_ancestors(symbol);
        let code = around.find(|symbol| {
            let kind = self.project.symbol(*symbol).kind;
            kind.is_callable() || kind.is_type() && kind != SymbolKind::TypeAlias
        });
        self.graph.id(code.map_or(Node::File(self.project.symbol_file(symbol)), Node::Symbol))
    }

    /// Returns the node of a declaration, if it has one.
    fn target(&self, place: &DeclarationLine) -> Option<NodeId> {
        if place.name.is_empty() {
            return self.files.get(&*place.path).map(|file| self.graph.id(Node::File(*file)));
        }
        self.own(self.node(place)?)
    }

    /// Returns the node that represents a target in comparisons; `None` if the oracle has no counterpart. A constructor
    /// is represented by its class, and most compilers resolve names after the expansion of macros.
    pub(super) fn own(&self, node: NodeId) -> Option<NodeId> {
        let node = self.defined(node);
        let Node::Symbol(symbol) = self.graph.node(node) else {
            return matches!(self.graph.node(node), Node::File(_)).then_some(node);
        };
        match self.project.symbol(symbol).kind {
            SymbolKind::Macro if !self.rules.macros_are_targets => None,
            SymbolKind::Constructor => {
                let class = self.project.parent(symbol).unwrap_or(symbol);
                Some(self.defined(self.graph.id(Node::Symbol(class))))
            }
            _ => Some(node),
        }
    }

    /// Returns the symbol of this name whose name's line is nearest, if the symbol contains the given line.
    fn declared(&self, file: FileId, place: &DeclarationLine) -> Option<LocalSymbol> {
        let symbols = self.project.files()[file].facts.symbols.iter_enumerated();
        let named = symbols.filter(|(_, symbol)| *symbol.name == *place.name);
        let spans = named.filter(|(_, symbol)| symbol.lines.contains(place.line));
        // Lines cannot distinguish several declarations of a name on one line; a name never means an implementation
        // block.
        let nearest = spans.min_by_key(|(_, symbol)| {
            (symbol.name_line.abs_diff(place.line), symbol.kind == SymbolKind::Impl)
        });
        nearest.map(|(id, _)| id)
    }

    /// Returns the innermost declaration around a line.
    fn around(&self, file: FileId, line: u32) -> Option<LocalSymbol> {
        let symbols = self.project.files()[file].facts.symbols.iter_enumerated();
        let around = symbols.filter(|(_, symbol)| symbol.lines.contains(line));
        around.min_by_key(|(_, symbol)| symbol.span.len()).map(|(id, _)| id)
    }

    fn symbol(&self, file: FileId, symbol: LocalSymbol) -> NodeId {
        self.graph.id(Node::Symbol(self.project.symbol_id(file, symbol)))
    }

    /// Returns the name by which uses refer to a node.
    fn name(&self, node: NodeId) -> &'a str {
        match self.graph.node(node) {
            Node::File(file) => {
                let path = &*self.project.files()[file].path;
                path.rsplit('/').next().unwrap_or(path)
            }
            Node::Symbol(symbol) => &self.project.symbol(symbol).name,
            Node::External(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use sscg_core::Manifests;
    use sscg_graph::link;

    use super::super::fact::Named;
    use super::*;

    const TEXT: &str = "\
def a():
    b()
    c()
    lost()

def b():
    pass

def c():
    pass

class K:
    def __init__(self):
        a()

def d():
    def inner():
        b()
    K()
    unseen()
";

    fn project() -> Project {
        let file = sscg_parse::project_file("m.py", TEXT).expect("Python is parsed");
        Project::new(vec![file], Manifests::default())
    }

    fn place(line: u32, name: &str) -> DeclarationLine {
        DeclarationLine { path: "m.py".into(), line, name: name.into() }
    }

    fn covered(line: u32, name: &str) -> Fact {
        Fact::Covered { place: place(line, name), relations: vec![Named(Relation::Calls)] }
    }

    fn calls(source: (u32, &str), target: (u32, &str)) -> Fact {
        let relation = Named(Relation::Calls);
        let (source, target) = (place(source.0, source.1), place(target.0, target.1));
        Fact::Edge { relation, source, target, at: 2 }
    }

    fn evaluate(facts: &[Fact], construction_is_call: bool) -> Evaluation {
        let project = project();
        Evaluation::new(&project, &link(&project), facts, Rules { construction_is_call, ..Rules::default() })
    }

    #[test]
    fn edges_are_found_missed_and_judged() {
        let facts = [
            covered(1, "a"),
            calls((1, "a"), (6, "b")),
            calls((1, "a"), (12, "K")),
            calls((1, "a"), (1, "a")),
        ];
        let evaluation = evaluate(&facts, false);
        let comparison = &evaluation.relations[&Relation::Calls];
        let found: Vec<Verdict> = comparison.expected.iter().map(|edge| edge.found).collect();
        assert_eq!(found, [Verdict::Missing, Verdict::Edge(Confidence::Exact), Verdict::Missing]);
        // Only the graph has the call of `c`.
        assert_eq!(comparison.right(&[Confidence::Exact]), (1, 2));
        assert!((comparison.recall(Confidence::Inferred) - 1.0 / 3.0).abs() < 1e-9);
        assert!((comparison.f1() - 0.4).abs() < 1e-9);
    }

    #[test]
    fn callers_are_told_by_edges_or_by_what_holds_a_function() {
        let called = |target| evaluate(&[covered(1, "a"), calls((1, "a"), target)], false).callers;
        let found = called((6, "b"));
        assert_eq!((found.called, found.incomplete(), found.wrongly_unused.len()), (1, 0, 0));
        // The graph has other callers of `a`, and none of `d`.
        let found = called((1, "a"));
        assert_eq!((found.called, found.incomplete(), found.wrongly_unused.len()), (1, 1, 0));
        let found = called((16, "d"));
        assert_eq!((found.called, found.incomplete(), found.wrongly_unused.len()), (1, 1, 1));
    }

    #[test]
    fn what_the_oracle_does_not_know_is_not_judged() {
        let unknown = |name: &str| Fact::Unknown {
            relation: Named(Relation::Calls),
            source: place(1, "a"),
            name: name.into(),
            at: 3,
        };
        let judged = |facts: &[Fact]| evaluate(facts, false).relations[&Relation::Calls].judged.len();
        assert_eq!(judged(&[covered(1, "a"), calls((1, "a"), (6, "b")), unknown("c")]), 1);
        assert_eq!(judged(&[covered(1, "a"), calls((1, "a"), (6, "b")), unknown("*")]), 1);
        assert_eq!(judged(&[calls((1, "a"), (6, "b"))]), 0);
        assert_eq!(judged(&[covered(0, "*"), calls((1, "a"), (6, "b"))]), 4);
    }

    #[test]
    fn a_declaration_is_its_definition() {
        let same = Fact::Same { place: place(12, "K"), definition: place(6, "b") };
        let facts = [covered(16, "d"), calls((16, "d"), (12, "K")), calls((16, "d"), (6, "b")), same];
        let evaluation = evaluate(&facts, true);
        let comparison = &evaluation.relations[&Relation::Calls];
        assert_eq!((comparison.expected.len(), comparison.found(Confidence::Exact)), (1, 1));
        assert_eq!(comparison.right(&[Confidence::Exact]), (1, 1));
    }

    #[test]
    fn a_constructor_is_its_class() {
        let facts = [covered(16, "d"), calls((16, "d"), (13, "__init__"))];
        let apart = evaluate(&facts, false);
        assert_eq!(apart.relations[&Relation::Calls].found(Confidence::Exact), 0);
        let together = evaluate(&facts, true);
        assert_eq!(together.relations[&Relation::Calls].found(Confidence::Exact), 1);
    }

    #[test]
    fn the_ledger_counts_as_abstention_and_closures_as_what_is_around_them() {
        let facts = [covered(1, "a"), calls((14, "<lambda>"), (1, "a")), calls((2, "?"), (4, "lost"))];
        let evaluation = evaluate(&facts, true);
        assert_eq!(evaluation.unmapped, ["m.py:4 lost"]);
        let comparison = &evaluation.relations[&Relation::Calls];
        assert_eq!((comparison.expected.len(), comparison.found(Confidence::Exact)), (1, 1));
        assert_eq!(comparison.unresolved(), 0);
    }
}
