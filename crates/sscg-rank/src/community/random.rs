//! Random numbers that depend only on a seed.

/// SplitMix64 generator (G. L. Steele, D. Lea, C. H. Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
pub(super) struct Random(u64);

impl Random {
    /// Creates the generator of one of many sequences for the same seed.
    pub(super) fn new(seed: u64, sequence: u64) -> Self {
        let mut seeds = Self(seed);
        Self(seeds.next() ^ Self(sequence).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a number less than `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Returns the nodes below `node_count` in random order, except that blocks of successive nodes stay together:
    /// adjacent nodes tend to share neighbors, and their edges share cache lines.
    pub(super) fn order(&mut self, node_count: usize) -> Vec<u32> {
        const BLOCK: usize = 32;
        let mut blocks: Vec<usize> = (0..node_count).step_by(BLOCK).collect();
        for last in (1..blocks.len()).rev() {
            blocks.swap(last, self.below(last + 1));
        }
        let mut order = Vec::with_capacity(node_count);
        for start in blocks {
            order.extend(start as u32..node_count.min(start + BLOCK) as u32);
        }
        order
    }
}
