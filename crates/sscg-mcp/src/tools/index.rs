//! `index_directory`, `reindex`, `index_status`

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg::index::Snapshot;
use sscg::{Corpus, ProjectState, RefreshReport};

use crate::content;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// Indexes a directory.
pub(crate) struct IndexDirectory;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Directory {
    /// The directory, absolute or relative to the first root; it must be within the server's roots. The only root if left
    /// out.
    #[schemars(length(max = 4096), extend("examples" = ["packages/api"]))]
    path: Option<String>,
}

impl Tool for IndexDirectory {
    const NAME: &'static str = "index_directory";
    const TITLE: &'static str = "Index a directory";
    const DESCRIPTION: &'static str = "\
Index a directory within the server's roots, and make it a project of its own that other tools take as `project`. search_code \
indexes by itself: use this for a part of a large repository, or to have a first index made ahead of questions. Reports \
progress; after some seconds it returns, and indexing goes on in the background.
The answer says how many files, chunks, symbols and edges there are, and what was skipped.
Example: {\"path\": \"packages/api\"}";
    const EFFECT: Effect = Effect::Indexes;
    type Arguments = Directory;
    type Output = IndexData;

    fn call(arguments: Directory, call: &Call) -> Result<Reply<IndexData>, Failure> {
        let project = call.directory(arguments.path.as_deref())?;
        let data = refresh(call, &project, Corpus::Code)?;
        Ok(reply(vec![data]))
    }
}

/// Brings a project's indexes up to date.
pub(crate) struct Reindex;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

impl Tool for Reindex {
    const NAME: &'static str = "reindex";
    const TITLE: &'static str = "Bring an index up to date";
    const DESCRIPTION: &'static str = "\
Bring a project's index of code and documents up to date now. Only files whose content changed are parsed. Searches do the same \
first: use this after a large change, such as a checkout, to have the next search answer at once.
The answer says how many files were parsed, and what the index holds now.
Example: {}";
    const EFFECT: Effect = Effect::Indexes;
    type Arguments = Project;
    type Output = IndexData;

    fn call(arguments: Project, call: &Call) -> Result<Reply<IndexData>, Failure> {
        let project = call.project(arguments.project.as_deref())?;
        let mut data = refresh(call, &project, Corpus::Code)?;
        let documents = refresh(call, &project, Corpus::Documents)?;
        if documents.indexing.is_none() {
            data.documents = documents.files;
        }
        data.parsed += documents.parsed;
        data.indexing = data.indexing.or(documents.indexing);
        Ok(reply(vec![data]))
    }
}

/// Says what is indexed.
pub(crate) struct IndexStatus;

impl Tool for IndexStatus {
    const NAME: &'static str = "index_status";
    const TITLE: &'static str = "Index status";
    const DESCRIPTION: &'static str = "\
Say what the index of each project holds, as of the last search, and how far indexing is if it is under way. It waits for \
nothing and looks at no file.
Example: {}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Project;
    type Output = IndexData;

    fn call(arguments: Project, call: &Call) -> Result<Reply<IndexData>, Failure> {
        let projects = match &arguments.project {
            Some(_) => vec![call.project(arguments.project.as_deref())?],
            None => call.projects.known(&call.roots),
        };
        Ok(reply(projects.iter().map(|project| data_of(project, call.projects.state(project))).collect()))
    }
}

/// What the indexes of projects hold.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct IndexData {
    /// Each project.
    projects: Vec<ProjectData>,
}

/// What the index of a project holds.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ProjectData {
    /// Its directory.
    project: String,
    /// Whether it is open: otherwise nothing else is known.
    open: bool,
    /// How far indexing is, if it is under way.
    indexing: Option<Indexing>,
    /// Source files.
    files: usize,
    /// Files that were parsed by this call, because their content was new.
    parsed: usize,
    /// Source files by language.
    languages: BTreeMap<String, usize>,
    /// Documents; 0 if they were not asked for yet.
    documents: usize,
    /// Declarations.
    symbols: usize,
    /// Pieces of code that can be found.
    chunks: usize,
    /// Edges of the graph.
    edges: usize,
    /// Files that cannot be indexed, by reason.
    skipped: BTreeMap<String, usize>,
    /// Bytes in memory, by estimate.
    memory: usize,
    /// What went wrong with the index.
    warnings: Vec<String>,
}

/// How far indexing is.
#[derive(Serialize, JsonSchema)]
struct Indexing {
    /// Files, or texts, that are done.
    done: usize,
    /// All there are; 0 if that is not known yet.
    all: usize,
}

/// Brings an index up to date, and says what it holds. Where that takes too long, how far it is.
fn refresh(call: &Call, project: &Path, corpus: Corpus) -> Result<ProjectData, Failure> {
    let settings = call.projects.settings(project, &call.patience());
    match settings.and_then(|_| call.projects.refresh(project, corpus, &call.patience())) {
        Ok((snapshot, report)) => {
            let RefreshReport { parsed, warnings, .. } = report;
            Ok(ProjectData { parsed, warnings, ..held(project, &snapshot) })
        }
        Err(failure) if !failure.is_error => {
            let state = call.projects.state(project);
            let (done, all) = state.indexing.unwrap_or_default();
            Ok(ProjectData { indexing: Some(Indexing { done, all }), ..data_of(project, state) })
        }
        Err(failure) => Err(failure),
    }
}

fn data_of(project: &Path, state: ProjectState) -> ProjectData {
    let indexing = state.indexing.map(|(done, all)| Indexing { done, all });
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

/// A project's index, for reading.
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
