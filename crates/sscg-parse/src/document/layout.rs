//! Conversion of a document's sections into facts.

use sscg_core::{FileFacts, LocalSymbol, Modifiers, Span, SymbolKind};

use crate::builder::{Declaration, FactsBuilder};
use crate::frontend::MAX_PARTS;
use crate::text::is_blank;

/// Maximum length of a passage, in bytes, about 750 tokens, so that an answer holds several. Longer runs of text are
/// cut into passages, and the keys of a longer value become sections.
pub(super) const PASSAGE_BYTES: u32 = 3_000;

/// Diagnostic for a document with more than [`MAX_PARTS`] sections.
const TOO_MANY: &str = "more headings or keys than people write; they were left out";

/// Maximum length of a name, in characters.
const NAME_CHARACTERS: usize = 80;

/// Structure that a format finds in a text.
#[derive(Debug, Default)]
pub(super) struct DocumentLayout {
    /// Sections in source order, each inside or after its predecessors.
    pub(super) sections: Vec<Section>,
    /// Preferred break points of a long run.
    pub(super) breaks: Breaks,
    /// Name of passages; their first words if `None`.
    pub(super) passage_name: Option<String>,
    /// Diagnostic for a text that is split into passages because its sections cannot be found.
    pub(super) problem: Option<&'static str>,
}

impl DocumentLayout {
    /// Returns the layout of a text whose sections cannot be found.
    pub(super) fn without_sections(problem: &'static str) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }
}

/// Named part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Heading or key.
    pub(super) name: String,
    /// Span of the heading or key as written, which represents the section where its body is elided.
    pub(super) head: Span,
    /// Start of the body.
    pub(super) body: u32,
    /// Span of the whole section.
    pub(super) span: Span,
}

/// Preferred break points of a run of text: the starts of these lines.
#[derive(Debug, Default)]
pub(super) enum Breaks {
    /// Lines after a blank line.
    #[default]
    Paragraphs,
    /// All lines.
    Lines,
    /// Lines indented no more than the first line of the run.
    Indentation,
    /// Lines at these sorted offsets.
    At(Vec<u32>),
}

/// Heading, whose section extends to the next heading of its level or above.
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) name: String,
    pub(super) head: Span,
    /// Start of the text below the heading.
    pub(super) body: u32,
    /// Start of the section: that of the head, or of what belongs to it above.
    pub(super) start: u32,
}

/// Returns the sections of headings, in source order.
pub(super) fn sections(headings: Vec<Heading>, source: &str) -> Vec<Section> {
    let ends: Vec<u32> = (0..headings.len())
        .map(|at| {
            let next = headings[at + 1..].iter().find(|next| next.level <= headings[at].level);
            next.map_or(source.len() as u32, |next| next.start)
        })
        .collect();
    let section = |(heading, end): (Heading, u32)| Section {
        name: heading.name,
        head: heading.head,
        body: heading.body,
        span: Span::new(heading.start, end),
    };
    headings.into_iter().zip(ends).map(section).collect()
}

/// Returns the facts of a document. Every non-blank byte lies in a top-level section or passage. A section's own text
/// is cut only if it is long. If there are more than [`MAX_PARTS`] sections, all are dropped and a diagnostic is
/// reported. O(bytes × depth).
pub(super) fn lay_out(source: &str, found: DocumentLayout) -> FileFacts {
    let DocumentLayout { mut sections, breaks, passage_name, mut problem } = found;
    if sections.len() > MAX_PARTS {
        sections.clear();
        problem = Some(TOO_MANY);
    }
    let mut layout = Layout {
        source,
        breaks: &breaks,
        passage_name: passage_name.as_deref(),
        facts: FactsBuilder::new(source),
    };
    let mut sections = sections.into_iter().filter(|it| !it.name.is_empty()).peekable();
    layout.fill(None, Span::new(0, source.len() as u32), &mut sections);
    if let Some(problem) = problem {
        layout.facts.diagnostic(0, problem);
    }
    layout.facts.finish()
}

struct Layout<'s> {
    source: &'s str,
    breaks: &'s Breaks,
    passage_name: Option<&'s str>,
    facts: FactsBuilder<'s>,
}

/// Direct child of a section or of the root.
enum Item {
    Section(Section, Vec<Section>),
    Passage(Span),
}

impl Layout<'_> {
    /// Declares the content of `within`: the next of `sections`, and the text between them.
    fn fill(
        &mut self,
        parent: Option<LocalSymbol>,
        within: Span,
        sections: &mut std::iter::Peekable<impl Iterator<Item = Section>>,
    ) {
        let mut items: Vec<Item> = Vec::new();
        let mut at = within.start;
        while let Some(mut section) = sections.next_if(|next| next.span.start < within.end) {
            let (start, end) = (section.span.start, section.span.end.min(within.end));
            // Overlapping sections come from malformed text.
            if start >= at && section.body <= end {
                self.run(parent, Span::new(at, start), &mut items);
                at = end;
                section.span.end = end;
                let inside = std::iter::from_fn(|| sections.next_if(|next| next.span.start < end));
                let inside = inside.collect();
                items.push(Item::Section(section, inside));
            }
        }
        self.run(parent, Span::new(at, within.end), &mut items);
        if parent.is_none() {
            self.join(&mut items);
        }
        for item in items {
            match item {
                Item::Section(section, inside) => self.section(parent, section, inside),
                Item::Passage(span) => self.passage(parent, span),
            }
        }
    }

    /// Adds a run of text as passages, if it is long or at the root.
    fn run(&self, parent: Option<LocalSymbol>, run: Span, items: &mut Vec<Item>) {
        let run = self.trimmed(run);
        if run.is_empty() || parent.is_some() && run.len() <= PASSAGE_BYTES {
            return;
        }
        let pieces = self.cut(run);
        if parent.is_some() && pieces.len() == 1 {
            return;
        }
        for passage in pieces {
            let passage = self.trimmed(passage);
            if !passage.is_empty() && (parent.is_none() || has_words(passage.text(self.source))) {
                items.push(Item::Passage(passage));
            }
        }
    }

    /// Merges top-level passages without words (braces, rulers) with an adjacent item.
    fn join(&self, items: &mut Vec<Item>) {
        let mut joined: Vec<Item> = Vec::with_capacity(items.len());
        // Start of the passages that wait for the next item.
        let mut waiting: Option<u32> = None;
        for mut item in items.drain(..) {
            let span = *item.span();
            if let (Item::Passage(_), false) = (&item, has_words(span.text(self.source))) {
                match joined.last_mut() {
                    Some(before) => before.span().end = span.end,
                    None => waiting = waiting.or(Some(span.start)),
                }
                continue;
            }
            if let Some(start) = waiting.take() {
                item.span().start = start;
            }
            joined.push(item);
        }
        if let Some(start) = waiting {
            joined.push(Item::Passage(self.trimmed(Span::new(start, self.source.len() as u32))));
        }
        *items = joined;
    }

    fn section(&mut self, parent: Option<LocalSymbol>, section: Section, inside: Vec<Section>) {
        let Section { name, head, body, span } = section;
        let span = self.trimmed(span);
        let body = self.trimmed(Span::new(body.min(span.end), span.end));
        // A key, or an unterminated heading, may be as long as the text.
        let words = head.text(self.source);
        let head = match words.len() > HEAD_BYTES {
            true => Span::new(head.start, head.start + shortened(words).len() as u32),
            false => head,
        };
        let symbol = self.facts.declare(Declaration {
            body: (!body.is_empty()).then_some(body),
            ..declaration(SymbolKind::Section, &shortened(&name), parent, span, head, self.source)
        });
        self.fill(Some(symbol), body, &mut inside.into_iter().peekable());
    }

    fn passage(&mut self, parent: Option<LocalSymbol>, span: Span) {
        let text = span.text(self.source);
        let (at, words) = first_words(text);
        let line = text[at..].lines().next().unwrap_or_default();
        let start = span.start + at as u32;
        let head = Span::new(start, start + shortened(line).len() as u32);
        let name = self.passage_name.map_or(words, str::to_owned);
        self.facts.declare(Declaration {
            body: Some(Span::new(head.end, span.end)),
            ..declaration(SymbolKind::Passage, &shortened(&name), parent, span, head, self.source)
        });
    }

    /// Cuts a run into pieces of at most [`PASSAGE_BYTES`], unless a line is longer.
    fn cut(&self, run: Span) -> Vec<Span> {
        let text = run.text(self.source);
        let pieces = run.len().div_ceil(PASSAGE_BYTES);
        if pieces <= 1 {
            return vec![run];
        }
        let goal = run.len() / pieces;
        let mut lines: Vec<u32> = vec![run.start];
        lines.extend(text.match_indices('\n').map(|(at, _)| run.start + at as u32 + 1));
        let breaks = self.breaks_among(&lines, run);
        let mut spans = Vec::new();
        let mut start = run.start;
        while run.end - start > PASSAGE_BYTES {
            // Take the next break once the piece has about the goal size, else the last one before; failing that, the
            // same among all lines.
            let last = start + PASSAGE_BYTES;
            let choose = |among: &[u32]| {
                let from = among.partition_point(|at| *at < start + goal);
                let behind = among[from..].first().filter(|at| **at <= last);
                behind.or_else(|| among[..from].last().filter(|at| **at > start + goal / 4)).copied()
            };
            let next_line = || lines[lines.partition_point(|at| *at <= start)..].first().copied();
            let Some(end) = choose(&breaks).or_else(|| choose(&lines)).or_else(next_line) else { break };
            spans.push(Span::new(start, end));
            start = end;
        }
        spans.push(Span::new(start, run.end));
        spans
    }

    /// Returns the preferred break points of a run, whose lines are given by their start offsets.
    fn breaks_among(&self, lines: &[u32], run: Span) -> Vec<u32> {
        let line_at = |start: u32| {
            let rest = Span::new(start, run.end).text(self.source);
            rest.lines().next().unwrap_or_default()
        };
        let indent = |line: &str| line.len() - line.trim_start().len();
        let all = lines.iter().copied();
        match self.breaks {
            Breaks::Lines => lines.to_vec(),
            Breaks::Paragraphs => {
                let is_blank_line = |start: u32| line_at(start).trim_matches(is_blank).is_empty();
                all.zip(lines.iter().skip(1))
                    .filter(|(line, _)| is_blank_line(*line))
                    .map(|it| *it.1)
                    .collect()
            }
            Breaks::Indentation => {
                // The run starts at the first non-blank character of its first line.
                let before = &self.source[..run.start as usize];
                let first = before.len() - before.trim_end_matches([' ', '\t']).len();
                let is_break = |start: &u32| {
                    let line = line_at(*start);
                    indent(line) <= first && has_words(line)
                };
                all.skip(1).filter(is_break).collect()
            }
            Breaks::At(places) => {
                let from = places.partition_point(|at| *at <= run.start);
                places[from..].iter().copied().take_while(|at| *at < run.end).collect()
            }
        }
    }

    /// Returns the span without white space at its ends.
    fn trimmed(&self, span: Span) -> Span {
        let text = span.text(self.source);
        let start = span.start + (text.len() - text.trim_start_matches(is_blank).len()) as u32;
        let end = span.start + text.trim_end_matches(is_blank).len() as u32;
        Span::new(start.min(end), end)
    }
}

impl Item {
    fn span(&mut self) -> &mut Span {
        match self {
            Item::Section(section, _) => &mut section.span,
            Item::Passage(span) => span,
        }
    }
}

fn declaration<'a>(
    kind: SymbolKind,
    name: &'a str,
    parent: Option<LocalSymbol>,
    span: Span,
    head: Span,
    source: &'a str,
) -> Declaration<'a> {
    Declaration {
        name,
        kind,
        parent,
        span,
        name_at: head.start,
        body: None,
        signature: head.text(source),
        doc: None,
        exported: false,
        modifiers: Modifiers::empty(),
        type_parameters: Vec::new(),
        attributes: Vec::new(),
    }
}

/// Returns true if the text contains a letter or digit.
fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the offset of the first line of a passage that has words, and these words. Markup does not count, nor does
/// the opening of a code block. Without words, returns the first line.
fn first_words(text: &str) -> (usize, String) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let words = without_markup(content);
        let words = words.trim_matches(|c: char| !c.is_alphanumeric());
        let opens_code = content.starts_with("```") || content.starts_with("~~~");
        if !words.is_empty() && !opens_code {
            return (start + line.len() - content.len(), words.to_owned());
        }
        start += line.len();
    }
    (0, text.lines().next().unwrap_or_default().to_owned())
}

/// Returns a line without tags, emphasis and quotation marks.
fn without_markup(line: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in line.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '"' | '`' | '*' => {}
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// Maximum length of a heading or key, in bytes, where it represents its section; a longer one is shortened.
const HEAD_BYTES: usize = 1_000;

/// Returns at most [`NAME_CHARACTERS`] of a name, cut at a word boundary if possible.
fn shortened(name: &str) -> String {
    let Some((cut, _)) = name.char_indices().nth(NAME_CHARACTERS) else { return name.to_owned() };
    let kept = &name[..cut];
    let whole = kept.rfind(char::is_whitespace).filter(|at| *at > cut / 2);
    kept[..whole.unwrap_or(cut)].trim_end().to_owned()
}

/// Returns a text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
