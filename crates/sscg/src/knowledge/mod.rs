//! Services of a project and the connections between them.

mod similarity;
mod text;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use sscg_core::{Corpus, FileId, Wiring};
use sscg_format::O200k;
use sscg_index::{Observer, Progress, Snapshot, read_files};
use sscg_knowledge::query::{QueryError, Semantics};
use sscg_knowledge::{Base, BuildOptions, InputFile, Model, Sources, derive, input_limit, read_inputs};

pub use sscg_knowledge::{
    BuildReport, ContextKind, ContextRecord, ContextStore, Edge, EdgeKind, FactEvidence, GivenInputs,
    KnowledgeGraph, Node, NodeData, NodeKind, Source, graph, query,
};
pub use text::AsText;

use sscg_parse::FileType;

use crate::Error;
use crate::context::nothing_to_search;
use similarity::Texts;

/// Service graph of a project, ready for queries.
///
/// ```
/// use sscg::knowledge::query::ServiceContextRequest;
/// use sscg::knowledge::{GivenInputs, Knowledge};
/// # use sscg::{Engine, EngineOptions, Storage};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # for (name, text) in [("shop/cart.py", "def add(): pass\n"), ("stock/count.py", "def count(): pass\n")] {
/// #     std::fs::create_dir(path.join(name).parent().unwrap())?;
/// #     std::fs::write(path.join(name), text)?;
/// # }
/// let compose = "services:\n  shop: {build: shop, depends_on: [stock]}\n  stock: {build: stock}\n";
/// std::fs::write(path.join("compose.yaml"), compose)?;
/// # let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let knowledge = engine.knowledge(&GivenInputs::default())?.knowledge;
/// let mut request = ServiceContextRequest::default();
/// request.service_name = "shop".to_owned();
/// let context = knowledge.service_context(&request)?;
/// assert_eq!(&*context.depends_on[0], "stock");
///
/// // The graph as a file gives the same answers without the tree.
/// let file = path.join("services.json");
/// std::fs::write(&file, knowledge.to_json())?;
/// assert_eq!(Knowledge::open(&file)?.service_context(&request)?.depends_on, context.depends_on);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Knowledge {
    graph: KnowledgeGraph,
    report: BuildReport,
    /// Text of each node, analyzed at the first request.
    texts: OnceLock<Texts>,
    /// Context records with their texts, created at the first request.
    contexts: OnceLock<(ContextStore, Texts)>,
}

impl Knowledge {
    /// Wraps a graph that was built elsewhere, such as one read from a [snapshot](sscg_knowledge::KnowledgeSnapshot).
    pub fn new(snapshot: sscg_knowledge::KnowledgeSnapshot) -> Self {
        let sscg_knowledge::KnowledgeSnapshot { graph, report } = snapshot;
        Self { graph, report, texts: OnceLock::new(), contexts: OnceLock::new() }
    }

    /// Reads a file written by [`Knowledge::to_json`].
    ///
    /// # Errors
    /// If the file cannot be read, is not such a file, is damaged, or has another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::project(
                format!("{name} cannot be read: {}", sscg_index::describe(&error)),
                "`sscg knowledge build --output FILE` writes such a file",
            )
        })?;
        let snapshot = sscg_knowledge::KnowledgeSnapshot::from_json(&text).map_err(|error| {
            Error::project(format!("{name}: {error}"), "`sscg knowledge build --output FILE` writes it anew")
        })?;
        Ok(Self::new(snapshot))
    }

    /// Serializes the graph. The same project gives the same bytes; the build time is left out.
    pub fn to_json(&self) -> String {
        let mut report = self.report.clone();
        report.build_time_ms = 0;
        sscg_knowledge::KnowledgeSnapshot { graph: self.graph.clone(), report }.to_json()
    }

    /// Returns the graph.
    pub fn graph(&self) -> &KnowledgeGraph {
        &self.graph
    }

    /// Returns the report of the build, with the problems of its inputs.
    pub fn report(&self) -> &BuildReport {
        &self.report
    }

    /// Returns the context of a service: the facts about other services that its developers need. A service or a
    /// community is also named by the id of its context record.
    ///
    /// # Errors
    /// If there is no such service or community.
    pub fn service_context(
        &self,
        request: &query::ServiceContextRequest,
    ) -> Result<query::ServiceContext, QueryError> {
        query::get_service_context(&self.graph, request, &O200k)
    }

    /// Returns the nodes around one node, and the edges among them. A node is named by its id, or as in the rest of
    /// SSCG: the path of a file, `path::Outer.inner`, the name of a service.
    ///
    /// # Errors
    /// If there is no such node, or a filter has an unknown value.
    pub fn neighborhood(
        &self,
        request: &query::NeighborhoodRequest,
    ) -> Result<query::Neighborhood, QueryError> {
        let node_id = self.node_id(&request.node_id);
        query::query_graph_neighborhood(&self.graph, &request.clone().with_node_id(node_id))
    }

    /// Returns the nodes relevant to a query in words, ranked by their text and by their place in the graph, or the
    /// context records if the request is for them.
    ///
    /// # Errors
    /// If the anchor does not exist, a filter has an unknown value, or a weight is out of range.
    pub fn search(&self, request: &query::HybridSearchRequest) -> Result<query::SearchResults, QueryError> {
        if request.records {
            let (store, texts) = self.records();
            return query::search_contexts(store, request, &|asked| texts.similarities(asked));
        }
        let anchor_node_id = self.node_id(&request.anchor_node_id);
        let request = request.clone().with_anchor_node_id(anchor_node_id);
        query::hybrid_search(&self.graph, &request, self)
    }

    /// Returns the impact of a change of a node on other services. Nodes are named as for
    /// [`Knowledge::neighborhood`].
    ///
    /// # Errors
    /// If there is no such node.
    pub fn impact(&self, request: &query::ImpactRequest) -> Result<query::CrossServiceImpact, QueryError> {
        let node_id = self.node_id(&request.node_id);
        query::find_cross_service_impact(&self.graph, &request.clone().with_node_id(node_id))
    }

    /// Returns the files that are in one service but work with another.
    ///
    /// # Errors
    /// If the resolution is out of range.
    pub fn boundaries(
        &self,
        request: &query::BoundariesRequest,
    ) -> Result<query::BoundaryValidation, QueryError> {
        query::validate_service_boundaries(&self.graph, request)
    }

    /// Returns the events without a consumer, and those without a publisher.
    ///
    /// # Errors
    /// If there is no such service.
    pub fn events(&self, request: &query::EventsRequest) -> Result<query::EventValidation, QueryError> {
        query::check_cross_service_events(&self.graph, request)
    }

    /// Returns the id of the node that a name refers to, as for [`Knowledge::neighborhood`]; the name itself if it is an
    /// id already, `None` if it refers to none.
    pub fn find(&self, name: &str) -> Option<String> {
        let is_there = |id: &String| self.graph.get(id).is_some();
        let kinds = ["service", "file", "symbol", "event", "domain_entity", "contract", "endpoint"];
        let own = Some(name.to_owned()).filter(is_there);
        own.or_else(|| kinds.iter().map(|kind| format!("{kind}::{name}")).find(is_there))
    }

    /// Returns the id of the node that a name refers to; the name itself if it refers to none.
    fn node_id(&self, name: &str) -> String {
        self.find(name).unwrap_or_else(|| name.to_owned())
    }

    /// Returns the context records of the services and communities. They are created at the first request.
    pub fn contexts(&self) -> &ContextStore {
        &self.records().0
    }

    fn records(&self) -> &(ContextStore, Texts) {
        self.contexts.get_or_init(|| {
            let store = ContextStore::of(&self.graph, &O200k);
            let documents: Vec<&str> = store.records().map(|record| record.document.as_str()).collect();
            let texts = Texts::new(&documents);
            (store, texts)
        })
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let documents: Vec<String> = self.graph.nodes().iter().map(Node::document).collect();
            Texts::new(&documents)
        })
    }
}

impl Semantics for Knowledge {
    fn similarities(&self, query: &str, nodes: &[&Node]) -> Result<Vec<f32>, String> {
        let all = self.texts().similarities(query);
        let of = |node: &&Node| self.graph.find(node.id()).map_or(0.0, |index| all[index.index()]);
        Ok(nodes.iter().map(of).collect())
    }
}

/// Cache of the last graph built from a snapshot, with a hash of its inputs besides the code.
#[derive(Default)]
struct Made(Mutex<Option<([u8; 32], Arc<Knowledge>)>>);

/// Returns the service graph of a snapshot and of the other input files in their current state. It is built once as
/// long as neither changes.
///
/// # Errors
/// If the snapshot has no source file, its tree is not on this machine, or the observer cancels.
pub(crate) fn of_snapshot(
    snapshot: &Snapshot,
    given: &GivenInputs,
    observer: Observer<'_>,
) -> Result<Arc<Knowledge>, Error> {
    if snapshot.project.files().is_empty() {
        return Err(nothing_to_search(snapshot, Corpus::Code));
    }
    if !snapshot.root.is_dir() {
        return Err(Error::project(
            format!("{} is known by what was published of it alone", snapshot.root.display()),
            "build the service graph where its files are: it needs manifests and configuration",
        ));
    }
    let files = inputs(&snapshot.root);
    let mut given = given.clone();
    if given.project.is_empty() {
        given.project =
            snapshot.root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    }
    let made = snapshot.derived(|_| Made::default());
    // Locked during the build: a second query waits for the graph instead of building another.
    let mut made = made.0.lock().unwrap_or_else(PoisonError::into_inner);
    let key = hash(&files, &given);
    if let Some((_, knowledge)) = made.as_ref().filter(|(known, _)| *known == key) {
        return Ok(Arc::clone(knowledge));
    }
    let begun = Instant::now();
    Progress::Deriving.report(observer)?;
    let mut model = read_inputs(&files, &given);
    let Snapshot { project, graph, .. } = snapshot;
    let known =
        Model { services: model.services.clone(), libraries: model.libraries.clone(), ..Model::default() };
    let (base, ()) = rayon::join(
        || Base::new(project, graph, &known),
        || derive(project, graph, &Code(snapshot), &mut model),
    );
    Progress::Deriving.report(observer)?;
    let (graph, mut report) = base.build(model, &BuildOptions::default());
    report.build_time_ms = begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
    let knowledge = Arc::new(Knowledge { graph, report, texts: OnceLock::new(), contexts: OnceLock::new() });
    *made = Some((key, Arc::clone(&knowledge)));
    Ok(knowledge)
}

/// Reads the files besides the code that may declare services.
fn inputs(root: &Path) -> Vec<InputFile> {
    let files = read_files(root, input_limit);
    files.into_iter().map(|(path, content)| InputFile { path, content }).collect()
}

fn hash(files: &[InputFile], given: &GivenInputs) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    for InputFile { path, content } in files {
        add(path.as_bytes());
        match content {
            Ok(bytes) => add(bytes),
            Err(why) => add(why.as_bytes()),
        }
    }
    for text in [&given.service_map, &given.domain_model].into_iter().flatten() {
        add(text.0.as_bytes());
        add(text.1.as_bytes());
    }
    add(given.service_interfaces_json.as_deref().unwrap_or_default().as_bytes());
    *hasher.finalize().as_bytes()
}

/// Source texts of a snapshot.
struct Code<'a>(&'a Snapshot);

impl Sources for Code<'_> {
    fn text(&self, file: FileId) -> Option<String> {
        self.0.source(file)
    }

    fn wiring(&self, file: FileId, text: &str) -> Wiring {
        let file_type = FileType::of_path(&self.0.project.files()[file].path);
        file_type.map_or_else(Wiring::default, |it| it.wiring(text))
    }
}
