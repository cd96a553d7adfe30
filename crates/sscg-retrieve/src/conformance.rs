//! Contract that every [`Signal`] implementation must meet. Implementations run [`check_signal`] in their tests.

use std::collections::BTreeSet;

use sscg_core::{ChunkId, Id};
use sscg_index::Snapshot;

use crate::{Filters, Query, QueryMode, RankOptions, Signal, SignalContext, rank};

/// Checks a signal with some questions on a snapshot: its name is its own, its scores are finite and above 0, each
/// file and chunk is scored once and is part of the snapshot, and the same question gives the same scores.
///
/// # Panics
/// If the signal violates the contract, or if a question is not valid.
pub fn check_signal(signal: &dyn Signal, snapshot: &Snapshot, questions: &[&str]) {
    let name = signal.id();
    assert!(!name.is_built_in() && !name.as_str().is_empty(), "the name `{name}` is taken or empty");
    assert!(signal.weight().is_finite() && signal.weight() >= 0.0, "the weight is {}", signal.weight());
    let (files, chunks) = (snapshot.project.files().len(), snapshot.project.chunk_count());
    for question in questions {
        let query = Query::parse(question, Filters::default()).expect("a valid question");
        let QueryMode::Words(terms) = &query.mode else { panic!("{question:?} is not a question in words") };
        let context = SignalContext::new(&query, snapshot, terms, terms.len());
        let ranked = rank(snapshot, &query, &RankOptions::default());
        let found: Vec<(ChunkId, f64)> =
            ranked.iter().take(signal.starts_from(snapshot)).map(|hit| (hit.chunk, hit.score)).collect();
        let evidence = signal.score(&context, &found);
        let scores = evidence.files.iter().map(|it| it.1).chain(evidence.chunks.iter().map(|it| it.1));
        for score in scores {
            assert!(score.is_finite() && score > 0.0, "{question:?}: a score is {score}");
        }
        let scored: BTreeSet<_> = evidence.files.iter().map(|(file, _)| file.index()).collect();
        assert_eq!(scored.len(), evidence.files.len(), "{question:?}: a file is scored twice");
        assert!(
            scored.last().is_none_or(|last| *last < files),
            "{question:?}: a file is not in the snapshot"
        );
        let scored: BTreeSet<_> = evidence.chunks.iter().map(|(chunk, _)| chunk.index()).collect();
        assert_eq!(scored.len(), evidence.chunks.len(), "{question:?}: a chunk is scored twice");
        assert!(
            scored.last().is_none_or(|last| *last < chunks),
            "{question:?}: a chunk is not in the snapshot"
        );
        for (chunk, line) in &evidence.lines {
            let lines = snapshot.project.chunk_lines(*chunk);
            assert!(
                (lines.start..=lines.end).contains(line),
                "{question:?}: line {line} is not in its chunk"
            );
        }
        assert_eq!(
            signal.score(&context, &found),
            evidence,
            "{question:?}: the scores differ the second time"
        );
    }
}
