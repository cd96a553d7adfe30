//! How much memory the process takes.

use crate::IndexError;

/// The most memory that the process may take while it indexes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryLimit(Option<usize>);

impl MemoryLimit {
    /// A limit in bytes; `None` for none.
    pub(crate) fn new(bytes: Option<usize>) -> Self {
        Self(bytes)
    }

    /// Asks the system how much the process takes, if there is a limit. Takes microseconds. Where the system does not tell,
    /// there is none.
    ///
    /// # Errors
    /// If that and `more` bytes are more than the limit. `done` of `all` files are parsed then.
    pub(crate) fn check(self, more: usize, done: usize, all: usize) -> Result<(), IndexError> {
        let Some(limit) = self.0 else { return Ok(()) };
        let Some(taken) = memory_stats::memory_stats() else { return Ok(()) };
        let needed = taken.physical_mem.saturating_add(more);
        if needed <= limit { Ok(()) } else { Err(IndexError::OutOfMemory { needed, limit, done, all }) }
    }
}
