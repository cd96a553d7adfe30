//! Declarations that the question names.

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, SymbolId, SymbolKind};
use sscg_index::{Field, query_terms};

use super::{Context, Signal, SignalId};

/// Scores the chunks of declarations that the question names outright (`block_on`, `JoinHandle`), and of
/// those whose name's words the question all mentions (`spawn_blocking` for "spawn a blocking task").
#[derive(Clone, Debug, Default)]
pub struct Definition;

impl Signal for Definition {
    fn id(&self) -> SignalId {
        SignalId::Definition
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Vec<(ChunkId, f64)> {
        let mut scores: FxHashMap<ChunkId, f64> = FxHashMap::default();
        self.named(context, &mut scores);
        self.mentioned(context, &mut scores);
        scores.into_iter().collect()
    }
}

impl Definition {
    /// Names written as such. A name of many declarations says less of each.
    fn named(&self, context: &Context<'_>, scores: &mut FxHashMap<ChunkId, f64>) {
        let project = &context.snapshot.project;
        for name in context.query.names() {
            let symbols: Vec<SymbolId> = project.definitions_named(name).collect();
            let share = 10.0 / (symbols.len() as f64).max(3.0);
            for symbol in symbols {
                let exact = if project.symbol_name(symbol) == name { 1.0 } else { 0.5 };
                let kind = match project.symbol_kind(symbol) {
                    kind if kind.is_type() => 1.0,
                    SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => 0.85,
                    SymbolKind::Constant | SymbolKind::Variable => 0.75,
                    _ => 0.4,
                };
                let score = share * exact * kind;
                let best = scores.entry(project.chunk_of_symbol(symbol)).or_default();
                *best = best.max(score);
            }
        }
    }

    /// Names all of whose words stand somewhere in the question, the rarer the words the better; words of the
    /// declarations around them count half.
    fn mentioned(&self, context: &Context<'_>, scores: &mut FxHashMap<ChunkId, f64>) {
        let project = &context.snapshot.project;
        let lexical = context.snapshot.lexical();
        let mut candidates: Vec<ChunkId> = Vec::new();
        for term in context.terms.iter().filter_map(|term| term.entry.as_ref()) {
            let postings = lexical.postings(term).flat_map(|file| file.iter());
            let in_name = postings.filter(|posting| posting.field == Field::Name);
            candidates.extend(in_name.map(|posting| posting.chunk));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let strongest: f64 = context.terms.iter().map(|term| term.idf).sum();
        if strongest <= 0.0 {
            return;
        }
        for chunk in candidates {
            let Some(symbol) = project.symbol_of_chunk(chunk) else { continue };
            if project.symbol_kind(symbol) == SymbolKind::Impl {
                continue;
            }
            let mut own = 0.0;
            let words = query_terms(project.symbol_name(symbol));
            // The joined compound is one of a name's terms and need not be in the question.
            let parts = words.len().saturating_sub(usize::from(words.len() > 1));
            let matched =
                words.iter().filter_map(|word| context.term(word)).map(|term| own += term.idf).count();
            if matched == 0 || matched < parts {
                continue;
            }
            let mut around = 0.0;
            if let Some(parent) = project.parent(symbol) {
                let words = query_terms(project.symbol_name(parent));
                around = words.iter().filter_map(|word| context.term(word)).map(|term| term.idf).sum();
            }
            *scores.entry(chunk).or_default() += (own + 0.5 * around) / strongest;
        }
    }
}
