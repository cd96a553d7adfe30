//! Table of the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::graph::Graph;
use super::quality::Quality;
use super::task::Task;

/// Results, printed as they come in.
#[derive(Serialize)]
pub(super) struct Report {
    versions: BTreeMap<String, String>,
    threads: usize,
    graphs: Vec<GraphRow>,
    rows: Vec<TaskRow>,
}

#[derive(Serialize)]
struct GraphRow {
    name: String,
    nodes: usize,
    edges: usize,
}

#[derive(Serialize)]
struct TaskRow {
    graph: String,
    task: &'static str,
    peer: &'static str,
    /// Number of measurements that count.
    rounds: usize,
    ms: f64,
    sscg_ms: Option<f64>,
    /// Time as a multiple of SSCG's.
    ratio: Option<f64>,
    #[serde(flatten)]
    quality: Quality,
}

/// Results of one contestant in all rounds.
pub(super) struct Row {
    pub(super) peer: &'static str,
    pub(super) comparable: bool,
    /// Times in milliseconds. The first does not count unless it is the only one.
    ms: Vec<f64>,
    quality: Quality,
}

impl Row {
    pub(super) fn new(peer: &'static str, comparable: bool) -> Self {
        Self { peer, comparable, ms: Vec::new(), quality: Quality::default() }
    }

    pub(super) fn add(&mut self, ms: f64, quality: Quality) {
        self.ms.push(ms);
        self.quality = self.quality.worse(quality);
    }

    pub(super) fn spent_ms(&self) -> f64 {
        self.ms.iter().sum()
    }

    fn counted(&self) -> &[f64] {
        &self.ms[usize::from(self.ms.len() > 1)..]
    }

    fn median_ms(&self) -> f64 {
        let mut ms = self.counted().to_vec();
        ms.sort_by(f64::total_cmp);
        ms[ms.len() / 2]
    }
}

impl Report {
    pub(super) fn new(mut versions: BTreeMap<String, String>) -> Self {
        versions.insert("sscg".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let threads = rayon::current_num_threads();
        let listed: Vec<String> =
            versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
        println!("{}; {threads} threads", listed.join(", "));
        println!("median times; the worst error, agreement and modularity of all rounds");
        Self { versions, threads, graphs: Vec::new(), rows: Vec::new() }
    }

    pub(super) fn graphs(&self) -> usize {
        self.graphs.len()
    }

    pub(super) fn graph(&mut self, graph: &Graph) {
        let row = GraphRow {
            name: graph.name.clone(),
            nodes: graph.outgoing.node_count(),
            edges: graph.outgoing.edge_count(),
        };
        println!("\n{}: {} nodes, {} edges", row.name, row.nodes, row.edges);
        println!(
            "{:<24} {:<27} {:>10} {:>10} {:>7} {:>8} {:>6} {:>7} {:>10}",
            "task", "peer", "ms", "sscg ms", "ratio", "error", "top 20", "top 100", "modularity"
        );
        self.graphs.push(row);
    }

    pub(super) fn rows(&mut self, graph: &Graph, task: &Task, rows: Vec<Row>) {
        let sscg_ms = rows.iter().find(|row| row.peer == "sscg").map(Row::median_ms);
        for row in rows {
            let ms = row.median_ms();
            let row = TaskRow {
                graph: graph.name.clone(),
                task: task.name,
                peer: row.peer,
                rounds: row.counted().len(),
                ms,
                sscg_ms,
                ratio: sscg_ms.map(|sscg_ms| ms / sscg_ms),
                quality: row.quality,
            };
            println!(
                "{:<24} {:<27} {ms:>10.2} {:>10} {:>7} {:>8} {:>6} {:>7} {:>10}",
                row.task,
                row.peer,
                shown(row.sscg_ms, |it| format!("{it:.2}")),
                shown(row.ratio, |it| format!("{it:.2}")),
                shown(row.quality.error, |it| format!("{it:.0e}")),
                shown(row.quality.top_20, |it| it.to_string()),
                shown(row.quality.top_100, |it| it.to_string()),
                shown(row.quality.modularity, |it| format!("{it:.4}")),
            );
            self.rows.push(row);
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, serde_json::to_string_pretty(self)?)?)
    }
}

fn shown<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}
