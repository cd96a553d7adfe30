//! Words of the question in results, with their places.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sscg_core::{ChunkId, FileId, LineIndex, LineRange, Span, Symbol};
use sscg_format::{WordField, WordMatch};
use sscg_index::{Field, Snapshot, words};
use sscg_parse::{FileType, Highlight};
use sscg_retrieve::{Hit, SoughtOccurrence, SoughtWords};

/// Maximum number of words that are listed for a result.
const MOST_WORDS: usize = 8;

/// Finder of the words that a ranking looked for in its results.
pub(super) struct WordFinder<'a> {
    snapshot: &'a Snapshot,
    sought: SoughtWords<'a>,
    /// Texts of files; `None` for files that have changed.
    texts: BTreeMap<FileId, Option<FileText>>,
    /// Words of the results so far.
    known: BTreeMap<(ChunkId, u32, u32), Vec<WordMatch>>,
}

/// Text of a file with the classes of its tokens.
struct FileText {
    source: String,
    lines: LineIndex,
    highlights: Vec<(Span, Highlight)>,
}

/// Occurrence with its place and its weight there.
struct Placed<'s, 't> {
    occurrence: SoughtOccurrence<'s, 't>,
    field: WordField,
    line: u32,
    weight: f64,
}

impl<'a> WordFinder<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, sought: SoughtWords<'a>) -> Self {
        Self { snapshot, sought, texts: BTreeMap::new(), known: BTreeMap::new() }
    }

    /// Returns the words of a hit, most weight first: each asked word and each word of the text once, where it counts
    /// most. A word of a phrase is left out if the phrase is listed.
    pub(super) fn of(&mut self, hit: &Hit) -> Vec<WordMatch> {
        let key = (hit.chunk, hit.lines.start, hit.lines.end);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let snapshot = self.snapshot;
        let file = snapshot.project.chunk_file(hit.chunk);
        self.texts.entry(file).or_insert_with(|| FileText::read(snapshot, file));
        let mut placed = self.in_path(file);
        if let Some(Some(text)) = self.texts.get(&file) {
            placed.extend(self.in_text(text, hit));
        }
        // The sort is stable: of equals, the first in the file.
        placed.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut found: Vec<&Placed<'_, '_>> = Vec::new();
        for it in &placed {
            let is_new = |known: &&Placed<'_, '_>| {
                let (known, sought) = (known.occurrence.sought, it.occurrence.sought);
                let is_in_phrase = words(&known.asked).any(|word| word == sought.asked);
                known.asked != sought.asked && known.term != sought.term && !is_in_phrase
            };
            if found.len() < MOST_WORDS && found.iter().all(is_new) {
                found.push(it);
            }
        }
        let found: Vec<WordMatch> = found.into_iter().map(Placed::word).collect();
        self.known.insert(key, found.clone());
        found
    }

    fn in_path(&self, file: FileId) -> Vec<Placed<'_, 'a>> {
        let found = self.sought.find_in_path(file).into_iter();
        found
            .map(|(occurrence, weight)| Placed { occurrence, field: WordField::Path, line: 0, weight })
            .collect()
    }

    /// Returns the words in the lines of a hit, in the head and the documentation of its declaration, and in the names
    /// around it.
    fn in_text<'s, 't>(&'s self, text: &'t FileText, hit: &Hit) -> Vec<Placed<'s, 't>>
    where
        'a: 't,
    {
        let project = &self.snapshot.project;
        let mut ranges = vec![hit.lines];
        let mut placed = Vec::new();
        let symbol = project.symbol_of_chunk(hit.chunk).map(|symbol| {
            let (file, local) = project.local_symbol(symbol);
            let facts = &project.files()[file].facts;
            for around in facts.ancestors(local).map(|around| &facts.symbols[around]) {
                for occurrence in self.sought.find(&around.name) {
                    placed.push(self.placed(occurrence, WordField::Qualifier, around.name_line));
                }
            }
            &facts.symbols[local]
        });
        let declaration = symbol.map(|symbol| Declaration::new(symbol, text));
        if let Some(declaration) = &declaration {
            let head = text.lines.lines(Span::new(declaration.symbol.span.start, declaration.head_end));
            if head.start < hit.lines.start {
                ranges.insert(0, LineRange { start: head.start, end: head.end.min(hit.lines.start - 1) });
            }
        }
        for range in ranges {
            for line in range.start..=range.end.min(text.lines.line_count()) {
                let span = text.lines.line_span(line);
                for occurrence in self.sought.find(span.text(&text.source)) {
                    let at = span.start + occurrence.at as u32;
                    let field = text.field(declaration.as_ref(), at, line);
                    placed.push(self.placed(occurrence, field, line));
                }
            }
        }
        placed
    }

    fn placed<'s, 't>(
        &self,
        occurrence: SoughtOccurrence<'s, 't>,
        field: WordField,
        line: u32,
    ) -> Placed<'s, 't> {
        let of_chunk = match field {
            WordField::Name => Field::Name,
            WordField::Qualifier => Field::Qualifier,
            WordField::Signature => Field::Signature,
            WordField::Doc => Field::Doc,
            _ => Field::Body,
        };
        let weight = self.sought.weight_in(of_chunk, occurrence.sought);
        Placed { occurrence, field, line, weight }
    }
}

impl Placed<'_, '_> {
    fn word(&self) -> WordMatch {
        let SoughtOccurrence { sought, text, is_same, .. } = self.occurrence;
        WordMatch::default()
            .with_asked(&*sought.asked)
            .with_word(if is_same { "" } else { text })
            .with_field(self.field)
            .with_line(self.line)
    }
}

/// Declaration of a hit.
struct Declaration<'t> {
    symbol: &'t Symbol,
    /// Words of its documentation.
    doc: FxHashSet<&'t str>,
    /// End of its documentation, or start of its body if that is later.
    head_end: u32,
}

impl<'t> Declaration<'t> {
    fn new(symbol: &'t Symbol, text: &FileText) -> Self {
        let doc = symbol.doc.as_deref().map_or_else(FxHashSet::default, |doc| words(doc).collect());
        let Some(body) = symbol.body else { return Self { symbol, doc, head_end: symbol.span.end } };
        let mut head_end = body.start;
        // Documentation at the start of the body.
        for (span, class) in text.highlights.iter().filter(|(span, _)| span.start >= body.start) {
            let between = text.source.get(head_end as usize..span.start as usize).unwrap_or_default();
            let is_next = words(between).next().is_none();
            if !(is_next && matches!(class, Highlight::Comment | Highlight::String)) {
                break;
            }
            head_end = span.end;
        }
        Self { symbol, doc, head_end }
    }
}

impl FileText {
    fn read(snapshot: &Snapshot, file: FileId) -> Option<Self> {
        let source = snapshot.source(file)?;
        let lines = LineIndex::new(&source);
        let file_type = FileType::of_path(&snapshot.project.files()[file].path);
        let highlights = file_type.map_or_else(Vec::new, |it| it.highlights(&source));
        Some(Self { source, lines, highlights })
    }

    /// Returns the field of the word at an offset.
    fn field(&self, declaration: Option<&Declaration<'_>>, at: u32, line: u32) -> WordField {
        let word = words(&self.source[at as usize..]).next().unwrap_or_default();
        let has = |text: &str| words(text).any(|known| known == word);
        let token = self.highlights.partition_point(|(span, _)| span.end <= at);
        let token = self.highlights.get(token).filter(|(span, _)| span.start <= at);
        let is_quoted = match token {
            Some((_, Highlight::Comment)) => Some(WordField::Comment),
            Some((_, Highlight::String)) => Some(WordField::String),
            _ => None,
        };
        let Some(Declaration { symbol, doc, head_end }) = declaration else {
            return is_quoted.unwrap_or_default();
        };
        let is_doc = at < *head_end && doc.contains(word);
        let is_in_head = symbol.body.is_none_or(|body| at < body.start);
        match is_quoted {
            Some(_) if is_doc => WordField::Doc,
            Some(quoted) => quoted,
            None if line == symbol.name_line && has(&symbol.name) => WordField::Name,
            None if is_in_head && has(&symbol.signature) => WordField::Signature,
            // Not all languages have classes of tokens.
            None if is_doc => WordField::Doc,
            None => WordField::Body,
        }
    }
}
