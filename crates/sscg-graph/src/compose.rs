//! Operations on whole graphs: merging, and reduction to a set of nodes.
//!
//! Files and symbols keep their node ids in the result. Merging renumbers external symbols.

use rustc_hash::FxHashSet;
use sscg_core::{NodeId, Project, Relation};

use crate::error::{OtherProject, UnknownNode};
use crate::graph::{
    CodeGraph, Direction, Edge, ExternalSymbol, Node, Reason, Unresolved, UnresolvedReferences, UnresolvedUse,
};
use crate::traverse::EdgeFilter;

impl CodeGraph {
    /// Merges two graphs of the same project: the external symbols, edges and unresolved references of both. Among
    /// edges with the same ends and relation, keeps the one with the highest confidence, with its provenance. Drops an
    /// unresolved use of one graph if an edge of the other resolves it. Commutative. O(E log E).
    ///
    /// To merge two projects, put their files into one [`Project`] and link it: names in one may refer to declarations
    /// of the other.
    ///
    /// # Errors
    /// Returns an error unless both graphs are of this project.
    pub fn merge(&self, project: &Project, other: &Self) -> Result<Self, OtherProject> {
        if !self.fits(project) || !other.fits(project) {
            return Err(OtherProject);
        }
        let mut externals: Vec<ExternalSymbol> =
            self.externals().iter().chain(other.externals()).cloned().collect();
        externals.sort_unstable();
        externals.dedup();
        let mut edges = Vec::with_capacity(self.edges().len() + other.edges().len());
        let mut unresolved = Vec::new();
        for (graph, beside) in [(self, other), (other, self)] {
            let moved = |node: NodeId| match graph.node(node) {
                Node::External(at) => {
                    let place = externals.binary_search(&graph.externals()[at as usize]);
                    graph.id(Node::External(place.expect("all external symbols are listed") as u32))
                }
                Node::File(_) | Node::Symbol(_) => node,
            };
            let renumbered =
                |edge: Edge| Edge { source: moved(edge.source), target: moved(edge.target), ..edge };
            edges.extend(graph.all_sites().map(renumbered));
            let is_open = |entry: &Unresolved<'_>| {
                beside.unresolved(entry.name).any(|it| it == *entry) || !beside.resolves(project, entry)
            };
            unresolved.extend(
                graph.unresolved_references().iter().filter(is_open).map(<(&str, UnresolvedUse)>::from),
            );
        }
        Ok(Self::of_size(self.size(), externals, edges, || UnresolvedReferences::new(unresolved)))
    }

    /// Returns the graph with the edges that another provider found between its nodes; see [`CodeGraph::merge`].
    ///
    /// # Errors
    /// Returns an error if an end of an edge is not in the graph.
    ///
    /// # Panics
    /// Panics if the graph is not of this project.
    pub fn with_edges(
        &self,
        project: &Project,
        edges: impl IntoIterator<Item = Edge>,
    ) -> Result<Self, UnknownNode> {
        let edges: Vec<Edge> = edges.into_iter().collect();
        for edge in &edges {
            self.known(edge.source)?;
            self.known(edge.target)?;
        }
        let beside =
            Self::of_size(self.size(), self.externals().to_vec(), edges, UnresolvedReferences::default);
        Ok(self.merge(project, &beside).expect("both graphs are of the project"))
    }

    /// Returns the subgraph induced by `nodes`: the edges among them that `filter` admits, in either direction, and the
    /// unresolved uses in their code. Other nodes keep their ids and lose all edges. O(nodes + edges).
    ///
    /// # Errors
    /// Returns an error if one of `nodes` is not in the graph.
    pub fn induced(&self, nodes: &[NodeId], filter: EdgeFilter) -> Result<Self, UnknownNode> {
        let mut inside = FxHashSet::default();
        for &node in nodes {
            self.known(node)?;
            inside.insert(node);
        }
        let joins = |edge: &Edge| inside.contains(&edge.source) && inside.contains(&edge.target);
        let edges = self.all_sites().filter(joins).filter(|edge| filter.admits(edge));
        let unresolved = self.unresolved_references().iter().filter(|entry| inside.contains(&entry.source));
        let unresolved =
            || UnresolvedReferences::new(unresolved.map(<(&str, UnresolvedUse)>::from).collect());
        Ok(Self::of_size(self.size(), self.externals().to_vec(), edges.collect(), unresolved))
    }

    /// Returns true if an edge resolves a use: it has the same source and line, and its target has the name, or is called
    /// where a value was.
    fn resolves(&self, project: &Project, entry: &Unresolved<'_>) -> bool {
        self.edges_at(entry.source, Direction::Outgoing).filter(|edge| edge.line == entry.line).any(|edge| {
            match entry.reason {
                Reason::HeldValue => edge.relation == Relation::Calls,
                _ => self.name(project, edge.target) == entry.name,
            }
        })
    }

    /// Returns the last segment of a node's label.
    fn name<'s>(&'s self, project: &'s Project, node: NodeId) -> &'s str {
        let last = |path: &'s str, separators: &[char]| path.rsplit(separators).next().unwrap_or(path);
        match self.node(node) {
            Node::File(file) => last(&project.files()[file].path, &['/']),
            Node::Symbol(symbol) => project.symbol_name(symbol),
            Node::External(at) => last(&self.externals()[at as usize].name, &['.', ':', '/']),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{Confidence, Id, Provenance, ProvenanceSet, RelationSet};

    use super::*;
    use crate::link;
    use crate::testing::{calls, functions, project};

    /// Returns a call between two of [`functions`].
    fn call(nodes: &[NodeId], ends: (usize, usize), confidence: Confidence, provenance: Provenance) -> Edge {
        Edge {
            source: nodes[ends.0],
            target: nodes[ends.1],
            relation: Relation::Calls,
            line: 1,
            confidence,
            provenance,
            candidates: if confidence == Confidence::Ambiguous { 2 } else { 1 },
        }
    }

    fn confidence() -> impl Strategy<Value = Confidence> {
        prop::sample::select(vec![Confidence::Ambiguous, Confidence::Inferred, Confidence::Exact])
    }

    /// Generates calls among six functions, with any confidence.
    fn some_calls() -> impl Strategy<Value = Vec<(usize, usize, Confidence)>> {
        prop::collection::vec((0..6_usize, 0..6_usize, confidence()), 0..12)
    }

    proptest! {
        #[test]
        fn merging_is_a_union_in_which_the_surest_edge_stays(
            a in some_calls(),
            b in some_calls(),
            c in some_calls(),
        ) {
            let project = functions(6, &[]);
            let empty = link(&project);
            let nodes: Vec<NodeId> = project.symbol_ids().map(|it| empty.id(Node::Symbol(it))).collect();
            let graph = |calls: &[(usize, usize, Confidence)], provenance| {
                let edges = calls.iter().map(|(from, to, sure)| call(&nodes, (*from, *to), *sure, provenance));
                empty.with_edges(&project, edges).expect("nodes of the graph")
            };
            let (x, y, z) =
                (graph(&a, Provenance::Resolver), graph(&b, Provenance::Scip), graph(&c, Provenance::Lsp));
            let merge = |a: &CodeGraph, b: &CodeGraph| a.merge(&project, b).expect("the same project");
            let edges = |a: &CodeGraph, b: &CodeGraph| merge(a, b).edges().to_vec();
            let both = merge(&x, &y);
            prop_assert_eq!(both.edges(), edges(&y, &x));
            prop_assert_eq!(edges(&both, &z), edges(&x, &merge(&y, &z)));
            prop_assert_eq!(both.edges(), edges(&both, &both));
            for (from, to) in (0..36).map(|at| (at / 6, at % 6)) {
                let surest = |calls: &[(usize, usize, Confidence)]| {
                    calls.iter().filter(|it| (it.0, it.1) == (from, to)).map(|it| it.2).max()
                };
                let calls = both.edges_between(nodes[from], nodes[to]);
                let kept = calls.iter().map(|edge| (edge.confidence, edge.provenance)).next();
                let expected = match (surest(&a), surest(&b)) {
                    (None, None) => None,
                    (Some(a), b) if Some(a) >= b => Some((a, Provenance::Resolver)),
                    (_, Some(b)) => Some((b, Provenance::Scip)),
                    (Some(_), None) => unreachable!("something is more than nothing"),
                };
                prop_assert_eq!(kept, expected);
                prop_assert!(calls.len() <= 1);
            }
        }

        #[test]
        fn what_nodes_induce_are_the_edges_among_them(
            edges in prop::collection::vec((0..9_usize, 0..9_usize), 0..30),
            inside in prop::collection::btree_set(0..9_usize, 0..9),
        ) {
            let (graph, nodes) = calls(9, &edges);
            let set: Vec<NodeId> = inside.iter().map(|at| nodes[*at]).collect();
            let part = graph.induced(&set, EdgeFilter::default()).expect("nodes of the graph");
            prop_assert_eq!(part.node_count(), graph.node_count());
            let among = |edge: &&Edge| set.contains(&edge.source) && set.contains(&edge.target);
            let expected: Vec<Edge> = graph.edges().iter().filter(among).copied().collect();
            prop_assert_eq!(part.edges(), &expected[..]);
        }
    }

    const TEXT: &str =
        "import json\n\ndef send():\n    pass\n\ndef run(x):\n    x.send()\n    json.dumps(1)\n    lost()\n";

    #[test]
    fn what_another_provider_resolves_is_no_longer_unresolved() {
        let project = project(&[("a.py", TEXT)]);
        let graph = link(&project);
        let names = |graph: &CodeGraph| {
            graph.unresolved_references().iter().map(|it| it.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&graph), ["lost", "send"]);
        let node = |label: &str| graph.nodes_labeled(&project, label)[0];
        let edge = Edge {
            source: node("a.py::run"),
            target: node("a.py::send"),
            relation: Relation::Calls,
            line: 7,
            confidence: Confidence::Exact,
            provenance: Provenance::Lsp,
            candidates: 1,
        };
        let known = graph.with_edges(&project, [edge]).expect("nodes of the graph");
        assert_eq!(names(&known), ["lost"]);
        assert_eq!(known.edges().len(), graph.edges().len() + 1);
        let elsewhere = graph.with_edges(&project, [Edge { line: 8, ..edge }]).expect("nodes of the graph");
        assert_eq!(names(&elsewhere), ["lost", "send"]);
        let again = graph.merge(&project, &graph).expect("the same project");
        assert_eq!(
            (again.edges(), again.unresolved_references()),
            (graph.edges(), graph.unresolved_references())
        );
    }

    #[test]
    fn external_symbols_of_both_graphs_are_numbered_anew() {
        let project = project(&[("a.py", TEXT)]);
        let graph = link(&project);
        let without = CodeGraph::new(&project, Vec::new(), Vec::new(), Vec::new());
        for merged in [graph.merge(&project, &without), without.merge(&project, &graph)] {
            let merged = merged.expect("the same project");
            assert_eq!((merged.externals(), merged.edges()), (graph.externals(), graph.edges()));
        }
    }

    #[test]
    fn parts_are_cut_by_filter_and_strangers_are_refused() {
        let project = project(&[("a.py", TEXT)]);
        let graph = link(&project);
        let all: Vec<NodeId> = (0..graph.node_count()).map(NodeId::new).collect();
        let everything = EdgeFilter { relations: RelationSet::ALL, ..EdgeFilter::default() };
        let part = |nodes: &[NodeId], filter| graph.induced(nodes, filter).expect("nodes of the graph");
        assert_eq!(part(&all, everything).edges(), graph.edges());
        assert_eq!(part(&all, everything).unresolved_references(), graph.unresolved_references());
        let syntax = ProvenanceSet::from_iter([Provenance::Syntax]);
        let written = part(&all, EdgeFilter { provenances: syntax, ..everything });
        assert!(!written.edges().is_empty());
        assert!(written.edges().iter().all(|edge| edge.provenance == Provenance::Syntax));
        let nothing = part(&[], everything);
        assert_eq!((nothing.edges().len(), nothing.unresolved_references().len()), (0, 0));

        let stranger = NodeId::new(999);
        assert_eq!(graph.induced(&[stranger], everything).err(), Some(UnknownNode(stranger)));
        let edge = Edge { target: stranger, ..graph.edges()[0] };
        assert_eq!(graph.with_edges(&project, [edge]).err(), Some(UnknownNode(stranger)));
        let other = link(&functions(3, &[]));
        assert_eq!(graph.merge(&project, &other).err(), Some(OtherProject));
        assert_eq!(other.merge(&project, &graph).err(), Some(OtherProject));
    }
}
