//! Declarations of one name for several builds. A Rust type may have a file for each platform, or a mock for tests; a
//! reference then means one or the other, depending on the build.

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::{FileFacts, FileId, Import, ImportKind, ModuleSystem, SymbolId, SymbolKind};
use sscg_index::Snapshot;

/// Returns the declarations that a reference to a Rust declaration means in other builds: those of the same qualified
/// name and the same package, if conditions decide between the two, or between two imports of the name or of their
/// modules. O(imports of the project) if another declaration has the name.
pub(super) fn of_other_builds(snapshot: &Snapshot, symbol: SymbolId) -> Vec<SymbolId> {
    let project = &snapshot.project;
    let own = project.symbol_file(symbol);
    if project.files()[own].language.modules != ModuleSystem::RustCrates {
        return Vec::new();
    }
    let package = project.package_of(own);
    let qualified = project.qualified_name(symbol);
    let namesakes = project.definitions_named(project.symbol_name(symbol));
    let namesakes = namesakes.filter(|it| *it != symbol && project.qualified_name(*it) == qualified);
    let namesakes = namesakes.filter(|it| header(snapshot, *it) == header(snapshot, symbol));
    let (beside, mut elsewhere): (Vec<_>, Vec<_>) = namesakes.partition(|it| project.symbol_file(*it) == own);
    let mut found = beside;
    found.retain(|it| {
        let (a, b) = (conditions(snapshot, symbol), conditions(snapshot, *it));
        !a.is_empty() && !b.is_empty() && a != b
    });
    elsewhere.retain(|it| project.package_of(project.symbol_file(*it)) == package);
    if elsewhere.is_empty() {
        return found;
    }
    let names: Vec<&str> = qualified.split('.').collect();
    let files = project.files().iter_enumerated();
    let chosen = files.filter(|(file, it)| {
        it.language.modules == ModuleSystem::RustCrates && project.package_of(*file) == package
    });
    let chosen: Vec<Vec<&Import>> = chosen.flat_map(|(_, it)| chosen_between(&it.facts)).collect();
    found.extend(elsewhere.into_iter().filter(|it| {
        let other = project.symbol_file(*it);
        chosen.iter().any(|imports| {
            let conditions_to = |file| {
                let leading = imports.iter().filter(move |it| leads_to(snapshot, it, file));
                leading.map(|it| &it.condition).collect::<BTreeSet<_>>()
            };
            let (to_own, to_other) = (conditions_to(own), conditions_to(other));
            names.contains(&&*imports[0].local)
                || !to_own.is_empty() && !to_other.is_empty() && (&to_own | &to_other).len() > 1
        })
    }));
    found
}

/// Returns the header of the implementation block around a member: `impl From<A> for B`.
fn header(snapshot: &Snapshot, symbol: SymbolId) -> Option<&str> {
    let project = &snapshot.project;
    let around = project.self_and_ancestors(symbol).nth(1).map(|it| project.symbol(it));
    around.filter(|it| it.kind == SymbolKind::Impl).map(|it| &*it.signature)
}

/// Returns the conditions under which a declaration and its ancestors are part of a build.
fn conditions(snapshot: &Snapshot, symbol: SymbolId) -> Vec<&str> {
    let around = snapshot.project.self_and_ancestors(symbol);
    around.filter_map(|it| snapshot.project.symbol(it).condition.as_deref()).collect()
}

/// Returns groups of imports under different conditions that bind the same name in the same scope, or are all glob
/// imports.
fn chosen_between(facts: &FileFacts) -> Vec<Vec<&Import>> {
    let mut groups: BTreeMap<_, Vec<&Import>> = BTreeMap::new();
    for import in facts.imports.iter().filter(|it| it.condition.is_some()) {
        let bound = (import.kind == ImportKind::Glob, &import.local, import.scope);
        groups.entry(bound).or_default().push(import);
    }
    let is_choice = |group: &Vec<&Import>| group.iter().any(|it| it.condition != group[0].condition);
    groups.into_values().filter(is_choice).collect()
}

/// Returns true if an import refers to the module of a file, judged by its name.
fn leads_to(snapshot: &Snapshot, import: &Import, file: FileId) -> bool {
    let path = &snapshot.project.files()[file].path;
    let stem = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path);
    let module = import.module.trim_end_matches(".rs").trim_end_matches("/mod");
    let last = module.rsplit(['/', ':']).next();
    import.kind != ImportKind::Named && last == stem.rsplit('/').next()
}
