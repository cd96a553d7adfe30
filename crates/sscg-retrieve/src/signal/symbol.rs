//! Declarations named in the question.

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, SymbolId, SymbolKind};
use sscg_index::{Field, Posting, query_terms, words};

use super::{Signal, SignalContext, SignalId, SignalScores};

/// Scores declarations that the question names exactly (`block_on`, `JoinHandle`), and those whose name consists of
/// words of the question (`spawn_blocking` for "spawn a blocking task"). A file scores as its best declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct SymbolSignal {
    /// Weight of a declaration whose name is the whole question: more than all other signals together.
    #[schemars(range(min = 0.0))]
    pub asked: f64,
    /// Weight of a declaration named in the question, written as a name.
    #[schemars(range(min = 0.0))]
    pub named: f64,
    /// Number of files with a name above which it counts less in each.
    #[schemars(range(min = 1.0))]
    pub named_files: f64,
    /// Weight of a declaration whose name's words are all in the question, times their share of the question by idf.
    #[schemars(range(min = 0.0))]
    pub described: f64,
    /// Factor for names that differ from the question's in case or underscores.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub inexact: f64,
    /// Factor for declarations in test code, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test_code: f64,
}

impl Default for SymbolSignal {
    fn default() -> Self {
        Self { asked: 3.0, named: 0.25, named_files: 3.0, described: 0.35, inexact: 0.5, test_code: 0.2 }
    }
}

impl Signal for SymbolSignal {
    fn id(&self) -> SignalId {
        SignalId::SYMBOL
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let mut named: FxHashMap<ChunkId, f64> = FxHashMap::default();
        self.named(context, &mut named);
        let mut chunks = self.described(context);
        chunks.extend(named);
        chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
        chunks.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        let project = &context.snapshot.project;
        let mut evidence = SignalScores { chunks, ..SignalScores::default() };
        for (chunk, score) in &mut evidence.chunks {
            if context.is_unwanted_test(*chunk) {
                *score *= self.test_code;
            }
            let file = project.chunk_file(*chunk);
            match evidence.files.last_mut() {
                Some((last, best)) if *last == file => *best = best.max(*score),
                _ => evidence.files.push((file, *score)),
            }
        }
        evidence
    }
}

impl SymbolSignal {
    /// Scores names written as such. A name of many declarations counts less for each, unless it is the whole question.
    fn named(&self, context: &SignalContext<'_>, scores: &mut FxHashMap<ChunkId, f64>) {
        let project = &context.snapshot.project;
        let is_all = words(&context.query.prose).nth(1).is_none();
        for name in context.query.names(&context.prose) {
            let symbols: Vec<SymbolId> = project.definitions_named(name).collect();
            let mut files: Vec<FileId> = symbols.iter().map(|symbol| project.symbol_file(*symbol)).collect();
            files.dedup();
            let weight = if is_all {
                self.asked
            } else {
                self.named * self.named_files / (files.len() as f64).max(self.named_files)
            };
            let name_words = query_terms(name);
            for symbol in symbols {
                let exact = if project.symbol_name(symbol) == name { 1.0 } else { self.inexact };
                let score = weight * exact * name_prior(context, symbol, &name_words);
                let best = scores.entry(project.chunk_of_symbol(symbol)).or_default();
                *best = best.max(score);
            }
        }
    }

    /// Scores names whose words all occur in the question; words of enclosing declarations count half.
    fn described(&self, context: &SignalContext<'_>) -> Vec<(ChunkId, f64)> {
        let project = &context.snapshot.project;
        let occurrences = context.occurrences();
        let total = context.total_weight();
        let is_name = |field| matches!(field, Field::Name | Field::Qualifier);
        let blocks = occurrences.in_blocks(|files| {
            let mut described = Vec::new();
            let mut found: Vec<(Posting, f64)> = Vec::new();
            for file in files {
                found.clear();
                for (at, in_file) in occurrences.of(file) {
                    let weight = context.terms[at].weight;
                    found.extend(in_file.in_fields(is_name).map(|posting| (posting, weight)));
                }
                found.sort_by_key(|(posting, _)| posting.chunk);
                for of_chunk in found.chunk_by(|(a, _), (b, _)| a.chunk == b.chunk) {
                    let chunk = of_chunk[0].0.chunk;
                    let Some(weight) = described_weight(of_chunk) else { continue };
                    let Some(symbol) = project.symbol_of_chunk(chunk) else { continue };
                    if project.symbol_kind(symbol) != SymbolKind::Impl {
                        described.push((chunk, self.described * weight / total));
                    }
                }
            }
            described
        });
        blocks.into_iter().flatten().collect()
    }
}

/// Returns the weight of the question's terms in a chunk's name and around it, if they include all words of the name.
fn described_weight(found: &[(Posting, f64)]) -> Option<f64> {
    let (mut count, mut length, mut name, mut around) = (0, None, 0.0, 0.0);
    for (posting, weight) in found {
        if posting.field == Field::Name {
            count += u32::from(posting.count);
            length = length.or(Some(posting.length));
            name += weight;
        } else {
            around += weight;
        }
    }
    // The joined compound is one of a name's terms and need not be in the question.
    let is_whole = length.is_some_and(|length| count >= length - u32::from(length > 1));
    is_whole.then_some(name + 0.5 * around)
}

/// Returns the prior of a declaration among those of its name: types before functions before constants, less nested
/// ones first, with a bonus in a file of the same name. `Reader.Integers.cs` holds a part of a type, `Reader.cs` the
/// type.
fn name_prior(context: &SignalContext<'_>, symbol: SymbolId, name_words: &[String]) -> f64 {
    let project = &context.snapshot.project;
    let kind = match project.symbol_kind(symbol) {
        kind if kind.is_type() || kind == SymbolKind::Section => 1.0,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => 0.85,
        SymbolKind::Constant | SymbolKind::Variable => 0.75,
        SymbolKind::Impl => 0.55,
        _ => 0.4,
    };
    let file = project.symbol_file(symbol);
    let path = context.snapshot.lexical().path_terms(file);
    let file_name = project.files()[file].path.rsplit('/').next().unwrap_or_default();
    let is_part = file_name.matches('.').count() > 1;
    let file = if !is_part && path.stem().map(|term| term.text).eq(name_words.iter().map(String::as_str)) {
        0.5
    } else if path.stem().next().map(|term| term.text) == name_words.first().map(String::as_str) {
        0.15
    } else {
        0.0
    };
    let nesting = project.self_and_ancestors(symbol).skip(1).count() as f64;
    (kind + file - 0.05 * nesting).max(0.1)
}
