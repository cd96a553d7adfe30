//! Languages without a grammar: declarations are found by their keywords, and their extents by indentation.
//!
//! Such a file has declarations and chunks, so that it can be searched, listed and shown, but no references: nothing
//! links it to other files. Each line is looked at by itself, so strings and comments over several lines can hold lines
//! that look like declarations.

mod languages;
mod line;

use sscg_core::{FileFacts, Language, LocalSymbol, Modifiers, Span, SymbolKind};

use self::languages::{LANGUAGES, Plain};
use self::line::{Declared, declared};
use crate::builder::{Declaration, FactsBuilder};
use crate::frontend::LanguageFrontend;
use crate::text::{is_blank, lines};

/// Frontend of all languages without a grammar.
pub(crate) struct PlainText;

impl LanguageFrontend for PlainText {
    fn languages(&self) -> &[Language] {
        languages::ALL
    }

    fn extract(&self, extension: &str, source: &str) -> FileFacts {
        let mut facts = FactsBuilder::new(source);
        let plain = LANGUAGES.iter().find(|plain| plain.language.extensions.contains(&extension));
        if let Some(plain) = plain {
            declare(&mut facts, plain, &blocks(plain, source));
        }
        facts.finish()
    }
}

/// Line that is not blank.
#[derive(Clone, Copy)]
struct Line<'s> {
    /// Without the white space around it.
    span: Span,
    text: &'s str,
    indent: usize,
    /// True if the line above is blank.
    is_after_gap: bool,
}

/// Declaration with its extent.
struct Block<'s> {
    declared: Declared<'s>,
    head: Line<'s>,
    /// Start of the comments and annotations directly above.
    start: u32,
    /// End of the last line.
    end: u32,
    /// Index of the enclosing block.
    parent: Option<usize>,
}

/// Width of a tab.
const TAB: usize = 4;

fn lines_of(source: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let (mut at, mut is_after_gap) = (0, true);
    for line in lines(source) {
        let text = line.trim_matches(is_blank);
        let lead = line.len() - line.trim_start_matches(is_blank).len();
        if !text.is_empty() {
            let start = (at + lead) as u32;
            let indent = line[..lead].chars().map(|it| if it == '\t' { TAB } else { 1 }).sum();
            found.push(Line {
                span: Span::new(start, start + text.len() as u32),
                text,
                indent,
                is_after_gap,
            });
        }
        is_after_gap = text.is_empty();
        at += line.len();
    }
    found
}

/// Returns the declarations of a text in source order. A declaration ends before the next line that is indented no
/// deeper, unless that line closes it. O(bytes).
fn blocks<'s>(plain: &Plain, source: &'s str) -> Vec<Block<'s>> {
    let lines = lines_of(source);
    let mut blocks: Vec<Block<'s>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut last_end = 0;
    // Comments and annotations directly above the current line.
    let mut above: Option<Line<'s>> = None;
    for line in &lines {
        while let Some(&top) = open.last() {
            let head = &blocks[top].head;
            let closes = line.indent == head.indent && is_closing(line.text);
            if line.indent > head.indent || closes {
                break;
            }
            blocks[top].end = last_end;
            open.pop();
        }
        if plain.is_above(line.text) {
            let continues = above.is_some_and(|above| above.indent == line.indent && !line.is_after_gap);
            above = if continues { above } else { Some(*line) };
            last_end = line.span.end;
            continue;
        }
        let lead = above.take().filter(|above| above.indent == line.indent && !line.is_after_gap);
        if let Some(declared) = declared(plain, line.text) {
            let start = lead.map_or(line.span.start, |above| above.span.start);
            let parent = open.last().copied();
            open.push(blocks.len());
            blocks.push(Block { declared, head: *line, start, end: line.span.end, parent });
        }
        last_end = line.span.end;
    }
    for top in open {
        blocks[top].end = last_end;
    }
    blocks
}

/// Adds the declarations of the blocks.
fn declare(facts: &mut FactsBuilder<'_>, plain: &Plain, blocks: &[Block<'_>]) {
    let source = facts.source();
    let mut symbols: Vec<LocalSymbol> = Vec::with_capacity(blocks.len());
    for Block { declared, head, start, end, parent } in blocks {
        let parent = parent.map(|parent| symbols[parent]);
        let is_member = parent.is_some_and(|parent| facts.symbol(parent).kind.has_members());
        let kind = match declared.kind {
            SymbolKind::Function if is_member => SymbolKind::Method,
            kind => kind,
        };
        let body = (*end > head.span.end).then(|| Span::new(head.span.end, *end));
        let above = Span::new(*start, head.span.start).text(source);
        let symbol = facts.declare(Declaration {
            name: declared.name,
            kind,
            parent,
            span: Span::new(*start, *end),
            name_at: head.span.start + declared.at,
            body,
            signature: declared.signature(head.text),
            doc: (!above.is_empty()).then(|| plain.documentation(above)),
            exported: declared.exported,
            modifiers: Modifiers::empty(),
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        });
        symbols.push(symbol);
    }
}

/// Returns true if a line with the indentation of a declaration is its end.
fn is_closing(text: &str) -> bool {
    text.starts_with(['}', ')', ']'])
        || matches!(
            text.trim_end_matches([';', ',']),
            "end" | "End" | "END" | "fi" | "done" | "esac" | "do" | "{" | "begin"
        )
}

#[cfg(test)]
mod tests;
