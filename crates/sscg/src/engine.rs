//! Search engine for one project.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use derive_setters::Setters;
use sscg_core::{ChunkKind, Confidence, Corpus, Language, Provenance, TokenCounter, quoted};
use sscg_embed::Reranker;
use sscg_format::{Answer, CodeStyle, Evidence, Format, Renderer, renderer};
use sscg_graph::Occurrences;
use sscg_index::{
    Index, IndexOptions, IndexStatus, Observer, RefreshReport, Snapshot, Storage, Store, Usage, unobserved,
};
use sscg_rank::CENTRALITY_ALPHA;
use sscg_retrieve::{Filters, Hit, Query, QueryMode, RankOptions, RerankOptions, Signal, SignalId};

use crate::knowledge::{self, GivenInputs, Knowledge};
use crate::responder::{AnswerContext, Responder};
use crate::{CentralityMethod, CentralityMode, Error, GraphRequest, GraphResponse, evidence, explore};

/// Options of an engine.
///
/// ```
/// use std::sync::Arc;
///
/// use sscg::core::TokenCounter;
/// use sscg::{Engine, EngineOptions, SearchRequest, Storage};
///
/// /// One token per byte, as in a model without a vocabulary.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn count(&self, text: &str) -> usize {
///         text.len()
///     }
/// }
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n")?;
/// let options = EngineOptions::stored_in(Storage::Ephemeral).with_token_counter(Arc::new(Bytes));
/// let response = Engine::open_with(path, options)?.search(&SearchRequest::new("symbol = read"))?;
/// assert_eq!(response.answer.token_count, response.text.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Storage and sharing of the index.
    pub index: IndexOptions,
    /// Published index to answer from, without reading the tree (default none). Of the options of the index only the
    /// model is used, to embed questions; vectors of another model are not used.
    pub published: Option<Published>,
    /// Weights and other options of the ranking.
    pub rank: RankOptions,
    /// Model that reads the best chunks together with the question (default none).
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Number of the reranker's candidates and weight of its scores.
    pub rerank: RerankOptions,
    /// Custom signals with their own [weights](Signal::weight) (default none); see
    /// [`rank_with`](sscg_retrieve::rank_with). A hit that only they raise may count as weak.
    pub signals: Vec<Arc<dyn Signal>>,
    /// Custom formats for [`SearchRequest::format`] and [`GraphRequest::format`], besides the built-in ones (default
    /// none).
    pub renderers: Vec<Arc<dyn Renderer>>,
    /// Counter of the tokens of rendered answers (default [`O200k`](sscg_format::O200k)). The default always estimates
    /// the parts of an answer while it is composed, and counts look-ups, the vocabulary and the service graph.
    pub token_counter: Option<Arc<dyn TokenCounter>>,
}

impl EngineOptions {
    /// Checks the names of custom signals and formats.
    ///
    /// # Errors
    /// If a name is empty, or taken by a built-in or another custom one.
    fn check(&self) -> Result<(), Error> {
        let taken = |what: &str, name: &str| {
            let problem = format!("the name {} of a custom {what} is empty or taken", quoted(name));
            Err(Error::request(problem, "give each another name"))
        };
        let ids: Vec<SignalId> = self.signals.iter().map(|signal| signal.id()).collect();
        for (at, id) in ids.iter().enumerate() {
            if id.as_str().is_empty() || id.is_built_in() || ids[..at].contains(id) {
                return taken("signal", id.as_str());
            }
        }
        let names: Vec<&str> = self.renderers.iter().map(|renderer| renderer.name()).collect();
        for (at, name) in names.iter().enumerate() {
            if name.is_empty() || renderer(name).is_some() || names[..at].contains(name) {
                return taken("format", name);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signals: Vec<SignalId> = self.signals.iter().map(|signal| signal.id()).collect();
        let renderers: Vec<&str> = self.renderers.iter().map(|renderer| renderer.name()).collect();
        f.debug_struct("EngineOptions")
            .field("index", &self.index)
            .field("published", &self.published)
            .field("rank", &self.rank)
            .field("reranker", &self.reranker)
            .field("rerank", &self.rerank)
            .field("signals", &signals)
            .field("renderers", &renderers)
            .finish_non_exhaustive()
    }
}

/// Index of a work tree that another process [publishes](Store::publish) in a store, such as one in object storage.
#[derive(Clone, Debug)]
pub struct Published {
    store: Arc<dyn Store>,
    tree: String,
}

impl Published {
    /// Names the index of `tree` in `store`. Nothing is read.
    pub fn new(store: Arc<dyn Store>, tree: impl Into<String>) -> Self {
        Self { store, tree: tree.into() }
    }

    /// Returns the name of the index, which takes the place of a directory.
    fn root(&self) -> PathBuf {
        PathBuf::from(format!("{}/{}", self.store.place(), self.tree))
    }

    /// Returns what was published last.
    fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        if let Some(snapshot) = Arc::clone(&self.store).detached(&self.tree)? {
            return Ok(snapshot);
        }
        let (known, tree, place) = (self.store.published()?, quoted(&self.tree), self.store.place());
        if known.contains(&self.tree) {
            let message = format!("this version cannot read the index of {tree} in {place}");
            return Err(Error::project(message, "publish it again with this version"));
        }
        let hint = match known.join(", ").as_str() {
            "" => "publish one with `sscg index --store`, or name another project".to_owned(),
            known => format!("name another tree (`--tree`): {known}"),
        };
        let message = format!("there is no index of {tree} in {place}");
        Err(Error::project(message, hint))
    }
}

impl EngineOptions {
    /// Returns the default options, with the index kept in `storage`.
    pub fn stored_in(storage: Storage) -> Self {
        Self { index: IndexOptions::default().with_storage(storage), ..Self::default() }
    }
}

/// Question with its limits.
///
/// ```
/// use sscg::{Engine, EngineOptions, SearchRequest, Storage};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::create_dir(path.join("src"))?;
/// # std::fs::write(path.join("src/jobs.py"), "def backoff(job):\n    return job.delay * 2\n\ndef run(job): pass\n")?;
/// # std::fs::write(path.join("backoff.py"), "def backoff(job): pass\n")?;
/// # let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// // `src/jobs.py` and `backoff.py` both declare `backoff`.
/// let mut request = SearchRequest::new("how are retries delayed").with_limit(1).with_budget(1_000);
/// request.terms = vec!["backoff".to_owned()];
/// request.paths = vec!["src".to_owned()];
/// let answer = engine.search(&request)?.answer;
/// assert_eq!((&*answer.results[0].file, &*answer.results[0].name), ("src/jobs.py", "backoff"));
/// assert!(answer.results.len() == 1 && answer.token_count <= 1_000);
///
/// assert!(engine.search(&request.with_budget(SearchRequest::MIN_BUDGET - 1)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct SearchRequest {
    /// Question in words, or `symbol = Outer > inner`.
    #[setters(into)]
    pub query: String,
    /// Guessed terms of the code that answers: identifiers, words, parts of strings. Compounds that exist in the
    /// project count like words of the question, others less. Empty by default; look-ups ignore them.
    pub terms: Vec<String>,
    /// Maximum number of results (default 50).
    pub limit: usize,
    /// Maximum number of tokens in the rendered answer (default 8,000, at least [`SearchRequest::MIN_BUDGET`]).
    pub budget: usize,
    /// Corpus to search: code (default) or documents. Neither appears in answers of the other.
    pub corpus: Corpus,
    /// Languages of the code, or formats of the documents, to search; all if empty.
    pub languages: Vec<Language>,
    /// Files, directories or globs to search; all if empty.
    pub paths: Vec<String>,
    /// Kinds of chunks to search; all if empty.
    pub kinds: Vec<ChunkKind>,
    /// Anchor in the graph: a declaration, a file or a line of it, in the notation of graph queries. Results near the
    /// anchor come first; see [`AnchorOptions`](sscg_retrieve::AnchorOptions). Only for code.
    #[setters(into)]
    pub anchor: Option<String>,
    /// Minimum confidence of edges to show and follow (default [`Confidence::Ambiguous`], which is all of them).
    pub min_confidence: Confidence,
    /// Call-tree depth around each result; `None` means unlimited (default 1). Answers of fewer than 3,000 tokens do
    /// not show calls.
    #[setters(strip_option = false)]
    pub call_depth: Option<u32>,
    /// Number of steps around the results in which neighbors are included (default 0, none).
    pub ego_graph: u32,
    /// False to rank without the graph: neither what is near other results nor what calls them or is called counts
    /// (default true). The answer shows edges all the same.
    pub graph: bool,
    /// Use of the centrality of results (default [`CentralityMode::Off`]).
    pub centrality: CentralityMode,
    /// Measure of centrality (default [`CentralityMethod::Pagerank`]).
    pub centrality_method: CentralityMethod,
    /// Weight of centrality if results are sorted by it, from 0 to 1 (default 0.3); the rest is the score.
    pub centrality_alpha: f64,
    /// Set to show the code community of each node.
    pub communities: bool,
    /// Set to explain the score of each result and the token cost of each part of the answer.
    pub explain: bool,
    /// Code style (default [`CodeStyle::Lines`]). Documents are shown part by part in any style.
    pub code: CodeStyle,
    /// Output format: a built-in one (default [`Format::TEXT`]), or one of [`EngineOptions::renderers`].
    #[setters(into)]
    pub format: Format,
}

impl SearchRequest {
    /// Minimum budget in tokens: a smaller one would not hold the frame of an answer.
    pub const MIN_BUDGET: usize = 200;

    /// Creates a request with the default limits.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            terms: Vec::new(),
            limit: 50,
            budget: 8_000,
            corpus: Corpus::Code,
            languages: Vec::new(),
            paths: Vec::new(),
            kinds: Vec::new(),
            anchor: None,
            min_confidence: Confidence::Ambiguous,
            call_depth: Some(1),
            ego_graph: 0,
            graph: true,
            centrality: CentralityMode::default(),
            centrality_method: CentralityMethod::default(),
            centrality_alpha: CENTRALITY_ALPHA,
            communities: false,
            explain: false,
            code: CodeStyle::default(),
            format: Format::default(),
        }
    }
}

/// Response to a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// Answer as data.
    pub answer: Answer,
    /// Answer in the requested format. Its token count is `answer.token_count`.
    pub text: String,
    /// Relevance of the best result, minus the least that is not weak: negative if [`Answer::weak`] is set. Comparable
    /// between projects. [`f64::MAX`] for symbol lookups, questions about uses and named locations, [`f64::MIN`] if
    /// nothing was found.
    pub relevance: f64,
    /// Report of the index update with its problems: the answer lacks what could not be indexed.
    pub refresh: RefreshReport,
    /// State of the tree that was searched.
    pub snapshot: Arc<Snapshot>,
}

impl Response {
    /// Returns the results, and the requested neighbors, each with all of its code and the reason why it was
    /// selected. Reads their files: O(bytes of those files).
    pub fn evidence(&self) -> Vec<Evidence> {
        let query = Query::parse(&self.answer.query, Filters::default());
        let is_lookup = query.is_ok_and(|query| matches!(query.mode, QueryMode::Symbol(_)));
        let of = |result| evidence::of_result(&self.snapshot, result, is_lookup);
        self.answer.results.iter().filter_map(of).collect()
    }
}

/// Service graph of a project.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KnowledgeResponse {
    /// Service graph.
    pub knowledge: Arc<Knowledge>,
    /// Report of the index update with its problems.
    pub refresh: RefreshReport,
    /// State of the tree that the graph belongs to.
    pub snapshot: Arc<Snapshot>,
}

/// Search engine for one project. Threads may share it: answers are composed concurrently. One thread at a time updates
/// the index or reads its [status](Engine::status); others wait until it is done. The observer, the store and the models
/// are called during an update, so they must not call the engine.
pub struct Engine {
    root: PathBuf,
    store: Option<Arc<dyn Store>>,
    source: Source,
    responder: Responder,
}

/// Hint for changes of an index without its tree.
const INDEX_HINT: &str = "index it where its files are";

/// Source of an engine's answers.
enum Source {
    /// Directory, in its state at each question.
    Tree(Box<Mutex<Tree>>),
    /// Last publication at each question. The snapshot of the previous question is kept, so that the next one finds it in
    /// memory.
    Published(Published, Mutex<Option<Arc<Snapshot>>>),
    /// State that does not change.
    Snapshot(Arc<Snapshot>),
}

/// Directory with its indexes.
struct Tree {
    code: Index,
    /// Index of the documents, opened at the first request for them.
    documents: Option<Index>,
    options: IndexOptions,
}

impl Tree {
    fn open(path: &Path, options: IndexOptions) -> Result<Self, Error> {
        let options = options.with_corpus(Corpus::Code);
        Ok(Self { code: Index::open(path, &options)?, documents: None, options })
    }

    fn index(&mut self, corpus: Corpus) -> Result<&mut Index, Error> {
        if corpus == Corpus::Code {
            return Ok(&mut self.code);
        }
        match &mut self.documents {
            Some(open) => Ok(open),
            closed => {
                let options = self.options.clone().with_corpus(corpus);
                Ok(closed.insert(Index::open(self.code.root(), &options)?))
            }
        }
    }
}

impl Engine {
    /// Opens the directory `path` with default options. The index is read or built at the first search.
    ///
    /// # Errors
    /// If `path` cannot be opened or is not a directory, or there is no location for the index.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, EngineOptions::default())
    }

    /// Opens the directory `path`, or a [published](EngineOptions::published) index; `path` is unused then.
    ///
    /// ```
    /// use sscg::{Engine, EngineOptions, Storage};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// # let path = tree.path();
    /// # let directory = tempfile::tempdir()?;
    /// # std::fs::write(path.join("a.py"), "def read(): pass\n")?;
    /// let options = EngineOptions::stored_in(Storage::Directory(directory.path().to_owned()));
    /// let engine = Engine::open_with(path, options.clone())?;
    /// assert_eq!(engine.refresh()?.1.parsed, 1);
    /// engine.save()?;
    /// // Another engine, perhaps of another process, finds the index in the directory.
    /// assert_eq!(Engine::open_with(path, options.clone())?.refresh()?.1.parsed, 0);
    ///
    /// let error = Engine::open_with(path.join("a.py"), options).err().unwrap();
    /// assert!(error.to_string().contains("a.py") && !error.hint().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::open`], or if the name of a custom signal or format is empty or taken. A published index is first
    /// read at the first question.
    pub fn open_with(path: impl AsRef<Path>, options: EngineOptions) -> Result<Self, Error> {
        options.check()?;
        if let Some(published) = options.published.clone() {
            let (root, store) = (published.root(), Some(Arc::clone(&published.store)));
            let source = Source::Published(published, Mutex::default());
            return Ok(Self { root, store, source, responder: Responder::new(options) });
        }
        let tree = Tree::open(path.as_ref(), options.index.clone())?;
        let (root, store) = (tree.code.root().to_owned(), tree.code.store().cloned());
        let source = Source::Tree(Box::new(Mutex::new(tree)));
        Ok(Self { root, store, source, responder: Responder::new(options) })
    }

    /// Creates an engine that answers from `snapshot`, regardless of changes to its tree. Of the options of the index
    /// only the model is used, to embed questions; if the snapshot's vectors are not of this model, they are not used
    /// either.
    ///
    /// # Errors
    /// If the name of a custom signal or format is empty or taken.
    pub fn of_snapshot(snapshot: impl Into<Arc<Snapshot>>, options: EngineOptions) -> Result<Self, Error> {
        options.check()?;
        let snapshot = snapshot.into();
        let root = snapshot.root.clone();
        let source = Source::Snapshot(snapshot);
        Ok(Self { root, store: None, source, responder: Responder::new(options) })
    }

    /// Returns the absolute path of the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory with its indexes, for this thread alone; `None` if the engine reads no directory.
    fn tree(&self) -> Option<MutexGuard<'_, Tree>> {
        let Source::Tree(tree) = &self.source else { return None };
        Some(tree.lock().unwrap_or_else(|poisoned| {
            // An update that panicked may have left a part of the graph out of date.
            let mut held = poisoned.into_inner();
            if let Ok(fresh) = Tree::open(&self.root, held.options.clone()) {
                *held = fresh;
                tree.clear_poison();
            }
            held
        }))
    }

    /// Returns the store of the project's index, if any.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Returns the usage of the store of the project's index; `None` if there is no store.
    ///
    /// # Errors
    /// If the store is damaged, in use for too long, or cannot be read.
    pub fn usage(&self) -> Result<Option<Usage>, Error> {
        Ok(self.store().map(|store| store.usage()).transpose()?)
    }

    /// Returns the number of files whose complete facts the store should have but lacks: 0 if it is consistent. See
    /// [`Index::count_missing`].
    ///
    /// # Errors
    /// As [`Engine::usage`].
    pub fn count_missing(&self) -> Result<usize, Error> {
        self.tree().map_or(Ok(0), |tree| Ok(tree.code.count_missing()?))
    }

    /// Returns the contents of the directory and the backlog of its index, without changing either: nothing is
    /// parsed, and no model is called. See [`Index::status`].
    ///
    /// # Errors
    /// As [`Engine::usage`]; and if the engine reads no directory.
    pub fn status(&self) -> Result<IndexStatus, Error> {
        Ok(self.need_tree("ask where its files are, without a shared index")?.code.status()?)
    }

    /// Returns the number of the project's documents in the store, as of the last question about documents; 0 if
    /// there was none.
    ///
    /// # Errors
    /// As [`Engine::usage`].
    pub fn count_documents(&self) -> Result<usize, Error> {
        self.tree().map_or(Ok(0), |tree| Ok(tree.code.count_documents()?))
    }

    /// Updates the index of the code and returns the state of the tree that it represents.
    ///
    /// # Errors
    /// If that takes more memory than [`IndexOptions::max_memory`], or nothing was [published](EngineOptions::published).
    pub fn refresh(&self) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        self.refresh_with_progress(Corpus::Code, &unobserved)
    }

    /// Updates the index of the code or of the documents, with an observer of its progress, which can cancel it, and
    /// returns the state of the tree that it represents. Documents are indexed at the first call for them. Code and
    /// documents share only the store.
    ///
    /// # Errors
    /// As [`Engine::refresh`]; if the observer cancels; for documents also if the directory can no longer be opened, or
    /// the engine reads no directory: what is published is only code.
    pub fn refresh_with_progress(
        &self,
        corpus: Corpus,
        observer: Observer<'_>,
    ) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        if let Some(mut tree) = self.tree() {
            return Ok(tree.index(corpus)?.refresh_with_progress(observer)?);
        }
        if corpus == Corpus::Documents {
            return Err(Error::project(
                format!("{} holds code alone", self.root.display()),
                "ask for documents where their files are, without a shared index",
            ));
        }
        let snapshot = match &self.source {
            Source::Published(published, last) => {
                let snapshot = published.snapshot()?;
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&snapshot));
                snapshot
            }
            Source::Snapshot(snapshot) => Arc::clone(snapshot),
            Source::Tree(_) => unreachable!("it was refreshed"),
        };
        let mut report = RefreshReport::default();
        report.files = snapshot.project.files().len();
        Ok((snapshot, report))
    }

    /// Discards all that was derived from the directory, from its code and its documents: the next refresh of each
    /// parses every file again. See [`Index::discard`]. Without effect if the engine reads no directory.
    ///
    /// # Errors
    /// If the directory can no longer be opened.
    pub fn discard(&self) -> Result<(), Error> {
        let Some(mut tree) = self.tree() else { return Ok(()) };
        for corpus in [Corpus::Code, Corpus::Documents] {
            tree.index(corpus)?.discard();
        }
        Ok(())
    }

    /// Adds what another program found in the tree; see [`Index::import`]. Occurrences where the code has no reference should
    /// be [removed](Occurrences::retain_references) before.
    ///
    /// # Errors
    /// If the store cannot keep it, or the engine reads no directory.
    pub fn import(&self, found: Occurrences) -> Result<(), Error> {
        Ok(self.need_tree(INDEX_HINT)?.code.import(found)?)
    }

    /// Returns what other programs found in the tree, as it is stored: at most one list per provenance.
    ///
    /// # Errors
    /// If the engine reads no directory.
    pub fn imported(&self) -> Result<Vec<Arc<Occurrences>>, Error> {
        Ok(self.need_tree(INDEX_HINT)?.code.imported())
    }

    /// Removes what programs of a provenance found. Returns false if there was nothing.
    ///
    /// # Errors
    /// As [`Engine::import`].
    pub fn forget(&self, provenance: Provenance) -> Result<bool, Error> {
        Ok(self.need_tree(INDEX_HINT)?.code.forget(provenance)?)
    }

    /// Returns the directory with its indexes, or an error with this hint if the engine reads no directory.
    fn need_tree(&self, hint: &str) -> Result<MutexGuard<'_, Tree>, Error> {
        self.tree().ok_or_else(|| {
            Error::project(
                format!("{} is known by what was published of it alone", self.root.display()),
                hint,
            )
        })
    }

    /// Waits until the store has persisted what the last refresh derived, so that other processes can read it.
    ///
    /// # Errors
    /// If the store could not persist it.
    pub fn save(&self) -> Result<(), Error> {
        let Some(mut tree) = self.tree() else { return Ok(()) };
        tree.code.save()?;
        tree.documents.as_mut().map_or(Ok(()), |documents| Ok(documents.save()?))
    }

    /// Answers a question on the current state of the tree.
    ///
    /// ```
    /// use sscg::{Engine, EngineOptions, SearchRequest, Storage};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// # let path = tree.path();
    /// # std::fs::write(path.join("cart.py"), "class Cart:\n    def total(self):\n        return sum(self.prices)\n")?;
    /// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
    /// let response = engine.search(&SearchRequest::new("symbol = Cart > total"))?;
    /// assert_eq!(response.answer.results[0].signature, "def total(self)");
    /// assert!(response.answer.token_count <= 8_000);
    ///
    /// let response = engine.search(&SearchRequest::new("symbol = Basket"))?;
    /// assert!(response.answer.results.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the request is not valid, the project has no source file, or the budget is too small for even the signature
    /// of the best match in the requested format. Finding nothing is not an error: the answer has no results.
    pub fn search(&self, request: &SearchRequest) -> Result<Response, Error> {
        self.search_with_progress(request, &unobserved)
    }

    /// Runs [`Engine::search`] with an observer of the index update, which can cancel it.
    ///
    /// # Errors
    /// As [`Engine::search`], and if the observer cancels.
    pub fn search_with_progress(
        &self,
        request: &SearchRequest,
        observer: Observer<'_>,
    ) -> Result<Response, Error> {
        let query = prepare(request)?;
        self.responder.renderer(&request.format)?;
        let (snapshot, refresh) = self.refresh_with_progress(request.corpus, observer)?;
        self.responder.answer(request, query, AnswerContext { snapshot, refresh, warning: None })
    }

    /// Answers a query of the code graph on the current state of the tree.
    ///
    /// ```
    /// use sscg::{Engine, EngineOptions, GraphQuery, GraphRequest, Storage};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// # let path = tree.path();
    /// # let code = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
    /// # std::fs::write(path.join("a.py"), code)?;
    /// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
    /// let response = engine.explore(&GraphRequest::new(GraphQuery::trace("main", "read")))?;
    /// assert_eq!(response.answer.paths, [["a.py::main", "a.py::parse", "a.py::read"]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a name matches nothing or too many declarations, if the project has no source file, or if the budget is too
    /// small for the names alone.
    pub fn explore(&self, request: &GraphRequest) -> Result<GraphResponse, Error> {
        self.explore_with_progress(request, &unobserved)
    }

    /// Runs [`Engine::explore`] with an observer of the index update, which can cancel it.
    ///
    /// # Errors
    /// As [`Engine::explore`], and if the observer cancels.
    pub fn explore_with_progress(
        &self,
        request: &GraphRequest,
        observer: Observer<'_>,
    ) -> Result<GraphResponse, Error> {
        explore::prepare(request)?;
        self.responder.renderer(&request.format)?;
        let (snapshot, refresh) = self.refresh_with_progress(Corpus::Code, observer)?;
        self.responder.explore(request, AnswerContext { snapshot, refresh, warning: None })
    }

    /// Returns the service graph of the current tree. It is rebuilt only if the code, a file that declares services or
    /// `given` has changed since the last build.
    ///
    /// ```
    /// use sscg::knowledge::{GivenInputs, NodeKind};
    /// use sscg::{Engine, EngineOptions, Storage};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// # let path = tree.path();
    /// # for (name, text) in [("shop/cart.py", "def add(): pass\n"), ("stock/count.py", "def count(): pass\n")] {
    /// #     std::fs::create_dir(path.join(name).parent().unwrap())?;
    /// #     std::fs::write(path.join(name), text)?;
    /// # }
    /// let compose = "services:\n  shop: {build: shop, depends_on: [stock]}\n  stock: {build: stock}\n";
    /// std::fs::write(path.join("compose.yaml"), compose)?;
    /// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
    /// let knowledge = engine.knowledge(&GivenInputs::default())?.knowledge;
    /// assert!(knowledge.report().errors.is_empty());
    /// assert_eq!(knowledge.graph().nodes_of(NodeKind::Service).count(), 2);
    /// assert!(knowledge.graph().get("symbol::shop/cart.py::add").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the project has no source file. Problems of an input are listed in the graph's [report](Knowledge::report).
    pub fn knowledge(&self, given: &GivenInputs) -> Result<KnowledgeResponse, Error> {
        self.knowledge_with_progress(given, &unobserved)
    }

    /// Runs [`Engine::knowledge`] with an observer of the index update and the build, which can cancel them.
    ///
    /// # Errors
    /// As [`Engine::knowledge`], and if the observer cancels.
    pub fn knowledge_with_progress(
        &self,
        given: &GivenInputs,
        observer: Observer<'_>,
    ) -> Result<KnowledgeResponse, Error> {
        let (snapshot, refresh) = self.refresh_with_progress(Corpus::Code, observer)?;
        let knowledge = knowledge::of_snapshot(&snapshot, given, observer)?;
        Ok(KnowledgeResponse { knowledge, refresh, snapshot })
    }

    /// Returns the complete ranking behind an answer, without its code; for evaluations.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn rank(&self, request: &SearchRequest) -> Result<(Arc<Snapshot>, Vec<Hit>), Error> {
        let mut query = prepare(request)?;
        let (snapshot, report) = self.refresh_with_progress(request.corpus, &unobserved)?;
        let ranking = self.responder.rank(request, &mut query, &snapshot, &report, true)?;
        Ok((snapshot, ranking.hits))
    }
}

/// Validates a request except for its format, and returns its query.
pub(crate) fn prepare(request: &SearchRequest) -> Result<Query, Error> {
    if request.limit == 0 {
        return Err(Error::argument_of_request(
            "limit",
            "a limit of 0 results asks for nothing",
            "give `limit` a positive number",
        ));
    }
    if request.budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {} tokens holds no answer", request.budget),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    if request.anchor.is_some() && request.corpus == Corpus::Documents {
        return Err(Error::argument_of_request(
            "anchor",
            "an anchor is a place in the graph of the code, which documents are not part of",
            "search documents without `anchor`",
        ));
    }
    if let Some(other) = request.languages.iter().find(|language| language.corpus != request.corpus) {
        return Err(unknown_language(other.name, request.corpus));
    }
    let filters = Filters::new(request.languages.clone(), &request.paths)?.with_kinds(request.kinds.clone());
    Ok(Query::parse(&request.query, filters)?.with_terms(&request.terms))
}

/// Returns the language of code, or the format of documents, with a name or alias, ignoring case.
///
/// # Errors
/// If there is none in this corpus; the hint lists those that there are.
pub fn find_language(corpus: Corpus, name: &str) -> Result<Language, Error> {
    sscg_parse::named(corpus, name).ok_or_else(|| unknown_language(name, corpus))
}

fn unknown_language(name: &str, corpus: Corpus) -> Error {
    let known: Vec<&str> = sscg_parse::of_corpus(corpus).iter().map(|language| language.name).collect();
    let known = format!("one of: {}", known.join(", "));
    match corpus {
        Corpus::Code if sscg_parse::named(Corpus::Documents, name).is_some() => Error::argument_of_request(
            "docs",
            format!("{name} is no language of code"),
            format!("ask with `docs`, or {known}"),
        ),
        Corpus::Documents if sscg_parse::named(Corpus::Code, name).is_some() => {
            let hint = format!("ask without `docs`, or {known}");
            Error::argument_of_request("docs", format!("{name} is no format of documents"), hint)
        }
        Corpus::Code => Error::request(format!("unknown language {}", quoted(name)), known),
        Corpus::Documents => Error::request(format!("unknown format of documents {}", quoted(name)), known),
    }
}
