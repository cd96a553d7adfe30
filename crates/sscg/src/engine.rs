//! One project, ready for questions.

use std::path::Path;
use std::sync::Arc;

use sscg_core::{ChunkKind, Confidence, Corpus, Language, quoted};
use sscg_embed::{Embedder, Reranker};
use sscg_format::{Answer, CodeStyle, Evidence, Renderer, renderer, renderers};
use sscg_index::{Index, IndexOptions, Progress, RefreshReport, Snapshot, Storage, Store, Survey, Usage};
use sscg_rank::CENTRALITY_ALPHA;
use sscg_retrieve::{Filters, Hit, Query, QueryMode, RankOptions, RerankOptions};

use crate::knowledge::{self, GivenInputs, Knowledge};
use crate::responder::{Basis, Responder};
use crate::{Error, GraphRequest, GraphResponse, evidence, explore};

/// How an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// Where the index is kept, and how it is shared.
    pub index: IndexOptions,
    /// How signals are weighed.
    pub rank: RankOptions,
    /// What reads the best chunks together with the question; nothing by default.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// How much it is asked, and what its word counts.
    pub rerank: RerankOptions,
}

impl EngineOptions {
    /// Default options, the index kept as `storage` says.
    pub fn stored_in(storage: Storage) -> Self {
        Self { index: IndexOptions { storage, ..IndexOptions::default() }, ..Self::default() }
    }
}

/// A question with its limits.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// A question in words, or `symbol = Outer > inner`.
    pub query: String,
    /// Guesses at what the code that answers is called: identifiers, words, parts of strings. Compounds that
    /// the project has count as words of the question do, others less. None by default; look-ups ignore them.
    pub terms: Vec<String>,
    /// At most this many results. 50 by default.
    pub limit: usize,
    /// At most this many tokens in the rendered answer. 8,000 by default, at least
    /// [`SearchRequest::MIN_BUDGET`].
    pub budget: usize,
    /// Whether code is searched, or documents. Code by default; neither takes part in the answers of the other.
    pub corpus: Corpus,
    /// Only code in these languages, or documents in these formats; all if empty.
    pub languages: Vec<String>,
    /// Only what is in these files, directories or globs; all if empty.
    pub paths: Vec<String>,
    /// Only chunks of these kinds, as answers name them: `function`, `class`; all if empty.
    pub kinds: Vec<String>,
    /// What results should be near to in the graph: a declaration, a file or a line of it, as questions about the graph
    /// name them. Of what the question finds, what is near comes first; see
    /// [`AnchorOptions`](sscg_retrieve::AnchorOptions). Only for code.
    pub anchor: Option<String>,
    /// Edges of the graph that are less sure are not told and not followed. [`Confidence::Ambiguous`], all of them, by
    /// default.
    pub min_confidence: Confidence,
    /// How far calls are followed from each result, and to it; `None` to their ends. One step by default. Answers of
    /// fewer than 3,000 tokens do not tell of calls.
    pub call_depth: Option<u32>,
    /// How many steps around the results their neighbours are looked for; 0, the default, for none.
    pub ego_graph: u32,
    /// Whether results are ordered by their scores and how central they are, and say so.
    pub centrality: bool,
    /// What centrality counts then, from 0 to 1; the rest is the score. 0.3 by default.
    pub centrality_alpha: f64,
    /// Whether nodes say which community of the project's code they belong to.
    pub communities: bool,
    /// Whether each result says how its score came about, and each part of the answer what it takes.
    pub explain: bool,
    /// How code is shown. [`CodeStyle::Lines`] by default; documents are shown part by part, whatever it is.
    pub code: CodeStyle,
    /// The format, by name: `text`, `compact`, `toon` or `verbose`. `text` by default.
    pub format: String,
}

impl SearchRequest {
    /// Less would not hold an answer's own frame.
    pub const MIN_BUDGET: usize = 200;

    /// A question with the default limits.
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
            centrality: false,
            centrality_alpha: CENTRALITY_ALPHA,
            communities: false,
            explain: false,
            code: CodeStyle::default(),
            format: renderers()[0].name().to_owned(),
        }
    }
}

/// What a search returns.
#[derive(Clone, Debug)]
pub struct Response {
    /// The answer as data.
    pub answer: Answer,
    /// The answer in the format asked for. Its token count is `answer.token_count`.
    pub text: String,
    /// What bringing the index up to date took, and what went wrong: the answer is made without what is missing.
    pub refresh: RefreshReport,
    /// The state of the tree that was searched.
    pub snapshot: Arc<Snapshot>,
}

impl Response {
    /// The results, and their neighbours if they were asked for, each with all of its code and why it is there. Reads
    /// their files: O(bytes of those files).
    pub fn evidence(&self) -> Vec<Evidence> {
        let query = Query::parse(&self.answer.query, Filters::default());
        let is_lookup = query.is_ok_and(|query| matches!(query.mode, QueryMode::Symbol(_)));
        let of = |result| evidence::of_result(&self.snapshot, result, is_lookup);
        self.answer.results.iter().filter_map(of).collect()
    }
}

/// One project, ready for questions.
pub struct Engine {
    source: Source,
    responder: Responder,
}

/// What an engine answers from.
enum Source {
    /// A directory, as it is at each question.
    Tree(Box<Tree>),
    /// A state that does not change.
    Snapshot(Arc<Snapshot>),
}

/// A directory with its indexes.
struct Tree {
    code: Index,
    /// Opened when documents are first asked for.
    documents: Option<Index>,
    options: IndexOptions,
}

impl Tree {
    fn open(path: &Path, options: IndexOptions) -> Result<Self, Error> {
        let options = IndexOptions { corpus: Corpus::Code, ..options };
        Ok(Self { code: Index::open(path, &options)?, documents: None, options })
    }

    fn index(&mut self, corpus: Corpus) -> Result<&mut Index, Error> {
        if corpus == Corpus::Code {
            return Ok(&mut self.code);
        }
        match &mut self.documents {
            Some(open) => Ok(open),
            closed => {
                let options = IndexOptions { corpus, ..self.options.clone() };
                Ok(closed.insert(Index::open(self.code.root(), &options)?))
            }
        }
    }
}

impl Engine {
    /// Opens the directory `path` with default options. The index is read, or made, at the first search.
    ///
    /// # Errors
    /// If `path` cannot be opened or is no directory, or there is no place for the index.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, EngineOptions::default())
    }

    /// Opens the directory `path`.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_with(path: impl AsRef<Path>, options: EngineOptions) -> Result<Self, Error> {
        let tree = Tree::open(path.as_ref(), options.index.clone())?;
        Ok(Self { source: Source::Tree(Box::new(tree)), responder: Responder::new(options) })
    }

    /// An engine that answers from `snapshot`, whatever becomes of its tree.
    pub fn of_snapshot(snapshot: impl Into<Arc<Snapshot>>, rank: RankOptions) -> Self {
        let options = EngineOptions { rank, ..EngineOptions::default() };
        Self { source: Source::Snapshot(snapshot.into()), responder: Responder::new(options) }
    }

    /// The same engine, with the model that questions are embedded by. It has to be the one that made the vectors of what
    /// is searched; otherwise vectors are not used.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.responder.embedder = embedder;
        self
    }

    /// The same engine, with what reads the best chunks together with the question.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Option<Arc<dyn Reranker>>, options: RerankOptions) -> Self {
        (self.responder.reranker, self.responder.rerank) = (reranker, options);
        self
    }

    /// The absolute path of the project's root.
    pub fn root(&self) -> &Path {
        match &self.source {
            Source::Tree(tree) => tree.code.root(),
            Source::Snapshot(snapshot) => &snapshot.root,
        }
    }

    /// Where the project's index is kept, if anywhere.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        match &self.source {
            Source::Tree(tree) => tree.code.store(),
            Source::Snapshot(_) => None,
        }
    }

    /// What the store of the project's index holds; `None` if it is kept nowhere.
    ///
    /// # Errors
    /// If the store is damaged, in use for long, or cannot be read.
    pub fn usage(&self) -> Result<Option<Usage>, Error> {
        Ok(self.store().map(|store| store.usage()).transpose()?)
    }

    /// How many files of the project the store should have whole facts of and has not: 0 if it is consistent. See
    /// [`Index::count_missing`].
    ///
    /// # Errors
    /// As [`Engine::usage`].
    pub fn count_missing(&self) -> Result<usize, Error> {
        match &self.source {
            Source::Tree(tree) => Ok(tree.code.count_missing()?),
            Source::Snapshot(_) => Ok(0),
        }
    }

    /// What the directory holds and how far its index is behind, without changing either: nothing is parsed, and no model
    /// is asked. See [`Index::survey`].
    ///
    /// # Errors
    /// As [`Engine::usage`]; and if the engine answers from a [snapshot](Self::of_snapshot), which has no directory.
    pub fn survey(&self) -> Result<Survey, Error> {
        match &self.source {
            Source::Tree(tree) => Ok(tree.code.survey()?),
            Source::Snapshot(snapshot) => Err(Error::project(
                format!("{} is known by what was published of it alone", snapshot.root.display()),
                "ask where its files are, without a shared index",
            )),
        }
    }

    /// How many documents the store has of the project, as of the last question about them; 0 if there was none.
    ///
    /// # Errors
    /// As [`Engine::usage`].
    pub fn count_documents(&self) -> Result<usize, Error> {
        match &self.source {
            Source::Tree(tree) => Ok(tree.code.count_documents()?),
            Source::Snapshot(_) => Ok(0),
        }
    }

    /// Brings the index of the documents up to date and returns their state; they are indexed at the first call. Code and
    /// documents share the store, and nothing else.
    ///
    /// # Errors
    /// If the engine answers from a [snapshot](Self::of_snapshot), which holds code alone, the directory cannot be opened any
    /// more, or there is too little memory, as for [`Engine::refresh`].
    pub fn refresh_documents(
        &mut self,
        progress: Progress<'_>,
    ) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        match &mut self.source {
            Source::Tree(tree) => Ok(tree.index(Corpus::Documents)?.refresh(progress)?),
            Source::Snapshot(snapshot) => Err(Error::project(
                format!("{} holds code alone", snapshot.root.display()),
                "ask for documents where their files are, without a shared index",
            )),
        }
    }

    /// Brings the index of code or of documents up to date.
    pub(crate) fn refresh_corpus(
        &mut self,
        corpus: Corpus,
        progress: Progress<'_>,
    ) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        match corpus {
            Corpus::Code => self.refresh(progress),
            Corpus::Documents => self.refresh_documents(progress),
        }
    }

    /// Brings the index of the code up to date and returns the state of the tree it now stands for.
    ///
    /// # Errors
    /// If that takes more memory than [`IndexOptions::max_memory`].
    pub fn refresh(&mut self, progress: Progress<'_>) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        match &mut self.source {
            Source::Tree(tree) => Ok(tree.code.refresh(progress)?),
            Source::Snapshot(snapshot) => {
                let files = snapshot.project.files().len();
                Ok((Arc::clone(snapshot), RefreshReport { files, ..RefreshReport::default() }))
            }
        }
    }

    /// Waits until the store has what the last refresh derived, for other processes to read.
    ///
    /// # Errors
    /// If the store could not keep it.
    pub fn save(&mut self) -> Result<(), Error> {
        match &mut self.source {
            Source::Tree(tree) => {
                tree.code.save()?;
                tree.documents.as_mut().map_or(Ok(()), |documents| Ok(documents.save()?))
            }
            Source::Snapshot(_) => Ok(()),
        }
    }

    /// Answers a question on the state of the tree now.
    ///
    /// # Errors
    /// If the request is not valid, the project holds no source file, or the budget is too small for even the
    /// signature of the best match in the format asked for. Finding nothing is no error: the answer has no
    /// results.
    pub fn search(&mut self, request: &SearchRequest) -> Result<Response, Error> {
        self.search_with_progress(request, &|_, _| {})
    }

    /// [`Engine::search`], told how far the index is meanwhile.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn search_with_progress(
        &mut self,
        request: &SearchRequest,
        progress: Progress<'_>,
    ) -> Result<Response, Error> {
        let question = prepare(request)?;
        let (snapshot, refresh) = self.refresh_corpus(request.corpus, progress)?;
        self.responder.answer(request, question, Basis { snapshot, refresh, warning: None })
    }

    /// Answers a question about the graph of the code, on the state of the tree now.
    ///
    /// # Errors
    /// If a name stands for nothing, or for too many declarations, if the project holds no source file, or if the budget
    /// is too small for the names alone.
    pub fn explore(&mut self, request: &GraphRequest) -> Result<GraphResponse, Error> {
        self.explore_with_progress(request, &|_, _| {})
    }

    /// [`Engine::explore`], told how far the index is meanwhile.
    ///
    /// # Errors
    /// As [`Engine::explore`].
    pub fn explore_with_progress(
        &mut self,
        request: &GraphRequest,
        progress: Progress<'_>,
    ) -> Result<GraphResponse, Error> {
        let renderer = explore::prepare(request)?;
        let (snapshot, refresh) = self.refresh(progress)?;
        explore::answer(request, renderer, Basis { snapshot, refresh, warning: None })
    }

    /// The service graph of the tree as it is now, with the state of the tree that it is of. It is built anew only if the
    /// code, a file that tells of services or `given` changed since it was built last.
    ///
    /// # Errors
    /// If the project holds no source file. What is wrong with an input stands in the graph's
    /// [report](Knowledge::report).
    pub fn knowledge(
        &mut self,
        given: &GivenInputs,
        progress: Progress<'_>,
    ) -> Result<(Arc<Knowledge>, Arc<Snapshot>, RefreshReport), Error> {
        let (snapshot, refresh) = self.refresh(progress)?;
        let knowledge = knowledge::of_snapshot(&snapshot, given)?;
        Ok((knowledge, snapshot, refresh))
    }

    /// The ranking behind an answer, uncut and without its code: what evaluations look at.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn rank(&mut self, request: &SearchRequest) -> Result<(Arc<Snapshot>, Vec<Hit>), Error> {
        let (mut query, _) = prepare(request)?;
        let (snapshot, report) = self.refresh_corpus(request.corpus, &|_, _| {})?;
        let ranking = self.responder.rank(request, &mut query, &snapshot, &report, true)?;
        Ok((snapshot, ranking.hits))
    }
}

/// A request that can be answered.
pub(crate) type Question = (Query, &'static dyn Renderer);

pub(crate) fn prepare(request: &SearchRequest) -> Result<Question, Error> {
    let names = |known: Vec<&str>| format!("one of: {}", known.join(", "));
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
    let renderer = renderer(&request.format).ok_or_else(|| unknown_format(&request.format))?;
    let languages: Vec<Language> = request
        .languages
        .iter()
        .map(|name| {
            sscg_parse::named(request.corpus, name).ok_or_else(|| unknown_language(name, request.corpus))
        })
        .collect::<Result<_, _>>()?;
    let kinds: Vec<ChunkKind> = request
        .kinds
        .iter()
        .map(|name| {
            ChunkKind::all().find(|kind| kind.as_str() == name).ok_or_else(|| {
                let known = names(ChunkKind::all().map(ChunkKind::as_str).collect());
                Error::request(format!("unknown kind {}", quoted(name)), known)
            })
        })
        .collect::<Result<_, _>>()?;
    let filters = Filters::new(languages, &request.paths)?.with_kinds(kinds);
    let query = Query::parse(&request.query, filters)?.with_terms(&request.terms);
    Ok((query, renderer))
}

pub(crate) fn unknown_format(name: &str) -> Error {
    let known: Vec<&str> = renderers().iter().map(|renderer| renderer.name()).collect();
    Error::request(format!("unknown format {}", quoted(name)), format!("one of: {}", known.join(", ")))
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
