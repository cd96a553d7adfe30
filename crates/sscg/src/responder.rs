//! Answers to questions on snapshots.

use std::borrow::Cow;
use std::sync::Arc;

use sscg_core::{Corpus, TokenCounter, quoted};
use sscg_embed::{Embedder, Input, Reranker};
use sscg_format::{Answer, CodeStyle, Format, O200k, Renderer, SentCode, costs, fit, renderers};
use sscg_graph::Node;
use sscg_index::{RefreshReport, Snapshot};
use sscg_retrieve::{
    Hit, Query, QueryMode, QuestionKind, RankOptions, Relevant, RerankOptions, Signal, anchor, rank_with,
    relevant, rerank, spelled_otherwise,
};

use crate::answer::Composer;
use crate::context::{AnswerContext, nothing_to_search};
use crate::evidence;
use crate::explore;
use crate::explore::names::node;
use crate::more;
use crate::ranking::Ranking;
use crate::rerank::documents;
use crate::structure::{Centrality, CentralityMode};
use crate::{EngineOptions, Error, GraphRequest, GraphResponse, Response, SearchRequest, output_formats};

/// Ranks and answers questions on snapshots.
#[derive(Clone)]
pub(crate) struct Responder {
    rank: RankOptions,
    embedder: Option<Arc<dyn Embedder>>,
    reranker: Option<Arc<dyn Reranker>>,
    rerank: RerankOptions,
    signals: Vec<Arc<dyn Signal>>,
    renderers: Vec<Arc<dyn Renderer>>,
    counter: Arc<dyn TokenCounter>,
}

/// Percentage of the budget above which an answer is not composed again.
const FULL_PERCENT: usize = 96;

impl Responder {
    pub(crate) fn new(options: EngineOptions) -> Self {
        let EngineOptions { index, rank, reranker, rerank, signals, renderers, token_counter, .. } = options;
        let counter = token_counter.unwrap_or_else(|| Arc::new(O200k));
        Self { rank, embedder: index.embedder, reranker, rerank, signals, renderers, counter }
    }

    /// Returns the format with a name, built-in or custom.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn renderer(&self, name: &str) -> Result<&dyn Renderer, Error> {
        // Its lines replace what this format makes of the answer.
        let name = if name == &*Format::EVIDENCE { &*Format::TEXT } else { name };
        let all = || {
            let custom = self.renderers.iter().map(|renderer| &**renderer);
            renderers().iter().copied().map(|renderer| renderer as &dyn Renderer).chain(custom)
        };
        all().find(|renderer| renderer.name() == name).ok_or_else(|| {
            let custom = self.renderers.iter().map(|renderer| renderer.name());
            let known: Vec<&str> = output_formats().map(|(name, _)| name).chain(custom).collect();
            Error::request(
                format!("unknown format {}", quoted(name)),
                format!("one of: {}", known.join(", ")),
            )
        })
    }

    /// Returns the options of the ranking for a request.
    fn rank_options(&self, request: &SearchRequest) -> Cow<'_, RankOptions> {
        if request.graph { Cow::Borrowed(&self.rank) } else { Cow::Owned(self.rank.without_graph()) }
    }

    /// Answers a [checked](explore::prepare) request about the graph of a snapshot.
    pub(crate) fn explore(
        &self,
        request: &GraphRequest,
        context: AnswerContext,
    ) -> Result<GraphResponse, Error> {
        let counter = self.counter.as_ref();
        let mut response = explore::answer(request, self.renderer(&request.format)?, counter, context)?;
        if request.format == Format::EVIDENCE {
            let omitted;
            (response.text, omitted) = evidence::lines(response.evidence(), request.budget, counter);
            response.answer.omitted += omitted;
            response.answer.token_count = counter.count(&response.text);
        }
        Ok(response)
    }

    /// Returns the ranking for a question, with all hits if `is_uncut`.
    ///
    /// # Errors
    /// If the anchor refers to nothing, or to too many declarations.
    pub(crate) fn rank(
        &self,
        request: &SearchRequest,
        query: &mut Query,
        snapshot: &Snapshot,
        refresh: &RefreshReport,
        is_uncut: bool,
    ) -> Result<Ranking, Error> {
        let is_question = matches!(query.mode, QueryMode::Words(_));
        let mut warnings = Vec::new();
        if is_question {
            warnings.extend(self.embed(query, snapshot, refresh).err());
        }
        let options = self.rank_options(request);
        let mut hits = rank_with(snapshot, query, &options, &self.signals);
        if let QueryMode::Symbol(path) = &query.mode
            && let [id] = &path[..]
            && hits.is_empty()
        {
            hits = named_by_id(snapshot, query, id);
        }
        // The gate was measured on the scores of signals, so the reranker reads only hits that pass it.
        let Relevant { hits: near, is_weak, relevance, .. } = relevant(snapshot, query, &hits, &options);
        let near = near.len();
        if !is_uncut {
            hits.truncate(near);
        }
        if let QueryMode::Symbol(path) = &query.mode
            && let Some(name) = spelled_otherwise(snapshot, path, &hits)
        {
            warnings.push(format!("nothing is declared in this spelling; found {}", quoted(name)));
        }
        if is_question {
            warnings.extend(self.rerank(query, snapshot, &mut hits).err());
        }
        if let Some(name) = &request.anchor {
            let anchors = node(snapshot, name)?;
            if !anchor(&mut hits, snapshot, &anchors, request.min_confidence, &self.rank.anchor) {
                warnings.push(format!("nothing that was found is near {}", quoted(name)));
            }
        }
        Ok(Ranking { hits, is_weak, relevance, warnings, ..Ranking::default() })
    }

    /// Embeds a question, unless the snapshot's vectors are of the built-in model.
    fn embed(&self, query: &mut Query, snapshot: &Snapshot, refresh: &RefreshReport) -> Result<(), String> {
        let vectors = snapshot.vectors();
        if vectors.is_built_in() {
            return Ok(());
        }
        let outcome = match &self.embedder {
            Some(embedder) if embedder.model_id() == vectors.model() => {
                if refresh.embedding_failed {
                    // Another warning reports that the model failed.
                    return Ok(());
                }
                embedder.embed(&[&query.text], Input::Query).map_err(|error| error.to_string())
            }
            _ => Err("the index is by another model than questions are".to_owned()),
        };
        let asked = outcome.map_err(|message| {
            format!(
                "the question has no vector of {}: {message}; this answer is ranked by words and the graph",
                vectors.model()
            )
        })?;
        query.vector = asked.into_iter().next();
        Ok(())
    }

    /// Reranks the best hits with a model that reads them together with the question, if there is a reranker and more
    /// than one hit. On failure, the hits stay as they are.
    fn rerank(&self, query: &Query, snapshot: &Snapshot, hits: &mut [Hit]) -> Result<(), String> {
        let count = hits.len().min(self.rerank.candidates);
        let Some(reranker) = self.reranker.as_ref().filter(|_| count > 1) else { return Ok(()) };
        let documents = documents(snapshot, &hits[..count]);
        let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
        let failed = |message: String| {
            let model = reranker.model_id();
            format!("{model} did not rerank this answer: {message}; it is in the order of the search alone")
        };
        let scores = reranker.rerank(&query.text, &documents).map_err(|error| failed(error.to_string()))?;
        if scores.len() != count || scores.iter().any(|score| !score.is_finite()) {
            return Err(failed("it gave no number for each chunk".to_owned()));
        }
        rerank(hits, &scores, self.rerank.blend);
        Ok(())
    }

    /// Answers a [prepared](prepare) question on a snapshot.
    pub(crate) fn answer(
        &self,
        request: &SearchRequest,
        mut query: Query,
        AnswerContext { snapshot, refresh, warning }: AnswerContext,
    ) -> Result<Response, Error> {
        let renderer = self.renderer(&request.format)?;
        let mut found = if request.more.is_empty() {
            let mut found = self.rank(request, &mut query, &snapshot, &refresh, false)?;
            found.look_elsewhere(&snapshot, &query, request);
            found
        } else {
            more::ranking(&snapshot, &request.more)?
        };
        if snapshot.project.files().is_empty() && found.elsewhere.is_empty() {
            return Err(nothing_to_search(&snapshot, request.corpus));
        }
        if request.centrality == CentralityMode::Sort && request.corpus == Corpus::Code {
            let centrality = Centrality::of(&snapshot, request.centrality_method);
            found.rerank_by_centrality(&centrality, request.centrality_alpha);
        }
        found.warnings.extend(warning);
        if refresh.embedding_failed {
            found.warnings.push(format!(
                "{} could not be asked for all vectors; this answer is ranked without those that are missing",
                snapshot.vectors().model()
            ));
        }
        let (mut answer, mut text) = self.compose(&snapshot, &query, &found, request, renderer)?;
        if let Some(after) = request.after {
            let earlier = request.clone().with_budget(after);
            let (earlier, _) = self.compose(&snapshot, &query, &found, &earlier, renderer)?;
            let mut sent = SentCode::default();
            sent.remember("", &earlier);
            if sent.omit_from("", &mut answer) > 0 {
                text = fit(&mut answer, renderer, self.counter.as_ref());
            }
        }
        let mut response = Response { answer, text, relevance: found.relevance, refresh, snapshot };
        if request.format == Format::EVIDENCE {
            let counter = self.counter.as_ref();
            let omitted;
            (response.text, omitted) = evidence::lines(response.evidence(), request.budget, counter);
            response.answer.omitted_results += omitted;
            response.answer.token_count = counter.count(&response.text);
        }
        Ok(response)
    }

    /// Selects and renders until the whole text is within the budget: the tokens around the code are only known after
    /// rendering.
    fn compose(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        found: &Ranking,
        request: &SearchRequest,
        renderer: &dyn Renderer,
    ) -> Result<(Answer, String), Error> {
        let counter = self.counter.as_ref();
        let options = self.rank_options(request);
        let mut composer = Composer::new(snapshot, query, request, &options);
        let budget = request.budget;
        let mut left = budget;
        // Fullest answer within the budget so far.
        let mut best: Option<(Answer, String)> = None;
        for round in 0.. {
            let (mut answer, cut) = composer.compose(found, left);
            if request.explain {
                answer.kind = QuestionKind::of(snapshot, query, &found.hits).to_string();
                answer.token_costs = costs(&answer, renderer, counter);
            }
            let text = fit(&mut answer, renderer, counter);
            composer.learn_frame(&answer);
            let count = answer.token_count;
            let is_within = count <= budget;
            if is_within && best.as_ref().is_none_or(|(best, _)| best.token_count < count) {
                best = Some((answer, text));
            } else if left == 0 && best.is_none() {
                return self.least(answer, budget, renderer);
            }
            // A budget that is nearly used up is not worth another round.
            let is_full = count.saturating_mul(100) > budget.saturating_mul(FULL_PERCENT);
            let is_done = if round < 3 { is_within && (!cut || is_full) } else { best.is_some() };
            if let Some(best) = best.take_if(|_| is_done) {
                return Ok(best);
            }
            // From the second round on, the tokens of results besides their snapshots are known.
            if round > 0 || request.code != CodeStyle::Snapshot {
                // The frame grows with the code. Slightly less than the proportional share keeps the number of rounds
                // low.
                left = (left.saturating_mul(budget) / count.max(1)).saturating_sub(left / 64);
            }
        }
        unreachable!("the budget is used up in the end")
    }

    /// Returns the signature of the best match without its context, if that is within the budget.
    fn least(
        &self,
        mut answer: Answer,
        budget: usize,
        renderer: &dyn Renderer,
    ) -> Result<(Answer, String), Error> {
        answer.omitted_boundary_edges += answer.subgraph_edges.iter().filter(|edge| edge.boundary).count();
        answer.subgraph_edges.clear();
        (answer.terms, answer.near_terms) = Default::default();
        answer.results.retain(|result| result.source.is_search());
        answer.subgraph_nodes.retain(|node| node.source.is_search());
        let nodes = &answer.subgraph_nodes;
        answer.subgraph_order.retain(|id| nodes.iter().any(|node| node.id == *id));
        for result in &mut answer.results {
            (result.details, result.graph, result.words) = Default::default();
        }
        let text = fit(&mut answer, renderer, self.counter.as_ref());
        if answer.token_count <= budget {
            return Ok((answer, text));
        }
        Err(Error::argument_of_request(
            "budget",
            format!("a budget of {budget} tokens does not hold the best match as {}", renderer.name()),
            format!("give `budget` at least {}", answer.token_count),
        ))
    }
}

/// Returns the declarations that an id refers to as hits: one that is no name, such as `src/a.rs:12`.
fn named_by_id(snapshot: &Snapshot, query: &Query, id: &str) -> Vec<Hit> {
    let project = &snapshot.project;
    let nodes = node(snapshot, id).unwrap_or_default();
    let chunks = nodes.iter().filter_map(|node| match snapshot.graph.node(*node) {
        Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
        Node::File(_) | Node::External(_) => None,
    });
    let admitted = chunks.filter(|chunk| query.filters.admits_chunk(project, *chunk));
    admitted.map(|chunk| Hit::new(chunk, project.chunk_lines(chunk), 1.0)).collect()
}
