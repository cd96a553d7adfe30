//! `index_directory`, `reindex`, `index_status`

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sscg::index::Snapshot;
use sscg::{Corpus, Progress, ProjectState, RefreshReport};

use super::common::one_of;
use crate::content;
use crate::failure::Failure;
use crate::paths;
use crate::tool::{Countable, Effect, Reply, Tool, ToolCall};

/// Indexes a directory.
pub(crate) struct IndexDirectory;

/// Arguments of `index_directory`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Directory {
    /// Directory, absolute or relative to the first root; must be within the server's roots. Defaults to the only root.
    #[schemars(length(max = 4096), extend("examples" = ["packages/api"]))]
    path: Option<String>,
}

impl Tool for IndexDirectory {
    const NAME: &'static str = "index_directory";
    const TITLE: &'static str = "Index a directory";
    const DESCRIPTION: &'static str = "\
Index a directory within the server's roots, and make it a separate project that other tools take as `project`. search_code \
indexes by itself: use this for a part of a large repository, or to build the first index ahead of questions. Reports \
progress; after some seconds it returns, and indexing continues in the background.
The answer has the number of files, chunks, symbols and edges, and of skipped files by reason.
Example: {\"path\": \"packages/api\"}";
    const EFFECT: Effect = Effect::Indexes;
    type Arguments = Directory;
    type Output = IndexData;

    fn call(arguments: Directory, call: &ToolCall) -> Result<Reply<IndexData>, Failure> {
        let project = call.directory(arguments.path.as_deref())?;
        let data = refresh(call, &project, Corpus::Code)?;
        Ok(reply(vec![data]))
    }
}

/// Updates the indexes of a project.
pub(crate) struct Reindex;

/// Arguments of `reindex`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReindexArguments {
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
    /// `full` parses every file again; the default parses those with changed content.
    #[schemars(schema_with = "modes")]
    #[serde(default)]
    mode: Mode,
}

/// Files to parse.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Incremental,
    Full,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(["incremental", "full"])
}

/// Arguments of `index_status`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for Reindex {
    const NAME: &'static str = "reindex";
    const TITLE: &'static str = "Update an index";
    const DESCRIPTION: &'static str = "\
Update a project's index of code and documents now. Only files with changed content are parsed. Searches do the same first: use \
this after a large change, such as a checkout, so that the next search answers at once. `mode: full` parses every file again, \
if stored data may be damaged.
The answer has the number of parsed files, and the contents of the index.
Example: {}";
    const EFFECT: Effect = Effect::Indexes;
    type Arguments = ReindexArguments;
    type Output = IndexData;

    fn call(arguments: ReindexArguments, call: &ToolCall) -> Result<Reply<IndexData>, Failure> {
        let project = call.project(arguments.project.as_deref())?;
        if arguments.mode == Mode::Full {
            call.projects.discard(&project, &call.wait_policy())?;
        }
        let mut data = refresh(call, &project, Corpus::Code)?;
        if paths::is_published(&project) {
            return Ok(reply(vec![data]));
        }
        let documents = refresh(call, &project, Corpus::Documents)?;
        if documents.indexing.is_none() {
            data.documents = documents.files;
        }
        data.parsed += documents.parsed;
        data.indexing = data.indexing.or(documents.indexing);
        Ok(reply(vec![data]))
    }
}

/// Reports the state of the indexes.
pub(crate) struct IndexStatusTool;

impl Tool for IndexStatusTool {
    const NAME: &'static str = "index_status";
    const TITLE: &'static str = "Index status";
    const DESCRIPTION: &'static str = "\
Report the contents of each project's index, as of the last search, and the progress of indexing, if under way. Does not wait, \
and reads no files.
Example: {}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Project;
    type Output = IndexData;

    fn call(arguments: Project, call: &ToolCall) -> Result<Reply<IndexData>, Failure> {
        let projects = match &arguments.project {
            Some(_) => vec![call.project(arguments.project.as_deref())?],
            None => call.projects.known(&call.roots),
        };
        Ok(reply(projects.iter().map(|project| data_of(project, call.projects.state(project))).collect()))
    }
}

/// Contents of the indexes of projects.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct IndexData {
    /// Projects.
    projects: Vec<ProjectData>,
}

impl Countable for IndexData {}

/// Index contents of a project.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ProjectData {
    /// Directory.
    project: String,
    /// True if open; otherwise the rest is unknown.
    open: bool,
    /// Progress of indexing, if under way.
    indexing: Option<Indexing>,
    /// Source files.
    files: usize,
    /// Files parsed by this call because their content was new.
    parsed: usize,
    /// Source files by language.
    languages: BTreeMap<String, usize>,
    /// Documents; 0 if not requested yet.
    documents: usize,
    /// Declarations.
    symbols: usize,
    /// Searchable code chunks.
    chunks: usize,
    /// Edges of the graph.
    edges: usize,
    /// Files that cannot be indexed, by reason.
    skipped: BTreeMap<String, usize>,
    /// Estimated bytes in memory.
    memory: usize,
    /// Problems with the index.
    warnings: Vec<String>,
}

/// Indexing progress.
#[derive(Serialize, JsonSchema)]
struct Indexing {
    /// Files or texts done so far.
    done: usize,
    /// Total; 0 if not known yet.
    all: usize,
}

impl Indexing {
    fn of(progress: Progress) -> Self {
        let (done, all) = progress.counts().unwrap_or_default();
        Self { done, all }
    }
}

/// Updates an index and returns its contents, or its progress if the update takes too long.
fn refresh(call: &ToolCall, project: &Path, corpus: Corpus) -> Result<ProjectData, Failure> {
    let settings = call.projects.settings(project, &call.wait_policy());
    match settings.and_then(|_| call.projects.refresh(project, corpus, &call.wait_policy())) {
        Ok((snapshot, report)) => {
            let RefreshReport { parsed, warnings, .. } = report;
            Ok(ProjectData { parsed, warnings, ..held(project, &snapshot) })
        }
        Err(failure) if !failure.is_error => {
            let state = call.projects.state(project);
            let indexing = Some(Indexing::of(state.indexing.unwrap_or_default()));
            Ok(ProjectData { indexing, ..data_of(project, state) })
        }
        Err(failure) => Err(failure),
    }
}

fn data_of(project: &Path, state: ProjectState) -> ProjectData {
    let indexing = state.indexing.map(Indexing::of);
    let held = match &state.snapshot {
        Some(snapshot) => held(project, snapshot),
        None => ProjectData { project: project.display().to_string(), ..ProjectData::default() },
    };
    ProjectData { indexing, ..held }
}

fn held(project: &Path, snapshot: &Snapshot) -> ProjectData {
    let mut data = ProjectData {
        project: project.display().to_string(),
        open: true,
        files: snapshot.project.files().len(),
        symbols: snapshot.project.symbol_count(),
        chunks: snapshot.project.chunk_count(),
        edges: snapshot.graph.edges().len(),
        memory: snapshot.memory(),
        ..ProjectData::default()
    };
    for file in snapshot.project.files().iter() {
        *data.languages.entry(file.language.name.to_owned()).or_default() += 1;
    }
    for skipped in &snapshot.skipped {
        *data.skipped.entry(skipped.reason.class().to_owned()).or_default() += 1;
    }
    data
}

fn reply(projects: Vec<ProjectData>) -> Reply<IndexData> {
    let text: String = projects.iter().map(told).collect();
    Reply { content: vec![content::item(text, 1.0)], data: IndexData { projects } }
}

/// Renders the index contents of a project as text.
fn told(data: &ProjectData) -> String {
    let mut text = format!("{}\n", data.project);
    let mut line = |label: &str, value: String| text += &format!("  {label}: {value}\n");
    let list = |counts: &BTreeMap<String, usize>| {
        counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    };
    match &data.indexing {
        Some(Indexing { all: 0, .. }) => {
            line("indexing", "it has begun; ask index_status how far it is".to_owned())
        }
        Some(Indexing { done, all }) => {
            line("indexing", format!("{done} of {all} done; it goes on in the background"));
        }
        None if !data.open => line("index", "not open yet; the first search reads or makes it".to_owned()),
        None => {}
    }
    if data.open {
        line("files", format!("{} ({})", data.files, list(&data.languages)));
        line("parsed now", data.parsed.to_string());
        if data.documents > 0 {
            line("documents", data.documents.to_string());
        }
        line("holds", format!("{} symbols, {} chunks, {} edges", data.symbols, data.chunks, data.edges));
        if !data.skipped.is_empty() {
            line("skipped", list(&data.skipped));
        }
    }
    for warning in &data.warnings {
        line("warning", warning.clone());
    }
    text
}
