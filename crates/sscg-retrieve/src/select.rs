//! Spending a token budget on the best hits.

use sscg_core::ChunkId;

use crate::Hit;

/// How much of a chunk is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// All of its source.
    Full,
    /// Its source with body-bearing children collapsed.
    Collapsed,
    /// Its signature alone.
    Signature,
}

impl Shown {
    /// Most first.
    pub const ALL: [Shown; 3] = [Shown::Full, Shown::Collapsed, Shown::Signature];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Shown::Full => "full",
            Shown::Collapsed => "collapsed",
            Shown::Signature => "signature",
        }
    }
}

/// A hit that was selected.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Which.
    pub hit: Hit,
    /// How much of it fits.
    pub shown: Shown,
}

/// What fits a budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Best first.
    pub results: Vec<Selected>,
    /// How many hits within the limit were left out because the budget was spent.
    pub omitted: usize,
}

/// A result may take at most this share of the budget as long as others wait behind it.
const FAIR_SHARE: f64 = 0.5;

/// Takes hits in order while they fit `budget` tokens, at most `limit`.
///
/// `cost` says what showing a chunk at a level takes, `None` if it is not shown at that level. A chunk too
/// large for its share is shown at the next level down; a chunk inside one already shown in full is passed
/// over. The first hit is always taken, at the level that fits best.
pub fn select(
    hits: &[Hit],
    limit: usize,
    budget: usize,
    mut cost: impl FnMut(ChunkId, Shown) -> Option<usize>,
    mut contains: impl FnMut(ChunkId, ChunkId) -> bool,
) -> Selection {
    let mut selection = Selection::default();
    let mut left = budget;
    for hit in hits {
        if selection.results.len() + selection.omitted == limit {
            break;
        }
        let shown_already = selection
            .results
            .iter()
            .any(|taken| taken.shown == Shown::Full && contains(taken.hit.chunk, hit.chunk));
        if shown_already {
            continue;
        }
        let share = (left as f64 * FAIR_SHARE) as usize;
        let affordable = Shown::ALL.into_iter().find_map(|shown| {
            let tokens = cost(hit.chunk, shown)?;
            (tokens <= share || (shown == Shown::Signature && tokens <= left)).then_some((shown, tokens))
        });
        let taken = affordable.or_else(|| selection.results.is_empty().then_some((Shown::Signature, left)));
        match taken {
            Some((shown, tokens)) => {
                left -= tokens;
                selection.results.push(Selected { hit: hit.clone(), shown });
            }
            None => selection.omitted += 1,
        }
    }
    selection
}

#[cfg(test)]
mod tests {
    use super::*;
    use sscg_core::Id;

    fn hit(chunk: usize) -> Hit {
        Hit { chunk: ChunkId::new(chunk), score: 1.0, sources: Vec::new() }
    }

    #[test]
    fn large_chunks_step_down_and_the_budget_holds() {
        let hits = [hit(0), hit(1), hit(2)];
        let cost = |chunk: ChunkId, shown| match (chunk.index(), shown) {
            (0, Shown::Full) => Some(900),
            (0, Shown::Collapsed) => Some(300),
            (_, Shown::Signature) => Some(10),
            _ => Some(100),
        };
        let selection = select(&hits, 10, 1000, cost, |_, _| false);
        let levels: Vec<Shown> = selection.results.iter().map(|result| result.shown).collect();
        assert_eq!(levels, [Shown::Collapsed, Shown::Full, Shown::Full]);

        let selection = select(&hits, 10, 15, cost, |_, _| false);
        assert_eq!((selection.results.len(), selection.omitted), (1, 2));
    }

    #[test]
    fn a_chunk_inside_one_that_is_shown_in_full_is_not_shown_again() {
        let hits = [hit(0), hit(1)];
        let selection = select(&hits, 10, 1000, |_, _| Some(10), |outer, _| outer.index() == 0);
        assert_eq!(selection.results.len(), 1);
    }
}
