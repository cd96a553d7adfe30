//! References of a file by the line and text of their names.

use rustc_hash::FxHashMap;
use sscg_core::{FileFacts, Head, Import, LocalSymbol, Reference, Relation};

/// References and imports of a file, by name.
pub(super) struct NamedSites<'f> {
    /// References by line.
    references: FxHashMap<&'f str, Vec<&'f Reference>>,
    /// Imports by line.
    imports: FxHashMap<&'f str, Vec<&'f Import>>,
}

impl<'f> NamedSites<'f> {
    /// Collects the sites of a file. O(n log n).
    pub(super) fn new(facts: &'f FileFacts) -> Self {
        let (mut references, mut imports): (FxHashMap<_, Vec<_>>, FxHashMap<_, Vec<_>>) = Default::default();
        for reference in &facts.references {
            references.entry(reference_name(reference)).or_default().push(reference);
        }
        for import in facts.imports.iter() {
            let mut names: Vec<&str> = import_names(import).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().for_each(|name| imports.entry(name).or_default().push(import));
        }
        references.values_mut().for_each(|named| named.sort_by_key(|it| it.line));
        imports.values_mut().for_each(|named| named.sort_by_key(|it| it.line));
        Self { references, imports }
    }

    /// Returns true if there is a reference or an import with a name on a line.
    pub(super) fn has(&self, line: u32, name: &str) -> bool {
        self.count(line, name) > 0
    }

    /// Returns the number of references and imports with a name on a line.
    pub(super) fn count(&self, line: u32, name: &str) -> usize {
        self.references_at(line, name).len() + self.imports_at(line, name).len()
    }

    /// Returns the relations of the references and imports with a name on a line, each with its enclosing declaration,
    /// in order and without duplicates.
    pub(super) fn relations(&self, line: u32, name: &str) -> Vec<(Option<LocalSymbol>, Relation)> {
        // Data flow determines the callees of values.
        let references = self.references_at(line, name).iter().filter(|it| it.call.is_none());
        let references = references.map(|it| (it.from, it.relation));
        let imports = self.imports_at(line, name).iter().map(|it| (it.scope, Relation::Imports));
        let mut found: Vec<_> = references.chain(imports).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the declarations of the file to which its scopes bind a bare name on a line.
    pub(super) fn bound(&self, line: u32, name: &str) -> impl Iterator<Item = LocalSymbol> {
        self.references_at(line, name).iter().filter_map(|it| match it.target.head {
            Head::Symbol(symbol) if it.target.path.len() == 1 => Some(symbol),
            _ => None,
        })
    }

    fn references_at(&self, line: u32, name: &str) -> &[&'f Reference] {
        let named = self.references.get(name).map_or(&[][..], Vec::as_slice);
        let start = named.partition_point(|it| it.line < line);
        &named[start..named.partition_point(|it| it.line <= line)]
    }

    fn imports_at(&self, line: u32, name: &str) -> &[&'f Import] {
        let named = self.imports.get(name).map_or(&[][..], Vec::as_slice);
        let start = named.partition_point(|it| it.line < line);
        &named[start..named.partition_point(|it| it.line <= line)]
    }
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
