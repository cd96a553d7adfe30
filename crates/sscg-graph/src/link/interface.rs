//! Interface of a file: the facts that the links of other files may depend on.

use rustc_hash::FxHashSet;
use sscg_core::{
    FileFacts, Flow, FlowCall, FlowFunction, Import, LocalSymbol, NameRef, Parameter, ProjectFile, Relation,
    Symbol, SymbolKind,
};

use super::signature::same_facts;
use super::tables::{
    LookupKey, default_values, global_of, hash_of, is_global, names_in_packages, stands_in_statement,
};

/// Returns true if two states of one file have the same interface: the body of a function may differ, its signature may
/// not. Spans, lines and texts are not part of it.
pub(super) fn same_interface(old: &FileFacts, new: &FileFacts) -> bool {
    // Listed in full, so that a new field requires a decision.
    let FileFacts {
        package,
        symbols,
        imports,
        exports,
        flow,
        references: _,
        chunks: _,
        lines: _,
        doc: _,
        diagnostics: _,
    } = new;
    let same_symbols =
        old.symbols.len() == symbols.len()
            && old.symbols.iter().zip(symbols.iter()).all(|(a, b)| {
                same_symbol(a, b) && stands_in_statement(old, a) == stands_in_statement(new, b)
            });
    let same_imports = old.imports.len() == imports.len()
        && old.imports.iter().zip(imports.iter()).all(|(a, b)| same_import(a, b));
    old.package == *package
        && same_symbols
        && same_imports
        && old.exports == *exports
        && same_kinds(&old.flow, flow)
        && {
            let names = |facts| default_values(facts).map(|(from, used)| (from, used.target.name()));
            names(old).eq(names(new))
        }
}

/// Returns true if two states of a file name the same bases. Where a type satisfies interfaces by its methods, those that
/// an interface embeds are only references.
pub(super) fn same_bases(old: &FileFacts, new: &FileFacts) -> bool {
    let bases = |facts: &'_ FileFacts| -> Vec<(Option<LocalSymbol>, NameRef)> {
        let bases = facts.references.iter().filter(|it| it.relation == Relation::Inherits);
        bases.map(|it| (it.from, it.target.clone())).collect()
    };
    bases(old) == bases(new)
}

/// Returns true if the same declarations hold other values than themselves, and functions have the same kinds of
/// parameters.
fn same_kinds(old: &Flow, new: &Flow) -> bool {
    let same_parameter = |(a, b): (&Parameter, &Parameter)| {
        let of =
            |parameter: &Parameter| (parameter.kind, parameter.ty.is_some(), parameter.default.is_some());
        a.name == b.name && of(a) == of(b)
    };
    let same_function = |(a, b): (&FlowFunction, &FlowFunction)| {
        (a.symbol, a.has_receiver, a.parameters.len()) == (b.symbol, b.has_receiver, b.parameters.len())
            && a.parameters.iter().zip(&b.parameters).all(same_parameter)
    };
    let held = |flow: &Flow| -> Vec<_> { flow.symbols.iter().map(|(symbol, _)| *symbol).collect() };
    held(old) == held(new)
        && old.functions.len() == new.functions.len()
        && old.functions.iter().zip(new.functions.iter()).all(same_function)
}

/// Returns true if two states of one file have the same body facts, apart from lines.
pub(super) fn same_flow(old: &Flow, new: &Flow) -> bool {
    let Flow { values, functions, calls, symbols, stores } = new;
    let same_call = |(a, b): (&FlowCall, &FlowCall)| {
        let FlowCall { callee, arguments, from, form, line: _ } = b;
        (a.callee, &a.arguments, a.from, a.form) == (*callee, arguments, *from, *form)
    };
    old.values == *values
        && old.functions == *functions
        && old.symbols == *symbols
        && old.stores == *stores
        && old.calls.len() == calls.len()
        && old.calls.iter().zip(calls.iter()).all(same_call)
}

fn same_symbol(old: &Symbol, new: &Symbol) -> bool {
    let Symbol {
        name,
        kind,
        parent,
        receiver,
        body,
        exported,
        modifiers,
        type_parameters,
        ty,
        bounds,
        condition,
        parameters,
        parameter_names,
        required_parameters,
        span: _,
        lines: _,
        name_line: _,
        // Only the facts below.
        signature: _,
        doc: _,
        attributes: _,
        chunk: _,
    } = new;
    (&old.name, old.kind, old.parent, old.exported, old.modifiers)
        == (name, *kind, *parent, *exported, *modifiers)
        && old.receiver == *receiver
        && old.body.is_some() == body.is_some()
        && old.type_parameters == *type_parameters
        && old.ty == *ty
        && old.bounds == *bounds
        && old.condition == *condition
        && old.parameters == *parameters
        && old.parameter_names == *parameter_names
        && old.required_parameters == *required_parameters
        && same_facts(old, new)
}

fn same_import(old: &Import, new: &Import) -> bool {
    let Import { kind, module, name, local, reexport, condition, scope, span: _, line: _ } = new;
    (old.kind, &old.module, &old.name, &old.local, old.reexport, &old.condition, old.scope)
        == (*kind, module, name, local, *reexport, condition, *scope)
}

/// Returns the keys of the names by which code in any file may find declarations of a file.
pub(super) fn names(file: &ProjectFile) -> FxHashSet<LookupKey> {
    let facts = &file.facts;
    let name = |symbol: &Symbol| match symbol.kind {
        SymbolKind::Method | SymbolKind::Macro => Some(hash_of(&*symbol.name)),
        _ => is_global(facts, symbol).then(|| global_of(&symbol.name)),
    };
    let hashes = facts.symbols.iter().filter_map(name).chain(names_in_packages(file).map(|(hash, _)| hash));
    hashes.map(LookupKey::new).collect()
}
