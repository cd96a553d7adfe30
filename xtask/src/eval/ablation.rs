//! What each signal adds.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use sscg::retrieve::{RankOptions, SignalId};

use super::dataset::Group;
use super::session::Row;
use super::table::{mean, percentile};
use crate::bench::Random;

/// The same questions without one signal.
pub(super) struct Ablation {
    pub(super) without: SignalId,
    pub(super) rows: Vec<Row>,
}

/// How often the questions are drawn again for an interval.
const DRAWS: usize = 2_000;

/// A column: its heading, which questions it is of, and which score.
type Column = (&'static str, fn(&Row) -> bool, usize);

const COLUMNS: [Column; 4] = [
    ("chunks", |_| true, 0),
    ("files", |_| true, 1),
    ("chunks, unnamed", |row| row.group == Group::Unnamed, 0),
    ("files, unnamed", |row| row.group == Group::Unnamed, 1),
];

/// The options with a signal switched off.
pub(super) fn without(signal: SignalId, options: &RankOptions) -> RankOptions {
    let mut options = options.clone();
    options.weights.set(signal, 0.0);
    options
}

/// Prints by how much NDCG@10 is higher with each signal than without, with the interval that holds 95 % of
/// what other questions of the same kind would have shown, and for how many questions the first ten differ.
///
/// # Errors
/// If a signal made no difference to any ranking: then the switch is broken, or the signal is.
pub(super) fn report(with_all: &[Row], ablations: &[Ablation]) -> Result<()> {
    print!("{:<24}", "adds to NDCG@10");
    COLUMNS.iter().for_each(|(heading, ..)| print!(" {heading:>24}"));
    println!("  first ten changed");
    for Ablation { without, rows } in ablations {
        if with_all.iter().zip(rows).all(|(full, row)| full.ranking == row.ranking) {
            bail!("switching {without} off changed no ranking");
        }
        print!("  {:<22}", without.as_str());
        for (_, is_of, score) in COLUMNS {
            let pairs = with_all.iter().zip(rows).filter(|(full, _)| is_of(full));
            let gains: Vec<(&str, f64)> = pairs
                .map(|(full, row)| (&*full.repository, full.scores[score] - row.scores[score]))
                .collect();
            let [low, high] = interval(&gains);
            let gain = mean(gains);
            print!(" {:>24}", format!("{gain:+.4} [{low:+.4}, {high:+.4}]"));
        }
        let ten = |row: &Row| row.ranking.iter().take(10).copied().collect::<Vec<_>>();
        let changed = with_all.iter().zip(rows).filter(|(full, row)| ten(full) != ten(row)).count();
        println!("  {:>5.1} %", 100.0 * changed as f64 / rows.len() as f64);
    }
    Ok(())
}

/// The paired bootstrap: each repository's questions are drawn again, as many as it has, with repetition.
pub(super) fn interval(gains: &[(&str, f64)]) -> [f64; 2] {
    let mut by_repository: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (repository, gain) in gains {
        by_repository.entry(repository).or_default().push(*gain);
    }
    let mut random = Random(1);
    let mut draw = |gains: &Vec<f64>| gains[random.below(gains.len())];
    let means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let again = by_repository.iter().flat_map(|(repository, gains)| {
                gains.iter().map(|_| (*repository, draw(gains))).collect::<Vec<_>>()
            });
            mean(again)
        })
        .collect();
    [0.025, 0.975].map(|share| percentile(&means, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_as_wide_as_the_questions_differ() {
        let same = [("a", 0.1), ("a", 0.1), ("b", 0.3)];
        let [low, high] = interval(&same);
        assert!((low - 0.2).abs() < 1e-12 && (high - 0.2).abs() < 1e-12);
        let gains: Vec<(&str, f64)> = (0..100).map(|at| ("a", f64::from(at % 2))).collect();
        let [low, high] = interval(&gains);
        // 1.96 standard errors of a fair coin that is tossed a hundred times.
        assert!((low - 0.4).abs() < 0.03 && (high - 0.6).abs() < 0.03, "{low} {high}");
    }
}
