//! `cargo xtask bench answers`: cost of answers, in tokens and time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_core::{LineRange, TokenCounter};
use sscg_format::{Answer, Compact, O200k, Toon, costs, fit, renderers};
use sscg_index::query_terms;
use sscg_retrieve::{Filters, Query, RankOptions, rank};

use crate::eval::dataset::{Dataset, Question, Repository, under};

/// Run a dataset's questions, and measure answers in each format, next to reading ripgrep's matches
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder with `repositories.json` and `annotations/`
    #[arg(long)]
    dataset: PathBuf,
    /// Folder with a checkout of each repository, by name
    #[arg(long)]
    checkouts: PathBuf,
    /// Number of questions, from all repositories in turn
    #[arg(long, default_value_t = 50)]
    questions: usize,
}

/// Token budgets of the answers.
const BUDGETS: [usize; 4] = [300, 1_000, 2_500, 8_000];

/// Numbers by name, printed in the order of the names.
#[derive(Default)]
struct Figures(BTreeMap<String, Vec<f64>>);

impl Figures {
    fn add(&mut self, name: impl Into<String>, number: f64) {
        self.0.entry(name.into()).or_default().push(number);
    }

    fn print(mut self) {
        println!("{:44} {:>6} {:>9} {:>9} {:>9}", "", "n", "median", "95%", "most");
        for (name, numbers) in &mut self.0 {
            numbers.sort_by(f64::total_cmp);
            let at = |share: f64| numbers[((numbers.len() - 1) as f64 * share).round() as usize];
            println!("{name:44} {:>6} {:>9.2} {:>9.2} {:>9.2}", numbers.len(), at(0.5), at(0.95), at(1.0));
        }
    }
}

pub(super) fn run(args: &Args) -> Result<()> {
    let dataset = Dataset::open(&args.dataset)?;
    let mut repositories: Vec<(&String, &Repository, Vec<Question>)> = Vec::new();
    for (name, repository) in &dataset.repositories {
        if args.checkouts.join(name).is_dir() {
            repositories.push((name, repository, dataset.questions(name)?));
        }
    }
    ensure!(!repositories.is_empty(), "no checkout of the dataset under {}", args.checkouts.display());
    let share = args.questions.div_ceil(repositories.len());
    let mut figures = Figures::default();
    let mut asked = 0;
    for (name, repository, questions) in &repositories {
        let mut root = args.checkouts.join(name);
        root.extend(&repository.benchmark_root);
        let count = share.min(args.questions - asked).min(questions.len());
        asked += count;
        let subject = Subject::open(&root, repository.benchmark_root.as_deref().unwrap_or_default())?;
        for question in &questions[..count] {
            subject.ask(question, &mut figures).with_context(|| format!("{name}: {}", question.query))?;
        }
    }
    println!("{asked} questions about {} repositories; tokens unless said otherwise", repositories.len());
    figures.print();
    Ok(())
}

struct Subject<'a> {
    root: &'a Path,
    prefix: &'a str,
    engine: std::cell::RefCell<Engine>,
    snapshot: Arc<sscg_index::Snapshot>,
}

impl<'a> Subject<'a> {
    fn open(root: &'a Path, prefix: &'a str) -> Result<Self> {
        let engine = Engine::open_with(root, EngineOptions::stored_in(Storage::Ephemeral))?;
        let (snapshot, _) = engine.refresh()?;
        let engine = Engine::of_snapshot(Arc::clone(&snapshot), EngineOptions::default())?;
        Ok(Self { root, prefix, engine: engine.into(), snapshot })
    }

    fn answer(&self, request: &SearchRequest) -> Result<(Answer, String)> {
        let response = self.engine.borrow_mut().search(request)?;
        Ok((response.answer, response.text))
    }

    fn ask(&self, question: &Question, figures: &mut Figures) -> Result<()> {
        self.formats(question, figures)?;
        self.budgets(question, figures)?;
        self.times(question, figures)?;
        self.beside_ripgrep(question, figures)
    }

    /// Measures answers of five results in each format, and their subgraphs.
    fn formats(&self, question: &Question, figures: &mut Figures) -> Result<()> {
        for renderer in renderers() {
            let request = SearchRequest::new(&*question.query).with_limit(5).with_format(renderer.name());
            let (answer, _) = self.answer(&request)?;
            let results = costs(&answer, *renderer, &O200k);
            figures.add(format!("5 results, {}", renderer.name()), answer.token_count as f64);
            let beside = answer.token_count - results["code"].min(answer.token_count);
            figures.add(format!("5 results, {}, beside their code", renderer.name()), beside as f64);
        }
        let (mut answer, _) = self.answer(&SearchRequest::new(&*question.query))?;
        let graph = |answer: &Answer, renderer| costs(answer, renderer, &O200k)["graph"] as f64;
        let (compact, toon) = (graph(&answer, &Compact), graph(&answer, &Toon));
        figures.add("subgraph of all results, compact", compact);
        figures.add("subgraph of all results, toon", toon);
        figures.add("subgraph of all results, toon / compact", toon / compact);
        answer.subgraph_nodes.truncate(5);
        let is_node = |id: &str| answer.subgraph_nodes.iter().any(|node| node.id == id);
        answer.subgraph_edges.retain(|edge| is_node(&edge.src) || is_node(&edge.tgt));
        answer.subgraph_edges.truncate(10);
        answer.subgraph_order.clear();
        if (answer.subgraph_nodes.len(), answer.subgraph_edges.len()) == (5, 10) {
            figures.add("5 nodes and 10 edges, compact", graph(&answer, &Compact));
            figures.add("5 nodes and 10 edges, toon", graph(&answer, &Toon));
        }
        Ok(())
    }

    /// Checks that answers fit each budget in each format, and report their size correctly.
    fn budgets(&self, question: &Question, figures: &mut Figures) -> Result<()> {
        for renderer in renderers() {
            for budget in BUDGETS {
                let request =
                    SearchRequest::new(&*question.query).with_budget(budget).with_format(renderer.name());
                let Ok((answer, text)) = self.answer(&request) else {
                    // The error reports that no answer in this format fits the budget.
                    figures.add(format!("budget {budget:5}, {}: too small for any", renderer.name()), 1.0);
                    continue;
                };
                let count = O200k.count(&text);
                ensure!(count == answer.token_count, "{count} tokens, said to be {}", answer.token_count);
                ensure!(count <= budget, "{count} tokens of {budget}");
                figures.add(format!("budget {budget:5}, {}", renderer.name()), count as f64);
            }
        }
        Ok(())
    }

    fn times(&self, question: &Question, figures: &mut Figures) -> Result<()> {
        let request = SearchRequest::new(&*question.query);
        let query = Query::parse(&question.query, Filters::default())?;
        let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        rank(&self.snapshot, &query, &RankOptions::default());
        let ranking = milliseconds(start);
        // Facts are decoded on first access; that is not part of an answer.
        self.answer(&request)?;
        let start = Instant::now();
        let (mut answer, _) = self.answer(&request)?;
        figures.add("ms to select, snapshot and format", milliseconds(start) - ranking);
        let start = Instant::now();
        fit(&mut answer, renderers()[0], &O200k);
        figures.add("ms to format alone", milliseconds(start));
        Ok(())
    }

    /// Measures an agent that greps for the words of the question and reads the files with the most of them in full,
    /// until it has seen as many targets as the answer shows.
    fn beside_ripgrep(&self, question: &Question, figures: &mut Figures) -> Result<()> {
        let (answer, _) = self.answer(&SearchRequest::new(&*question.query))?;
        let targets = question.targets();
        let is_shown = |target: &&&crate::eval::dataset::Target| {
            let mut results =
                answer.results.iter().filter(|it| it.shown != "signature" && it.shown != "name");
            results.any(|it| {
                let lines = LineRange { start: it.lines.start, end: it.lines.end };
                target.is_hit_by(&under(self.prefix, &it.file), lines)
            })
        };
        let shown = targets.iter().filter(is_shown).count();
        if shown == 0 {
            return Ok(());
        }
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for term in query_terms(&question.query) {
            let output = Command::new("rg")
                .args(["--files-with-matches", "--ignore-case", "--fixed-strings", "--", &term, "."])
                .current_dir(self.root)
                .output()
                .context("ripgrep is measured next to: apt-get install ripgrep")?;
            for file in String::from_utf8_lossy(&output.stdout).lines() {
                *files.entry(file.trim_start_matches("./").to_owned()).or_default() += 1;
            }
        }
        let mut files: Vec<(String, usize)> = files.into_iter().collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let (mut seen, mut tokens) = (0, 0);
        for (file, _) in files {
            if seen >= shown {
                break;
            }
            let text = std::fs::read(self.root.join(&file))?;
            tokens += O200k.count(&String::from_utf8_lossy(&text));
            let path = under(self.prefix, &file);
            seen += targets.iter().filter(|target| target.is_in(&path)).count();
        }
        figures.add("ripgrep and whole files, until as much is seen", tokens as f64);
        figures.add("answer of 8,000", answer.token_count as f64);
        figures.add("answer / ripgrep", answer.token_count as f64 / tokens.max(1) as f64);
        Ok(())
    }
}
