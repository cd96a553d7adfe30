//! An indexed repository and its results.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sscg::{Engine, EngineOptions, ErrorKind, SearchRequest, Storage};
use sscg_core::ChunkId;
use sscg_index::Snapshot;
use sscg_retrieve::{Filters, Hit, Query, RankOptions, rank};

use super::dataset::{Group, Question, Repository, under};
use super::metrics::{AnswerCoverage, BUDGETS, ResultLocation, of_answer, of_ranking};

/// A repository, ready for its questions.
pub(super) struct Session<'a> {
    name: &'a str,
    repository: &'a Repository,
    engine: Engine,
    pub(super) snapshot: Arc<Snapshot>,
    options: RankOptions,
    times: Times,
}

/// Results of a question.
pub(super) struct Row {
    pub(super) repository: String,
    pub(super) language: String,
    pub(super) category: String,
    pub(super) group: Group,
    pub(super) query: String,
    /// All chunks, each at its best result, best first.
    pub(super) ranking: Vec<ChunkId>,
    /// Score for each column of the table.
    pub(super) scores: Vec<f64>,
    /// Contents of the answer of each budget, if answers were requested.
    pub(super) answers: Vec<AnswerCoverage>,
}

/// Times of a repository.
#[derive(Default)]
pub(super) struct Times {
    pub(super) repository: String,
    /// Seconds from nothing to the first ranking, without an index on disk.
    pub(super) index: f64,
    /// Milliseconds for each ranking of a snapshot.
    pub(super) rank: Vec<f64>,
    /// Milliseconds for each answer with the default budget, from the check for changes to the text.
    pub(super) answer: Vec<f64>,
}

impl<'a> Session<'a> {
    /// Indexes the folder `root`, and ranks once so that no question's time includes lazy initialization.
    pub(super) fn open(
        name: &'a str,
        repository: &'a Repository,
        root: &Path,
        options: &RankOptions,
    ) -> Result<Self> {
        let start = Instant::now();
        let storage = EngineOptions::stored_in(Storage::Ephemeral);
        let engine = Engine::open_with(root, storage.with_rank(options.clone()))?;
        let (snapshot, _) = engine.refresh()?;
        rank(&snapshot, &Query::parse("open a file", Filters::default())?, options);
        let index = start.elapsed().as_secs_f64();
        let times = Times { repository: name.to_owned(), index, ..Times::default() };
        Ok(Self { name, repository, engine, snapshot, options: options.clone(), times })
    }

    /// Ranks and scores each question.
    pub(super) fn rows(&mut self, questions: &[Question]) -> Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(questions.len());
        for question in questions {
            let start = Instant::now();
            let hits = self.rank(question, &self.options)?;
            self.times.rank.push(milliseconds(start));
            rows.push(self.row(question, &hits));
        }
        Ok(rows)
    }

    /// Ranks and scores each question with other options, without timing.
    pub(super) fn rows_with(&self, questions: &[Question], options: &RankOptions) -> Result<Vec<Row>> {
        let row = |question| Ok(self.row(question, &self.rank(question, options)?));
        questions.iter().map(row).collect()
    }

    /// Adds the contents of answers of all budgets to each row.
    pub(super) fn add_answers(&mut self, questions: &[Question], rows: &mut [Row]) -> Result<()> {
        for (question, row) in questions.iter().zip(rows) {
            for budget in BUDGETS {
                let start = Instant::now();
                let shown = self.answer(question, budget)?;
                if budget == SearchRequest::new("").budget {
                    self.times.answer.push(milliseconds(start));
                }
                row.scores.push(shown.code);
                row.answers.push(shown);
            }
        }
        Ok(())
    }

    pub(super) fn times(self) -> Times {
        self.times
    }

    pub(super) fn rank(&self, question: &Question, options: &RankOptions) -> Result<Vec<Hit>> {
        let query = Query::parse(&question.query, Filters::default())
            .with_context(|| format!("{} of {}", question.query, self.name))?;
        Ok(rank(&self.snapshot, &query, options))
    }

    /// Returns the location of a hit, relative to the repository's root.
    pub(super) fn place(&self, chunk: ChunkId) -> ResultLocation {
        let project = &self.snapshot.project;
        let path = &project.files()[project.chunk_file(chunk)].path;
        (under(self.prefix(), path), project.chunk(chunk).lines)
    }

    fn row(&self, question: &Question, hits: &[Hit]) -> Row {
        // Several windows of one chunk may be hits.
        let mut seen = HashSet::new();
        let chunks: Vec<ChunkId> =
            hits.iter().map(|hit| hit.chunk).filter(|chunk| seen.insert(*chunk)).collect();
        let ranking: Vec<ResultLocation> = chunks.iter().map(|chunk| self.place(*chunk)).collect();
        let targets = question.targets();
        Row {
            repository: self.name.to_owned(),
            language: self.repository.language.clone(),
            category: question.category().to_owned(),
            group: Group::of(&question.query, &targets),
            query: question.query.clone(),
            ranking: chunks,
            scores: of_ranking(&ranking, &targets).to_vec(),
            answers: Vec::new(),
        }
    }

    /// Returns the contents of an answer of this budget: nothing if the budget is too small for any.
    fn answer(&mut self, question: &Question, budget: usize) -> Result<AnswerCoverage> {
        let request = SearchRequest::new(&question.query).with_budget(budget);
        match self.engine.search(&request) {
            Ok(response) => {
                let count = response.answer.token_count;
                ensure!(count <= budget, "{count} tokens for a budget of {budget}: {}", question.query);
                Ok(of_answer(&response.answer, self.prefix(), &question.targets()))
            }
            Err(error) if error.kind() == ErrorKind::Request => Ok(AnswerCoverage::default()),
            Err(error) => Err(error.into()),
        }
    }

    fn prefix(&self) -> &str {
        self.repository.benchmark_root.as_deref().unwrap_or_default()
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
