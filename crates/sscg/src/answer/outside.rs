//! Calls of the results to external packages.

use std::collections::BTreeSet;

use sscg_core::{ChunkId, RelationSet};
use sscg_graph::{CodeGraph, Direction, Edge, ExternalSymbol, Node, Origin};
use sscg_index::query_terms;
use sscg_retrieve::{QueryMode, Standing, is_product, standing_of_file};

use super::{Composer, HOPS_OF, locked};

/// Maximum number of listed names.
const MOST_NAMES: usize = 3;

/// Number of files above which a package counts as a general tool, which is not specific to the query.
const MOST_FILES: usize = 3;

impl Composer<'_> {
    /// Returns the names of external code that the best of some chunks call, with locked versions. A package is
    /// included if few files of the project refer to it or if the query names it; the standard library is excluded.
    /// O(edges of the chunks + of the packages + bytes of the lock files).
    pub(super) fn outside(&mut self, chunks: &[ChunkId]) -> Vec<String> {
        let (project, graph) = (&self.snapshot.project, &self.snapshot.graph);
        let QueryMode::Words(asked) = &self.query.mode else { return Vec::new() };
        let mut names: Vec<String> = Vec::new();
        let own = chunks.iter().take(HOPS_OF).filter(|chunk| is_product(self.snapshot, **chunk));
        for symbol in own.filter_map(|chunk| project.symbol_of_chunk(*chunk)) {
            let node = graph.id(Node::Symbol(symbol));
            let mut edges: Vec<&Edge> = graph.edges_at(node, Direction::Outgoing).collect();
            edges.sort_by_key(|edge| edge.line);
            for edge in edges {
                let Node::External(at) = graph.node(edge.target) else { continue };
                let ExternalSymbol { name, origin, .. } = &graph.externals()[at as usize];
                let is_call = RelationSet::CALLS.contains(edge.relation) && *origin == Origin::ThirdParty;
                if !is_call || names.iter().any(|known| **known == **name) {
                    continue;
                }
                let is_named = || query_terms(name).iter().any(|term| asked.contains(term));
                if is_named() || self.is_rare(graph, package(name)) {
                    names.push(name.to_string());
                }
            }
        }
        names.truncate(MOST_NAMES);
        let root = &self.snapshot.root;
        let with_version = |name: String| {
            let of = package(&name);
            let version = self.versions.entry(of.to_owned()).or_insert_with(|| locked::version(root, of));
            match version {
                Some(version) => format!("{name} ({version})"),
                None => name,
            }
        };
        names.into_iter().map(with_version).collect()
    }

    /// Returns true if at most [`MOST_FILES`] files of the project's own code refer to a package.
    fn is_rare(&self, graph: &CodeGraph, of: &str) -> bool {
        let mut files = BTreeSet::new();
        let first = graph.externals().partition_point(|external| &*external.name < of);
        let members = graph.externals()[first..].iter().take_while(|it| it.name.starts_with(of));
        for (at, _) in (first..).zip(members).filter(|(_, external)| package(&external.name) == of) {
            for edge in graph.edges_at(graph.id(Node::External(at as u32)), Direction::Incoming) {
                let file = match graph.node(edge.source) {
                    Node::File(file) => file,
                    Node::Symbol(symbol) => self.snapshot.project.symbol_file(symbol),
                    Node::External(_) => continue,
                };
                if standing_of_file(self.snapshot, file) == Standing::Product {
                    files.insert(file);
                }
                if files.len() > MOST_FILES {
                    return false;
                }
            }
        }
        true
    }
}

/// Returns the package of a name: `itsdangerous` of `itsdangerous.URLSafeTimedSerializer`, `@scope/queue` of
/// `@scope/queue.Worker`.
fn package(name: &str) -> &str {
    name.split(['.', ':']).next().unwrap_or(name)
}
