//! `cargo xtask eval --spans DIR`: share of the code needed for an answer that is shown, within a token budget.
//!
//! `DIR/<name>.json` is a list of `{"query", "category", "relevant", "secondary"}`, with targets
//! `{"path", "start_line", "end_line"}`; the checkout is `<checkouts>/<name>`. A line counts as shown if its text,
//! without surrounding white space, is in the code that the answer shows of its file. Lines of fewer than five
//! characters, or without two consecutive word characters, do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_core::FileId;
use sscg_format::{Answer, FileSnapshot, Lines, ResultItem};
use sscg_index::Snapshot;
use sscg_retrieve::{Filters, Hit, Query, RankOptions, SignalId, rank};

use super::ablation::{interval, without};
use super::dataset::{Question, Target, read_json};
use super::{Args, expected, packages, rank_options};
use crate::bench::times::Times;

/// Token budgets of the answers.
const BUDGETS: [usize; 5] = [1_000, 2_000, 4_000, 8_000, 16_000];

/// Indices of the budgets in `expected.csv`.
const EXPECTED: [usize; 2] = [1, 3];

/// Number of measures of an answer.
const MEASURES: usize = 7;

/// Measures of an answer, in the order of [`Scores`].
const COLUMNS: [&str; MEASURES] = ["lines", "complete", "any", "precision", "first5", "mrr", "tokens"];

/// Measures of one answer:
///
/// - `lines`: share of the distinct lines of each needed span that are shown, mean over the spans;
/// - `complete`: 1 if at least 80 % of each needed span is shown;
/// - `any`: 1 if at least half of some needed span is shown;
/// - `precision`: share of the shown lines that are part of a needed or a secondary span;
/// - `first5`: 1 if a needed declaration is among the first five results;
/// - `mrr`: reciprocal of the rank of the first needed declaration;
/// - `tokens`: length of the answer.
type Scores = [f64; MEASURES];

/// Approximate number of characters per token in code; for rankings without answers.
const CHARACTERS: f64 = 4.2;

/// A question of one repository and the scores of its answers, by budget.
struct Row {
    repository: String,
    /// 1-based number of the question in its file.
    number: usize,
    language: String,
    category: String,
    scores: [Scores; BUDGETS.len()],
}

/// Location and distinct lines of a needed span.
struct Span<'q> {
    target: &'q Target,
    keys: BTreeSet<String>,
}

/// Runs all questions, and prints the tables.
///
/// With `check` or `bless`, compares the rankings with `expected.csv` instead, or writes it; with terms, `expected-terms.csv`.
pub(super) fn run(args: &Args, folder: &Path) -> Result<()> {
    let options = rank_options(&args.set)?;
    let checkouts = match &args.checkouts {
        Some(checkouts) => checkouts.clone(),
        None => packages::fetched(folder)?,
    };
    let rows = measure(args, folder, &checkouts, &options)?;
    ensure!(!rows.is_empty(), "no checkout of the questions under {}", checkouts.display());
    if args.check || args.bless {
        let key = |row: &Row| format!("{},{}", row.repository, row.number);
        let lines = |row: &Row| EXPECTED.map(|budget| row.scores[budget][0]);
        let scores = rows.iter().map(|row| (key(row), lines(row))).collect();
        let file = folder.join(if args.terms.is_some() { "expected-terms.csv" } else { "expected.csv" });
        let names = questions(folder)?.into_iter().map(|(name, _)| name);
        let absent: Vec<String> = names.filter(|name| !checkouts.join(name).is_dir()).collect();
        return if args.bless {
            ensure!(absent.is_empty(), "not here, and their scores would be lost: {}", absent.join(", "));
            expected::bless(&file, &EXPECTED.map(|at| BUDGETS[at].to_string()).join(","), &scores)
        } else {
            expected::check(&file, &scores, &absent)
        };
    }
    print(&rows);
    if args.terms.is_some() {
        print_times(args, folder, &checkouts, &options)?;
    }
    for signal in &args.ablate {
        let others = measure(args, folder, &checkouts, &without(*signal, &options))?;
        print_gain(*signal, &rows, &others);
    }
    Ok(())
}

fn measure(args: &Args, folder: &Path, checkouts: &Path, options: &RankOptions) -> Result<Vec<Row>> {
    // Rankings are the same in every build, and take a fraction of the time of answers.
    let is_quick = args.quick || args.check || args.bless;
    let terms: BTreeMap<String, Vec<String>> =
        args.terms.as_deref().map(read_json).transpose()?.unwrap_or_default();
    let mut rows = Vec::new();
    for (name, questions) in questions(folder)? {
        let root = checkouts.join(&name);
        if !root.is_dir() || !(args.repository.is_empty() || args.repository.contains(&name)) {
            continue;
        }
        let storage = EngineOptions::stored_in(Storage::Ephemeral);
        let engine = Engine::open_with(&root, storage.with_rank(options.clone()))?;
        for (number, question) in (1_usize..).zip(&questions) {
            let terms = terms.get(&format!("{name}/{}", number - 1)).map_or(&[][..], Vec::as_slice);
            let request = SearchRequest::new(&question.query).with_terms(terms.to_vec());
            let row = ask(&engine, &root, (&name, number), question, &request, options, is_quick);
            rows.push(row.with_context(|| format!("{name}: {}", question.query))?);
        }
    }
    Ok(rows)
}

/// Number of timed rankings and answers, without and with terms, in turns.
const ROUNDS: usize = 5;

/// Prints the median times of rankings and answers with the caller's terms, relative to those of the question alone.
fn print_times(args: &Args, folder: &Path, checkouts: &Path, options: &RankOptions) -> Result<()> {
    let terms: BTreeMap<String, Vec<String>> =
        args.terms.as_deref().map(read_json).transpose()?.unwrap_or_default();
    // Without and with terms.
    let (mut rankings, mut answers): ([Times; 2], [Times; 2]) = Default::default();
    for (name, questions) in questions(folder)? {
        let root = checkouts.join(&name);
        if !root.is_dir() || !(args.repository.is_empty() || args.repository.contains(&name)) {
            continue;
        }
        let engine = Engine::open_with(&root, EngineOptions::stored_in(Storage::Ephemeral))?;
        let (snapshot, _) = engine.refresh()?;
        let engine =
            Engine::of_snapshot(Arc::clone(&snapshot), EngineOptions::default().with_rank(options.clone()))?;
        for (number, question) in questions.iter().enumerate() {
            let Some(terms) = terms.get(&format!("{name}/{number}")) else { continue };
            let rounds = (0..ROUNDS).flat_map(|_| [&[][..], terms].into_iter().enumerate());
            for (at, terms) in rounds {
                let query = Query::parse(&question.query, Filters::default())?.with_terms(terms);
                let begun = Instant::now();
                black_box(rank(&snapshot, &query, options));
                rankings[at].push(begun.elapsed());
                let request = SearchRequest::new(&question.query).with_terms(terms.to_vec());
                let begun = Instant::now();
                black_box(engine.search(&request)?);
                answers[at].push(begun.elapsed());
            }
        }
    }
    for (what, [alone, with_terms]) in [("rankings", rankings), ("answers", answers)] {
        if alone.count() > 0 {
            let (alone, with_terms) = (alone.median(), with_terms.median());
            let ratio = with_terms / alone;
            println!(
                "{what} with terms take {ratio:.2} times as long: {with_terms:.2} ms, alone {alone:.2} ms"
            );
        }
    }
    Ok(())
}

/// Returns the questions of each repository, with its name.
fn questions(folder: &Path) -> Result<Vec<(String, Vec<Question>)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut found = Vec::new();
    for path in paths?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // The file with the caller's terms is in the same folder; it is an object, not a list.
        if let Ok(questions) = read_json(&path) {
            found.push((name, questions));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

fn ask(
    engine: &Engine,
    root: &Path,
    (repository, number): (&str, usize),
    question: &Question,
    request: &SearchRequest,
    options: &RankOptions,
    is_quick: bool,
) -> Result<Row> {
    let mut needed = Vec::new();
    let mut useful: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for target in question.targets() {
        let keys = keys_of(root, target)?;
        useful.entry(target.path()).or_default().extend(keys.iter().cloned());
        needed.push(Span { target, keys });
    }
    needed.truncate(question.relevant().len());
    let mut scores = [[0.0; MEASURES]; BUDGETS.len()];
    let ranking = if is_quick {
        let (snapshot, _) = engine.refresh()?;
        let query = Query::parse(&request.query, Filters::default())?.with_terms(&request.terms);
        Some((rank(&snapshot, &query, options), snapshot))
    } else {
        None
    };
    for (scores, budget) in scores.iter_mut().zip(BUDGETS) {
        if let Some((hits, snapshot)) = &ranking {
            *scores = score(&of_ranking(snapshot, hits, budget), &needed, &useful);
            continue;
        }
        let answer = engine.search(&request.clone().with_budget(budget))?.answer;
        *scores = score(&answer, &needed, &useful);
    }
    let end = needed.first().and_then(|span| span.target.path().rsplit_once('.'));
    Ok(Row {
        repository: repository.to_owned(),
        number,
        language: end.map_or("none", |(_, end)| end).to_owned(),
        category: question.category().to_owned(),
        scores,
    })
}

/// Returns an answer of only the lines of the best spans.
fn of_ranking(snapshot: &Snapshot, hits: &[Hit], budget: usize) -> Answer {
    let project = &snapshot.project;
    let mut left = budget as f64 * CHARACTERS;
    let mut answer = Answer::default();
    let mut shown: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
    'spans: for hit in hits {
        let file = project.chunk_file(hit.chunk);
        let path = &*project.files()[file].path;
        let Some(text) = snapshot.source(file) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        left -= if shown.contains_key(&file) { 6.0 } else { path.len() as f64 + 4.0 };
        let shown = shown.entry(file).or_default();
        let mut code = String::new();
        let mut is_full = false;
        for line in (hit.lines.start..=hit.lines.end).filter(|line| shown.insert(*line)) {
            let line = lines.get(line as usize - 1).copied().unwrap_or_default();
            left -= line.len() as f64 + 1.0;
            is_full = left < 0.0;
            if is_full {
                break;
            }
            code = code + line + "\n";
        }
        let lines = Lines { start: hit.lines.start, end: hit.lines.end };
        answer.results.push(ResultItem::default().with_file(path.to_owned()).with_lines(lines));
        answer.snapshots.push(FileSnapshot::default().with_file(path.to_owned()).with_text(code));
        if is_full {
            break 'spans;
        }
    }
    answer
}

/// Returns the lines of a target that count.
fn keys_of(root: &Path, target: &Target) -> Result<BTreeSet<String>> {
    let path = root.join(target.path());
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let (start, end) = target.lines().unwrap_or((1, u32::MAX));
    let lines = text.lines().skip(start as usize - 1).take((end - start) as usize + 1);
    Ok(lines.filter_map(key).collect())
}

/// Returns the text by which a line is compared, if it counts.
fn key(line: &str) -> Option<String> {
    let line = line.trim();
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let mut pairs = line.chars().zip(line.chars().skip(1));
    let has_word = pairs.any(|(a, b)| is_word(&a) && is_word(&b));
    (line.chars().count() >= 5 && has_word).then(|| line.to_owned())
}

fn score(answer: &Answer, needed: &[Span<'_>], useful: &BTreeMap<&str, BTreeSet<String>>) -> Scores {
    let mut shown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for snapshot in &answer.snapshots {
        shown.entry(&snapshot.file).or_default().extend(snapshot.text.lines().filter_map(key));
    }
    let shares: Vec<f64> = needed
        .iter()
        .map(|span| {
            let shown: BTreeSet<&String> = shown.get(span.target.path()).into_iter().flatten().collect();
            let count = span.keys.iter().filter(|key| shown.contains(key)).count();
            count as f64 / span.keys.len().max(1) as f64
        })
        .collect();
    let all = shown.values().map(Vec::len).sum::<usize>();
    let hits = shown.iter().map(|(path, keys)| {
        let useful = useful.get(path);
        keys.iter().filter(|key| useful.is_some_and(|useful| useful.contains(*key))).count()
    });
    let hits = hits.sum::<usize>();
    let first = answer.results.iter().position(|result| needed.iter().any(|span| is_needed(result, span)));
    let is = |condition: bool| if condition { 1.0 } else { 0.0 };
    [
        shares.iter().sum::<f64>() / shares.len().max(1) as f64,
        is(shares.iter().all(|share| *share >= 0.8)),
        is(shares.iter().any(|share| *share >= 0.5)),
        hits as f64 / all.max(1) as f64,
        is(first.is_some_and(|at| at < 5)),
        first.map_or(0.0, |at| 1.0 / (at + 1) as f64),
        answer.token_count as f64,
    ]
}

/// True if a result is a needed declaration: it shares at least half of the shorter of the two, and is not much longer,
/// as a class around the method would be.
fn is_needed(result: &ResultItem, span: &Span<'_>) -> bool {
    let Some((start, end)) = span.target.lines().filter(|_| span.target.path() == result.file) else {
        return false;
    };
    let (of_span, of_result) = (end - start + 1, result.lines.end + 1 - result.lines.start);
    let shared = (end.min(result.lines.end) + 1).saturating_sub(start.max(result.lines.start));
    2 * shared >= of_span.min(of_result) && of_result <= (4 * of_span).max(30)
}

/// A grouping of questions in the table: its heading, and the name of the line that a question counts for.
type Group = (&'static str, fn(&Row) -> &str);

const GROUPS: [Group; 4] = [
    ("all", |_| "all"),
    ("kind", |row| &row.category),
    ("language", |row| &row.language),
    ("repository", |row| &row.repository),
];

fn print(rows: &[Row]) {
    for (at, budget) in BUDGETS.iter().enumerate() {
        print!("{:<24}", format!("{budget} tokens"));
        COLUMNS.iter().for_each(|column| print!(" {column:>9}"));
        println!(" questions  lines in 95 % of samples");
        for (heading, name_of) in GROUPS {
            let names: BTreeSet<&str> = rows.iter().map(name_of).collect();
            for name in names {
                let group: Vec<&Row> = rows.iter().filter(|row| name_of(row) == name).collect();
                let label = if heading == "all" { name.to_owned() } else { format!("  {heading} {name}") };
                print!("{label:<24}");
                for (column, heading) in COLUMNS.iter().enumerate() {
                    let sum = group.iter().map(|row| row.scores[at][column]).sum::<f64>();
                    let digits = if *heading == "tokens" { 0 } else { 3 };
                    print!(" {:>9.digits$}", sum / group.len() as f64);
                }
                let lines: Vec<(&str, f64)> =
                    group.iter().map(|row| (&*row.repository, row.scores[at][0])).collect();
                let [low, high] = interval(&lines);
                println!(" {:>9}  {low:.3} to {high:.3}", group.len());
            }
        }
    }
}

/// Prints the gain from a signal in the share of needed lines that answers show.
fn print_gain(signal: SignalId, rows: &[Row], others: &[Row]) {
    print!("{:<24}", format!("{signal} adds to lines"));
    for (at, budget) in BUDGETS.iter().enumerate() {
        let gains: Vec<(&str, f64)> = (rows.iter().zip(others))
            .map(|(row, other)| (&*row.repository, row.scores[at][0] - other.scores[at][0]))
            .collect();
        let [low, high] = interval(&gains);
        let mean = gains.iter().map(|(_, gain)| gain).sum::<f64>() / gains.len() as f64;
        print!(" {budget}: {mean:+.3} [{low:+.3}, {high:+.3}]");
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_questions_are_many_and_of_every_kind() {
        let folder = crate::workspace::root().expect("started by cargo").join(super::super::BUNDLED_SPANS);
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (name, questions) in questions(&folder).expect("it is in the format") {
            for question in questions {
                assert!(!question.relevant().is_empty(), "{name}: {}", question.query);
                for target in question.targets() {
                    let is_range = target.lines().is_some_and(|(start, end)| 0 < start && start <= end);
                    assert!(is_range, "{name}: {}", question.query);
                }
                *kinds.entry(question.category().to_owned()).or_default() += 1;
            }
        }
        assert_eq!(kinds.keys().collect::<Vec<_>>(), ["behaviour", "bug", "change", "interplay"]);
        assert!(kinds.values().all(|count| *count >= 12), "{kinds:?}");
    }

    #[test]
    fn lines_without_words_do_not_count() {
        assert_eq!(key("    return None  "), Some("return None".to_owned()));
        assert_eq!([key("  });"), key("}"), key("a = b"), key("ab")], [None, None, None, None]);
    }

    #[test]
    fn a_class_around_the_needed_method_is_not_the_needed_declaration() {
        let target = Target::Lines { path: "a.py".into(), start_line: Some(40), end_line: Some(49) };
        let span = Span { target: &target, keys: BTreeSet::new() };
        let result = |start, end| {
            ResultItem::default().with_file("a.py").with_lines(sscg_format::Lines { start, end })
        };
        assert!(is_needed(&result(38, 52), &span));
        assert!(is_needed(&result(40, 44), &span));
        assert!(!is_needed(&result(1, 300), &span));
        assert!(!is_needed(&result(50, 60), &span));
    }
}
