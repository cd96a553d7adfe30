//! References of a file by the line and text of their names.

use rustc_hash::FxHashSet;
use sscg_core::{FileFacts, Head, Import, LocalSymbol, Reference, Relation};

/// Names of a file's references and imports, by line.
pub(super) struct ReferenceSites<'f>(FxHashSet<(u32, &'f str)>);

impl ReferenceSites<'_> {
    pub(super) fn has(&self, line: u32, name: &str) -> bool {
        self.0.contains(&(line, name))
    }
}

/// Returns the sites of all references and imports of a file.
pub(super) fn references_at(facts: &FileFacts) -> ReferenceSites<'_> {
    let references = facts.references.iter().map(|it| (it.line, reference_name(it)));
    let imports = facts.imports.iter().flat_map(|it| import_names(it).map(move |name| (it.line, name)));
    ReferenceSites(references.chain(imports).collect())
}

/// Returns the relations of the references and imports with a name on a line, each with its enclosing declaration, in
/// order and without duplicates.
pub(super) fn relations_at(facts: &FileFacts, line: u32, name: &str) -> Vec<(Option<LocalSymbol>, Relation)> {
    let references = facts.references.iter().filter(|it| it.line == line && reference_name(it) == name);
    // Data flow determines the callees of values.
    let references = references.filter(|it| it.call.is_none()).map(|it| (it.from, it.relation));
    let imports = facts.imports.iter().filter(|it| it.line == line && import_names(it).any(|it| it == name));
    let imports = imports.map(|it| (it.scope, Relation::Imports));
    let mut found: Vec<_> = references.chain(imports).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the number of references and imports with a name on a line.
pub(super) fn reference_count_at(facts: &FileFacts, line: u32, name: &str) -> usize {
    let references = facts.references.iter().filter(|it| it.line == line && reference_name(it) == name);
    let imports = facts.imports.iter().filter(|it| it.line == line && import_names(it).any(|it| it == name));
    references.count() + imports.count()
}

/// Returns the declarations of the file to which its scopes bind a bare name on a line.
pub(super) fn bound_at<'f>(
    facts: &'f FileFacts,
    line: u32,
    name: &'f str,
) -> impl Iterator<Item = LocalSymbol> + 'f {
    let references = facts.references.iter().filter(move |it| it.line == line && reference_name(it) == name);
    references.filter_map(|it| match it.target.head {
        Head::Symbol(symbol) if it.target.path.len() == 1 => Some(symbol),
        _ => None,
    })
}

/// Returns the name of a reference without the mark of a macro.
fn reference_name(reference: &Reference) -> &str {
    reference.target.name().trim_end_matches('!')
}

/// Returns the names by which an import may occur: the imported one, the bound one, and the last segment of the module.
fn import_names(import: &Import) -> impl Iterator<Item = &str> {
    [&*import.name, &*import.local, last_segment(&import.module)].into_iter().filter(|name| !name.is_empty())
}

/// Returns the last segment of a qualified name or path, without an extension: `b` of `a.b`, `a::b`, `./a/b.js`.
pub(super) fn last_segment(name: &str) -> &str {
    let is_path = name.contains('/');
    let name = name.rsplit('/').next().unwrap_or(name);
    if is_path {
        return name.split('.').next().unwrap_or(name);
    }
    name.rsplit(['.', ':']).next().unwrap_or(name)
}
