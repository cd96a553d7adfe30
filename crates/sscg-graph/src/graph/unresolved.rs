//! Unresolved references.

use std::fmt;
use std::ops::Range;

use rayon::prelude::*;
use sscg_core::{NodeId, Relation};

use super::Reason;

/// Use of a name that no rule resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Unresolved<'g> {
    /// Last segment of the used name.
    pub name: &'g str,
    /// Node whose code uses the name.
    pub source: NodeId,
    /// Line of the use.
    pub line: u32,
    /// Relation of the use.
    pub relation: Relation,
    /// Reason why it is unresolved.
    pub reason: Reason,
}

/// Uses of names that no rule resolved, by (name, source, line).
#[derive(Clone, Default, PartialEq)]
pub struct UnresolvedReferences {
    /// Distinct names, concatenated in order.
    pub(super) names: String,
    /// End of each name in `names`, and of its uses in `uses`.
    pub(super) ends: Vec<(u32, u32)>,
    /// Uses grouped by name, sorted within each group.
    pub(super) uses: Vec<UnresolvedUse>,
}

/// [`Unresolved`] use without its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnresolvedUse {
    pub(crate) source: NodeId,
    pub(crate) line: u32,
    pub(crate) relation: Relation,
    pub(crate) reason: Reason,
}

impl<'g> From<Unresolved<'g>> for (&'g str, UnresolvedUse) {
    fn from(Unresolved { name, source, line, relation, reason }: Unresolved<'g>) -> Self {
        (name, UnresolvedUse { source, line, relation, reason })
    }
}

impl UnresolvedReferences {
    /// Returns the number of uses.
    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// Returns true if everything was resolved.
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// Returns all uses, by name.
    pub fn iter(&self) -> impl Iterator<Item = Unresolved<'_>> {
        (0..self.ends.len()).flat_map(|row| self.row(row))
    }

    /// Returns the uses of a name, by source and line. O(log names).
    pub fn named(&self, name: &str) -> impl ExactSizeIterator<Item = Unresolved<'_>> {
        let row = self.place(name).ok();
        self.uses_of(row.map_or(0..0, |row| self.uses_in(row)), row.map_or("", |row| self.name(row)))
    }

    fn row(&self, row: usize) -> impl ExactSizeIterator<Item = Unresolved<'_>> {
        self.uses_of(self.uses_in(row), self.name(row))
    }

    fn uses_of<'g>(
        &'g self,
        uses: Range<usize>,
        name: &'g str,
    ) -> impl ExactSizeIterator<Item = Unresolved<'g>> {
        self.uses[uses].iter().map(move |&UnresolvedUse { source, line, relation, reason }| Unresolved {
            name,
            source,
            line,
            relation,
            reason,
        })
    }

    /// Sorts uses and drops duplicates. O(n log n).
    pub(crate) fn new<N: AsRef<str> + Ord + Send>(mut uses: Vec<(N, UnresolvedUse)>) -> Self {
        uses.par_sort_unstable();
        uses.dedup();
        let mut unresolved = Self { uses: Vec::with_capacity(uses.len()), ..Self::default() };
        for of_name in uses.chunk_by(|a, b| a.0 == b.0) {
            unresolved.uses.extend(of_name.iter().map(|(_, of_name)| *of_name));
            unresolved.close(of_name[0].0.as_ref());
        }
        unresolved
    }

    /// Returns the references without the uses in replaced nodes, with the sources of the other uses renumbered in order,
    /// and with the `added` uses. No added use has the source of a kept one. O(uses).
    pub(super) fn replace(
        &self,
        is_replaced: impl Fn(NodeId) -> bool,
        moved: impl Fn(NodeId) -> NodeId,
        mut added: Vec<(Box<str>, UnresolvedUse)>,
    ) -> Self {
        added.sort_unstable();
        added.dedup();
        let mut changed = Self {
            names: String::with_capacity(self.names.len()),
            ends: Vec::with_capacity(self.ends.len()),
            uses: Vec::with_capacity(self.uses.len() + added.len()),
        };
        let keep = |changed: &mut Self, row: usize| {
            let kept = self.uses[self.uses_in(row)].iter().filter(|of_name| !is_replaced(of_name.source));
            changed
                .uses
                .extend(kept.map(|of_name| UnresolvedUse { source: moved(of_name.source), ..*of_name }));
        };
        let mut next = 0;
        for of_name in added.chunk_by(|a, b| a.0 == b.0) {
            let name = &*of_name[0].0;
            let place = self.place(name);
            let (Ok(before) | Err(before)) = place;
            for row in next..before {
                keep(&mut changed, row);
                changed.close(self.name(row));
            }
            next = before;
            let start = changed.uses.len();
            if place.is_ok() {
                keep(&mut changed, next);
                next += 1;
            }
            changed.uses.extend(of_name.iter().map(|(_, of_name)| *of_name));
            // Two sorted runs, which a stable sort merges.
            changed.uses[start..].sort();
            changed.close(name);
        }
        for row in next..self.ends.len() {
            keep(&mut changed, row);
            changed.close(self.name(row));
        }
        changed
    }

    /// Assigns a name to the uses after those of the last name, if there are any.
    fn close(&mut self, name: &str) {
        if self.uses.len() > self.ends.last().map_or(0, |ends| ends.1 as usize) {
            self.names.push_str(name);
            self.ends.push((self.names.len() as u32, self.uses.len() as u32));
        }
    }

    /// Returns the row of a name, or the row it would be inserted before.
    fn place(&self, name: &str) -> Result<usize, usize> {
        let place = partition_point(self.ends.len(), |row| self.name(row) < name);
        if place < self.ends.len() && self.name(place) == name { Ok(place) } else { Err(place) }
    }

    fn name(&self, row: usize) -> &str {
        &self.names[self.starts(row).0 as usize..self.ends[row].0 as usize]
    }

    fn uses_in(&self, row: usize) -> Range<usize> {
        self.starts(row).1 as usize..self.ends[row].1 as usize
    }

    fn starts(&self, row: usize) -> (u32, u32) {
        row.checked_sub(1).map_or((0, 0), |before| self.ends[before])
    }
}

/// Returns the first of `rows` rows for which `is_before` is false. It must be true for exactly the rows before that
/// one.
fn partition_point(rows: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut start, mut end) = (0, rows);
    while start < end {
        let middle = start + (end - start) / 2;
        if is_before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}

impl fmt::Debug for UnresolvedReferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
