//! Lines that use the name of a declaration but are tied to no reference: uses that no rule reads, such as a method
//! that a macro calls on one of its parameters.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sscg_core::{FileId, LineIndex, NodeId, Relation, SymbolId};
use sscg_graph::traverse::{UseSite, Uses, may_use};
use sscg_graph::{Direction, Node};
use sscg_index::{Snapshot, whole_term};

use super::written::Written;

/// Line of a file.
pub(super) type Line = (FileId, u32);

/// Lines that use the name of a declaration as code does, with a prefix or with arguments after it, in files of its
/// language within its reach, in order.
#[derive(Default)]
pub(super) struct Named {
    /// Lines of code, except those that declare the name.
    pub(super) code: Vec<Line>,
    /// Lines of code that are neither a use of the declaration nor of another one.
    pub(super) untied: Vec<Line>,
    /// Lines in comments, such as examples in documentation.
    pub(super) comments: Vec<Line>,
}

/// Finds the lines with the name of a declaration. O(bytes of the files with the name).
pub(super) fn read(snapshot: &Snapshot, symbol: SymbolId, uses: &Uses, written: &Written<'_>) -> Named {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let name = project.symbol_name(symbol);
    let lexical = snapshot.lexical();
    let Some(entry) = whole_term(name).and_then(|term| lexical.term(&term)) else {
        return Default::default();
    };
    let files: BTreeSet<FileId> = lexical.postings(&entry).map(|of_file| of_file.file).collect();
    let mut tied: FxHashSet<Line> = FxHashSet::default();
    let file_of = |node: NodeId| graph.node(node).file(project);
    let sites = [&uses.known, &uses.possible, &uses.outside, &uses.excluded].into_iter().flatten();
    tied.extend(sites.filter_map(|site: &UseSite| Some((file_of(site.node)?, site.line))));
    // Lines of unresolved imports and of other relations.
    tied.extend(graph.unresolved(name).filter_map(|entry| Some((file_of(entry.source)?, entry.line))));
    let mut namesakes: Vec<NodeId> = Vec::new();
    let mut declared_on: FxHashSet<Line> = FxHashSet::default();
    for namesake in project.definitions_named(name) {
        let (file, local) = project.local_symbol(namesake);
        let declared = &project.files()[file].facts.symbols[local];
        declared_on.extend((declared.lines.start..=declared.name_line).map(|line| (file, line)));
        namesakes.push(graph.id(Node::Symbol(namesake)));
    }
    let is_outside = |external: &str| external.rsplit(['.', ':', '/']).next() == Some(name);
    let outside = (0..).zip(graph.externals()).filter(|(_, external)| is_outside(&external.name));
    namesakes.extend(outside.map(|(external, _)| graph.id(Node::External(external))));
    for namesake in namesakes {
        let sites = graph.sites_at(namesake, Direction::Incoming);
        let sites = sites.filter(|site| site.relation != Relation::Contains);
        tied.extend(sites.filter_map(|site| Some((file_of(site.source)?, site.line))));
    }
    let files: Vec<FileId> = files
        .into_iter()
        .filter(|file| may_use(project, graph, graph.id(Node::Symbol(symbol)), graph.id(Node::File(*file))))
        .collect();
    let of_files = files.par_iter().map(|file| {
        let source = snapshot.source(*file).unwrap_or_default();
        let lines = LineIndex::new(&source);
        written.lines_in(&source, &lines).map(|named| named.into_iter().map(|line| (*file, line)).collect())
    });
    let of_files: Vec<[Vec<Line>; 2]> = of_files.collect();
    let mut named = Named::default();
    for [code, comments] in of_files {
        named.code.extend(code);
        named.comments.extend(comments);
    }
    named.code.retain(|line| !declared_on.contains(line));
    named.untied = named.code.iter().filter(|line| !tied.contains(line)).copied().collect();
    named
}
