//! Facts about a declaration that only its signature gives. The links of other files may depend on each of them.

use sscg_core::{Symbol, SymbolKind};

/// Facts of [`same_facts`].
const FACTS: [fn(&Symbol) -> bool; 6] =
    [is_structural, is_const, is_specialization, is_function_macro, converts_implicitly, is_explicit];

/// Returns true if the signatures of two states of a declaration give the same facts.
pub(super) fn same_facts(old: &Symbol, new: &Symbol) -> bool {
    old.signature == new.signature || FACTS.iter().all(|fact| fact(old) == fact(new))
}

/// Returns true if any value with the same methods passes for an instance of a class: `class Sized(Protocol)`.
pub(super) fn is_structural(class: &Symbol) -> bool {
    let bases = class.signature.split_once('(').map_or("", |(_, bases)| bases);
    class.kind.is_type()
        && bases.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "Protocol")
}

/// Returns true for a method that does not change its object: `int size() const`.
pub(super) fn is_const(method: &Symbol) -> bool {
    method.signature.contains(") const")
}

/// Returns true for a specialization of a template: `template <> struct hash<Key>`.
pub(super) fn is_specialization(symbol: &Symbol) -> bool {
    let (name, signature) = (&*symbol.name, &*symbol.signature);
    if !signature.starts_with("template") || !signature.contains('<') {
        return false;
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut names = signature.match_indices(name).filter(|(at, _)| {
        !signature[..*at].ends_with(is_word) && !signature[at + name.len()..].starts_with(is_word)
    });
    names.next().is_some_and(|(at, _)| signature[at + name.len()..].starts_with('<'))
}

/// Returns true for a macro with parameters.
pub(super) fn is_function_macro(symbol: &Symbol) -> bool {
    let follows_name = || symbol.signature.split_once(&*symbol.name).map(|(_, rest)| rest);
    symbol.kind == SymbolKind::Macro && follows_name().is_some_and(|rest| rest.starts_with('('))
}

/// Returns true for an operator by which values are converted without a cast.
pub(super) fn converts_implicitly(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Method
        && symbol.name.starts_with("operator ")
        && symbol.signature.contains("implicit ")
}

/// Returns true for a method that only implements one of an interface: `int IList.Count()`.
pub(super) fn is_explicit(symbol: &Symbol) -> bool {
    let before = symbol.signature.split('(').next().unwrap_or_default();
    // Type arguments are part of the name.
    let end = before.rfind(&*symbol.name).unwrap_or_default();
    before[..end].ends_with('.')
}
