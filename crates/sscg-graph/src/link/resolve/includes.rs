//! Names in files that include others.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, FileId, Import, ImportKind, Modifiers, ModuleSystem, Symbol, SymbolKind};

use super::choose::same_parameters;
use super::{Linker, View};
use crate::link::languages::{Likelihood, ModuleTarget, likelihood, shared};
use crate::link::signature::is_function_macro;
use crate::link::tables::{Decl, Scope, hash_of};

impl Linker<'_> {
    /// Selects the declarations of a name in a namespace that are visible in the view: from the scope's file, or, for a
    /// qualified name, from the file that uses it.
    pub(super) fn declared_in_includes(&self, scope: Scope, name: &str, view: View) -> Vec<Decl> {
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
        let mut all = self.context.in_package_of(scope, name);
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
}

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
