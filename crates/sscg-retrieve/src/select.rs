//! Selection of the best hits within a token budget.

use sscg_core::{ChunkId, DetailLevel};

use crate::Hit;

/// Selected hit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Selected {
    /// Hit of the ranking.
    pub hit: Hit,
    /// Detail level that fits the budget.
    pub shown: DetailLevel,
}

impl Selected {
    /// Creates a selected hit with its detail level.
    pub fn new(hit: Hit, shown: DetailLevel) -> Self {
        Self { hit, shown }
    }
}

/// Hits that fit a budget.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// Selected hits, best first.
    pub results: Vec<Selected>,
    /// Number of hits within the limit that were left out because the budget was spent.
    pub omitted: usize,
}

/// Maximum share of the remaining budget for one result while others wait behind it.
const FAIR_SHARE: f64 = 0.5;

/// Selects hits in order while they fit `budget` tokens, at most `limit`.
///
/// `cost` returns the tokens of a chunk at a detail level, `None` if it is not shown at that level. A chunk too large
/// for its share is shown at the next level down; the rest of the budget goes to the best of those that can show more.
/// A chunk inside one that is shown in full is skipped. The first hit is always selected, at the level that fits best.
/// O(limit × hits) calls of `cost` and `contains`.
///
/// ```
/// use sscg_core::{ChunkId, Id, LineRange};
/// use sscg_retrieve::{DetailLevel, Hit, select};
///
/// let lines = LineRange { start: 1, end: 9 };
/// let hit = |chunk| Hit::new(ChunkId::new(chunk), lines, 1.0);
/// let cost = |_: ChunkId, level| Some(if level == DetailLevel::Full { 100 } else { 10 });
/// let selection = select(&[hit(0), hit(1)], 10, 150, cost, |_, _| false);
/// assert_eq!(selection.results.len(), 2);
/// assert_eq!(selection.results[0].shown, DetailLevel::Full);
/// assert_ne!(selection.results[1].shown, DetailLevel::Full);
/// ```
pub fn select(
    hits: &[Hit],
    limit: usize,
    budget: usize,
    mut cost: impl FnMut(ChunkId, DetailLevel) -> Option<usize>,
    mut contains: impl FnMut(ChunkId, ChunkId) -> bool,
) -> Selection {
    let (mut taken, mut omitted): (Vec<(Selected, usize)>, _) = (Vec::new(), 0);
    let mut left = budget;
    for hit in hits {
        if taken.len() + omitted == limit {
            break;
        }
        let mut shown_already = taken.iter().filter(|(taken, _)| taken.shown == DetailLevel::Full);
        if shown_already.any(|(taken, _)| contains(taken.hit.chunk, hit.chunk)) {
            continue;
        }
        let share = (left as f64 * FAIR_SHARE) as usize;
        let is_around = taken.iter().any(|(taken, _)| contains(hit.chunk, taken.hit.chunk));
        let affordable = DetailLevel::ALL
            .into_iter()
            .filter(|shown| !(is_around && *shown == DetailLevel::Full))
            .find_map(|shown| {
                let tokens = cost(hit.chunk, shown)?;
                (tokens <= share || (shown == DetailLevel::Signature && tokens <= left))
                    .then_some((shown, tokens))
            });
        match affordable.or_else(|| taken.is_empty().then_some((DetailLevel::Signature, left))) {
            Some((shown, tokens)) => {
                left -= tokens;
                taken.push((Selected { hit: hit.clone(), shown }, tokens));
            }
            None => omitted += 1,
        }
    }
    let mut at = 0;
    while let Some((Selected { hit, shown }, tokens)) = taken.get(at) {
        let (chunk, shown, tokens) = (hit.chunk, *shown, *tokens);
        // Better hits inside this chunk stay and must not be shown twice.
        let is_around = taken[..at].iter().any(|(better, _)| contains(chunk, better.hit.chunk));
        let levels = DetailLevel::ALL.into_iter().take_while(|level| *level < shown);
        let more = levels.filter(|level| !(is_around && *level == DetailLevel::Full)).find_map(|level| {
            let more = cost(chunk, level)?;
            (more <= left + tokens).then_some((level, more))
        });
        at += 1;
        let Some((level, more)) = more else { continue };
        left = left + tokens - more;
        taken[at - 1] = (Selected { shown: level, ..taken[at - 1].0.clone() }, more);
        if level == DetailLevel::Full {
            let mut behind = taken.split_off(at);
            behind.retain(|(inner, tokens)| {
                let is_inside = contains(chunk, inner.hit.chunk);
                left += if is_inside { *tokens } else { 0 };
                !is_inside
            });
            taken.append(&mut behind);
        }
    }
    Selection { results: taken.into_iter().map(|(selected, _)| selected).collect(), omitted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sscg_core::Id;

    fn hit(chunk: usize) -> Hit {
        let lines = sscg_core::LineRange { start: 1, end: 1 };
        Hit::new(ChunkId::new(chunk), lines, 1.0)
    }

    #[test]
    fn large_chunks_step_down_and_the_budget_holds() {
        let hits = [hit(0), hit(1), hit(2)];
        let cost = |chunk: ChunkId, shown| match (chunk.index(), shown) {
            (0, DetailLevel::Full) => Some(900),
            (0, DetailLevel::Collapsed) => Some(300),
            (_, DetailLevel::Signature) => Some(10),
            (_, DetailLevel::WithoutComments | DetailLevel::Name) => None,
            _ => Some(100),
        };
        let selection = select(&hits, 10, 1000, cost, |_, _| false);
        let levels: Vec<DetailLevel> = selection.results.iter().map(|result| result.shown).collect();
        assert_eq!(levels, [DetailLevel::Collapsed, DetailLevel::Full, DetailLevel::Full]);

        let selection = select(&hits, 10, 15, cost, |_, _| false);
        assert_eq!((selection.results.len(), selection.omitted), (1, 2));
    }

    #[test]
    fn a_chunk_inside_one_that_is_shown_in_full_is_not_shown_again() {
        let hits = [hit(0), hit(1)];
        let selection = select(&hits, 10, 1000, |_, _| Some(10), |outer, _| outer.index() == 0);
        assert_eq!(selection.results.len(), 1);
    }

    #[test]
    fn what_is_left_shows_more_of_the_best() {
        let hits = [hit(0), hit(1)];
        let cost = |chunk: ChunkId, shown| match (chunk.index(), shown) {
            (0, DetailLevel::Full) => Some(80),
            (_, DetailLevel::Full) => Some(30),
            (_, DetailLevel::WithoutComments) => None,
            _ => Some(10),
        };
        let levels = |budget, inside: bool| {
            let selection = select(&hits, 10, budget, cost, |_, inner| inside && inner.index() == 1);
            selection.results.iter().map(|it| (it.hit.chunk.index(), it.shown)).collect::<Vec<_>>()
        };
        assert_eq!(levels(100, false), [(0, DetailLevel::Collapsed), (1, DetailLevel::Full)]);
        assert_eq!(levels(120, false), [(0, DetailLevel::Full), (1, DetailLevel::Full)]);
        // In full, the first chunk includes the second.
        assert_eq!(levels(120, true), [(0, DetailLevel::Full)]);
    }

    #[test]
    fn what_is_better_stays_beside_what_is_around_it() {
        let hits = [hit(1), hit(0)];
        let cost = |_, shown| match shown {
            DetailLevel::Full => Some(30),
            DetailLevel::WithoutComments => None,
            _ => Some(10),
        };
        let selection =
            select(&hits, 10, 1000, cost, |outer, inner| (outer.index(), inner.index()) == (0, 1));
        let shown: Vec<_> = selection.results.iter().map(|it| (it.hit.chunk.index(), it.shown)).collect();
        assert_eq!(shown, [(1, DetailLevel::Full), (0, DetailLevel::Collapsed)]);
    }
}
