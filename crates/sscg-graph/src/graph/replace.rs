//! In-place replacement of the edges of a few files.

use std::mem;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, Id, LocalSymbol, NodeId, Project};

use super::rows::{FileLinks, external_symbols, numbered};
use super::shift::{Runs, Shift, move_runs};
use super::sites::{Site, Sites};
use super::{
    CodeGraph, Edge, ExternalSymbol, Node, UnresolvedReferences, UnresolvedUse, accumulate, row, sort_edges,
};

/// Edges of a file's top level, or of all its symbols, and their replacement.
struct Patch {
    /// Range of the old edges among the graph's edges.
    old: Range<usize>,
    /// Range of the new edges among those of all files.
    added: Range<usize>,
    /// Index of the first new edge in the changed graph.
    new: usize,
}

impl CodeGraph {
    /// Updates the graph from one state of a project to another with the same files. `links` are the new links of
    /// `files`, in order. Code elsewhere must not name symbols of a file whose number of symbols changed.
    ///
    /// O(E) to move edges, in place where there is room; only new edges are sorted.
    pub(crate) fn replace(&mut self, old: &Project, new: &Project, files: &[FileId], links: Vec<FileLinks>) {
        let old_count = self.node_count();
        let rows: Vec<Range<usize>> = self.rows_of(old, files).collect();
        let kept_externals = self.change_externals(&rows, external_symbols(&links));
        let nodes = Shift::new(node_runs(old, new, kept_externals), old_count);
        let (files_count, symbols) = (new.files().len(), new.symbol_count());
        let externals = mem::take(&mut self.externals);
        let numbering = Self { files: files_count, symbols, externals, ..Self::default() };
        let (mut added, unresolved) = numbered(&numbering, links, |external| {
            numbering.externals.binary_search(external).expect("every external symbol in use has a number")
                as u32
        });
        let added_sites = Sites::new(sort_edges(files_count, &mut added));

        let patches = patches(rows, new, files, &added);
        let edge_count =
            self.edges.len() + added.len() - patches.iter().map(|patch| patch.old.len()).sum::<usize>();
        let places = Shift::new(kept_edges(&patches, self.edges.len()), self.edges.len());
        let (by_target, incoming) =
            self.new_targets(numbering.node_count(), &nodes, &places, &patches, &added);
        let outgoing = self.new_sources(numbering.node_count(), &nodes, &patches, &added);
        let unresolved = self.new_unresolved(old, files, &nodes, unresolved);
        let sites = self.sites.replace(&places, placed(&patches, &added_sites));
        if let Some(anything) = added.first().or(self.edges.first()).copied() {
            move_runs(&mut self.edges, &places, edge_count, anything);
        }
        if !nodes.is_identity(old_count) {
            for (_, start, len) in places.runs() {
                for edge in &mut self.edges[start..start + len] {
                    edge.source = NodeId::new(nodes.apply(edge.source.index() as u32) as usize);
                    edge.target = NodeId::new(nodes.apply(edge.target.index() as u32) as usize);
                }
            }
        }
        for Patch { added: of_patch, new, .. } in patches {
            self.edges[new..new + of_patch.len()].copy_from_slice(&added[of_patch]);
        }
        let edges = mem::take(&mut self.edges);
        *self = Self { edges, sites, outgoing, by_target, incoming, unresolved, ..numbering };
    }

    /// Returns the edge ranges of `files`, in order: those of top-level code, then those of symbols.
    fn rows_of(&self, project: &Project, files: &[FileId]) -> impl Iterator<Item = Range<usize>> {
        let top_level = files.iter().map(|file| row(&self.outgoing, self.id(Node::File(*file))));
        let symbols = files.iter().map(|file| {
            let nodes = symbol_nodes(project, *file);
            self.outgoing[nodes.start] as usize..self.outgoing[nodes.end] as usize
        });
        top_level.chain(symbols)
    }

    /// Removes the external symbols that only the edges of `rows` refer to, unless they are `named`, and inserts new
    /// ones. Returns the runs of those that stay.
    fn change_externals(&mut self, rows: &[Range<usize>], named: FxHashSet<&ExternalSymbol>) -> Runs {
        let first = self.files + self.symbols;
        let mut lost: FxHashMap<NodeId, usize> = FxHashMap::default();
        for edge in rows.iter().flat_map(|rows| &self.edges[rows.clone()]) {
            if edge.target.index() >= first {
                *lost.entry(edge.target).or_default() += 1;
            }
        }
        let is_new = |external: &&ExternalSymbol| self.externals.binary_search(external).is_err();
        let mut fresh: Vec<ExternalSymbol> = named.iter().copied().filter(is_new).cloned().collect();
        fresh.sort_unstable();
        let mut fresh = fresh.into_iter().peekable();
        let mut changed = Vec::with_capacity(self.externals.len() + fresh.len());
        let mut runs = Vec::new();
        for (old, external) in mem::take(&mut self.externals).into_iter().enumerate() {
            while let Some(before) = fresh.next_if(|fresh| *fresh < external) {
                changed.push(before);
            }
            let node = NodeId::new(first + old);
            let is_lost = lost.get(&node).is_some_and(|lost| *lost == row(&self.incoming, node).len());
            if !is_lost || named.contains(&external) {
                runs.push((old, changed.len(), 1));
                changed.push(external);
            }
        }
        changed.extend(fresh);
        self.externals = changed;
        runs
    }

    /// Returns the rows by target, and the start of each.
    fn new_targets(
        &self,
        node_count: usize,
        nodes: &Shift,
        places: &Shift,
        patches: &[Patch],
        added: &[Edge],
    ) -> (Vec<u32>, Vec<u32>) {
        let mut lengths = row_lengths(&self.incoming, nodes, node_count);
        let mut removed: Vec<usize> = Vec::new();
        for edge in patches.iter().flat_map(|patch| patch.old.clone()) {
            let target = self.edges[edge].target;
            let row = row(&self.incoming, target);
            let within = self.by_target[row.clone()].partition_point(|other| (*other as usize) < edge);
            removed.push(row.start + within);
            if let Some(target) = nodes.stays(target.index() as u32) {
                lengths[target as usize + 1] -= 1;
            }
        }
        removed.sort_unstable();

        // New edges, each with the index in the old rows that it goes before.
        let mut inserted: Vec<(usize, NodeId, u32)> = Vec::with_capacity(added.len());
        for Patch { added: of_patch, new, .. } in patches {
            for (edge, place) in added[of_patch.clone()].iter().zip(*new as u32..) {
                let before = match nodes.origin(edge.target.index() as u32) {
                    Ok(target) => {
                        let row = row(&self.incoming, NodeId::new(target as usize));
                        let first_after = |other: &u32| places.apply(*other) < place;
                        row.start + self.by_target[row].partition_point(first_after)
                    }
                    Err(next) => self.incoming[next as usize] as usize,
                };
                inserted.push((before, edge.target, place));
                lengths[edge.target.index() + 1] += 1;
            }
        }
        inserted.sort_unstable();

        let mut by_target = Vec::with_capacity(self.by_target.len() + inserted.len() - removed.len());
        let moved = |from: Range<usize>| self.by_target[from].iter().map(|edge| places.apply(*edge));
        let (mut removed, mut inserted) = (removed.into_iter().peekable(), inserted.into_iter().peekable());
        let mut at = 0;
        loop {
            let before = inserted.peek().map(|(before, ..)| *before);
            if let Some(removal) = removed.next_if(|removal| before.is_none_or(|before| *removal < before)) {
                by_target.extend(moved(at..removal));
                at = removal + 1;
            } else if let Some((before, _, place)) = inserted.next() {
                by_target.extend(moved(at..before));
                by_target.push(place);
                at = before;
            } else {
                break;
            }
        }
        by_target.extend(moved(at..self.by_target.len()));
        (by_target, accumulate(lengths))
    }

    /// Returns the start of each row by source.
    fn new_sources(&self, node_count: usize, nodes: &Shift, patches: &[Patch], added: &[Edge]) -> Vec<u32> {
        let mut lengths = row_lengths(&self.outgoing, nodes, node_count);
        for edge in patches.iter().flat_map(|patch| &self.edges[patch.old.clone()]) {
            if let Some(source) = nodes.stays(edge.source.index() as u32) {
                lengths[source as usize + 1] -= 1;
            }
        }
        for edge in added {
            lengths[edge.source.index() + 1] += 1;
        }
        accumulate(lengths)
    }

    fn new_unresolved(
        &self,
        old: &Project,
        files: &[FileId],
        nodes: &Shift,
        added: Vec<(Box<str>, UnresolvedUse)>,
    ) -> UnresolvedReferences {
        let symbols = files.iter().map(|file| symbol_nodes(old, *file));
        let replaced: Vec<Range<usize>> =
            files.iter().map(|file| file.index()..file.index() + 1).chain(symbols).collect();
        let is_replaced = |node: NodeId| {
            let at = replaced.partition_point(|nodes| nodes.end <= node.index());
            replaced.get(at).is_some_and(|nodes| nodes.contains(&node.index()))
        };
        let moved = |source: NodeId| NodeId::new(nodes.apply(source.index() as u32) as usize);
        self.unresolved.replace(is_replaced, moved, added)
    }
}

/// Returns the nodes of a file's symbols.
fn symbol_nodes(project: &Project, file: FileId) -> Range<usize> {
    let first = project.files().len() + project.symbol_id(file, LocalSymbol::new(0)).index();
    first..first + project.symbols_of(file).len()
}

/// Returns the runs of nodes that stay. Symbols of a file whose number of symbols changed do not.
fn node_runs(old: &Project, new: &Project, kept_externals: Runs) -> Runs {
    let mut runs = vec![(0, 0, old.files().len())];
    for file in old.files().ids() {
        let (before, after) = (symbol_nodes(old, file), symbol_nodes(new, file));
        if before.len() == after.len() {
            runs.push((before.start, after.start, before.len()));
        }
    }
    let first = |project: &Project| project.files().len() + project.symbol_count();
    let (first_old, first_new) = (first(old), first(new));
    runs.extend(kept_externals.into_iter().map(|(old, new, len)| (first_old + old, first_new + new, len)));
    runs
}

/// Returns the replacement for each of the `rows` of `files`.
fn patches(rows: Vec<Range<usize>>, new: &Project, files: &[FileId], added: &[Edge]) -> Vec<Patch> {
    let top_level = files.iter().map(|file| file.index() + 1);
    let ends = top_level.chain(files.iter().map(|file| symbol_nodes(new, *file).end));
    let (mut next, mut shift) = (0, 0_isize);
    let patch = |(old, end): (Range<usize>, usize)| {
        let len = added[next..].partition_point(|edge| edge.source.index() < end);
        let patch = Patch { added: next..next + len, new: (old.start as isize + shift) as usize, old };
        next += len;
        shift += len as isize - patch.old.len() as isize;
        patch
    };
    rows.into_iter().zip(ends).map(patch).collect()
}

/// Returns the additional lines of new edges, with the final indices of these edges.
fn placed<'p>(patches: &'p [Patch], sites: &'p Sites) -> impl Iterator<Item = Site> + 'p {
    sites.iter().filter_map(|site| {
        let added = site.edge as usize;
        let patch = patches.get(patches.partition_point(|patch| patch.added.end <= added))?;
        let edge = patch.new + added.checked_sub(patch.added.start)?;
        Some(Site { edge: edge as u32, ..site })
    })
}

/// Returns the runs of edges that stay.
fn kept_edges(patches: &[Patch], count: usize) -> Runs {
    let mut runs = Vec::with_capacity(patches.len() + 1);
    let (mut old, mut new) = (0, 0);
    for patch in patches {
        runs.push((old, new, patch.old.start - old));
        (old, new) = (patch.old.end, patch.new + patch.added.len());
    }
    runs.push((old, new, count - old));
    runs
}

/// Returns the lengths of the rows that stay, by new node and shifted by one for [`accumulate`].
fn row_lengths(starts: &[u32], nodes: &Shift, count: usize) -> Vec<u32> {
    let mut lengths = vec![0; count + 1];
    for (old, new, len) in nodes.runs() {
        let rows = starts[old..].windows(2).take(len);
        for (length, ends) in lengths[new + 1..].iter_mut().zip(rows) {
            *length = ends[1] - ends[0];
        }
    }
    lengths
}
