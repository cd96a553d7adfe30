//! Symbols by name.

use crate::{Id, SymbolId};

/// A name without what spellings differ in.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|char| *char != '_').flat_map(char::to_lowercase)
}

/// Whether two names are the same apart from case and underscores.
pub(crate) fn same_folded(a: &str, b: &str) -> bool {
    a == b || folded(a).eq(folded(b))
}

/// A hash that names share if they are the same apart from case and underscores: FNV-1a (Fowler, Noll, Vo) over the
/// characters.
pub(crate) fn fold_hash(name: &str) -> u32 {
    let step = |hash: u32, char: u32| (hash ^ char).wrapping_mul(0x0100_0193);
    let start = 0x811c_9dc5;
    if name.is_ascii() {
        let bytes = name.bytes().filter(|byte| *byte != b'_');
        bytes.fold(start, |hash, byte| step(hash, u32::from(byte.to_ascii_lowercase())))
    } else {
        folded(name).fold(start, |hash, char| step(hash, u32::from(char)))
    }
}

/// The symbols of a project in buckets by the hash of their name; in each they are in order.
#[derive(Clone, Debug)]
pub(crate) struct NameTable {
    /// The binary logarithm of the number of buckets.
    bits: u32,
    starts: Box<[u32]>,
    symbols: Box<[SymbolId]>,
}

/// How many symbols share a bucket on average: few enough to look at each, enough for the table to stay in a cache
/// while it is filled.
const BUCKET: usize = 4;

impl NameTable {
    /// From the number of symbols and the hash of each one's name. O(symbols).
    pub(crate) fn new(count: usize, hashes: impl Iterator<Item = u32> + Clone) -> Self {
        let bits = (count / BUCKET).checked_ilog2().unwrap_or(0);
        let mut starts = vec![0_u32; (1 << bits) + 1];
        hashes.clone().for_each(|hash| starts[bucket(hash, bits) + 1] += 1);
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut next = starts.clone();
        let mut symbols = vec![SymbolId::FIRST; count];
        hashes.enumerate().for_each(|(symbol, hash)| {
            let place = &mut next[bucket(hash, bits)];
            symbols[*place as usize] = SymbolId::new(symbol);
            *place += 1;
        });
        Self { bits, starts: starts.into(), symbols: symbols.into() }
    }

    /// All symbols whose name is `name` apart from case and underscores, and some others, in order.
    pub(crate) fn candidates(&self, name: &str) -> &[SymbolId] {
        let bucket = bucket(fold_hash(name), self.bits);
        &self.symbols[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

fn bucket(hash: u32, bits: u32) -> usize {
    ((u64::from(hash) << bits) >> u32::BITS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_and_underscores_share_their_hash() {
        for (one, other) in [("JoinHandle", "join_handle"), ("__init__", "init"), ("GRÖẞE", "größe")] {
            assert!(same_folded(one, other));
            assert_eq!(fold_hash(one), fold_hash(other));
        }
        assert!(!same_folded("join", "joins"));
        assert_ne!(fold_hash("join"), fold_hash("joins"));
    }
}
