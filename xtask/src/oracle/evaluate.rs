//! Comparison of the oracle's edges with the graph's.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, NodeId, Project, Provenance, Relation, RelationSet};
use sscg_graph::{CodeGraph, Direction, Edge};
use sscg_index::Snapshot;

use super::callers::Callers;
use super::fact::{DeclarationLine, Fact};
use super::places::{Ends, Places, Rules};

/// Comparison of the graph's edges of each relation with the oracle's.
pub(super) struct Evaluation {
    pub(super) relations: BTreeMap<Relation, Comparison>,
    pub(super) callers: Callers,
    /// Targets of the oracle's edges that cannot be mapped to the graph.
    pub(super) unmapped: Vec<String>,
    rules: Rules,
}

/// Comparison of another program's edges of one relation with the oracle's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Peer {
    /// Number of the oracle's edges, and of those that the program has.
    pub(super) expected: usize,
    pub(super) found: usize,
    /// Number of the program's edges that can be judged, and of the correct ones.
    pub(super) judged: usize,
    pub(super) right: usize,
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
    pub(super) rule: Rule,
    pub(super) right: bool,
}

/// Rule that made an edge: its provenance, and the number of candidates.
pub(super) type Rule = (Provenance, u16);

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

    /// Returns the number of correct edges and of all, by confidence and rule.
    pub(super) fn by_rule(&self) -> BTreeMap<(Confidence, Rule), (usize, usize)> {
        let mut counts = BTreeMap::new();
        for edge in &self.judged {
            let (right, all) = counts.entry((edge.confidence, edge.rule)).or_default();
            *right += usize::from(edge.right);
            *all += 1;
        }
        counts
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
        let mut places = Places::new(project, graph, rules);
        places.unify(facts);
        let claims = Claims::new(&places, facts, rules);
        let ours = Ours::new(&places, rules);
        let mut relations: BTreeMap<Relation, Comparison> = BTreeMap::new();
        let mut callers: FxHashMap<NodeId, BTreeMap<NodeId, u32>> = FxHashMap::default();
        for (&(relation, source, target), &line) in &claims.edges {
            if relation == Relation::Calls {
                callers.entry(target).or_default().insert(source, line);
            }
            let found = ours.verdict(&places, (relation, source, target));
            let edge = Ends { source, target, line };
            relations.entry(relation).or_default().expected.push(Expected { edge, found });
        }
        let is_judged = |relation, source, target| claims.is_judged(relation, source, places.name(target));
        for (&(relation, source, target), &Best { confidence, line, rule }) in &ours.edges {
            let right = claims.edges.contains_key(&(relation, source, target));
            if right && claims.is_covered(relation, source) || is_judged(relation, source, target) {
                let edge = Ends { source, target, line };
                relations.entry(relation).or_default().judged.push(Judged { edge, confidence, rule, right });
            }
        }
        let callers =
            Callers::new(&places, &callers, |source, target| is_judged(Relation::Calls, source, target));
        Self { relations, callers, unmapped: claims.unmapped.into_iter().collect(), rules }
    }

    /// Compares the edges of another program, given as facts, with the oracle's.
    pub(super) fn peer(
        project: &Project,
        graph: &CodeGraph,
        facts: &[Fact],
        peer: &[Fact],
        rules: Rules,
    ) -> BTreeMap<Relation, Peer> {
        let mut places = Places::new(project, graph, rules);
        places.unify(facts);
        let (claims, theirs) = (Claims::new(&places, facts, rules), Claims::new(&places, peer, rules));
        let mut peers: BTreeMap<Relation, Peer> = BTreeMap::new();
        for key in claims.edges.keys() {
            let peer = peers.entry(key.0).or_default();
            peer.expected += 1;
            peer.found += usize::from(theirs.edges.contains_key(key));
        }
        for &(relation, source, target) in theirs.edges.keys() {
            let right = claims.edges.contains_key(&(relation, source, target));
            let is_covered = right && claims.is_covered(relation, source);
            if is_covered || claims.is_judged(relation, source, places.name(target)) {
                let peer = peers.entry(relation).or_default();
                peer.judged += 1;
                peer.right += usize::from(right);
            }
        }
        peers
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

/// Relation, source and target of an edge.
type Key = (Relation, NodeId, NodeId);

/// Facts of the oracle, as nodes of the graph.
#[derive(Default)]
struct Claims<'f> {
    /// Edges, with the line of their first use.
    edges: BTreeMap<Key, u32>,
    /// Relations of which the oracle has all edges, by source.
    covered: FxHashMap<NodeId, RelationSet>,
    /// Names that the oracle cannot resolve.
    unknown: FxHashSet<(Relation, NodeId, &'f str)>,
    /// Targets of edges that cannot be mapped to the graph.
    unmapped: BTreeSet<String>,
}

impl<'f> Claims<'f> {
    fn new(places: &Places<'_>, facts: &'f [Fact], rules: Rules) -> Self {
        let mut claims = Self::default();
        for fact in facts {
            match fact {
                Fact::Same { .. } => {}
                Fact::Covered { place, relations } => {
                    for node in places.covered(place) {
                        let known = claims.covered.entry(node).or_insert(RelationSet::EMPTY);
                        *known = relations.iter().fold(*known, |set, relation| set.with(relation.0));
                    }
                }
                Fact::Edge { relation, source, target, at } => {
                    let ends = (places.source(source), places.target(target));
                    if let (Some(source), Some(target)) = ends {
                        let key = (rules.relation(relation.0), source, target);
                        let line = claims.edges.entry(key).or_insert(*at);
                        *line = (*line).min(*at);
                    } else {
                        claims.unmapped.insert(format!("{}:{} {}", target.path, target.line, target.name));
                    }
                }
                Fact::Unknown { relation, source, name, .. } => {
                    if let Some(source) = places.source(source) {
                        claims.unknown.insert((rules.relation(relation.0), source, name));
                    }
                }
            }
        }
        claims
    }

    fn is_covered(&self, relation: Relation, source: NodeId) -> bool {
        self.covered.get(&source).is_some_and(|relations| relations.contains(relation))
    }

    /// True if the oracle knows whether there is an edge from `source` to a target of this name.
    fn is_judged(&self, relation: Relation, source: NodeId, name: &str) -> bool {
        let is_unknown = |name| self.unknown.contains(&(relation, source, name));
        self.is_covered(relation, source) && !is_unknown(name) && !is_unknown("*")
    }
}

/// Edges and unresolved references of the graph, as the oracle would have them.
struct Ours<'g> {
    /// Edges, with the highest confidence of a use, and its line.
    edges: BTreeMap<Key, Best>,
    /// Reasons of unresolved references, by name.
    unresolved: FxHashMap<(Relation, NodeId, &'g str), &'static str>,
}

/// Surest use that makes an edge.
struct Best {
    confidence: Confidence,
    line: u32,
    rule: Rule,
}

impl<'g> Ours<'g> {
    fn new(places: &Places<'g>, rules: Rules) -> Self {
        let mut ours = Self { edges: BTreeMap::new(), unresolved: FxHashMap::default() };
        for edge in places.graph.edges() {
            let Some(target) = places.own(edge.target) else { continue };
            let key = (rules.relation(edge.relation), places.code(edge.source), target);
            let &Edge { confidence, line, provenance, candidates, .. } = edge;
            let found = Best { confidence, line, rule: (provenance, candidates) };
            match ours.edges.entry(key) {
                Entry::Occupied(mut best) if confidence > best.get().confidence => drop(best.insert(found)),
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => drop(place.insert(found)),
            }
        }
        for entry in places.graph.unresolved_references().iter() {
            let key = (rules.relation(entry.relation), places.named(entry.source), entry.name);
            ours.unresolved.insert(key, entry.reason.as_str());
        }
        ours
    }

    /// Returns what the graph has for an edge of the oracle.
    fn verdict(&self, places: &Places<'_>, key: Key) -> Verdict {
        let (relation, source, target) = key;
        if let Some(best) = self.edges.get(&key) {
            return Verdict::Edge(best.confidence);
        }
        match self.unresolved.get(&(relation, source, places.name(target))) {
            Some(reason) => Verdict::Unresolved(reason),
            None => Verdict::Missing,
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
    fn edges_of_another_program_are_judged_like_ours() {
        let facts = [covered(1, "a"), calls((1, "a"), (6, "b")), calls((1, "a"), (12, "K"))];
        // Calls from `d` are not known.
        let peer = [calls((1, "a"), (6, "b")), calls((1, "a"), (9, "c")), calls((16, "d"), (6, "b"))];
        let project = project();
        let peer = Evaluation::peer(&project, &link(&project), &facts, &peer, Rules::default());
        assert_eq!(peer[&Relation::Calls], Peer { expected: 2, found: 1, judged: 2, right: 1 });
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
