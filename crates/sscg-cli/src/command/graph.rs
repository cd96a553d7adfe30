//! `sscg graph`

mod serve;

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use sscg::config::SearchConfig;
use sscg::core::{Confidence, Relation};
use sscg::format::{Drawing, PageOptions};
use sscg::knowledge::GivenInputs;
use sscg::{Corpus, DrawingOptions, DrawnUnit, Engine, Error, SearchRequest, draw_module, draw_services};

use super::explore::{confidences, names, relations};
use super::open;
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::with_bar;
use crate::text::count;
use crate::{CommandResult, Global, note, print, skipped};

/// Draw the graph of an answer, or of a module.
///
/// Writes a self-contained page for a browser, which needs no network: nodes by kind and community, edges by relation
/// and confidence, with search, source code, and dependency order. Large modules are rolled up, and opened in the page. Or
/// text for Graphviz, for Mermaid, or JSON for other programs.
#[derive(Debug, Args)]
#[command(
    override_usage = "sscg graph [OPTIONS] <QUESTION> [PATH]\n       sscg graph [OPTIONS] --module <GLOB> [PATH]\n       sscg graph [OPTIONS] --serve"
)]
#[command(after_help = "Examples:
  sscg graph \"how are retries scheduled\" -o retries.html
  sscg graph \"symbol = Session > close\" ~/src/shop --boundary -o close.html
  sscg graph --module src/auth --relation calls -o auth.html
  sscg graph --module src/auth --dot | dot -Tsvg > auth.svg
  sscg graph --module . -o all.html --editor vscode
  sscg graph --serve
  sscg graph --module src --by file --relation imports -o files.html")]
pub(crate) struct Graph {
    /// Question, as in `sscg search`; with --module the directory.
    #[arg(required_unless_present_any = ["module", "serve"])]
    question: Option<String>,
    /// Directory to search; -C DIR is the same [default: .]
    path: Option<PathBuf>,
    /// Directory to search.
    #[arg(long, short = 'C', value_name = "DIR", conflicts_with = "path", hide = true)]
    directory: Option<PathBuf>,
    /// Draw the declarations in this file, directory or glob, relative to the directory; may be given more than once. `.`
    /// for all.
    #[arg(long, value_name = "GLOB")]
    module: Vec<String>,
    #[command(flatten)]
    format: Format,
    /// Output file; `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Serve the page on this computer, at this port or a free one, with a search that asks the index.
    ///
    /// Until the command is stopped. Neighbors of nodes are added on request. Without a question or --module, the whole
    /// directory is drawn.
    #[arg(
        long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0",
        conflicts_with_all = ["dot", "mermaid", "json", "output"]
    )]
    serve: Option<u16>,
    /// Editor that the page links to: vscode, cursor, zed, idea, none, or a URL with {path}.
    ///
    /// {path} stands for the absolute path of the file, {file} for its path in the directory, {line} for the first line. The
    /// default is none, as the links contain the path of the directory, and vscode with --serve.
    #[arg(long, value_name = "EDITOR", value_parser = editor)]
    editor: Option<String>,
    /// Maximum number of results of a question (default `search.limit`), or of nodes of a module at first (default 300).
    ///
    /// The most connected or largest are kept. A page rolls up the others, or the module is drawn by its files or directories.
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Unit that a node of a module stands for; by default the finest of which all fit the limit.
    #[arg(long = "by", value_name = "UNIT", value_parser = units(), requires = "module")]
    unit: Option<DrawnUnit>,
    /// Only edges with this relation; may be given more than once.
    #[arg(long = "relation", value_name = "NAME", value_parser = relations(), hide_possible_values = true)]
    relations: Vec<Relation>,
    /// Minimum confidence of edges.
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidences(), default_value = "ambiguous")]
    min_confidence: Confidence,
    /// Draw declarations, and outside nodes: for each declaration the three most important edges.
    #[arg(long)]
    boundary: bool,
    #[command(flatten)]
    model: Model,
}

/// Returns a parser of the names of units.
fn units() -> impl TypedValueParser<Value = DrawnUnit> {
    names(DrawnUnit::ALL.iter().map(|unit| unit.as_str()))
}

/// Templates of links to editors that are named.
const EDITORS: [(&str, &str); 5] = [
    ("vscode", "vscode://file{path}:{line}"),
    ("cursor", "cursor://file{path}:{line}"),
    ("zed", "zed://file{path}:{line}"),
    ("idea", "idea://open?file={path}&line={line}"),
    ("none", ""),
];

/// Returns the template of an editor's links; see [`PageOptions::editor`].
fn editor(text: &str) -> Result<String, String> {
    if let Some((_, template)) = EDITORS.iter().find(|(name, _)| *name == text) {
        return Ok((*template).to_owned());
    }
    if text.contains("{path}") || text.contains("{file}") {
        return Ok(text.to_owned());
    }
    let names = EDITORS.map(|(name, _)| name).join(", ");
    Err(format!("give one of {names}, or a URL with {{path}}, such as vscode://file{{path}}:{{line}}"))
}

/// Output format.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Format {
    /// Write one HTML page; this is the default.
    #[arg(long)]
    html: bool,
    /// Write DOT for Graphviz.
    #[arg(long)]
    dot: bool,
    /// Write a Mermaid flowchart, for Markdown.
    #[arg(long)]
    mermaid: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Minimum token budget per result of a question; see [`SearchRequest`].
const TOKENS_PER_RESULT: usize = 400;

/// Maximum number of edges that Mermaid draws by default; see its `maxEdges`.
const MOST_MERMAID_EDGES: usize = 500;

impl Graph {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        let (question, path) = self.target()?;
        if question.is_none() && self.module.is_empty() {
            self.module.push(".".to_owned());
        }
        self.check_output()?;
        let mut flags = vec![self.model.flag()];
        if question.is_some() {
            flags.push(("search.limit", self.limit.map(|limit| limit.to_string())));
        }
        let config = global.configure(&path, &flags)?;
        let engine = open(&path, global, &config)?;
        let options = self.options();
        let drawing = match question {
            Some(question) => {
                draw_answer(&engine, &search_request(&config.search, question), &options, global)?
            }
            None => self.draw_module(&engine, &options, global)?,
        };
        let Some(drawing) = drawing else { return Ok(CommandResult::NothingFound) };
        let page = self.page_options(&engine, &options);
        if let Some(port) = self.serve {
            let page = page.with_live(true);
            let html = drawing.html_with(&page).into();
            serve::run(port, serve::Site { html, engine, options, search: config.search })?;
            return Ok(CommandResult::Found);
        }
        self.write(&drawing, &page)?;
        Ok(CommandResult::Found)
    }

    fn page_options(&self, engine: &Engine, options: &DrawingOptions) -> PageOptions {
        let default = if self.serve.is_some() { EDITORS[0].1 } else { "" };
        let template = self.editor.clone().unwrap_or_else(|| default.to_owned());
        let root =
            if template.contains("{path}") { engine.root().display().to_string() } else { String::new() };
        PageOptions::default()
            .with_shown(if options.expandable { options.nodes } else { 0 })
            .with_editor(template)
            .with_root(root)
    }

    /// Returns the question, unless a module is drawn, and the directory.
    fn target(&self) -> Result<(Option<String>, PathBuf), Failure> {
        let here = || PathBuf::from(".");
        let given = self.directory.as_ref();
        match (&self.question, &self.path) {
            (Some(question), path) if self.module.is_empty() => {
                Ok((Some(question.clone()), path.as_ref().or(given).cloned().unwrap_or_else(here)))
            }
            (None, None) => Ok((None, given.cloned().unwrap_or_else(here))),
            // The first argument is the question, which a module does not need.
            (Some(path), None) if given.is_none() => Ok((None, PathBuf::from(path))),
            _ => {
                let message = "--module draws a module, and no answer to a question";
                Err(Error::request(message, "leave out the question, or --module").into())
            }
        }
    }

    /// Fails if HTML would be printed on a terminal, where nobody reads it.
    fn check_output(&self) -> Result<(), Failure> {
        let Format { dot, mermaid, json, .. } = self.format;
        if self.output.is_some() || self.serve.is_some() || dot || mermaid || json || !stdout().is_terminal()
        {
            return Ok(());
        }
        let message = "a page for a browser is of no use on a terminal";
        Err(Error::request(message, "name a file: -o graph.html; -o - prints it all the same").into())
    }

    fn options(&self) -> DrawingOptions {
        let default = DrawingOptions::default();
        let mut edges = default.edges.with_min_confidence(self.min_confidence);
        if !self.relations.is_empty() {
            edges.relations = self.relations.iter().copied().collect();
        }
        let mut options = DrawingOptions::default()
            .with_nodes(self.limit.unwrap_or(default.nodes))
            .with_edges(edges)
            .with_boundary(self.boundary);
        options.unit = self.unit;
        let Format { dot, mermaid, json, .. } = self.format;
        let is_page = !(dot || mermaid || json);
        options.expandable = is_page && !self.module.is_empty() && self.unit.is_none() && !self.boundary;
        options
    }

    fn draw_module(
        &self,
        engine: &Engine,
        options: &DrawingOptions,
        global: &Global,
    ) -> Result<Option<Drawing>, Failure> {
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        let mut drawing = draw_module(&snapshot, &self.module, options)?;
        if drawing.nodes.is_empty() {
            note(&format!("no declarations in {} of {}", self.module.join(", "), engine.root().display()));
            hint("give a file, a directory or a glob relative to the directory, or `.` for all");
            return Ok(None);
        }
        if options.expandable && self.module.iter().any(|path| path == ".") {
            let found = with_bar(|bar| engine.knowledge_with_progress(&GivenInputs::default(), bar));
            // A page without this map is better than none.
            drawing.services = found.ok().and_then(|found| draw_services(&found.knowledge)).map(Box::new);
        }
        Ok(Some(drawing))
    }

    fn write(&self, drawing: &Drawing, page: &PageOptions) -> Result<(), Failure> {
        let (nodes, edges) = (drawing.nodes.len(), drawing.edges.len());
        if self.format.mermaid && edges > MOST_MERMAID_EDGES {
            note(&format!("note: Mermaid draws at most {MOST_MERMAID_EDGES} edges, and these are {edges}"));
            hint("draw less, with --limit, --relation or --min-confidence, or raise its `maxEdges`");
        }
        let text = match self.format {
            Format { dot: true, .. } => drawing.dot(),
            Format { mermaid: true, .. } => drawing.mermaid(),
            Format { json: true, .. } => drawing.json(),
            Format { .. } => drawing.html_with(page),
        };
        let left_out = match drawing.omitted_nodes {
            0 => String::new(),
            omitted => format!("; {} left out, see --limit", count(omitted, "node")),
        };
        let drawn = format!("{}, {}{left_out}", count(nodes, "node"), count(edges, "edge"));
        match self.output.as_deref().filter(|path| *path != Path::new("-")) {
            Some(path) => {
                fs::write(path, text).map_err(Failure::Output)?;
                note(&format!("{}: {drawn}", path.display()));
            }
            None => {
                print(&text)?;
                if drawing.omitted_nodes > 0 {
                    note(&format!("note: {drawn}"));
                }
            }
        }
        Ok(())
    }
}

/// Returns the request for a drawing, which needs code of all results.
fn search_request(search: &SearchConfig, question: String) -> SearchRequest {
    let request = search.request(question);
    let budget = request.budget.max(request.limit.saturating_mul(TOKENS_PER_RESULT));
    request.with_budget(budget)
}

fn draw_answer(
    engine: &Engine,
    request: &SearchRequest,
    options: &DrawingOptions,
    global: &Global,
) -> Result<Option<Drawing>, Failure> {
    let response = with_bar(|bar| engine.search_with_progress(request, bar))?;
    skipped::report(&response.snapshot, &response.refresh, global.verbose);
    if response.answer.results.is_empty() {
        note(&format!("nothing found for {:?} in {}", response.answer.query, engine.root().display()));
        hint("ask in other words, or draw a module: `sscg graph --module src`");
        return Ok(None);
    }
    if response.answer.weak {
        note("note: even the best result has little to do with the question");
    }
    Ok(Some(response.drawing(options)))
}
