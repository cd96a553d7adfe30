//! Having the store keep what was learnt and derived.

use std::mem;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::{Index, RefreshReport};
use crate::IndexError;
use crate::store::{FactsKey, ManifestEntry, Shared, Update};

/// Something that the store does on a thread of its own.
pub(super) type Task = JoinHandle<Result<(), IndexError>>;

/// Waits for a task. A panic there is no reason for one here.
fn finish(task: &mut Option<Task>) -> Result<(), IndexError> {
    task.take().map_or(Ok(()), |task| task.join().unwrap_or(Ok(())))
}

impl Index {
    /// Has the store keep what is known of the tree's files. The answer does not wait for the disk in a process that has
    /// answered before and will hear of a failure with the next answer.
    pub(super) fn write(
        &mut self,
        manifest: Arc<[ManifestEntry]>,
        facts: Vec<(FactsKey, Shared)>,
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

    /// Has the store keep the present snapshot for other processes. What is lost if that fails is derived again.
    pub(super) fn publish(&mut self) {
        _ = finish(&mut self.publishing);
        let (Some(store), Some(snapshot)) = (self.store.clone(), self.snapshot.clone()) else { return };
        if mem::take(&mut self.is_news) {
            let tree = self.tree.clone();
            self.publishing = Some(thread::spawn(move || store.publish(&tree, &snapshot)));
        }
    }

    /// Waits until the store has what was learnt and derived at the last refresh. Otherwise that happens when it suits,
    /// at the latest when the index is dropped, and whether it succeeds is not told but by a warning of a later refresh.
    ///
    /// # Errors
    /// If the store could not keep it.
    pub fn save(&mut self) -> Result<(), IndexError> {
        let saved = finish(&mut self.writing).and(finish(&mut self.publishing));
        self.publish();
        saved.and(finish(&mut self.publishing))
    }
}

impl Drop for Index {
    /// Keeps what was derived since it was last kept.
    fn drop(&mut self) {
        _ = self.save();
    }
}
