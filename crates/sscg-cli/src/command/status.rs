//! `sscg status`

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use serde::Serialize;
use sscg::core::Confidence;
use sscg::index::{Snapshot, Vectors, documents_of};
use sscg::{Corpus, Engine, RefreshReport};

use super::{Directory, open};
use crate::failure::Failure;
use crate::model::Model;
use crate::progress::with_bar;
use crate::skipped::{ready, summary};
use crate::text::{count, json, size};
use crate::{CommandResult, Global, print, skipped, sources};

/// Show the contents of a directory's index, after updating it.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    directory: Directory,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: Model,
}

/// Contents of the index, as JSON.
#[derive(Serialize)]
struct Holdings {
    schema: &'static str,
    project: String,
    /// Place of the index, if it is stored.
    index: Option<String>,
    stored: Option<Stored>,
    /// Documents, as of the last search of documents.
    documents: usize,
    files: usize,
    parsed: usize,
    pending: usize,
    languages: BTreeMap<&'static str, Language>,
    symbols: usize,
    chunks: usize,
    model: String,
    /// Vectors that the model failed to make.
    missing_vectors: usize,
    edges: Edges,
    /// Sources of edges besides the linker.
    sources: Vec<sources::Source>,
    unresolved: usize,
    /// Files with syntax errors.
    broken: usize,
    skipped: Vec<Skipped>,
    /// Files in unsupported languages.
    unsupported: usize,
}

#[derive(Serialize)]
struct Stored {
    texts: usize,
    work_trees: usize,
    bytes: u64,
    /// Files whose facts are lost.
    missing: usize,
}

#[derive(Default, Serialize)]
struct Language {
    files: usize,
    lines: u64,
    /// True if references are read and linked, not only declarations.
    linked: bool,
}

#[derive(Serialize)]
struct Edges {
    all: usize,
    exact: usize,
    inferred: usize,
    ambiguous: usize,
}

#[derive(Serialize)]
struct Skipped {
    path: String,
    reason: String,
}

impl Status {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let config = global.configure(self.directory.path(), &[self.model.flag()])?;
        let engine = open(self.directory.path(), global, &config)?;
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        let holdings = holdings(&engine, &snapshot, &report)?;
        if global.verbose || !report.warnings.is_empty() {
            skipped::report(&snapshot, &report, global.verbose);
        }
        print(&if self.json { json(&holdings) } else { text(&holdings, &snapshot, &report) })?;
        Ok(if report.files + report.pending == 0 {
            CommandResult::NothingFound
        } else {
            CommandResult::Found
        })
    }
}

fn holdings(engine: &Engine, snapshot: &Snapshot, report: &RefreshReport) -> Result<Holdings, Failure> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let stored = engine.usage()?.map(|usage| {
        let work_trees = usage.trees.iter().filter(|(tree, _)| documents_of(tree).is_none()).count();
        Ok::<_, Failure>(Stored {
            texts: usage.facts,
            work_trees,
            bytes: usage.bytes,
            missing: engine.count_missing()?,
        })
    });
    let mut languages: BTreeMap<&str, Language> = BTreeMap::new();
    for file in project.files().iter() {
        let language = languages.entry(file.language.name).or_default();
        language.files += 1;
        language.lines += u64::from(file.facts.lines);
        language.linked = file.language.is_linked();
    }
    let sure = |confidence| graph.edges().iter().filter(|edge| edge.confidence == confidence).count();
    let skipped = snapshot.skipped.iter();
    Ok(Holdings {
        schema: "sscg.status.v1",
        project: engine.root().display().to_string(),
        index: engine.store().map(|store| store.place()),
        stored: stored.transpose()?,
        documents: engine.count_documents()?,
        files: report.files,
        parsed: report.parsed,
        pending: report.pending,
        languages,
        symbols: project.symbol_count(),
        chunks: project.chunk_count(),
        model: model(snapshot.vectors()),
        missing_vectors: snapshot.vectors().missing(),
        edges: Edges {
            all: graph.edges().len(),
            exact: sure(Confidence::Exact),
            inferred: sure(Confidence::Inferred),
            ambiguous: sure(Confidence::Ambiguous),
        },
        sources: sources::sources(snapshot, &[]),
        unresolved: graph.unresolved_references().len(),
        broken: project.files().iter().filter(|file| !file.facts.diagnostics.is_empty()).count(),
        skipped: skipped
            .map(|skipped| Skipped { path: skipped.path.clone(), reason: skipped.reason.to_string() })
            .collect(),
        unsupported: snapshot.unsupported.values().map(Vec::len).sum(),
    })
}

fn text(holdings: &Holdings, snapshot: &Snapshot, report: &RefreshReport) -> String {
    let mut out = String::new();
    let mut line = |label: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{label:<12}{value}");
    };
    line("project", holdings.project.clone());
    line("index", holdings.index.clone().unwrap_or_else(|| "kept nowhere".to_owned()));
    if let Some(Stored { texts, work_trees, bytes, missing }) = holdings.stored {
        let trees = count(work_trees, "work tree");
        line(
            "stored",
            format!("{} of {trees}, {}; {}", count(texts, "text"), size(bytes), consistency(missing)),
        );
    }
    if holdings.documents > 0 {
        line("documents", format!("{}, as of the last search --docs", holdings.documents));
    }
    if holdings.pending > 0 {
        line("indexing", ready(report));
    }
    line("files", format!("{} ({} parsed now)", holdings.files, holdings.parsed));
    for (name, Language { files, lines, linked }) in &holdings.languages {
        let level = if *linked { "" } else { ", declarations only" };
        line("", format!("{name}: {}, {lines} lines{level}", count(*files, "file")));
    }
    line("symbols", holdings.symbols.to_string());
    line("chunks", holdings.chunks.to_string());
    line(
        "model",
        match holdings.missing_vectors {
            0 => holdings.model.clone(),
            missing => format!("{}, {} missing", holdings.model, count(missing, "vector")),
        },
    );
    let Edges { all, exact, inferred, ambiguous } = holdings.edges;
    line("edges", format!("{all} ({exact} exact, {inferred} inferred, {ambiguous} ambiguous)"));
    for source in sources::text(&holdings.sources, false).lines() {
        line("", source.to_owned());
    }
    line("unresolved", count(holdings.unresolved, "use"));
    line("broken", format!("{} with syntax errors", count(holdings.broken, "file")));
    line("skipped", summary(&snapshot.skipped).unwrap_or_else(|| "none".to_owned()));
    line("other", format!("{} in languages that SSCG does not read", count(holdings.unsupported, "file")));
    out
}

/// Returns the model of the vectors.
fn model(vectors: &Vectors) -> String {
    if vectors.is_built_in() { "built-in".to_owned() } else { vectors.model().to_owned() }
}

/// Describes the consistency of the store.
fn consistency(missing: usize) -> String {
    match missing {
        0 => "consistent".to_owned(),
        _ => format!("{} to be parsed again", count(missing, "file")),
    }
}
