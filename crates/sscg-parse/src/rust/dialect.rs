//! Types in macros that extend the syntax of items: `bitflags! { pub struct Flags: u8 { const A = 1; } }`.

use sscg_core::{LocalSymbol, Modifiers, Span, SymbolKind};
use tree_sitter::{Node, TreeCursor};

use super::item::Shape;
use super::kind::{Kind, kind};
use super::name::identifier;
use super::trivia::{Bond, LeadingTrivia, comment_bond};
use super::walk::{ItemList, Walk, WalkContext};
use crate::scope::ScopeKind;
use crate::tree::span;

/// Declaration among the tokens of a macro.
struct Spelled<'t> {
    kind: SymbolKind,
    trivia: LeadingTrivia<'t>,
    start: usize,
    exported: bool,
    name: Node<'t>,
    /// Last token: the braces of a type, the semicolon of a constant.
    last: Node<'t>,
}

/// Parts of a [`Spelled`] found so far.
#[derive(Default)]
struct Head<'t> {
    trivia: LeadingTrivia<'t>,
    start: Option<usize>,
    exported: bool,
    kind: Option<SymbolKind>,
    name: Option<Node<'t>>,
}

impl<'t> Head<'t> {
    /// Returns the declaration that a token ends, if it is complete, and starts anew.
    fn end(&mut self, last: Node<'t>, is_braces: bool) -> Option<Spelled<'t>> {
        let kind = self.kind.filter(|_| is_braces || last.kind() == ";")?;
        let Head { trivia, start, exported, name, .. } = std::mem::take(self);
        let is_whole = is_braces == (kind != SymbolKind::Constant);
        is_whole.then_some(Spelled { kind, trivia, start: start?, exported, name: name?, last })
    }
}

impl<'s> Walk<'s> {
    /// Declares the types among the tokens under the cursor. Returns false if there are none.
    pub(super) fn spelled_types(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) -> bool {
        let types = self.spelled(cursor.node(), |kind| kind != SymbolKind::Constant);
        if types.is_empty() {
            return false;
        }
        let mut types = types.into_iter().peekable();
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            let Some(ty) = types.next_if(|ty| ty.last == node) else {
                // The identifiers here are the names being declared; brackets hold attributes.
                if kind(node) == Kind::TokenTree && !walk.text(node).starts_with('[') {
                    walk.tokens(cursor, context);
                }
                return;
            };
            let symbol = walk.declare_spelled(&ty, context);
            let scope = walk.scopes.open(Some(context.scope), ScopeKind::Item);
            let inside = context.inside(symbol, scope, ItemList::Body);
            for constant in walk.spelled(node, |kind| kind == SymbolKind::Constant) {
                walk.declare_spelled(&constant, WalkContext { place: ItemList::Type, ..inside });
            }
            walk.tokens(cursor, inside);
        });
        true
    }

    /// Returns the declarations of the wanted kinds among the tokens of a token tree.
    fn spelled<'t>(&self, tokens: Node<'t>, wanted: impl Fn(SymbolKind) -> bool) -> Vec<Spelled<'t>> {
        let mut found = Vec::new();
        let mut head = Head::default();
        let mut nodes = tokens.walk();
        for node in tokens.children(&mut nodes).skip(1) {
            let token = kind(node);
            let is_doc = token.is_comment() && comment_bond(self.text(node)) == Bond::Attached;
            // The start of the next declaration ends an unfinished one.
            if head.kind.is_some()
                && (is_doc || matches!(node.kind(), "#" | "pub" | "struct" | "enum" | "const"))
            {
                head = Head::default();
            }
            match node.kind() {
                _ if is_doc => {
                    let span = span(node);
                    let text = span.text(self.source).trim_end();
                    head.trivia.push_doc(Span::new(span.start, span.start + text.len() as u32));
                }
                "#" => head.trivia.push(span(node), Bond::Attached),
                "pub" => {
                    head.start = Some(node.start_byte());
                    head.exported = true;
                }
                word @ ("struct" | "enum" | "const") => {
                    head.start.get_or_insert(node.start_byte());
                    head.kind = Some(match word {
                        "struct" => SymbolKind::Struct,
                        "enum" => SymbolKind::Enum,
                        _ => SymbolKind::Constant,
                    });
                }
                "identifier" if head.kind.is_some() && head.name.is_none() => head.name = Some(node),
                "token_tree" | ";" => {
                    let is_braces = self.text(node).starts_with('{');
                    found.extend(head.end(node, is_braces).filter(|declared| wanted(declared.kind)));
                }
                _ if head.kind.is_none() && !token.is_comment() => head = Head::default(),
                _ => {}
            }
        }
        found
    }

    fn declare_spelled(&mut self, spelled: &Spelled<'_>, context: WalkContext) -> LocalSymbol {
        let Spelled { kind, ref trivia, start, exported, name, last } = *spelled;
        let body = Some(last).filter(|_| kind != SymbolKind::Constant);
        let shape = Shape {
            all: Span::new(start as u32, last.end_byte() as u32),
            kind,
            name: identifier(self.text(name)),
            name_at: name.start_byte(),
            body: body.map(span),
            end: last.start_byte(),
            modifiers: Modifiers::empty(),
            exported,
            type_parameters: Vec::new(),
        };
        let symbol = self.declare(context, trivia, shape);
        if context.place != ItemList::Type {
            self.bind(self.text(name), symbol, context);
        }
        symbol
    }
}
