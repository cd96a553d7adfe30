//! Names in packages that several files share, and in files that include others.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sscg_core::{
    Confidence, FileId, Head, Import, ImportKind, LocalSymbol, Modifiers, ModuleSystem, NameRef, Relation,
    Symbol, SymbolKind, TypeHint,
};

use super::infer::{HintScope, Shape};
use super::scopes::{Namespace, View};
use super::types::same_parameters;
use super::{Linker, Resolution, ResolveError, ResolveResult};
use crate::graph::Origin;
use crate::link::languages::{Likelihood, ModuleTarget, likelihood, shared};
use crate::link::lineage::Ancestor;
use crate::link::signature::is_function_macro;
use crate::link::tables::{Decl, MOST_OF_A_NAME, Scope, hash_of};

/// Returns true for a function or type with its body, or a variable, that another file may declare ahead.
fn is_definition(symbol: &Symbol) -> bool {
    let is_variable = symbol.kind == SymbolKind::Variable && !symbol.modifiers.contains(Modifiers::DECLARE);
    symbol.body.is_some() || is_variable
}

/// Returns true if no other file has the definition of a declaration.
fn is_complete(symbol: &Symbol) -> bool {
    is_definition(symbol)
        || matches!(symbol.kind, SymbolKind::Macro | SymbolKind::Constant | SymbolKind::EnumMember)
}

fn is_header(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    extension.starts_with('h') || matches!(extension, "inl" | "ipp" | "tpp")
}

/// Maximum number of segments of a package's path.
const MAX_SEGMENTS: usize = 32;

impl<'a> Linker<'a> {
    /// Returns the declarations of a name in the package of a scope that are visible in the view.
    pub(super) fn declared_in_package(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
        let language = self.context.language(scope.file);
        if language.modules == ModuleSystem::Includes {
            return self.declared_in_includes(scope, name, view);
        }
        let all = self.parts_of_package(scope, name);
        let is_shared = |declaration: &Decl| match view {
            View::Own => true,
            View::Named | View::Glob(_) => self.symbol(*declaration).exported,
        };
        let mut found: Vec<Decl> = all.into_iter().filter(is_shared).collect();
        self.context.built(self.rules(scope.file), &mut found);
        self.whole_types(self.nearest_types(scope.file, found))
    }

    /// Returns the declarations of a name in the package of a scope.
    fn parts_of_package(&self, scope: Scope, name: &str) -> Vec<Decl> {
        let Some(package) = self.context.package_path(scope) else { return Vec::new() };
        let language = self.context.language(scope.file);
        let all = self.context.in_package(language.family, package, name);
        let own = self.context.declared(scope, name).iter().map(|own| Decl::new(scope.file, *own));
        let missing: Vec<Decl> = own.filter(|own| !all.contains(own)).collect();
        missing.into_iter().chain(all.iter().copied()).collect()
    }

    /// Selects the declarations of a name in a namespace that are visible in the view: from the scope's file, or, for a
    /// qualified name, from the file that uses it.
    fn declared_in_includes(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
        let key = hash_of(&(scope, name, matches!(view, View::Own)));
        let known = self.seen.borrow().get(&key).cloned();
        let (found, types) = known.unwrap_or_else(|| {
            let before = self.types.replace(Confidence::Exact);
            let found = self.find_in_includes(scope, name, view);
            let found = (found, self.types.replace(before));
            self.seen.borrow_mut().insert(key, found.clone());
            found
        });
        self.depend_on(types);
        found
    }

    fn find_in_includes(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
        let mut all = self.parts_of_package(scope, name);
        if all.is_empty() || matches!(view, View::Own) {
            return self.reachable(scope.file, name, all);
        }
        let file = self.current.get().unwrap_or(scope.file);
        let included = self.included_files(file);
        let is_visible = |it: &Decl| it.file == file || included.contains(&it.file);
        all.retain(|it| self.symbol(*it).exported || is_visible(it));
        let found = self.reachable(file, name, all.clone());
        if found.is_empty() { all } else { found }
    }

    /// Selects the types that are nearest to a file. The parts of a project that declare types of one name, which are
    /// not parts of one type, are built separately: modules, variants for other platforms, samples.
    fn nearest_types(&self, file: FileId, mut found: Vec<Decl>) -> Vec<Decl> {
        let is_whole = |it: &Decl| {
            let symbol = self.symbol(*it);
            symbol.kind.is_type() && !symbol.modifiers.contains(Modifiers::PARTIAL)
        };
        if found.len() > 1 && found.iter().all(is_whole) {
            let near =
                |it: &Decl| (it.file == file, shared(self.context.path(file), self.context.path(it.file)));
            // Types with different numbers of parameters are different types.
            let count = |it: &Decl| self.symbol(*it).type_parameters.len();
            let all = found.clone();
            found.retain(|it| {
                let same = all.iter().filter(|other| count(other) == count(it));
                same.map(near).max() == Some(near(it))
            });
        }
        found
    }

    /// Selects the declarations that a file sees: its own, those of the files that it includes, and their definitions in
    /// other files. Among several definitions, those nearest to the file count.
    pub(super) fn reachable(&self, file: FileId, name: &str, found: Vec<Decl>) -> Vec<Decl> {
        // A macro declares a test, which no code calls by name.
        let is_test = |it: &Decl| self.symbol(*it).modifiers.contains(Modifiers::TEST);
        let found = self.configured(found.into_iter().filter(|it| !is_test(it)).collect());
        if found.is_empty() {
            return found;
        }
        let included = self.included_files(file);
        let is_visible = |it: &Decl| it.file == file || included.contains(&it.file);
        let found = self.own_rather_than_library(name, found, is_visible);
        let visible = self.likely(found.iter().copied().filter(is_visible).collect());
        // A macro hides a function of its name.
        let hides =
            |it: &Decl| is_function_macro(self.symbol(*it)) && self.likelihood(*it) == Likelihood::Always;
        if visible.iter().any(hides) {
            return visible.into_iter().filter(hides).collect();
        }
        let open: Vec<Decl> =
            visible.iter().copied().filter(|it| !self.is_defined_among(*it, &visible)).collect();
        if open.is_empty() && !visible.is_empty() {
            return visible;
        }
        let elsewhere: Vec<Decl> = found.into_iter().filter(|it| !is_visible(it)).collect();
        let mut visible = visible;
        visible.extend(self.defined_elsewhere(file, elsewhere.clone(), &open));
        if visible.is_empty() { self.types_before(file, elsewhere) } else { visible }
    }

    /// Returns true for a declaration that is, or has, a definition among the visible declarations of its name.
    fn is_defined_among(&self, declaration: Decl, visible: &[Decl]) -> bool {
        let symbol = self.symbol(declaration);
        if is_complete(symbol) {
            return true;
        }
        let has_count = |it: &&Decl| self.symbol(**it).parameters.len() == symbol.parameters.len();
        let alike: Vec<&Decl> = visible.iter().filter(has_count).collect();
        let defines = |it: &&Decl| is_complete(self.symbol(**it));
        let is_only = alike.iter().copied().filter(defines).count() == 1;
        visible.iter().any(|it| self.symbol(*it).kind == SymbolKind::Macro)
            || alike.iter().copied().filter(defines).any(|it| same_parameters(self.symbol(*it), symbol))
            || is_only && alike.iter().all(|it| same_parameters(self.symbol(**it), symbol) || defines(it))
    }

    /// Selects the definitions in other files of functions and variables that a file sees only declared, or does not see.
    fn defined_elsewhere(&self, file: FileId, mut found: Vec<Decl>, declared: &[Decl]) -> Vec<Decl> {
        let is_seen = !declared.is_empty();
        found.retain(|it| {
            let symbol = self.symbol(*it);
            // A function in a header that is not included is not visible.
            let is_inline = symbol.kind.is_callable() && is_header(self.context.path(it.file));
            symbol.exported && is_definition(symbol) && (is_seen || !is_inline)
        });
        let fits =
            |it: &Decl| declared.iter().any(|own| same_parameters(self.symbol(*own), self.symbol(*it)));
        if declared.len() > 1 && found.iter().any(fits) {
            found.retain(fits);
        }
        let mut headers: Vec<&str> = declared.iter().map(|it| self.context.path(it.file)).collect();
        headers.dedup();
        let near = |it: &Decl| {
            let path = self.context.path(it.file);
            let beside = headers.iter().map(|header| shared(header, path));
            (shared(self.context.path(file), path), beside.max())
        };
        let ranked: Vec<_> = self.likely(found).into_iter().map(|it| (near(&it), it)).collect();
        let nearest = ranked.iter().map(|(near, _)| *near).max();
        if !is_seen && nearest.is_some() {
            // No header that the file includes declares it.
            self.depend_on(Confidence::Inferred);
        }
        ranked.into_iter().filter(|(near, _)| Some(*near) == nearest).map(|(_, it)| it).collect()
    }

    /// Selects the types of one name that a header uses without including them, because those that include the header
    /// include them before.
    fn types_before(&self, file: FileId, mut found: Vec<Decl>) -> Vec<Decl> {
        let near = |it: &Decl| shared(self.context.path(file), self.context.path(it.file));
        found.retain(|it| self.symbol(*it).kind.is_type() && self.symbol(*it).exported);
        let nearest = found.iter().map(near).max();
        found.retain(|it| Some(near(it)) == nearest);
        if !found.is_empty() {
            self.depend_on(Confidence::Inferred);
        }
        found
    }

    /// Selects the first of several declarations of one thing: declared ahead by several files, or in each branch of a
    /// conditional block.
    pub(super) fn first_of_variants(&self, symbols: Vec<Decl>) -> (Vec<Decl>, Confidence) {
        let sure = Confidence::Exact;
        let [first, rest @ ..] = &symbols[..] else { return (symbols, sure) };
        if rest.is_empty() || self.context.language(first.file).modules != ModuleSystem::Includes {
            return (symbols, sure);
        }
        let kind = self.symbol(*first).kind;
        let all = |fits: &dyn Fn(&Decl) -> bool| symbols.iter().all(fits);
        if !all(&|it| self.symbol(*it).kind == kind) {
            return (symbols, sure);
        }
        let is_ahead = |it: &Decl| self.symbol(*it).modifiers.contains(Modifiers::DECLARE);
        let is_text = matches!(kind, SymbolKind::Macro | SymbolKind::Constant);
        if kind != SymbolKind::Method && all(&is_ahead) {
            (vec![*first], sure)
        } else if kind == SymbolKind::TypeAlias {
            (vec![*first], Confidence::Inferred)
        } else if is_text {
            // Which one counts depends on the options of the build.
            let path = self.context.path(self.current.get().unwrap_or(first.file));
            let near = |it: &&Decl| (shared(path, self.context.path(it.file)), std::cmp::Reverse(**it));
            let own = symbols.iter().find(|it| Some(it.file) == self.current.get());
            let nearest = own.or_else(|| symbols.iter().max_by_key(near));
            (vec![*nearest.unwrap_or(first)], Confidence::Inferred)
        } else {
            (symbols, sure)
        }
    }

    /// Returns the files that a file includes, directly or not.
    fn included_files(&self, file: FileId) -> Rc<FxHashSet<FileId>> {
        if let Some(files) = self.included.borrow().get(&file) {
            // The cache outlives the file that filled it.
            if self.is_read.borrow_mut().insert(file) {
                files.iter().for_each(|file| self.context.note(*file));
            }
            return Rc::clone(files);
        }
        self.is_read.borrow_mut().insert(file);
        let mut files = FxHashSet::default();
        let mut next = vec![file];
        let compiler = self.context.layout.compiler(file, self.context.language(file));
        while let Some(file) = next.pop() {
            let rules = self.rules(file);
            let imports = self.context.facts(file).imports.iter();
            let is_included = |import: &&Import| {
                let is_never = |condition| likelihood(condition, compiler) == Likelihood::Never;
                let is_left_out = import.condition.as_deref().is_some_and(is_never);
                import.kind == ImportKind::Effects && !is_left_out
            };
            for import in imports.filter(is_included) {
                let target = rules.resolve(&self.context, Scope::file(file), &import.module);
                if let ModuleTarget::Scope(scope) = target
                    && files.insert(scope.file)
                {
                    next.push(scope.file);
                }
            }
        }
        let files = Rc::new(files);
        self.included.borrow_mut().insert(file, Rc::clone(&files));
        files
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

    /// Returns what a name means that no part of a package declares: a name of the standard library, to whose package
    /// the project adds, or one whose package a macro opens.
    pub(super) fn beside_package(&self, scope: Scope, name: &str) -> Option<(Resolution<'a>, Confidence)> {
        let path = self.context.package_path(scope).filter(|path| !path.is_empty())?;
        let first = path.split('.').next()?;
        let rules = self.rules(scope.file);
        if let Some(ModuleTarget::External(_, origin)) = rules.free_head(&self.context, scope, first) {
            let path = format!("{path}{}{name}", rules.separator());
            return Some((Resolution::External(path, origin), Confidence::Exact));
        }
        let language = self.context.language(scope.file);
        if language.modules != ModuleSystem::Includes {
            return None;
        }
        let all = self.context.in_package(language.family, "", name).to_vec();
        let seen = self.reachable(self.current.get().unwrap_or(scope.file), name, all.clone());
        let found = if seen.is_empty() { all } else { seen };
        (!found.is_empty()).then_some((Resolution::Symbols(found), Confidence::Inferred))
    }

    /// Returns the package with the longest path that the first segments of a name are, and their number.
    pub(super) fn longest_package(&self, file: FileId, path: &[Box<str>]) -> Option<(Scope, usize)> {
        let family = self.context.language(file).family;
        (1..path.len().min(MAX_SEGMENTS)).rev().find_map(|len| {
            let package = path[..len].join(".");
            Some((self.context.package_scope(family, &package)?, len))
        })
    }

    /// Resolves a dotted path that starts with a package.
    pub(super) fn qualified(
        &self,
        scope: Scope,
        path: &'a str,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let depth = self.deeper(depth).ok()?;
        let family = self.context.language(scope.file).family;
        let dots = path.match_indices('.').map(|(dot, _)| dot);
        let ends: Vec<usize> = [path.len()]
            .into_iter()
            .chain(dots.take(MAX_SEGMENTS).collect::<Vec<_>>().into_iter().rev())
            .collect();
        // The path may start in a package around the scope.
        let around = self.context.package_path(scope).filter(|around| !around.is_empty());
        let around = std::iter::successors(around, |at| at.rsplit_once('.').map(|(around, _)| around));
        let (package, end) = around.map(Some).chain([None]).find_map(|around| {
            ends.iter().find_map(|end| {
                let first = &path[..*end];
                let full = around.map_or_else(|| first.to_owned(), |around| format!("{around}.{first}"));
                Some((self.context.package_scope(family, &full)?, *end))
            })
        })?;
        let mut found = (Resolution::Scope(package), Confidence::Exact);
        for segment in path[end..].split('.').filter(|segment| !segment.is_empty()) {
            let (next, sure) =
                self.step(found.0, segment, ".", Relation::References, Namespace::Prefix, depth).ok()?;
            found = (next, sure.min(found.1));
        }
        Some(found)
    }

    /// Resolves the first segment of a path outside of the project: a root of the standard library, or a name from the
    /// imports of all names of a package or type. Among these, by the one that is known
    /// to have it, or by the only one. Packages have types, and types have members, which usually differ in the case of
    /// their first letter.
    pub(super) fn outside_of_project(
        &self,
        file: FileId,
        path: &[Box<str>],
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let name = &*path[0];
        let library = self.context.language(file).library;
        if path.len() > 1 && library.is_root(name) {
            return Some((Resolution::External(name.to_owned(), Origin::StandardLibrary), Confidence::Exact));
        }
        let (scope, imports) = (Scope::file(file), &self.context.facts(file).imports);
        let modules = self.context.globs(scope).map(|glob| &*imports[glob].module);
        let outside =
            modules.filter_map(|module| match self.rules(file).resolve(&self.context, scope, module) {
                ModuleTarget::External(path, origin) if self.qualified(scope, module, depth).is_none() => {
                    Some((path, origin))
                }
                _ => None,
            });
        let outside: Vec<_> = outside.collect();
        let found =
            |(path, origin): &(String, Origin)| Resolution::External(format!("{path}.{name}"), *origin);
        if let Some(known) = outside.iter().find(|(path, _)| library.declares(path, name)) {
            return Some((found(known), Confidence::Exact));
        }
        let is_upper = |text: &str| text.starts_with(char::is_uppercase);
        // Otherwise the first segment of a path is more likely that of a package.
        if path.len() > 1 && !is_upper(name) {
            return None;
        }
        let last = |path: &str| is_upper(path.rsplit('.').next().unwrap_or(path));
        let is_likely = |(path, _): &&(String, Origin)| last(path) != is_upper(name);
        let mut likely: Vec<_> = outside.iter().filter(is_likely).collect();
        if likely.is_empty() {
            likely.extend(&outside);
        }
        match likely[..] {
            [only] => Some((found(only), Confidence::Inferred)),
            _ => None,
        }
    }

    /// Returns the constructors that the constructor of a type runs first: those of its base, or the base itself if it
    /// has none in the text.
    pub(super) fn base_constructors(&self, ty: Decl) -> ResolveResult<'a> {
        let base = self.ancestors(ty).and_then(<[_]>::first).ok_or(ResolveError::Local)?;
        if self.symbol(base.ty).kind == SymbolKind::Interface {
            return Err(ResolveError::Local);
        }
        let facts = self.context.facts(base.ty.file);
        let constructors = facts.children(base.ty.symbol);
        let constructors: Vec<Decl> = constructors
            .filter(|it| facts.symbols[*it].kind == SymbolKind::Constructor)
            .map(|it| Decl::new(base.ty.file, it))
            .collect();
        let found = if constructors.is_empty() { vec![base.ty] } else { constructors };
        Ok((Resolution::Symbols(found), base.confidence))
    }

    /// Returns the methods that a method overrides where functions of one name may differ in their parameters: those of
    /// the nearest supertype that has any with as many parameters, of the same types if possible.
    pub(super) fn overridden_overload(
        &self,
        method: Decl,
        ancestors: &[Ancestor],
    ) -> Option<(Vec<Decl>, Confidence)> {
        let own = self.symbol(method);
        let name = |ty: &'a TypeHint| match ty.named() {
            Some((name, [value])) if name.name() == TypeHint::NULLABLE => {
                (name.name(), value.named().map(|(name, _)| name.name()))
            }
            named => (named.map_or("", |(name, _)| name.name()), None),
        };
        let types = |symbol: &'a Symbol| -> Vec<_> { symbol.parameters.iter().map(name).collect() };
        ancestors.iter().find_map(|ancestor| {
            let mut found = self.own_member(ancestor.ty, &own.name, Relation::Overrides)?;
            found.retain(|it| {
                let symbol = self.symbol(*it);
                symbol.kind == SymbolKind::Method
                    && !symbol.modifiers.contains(Modifiers::PRIVATE)
                    && symbol.parameters.len() == own.parameters.len()
            });
            if found.iter().any(|it| types(self.symbol(*it)) == types(own)) {
                found.retain(|it| types(self.symbol(*it)) == types(own));
            }
            (!found.is_empty()).then_some((found, ancestor.confidence))
        })
    }

    /// Returns the only abstract method of an interface, which a function that implements it stands for.
    pub(super) fn functional_method(&self, interface: Decl) -> Option<Decl> {
        let types =
            [interface].into_iter().chain(self.ancestors(interface).into_iter().flatten().map(|it| it.ty));
        let mut methods = types.flat_map(|ty| {
            let facts = self.context.facts(ty.file);
            let is_abstract = |it: &LocalSymbol| {
                let symbol = &facts.symbols[*it];
                symbol.kind == SymbolKind::Method && symbol.modifiers.contains(Modifiers::ABSTRACT)
            };
            facts
                .children(ty.symbol)
                .filter(is_abstract)
                .map(move |it| Decl::new(ty.file, it))
                .collect::<Vec<_>>()
        });
        let first = methods.next()?;
        methods.all(|it| self.symbol(it).name == self.symbol(first).name).then_some(first)
    }

    /// Returns true if a function takes a number of arguments; `any` allows parameters that take none or several.
    pub(super) fn takes(&self, function: Decl, count: u8, any: bool) -> bool {
        let count = usize::from(count);
        let symbol = self.symbol(function);
        // The receiver of a call is the first argument of an extension method.
        let is_extension = symbol.modifiers.contains(Modifiers::EXTENSION);
        let most = symbol.parameters.len().saturating_sub(usize::from(is_extension));
        !symbol.kind.is_callable()
            || symbol.kind == SymbolKind::Macro
            || most == count
            || any && (symbol.modifiers.contains(Modifiers::VARIADIC) && count + 1 >= most || most > count)
    }

    /// Returns true if these are functions of one type, which an import by their name brings in together.
    pub(super) fn are_overloads(&self, functions: &[Decl]) -> bool {
        let is_overload = |it: &Decl| {
            self.symbol(*it).kind.is_callable()
                && self.rules(it.file).has_overloads()
                && self.context.parent(*it) == self.context.parent(functions[0])
        };
        functions.iter().all(is_overload)
    }

    /// Resolves a call of a function of another type as a member of its first parameter: an extension method. Of
    /// several, those that the file imports count, and those whose parameter is a type of the receiver.
    pub(super) fn extension_method(
        &self,
        place: HintScope,
        name: &'a NameRef,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        if name.path.len() < 2 && !matches!(name.head, Head::Value(_)) {
            return None;
        }
        let HintScope { file, from } = place;
        let all = self.extensions(file, name.name());
        if all.is_empty() {
            return None;
        }
        let depth = self.deeper(depth).ok()?;
        let before = name.path.len() - 1;
        let receivers = match &name.head {
            Head::Value(Some(hint)) if before == 0 => self.hinted(place, hint, depth).ok(),
            Head::Local(Some(hint)) if before == 1 => self.hinted(place, hint, depth).ok(),
            Head::Value(None) => None,
            _ if before == 0 => None,
            _ => {
                let found = self.prefix(file, from, name, before, Relation::References, depth).ok();
                found.and_then(|(found, _)| self.values_of(found, depth))
            }
        };
        let is_known = receivers.is_some();
        let values = receivers.map(|(values, _)| values).unwrap_or_default();
        let types: Vec<Decl> = values.into_iter().filter_map(Shape::declaration).collect();
        if types.is_empty() && self.rules(file).is_common_method(name.name()) {
            return None;
        }
        let (mut sure, mut found) = (Confidence::Inferred, all);
        if is_known {
            let fits: Vec<Option<bool>> = found.iter().map(|it| self.extends(*it, &types, depth)).collect();
            let is_exact = fits.contains(&Some(true));
            let wanted = is_exact.then_some(true);
            sure = if is_exact { Confidence::Exact } else { Confidence::Inferred };
            found = found.into_iter().zip(fits).filter(|(_, fit)| *fit == wanted).map(|(it, _)| it).collect();
        }
        let seen = self.seen_packages(self.scope_of(file, from));
        let is_seen = |it: &Decl| {
            let package = self.context.package_path(self.scope_of(it.file, Some(it.symbol)));
            package.is_some_and(|package| seen.contains(package))
        };
        if found.iter().any(is_seen) {
            found.retain(is_seen);
        } else {
            sure = Confidence::Inferred;
        }
        (!found.is_empty()).then_some((Resolution::Symbols(found), sure))
    }

    /// Returns the extension methods of a name that code in a file may call.
    pub(super) fn extensions(&self, file: FileId, name: &str) -> Vec<Decl> {
        let is_extension = |it: &Decl| {
            self.context.is_of_family(it.file, file)
                && self.context.peek(*it).modifiers.contains(Modifiers::EXTENSION)
        };
        let methods = self.context.methods(name).iter().copied();
        methods.filter(is_extension).take(MOST_OF_A_NAME).collect()
    }

    /// Returns true if the first parameter of an extension method is one of these types or their supertypes, false if it
    /// is another type of the project, and `None` if it is a type parameter or an external type.
    fn extends(&self, method: Decl, types: &[Decl], depth: u32) -> Option<bool> {
        let parameter = self.symbol(method).parameters.first()?;
        let (values, _) = self.hinted(HintScope::of(method), parameter, depth).ok()?;
        let wanted: Vec<Decl> = values.into_iter().filter_map(Shape::declaration).collect();
        if wanted.is_empty() {
            // A container of the language is not a type of the project.
            return if types.is_empty() { None } else { Some(false) };
        }
        Some(types.iter().any(|ty| {
            let supertypes = self.ancestors(*ty).unwrap_or_default().iter().map(|it| it.ty);
            supertypes.chain([*ty]).any(|ty| wanted.contains(&ty))
        }))
    }

    /// Returns the packages whose declarations a scope sees without their path: its own and those around it, and those
    /// that the file imports.
    pub(super) fn seen_packages(&self, scope: Scope) -> FxHashSet<&'a str> {
        let mut seen = FxHashSet::from_iter([""]);
        let mut own = self.context.package_path(scope);
        while let Some(package) = own {
            seen.insert(package);
            own = package.rsplit_once('.').map(|(around, _)| around);
        }
        let imports = self.context.facts(scope.file).imports.iter();
        let globs = imports.filter(|import| import.kind == ImportKind::Glob);
        seen.extend(globs.map(|import| &*import.module));
        seen.extend(self.context.usings(scope.file));
        let global = self.context.global_imports(scope.file);
        seen.extend(global.map(|(file, import)| &*self.context.facts(file).imports[import].module));
        seen
    }

    /// Selects the types with a number of type parameters, where types of one name may differ in it.
    pub(super) fn by_type_arity(&self, types: Vec<Decl>, count: usize) -> Vec<Decl> {
        let has_count = |it: &Decl| self.symbol(*it).type_parameters.len() == count;
        let overloaded = types.len() > 1 && types.iter().all(|it| self.rules(it.file).has_overloads());
        if overloaded && types.iter().any(has_count) {
            types.into_iter().filter(has_count).collect()
        } else {
            types
        }
    }

    /// Selects the functions that take a number of arguments, where functions of one name may differ in their
    /// parameters. A type has the overloads of its supertypes too.
    pub(super) fn by_arity(&self, file: FileId, symbols: Vec<Decl>, count: u8) -> Vec<Decl> {
        if !self.rules(file).has_overloads() {
            return symbols;
        }
        // A function with a variable number of parameters is as good as others.
        let are_equal = self.context.language(file).modules == ModuleSystem::Includes;
        let is_variadic =
            |it: &Decl, any| any || are_equal && self.symbol(*it).modifiers.contains(Modifiers::VARIADIC);
        let fitting = |any: bool| {
            symbols
                .iter()
                .copied()
                .filter(|it| self.takes(*it, count, is_variadic(it, any)))
                .collect::<Vec<_>>()
        };
        let inherited = || {
            let method = symbols.iter().find(|it| self.symbol(**it).kind == SymbolKind::Method)?;
            let ancestors = self.ancestors(self.owner_of_member(*method)?)?.iter();
            let mut found = ancestors.filter_map(|ancestor| {
                let mut own = self.own_member(ancestor.ty, &self.symbol(*method).name, Relation::Calls)?;
                own.retain(|it| self.takes(*it, count, false));
                (!own.is_empty()).then_some(own)
            });
            found.next()
        };
        let exact = fitting(false);
        if !exact.is_empty() {
            return exact;
        }
        let others = inherited().unwrap_or_else(|| fitting(true));
        if others.is_empty() { symbols } else { others }
    }
}
