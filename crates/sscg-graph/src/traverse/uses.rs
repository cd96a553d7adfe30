//! Known and possible uses of a declaration.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sscg_core::{
    Confidence, FileId, FileRole, Modifiers, ModuleSystem, NodeId, Project, ProjectFile, Relation,
    RelationSet, Symbol, SymbolId, SymbolKind,
};

use super::construction::Construction;
use super::members::type_of;
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge, Node, Reason, Unresolved};
use crate::link::{
    has_decorators, infers_from_types, is_common_method, is_implicit, is_inert, is_universal_method,
    states_types,
};

/// Uses of a declaration.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Uses {
    /// Known uses, by node and line. Each line occurs once: with its direct use, if any, and its first relation.
    pub known: Vec<UseSite>,
    /// Possible uses, in the same order: unresolved, resolved to several candidates, or inferred by name to refer to
    /// another declaration of the same name.
    pub possible: Vec<UseSite>,
    /// Uses of the name on receivers from elsewhere: their type is not part of the project, or hardly ever, as all values or
    /// built-in types have such a member; or, in code that states its types, an unknown type does not come from a file that
    /// the code imports, directly or not, or a member is only read. They mean the declaration only if other code returns
    /// or holds values of its type as those of another type.
    pub outside: Vec<UseSite>,
    /// Unresolved uses of the name that cannot refer to the declaration: names of another kind, or members that only
    /// another type has.
    pub excluded: Vec<UseSite>,
    /// Decorators outside of the standard library, in languages where the declaration is handed to them: they may call it,
    /// or register it with what does. Annotations and attributes get no value.
    pub decorators: Vec<NodeId>,
    /// External types whose code may call it as their member: in Rust, the trait that declares it. Elsewhere, if no call is
    /// known, those that its type inherits from or implements, nearest first, except those that call no members of
    /// subtypes, such as exceptions.
    pub supertypes: Vec<NodeId>,
    /// True if operators, statements or functions of the language call a method of its name: `__iter__`, `toString`.
    pub is_implicit: bool,
    /// Classes whose construction runs the declaration, a constructor: its own, and those that inherit it.
    pub constructed: Vec<NodeId>,
}

/// Line that uses a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct UseSite {
    /// Node that contains the code: a declaration, or a file for its top-level code.
    pub node: NodeId,
    /// Line in the file.
    pub line: u32,
    /// Relation of the code to the declaration.
    pub relation: Relation,
    /// Declaration that the code names instead: a method that the requested one overrides or that overrides it, or a
    /// class whose construction runs the requested constructor.
    pub through: Option<NodeId>,
    /// Reason why the use is unresolved; `None` if it is resolved, to one or several candidates.
    pub reason: Option<Reason>,
    /// Confidence that the use refers to this declaration; ambiguous for all uses that are not known.
    pub confidence: Confidence,
}

impl UseSite {
    /// Creates a resolved use of the declaration itself.
    pub fn new(node: NodeId, line: u32, relation: Relation, confidence: Confidence) -> Self {
        Self { node, line, relation, through: None, reason: None, confidence }
    }

    /// Returns true if the code holds the declaration as a value, for example in a table, an argument or a result. A
    /// function that is held may be called wherever the value gets to.
    pub fn is_held(&self) -> bool {
        matches!(self.relation, Relation::References | Relation::UsesDefault)
    }
}

/// Finds every use of a declaration, of the methods that it overrides, whose calls may run it, and of its overrides,
/// whose calls are calls of it for code that only sees the base. What constructs a class uses its constructor; with
/// several, it may. Unresolved uses of its name are possible if their kind, language and reach permit.
/// O(uses + unresolved uses of the name), for a constructor also those of the classes that run it.
///
/// # Errors
/// Returns an error if the node is not in the graph.
pub fn uses(
    project: &Project,
    graph: &CodeGraph,
    node: NodeId,
    relations: RelationSet,
) -> Result<Uses, UnknownNode> {
    graph.known(node)?;
    let mut search =
        Search { project, graph, found: Uses::default(), known: Places::new(), possible: Places::new() };
    let relations = relations.without(Relation::Overrides);
    let family = family(graph, node);
    search.resolved(node, None, relations, false);
    for relative in family.iter().copied() {
        search.resolved(relative, Some(relative), relations, false);
    }
    if let Node::Symbol(symbol) = graph.node(node) {
        search.unresolved(node, None, relations, &family);
        if project.symbol_kind(symbol) == SymbolKind::Constructor {
            let construction = Construction { project, graph, min_confidence: Confidence::Ambiguous };
            let relations = CONSTRUCTIONS.and(relations);
            let is_overloaded = construction.is_overloaded(symbol);
            search.found.constructed = construction.constructed(symbol);
            for class in search.found.constructed.clone() {
                search.resolved(class, Some(class), relations, is_overloaded);
                search.unresolved(class, Some(class), relations, &[]);
            }
        }
        search.outside_callers(symbol);
    }
    Ok(search.finish())
}

/// Relations of code to a class that run its constructor, or hold the class as a value.
const CONSTRUCTIONS: RelationSet = RelationSet::CALLS
    .with(Relation::Raises)
    .with(Relation::Decorates)
    .with(Relation::References)
    .with(Relation::UsesDefault);

/// Uses by code and line.
type Places = BTreeMap<(NodeId, u32), UseSite>;

/// Search for the uses of a declaration.
struct Search<'g> {
    project: &'g Project,
    graph: &'g CodeGraph,
    found: Uses,
    known: Places,
    possible: Places,
}

impl Search<'_> {
    /// Adds the resolved uses of a node, as uses `through` it, if it is not the requested one.
    fn resolved(
        &mut self,
        node: NodeId,
        through: Option<NodeId>,
        relations: RelationSet,
        is_ambiguous: bool,
    ) {
        let sites = self.graph.sites_at(node, Direction::Incoming);
        for site in sites.filter(|site| relations.contains(site.relation)) {
            let confidence = if is_ambiguous { Confidence::Ambiguous } else { site.confidence };
            let found =
                UseSite { through, ..UseSite::new(site.source, site.line, site.relation, confidence) };
            let places =
                if confidence == Confidence::Ambiguous { &mut self.possible } else { &mut self.known };
            // A direct use precedes one through another declaration, and a call precedes other relations.
            let best = places.entry((site.source, site.line)).or_insert(found);
            if (found.through, found.relation) < (best.through, best.relation) {
                *best = found;
            }
        }
    }

    /// Adds the uses of a declaration's name that may refer to it although no rule says so, as uses `through` it, if it
    /// is not the requested one. A use that means a declaration of the `family` means none of the same name.
    fn unresolved(
        &mut self,
        node: NodeId,
        through: Option<NodeId>,
        relations: RelationSet,
        family: &[NodeId],
    ) {
        let (project, graph) = (self.project, self.graph);
        let Node::Symbol(symbol) = graph.node(node) else { return };
        let candidate = Candidate::new(project, graph, node);
        let mut importers: Option<FxHashSet<FileId>> = None;
        for entry in graph.unresolved(project.symbol_name(symbol)) {
            let Unresolved { source, line, relation, reason, .. } = entry;
            // A name in another language, or outside the reach of a private declaration, is a different name.
            if !relations.contains(relation) || !candidate.may_be_of(project, graph, source) {
                continue;
            }
            let found = UseSite {
                through,
                reason: Some(reason),
                ..UseSite::new(source, line, relation, Confidence::Ambiguous)
            };
            let Some(user) = graph.node(source).file(project) else { continue };
            let ProjectFile { language, path, .. } = &project.files()[user];
            let is_typed = states_types(*language, path);
            let mut chance = candidate.chance(graph, relation, reason, is_typed);
            if chance == Chance::Possible && is_typed && candidate.is_on_value(reason) {
                let declared =
                    || family.iter().copied().chain([node]).filter_map(|it| graph.node(it).symbol());
                let importers = importers.get_or_insert_with(|| importers_of(project, graph, declared()));
                let is_called = RelationSet::CALLS.contains(relation) || relation == Relation::AssignsTo;
                if !is_called || !importers.contains(&user) {
                    chance = Chance::Outside;
                }
            }
            match chance {
                Chance::Possible => {
                    self.possible.entry((source, line)).or_insert(found);
                }
                // The name of a class says nothing about the name of its constructor.
                _ if through.is_some() => {}
                Chance::Outside => self.found.outside.push(found),
                Chance::None => self.found.excluded.push(found),
            }
        }
        self.add_namesakes(symbol, &candidate, through, relations, family);
    }

    /// Adds the uses that are inferred by name to refer to another declaration of the same name: they may refer to this
    /// one.
    fn add_namesakes(
        &mut self,
        symbol: SymbolId,
        candidate: &Candidate<'_>,
        through: Option<NodeId>,
        relations: RelationSet,
        family: &[NodeId],
    ) {
        let (project, graph) = (self.project, self.graph);
        let node = graph.id(Node::Symbol(symbol));
        let language = project.files()[project.symbol_file(symbol)].language;
        let namesakes =
            project.definitions_named(project.symbol_name(symbol)).map(|it| graph.id(Node::Symbol(it)));
        let namesakes = namesakes
            .filter(|it| !infers_from_types(language) && *it != node && !family.contains(it))
            .filter(|it| {
                !candidate.is_static || !candidate.is_of_other_type(&Candidate::new(project, graph, *it))
            });
        for namesake in namesakes {
            let inferred = graph.sites_at(namesake, Direction::Incoming).filter(|site| {
                site.confidence == Confidence::Inferred
                    && relations.contains(site.relation)
                    && candidate.may_be_of(project, graph, site.source)
            });
            for Edge { source, line, relation, .. } in inferred {
                let found =
                    UseSite { through, ..UseSite::new(source, line, relation, Confidence::Ambiguous) };
                self.possible.entry((source, line)).or_insert(found);
            }
        }
    }

    /// Finds what may call a declaration from outside of the project.
    fn outside_callers(&mut self, symbol: SymbolId) {
        let (project, graph) = (self.project, self.graph);
        let node = graph.id(Node::Symbol(symbol));
        let language = project.files()[project.symbol_file(symbol)].language;
        if has_decorators(language) {
            let outgoing = graph.edges_at(node, Direction::Outgoing);
            let handed = outgoing.filter(|it| it.relation == Relation::Decorates).map(|it| it.target);
            self.found.decorators.extend(handed.filter(|it| !graph.is_standard(*it)));
            self.found.decorators.sort_unstable();
            self.found.decorators.dedup();
        }
        let candidate = Candidate::new(project, graph, node);
        let kind = project.symbol_kind(symbol);
        if !candidate.is_member || !kind.is_callable() || kind == SymbolKind::Constructor {
            return;
        }
        self.found.is_implicit = is_implicit(language, project.symbol_name(symbol));
        if candidate.is_rust {
            self.found.supertypes.extend(candidate.external_trait(project, graph));
        } else if self.known.values().all(UseSite::is_held) {
            self.found.supertypes = candidate.external_supertypes(graph);
            self.found.supertypes.retain(|ty| !is_inert(language, &graph.label(project, *ty)));
        }
    }

    fn finish(mut self) -> Uses {
        self.possible.retain(|place, _| !self.known.contains_key(place));
        self.found.outside.retain(|site| !self.known.contains_key(&(site.node, site.line)));
        self.found.known = self.known.into_values().collect();
        self.found.possible = self.possible.into_values().collect();
        self.found
    }
}

/// Returns the methods that a method overrides and those that override it, directly or not.
fn family(graph: &CodeGraph, node: NodeId) -> Vec<NodeId> {
    let mut family: Vec<NodeId> = Vec::new();
    let mut seen = FxHashSet::from_iter([node]);
    for direction in [Direction::Outgoing, Direction::Incoming] {
        let mut next = vec![node];
        while let Some(node) = next.pop() {
            for edge in graph.edges_at(node, direction).filter(|edge| edge.relation == Relation::Overrides) {
                let end = if direction == Direction::Outgoing { edge.target } else { edge.source };
                if matches!(graph.node(end), Node::Symbol(_)) && seen.insert(end) {
                    family.push(end);
                    next.push(end);
                }
            }
        }
    }
    family
}

/// Returns true if the code of a node may use a declaration: it is in the same language and, for a private declaration,
/// within reach.
///
/// # Panics
/// Panics if `declaration` is not a declaration, or if the graph is not of this project.
pub fn may_use(project: &Project, graph: &CodeGraph, declaration: NodeId, user: NodeId) -> bool {
    Candidate::new(project, graph, declaration).may_be_of(project, graph, user)
}

/// Declaration that a name may refer to.
struct Candidate<'p> {
    symbol: &'p Symbol,
    path: &'p str,
    family: &'static str,
    is_rust: bool,
    is_es: bool,
    is_member: bool,
    /// True if it is exported by a module that is a value, of which it is a member.
    is_of_held_module: bool,
    /// True for a member that values of other types may have: of a trait, or of its implementation for types outside
    /// of the project or for any type.
    is_shared: bool,
    /// True for a member that is not called on a value.
    is_static: bool,
    /// Type or block that it is a member of.
    owner: Option<NodeId>,
    /// Name of that type.
    owner_name: &'p str,
    /// True if members of built-in types have the name, too.
    is_common: bool,
    /// True if all values have a member of the name.
    is_universal: bool,
    /// Directory outside of which no other file can refer to it, or its own file; `None` if it is visible everywhere.
    reach: Option<String>,
    /// True for code that only test builds have.
    is_test: bool,
}

/// Chance that an unresolved use of a name refers to a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chance {
    Possible,
    /// Only if other code passes the declaration on as something else.
    Outside,
    None,
}

impl<'p> Candidate<'p> {
    fn new(project: &'p Project, graph: &CodeGraph, node: NodeId) -> Self {
        let Node::Symbol(symbol_id) = graph.node(node) else { unreachable!("it is a declaration") };
        let (file, local) = project.local_symbol(symbol_id);
        let entry = &project.files()[file];
        let symbol = &entry.facts.symbols[local];
        let is_rust = entry.language.modules == ModuleSystem::RustCrates;
        let is_es = entry.language.modules == ModuleSystem::EsModules;
        let parent = symbol.parent.map(|parent| &entry.facts.symbols[parent]);
        // Objects have members, too, and so do modules that are values.
        let is_of_held_module =
            is_es && symbol.parent.is_none() && symbol.exported && is_of_held_module(graph, file, node);
        let is_member = is_of_held_module
            || is_es && matches!(symbol.kind, SymbolKind::Method | SymbolKind::Field)
            || parent.is_some_and(|parent| parent.kind.has_members() && parent.kind != SymbolKind::Module);
        let path = &*entry.path;
        let family = entry.language.family;
        // A trait method can be called wherever the trait is visible, whatever its own visibility.
        let is_of_trait = parent.is_some_and(|parent| {
            parent.kind == SymbolKind::Trait
                || parent.kind == SymbolKind::Impl && parent.signature.contains(" for ")
        });
        let is_private = is_rust && !symbol.exported && !is_of_trait;
        let separate = separate_crates(path).filter(|_| is_rust);
        let reach = if is_private {
            Some(module_directory(path))
        } else if is_es && symbol.modifiers.contains(Modifiers::PRIVATE) {
            Some(path.to_owned())
        } else {
            separate.map(|dir| format!("{dir}/"))
        };
        let is_test = is_rust && is_in_test(project, symbol_id);
        let owner_name = parent.map_or("", |parent| &*parent.name);
        let owner = project.parent(symbol_id).filter(|_| is_member);
        let owner = owner.map(|owner| graph.id(Node::Symbol(owner)));
        let is_block = parent.is_some_and(|parent| parent.kind == SymbolKind::Impl);
        let is_of_own_type =
            is_block && owner.is_some_and(|owner| is_block_of_own_type(project, graph, owner, owner_name));
        let is_shared = is_of_trait && !is_of_own_type;
        let is_static = is_rust && symbol.modifiers.contains(Modifiers::STATIC);
        let is_common = is_common_method(entry.language, &symbol.name);
        let is_universal = is_universal_method(entry.language, &symbol.name);
        Self {
            symbol,
            path,
            family,
            is_rust,
            is_es,
            is_member,
            is_of_held_module,
            is_shared,
            is_static,
            owner,
            owner_name,
            is_common,
            is_universal,
            reach,
            is_test,
        }
    }

    /// Returns true if the code of a node may use the declaration: it is in the same language and within reach.
    fn may_be_of(&self, project: &Project, graph: &CodeGraph, source: NodeId) -> bool {
        let node = graph.node(source);
        let Some(file) = node.file(project) else { return false };
        let source = &project.files()[file];
        let is_test = || match node {
            Node::Symbol(symbol) => {
                // A whole file may be a module of tests.
                let is_file = FileRole::of(&source.path) == FileRole::Test;
                is_in_test(project, symbol) || is_file && separate_crates(&source.path).is_none()
            }
            _ => true,
        };
        if self.is_test && separate_crates(self.path).is_none() && !is_test() {
            return false;
        }
        let is_near = |reach: &String| *source.path == *self.path || source.path.starts_with(&**reach);
        source.language.family == self.family && self.reach.as_ref().is_none_or(is_near)
    }

    /// Returns true if both are functions without a receiver, of different types: a call of such a function names the
    /// type.
    fn is_of_other_type(&self, other: &Self) -> bool {
        let is_of_type = |it: &Self| it.is_static && it.is_member && !it.is_shared;
        is_of_type(self) && is_of_type(other) && self.owner_name != other.owner_name
    }

    /// Returns the chance that a use of the name that is unresolved for this reason refers to the declaration.
    /// `is_typed` is true if the code that uses the name states the types of its values.
    fn chance(&self, graph: &CodeGraph, relation: Relation, reason: Reason, is_typed: bool) -> Chance {
        let is_macro = self.symbol.kind == SymbolKind::Macro;
        // A trait may be implemented for external types, or by a macro.
        let may_be_of_any_type = self.is_shared || !self.is_rust;
        let is_possible = match reason {
            Reason::NoMacro | Reason::ManyMacros => is_macro,
            _ if is_macro => false,
            // An assignment to a member replaces a function, unless it is a setter.
            _ if relation == Relation::AssignsTo && self.symbol.kind.is_callable() => {
                self.symbol.modifiers.contains(Modifiers::ACCESSOR)
            }
            _ if self.is_on_outside_value(graph, relation, reason, is_typed) => return Chance::Outside,
            Reason::LikelierOthers if is_typed => self.is_of_held_module,
            Reason::ExternalType => may_be_of_any_type && self.may_be_on_value(),
            Reason::NoMember => may_be_of_any_type && self.is_member,
            Reason::ReceiverType | Reason::BuiltInMethod | Reason::ManyMethods => {
                self.may_be_on_value() && !self.is_static
            }
            Reason::OutsideSelf | Reason::HeldValue => self.is_member,
            Reason::NotDefined
            | Reason::NoModule
            | Reason::NotInModule
            | Reason::LikelierOthers
            | Reason::TooDeep => true,
        };
        if is_possible { Chance::Possible } else { Chance::None }
    }

    /// Returns true if a use that is unresolved for this reason is most likely one of a value from outside of the project.
    fn is_on_outside_value(
        &self,
        graph: &CodeGraph,
        relation: Relation,
        reason: Reason,
        is_typed: bool,
    ) -> bool {
        match reason {
            // An external type may be an ancestor of the project's types; in ECMAScript, it is mostly an interface that is
            // the type of other values, too.
            Reason::ExternalType => {
                self.is_es && (self.is_common || relation != Relation::Calls)
                    || self.is_common && !self.is_rust && self.external_supertypes(graph).is_empty()
            }
            Reason::ReceiverType | Reason::NoMember => self.is_universal,
            // With stated types, values of the project's types are mostly known.
            Reason::BuiltInMethod => self.is_universal || is_typed,
            _ => false,
        }
    }

    /// Returns true if the declaration may be called on a value. Where modules are not values, only members are. In
    /// ECMAScript, the modules that are values are known, and any other function that becomes a member of an object is
    /// held.
    fn may_be_on_value(&self) -> bool {
        self.is_member || !(self.is_rust || self.is_es)
    }

    /// Returns true if a use that is unresolved for this reason names a member of a value.
    fn is_on_value(&self, reason: Reason) -> bool {
        self.is_member
            && matches!(
                reason,
                Reason::ReceiverType
                    | Reason::NoMember
                    | Reason::ManyMethods
                    | Reason::ExternalType
                    | Reason::TooDeep
            )
    }

    /// Returns the types outside of the project that the type of a member inherits from or implements, nearest first.
    fn external_supertypes(&self, graph: &CodeGraph) -> Vec<NodeId> {
        let mut lineage: Vec<NodeId> = self.owner.into_iter().collect();
        let mut external = Vec::new();
        let mut at = 0;
        while let Some(&ty) = lineage.get(at) {
            at += 1;
            for base in graph.edges_at(ty, Direction::Outgoing) {
                if !matches!(base.relation, Relation::Inherits | Relation::Implements) {
                    continue;
                }
                let is_external = matches!(graph.node(base.target), Node::External(_));
                let seen = if is_external { &mut external } else { &mut lineage };
                if !seen.contains(&base.target) {
                    seen.push(base.target);
                }
            }
        }
        external
    }

    /// Returns the trait outside of the project whose member the block of a Rust function implements.
    fn external_trait(&self, project: &Project, graph: &CodeGraph) -> Option<NodeId> {
        let block = self.owner?;
        let lines = project.symbol(graph.node(block).symbol()?).lines;
        // The edge starts at the block or, in the same file, at its type.
        let sources = [Some(block), type_of(project, graph, block)].into_iter().flatten();
        let sites = sources.flat_map(|source| graph.sites_at(source, Direction::Outgoing));
        let mut traits = sites
            .filter(|site| {
                site.relation == Relation::Implements && (lines.start..=lines.end).contains(&site.line)
            })
            .filter(|site| graph.node(site.source).file(project) == graph.node(block).file(project));
        traits.find(|site| matches!(graph.node(site.target), Node::External(_))).map(|site| site.target)
    }
}

/// Returns the files of declarations and those that import one of these, directly or not. A script declares for all files.
fn importers_of(
    project: &Project,
    graph: &CodeGraph,
    declarations: impl Iterator<Item = SymbolId>,
) -> FxHashSet<FileId> {
    let mut importers: FxHashSet<FileId> = declarations.map(|it| project.symbol_file(it)).collect();
    let is_script = |file: &FileId| {
        let facts = &project.files()[*file].facts;
        facts.imports.is_empty() && !facts.symbols.iter().any(|symbol| symbol.exported)
    };
    if importers.iter().any(is_script) {
        return project.files().ids().collect();
    }
    let mut next: Vec<FileId> = importers.iter().copied().collect();
    while let Some(file) = next.pop() {
        let symbols = project.files()[file].facts.outline().symbols().ids();
        let symbols = symbols.map(|local| Node::Symbol(project.symbol_id(file, local)));
        for node in symbols.chain([Node::File(file)]) {
            for edge in graph.edges_at(graph.id(node), Direction::Incoming) {
                let user =
                    graph.node(edge.source).file(project).filter(|_| edge.relation == Relation::Imports);
                if let Some(user) = user.filter(|user| importers.insert(*user)) {
                    next.push(user);
                }
            }
        }
    }
    importers
}

/// Returns true if code holds the module of a declaration as a value, or one that exports it again: `{ ...module }`.
fn is_of_held_module(graph: &CodeGraph, file: FileId, declaration: NodeId) -> bool {
    let is_held = |module| {
        let mut uses = graph.edges_at(module, Direction::Incoming);
        uses.any(|it| matches!(it.relation, Relation::References | Relation::UsesDefault))
    };
    let module = graph.id(Node::File(file));
    let imports = [module, declaration].into_iter().flat_map(|it| graph.edges_at(it, Direction::Incoming));
    let mut importing = imports.filter(|it| it.relation == Relation::Imports).map(|it| it.source);
    is_held(module) || importing.any(|it| matches!(graph.node(it), Node::File(_)) && is_held(it))
}

/// Returns true if a declaration, or one around it, is only part of test builds.
fn is_in_test(project: &Project, symbol: SymbolId) -> bool {
    project.self_and_ancestors(symbol).any(|it| project.symbol(it).modifiers.contains(Modifiers::TEST))
}

/// Returns true for an implementation block of a type of this name in the project.
fn is_block_of_own_type(project: &Project, graph: &CodeGraph, block: NodeId, name: &str) -> bool {
    let mut types =
        graph.edges_at(block, Direction::Outgoing).filter(|it| it.relation == Relation::References);
    types.any(|it| matches!(graph.node(it.target), Node::Symbol(ty) if project.symbol_name(ty) == name))
}

/// Returns the directory of benchmarks, examples or integration tests that holds a Rust file: no code of the package
/// outside of it sees what they declare.
fn separate_crates(path: &str) -> Option<&str> {
    let is_inside_source = |path: &str| path.split('/').any(|part| part == "src");
    let mut dirs = path.match_indices('/').map(|(at, _)| &path[..at]);
    dirs.find(|dir| {
        let name = dir.rsplit('/').next().unwrap_or(dir);
        // A package of its own has a directory for its sources, and others may use it.
        matches!(name, "benches" | "examples" | "tests") && !is_inside_source(path)
    })
}

/// Returns the directory of the child modules of a Rust file.
fn module_directory(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').map_or(("", path), |(directory, name)| (directory, name));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => format!("{directory}/"),
        _ => format!("{}/", path.trim_end_matches(".rs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;
    use crate::testing::project;

    /// Returns the lines of the known and of the possible uses of a declaration, and the number of excluded ones.
    fn uses_of(files: &[(&str, &str)], key: &str) -> (Vec<u32>, Vec<u32>, usize) {
        let project = project(files);
        let graph = link(&project);
        let symbol = project.symbols_with_key(key)[0];
        let found = uses(&project, &graph, graph.id(Node::Symbol(symbol)), RelationSet::CODE).unwrap();
        let lines = |sites: &[UseSite]| sites.iter().map(|site| site.line).collect::<Vec<_>>();
        (lines(&found.known), lines(&found.possible), found.excluded.len())
    }

    #[test]
    fn every_line_of_a_caller_is_told() {
        let text = "def f():\n    pass\n\ndef g():\n    f()\n    f()\n    f()\n\nf()\nf()\n";
        assert_eq!(uses_of(&[("a.py", text)], "a.py::f"), (vec![9, 10, 5, 6, 7], vec![], 0));
    }

    #[test]
    fn calls_through_a_trait_count_for_what_implements_it_and_the_other_way() {
        let text = "pub trait Store {\n    fn claim(&self);\n}\npub struct Disk;\nimpl Store for Disk {\n    fn claim(&self) {}\n}\n\
                    fn all(stores: &[Box<dyn Store>], disk: &Disk) {\n    for store in stores {\n        store.claim();\n    }\n    \
                    disk.claim();\n}\n";
        let files = [("src/lib.rs", text)];
        assert_eq!(uses_of(&files, "src/lib.rs::Store.claim").0, [10, 12]);
        assert_eq!(uses_of(&files, "src/lib.rs::Disk.claim").0, [10, 12]);
    }

    #[test]
    fn what_no_rule_resolves_is_possible_if_it_may_be_meant() {
        let text = "class A:\n    def grow(self):\n        pass\n\nclass B:\n    def grow(self):\n        pass\n\n\
                    def f(x):\n    x.grow()\n";
        let (known, possible, excluded) = uses_of(&[("a.py", text)], "a.py::A.grow");
        assert_eq!((known, possible, excluded), (vec![], vec![10], 0));
    }

    #[test]
    fn in_typescript_a_call_on_an_unknown_value_may_mean_members_that_it_reaches() {
        let text = "export function get() {}\nclass A {\n  get() {}\n  toString() {}\n}\nclass B {\n  private get() {}\n}\n";
        let other = "export function f(x) {\n  x.get();\n  x.toString();\n}\n";
        let possible = |key| uses_of(&[("a.ts", text), ("b.js", other)], key).1;
        assert_eq!(possible("a.ts::A.get"), [2]);
        for key in ["a.ts::get", "a.ts::B.get", "a.ts::A.toString"] {
            assert!(possible(key).is_empty(), "{key}");
        }
    }

    #[test]
    fn in_typed_code_members_on_unknown_values_come_from_imported_files() {
        let class = "export class Store extends Base {\n  merge() {}\n  load() {}\n  get ready() {\n    return true;\n  }\n}\n\
                     export class Other {\n  merge() {}\n}\nexport class Base {}\n";
        let user = "export function f(x: any) {\n  x.load();\n  x.merge();\n}\n";
        let files = [
            ("store.ts", class),
            ("index.ts", "export * from \"./store\";\n"),
            (
                "near.ts",
                &format!(
                    "import {{ Store, Base }} from \"./index\";\n{user}\
                export const g = (x: Base) => x.ready;\n"
                ),
            ),
            ("far.ts", user),
        ];
        let project = project(&files);
        let graph = link(&project);
        let found = |key: &str| {
            let symbol = graph.id(Node::Symbol(project.symbols_with_key(key)[0]));
            let found = uses(&project, &graph, symbol, RelationSet::CODE).unwrap();
            let lines = |sites: &[UseSite]| sites.iter().map(|site| site.line).collect::<Vec<_>>();
            (lines(&found.known), lines(&found.possible), lines(&found.outside))
        };
        // Of imported files, only one method has the name.
        assert_eq!(found("store.ts::Store.load"), (vec![3], vec![], vec![2]));
        assert_eq!(found("store.ts::Store.merge"), (vec![], vec![4], vec![3]));
        assert_eq!(found("store.ts::Store.ready"), (vec![], vec![], vec![6]));
    }

    #[test]
    fn functions_of_a_module_that_is_held_may_be_called_on_a_value() {
        let copied = "import * as shapes from \"./shapes\";\nconst all = { ...shapes };\nall.circle();\n";
        let all = "import * as shapes from \"./shapes\";\nconst all = frozen(shapes);\nall.circle();\n";
        let shapes = ("shapes.ts", "export function circle() {}\n");
        assert_eq!(uses_of(&[shapes, ("a.ts", all)], "shapes.ts::circle").1, [3]);
        assert_eq!(uses_of(&[shapes, ("a.ts", copied)], "shapes.ts::circle").0, [3]);
        let one = "import * as shapes from \"./shapes\";\nshapes.circle();\n\
                   function f(x) {\n  x.circle();\n}\n";
        assert_eq!(uses_of(&[shapes, ("a.ts", one)], "shapes.ts::circle"), (vec![2], vec![], 1));
    }

    #[test]
    fn a_use_inferred_from_types_means_no_namesake() {
        let text = "class A {\n  run() {}\n}\nclass B {\n  run() {}\n}\n\
                    function f(all: A[]) {\n  for (const it of all) {\n    it.run();\n  }\n}\n";
        assert_eq!(uses_of(&[("a.ts", text)], "a.ts::A.run"), (vec![9], vec![], 0));
        assert_eq!(uses_of(&[("a.ts", text)], "a.ts::B.run"), (vec![], vec![], 0));
    }

    #[test]
    fn what_constructs_a_class_uses_its_constructor() {
        let text = "class A:\n    def __init__(self):\n        pass\n\nclass B(A):\n    pass\n\nclass C(A):\n    \
                    def __init__(self):\n        pass\n\nA()\nB()\nC()\nf(B)\n";
        let (known, possible, _) = uses_of(&[("a.py", text)], "a.py::A.__init__");
        assert_eq!((known, possible), (vec![12, 13, 15], vec![]));
        assert_eq!(uses_of(&[("a.py", text)], "a.py::C.__init__").0, [14]);
        let overloaded = "class A {\n  A() {}\n  A(int x) {}\n}\nclass B {\n  void f(Object x) {\n    new A(1);\n    new A(g(x), x, x);\n  }\n}\n";
        let (known, possible, _) = uses_of(&[("a.java", overloaded)], "a.java::A.A");
        assert_eq!((known, possible), (vec![], vec![7, 8]));
    }

    #[test]
    fn code_outside_calls_members_of_its_own_types() {
        let outside = |path: &str, text: &str, key: &str| {
            let project = project(&[(path, text)]);
            let graph = link(&project);
            let symbol = graph.id(Node::Symbol(project.symbols_with_key(key)[0]));
            let found = uses(&project, &graph, symbol, RelationSet::CODE).unwrap();
            let labels = found.supertypes.iter().map(|it| graph.label(&project, *it)).collect::<Vec<_>>();
            (labels.join(" "), found.is_implicit)
        };
        let text = "import threading\nclass E(ValueError):\n    def why(self):\n        pass\n\n\
                    class W(threading.Thread):\n    def run(self):\n        self.step()\n    def step(self):\n        pass\n    \
                    def __len__(self):\n        return 1\n";
        assert_eq!(outside("a.py", text, "a.py::W.run"), ("threading.Thread".to_owned(), false));
        assert_eq!(outside("a.py", text, "a.py::W.step"), (String::new(), false));
        assert_eq!(outside("a.py", text, "a.py::E.why"), (String::new(), false));
        assert!(outside("a.py", text, "a.py::W.__len__").1);
        let text = "use std::fmt::{Display, Debug};\nstruct S;\nimpl Display for S {\n    fn fmt(&self) {}\n}\n\
                    impl S {\n    fn own(&self) {}\n}\n";
        assert_eq!(outside("a.rs", text, "a.rs::S.fmt"), ("std::fmt::Display".to_owned(), false));
        assert_eq!(outside("a.rs", text, "a.rs::S.own"), (String::new(), false));
    }

    #[test]
    fn what_is_private_is_used_nearby_alone() {
        assert_eq!(module_directory("src/lib.rs"), "src/");
        assert_eq!(module_directory("src/net/mod.rs"), "src/net/");
        assert_eq!(module_directory("src/net.rs"), "src/net/");
    }

    #[test]
    fn tests_and_benchmarks_are_used_among_themselves() {
        assert_eq!(separate_crates("a/benches/read.rs"), Some("a/benches"));
        assert_eq!(separate_crates("src/tests/read.rs"), None);
        assert_eq!(separate_crates("tests/support/src/lib.rs"), None);
        let call = "    let reader = make();\n    reader.fill();\n}\n";
        let mock = "struct Mock;\nimpl Mock {\n    pub fn fill(&self) {}\n}\nfn g() {\n";
        let lib = format!("pub fn f() {{\n{call}#[cfg(test)]\nmod tests {{\n{mock}{call}}}\n");
        let bench = format!("{mock}{call}");
        let files = [("src/lib.rs", &*lib), ("benches/read.rs", &*bench)];
        assert_eq!(uses_of(&files, "src/lib.rs::tests.Mock.fill"), (vec![], vec![13], 0));
        assert_eq!(uses_of(&files, "benches/read.rs::Mock.fill"), (vec![], vec![7], 0));
    }
}
