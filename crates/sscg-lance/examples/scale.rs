//! Benchmark that publishes many repositories to one store and reads some of them again: the source of the figures in
//! `docs/scale.md`.
//!
//! ```console
//! $ cargo run --release -p sscg-lance --example scale -- ADDRESS REPOSITORIES TREE.. [-- KEY=VALUE..]
//! ```
//!
//! Each repository is a copy of one of the given trees, in turn, with the repository's number in a comment of every
//! file, so that no two repositories share a file. Arguments after `--` are options for the object store.

#![allow(clippy::print_stdout, reason = "printing is what this program does")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sscg_index::{Index, IndexOptions, Storage, Store};
use sscg_lance::{ChunkFilter, LanceOptions, LanceStore};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Number of repositories that are read and changed again.
const SAMPLE: usize = 50;

/// Number of concurrent indexing jobs.
const JOBS: usize = 2;

fn main() -> Outcome<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => arguments.split_off(at),
        None => Vec::new(),
    };
    let options = options.iter().filter_map(|option| option.split_once('='));
    let storage = options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let [address, repositories, trees @ ..] = &*arguments else {
        return Err("usage: scale ADDRESS REPOSITORIES TREE.. [-- KEY=VALUE..]".into());
    };
    let simulation = Simulation {
        address: address.clone(),
        options: LanceOptions::default().with_storage(storage),
        trees: trees.iter().map(PathBuf::from).collect(),
    };
    simulation.run(repositories.parse()?)
}

struct Simulation {
    address: String,
    options: LanceOptions,
    trees: Vec<PathBuf>,
}

impl Simulation {
    fn run(&self, repositories: usize) -> Outcome<()> {
        let started = Instant::now();
        let first = self.each(0..repositories, |number| self.publish(number, ""))?;
        report("first publication", &first);
        println!("all of them, {JOBS} at once: {:.1} s", started.elapsed().as_secs_f64());

        let step = (repositories / SAMPLE).max(1);
        let sample = || (0..repositories).step_by(step);
        report(
            "publication after a change of one file",
            &self.each(sample(), |number| self.publish(number, "changed"))?,
        );
        report(
            "open, from nothing to a snapshot",
            &self.each(sample(), |number| {
                let snapshot = Arc::new(self.store(number)?).detached("main")?;
                snapshot.map(drop).ok_or_else(|| "nothing was published".into())
            })?,
        );
        report(
            "full-text search, from nothing to at most ten hits",
            &self.each(sample(), |number| {
                // Some trees have no match.
                let store = self.store(number)?;
                Ok(store.matching("main", "parse request token", &ChunkFilter::default(), 10).map(drop)?)
            })?,
        );
        let bytes = |number| Ok::<u64, Box<dyn Error + Send + Sync>>(self.store(number)?.usage()?.bytes);
        let sizes: Vec<u64> = sample().map(bytes).collect::<Result<_, _>>()?;
        println!(
            "current versions of a repository: {} KB",
            sizes.iter().sum::<u64>() / sizes.len() as u64 / 1000
        );
        report(
            "clean-up",
            &self.each(sample(), |number| Ok(self.store(number)?.collect_garbage(0).map(drop)?))?,
        );
        Ok(())
    }

    fn store(&self, number: usize) -> Outcome<LanceStore> {
        Ok(LanceStore::open(&self.address, &format!("repository-{number}"), self.options.clone())?)
    }

    /// Indexes and publishes a fresh clone, like a CI job.
    fn publish(&self, number: usize, change: &str) -> Outcome<()> {
        let clone = tempfile::tempdir()?;
        copy(&self.trees[number % self.trees.len()], clone.path(), number)?;
        if !change.is_empty() {
            let changed = first_file(clone.path())?;
            let text = fs::read_to_string(&changed)?;
            fs::write(&changed, format!("{text}\n{}\n", comment(&changed, change)))?;
        }
        let store: Arc<dyn Store> = Arc::new(self.store(number)?);
        let storage = Storage::Store { store, tree: "main".to_owned() };
        let mut index = Index::open(clone.path(), &IndexOptions::default().with_storage(storage))?;
        let (_, report) = index.refresh()?;
        if let Some(warning) = report.warnings.first() {
            return Err(warning.clone().into());
        }
        Ok(index.save()?)
    }

    /// Runs `work` for each repository, [`JOBS`] at once, and returns the duration of each.
    fn each(
        &self,
        numbers: impl Iterator<Item = usize>,
        work: impl Fn(usize) -> Outcome<()> + Sync,
    ) -> Outcome<Vec<Duration>> {
        let numbers: Vec<usize> = numbers.collect();
        let next = AtomicUsize::new(0);
        let job = || -> Outcome<Vec<Duration>> {
            let mut taken = Vec::new();
            while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                let started = Instant::now();
                work(*number)?;
                taken.push(started.elapsed());
            }
            Ok(taken)
        };
        std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..JOBS).map(|_| scope.spawn(job)).collect();
            let taken = jobs.into_iter().map(|job| job.join().map_err(|_| "a job panicked")?);
            let taken: Outcome<Vec<Vec<Duration>>> = taken.collect();
            Ok(taken?.concat())
        })
    }
}

fn report(what: &str, taken: &[Duration]) {
    let mut sorted = taken.to_vec();
    sorted.sort();
    let at = |part: usize| sorted[(sorted.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    println!("{what}: median {:.0} ms, 95% within {:.0} ms ({} times)", at(50), at(95), sorted.len());
}

/// Copies the files of a tree, with the repository's number in each.
fn copy(from: &Path, to: &Path, number: usize) -> Outcome<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, number)?;
        } else if target.extension().is_some_and(|ending| ending == "json") {
            fs::copy(entry.path(), &target)?;
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            fs::write(&target, format!("{text}\n{}\n", comment(&target, &number.to_string())))?;
        }
    }
    Ok(())
}

/// Returns the first source file of a tree, by name.
fn first_file(root: &Path) -> Outcome<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(root)?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
    entries.sort();
    let is_source =
        |path: &PathBuf| path.extension().is_some_and(|it| it == "py" || it == "rs" || it == "ts");
    if let Some(file) = entries.iter().find(|path| is_source(path)) {
        return Ok(file.clone());
    }
    entries.iter().find_map(|path| first_file(path).ok()).ok_or_else(|| "there is no source code".into())
}

fn comment(path: &Path, text: &str) -> String {
    if path.extension().is_some_and(|it| it == "py" || it == "toml") {
        format!("# {text}")
    } else {
        format!("// {text}")
    }
}
