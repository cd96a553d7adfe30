//! Questions and their answers.

use std::sync::Arc;

use derive_setters::Setters;
use sscg_core::{ChunkKind, Confidence, Corpus, Language};
use sscg_format::{Answer, CodeStyle, Evidence, Format};
use sscg_index::{RefreshReport, Snapshot};
use sscg_rank::CENTRALITY_ALPHA;
use sscg_retrieve::{Filters, Query, QueryMode};

use crate::{CentralityMethod, CentralityMode, evidence};

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
    /// Question in words, or `symbol = Outer > inner`. Not needed with [`more`](Self::more).
    #[setters(into)]
    pub query: String,
    /// Ids of code, as earlier answers name it: only this code is returned, in this order, and the question is not asked
    /// again. An id is whatever [`show`](crate::show) takes: `src/a.rs:40-62` or `src/a.rs:40`, a declaration, the id of a
    /// node or of [evidence](Evidence), a file. Empty by default.
    pub more: Vec<String>,
    /// Guessed terms of the code that answers: identifiers, words, parts of strings. Compounds that exist in the
    /// project count like words of the question, others less. Empty by default; look-ups ignore them.
    pub terms: Vec<String>,
    /// Maximum number of results (default 50).
    pub limit: usize,
    /// Maximum number of tokens in the rendered answer (default 8,000, at least [`SearchRequest::MIN_BUDGET`]).
    pub budget: usize,
    /// Budget of an earlier answer to this question, whose lines are left out, as marks such as `... 40-62 sent before`:
    /// the answer goes on where that one ended. Less than `budget`; only for code shown by its lines. The earlier answer
    /// is selected again rather than remembered, so no state is needed; if files have changed since, lines may be missing.
    /// None by default.
    pub after: Option<usize>,
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
    /// Output format: a built-in one (default [`Format::TEXT`]), or one of
    /// [`EngineOptions::renderers`](crate::EngineOptions::renderers).
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
            more: Vec::new(),
            terms: Vec::new(),
            limit: 50,
            budget: 8_000,
            after: None,
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
