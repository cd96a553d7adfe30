//! Answers in a long-running process.

use std::time::Instant;

use anyhow::Result;
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_index::Snapshot;
use sscg_retrieve::{Filters, Query, RankOptions, rank};

use super::Subject;
use super::peers::{Opened, Semble};
use crate::bench::times::Times;

/// Times of questions in milliseconds.
#[derive(Default)]
pub(super) struct Warm {
    /// Rankings of a snapshot.
    pub(super) rank: Times,
    /// Answers, from the check for changes of the tree to the text.
    pub(super) answer: Times,
}

/// Times each question about each tree, and prints a row per tree.
pub(super) fn run(subjects: &[Subject], semble: &mut Semble, rounds: usize) -> Result<()> {
    println!(
        "\nLater answers in process, in ms: median / 95% within. A ranking is of what is in memory, as all of"
    );
    println!("semble's answer is; an answer looks whether the tree changed first, and writes text last\n");
    println!(
        "| repository | files, chunks | sscg ranking | sscg answer | semble: files, chunks | semble | ranking / semble |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for Subject { name, root, questions } in subjects {
        let engine = Engine::open_with(root, EngineOptions::stored_in(Storage::Ephemeral))?;
        let (snapshot, _) = engine.refresh()?;
        let Opened { files, chunks, .. } = semble.open(&questions[0], root, 0)?;
        let (mut ours, mut theirs) = (Warm::default(), Times::default());
        for round in 0..=rounds {
            let warm = ask(&engine, &snapshot, questions)?;
            let their_times = semble.ask(questions)?;
            if round > 0 {
                ours.add(warm);
                theirs.extend(their_times);
            }
        }
        println!(
            "| {name} | {}, {} | {} | {} | {files}, {chunks} | {} | {:.2} |",
            snapshot.project.files().len(),
            snapshot.project.chunk_count(),
            ours.rank,
            ours.answer,
            theirs,
            ours.rank.median() / theirs.median()
        );
    }
    Ok(())
}

/// Runs each question once.
pub(super) fn ask(engine: &Engine, snapshot: &Snapshot, questions: &[String]) -> Result<Warm> {
    let options = RankOptions::default();
    let mut warm = Warm::default();
    for question in questions {
        let start = Instant::now();
        rank(snapshot, &Query::parse(question, Filters::default())?, &options);
        warm.rank.push(start.elapsed());
    }
    for question in questions {
        let start = Instant::now();
        engine.search(&SearchRequest::new(question))?;
        warm.answer.push(start.elapsed());
    }
    Ok(warm)
}

impl Warm {
    pub(super) fn add(&mut self, other: Self) {
        self.rank.extend(other.rank);
        self.answer.extend(other.answer);
    }
}
