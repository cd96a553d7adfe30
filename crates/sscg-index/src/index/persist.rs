//! Persists ingested facts and derived snapshots in the store.

use std::mem;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::{Index, RefreshReport};
use crate::IndexError;
use crate::shared::SharedBytes;
use crate::store::{FactsKey, ManifestEntry, Update};

/// Store operation on its own thread.
pub(super) type Task = JoinHandle<Result<(), IndexError>>;

/// Waits for a task. Panics of the task are not propagated.
fn finish(task: &mut Option<Task>) -> Result<(), IndexError> {
    task.take().map_or(Ok(()), |task| task.join().unwrap_or(Ok(())))
}

impl Index {
    /// Persists the manifest and facts of the tree. With `behind`, the answer does not wait for the disk: the process
    /// has answered before, and reports a failure with its next answer.
    pub(super) fn write(
        &mut self,
        manifest: Arc<[ManifestEntry]>,
        facts: Vec<(FactsKey, SharedBytes)>,
        behind: bool,
        report: &mut RefreshReport,
    ) {
        finish(&mut self.writing).unwrap_or_else(|error| report.warn(&error));
        let Some(store) = self.store.clone() else { return };
        let tree = self.tree.clone();
        let write = move || {
            let update =
                Update { tree: &tree, manifest: Some(&manifest), facts: &facts, ..Update::default() };
            store.write(&update)
        };
        if behind {
            self.writing = Some(thread::spawn(write));
        } else {
            write().unwrap_or_else(|error| report.warn(&error));
        }
    }

    /// Publishes the current snapshot for other processes. If that fails, they derive it again.
    pub(super) fn publish(&mut self) {
        _ = finish(&mut self.publishing);
        let (Some(store), Some(snapshot)) = (self.store.clone(), self.snapshot.clone()) else { return };
        if mem::take(&mut self.is_news) {
            if let Some(graph) = self.graph.as_ref().filter(|_| snapshot.unsure().is_none()) {
                snapshot.links.get_or_init(|| graph.encode_links().into());
            }
            let tree = self.tree.clone();
            self.publishing = Some(thread::spawn(move || store.publish(&tree, &snapshot)));
        }
    }

    /// Waits until the results of the last refresh are persisted. Without this call that happens in the background, at
    /// the latest when the index is dropped, and a failure at most causes a warning of a later refresh.
    ///
    /// # Errors
    /// If the store could not persist the results.
    pub fn save(&mut self) -> Result<(), IndexError> {
        let saved = finish(&mut self.writing).and(finish(&mut self.publishing));
        self.publish();
        saved.and(finish(&mut self.publishing))
    }
}

impl Drop for Index {
    /// Persists results that are not in the store yet.
    fn drop(&mut self) {
        _ = self.save();
    }
}
