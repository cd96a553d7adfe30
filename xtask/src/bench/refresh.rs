//! Second half of `cargo xtask bench index`: incremental updates.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ignore::{WalkBuilder, WalkState};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_index::index_directory;

use super::Random;
use super::times::timed;
use crate::workspace::copy_tree;

/// Steps that are timed.
const STEPS: [&str; 6] =
    ["bare walk", "refresh", "edit, answer", "open, refresh", "open snapshot", "read its bytes"];

/// Times a search on a copy of the tree after no change, and after a change of one file, next to a bare walk.
pub(super) fn run(tree: &Path, question: &str, rounds: usize) -> Result<()> {
    let place = tempfile::tempdir()?;
    let copy = place.path().canonicalize()?.join("tree");
    copy_tree(tree, &copy)?;
    // The times of files that were just written do not show whether they change again.
    std::thread::sleep(Duration::from_secs(3));
    let stores = place.path().join("stores");
    let (engine, request) = (engine(&copy, &stores)?, SearchRequest::new(question));
    let indexed = Indexed { tree: copy, stores, engine, request };
    let (snapshot, report) = indexed.engine.refresh()?;
    let (files, chunks) = (report.files, snapshot.project.chunk_count());
    let all = snapshot.project.files().iter();
    let sources: Vec<PathBuf> = all.map(|file| indexed.tree.join(&*file.path)).collect();
    let bytes: u64 = sources.iter().map(|path| fs::metadata(path).map_or(0, |file| file.len())).sum();
    ensure!(!sources.is_empty(), "nothing to search under {}", tree.display());
    indexed.engine.search(&indexed.request)?;
    // Report why, if the index cannot be saved.
    indexed.engine.save()?;
    drop(snapshot);
    let mut random = Random(7);
    let mut columns: [Vec<f64>; STEPS.len()] = Default::default();
    for _ in 0..rounds {
        let times = indexed.times(files, &sources[random.below(sources.len())])?;
        for (column, time) in columns.iter_mut().zip(times) {
            column.push(time.as_secs_f64() * 1e3);
        }
    }
    println!(
        "\n{files} files, {:.1} MB, {chunks} chunks; snapshot {:.1} MB",
        bytes as f64 / 1e6,
        indexed.read_snapshot()? as f64 / 1e6
    );
    for (name, column) in STEPS.iter().zip(&mut columns) {
        column.sort_by(f64::total_cmp);
        println!("{name:<16} median {:>8.1} ms   best {:>8.1} ms", column[rounds / 2], column[0]);
    }
    let median = |at: usize| columns[at][rounds / 2];
    println!("refresh / bare walk: {:.2}", median(1) / median(0));
    println!("edit to answer, beyond a refresh: {:.1} ms", median(2) - median(1));
    peak(&indexed.tree, bytes)
}

/// Tree with an index of its own.
struct Indexed {
    tree: PathBuf,
    stores: PathBuf,
    engine: Engine,
    request: SearchRequest,
}

impl Indexed {
    /// Times each of [`STEPS`] once.
    fn times(&self, files: usize, edited: &Path) -> Result<[Duration; STEPS.len()]> {
        let bare = timed(|| bare_walk(&self.tree).map(drop))?;
        let refresh = timed(|| {
            let (_, report) = self.engine.refresh()?;
            ensure!((report.files, report.parsed) == (files, 0), "nothing changed");
            Ok(())
        })?;
        let opened = timed(|| {
            let (_, report) = engine(&self.tree, &self.stores)?.refresh()?;
            ensure!(report.parsed == 0 && report.warnings.is_empty(), "nothing changed: {report:?}");
            Ok(())
        })?;
        let snapshot = timed(|| {
            let store = self.engine.store().context("it is kept in a directory")?;
            store.snapshot(&self.tree.to_string_lossy())?.context("a snapshot was published")?;
            Ok(())
        })?;
        let read = timed(|| self.read_snapshot().map(drop))?;
        Ok([bare, refresh, self.edit(edited)?, opened, snapshot, read])
    }

    /// Times a search after a change of a file.
    fn edit(&self, file: &Path) -> Result<Duration> {
        let before = fs::read(file)?;
        fs::OpenOptions::new().append(true).open(file)?.write_all(b"\n")?;
        let edit = timed(|| {
            let response = self.engine.search(&self.request)?;
            ensure!(response.refresh.parsed == 1, "one file changed");
            Ok(())
        })?;
        fs::write(file, before)?;
        // A file that was just written may change again without a new time, so it is read again.
        std::thread::sleep(Duration::from_millis(2100));
        self.engine.refresh()?;
        Ok(edit)
    }

    /// Reads only the snapshot file; returns its size in bytes.
    fn read_snapshot(&self) -> Result<u64> {
        let directory = index_directory(&self.tree, Some(&self.stores))?;
        let mut files = fs::read_dir(&directory)?.filter_map(|entry| Some(entry.ok()?.path()));
        let path = files.find(|path| path.extension().is_some_and(|ending| ending == "snapshot"));
        Ok(fs::read(path.context("a snapshot was published")?)?.len() as u64)
    }
}

fn engine(tree: &Path, stores: &Path) -> Result<Engine> {
    Ok(Engine::open_with(tree, EngineOptions::stored_in(Storage::Directory(stores.to_owned())))?)
}

/// Walks the tree and reads each file's metadata, on as many threads as the index uses.
fn bare_walk(tree: &Path) -> Result<usize> {
    let count = Mutex::new(0);
    let walk =
        WalkBuilder::new(tree).standard_filters(false).threads(rayon::current_num_threads()).build_parallel();
    walk.run(|| {
        Box::new(|entry| {
            if entry.is_ok_and(|entry| entry.metadata().is_ok_and(|file| file.is_file()))
                && let Ok(mut count) = count.lock()
            {
                *count += 1;
            }
            WalkState::Continue
        })
    });
    Ok(count.into_inner()?)
}

/// Indexes the tree in a separate process, and prints the peak memory that it reports.
fn peak(tree: &Path, bytes: u64) -> Result<()> {
    let output =
        Command::new(std::env::current_exe()?).args(["bench", "index", "--peak"]).arg(tree).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let peak: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
    let limit = 4.0 * bytes as f64 + 200e6;
    println!(
        "peak memory of a first index: {:.0} MB, {:.2} of 4 x source + 200 MB",
        peak / 1e6,
        peak / limit
    );
    Ok(())
}

/// Indexes a tree into a temporary store, and prints the peak memory in bytes.
pub(super) fn print_peak(tree: &Path) -> Result<()> {
    let store = tempfile::tempdir()?;
    let engine = engine(tree, store.path())?;
    engine.refresh()?;
    drop(engine);
    let status = fs::read_to_string("/proc/self/status").context("only Linux tells the most memory taken")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no such line")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    println!("{}", kibibytes * 1024);
    Ok(())
}
