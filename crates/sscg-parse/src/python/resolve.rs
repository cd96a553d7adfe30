//! Resolution of names inside the file, after the walk.

use rustc_hash::FxHashSet;
use sscg_core::{FileFacts, Head, LocalSymbol, NameRef, Relation};

use super::export::is_public;
use super::walk::{NameUse, Walk};
use crate::scope::{Base, Binding, RawHint, RawName};

/// Maximum number of references on a line that a new one is compared with.
const COMPARED: usize = 16;

/// Resolves every name and returns the facts.
pub(super) fn finish(mut walk: Walk<'_, '_>) -> FileFacts {
    let written = references(&mut walk);
    types(&mut walk, &written);
    exports(&mut walk);
    let exports = walk.exports;
    let mut facts = walk.builder.finish();
    for id in facts.imports.ids() {
        let import = &mut facts.imports[id];
        if import.reexport && !import.local.is_empty() {
            import.reexport = match &exports {
                Some(exports) => exports.contains(&*import.local),
                None => is_public(&import.local),
            };
        }
    }
    facts
}

/// Adds the relevant references to the facts, without repetitions on a line. Returns the declared names that are
/// written to after their declaration.
fn references(walk: &mut Walk<'_, '_>) -> FxHashSet<LocalSymbol> {
    let mut written = FxHashSet::default();
    let uses = std::mem::take(&mut walk.uses);
    let mut line = 0;
    let mut on_line: Vec<&NameUse<'_>> = Vec::new();
    for used in &uses {
        let Some(relation) = relation(walk, used, &mut written) else { continue };
        let at = walk.builder.line(used.at);
        if std::mem::replace(&mut line, at) != at {
            on_line.clear();
        }
        let is_same = |other: &NameUse<'_>| {
            (other.relation, other.from, other.arguments) == (used.relation, used.from, used.arguments)
                && other.name == used.name
        };
        if on_line.iter().rev().take(COMPARED).any(|other| is_same(other)) {
            continue;
        }
        on_line.push(used);
        let target = target(walk, used);
        walk.builder.reference(relation, used.from, target, used.at, used.arguments);
        if matches!(relation, Relation::Calls | Relation::Instantiates | Relation::Decorates)
            && let Some(call) = walk.calls.remove(&used.at)
        {
            walk.builder.set_call(call);
        }
    }
    // Calls of local variables are not references.
    for call in std::mem::take(&mut walk.calls).into_values() {
        walk.builder.set_unnamed(call);
    }
    written
}

/// Returns the relation of a reference; `None` if it names nothing that the file declares or imports.
///
/// A read or write counts if it names a declaration of the file, an import, or a member of `self`. A plain local
/// variable does not count, except where its type does: if it is raised, or entered by `with`.
fn relation(
    walk: &mut Walk<'_, '_>,
    used: &NameUse<'_>,
    written: &mut FxHashSet<LocalSymbol>,
) -> Option<Relation> {
    use Relation::{AssignsTo, Calls, Raises, References, UsesContextManager, UsesDefault};
    let Base::Scope = used.name.base else { return Some(used.relation) };
    let is_plain = used.name.path.len() == 1;
    let binding = walk.scopes.lookup(used.scope, used.name.path[0]).map(|(_, binding)| binding);
    let says = match (used.relation, binding) {
        (AssignsTo, Some(Binding::Symbol(symbol))) => {
            if is_plain {
                written.insert(*symbol);
            }
            true
        }
        // Rebinding an imported name does not change the imported declaration.
        (AssignsTo, Some(Binding::Import(_))) => !is_plain,
        (References | UsesDefault, Some(Binding::Symbol(_) | Binding::Import(_))) => true,
        // With a glob import, an undeclared name may come from there.
        (References | UsesDefault, None) => walk.has_globs,
        (References | UsesDefault | AssignsTo, _) => false,
        (Raises | UsesContextManager, Some(Binding::Local(hint))) => !is_plain || hint.is_some(),
        (_, Some(Binding::Local(_))) => !is_plain,
        (Calls, Some(Binding::Symbol(symbol))) if is_plain => {
            let is_type = walk.builder.symbol_mut(*symbol).kind.is_type();
            return Some(if is_type { Relation::Instantiates } else { Calls });
        }
        // An imported or built-in name is classified by its spelling.
        (Calls, None | Some(Binding::Import(_))) if names_class(used.name.path.last()) => {
            return Some(Relation::Instantiates);
        }
        _ => true,
    };
    says.then_some(used.relation)
}

/// Returns true if a name is spelled like a class: `HTTPError`, but neither `open` nor `LIMIT`.
fn names_class(name: Option<&&str>) -> bool {
    name.is_some_and(|name| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase))
}

/// Returns the target for linking. A member of an attribute of `self` becomes a member of a value of the attribute's
/// type, if the methods of the class give it. A local variable that is raised or entered is replaced by its type, or
/// by the callee that made it.
fn target(walk: &Walk<'_, '_>, used: &NameUse<'_>) -> NameRef {
    if let (Base::SelfType, Some(class), [_, attribute, members @ ..]) =
        (&used.name.base, used.class, &*used.name.path)
        && !members.is_empty()
        && let Some(Some((hint, scope))) = walk.attributes.get(&(class, *attribute))
    {
        let hint = walk.scopes.resolve_hint(*scope, hint);
        return NameRef::new(Head::Value(hint.map(Box::new)), members.iter().copied());
    }
    if let (Base::Scope, Relation::Raises | Relation::UsesContextManager, [local]) =
        (&used.name.base, used.relation, &*used.name.path)
        && let Some((scope, Binding::Local(Some(RawHint::Named(name) | RawHint::Result(name))))) =
            walk.scopes.lookup(used.scope, local)
        && scope == used.scope
    {
        return walk.scopes.resolve(scope, name);
    }
    walk.scopes.resolve(used.scope, &used.name)
}

/// Sets the types of declared symbols, from annotations or else from values. A later assignment does not affect an
/// annotation, but leaves the type of an unannotated variable open.
fn types(walk: &mut Walk<'_, '_>, written: &FxHashSet<LocalSymbol>) {
    for (symbol, scope, name) in &walk.types {
        walk.builder.set_type(*symbol, walk.scopes.resolve(*scope, name));
    }
    for (symbol, scope, value) in std::mem::take(&mut walk.values) {
        if !written.contains(&symbol) {
            set_value_type(walk, symbol, &value, scope);
        }
    }
    for (class, name, field) in std::mem::take(&mut walk.fields) {
        if let Some(Some((hint, scope))) = walk.attributes.get(&(class, name)) {
            let (hint, scope) = (hint.clone(), *scope);
            set_value_type(walk, field, &hint, scope);
        }
    }
}

/// Sets the type of a variable to that of its value: a parameter's annotation, or a class of this file that is
/// called. Return types of functions are not known here.
fn set_value_type(
    walk: &mut Walk<'_, '_>,
    symbol: LocalSymbol,
    value: &RawHint<'_>,
    scope: crate::scope::ScopeId,
) {
    let (name, is_type) = match value {
        RawHint::Named(name) => (name, true),
        RawHint::Result(name) => (name, is_own_type(walk, scope, name)),
        _ => return,
    };
    if is_type && walk.builder.symbol_mut(symbol).ty.is_none() {
        let ty = walk.scopes.resolve(scope, name);
        walk.builder.set_type(symbol, ty);
    }
}

fn is_own_type(walk: &mut Walk<'_, '_>, scope: crate::scope::ScopeId, name: &RawName<'_>) -> bool {
    if name.base != Base::Scope || name.path.len() != 1 {
        return false;
    }
    match walk.scopes.lookup(scope, name.path[0]) {
        Some((_, Binding::Symbol(symbol))) => {
            let symbol = *symbol;
            walk.builder.symbol_mut(symbol).kind.is_type()
        }
        _ => false,
    }
}

/// Sets the exported symbols from a literal `__all__`, if there is one.
fn exports(walk: &mut Walk<'_, '_>) {
    let Some(exports) = &walk.exports else { return };
    for symbol in walk.builder.symbol_ids() {
        let declaration = walk.builder.symbol_mut(symbol);
        let (parent, exported) = (declaration.parent, declaration.exported);
        let exported = match parent {
            None => exports.contains(&*declaration.name),
            Some(parent) => exported && walk.builder.symbol_mut(parent).exported,
        };
        walk.builder.symbol_mut(symbol).exported = exported;
    }
}
