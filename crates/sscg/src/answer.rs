//! From ranked chunks to an answer that stands on its own.

use std::collections::BTreeMap;

use sscg_core::{ChunkId, Corpus, FileId, Project, Shown, SymbolId, SymbolKind, TokenCounter};
use sscg_format::{
    Answer, BoundaryEdge, Contribution, IndexState, ResultItem, SCHEMA_VERSION, SkippedCount, SourceType,
    SubgraphEdge, SubgraphNode, UnresolvedUses,
};
use sscg_graph::{Direction, Node, Subgraph, SubgraphOptions, subgraph};
use sscg_index::Snapshot;
use sscg_retrieve::{Hit, Query, RankSource, Relevant, Selected, select, suggest};

use crate::SearchRequest;

/// Composes answers to one query, remembering the sources it read and the tokens it counted.
pub(crate) struct Composer<'a> {
    snapshot: &'a Snapshot,
    query: &'a Query,
    counter: &'a dyn TokenCounter,
    budget: usize,
    explains: bool,
    sources: BTreeMap<FileId, Option<String>>,
    costs: BTreeMap<(ChunkId, Shown), usize>,
    /// What may have been meant, once that was looked for.
    suggestions: Option<Vec<String>>,
}

/// What a result's heading and its share of the graph usually take.
const FRAME_TOKENS: usize = 60;

/// For so many tokens of budget, an edge to code outside of the answer is told of each result.
const TOKENS_PER_EDGE: usize = 2_000;

/// A type or module longer than this is shown collapsed: its members are chunks of their own.
const LONG_CONTAINER_LINES: u32 = 40;

impl<'a> Composer<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        query: &'a Query,
        counter: &'a dyn TokenCounter,
        request: &SearchRequest,
    ) -> Self {
        let SearchRequest { budget, explain: explains, .. } = *request;
        Self {
            snapshot,
            query,
            counter,
            budget,
            explains,
            sources: BTreeMap::new(),
            costs: BTreeMap::new(),
            suggestions: None,
        }
    }

    /// The answer of at most `limit` results whose code takes about `code_budget` tokens.
    pub(crate) fn compose(&mut self, found: Relevant<'_>, limit: usize, code_budget: usize) -> Answer {
        let snapshot = self.snapshot;
        let contains = |outer: ChunkId, inner: ChunkId| {
            let (outer_file, inner_file) =
                (snapshot.project.chunk_file(outer), snapshot.project.chunk_file(inner));
            outer_file == inner_file
                && snapshot.project.chunk(outer).span.contains(snapshot.project.chunk(inner).span)
        };
        let selection =
            select(found.hits, limit, code_budget, |chunk, shown| self.cost(chunk, shown), contains);
        let chunks: Vec<ChunkId> = selection.results.iter().map(|result| result.hit.chunk).collect();
        let graph = subgraph(&snapshot.project, &snapshot.graph, &chunks, &self.surroundings())
            .expect("results are chunks of the snapshot");
        let results = selection.results.iter().map(|selected| self.result(selected)).collect();
        let mut answer = Answer {
            schema_version: SCHEMA_VERSION,
            query: excerpt(&self.query.text),
            token_budget: self.budget,
            omitted_results: selection.omitted,
            results,
            weak: found.is_weak,
            suggestions: self.suggestions(found.hits),
            index: self.index_state(&chunks),
            ..Answer::default()
        };
        self.connect(&mut answer, &chunks, &graph);
        answer
    }

    fn suggestions(&mut self, found: &[Hit]) -> Vec<String> {
        let (snapshot, query) = (self.snapshot, self.query);
        self.suggestions.get_or_insert_with(|| suggest(snapshot, query, found)).clone()
    }

    /// How much is told of what is around the results: the less, the less room there is for their code.
    fn surroundings(&self) -> SubgraphOptions {
        let most = SubgraphOptions::default();
        SubgraphOptions {
            boundary_edges: (self.budget / TOKENS_PER_EDGE).clamp(1, most.boundary_edges),
            ..most
        }
    }

    fn cost(&mut self, chunk: ChunkId, shown: Shown) -> Option<usize> {
        if matches!(shown, Shown::WithoutComments | Shown::Name) {
            return None;
        }
        let project = &self.snapshot.project;
        let is_container =
            project.symbol_of_chunk(chunk).is_some_and(|symbol| match project.symbol_kind(symbol) {
                SymbolKind::Section => {
                    let (file, local) = project.local_chunk(chunk);
                    project.files()[file].facts.collapsed(local).next().is_some()
                }
                kind => kind.has_members(),
            });
        let is_long = project.chunk(chunk).lines.count() > LONG_CONTAINER_LINES;
        if shown == Shown::Full && is_container && is_long {
            return None;
        }
        if let Some(cost) = self.costs.get(&(chunk, shown)) {
            return Some(*cost);
        }
        let code = self.code(chunk, shown)?;
        let cost = self.counter.count(&code) + FRAME_TOKENS;
        self.costs.insert((chunk, shown), cost);
        Some(cost)
    }

    /// The code of a chunk; `None` if that takes the file's text and the file has changed.
    fn code(&mut self, chunk: ChunkId, shown: Shown) -> Option<String> {
        let project = &self.snapshot.project;
        let facts = project.chunk(chunk);
        let (file, local) = project.local_chunk(chunk);
        if shown == Shown::Signature {
            return Some(match project.symbol_of_chunk(chunk) {
                Some(symbol) => project.symbol(symbol).signature.to_string(),
                None => facts.name.to_string(),
            });
        }
        let text = self.sources.entry(file).or_insert_with(|| self.snapshot.source(file)).as_deref()?;
        if shown == Shown::Collapsed {
            let file = &project.files()[file];
            return Some(file.facts.chunk_text(local, text, file.language.stub));
        }
        let first = facts.lines.start as usize - 1;
        let lines: Vec<&str> = text.lines().skip(first).take(facts.lines.count() as usize).collect();
        Some(lines.join("\n"))
    }

    fn result(&mut self, selected: &Selected) -> ResultItem {
        let Selected { hit, shown } = selected;
        let source = self.code(hit.chunk, *shown).unwrap_or_default();
        let project = &self.snapshot.project;
        let chunk = project.chunk(hit.chunk);
        let file = &project.files()[project.chunk_file(hit.chunk)];
        let symbol = project.symbol_of_chunk(hit.chunk);
        let is_code = file.language.corpus == Corpus::Code;
        let mut modifiers = Vec::new();
        if let Some(symbol) = symbol.map(|symbol| project.symbol(symbol)) {
            modifiers.extend(symbol.exported.then(|| "exported".to_owned()));
            modifiers.extend(symbol.modifiers.iter_names().map(|(name, _)| name.to_lowercase()));
        }
        ResultItem {
            chunk_id: project.chunk_key(hit.chunk),
            path: file.path.to_string(),
            start_line: chunk.lines.start,
            end_line: chunk.lines.end,
            kind: chunk.kind.to_string(),
            name: match symbol {
                Some(symbol) if is_code => project.qualified_name(symbol),
                _ => chunk.name.to_string(),
            },
            language: file.language.name.to_owned(),
            source_type: if is_code { SourceType::Code } else { SourceType::Document },
            trusted: is_code,
            heading_path: symbol
                .filter(|_| !is_code)
                .map_or_else(Vec::new, |symbol| headings(project, symbol)),
            signature: symbol.map_or_else(String::new, |symbol| project.symbol(symbol).signature.to_string()),
            modifiers,
            score: hit.score,
            explanation: if self.explains {
                hit.sources.iter().map(contribution).collect()
            } else {
                Vec::new()
            },
            rank_sources: hit.sources.iter().map(|s| (s.signal.as_str().to_owned(), s.rank)).collect(),
            shown: shown.as_str().to_owned(),
            source,
        }
    }

    fn connect(&self, answer: &mut Answer, chunks: &[ChunkId], graph: &Subgraph) {
        let (project, code) = (&self.snapshot.project, &self.snapshot.graph);
        let ids: Vec<String> = answer.results.iter().map(|result| result.chunk_id.clone()).collect();
        answer.subgraph_nodes = answer
            .results
            .iter()
            .map(|result| SubgraphNode {
                id: result.chunk_id.clone(),
                name: result.name.clone(),
                kind: result.kind.clone(),
                file: result.path.clone(),
            })
            .collect();
        let edges = graph.edges.iter().map(|edge| SubgraphEdge {
            source: ids[edge.source].clone(),
            target: ids[edge.target].clone(),
            relation: edge.edge.relation.as_str().to_owned(),
            line: edge.edge.line,
            confidence: edge.edge.confidence.as_str().to_owned(),
            candidates: edge.edge.candidates,
        });
        answer.subgraph_edges = edges.collect();
        let boundary = graph.boundary.iter().map(|edge| {
            let source_file = match code.node(edge.edge.source) {
                Node::File(file) => Some(file),
                Node::Symbol(symbol) => Some(project.symbol_file(symbol)),
                Node::Boundary(_) => None,
            };
            BoundaryEdge {
                result: ids[edge.chunk].clone(),
                relation: match edge.direction {
                    Direction::Outgoing => edge.edge.relation.as_str().to_owned(),
                    Direction::Incoming => edge.edge.relation.reverse_name().to_owned(),
                },
                other: code.label(project, edge.outside),
                in_project: !matches!(code.node(edge.outside), Node::Boundary(_)),
                line: edge.edge.line,
                file: source_file.map_or_else(String::new, |file| project.files()[file].path.to_string()),
                confidence: edge.edge.confidence.as_str().to_owned(),
                candidates: edge.edge.candidates,
            }
        });
        answer.subgraph_boundary = boundary.collect();
        answer.omitted_boundary_edges = graph.boundary_omitted;
        answer.subgraph_order = graph.order.iter().map(|at| ids[*at].clone()).collect();
        answer.subgraph_cycles =
            graph.cycles.iter().map(|cycle| cycle.iter().map(|at| ids[*at].clone()).collect()).collect();

        for (at, chunk) in chunks.iter().enumerate() {
            let Some(symbol) = project.symbol_of_chunk(*chunk) else { continue };
            let declaration = project.symbol(symbol);
            let called = code
                .edges_at(code.id(Node::Symbol(symbol)), Direction::Incoming)
                .any(|edge| !edge.relation.is_containment());
            // An overload without a body is never called itself: its implementation is.
            if declaration.kind.is_callable() && declaration.body.is_some() && !called {
                let uses = code.unresolved(&declaration.name).len();
                let name = declaration.name.to_string();
                answer.unresolved_uses.push(UnresolvedUses { result: ids[at].clone(), name, uses });
            }
        }
    }

    fn index_state(&self, chunks: &[ChunkId]) -> IndexState {
        let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &self.snapshot.skipped {
            *skipped.entry(file.reason.class()).or_default() += 1;
        }
        let project = &self.snapshot.project;
        let mut stale: Vec<String> = chunks
            .iter()
            .map(|chunk| project.chunk_file(*chunk))
            .filter(|file| self.sources.get(file).is_some_and(Option::is_none))
            .map(|file| project.files()[file].path.to_string())
            .collect();
        stale.sort();
        stale.dedup();
        IndexState {
            files: project.files().len(),
            pending: self.snapshot.pending,
            skipped: skipped
                .into_iter()
                .map(|(reason, files)| SkippedCount { reason: reason.to_owned(), files })
                .collect(),
            stale,
        }
    }
}

/// Of a query that fills a page an answer repeats so many characters.
const QUERY_CHARACTERS: usize = 300;

fn excerpt(query: &str) -> String {
    match query.char_indices().nth(QUERY_CHARACTERS) {
        Some((end, _)) => format!("{}…", &query[..end]),
        None => query.to_owned(),
    }
}

/// The names of the sections around a part of a document, outermost first, and its own.
fn headings(project: &Project, symbol: SymbolId) -> Vec<String> {
    let around = project.self_and_ancestors(symbol);
    let sections = around.filter(|symbol| project.symbol_kind(*symbol) == SymbolKind::Section);
    let mut names: Vec<String> = sections.map(|symbol| project.symbol_name(symbol).to_owned()).collect();
    names.reverse();
    names
}

fn contribution(source: &RankSource) -> Contribution {
    let RankSource { signal, rank, score, contribution } = *source;
    Contribution { signal: signal.as_str().to_owned(), rank, score, contribution }
}
