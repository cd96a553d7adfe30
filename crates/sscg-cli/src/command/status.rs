//! `sscg status`

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use sscg::core::Confidence;
use sscg::index::{Vectors, documents_of};

use super::open;
use crate::failure::Failure;
use crate::model::Model;
use crate::progress::Bar;
use crate::skipped::{ready, summary};
use crate::text::{count, size};
use crate::{Found, Global, print, skipped};

/// Say what the index of a directory holds, after bringing it up to date.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The directory.
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    model: Model,
}

impl Status {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let config = global.configure(&self.path, &[self.model.flag()])?;
        let mut engine = open(&self.path, global, &config)?;
        let bar = Bar::new();
        let (snapshot, report) = engine.refresh(&|done, all| bar.update(done, all));
        drop(bar);
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        let mut out = String::new();
        let mut line = |label: &str, value: String| {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{label:<12}{value}");
        };
        line("project", engine.root().display().to_string());
        let place = engine.store().map(|store| store.place());
        line("index", place.unwrap_or_else(|| "kept nowhere".to_owned()));
        if let Some(usage) = engine.usage()? {
            let holds = format!(
                "{} of {}, {}",
                count(usage.facts, "text"),
                count(
                    usage.trees.iter().filter(|(tree, _)| documents_of(tree).is_none()).count(),
                    "work tree"
                ),
                size(usage.bytes)
            );
            line("stored", format!("{holds}; {}", consistency(engine.count_missing()?)));
        }
        let documents = engine.count_documents()?;
        if documents > 0 {
            line("documents", format!("{documents}, as of the last search --docs"));
        }
        if report.pending > 0 {
            line("indexing", ready(&report));
        }
        let mut languages: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
        for file in project.files().iter() {
            let (files, lines) = languages.entry(file.language.name).or_default();
            *files += 1;
            *lines += u64::from(file.facts.lines);
        }
        line("files", format!("{} ({} parsed now)", report.files, report.parsed));
        for (language, (files, lines)) in languages {
            line("", format!("{language}: {}, {lines} lines", count(files, "file")));
        }
        line("symbols", project.symbol_count().to_string());
        line("chunks", project.chunk_count().to_string());
        line("model", model(snapshot.vectors()));
        let sure = |confidence| graph.edges().iter().filter(|edge| edge.confidence == confidence).count();
        line(
            "edges",
            format!(
                "{} ({} exact, {} inferred, {} ambiguous)",
                graph.edges().len(),
                sure(Confidence::Exact),
                sure(Confidence::Inferred),
                sure(Confidence::Ambiguous)
            ),
        );
        line("unresolved", count(graph.ledger().len(), "use"));
        let broken = project.files().iter().filter(|file| !file.facts.diagnostics.is_empty()).count();
        line("broken", format!("{} with syntax errors", count(broken, "file")));
        line("skipped", summary(&snapshot).unwrap_or_else(|| "none".to_owned()));
        let others: usize = snapshot.unsupported.values().map(Vec::len).sum();
        line("other", format!("{} in languages that SSCG does not read", count(others, "file")));
        if global.verbose || !report.warnings.is_empty() {
            skipped::tell(&snapshot, &report, global.verbose);
        }
        print(&out)?;
        Ok(if report.files + report.pending == 0 { Found::No } else { Found::Yes })
    }
}

/// Which model made the vectors, and how many it could not make.
fn model(vectors: &Vectors) -> String {
    match vectors.missing() {
        _ if vectors.is_built_in() => "built-in".to_owned(),
        0 => vectors.model().to_owned(),
        missing => format!("{}, {} missing", vectors.model(), count(missing, "vector")),
    }
}

/// Whether the store has what it should.
fn consistency(missing: usize) -> String {
    match missing {
        0 => "consistent".to_owned(),
        _ => format!("{} to be parsed again", count(missing, "file")),
    }
}
