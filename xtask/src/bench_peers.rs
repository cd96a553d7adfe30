//! `cargo xtask bench-peers`: the ranking kernels compared with the libraries that Python programs use.

mod graph;
mod kernel;
mod python;
mod quality;
mod request;
mod synthetic;
mod table;
mod task;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use sscg_rank::Csr;

use self::graph::Graph;
use self::kernel::Kernel;
use self::python::Peers;
use self::quality::{Quality, are_connected};
use self::request::Request;
use self::table::{Report, Row};
use self::task::{Measure, TASKS, Task};
use crate::workspace::rerun_optimized;

/// Rank the nodes of synthetic and real graphs, compared with other libraries, in one run
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Projects whose graphs are also measured
    dirs: Vec<PathBuf>,
    /// Approximate edge counts of synthetic graphs; 0 for none
    #[arg(long, value_delimiter = ',', default_value = "25000,50000,1000000,10000000")]
    synthetic: Vec<usize>,
    /// Weight factor of project edges against their direction
    #[arg(long, default_value_t = 0.0)]
    backward: f32,
    /// Only tasks whose name contains this
    #[arg(long, default_value = "")]
    task: String,
    /// Number of measurements of each, in turns, after an uncounted first
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Total seconds after which a slow peer is not measured again
    #[arg(long, default_value_t = 30.0)]
    timeout: f64,
    /// JSON output file for the table
    #[arg(long)]
    json: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    let scratch = tempfile::tempdir()?;
    let mut peers = Peers::start(scratch.path())?;
    let mut report = Report::new(peers.versions.clone());
    let synthetic =
        args.synthetic.iter().filter(|edges| **edges > 0).map(|edges| Ok(Graph::synthetic(*edges)));
    // One graph at a time: the largest take much memory.
    for graph in synthetic.chain(args.dirs.iter().map(|dir| Graph::of_directory(dir, args.backward))) {
        let graph = graph?;
        report.graph(&graph);
        let tasks = TASKS.iter().filter(|task| task.edges.contains(&graph.outgoing.edge_count()));
        let tasks: Vec<&Task> = tasks.filter(|task| task.name.contains(&args.task)).collect();
        if tasks.is_empty() {
            continue;
        }
        let plain = graph.without_weights();
        for (weighted, graph) in [(true, &graph), (false, &plain)] {
            let file = scratch.path().join(format!("{}-{weighted}.graph", report.graphs()));
            graph.write(&file)?;
            for task in tasks.iter().filter(|task| task.weighted == weighted) {
                report.rows(graph, task, measure(graph, &file, task, &mut peers, &args)?);
            }
            fs::remove_file(file)?;
        }
    }
    match args.json {
        Some(path) => report.write(&path),
        None => Ok(()),
    }
}

/// Measures a task with SSCG and all peers in turns.
fn measure(graph: &Graph, file: &Path, task: &Task, peers: &mut Peers, args: &Args) -> Result<Vec<Row>> {
    let kernels: Vec<Kernel> = task.kernels.iter().map(|(_, prepare)| prepare(graph)).collect();
    let undirected = matches!(task.measure, Measure::Modularity).then(|| Csr::undirected(&graph.outgoing));
    let asked = task.peers.iter().filter(|peer| graph.outgoing.edge_count() <= peer.most_edges);
    let mut rows: Vec<Row> = task.kernels.iter().map(|(name, _)| Row::new(name, true)).collect();
    rows.extend(asked.map(|peer| Row::new(peer.name, peer.comparable)));
    for round in 0..=args.rounds {
        let request = Request::new(graph, task.seeds, round);
        let mut results = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if row.spent_ms() > args.timeout * 1e3 {
                continue;
            }
            let (ms, result) = if let Some(kernel) = kernels.get(at) {
                let start = Instant::now();
                let outcome = kernel(&request);
                (start.elapsed().as_secs_f64() * 1e3, outcome())
            } else {
                peers.ask(file, task.kind, row.peer, &request)?
            };
            results.push((at, ms, result));
        }
        if results.is_empty() {
            break;
        }
        let reference = match task.measure {
            Measure::Exact(exact) => Some(exact(graph, &request)),
            Measure::Peer(name) => {
                results.iter().find(|(at, ..)| rows[*at].peer == name).map(|(.., result)| result.clone())
            }
            Measure::Modularity | Measure::Time => None,
        };
        for (at, ms, result) in results {
            let quality = match (&undirected, &reference) {
                (Some(undirected), _) => {
                    let is_ours = at < kernels.len();
                    ensure!(
                        !is_ours || are_connected(&result, undirected),
                        "{}: a community in parts",
                        rows[at].peer
                    );
                    Quality::of_communities(&result, undirected)
                }
                (None, Some(reference)) if rows[at].comparable => Quality::of_scores(&result, reference),
                _ => Quality::default(),
            };
            rows[at].add(ms, quality);
        }
    }
    Ok(rows)
}
