//! Glob imports that may bind names of the text.

use std::collections::BTreeSet;

use sscg_core::{Import, ImportKind, LocalImport, LocalSymbol, Relation};
use sscg_graph::Node;

use super::Links;
use super::file::File;

/// Glob import.
struct Glob<'a> {
    id: LocalImport,
    import: &'a Import,
    /// Imported module, if it is resolved.
    module: Option<Node>,
}

/// Returns the globs that may bind one of some names that nothing else in the file binds, each given with the
/// declaration that uses it; and the imports in a module of this file that pass them on to a glob of that module.
pub(super) fn used(
    file: &File<'_>,
    names: &BTreeSet<(Option<LocalSymbol>, &str)>,
    links: Links<'_>,
) -> BTreeSet<LocalImport> {
    let globs = file.facts.imports.iter_enumerated().filter(|(_, import)| import.kind == ImportKind::Glob);
    let globs: Vec<Glob<'_>> = globs
        .map(|(id, import)| {
            let mut edges = links.edges_at(import.scope);
            let edge = edges.find(|edge| edge.relation == Relation::Imports && edge.line == import.line);
            Glob { id, import, module: edge.map(|edge| links.graph.node(edge.target)) }
        })
        .collect();
    let mut used = BTreeSet::new();
    // Most files have no globs.
    for (from, name) in names.iter().filter(|_| !globs.is_empty()) {
        let visible: Vec<&Glob<'_>> = globs.iter().filter(|glob| is_visible(file, glob, *from)).collect();
        let mut edges = links.edges_at(*from).map(|edge| links.graph.node(edge.target));
        let found = edges.find(|target| links.name(*target) == *name);
        let mut opened: BTreeSet<LocalImport> = BTreeSet::new();
        for glob in &visible {
            let binds = match (found, glob.module) {
                (Some(found), Some(module)) => links.is_in(found, module),
                // The name is unresolved, and the names in external modules are not known.
                (None, None | Some(Node::External(_))) => true,
                _ => false,
            };
            opened.extend(binds.then_some(glob.id));
        }
        for glob in &visible {
            let Some(scope) = glob.module.and_then(|module| scope_here(module, links)) else { continue };
            let here = file.facts.imports.iter_enumerated().filter(|(_, import)| import.scope == scope);
            let passes_on = |(id, import): &(LocalImport, &Import)| {
                &*import.local == *name || *id != glob.id && opened.contains(id)
            };
            let passed_on: Vec<LocalImport> = here.filter(passes_on).map(|(id, _)| id).collect();
            if !passed_on.is_empty() {
                opened.insert(glob.id);
                opened.extend(passed_on);
            }
        }
        let is_elsewhere =
            matches!(found, Some(Node::Symbol(symbol)) if links.project.symbol_file(symbol) != links.file);
        if opened.is_empty() && is_elsewhere {
            // The name comes through re-exports.
            opened.extend(visible.iter().map(|glob| glob.id));
        }
        used.append(&mut opened);
    }
    used
}

/// True if the code of a declaration is in the scope of a glob.
fn is_visible(file: &File<'_>, glob: &Glob<'_>, from: Option<LocalSymbol>) -> bool {
    let inside = |scope| {
        from.is_some_and(|from| from == scope || file.facts.ancestors(from).any(|outer| outer == scope))
    };
    glob.import.scope.is_none_or(inside)
}

/// Returns the scope of this file that a module is: the file, or a module in it.
fn scope_here(module: Node, links: Links<'_>) -> Option<Option<LocalSymbol>> {
    match module {
        Node::File(file) if file == links.file => Some(None),
        Node::Symbol(symbol) => {
            let (file, local) = links.project.local_symbol(symbol);
            (file == links.file).then_some(Some(local))
        }
        _ => None,
    }
}
