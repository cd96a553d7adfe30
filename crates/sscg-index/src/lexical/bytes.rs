//! Byte encoding of numbers: little-endian in tables, variable-length in lists.

use std::ops::Range;

/// Appends a number to a table.
///
/// # Panics
/// If it exceeds 32 bits; no table of SSCG has that many rows or bytes.
pub(super) fn put_u32(out: &mut Vec<u8>, number: usize) {
    out.extend(to_u32(number).to_le_bytes());
}

/// Converts a number for a table; see [`put_u32`].
pub(super) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("a table of SSCG has less than 4 GiB")
}

/// Returns the numbers of a table.
pub(super) fn u32s(bytes: &[u8]) -> impl ExactSizeIterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number))
}

/// Appends a number in LEB128: seven bits per byte, lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a variable-length number off the front; `None` if it is truncated or exceeds 64 bits.
#[inline]
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 { Some(u64::from(first)) } else { take_long_varint(u64::from(first & 0x7F), bytes) }
}

fn take_long_varint(mut number: u64, bytes: &mut &[u8]) -> Option<u64> {
    for shift in (7..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Splits a range of a buffer into sections, from the front.
pub(super) struct Sections<'b> {
    bytes: &'b [u8],
    rest: Range<usize>,
}

impl<'b> Sections<'b> {
    /// Starts at the front of `part`; `None` if it is outside of the buffer.
    pub(super) fn new(bytes: &'b [u8], part: Range<usize>) -> Option<Self> {
        bytes.get(part.clone())?;
        Some(Self { bytes, rest: part })
    }

    /// Takes the next `rows` rows of `width` bytes each; `None` if fewer are left.
    pub(super) fn take(&mut self, rows: usize, width: usize) -> Option<Range<usize>> {
        let end = rows.checked_mul(width)?.checked_add(self.rest.start)?;
        let section = self.rest.start..end;
        self.rest = (end <= self.rest.end).then_some(end..self.rest.end)?;
        Some(section)
    }

    /// Takes the next 32-bit number.
    pub(super) fn u32(&mut self) -> Option<usize> {
        let section = self.take(1, 4)?;
        Some(u32::from_le_bytes(self.bytes[section].try_into().ok()?) as usize)
    }

    /// Returns the rest of the range.
    pub(super) fn rest(self) -> Range<usize> {
        self.rest
    }
}
