//! Composition of a self-contained answer from ranked chunks.

mod asked;
mod code;
mod connect;
mod declared;
mod details;
pub(crate) mod elsewhere;
mod facts;
mod inferred;
mod lines;
mod locked;
mod outside;
mod tested;
mod types;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sscg_core::{ChunkId, Corpus, FileId, Project, RelationSet, SymbolId, SymbolKind, TOKEN_BYTES};
use sscg_format::{
    Answer, CallTreeNode, CodeStyle, Contribution, Details, FEW_RESULTS, Format, Guess, IndexState, Match,
    Patterns, ResultItem, ResultOrigin, SCHEMA_VERSION, SkippedCount, SourceType, SubgraphEdge, SymbolRef,
};
use sscg_graph::{Direction, Node};
use sscg_index::{Snapshot, query_terms};
use sscg_retrieve::{
    DetailLevel, Hit, Query, QueryMode, RankOptions, RankSource, Selected, SoughtWords, WordsBack,
    is_product, select, suggest,
};

use crate::SearchRequest;
use crate::long_lines::LongLines;
use crate::ranking::Ranking;
use crate::structure::{Centrality, CentralityMode};
pub(crate) use connect::described;
use details::MOST_OF_A_RELATION;
use facts::Facts;
use lines::{FileLines, Pick, Picked};
use words::WordFinder;

/// Composer of answers to one query; caches the sources it reads and the tokens it counts.
pub(crate) struct Composer<'a> {
    snapshot: &'a Snapshot,
    query: &'a Query,
    request: &'a SearchRequest,
    sources: BTreeMap<FileId, Option<String>>,
    /// Texts of files by lines; `None` for files that have changed.
    lines: BTreeMap<FileId, Option<FileLines>>,
    long_lines: Arc<LongLines>,
    costs: BTreeMap<(ChunkId, DetailLevel), usize>,
    /// Snapshots by the chunks and detail levels that they show.
    texts: BTreeMap<Vec<(ChunkId, DetailLevel)>, String>,
    /// Description of each result, computed on demand.
    known: BTreeMap<ChunkId, ResultItem>,
    /// Queries that may have been meant, computed on demand.
    suggestions: Option<Vec<String>>,
    /// Occurrence of the guessed terms in the project, computed on demand.
    words_back: Option<WordsBack>,
    /// Finder of the question's words in results, if an explanation was asked for.
    words: Option<WordFinder<'a>>,
    /// Locked versions of the packages that were looked up.
    versions: BTreeMap<String, Option<String>>,
    /// Tokens of a result besides its file's snapshot; an estimate until an answer has been rendered.
    frame: usize,
    /// Tokens of other code that the snapshots showed for a result.
    needs: BTreeMap<ChunkId, usize>,
}

/// Typical number of tokens of a result's details and its share of the graph.
const FRAME_TOKENS: usize = 60;

/// Minimum budget in tokens for details; smaller answers show only names, signatures and code of results.
const DETAILED_BUDGET: usize = 3_000;

/// Share of the budget that is reserved for callers and connections of the shown code.
const DETAILS_SHARE: f64 = 0.05;

/// The same share for look-ups, which are read for the callers as much as for the code.
const LOOKUP_DETAILS_SHARE: f64 = 0.2;

/// Share of the budget for the relations of results to a question, in formats that have them.
const RELATIONS_SHARE: f64 = 0.15;

/// Relations that explain how shown code connects; the types and values that it uses are named in its text.
const TELLING: [&str; 5] = ["calls", "instantiates", "inherits", "implements", "overrides"];

/// Tokens of an answer's first lines.
const SUMMARY_TOKENS: usize = 40;

/// Maximum number of tokens of the line that lists guessed terms without a match.
const WORDS_BACK_TOKENS: usize = 30;

/// Tokens of a match that is only named, besides its name and path.
const MATCH_TOKENS: usize = 6;

/// Approximate number of bytes per token in names and paths.
const NAME_BYTES: usize = 3;

/// Estimates the tokens of an edge as text.
fn edge_tokens(edge: &SubgraphEdge) -> usize {
    let name = |id: &str| id.rsplit(':').next().unwrap_or(id).len();
    8 + (name(&edge.src) + name(&edge.tgt)) / NAME_BYTES
}

/// Estimates the tokens of details as text.
fn details_tokens(details: &Details) -> usize {
    let Details { extends, implements, subtypes, calls, called_by, .. } = details;
    let Details { type_parameters, types_in, types_out, .. } = details;
    let types = types_in.iter().chain(types_out).map(|it| &it.ty);
    let symbols = [extends, implements, subtypes].into_iter().flatten().chain(types);
    let calls = calls.iter().chain(called_by).map(|call| &call.symbol);
    let parameters = type_parameters.iter().map(|it| 2 + it.to_string().len() / NAME_BYTES);
    symbols.chain(calls).map(symbol_tokens).chain(parameters).take(MOST_NAMED).sum()
}

/// Estimates the tokens of a name with its file.
fn symbol_tokens(symbol: &SymbolRef) -> usize {
    4 + (symbol.name.len() + symbol.file.len()) / NAME_BYTES
}

/// Estimates the tokens of a result's relations in formats that list them.
fn relations_tokens(relations: &BTreeMap<String, Vec<String>>) -> usize {
    relations.values().flatten().map(|name| 2 + name.len() / NAME_BYTES).sum()
}

/// Truncates the relations of results to `budget` tokens: to the same number of names of each relation, if one of each
/// fits, and else to those of the best results.
fn keep_relations(results: &mut [ResultItem], budget: usize) {
    let tokens = |results: &[ResultItem]| results.iter().map(|it| relations_tokens(&it.graph)).sum::<usize>();
    for most in (1..MOST_OF_A_RELATION).rev() {
        if tokens(results) <= budget {
            return;
        }
        let names = results.iter_mut().flat_map(|result| result.graph.values_mut());
        names.for_each(|names| names.truncate(most));
    }
    let mut left = Some(budget);
    for result in results {
        left = left.and_then(|left| left.checked_sub(relations_tokens(&result.graph)));
        if left.is_none() {
            result.graph.clear();
        }
    }
}

/// Truncates details to `budget` tokens and returns the tokens that they take. A few callers have priority, then the
/// details of the declaration, then the other callers.
fn fit_details(details: &mut Details, budget: usize) -> usize {
    let callers = std::mem::take(&mut details.called_by);
    let cost = |call: &CallTreeNode| symbol_tokens(&call.symbol);
    let first: usize = callers.iter().take(FEW_CALLERS).map(cost).sum();
    let mut taken = details_tokens(details);
    if taken + first > budget {
        let Details { references, unresolved_uses, ref unresolved_at, .. } = *details;
        *details = Details::default()
            .with_references(references)
            .with_unresolved_uses(unresolved_uses)
            .with_unresolved_at(unresolved_at.clone());
        taken = 0;
    }
    let all = callers.len();
    for caller in callers {
        if taken + cost(&caller) > budget {
            break;
        }
        taken += cost(&caller);
        details.called_by.push(caller);
    }
    details.omitted_callers += all - details.called_by.len();
    taken
}

/// Share of the budget that is reserved for names of matches that are not shown, if the query has guessed terms. Such
/// callers query several of these names next, for a tenth of the tokens of their code. Measured in
/// `docs/DECISIONS.md`.
const NAMES_SHARE: f64 = 0.2;

/// Maximum number of tokens of these names: rarely are more than thirty worth naming.
const MOST_NAMES_TOKENS: usize = 400;

/// Minimum budget in tokens for names of guessed declarations and of external code: at 1,000 tokens they would cost
/// .02 and .01 of the needed lines.
const NAMED_BUDGET: usize = 1_500;

/// Maximum number of declarations of one name for each to be worth naming.
const MOST_NAMESAKES: usize = 3;

/// Number of best results whose further calls are listed.
const HOPS_OF: usize = 3;

/// Maximum number of listed calls of one result.
const MOST_HOPS: usize = 4;

/// Number of uses above which a function counts as a general helper, which does the work of none of its callers.
const MOST_USES: usize = 10;

/// Tokens of the line range of a callee.
const HOP_RANGE_TOKENS: usize = 5;

/// Tokens of the line that lists external code, without the names.
const OUTSIDE_TOKENS: usize = 10;

/// Number of callers that have priority over other details.
const FEW_CALLERS: usize = 3;

/// Approximate number of names that the details of one result print.
const MOST_NAMED: usize = 12;

impl<'a> Composer<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        query: &'a Query,
        request: &'a SearchRequest,
        rank: &'a RankOptions,
    ) -> Self {
        let words =
            request.explain.then(|| WordFinder::new(snapshot, SoughtWords::new(snapshot, query, rank)));
        Self {
            snapshot,
            query,
            request,
            sources: BTreeMap::new(),
            lines: BTreeMap::new(),
            long_lines: Arc::new(LongLines::new(query)),
            costs: BTreeMap::new(),
            texts: BTreeMap::new(),
            known: BTreeMap::new(),
            suggestions: None,
            words_back: None,
            words,
            versions: BTreeMap::new(),
            frame: FRAME_TOKENS,
            needs: BTreeMap::new(),
        }
    }

    /// Updates the estimated tokens per result besides its code from a rendered answer.
    pub(crate) fn learn_frame(&mut self, answer: &Answer) {
        let code: usize = answer.snapshots.iter().map(|it| it.text.len().div_ceil(TOKEN_BYTES)).sum();
        if let Some(frame) = answer.token_count.saturating_sub(code).checked_div(answer.results.len()) {
            self.frame = frame + 1;
        }
    }

    /// Returns true if the code is shown with line numbers.
    fn is_numbered(&self) -> bool {
        self.request.code.is_numbered(self.request.budget, !self.query.terms.is_empty())
    }

    /// Returns the answer with results of about `budget` tokens, and true if a larger budget would show more.
    pub(crate) fn compose(&mut self, found: &Ranking, budget: usize) -> (Answer, bool) {
        if !self.request.more.is_empty() {
            return self.compose_asked(found, budget);
        }
        if self.request.code != CodeStyle::Snapshot && self.request.corpus == Corpus::Code {
            return self.compose_lines(found, budget);
        }
        let snapshot = self.snapshot;
        // Hits on several parts of a chunk are one result.
        let mut known = BTreeSet::new();
        let hits: Vec<Hit> = found.hits.iter().filter(|hit| known.insert(hit.chunk)).cloned().collect();
        let selection = select(
            &hits,
            self.request.limit,
            budget,
            |chunk, shown| self.cost(chunk, shown),
            |outer, inner| snapshot.project.chunk_contains(outer, inner),
        );
        let is_cut = selection.omitted > 0
            || selection.results.iter().any(|Selected { hit, shown, .. }| {
                // A container of better results is not shown whole, whatever the budget.
                let most =
                    if self.is_container(hit.chunk) { DetailLevel::Collapsed } else { DetailLevel::Full };
                *shown > most
            });
        let mut answer = self
            .frame_of(found)
            .with_omitted_results(selection.omitted)
            .with_results(selection.results.iter().map(|selected| self.result(selected, found)).collect())
            .with_code(CodeStyle::Snapshot);
        let chunks: Vec<ChunkId> = selection.results.iter().map(|result| result.hit.chunk).collect();
        self.add_words_back(&mut answer, found, &chunks);
        if self.request.corpus == Corpus::Code {
            let cycles = self.connect(&mut answer, &chunks);
            answer.patterns = Patterns::find(&answer.results, &answer.subgraph_edges, cycles);
        }
        answer.snapshots = self.snapshots(&selection.results);
        answer.index = self.index_state(&chunks);
        (answer, is_cut)
    }

    /// Returns the parts of an answer that do not depend on its results.
    fn frame_of(&mut self, found: &Ranking) -> Answer {
        Answer::default()
            .with_schema_version(SCHEMA_VERSION)
            .with_query(excerpt(&self.query.text))
            .with_token_budget(self.request.budget)
            .with_weak(found.is_weak)
            .with_suggestions(self.suggestions(found))
            .with_warnings(found.warnings.clone())
    }

    /// Composes an answer that shows the files' own lines. Connections and callers get the budget that the code
    /// leaves, and at least [`DETAILS_SHARE`] of it.
    fn compose_lines(&mut self, found: &Ranking, budget: usize) -> (Answer, bool) {
        let (elsewhere, taken) = elsewhere::shown(&found.elsewhere, budget / 2, &self.long_lines);
        let budget = budget.saturating_sub(taken);
        let share = if self.is_lookup() { LOOKUP_DETAILS_SHARE } else { DETAILS_SHARE };
        let reserve = (budget as f64 * share) as usize;
        let summary = SUMMARY_TOKENS + if self.query.terms.is_empty() { 0 } else { WORDS_BACK_TOKENS };
        let is_guided = !self.query.terms.is_empty() && self.request.budget >= NAMED_BUDGET;
        let named = if is_guided { MOST_NAMES_TOKENS.min((budget as f64 * NAMES_SHARE) as usize) } else { 0 };
        let relations = if self.shows_relations() { (budget as f64 * RELATIONS_SHARE) as usize } else { 0 };
        let reserved = summary + reserve + named + relations;
        let pick = self.pick(&found.hits, self.request.limit, budget.saturating_sub(reserved));
        let mut answer = self.frame_of(found).with_omitted_results(pick.omitted.len());
        answer.snapshots = self.excerpts(&pick);
        let chunks: Vec<ChunkId> = pick.chunks.iter().map(|picked| picked.hit.chunk).collect();
        answer.results =
            pick.chunks.iter().map(|picked| self.result_of_lines(&pick, picked, found)).collect();
        self.add_words_back(&mut answer, found, &chunks);
        let mut left = budget.saturating_sub(summary + relations + pick.tokens);
        left -= self.add_also_matched(&mut answer, &pick, named.max(left / 2).min(left));
        let cycles = self.connect(&mut answer, &chunks);
        answer.patterns = Patterns::find(&answer.results, &answer.subgraph_edges, cycles);
        left -= self.keep_next_hops(&mut answer, found, left / 2);
        left -= self.add_tests(&mut answer, left / 2);
        if !answer.weak && self.request.budget >= NAMED_BUDGET {
            let names = self.outside(&chunks);
            let cost = OUTSIDE_TOKENS + names.iter().map(|name| name.len() / NAME_BYTES).sum::<usize>();
            if !names.is_empty() && cost <= left {
                left -= cost;
                answer.outside = names;
            }
        }
        self.keep_within(&mut answer, left);
        if !self.is_lookup() && answer.results.len() != 1 {
            keep_relations(&mut answer.results, relations);
        }
        answer.index = self.index_state(&chunks);
        for (item, snapshot) in elsewhere.into_iter().rev() {
            answer.results.insert(0, item);
            answer.snapshots.insert(0, snapshot);
        }
        (answer, pick.is_cut)
    }

    fn result_of_lines(&mut self, pick: &Pick, picked: &Picked, found: &Ranking) -> ResultItem {
        let (parts, is_whole) = self.parts_of(pick, picked);
        let mut item = self.result(&Selected::new(picked.hit.clone(), DetailLevel::Full), found);
        if !is_whole {
            let shown = if parts.is_empty() { DetailLevel::Signature.as_str() } else { "part" };
            item = item.with_shown(shown).with_parts(parts);
        }
        item.with_copies(picked.copies.iter().map(|chunk| self.stands_at(*chunk)).collect())
    }

    /// Returns the location of a chunk: `dist/a.js:4-9`.
    fn stands_at(&self, chunk: ChunkId) -> String {
        let ResultItem { file, lines, .. } = self.place(chunk, ResultOrigin::Search);
        format!("{file}:{lines}")
    }

    /// Names matches that do not fit, in at most `budget` tokens: the declarations named by guessed terms, then the
    /// best omitted matches. Small answers skip the former and answers without line numbers the latter. Returns the
    /// tokens that they take.
    fn add_also_matched(&self, answer: &mut Answer, pick: &Pick, budget: usize) -> usize {
        let mut taken = 0;
        let mut others = if self.request.budget < NAMED_BUDGET { Vec::new() } else { self.guessed(pick) };
        if self.is_numbered() {
            others.extend(pick.omitted.iter().filter(|chunk| !others.contains(chunk)).collect::<Vec<_>>());
        }
        let mut known: BTreeSet<String> = answer.results.iter().map(|result| result.name.clone()).collect();
        for chunk in others {
            let ResultItem { name, file, lines, .. } = self.place(chunk, ResultOrigin::Search);
            // A build has a copy of most of the code that it was made of.
            let is_copy = !is_product(self.snapshot, chunk) && known.contains(&name);
            let named = Match::default().with_name(name).with_file(file).with_lines(lines);
            if is_copy || answer.also_matched.contains(&named) {
                continue;
            }
            let Match { name, file, .. } = &named;
            let is_new = answer.also_matched.iter().all(|known| known.file != *file);
            let cost = MATCH_TOKENS + (name.len() + if is_new { file.len() } else { 0 }) / NAME_BYTES;
            if taken + cost > budget {
                break;
            }
            taken += cost;
            known.insert(name.clone());
            answer.also_matched.push(named);
        }
        taken
    }

    /// Returns the declarations of the project's own code that are named by guessed terms of several words
    /// (`open_file`, not `open`) and are not shown, in the order of the terms. Names shared by more than
    /// [`MOST_NAMESAKES`] are left out.
    fn guessed(&self, pick: &Pick) -> Vec<ChunkId> {
        let project = &self.snapshot.project;
        let mut chunks: Vec<ChunkId> = Vec::new();
        for name in self.query.terms.iter().filter(|name| query_terms(name).len() > 1) {
            let exact = |symbol: &SymbolId| project.symbol_name(*symbol) == name;
            let named = project.definitions_named(name).filter(exact).map(|it| project.chunk_of_symbol(it));
            let named: Vec<ChunkId> = named.filter(|chunk| is_product(self.snapshot, *chunk)).collect();
            if named.len() <= MOST_NAMESAKES {
                chunks.extend(named);
            }
        }
        let is_shown = |chunk: &ChunkId| {
            let mut picked = pick.chunks.iter().map(|picked| picked.hit.chunk);
            picked.any(|shown| shown == *chunk || project.chunk_contains(shown, *chunk))
        };
        chunks.retain(|chunk| !is_shown(chunk) && self.query.filters.admits_chunk(project, *chunk));
        chunks
    }

    /// Keeps only the calls of the best results that lead to code that is not shown, the most likely first. If the
    /// code that does the work is one call away, its name and lines suffice to go on. Returns the tokens that they
    /// take, at most `budget`. Look-ups keep all calls.
    fn keep_next_hops(&self, answer: &mut Answer, found: &Ranking, budget: usize) -> usize {
        if self.is_lookup() || answer.results.len() == 1 {
            return 0;
        }
        let project = &self.snapshot.project;
        let shown: BTreeSet<String> = answer.results.iter().map(|result| result.chunk_id.clone()).collect();
        let rank = |id: &str| {
            let chunk = project.chunk_with_key(id)?;
            found.hits.iter().position(|hit| hit.chunk == chunk)
        };
        let symbol = |id: &str| project.chunk_with_key(id).and_then(|chunk| project.symbol_of_chunk(chunk));
        // Types and values do no work.
        let is_function = |id: &str| symbol(id).is_some_and(|it| project.symbol_kind(it).is_callable());
        let graph = &self.snapshot.graph;
        let uses = |id: &str| {
            let edges = symbol(id).map(|it| graph.edges_at(graph.id(Node::Symbol(it)), Direction::Incoming));
            edges.into_iter().flatten().filter(|edge| RelationSet::CALLS.contains(edge.relation)).count()
        };
        let (mut taken, mut known) = (0, BTreeSet::new());
        for (at, result) in answer.results.iter_mut().enumerate() {
            let mut calls = std::mem::take(&mut result.details.calls);
            if at >= HOPS_OF || answer.weak {
                continue;
            }
            calls.retain(|call| !shown.contains(&call.symbol.id) && is_function(&call.symbol.id));
            calls.sort_by_cached_key(|call| {
                let uses = uses(&call.symbol.id);
                (uses > MOST_USES, rank(&call.symbol.id).unwrap_or(usize::MAX), uses)
            });
            for call in calls.into_iter().take(MOST_HOPS) {
                let cost = symbol_tokens(&call.symbol) + HOP_RANGE_TOKENS;
                if taken + cost <= budget && known.insert(call.symbol.id.clone()) {
                    taken += cost;
                    result.details.calls.push(call);
                }
            }
        }
        answer.subgraph_edges.retain(|edge| !known.contains(&edge.tgt));
        taken
    }

    /// Drops what does not fit `left` tokens. Edges have priority, then the details of the results in order. Look-ups
    /// keep their edges and give priority to the details of their declaration.
    fn keep_within(&self, answer: &mut Answer, mut left: usize) {
        // A single result is the subject of the answer, like one that was looked up.
        let is_lookup = self.is_lookup() || answer.results.len() == 1;
        let lists_all = answer.results.len() <= FEW_RESULTS;
        let take = |left: &mut usize, cost: usize| left.checked_sub(cost).map(|rest| *left = rest).is_some();
        if !is_lookup {
            answer.subgraph_edges.retain(|edge| !edge.boundary && TELLING.contains(&&*edge.rel));
            answer.omitted_boundary_edges = 0;
            let kept =
                answer.subgraph_edges.iter().take_while(|edge| take(&mut left, edge_tokens(edge))).count();
            answer.subgraph_edges.truncate(kept);
            answer.patterns = Patterns::default();
            answer.unconnected.clear();
        }
        for result in &mut answer.results {
            if !is_lookup {
                let details = std::mem::take(&mut result.details);
                let Details { calls, called_by, omitted_callers, tested_by, .. } = details;
                result.details = Details::default()
                    .with_calls(calls)
                    .with_called_by(called_by)
                    .with_omitted_callers(omitted_callers)
                    .with_tested_by(tested_by);
                result.signature.clear();
                result.modifiers.clear();
            }
            // The tokens of next hops and tests are already counted.
            let hops = if is_lookup { Vec::new() } else { std::mem::take(&mut result.details.calls) };
            let tests = std::mem::take(&mut result.details.tested_by);
            if lists_all {
                left -= fit_details(&mut result.details, left);
            } else if !take(&mut left, details_tokens(&result.details)) {
                result.details = Details::default();
            }
            if !is_lookup {
                result.details.calls = hops;
            }
            result.details.tested_by = tests;
        }
        if is_lookup {
            // Callers and code have priority.
            keep_relations(&mut answer.results, left);
        }
        let ends: BTreeSet<&str> =
            answer.subgraph_edges.iter().flat_map(|edge| [&*edge.src, &*edge.tgt]).collect();
        answer.subgraph_nodes.retain(|node| node.source.is_search() || ends.contains(&*node.id));
        let nodes: BTreeSet<&str> = answer.subgraph_nodes.iter().map(|node| &*node.id).collect();
        answer.subgraph_order.retain(|id| nodes.contains(&**id));
    }

    /// Returns true if the answer lists the relations of each result to a question. Text shows the connections among
    /// results instead.
    fn shows_relations(&self) -> bool {
        !self.is_lookup() && self.is_detailed() && self.request.format != Format::TEXT
    }

    /// Adds the guessed terms with their numbers of matches, and names that could be queried instead.
    fn add_words_back(&mut self, answer: &mut Answer, found: &Ranking, shown: &[ChunkId]) {
        let (snapshot, query) = (self.snapshot, self.query);
        let known = self.words_back.get_or_insert_with(|| WordsBack::new(snapshot, query, &found.hits));
        let guess =
            |(term, chunks): &(String, usize)| Guess::default().with_term(excerpt(term)).with_chunks(*chunks);
        answer.terms = known.guesses.iter().map(guess).collect();
        answer.near_terms = known.near(shown);
    }

    fn suggestions(&mut self, found: &Ranking) -> Vec<String> {
        let (snapshot, query) = (self.snapshot, self.query);
        self.suggestions.get_or_insert_with(|| suggest(snapshot, query, &found.hits)).clone()
    }

    fn result(&mut self, selected: &Selected, found: &Ranking) -> ResultItem {
        let Selected { hit, shown, .. } = selected;
        let mut item = match self.known.get(&hit.chunk) {
            Some(known) => known.clone(),
            None => {
                let item = self.describe(hit.chunk);
                self.known.insert(hit.chunk, item.clone());
                item
            }
        };
        let is_shown = shows_code(*shown);
        if !self.is_detailed() && is_shown {
            // The code shows it already.
            item.signature.clear();
        }
        let explains = self.request.explain;
        let sources = if explains { &hit.sources[..] } else { &[] };
        let ranks = hit.sources.iter().filter(|source| source.rank > 0);
        let ranks = ranks.map(|source| (source.signal.as_str().to_owned(), source.rank));
        item.with_score(hit.score)
            .with_blended_score(found.blended.get(&hit.chunk).map(|score| rounded(*score)))
            .with_explanation(sources.iter().map(contribution).collect())
            .with_words(self.words.as_mut().map_or_else(Vec::new, |words| words.of(hit)))
            .with_rank_sources(ranks.collect())
            .with_shown(shown.as_str())
    }

    /// Describes a chunk, independently of its rank and score.
    fn describe(&self, chunk: ChunkId) -> ResultItem {
        let mut item = self.place(chunk, ResultOrigin::Search);
        let project = &self.snapshot.project;
        let Some(symbol) = project.symbol_of_chunk(chunk).filter(|_| item.trusted && self.is_detailed())
        else {
            return item;
        };
        let &SearchRequest { call_depth, min_confidence, .. } = self.request;
        let (snapshot, is_lookup) = (self.snapshot, self.is_lookup());
        let graph = &snapshot.graph;
        let facts = Facts { snapshot, project, graph, is_lookup, call_depth, min_confidence };
        item.details = facts.details(symbol);
        item.graph = facts.relations(symbol);
        item
    }

    /// Returns the kind and the location of a chunk.
    fn place(&self, chunk: ChunkId, source: ResultOrigin) -> ResultItem {
        let project = &self.snapshot.project;
        let file = &project.files()[project.chunk_file(chunk)];
        let lines = project.chunk_lines(chunk);
        let symbol = project.symbol_of_chunk(chunk);
        let is_code = file.language.corpus == Corpus::Code;
        let mut modifiers = Vec::new();
        if let Some(symbol) = symbol.map(|symbol| project.symbol(symbol)) {
            modifiers.extend(symbol.exported.then(|| "exported".to_owned()));
            modifiers.extend(symbol.modifiers.iter_names().map(|(name, _)| name.to_lowercase()));
        }
        let has_centrality = self.request.centrality != CentralityMode::Off && is_code;
        let name = match symbol {
            Some(symbol) if is_code => project.qualified_name(symbol),
            _ => project.chunk(chunk).name.to_string(),
        };
        let source_type = if is_code { SourceType::Code } else { SourceType::Document };
        let heading = symbol.filter(|_| !is_code);
        let signature = symbol.map(|symbol| project.symbol(symbol).signature.to_string());
        let centrality = has_centrality
            .then(|| rounded(Centrality::of(self.snapshot, self.request.centrality_method).get(chunk)));
        ResultItem::default()
            .with_chunk_id(project.chunk_key(chunk))
            .with_file(file.path.to_string())
            .with_lines(sscg_format::Lines { start: lines.start, end: lines.end })
            .with_kind(project.chunk_kind(chunk).to_string())
            .with_name(name)
            .with_language(file.language.name)
            .with_source(source)
            .with_source_type(source_type)
            .with_trusted(is_code)
            .with_heading_path(heading.map_or_else(Vec::new, |symbol| headings(project, symbol)))
            .with_signature(signature.unwrap_or_default())
            .with_modifiers(modifiers)
            .with_centrality(centrality)
    }

    fn is_detailed(&self) -> bool {
        self.request.budget >= DETAILED_BUDGET || self.is_lookup()
    }

    fn is_lookup(&self) -> bool {
        matches!(self.query.mode, QueryMode::Symbol(_))
    }

    fn index_state(&self, chunks: &[ChunkId]) -> IndexState {
        let project = &self.snapshot.project;
        let of_snapshots = chunks.iter().map(|chunk| project.chunk_file(*chunk));
        let of_snapshots = of_snapshots.filter(|file| self.sources.get(file).is_some_and(Option::is_none));
        let of_lines = self.lines.iter().filter(|(_, lines)| lines.is_none()).map(|(file, _)| *file);
        let mut stale: Vec<String> =
            of_snapshots.chain(of_lines).map(|file| project.files()[file].path.to_string()).collect();
        stale.sort();
        stale.dedup();
        index_state(self.snapshot).with_stale(stale)
    }
}

/// Returns the state of the index: numbers of indexed, pending and skipped files.
pub(crate) fn index_state(snapshot: &Snapshot) -> IndexState {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &snapshot.skipped {
        *skipped.entry(file.reason.class()).or_default() += 1;
    }
    let skipped = skipped
        .into_iter()
        .map(|(reason, files)| SkippedCount::default().with_reason(reason).with_files(files));
    IndexState::default()
        .with_files(snapshot.project.files().len())
        .with_pending(snapshot.pending)
        .with_skipped(skipped.collect())
}

/// Returns true if a snapshot shows more of a chunk than its details.
fn shows_code(shown: DetailLevel) -> bool {
    shown < DetailLevel::Signature
}

/// Rounds a number other than a ranking score to four decimal places.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// Maximum number of characters of a long query that an answer repeats.
const QUERY_CHARACTERS: usize = 300;

fn excerpt(query: &str) -> String {
    match query.char_indices().nth(QUERY_CHARACTERS) {
        Some((end, _)) => format!("{}…", &query[..end]),
        None => query.to_owned(),
    }
}

/// Returns the names of the sections around a part of a document, outermost first, and its own.
fn headings(project: &Project, symbol: SymbolId) -> Vec<String> {
    let around = project.self_and_ancestors(symbol);
    let sections = around.filter(|symbol| project.symbol_kind(*symbol) == SymbolKind::Section);
    let mut names: Vec<String> = sections.map(|symbol| project.symbol_name(symbol).to_owned()).collect();
    names.reverse();
    names
}

fn contribution(source: &RankSource) -> Contribution {
    let RankSource { signal, rank, score, contribution, .. } = *source;
    Contribution::default()
        .with_signal(signal.as_str())
        .with_rank(rank)
        .with_score(score)
        .with_contribution(contribution)
}
