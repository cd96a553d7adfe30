//! Known and possible uses of a declaration.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sscg_core::{
    Confidence, FileId, FileRole, Modifiers, ModuleSystem, NodeId, Project, Relation, RelationSet, Symbol,
    SymbolId, SymbolKind,
};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge, Node, Reason, Unresolved};
use crate::link::{has_decorators, infers_from_types, is_common_method, is_universal_method, states_types};

/// Uses of a declaration.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Uses {
    /// Known uses, by node and line. Each line occurs once: with its direct use, if any, and its first relation.
    pub known: Vec<UseSite>,
    /// Possible uses, in the same order: unresolved, resolved to several candidates, or inferred by name to refer to
    /// another declaration of the same name.
    pub possible: Vec<UseSite>,
    /// Uses of the name on receivers whose type is not part of the project, or hardly ever: all values or built-in types
    /// have such a member. They mean the declaration only if code from outside returns or holds values of the project.
    pub outside: Vec<UseSite>,
    /// Unresolved uses of the name that cannot refer to the declaration: names of another kind, or members that only
    /// another type has.
    pub excluded: Vec<UseSite>,
    /// Decorators outside of the standard library, in languages where the declaration is handed to them: they may call it,
    /// or register it with what does. Annotations and attributes get no value.
    pub decorators: Vec<NodeId>,
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
    /// Declaration that the code names instead: a method that the requested one overrides, or one that overrides it.
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
/// whose calls are calls of it for code that only sees the base. Unresolved uses of its name are possible if their
/// kind, language and reach permit. O(uses + unresolved uses of the name).
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
    let is_wanted = |relation| relations.contains(relation) && relation != Relation::Overrides;
    let mut known: BTreeMap<(NodeId, u32), UseSite> = BTreeMap::new();
    let mut possible: BTreeMap<(NodeId, u32), UseSite> = BTreeMap::new();
    let family = family(graph, node);
    for target in std::iter::once(node).chain(family.iter().copied()) {
        let through = Some(target).filter(|target| *target != node);
        let sites = graph.sites_at(target, Direction::Incoming).filter(|site| is_wanted(site.relation));
        for site in sites {
            let found = UseSite {
                node: site.source,
                line: site.line,
                relation: site.relation,
                through,
                reason: None,
                confidence: site.confidence,
            };
            let places = if site.confidence == Confidence::Ambiguous { &mut possible } else { &mut known };
            // A direct use precedes one through another declaration, and a call precedes other relations.
            let best = places.entry((site.source, site.line)).or_insert(found);
            if (found.through, found.relation) < (best.through, best.relation) {
                *best = found;
            }
        }
    }
    let (mut outside, mut excluded) = (Vec::new(), Vec::new());
    let mut decorators: Vec<NodeId> = Vec::new();
    if let Node::Symbol(symbol) = graph.node(node) {
        let candidate = Candidate::new(project, graph, node);
        let language = project.files()[project.symbol_file(symbol)].language;
        if has_decorators(language) {
            let outgoing = graph.edges_at(node, Direction::Outgoing);
            let handed = outgoing.filter(|it| it.relation == Relation::Decorates);
            decorators.extend(handed.map(|it| it.target).filter(|it| !graph.is_standard(*it)));
            decorators.sort_unstable();
            decorators.dedup();
        }
        for entry in graph.unresolved(project.symbol_name(symbol)) {
            let Unresolved { source, line, relation, reason, .. } = entry;
            // A name in another language, or outside the reach of a private declaration, is a different name.
            if !is_wanted(relation) || !candidate.may_be_of(project, graph, source) {
                continue;
            }
            let confidence = Confidence::Ambiguous;
            let found =
                UseSite { node: source, line, relation, through: None, reason: Some(reason), confidence };
            let user = graph.node(source).file(project).map(|file| &project.files()[file]);
            let is_typed = user.is_some_and(|user| states_types(user.language, &user.path));
            match candidate.chance(graph, relation, reason, is_typed) {
                Chance::Possible => {
                    possible.entry((source, line)).or_insert(found);
                }
                Chance::Outside => outside.push(found),
                Chance::None => excluded.push(found),
            }
        }
        // A use inferred by name to refer to a declaration of the same name may refer to this one.
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
                    && is_wanted(site.relation)
                    && candidate.may_be_of(project, graph, site.source)
            });
            for Edge { source, line, relation, .. } in inferred {
                let confidence = Confidence::Ambiguous;
                let found = UseSite { node: source, line, relation, through: None, reason: None, confidence };
                possible.entry((source, line)).or_insert(found);
            }
        }
    }
    possible.retain(|place, _| !known.contains_key(place));
    outside.retain(|site| !known.contains_key(&(site.node, site.line)));
    let (known, possible) = (known.into_values().collect(), possible.into_values().collect());
    Ok(Uses { known, possible, outside, excluded, decorators })
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
enum Chance {
    Possible,
    /// Only if code outside of the project passes the declaration on.
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
        // Where modules are not values, only members are called on a value. In ECMAScript, the modules that are values are
        // known, and any other function that becomes a member of an object is held.
        let may_be_on_value = self.is_member || !(self.is_rust || self.is_es);
        let is_possible = match reason {
            Reason::NoMacro | Reason::ManyMacros => is_macro,
            _ if is_macro => false,
            // An assignment to a member replaces a function, unless it is a setter.
            _ if relation == Relation::AssignsTo && self.symbol.kind.is_callable() => {
                self.symbol.modifiers.contains(Modifiers::ACCESSOR)
            }
            // A trait may be implemented for external types, or by a macro. An external type may be an ancestor of the
            // project's types; in ECMAScript, it is mostly an interface that is the type of other values, too.
            Reason::ExternalType
                if self.is_es && (self.is_common || relation != Relation::Calls)
                    || self.is_common && !self.is_rust && !self.extends_outside(graph) =>
            {
                return Chance::Outside;
            }
            Reason::ReceiverType | Reason::NoMember if self.is_universal => return Chance::Outside,
            // With stated types, values of the project's types are mostly known.
            Reason::BuiltInMethod if self.is_universal || is_typed => return Chance::Outside,
            Reason::LikelierOthers if is_typed => self.is_of_held_module,
            Reason::ExternalType => self.is_shared || !self.is_rust && may_be_on_value,
            Reason::NoMember => self.is_member && (self.is_shared || !self.is_rust),
            Reason::ReceiverType | Reason::BuiltInMethod | Reason::ManyMethods => {
                may_be_on_value && !self.is_static
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

    /// Returns true for a member of a type that inherits, directly or not, from one outside of the project.
    fn extends_outside(&self, graph: &CodeGraph) -> bool {
        let mut seen: FxHashSet<NodeId> = self.owner.into_iter().collect();
        let mut next: Vec<NodeId> = self.owner.into_iter().collect();
        while let Some(ty) = next.pop() {
            let bases = graph.edges_at(ty, Direction::Outgoing);
            for base in bases.filter(|it| matches!(it.relation, Relation::Inherits | Relation::Implements)) {
                match graph.node(base.target) {
                    Node::External(_) => return true,
                    _ if seen.insert(base.target) => next.push(base.target),
                    _ => {}
                }
            }
        }
        false
    }
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
    fn functions_of_a_module_that_is_held_may_be_called_on_a_value() {
        let all = "import * as shapes from \"./shapes\";\nconst all = { ...shapes };\nall.circle();\n";
        let shapes = ("shapes.ts", "export function circle() {}\n");
        assert_eq!(uses_of(&[shapes, ("a.ts", all)], "shapes.ts::circle").1, [3]);
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
