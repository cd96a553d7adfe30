//! Candidates for macros, and for methods of unknown receivers, by name.

use sscg_core::{Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Relation};

use super::{DEPTH, Linker, NOT_DEFINED, Namespace, Outcome, Resolution, ResolveResult};
use crate::graph::{ExternalSymbol, Origin, Reason};
use crate::link::languages::Typing;
use crate::link::tables::Decl;

/// Maximum number of candidates for a method of a receiver of unknown type, or for a macro.
const MAX_CANDIDATES: usize = 5;

impl<'a> Linker<'a> {
    /// Resolves a macro by name, since macros are scoped by textual order: one in the same file, otherwise the only one
    /// of the project. A macro that is imported from outside, or denoted by a path to there, is external.
    pub(super) fn macro_target(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        name: &str,
    ) -> Outcome {
        let external = |path: String, origin| {
            let separator = self.rules(file).separator();
            let name = if path.ends_with(name) { path } else { format!("{path}{separator}{name}") };
            Outcome::External(ExternalSymbol { name: name.into(), origin }, Confidence::Exact)
        };
        if let [first, ..] = &*macro_name.path
            && macro_name.path.len() > 1
            && let Ok((Resolution::External(path, origin), _)) =
                self.macro_head(file, from, macro_name, first)
        {
            return external(path, origin);
        }
        let scope = self.scope_of(file, from);
        if macro_name.path.len() == 1
            && let [import] = self.context.imported(scope, name)
            && let Ok((Resolution::External(path, origin), _)) = self.import(file, *import, DEPTH)
        {
            return external(path, origin);
        }
        let all = self.reachable_macros(file, from, name);
        let here: Vec<_> = all.iter().copied().filter(|symbol| symbol.file == file).collect();
        let (candidates, sure) =
            if here.is_empty() { (all, Confidence::Inferred) } else { (here, Confidence::Exact) };
        match candidates.len() {
            0 => match self.rules(file).builtin(name) {
                Some(name) => {
                    let external = ExternalSymbol { name: name.into(), origin: Origin::StandardLibrary };
                    Outcome::External(external, Confidence::Exact)
                }
                None => Outcome::Unresolved(Reason::NoMacro),
            },
            1 => Outcome::Nodes(vec![self.node(candidates[0])], sure),
            2..=MAX_CANDIDATES => self.any_of(candidates),
            _ => Outcome::Unresolved(Reason::ManyMacros),
        }
    }

    /// Returns the macros of a name that code may use: exported ones, and those of its package; of test builds only if it
    /// is part of one. A file of no package may be part of any, and if nothing else declares the name, a file of another
    /// package may be part of this one.
    fn reachable_macros(&self, file: FileId, from: Option<LocalSymbol>, name: &str) -> Vec<Decl> {
        let mut all = self.context.macros(name).to_vec();
        let rules = self.rules(file);
        if !rules.exports_macros() {
            return all;
        }
        let is_of_tests = |file: FileId, symbol: Option<LocalSymbol>| {
            self.context.is_test_file(file) || symbol.is_some_and(|it| self.is_test(Decl::new(file, it)))
        };
        let is_built = |it: &Decl| !is_of_tests(it.file, Some(it.symbol));
        let has_other = rules.builtin(name).is_some() || all.iter().any(is_built);
        if has_other && !is_of_tests(file, from) {
            all.retain(is_built);
        }
        let package = |file| self.context.package(file).map(std::ptr::from_ref);
        let own = package(file);
        let is_reachable = |it: &&Decl| {
            let declared_in = package(it.file);
            declared_in.is_none() || declared_in == own || self.context.peek(**it).exported
        };
        let reachable: Vec<Decl> = all.iter().filter(is_reachable).copied().collect();
        if reachable.is_empty() && rules.builtin(name).is_none() { all } else { reachable }
    }

    /// Resolves the first segment of a macro's path.
    pub(super) fn macro_head(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        first: &'a str,
    ) -> ResolveResult<'a> {
        match &macro_name.head {
            Head::Import(import) => self.import_head(file, *import, first, Namespace::Prefix, DEPTH),
            Head::Free => self.free(file, from, macro_name, Relation::References, DEPTH),
            _ => Err(NOT_DEFINED),
        }
    }

    /// Returns true if a declaration is only part of test builds.
    pub(super) fn is_test(&self, symbol: Decl) -> bool {
        std::iter::successors(Some(symbol), |symbol| {
            let parent = self.context.peek(*symbol).parent?;
            Some(Decl::new(symbol.file, parent))
        })
        .any(|symbol| self.context.peek(symbol).modifiers.contains(Modifiers::TEST))
    }

    /// Resolves a method call whose receiver has no type in the text. Candidates are the methods of that name in the
    /// file and in the files that it imports from. The calling method is excluded, since it would be called on `self`,
    /// and so is test code unless the caller is a test. Where built-in types have such a method, the receiver is more
    /// likely one of those.
    pub(super) fn method_by_name(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &str,
        arguments: Option<u8>,
    ) -> Outcome {
        let rules = self.rules(file);
        if rules.is_common_method(name) {
            return Outcome::Unresolved(Reason::BuiltInMethod);
        }
        let imported = self.imported_files(file);
        let caller = from.map(|from| Decl::new(file, from));
        let may_take = |symbol: &Decl| {
            arguments.is_none_or(|count| !rules.has_overloads() || self.takes(*symbol, count, true))
        };
        let callable = |symbol: &Decl| {
            let has_receiver = !self.context.peek(*symbol).modifiers.contains(Modifiers::STATIC);
            (has_receiver || rules.instances_have_static_methods())
                && self.context.is_of_family(symbol.file, file)
                && may_take(symbol)
        };
        let all: Vec<Decl> = self.context.methods(name).iter().copied().filter(callable).collect();
        let from_test = caller.is_some_and(|caller| self.is_test(caller));
        let near = |symbol: &Decl| {
            let at = symbol.file;
            let reachable = at == file || imported.contains(&at);
            reachable && Some(*symbol) != caller && (from_test || !self.is_test(*symbol))
        };
        let candidates = self.narrow(all.iter().copied().filter(near).collect(), Relation::Calls);
        match candidates.len() {
            0 => Outcome::Unresolved(Reason::ReceiverType),
            found @ 1..=MAX_CANDIDATES => {
                // Without declared types, values may also come from files that are not imported.
                let is_other = |symbol: &&Decl| Some(**symbol) != caller && !candidates.contains(symbol);
                let others =
                    if rules.typing() == Typing::Static { 0 } else { all.iter().filter(is_other).count() };
                match (found, others) {
                    (1, 0) => Outcome::Nodes(self.nodes(candidates), Confidence::Inferred),
                    (_, 0) => self.any_of(candidates),
                    _ => Outcome::SomeOf(self.nodes(candidates), found + others),
                }
            }
            _ => Outcome::Unresolved(Reason::ManyMethods),
        }
    }

    fn any_of(&self, candidates: Vec<Decl>) -> Outcome {
        Outcome::Nodes(self.nodes(candidates), Confidence::Ambiguous)
    }
}
