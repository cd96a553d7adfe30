//! Lookup of names in a scope: declarations, imports, child modules and globs.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sscg_core::{
    Confidence, Export, FileId, ImportKind, LocalImport, LocalSymbol, ModuleSystem, Relation, SymbolKind,
};

use super::{DEPTH, Linker, NOT_IN_MODULE, Namespace, Resolution, ResolveResult, View, target};
use crate::graph::Origin;
use crate::link::languages::{ModuleTarget, Typing};
use crate::link::tables::{Decl, Scope};

impl<'a> Linker<'a> {
    /// Looks up a name in a scope's declarations, imports, child modules and globs, in this order.
    pub(in crate::link) fn in_scope(
        &self,
        scope: Scope,
        name: &'a str,
        view: View,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        if visited.contains(&(scope, name)) || visited.len() > 256 {
            return None;
        }
        visited.push((scope, name));
        let mut other = None;
        let mut fits = |found: (Resolution<'a>, Confidence)| match self.fitting(found, namespace) {
            Ok(found) => Some(found),
            Err(found) => {
                other.get_or_insert(found);
                None
            }
        };
        let own = self.declared_in(scope, name, view).and_then(&mut fits);
        // The imports of a file are not part of the packages that it declares.
        let has_imports = matches!(view, View::Own) || !self.rules(scope.file).packages_are_names();
        let found = own.or_else(|| {
            if !has_imports {
                return None;
            }
            let imports = self.context.imported(scope, name);
            self.imported_as(scope, imports, name, view, namespace, visited, depth).and_then(&mut fits)
        });
        let found = found.or_else(|| {
            // A glob import brings in declarations and imports of its module, not the files beside it.
            let named = !matches!(view, View::Glob(_));
            let child = self.rules(scope.file).child(&self.context, scope, name).filter(|_| named)?;
            fits((Resolution::Scope(child), Confidence::Exact))
        });
        let found = found.or_else(|| {
            let mut globs = self.context.globs(scope).filter(|_| has_imports);
            let through = |glob| {
                self.through_glob(scope, glob, name, view, namespace, visited, depth).and_then(&mut fits)
            };
            if !self.rules(scope.file).has_last_glob_first() {
                return globs.find_map(through);
            }
            let mut offers = globs.rev().filter_map(through);
            let (last, sure) = offers.next()?;
            // Only one branch of a condition runs.
            let is_only = offers.all(|(earlier, _)| earlier == last);
            Some((last, if is_only { sure } else { sure.min(Confidence::Inferred) }))
        });
        found.or(other)
    }

    /// Looks up a name in the glob imports of the functions around some code.
    pub(super) fn in_function(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a str,
        namespace: Namespace,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let scope = self.scope_of(file, from);
        let around = self.context.self_and_ancestors(Decl::new(file, from?));
        let functions = around.take_while(|it| Some(it.symbol) != scope.module);
        let mut globs = functions.flat_map(|it| self.context.globs(Scope { file, module: Some(it.symbol) }));
        globs.find_map(|glob| {
            self.through_glob(scope, glob, name, View::Own, namespace, &mut Vec::new(), depth)
        })
    }

    /// Looks up a name in the packages around that of a scope, from the innermost one outwards.
    pub(super) fn in_outer_packages(
        &self,
        scope: Scope,
        name: &'a str,
        namespace: Namespace,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let language = self.context.language(scope.file);
        if !matches!(language.modules, ModuleSystem::Includes | ModuleSystem::Namespaces) {
            return None;
        }
        let mut path = self.context.package_path(scope)?;
        while !path.is_empty() {
            path = path.rsplit_once('.').map_or("", |(around, _)| around);
            let all = self.context.in_package(language.family, path, name).to_vec();
            let found = if language.modules == ModuleSystem::Includes {
                self.reachable(scope.file, name, all)
            } else {
                self.whole_types(all)
            };
            if !found.is_empty() {
                return Some((Resolution::Symbols(found), Confidence::Exact));
            }
            let child = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if let Some(package) = self.context.package_scope(language.family, &child) {
                return Some((Resolution::Scope(package), Confidence::Exact));
            }
        }
        // Imports of the file are visible in all its namespaces.
        let file = Scope::file(scope.file);
        let mut visited = Vec::new();
        let own = || self.in_scope(file, name, View::Own, namespace, &mut visited, depth);
        let own = (scope != file).then(own).flatten();
        let imported = own.or_else(|| {
            self.context.global_imports(scope.file).find_map(|(at, glob)| {
                let from = Scope::file(at);
                self.through_glob(from, glob, name, View::Own, namespace, &mut Vec::new(), depth)
            })
        });
        imported.or_else(|| {
            let usings =
                self.context.usings(scope.file).filter(|_| self.rules(scope.file).packages_are_names());
            let look = |module| self.in_imported(file, module, name, namespace, &mut Vec::new(), depth);
            usings.filter_map(look).next()
        })
    }

    /// Returns the part of a result that fits the namespace, or all of it as `Err` if nothing does.
    pub(super) fn fitting(
        &self,
        found: (Resolution<'a>, Confidence),
        namespace: Namespace,
    ) -> Result<(Resolution<'a>, Confidence), (Resolution<'a>, Confidence)> {
        let (found, confidence) = found;
        let fits = |symbol: &Decl| {
            let kind = self.symbol(*symbol).kind;
            match namespace {
                Namespace::Prefix => kind.is_type() || !kind.is_callable(),
                Namespace::Last => kind != SymbolKind::Module,
            }
        };
        match found {
            Resolution::Symbols(symbols) => {
                let fitting: Vec<_> = symbols.iter().copied().filter(fits).collect();
                if fitting.is_empty() {
                    Err((Resolution::Symbols(symbols), confidence))
                } else {
                    Ok((Resolution::Symbols(fitting), confidence))
                }
            }
            Resolution::Scope(_) if namespace == Namespace::Last => Err((found, confidence)),
            Resolution::Scope(_) | Resolution::External(..) | Resolution::Values(_) => {
                Ok((found, confidence))
            }
        }
    }

    /// Returns the declarations of a name in a scope that are visible in the view.
    pub(super) fn declared_in(
        &self,
        scope: Scope,
        name: &'a str,
        view: View,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let facts = self.context.facts(scope.file);
        let rules = self.rules(scope.file);
        if rules.has_packages() {
            let found = self.declared_in_package(scope, name, view);
            return (!found.is_empty()).then_some((Resolution::Symbols(found), Confidence::Exact));
        }
        let symbols = self.context.declared(scope, name);
        if !symbols.is_empty() {
            let public = |symbol: &LocalSymbol| facts.symbols[*symbol].exported;
            let (shown, confidence): (Vec<LocalSymbol>, _) = match view {
                View::Own => (symbols.to_vec(), Confidence::Exact),
                // Outside a namespace, code can only name its exports, wherever the namespace is visible.
                View::Named
                    if symbols.iter().any(public) || scope.module.is_some() || !rules.lists_exports() =>
                {
                    (symbols.to_vec(), Confidence::Exact)
                }
                // Exported in a way that the facts do not record, or not the target.
                View::Named => (symbols.to_vec(), Confidence::Inferred),
                View::Glob(from) => {
                    let offered = |symbol: &LocalSymbol| {
                        rules.glob_offers(&self.context, from, scope, name, public(symbol))
                    };
                    (symbols.iter().copied().filter(offered).collect(), Confidence::Exact)
                }
            };
            let mut shown: Vec<_> = shown.into_iter().map(|symbol| Decl::new(scope.file, symbol)).collect();
            self.context.built(rules, &mut shown);
            return (!shown.is_empty()).then_some((Resolution::Symbols(shown), confidence));
        }
        if !matches!(view, View::Own) && scope.module.is_none() {
            let symbols = self.context.exported(scope.file, name);
            if symbols.len() > 0 {
                let symbols = symbols.map(|symbol| Decl::new(scope.file, symbol)).collect();
                return Some((Resolution::Symbols(symbols), Confidence::Exact));
            }
        }
        let default = matches!(view, View::Named) && name == "default" && scope.module.is_none();
        let symbol = self.context.default(scope.file).filter(|_| default)?;
        Some((Resolution::Symbols(vec![Decl::new(scope.file, symbol)]), Confidence::Exact))
    }

    /// Returns the value of a module whose export is not the namespace of its names: `export = value`.
    pub(super) fn whole(&self, module: Scope, depth: u32) -> Option<(Resolution<'a>, Confidence)> {
        if module.module.is_some() || !self.rules(module.file).lists_exports() {
            return None;
        }
        let depth = self.deeper(depth).ok()?;
        let found = self.declared_in(module, Export::WHOLE, View::Named).or_else(|| {
            let imports = self.context.imported(module, Export::WHOLE);
            let (view, namespace) = (View::Named, Namespace::Last);
            self.imported_as(module, imports, Export::WHOLE, view, namespace, &mut Vec::new(), depth)
        })?;
        match found {
            // A module that re-exports another one as a whole.
            (Resolution::Scope(other), _) => self.whole(other, depth).or(Some(found)),
            found => Some(found),
        }
    }

    /// Returns the member of the value of a module whose export is not the namespace of its names.
    pub(in crate::link) fn member_of_whole(
        &self,
        module: Scope,
        name: &'a str,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let (Resolution::Symbols(wholes), sure) = self.whole(module, DEPTH)? else { return None };
        let members = wholes.into_iter().filter_map(|whole| self.member(whole, name, Relation::Calls, DEPTH));
        let members: Vec<Decl> = members.flat_map(|(members, _)| members).collect();
        (!members.is_empty()).then_some((Resolution::Symbols(members), sure))
    }

    /// Resolves the imports that bind one name in a scope. Among several, those in a build with the default features
    /// count. If several targets remain, declarations and modules of the project are preferred; competing targets
    /// reduce the confidence.
    #[expect(clippy::too_many_arguments, reason = "the state of one lookup")]
    pub(super) fn imported_as(
        &self,
        scope: Scope,
        imports: &[LocalImport],
        name: &'a str,
        view: View,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let facts = self.context.facts(scope.file);
        let rules = self.rules(scope.file);
        let may_be_built = |import: &LocalImport| {
            self.context.is_built(rules, scope.file, facts.imports[*import].condition.as_deref())
        };
        let is_any_built = imports.iter().any(may_be_built);
        let is_built = |import: &LocalImport| !is_any_built || may_be_built(import);
        // In dynamically typed languages, the first of several imports usually exists.
        let doubtful =
            if rules.typing() == Typing::Static { Confidence::Ambiguous } else { Confidence::Inferred };
        let mut is_complete = true;
        let mut targets: Vec<(Resolution<'a>, Confidence)> = Vec::new();
        let mut others: Vec<(Resolution<'a>, Confidence)> = Vec::new();
        for import in imports {
            let reexport = facts.imports[*import].reexport;
            let offered = match view {
                View::Glob(from) => rules.glob_offers(&self.context, from, scope, name, reexport),
                View::Own | View::Named => true,
            };
            if !offered || !is_built(import) {
                continue;
            }
            let Ok(found) = self.bound(scope.file, *import, name, namespace, visited, depth) else {
                is_complete &= facts.imports[*import].condition.is_none();
                continue;
            };
            match self.fitting(found, namespace) {
                Ok(found) if !targets.iter().any(|(known, _)| *known == found.0) => targets.push(found),
                Ok(_) => {}
                Err(found) => others.push(found),
            }
        }
        let mut targets = if targets.is_empty() { others } else { targets };
        if targets.len() < 2 {
            let (found, sure) = targets.pop()?;
            let most = if is_complete { Confidence::Exact } else { Confidence::Ambiguous };
            return Some((found, sure.min(most)));
        }
        let mut symbols = Vec::new();
        let mut confidence = Confidence::Exact;
        for (found, sure) in &targets {
            match found {
                Resolution::Symbols(found) => symbols.extend(found),
                Resolution::Scope(_) | Resolution::External(..) | Resolution::Values(_) => {
                    confidence = doubtful;
                }
            }
            confidence = confidence.min(*sure);
        }
        if symbols.is_empty() {
            let inside = targets.iter().position(|(found, _)| matches!(found, Resolution::Scope(_)));
            let sure = if inside.is_some() { doubtful } else { Confidence::Inferred };
            Some((targets.swap_remove(inside.unwrap_or(0)).0, sure))
        } else {
            Some((Resolution::Symbols(symbols), confidence))
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one lookup")]
    pub(super) fn through_glob(
        &self,
        scope: Scope,
        glob: LocalImport,
        name: &'a str,
        view: View,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let import = &self.context.facts(scope.file).imports[glob];
        let rules = self.rules(scope.file);
        if let View::Glob(from) = view
            && !rules.glob_offers(&self.context, from, scope, name, import.reexport)
        {
            return None;
        }
        self.in_imported(scope, &import.module, name, namespace, visited, depth)
    }

    /// Looks up a name in a module of which all names are imported into a scope.
    pub(super) fn in_imported(
        &self,
        scope: Scope,
        path: &'a str,
        name: &'a str,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let view = View::Glob(scope);
        match self.module(scope, path) {
            ModuleTarget::Scope(module) => self.in_scope(module, name, view, namespace, visited, depth),
            // `use Enum::*`, and modules that are themselves imported.
            _ => match self.path_in_scope(scope, path, visited, depth)? {
                (Resolution::Scope(module), _) => {
                    self.in_scope(module, name, view, namespace, visited, depth)
                }
                (Resolution::Symbols(owners), sure) => {
                    let (members, known) = self.members(&owners, name, Relation::References, depth)?;
                    Some((Resolution::Symbols(members), known.min(sure)))
                }
                (Resolution::External(..) | Resolution::Values(_), _) => None,
            },
        }
    }

    /// Resolves a module path that starts at a name in scope, `Enum` in `use Enum::*`, `io` in `use io::Read`, or at a
    /// crate that imports the next segment: `facade::core` where the root has `pub use other as core`.
    pub(super) fn path_in_scope(
        &self,
        scope: Scope,
        path: &'a str,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        if self.rules(scope.file).has_packages() {
            return self.qualified(scope, path, depth);
        }
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
        let in_scope = self.in_scope(at, first, view, Namespace::Prefix, visited, depth);
        // The root of a crate may import the modules that follow in the path.
        let root = || match self.rules(scope.file).resolve(&self.context, at, first) {
            ModuleTarget::Scope(root) => Some((Resolution::Scope(root), Confidence::Exact)),
            _ => None,
        };
        let mut found = in_scope.or_else(root)?;
        for segment in segments {
            let (next, sure) = match found.0 {
                Resolution::Scope(scope) => {
                    self.in_scope(scope, segment, View::Named, Namespace::Prefix, visited, depth)?
                }
                other => self
                    .step(other, segment, separator, Relation::References, Namespace::Prefix, depth)
                    .ok()?,
            };
            found = (next, sure.min(found.1));
        }
        Some(found)
    }

    pub(super) fn import(&self, file: FileId, id: LocalImport, depth: u32) -> ResolveResult<'a> {
        self.import_within(file, id, Namespace::Last, &mut Vec::new(), depth)
    }

    /// Resolves a name that is bound to an import. A scope may import the name several times: under conditions, or as a
    /// module and as an item in it.
    pub(super) fn import_head(
        &self,
        file: FileId,
        id: LocalImport,
        local: &'a str,
        namespace: Namespace,
        depth: u32,
    ) -> ResolveResult<'a> {
        let facts = self.context.facts(file);
        let scope = Scope { file, module: facts.imports[id].scope };
        let imports = self.context.imported(scope, local);
        if imports.len() > 1 && imports.contains(&id) {
            self.imported_as(scope, imports, local, View::Own, namespace, &mut Vec::new(), depth)
                .ok_or(NOT_IN_MODULE)
        } else {
            self.bound(file, id, local, namespace, &mut Vec::new(), depth)
        }
    }

    /// Resolves the local name that an import binds; `import a.b.c` binds `a`.
    pub(in crate::link) fn bound(
        &self,
        file: FileId,
        id: LocalImport,
        local: &str,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> ResolveResult<'a> {
        let import = &self.context.facts(file).imports[id];
        let rules = self.rules(file);
        if import.kind == ImportKind::Module
            && rules.binds_first_segment()
            && let Some((first, _)) = import.module.split_once('.')
            && first == local
        {
            let module = target(rules.resolve(&self.context, Scope::file(file), first))?;
            return Ok((module, Confidence::Exact));
        }
        self.import_within(file, id, namespace, visited, depth)
    }

    /// Returns the module `name` that the current file sees in a directory of modules that is no module itself, and that
    /// therefore seems to be an external package: `a.b` after `import a.b`.
    pub(in crate::link) fn module_in_directory(
        &self,
        directory: &str,
        origin: Origin,
        name: &str,
    ) -> Option<Scope> {
        let file = self.current.get().filter(|_| origin == Origin::ThirdParty)?;
        let rules = self.rules(file);
        match rules.resolve(&self.context, Scope::file(file), &rules.join(directory, name)?) {
            ModuleTarget::Scope(module) => Some(module),
            ModuleTarget::External(..) | ModuleTarget::Missing => None,
        }
    }

    /// Returns the target of a module path. Each use of an import needs it.
    fn module(&self, from: Scope, path: &'a str) -> ModuleTarget {
        if let Some(known) = self.modules.borrow().get(&(from, path)) {
            return known.clone();
        }
        let target = self.rules(from.file).resolve(&self.context, from, path);
        self.modules.borrow_mut().insert((from, path), target.clone());
        target
    }

    pub(super) fn import_within(
        &self,
        file: FileId,
        id: LocalImport,
        namespace: Namespace,
        visited: &mut Vec<(Scope, &'a str)>,
        depth: u32,
    ) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        let import = &self.context.facts(file).imports[id];
        let rules = self.rules(file);
        let scope = self.scope_of(file, import.scope);
        let (module, confidence) = match self.module(scope, &import.module) {
            ModuleTarget::Scope(module) => (Resolution::Scope(module), Confidence::Exact),
            outside_or_missing => match self.path_in_scope(scope, &import.module, visited, depth) {
                Some(found) => found,
                None => {
                    // A directory of modules need not be a module itself.
                    let within = rules.join(&import.module, &import.name);
                    if import.kind == ImportKind::Named
                        && let Some(ModuleTarget::Scope(module)) =
                            within.map(|path| rules.resolve(&self.context, scope, &path))
                    {
                        return Ok((Resolution::Scope(module), Confidence::Exact));
                    }
                    (target(outside_or_missing)?, Confidence::Exact)
                }
            },
        };
        let name = match import.kind {
            ImportKind::Module | ImportKind::Glob | ImportKind::Effects => return Ok((module, confidence)),
            ImportKind::Default => "default",
            ImportKind::Named => &*import.name,
        };
        let (found, sure) = match module {
            Resolution::Scope(module) => {
                let found = self.in_scope(module, name, View::Named, namespace, visited, depth);
                match found {
                    // A file without a marked default export is its own default export.
                    None if import.kind == ImportKind::Default => {
                        (Resolution::Scope(module), Confidence::Exact)
                    }
                    None => {
                        let beside = || self.beside_package(module, name);
                        self.macro_import(name).or_else(beside).ok_or(NOT_IN_MODULE)?
                    }
                    Some(found) => found,
                }
            }
            other => self.step(other, name, rules.separator(), Relation::Imports, namespace, depth)?,
        };
        Ok((found, sure.min(confidence)))
    }

    /// Resolves an imported macro. Exported macros are at the root of their crate, in whichever module they are
    /// written.
    pub(super) fn macro_import(&self, name: &str) -> Option<(Resolution<'a>, Confidence)> {
        match self.context.macros(name) {
            [only] => Some((Resolution::Symbols(vec![*only]), Confidence::Inferred)),
            _ => None,
        }
    }

    /// Returns the files that the current file imports from.
    pub(super) fn imported_files(&self, file: FileId) -> Rc<FxHashSet<FileId>> {
        let mut known = self.imported.borrow_mut();
        match &*known {
            Some((of, files)) if *of == file => Rc::clone(files),
            _ => {
                let files = Rc::new(self.find_imported_files(file));
                *known = Some((file, Rc::clone(&files)));
                files
            }
        }
    }

    fn find_imported_files(&self, file: FileId) -> FxHashSet<FileId> {
        let imports = &self.context.facts(file).imports;
        let mut files = FxHashSet::default();
        for id in imports.ids() {
            self.begin();
            match self.import(file, id, DEPTH) {
                Ok((Resolution::Scope(scope), _)) => {
                    files.insert(scope.file);
                }
                Ok((Resolution::Symbols(symbols), _)) => {
                    files.extend(symbols.iter().map(|symbol| symbol.file));
                }
                Ok((Resolution::External(..) | Resolution::Values(_), _)) | Err(_) => {}
            }
        }
        files
    }
}
