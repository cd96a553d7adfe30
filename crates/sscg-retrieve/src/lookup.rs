//! Lookup of declarations by path: `Outer > inner`, optionally with a file in front.

use std::collections::BTreeSet;

use sscg_core::{ChunkId, FileId, Head, Id, ModuleSystem, Project, SymbolId};
use sscg_index::{Snapshot, whole_term};

use crate::Hit;

/// Returns the declarations that a symbol path names. A last part that matches nothing as it stands may be a dotted
/// name in the form that answers print: `Outer.inner`, `Outer::inner`. A path of one part may also be an id from an
/// answer: `src/a.rs:3-9:function:open`, `src/a.rs::Outer.inner`, `src/a.rs:12`; or the end of a file's path and a name
/// or line in it: `a.rs:inner`, `a.rs:12`.
pub fn find_symbols(snapshot: &Snapshot, path: &[String]) -> Vec<SymbolId> {
    if let [id] = path {
        let found = find_id(&snapshot.project, id);
        if !found.is_empty() {
            return found;
        }
    }
    let found = find_parts(snapshot, path, false);
    if !found.is_empty() {
        return found;
    }
    let parts = dotted(path);
    let found = if parts.len() > path.len() { find_parts(snapshot, &parts, false) } else { found };
    let in_file = || match path {
        [place] => place.split_once(':').map_or_else(Vec::new, |(file, names)| {
            let parts: Vec<String> =
                std::iter::once(file.to_owned()).chain(dotted(&[names.to_owned()])).collect();
            find_parts(snapshot, &parts, false)
        }),
        _ => Vec::new(),
    };
    if found.is_empty() { in_file() } else { found }
}

/// Returns the statements that re-export a name: `pub use`, `export { Name } from`, and imports of public names that
/// their file does not use. O(facts of the files with the name).
pub(crate) fn find_reexports(snapshot: &Snapshot, name: &str) -> Vec<ChunkId> {
    let (project, lexical) = (&snapshot.project, snapshot.lexical());
    let entry = whole_term(name).and_then(|term| lexical.term(&term));
    let files: BTreeSet<FileId> =
        entry.iter().flat_map(|entry| lexical.postings(entry)).map(|of_file| of_file.file).collect();
    let mut found = Vec::new();
    for file in files {
        let facts = &project.files()[file].facts;
        let is_used = |import| facts.references.iter().any(|it| it.target.head == Head::Import(import));
        // In Python, each import of a public name is one that others may import.
        let is_implicit = project.files()[file].language.modules == ModuleSystem::PythonPackages;
        let reexports = facts.imports.iter_enumerated().filter(|(id, import)| {
            import.reexport && *import.local == *name && !(is_implicit && is_used(*id))
        });
        found.extend(reexports.filter_map(|(_, import)| chunk_at_line(project, file, import.line)));
    }
    found
}

/// Returns the name of the first declaration among the hits of a look-up, if it differs from the name that was looked up in
/// case or underscores.
pub fn spelled_otherwise<'s>(snapshot: &'s Snapshot, path: &[String], hits: &[Hit]) -> Option<&'s str> {
    let project = &snapshot.project;
    let name = dotted(path).pop()?;
    let is_hit = |symbol: &SymbolId| {
        let chunk = project.chunk_of_symbol(*symbol);
        hits.iter().any(|hit| hit.chunk == chunk)
    };
    let found = find_symbols(snapshot, path).into_iter().find(is_hit)?;
    let other = project.symbol_name(found);
    (other != name && project.definitions_named(&name).any(|symbol| symbol == found)).then_some(other)
}

/// Returns the declarations that a path names whose outer parts may be modules, named like files and directories:
/// `crate::net::Session::close`, `shop.billing.Invoice`. Questions are not parsed this way: a quoted `net.session` is
/// text.
pub fn find_in_modules(snapshot: &Snapshot, path: &[String]) -> Vec<SymbolId> {
    find_parts(snapshot, &dotted(path), true)
}

/// Splits the last part of a path if it is a qualified name: `Outer.inner`, `Outer::inner`.
fn dotted(path: &[String]) -> Vec<String> {
    let Some((last, around)) = path.split_last() else { return Vec::new() };
    let names = last.split(['.', ':']).filter(|name| !name.is_empty()).map(str::to_owned);
    around.iter().cloned().chain(names).collect()
}

/// Returns the declarations that the parts name, in project order. The last part is the declaration's name. The parts
/// before it are enclosing names, outermost first, with gaps allowed. A part may also be the end of the file's path or,
/// with `has_modules`, the name of a file or directory. If there are no exact names, names that differ in case or
/// underscores match.
fn find_parts(snapshot: &Snapshot, path: &[String], has_modules: bool) -> Vec<SymbolId> {
    let Some((name, around)) = path.split_last() else { return Vec::new() };
    let project = &snapshot.project;
    let fits = |symbol: &SymbolId| is_within(project, *symbol, around, has_modules);
    let named: Vec<SymbolId> = project.definitions_named(name).filter(fits).collect();
    let exact: Vec<SymbolId> =
        named.iter().copied().filter(|symbol| project.symbol_name(*symbol) == name).collect();
    if exact.is_empty() { named } else { exact }
}

fn is_within(project: &Project, symbol: SymbolId, around: &[String], has_modules: bool) -> bool {
    let mut wanted = around.iter().rev().peekable();
    for ancestor in project.self_and_ancestors(symbol).skip(1) {
        wanted.next_if(|part| *part == project.symbol_name(ancestor));
    }
    let path = &project.files()[project.symbol_file(symbol)].path;
    wanted.next_if(|part| {
        path.strip_suffix(part.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    if has_modules {
        let folded = |name: &str| name.replace('-', "_");
        let modules = path.rsplit('/').map(|part| folded(part.split('.').next().unwrap_or(part)));
        for module in modules {
            wanted.next_if(|part| folded(part) == module);
        }
        wanted.next_if(|part| *part == "crate");
    }
    wanted.next().is_none()
}

/// Returns the declarations of an id from an answer: the id of a chunk or symbol, or a line of a file.
fn find_id(project: &Project, id: &str) -> Vec<SymbolId> {
    if !id.contains(':') {
        return Vec::new();
    }
    if let Some(chunk) = project.chunk_with_key(id) {
        return project.symbol_of_chunk(chunk).into_iter().collect();
    }
    let at_line = id.rsplit_once(':').and_then(|(path, line)| {
        let line = line.parse().ok()?;
        project.symbol_of_chunk(chunk_at_line(project, find_file(project, path)?, line)?)
    });
    at_line.map_or_else(|| project.symbols_with_key(id), |symbol| vec![symbol])
}

/// Returns the file with a path relative to the root, or the only file whose path ends with it. O(files).
pub fn find_file(project: &Project, path: &str) -> Option<FileId> {
    let path = path.trim_start_matches("./");
    project.file_at(path).or_else(|| {
        let is_end = |file: &FileId| {
            let rest = project.files()[*file].path.strip_suffix(path);
            !path.is_empty() && rest.is_some_and(|rest| rest.ends_with('/'))
        };
        let mut ending = project.files().ids().filter(is_end);
        ending.next().filter(|_| ending.next().is_none())
    })
}

/// Returns the declaration around a line of a file: that of its innermost chunk or, in a statement, the innermost function
/// without a name; `None` for other top-level code. O(chunks + declarations of the file).
pub fn declaration_at_line(project: &Project, file: FileId, line: u32) -> Option<SymbolId> {
    let chunk = chunk_at_line(project, file, line)?;
    let in_statement = || {
        let anonymous = project.symbols_of(file).filter(|symbol| project.is_anonymous(*symbol));
        let around = anonymous.filter(|symbol| {
            project.chunk_of_symbol(*symbol) == chunk && project.symbol(*symbol).lines.contains(line)
        });
        around.last()
    };
    project.symbol_of_chunk(chunk).or_else(in_statement)
}

/// Returns the innermost chunk that contains a line of a file, if there is one. O(chunks of the file).
pub fn chunk_at_line(project: &Project, file: FileId, line: u32) -> Option<ChunkId> {
    let chunks = project.chunks_of(file);
    let chunks = (chunks.start.index()..chunks.end.index()).map(ChunkId::new);
    let around = chunks.filter(|chunk| project.chunk_lines(*chunk).contains(line));
    around.min_by_key(|chunk| project.chunk_lines(*chunk).count())
}
