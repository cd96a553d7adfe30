//! Gain of each signal.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use sscg_retrieve::{RankOptions, SignalId};

use super::dataset::Group;
use super::session::Row;
use super::table::{mean, percentile};
use crate::bench::Random;

/// Results of the same questions without one signal.
pub(super) struct Ablation {
    pub(super) without: SignalId,
    pub(super) rows: Vec<Row>,
}

/// Number of bootstrap samples for an interval.
const DRAWS: usize = 2_000;

/// A column: its heading, a filter of questions, and the index of the score.
type Column = (&'static str, fn(&Row) -> bool, usize);

const COLUMNS: [Column; 4] = [
    ("chunks", |_| true, 0),
    ("files", |_| true, 1),
    ("chunks, unnamed", |row| row.group == Group::Unnamed, 0),
    ("files, unnamed", |row| row.group == Group::Unnamed, 1),
];

/// Returns the options with a signal disabled.
pub(super) fn without(signal: SignalId, options: &RankOptions) -> RankOptions {
    let mut options = options.clone();
    options.weights.set(signal, 0.0);
    options
}

/// Prints the gain in NDCG@10 from each signal, with the 95 % confidence interval for other questions of the same kind,
/// and the share of questions whose first ten results differ.
///
/// # Errors
/// If a signal changed no ranking: then the switch or the signal is broken.
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

/// Returns the 95 % interval of the mean by paired bootstrap: each repository's questions are resampled with
/// replacement.
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
        // 1.96 standard errors of 100 tosses of a fair coin.
        assert!((low - 0.4).abs() < 0.03 && (high - 0.6).abs() < 0.03, "{low} {high}");
    }
}
