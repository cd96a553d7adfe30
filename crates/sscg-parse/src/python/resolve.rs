//! After the walk: what the names are bound to.

use rustc_hash::FxHashSet;
use sscg_core::{FileFacts, Head, LocalSymbol, NameRef, Relation};

use super::export::is_public;
use super::walk::{Use, Walk};
use crate::scope::{Base, Binding, RawHint, RawName};

/// How many uses on one line a further one is compared with.
const COMPARED: usize = 16;

/// Looks up every name and returns the facts.
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

/// Hands on the uses that say something, each once a line. The declared names that are written to after their
/// declaration.
fn references(walk: &mut Walk<'_, '_>) -> FxHashSet<LocalSymbol> {
    let mut written = FxHashSet::default();
    let uses = std::mem::take(&mut walk.uses);
    let mut line = 0;
    let mut on_line: Vec<&Use<'_>> = Vec::new();
    for used in &uses {
        let Some(relation) = relation(walk, used, &mut written) else { continue };
        let at = walk.builder.line(used.at);
        if std::mem::replace(&mut line, at) != at {
            on_line.clear();
        }
        let is_same = |other: &Use<'_>| {
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
    // Calls of local variables are no references.
    for call in std::mem::take(&mut walk.calls).into_values() {
        walk.builder.set_unnamed(call);
    }
    written
}

/// What a use says; `None` if it says nothing of what the file declares or imports.
///
/// A read, or a write, counts if it names a declaration of the file, an import, or a member of `self`. A plain
/// local variable never does, unless its type does: what is raised, or entered by `with`.
fn relation(
    walk: &mut Walk<'_, '_>,
    used: &Use<'_>,
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
        // A name that is imported and then bound to something else does not change what was imported.
        (AssignsTo, Some(Binding::Import(_))) => !is_plain,
        (References | UsesDefault, Some(Binding::Symbol(_) | Binding::Import(_))) => true,
        // With `from m import *`, a name that nothing declares may come from there.
        (References | UsesDefault, None) => walk.has_globs,
        (References | UsesDefault | AssignsTo, _) => false,
        (Raises | UsesContextManager, Some(Binding::Local(hint))) => !is_plain || hint.is_some(),
        (_, Some(Binding::Local(_))) => !is_plain,
        (Calls, Some(Binding::Symbol(symbol))) if is_plain => {
            let is_type = walk.builder.symbol_mut(*symbol).kind.is_type();
            return Some(if is_type { Relation::Instantiates } else { Calls });
        }
        // What is imported or built in looks like what it is.
        (Calls, None | Some(Binding::Import(_))) if names_class(used.name.path.last()) => {
            return Some(Relation::Instantiates);
        }
        _ => true,
    };
    says.then_some(used.relation)
}

/// Whether a name is written as those of classes are: `HTTPError`, but neither `open` nor `LIMIT`.
fn names_class(name: Option<&&str>) -> bool {
    name.is_some_and(|name| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase))
}

/// The name as linking takes it. A member of an attribute of `self` whose type the class's methods give is a
/// member of a value of that type; what is raised or entered is what the function's own variable was made by.
fn target(walk: &Walk<'_, '_>, used: &Use<'_>) -> NameRef {
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

/// Sets the types of declared symbols: as annotated, else as their values say. A later assignment says nothing
/// against an annotation, but leaves open what a variable without one holds.
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
/// called. What a function returns is not known here.
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

/// Lets a literal `__all__` say what the file offers.
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
