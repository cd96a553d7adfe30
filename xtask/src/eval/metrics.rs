//! Metrics of one ranking.

use sscg_core::LineRange;
use sscg_format::{Answer, ResultItem};

use super::dataset::{Target, under};

/// Location of a result: a path relative to the repository's root, with lines.
pub(super) type ResultLocation = (String, LineRange);

/// Number of ranks that NDCG considers.
const CUTOFF: usize = 10;

/// Numbers of files that the recalls consider.
const DEPTHS: [usize; 3] = [1, 5, 10];

/// Token budgets of the answers; the last is the default.
pub(super) const BUDGETS: [usize; 4] = [500, 1_000, 2_000, 8_000];

/// Columns of the results of [`of_ranking`], in order.
pub(super) const OF_RANKING: [&str; 6] = ["chunks", "files", "mrr", "r@1", "r@5", "r@10"];

/// Columns of [`AnswerCoverage::code`] for each budget.
pub(super) const OF_ANSWERS: [&str; 4] = ["500t", "1000t", "2000t", "8000t"];

/// Returns NDCG@10 over the chunks as ranked and over the first chunk of each file; then, by files without regard to
/// lines, the reciprocal of the first target's rank, and the share of the targets in the first files.
pub(super) fn of_ranking(ranking: &[ResultLocation], targets: &[&Target]) -> [f64; OF_RANKING.len()] {
    let mut files: Vec<ResultLocation> = Vec::new();
    for entry in ranking {
        if files.iter().all(|(path, _)| *path != entry.0) {
            files.push(entry.clone());
        }
    }
    let rank = |target: &&&Target| files.iter().position(|(path, _)| target.is_in(path));
    let ranks: Vec<usize> = targets.iter().filter_map(|target| rank(&target)).collect();
    let first = ranks.iter().min().map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    let [one, five, ten] =
        DEPTHS.map(|depth| share(ranks.iter().filter(|rank| **rank < depth).count(), targets.len()));
    [ndcg(ranking, targets), ndcg(&files, targets), first, one, five, ten]
}

/// Contents of an answer.
#[derive(Clone, Copy, Default)]
pub(super) struct AnswerCoverage {
    /// Share of the targets whose code is shown; a signature or name alone is not code.
    pub(super) code: f64,
    /// Share of the targets that are shown in any form.
    pub(super) any: f64,
    pub(super) results: f64,
    pub(super) tokens: f64,
}

pub(super) fn of_answer(answer: &Answer, prefix: &str, targets: &[&Target]) -> AnswerCoverage {
    let share_in = |is_counted: fn(&ResultItem) -> bool| {
        let is_shown = |target: &&&Target| {
            answer.results.iter().filter(|result| is_counted(result)).any(|result| {
                let lines = LineRange { start: result.lines.start, end: result.lines.end };
                target.is_hit_by(&under(prefix, &result.file), lines)
            })
        };
        share(targets.iter().filter(is_shown).count(), targets.len())
    };
    AnswerCoverage {
        code: share_in(|result| !matches!(result.shown.as_str(), "signature" | "name")),
        any: share_in(|_| true),
        results: answer.results.len() as f64,
        tokens: answer.token_count as f64,
    }
}

/// Returns the normalized discounted cumulative gain at ten: each target counts once, at its first hit.
fn ndcg(ranking: &[ResultLocation], targets: &[&Target]) -> f64 {
    let mut gains = [0.0; CUTOFF];
    for target in targets {
        let first = ranking.iter().take(CUTOFF).position(|(path, lines)| target.is_hit_by(path, *lines));
        if let Some(rank) = first {
            gains[rank] = 1.0;
        }
    }
    let discounted = |gains: &[f64]| -> f64 {
        gains.iter().enumerate().map(|(rank, gain)| gain / (rank as f64 + 2.0).log2()).sum()
    };
    let ideal = discounted(&vec![1.0; targets.len().min(CUTOFF)]);
    if ideal > 0.0 { discounted(&gains) / ideal } else { 0.0 }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: LineRange = LineRange { start: 1, end: 9 };

    fn ranking(paths: &[&str]) -> Vec<ResultLocation> {
        paths.iter().map(|path| ((*path).to_owned(), LINES)).collect()
    }

    fn lines(path: &str, start: u32, end: u32) -> Target {
        Target::Lines { path: path.to_owned(), start_line: Some(start), end_line: Some(end) }
    }

    #[test]
    fn a_target_counts_once_at_its_first_hit() {
        let ranking = ranking(&["b", "a", "a", "c"]);
        let a = Target::File("a".to_owned());
        let c = lines("c", 10, 12);
        let expected = 1.0 / 3.0_f64.log2();
        assert!((ndcg(&ranking, &[&a]) - expected).abs() < 1e-12);
        // Lines that do not overlap are no hit.
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        assert!((ndcg(&ranking, &[&a, &c]) - expected / ideal).abs() < 1e-12);
    }

    #[test]
    fn files_count_once_and_whatever_the_lines() {
        let ranking = ranking(&["b", "b", "b", "a"]);
        let a = lines("a", 20, 30);
        let other = Target::File("x".to_owned());
        let [_, files, first, one, five, _] = of_ranking(&ranking, &[&a, &other]);
        assert!((first, one, five) == (0.5, 0.0, 0.5));
        assert!(files < f64::EPSILON);
    }

    #[test]
    fn an_answer_has_a_target_if_it_shows_its_code() {
        let result = |path: &str, shown: &str| {
            ResultItem::default()
                .with_file(path.to_owned())
                .with_lines(sscg_format::Lines { start: 1, end: 9 })
                .with_shown(shown.to_owned())
        };
        let results = vec![result("a", "full"), result("b", "signature"), result("c", "collapsed")];
        let answer = Answer::default().with_results(results);
        let targets = [lines("src/a", 9, 9), Target::File("src/b".to_owned()), lines("src/c", 10, 10)];
        let targets: Vec<&Target> = targets.iter().collect();
        let shown = of_answer(&answer, "src", &targets);
        assert!((shown.code - 1.0 / 3.0).abs() < 1e-12 && (shown.any - 2.0 / 3.0).abs() < 1e-12);
    }
}
