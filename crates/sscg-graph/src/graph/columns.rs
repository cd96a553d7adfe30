//! Numbers encoded as little-endian columns of fixed width.

/// Byte slice that is read from the front.
pub(super) struct Columns<'b>(&'b [u8]);

impl<'b> Columns<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads the next `len` values of `WIDTH` bytes.
    pub(super) fn column<const WIDTH: usize>(&mut self, len: usize) -> Option<&'b [[u8; WIDTH]]> {
        Some(self.bytes(len.checked_mul(WIDTH)?)?.as_chunks().0)
    }

    pub(super) fn u32s(&mut self, len: usize) -> Option<impl ExactSizeIterator<Item = u32> + use<'b>> {
        Some(self.column(len)?.iter().map(|bytes| u32::from_le_bytes(*bytes)))
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        self.u32s(1)?.next()
    }

    /// Reads a string with a length prefix.
    pub(super) fn text(&mut self) -> Option<&'b str> {
        let len = self.number()?;
        str::from_utf8(self.bytes(len as usize)?).ok()
    }

    /// Returns `None` if bytes are left.
    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

pub(super) fn put_u32s(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u32>) {
    out.reserve(numbers.len() * size_of::<u32>());
    numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_u32s(out, [text.len() as u32].into_iter());
    out.extend_from_slice(text.as_bytes());
}
