//! `sscg index`

#[cfg(feature = "scip")]
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use sscg::core::Provenance;
use sscg::graph::Comparison;
use sscg::{Config, Corpus, Engine, LspServer};

use super::{Directory, open_tree};
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::with_bar;
use crate::text::{count, json};
use crate::{CommandResult, Global, note, print, skipped, sources};

/// Update the index of a directory. Searching does the same first.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  sscg index
  sscg index --scip index.scip            apply what scip-typescript, scip-python or others found
  sscg index --scip index.scip --verbose  list where it contradicts SSCG")]
pub(crate) struct Index {
    #[command(flatten)]
    directory: Directory,
    /// Parse every file again, not only those that changed.
    ///
    /// The result is the same unless stored data is damaged; such data is normally noticed and replaced.
    #[arg(long)]
    full: bool,
    /// Apply a SCIP index to the graph, now and in later commands, where files are unchanged; may be given more than once.
    ///
    /// Its targets are exact, and replace those of SSCG where they differ. --verbose or --json lists these sites.
    #[cfg(feature = "scip")]
    #[arg(long, value_name = "FILE")]
    scip: Vec<PathBuf>,
    /// Remove what SCIP indexes found from the graph.
    #[cfg(feature = "scip")]
    #[arg(long)]
    forget_scip: bool,
    /// Ask the configured language servers for the definitions of names whose edges are not exact, and apply the answers.
    ///
    /// `lsp.LANGUAGE.command` names the server of a language, in your own sscg.toml. Answers are kept as long as the texts are
    /// the same.
    #[arg(long)]
    lsp: bool,
    /// Time limit of --lsp in seconds.
    #[arg(long, value_name = "SECONDS", requires = "lsp")]
    lsp_timeout: Option<u64>,
    /// Remove what language servers found from the graph.
    #[arg(long, conflicts_with = "lsp")]
    forget_lsp: bool,
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
    /// Sources of edges besides the linker.
    sources: Vec<sources::Source>,
    /// Time of the update in seconds.
    seconds: f64,
}

impl Index {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let timeout = ("lsp.timeout", self.lsp_timeout.map(|seconds| seconds.to_string()));
        let config = global.configure(self.directory.path(), &[self.model.flag(), timeout])?;
        let engine = open_tree(self.directory.path(), global, &config)?;
        if self.full {
            engine.discard()?;
        }
        let start = Instant::now();
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        let comparisons = self.apply_sources(&engine, &config)?;
        let snapshot = if self.changes_sources() { engine.refresh()?.0 } else { snapshot };
        let seconds = start.elapsed().as_secs_f64();
        let project = engine.root().display().to_string();
        let (symbols, edges) = (snapshot.project.symbol_count(), snapshot.graph.edges().len());
        let sources = sources::sources(&snapshot, &comparisons);
        print(&if self.json {
            json(&Indexed {
                schema: "sscg.index.v1",
                project,
                files: report.files,
                parsed: report.parsed,
                pending: report.pending,
                symbols,
                edges,
                sources,
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
            let sources = sources::text(&sources, global.verbose);
            format!("{files} indexed, {parsed} parsed, in {project}\n{found}{sources}")
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

    /// Returns true if the options require other sources of edges.
    fn changes_sources(&self) -> bool {
        let by_server = self.lsp || self.forget_lsp;
        #[cfg(feature = "scip")]
        let by_index = self.forget_scip || !self.scip.is_empty();
        #[cfg(not(feature = "scip"))]
        let by_index = false;
        by_server || by_index
    }

    /// Changes the sources of edges as the options require. Returns the comparisons of imported results.
    fn apply_sources(
        &self,
        engine: &Engine,
        config: &Config,
    ) -> Result<Vec<(Provenance, Comparison)>, Failure> {
        let mut comparisons = Vec::new();
        #[cfg(feature = "scip")]
        {
            if self.forget_scip && !engine.forget(Provenance::Scip)? {
                note("note: no SCIP index was applied");
            }
            if !self.scip.is_empty() {
                let read = |path: &PathBuf| {
                    std::fs::read(path).map_err(|error| {
                        let message =
                            format!("cannot read {}: {}", path.display(), sscg::index::describe(&error));
                        sscg::Error::project(
                            message,
                            "give the file that an indexer wrote, usually index.scip",
                        )
                    })
                };
                let files = self.scip.iter().map(read).collect::<Result<Vec<_>, _>>()?;
                let imported =
                    with_bar(|bar| engine.import_scip_with_progress(files.iter().map(Vec::as_slice), bar))?;
                for (path, index) in self.scip.iter().zip(&imported.indexes) {
                    let stale = index.stale.len();
                    let others = [(index.foreign, "not in the project"), (stale, "of another text")];
                    let others = others.iter().filter(|(number, _)| *number > 0);
                    let others: String = others.map(|(number, what)| format!(", {number} {what}")).collect();
                    let documents = count(index.documents, "document");
                    note(&format!("{}: {documents} by {}{others}", path.display(), index.tool));
                }
                comparisons.push((Provenance::Scip, imported.comparison));
            }
        }
        if self.forget_lsp && !engine.forget(Provenance::Lsp)? {
            note("note: no answers of language servers were applied");
        }
        if self.lsp {
            let asked = with_bar(|bar| engine.ask_servers_with_progress(&config.lsp, bar))?;
            for server in &asked.servers {
                let LspServer { language, files, cached, answered, names, defined, stopped, .. } = server;
                note(&format!(
                    "{language}: {answered} of {} answered by the language server, {cached} from its earlier answers; {defined} \
                     of {} have a definition",
                    count(*files, "file"),
                    count(*names, "name")
                ));
                if let Some(reason) = stopped {
                    note(&format!("warning: {reason}"));
                    hint("the next run asks about the other files; allow more time with --lsp-timeout");
                }
            }
            comparisons.push((Provenance::Lsp, asked.comparison));
        }
        Ok(comparisons)
    }
}
