//! Explanation of a ranking.

use sscg_retrieve::{Hit, RankSource};

use super::dataset::{Group, Question};
use super::metrics::{ResultLocation, of_ranking};
use super::session::Session;

/// Number of results shown.
const SHOWN: usize = 10;

/// Prints a question with its score over chunks, the ranks of its targets in the whole ranking, and the first results,
/// each with its score, and its rank and contribution in the list of each signal that found it. A star marks targets.
pub(super) fn explain(name: &str, session: &Session<'_>, question: &Question, hits: &[Hit]) {
    let targets = question.targets();
    let places: Vec<ResultLocation> = hits.iter().map(|hit| session.place(hit.chunk)).collect();
    let group = Group::of(&question.query, &targets).as_str();
    let [chunks, ..] = of_ranking(&places, &targets);
    println!("{chunks:.3} {name}: {} ({}, {group})", question.query, question.category());
    for target in &targets {
        let rank = places.iter().position(|(path, lines)| target.is_hit_by(path, *lines));
        let found = rank.map_or_else(
            || "not found".to_owned(),
            |rank| format!("at {} by {}", rank + 1, sources(&hits[rank].sources)),
        );
        println!("      {target}: {found}");
    }
    for (at, (hit, (path, lines))) in hits.iter().zip(&places).take(SHOWN).enumerate() {
        let star = if targets.iter().any(|target| target.is_hit_by(path, *lines)) { '*' } else { ' ' };
        let key = session.snapshot.project.chunk_key(hit.chunk);
        println!("{:>4}{star} {:.4} {key} by {}", at + 1, hit.score, sources(&hit.sources));
    }
}

fn sources(sources: &[RankSource]) -> String {
    let source = |it: &RankSource| format!("{} #{} {:+.4}", it.signal, it.rank, it.contribution);
    sources.iter().map(source).collect::<Vec<_>>().join(", ")
}
