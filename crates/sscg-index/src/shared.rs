//! Shared buffers.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// Slice of a shared buffer.
#[derive(Clone, Debug, Default)]
pub struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedBytes {
    /// Returns a slice of this slice.
    ///
    /// # Panics
    /// If the range exceeds this slice.
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.range.len(), "a part lies within the whole");
        let start = self.range.start;
        Self { buffer: Arc::clone(&self.buffer), range: start + range.start..start + range.end }
    }

    /// Returns the buffer, and the range of this slice in it.
    pub(crate) fn place(&self) -> (&Arc<Vec<u8>>, Range<usize>) {
        (&self.buffer, self.range.clone())
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), buffer: Arc::new(bytes) }
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}
