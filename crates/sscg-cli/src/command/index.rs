//! `sscg index`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use sscg::Corpus;

use super::open_tree;
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::with_bar;
use crate::text::{count, json};
use crate::{CommandResult, Global, print, skipped};

/// Update the index of a directory. Searching does the same first.
#[derive(Debug, Args)]
pub(crate) struct Index {
    /// Directory to index.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Parse every file again, not only those that changed.
    ///
    /// The result is the same unless stored data is damaged; such data is normally noticed and replaced.
    #[arg(long)]
    full: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: Model,
}

/// Result of the update, as JSON.
#[derive(Serialize)]
struct Indexed {
    schema: &'static str,
    project: String,
    files: usize,
    parsed: usize,
    /// Files that another process has yet to index.
    pending: usize,
    symbols: usize,
    edges: usize,
    /// Time of the update in seconds.
    seconds: f64,
}

impl Index {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let config = global.configure(&self.path, &[self.model.flag()])?;
        let engine = open_tree(&self.path, global, &config)?;
        if self.full {
            engine.discard()?;
        }
        let start = Instant::now();
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        let seconds = start.elapsed().as_secs_f64();
        skipped::tell(&snapshot, &report, global.verbose);
        let project = engine.root().display().to_string();
        let (symbols, edges) = (snapshot.project.symbol_count(), snapshot.graph.edges().len());
        print(&if self.json {
            json(&Indexed {
                schema: "sscg.index.v1",
                project,
                files: report.files,
                parsed: report.parsed,
                pending: report.pending,
                symbols,
                edges,
                seconds,
            })
        } else {
            let (files, parsed) = (count(report.files, "file"), report.parsed);
            let (symbols, edges) = (count(symbols, "symbol"), count(edges, "edge"));
            let found = if report.files > 0 {
                format!("{symbols}, {edges}, {seconds:.1} s\n")
            } else {
                String::new()
            };
            format!("{files} indexed, {parsed} parsed, in {project}\n{found}")
        })?;
        if report.refused {
            return Err(Failure::Told);
        }
        if report.files + report.pending == 0 {
            hint("`sscg status --verbose` says what else is there");
            return Ok(CommandResult::NothingFound);
        }
        engine.save()?;
        Ok(CommandResult::Found)
    }
}
