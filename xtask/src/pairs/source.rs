//! Pairs and chunks of one source file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use anyhow::Result;
use sscg_core::{FileFacts, Id, LineRange, LocalChunk, LocalSymbol, Symbol};
use sscg_index::{Field, FileTerms, stems};

use super::{Chunk, Fields, Pair, prose, query_stems};
use crate::corpus::Source;

/// Maximum number of chunks that represent a whole file.
const CHUNKS_OF_A_FILE: usize = 2;

/// A file with the terms of its chunks.
pub(super) struct Parsed<'s> {
    source: &'s Source,
    text: &'s str,
    facts: FileFacts,
    /// Terms of each chunk, without compounds, which the model does not cover.
    fields: Vec<Fields>,
    package: String,
    /// Path of the file in its package.
    file: String,
    path: Vec<String>,
}

impl<'s> Parsed<'s> {
    pub(super) fn new(package: &Path, source: &'s Source, text: &'s str) -> Result<Self> {
        let file = source.path.strip_prefix(package)?.to_string_lossy().into_owned();
        let facts = source.file_type.extract(text);
        let known: HashSet<String> = stems(text).into_iter().collect();
        let mut fields = vec![Fields::new(); facts.chunks.len()];
        let terms = FileTerms::new(&facts, text, source.file_type.language.stub, None);
        for (term, counts) in terms.iter().filter(|(term, _)| known.contains(*term)) {
            for count in counts {
                let field = fields[count.chunk.index()].entry(name_of(count.field)).or_default();
                field.insert(term.to_owned(), count.count.into());
            }
        }
        Ok(Self {
            source,
            text,
            facts,
            fields,
            package: package.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            path: path_terms(&file),
            file,
        })
    }

    pub(super) fn add_chunks(self, chunks: &mut Vec<Chunk>) {
        for (chunk, fields) in self.facts.chunks.iter().zip(self.fields) {
            chunks.push(Chunk {
                package: self.package.clone(),
                file: self.file.clone(),
                first_line: chunk.lines.start,
                last_line: chunk.lines.end,
                path: self.path.clone(),
                fields,
            });
        }
    }

    pub(super) fn add_pairs(&self, pairs: &mut Vec<Pair>) {
        for (id, symbol) in self.facts.symbols.iter_enumerated() {
            if let Some(query) = symbol.doc.as_deref().and_then(prose::summary) {
                let (kind, fields) = self.documented(id, symbol);
                pairs.push(self.pair(kind, &query, fields));
            }
        }
        for comment in prose::comments(self.text, self.source.file_type.language.modules) {
            let fields = Fields::from([(name_of(Field::Body), counts(&comment.code))]);
            pairs.push(self.pair("comment", &comment.text, fields));
        }
        let description = self.facts.doc.as_deref().and_then(prose::summary);
        for chunk in self.largest() {
            if self.path.len() > 1 {
                pairs.push(self.pair("path", &self.path.join(" "), self.fields[chunk].clone()));
            }
            if let Some(description) = &description {
                pairs.push(self.pair("file", description, self.fields[chunk].clone()));
            }
        }
    }

    /// Returns a pair of a text with each declaration that has one of some lines: the innermost one, and none of tests.
    pub(super) fn pairs_at(&self, text: &str, changed: &[LineRange]) -> Vec<Pair> {
        let has_code = |line: &str| line.contains(char::is_alphanumeric);
        let lines: Vec<bool> = self.text.lines().map(has_code).collect();
        let changed = changed.iter().flat_map(|range| range.start..=range.end);
        let with_code = changed.filter(|line| lines.get(*line as usize - 1).is_some_and(|it| *it));
        let declarations: BTreeSet<LocalChunk> =
            with_code.filter_map(|line| self.declaration_at(line)).collect();
        let chunks = declarations.into_iter().map(|chunk| self.fields[chunk.index()].clone());
        chunks.map(|fields| self.pair("commit", text, fields)).collect()
    }

    /// Returns the chunk of the innermost declaration with a line, unless it is a test.
    fn declaration_at(&self, line: u32) -> Option<LocalChunk> {
        let chunks = self.facts.chunks.iter_enumerated();
        let around = chunks.filter(|(_, chunk)| (chunk.lines.start..=chunk.lines.end).contains(&line));
        let (id, symbol) = around
            .filter_map(|(id, chunk)| Some((id, chunk.symbol?, chunk.lines.count())))
            .min_by_key(|(.., count)| *count)
            .map(|(id, symbol, _)| (id, symbol))?;
        let is_test = |symbol: LocalSymbol| {
            let name = &*self.facts.symbols[symbol].name;
            matches!(name, "test" | "tests") || name.starts_with("test_")
        };
        (!is_test(symbol) && !self.facts.ancestors(symbol).any(is_test)).then_some(id)
    }

    fn pair(&self, kind: &'static str, text: &str, fields: Fields) -> Pair {
        Pair {
            package: self.package.clone(),
            kind,
            query: query_stems(text),
            path: self.path.clone(),
            fields,
        }
    }

    /// Returns the kind and terms of a declaration without its documentation.
    fn documented(&self, id: LocalSymbol, symbol: &Symbol) -> (&'static str, Fields) {
        if self.facts.chunks[symbol.chunk].symbol != Some(id) {
            let mut qualifier = BTreeMap::new();
            for ancestor in self.facts.ancestors(id) {
                for (term, count) in counts(&self.facts.symbols[ancestor].name) {
                    *qualifier.entry(term).or_default() += count;
                }
            }
            let fields = [
                (Field::Name, counts(&symbol.name)),
                (Field::Qualifier, qualifier),
                (Field::Signature, counts(&symbol.signature)),
            ];
            return ("member", fields.map(|(field, counts)| (name_of(field), counts)).into());
        }
        let mut fields = self.fields[symbol.chunk.index()].clone();
        let doc = fields.remove(name_of(Field::Doc)).unwrap_or_default();
        if let Some(body) = fields.get_mut(name_of(Field::Body)) {
            body.retain(|term, count| {
                *count = count.saturating_sub(doc.get(term).copied().unwrap_or(0));
                *count > 0
            });
        }
        ("doc", fields)
    }

    /// Returns the indices of the largest top-level declarations, largest first.
    fn largest(&self) -> Vec<usize> {
        let mut outer: Vec<(u32, LocalChunk)> = self
            .facts
            .chunks
            .iter_enumerated()
            .filter(|(_, chunk)| chunk.parent.is_none() && chunk.symbol.is_some())
            .map(|(id, chunk)| (chunk.span.end - chunk.span.start, id))
            .collect();
        outer.sort_by_key(|&(len, id)| (std::cmp::Reverse(len), id));
        outer.iter().take(CHUNKS_OF_A_FILE).map(|&(_, id)| id.index()).collect()
    }
}

/// Returns the terms of a path without the file extension, each once.
fn path_terms(path: &str) -> Vec<String> {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let mut terms = stems(directories);
    terms.extend(stems(stem));
    let mut seen = HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    terms
}

/// Counts the occurrences of each stem in a text.
fn counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for stem in stems(text) {
        *counts.entry(stem).or_default() += 1;
    }
    counts
}

fn name_of(field: Field) -> &'static str {
    match field {
        Field::Name => "name",
        Field::Qualifier => "qualifier",
        Field::Signature => "signature",
        Field::Doc => "doc",
        Field::Body => "body",
        Field::Members => "members",
    }
}
