//! What stands at a file's root besides declarations, so that every line that is not blank has a chunk.

use sscg_core::{ChunkKind, Span};

use super::comment::{Comments, is_one_break};
use crate::builder::FactsBuilder;
use crate::text::{comment_text, headline};

/// The root items a walk has seen.
#[derive(Default)]
pub(super) struct Layout {
    /// Declarations.
    declared: Vec<Span>,
    /// Statements that declare nothing.
    statements: Vec<(ChunkKind, Span, String)>,
}

impl Layout {
    pub(super) fn declaration(&mut self, span: Span) {
        self.declared.push(span);
    }

    pub(super) fn statement(&mut self, kind: ChunkKind, span: Span, name: String) {
        self.statements.push((kind, span, name));
    }

    /// Gives the builder all root items that are no declarations: the statements, the comments between them,
    /// and whatever else the tree left out (the text of broken statements, say).
    pub(super) fn finish(self, facts: &mut FactsBuilder<'_>, comments: Comments<'_>) {
        let Self { declared, statements: mut items } = self;
        let mut taken: Vec<Span> = items.iter().map(|item| item.1).chain(declared).collect();
        taken.sort_unstable();
        let end = comments.source.len() as u32;
        let mut at = 0;
        for next in taken.iter().copied().chain([Span::new(end, end)]) {
            if at < next.start {
                let gap = Gap { span: Span::new(at, next.start), comments };
                gap.fill(facts, &mut items);
            }
            at = at.max(next.end);
        }
        items.sort_unstable_by_key(|item| item.1);
        if let Some((ChunkKind::Comment, span, _)) = items.first()
            && taken.first().is_none_or(|item| span.start < item.start)
        {
            facts.file_doc(comment_text(span.text(comments.source)));
        }
        for (kind, span, name) in items {
            facts.root(kind, span, name);
        }
    }
}

/// The text between two root items.
struct Gap<'a> {
    span: Span,
    comments: Comments<'a>,
}

impl Gap<'_> {
    fn fill(&self, facts: &FactsBuilder<'_>, items: &mut Vec<(ChunkKind, Span, String)>) {
        let source = self.comments.source;
        let mut pieces: Vec<(ChunkKind, Span)> = Vec::new();
        let mut at = self.span.start;
        for comment in self.comments.within(self.span) {
            let span = Span::new(comment.span.start, comment.span.end);
            pieces.extend(stray(source, Span::new(at, span.start.max(at))));
            match pieces.last_mut() {
                Some((ChunkKind::Comment, block))
                    if is_one_break(Span::new(block.end, span.start).text(source)) =>
                {
                    block.end = span.end;
                }
                _ if self.shares_its_lines(facts, span) => {}
                _ => pieces.push((ChunkKind::Comment, span)),
            }
            at = span.end;
        }
        if at < self.span.end {
            pieces.extend(stray(source, Span::new(at, self.span.end)));
        }
        pieces.retain(|(_, span)| !self.shares_its_lines(facts, *span));
        items.extend(pieces.into_iter().map(|(kind, span)| (kind, span, headline(span.text(source)))));
    }

    /// Whether all lines of `span` are lines of the items around the gap as well.
    fn shares_its_lines(&self, facts: &FactsBuilder<'_>, span: Span) -> bool {
        let (first, last) = (facts.line(span.start), facts.line(span.end - 1));
        let before = self.span.start.checked_sub(1).map(|at| facts.line(at));
        let at_end = self.span.end as usize == self.comments.source.len();
        let after = (!at_end).then(|| facts.line(self.span.end));
        let shared = |line| Some(line) == before || Some(line) == after;
        shared(first) && shared(last) && last - first <= 1
    }
}

/// The text of `span` without the white space and byte order mark around it, if there is any.
fn stray(source: &str, span: Span) -> Option<(ChunkKind, Span)> {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let text = span.text(source);
    let start = span.start + (text.len() - text.trim_start_matches(is_blank).len()) as u32;
    let length = text.trim_matches(is_blank).len() as u32;
    (length > 0).then(|| (ChunkKind::Expression, Span::new(start, start + length)))
}
