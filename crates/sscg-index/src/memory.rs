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
    /// If it takes more than it may, after `done` of `all` files.
    pub(crate) fn check(self, done: usize, all: usize) -> Result<(), IndexError> {
        let Some(limit) = self.0 else { return Ok(()) };
        match memory_stats::memory_stats() {
            Some(taken) if taken.physical_mem > limit => Err(IndexError::OutOfMemory { limit, done, all }),
            _ => Ok(()),
        }
    }
}
