//! Memory limit of the process.

use crate::IndexError;

/// Maximum memory of the process while it indexes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryLimit(Option<usize>);

impl MemoryLimit {
    /// Creates a limit in bytes; `None` means unlimited.
    pub(crate) fn new(bytes: Option<usize>) -> Self {
        Self(bytes)
    }

    /// Checks the memory use of the process against the limit, if there is one. Takes microseconds. Always succeeds
    /// where the system does not report memory use.
    ///
    /// # Errors
    /// If the memory use plus `more` bytes exceeds the limit. `done` of `all` files are parsed at that point.
    pub(crate) fn check(self, more: usize, done: usize, all: usize) -> Result<(), IndexError> {
        let Some(limit) = self.0 else { return Ok(()) };
        let Some(taken) = memory_stats::memory_stats() else { return Ok(()) };
        let needed = taken.physical_mem.saturating_add(more);
        if needed <= limit { Ok(()) } else { Err(IndexError::OutOfMemory { needed, limit, done, all }) }
    }
}
