//! `cargo xtask bench index`: indexing compared with bare parsing.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_parse::{FileType, check};

use super::refresh;
use super::times::timed;

/// Index a tree cold, next to bare tree-sitter parsing of the same files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Tree
    path: PathBuf,
    /// Number of measurements, in turns
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Query of the searches
    #[arg(long, default_value = "how is a task scheduled")]
    question: String,
    /// Skip the cold index, and time only incremental updates
    #[arg(long)]
    refresh_only: bool,
    /// Index the tree and print the peak memory; used by the bench itself
    #[arg(long, hide = true)]
    peak: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    if args.peak {
        return refresh::print_peak(&args.path);
    }
    if !args.refresh_only {
        cold(&args)?;
    }
    refresh::run(&args.path, &args.question, args.rounds)
}

fn cold(args: &Args) -> Result<()> {
    let sources = sources(args)?;
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    let lines: usize = sources.iter().map(|(_, text)| text.lines().count()).sum();
    println!(
        "{} files, {lines} lines, {:.2} MB, {} threads",
        sources.len(),
        bytes as f64 / 1e6,
        rayon::current_num_threads()
    );
    println!(
        "{:>7} {:>12} {:>12} {:>7} {:>14} {:>14}",
        "round", "bare parse", "cold index", "ratio", "first search", "warm search"
    );
    let mut ratios = Vec::new();
    for round in 1..=args.rounds {
        let bare = timed(|| {
            parse_all(&sources);
            Ok(())
        })?;
        let store = tempfile::tempdir()?;
        let open = || {
            let storage = Storage::Directory(store.path().to_owned());
            Engine::open_with(&args.path, EngineOptions::stored_in(storage))
        };
        let engine = open()?;
        let cold = timed(|| {
            let (_, report) = engine.refresh()?;
            ensure!(report.parsed > 0, "a cold index parses");
            Ok(())
        })?;
        // A new engine on the same store, as in a user's next command.
        let engine = open()?;
        let request = SearchRequest::new(&args.question);
        let search = |engine: &Engine| -> Result<()> {
            let response = engine.search(&request)?;
            ensure!(response.refresh.parsed == 0, "an unchanged tree parses nothing");
            Ok(())
        };
        let first = timed(|| search(&engine))?;
        let warm = timed(|| search(&engine))?;
        let ratio = cold.as_secs_f64() / bare.as_secs_f64();
        ratios.push(ratio);
        println!(
            "{round:>7} {:>12} {:>12} {ratio:>7.2} {:>14} {:>14}",
            milliseconds(bare),
            milliseconds(cold),
            milliseconds(first),
            milliseconds(warm)
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("cold index / bare parse: median {:.2}, best {:.2}", ratios[ratios.len() / 2], ratios[0]);
    println!("files parsed by a search on the unchanged tree: 0");
    Ok(())
}

/// Returns the indexed files that tree-sitter parses, with their texts, read beforehand.
fn sources(args: &Args) -> Result<Vec<(FileType, String)>> {
    let store = tempfile::tempdir()?;
    let storage = Storage::Directory(store.path().to_owned());
    let engine = Engine::open_with(&args.path, EngineOptions::stored_in(storage))?;
    let (snapshot, _) = engine.refresh()?;
    let mut sources = Vec::new();
    for file in snapshot.project.files().iter() {
        let file_type = FileType::of_path(&file.path).filter(|file_type| check::parse(*file_type, ""));
        let Some(file_type) = file_type else { continue };
        let path = args.path.join(&*file.path);
        sources.push((file_type, fs::read_to_string(&path).with_context(|| path.display().to_string())?));
    }
    ensure!(!sources.is_empty(), "no files that tree-sitter parses under {}", args.path.display());
    Ok(sources)
}

fn parse_all(sources: &[(FileType, String)]) {
    sources.par_iter().for_each(|(file_type, text)| {
        check::parse(*file_type, text);
    });
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}
