//! `cargo xtask snapshots`: invariants of structural snapshots, on random targets in any corpus.

mod oracle;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use sscg_core::{ChunkId, DetailLevel, FileId, Id, Manifests, Project};
use sscg_format::snapshot;
use sscg_graph::{CodeGraph, link};
use sscg_parse::project_file;

use crate::corpus::{Source, sources};
use crate::workspace::rerun_optimized;

/// Check structural snapshots of random targets in the source files of directories
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Directories; each is a project
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Number of target sets to try
    #[arg(long, default_value_t = 10_000)]
    sets: usize,
    /// Seed of the random sets
    #[arg(long, default_value_t = 8)]
    seed: u64,
    /// Maximum failures shown
    #[arg(long, default_value_t = 10)]
    examples: usize,
}

/// Maximum number of targets of a set.
const MOST_TARGETS: usize = 5;

/// Approximate size of the code in an answer of 8,000 tokens, in bytes.
const ANSWER_BYTES: usize = 32_000;

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    let pool = rayon::ThreadPoolBuilder::new().stack_size(1 << 30).build()?;
    let mut trees = Vec::new();
    for path in &args.paths {
        trees.push(pool.install(|| Tree::new(&sources(path)?))?);
    }
    // Each language gets the same number of sets, regardless of its number of files.
    let mut files: BTreeMap<&str, Vec<(&Tree, FileId)>> = BTreeMap::new();
    for tree in &trees {
        for (id, file) in tree.project.files().iter_enumerated() {
            if !tree.project.chunks_of(id).is_empty() {
                files.entry(file.language.name).or_default().push((tree, id));
            }
        }
    }
    ensure!(!files.is_empty(), "no source files in these directories");
    let share = args.sets.div_ceil(files.len());
    let mut failures = 0;
    for (language, files) in &files {
        let sets: Vec<Outcome> = pool.install(|| {
            let set = |nth: usize| Random(args.seed.wrapping_add(nth as u64)).try_set(files);
            (0..share).into_par_iter().map(set).collect()
        });
        failures += report(language, &sets, args.examples);
    }
    ensure!(failures == 0, "{failures} snapshots are not what they should be");
    println!("every snapshot is what it should be");
    Ok(())
}

/// A directory as a project, with the texts of its files.
struct Tree {
    project: Project,
    graph: CodeGraph,
    texts: Vec<String>,
}

impl Tree {
    fn new(sources: &[Source]) -> Result<Self> {
        let files = sources.par_iter().map(|source| {
            let text = source.text()?;
            let path = source.path.to_str().unwrap_or_default();
            Ok((project_file(path, &text).expect("a source has a language"), text))
        });
        let mut files = files.collect::<Result<Vec<_>>>()?;
        files.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        let (files, texts): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        let project = Project::new(files, Manifests::default());
        let graph = link(&project);
        Ok(Self { project, graph, texts })
    }
}

/// Result of one set of targets.
struct Outcome {
    bytes: usize,
    time: Duration,
    problems: Vec<String>,
    described: String,
}

/// Pseudorandom numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn try_set(mut self, files: &[(&Tree, FileId)]) -> Outcome {
        // Neighboring seeds yield neighboring states.
        self.0 = self.0.wrapping_mul(0xd134_2543_de82_ef95);
        let (tree, file) = files[self.below(files.len())];
        let chunks = tree.project.chunks_of(file);
        let (first, count) = (chunks.start.index(), chunks.end.index() - chunks.start.index());
        let mut targets: Vec<(ChunkId, DetailLevel)> = (0..=self.below(MOST_TARGETS))
            .map(|_| {
                (Id::new(first + self.below(count)), DetailLevel::ALL[self.below(DetailLevel::ALL.len())])
            })
            .collect();
        targets.sort_unstable();
        targets.dedup_by_key(|(chunk, _)| *chunk);
        let source = &tree.texts[file.index()];
        let show = || {
            let start = Instant::now();
            let snapshot = snapshot(&tree.project, &tree.graph, file, source, &targets);
            (start.elapsed(), snapshot)
        };
        // Facts and texts are in memory when an answer is made. The minimum time is least affected by other processes.
        let ((first_time, snapshot), (second_time, _), (third_time, _)) = (show(), show(), show());
        let time = first_time.min(second_time).min(third_time);
        let checked =
            oracle::Case { project: &tree.project, graph: &tree.graph, file, source, targets: &targets };
        let problems = checked.problems(&snapshot.text);
        let names: Vec<String> = targets
            .iter()
            .map(|(chunk, shown)| format!("{} {}", tree.project.chunk_key(*chunk), shown.as_str()))
            .collect();
        let described = format!("{}\n{}", names.join("\n"), snapshot.text);
        Outcome { bytes: snapshot.text.len(), time, problems, described }
    }
}

/// Prints the results of a language's sets; returns the number of failed sets.
fn report(language: &str, sets: &[Outcome], examples: usize) -> usize {
    let failed: Vec<&Outcome> = sets.iter().filter(|set| !set.problems.is_empty()).collect();
    for set in failed.iter().take(examples) {
        println!("----\n{}\n{}", set.problems.join("\n"), set.described);
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for problem in failed.iter().flat_map(|set| &set.problems) {
        *kinds.entry(problem.split(':').next().unwrap_or_default()).or_default() += 1;
    }
    let micros = |set: &Outcome| set.time.as_secs_f64() * 1e6;
    let mut times: Vec<f64> = sets.iter().map(micros).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let in_answers = sets.iter().filter(|set| set.bytes <= ANSWER_BYTES);
    let slowest = in_answers.map(micros).fold(0.0, f64::max);
    let bytes: usize = sets.iter().map(|set| set.bytes).sum();
    println!(
        "{language:<12} {:>7} sets  {:>5} failed  {:>7} bytes  median {:>6.0} us  p99 {:>7.0} us  of an answer at most {:>7.0} us",
        sets.len(),
        failed.len(),
        bytes / sets.len().max(1),
        at(0.5),
        at(0.99),
        slowest
    );
    for (kind, count) in kinds {
        println!("    {count:>5} {kind}");
    }
    failed.len()
}
