//! After the walk: what the names are bound to.

use sscg_core::{FileFacts, Head, NameRef, Relation};

use super::walk::{Use, Walk};
use crate::scope::{Base, Binding};

/// Looks up every name and returns the facts.
pub(super) fn finish(mut walk: Walk<'_, '_>) -> FileFacts {
    for used in std::mem::take(&mut walk.uses) {
        if is_worth_noting(&mut walk, &used) {
            let target = target(&walk, &used);
            walk.builder.reference(used.relation, used.from, target, used.at, None);
        }
    }
    for (symbol, scope, name) in &walk.types {
        walk.builder.set_type(*symbol, walk.scopes.resolve(*scope, name));
    }
    if let Some(exports) = &walk.exports {
        for (symbol, _) in &walk.root_symbols {
            let symbol = walk.builder.symbol_mut(*symbol);
            symbol.exported = exports.contains(&*symbol.name);
        }
    }
    walk.builder.finish()
}

/// A read says something if it names a declaration of the file or an import. What is raised or caught says
/// nothing if it is a variable of unknown type.
fn is_worth_noting(walk: &mut Walk<'_, '_>, used: &Use<'_>) -> bool {
    if !matches!(used.relation, Relation::References | Relation::Raises | Relation::Catches) {
        return true;
    }
    let binding = match used.name.base {
        Base::Scope => walk.scopes.lookup(used.scope, used.name.path[0]).map(|(_, binding)| binding),
        _ => None,
    };
    match (used.relation, binding) {
        (Relation::References, Some(Binding::Symbol(symbol))) => {
            walk.builder.symbol_mut(*symbol).parent.is_none()
        }
        (Relation::References, binding) => matches!(binding, Some(Binding::Import(_))),
        (_, binding) => !matches!(binding, Some(Binding::Local(None))),
    }
}

/// The name as linking takes it. A member of an attribute of `self` whose type the class's methods give is a
/// member of a value of that type.
fn target(walk: &Walk<'_, '_>, used: &Use<'_>) -> NameRef {
    if let (Base::SelfType, Some(class), [_, attribute, members @ ..]) =
        (&used.name.base, used.class, &*used.name.path)
        && !members.is_empty()
        && let Some(Some((hint, scope))) = walk.attributes.get(&(class, *attribute))
    {
        let hint = walk.scopes.resolve_hint(*scope, hint);
        return NameRef::new(Head::Value(Some(Box::new(hint))), members.iter().copied());
    }
    walk.scopes.resolve(used.scope, &used.name)
}
