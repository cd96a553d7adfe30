//! Search engine for one project.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sscg_core::{Corpus, Language, Provenance, quoted};
use sscg_format::CodeStyle;
use sscg_graph::Occurrences;
use sscg_index::{
    Index, IndexOptions, IndexStatus, Observer, RefreshReport, Snapshot, Store, Usage, unobserved,
};
use sscg_retrieve::{Filters, Hit, Query};

use crate::context::AnswerContext;
use crate::knowledge::{self, GivenInputs, Knowledge};
use crate::responder::Responder;
use crate::{EngineOptions, Error, GraphRequest, GraphResponse, Published, Response, SearchRequest, explore};

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

    /// Runs [`Engine::knowledge`] with an observer, which can cancel the index update, and the build before it derives facts
    /// from the code and before it joins them.
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
    let least = SearchRequest::MIN_BUDGET;
    if request.after.is_some_and(|after| !(least..request.budget).contains(&after)) {
        return Err(Error::argument_of_request(
            "after",
            "an answer goes on after a smaller one",
            format!("give `after` the budget of the answer before, from {least} to less than `budget`"),
        ));
    }
    if request.after.is_some() && (request.corpus == Corpus::Documents || request.code == CodeStyle::Snapshot)
    {
        return Err(Error::argument_of_request(
            "after",
            "only code that is shown by its lines can be left out",
            "search code as lines, or without `after`",
        ));
    }
    if !request.more.is_empty() && request.corpus == Corpus::Documents {
        return Err(Error::argument_of_request(
            "more",
            "ids name code, not parts of documents",
            "search documents without `more`",
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
    if !request.more.is_empty() {
        return Ok(Query::of_ids(request.more.join(", "), filters));
    }
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
