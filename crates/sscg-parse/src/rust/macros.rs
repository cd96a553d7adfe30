//! Macros: items inside invocations, and references among the tokens of invocations and rules.
//!
//! The expansion of a macro is unknown here. Two shapes are common enough to be extracted anyway: items, which nearly
//! every such macro passes on (behind a `cfg`, with an attribute), and tokens that look like calls in macros that take
//! expressions.

use sscg_core::Relation;
use tree_sitter::{Node, Tree, TreeCursor};

use super::expression::constructor_like;
use super::item::is_item;
use super::kind::{Kind, kind};
use super::name::{identifier, path_name};
use super::syntax;
use super::trivia::{LeadingTrivia, is_trivia};
use super::walk::{ItemList, ReferenceForm, Walk, WalkContext};
use crate::scope::{Base, RawHint, RawName};
use crate::tree::{span, text};

/// Macros of the standard library and of libraries for errors that evaluate their arguments as expressions. Those for logs
/// evaluate them only in some builds.
const EVALUATING: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "matches",
    "panic",
    "print",
    "println",
    "ready",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Name under construction, while tokens are read from left to right.
struct Chain<'s> {
    name: RawName<'s>,
    next: Next,
    /// Set when the first separator is a dot, so that the name starts at a value.
    dotted: bool,
}

/// Tokens that may follow a [`Chain`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Separator or arguments of a call: the last token was a name.
    Any,
    /// Name: the last token was a separator.
    Name,
    /// Closing brackets of this many open angle brackets.
    Closing(u32),
    /// Tokens of a macro: the last token was `!`.
    MacroTokens,
}

/// Keywords that the grammar parses as identifiers among the tokens of a macro.
const KEYWORDS: [&str; 9] = ["_", "dyn", "else", "extern", "in", "move", "ref", "try", "yield"];

/// Words that may start an item.
const ITEM_STARTS: [&str; 18] = [
    "async",
    "const",
    "crate",
    "default",
    "enum",
    "extern",
    "fn",
    "impl",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "unsafe",
    "use",
    "macro_rules",
];

impl<'s> Walk<'s> {
    /// Visits a macro invocation in the position of an item or statement.
    pub(super) fn item_macro(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        let node = cursor.node();
        self.root_item(span(node), context, trivia);
        self.attributes(trivia, context);
        // The last expression of a block is its value: tokens that a macro like `quote!` returns, not items.
        let is_value =
            context.place == ItemList::Body && self.source[node.end_byte()..].trim_start().starts_with('}');
        if is_value {
            return self.macro_call(cursor, context);
        }
        self.macro_name(node, context);
        self.children(cursor, context, |walk, cursor, context| {
            if kind(cursor.node()) == Kind::TokenTree
                && !walk.items_among(cursor, context)
                && !walk.made_items(node, context, trivia)
            {
                walk.macro_tokens(node, cursor, context);
            }
        });
    }

    /// Walks the items in a macro's tokens, or in groups of braces among them as in `cfg_if!`. Returns false if there
    /// are none.
    fn items_among(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) -> bool {
        let tokens = cursor.node();
        if let Some(tree) = self.items_inside(tokens) {
            self.list(&mut tree.root_node().walk(), context);
            return true;
        }
        let mut nodes = tokens.walk();
        let groups: Vec<(usize, Tree)> = tokens
            .children(&mut nodes)
            .filter(|node| kind(*node) == Kind::TokenTree && self.text(*node).starts_with('{'))
            .filter_map(|node| Some((node.id(), self.items_inside(node)?)))
            .collect();
        if groups.is_empty() {
            let may_declare =
                context.place != ItemList::Body && self.text(tokens).get(1..).is_some_and(may_start_item);
            return may_declare && self.spelled_types(cursor, context);
        }
        let mut groups = groups.iter().peekable();
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            if let Some((_, tree)) = groups.next_if(|(id, _)| *id == node.id()) {
                walk.list(&mut tree.root_node().walk(), context);
            } else {
                walk.visit(cursor, context);
            }
        });
        true
    }

    /// True if rules of the file expand the invocation at the start of a node.
    pub(super) fn has_expansion(&self, node: Node<'_>) -> bool {
        self.expansion_at(node.start_byte() as u32).is_ok()
    }

    fn expansion_at(&self, invocation: u32) -> Result<usize, usize> {
        self.made.binary_search_by_key(&invocation, |made| made.at)
    }

    /// Walks the items that rules of the file make of an invocation. Returns false if there are none.
    fn made_items(&mut self, invocation: Node<'_>, context: WalkContext, trivia: &LeadingTrivia<'_>) -> bool {
        let start = invocation.start_byte() as u32;
        let Ok(nth) = self.expansion_at(start) else { return false };
        let part = self.made[nth].text.clone();
        let tree = syntax::parse_part(self.source, part, &self.time);
        let Some(tree) = tree.filter(|tree| holds_only_items(tree.root_node())) else { return false };
        self.made[nth].invocation.start = trivia.start(start);
        let condition = std::mem::replace(&mut self.made_if, trivia.condition(self.source));
        let outer = std::mem::replace(&mut self.in_macro, true);
        self.list(&mut tree.root_node().walk(), context);
        (self.made_if, self.in_macro) = (condition, outer);
        true
    }

    /// Parses the contents of a token tree; `None` unless they are items and nothing else.
    fn items_inside(&self, tokens: Node<'_>) -> Option<Tree> {
        let written = self.text(tokens);
        // At the end of a broken file the closing bracket may be missing.
        let is_closed = written.len() > 1 && written.ends_with(['}', ')', ']']);
        if !is_closed || !may_start_item(&written[1..]) {
            return None;
        }
        let tree = syntax::parse_inside(self.source, tokens, &self.time)?;
        holds_only_items(tree.root_node()).then_some(tree)
    }

    /// Visits a macro invocation in code.
    pub(super) fn macro_call(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let node = cursor.node();
        self.macro_name(node, context);
        self.children(cursor, context, |walk, cursor, context| {
            if kind(cursor.node()) == Kind::TokenTree {
                walk.macro_tokens(node, cursor, context);
            }
        });
    }

    /// Records the references among the tokens of an invocation.
    fn macro_tokens(&mut self, invocation: Node<'_>, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let name = invocation.child(0).and_then(|name| path_name(self.text(name)));
        let evaluates =
            name.is_some_and(|name| name.path.last().is_some_and(|name| EVALUATING.contains(name)));
        let outer = self.in_macro;
        self.in_macro |= !evaluates;
        self.tokens(cursor, context);
        self.in_macro = outer;
    }

    /// Records the references in the rules of the macro under the cursor.
    pub(super) fn macro_rules(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        self.children(cursor, context, |walk, cursor, context| {
            if kind(cursor.node()) == Kind::MacroRule {
                walk.children(cursor, context, |walk, cursor, context| {
                    // The left side is a pattern without references.
                    if kind(cursor.node()) == Kind::TokenTree {
                        walk.tokens(cursor, context);
                    }
                });
            }
        });
    }

    fn macro_name(&mut self, node: Node<'_>, context: WalkContext) {
        if let Some(macro_) = node.child(0)
            && let Some(name) = path_name(self.text(macro_))
        {
            self.use_name(ReferenceForm::Macro, name, context);
        }
    }

    /// Records the calls, paths and macros among the tokens of a token tree.
    pub(super) fn tokens(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut chain: Option<Chain<'s>> = None;
        let mut previous = Kind::Leaf;
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            let token = kind(node);
            let before = std::mem::replace(&mut previous, token);
            if matches!(token, Kind::TokenTree | Kind::TokenRepetition) {
                let called = chain.take().and_then(|chain| walk.end_chain(chain, Some(node), context));
                // Tokens in an attribute that look like a call are not a call.
                if before != Kind::Hash || !walk.text(node).starts_with('[') {
                    walk.tokens(cursor, context);
                }
                // A member may follow: `f(x).g()`.
                chain = Some(Chain::of_value(called.map(RawHint::Result), Next::Any));
            } else if token == Kind::StringLiteral {
                walk.captured(node, context);
                chain = walk.next_chain(chain.take(), node, token, context);
            } else if !matches!(before, Kind::Fn | Kind::Struct) {
                chain = walk.next_chain(chain.take(), node, token, context);
            }
        });
        if let Some(chain) = chain {
            self.end_chain(chain, None, context);
        }
    }

    /// Records the constants in a format string: `"{LIMIT} at most"`. Its other names are mostly local variables.
    fn captured(&mut self, literal: Node<'_>, context: WalkContext) {
        for after in self.text(literal).split('{').skip(1) {
            let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
            let (name, rest) = after.split_at(end);
            if name.starts_with(char::is_uppercase) && rest.starts_with(['}', ':']) {
                self.mention(Relation::References, name, context);
            }
        }
    }

    /// Returns the chain after a token other than a token tree.
    fn next_chain(
        &mut self,
        chain: Option<Chain<'s>>,
        node: Node<'_>,
        token: Kind,
        context: WalkContext,
    ) -> Option<Chain<'s>> {
        if let Some(chain) = chain {
            match chain.extended(token, node, self.source) {
                Ok(chain) => return Some(chain),
                Err(chain) => self.end_chain(chain, Some(node), context),
            };
        } else if token == Kind::Dot {
            return Some(Chain::of_value(None, Next::Name));
        }
        match token {
            _ if token.is_name_token() || token == Kind::PrimitiveType => {
                let name = path_name(self.text(node)).filter(|name| !KEYWORDS.contains(&name.path[0]))?;
                Some(Chain { name, next: Next::Any, dotted: false })
            }
            Kind::Metavariable if self.text(node) == "$crate" => {
                let name = RawName { base: Base::Item, path: vec![&self.text(node)[1..]] };
                Some(Chain { name, next: Next::Any, dotted: false })
            }
            // The value of any other metavariable is unknown.
            Kind::Metavariable => Some(Chain::of_value(None, Next::Any)),
            _ => None,
        }
    }

    /// Records the reference of a chain, depending on the node that follows it. Returns the callee if it is a call.
    fn end_chain(
        &mut self,
        chain: Chain<'s>,
        following: Option<Node<'_>>,
        context: WalkContext,
    ) -> Option<RawName<'s>> {
        let Chain { name, next, dotted } = chain;
        let &first = name.path.first()?;
        let in_rules = context.place == ItemList::MacroRules;
        let after = following.map_or("", |node| self.text(node));
        let is_group = following.is_some_and(|node| kind(node) == Kind::TokenTree);
        if next == Next::MacroTokens && is_group {
            self.use_name(ReferenceForm::Macro, name, context);
            return None;
        }
        let is_call = is_group && next == Next::Any && after.starts_with('(');
        if dotted && name.base == Base::SelfType {
            self.self_chain(&name, is_call, after, context);
        }
        if is_call {
            let relation =
                if !dotted && constructor_like(&name) { Relation::Instantiates } else { Relation::Calls };
            let usage = match (in_rules, dotted) {
                // The values bound by the rules are unknown, and so is `self` at the invocation.
                (true, true) => return None,
                (true, false) => ReferenceForm::Item(relation),
                (false, true) => ReferenceForm::TokenCall,
                (false, false) => ReferenceForm::Plain(relation),
            };
            let arguments = following.and_then(argument_tokens);
            self.use_with(usage, name.clone(), arguments, context);
            return (!in_rules).then_some(name);
        }
        if matches!(name.base, Base::Scope | Base::Item) && !dotted {
            if name.path.len() > 1 {
                let relation = Relation::References;
                let usage =
                    if in_rules { ReferenceForm::Item(relation) } else { ReferenceForm::Plain(relation) };
                self.use_name(usage, name, context);
            } else if first.starts_with(char::is_uppercase) {
                // A lower-case name may also be a key, a field or a binding of the macro.
                self.mention(Relation::References, first, context);
            }
        }
        None
    }

    /// Records the member of `self` that a chain of tokens reads or writes.
    fn self_chain(&mut self, name: &RawName<'s>, is_call: bool, after: &str, context: WalkContext) {
        let [this, member, rest @ ..] = &name.path[..] else { return };
        if context.place == ItemList::MacroRules || is_call && rest.is_empty() {
            return;
        }
        let is_written = after.ends_with('=') && !matches!(after, "==" | "!=" | "<=" | ">=");
        if is_written {
            self.use_name(ReferenceForm::Plain(Relation::AssignsTo), name.clone(), context);
        }
        if !is_written || after != "=" || !rest.is_empty() {
            let member = RawName { base: Base::SelfType, path: vec![*this, *member] };
            self.use_name(ReferenceForm::Plain(Relation::ReadsFrom), member, context);
        }
    }
}

/// True if a file consists of items, at least one.
fn holds_only_items(file: Node<'_>) -> bool {
    let mut nodes = file.walk();
    let mut items = 0;
    let only_items = file.children(&mut nodes).all(|node| {
        let kind = kind(node);
        items += usize::from(is_item(kind));
        is_item(kind) || is_trivia(node) || matches!(kind, Kind::EmptyStatement | Kind::InnerAttribute)
    });
    only_items && items > 0
}

/// Returns the number of arguments in the tokens of a call; `None` if it is ambiguous. Closures and generic arguments
/// have commas of their own, and a repetition any number.
fn argument_tokens(group: Node<'_>) -> Option<u8> {
    let mut nodes = group.walk();
    let mut count = 0u8;
    let mut is_open = false;
    for token in group.children(&mut nodes).skip(1) {
        match kind(token) {
            Kind::Angle | Kind::Pipe | Kind::TokenRepetition => return None,
            Kind::Comma => is_open = false,
            kind if kind.is_comment() => {}
            Kind::Leaf if matches!(token.kind(), ")" | "||") => {}
            _ if !std::mem::replace(&mut is_open, true) => count = count.saturating_add(1),
            _ => {}
        }
    }
    Some(count)
}

/// True if code may start with an item: with one of its words, an attribute, a comment or a macro.
fn may_start_item(code: &str) -> bool {
    let code = code.trim_start();
    let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(code.len());
    let (word, rest) = code.split_at(end);
    match word {
        "" => code.starts_with(['#', '/']),
        word => ITEM_STARTS.contains(&word) || rest.starts_with('!'),
    }
}

impl<'s> Chain<'s> {
    /// Starts a chain at a member of an unnamed value.
    fn of_value(hint: Option<RawHint<'s>>, next: Next) -> Self {
        let base = Base::Value(hint.map(Box::new));
        Self { name: RawName { base, path: Vec::new() }, next, dotted: true }
    }

    /// Returns the chain with one more token, or the same chain as an error if the token does not continue it.
    fn extended(mut self, token: Kind, node: Node<'_>, source: &'s str) -> Result<Self, Self> {
        self.next = match self.next {
            Next::Closing(open) => {
                let open = match token {
                    Kind::Angle => open + 1,
                    Kind::CloseAngle => open - 1,
                    Kind::CloseAngles => open.saturating_sub(2),
                    _ => open,
                };
                if open == 0 { Next::Any } else { Next::Closing(open) }
            }
            Next::Name if token.is_member() => {
                self.name.path.push(identifier(text(node, source)));
                Next::Any
            }
            Next::Name if token == Kind::Angle => Next::Closing(1),
            Next::Any if token == Kind::PathSeparator => {
                if self.name.path != ["Self"] && self.name.path.len() == 1 {
                    self.name.base = Base::Item;
                }
                Next::Name
            }
            Next::Any if token == Kind::Dot => {
                self.dotted |= self.name.path.len() == 1;
                Next::Name
            }
            Next::Any if token == Kind::Bang => Next::MacroTokens,
            _ => return Err(self),
        };
        Ok(self)
    }
}
