//! Lists of declarations and statements: files, modules, blocks, and the members of types.

use sscg_core::{ChunkKind, Span};
use tree_sitter::TreeCursor;

use super::item::is_item;
use super::kind::{Kind, kind};
use super::trivia::{Bond, LeadingTrivia, comment_bond};
use super::walk::{ItemList, Walk, WalkContext};
use crate::scope::ScopeId;
use crate::text::{comment_headline, comment_text, headline};
use crate::tree::span;

impl<'s> Walk<'s> {
    /// Walks the children of the cursor's node: collects the leading trivia of each item, walks the items, and makes
    /// each other statement at the root of the file a root item. Text that the parser could not handle is left to
    /// chunking.
    pub(super) fn list(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut trivia = LeadingTrivia::default();
        let mut inner_doc: Vec<&'s str> = Vec::new();
        let mut previous_end = None;
        let is_broken = kind(cursor.node()) == Kind::Error;
        // A variable is in scope after its `let`, an item in the whole list.
        let mut scope = context.scope;
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            let kind = kind(node);
            if kind.is_comment() {
                let span = walk.trimmed(span(node));
                let comment = span.text(walk.source);
                let trails = !comment.contains('\n')
                    && previous_end.is_some_and(|end| !walk.breaks_between(end, span.start, 1));
                if !trails {
                    let bond = comment_bond(comment);
                    if bond == Bond::Inner {
                        inner_doc.push(comment);
                    }
                    walk.push_comment(&mut trivia, span, bond, context);
                }
                return;
            }
            previous_end = Some(node.end_byte() as u32);
            match kind {
                // The grammar does not support this keyword of `extern` blocks.
                Kind::Error if walk.text(node) == "safe" => trivia.push(span(node), Bond::Attached),
                Kind::AttributeItem => {
                    walk.flush_apart(&mut trivia, span(node), context);
                    trivia.push_attribute(node, walk.source);
                }
                _ if is_item(kind) => {
                    walk.flush_apart(&mut trivia, span(node), context);
                    walk.item(cursor, context, std::mem::take(&mut trivia));
                }
                // The grammar takes an invocation with a semicolon for an expression.
                Kind::ExpressionStatement if walk.has_expansion(node) && cursor.goto_first_child() => {
                    walk.item(cursor, context, std::mem::take(&mut trivia));
                    cursor.goto_parent();
                }
                _ => {
                    let context = WalkContext { scope, ..context };
                    scope = walk.statement(cursor, context, std::mem::take(&mut trivia), is_broken);
                }
            }
        });
        self.flush_trivia(&trivia, context);
        if !inner_doc.is_empty() {
            self.describe(comment_text(&inner_doc.join("\n")), context);
        }
    }

    /// Walks a statement, or text that does not parse, in a list. Returns the scope of what follows.
    fn statement(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        mut above: LeadingTrivia<'_>,
        is_broken: bool,
    ) -> ScopeId {
        let node = cursor.node();
        let kind = kind(node);
        let is_root_item =
            node.is_named() && !is_broken && kind != Kind::Error && kind != Kind::EmptyStatement;
        if is_root_item {
            self.flush_apart(&mut above, span(node), context);
        } else {
            self.flush_trivia(&above, context);
        }
        if kind == Kind::Error {
            self.list(cursor, context);
        } else if kind == Kind::LetDeclaration && context.place == ItemList::Body {
            return self.let_binding(cursor, context).scope;
        } else if node.is_named() {
            if is_root_item {
                self.root_item(span(node), context, &above);
            }
            self.visit(cursor, context);
        }
        context.scope
    }

    /// Flushes trivia that does not belong to the next node, at `next`.
    fn flush_apart(&mut self, trivia: &mut LeadingTrivia<'_>, next: Span, context: WalkContext) {
        if trivia.bond == Bond::Inner || self.is_apart(trivia, next) {
            self.flush_trivia(&std::mem::take(trivia), context);
        }
    }

    /// Adds a comment to the leading trivia, or starts new trivia with it if it does not belong to the present one.
    fn push_comment(&mut self, trivia: &mut LeadingTrivia<'_>, span: Span, bond: Bond, context: WalkContext) {
        let inner_ends = trivia.span.is_some() && (trivia.bond == Bond::Inner) != (bond == Bond::Inner);
        if self.is_apart(trivia, span) || inner_ends && trivia.bond != Bond::Attached {
            self.flush_trivia(&std::mem::take(trivia), context);
        }
        if bond == Bond::Attached {
            trivia.push_doc(span);
        } else {
            trivia.push(span, bond);
        }
    }

    /// True if a blank line separates the trivia from the text at `next`, and the trivia is not attached.
    fn is_apart(&self, trivia: &LeadingTrivia<'_>, next: Span) -> bool {
        trivia.bond != Bond::Attached
            && trivia.span.is_some_and(|span| self.breaks_between(span.end, next.start, 2))
    }

    fn breaks_between(&self, from: u32, to: u32, count: usize) -> bool {
        from <= to
            && Span::new(from, to)
                .text(self.source)
                .bytes()
                .filter(|byte| *byte == b'\n')
                .nth(count - 1)
                .is_some()
    }

    /// Trims a documentation comment, which the grammar extends to the start of the next line.
    fn trimmed(&self, span: Span) -> Span {
        let text = span.text(self.source);
        Span::new(span.start, span.start + text.trim_end().len() as u32)
    }

    /// Adds a root item for comments and attributes that belong to no item.
    pub(super) fn flush_trivia(&mut self, trivia: &LeadingTrivia<'_>, context: WalkContext) {
        if let Some(span) = trivia.span
            && context.is_root()
            && self.made_at(span.start as usize).is_none()
        {
            let text = span.text(self.source);
            if trivia.attributes.is_empty() {
                self.facts.root(ChunkKind::Comment, span, comment_headline(text));
            } else {
                self.facts.root(ChunkKind::Expression, span, headline(text));
            }
        }
    }

    /// Adds a root item for a statement at the root of the file, with its leading trivia.
    pub(super) fn root_item(&mut self, statement: Span, context: WalkContext, trivia: &LeadingTrivia<'_>) {
        if context.is_root() && self.made_at(statement.start as usize).is_none() {
            let span = Span::new(trivia.start(statement.start), statement.end);
            self.facts.root(ChunkKind::Expression, span, headline(statement.text(self.source)));
        }
    }

    /// Adds inner documentation to the enclosing declaration or file.
    fn describe(&mut self, doc: String, context: WalkContext) {
        match context.symbol {
            None if context.is_root() => self.facts.file_doc(doc),
            None => {}
            Some(symbol) => {
                let known = &mut self.facts.symbol_mut(symbol).doc;
                *known = Some(match known.take() {
                    Some(outer) => format!("{outer}\n{doc}").into(),
                    None => doc.into(),
                });
            }
        }
    }
}
