//! Means over many questions, as a table and as a file.

use std::collections::BTreeMap;

use super::metrics::{AnswerCoverage, BUDGETS};
use super::session::{Row, Times};

/// Means over a group of questions.
struct Line {
    split: &'static str,
    name: String,
    questions: usize,
    means: Vec<f64>,
}

/// A section of the table: its heading, and the line of it that a question counts for.
type Split = (&'static str, fn(&Row) -> String);

const SPLITS: [Split; 6] = [
    ("all", |_| "all".to_owned()),
    ("language", |row| row.language.clone()),
    ("category", |row| row.category.clone()),
    ("repository", |row| row.repository.clone()),
    ("group", |row| row.group.as_str().to_owned()),
    ("category and group", |row| format!("{} {}", row.category, row.group.as_str())),
];

/// Returns the mean over repositories of each repository's mean.
pub(super) fn mean<'r>(numbers: impl IntoIterator<Item = (&'r str, f64)>) -> f64 {
    let mut by_repository: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for (repository, number) in numbers {
        let (sum, count) = by_repository.entry(repository).or_default();
        *sum += number;
        *count += 1;
    }
    let means = by_repository.values().map(|(sum, count)| sum / *count as f64);
    means.sum::<f64>() / by_repository.len() as f64
}

fn lines(rows: &[Row]) -> Vec<Line> {
    let mut lines = Vec::new();
    for (split, name_of) in SPLITS {
        let mut names: Vec<String> = rows.iter().map(name_of).collect();
        names.sort();
        names.dedup();
        for name in names {
            let of_name: Vec<&Row> = rows.iter().filter(|row| name_of(row) == name).collect();
            let score = |at: usize| of_name.iter().map(move |row| (&*row.repository, row.scores[at]));
            let means = (0..of_name[0].scores.len()).map(|at| mean(score(at))).collect();
            lines.push(Line { split, name, questions: of_name.len(), means });
        }
    }
    lines
}

pub(super) fn print(rows: &[Row], columns: &[&str]) {
    print!("{:<24}", "NDCG@10");
    columns.iter().for_each(|column| print!(" {column:>7}"));
    println!(" questions");
    let mut heading = SPLITS[0].0;
    for line in lines(rows) {
        if line.split != heading {
            heading = line.split;
            println!("{heading}");
        }
        let indent = if line.split == SPLITS[0].0 { "" } else { "  " };
        print!("{:<24}", format!("{indent}{}", line.name));
        line.means.iter().for_each(|mean| print!(" {mean:>7.4}"));
        println!(" {:>9}", line.questions);
    }
}

/// Returns the table as CSV for comparison in reviews, thus without times.
pub(super) fn csv(rows: &[Row], columns: &[&str]) -> String {
    let mut out = format!("split,name,questions,{}\n", columns.join(","));
    for Line { split, name, questions, means } in lines(rows) {
        let means: Vec<String> = means.iter().map(|mean| format!("{mean:.4}")).collect();
        out += &format!("{split},{name},{questions},{}\n", means.join(","));
    }
    out
}

/// Prints the contents of answers by budget: without room for more, a target may be shown only by its signature.
pub(super) fn print_answers(rows: &[Row]) {
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>9}",
        "answers: targets shown", "with code", "at all", "results", "tokens"
    );
    for (at, budget) in BUDGETS.iter().enumerate() {
        let of = |number: fn(&AnswerCoverage) -> f64| {
            mean(rows.iter().map(|row| (&*row.repository, number(&row.answers[at]))))
        };
        let (code, any) = (of(|shown| shown.code), of(|shown| shown.any));
        let (results, tokens) = (of(|shown| shown.results), of(|shown| shown.tokens));
        println!(
            "{:<24} {code:>9.4} {any:>9.4} {results:>9.1} {tokens:>9.0}",
            format!("  of {budget} tokens")
        );
    }
}

pub(super) fn print_times(times: &[Times]) {
    println!("{:<24} {:>7} {:>15} {:>15}", "times", "index", "ranking p50 p95", "answer p50 p95");
    let line = |name: &str, index: f64, rank: &[f64], answer: &[f64]| {
        let [rank, answer] = [rank, answer].map(|times| [0.5, 0.95].map(|share| percentile(times, share)));
        let [rank, answer] = [rank, answer].map(|[p50, p95]| format!("{p50:.2} {p95:6.2}"));
        println!("{name:<24} {index:>5.2} s {rank:>12} ms {answer:>12} ms");
    };
    for of_one in times {
        line(&format!("  {}", of_one.repository), of_one.index, &of_one.rank, &of_one.answer);
    }
    let all = |of: fn(&Times) -> &Vec<f64>| times.iter().flat_map(of).copied().collect::<Vec<f64>>();
    let index = times.iter().map(|of_one| of_one.index).sum();
    line("all", index, &all(|of_one| &of_one.rank), &all(|of_one| &of_one.answer));
}

/// Returns the number that a share of all is below; 0 if there are none.
pub(super) fn percentile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * share) as usize).copied().unwrap_or_default()
}
