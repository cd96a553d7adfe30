//! `cargo xtask eval`: how good the rankings are.
//!
//! A dataset is a folder with `repositories.json` (name -> `{"language", "benchmark_root", ..}`) and
//! `annotations/<name>.json` (a list of `{"query", "category", "relevant", "secondary"}`, targets being paths
//! or `{"path", "start_line", "end_line"}`). Checkouts are `<checkouts>/<name>`; repositories without one are
//! left out and named.
//!
//! Each score is given for the *named* and the *unnamed* questions too: whether the question mentions the name of a
//! file that answers it ([`Group`]). A benchmark's questions do so more often than people who do not know the code
//! yet, so the unnamed ones say more about what those get.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sscg::core::LineRange;
use sscg::index::{query_terms, words};
use sscg::retrieve::{RankOptions, SignalId};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};

use crate::workspace::rerun_optimised;

/// Measure NDCG@10 of the rankings on a dataset
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder with `repositories.json` and `annotations/`
    #[arg(long)]
    dataset: PathBuf,
    /// Folder with a checkout of each repository, by name
    #[arg(long)]
    checkouts: PathBuf,
    /// Only this repository; may be given more than once
    #[arg(long)]
    repository: Vec<String>,
    /// Weigh a signal differently, as in `graph=0`; may be given more than once
    #[arg(long, value_parser = weight, value_name = "SIGNAL=WEIGHT")]
    weight: Vec<(SignalId, f64)>,
    /// Print each question with its score and first results
    #[arg(long)]
    show: bool,
}

#[derive(Deserialize)]
struct Repository {
    language: String,
    benchmark_root: Option<String>,
}

#[derive(Deserialize)]
struct Question {
    query: String,
    category: String,
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Target {
    File(String),
    Lines { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

/// The score of one question: over chunks as ranked, and over distinct files.
struct Row {
    repository: String,
    language: String,
    category: String,
    group: Group,
    chunks: f64,
    files: f64,
}

/// Whether a question mentions the name of a file that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Named,
    Unnamed,
}

impl Group {
    /// A target is named if the question has at least a third of the words that its file's name is made of, compared
    /// as the index compares words: without stop words, by stem. One named target makes a named question.
    fn of(question: &str, targets: &[&Target]) -> Self {
        let asked = query_terms(question);
        let is_named = |target: &&Target| {
            let parts = name_parts(target.path());
            let mentioned = parts.iter().filter(|part| asked.contains(part)).count();
            mentioned > 0 && mentioned * 3 >= parts.len()
        };
        if targets.iter().any(is_named) { Self::Named } else { Self::Unnamed }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Unnamed => "unnamed",
        }
    }
}

/// The files that are called by their directory's name.
const DIRECTORY_FILES: [&str; 6] = ["__init__", "index", "init", "lib", "main", "mod"];

/// The words, as terms, that the name of a file is made of, each once.
fn name_parts(path: &str) -> Vec<String> {
    let mut levels = path.rsplit('/');
    let name = levels.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let called = if DIRECTORY_FILES.contains(&stem) { levels.next().unwrap_or(stem) } else { stem };
    let mut parts = Vec::new();
    for word in words(called) {
        let mut terms = query_terms(word);
        // A word of several parts gives them and then, joined, itself.
        if terms.len() > 1 {
            terms.pop();
        }
        parts.extend(terms);
    }
    parts.sort();
    parts.dedup();
    parts
}

const CUTOFF: usize = 10;

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimised()? {
        return Ok(());
    }
    let repositories: BTreeMap<String, Repository> = read_json(&args.dataset.join("repositories.json"))?;
    let mut rows = Vec::new();
    let mut absent = Vec::new();
    let mut query_times = Vec::new();
    for (name, repository) in &repositories {
        if !args.repository.is_empty() && !args.repository.contains(name) {
            continue;
        }
        let prefix = repository.benchmark_root.clone().unwrap_or_default();
        let root = args.checkouts.join(name).join(&prefix);
        if !root.is_dir() {
            absent.push(name.as_str());
            continue;
        }
        let questions: Vec<Question> = read_json(&args.dataset.join(format!("annotations/{name}.json")))?;
        evaluate(&args, name, repository, &root, &prefix, &questions, &mut rows, &mut query_times)?;
    }
    ensure!(!rows.is_empty(), "no checkout of the dataset under {}", args.checkouts.display());
    println!("{:<24} {:>8} {:>8} {:>9}", "NDCG@10", "chunks", "files", "questions");
    report("all", &rows, |_| true);
    let splits: [(&str, fn(&Row) -> String); 5] = [
        ("language", |row| row.language.clone()),
        ("category", |row| row.category.clone()),
        ("repository", |row| row.repository.clone()),
        ("group", |row| row.group.as_str().to_owned()),
        ("category and group", |row| format!("{} {}", row.category, row.group.as_str())),
    ];
    for (heading, of) in splits {
        let mut values: Vec<String> = rows.iter().map(of).collect();
        values.sort();
        values.dedup();
        println!("{heading}");
        for value in values {
            report(&format!("  {value}"), &rows, |row| of(row) == value);
        }
    }
    query_times.sort_by(f64::total_cmp);
    let at = |share: f64| query_times[((query_times.len() - 1) as f64 * share) as usize];
    println!("ranking time: p50 {:.2} ms, p95 {:.2} ms", at(0.5), at(0.95));
    if !absent.is_empty() {
        println!("without a checkout: {}", absent.join(", "));
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "one caller, and a struct would only rename them")]
fn evaluate(
    args: &Args,
    name: &str,
    repository: &Repository,
    root: &Path,
    prefix: &str,
    questions: &[Question],
    rows: &mut Vec<Row>,
    query_times: &mut Vec<f64>,
) -> Result<()> {
    let mut rank = RankOptions::default();
    for (signal, weight) in &args.weight {
        rank.weights.retain(|(known, _)| known != signal);
        rank.weights.push((*signal, *weight));
    }
    let mut engine =
        Engine::open_with(root, EngineOptions { rank, ..EngineOptions::stored_in(Storage::Ephemeral) })?;
    engine.refresh(&|_, _| {});
    for question in questions {
        let start = Instant::now();
        let (snapshot, hits) = engine.rank(&SearchRequest::new(&question.query))?;
        query_times.push(start.elapsed().as_secs_f64() * 1e3);
        let ranking: Vec<(String, LineRange)> = hits
            .iter()
            .map(|hit| {
                let file = snapshot.project.chunk_file(hit.chunk);
                let path = &snapshot.project.files()[file].path;
                let path = if prefix.is_empty() { path.to_string() } else { format!("{prefix}/{path}") };
                (path, snapshot.project.chunk(hit.chunk).lines)
            })
            .collect();
        let targets: Vec<&Target> = question.relevant.iter().chain(&question.secondary).collect();
        let mut distinct: Vec<(String, LineRange)> = Vec::new();
        for entry in &ranking {
            if distinct.iter().all(|(path, _)| *path != entry.0) {
                distinct.push(entry.clone());
            }
        }
        let row = Row {
            repository: name.to_owned(),
            language: repository.language.clone(),
            category: question.category.clone(),
            group: Group::of(&question.query, &targets),
            chunks: ndcg(&ranking, &targets),
            files: ndcg(&distinct, &targets),
        };
        if args.show {
            println!("{:.3} {name}: {}", row.chunks, question.query);
            let wanted: Vec<&str> = targets.iter().map(|target| target.path()).collect();
            println!("      wanted {}", wanted.join(", "));
            for hit in hits.iter().take(5) {
                let sources: Vec<String> =
                    hit.sources.iter().map(|source| format!("{} #{}", source.signal, source.rank)).collect();
                println!("      {} | {}", snapshot.project.chunk_key(hit.chunk), sources.join(", "));
            }
        }
        rows.push(row);
    }
    Ok(())
}

impl Target {
    fn path(&self) -> &str {
        match self {
            Target::File(path) | Target::Lines { path, .. } => path,
        }
    }

    fn is_hit_by(&self, (path, lines): &(String, LineRange)) -> bool {
        match self {
            Target::Lines { start_line: Some(start), end_line: Some(end), .. } => {
                same_path(self.path(), path) && lines.start <= *end && *start <= lines.end
            }
            _ => same_path(self.path(), path),
        }
    }
}

fn same_path(a: &str, b: &str) -> bool {
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

/// Normalised discounted cumulative gain at ten: each target counts once, at its first hit.
fn ndcg(ranking: &[(String, LineRange)], targets: &[&Target]) -> f64 {
    let mut gains = [0.0; CUTOFF];
    for target in targets {
        if let Some(rank) = ranking.iter().take(CUTOFF).position(|entry| target.is_hit_by(entry)) {
            gains[rank] = 1.0;
        }
    }
    let discounted = |gains: &[f64]| -> f64 {
        gains.iter().enumerate().map(|(rank, gain)| gain / (rank as f64 + 2.0).log2()).sum()
    };
    let ideal = discounted(&vec![1.0; targets.len().min(CUTOFF)]);
    if ideal > 0.0 { discounted(&gains) / ideal } else { 0.0 }
}

/// Prints the mean over repositories of each repository's mean.
fn report(label: &str, rows: &[Row], of: impl Fn(&Row) -> bool) {
    let mut by_repository: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| of(row)) {
        by_repository.entry(&row.repository).or_default().push(row);
    }
    let mean = |score: fn(&Row) -> f64| {
        let means = by_repository
            .values()
            .map(|rows| rows.iter().map(|row| score(row)).sum::<f64>() / rows.len() as f64);
        means.sum::<f64>() / by_repository.len() as f64
    };
    let questions: usize = by_repository.values().map(Vec::len).sum();
    println!("{label:<24} {:>8.4} {:>8.4} {questions:>9}", mean(|row| row.chunks), mean(|row| row.files));
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not in the dataset's format", path.display()))
}

fn weight(text: &str) -> Result<(SignalId, f64), String> {
    let (name, weight) = text.split_once('=').ok_or("write it as SIGNAL=WEIGHT")?;
    let signal = SignalId::ALL.iter().find(|signal| signal.as_str() == name);
    let known = || SignalId::ALL.map(SignalId::as_str).join(", ");
    let signal = *signal.ok_or_else(|| format!("no such signal; there are {}", known()))?;
    Ok((signal, weight.parse().map_err(|_| format!("not a number: {weight}"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_counts_once_at_its_first_hit() {
        let lines = LineRange { start: 1, end: 9 };
        let ranking: Vec<_> = ["b", "a", "a", "c"].map(|path| (path.to_owned(), lines)).into_iter().collect();
        let a = Target::File("a".to_owned());
        let c = Target::Lines { path: "c".to_owned(), start_line: Some(10), end_line: Some(12) };
        let expected = 1.0 / 3.0_f64.log2();
        assert!((ndcg(&ranking, &[&a]) - expected).abs() < 1e-12);
        // Lines that do not overlap are no hit.
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        assert!((ndcg(&ranking, &[&a, &c]) - expected / ideal).abs() < 1e-12);
    }

    #[test]
    fn a_question_is_named_if_it_has_a_third_of_a_files_words() {
        let group = |question: &str, path: &str| Group::of(question, &[&Target::File(path.to_owned())]);
        assert_eq!(group("how are requests sent", "lib/core/dispatchRequest.js"), Group::Named);
        assert_eq!(group("how are bodies sent", "lib/core/dispatchRequest.js"), Group::Unnamed);
        assert_eq!(group("where is a timer kept", "src/a_b_c_timers.rs"), Group::Named);
        assert_eq!(group("where is a timer kept", "src/the_big_old_timers.rs"), Group::Unnamed);
        // A directory's own file is called by the directory.
        assert_eq!(group("the default values", "lib/defaults/index.js"), Group::Named);
        assert_eq!(group("an index of values", "lib/defaults/index.js"), Group::Unnamed);
        // The file that is named need not be the first.
        let targets = ["src/a.rs", "src/sleep.rs"].map(|path| Target::File(path.to_owned()));
        assert_eq!(Group::of("sleeping", &[&targets[0], &targets[1]]), Group::Named);
    }
}
