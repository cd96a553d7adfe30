//! Additional lines of edges, which store only their first one.

use sscg_core::Confidence;

use super::columns::{Columns, put_u32s};
use super::shift::Shift;

/// Additional line that makes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    /// Index of the edge among all edges.
    pub(super) edge: u32,
    pub(super) line: u32,
    pub(super) confidence: Confidence,
}

/// Additional lines of all edges, by (edge, line).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sites(Vec<Site>);

impl Sites {
    /// Sorts lines; of duplicates, keeps the one with the highest confidence. O(n log n).
    pub(super) fn new(mut sites: Vec<Site>) -> Self {
        sites.sort_unstable_by_key(|site| (site.edge, site.line, std::cmp::Reverse(site.confidence)));
        sites.dedup_by_key(|site| (site.edge, site.line));
        Self(sites)
    }

    /// Returns the additional lines of one edge, in order. O(log sites) to start.
    pub(super) fn of(&self, edge: usize) -> impl Iterator<Item = Site> + '_ {
        let start = self.0.partition_point(|site| (site.edge as usize) < edge);
        self.0[start..].iter().take_while(move |site| site.edge as usize == edge).copied()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Site> + '_ {
        self.0.iter().copied()
    }

    /// Returns the lines of the edges that stay, at the indices given by `places`, together with `added`. O(sites).
    pub(super) fn replace(&self, places: &Shift, added: impl Iterator<Item = Site>) -> Self {
        let moved = |site: Site| places.stays(site.edge).map(|edge| Site { edge, ..site });
        let mut sites: Vec<Site> = self.iter().filter_map(moved).chain(added).collect();
        // Two sorted runs, which a stable sort merges.
        sites.sort();
        Self(sites)
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_u32s(out, [self.0.len() as u32].into_iter());
        put_u32s(out, self.iter().map(|site| site.edge));
        put_u32s(out, self.iter().map(|site| site.line));
        out.extend(self.iter().map(|site| site.confidence as u8));
    }

    /// Reads the lines of `edges` edges; `None` unless they are in order.
    pub(super) fn decode(columns: &mut Columns<'_>, edges: usize) -> Option<Self> {
        let count = columns.number()? as usize;
        let (of, lines) = (columns.u32s(count)?, columns.u32s(count)?);
        let mut sites: Vec<Site> = Vec::with_capacity(count);
        for ((edge, line), sure) in of.zip(lines).zip(columns.bytes(count)?) {
            let confidence = *Confidence::ALL.get(usize::from(*sure))?;
            let follows = sites.last().is_none_or(|last| (last.edge, last.line) < (edge, line));
            if edge as usize >= edges || !follows {
                return None;
            }
            sites.push(Site { edge, line, confidence });
        }
        Some(Self(sites))
    }
}
