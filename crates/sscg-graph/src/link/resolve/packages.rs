//! Names in packages that several files share, and in files that include others.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, FileId, ImportKind, Modifiers, ModuleSystem, Relation, SymbolKind};

use super::scopes::{Namespace, View};
use super::{Linker, Resolution};
use crate::link::languages::{ModuleTarget, shared};
use crate::link::tables::{Decl, Scope};

impl<'a> Linker<'a> {
    /// Returns the declarations of a name in the package of a scope that are visible in the view.
    pub(super) fn declared_in_package(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
        let Some(package) = self.context.package_path(scope) else { return Vec::new() };
        let language = self.context.language(scope.file);
        let all = self.context.in_package(language.family, package, name);
        let is_shared = |declaration: &Decl| match view {
            View::Own => true,
            View::Named | View::Glob(_) => self.symbol(*declaration).exported,
        };
        let mut found: Vec<Decl> = all.iter().copied().filter(is_shared).collect();
        self.context.built(self.rules(scope.file), &mut found);
        match language.modules {
            ModuleSystem::Includes => self.reachable(scope.file, found),
            _ => found,
        }
    }

    /// Selects the declarations that a file sees: its own, those of the files that it includes, and the definitions of
    /// other files. Among several definitions, those nearest to the file count.
    fn reachable(&self, file: FileId, found: Vec<Decl>) -> Vec<Decl> {
        let Some(first) = found.first() else { return found };
        let own: Vec<Decl> = found.iter().copied().filter(|it| it.file == file).collect();
        if own.iter().any(|it| self.symbol(*it).body.is_some()) || found.len() == 1 && first.file == file {
            return own;
        }
        let included = self.included_files(file);
        let is_visible = |it: &Decl| it.file == file || included.contains(&it.file);
        let mut visible: Vec<Decl> = found.iter().copied().filter(is_visible).collect();
        if visible.iter().any(|it| self.symbol(*it).body.is_some()) {
            return visible;
        }
        let may_be_defined_elsewhere = |it: &Decl| {
            let symbol = self.symbol(*it);
            symbol.exported && symbol.body.is_some() && !is_visible(it)
        };
        let elsewhere: Vec<Decl> = found.iter().copied().filter(may_be_defined_elsewhere).collect();
        let near = |it: &Decl| {
            let here = self.context.path(file);
            let beside = visible
                .iter()
                .map(|declared| shared(self.context.path(declared.file), self.context.path(it.file)));
            (shared(here, self.context.path(it.file)), beside.max())
        };
        let nearest = elsewhere.iter().map(near).max();
        let definitions: Vec<Decl> =
            elsewhere.iter().copied().filter(|it| Some(near(it)) == nearest).collect();
        visible.extend(definitions);
        visible
    }

    /// Returns the files that a file includes, directly or not.
    fn included_files(&self, file: FileId) -> Rc<FxHashSet<FileId>> {
        let mut known = self.included.borrow_mut();
        match &*known {
            Some((of, files)) if *of == file => Rc::clone(files),
            _ => {
                let mut files = FxHashSet::default();
                let mut next = vec![file];
                while let Some(file) = next.pop() {
                    let rules = self.rules(file);
                    let imports = self.context.facts(file).imports.iter();
                    for import in imports.filter(|import| import.kind == ImportKind::Effects) {
                        let target = rules.resolve(&self.context, Scope::file(file), &import.module);
                        if let ModuleTarget::Scope(scope) = target
                            && files.insert(scope.file)
                        {
                            next.push(scope.file);
                        }
                    }
                }
                let files = Rc::new(files);
                *known = Some((file, Rc::clone(&files)));
                files
            }
        }
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
        if language.modules == ModuleSystem::DirectoryPackages {
            return None;
        }
        let mut path = self.context.package_path(scope)?;
        while !path.is_empty() {
            path = path.rsplit_once('.').map_or("", |(around, _)| around);
            let all = self.context.in_package(language.family, path, name).to_vec();
            let found = if language.modules == ModuleSystem::Includes {
                self.reachable(scope.file, all)
            } else {
                all
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
        if scope == file {
            None
        } else {
            self.in_scope(file, name, View::Own, namespace, &mut visited, depth)
        }
    }

    /// Returns the package with the longest path that the first segments of a name are, and their number.
    pub(super) fn longest_package(&self, file: FileId, path: &[Box<str>]) -> Option<(Scope, usize)> {
        let family = self.context.language(file).family;
        (1..path.len()).rev().find_map(|len| {
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
        let family = self.context.language(scope.file).family;
        let dots = path.match_indices('.').map(|(dot, _)| dot);
        let ends = [path.len()].into_iter().chain(dots.collect::<Vec<_>>().into_iter().rev());
        let (package, end) = ends
            .into_iter()
            .find_map(|end| Some((self.context.package_scope(family, &path[..end])?, end)))?;
        let mut found = (Resolution::Scope(package), Confidence::Exact);
        for segment in path[end..].split('.').filter(|segment| !segment.is_empty()) {
            let (next, sure) =
                self.step(found.0, segment, ".", Relation::References, Namespace::Prefix, depth).ok()?;
            found = (next, sure.min(found.1));
        }
        Some(found)
    }

    /// Selects the functions that take a number of arguments, where functions of one name may differ in their
    /// parameters.
    pub(super) fn by_arity(&self, file: FileId, symbols: Vec<Decl>, count: u8) -> Vec<Decl> {
        if !self.rules(file).has_overloads() {
            return symbols;
        }
        let count = usize::from(count);
        let takes = |it: &Decl, any: bool| {
            let symbol = self.symbol(*it);
            let most = symbol.parameters.len();
            !symbol.kind.is_callable()
                || symbol.kind == SymbolKind::Macro
                || most == count
                || any
                    && (symbol.modifiers.contains(Modifiers::VARIADIC) && count + 1 >= most || most > count)
        };
        [false, true]
            .into_iter()
            .map(|any| symbols.iter().copied().filter(|it| takes(it, any)).collect::<Vec<_>>())
            .find(|fitting| !fitting.is_empty())
            .unwrap_or(symbols)
    }
}
