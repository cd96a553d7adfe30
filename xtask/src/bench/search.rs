//! `cargo xtask bench search`: first and later answers, compared with those of semble and ck.

mod cold;
mod large;
mod peers;
mod process;
mod sscg;
mod warm;

use std::path::PathBuf;

use anyhow::{Result, ensure};

use self::peers::{Ck, Semble};
use self::sscg::Sscg;
use crate::eval::dataset::Dataset;

/// Time the answers to a dataset's questions, next to those of semble and ck (if installed)
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
    /// Search only the folders that the questions are about, as `eval` does, not whole checkouts
    #[arg(long)]
    benchmark_roots: bool,
    /// Large tree for the questions of all repositories
    #[arg(long, value_name = "DIR")]
    large: Option<PathBuf>,
    /// ck program
    #[arg(long, default_value = "ck")]
    ck: PathBuf,
    /// Number of measurements of each, in turns, after an uncounted first
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// A tree and its questions.
struct Subject {
    name: String,
    root: PathBuf,
    questions: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let subjects = subjects(args)?;
    ensure!(!subjects.is_empty(), "no checkout of the dataset under {}", args.checkouts.display());
    let scratch = tempfile::tempdir()?;
    let sscg = Sscg::build()?;
    let mut semble = Semble::start(&scratch.path().join("semble"))?;
    let ck = Ck::find(&args.ck, &scratch.path().join("ck"));
    let others = semble.versions.iter().chain(ck.as_ref().map(|ck| (&ck.name, &ck.version)));
    let others: Vec<String> = others.map(|(name, version)| format!("{name} {version}")).collect();
    println!(
        "sscg {}, {}; {} threads; {} rounds",
        env!("CARGO_PKG_VERSION"),
        others.join(", "),
        rayon::current_num_threads(),
        args.rounds
    );
    cold::run(&subjects, &sscg, &mut semble, args.rounds)?;
    warm::run(&subjects, &mut semble, args.rounds)?;
    process::run(&subjects, &sscg, ck.as_ref(), args.rounds)?;
    if let Some(root) = &args.large {
        let questions = subjects.into_iter().flat_map(|subject| subject.questions).collect();
        let name = "large".to_owned();
        large::run(&Subject { name, root: root.canonicalize()?, questions }, args.rounds)?;
    }
    Ok(())
}

/// Returns the repositories of the dataset that are checked out.
fn subjects(args: &Args) -> Result<Vec<Subject>> {
    let dataset = Dataset::open(&args.dataset)?;
    let mut subjects = Vec::new();
    for (name, repository) in &dataset.repositories {
        let mut root = args.checkouts.join(name);
        if args.benchmark_roots {
            root.extend(&repository.benchmark_root);
        }
        let is_asked = args.repository.is_empty() || args.repository.contains(name);
        if is_asked && root.is_dir() {
            let questions = dataset.questions(name)?.into_iter().map(|question| question.query).collect();
            subjects.push(Subject { name: name.clone(), root: root.canonicalize()?, questions });
        }
    }
    Ok(subjects)
}
