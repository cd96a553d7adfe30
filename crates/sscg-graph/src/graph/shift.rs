//! Index mapping for insertions and removals.

/// Runs of items that stay as (old start, new start, length), in order.
pub(super) type Runs = Vec<(usize, usize, usize)>;

/// Run of consecutive items that stay.
#[derive(Clone, Copy, Debug)]
struct Run {
    old: u32,
    new: u32,
    len: u32,
}

/// Order-preserving map from old indices to new ones.
pub(super) struct Shift {
    runs: Vec<Run>,
    /// Last run that starts at or before each multiple of `1 << bits`.
    hints: Vec<u32>,
    bits: u32,
}

/// Maximum number of hints, so that they fit in the L1 cache.
const HINTS: u32 = 4096;

impl Shift {
    /// Creates a map for old indices below `end`.
    pub(super) fn new(parts: Runs, end: usize) -> Self {
        // The first run exists even if it is empty, so that every index has a run at or before it.
        let mut runs = vec![Run { old: 0, new: 0, len: 0 }];
        for (old, new, len) in parts {
            let run = Run { old: old as u32, new: new as u32, len: len as u32 };
            match runs.last_mut() {
                Some(last) if last.old + last.len == run.old && last.new + last.len == run.new => {
                    last.len += run.len;
                }
                _ => runs.push(run),
            }
        }
        let mut bits = 0;
        while (end as u32 >> bits) >= HINTS {
            bits += 1;
        }
        let mut at = 0;
        let hint = |block: u32| {
            while runs.get(at + 1).is_some_and(|next| next.old <= block << bits) {
                at += 1;
            }
            at as u32
        };
        let hints = (0..=end as u32 >> bits).map(hint).collect();
        Self { runs, hints, bits }
    }

    /// Returns true if all of the first `end` items stay in place.
    pub(super) fn is_identity(&self, end: usize) -> bool {
        matches!(self.runs[..], [Run { old: 0, new: 0, len }] if len as usize == end)
    }

    /// Returns the new index of an item; of a removed item, that of its successor. Monotone.
    pub(super) fn apply(&self, old: u32) -> u32 {
        let mut at = self.hints[(old >> self.bits) as usize] as usize;
        while self.runs.get(at + 1).is_some_and(|next| next.old <= old) {
            at += 1;
        }
        let run = self.runs[at];
        run.new + (old - run.old).min(run.len)
    }

    /// Returns the new index of an item if it stays.
    pub(super) fn stays(&self, old: u32) -> Option<u32> {
        let at = self.runs.partition_point(|run| run.old <= old) - 1;
        let run = self.runs[at];
        (old - run.old < run.len).then(|| run.new + (old - run.old))
    }

    /// Returns the old index of an item; of an inserted item, the index it is inserted before, as `Err`.
    pub(super) fn origin(&self, new: u32) -> Result<u32, u32> {
        let at = self.runs.partition_point(|run| run.new <= new) - 1;
        let run = self.runs[at];
        if new - run.new < run.len { Ok(run.old + (new - run.new)) } else { Err(run.old + run.len) }
    }

    /// Returns the runs of items that stay.
    pub(super) fn runs(&self) -> impl DoubleEndedIterator<Item = (usize, usize, usize)> {
        self.runs.iter().map(|run| (run.old as usize, run.new as usize, run.len as usize))
    }
}

/// Moves the items of each run to their new indices. Indices outside all runs hold arbitrary values.
pub(super) fn move_runs<T: Copy>(things: &mut Vec<T>, shift: &Shift, new_len: usize, anything: T) {
    things.resize(things.len().max(new_len), anything);
    // Runs keep their order. Runs that move down go from the front, runs that move up from the back: so none overwrites
    // a run that has not moved yet.
    for (old, new, len) in shift.runs().filter(|(old, new, _)| new < old) {
        things.copy_within(old..old + len, new);
    }
    for (old, new, len) in shift.runs().rev().filter(|(old, new, _)| new > old) {
        things.copy_within(old..old + len, new);
    }
    things.truncate(new_len);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates items that stay (`true`) or go, each with the number of new items before it.
    fn edits() -> impl Strategy<Value = Vec<(bool, usize)>> {
        proptest::collection::vec(
            (proptest::bool::weighted(0.7), prop_oneof![3 => Just(0), 1 => 1..4_usize]),
            0..60,
        )
    }

    proptest! {
        #[test]
        fn a_shift_follows_what_is_put_in_and_taken_out(edits in edits()) {
            let mut parts = Vec::new();
            let mut expected: Vec<Option<usize>> = Vec::new();
            for (old, (stays, before)) in edits.iter().enumerate() {
                expected.extend(std::iter::repeat_n(None, *before));
                if *stays {
                    parts.push((old, expected.len(), 1));
                    expected.push(Some(old));
                }
            }
            let shift = Shift::new(parts, edits.len());
            let mut moved: Vec<usize> = (0..edits.len()).collect();
            move_runs(&mut moved, &shift, expected.len(), 0);
            for (new, old) in expected.iter().enumerate() {
                if let Some(old) = old {
                    prop_assert_eq!(moved[new], *old);
                    prop_assert_eq!(shift.apply(*old as u32), new as u32);
                    prop_assert_eq!(shift.stays(*old as u32), Some(new as u32));
                    prop_assert_eq!(shift.origin(new as u32), Ok(*old as u32));
                } else {
                    prop_assert!(shift.origin(new as u32).is_err());
                }
            }
            let applied: Vec<u32> = (0..edits.len() as u32).map(|old| shift.apply(old)).collect();
            prop_assert!(applied.is_sorted());
            for (old, (stays, _)) in edits.iter().enumerate() {
                prop_assert_eq!(shift.stays(old as u32).is_some(), *stays);
            }
        }
    }
}
