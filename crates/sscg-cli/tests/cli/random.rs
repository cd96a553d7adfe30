//! Pseudo-random numbers, the same in each run.

use std::ops::Range;

/// SplitMix64 generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number in the range.
    pub(crate) fn within(&mut self, range: Range<usize>) -> usize {
        range.start + (self.next() % range.len() as u64) as usize
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
