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
#[derive(Clone, Debug)]
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
    /// What each type extends or implements, in source order.
    bases: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// The files each file imports from.
    imported: FxHashMap<FileId, FxHashSet<FileId>>,
}

type Resolved = Result<(Found, Confidence), Missing>;

impl<'a> Linker<'a> {
    pub(super) fn new(project: &'a Project, tables: &'a Tables<'a>) -> Self {
        let mut linker = Self {
            context: Context { project, tables },
            impl_types: FxHashMap::default(),
            impls: FxHashMap::default(),
            trait_impls: FxHashSet::default(),
            bases: FxHashMap::default(),
            imported: FxHashMap::default(),
        };
        let files: Vec<FileId> = project.files().ids().collect();
        let owners: Vec<_> = files.par_iter().flat_map_iter(|file| linker.impl_types_of(*file)).collect();
        for (block, ty) in owners {
            linker.impl_types.insert(block, ty);
            linker.impls.entry(ty).or_default().push(block);
        }
        let bases: Vec<_> = files.par_iter().flat_map_iter(|file| linker.bases_of(*file)).collect();
        for (declaration, base) in bases {
            if project.symbol(declaration).kind == SymbolKind::Impl {
                linker.trait_impls.insert(declaration);
            }
            let owner = linker.impl_types.get(&declaration).copied().unwrap_or(declaration);
            let known = linker.bases.entry(owner).or_default();
            for base in base {
                if base != owner && !known.contains(&base) {
                    known.push(base);
                }
            }
        }
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
            Ok(Found::Scope(scope)) => Outcome::Nodes(vec![self.scope_node(scope)], Confidence::Exact),
            Ok(Found::Symbols(symbols)) => self.outcome(symbols, Relation::Imports, Confidence::Exact).0,
            Ok(Found::Outside(name, origin)) => Outcome::Outside(Boundary { name: name.into(), origin }),
            Err(missing) => unresolved(missing),
        }
    }

    /// What a reference names, and the relation it has to it: calling a type constructs it.
    pub(super) fn reference_target(&self, file: FileId, reference: &'a Reference) -> (Outcome, Relation) {
        let Reference { relation, from, target, .. } = reference;
        if let Some(name) = target.name().strip_suffix('!') {
            return (self.macro_target(file, name), *relation);
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
                (self.method_by_name(file, target.name()), *relation)
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
                // A scope may declare the name several times (conditional compilation, overloads).
                let scope = Scope { file, module: project.files()[file].facts.symbols[*symbol].parent };
                let declared = self.context.tables.names(scope).and_then(|n| n.symbols.get(&*name.path[0]));
                let symbols = match declared {
                    Some(all) if all.contains(symbol) => all.as_slice(),
                    _ => std::slice::from_ref(symbol),
                };
                let symbols = symbols.iter().map(|symbol| project.symbol_id(file, *symbol)).collect();
                (Found::Symbols(symbols), Confidence::Exact, &name.path[1..])
            }
            Head::Import(import) => {
                let found = self.import_head(file, *import, &name.path[0], depth)?;
                (found, Confidence::Exact, &name.path[1..])
            }
            Head::Free => (self.free(file, from, name, depth)?, Confidence::Exact, &name.path[1..]),
            Head::SelfType => {
                let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
                (Found::Symbols(vec![owner]), Confidence::Exact, &name.path[1..])
            }
            Head::Super => {
                let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
                let bases = self.bases.get(&owner).cloned().unwrap_or_default();
                if bases.is_empty() {
                    return Err(OUTSIDE_SELF);
                }
                let rest = &name.path[1..];
                // The first base in order that has the member is meant.
                let first = match rest.first() {
                    Some(member) => bases.iter().find(|base| !self.member(**base, member, depth).is_empty()),
                    None => bases.first(),
                };
                let base = *first.ok_or(NO_MEMBER)?;
                (Found::Symbols(vec![base]), Confidence::Exact, rest)
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
            (found, confidence) = match self.step(found, segment, separator, depth) {
                Ok((found, step)) => (self.narrowed(found, wanted), confidence.min(step)),
                Err(missing) => return Err(missing),
            };
        }
        Ok((found, confidence))
    }

    /// One segment further along a path.
    fn step(&self, at: Found, segment: &'a str, separator: &str, depth: u32) -> Resolved {
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
                let found = self.in_scope(scope, segment, &mut Vec::new(), depth).ok_or(NOT_IN_MODULE)?;
                Ok((found, Confidence::Exact))
            }
            Found::Symbols(symbols) => {
                let mut members = Vec::new();
                let mut missing = NO_MEMBER;
                for symbol in symbols {
                    match self.step_into(symbol, segment, depth) {
                        Ok(Found::Symbols(found)) => members.extend(found),
                        Ok(found) => return Ok((found, Confidence::Exact)),
                        Err(why) => missing = why,
                    }
                }
                if members.is_empty() {
                    return Err(missing);
                }
                Ok((Found::Symbols(members), Confidence::Exact))
            }
        }
    }

    fn step_into(&self, symbol: SymbolId, segment: &'a str, depth: u32) -> Result<Found, Missing> {
        let declaration = self.symbol(symbol);
        if declaration.kind == SymbolKind::Module {
            let (file, module) = self.project().local_symbol(symbol);
            let scope = Scope { file, module: Some(module) };
            return self.in_scope(scope, segment, &mut Vec::new(), depth).ok_or(NOT_IN_MODULE);
        }
        let members = self.member(symbol, segment, depth);
        if !members.is_empty() {
            return Ok(Found::Symbols(members));
        }
        let is_value = matches!(
            declaration.kind,
            SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant | SymbolKind::TypeAlias
        );
        if is_value || declaration.modifiers.contains(Modifiers::ACCESSOR) {
            let types = self.declared_types(symbol, depth)?;
            let members: Vec<_> = types.iter().flat_map(|ty| self.member(*ty, segment, depth)).collect();
            return if members.is_empty() { Err(NO_MEMBER) } else { Ok(Found::Symbols(members)) };
        }
        let knows_its_members = declaration.kind.has_members();
        Err(if knows_its_members { NO_MEMBER } else { Missing::ReceiverType })
    }

    /// A name that no scope of its file declares: from a glob import, a package, or unknown.
    fn free(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        depth: u32,
    ) -> Result<Found, Missing> {
        let first = &*name.path[0];
        let scope = self.scope_of(file, from);
        if let Some(found) = self.in_scope(scope, first, &mut Vec::new(), depth) {
            return Ok(found);
        }
        if name.path.len() > 1
            && let Some(target) = self.rules(file).free_head(&self.context, scope, first)
        {
            return match target {
                ModuleTarget::Scope(scope) => Ok(Found::Scope(scope)),
                ModuleTarget::Outside(path, origin) => Ok(Found::Outside(path, origin)),
                ModuleTarget::Missing => Err(NO_MODULE),
            };
        }
        Err(NOT_DEFINED)
    }

    /// What a scope's declarations, imports, child modules and globs make of a name.
    fn in_scope(
        &self,
        scope: Scope,
        name: &'a str,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<Found> {
        if visited.contains(&(scope, name)) || visited.len() > 256 {
            return None;
        }
        visited.push((scope, name));
        let project = self.project();
        let facts = &project.files()[scope.file].facts;
        let names = self.context.tables.names(scope);
        if let Some(symbols) = names.and_then(|names| names.symbols.get(name)) {
            let symbols = symbols.iter().map(|symbol| project.symbol_id(scope.file, *symbol)).collect();
            return Some(Found::Symbols(symbols));
        }
        if name == "default"
            && let Some((symbol, _)) =
                facts.symbols.iter_enumerated().find(|(_, s)| s.modifiers.contains(Modifiers::DEFAULT))
        {
            return Some(Found::Symbols(vec![project.symbol_id(scope.file, symbol)]));
        }
        let imports = names.and_then(|names| names.imports.get(name)).map_or(&[][..], Vec::as_slice);
        let mut imported =
            imports.iter().filter_map(|import| self.import_within(scope.file, *import, visited, depth).ok());
        if let Some(found) = imported.next() {
            return Some(found);
        }
        if let Some(child) = self.rules(scope.file).child(&self.context, scope, name) {
            return Some(Found::Scope(child));
        }
        let globs = names.map_or(&[][..], |names| &names.globs);
        globs.iter().find_map(|glob| {
            let import = &facts.imports[*glob];
            match self.rules(scope.file).resolve(&self.context, scope, &import.module) {
                ModuleTarget::Scope(module) => self.in_scope(module, name, visited, depth),
                // `use Enum::*`, and modules that are themselves imported.
                _ => match self.path_in_scope(scope, &import.module, visited, depth)? {
                    Found::Scope(module) => self.in_scope(module, name, visited, depth),
                    Found::Symbols(owners) => {
                        let members: Vec<_> =
                            owners.iter().flat_map(|owner| self.member(*owner, name, depth)).collect();
                        (!members.is_empty()).then_some(Found::Symbols(members))
                    }
                    Found::Outside(..) => None,
                },
            }
        })
    }

    /// A module path that starts at a name in scope: `Enum` in `use Enum::*`, `io` in `use io::Read`.
    fn path_in_scope(
        &self,
        scope: Scope,
        path: &'a str,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<Found> {
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
        let mut found = self.in_scope(at, first, visited, depth)?;
        for segment in segments {
            found = match found {
                Found::Scope(scope) => self.in_scope(scope, segment, visited, depth)?,
                other => self.step(other, segment, separator, depth).ok()?.0,
            };
        }
        Some(found)
    }

    // -- Imports ------------------------------------------------------------------------------------------

    fn import(&self, file: FileId, id: LocalImport, depth: u32) -> Result<Found, Missing> {
        self.import_within(file, id, &mut Vec::new(), depth)
    }

    /// What the local name of an import denotes; `import a.b.c` binds `a`.
    fn import_head(&self, file: FileId, id: LocalImport, local: &str, depth: u32) -> Result<Found, Missing> {
        let import = &self.project().files()[file].facts.imports[id];
        let rules = self.rules(file);
        if import.kind == ImportKind::Module && rules.binds_first_segment() && import.module.contains('.') {
            let (first, _) = import.module.split_once('.').unwrap_or((&import.module, ""));
            if first == local {
                return target(rules.resolve(&self.context, Scope::file(file), first));
            }
        }
        self.import(file, id, depth)
    }

    fn import_within(
        &self,
        file: FileId,
        id: LocalImport,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Result<Found, Missing> {
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        let import = &self.project().files()[file].facts.imports[id];
        let rules = self.rules(file);
        let scope = self.scope_of(file, import.scope);
        let module = match rules.resolve(&self.context, scope, &import.module) {
            ModuleTarget::Scope(module) => Found::Scope(module),
            outside_or_missing => match self.path_in_scope(scope, &import.module, visited, depth) {
                Some(found) => found,
                None => target(outside_or_missing)?,
            },
        };
        let name = match import.kind {
            ImportKind::Module | ImportKind::Glob | ImportKind::Effects => return Ok(module),
            ImportKind::Default => "default",
            ImportKind::Named => &*import.name,
        };
        match module {
            Found::Scope(module) => {
                let found = self.in_scope(module, name, visited, depth);
                let found = found.or_else(|| rules.child(&self.context, module, name).map(Found::Scope));
                match found {
                    // A file without a marked default export stands for itself.
                    None if import.kind == ImportKind::Default => Ok(Found::Scope(module)),
                    None => self.macro_import(name).ok_or(NOT_IN_MODULE),
                    Some(found) => Ok(found),
                }
            }
            other => Ok(self.step(other, name, rules.separator(), depth)?.0),
        }
    }

    /// Exported macros live at their crate's root whatever module they are written in.
    fn macro_import(&self, name: &str) -> Option<Found> {
        match self.context.tables.macros(name) {
            [only] => Some(Found::Symbols(vec![*only])),
            _ => None,
        }
    }

    fn imported_files(&self, file: FileId) -> FxHashSet<FileId> {
        let imports = &self.project().files()[file].facts.imports;
        let mut files = FxHashSet::default();
        for id in imports.ids() {
            match self.import(file, id, DEPTH) {
                Ok(Found::Scope(scope)) => {
                    files.insert(scope.file);
                }
                Ok(Found::Symbols(symbols)) => {
                    files.extend(symbols.iter().map(|symbol| self.project().symbol_file(*symbol)));
                }
                Ok(Found::Outside(..)) | Err(_) => {}
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
        let unknown = |missing| match missing {
            Missing::Because(_) | Missing::Local => Missing::ReceiverType,
            other => other,
        };
        match hint {
            TypeHint::Named(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::UsesType, depth).map_err(unknown)?;
                Ok((self.types(found)?, confidence))
            }
            TypeHint::Result(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::Calls, depth).map_err(unknown)?;
                let Found::Symbols(callees) = found else { return Err(Missing::ReceiverType) };
                let mut types = Vec::new();
                let mut confidence = confidence;
                for callee in callees {
                    let declaration = self.symbol(callee);
                    if declaration.kind.is_type() {
                        types.push(callee);
                    } else if declaration.kind == SymbolKind::EnumMember {
                        types.extend(self.project().parent(callee));
                    } else {
                        types.extend(self.declared_types(callee, depth).map_err(unknown)?);
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
        let (found, _) =
            self.name(file, Some(local), ty, Relation::UsesType, depth).map_err(|_| Missing::ReceiverType)?;
        self.types(found)
    }

    fn types(&self, found: Found) -> Result<Vec<SymbolId>, Missing> {
        match found {
            Found::Symbols(symbols) if !symbols.is_empty() => Ok(symbols),
            _ => Err(Missing::ReceiverType),
        }
    }

    /// The members `name` of a type: its own before inherited ones, inherent ones before a trait's.
    fn member(&self, owner: SymbolId, name: &str, depth: u32) -> Vec<SymbolId> {
        self.member_within(owner, name, &mut Vec::new(), depth)
    }

    fn member_within(
        &self,
        owner: SymbolId,
        name: &str,
        visited: &mut Vec<SymbolId>,
        depth: u32,
    ) -> Vec<SymbolId> {
        if visited.contains(&owner) || visited.len() > 64 {
            return Vec::new();
        }
        visited.push(owner);
        let tables = self.context.tables;
        let own = tables.members(owner, name);
        if !own.is_empty() {
            return own.to_vec();
        }
        let blocks = self.impls.get(&owner).map_or(&[][..], Vec::as_slice);
        let (of_traits, inherent): (Vec<SymbolId>, Vec<SymbolId>) =
            blocks.iter().partition(|block| self.trait_impls.contains(*block));
        for blocks in [inherent, of_traits] {
            let members: Vec<_> =
                blocks.iter().flat_map(|block| tables.members(*block, name)).copied().collect();
            if !members.is_empty() {
                return members;
            }
        }
        let bases = self.bases.get(&owner).map_or(&[][..], Vec::as_slice);
        let inherited = bases.iter().map(|base| self.member_within(*base, name, visited, depth));
        if let Some(found) = inherited.into_iter().find(|members| !members.is_empty()) {
            return found;
        }
        let declaration = self.symbol(owner);
        if declaration.kind == SymbolKind::TypeAlias
            && let Some(depth) = depth.checked_sub(1)
            && let Ok(aliased) = self.declared_types(owner, depth)
        {
            return aliased.iter().flat_map(|ty| self.member_within(*ty, name, visited, depth)).collect();
        }
        Vec::new()
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

    fn bases_of(&self, file: FileId) -> Vec<(SymbolId, Vec<SymbolId>)> {
        let facts = &self.project().files()[file].facts;
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
                    Ok((Found::Symbols(bases), _)) => bases,
                    _ => Vec::new(),
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
    /// only one of the project.
    fn macro_target(&self, file: FileId, name: &str) -> Outcome {
        let all = self.context.tables.macros(name);
        let here: Vec<_> =
            all.iter().copied().filter(|symbol| self.project().symbol_file(*symbol) == file).collect();
        let (candidates, sure) =
            if here.is_empty() { (all.to_vec(), Confidence::Inferred) } else { (here, Confidence::Exact) };
        match candidates.len() {
            0 => Outcome::Unresolved("no macro of this name in the project"),
            1 => Outcome::Nodes(vec![Node::Symbol(candidates[0])], sure),
            2..=MAX_CANDIDATES => {
                Outcome::Nodes(candidates.into_iter().map(Node::Symbol).collect(), Confidence::Ambiguous)
            }
            _ => Outcome::Unresolved("too many macros of this name"),
        }
    }

    /// A method call whose receiver has no type in the text. Candidates are the methods of that name that
    /// the file could have meant: its own, and those of files it imports from.
    fn method_by_name(&self, file: FileId, name: &str) -> Outcome {
        let imported = &self.imported[&file];
        let mut candidates: Vec<SymbolId> = self
            .context
            .tables
            .methods(name)
            .iter()
            .copied()
            .filter(|symbol| {
                let at = self.project().symbol_file(*symbol);
                at == file || imported.contains(&at)
            })
            .collect();
        candidates = self.narrow(candidates, Relation::Calls);
        match candidates.len() {
            0 => Outcome::Unresolved("the receiver's type is not known"),
            1 => Outcome::Nodes(vec![Node::Symbol(candidates[0])], Confidence::Inferred),
            2..=MAX_CANDIDATES => {
                Outcome::Nodes(candidates.into_iter().map(Node::Symbol).collect(), Confidence::Ambiguous)
            }
            _ => Outcome::Unresolved("the receiver's type is not known, and too many methods have this name"),
        }
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
        Missing::Local => Outcome::Nothing,
        Missing::Because(reason) => Outcome::Unresolved(reason),
    }
}
