//! One project, ready for questions.

use std::path::Path;
use std::sync::Arc;

use sscg_core::{Corpus, Language, TokenCounter};
use sscg_embed::{Embedder, Input};
use sscg_format::{Answer, O200k, Renderer, fit, renderer, renderers};
use sscg_index::{Index, IndexOptions, Progress, RefreshReport, Snapshot, Storage, Store, Usage};
use sscg_retrieve::{Filters, Hit, Query, QueryMode, RankOptions, rank};

use crate::Error;
use crate::answer::Composer;

/// How an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// Where the index is kept, and how it is shared.
    pub index: IndexOptions,
    /// How signals are weighed.
    pub rank: RankOptions,
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
    /// At most this many results. 10 by default.
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
    /// Whether each result says how its score came about.
    pub explain: bool,
    /// The format, by name: `text`, `compact` or `verbose`. `text` by default.
    pub format: String,
}

impl SearchRequest {
    /// Less would not hold an answer's own frame.
    pub const MIN_BUDGET: usize = 200;

    /// A question with the default limits.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            limit: 10,
            budget: 8_000,
            corpus: Corpus::Code,
            languages: Vec::new(),
            paths: Vec::new(),
            explain: false,
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

/// One project, ready for questions.
pub struct Engine {
    source: Source,
    responder: Responder,
}

/// Answers questions on snapshots.
#[derive(Clone)]
pub(crate) struct Responder {
    rank: RankOptions,
    embedder: Option<Arc<dyn Embedder>>,
    counter: Arc<dyn TokenCounter>,
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
    pub fn of_snapshot(snapshot: Snapshot, rank: RankOptions) -> Self {
        let options = EngineOptions { rank, ..EngineOptions::default() };
        Self { source: Source::Snapshot(Arc::new(snapshot)), responder: Responder::new(options) }
    }

    /// The same engine, with the model that questions are embedded by. It has to be the one that made the vectors of what
    /// is searched; otherwise vectors are not used.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.responder.embedder = embedder;
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
    /// If the engine answers from a [snapshot](Self::of_snapshot), which holds code alone, or the directory cannot be
    /// opened any more.
    pub fn refresh_documents(
        &mut self,
        progress: Progress<'_>,
    ) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        match &mut self.source {
            Source::Tree(tree) => Ok(tree.index(Corpus::Documents)?.refresh(progress)),
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
            Corpus::Code => Ok(self.refresh(progress)),
            Corpus::Documents => self.refresh_documents(progress),
        }
    }

    /// Brings the index of the code up to date and returns the state of the tree it now stands for.
    pub fn refresh(&mut self, progress: Progress<'_>) -> (Arc<Snapshot>, RefreshReport) {
        match &mut self.source {
            Source::Tree(tree) => tree.code.refresh(progress),
            Source::Snapshot(snapshot) => {
                let files = snapshot.project.files().len();
                (Arc::clone(snapshot), RefreshReport { files, ..RefreshReport::default() })
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
        self.responder.answer(request, question, snapshot, refresh)
    }

    /// The ranking behind an answer, uncut and without its code: what evaluations look at.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn rank(&mut self, request: &SearchRequest) -> Result<(Arc<Snapshot>, Vec<Hit>), Error> {
        let (mut query, _) = prepare(request)?;
        let (snapshot, mut report) = self.refresh_corpus(request.corpus, &|_, _| {})?;
        self.responder.embed(&mut query, &snapshot, &mut report);
        let hits = rank(&snapshot, &query, &self.responder.rank);
        Ok((snapshot, hits))
    }
}

impl Responder {
    pub(crate) fn new(EngineOptions { rank, index }: EngineOptions) -> Self {
        Self { rank, embedder: index.embedder, counter: Arc::new(O200k) }
    }

    /// Gives a question its vector, if there are vectors to compare it with. If that fails, the answer is made without.
    fn embed(&self, query: &mut Query, snapshot: &Snapshot, refresh: &mut RefreshReport) {
        let vectors = snapshot.vectors();
        if vectors.is_built_in() || !matches!(query.mode, QueryMode::Words(_)) {
            return;
        }
        let outcome = match &self.embedder {
            Some(embedder) if embedder.model_id() == vectors.model() => {
                if refresh.embedding_failed {
                    // It has just been said that the model cannot be asked.
                    return;
                }
                embedder.embed(&[&query.text], Input::Query).map_err(|error| error.to_string())
            }
            _ => Err("the index is by another model than questions are".to_owned()),
        };
        match outcome {
            Ok(vectors) => query.vector = vectors.into_iter().next(),
            Err(message) => refresh.warnings.push(format!(
                "the question has no vector of {}: {message}; this answer is ranked by words and the graph",
                vectors.model()
            )),
        }
    }

    /// Answers what was [asked](prepare) on a snapshot.
    pub(crate) fn answer(
        &self,
        request: &SearchRequest,
        (mut query, renderer): Question,
        snapshot: Arc<Snapshot>,
        mut refresh: RefreshReport,
    ) -> Result<Response, Error> {
        if snapshot.project.files().is_empty() {
            return Err(nothing_to_search(&snapshot, request.corpus));
        }
        self.embed(&mut query, &snapshot, &mut refresh);
        let hits = rank(&snapshot, &query, &self.rank);
        let (answer, text) = self.compose(&snapshot, &query, &hits, request, renderer)?;
        Ok(Response { answer, text, refresh, snapshot })
    }

    /// Selects and renders until the whole text is within the budget: what the frame around the code takes
    /// is only known once it is written.
    fn compose(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        hits: &[Hit],
        request: &SearchRequest,
        renderer: &dyn Renderer,
    ) -> Result<(Answer, String), Error> {
        let budget = request.budget;
        let mut composer = Composer::new(snapshot, query, self.counter.as_ref(), request);
        let mut code_budget = budget;
        loop {
            let mut answer = composer.compose(hits, request.limit, code_budget);
            let text = fit(&mut answer, renderer, self.counter.as_ref());
            if answer.token_count <= budget {
                return Ok((answer, text));
            }
            if code_budget == 0 {
                return self.least(answer, budget, renderer);
            }
            // The frame grows with the code. A little less than its share, so that few rounds are needed.
            code_budget = (code_budget * budget / answer.token_count).saturating_sub(code_budget / 16);
        }
    }

    /// The signature of the best match without what is around it, if that is within the budget.
    fn least(
        &self,
        mut answer: Answer,
        budget: usize,
        renderer: &dyn Renderer,
    ) -> Result<(Answer, String), Error> {
        answer.omitted_boundary_edges += answer.subgraph_boundary.len();
        answer.subgraph_boundary.clear();
        answer.unresolved_uses.clear();
        let text = fit(&mut answer, renderer, self.counter.as_ref());
        if answer.token_count <= budget {
            return Ok((answer, text));
        }
        Err(Error::request(
            format!("a budget of {budget} tokens does not hold the best match as {}", renderer.name()),
            format!("give --budget at least {}", answer.token_count),
        ))
    }
}

/// A request that can be answered.
pub(crate) type Question = (Query, &'static dyn Renderer);

pub(crate) fn prepare(request: &SearchRequest) -> Result<Question, Error> {
    let names = |known: Vec<&str>| format!("one of: {}", known.join(", "));
    if request.limit == 0 {
        return Err(Error::request(
            "a limit of 0 results asks for nothing",
            "give --limit a positive number",
        ));
    }
    if request.budget < SearchRequest::MIN_BUDGET {
        return Err(Error::request(
            format!("a budget of {} tokens holds no answer", request.budget),
            format!("give --budget at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    let renderer = renderer(&request.format).ok_or_else(|| {
        let known = names(renderers().iter().map(|renderer| renderer.name()).collect());
        Error::request(format!("unknown format {:?}", request.format), known)
    })?;
    let languages: Vec<Language> = request
        .languages
        .iter()
        .map(|name| {
            sscg_parse::named(request.corpus, name).ok_or_else(|| unknown_language(name, request.corpus))
        })
        .collect::<Result<_, _>>()?;
    let query = Query::parse(&request.query, Filters::new(languages, &request.paths)?)?;
    Ok((query, renderer))
}

fn unknown_language(name: &str, corpus: Corpus) -> Error {
    let known: Vec<&str> = sscg_parse::of_corpus(corpus).iter().map(|language| language.name).collect();
    let known = format!("one of: {}", known.join(", "));
    match corpus {
        Corpus::Code if sscg_parse::named(Corpus::Documents, name).is_some() => {
            Error::request(format!("{name} is no language of code"), format!("ask with --docs, or {known}"))
        }
        Corpus::Documents if sscg_parse::named(Corpus::Code, name).is_some() => {
            let hint = format!("ask without --docs, or {known}");
            Error::request(format!("{name} is no format of documents"), hint)
        }
        Corpus::Code => Error::request(format!("unknown language {name:?}"), known),
        Corpus::Documents => Error::request(format!("unknown format of documents {name:?}"), known),
    }
}

fn nothing_to_search(snapshot: &Snapshot, corpus: Corpus) -> Error {
    if snapshot.pending > 0 {
        return Error::project(
            format!("another process indexes {}, and nothing is ready yet", snapshot.root.display()),
            "ask again in a moment, or wait for it: leave out --no-wait",
        );
    }
    let languages: Vec<&str> = sscg_parse::of_corpus(corpus).iter().map(|language| language.name).collect();
    let mut hint = format!("SSCG reads {}", languages.join(", "));
    let others: usize = snapshot.unsupported.values().map(Vec::len).sum::<usize>() + snapshot.skipped.len();
    if others > 0 {
        let what = if others == 1 { "file there is" } else { "files there are" };
        hint += &format!("; {others} {what} something else");
    }
    let files = match corpus {
        Corpus::Code => "source files",
        Corpus::Documents => "documents",
    };
    Error::project(format!("no {files} in {}", snapshot.root.display()), hint)
}
