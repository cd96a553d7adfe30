//! Nodes affected by a change.

use derive_setters::Setters;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, NodeId, Project, Relation, RelationSet};

use super::members::blocks_of;
use super::{EdgeFilter, Step};
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Limits of an impact analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ImpactOptions {
    /// Maximum number of steps; 1 for direct uses of the changed declaration.
    pub depth: u32,
    /// Maximum number of affected nodes.
    pub limit: usize,
    /// Relations that propagate a change.
    pub relations: RelationSet,
    /// Minimum confidence of edges to follow.
    pub min_confidence: Confidence,
}

impl Default for ImpactOptions {
    /// Returns the defaults: 3 steps, 100 nodes, all code relations.
    fn default() -> Self {
        Self { depth: 3, limit: 100, relations: RelationSet::CODE, min_confidence: Confidence::Ambiguous }
    }
}

/// Node that a change may affect.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Affected {
    /// Id of a declaration, or of a file for its top-level code.
    pub node: NodeId,
    /// Number of steps from the change.
    pub distance: u32,
    /// Strength of the dependency on the change, from 0 to 1: the product of relation weight and probability over the
    /// steps, maximized over all shortest paths.
    pub strength: f32,
    /// Last step of that path: `via.source` is the node, and `via.target` its predecessor, a method that the predecessor
    /// overrides, or code that passes the predecessor, a function without a name, on.
    pub via: Edge,
}

/// Dependency of a node on another one, over which a change spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dependency {
    /// Used node: a changed or an affected one.
    pub used: NodeId,
    /// Node that uses it, or that may call it instead of a method that it overrides.
    pub user: NodeId,
    /// Product of relation weight and confidence, from 0 to 1.
    pub weight: f32,
}

/// Result of an impact analysis.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Impact {
    /// Nodes that change: those in question with their implementation blocks and members.
    pub changed: Vec<NodeId>,
    /// Affected nodes, by distance, then strength, then id.
    pub affected: Vec<Affected>,
    /// Number of nodes that the limit left out.
    pub omitted: usize,
    /// All dependencies on changed and affected nodes, except on those at the maximum distance. The limit does not
    /// apply to them.
    pub dependencies: Vec<Dependency>,
}

/// Follows uses of declarations backwards. A change of a type is also a change of its members, and one of a file of all of its
/// declarations, so their uses count;
/// declarations inside the changed one are not listed. A call of a method may run an override, so a change of a method
/// affects the callers of the methods that it overrides. O(edges at the nodes within the depth), in time and memory.
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::link;
/// use sscg_graph::traverse::{ImpactOptions, impact};
///
/// let text = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
/// let project = Project::new(sscg_parse::project_file("a.py", text).into_iter().collect(), Manifests::default());
/// let graph = link(&project);
/// let read = graph.nodes_labeled(&project, "a.py::read")[0];
/// let found = impact(&project, &graph, &[read], &ImpactOptions::default())?;
/// let found: Vec<_> = found.affected.iter().map(|it| (graph.label(&project, it.node), it.distance)).collect();
/// assert_eq!(found, [("a.py::parse".to_owned(), 1), ("a.py::main".to_owned(), 2)]);
/// # Ok::<(), sscg_graph::UnknownNode>(())
/// ```
///
/// # Errors
/// Returns an error if a node is not in the graph.
pub fn impact(
    project: &Project,
    graph: &CodeGraph,
    changed: &[NodeId],
    options: &ImpactOptions,
) -> Result<Impact, UnknownNode> {
    for node in changed {
        graph.known(*node)?;
    }
    let filter = EdgeFilter {
        direction: Some(Direction::Incoming),
        relations: options.relations,
        min_confidence: options.min_confidence,
        ..EdgeFilter::default()
    };
    let calls = EdgeFilter { relations: options.relations.and(RelationSet::CALLS), ..filter };
    let mut changed: Vec<NodeId> =
        changed.iter().flat_map(|node| with_members(project, graph, *node)).collect();
    changed.sort_unstable();
    changed.dedup();
    let mut level: Vec<(NodeId, f32)> = changed.iter().map(|node| (*node, 1.0)).collect();
    let mut seen: FxHashSet<NodeId> = changed.iter().copied().collect();
    let mut all: Vec<Affected> = Vec::new();
    let mut dependencies: Vec<Dependency> = Vec::new();
    let mut passing: FxHashSet<NodeId> = FxHashSet::default();
    for distance in 1..=options.depth {
        let mut reached: FxHashMap<NodeId, Affected> = FxHashMap::default();
        for (node, strength) in std::mem::take(&mut level) {
            let own = users(project, graph, node, filter, &mut passing).into_iter().map(|step| (step, 1.0));
            let overridden = overridden(graph, node, options).into_iter();
            let instead = overridden
                .flat_map(|(base, certainty)| graph.steps(base, calls).map(move |step| (step, certainty)));
            for (step, certainty) in own.chain(instead) {
                let weight = certainty * step.edge.relation.weight() * step.edge.probability();
                dependencies.push(Dependency { used: node, user: step.node, weight });
                if seen.contains(&step.node) {
                    continue;
                }
                let strength = strength * weight;
                let affected = Affected { node: step.node, distance, strength, via: *step.edge };
                let known = reached.entry(step.node).or_insert(affected);
                let key = |it: &Affected| (it.via.target, it.via.relation, it.via.line);
                if strength > known.strength || strength == known.strength && key(&affected) < key(known) {
                    *known = affected;
                }
            }
        }
        let mut found: Vec<Affected> = reached.into_values().collect();
        found.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.node.cmp(&b.node)));
        level.extend(found.iter().map(|affected| (affected.node, affected.strength)));
        seen.extend(found.iter().map(|affected| affected.node));
        all.extend(found);
    }
    let omitted = all.len().saturating_sub(options.limit);
    all.truncate(options.limit);
    Ok(Impact { changed, affected: all, omitted, dependencies })
}

/// Returns the steps to the users of a node. Code that passes a function without a name on does not depend on it, but the users
/// of that code do; they are returned for the first of its functions. `passing` holds such code.
fn users<'g>(
    project: &Project,
    graph: &'g CodeGraph,
    node: NodeId,
    filter: EdgeFilter,
    passing: &mut FxHashSet<NodeId>,
) -> Vec<Step<'g>> {
    let (mut found, mut next) = (Vec::new(), vec![node]);
    while let Some(node) = next.pop() {
        let is_anonymous = graph.node(node).symbol().is_some_and(|symbol| project.is_anonymous(symbol));
        for step in graph.steps(node, filter) {
            if !is_anonymous || step.edge.relation != Relation::References {
                found.push(step);
            } else if passing.insert(step.node) {
                next.push(step.node);
            }
        }
    }
    found
}

/// Returns the project's methods that a method overrides, directly or not, each with its confidence.
fn overridden(graph: &CodeGraph, node: NodeId, options: &ImpactOptions) -> Vec<(NodeId, f32)> {
    let filter = EdgeFilter {
        direction: Some(Direction::Outgoing),
        relations: RelationSet::EMPTY.with(Relation::Overrides),
        min_confidence: options.min_confidence,
        ..EdgeFilter::default()
    };
    let mut bases = vec![(node, 1.0)];
    let mut at = 0;
    while let Some(&(node, certainty)) = bases.get(at) {
        for step in graph.steps(node, filter) {
            let is_known = bases.iter().any(|(base, _)| *base == step.node);
            if !is_known && matches!(graph.node(step.node), Node::Symbol(_)) {
                bases.push((step.node, certainty * step.edge.probability()));
            }
        }
        at += 1;
    }
    bases.remove(0);
    bases
}

/// Returns a node with its implementation blocks and the declarations inside them, at any depth; a file with all of its
/// declarations.
fn with_members(project: &Project, graph: &CodeGraph, node: NodeId) -> Vec<NodeId> {
    let mut nodes = vec![node];
    if let Node::File(file) = graph.node(node) {
        nodes.extend(project.symbols_of(file).map(|symbol| graph.id(Node::Symbol(symbol))));
    }
    nodes.extend(blocks_of(project, graph, node));
    for at in 0..nodes.len() {
        let Node::Symbol(symbol) = graph.node(nodes[at]) else { continue };
        let (file, local) = project.local_symbol(symbol);
        let members = project.files()[file].facts.descendants(local);
        nodes.extend(members.map(|member| graph.id(Node::Symbol(project.symbol_id(file, member)))));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{Id, SymbolId};

    use super::*;
    use crate::link;
    use crate::testing::{functions, project};

    fn affected(text: &str, name: &str, options: &ImpactOptions) -> Vec<String> {
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let symbol = project.symbol_ids().find(|symbol| project.qualified_name(*symbol) == name);
        let node = graph.id(Node::Symbol(symbol.expect("a declaration of this name")));
        let impact = impact(&project, &graph, &[node], options).expect("a known node");
        let line = |it: &Affected| {
            let label = graph.label(&project, it.node);
            let name = label.strip_prefix("a.py::").unwrap_or(&label);
            format!("{} {name} {} {:.2}", it.distance, it.via.relation, it.strength)
        };
        impact.affected.iter().map(line).collect()
    }

    const TEXT: &str = "\
class Store:
    def save(self):
        self.check()

    def check(self):
        pass


class Cached(Store):
    pass


def run(store: Store):
    store.save()


def main():
    run(Cached())


main()
";

    #[test]
    fn a_change_of_a_file_reaches_the_users_of_its_declarations() {
        let project = project(&[
            ("a.py", "def read():\n    return parse()\n\ndef parse():\n    pass\n"),
            ("b.py", "from a import read\n\ndef main():\n    read()\n"),
        ]);
        let graph = link(&project);
        let file = graph.nodes_labeled(&project, "a.py")[0];
        let found = impact(&project, &graph, &[file], &ImpactOptions::default()).expect("a known node");
        let labels: Vec<String> = found.affected.iter().map(|it| graph.label(&project, it.node)).collect();
        assert_eq!(labels, ["b.py::main", "b.py"]);
        assert!(found.affected.iter().all(|it| it.distance == 1));
    }

    #[test]
    fn a_change_of_a_type_reaches_the_users_of_its_members() {
        let all = affected(TEXT, "Store", &ImpactOptions::default());
        assert_eq!(
            all,
            ["1 Cached inherits 1.00", "1 run calls 1.00", "2 main calls 1.00", "3 a.py calls 1.00",]
        );
    }

    #[test]
    fn a_change_of_a_method_reaches_its_callers_and_theirs() {
        let near = ImpactOptions { depth: 1, ..ImpactOptions::default() };
        assert_eq!(affected(TEXT, "Store.check", &near), ["1 Store.save calls 1.00"]);
        let few = ImpactOptions { limit: 2, ..ImpactOptions::default() };
        assert_eq!(affected(TEXT, "Store.check", &few), ["1 Store.save calls 1.00", "2 run calls 1.00"]);
        assert_eq!(affected(TEXT, "Store", &ImpactOptions { depth: 0, ..few }), Vec::<String>::new());
    }

    #[test]
    fn a_change_of_a_method_reaches_the_callers_of_what_it_overrides() {
        let text = "\
class Sink:
    def send(self):
        pass


class File(Sink):
    def send(self):
        pass


class Net(Sink):
    def send(self):
        pass


def emit(sink: Sink):
    sink.send()


def dump():
    File().send()
";
        let all = |name| affected(text, name, &ImpactOptions::default());
        assert_eq!(all("File.send"), ["1 emit calls 1.00", "1 dump calls 1.00"]);
        assert_eq!(all("Net.send"), ["1 emit calls 1.00"]);
        let of_base = all("Sink.send");
        assert!(of_base.contains(&"1 Net.send overrides 1.00".to_owned()), "{of_base:?}");
        let decorates = RelationSet::EMPTY.with(Relation::Decorates);
        let others = ImpactOptions { relations: decorates, ..ImpactOptions::default() };
        assert_eq!(affected(text, "File.send", &others), Vec::<String>::new());
    }

    #[test]
    fn dependencies_are_those_of_all_routes_of_a_change() {
        let text = "def a(): pass\n\ndef b():\n    a()\n\ndef c():\n    a()\n    b()\n\ndef d():\n    c()\n";
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let node = |name: &str| graph.nodes_labeled(&project, &format!("a.py::{name}"))[0];
        let options = ImpactOptions { depth: 2, limit: 1, ..ImpactOptions::default() };
        let found = impact(&project, &graph, &[node("a"), node("a")], &options).expect("a known node");
        let pairs: Vec<_> = found.dependencies.iter().map(|it| (it.used, it.user, it.weight)).collect();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(node);
        assert_eq!(pairs, [(a, b, 1.0), (a, c, 1.0), (b, c, 1.0), (c, d, 1.0)]);
        assert_eq!((found.changed, found.affected.len(), found.omitted), (vec![a], 1, 2));
        let found = impact(&project, &graph, &[a, c], &options).expect("known nodes");
        let near: Vec<_> = found.affected.iter().map(|it| (it.node, it.distance)).collect();
        assert_eq!((near, found.omitted), (vec![(b, 1)], 1));
    }

    #[test]
    fn a_change_of_a_type_reaches_the_users_of_its_blocks_functions() {
        let text = "\
struct Store;
mod methods {
    impl super::Store {
        pub fn save(&self) {}
    }
}
fn run(store: &Store) {
    store.save();
}
fn save_all(save: fn()) {}
";
        let project = project(&[("a.rs", text)]);
        let graph = link(&project);
        let node = graph.nodes_labeled(&project, "a.rs::Store")[0];
        let impact = impact(&project, &graph, &[node], &ImpactOptions::default()).expect("a known node");
        let labels: Vec<String> = impact.affected.iter().map(|it| graph.label(&project, it.node)).collect();
        assert_eq!(labels, ["a.rs::run"]);
        assert_eq!(impact.affected[0].via.relation, Relation::Calls);
    }

    proptest! {
        #[test]
        fn callers_are_affected_at_their_distance(
            calls in prop::collection::vec((0..7_usize, 0..7_usize), 0..14),
            depth in 0..4_u32,
        ) {
            let project = functions(7, &calls);
            let graph = link(&project);
            let node = |function: usize| graph.id(Node::Symbol(SymbolId::new(function)));
            let mut distances = [u32::MAX; 7];
            distances[0] = 0;
            for _ in 0..7 {
                for &(caller, callee) in &calls {
                    distances[caller] = distances[caller].min(distances[callee].saturating_add(1));
                }
            }
            let mut expected: Vec<(u32, NodeId)> =
                (1..7).map(|function| (distances[function], node(function))).collect();
            expected.retain(|(distance, _)| *distance <= depth);
            expected.sort_unstable();
            let options = ImpactOptions { depth, ..ImpactOptions::default() };
            let all = impact(&project, &graph, &[node(0)], &options).expect("a known node");
            let found: Vec<(u32, NodeId)> = all.affected.iter().map(|it| (it.distance, it.node)).collect();
            prop_assert_eq!(found, expected);
            prop_assert!(all.affected.iter().all(|it| it.via.source == it.node && it.strength == 1.0));
        }
    }

    #[test]
    fn unknown_nodes_are_named() {
        let project = project(&[("a.py", TEXT)]);
        let stranger = NodeId::new(999);
        let result = impact(&project, &link(&project), &[stranger], &ImpactOptions::default());
        assert_eq!(result, Err(UnknownNode(stranger)));
    }
}
