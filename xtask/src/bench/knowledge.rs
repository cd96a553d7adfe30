//! `cargo xtask bench knowledge`: cost of the service graph relative to opening and linking a project.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use sscg::knowledge::GivenInputs;
use sscg::{Engine, EngineOptions, Storage};

use super::times::{Times, median};

/// Build the service graph of an indexed project, next to opening and linking it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Project with the services
    #[arg(long, value_name = "DIR")]
    project: PathBuf,
    /// Number of measurements
    #[arg(long, default_value_t = 11)]
    rounds: usize,
}

/// Required maximum of the total time, as a multiple of the time for opening and linking.
const MOST: f64 = 1.2;

pub(super) fn run(args: &Args) -> Result<()> {
    let store = tempfile::tempdir()?;
    let options = || EngineOptions::stored_in(Storage::Directory(store.path().to_owned()));
    let first = Engine::open_with(&args.project, options())?;
    first.refresh()?;
    first.save()?;
    drop(first);

    let (mut opened, mut linked, mut built) = (Times::default(), Times::default(), Times::default());
    let mut ratios = Vec::new();
    for round in 0..=args.rounds {
        let start = Instant::now();
        let engine = Engine::open_with(&args.project, options())?;
        let (snapshot, _) = engine.refresh()?;
        let open = start.elapsed();
        let start = Instant::now();
        let graph = sscg_graph::link(&snapshot.project);
        let link = start.elapsed();
        let start = Instant::now();
        let knowledge = engine.knowledge(&GivenInputs::default())?.knowledge;
        let build = start.elapsed();
        // Skip the first round: it includes reads from a cold file system cache.
        if round == 0 {
            let report = knowledge.report();
            println!(
                "{}: {} files, {} symbols, {} edges; {} services, {} nodes, {} edges, {} problems\n",
                args.project.display(),
                snapshot.project.files().len(),
                snapshot.project.symbol_count(),
                graph.edges().len(),
                report.services_indexed.len(),
                report.node_count,
                report.edge_count,
                report.errors.len(),
            );
            continue;
        }
        let seconds = |time: Duration| time.as_secs_f64();
        ratios.push(1.0 + seconds(build) / (seconds(open) + seconds(link)));
        opened.push(open);
        linked.push(link);
        built.push(build);
    }
    println!("| | median / 95% within, ms |");
    println!("| --- | --- |");
    println!("| open the stored index | {opened} |");
    println!("| link | {linked} |");
    println!("| find services and build their graph | {built} |");
    println!("\nwith the service graph / without: {:.2} (at most {MOST} asked for)", median(&ratios));
    Ok(())
}
