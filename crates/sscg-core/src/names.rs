//! Lookup of symbols by name.

use crate::{FileId, Id, LocalSymbol};

/// Returns a name in lower case, without underscores.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|char| *char != '_').flat_map(char::to_lowercase)
}

/// Returns true if two names are equal, ignoring case and underscores.
pub(crate) fn same_folded(a: &str, b: &str) -> bool {
    a == b || folded(a).eq(folded(b))
}

/// Returns a hash of a name, ignoring case and underscores: FNV-1a (Fowler, Noll, Vo) over the characters.
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

/// Symbols of a project in buckets by name hash, each in file and source order.
///
/// A symbol is identified by its file and its id in that file, which edits of other files do not change.
#[derive(Clone, Debug)]
pub(crate) struct NameTable {
    /// Binary logarithm of the number of buckets.
    bits: u32,
    starts: Box<[u32]>,
    symbols: Box<[FileSymbol]>,
}

/// Symbol, by its file and its id in that file.
type FileSymbol = (FileId, LocalSymbol);

/// Average number of symbols in a bucket: few enough to scan, enough to keep the table in the CPU cache while it is
/// filled.
const BUCKET: usize = 4;

impl NameTable {
    /// Builds the table from the name hashes of all files. O(symbols).
    pub(crate) fn new<'h>(files: impl Iterator<Item = &'h [u32]> + Clone) -> Self {
        let count = files.clone().map(<[u32]>::len).sum();
        let bits = bits(count);
        let mut starts = vec![0_u32; (1 << bits) + 1];
        let hashes = files.clone().flatten();
        hashes.for_each(|hash| starts[bucket(*hash, bits) + 1] += 1);
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut next = starts.clone();
        let mut symbols = vec![(FileId::FIRST, LocalSymbol::FIRST); count];
        for (file, hashes) in files.enumerate() {
            for (symbol, hash) in hashes.iter().enumerate() {
                let place = &mut next[bucket(*hash, bits)];
                symbols[*place as usize] = (FileId::new(file), LocalSymbol::new(symbol));
                *place += 1;
            }
        }
        Self { bits, starts: starts.into(), symbols: symbols.into() }
    }

    /// Returns the table after some files were replaced. `files` is sorted and holds the name hashes of each file
    /// before and after. O(buckets + symbols), mostly copying; only the affected buckets are rebuilt. `None` if the
    /// symbol count changed enough for a different table size.
    pub(crate) fn replaced(&self, files: &[(FileId, &[u32], &[u32])]) -> Option<Self> {
        let buckets_of = |hashes: &[u32]| {
            let buckets = hashes.iter().map(|hash| bucket(*hash, self.bits));
            buckets.collect::<Vec<_>>()
        };
        let mut changed: Vec<usize> = Vec::new();
        let mut added: Vec<(usize, FileSymbol)> = Vec::new();
        for (file, before, after) in files {
            changed.extend(buckets_of(before));
            let places = (0..).map(|symbol| (*file, LocalSymbol::new(symbol)));
            added.extend(buckets_of(after).into_iter().zip(places));
        }
        changed.extend(added.iter().map(|(bucket, _)| *bucket));
        changed.sort_unstable();
        changed.dedup();
        added.sort_unstable();

        let is_replaced =
            |(file, _): &&FileSymbol| files.binary_search_by_key(file, |(file, ..)| *file).is_ok();
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut symbols: Vec<FileSymbol> = Vec::with_capacity(self.symbols.len() + added.len());
        let (mut added, mut done) = (added.into_iter().peekable(), 0);
        for at in changed.into_iter().chain([self.starts.len() - 1]) {
            let (first, last) = (self.starts[done] as usize, self.starts[at] as usize);
            let shift = (symbols.len() as u32).wrapping_sub(first as u32);
            starts.extend(self.starts[done..at].iter().map(|start| start.wrapping_add(shift)));
            symbols.extend(&self.symbols[first..last]);
            starts.push(symbols.len() as u32);
            let Some(end) = self.starts.get(at + 1) else { break };
            let bucket = symbols.len();
            symbols.extend(self.symbols[last..*end as usize].iter().filter(|place| !is_replaced(place)));
            symbols.extend(
                std::iter::from_fn(|| added.next_if(|(bucket, _)| *bucket == at)).map(|(_, place)| place),
            );
            symbols[bucket..].sort_unstable();
            done = at + 1;
        }
        let fits = bits(symbols.len()) == self.bits;
        fits.then(|| Self { bits: self.bits, starts: starts.into(), symbols: symbols.into() })
    }

    /// Returns all symbols with this name, ignoring case and underscores, and possibly others, in file and source
    /// order.
    pub(crate) fn candidates(&self, name: &str) -> &[FileSymbol] {
        let bucket = bucket(fold_hash(name), self.bits);
        &self.symbols[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// Returns the binary logarithm of the number of buckets for `count` symbols.
fn bits(count: usize) -> u32 {
    (count / BUCKET).checked_ilog2().unwrap_or(0)
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
