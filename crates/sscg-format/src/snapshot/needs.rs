//! References of the shown text: declarations of the file, and imports.

use std::collections::BTreeSet;

use sscg_core::{
    Head, Import, LineRange, LocalImport, LocalSymbol, Modifiers, NameRef, Reference, Relation, Span,
};
use sscg_graph::Edge;

use super::file::{File, names};
use super::plan::{Level, Plan, Portion};
use super::{Links, globs};

/// Returns the declarations that the shown text refers to.
pub(super) fn of_targets(file: &File<'_>, plan: &Plan, links: Links<'_>) -> Vec<LocalSymbol> {
    let shown = SnapshotText::new(file, plan);
    let mut needed = BTreeSet::new();
    for reference in shown.references() {
        if let Head::Symbol(symbol) = reference.target.head {
            needed.insert(symbol);
        }
    }
    for edge in shown.edges(links) {
        needed.extend(links.local(edge));
    }
    let is_named = |symbol: &LocalSymbol| !file.symbol(*symbol).modifiers.contains(Modifiers::ANONYMOUS);
    needed.into_iter().filter(is_named).collect()
}

/// Returns the imports that the shown text uses, except those in the text itself.
pub(super) fn imports(file: &File<'_>, plan: &Plan, links: Links<'_>) -> Vec<LocalImport> {
    let shown = SnapshotText::new(file, plan);
    let mut used = BTreeSet::new();
    let mut free: BTreeSet<(Option<LocalSymbol>, &str)> = BTreeSet::new();
    for Reference { target: NameRef { head, path }, from, .. } in shown.references() {
        match head {
            Head::Import(import) => {
                used.insert(*import);
            }
            Head::Free => {
                free.insert((*from, path[0].trim_end_matches('!')));
            }
            _ => {}
        }
    }
    used.extend(globs::used(file, &free, links));
    used.retain(|import| !shown.holds_import(*import));
    used.into_iter().collect()
}

/// Text that a snapshot shows.
struct SnapshotText<'a> {
    file: &'a File<'a>,
    plan: &'a Plan,
    /// Lines and text of the statements at the root.
    statements: Vec<(LineRange, &'a str)>,
}

impl<'a> SnapshotText<'a> {
    fn new(file: &'a File<'a>, plan: &'a Plan) -> Self {
        let chunks = plan.statements.iter().map(|(chunk, _)| &file.facts.chunks[*chunk]);
        let statements = chunks.map(|chunk| (chunk.lines, file.text(chunk.span))).collect();
        Self { file, plan, statements }
    }

    /// Returns the references in the text.
    fn references(&self) -> impl Iterator<Item = &'a Reference> {
        self.file.facts.references.iter().filter(|reference| {
            let name = reference.target.path[0].trim_end_matches('!');
            match reference.from {
                Some(symbol) => self.shows(symbol, reference.line, || name),
                None => self
                    .statements
                    .iter()
                    .any(|(lines, text)| lines.contains(reference.line) && names(text, name)),
            }
        })
    }

    /// Returns the graph edges out of the text. Overrides are excluded: the text does not contain them.
    fn edges(&self, links: Links<'a>) -> impl Iterator<Item = &'a Edge> {
        let symbols = self.plan.portions.iter_enumerated();
        let symbols = symbols.filter(|(_, portion)| **portion != Portion::None);
        let of_symbols = symbols.flat_map(move |(symbol, _)| {
            let lines = self.file.symbol(symbol).lines;
            links.edges_at(Some(symbol)).filter(move |edge| {
                lines.contains(edge.line)
                    && edge.relation != Relation::Overrides
                    && !edge.relation.is_containment()
                    && self.shows(symbol, edge.line, || links.name(links.graph.node(edge.target)))
            })
        });
        let of_statements =
            self.statements.iter().flat_map(move |(lines, _)| links.graph.file_edges_on(links.file, *lines));
        of_symbols.chain(of_statements)
    }

    /// True if a reference on a line of a declaration is in the text. On the line where a body starts, it counts as
    /// part of the head if the head contains the name.
    fn shows<'n>(&self, symbol: LocalSymbol, line: u32, name: impl FnOnce() -> &'n str) -> bool {
        match self.plan.portions[symbol] {
            Portion::All | Portion::Own => true,
            Portion::None => false,
            Portion::Head => {
                let (head, tail) = self.file.head(symbol);
                let declaration = self.file.symbol(symbol);
                let lines = |text: &str| text.matches('\n').count() as u32;
                let Some(body) = declaration.body else {
                    return self.file.long_value(symbol).is_none_or(|value| {
                        let before =
                            |from: u32| self.file.text(Span::new(from.min(value.start), value.start));
                        let last = declaration.lines.start + lines(before(declaration.span.start));
                        line <= last && names(before(self.file.head_start(symbol)), name())
                    });
                };
                let before = Span::new(declaration.span.start, body.start);
                // The line where the body starts belongs to the head if the head ends on it.
                let below = u32::from(self.file.indent(body.start).1);
                let head_end = declaration.lines.start + lines(self.file.text(before)) - below;
                let tail_start = declaration.lines.end - lines(tail);
                if line > head_end && (tail.is_empty() || line < tail_start) {
                    return false;
                }
                let name = name();
                let mut attributes = self.file.attributes(symbol);
                names(head, name) || names(tail, name) || attributes.any(|(text, _)| names(text, name))
            }
        }
    }

    /// True if an import is in the text of a declaration or statement that is shown.
    fn holds_import(&self, import: LocalImport) -> bool {
        let Import { scope, span, .. } = self.file.facts.imports[import];
        let is_in_target = |(chunk, level): &(_, Level)| {
            *level >= Level::Collapsed && self.file.facts.chunks[*chunk].span.contains(span)
        };
        match scope {
            Some(scope) => matches!(self.plan.portions[scope], Portion::All | Portion::Own),
            None => self.plan.statements.iter().any(is_in_target),
        }
    }
}
