//! Declarations by path: `Outer > inner`, with a file in front if wanted.

use sscg_core::{Project, SymbolId};
use sscg_index::Snapshot;

/// The declarations that a symbol path names; a last part that names none as it stands may be a dotted name
/// such as answers print: `Outer.inner`, `Outer::inner`.
pub fn find_symbols(snapshot: &Snapshot, path: &[String]) -> Vec<SymbolId> {
    let found = find_parts(snapshot, path);
    let Some((last, around)) = path.split_last().filter(|_| found.is_empty()) else { return found };
    let names = last.split(['.', ':']).filter(|name| !name.is_empty()).map(str::to_owned);
    let parts: Vec<String> = around.iter().cloned().chain(names).collect();
    if parts.len() > path.len() { find_parts(snapshot, &parts) } else { found }
}

/// The declarations that the parts name, in project order: the last part is the declaration's name, the
/// parts before it are names around it, outermost first, gaps allowed; a part with a slash or a dot is the
/// end of the file's path. Exact names first; if there are none, names that differ in case or underscores.
fn find_parts(snapshot: &Snapshot, path: &[String]) -> Vec<SymbolId> {
    let Some((name, around)) = path.split_last() else { return Vec::new() };
    let project = &snapshot.project;
    let fits = |symbol: &SymbolId| is_within(project, *symbol, around);
    let named: Vec<SymbolId> = project.definitions_named(name).filter(fits).collect();
    let exact: Vec<SymbolId> =
        named.iter().copied().filter(|symbol| project.symbol_name(*symbol) == name).collect();
    if exact.is_empty() { named } else { exact }
}

fn is_within(project: &Project, symbol: SymbolId, around: &[String]) -> bool {
    let mut wanted = around.iter().rev().peekable();
    for ancestor in project.self_and_ancestors(symbol).skip(1) {
        wanted.next_if(|part| *part == project.symbol_name(ancestor));
    }
    let path = &project.files()[project.symbol_file(symbol)].path;
    wanted.next_if(|part| {
        path.strip_suffix(part.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    wanted.next().is_none()
}
