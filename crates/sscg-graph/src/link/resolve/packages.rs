//! Names in packages that several files share.

use sscg_core::{Confidence, FileId, Modifiers, ModuleSystem, Relation};

use super::{Linker, Namespace, Resolution, View};
use crate::graph::Origin;
use crate::link::languages::{ModuleTarget, shared};
use crate::link::tables::{Decl, Scope};

/// Maximum number of segments of a package's path.
const MAX_SEGMENTS: usize = 32;

impl<'a> Linker<'a> {
    /// Returns the declarations of a name in the package of a scope that are visible in the view.
    pub(super) fn declared_in_package(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
        let language = self.context.language(scope.file);
        if language.modules == ModuleSystem::Includes {
            return self.declared_in_includes(scope, name, view);
        }
        let all = self.context.in_package_of(scope, name);
        let is_shared = |declaration: &Decl| match view {
            View::Own => true,
            View::Named | View::Glob(_) => self.symbol(*declaration).exported,
        };
        let mut found: Vec<Decl> = all.into_iter().filter(is_shared).collect();
        self.context.built(self.rules(scope.file), &mut found);
        self.whole_types(self.nearest_types(scope.file, found))
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
}
