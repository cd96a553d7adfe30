//! Lines that have the name of a declaration and are tied to nothing: what no rule reads, as a method that a macro calls on
//! one of its parameters.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sscg_core::{FileId, LineIndex, NodeId, Relation, SymbolId};
use sscg_graph::traverse::{UseSite, Uses, may_use};
use sscg_graph::{Direction, Node};
use sscg_index::{Snapshot, query_terms};

use super::written::Written;

/// A line of a file.
type Line = (FileId, u32);

/// The lines that use the name of a declaration as code does, with something before it or arguments behind, in files of its
/// language within its reach, and that are none of its uses nor of another declaration's; and how many lines use the name so in
/// all. O(bytes of the files with the name).
pub(super) fn untied(
    snapshot: &Snapshot,
    symbol: SymbolId,
    uses: &Uses,
    written: &Written<'_>,
) -> (Vec<Line>, usize) {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let name = project.symbol_name(symbol);
    let lexical = snapshot.lexical();
    let Some(entry) = query_terms(name).pop().and_then(|term| lexical.term(&term)) else {
        return Default::default();
    };
    let files: BTreeSet<FileId> = lexical.postings(&entry).map(|of_file| of_file.file).collect();
    let mut tied: FxHashSet<Line> = FxHashSet::default();
    let file_of = |node: NodeId| match graph.node(node) {
        Node::File(file) => Some(file),
        Node::Symbol(symbol) => Some(project.symbol_file(symbol)),
        Node::Boundary(_) => None,
    };
    let sites = uses.known.iter().chain(&uses.possible).chain(&uses.excluded);
    tied.extend(sites.filter_map(|site: &UseSite| Some((file_of(site.node)?, site.line))));
    // What an unresolved import or another relation names.
    tied.extend(graph.unresolved(name).filter_map(|entry| Some((file_of(entry.source)?, entry.line))));
    let mut namesakes: Vec<NodeId> = Vec::new();
    for namesake in project.definitions_named(name) {
        let (file, local) = project.local_symbol(namesake);
        let declared = &project.files()[file].facts.symbols[local];
        tied.extend((declared.lines.start..=declared.name_line).map(|line| (file, line)));
        namesakes.push(graph.id(Node::Symbol(namesake)));
    }
    let is_outside = |boundary: &str| boundary.rsplit(['.', ':', '/']).next() == Some(name);
    let outside = (0..).zip(graph.boundaries()).filter(|(_, boundary)| is_outside(&boundary.name));
    namesakes.extend(outside.map(|(boundary, _)| graph.id(Node::Boundary(boundary))));
    for namesake in namesakes {
        let sites = graph.sites_at(namesake, Direction::Incoming);
        let sites = sites.filter(|site| site.relation != Relation::Contains);
        tied.extend(sites.filter_map(|site| Some((file_of(site.source)?, site.line))));
    }
    let files: Vec<FileId> = files
        .into_iter()
        .filter(|file| may_use(project, graph, graph.id(Node::Symbol(symbol)), graph.id(Node::File(*file))))
        .collect();
    let named = files.par_iter().flat_map_iter(|file| {
        let source = snapshot.source(*file).unwrap_or_default();
        let lines = LineIndex::new(&source);
        let named = written.lines_in(&source, &lines);
        named.into_iter().map(|line| (*file, line)).collect::<Vec<_>>()
    });
    let mut untied: Vec<Line> = named.collect();
    let count = untied.len();
    untied.retain(|line| !tied.contains(line));
    untied.sort_unstable();
    (untied, count)
}
