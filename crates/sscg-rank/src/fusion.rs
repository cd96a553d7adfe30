//! Fusion of several rankings into one.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// Rank constant for [`rrf`] that Cormack et al. found to work well and that has become customary.
pub const RRF_K: f64 = 60.0;

/// Fuses several rankings by reciprocal rank fusion, which uses only ranks.
///
/// Each list holds items, best first, and has a weight. An item's score is the sum over the lists that hold it of
/// `weight / (k + rank)`, with ranks counted from 1. A larger `k` (customarily [`RRF_K`]) makes the top ranks matter
/// less. The result is sorted by descending score, ties by ascending item.
///
/// An item that a list repeats counts once, at its first position; the items after it keep their positions as ranks.
/// A list whose weight is not finite or not above zero is ignored. A `k` that is negative or NaN counts as 0. O(n log
/// n) for n items in all lists together.
///
/// Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual
/// Rank Learning Methods*, 2009. The weights are an extension; with equal weights the order is theirs.
///
/// ```
/// use sscg_rank::{RRF_K, rrf};
///
/// let (by_words, by_graph): (&[char], &[char]) = (&['a', 'b'], &['b', 'c']);
/// let fused = rrf(&[(1.0, by_words), (0.5, by_graph)], RRF_K);
/// assert_eq!(fused.iter().map(|(item, _)| *item).collect::<String>(), "bac");
/// ```
pub fn rrf<T: Copy + Ord + Hash>(lists: &[(f64, &[T])], k: f64) -> Vec<(T, f64)> {
    let k = k.max(0.0);
    let mut shares = Vec::new();
    let mut seen = FxHashSet::default();
    for &(weight, list) in lists.iter().filter(|(weight, _)| weight.is_finite() && *weight > 0.0) {
        seen.clear();
        for (position, &item) in list.iter().enumerate() {
            if seen.insert(item) {
                shares.push((item, weight / (k + (position + 1) as f64)));
            }
        }
    }
    // An item's shares are added by size instead of by list, so that items with the same shares from different lists
    // get bit-identical sums and tie.
    shares.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut fused: Vec<(T, f64)> = shares
        .chunk_by(|a, b| a.0 == b.0)
        .map(|shares| (shares[0].0, shares.iter().map(|share| share.1).sum()))
        .collect();
    // The entries are sorted by item, and a stable sort keeps that order among ties.
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}

/// Maps scores linearly onto `0.0..=1.0`, the least to 0 and the greatest to 1.
///
/// If all scores are equal there is no range to map: they become 1 if they are above zero, because a signal that
/// found all its candidates equally good did find them, and 0 otherwise. A score that is not finite becomes 0 and
/// does not affect the range.
pub fn min_max(scores: &mut [f64]) {
    let finite = || scores.iter().copied().filter(|score| score.is_finite());
    let least = finite().fold(f64::INFINITY, f64::min);
    let greatest = finite().fold(f64::NEG_INFINITY, f64::max);
    // Halved scores keep a finite range where the range of huge scores overflows.
    let scale = if (greatest - least).is_finite() { 1.0 } else { 0.5 };
    let range = greatest * scale - least * scale;
    for score in scores {
        *score = if !score.is_finite() {
            0.0
        } else if least < greatest {
            (*score * scale - least * scale) / range
        } else {
            f64::from(*score > 0.0)
        };
    }
}

/// Maps scores onto `0.0..=1.0` by their ranks: the greatest to 1, the least to 1 / n, equal ones to the same.
///
/// Of n scores, a score exceeded by r others becomes (n - r) / n. A value that is not finite becomes 0 and does not
/// count as a score. Suits scores whose scale carries little information, such as PageRank scores, which follow a
/// power law. O(n log n).
pub fn rank_normalize(scores: &mut [f64]) {
    let mut sorted: Vec<f64> = scores.iter().copied().filter(|score| score.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = sorted.len() as f64;
    for score in scores {
        let not_exceeding = sorted.partition_point(|other| *other <= *score);
        *score = if score.is_finite() { not_exceeding as f64 / count } else { 0.0 };
    }
}

/// Default weight of centrality in [`annotate`] and [`rerank`].
pub const CENTRALITY_ALPHA: f64 = 0.3;

/// Returns the weighted mean of comparable scores, such as those of [`min_max`]: (1 - alpha) * score + alpha * other.
///
/// `alpha` is clamped to `0.0..=1.0`; NaN counts as 0, as do scores that are not finite.
pub fn blend(score: f64, other: f64, alpha: f64) -> f64 {
    let alpha = if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, 1.0) };
    let finite = |score: f64| if score.is_finite() { score } else { 0.0 };
    (1.0 - alpha) * finite(score) + alpha * finite(other)
}

/// Result with its centrality.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Annotated<T> {
    /// Item found.
    pub item: T,
    /// Original score.
    pub score: f64,
    /// Centrality among the results: from 0, the least, to 1.
    pub centrality: f64,
    /// [`blend`] of the score, normalized by [`min_max`], and the centrality.
    pub blended: f64,
}

/// Adds its centrality to each result and keeps their order. `alpha` is customarily [`CENTRALITY_ALPHA`].
///
/// Scores and centralities are normalized over the results, each by [`min_max`]. O(n).
pub fn annotate<T: Copy>(
    results: &[(T, f64)],
    centrality: impl Fn(T) -> f64,
    alpha: f64,
) -> Vec<Annotated<T>> {
    let mut scores: Vec<f64> = results.iter().map(|(_, score)| *score).collect();
    let mut centralities: Vec<f64> = results.iter().map(|(item, _)| centrality(*item)).collect();
    min_max(&mut scores);
    min_max(&mut centralities);
    let normalized = scores.into_iter().zip(centralities);
    let annotated = results.iter().zip(normalized).map(|(&(item, score), (normalized, centrality))| {
        Annotated { item, score, centrality, blended: blend(normalized, centrality, alpha) }
    });
    annotated.collect()
}

/// Sorts the results of [`annotate`] by blended score, best first, ties by ascending item.
pub fn rerank<T: Copy + Ord>(
    results: &[(T, f64)],
    centrality: impl Fn(T) -> f64,
    alpha: f64,
) -> Vec<Annotated<T>> {
    let mut annotated = annotate(results, centrality, alpha);
    annotated.sort_by(|a, b| b.blended.total_cmp(&a.blended).then(a.item.cmp(&b.item)));
    annotated
}

/// Returns true if a graph has fewer edges than nodes.
///
/// Most nodes of such a graph have no neighbors to distinguish them, and a ranking by it adds little to its seeds;
/// fusion does better without it.
pub fn is_sparse(node_count: usize, edge_count: usize) -> bool {
    edge_count < node_count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rrf_follows_the_formula() {
        let fused = rrf(&[(1.0, &["a", "b", "c"]), (2.0, &["c", "d"])], RRF_K);
        let expected =
            [("c", 1.0 / 63.0 + 2.0 / 61.0), ("d", 2.0 / 62.0), ("a", 1.0 / 61.0), ("b", 1.0 / 62.0)];
        assert_eq!(fused.len(), expected.len());
        for ((item, score), (expected_item, expected_score)) in fused.into_iter().zip(expected) {
            assert_eq!(item, expected_item);
            assert!((score - expected_score).abs() < 1e-15, "{item}: {score}");
        }
    }

    #[test]
    fn items_that_swap_ranks_tie_and_come_in_their_own_order() {
        // Added list by list and with this k, the sum of item 2 would be smaller by the last bit.
        let fused = rrf(&[(1.0, &[2, 1, 3]), (1.0, &[3, 2, 1]), (1.0, &[1, 3, 2])], 2.0);
        assert_eq!(fused.iter().map(|entry| entry.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(fused[0].1, fused[2].1);
    }

    #[test]
    fn a_repeated_item_counts_once_at_its_best_rank() {
        assert_eq!(rrf(&[(1.0, &[7, 7, 8])], 1.0), [(7, 1.0 / 2.0), (8, 1.0 / 4.0)]);
    }

    #[test]
    fn lists_without_a_usable_weight_are_ignored() {
        let list: &[u32] = &[1];
        let useless = [0.0, -1.0, f64::NAN, f64::INFINITY].map(|weight| (weight, list));
        assert_eq!(rrf(&useless, RRF_K), []);
        assert_eq!(rrf::<u32>(&[], RRF_K), []);
        assert_eq!(rrf(&[(1.0, list)], f64::NAN), [(1, 1.0)]);
        assert_eq!(rrf(&[(1.0, list)], -1.0), [(1, 1.0)]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_lists_does_not_matter(
            lists in prop::collection::vec((0.1..4.0, prop::collection::vec(0_u8..20, 0..12)), 0..6),
        ) {
            let forward: Vec<(f64, &[u8])> = lists.iter().map(|(weight, list)| (*weight, &list[..])).collect();
            let backward: Vec<_> = forward.iter().rev().copied().collect();
            let fused = rrf(&forward, RRF_K);
            prop_assert_eq!(&fused, &rrf(&backward, RRF_K));
            prop_assert!(fused.is_sorted_by(|a, b| a.1 > b.1 || (a.1 == b.1 && a.0 < b.0)));
        }

        #[test]
        fn normalized_scores_span_the_unit_interval_in_the_same_order(
            scores in prop::collection::vec(any::<f64>(), 0..12),
        ) {
            let mut normalized = scores.clone();
            min_max(&mut normalized);
            prop_assert!(normalized.iter().all(|score| (0.0..=1.0).contains(score)));
            for (a, normalized_a) in scores.iter().zip(&normalized) {
                for (b, normalized_b) in scores.iter().zip(&normalized) {
                    prop_assert!(!(a.is_finite() && b.is_finite() && a < b) || normalized_a <= normalized_b);
                }
            }
        }
    }

    #[test]
    fn the_least_becomes_zero_and_the_greatest_one() {
        for (mut scores, expected) in [
            (vec![3.0, 1.0, 2.0], vec![1.0, 0.0, 0.5]),
            (vec![-1.0, 0.0, 3.0], vec![0.0, 0.25, 1.0]),
            (vec![f64::MIN, 0.0, f64::MAX], vec![0.0, 0.5, 1.0]),
            (vec![f64::NAN, 1.0, f64::INFINITY, 3.0], vec![0.0, 0.0, 0.0, 1.0]),
            (vec![f64::NAN], vec![0.0]),
            (vec![], vec![]),
        ] {
            min_max(&mut scores);
            assert_eq!(scores, expected);
        }
    }

    #[test]
    fn ranks_tell_how_many_are_no_better() {
        let mut scores = [0.5, f64::NAN, 100.0, 0.5, -1.0, f64::INFINITY];
        rank_normalize(&mut scores);
        assert_eq!(scores, [0.75, 0.0, 1.0, 0.75, 0.25, 0.0]);
        rank_normalize(&mut []);
    }

    #[test]
    fn centrality_is_told_and_only_moves_what_is_reranked() {
        let results = [(1_u32, 10.0), (2, 9.0), (3, 0.0)];
        let centrality = |item| if item == 2 { 0.4 } else { 0.1 };
        let annotated = annotate(&results, centrality, CENTRALITY_ALPHA);
        assert_eq!(annotated.iter().map(|a| a.item).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(annotated.iter().map(|a| a.centrality).collect::<Vec<_>>(), [0.0, 1.0, 0.0]);
        assert_eq!(annotated[0].score, 10.0);
        assert!((annotated[1].blended - (0.7 * 0.9 + 0.3)).abs() < 1e-12);
        let order = |alpha| rerank(&results, centrality, alpha).iter().map(|a| a.item).collect::<Vec<_>>();
        assert_eq!(order(CENTRALITY_ALPHA), [2, 1, 3]);
        assert_eq!(order(0.0), [1, 2, 3]);
        assert_eq!(order(f64::NAN), [1, 2, 3]);
        assert_eq!(order(9.0), [2, 1, 3], "ties by item");
        assert_eq!(blend(f64::NAN, f64::INFINITY, 0.5), 0.0);
        assert_eq!(annotate::<u32>(&[], |_| 1.0, 0.3), []);
    }

    #[test]
    fn equal_scores_count_fully_if_they_found_something() {
        for (mut scores, expected) in
            [([0.2, 0.2], [1.0, 1.0]), ([0.0, 0.0], [0.0, 0.0]), ([-3.0, -3.0], [0.0, 0.0])]
        {
            min_max(&mut scores);
            assert_eq!(scores, expected);
        }
    }

    #[test]
    fn a_graph_is_sparse_below_one_edge_per_node() {
        assert!(is_sparse(3, 2));
        assert!(!is_sparse(3, 3));
        assert!(!is_sparse(0, 0));
    }
}
