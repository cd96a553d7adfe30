//! Tokens of an encoding and classes of characters, in a layout that needs no parsing.
//!
//! Three parts follow each other: [`SLOTS`] slots of a hash table, of four bytes each; the number of ranges of
//! characters and the ranges, of four bytes each; and the bytes of all tokens, in the order of their rank. So a token's
//! start determines its rank, and a slot contains only its start and length.

/// Vocabulary of `o200k_base` as OpenAI publishes it with tiktoken under the MIT license, and the characters of Unicode
/// 16.
pub(super) static O200K: Vocabulary = Vocabulary::new(include_bytes!("../../models/o200k.bin"));

/// Number of slots, more than twice the number of tokens: most pairs of bytes are no token, and hit an empty slot at
/// once.
pub(super) const SLOTS: usize = 1 << 19;
const SLOTS_END: usize = SLOTS * 4;
const EMPTY: u32 = u32::MAX;

/// 2^64 divided by the golden ratio, which spreads neighboring numbers evenly (Knuth, volume 3, section 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Class of a character for the rules of splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// Letter in upper or title case.
    Upper,
    Lower,
    /// Letter without case, or one that modifies another.
    Caseless,
    /// Mark on the letter before.
    Mark,
    Number,
    /// Line end.
    Newline,
    /// White space except line ends.
    Space,
    Other,
}

impl Class {
    pub(super) const ALL: [Class; 8] = {
        use Class::*;
        [Upper, Lower, Caseless, Mark, Number, Newline, Space, Other]
    };
}

pub(super) struct Vocabulary {
    slots: &'static [u8],
    ranges: &'static [u8],
    tokens: &'static [u8],
}

/// Offset of a token in the bytes of all tokens, which orders tokens by rank.
pub(super) type Rank = u32;

impl Vocabulary {
    const fn new(bytes: &'static [u8]) -> Self {
        let (slots, rest) = bytes.split_at(SLOTS_END);
        let (count, rest) = rest.split_at(4);
        let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
        let (ranges, tokens) = rest.split_at(count as usize * 4);
        Self { slots, ranges, tokens }
    }

    /// Returns the rank of the token of these bytes, if there is one.
    pub(super) fn rank(&self, token: &[u8]) -> Option<Rank> {
        let mut slot = slot_of(token);
        loop {
            let entry = number(self.slots, slot);
            if entry == EMPTY {
                return None;
            }
            let (start, length) = unpack(entry);
            if length == token.len() && self.tokens[start..][..length] == *token {
                return Some(start as Rank);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    pub(super) fn class(&self, char: char) -> Class {
        let (mut from, mut to) = (0, self.ranges.len() / 4);
        while to - from > 1 {
            let middle = from.midpoint(to);
            if number(self.ranges, middle) >> 3 <= char as u32 {
                from = middle;
            } else {
                to = middle;
            }
        }
        Class::ALL[(number(self.ranges, from) & 7) as usize]
    }
}

fn number(numbers: &[u8], nth: usize) -> u32 {
    let bytes = &numbers[nth * 4..][..4];
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// Returns the start and the length in a slot.
fn unpack(entry: u32) -> (usize, usize) {
    ((entry >> 8) as usize, (entry & 0xFF) as usize)
}

/// Returns the slot where the search for a token begins: eight bytes at a time, folded by multiplication.
fn slot_of(token: &[u8]) -> usize {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let hash = token.chunks(8).fold(token.len() as u64, |hash, bytes| {
        let product = u128::from(hash ^ word(bytes)) * u128::from(GOLDEN);
        (product >> 64) as u64 ^ product as u64
    });
    (hash >> (64 - SLOTS.trailing_zeros())) as usize
}

/// Packs a vocabulary: its tokens by rank, and each first character of a range of one class.
#[cfg(test)]
pub(super) fn pack<'t>(tokens: impl Iterator<Item = &'t [u8]>, ranges: &[(char, Class)]) -> Vec<u8> {
    let (mut slots, mut bytes) = (vec![EMPTY; SLOTS], Vec::new());
    for token in tokens {
        let mut slot = slot_of(token);
        while slots[slot] != EMPTY {
            slot = (slot + 1) % SLOTS;
        }
        assert!(bytes.len() < 1 << 24 && token.len() < 1 << 8, "it fits into a slot");
        slots[slot] = (bytes.len() as u32) << 8 | token.len() as u32;
        bytes.extend_from_slice(token);
    }
    let ranges = ranges.iter().map(|(first, class)| (*first as u32) << 3 | *class as u32);
    let numbers = slots.iter().copied().chain([ranges.len() as u32]).chain(ranges);
    numbers.flat_map(u32::to_le_bytes).chain(bytes).collect()
}
