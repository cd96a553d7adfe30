//! Sources of edges besides the linker: those of the options, and the stored results of other programs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sscg_core::{FileId, Provenance};
use sscg_graph::{Comparison, EdgeSource, Occurrences, SourceTree};

use super::{Index, RefreshReport};
use crate::store::{Store, decode, encode};
use crate::{IndexError, Snapshot};

/// Version of the stored form of occurrences.
const OCCURRENCES_VERSION: u32 = 1;

/// Stored results of other programs: at most one list per provenance, in the order in which they are applied.
#[derive(Clone, Debug, Default)]
pub(super) struct Imported {
    lists: Vec<Arc<Occurrences>>,
    /// Version of the stored data that they were read from; see [`Store::occurrences_version`].
    version: Option<u64>,
}

/// Stored form of [`Imported`].
#[derive(Serialize, Deserialize)]
struct Stored<L> {
    version: u32,
    lists: Vec<L>,
}

impl Index {
    /// Returns what other programs found in the tree, as it is stored.
    pub fn imported(&mut self) -> Vec<Arc<Occurrences>> {
        self.read_imported(&mut RefreshReport::default());
        self.imported.lists.clone()
    }

    /// Adds what another program found in the tree: it replaces what programs of the same provenance found in the same
    /// files, and is applied by the next [`Index::refresh`] and all later ones. Occurrences where the code has no reference
    /// should be [removed](Occurrences::retain_references) before.
    ///
    /// # Errors
    /// If the store cannot keep it.
    pub fn import(&mut self, found: Occurrences) -> Result<(), IndexError> {
        self.read_imported(&mut RefreshReport::default());
        let mut lists = self.imported.lists.clone();
        match lists.iter_mut().find(|known| known.provenance == found.provenance) {
            Some(known) => Arc::make_mut(known).update(found),
            None => lists.push(Arc::new(found)),
        }
        lists.sort_by_key(|known| known.provenance);
        self.write_imported(lists)
    }

    /// Removes what programs of a provenance found. Returns false if there was nothing.
    ///
    /// # Errors
    /// If the store cannot be changed.
    pub fn forget(&mut self, provenance: Provenance) -> Result<bool, IndexError> {
        self.read_imported(&mut RefreshReport::default());
        let mut lists = self.imported.lists.clone();
        lists.retain(|known| known.provenance != provenance);
        let is_known = lists.len() < self.imported.lists.len();
        if is_known {
            self.write_imported(lists)?;
        }
        Ok(is_known)
    }

    /// Replaces the stored results, unless they could not be read before.
    fn write_imported(&mut self, lists: Vec<Arc<Occurrences>>) -> Result<(), IndexError> {
        if let Some(store) = &self.store {
            if self.imported.version != self.imported_version() {
                return Err(IndexError::OccurrencesLost { place: store.place() });
            }
            let stored =
                Stored { version: OCCURRENCES_VERSION, lists: lists.iter().map(|list| &**list).collect() };
            let bytes = (!lists.is_empty()).then(|| encode(&stored));
            store.write_occurrences(&self.tree, bytes.as_deref())?;
        }
        self.imported = Imported { lists, version: self.imported_version() };
        // Other sources were applied to the present snapshot.
        self.applied = None;
        self.stamps = None;
        Ok(())
    }

    fn imported_version(&self) -> Option<u64> {
        self.store.as_ref().and_then(|store| store.occurrences_version(&self.tree))
    }

    /// Returns true if the stored results of other programs are those that the snapshot was made with.
    pub(super) fn has_same_sources(&self) -> bool {
        self.applied.is_some() && self.imported.version == self.imported_version()
    }

    /// Reads the stored results of other programs, if they changed.
    fn read_imported(&mut self, report: &mut RefreshReport) {
        let version = self.imported_version();
        if self.store.is_none() || version == self.imported.version {
            return;
        }
        // After an error, what was read before stays, and is read again by the next refresh.
        let Some(bytes) = self.ask(report, |store: &dyn Store| store.occurrences(&self.tree)) else { return };
        let stored: Option<Stored<Occurrences>> = bytes.as_deref().and_then(decode);
        let stored = stored.filter(|stored| stored.version == OCCURRENCES_VERSION);
        if version.is_some() && stored.is_none() {
            let place = self.store.as_ref().map_or_else(String::new, |store| store.place());
            report.warn(&IndexError::OccurrencesLost { place });
        }
        let lists = stored.map_or_else(Vec::new, |stored| stored.lists.into_iter().map(Arc::new).collect());
        self.imported = Imported { lists, version };
        self.applied = None;
    }

    /// Applies all sources of edges to a snapshot. Returns the same one if they were applied before, or if there are none.
    pub(super) fn apply_sources(
        &mut self,
        snapshot: Arc<Snapshot>,
        report: &mut RefreshReport,
    ) -> Arc<Snapshot> {
        self.read_imported(report);
        if self.applied.as_ref().is_some_and(|applied| Arc::ptr_eq(applied, snapshot.linked_graph())) {
            return snapshot;
        }
        let linked = Arc::clone(snapshot.linked_graph());
        let imported = self.imported.lists.iter().map(|list| &**list as &dyn EdgeSource);
        let sources: Vec<&dyn EdgeSource> =
            imported.chain(self.edge_sources.iter().map(|source| &**source)).collect();
        let applied = if sources.is_empty() && snapshot.linked.is_none() {
            snapshot
        } else {
            let mut graph = Arc::clone(&linked);
            let mut comparisons: Vec<(Provenance, Comparison)> = Vec::with_capacity(sources.len());
            let hash = |file: FileId| snapshot.hash(file);
            let tree = SourceTree::new(&snapshot.project, &hash);
            for source in sources {
                let applied = source.apply(&tree, graph);
                graph = applied.graph;
                comparisons.push((source.provenance(), applied.comparison));
            }
            Arc::new(snapshot.with_graph(graph, comparisons))
        };
        self.applied = Some(linked);
        applied
    }
}
