//! Macro invocations: items inside them, and calls among their tokens.
//!
//! What a macro makes of its tokens is not known here. Two shapes are common enough to look for all the same:
//! braces around items, which nearly every such macro passes on (behind a `cfg`, with an attribute), and
//! tokens that look like calls in macros that take expressions.

use sscg_core::{Relation, Span};
use tree_sitter::{Node, Tree, TreeCursor};

use super::item::is_item;
use super::kind::{Kind, kind};
use super::lead::{Lead, leads};
use super::name::{identifier, path_name};
use super::syntax;
use super::walk::{Context, Place, Use, Walk};
use crate::scope::{Base, RawName};
use crate::tree::span;

/// A name in the making, while tokens are read from left to right.
struct Chain<'s, 't> {
    name: RawName<'s>,
    last: Node<'t>,
    next: Next,
    /// Whether the first separator is a dot: the name starts at a value.
    dotted: bool,
}

/// What the token after a [`Chain`] may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A separator, or the arguments of a call: the last token was a name.
    Any,
    /// A name: the last token was a separator.
    Name,
    /// What closes this many angle brackets.
    Closing(u32),
    /// A macro's tokens: the last token was `!`.
    MacroTokens,
}

/// Keywords that the grammar takes for identifiers among a macro's tokens.
const KEYWORDS: [&str; 9] = ["_", "dyn", "else", "extern", "in", "move", "ref", "try", "yield"];

impl<'s> Walk<'s> {
    /// A macro invocation where items stand.
    pub(super) fn item_macro<'t>(&mut self, cursor: &mut TreeCursor<'t>, context: Context, lead: &Lead<'t>) {
        let node = cursor.node();
        let last = node.child(node.child_count().saturating_sub(1));
        // At the end of a broken file the closing brace may be missing.
        let braces = last.filter(|last| {
            let tokens = self.text(*last);
            tokens.len() > 1 && tokens.starts_with('{') && tokens.ends_with('}')
        });
        if let Some(braces) = braces
            && context.place != Place::Body
            && let Some(tree) = self.items_inside(braces)
        {
            self.flush_lead(lead, context);
            self.macro_name(node, context);
            // The macro's braces are one more level, so that nested macros meet the limit too.
            let context = Context { depth: context.depth + 1, ..context };
            return self.list(&mut tree.root_node().walk(), context);
        }
        let span = span(node);
        self.root_expression(Span::new(lead.start(span.start), span.end), context);
        self.macro_call(cursor, context);
    }

    /// The tree of the items in a pair of braces, if there is nothing else in them.
    fn items_inside(&self, braces: Node<'_>) -> Option<Tree> {
        let tree = syntax::parse_inside(self.source, braces);
        let mut nodes = tree.walk();
        let mut items = 0;
        let only_items = tree.root_node().children(&mut nodes).all(|node| {
            items += usize::from(is_item(kind(node)));
            is_item(kind(node)) || leads(node)
        });
        drop(nodes);
        (only_items && items > 0).then_some(tree)
    }

    /// A macro invocation in code.
    pub(super) fn macro_call(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.macro_name(cursor.node(), context);
        self.children(cursor, context, |walk, cursor, context| {
            if kind(cursor.node()) == Kind::TokenTree {
                walk.tokens(cursor, context);
            }
        });
    }

    fn macro_name(&mut self, node: Node<'_>, context: Context) {
        if let Some(macro_) = node.child(0)
            && let Some(name) = path_name(self.text(macro_))
        {
            self.use_name(Use::Macro, name, macro_, context);
        }
    }

    /// The calls, paths and macros among the tokens of a token tree.
    pub(super) fn tokens<'t>(&mut self, cursor: &mut TreeCursor<'t>, context: Context) {
        let mut chain: Option<Chain<'s, 't>> = None;
        let mut declares = false;
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            let token = kind(node);
            let declared = std::mem::replace(&mut declares, matches!(token, Kind::Fn | Kind::Struct));
            if token == Kind::TokenTree {
                if let Some(chain) = chain.take() {
                    walk.end_chain(chain, Some(node), context);
                }
                walk.tokens(cursor, context);
                // A member may follow: `f(x).g()`.
                chain = Some(Chain::of_value(node, Next::Any));
            } else if !declared {
                chain = walk.next_chain(chain.take(), node, token, context);
            }
        });
        if let Some(chain) = chain {
            self.end_chain(chain, None, context);
        }
    }

    /// The chain after a token that is no token tree.
    fn next_chain<'t>(
        &mut self,
        chain: Option<Chain<'s, 't>>,
        node: Node<'t>,
        token: Kind,
        context: Context,
    ) -> Option<Chain<'s, 't>> {
        match (token, chain) {
            (_, Some(Chain { next: Next::Closing(open), name, last, dotted })) => {
                let open = match token {
                    Kind::Angle => open + 1,
                    Kind::CloseAngle => open - 1,
                    Kind::CloseAngles => open.saturating_sub(2),
                    _ => open,
                };
                let next = if open == 0 { Next::Any } else { Next::Closing(open) };
                Some(Chain { next, name, last, dotted })
            }
            (_, Some(mut chain)) if token.is_name_token() && chain.next == Next::Name => {
                chain.name.path.push(identifier(self.text(node)));
                Some(Chain { last: node, next: Next::Any, ..chain })
            }
            (_, chain) if token.is_name_token() => {
                if let Some(chain) = chain {
                    self.end_chain(chain, None, context);
                }
                let name = path_name(self.text(node)).filter(|name| !KEYWORDS.contains(&name.path[0]))?;
                Some(Chain { name, last: node, next: Next::Any, dotted: false })
            }
            (Kind::PathSeparator, Some(mut chain)) if chain.next == Next::Any => {
                if chain.name.path != ["Self"] && chain.name.path.len() == 1 {
                    chain.name.base = Base::Item;
                }
                Some(Chain { next: Next::Name, ..chain })
            }
            (Kind::Dot, Some(chain)) if chain.next == Next::Any => {
                let dotted = chain.dotted || chain.name.path.len() == 1;
                Some(Chain { next: Next::Name, dotted, ..chain })
            }
            (Kind::Dot, None) => Some(Chain::of_value(node, Next::Name)),
            (Kind::Angle, Some(chain)) if chain.next == Next::Name => {
                Some(Chain { next: Next::Closing(1), ..chain })
            }
            (Kind::Bang, Some(chain)) if chain.next == Next::Any => {
                Some(Chain { next: Next::MacroTokens, ..chain })
            }
            (_, chain) => {
                if let Some(chain) = chain {
                    self.end_chain(chain, None, context);
                }
                None
            }
        }
    }

    /// Notes what a chain turned out to be, once it is known what follows it.
    fn end_chain(&mut self, chain: Chain<'s, '_>, following: Option<Node<'_>>, context: Context) {
        let Chain { name, last, next, dotted } = chain;
        let Some(first) = name.path.first() else { return };
        let is_call = following.is_some_and(|tokens| self.text(tokens).starts_with('('));
        if next == Next::MacroTokens && following.is_some() {
            self.use_name(Use::Macro, name, last, context);
        } else if is_call && next == Next::Any {
            let usage = if dotted { Use::TokenCall } else { Use::Plain(Relation::Calls) };
            self.use_name(usage, name, last, context);
        } else if matches!(name.base, Base::Scope | Base::Item) && !dotted {
            if name.path.len() > 1 {
                self.use_name(Use::Plain(Relation::References), name, last, context);
            } else if first.starts_with(char::is_uppercase) {
                // A lower-case name may as well be a key, a field or a binding of the macro's own.
                self.mention(first, last, context);
            }
        }
    }
}

impl<'t> Chain<'_, 't> {
    /// The start of a member of a value without a name.
    fn of_value(last: Node<'t>, next: Next) -> Self {
        Self { name: RawName { base: Base::Value(None), path: Vec::new() }, last, next, dotted: true }
    }
}
