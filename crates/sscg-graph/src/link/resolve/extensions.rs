//! Functions that are called like members of their first parameter.

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, FileId, Head, ImportKind, Modifiers, NameRef, Relation};

use super::shape::{HintScope, Shape};
use super::{Linker, Resolution};
use crate::link::tables::{Decl, MOST_OF_A_NAME, Scope};

impl<'a> Linker<'a> {
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
}
