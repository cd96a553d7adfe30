//! Attribution of comments to declarations.

use oxc_ast::ast::Comment;
use sscg_core::{ChunkKind, Span};

use crate::builder::FactsBuilder;
use crate::text::{comment_headline, comment_text};

/// Comments of a file in source order.
#[derive(Clone, Copy)]
pub(super) struct Comments<'a> {
    pub(super) source: &'a str,
    pub(super) all: &'a [Comment],
}

impl<'a> Comments<'a> {
    /// Returns the comments directly above `start`: on lines of their own, without a blank line between, except below a
    /// JSDoc block, which documents the next code.
    pub(super) fn attached(self, start: u32) -> &'a [Comment] {
        let end = self.all.partition_point(|comment| comment.span.end <= start);
        let mut first = end;
        let mut next = start;
        while let Some(index) = first.checked_sub(1) {
            let comment = &self.all[index];
            let between = &self.source[comment.span.end as usize..next as usize];
            let documents = first == end && self.documents_next(index);
            let is_above = is_one_break(between) || documents && between.trim().is_empty();
            if !is_above || !self.starts_its_line(comment) || self.describes_file(index) {
                break;
            }
            first = index;
            next = comment.span.start;
        }
        &self.all[first..end]
    }

    /// Returns the span of a root item with the comments directly above it. Comments at the start of a file describe the
    /// file rather than its first import.
    pub(super) fn with_attached(self, kind: ChunkKind, item: Span) -> Span {
        let attached = self.attached(item.start);
        let is_import = matches!(kind, ChunkKind::Import | ChunkKind::ReExport);
        match attached.first() {
            Some(first) if !(is_import && first.span == self.all[0].span) => {
                Span::new(first.span.start, item.end)
            }
            _ => item,
        }
    }

    /// Returns the documentation from attached comments: the last JSDoc block, or else all of them.
    pub(super) fn doc(self, attached: &[Comment]) -> Option<String> {
        let (first, last) = (attached.first()?, attached.last()?);
        let span = match attached.iter().rev().find(|comment| comment.is_jsdoc()) {
            Some(block) => block.span,
            None => first.span.merge(last.span),
        };
        Some(comment_text(self.text(span)))
    }

    /// Reports the comments between the root items with the spans `roots`. A comment before all of them documents the
    /// file. Adjacent comments are one block. A comment on the line of a root item is part of that item.
    pub(super) fn report_stray(self, facts: &mut FactsBuilder<'_>, mut roots: Vec<Span>) {
        roots.sort_unstable();
        let mut blocks: Vec<Span> = Vec::new();
        let mut next_root = roots.iter().copied().peekable();
        let (mut end, mut last_line) = (0, 0);
        for comment in self.all {
            let span = Span::new(comment.span.start, comment.span.end);
            let passed = end;
            while let Some(root) = next_root.next_if(|root| root.start <= span.start) {
                end = end.max(root.end);
            }
            if end > passed {
                last_line = facts.line(end - 1);
            }
            let follows_item = span.start < end || facts.line(span.start) == last_line;
            let shares_line = |next: &Span| facts.line(next.start) == facts.line(span.end - 1);
            if follows_item || next_root.peek().is_some_and(shares_line) {
                continue;
            }
            match blocks.last_mut() {
                Some(block)
                    if block.end >= end
                        && is_one_break(Span::new(block.end, span.start).text(self.source)) =>
                {
                    block.end = span.end;
                }
                _ => blocks.push(span),
            }
        }
        if let Some(first) = blocks.first()
            && roots.first().is_none_or(|root| first.start < root.start)
        {
            facts.file_doc(comment_text(first.text(self.source)));
        }
        for block in blocks {
            facts.root(ChunkKind::Comment, block, comment_headline(block.text(self.source)));
        }
    }

    fn text(self, span: oxc_span::Span) -> &'a str {
        &self.source[span.start as usize..span.end as usize]
    }

    fn starts_its_line(self, comment: &Comment) -> bool {
        let before = self.source[..comment.span.start as usize].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\u{feff}'])
    }

    /// True for a JSDoc block that documents the next code, even if a blank line follows: it does not begin the file and
    /// declares no type of its own.
    fn documents_next(self, index: usize) -> bool {
        const DECLARATIONS: &[&str] = &["@callback", "@import", "@typedef"];
        let comment = &self.all[index];
        index > 0 && comment.is_jsdoc() && {
            let text = self.text(comment.span);
            !DECLARATIONS.iter().any(|tag| text.contains(tag))
        }
    }

    /// True if a comment documents the whole file, even if a declaration follows it directly.
    fn describes_file(self, index: usize) -> bool {
        const MARKS: &[&str] = &["@file", "@license", "@module", "@packageDocumentation", "Copyright"];
        let comment = &self.all[index];
        index == 0 && comment.is_block() && {
            let text = self.text(comment.span);
            MARKS.iter().any(|mark| text.contains(mark))
        }
    }
}

/// True for white space without a blank line.
fn is_one_break(between: &str) -> bool {
    // Stops at the first other character: often the rest of the file is in between.
    let mut breaks = between.chars().map(|c| (c.is_whitespace(), c == '\n'));
    let mut count = 0;
    breaks.all(|(is_white, is_break)| {
        count += u32::from(is_break);
        is_white && count <= 1
    })
}
