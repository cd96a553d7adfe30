//! `cargo xtask eval`: quality of the rankings.
//!
//! A dataset is a folder with `repositories.json` (name -> `{"language", "benchmark_root", ..}`) and
//! `annotations/<name>.json` (a list of `{"query", "category", "relevant", "secondary"}`, with targets as paths or
//! `{"path", "start_line", "end_line"}`). Checkouts are `<checkouts>/<name>`; repositories without one are skipped and
//! listed.
//!
//! `docs/benchmarks/retrieval.md` defines the metrics. Each is also given for the *named* and the *unnamed* questions:
//! a question is named if it mentions the name of a file that answers it ([`Group`]). Questions of a benchmark do so
//! more often than people who do not know the code yet, so the unnamed ones are more representative of those people.
//!
//! [`Group`]: dataset::Group

mod ablation;
pub(crate) mod dataset;
pub(crate) mod expected;
mod metrics;
pub(crate) mod packages;
mod session;
mod show;
mod spans;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sscg::Layers;
use sscg_retrieve::{RankOptions, SignalId};

use crate::workspace::{rerun_optimized, root};
use ablation::Ablation;
use dataset::Dataset;
use session::{Row, Session, Times};

/// Measure quality and speed of the rankings for a dataset's questions
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder with `repositories.json` and `annotations/`
    #[arg(long, required_unless_present = "spans")]
    dataset: Option<PathBuf>,
    /// Folder with questions and the lines that answer them, one file per repository: measure the lines that answers
    /// show instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dataset", "show", "write"])]
    spans: Option<PathBuf>,
    /// Folder with a checkout of each repository, by name (default for spans: registry packages)
    #[arg(long, required_unless_present = "spans")]
    checkouts: Option<PathBuf>,
    /// Guesses of names in the code, for each question of spans: `{"NAME/N": [TERM, ..]}`, N counted from 0
    #[arg(long, value_name = "FILE", requires = "spans")]
    terms: Option<PathBuf>,
    /// Only this repository; may be given more than once
    #[arg(long)]
    repository: Vec<String>,
    /// Override an option of `[rank]`, as in `weights.graph=0`; may be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Rank only: no answers, and no times; for spans, the top lines at 4.2 characters per token
    #[arg(long)]
    quick: bool,
    /// Rank again without each of these signals, and print their gains
    #[arg(long, value_delimiter = ',', value_parser = signal, value_name = "SIGNAL,..")]
    ablate: Vec<SignalId>,
    /// Explain only the rankings of questions with this text; without a text, all rankings before the table
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    show: Option<String>,
    /// Write the table to `docs/benchmarks/retrieval.csv` too
    #[arg(long, conflicts_with_all = ["repository", "set", "quick"])]
    write: bool,
    /// Compare the score of each question with `expected.csv` in the dataset instead, and fail if any differs
    #[arg(long, conflicts_with_all = ["repository", "set", "ablate", "show", "write"])]
    check: bool,
    /// Write `expected.csv` instead, for review in `git diff`
    #[arg(long, conflicts_with_all = ["repository", "set", "ablate", "show", "write", "check"])]
    bless: bool,
}

/// Bundled dataset, below the root.
const BUNDLED: &str = "fixtures/eval";

/// Bundled questions about packages, with the lines that answer them, below the root.
const BUNDLED_SPANS: &str = "fixtures/spans";

/// Results of the development set, below the root.
const RESULTS: &str = "docs/benchmarks/retrieval.csv";

/// Measurements of a dataset.
#[derive(Default)]
struct Measured {
    rows: Vec<Row>,
    ablations: Vec<Ablation>,
    times: Vec<Times>,
    /// Repositories that are not checked out.
    absent: Vec<String>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    // Scores are the same in every build, and there are no times to measure.
    let only_scores = args.check || args.bless;
    if !(only_scores || args.quick) && rerun_optimized()? {
        return Ok(());
    }
    if let Some(folder) = &args.spans {
        return spans::run(&args, folder);
    }
    let only_shown = args.show.as_ref().is_some_and(|text| !text.is_empty());
    let with_answers = !(args.quick || only_scores || only_shown);
    let Measured { rows, ablations, times, absent } = measure(&args, with_answers)?;
    if only_shown {
        ensure!(!rows.is_empty(), "no question of a repository that is checked out has this text");
        return Ok(());
    }
    ensure!(!rows.is_empty(), "no checkout of the dataset under {}", args.checkouts()?.display());
    if only_scores {
        return bless_or_check(&args, &scores(&rows));
    }
    let mut columns = metrics::OF_RANKING.to_vec();
    if with_answers {
        columns.extend(metrics::OF_ANSWERS);
    }
    table::print(&rows, &columns);
    if !ablations.is_empty() {
        ablation::report(&rows, &ablations)?;
    }
    if with_answers {
        table::print_answers(&rows);
        table::print_times(&times);
    }
    if !absent.is_empty() {
        println!("without a checkout: {}", absent.join(", "));
    }
    if args.write {
        fs::write(root()?.join(RESULTS), table::csv(&rows, &columns))?;
    }
    Ok(())
}

fn bless_or_check(args: &Args, scores: &expected::Scores) -> Result<()> {
    let file = args.dataset().join("expected.csv");
    if args.bless {
        expected::bless(&file, "chunks,files", scores)
    } else {
        expected::check(&file, scores, &[])
    }
}

/// Compares the scores of the bundled questions with the committed scores.
pub(crate) fn check_bundled() -> Result<()> {
    let dataset = root()?.join(BUNDLED);
    let rows = measure(&Args::scores_of(&dataset), false)?.rows;
    expected::check(&dataset.join("expected.csv"), &scores(&rows), &[])?;
    let spans = root()?.join(BUNDLED_SPANS);
    for terms in [None, Some(spans.join("terms.json"))] {
        spans::run(&Args { dataset: None, terms, checkouts: None, ..Args::scores_of(&spans) }, &spans)?;
    }
    Ok(())
}

/// Returns NDCG@10 over chunks and over files, by repository and question.
fn scores(rows: &[Row]) -> expected::Scores {
    let key = |row: &Row| format!("{},\"{}\"", row.repository, row.query.replace('"', "\"\""));
    rows.iter().map(|row| (key(row), [row.scores[0], row.scores[1]])).collect()
}

impl Args {
    /// Returns arguments for only the scores of a dataset, with its checkouts next to it.
    fn scores_of(dataset: &Path) -> Self {
        Self {
            dataset: Some(dataset.to_owned()),
            spans: None,
            terms: None,
            checkouts: Some(dataset.join("projects")),
            repository: Vec::new(),
            set: Vec::new(),
            quick: false,
            ablate: Vec::new(),
            show: None,
            write: false,
            check: true,
            bless: false,
        }
    }

    fn checkouts(&self) -> Result<&Path> {
        self.checkouts.as_deref().context("--checkouts is missing")
    }

    fn dataset(&self) -> &Path {
        self.dataset.as_deref().expect("required where it is used")
    }
}

/// Returns the default options with overrides, each `KEY=VALUE` of `[rank]`.
pub(crate) fn rank_options(settings: &[String]) -> Result<RankOptions> {
    let mut layers = Layers::default();
    for setting in settings {
        let (key, value) = setting.split_once('=').context("--set KEY=VALUE")?;
        layers.set(&format!("rank.{}", key.trim()), value.trim()).context("--set")?;
    }
    Ok(layers.config().rank)
}

fn measure(args: &Args, with_answers: bool) -> Result<Measured> {
    let dataset = Dataset::open(args.dataset())?;
    let options = rank_options(&args.set)?;
    let ablations = args.ablate.iter().map(|signal| Ablation { without: *signal, rows: Vec::new() });
    let mut measured = Measured { ablations: ablations.collect(), ..Measured::default() };
    for (name, repository) in &dataset.repositories {
        if !args.repository.is_empty() && !args.repository.contains(name) {
            continue;
        }
        let folder = repository.benchmark_root.as_deref().unwrap_or_default();
        let root = args.checkouts()?.join(name).join(folder);
        if !root.is_dir() {
            measured.absent.push(name.clone());
            continue;
        }
        let mut questions = dataset.questions(name)?;
        questions.retain(|question| args.show.as_ref().is_none_or(|text| question.query.contains(text)));
        if questions.is_empty() {
            continue;
        }
        let mut session = Session::open(name, repository, &root, &options)?;
        let mut rows = session.rows(&questions)?;
        if args.show.is_some() {
            for question in &questions {
                show::explain(name, &session, question, &session.rank(question, &options)?);
            }
        }
        for ablation in &mut measured.ablations {
            let options = ablation::without(ablation.without, &options);
            ablation.rows.extend(session.rows_with(&questions, &options)?);
        }
        if with_answers {
            session.add_answers(&questions, &mut rows)?;
        }
        measured.rows.extend(rows);
        measured.times.push(session.times());
    }
    Ok(measured)
}

fn signal(name: &str) -> Result<SignalId, String> {
    let signal = SignalId::ALL.iter().find(|signal| signal.as_str() == name);
    let known = || SignalId::ALL.map(SignalId::as_str).join(", ");
    signal.copied().ok_or_else(|| format!("no such signal; there are {}", known()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Group;

    #[test]
    fn the_bundled_questions_are_many_hard_and_have_their_answers() {
        let folder = root().expect("started by cargo").join(BUNDLED);
        let dataset = Dataset::open(&folder).expect("it is in the format");
        let (mut asked, mut unnamed) = (0, 0);
        for name in dataset.repositories.keys() {
            for question in dataset.questions(name).expect("it is in the format") {
                let targets = question.targets();
                for target in &targets {
                    let text = fs::read_to_string(folder.join("projects").join(name).join(target.path()));
                    let lines = text.as_ref().map_or(0, |text| text.lines().count());
                    assert!(target.lines().is_none_or(|(_, end)| end as usize <= lines), "{name}: {target}");
                    assert!(lines > 0, "{name}: {target}");
                }
                asked += 1;
                unnamed += usize::from(Group::of(&question.query, &targets) == Group::Unnamed);
            }
        }
        assert!(asked >= 60 && unnamed * 2 >= asked, "{unnamed} of {asked}");
    }
}
