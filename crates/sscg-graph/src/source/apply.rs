//! Application of the occurrences of another program to a graph.
//!
//! Per file, edges and unresolved references are compared with the occurrences on their lines. Edits are collected for
//! all files first, and the graph is built once.

use std::cell::OnceCell;
use std::mem;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, FileId, Modifiers, NodeId, Project, Provenance, Relation, SymbolKind};

use super::site::{NamedSites, last_segment};
use super::{
    Applied, Comparison, Contradiction, DeclarationSite, FileOccurrences, Occurrence, Occurrences,
    SourceTree, Target,
};
use crate::graph::{
    CodeGraph, Direction, Edge, ExternalSymbol, Node, Reason, Unresolved, UnresolvedReferences, UnresolvedUse,
};
use crate::link::is_dynamically_typed;

/// Applies occurrences; see the implementation of [`EdgeSource`](super::EdgeSource) for [`Occurrences`].
pub(super) fn apply(occurrences: &Occurrences, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied {
    let files: Vec<(&FileOccurrences, Option<FileId>)> =
        occurrences.files.iter().map(|file| (file, current(tree, file))).collect();
    let stale: FxHashSet<&str> =
        files.iter().filter(|(_, id)| id.is_none()).map(|(file, _)| &*file.path).collect();
    let mut comparer = Comparer {
        project: tree.project,
        graph: &graph,
        provenance: occurrences.provenance,
        declarations: FxHashMap::default(),
        unresolved: unresolved_by_file(tree.project, &graph),
        edits: Edits::default(),
        comparison: Comparison::default(),
    };
    let targets: Vec<Resolved<'_>> =
        occurrences.targets.iter().map(|target| comparer.resolve(target, &stale)).collect();
    for (file, id) in files {
        match id {
            Some(id) => comparer.compare_file(id, file, &targets),
            None => comparer.comparison.stale += file.occurrences.len(),
        }
    }
    let Comparer { edits, mut comparison, .. } = comparer;
    comparison.contradicted.sort_unstable();
    let graph = if edits.is_empty() { graph } else { Arc::new(edits.apply(&graph)) };
    Applied { graph, comparison }
}

/// Returns the file of the project with the text that the occurrences were found in.
fn current(tree: &SourceTree<'_>, file: &FileOccurrences) -> Option<FileId> {
    tree.project.file_at(&file.path).filter(|id| tree.hash(*id) == Some(file.hash))
}

/// Groups unresolved references by file, each with its index among all.
fn unresolved_by_file<'g>(
    project: &Project,
    graph: &'g CodeGraph,
) -> FxHashMap<FileId, Vec<(usize, Unresolved<'g>)>> {
    let mut by_file: FxHashMap<FileId, Vec<_>> = FxHashMap::default();
    for (at, entry) in graph.unresolved_references().iter().enumerate() {
        if let Some(file) = graph.node(entry.source).file(project) {
            by_file.entry(file).or_default().push((at, entry));
        }
    }
    by_file
}

/// Target of occurrences in the graph.
enum Resolved<'o> {
    /// Declarations of one entity, the one that edges lead to first.
    Nodes(Vec<NodeId>),
    External(&'o ExternalSymbol),
    /// The text of the declaring file is another one.
    Stale,
    /// No declaration of the graph: a parameter, a local variable.
    Unknown,
}

/// End of a new edge.
#[derive(Clone, Copy)]
enum NewEnd<'o> {
    Inside(NodeId),
    External(&'o ExternalSymbol),
}

/// Identity of an edge at a line.
type EdgeKey = (NodeId, NodeId, Relation, u32);

fn key(edge: &Edge) -> EdgeKey {
    (edge.source, edge.target, edge.relation, edge.line)
}

/// Comparison in progress.
struct Comparer<'g, 'o> {
    project: &'g Project,
    graph: &'g CodeGraph,
    provenance: Provenance,
    /// Declarations of files by line of the name.
    declarations: FxHashMap<FileId, Vec<(u32, NodeId)>>,
    unresolved: FxHashMap<FileId, Vec<(usize, Unresolved<'g>)>>,
    edits: Edits<'o>,
    comparison: Comparison,
}

impl<'g, 'o> Comparer<'g, 'o> {
    fn resolve(&mut self, target: &'o Target, stale: &FxHashSet<&str>) -> Resolved<'o> {
        let sites = match target {
            Target::External(external) => return Resolved::External(external),
            Target::Declared(sites) => sites,
        };
        if sites.iter().any(|site| stale.contains(&*site.path)) {
            return Resolved::Stale;
        }
        let mut nodes: Vec<NodeId> = sites.iter().filter_map(|site| self.declaration(site)).collect();
        // Signatures without a body stand for the function that has one.
        nodes.sort_by_key(|node| {
            let symbol = self.graph.node(*node).symbol();
            symbol.is_some_and(|it| self.project.symbol_modifiers(it).contains(Modifiers::OVERLOAD))
        });
        if nodes.is_empty() { Resolved::Unknown } else { Resolved::Nodes(nodes) }
    }

    /// Returns the declaration at a site.
    fn declaration(&mut self, site: &DeclarationSite) -> Option<NodeId> {
        let (project, graph) = (self.project, self.graph);
        let file = project.file_at(&site.path)?;
        if site.line == 0 {
            return Some(graph.id(Node::File(file)));
        }
        let declarations = self.declarations.entry(file).or_insert_with(|| {
            let edges = graph.edges_at(graph.id(Node::File(file)), Direction::Outgoing);
            let defined = edges.filter(|edge| edge.relation == Relation::Defines);
            let mut defined: Vec<_> = defined.map(|edge| (edge.line, edge.target)).collect();
            defined.sort_unstable();
            defined
        });
        let start = declarations.partition_point(|(line, _)| *line < site.line);
        let on_line = declarations[start..].iter().take_while(|(line, _)| *line == site.line);
        let mut named = on_line.filter(|(_, node)| {
            graph.node(*node).symbol().is_some_and(|symbol| project.symbol_name(symbol) == &*site.name)
        });
        named.next().map(|(_, node)| *node)
    }

    fn compare_file(&mut self, file: FileId, found: &FileOccurrences, targets: &[Resolved<'o>]) {
        if found.occurrences.is_empty() {
            return;
        }
        let graph = self.graph;
        let sources = [graph.id(Node::File(file))].into_iter().chain(graph.nodes_in_file(self.project, file));
        let edges = sources.flat_map(|node| graph.sites_at(node, Direction::Outgoing));
        let is_use = |edge: &Edge| !edge.relation.is_containment() && edge.relation != Relation::Overrides;
        let mut edges: Vec<Edge> = edges.filter(is_use).collect();
        edges.sort_by_key(|edge| (edge.line, key(edge)));
        let mut unresolved = self.unresolved.remove(&file).unwrap_or_default();
        let used = |entry: &Unresolved<'g>| (entry.line, entry.name.trim_end_matches('!'));
        unresolved.sort_by_key(|(_, entry)| used(entry));
        let facts = OnceCell::new();
        for group in found.occurrences.chunk_by(|a, b| (a.line, &a.name) == (b.line, &b.name)) {
            let Occurrence { line, name, .. } = &group[0];
            let on_line = edges.partition_point(|edge| edge.line < *line)
                ..edges.partition_point(|edge| edge.line <= *line);
            let start = unresolved.partition_point(|(_, entry)| used(entry) < (*line, name));
            let open = unresolved[start..].iter().take_while(|(_, entry)| used(entry) == (*line, name));
            let site = Site {
                file,
                facts: &facts,
                path: &found.path,
                line: *line,
                name,
                edges: &edges[on_line],
                open: open.copied().collect(),
            };
            self.compare_site(&site, group, targets);
        }
    }

    fn compare_site(&mut self, site: &Site<'_, 'g>, group: &[Occurrence], targets: &[Resolved<'o>]) {
        let mut distinct: Vec<u32> = group.iter().map(|it| it.target).collect();
        distinct.dedup();
        let mut found = Vec::with_capacity(distinct.len());
        let mut is_complete = true;
        for target in distinct {
            match targets.get(target as usize) {
                Some(Resolved::Nodes(nodes)) => found.push((NewEnd::Inside(nodes[0]), nodes.as_slice())),
                Some(Resolved::External(external)) => found.push((NewEnd::External(external), &[][..])),
                Some(Resolved::Stale) => {
                    self.comparison.stale += group.iter().filter(|it| it.target == target).count();
                    is_complete = false;
                }
                Some(Resolved::Unknown) | None => {
                    self.comparison.unused += 1;
                    is_complete = false;
                }
            }
        }
        let named: Vec<&Edge> =
            site.edges.iter().filter(|edge| self.is_named(edge.target, site.name)).collect();
        // Other references of this name on the line may have no occurrence, or one of unknown target.
        let is_covered = is_complete && group.len() >= self.reference_count(&named, &site.open);
        let is_meant = |edge: &Edge| {
            found.iter().any(|(end, nodes)| match end {
                NewEnd::Inside(_) => nodes.iter().any(|node| self.is_same(*node, edge.target)),
                NewEnd::External(_) => self.is_external(edge.target),
            })
        };
        let rivals: Vec<Edge> =
            named.iter().copied().filter(|edge| is_covered && !is_meant(edge)).copied().collect();
        let mut open_targets = Vec::new();
        let (mut confirmed, mut is_decided) = (0, false);
        for (end, nodes) in &found {
            let same: Vec<Edge> = match end {
                NewEnd::Inside(_) => {
                    let leads = |edge: &&Edge| nodes.iter().any(|node| self.is_same(*node, edge.target));
                    site.edges.iter().filter(leads).copied().collect()
                }
                NewEnd::External(_) => {
                    named.iter().copied().filter(|edge| self.is_external(edge.target)).copied().collect()
                }
            };
            if same.is_empty() {
                open_targets.push(*end);
            } else {
                self.confirm(&same);
                confirmed += 1;
                is_decided |= same.iter().any(|edge| edge.confidence == Confidence::Ambiguous);
            }
        }
        if is_decided {
            let candidates = rivals.iter().filter(|edge| edge.confidence == Confidence::Ambiguous);
            self.edits.removed.extend(candidates.map(key));
            self.resolve_likelier(site);
        }
        if open_targets.is_empty() {
            return;
        }
        // Keys of objects and the like have targets, but are no references.
        let references = self.facts_of(site).count(site.line, site.name);
        let is_clear = open_targets.len() == 1 || confirmed + open_targets.len() <= references;
        for end in open_targets {
            if confirmed >= references || self.is_also_member(site, end, &rivals) {
                self.comparison.unused += 1;
            } else if rivals.is_empty() {
                self.add(site, end, is_covered && found.len() == 1);
            } else if is_clear {
                self.contradict(site, end, &rivals);
                self.edits.removed.extend(rivals.iter().map(key));
                self.resolve_likelier(site);
            } else {
                self.comparison.unused += 1;
            }
        }
    }

    /// Returns the references and imports of the file of a site. Its facts are decoded for the first site that needs them.
    fn facts_of<'s>(&self, site: &Site<'s, 'g>) -> &'s NamedSites<'g> {
        site.facts.get_or_init(|| NamedSites::new(&self.project.files()[site.file].facts))
    }

    /// Removes the uses of a name that may have had more candidates than the graph has edges.
    fn resolve_likelier(&mut self, site: &Site<'_, '_>) {
        let likelier = site.open.iter().filter(|(_, it)| it.reason == Reason::LikelierOthers);
        self.edits.resolved.extend(likelier.map(|(at, _)| *at));
    }

    /// Records a site with an edge to the target of the source.
    fn confirm(&mut self, same: &[Edge]) {
        let is_decided = same.iter().all(|edge| edge.confidence == Confidence::Ambiguous);
        if is_decided {
            self.comparison.decided += 1;
        } else {
            self.comparison.agreed += 1;
        }
        for edge in same {
            let confidence = self.confidence(edge.relation, edge.target);
            if edge.confidence < confidence {
                self.edits.confirmed.insert(key(edge), (confidence, self.provenance));
            }
        }
    }

    /// Records a site whose edges lead elsewhere.
    fn contradict(&mut self, site: &Site<'_, '_>, end: NewEnd<'o>, rivals: &[Edge]) {
        let label = |node| self.graph.label(self.project, node);
        let mut before: Vec<String> = rivals.iter().map(|edge| label(edge.target)).collect();
        before.sort_unstable();
        before.dedup();
        let after = match end {
            NewEnd::Inside(node) => label(node),
            NewEnd::External(external) => external.name.to_string(),
        };
        self.comparison.contradicted.push(Contradiction {
            path: site.path.into(),
            line: site.line,
            name: site.name.into(),
            relation: rivals[0].relation,
            before,
            after,
        });
        for edge in rivals {
            self.push(edge.source, end, edge.relation, site.line);
        }
    }

    /// Returns true if the name is bound in the scopes of its file, as the edges have it, and the source has a member of a
    /// type: `{ name }` with a member `name` that gets the value of the variable `name`.
    fn is_also_member(&self, site: &Site<'_, 'g>, end: NewEnd<'_>, rivals: &[Edge]) -> bool {
        let NewEnd::Inside(node) = end else { return false };
        let symbol = self.graph.node(node).symbol();
        let is_value = |kind| {
            matches!(
                kind,
                SymbolKind::Field | SymbolKind::Method | SymbolKind::Variable | SymbolKind::Constant
            )
        };
        let member = symbol.filter(|symbol| is_value(self.project.symbol_kind(*symbol)));
        let owner = member.and_then(|symbol| self.project.parent(symbol));
        if !owner.is_some_and(|owner| self.project.symbol_kind(owner).is_type()) {
            return false;
        }
        let bound: Vec<NodeId> = self
            .facts_of(site)
            .bound(site.line, site.name)
            .map(|symbol| self.graph.id(Node::Symbol(self.project.symbol_id(site.file, symbol))))
            .collect();
        !rivals.is_empty()
            && rivals.iter().all(|edge| bound.iter().any(|node| self.is_same(*node, edge.target)))
    }

    /// Records a site without an edge: its references are unresolved, or are known from the facts alone.
    fn add(&mut self, site: &Site<'_, 'g>, end: NewEnd<'o>, is_only: bool) {
        let mut relations: Vec<(NodeId, Relation)> =
            site.open.iter().map(|(_, it)| (it.source, it.relation)).collect();
        relations.sort_unstable();
        relations.dedup();
        if relations.is_empty() {
            let node = |from: Option<_>| match from {
                Some(symbol) => Node::Symbol(self.project.symbol_id(site.file, symbol)),
                None => Node::File(site.file),
            };
            let known = self.facts_of(site).relations(site.line, site.name).into_iter();
            relations = known.map(|(from, relation)| (self.graph.id(node(from)), relation)).collect();
        }
        // With several references and several targets, it is not known which has which.
        if relations.is_empty() || relations.len() > 1 && !is_only {
            self.comparison.unused += 1;
            return;
        }
        self.comparison.added += 1;
        for (source, relation) in relations {
            self.push(source, end, relation, site.line);
        }
        if is_only {
            self.edits.resolved.extend(site.open.iter().map(|(at, _)| *at));
        }
    }

    fn push(&mut self, source: NodeId, end: NewEnd<'o>, relation: Relation, line: u32) {
        let (relation, confidence) = match end {
            NewEnd::Inside(target) => {
                let relation = self.relation_to(relation, target);
                (relation, self.confidence(relation, target))
            }
            NewEnd::External(_) => (relation, Confidence::Exact),
        };
        self.edits.added.push((source, end, relation, line, confidence, self.provenance));
    }

    /// Returns the relation of code to a declaration that it uses, given the relation to another one in its place.
    fn relation_to(&self, relation: Relation, target: NodeId) -> Relation {
        let Some(symbol) = self.graph.node(target).symbol() else { return relation };
        let kind = self.project.symbol_kind(symbol);
        match (relation, kind) {
            (Relation::Calls, _) if kind.is_type() && kind != SymbolKind::Component => Relation::Instantiates,
            (Relation::Instantiates, _) if kind.is_callable() && kind != SymbolKind::Constructor => {
                Relation::Calls
            }
            (Relation::ReadsFrom, SymbolKind::Method) => Relation::References,
            (Relation::References, SymbolKind::Field) => Relation::ReadsFrom,
            (Relation::References | Relation::UsesGlobal, SymbolKind::Constant) => Relation::UsesConstant,
            (Relation::References | Relation::UsesConstant, SymbolKind::Variable) => Relation::UsesGlobal,
            (Relation::UsesConstant, SymbolKind::Constant) | (Relation::UsesGlobal, SymbolKind::Variable) => {
                relation
            }
            (Relation::UsesConstant | Relation::UsesGlobal, _) => Relation::References,
            (other, _) => other,
        }
    }

    /// Returns the confidence of an edge whose target is certain. A variable that is called may hold any function.
    fn confidence(&self, relation: Relation, target: NodeId) -> Confidence {
        let Some(symbol) = self.graph.node(target).symbol() else { return Confidence::Exact };
        let language = self.project.files()[self.project.symbol_file(symbol)].language;
        let kind = self.project.symbol_kind(symbol);
        let is_value = matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field);
        if relation == Relation::Calls && is_value && is_dynamically_typed(language) {
            Confidence::Inferred
        } else {
            Confidence::Exact
        }
    }

    /// Returns the least number of references that these edges and unresolved uses of one name on a line come from.
    fn reference_count(&self, edges: &[&Edge], open: &[(usize, Unresolved<'_>)]) -> usize {
        let is_candidate = |edge: &&&Edge| edge.confidence == Confidence::Ambiguous;
        let mut choices: Vec<(NodeId, Relation)> =
            edges.iter().filter(is_candidate).map(|edge| (edge.source, edge.relation)).collect();
        choices.sort_unstable();
        choices.dedup();
        let mut targets: Vec<NodeId> = Vec::new();
        for edge in edges.iter().filter(|edge| !is_candidate(edge)) {
            if !targets.iter().any(|target| self.is_same(*target, edge.target)) {
                targets.push(edge.target);
            }
        }
        let open = open.iter().filter(|(_, it)| it.reason != Reason::LikelierOthers);
        choices.len() + targets.len() + open.count()
    }

    /// Returns true if a reference with this name may be the origin of an edge to the node.
    fn is_named(&self, node: NodeId, name: &str) -> bool {
        match self.graph.node(node) {
            Node::File(file) => {
                let path = &self.project.files()[file].path;
                let mut segments = path.rsplit('/');
                let stem = segments.next().and_then(|it| it.split('.').next());
                // Files that stand for their directories.
                let is_index = matches!(stem, Some("__init__" | "index" | "lib" | "mod"));
                stem == Some(name) || is_index && segments.next() == Some(name)
            }
            Node::Symbol(symbol) => {
                let is_constructor = self.project.symbol_kind(symbol) == SymbolKind::Constructor;
                let owner = self.project.parent(symbol).filter(|_| is_constructor);
                let is = |symbol| self.project.symbol_name(symbol) == name;
                is(symbol) || owner.is_some_and(is)
            }
            Node::External(at) => {
                let external = &self.graph.externals()[at as usize].name;
                external.rsplit(['.', ':', '/']).next() == Some(name) || last_segment(external) == name
            }
        }
    }

    fn is_external(&self, node: NodeId) -> bool {
        matches!(self.graph.node(node), Node::External(_))
    }

    /// Returns true if both nodes are declarations of one entity: signatures of a function, parts of a type, a class and
    /// its constructor.
    fn is_same(&self, a: NodeId, b: NodeId) -> bool {
        if a == b {
            return true;
        }
        let (Some(a), Some(b)) = (self.graph.node(a).symbol(), self.graph.node(b).symbol()) else {
            return false;
        };
        let project = self.project;
        let constructs = |constructor, class| {
            project.symbol_kind(constructor) == SymbolKind::Constructor
                && project
                    .parent(constructor)
                    .is_some_and(|owner| project.symbol_key(owner) == project.symbol_key(class))
        };
        project.symbol_file(a) == project.symbol_file(b)
            && (project.symbol_name(a) == project.symbol_name(b)
                && project.qualified_name(a) == project.qualified_name(b)
                || constructs(a, b)
                || constructs(b, a))
    }
}

/// Name on a line of a file, with the edges and unresolved uses there.
struct Site<'s, 'g> {
    file: FileId,
    /// References and imports of the file, once they are needed.
    facts: &'s OnceCell<NamedSites<'g>>,
    path: &'s str,
    line: u32,
    name: &'s str,
    /// All edges on the line.
    edges: &'s [Edge],
    /// Unresolved uses of the name, with their indices among all.
    open: Vec<(usize, Unresolved<'g>)>,
}

/// Edge before numbering: source, target, relation, line, confidence, provenance.
type NewEdge<'o> = (NodeId, NewEnd<'o>, Relation, u32, Confidence, Provenance);

/// Changes of a graph.
#[derive(Default)]
struct Edits<'o> {
    removed: FxHashSet<EdgeKey>,
    confirmed: FxHashMap<EdgeKey, (Confidence, Provenance)>,
    added: Vec<NewEdge<'o>>,
    /// Indices of unresolved uses that have an edge now.
    resolved: FxHashSet<usize>,
}

impl Edits<'_> {
    fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.confirmed.is_empty()
            && self.added.is_empty()
            && self.resolved.is_empty()
    }

    /// Returns the changed graph. External symbols without edges are dropped. O(E log E).
    fn apply(mut self, graph: &CodeGraph) -> CodeGraph {
        let mut edges: Vec<Edge> = Vec::with_capacity(graph.edges().len() + self.added.len());
        for mut edge in graph.all_sites() {
            if self.removed.contains(&key(&edge)) {
                continue;
            }
            if let Some(confirmed) = self.confirmed.get(&key(&edge)) {
                (edge.confidence, edge.provenance) = *confirmed;
                edge.candidates = 1;
            }
            edges.push(edge);
        }
        let external = |node| match graph.node(node) {
            Node::External(at) => Some(&graph.externals()[at as usize]),
            Node::File(_) | Node::Symbol(_) => None,
        };
        let mut externals: Vec<&ExternalSymbol> =
            edges.iter().filter_map(|edge| external(edge.target)).collect();
        externals.extend(self.added.iter().filter_map(|(_, end, ..)| match end {
            NewEnd::External(external) => Some(*external),
            NewEnd::Inside(_) => None,
        }));
        externals.sort_unstable();
        externals.dedup();
        let number = |external: &ExternalSymbol| {
            let at = externals.binary_search(&external).expect("all external symbols are listed");
            graph.id(Node::External(at as u32))
        };
        for edge in &mut edges {
            if let Some(external) = external(edge.target) {
                edge.target = number(external);
            }
        }
        let added = mem::take(&mut self.added).into_iter();
        edges.extend(added.map(|(source, end, relation, line, confidence, provenance)| Edge {
            source,
            target: match end {
                NewEnd::Inside(node) => node,
                NewEnd::External(external) => number(external),
            },
            relation,
            line,
            confidence,
            provenance,
            candidates: 1,
        }));
        let unresolved = graph.unresolved_references().iter().enumerate();
        let unresolved: Vec<(&str, UnresolvedUse)> =
            unresolved.filter(|(at, _)| !self.resolved.contains(at)).map(|(_, entry)| entry.into()).collect();
        let externals = externals.into_iter().cloned().collect();
        CodeGraph::of_size(graph.size(), externals, edges, || UnresolvedReferences::new(unresolved))
    }
}
