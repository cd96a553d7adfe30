//! Declarations of one name for several builds: of a Rust type with a file for each platform, or with a mock for tests, code
//! that names it means one or the other, as the build decides.

use sscg_core::{FileFacts, FileId, Import, ImportKind, ModuleSystem, SymbolId};
use sscg_index::Snapshot;

/// The declarations that code means in other builds where it names a Rust declaration: of its qualified name, one of both under
/// a condition or imported under one. O(imports of the project) if another declaration has the name.
pub(super) fn of_other_builds(snapshot: &Snapshot, symbol: SymbolId) -> Vec<SymbolId> {
    let project = &snapshot.project;
    let own = project.symbol_file(symbol);
    if project.files()[own].language.modules != ModuleSystem::RustCrates {
        return Vec::new();
    }
    let qualified = project.qualified_name(symbol);
    let namesakes = project.definitions_named(project.symbol_name(symbol));
    let namesakes = namesakes.filter(|it| *it != symbol && project.qualified_name(*it) == qualified);
    let (beside, elsewhere): (Vec<_>, Vec<_>) = namesakes.partition(|it| project.symbol_file(*it) == own);
    let mut found = beside;
    found.retain(|it| is_conditional(snapshot, symbol) || is_conditional(snapshot, *it));
    if elsewhere.is_empty() {
        return found;
    }
    let names: Vec<&str> = qualified.split('.').collect();
    let chosen = project.files().iter().filter(|it| it.language.modules == ModuleSystem::RustCrates);
    let chosen: Vec<(&Import, &Import)> = chosen.flat_map(|file| chosen_between(&file.facts)).collect();
    found.extend(elsewhere.into_iter().filter(|it| {
        let other = project.symbol_file(*it);
        chosen.iter().any(|(a, b)| {
            names.contains(&&*a.local)
                || leads_to(snapshot, a, own) && leads_to(snapshot, b, other)
                || leads_to(snapshot, b, own) && leads_to(snapshot, a, other)
        })
    }));
    found
}

/// Whether a declaration, or one around it, is part of some builds only.
fn is_conditional(snapshot: &Snapshot, symbol: SymbolId) -> bool {
    let mut around = snapshot.project.self_and_ancestors(symbol);
    around.any(|it| snapshot.project.symbol(it).condition.is_some())
}

/// The pairs of imports under conditions that bind the same name in the same scope, or are both of all names.
fn chosen_between(facts: &FileFacts) -> impl Iterator<Item = (&Import, &Import)> {
    let conditional: Vec<&Import> = facts.imports.iter().filter(|it| it.condition.is_some()).collect();
    (0..conditional.len()).flat_map(move |at| {
        let first = conditional[at];
        let others = conditional[at + 1..].iter().filter(move |other| {
            (first.kind == ImportKind::Glob) == (other.kind == ImportKind::Glob)
                && first.local == other.local
                && first.scope == other.scope
                && first.condition != other.condition
        });
        others.map(move |other| (first, *other)).collect::<Vec<_>>()
    })
}

/// Whether an import is of the module that a file is, as far as its name tells.
fn leads_to(snapshot: &Snapshot, import: &Import, file: FileId) -> bool {
    let path = &snapshot.project.files()[file].path;
    let stem = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path);
    let module = import.module.trim_end_matches(".rs").trim_end_matches("/mod");
    let last = module.rsplit(['/', ':']).next();
    import.kind != ImportKind::Named && last == stem.rsplit('/').next()
}
