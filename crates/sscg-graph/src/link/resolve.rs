//! What a name means, across files.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    Confidence, FileId, Head, ImportKind, LocalImport, LocalSymbol, Modifiers, NameRef, Project, Reference,
    Relation, Symbol, SymbolId, SymbolKind, TypeHint,
};

use super::modules::{self, Context, ModuleTarget, Modules};
use super::self_and_ancestors;
use super::tables::{Scope, Tables};
use crate::graph::{Boundary, Node, Origin};

/// What became of a name.
pub(super) enum Outcome {
    /// Targets in the project; several only if ambiguous.
    Nodes(Vec<Node>, Confidence),
    /// Something outside the project.
    Outside(Boundary),
    /// Nothing the rules know; goes to the ledger.
    Unresolved(&'static str),
    /// Nothing worth recording: a local value, a type parameter.
    Nothing,
}

/// What a path denotes so far.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    Symbols(Vec<SymbolId>),
    Scope(Scope),
    Outside(String, Origin),
}

/// Why a path denotes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// The receiver's type is not written in the text.
    ReceiverType,
    /// The receiver's type is not part of the project.
    OutsideType,
    /// A local value or type parameter, which is no node of the graph.
    Local,
    /// With the reason for the ledger.
    Because(&'static str),
}

const NOT_DEFINED: Missing = Missing::Because("not defined or imported in its file");
const NO_MODULE: Missing = Missing::Because("module not found in the project");
const NOT_IN_MODULE: Missing = Missing::Because("not found in the module it is imported from");
const NO_MEMBER: Missing = Missing::Because("no such member in the project's part of the type");
const OUTSIDE_SELF: Missing = Missing::Because("the enclosing type is not part of the project");
const OUTSIDE_TYPE: &str = "the receiver's type is not part of the project";
const TOO_DEEP: Missing = Missing::Because("too many steps");

/// How many re-exports, aliases and hints are followed for one name.
const DEPTH: u32 = 24;

/// How many same-named methods may be candidates for a receiver of unknown type.
const MAX_CANDIDATES: usize = 5;

/// The tables of a project with the type relations that member lookup needs.
pub(super) struct Linker<'a> {
    context: Context<'a>,
    /// The type of each implementation block, where that is part of the project.
    impl_types: FxHashMap<SymbolId, SymbolId>,
    /// The implementation blocks of each type.
    impls: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// Implementation blocks that implement a trait, whoever's it is.
    trait_impls: FxHashSet<SymbolId>,
    /// What each type that extends or implements something inherits from, nearest first.
    lineages: FxHashMap<SymbolId, Vec<Ancestor>>,
    /// The files each file imports from.
    imported: FxHashMap<FileId, FxHashSet<FileId>>,
}

/// A type whose members another one has.
#[derive(Clone, Copy)]
struct Ancestor {
    ty: SymbolId,
    /// Below [`Confidence::Exact`] if a type that is not known comes before it and may replace its members.
    confidence: Confidence,
}

/// What each type extends or implements in source order; `None` where that is not known.
type Bases = FxHashMap<SymbolId, Vec<Option<SymbolId>>>;

/// How many ancestors of one type are known by name.
const MAX_ANCESTORS: usize = 64;

/// From where the names of a scope are looked at.
#[derive(Clone, Copy)]
enum View {
    /// From inside: all of them.
    Own,
    /// By an import that names what it wants.
    Named,
    /// By a glob import in this scope: those on offer.
    Glob(Scope),
}

/// Which of the things that share a name a use means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    /// A module, type or value that a path goes on from.
    Prefix,
    /// Anything but a module, if there is anything.
    Last,
}

impl Sense {
    fn of(rest: &[Box<str>]) -> Self {
        if rest.is_empty() { Sense::Last } else { Sense::Prefix }
    }
}

type Resolved = Result<(Found, Confidence), Missing>;

impl<'a> Linker<'a> {
    pub(super) fn new(project: &'a Project, tables: &'a Tables<'a>) -> Self {
        let mut linker = Self {
            context: Context::new(project, tables),
            impl_types: FxHashMap::default(),
            impls: FxHashMap::default(),
            trait_impls: FxHashSet::default(),
            lineages: FxHashMap::default(),
            imported: FxHashMap::default(),
        };
        let files: Vec<FileId> = project.files().ids().collect();
        let owners: Vec<_> = files.par_iter().flat_map_iter(|file| linker.impl_types_of(*file)).collect();
        for (block, ty) in owners {
            linker.impl_types.insert(block, ty);
            linker.impls.entry(ty).or_default().push(block);
        }
        let found: Vec<_> = files.par_iter().flat_map_iter(|file| linker.bases_of(*file)).collect();
        let mut bases = Bases::default();
        for (declaration, base) in found {
            if project.symbol(declaration).kind == SymbolKind::Impl {
                linker.trait_impls.insert(declaration);
            }
            let owner = linker.impl_types.get(&declaration).copied().unwrap_or(declaration);
            let known = bases.entry(owner).or_default();
            for base in base {
                if base != Some(owner) && !known.contains(&base) {
                    known.push(base);
                }
            }
        }
        linker.lineages = bases.keys().map(|ty| (*ty, lineage(*ty, &bases))).collect();
        let imported: Vec<_> = files.par_iter().map(|file| (*file, linker.imported_files(*file))).collect();
        linker.imported = imported.into_iter().collect();
        linker
    }

    pub(super) fn project(&self) -> &'a Project {
        self.context.project
    }

    /// What an import names.
    pub(super) fn import_target(&self, file: FileId, id: LocalImport) -> Outcome {
        match self.import(file, id, DEPTH) {
            Ok((Found::Scope(scope), sure)) => Outcome::Nodes(vec![self.scope_node(scope)], sure),
            Ok((Found::Symbols(symbols), sure)) => self.outcome(symbols, Relation::Imports, sure).0,
            Ok((Found::Outside(name, origin), _)) => Outcome::Outside(Boundary { name: name.into(), origin }),
            Err(missing) => unresolved(missing),
        }
    }

    /// What a reference names, and the relation it has to it: calling a type constructs it.
    pub(super) fn reference_target(&self, file: FileId, reference: &'a Reference) -> (Outcome, Relation) {
        let Reference { relation, from, target, .. } = reference;
        if let Some(name) = target.name().strip_suffix('!') {
            return (self.macro_target(file, *from, target, name), *relation);
        }
        match self.name(file, *from, target, *relation, DEPTH) {
            Ok((Found::Symbols(symbols), confidence)) => self.outcome(symbols, *relation, confidence),
            Ok((Found::Scope(scope), confidence)) => {
                (Outcome::Nodes(vec![self.scope_node(scope)], confidence), *relation)
            }
            Ok((Found::Outside(name, origin), _)) => {
                (Outcome::Outside(Boundary { name: name.into(), origin }), *relation)
            }
            Err(Missing::ReceiverType) if *relation == Relation::Calls => {
                (self.method_by_name(file, *from, target.name()), *relation)
            }
            Err(missing) => (unresolved(missing), *relation),
        }
    }

    fn rules(&self, file: FileId) -> &'static dyn Modules {
        modules::of(self.project().files()[file].language.modules)
    }

    fn symbol(&self, symbol: SymbolId) -> &'a Symbol {
        self.project().symbol(symbol)
    }

    fn scope_node(&self, scope: Scope) -> Node {
        match scope.module {
            Some(module) => Node::Symbol(self.project().symbol_id(scope.file, module)),
            None => Node::File(scope.file),
        }
    }

    // -- Names --------------------------------------------------------------------------------------------

    /// Follows a name from its head along its path.
    fn name(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        relation: Relation,
        depth: u32,
    ) -> Resolved {
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        let project = self.project();
        let (mut found, mut confidence, rest) = match &name.head {
            Head::Symbol(symbol) => {
                let rest = &name.path[1..];
                let scope = Scope { file, module: project.files()[file].facts.symbols[*symbol].parent };
                let declared = self.context.tables.names(scope).and_then(|n| n.symbols.get(&*name.path[0]));
                let (found, confidence) = match declared {
                    // A scope may declare the name several times (conditional compilation, overloads), and
                    // import it as well.
                    Some(all) if all.contains(symbol) => self
                        .in_scope(scope, &name.path[0], View::Own, Sense::of(rest), &mut Vec::new(), depth)
                        .ok_or(NOT_DEFINED)?,
                    _ => (Found::Symbols(vec![project.symbol_id(file, *symbol)]), Confidence::Exact),
                };
                (found, confidence, rest)
            }
            Head::Import(import) => {
                let rest = &name.path[1..];
                let (found, confidence) =
                    self.import_head(file, *import, &name.path[0], Sense::of(rest), depth)?;
                (found, confidence, rest)
            }
            Head::Free => {
                let (found, confidence) = self.free(file, from, name, depth)?;
                (found, confidence, &name.path[1..])
            }
            Head::SelfType => {
                let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
                (Found::Symbols(vec![owner]), Confidence::Exact, &name.path[1..])
            }
            Head::Super => {
                let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
                let ancestors = self.lineages.get(&owner).ok_or(OUTSIDE_SELF)?;
                // `super()` runs what the nearest ancestor with a constructor has.
                let member = name.path.get(1).map_or("constructor", |member| &**member);
                let found = self.inherited(ancestors, member, relation, depth);
                return match (found, name.path.len()) {
                    (Some((members, sure)), ..=2) => Ok((Found::Symbols(members), sure)),
                    (Some(_), _) => Err(Missing::ReceiverType),
                    (None, 1) => {
                        let base = ancestors.first().ok_or(OUTSIDE_SELF)?;
                        Ok((Found::Symbols(vec![base.ty]), base.confidence))
                    }
                    (None, _) => Err(if ancestors.is_empty() { OUTSIDE_SELF } else { NO_MEMBER }),
                };
            }
            Head::TypeParameter => return Err(Missing::Local),
            Head::Local(_) if name.path.len() == 1 => return Err(Missing::Local),
            Head::Local(None) | Head::Value(None) => return Err(Missing::ReceiverType),
            Head::Local(Some(hint)) => {
                let (types, confidence) = self.hinted_types(file, from, hint, depth)?;
                (Found::Symbols(types), confidence, &name.path[1..])
            }
            Head::Value(Some(hint)) => {
                let (types, confidence) = self.hinted_types(file, from, hint, depth)?;
                (Found::Symbols(types), confidence, &name.path[..])
            }
        };
        let separator = self.rules(file).separator();
        for (at, segment) in rest.iter().enumerate() {
            let is_last = at + 1 == rest.len();
            let wanted = if is_last { relation } else { Relation::References };
            let (next, step) =
                self.step(found, segment, separator, wanted, Sense::of(&rest[at + 1..]), depth)?;
            (found, confidence) = (self.narrowed(next, wanted), confidence.min(step));
        }
        Ok((found, confidence))
    }

    /// One segment further along a path.
    fn step(
        &self,
        at: Found,
        segment: &'a str,
        separator: &str,
        wanted: Relation,
        sense: Sense,
        depth: u32,
    ) -> Resolved {
        match at {
            Found::Outside(path, origin) => {
                // The first name inside a package says enough; longer chains are values it returns.
                let path = if path.matches(separator).count() < 3 {
                    format!("{path}{separator}{segment}")
                } else {
                    path
                };
                Ok((Found::Outside(path, origin), Confidence::Exact))
            }
            Found::Scope(scope) => {
                self.in_scope(scope, segment, View::Named, sense, &mut Vec::new(), depth).ok_or(NOT_IN_MODULE)
            }
            Found::Symbols(symbols) => {
                let mut members = Vec::new();
                let mut confidence = Confidence::Exact;
                let mut missing = NO_MEMBER;
                for symbol in symbols {
                    match self.step_into(symbol, segment, wanted, sense, depth) {
                        Ok((Found::Symbols(found), sure)) => {
                            members.extend(found);
                            confidence = confidence.min(sure);
                        }
                        Ok(found) => return Ok(found),
                        Err(why) => missing = why,
                    }
                }
                if members.is_empty() { Err(missing) } else { Ok((Found::Symbols(members), confidence)) }
            }
        }
    }

    fn step_into(
        &self,
        symbol: SymbolId,
        segment: &'a str,
        wanted: Relation,
        sense: Sense,
        depth: u32,
    ) -> Resolved {
        let declaration = self.symbol(symbol);
        let (file, local) = self.project().local_symbol(symbol);
        if declaration.kind == SymbolKind::Module {
            let scope = Scope { file, module: Some(local) };
            let found = self.in_scope(scope, segment, View::Named, sense, &mut Vec::new(), depth);
            return found.ok_or(NOT_IN_MODULE);
        }
        if let Some((members, confidence)) = self.member(symbol, segment, wanted, depth) {
            return Ok((Found::Symbols(members), confidence));
        }
        if self.context.tables.default_names(symbol, segment) {
            let scope = self.scope_of(file, Some(local));
            let found = self.in_scope(scope, segment, View::Own, sense, &mut Vec::new(), depth);
            if let Some((found, _)) = found {
                return Ok((found, Confidence::Inferred));
            }
        }
        let is_value = matches!(
            declaration.kind,
            SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant | SymbolKind::TypeAlias
        );
        if is_value || declaration.modifiers.contains(Modifiers::ACCESSOR) {
            let types = self.declared_types(symbol, depth)?;
            let (members, confidence) = self.members(&types, segment, wanted, depth).ok_or(NO_MEMBER)?;
            return Ok((Found::Symbols(members), confidence));
        }
        let knows_its_members = declaration.kind.has_members();
        Err(if knows_its_members { NO_MEMBER } else { Missing::ReceiverType })
    }

    /// A name that no scope of its file declares: from a glob import, a package, or unknown.
    fn free(&self, file: FileId, from: Option<LocalSymbol>, name: &'a NameRef, depth: u32) -> Resolved {
        let first = &*name.path[0];
        let scope = self.scope_of(file, from);
        let sense = Sense::of(&name.path[1..]);
        if let Some(found) = self.in_scope(scope, first, View::Own, sense, &mut Vec::new(), depth) {
            return Ok(found);
        }
        if let Some(path) = self.rules(file).builtin(first) {
            return Ok((Found::Outside(path, Origin::StandardLibrary), Confidence::Exact));
        }
        if name.path.len() > 1
            && let Some(module) = self.rules(file).free_head(&self.context, scope, first)
        {
            return Ok((target(module)?, Confidence::Exact));
        }
        Err(NOT_DEFINED)
    }

    /// What a scope's declarations, imports, child modules and globs make of a name.
    fn in_scope(
        &self,
        scope: Scope,
        name: &'a str,
        view: View,
        sense: Sense,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Found, Confidence)> {
        if visited.contains(&(scope, name)) || visited.len() > 256 {
            return None;
        }
        visited.push((scope, name));
        let names = self.context.tables.names(scope);
        let mut other = None;
        let mut fits = |found: (Found, Confidence)| match self.fitting(found, sense) {
            Ok(found) => Some(found),
            Err(found) => {
                other.get_or_insert(found);
                None
            }
        };
        let own = self.declared_in(scope, name, view).and_then(&mut fits);
        let found = own.or_else(|| {
            let imports = names.and_then(|names| names.imports.get(name)).map_or(&[][..], Vec::as_slice);
            self.imported_as(scope, imports, name, view, sense, visited, depth).and_then(&mut fits)
        });
        let found = found.or_else(|| {
            let child = self.rules(scope.file).child(&self.context, scope, name)?;
            fits((Found::Scope(child), Confidence::Exact))
        });
        let found = found.or_else(|| {
            let globs = names.map_or(&[][..], |names| &names.globs);
            globs.iter().find_map(|glob| {
                self.through_glob(scope, *glob, name, view, sense, visited, depth).and_then(&mut fits)
            })
        });
        found.or(other)
    }

    /// The part of what was found that fits the sense, or all of it if nothing does.
    fn fitting(
        &self,
        found: (Found, Confidence),
        sense: Sense,
    ) -> Result<(Found, Confidence), (Found, Confidence)> {
        let (found, confidence) = found;
        let fits = |symbol: &SymbolId| {
            let kind = self.symbol(*symbol).kind;
            match sense {
                Sense::Prefix => kind.is_type() || !kind.is_callable(),
                Sense::Last => kind != SymbolKind::Module,
            }
        };
        match found {
            Found::Symbols(symbols) => {
                let fitting: Vec<_> = symbols.iter().copied().filter(fits).collect();
                if fitting.is_empty() {
                    Err((Found::Symbols(symbols), confidence))
                } else {
                    Ok((Found::Symbols(fitting), confidence))
                }
            }
            Found::Scope(_) if sense == Sense::Last => Err((found, confidence)),
            Found::Scope(_) | Found::Outside(..) => Ok((found, confidence)),
        }
    }

    /// The declarations of a name in a scope that the view shows.
    fn declared_in(&self, scope: Scope, name: &'a str, view: View) -> Option<(Found, Confidence)> {
        let project = self.project();
        let facts = &project.files()[scope.file].facts;
        let rules = self.rules(scope.file);
        let names = self.context.tables.names(scope)?;
        if let Some(symbols) = names.symbols.get(name) {
            let public = |symbol: &LocalSymbol| facts.symbols[*symbol].exported;
            let (shown, confidence): (Vec<LocalSymbol>, _) = match view {
                View::Own => (symbols.clone(), Confidence::Exact),
                View::Named if symbols.iter().any(public) || !rules.lists_exports() => {
                    (symbols.clone(), Confidence::Exact)
                }
                // Offered in a way that the facts do not tell, or not meant.
                View::Named => (symbols.clone(), Confidence::Inferred),
                View::Glob(from) => {
                    let offered = |symbol: &LocalSymbol| {
                        rules.glob_offers(&self.context, from, scope, name, public(symbol))
                    };
                    (symbols.iter().copied().filter(offered).collect(), Confidence::Exact)
                }
            };
            let shown: Vec<_> =
                shown.into_iter().map(|symbol| project.symbol_id(scope.file, symbol)).collect();
            return (!shown.is_empty()).then_some((Found::Symbols(shown), confidence));
        }
        let is_default = |symbol: &Symbol| symbol.modifiers.contains(Modifiers::DEFAULT);
        let default = matches!(view, View::Named) && name == "default" && scope.module.is_none();
        let (symbol, _) =
            facts.symbols.iter_enumerated().find(|(_, symbol)| default && is_default(symbol))?;
        Some((Found::Symbols(vec![project.symbol_id(scope.file, symbol)]), Confidence::Exact))
    }

    /// What the imports that bind one name in a scope denote. Several stand under conditions that are not
    /// evaluated here.
    #[expect(clippy::too_many_arguments, reason = "the state of one lookup")]
    fn imported_as(
        &self,
        scope: Scope,
        imports: &[LocalImport],
        name: &'a str,
        view: View,
        sense: Sense,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Found, Confidence)> {
        let facts = &self.project().files()[scope.file].facts;
        let rules = self.rules(scope.file);
        let mut targets: Vec<(Found, Confidence)> = Vec::new();
        let mut others: Vec<(Found, Confidence)> = Vec::new();
        for import in imports {
            let reexport = facts.imports[*import].reexport;
            let offered = match view {
                View::Glob(from) => rules.glob_offers(&self.context, from, scope, name, reexport),
                View::Own | View::Named => true,
            };
            if !offered {
                continue;
            }
            let Ok(found) = self.bound(scope.file, *import, name, sense, visited, depth) else { continue };
            match self.fitting(found, sense) {
                Ok(found) if !targets.iter().any(|(known, _)| *known == found.0) => targets.push(found),
                Ok(_) => {}
                Err(found) => others.push(found),
            }
        }
        let mut targets = if targets.is_empty() { others } else { targets };
        if targets.len() < 2 {
            return targets.pop();
        }
        let mut symbols = Vec::new();
        let mut confidence = Confidence::Exact;
        for (found, sure) in &targets {
            match found {
                Found::Symbols(found) => symbols.extend(found),
                Found::Scope(_) | Found::Outside(..) => confidence = Confidence::Inferred,
            }
            confidence = confidence.min(*sure);
        }
        if symbols.is_empty() {
            let inside = targets.iter().position(|(found, _)| matches!(found, Found::Scope(_)));
            Some((targets.swap_remove(inside.unwrap_or(0)).0, Confidence::Inferred))
        } else {
            Some((Found::Symbols(symbols), confidence))
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one lookup")]
    fn through_glob(
        &self,
        scope: Scope,
        glob: LocalImport,
        name: &'a str,
        view: View,
        sense: Sense,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Found, Confidence)> {
        let import = &self.project().files()[scope.file].facts.imports[glob];
        let rules = self.rules(scope.file);
        if let View::Glob(from) = view
            && !rules.glob_offers(&self.context, from, scope, name, import.reexport)
        {
            return None;
        }
        let view = View::Glob(scope);
        match rules.resolve(&self.context, scope, &import.module) {
            ModuleTarget::Scope(module) => self.in_scope(module, name, view, sense, visited, depth),
            // `use Enum::*`, and modules that are themselves imported.
            _ => match self.path_in_scope(scope, &import.module, visited, depth)? {
                (Found::Scope(module), _) => self.in_scope(module, name, view, sense, visited, depth),
                (Found::Symbols(owners), sure) => {
                    let (members, known) = self.members(&owners, name, Relation::References, depth)?;
                    Some((Found::Symbols(members), known.min(sure)))
                }
                (Found::Outside(..), _) => None,
            },
        }
    }

    /// A module path that starts at a name in scope: `Enum` in `use Enum::*`, `io` in `use io::Read`.
    fn path_in_scope(
        &self,
        scope: Scope,
        path: &'a str,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Found, Confidence)> {
        let separator = self.rules(scope.file).separator();
        if separator != "::" {
            return None;
        }
        let mut segments = path.split(separator);
        let mut at = scope;
        let mut first = segments.next()?;
        while matches!(first, "self" | "crate" | "super") {
            at = match self.rules(scope.file).resolve(&self.context, at, first) {
                ModuleTarget::Scope(scope) => scope,
                _ => return None,
            };
            first = segments.next()?;
        }
        let view = if at == scope { View::Own } else { View::Named };
        let mut found = self.in_scope(at, first, view, Sense::Prefix, visited, depth)?;
        for segment in segments {
            let (next, sure) = match found.0 {
                Found::Scope(scope) => {
                    self.in_scope(scope, segment, View::Named, Sense::Prefix, visited, depth)?
                }
                other => {
                    self.step(other, segment, separator, Relation::References, Sense::Prefix, depth).ok()?
                }
            };
            found = (next, sure.min(found.1));
        }
        Some(found)
    }

    // -- Imports ------------------------------------------------------------------------------------------

    fn import(&self, file: FileId, id: LocalImport, depth: u32) -> Resolved {
        self.import_within(file, id, Sense::Last, &mut Vec::new(), depth)
    }

    /// What a name that is bound to an import denotes. A scope may import the name several times: under
    /// conditions, or as a module and as what is in it.
    fn import_head(
        &self,
        file: FileId,
        id: LocalImport,
        local: &'a str,
        sense: Sense,
        depth: u32,
    ) -> Resolved {
        let facts = &self.project().files()[file].facts;
        let scope = Scope { file, module: facts.imports[id].scope };
        let imports = self.context.tables.names(scope).and_then(|names| names.imports.get(local));
        match imports {
            Some(all) if all.len() > 1 && all.contains(&id) => self
                .imported_as(scope, all, local, View::Own, sense, &mut Vec::new(), depth)
                .ok_or(NOT_IN_MODULE),
            _ => self.bound(file, id, local, sense, &mut Vec::new(), depth),
        }
    }

    /// What an import binds its local name to; `import a.b.c` binds `a`.
    fn bound(
        &self,
        file: FileId,
        id: LocalImport,
        local: &str,
        sense: Sense,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Resolved {
        let import = &self.project().files()[file].facts.imports[id];
        let rules = self.rules(file);
        if import.kind == ImportKind::Module
            && rules.binds_first_segment()
            && let Some((first, _)) = import.module.split_once('.')
            && first == local
        {
            let module = target(rules.resolve(&self.context, Scope::file(file), first))?;
            return Ok((module, Confidence::Exact));
        }
        self.import_within(file, id, sense, visited, depth)
    }

    fn import_within(
        &self,
        file: FileId,
        id: LocalImport,
        sense: Sense,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Resolved {
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        let import = &self.project().files()[file].facts.imports[id];
        let rules = self.rules(file);
        let scope = self.scope_of(file, import.scope);
        let (module, confidence) = match rules.resolve(&self.context, scope, &import.module) {
            ModuleTarget::Scope(module) => (Found::Scope(module), Confidence::Exact),
            outside_or_missing => match self.path_in_scope(scope, &import.module, visited, depth) {
                Some(found) => found,
                None => (target(outside_or_missing)?, Confidence::Exact),
            },
        };
        let name = match import.kind {
            ImportKind::Module | ImportKind::Glob | ImportKind::Effects => return Ok((module, confidence)),
            ImportKind::Default => "default",
            ImportKind::Named => &*import.name,
        };
        let (found, sure) = match module {
            Found::Scope(module) => {
                let found = self.in_scope(module, name, View::Named, sense, visited, depth);
                match found {
                    // A file without a marked default export stands for itself.
                    None if import.kind == ImportKind::Default => (Found::Scope(module), Confidence::Exact),
                    None => self.macro_import(name).ok_or(NOT_IN_MODULE)?,
                    Some(found) => found,
                }
            }
            other => self.step(other, name, rules.separator(), Relation::Imports, sense, depth)?,
        };
        Ok((found, sure.min(confidence)))
    }

    /// Exported macros live at their crate's root whatever module they are written in.
    fn macro_import(&self, name: &str) -> Option<(Found, Confidence)> {
        match self.context.tables.macros(name) {
            [only] => Some((Found::Symbols(vec![*only]), Confidence::Inferred)),
            _ => None,
        }
    }

    fn imported_files(&self, file: FileId) -> FxHashSet<FileId> {
        let imports = &self.project().files()[file].facts.imports;
        let mut files = FxHashSet::default();
        for id in imports.ids() {
            match self.import(file, id, DEPTH) {
                Ok((Found::Scope(scope), _)) => {
                    files.insert(scope.file);
                }
                Ok((Found::Symbols(symbols), _)) => {
                    files.extend(symbols.iter().map(|symbol| self.project().symbol_file(*symbol)));
                }
                Ok((Found::Outside(..), _)) | Err(_) => {}
            }
        }
        files
    }

    // -- Types --------------------------------------------------------------------------------------------

    /// The types a hint gives to a value.
    fn hinted_types(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        hint: &'a TypeHint,
        depth: u32,
    ) -> Result<(Vec<SymbolId>, Confidence), Missing> {
        match hint {
            TypeHint::Named(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::UsesType, depth).map_err(unknown_type)?;
                Ok((self.types(found)?, confidence))
            }
            TypeHint::Result(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::Calls, depth).map_err(unknown_type)?;
                let callees = self.types(found)?;
                let mut types = Vec::new();
                let mut confidence = confidence;
                for callee in callees {
                    let declaration = self.symbol(callee);
                    if declaration.kind.is_type() {
                        types.push(callee);
                    } else if declaration.kind == SymbolKind::EnumMember {
                        types.extend(self.project().parent(callee));
                    } else {
                        types.extend(self.declared_types(callee, depth)?);
                        if !self.rules(self.project().symbol_file(callee)).statically_typed() {
                            confidence = confidence.min(Confidence::Inferred);
                        }
                    }
                }
                types.dedup();
                if types.is_empty() { Err(Missing::ReceiverType) } else { Ok((types, confidence)) }
            }
        }
    }

    /// The types a declaration's own annotation or return type names.
    fn declared_types(&self, symbol: SymbolId, depth: u32) -> Result<Vec<SymbolId>, Missing> {
        let ty = self.symbol(symbol).ty.as_ref().ok_or(Missing::ReceiverType)?;
        let (file, local) = self.project().local_symbol(symbol);
        let (found, _) = self.name(file, Some(local), ty, Relation::UsesType, depth).map_err(unknown_type)?;
        self.types(found)
    }

    fn types(&self, found: Found) -> Result<Vec<SymbolId>, Missing> {
        match found {
            Found::Symbols(symbols) if !symbols.is_empty() => Ok(symbols),
            Found::Symbols(_) | Found::Scope(_) => Err(Missing::ReceiverType),
            Found::Outside(..) => Err(Missing::OutsideType),
        }
    }

    /// The members `name` of a type: its own before inherited ones, inherent ones before a trait's.
    fn member(
        &self,
        owner: SymbolId,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<SymbolId>, Confidence)> {
        if let Some(own) = self.own_member(owner, name, wanted) {
            return Some((own, Confidence::Exact));
        }
        let ancestors = self.lineages.get(&owner).map_or(&[][..], Vec::as_slice);
        if let Some(inherited) = self.inherited(ancestors, name, wanted, depth) {
            return Some(inherited);
        }
        if self.symbol(owner).kind != SymbolKind::TypeAlias {
            return None;
        }
        let depth = depth.checked_sub(1)?;
        let aliased = self.declared_types(owner, depth).ok()?;
        self.members(&aliased, name, wanted, depth)
    }

    /// The members `name` of several types, any of which may be meant.
    fn members(
        &self,
        owners: &[SymbolId],
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<SymbolId>, Confidence)> {
        let found = owners.iter().filter_map(|owner| self.member(*owner, name, wanted, depth));
        found.reduce(|(mut members, sure), (more, known)| {
            members.extend(more);
            (members, sure.min(known))
        })
    }

    /// The members `name` of the first of these types that has any.
    fn inherited(
        &self,
        ancestors: &[Ancestor],
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<SymbolId>, Confidence)> {
        ancestors.iter().find_map(|ancestor| {
            let own = self.own_member(ancestor.ty, name, wanted);
            let is_alias = self.symbol(ancestor.ty).kind == SymbolKind::TypeAlias;
            let aliased = || self.member(ancestor.ty, name, wanted, depth.checked_sub(1)?);
            let (members, sure) = match own {
                Some(own) => (own, Confidence::Exact),
                None if is_alias => aliased()?,
                None => return None,
            };
            Some((members, sure.min(ancestor.confidence)))
        })
    }

    fn own_member(&self, owner: SymbolId, name: &str, wanted: Relation) -> Option<Vec<SymbolId>> {
        let tables = self.context.tables;
        let blocks = self.impls.get(&owner).map_or(&[][..], Vec::as_slice);
        let members = |of_trait: bool| {
            let blocks = blocks.iter().filter(move |block| self.trait_impls.contains(*block) == of_trait);
            blocks.flat_map(|block| tables.members(*block, name)).copied()
        };
        // Where a field is never called, a call by its name means a method.
        let calls_methods =
            wanted == Relation::Calls && self.rules(self.project().symbol_file(owner)).statically_typed();
        let fits = |symbol: &SymbolId| !calls_methods || self.symbol(*symbol).kind != SymbolKind::Field;
        let inherent: Vec<_> =
            tables.members(owner, name).iter().copied().chain(members(false)).filter(fits).collect();
        if !inherent.is_empty() {
            return Some(inherent);
        }
        let of_traits: Vec<_> = members(true).filter(fits).collect();
        (!of_traits.is_empty()).then_some(of_traits)
    }

    /// The type whose code `from` is: a class, a trait, the type of an implementation block (or the block
    /// itself if its type is not part of the project), an object whose methods are written out.
    fn enclosing_type(&self, file: FileId, from: Option<LocalSymbol>) -> Option<SymbolId> {
        let from = self.project().symbol_id(file, from?);
        let owner = self_and_ancestors(self.project(), from).find(|symbol| {
            let kind = self.symbol(*symbol).kind;
            let is_owner = kind.has_members() || matches!(kind, SymbolKind::Constant | SymbolKind::Variable);
            is_owner && kind != SymbolKind::Module
        })?;
        Some(self.impl_types.get(&owner).copied().unwrap_or(owner))
    }

    fn scope_of(&self, file: FileId, from: Option<LocalSymbol>) -> Scope {
        let facts = &self.project().files()[file].facts;
        let module = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent)
            .find(|symbol| facts.symbols[*symbol].kind == SymbolKind::Module);
        Scope { file, module }
    }

    // -- Tables of type relations -------------------------------------------------------------------------

    fn impl_types_of(&self, file: FileId) -> Vec<(SymbolId, SymbolId)> {
        let facts = &self.project().files()[file].facts;
        let blocks = facts.symbols.iter_enumerated().filter(|(_, s)| s.kind == SymbolKind::Impl);
        blocks
            .filter_map(|(local, block)| {
                let ty = block.ty.as_ref()?;
                let (found, _) = self.name(file, block.parent, ty, Relation::UsesType, DEPTH).ok()?;
                match found {
                    Found::Symbols(types) if types.len() == 1 => {
                        Some((self.project().symbol_id(file, local), types[0]))
                    }
                    _ => None,
                }
            })
            .collect()
    }

    /// What the types of a file extend or implement. Where a base is not known it may have any member, which
    /// matters unless the compiler refuses a choice between two.
    fn bases_of(&self, file: FileId) -> Vec<(SymbolId, Vec<Option<SymbolId>>)> {
        let facts = &self.project().files()[file].facts;
        let unknown = if self.rules(file).statically_typed() { vec![] } else { vec![None] };
        let parents = facts
            .references
            .iter()
            .filter(|reference| matches!(reference.relation, Relation::Inherits | Relation::Implements));
        parents
            .filter_map(|reference| {
                let from = reference.from?;
                let scope = facts.symbols[from].parent;
                let found = self.name(file, scope, &reference.target, reference.relation, DEPTH);
                let bases = match found {
                    Ok((Found::Symbols(bases), _)) => {
                        let bases = self.narrow(bases, reference.relation);
                        let unsure = if bases.len() > 1 { unknown.clone() } else { Vec::new() };
                        unsure.into_iter().chain(bases.into_iter().map(Some)).collect()
                    }
                    _ => unknown.clone(),
                };
                Some((self.project().symbol_id(file, from), bases))
            })
            .collect()
    }

    // -- Choosing -----------------------------------------------------------------------------------------

    fn narrowed(&self, found: Found, relation: Relation) -> Found {
        match found {
            Found::Symbols(symbols) => Found::Symbols(self.narrow(symbols, relation)),
            other => other,
        }
    }

    /// Of several declarations of one name, those that fit the use: types where a type is meant, code with
    /// a body before its overloads.
    fn narrow(&self, mut symbols: Vec<SymbolId>, relation: Relation) -> Vec<SymbolId> {
        symbols.sort_unstable();
        symbols.dedup();
        let mut keep = |fits: &dyn Fn(&Symbol) -> bool| {
            if symbols.len() > 1 && symbols.iter().any(|symbol| fits(self.symbol(*symbol))) {
                symbols.retain(|symbol| fits(self.symbol(*symbol)));
            }
        };
        match relation {
            Relation::UsesType | Relation::Inherits | Relation::Implements => keep(&|s| s.kind.is_type()),
            Relation::Calls => keep(&|s| s.kind.is_callable() || s.kind.is_type()),
            // A field and a method may share a name, and the method is not what is read.
            Relation::References => keep(&|s| s.kind != SymbolKind::Method),
            _ => {}
        }
        keep(&|symbol| symbol.kind != SymbolKind::Macro);
        keep(&|symbol| symbol.body.is_some());
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::TEST));
        symbols
    }

    fn outcome(
        &self,
        symbols: Vec<SymbolId>,
        relation: Relation,
        confidence: Confidence,
    ) -> (Outcome, Relation) {
        let symbols = self.narrow(symbols, relation);
        let constructs = |symbol: &SymbolId| {
            let kind = self.symbol(*symbol).kind;
            (kind.is_type() && kind != SymbolKind::Component) || kind == SymbolKind::EnumMember
        };
        let relation = match relation {
            Relation::Calls if symbols.iter().all(constructs) => Relation::Instantiates,
            other => other,
        };
        let confidence = if symbols.len() > 1 { Confidence::Ambiguous } else { confidence };
        (Outcome::Nodes(symbols.into_iter().map(Node::Symbol).collect(), confidence), relation)
    }

    /// Macros are found by the order of the text and by name: one in the same file is meant, otherwise the
    /// only one of the project. One that is imported from outside, or named by a path to there, is not.
    fn macro_target(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        name: &str,
    ) -> Outcome {
        let boundary = |path: String, origin| {
            let separator = self.rules(file).separator();
            let name = if path.ends_with(name) { path } else { format!("{path}{separator}{name}") };
            Outcome::Outside(Boundary { name: name.into(), origin })
        };
        if let [first, ..] = &*macro_name.path
            && macro_name.path.len() > 1
            && let Ok((Found::Outside(path, origin), _)) = self.macro_head(file, from, macro_name, first)
        {
            return boundary(path, origin);
        }
        let scope = self.scope_of(file, from);
        let imports = self.context.tables.names(scope).and_then(|names| names.imports.get(name));
        if macro_name.path.len() == 1
            && let Some([import]) = imports.map(Vec::as_slice)
            && let Ok((Found::Outside(path, origin), _)) = self.import(file, *import, DEPTH)
        {
            return boundary(path, origin);
        }
        let all = self.context.tables.macros(name);
        let here: Vec<_> =
            all.iter().copied().filter(|symbol| self.project().symbol_file(*symbol) == file).collect();
        let (candidates, sure) =
            if here.is_empty() { (all.to_vec(), Confidence::Inferred) } else { (here, Confidence::Exact) };
        match candidates.len() {
            0 => match self.rules(file).builtin(name) {
                Some(name) => {
                    Outcome::Outside(Boundary { name: name.into(), origin: Origin::StandardLibrary })
                }
                None => Outcome::Unresolved("no macro of this name in the project"),
            },
            1 => Outcome::Nodes(vec![Node::Symbol(candidates[0])], sure),
            2..=MAX_CANDIDATES => {
                Outcome::Nodes(candidates.into_iter().map(Node::Symbol).collect(), Confidence::Ambiguous)
            }
            _ => Outcome::Unresolved("too many macros of this name"),
        }
    }

    /// What the first segment of a macro's path denotes.
    fn macro_head(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        first: &'a str,
    ) -> Resolved {
        match &macro_name.head {
            Head::Import(import) => self.import_head(file, *import, first, Sense::Prefix, DEPTH),
            Head::Free => self.free(file, from, macro_name, DEPTH),
            _ => Err(NOT_DEFINED),
        }
    }

    /// Whether a declaration is only part of test builds.
    fn is_test(&self, symbol: SymbolId) -> bool {
        self_and_ancestors(self.project(), symbol)
            .any(|symbol| self.symbol(symbol).modifiers.contains(Modifiers::TEST))
    }

    /// A method call whose receiver has no type in the text. Candidates are the methods of that name that
    /// the file could have meant: its own, and those of files it imports from. The calling method is none of
    /// them, since that is called on `self`, nor is code of tests unless a test calls; and where the language's own types have such a method, the
    /// receiver is more likely one of those.
    fn method_by_name(&self, file: FileId, from: Option<LocalSymbol>, name: &str) -> Outcome {
        let rules = self.rules(file);
        if rules.is_common_method(name) {
            return Outcome::Unresolved(
                "the receiver's type is not known, and built-in types have such a method",
            );
        }
        let imported = &self.imported[&file];
        let caller = from.map(|from| self.project().symbol_id(file, from));
        let callable = |symbol: &SymbolId| {
            let has_receiver = !self.symbol(*symbol).modifiers.contains(Modifiers::STATIC);
            (has_receiver || rules.instances_have_static_methods())
                && rules.separator() == self.rules(self.project().symbol_file(*symbol)).separator()
        };
        let all: Vec<SymbolId> = self.context.tables.methods(name).iter().copied().filter(callable).collect();
        let from_test = caller.is_some_and(|caller| self.is_test(caller));
        let near = |symbol: &SymbolId| {
            let at = self.project().symbol_file(*symbol);
            let reachable = at == file || imported.contains(&at);
            reachable && Some(*symbol) != caller && (from_test || !self.is_test(*symbol))
        };
        let candidates = self.narrow(all.iter().copied().filter(near).collect(), Relation::Calls);
        match candidates.len() {
            0 => Outcome::Unresolved("the receiver's type is not known"),
            1 => {
                // Where values need no declared types, they also come from files that are not imported.
                let elsewhere = all.iter().any(|symbol| Some(*symbol) != caller && *symbol != candidates[0]);
                let sure = rules.statically_typed() || !elsewhere;
                let confidence = if sure { Confidence::Inferred } else { Confidence::Ambiguous };
                Outcome::Nodes(vec![Node::Symbol(candidates[0])], confidence)
            }
            2..=MAX_CANDIDATES => {
                Outcome::Nodes(candidates.into_iter().map(Node::Symbol).collect(), Confidence::Ambiguous)
            }
            _ => Outcome::Unresolved("the receiver's type is not known, and too many methods have this name"),
        }
    }
}

/// The ancestors of a type, nearest first: in the order of the text, depth first, but one that several paths
/// lead to comes after all types that extend it.
fn lineage(ty: SymbolId, bases: &Bases) -> Vec<Ancestor> {
    let mut found = Vec::new();
    collect_ancestors(ty, bases, &mut vec![ty], &mut found);
    let mut seen = FxHashSet::default();
    let mut last: Vec<Option<SymbolId>> =
        found.into_iter().rev().filter(|ancestor| ancestor.is_none() || seen.insert(*ancestor)).collect();
    last.reverse();
    let mut confidence = Confidence::Exact;
    let mut ancestors = Vec::new();
    for ancestor in last {
        match ancestor {
            Some(ty) => ancestors.push(Ancestor { ty, confidence }),
            None => confidence = Confidence::Inferred,
        }
    }
    ancestors
}

fn collect_ancestors(
    ty: SymbolId,
    bases: &Bases,
    path: &mut Vec<SymbolId>,
    found: &mut Vec<Option<SymbolId>>,
) {
    for base in bases.get(&ty).into_iter().flatten() {
        if found.len() >= MAX_ANCESTORS {
            return;
        }
        match base {
            Some(base) if path.contains(base) => {}
            Some(base) => {
                found.push(Some(*base));
                path.push(*base);
                collect_ancestors(*base, bases, path, found);
                path.pop();
            }
            None => found.push(None),
        }
    }
}

/// Why a value whose type has no meaning here has no known members.
fn unknown_type(missing: Missing) -> Missing {
    match missing {
        NOT_DEFINED | Missing::OutsideType => Missing::OutsideType,
        Missing::Because(_) | Missing::Local | Missing::ReceiverType => Missing::ReceiverType,
    }
}

fn target(module: ModuleTarget) -> Result<Found, Missing> {
    match module {
        ModuleTarget::Scope(scope) => Ok(Found::Scope(scope)),
        ModuleTarget::Outside(path, origin) => Ok(Found::Outside(path, origin)),
        ModuleTarget::Missing => Err(NO_MODULE),
    }
}

fn unresolved(missing: Missing) -> Outcome {
    match missing {
        Missing::ReceiverType => Outcome::Unresolved("the receiver's type is not known"),
        Missing::OutsideType => Outcome::Unresolved(OUTSIDE_TYPE),
        Missing::Local => Outcome::Nothing,
        Missing::Because(reason) => Outcome::Unresolved(reason),
    }
}
