//! Statements and top-level items.

use sscg_core::{ChunkKind, LocalSymbol, Span};
use tree_sitter::Node;

use super::docstring;
use super::grammar::{Kind, is_statement, kind};
use super::walk::{Walk, WalkContext};
use crate::text::{comment_headline, headline};
use crate::tree::{span, text};

impl<'t, 's> Walk<'t, 's> {
    /// Visits the whole file.
    pub(super) fn module(&mut self) {
        let root = self.cursor.node();
        if root.is_error() {
            return self.broken();
        }
        if let Some(doc) = docstring::of_block(root, self.source) {
            self.builder.file_doc(doc);
        }
        self.statements();
    }

    /// Visits the statements of the current node, a body or the file. Comments on the lines directly above a
    /// declaration belong to it, and so does a string directly below a variable.
    pub(super) fn statements(&mut self) {
        let mut comments = self.comments_above_block();
        let mut variable: Option<(LocalSymbol, u32)> = None;
        self.children(|walk| {
            let node = walk.cursor.node();
            let kind = kind(node);
            if kind == Kind::Leaf && !is_statement(node) {
                return;
            }
            let here = span(node);
            if kind == Kind::Comment {
                if walk.starts_line(here.start) {
                    let above = comments.filter(|above| walk.on_next_line(above.end, here.start));
                    if above.is_none() {
                        walk.stray_comment(comments);
                    }
                    comments = Some(Span::new(above.map_or(here.start, |above| above.start), here.end));
                }
                return;
            }
            if let Some((symbol, _)) = variable.take().filter(|(_, end)| walk.on_next_line(*end, here.start))
                && let Some(doc) = docstring::of_statement(node, walk.source)
            {
                return walk.builder.describe(symbol, here.end, doc);
            }
            let above = comments.take();
            let start = match above {
                Some(above)
                    if walk.keeps_comment(node, above) && walk.on_next_line(above.end, here.start) =>
                {
                    above.start
                }
                _ => {
                    walk.stray_comment(above);
                    walk.code_start(node)
                }
            };
            variable = walk.statement(node, start).map(|symbol| (symbol, here.end));
        });
        self.stray_comment(comments);
    }

    /// Visits an error node. The statements in it are visited as usual.
    fn broken(&mut self) {
        self.children(|walk| {
            let node = walk.cursor.node();
            if is_statement(node) {
                walk.statement(node, walk.code_start(node));
            } else if kind(node) == Kind::Error {
                walk.broken();
            } else {
                // A part that spans lines is one chunk, even if it contains blank lines.
                if walk.at.root && node.start_position().row < node.end_position().row {
                    let whole = span(node);
                    walk.builder.root(ChunkKind::Expression, whole, headline(whole.text(walk.source)));
                }
                walk.within(WalkContext { root: false, ..walk.at }, Self::visit);
            }
        });
    }

    /// Returns the comments on the lines directly above a block, which the grammar places outside it.
    fn comments_above_block(&self) -> Option<Span> {
        let block = self.start();
        if self.at.root || !self.starts_line(block) {
            return None;
        }
        let around = self.at.symbol.map_or(0, |symbol| self.builder.symbol(symbol).span.start);
        let mut above: Option<Span> = None;
        for line in self.source[..block as usize].trim_end_matches([' ', '\t']).lines().rev() {
            let comment = line.trim();
            let start = (comment.as_ptr() as usize - self.source.as_ptr() as usize) as u32;
            // After a null byte, the grammar parses the text of a comment.
            if !comment.starts_with('#') || start < around {
                break;
            }
            let end = above.map_or(start + comment.len() as u32, |above| above.end);
            above = Some(Span::new(start, end));
        }
        above
    }

    /// Returns true if a comment directly above a statement belongs to it. One above the file's docstring does not, nor
    /// one at the start of the file above an import: it describes the file.
    fn keeps_comment(&self, statement: Node<'t>, comment: Span) -> bool {
        let is_first = || self.source[..comment.start as usize].trim().is_empty();
        let is_doc = || docstring::of_statement(statement, self.source).is_some();
        !(kind(statement).is_import() && is_first() || self.at.root && is_doc())
    }

    fn stray_comment(&mut self, comment: Option<Span>) {
        if let Some(comment) = comment.filter(|_| self.at.root) {
            let name = comment_headline(comment.text(self.source));
            self.builder.root(ChunkKind::Comment, comment, name);
        }
    }

    /// Visits one statement; `start` is the offset of its attached comments. Returns the variable it declares, if a
    /// string below may describe that variable.
    fn statement(&mut self, node: Node<'t>, start: u32) -> Option<LocalSymbol> {
        let kind = kind(node);
        match kind {
            _ if kind.is_definition() => self.definition(start),
            _ if kind.is_import() => {
                let modules = self.import();
                if self.at.root {
                    self.builder.root(ChunkKind::Import, self.whole(node, start), modules);
                }
            }
            Kind::TypeAliasStatement if self.at.declares => self.type_alias(start),
            Kind::ExpressionStatement => return self.expression_statement(node, start),
            Kind::Error if self.at.root => self.broken(),
            _ => self.other_statement(node, start),
        }
        None
    }

    fn expression_statement(&mut self, node: Node<'t>, start: u32) -> Option<LocalSymbol> {
        if let Some(assignment) = node.child(0).filter(|child| kind(*child) == Kind::Assignment) {
            let names = self.undeclared(assignment);
            if !names.is_empty() {
                return self.variables(node, assignment, &names, start);
            }
            if self.at.receiver.is_some() {
                return self.attribute_statement(node, assignment, start);
            }
        }
        match docstring::of_statement(node, self.source).filter(|_| self.at.root) {
            Some(doc) => self.builder.root(ChunkKind::Comment, self.whole(node, start), headline(&doc)),
            None => self.other_statement(node, start),
        }
        None
    }

    /// Visits a statement that is not itself a declaration.
    fn other_statement(&mut self, node: Node<'t>, start: u32) {
        let code = span(node).text(self.source);
        // A statement that consists of a missing name is empty.
        if self.at.root && !code.trim().is_empty() {
            self.builder.root(ChunkKind::Expression, self.whole(node, start), headline(code.trim_start()));
        }
        self.within(WalkContext { root: false, ..self.at }, Self::visit);
    }

    /// Returns the offset of a node's first non-blank character. A node that starts with a missing name starts before
    /// white space.
    fn code_start(&self, node: Node<'t>) -> u32 {
        let code = text(node, self.source);
        (node.start_byte() + code.len() - code.trim_start().len()) as u32
    }

    /// Returns the span of a statement from its attached comments to the end of a comment on its last line.
    pub(super) fn whole(&self, node: Node<'t>, start: u32) -> Span {
        let end = node.end_byte();
        let rest = self.source[end..].trim_start_matches([' ', '\t']);
        let is_commented = rest.starts_with('#') && !self.source[..end].ends_with('\n');
        // A null byte ends a comment in the grammar. Without a comment the rest of the line is not scanned, because
        // it may be long and hold many statements.
        let comment = if is_commented { rest.split(['\n', '\0']).next().unwrap_or_default() } else { "" };
        let comment = comment.trim_end();
        let end = if is_commented { self.source.len() - rest.len() + comment.len() } else { end };
        Span::new(start, end as u32)
    }

    /// Returns true if only white space or semicolons precede `at` on its line.
    fn starts_line(&self, at: u32) -> bool {
        let line = self.source[..at as usize].trim_end_matches([' ', '\t', '\x0c', '\u{feff}', ';']);
        line.is_empty() || line.ends_with('\n')
    }

    /// Returns true if `next` is on the line after `end`, with only white space between.
    fn on_next_line(&self, end: u32, next: u32) -> bool {
        let between = Span::new(end, next.max(end)).text(self.source);
        between.trim().is_empty() && between.bytes().filter(|byte| *byte == b'\n').count() == 1
    }
}
