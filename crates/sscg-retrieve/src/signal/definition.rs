//! Declarations that the question names.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, SymbolId, SymbolKind};
use sscg_index::{Field, query_terms, words};

use super::{Context, Evidence, Signal, SignalId};

/// Scores declarations that the question names outright (`block_on`, `JoinHandle`), and those whose name's words the
/// question all mentions (`spawn_blocking` for "spawn a blocking task"). A file is as good as its best declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Definition {
    /// What a declaration counts whose name is the whole question: more than all other signals together.
    #[schemars(range(min = 0.0))]
    pub asked: f64,
    /// What one counts whose name stands in the question, written as a name.
    #[schemars(range(min = 0.0))]
    pub named: f64,
    /// In how many files a name may be declared before it says less of each.
    #[schemars(range(min = 1.0))]
    pub named_files: f64,
    /// What one counts all of whose name's words stand in the question, times the share of the question, by idf, that
    /// these are.
    #[schemars(range(min = 0.0))]
    pub described: f64,
    /// What a name counts that differs from the question's in case or underscores.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub inexact: f64,
    /// What a declaration in test code counts, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test_code: f64,
}

impl Default for Definition {
    fn default() -> Self {
        Self { asked: 3.0, named: 0.25, named_files: 3.0, described: 0.18, inexact: 0.5, test_code: 0.4 }
    }
}

impl Signal for Definition {
    fn id(&self) -> SignalId {
        SignalId::Definition
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Evidence {
        let mut scores: FxHashMap<ChunkId, f64> = FxHashMap::default();
        self.named(context, &mut scores);
        self.described(context, &mut scores);
        let project = &context.snapshot.project;
        let mut evidence = Evidence { files: Vec::new(), chunks: scores.into_iter().collect() };
        evidence.chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
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

impl Definition {
    /// Names written as such. A name of many declarations says less of each, unless nothing else is asked.
    fn named(&self, context: &Context<'_>, scores: &mut FxHashMap<ChunkId, f64>) {
        let project = &context.snapshot.project;
        let is_all = words(&context.query.text).nth(1).is_none();
        for name in context.query.names() {
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
                let score = weight * exact * prominence(context, symbol, &name_words);
                let best = scores.entry(project.chunk_of_symbol(symbol)).or_default();
                *best = best.max(score);
            }
        }
    }

    /// Names all of whose words stand somewhere in the question; words of the declaration around count half.
    fn described(&self, context: &Context<'_>, scores: &mut FxHashMap<ChunkId, f64>) {
        let project = &context.snapshot.project;
        let lexical = context.snapshot.lexical();
        let total = context.total_idf();
        // For each chunk whose name has a word of the question: how many, of how many, and their idf; and the idf of the
        // words in the names around it.
        let mut names: FxHashMap<ChunkId, (u32, u32, f64)> = FxHashMap::default();
        let mut around: FxHashMap<ChunkId, f64> = FxHashMap::default();
        for term in &context.terms {
            let postings = term.entry.iter().flat_map(|entry| lexical.postings(entry));
            for posting in postings.flat_map(|file| file.iter()) {
                match posting.field {
                    Field::Name => {
                        let name = names.entry(posting.chunk).or_insert((0, posting.length, 0.0));
                        name.0 += u32::from(posting.count);
                        name.2 += term.idf;
                    }
                    Field::Qualifier => *around.entry(posting.chunk).or_default() += term.idf,
                    _ => {}
                }
            }
        }
        for (chunk, (found, length, mut idf)) in names {
            // The joined compound is one of a name's terms and need not be in the question.
            if found < length - u32::from(length > 1) {
                continue;
            }
            let Some(symbol) = project.symbol_of_chunk(chunk) else { continue };
            if project.symbol_kind(symbol) == SymbolKind::Impl {
                continue;
            }
            idf += 0.5 * around.get(&chunk).copied().unwrap_or_default();
            *scores.entry(chunk).or_default() += self.described * idf / total;
        }
    }
}

/// How likely a declaration is the one that is meant by its name: types before functions before constants, the larger
/// and the less nested first, above all in a file that is called the same.
fn prominence(context: &Context<'_>, symbol: SymbolId, name_words: &[String]) -> f64 {
    let project = &context.snapshot.project;
    let kind = match project.symbol_kind(symbol) {
        kind if kind.is_type() || kind == SymbolKind::Section => 1.0,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => 0.85,
        SymbolKind::Constant | SymbolKind::Variable => 0.75,
        SymbolKind::Impl => 0.55,
        _ => 0.4,
    };
    let path = context.snapshot.lexical().path_terms(project.symbol_file(symbol));
    let file = if path.stem().map(|term| term.text).eq(name_words.iter().map(String::as_str)) {
        0.5
    } else if path.stem().next().map(|term| term.text) == name_words.first().map(String::as_str) {
        0.15
    } else {
        0.0
    };
    let lines = f64::from(project.chunk_lines(project.chunk_of_symbol(symbol)).count());
    let nesting = project.self_and_ancestors(symbol).skip(1).count() as f64;
    (kind + file + 0.04 * lines.ln() - 0.05 * nesting).max(0.1)
}
