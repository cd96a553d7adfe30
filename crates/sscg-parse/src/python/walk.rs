//! The walk over the tree: where it stands, statements, and the items at a file's root.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{ChunkKind, LocalSymbol, Relation, Span};
use tree_sitter::{Node, Tree, TreeCursor};

use super::docstring;
use super::grammar::{GRAMMAR, Kind};
use crate::builder::FactsBuilder;
use crate::scope::{Base, Binding, RawHint, RawName, ScopeId, ScopeKind, Scopes};
use crate::text::headline;
use crate::tree::{span, text};

/// Deeper nesting than this is not walked; the call stack is finite and people write no such code.
const MAX_DEPTH: u32 = 500;

/// A walk over one file's tree and what it has gathered.
pub(super) struct Walk<'t, 's> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'s str,
    pub(super) builder: FactsBuilder<'s>,
    pub(super) scopes: Scopes<'s>,
    pub(super) at: Context<'s>,
    pub(super) uses: Vec<Use<'s>>,
    /// Types of declared symbols, to be looked up in a scope.
    pub(super) types: Vec<(LocalSymbol, ScopeId, RawName<'s>)>,
    pub(super) attributes: Attributes<'s>,
    /// Names that a function's scope leaves to the scopes around it.
    pub(super) foreign: Vec<(ScopeId, &'s str)>,
    /// The names in a literal `__all__`.
    pub(super) exports: Option<FxHashSet<&'s str>>,
    /// The declarations without a parent.
    pub(super) root_symbols: Vec<(LocalSymbol, Span)>,
    depth: u32,
    /// Whether something was nested too deeply.
    left_out: bool,
}

/// What the methods of a class assign to the attributes of `self`: the type, with the scope in which to look
/// its names up, or `None` where that is unclear or the class body declares the attribute.
pub(super) type Attributes<'s> = FxHashMap<(LocalSymbol, &'s str), Option<(RawHint<'s>, ScopeId)>>;

/// A use of a name, to be looked up after the walk.
pub(super) struct Use<'s> {
    pub(super) relation: Relation,
    pub(super) from: Option<LocalSymbol>,
    pub(super) class: Option<LocalSymbol>,
    pub(super) scope: ScopeId,
    pub(super) name: RawName<'s>,
    pub(super) at: u32,
}

/// Where the walk stands.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    pub(super) scope: ScopeId,
    pub(super) level: Level,
    /// The innermost declaration.
    pub(super) symbol: Option<LocalSymbol>,
    /// The class to which `self` belongs.
    pub(super) class: Option<LocalSymbol>,
    /// What the method around calls its instance or class.
    pub(super) receiver: Option<&'s str>,
    /// Whether assignments declare symbols: not in functions and not in loops.
    pub(super) declares: bool,
    /// Whether statements are items at the file's root.
    pub(super) root: bool,
}

/// What kind of body the walk stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Module,
    Class,
    /// The body of a class whose assignments are its alternatives.
    Enum,
    Function,
}

impl<'t, 's> Walk<'t, 's> {
    /// Walks all of a tree.
    pub(super) fn over(tree: &'t Tree, builder: FactsBuilder<'s>) -> Self {
        let mut scopes = Scopes::default();
        let at = Context {
            scope: scopes.open(None, ScopeKind::Lexical),
            level: Level::Module,
            symbol: None,
            class: None,
            receiver: None,
            declares: true,
            root: true,
        };
        let mut walk = Self {
            cursor: tree.walk(),
            source: builder.source(),
            builder,
            scopes,
            at,
            uses: Vec::new(),
            types: Vec::new(),
            attributes: Attributes::default(),
            foreign: Vec::new(),
            exports: None,
            root_symbols: Vec::new(),
            depth: 0,
            left_out: false,
        };
        if tree.root_node().is_error() {
            walk.root_statement(Span::new(0, walk.source.len() as u32));
        } else {
            walk.module_docstring(tree.root_node());
            walk.statements();
        }
        walk
    }

    fn module_docstring(&mut self, module: Node<'t>) {
        if let Some(doc) = docstring::of_block(module, self.source) {
            self.builder.file_doc(doc);
        }
    }

    /// Calls `visit` with the cursor at each child of the current node in turn.
    pub(super) fn children(&mut self, mut visit: impl FnMut(&mut Self)) {
        if !self.cursor.goto_first_child() {
            return;
        }
        if self.depth == MAX_DEPTH {
            self.too_deep();
            self.cursor.goto_parent();
            return;
        }
        self.depth += 1;
        loop {
            visit(self);
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.depth -= 1;
        self.cursor.goto_parent();
    }

    fn too_deep(&mut self) {
        if !std::mem::replace(&mut self.left_out, true) {
            let at = self.cursor.node().start_byte() as u32;
            self.builder.diagnostic(at, "nested too deeply; what is inside was left out");
        }
    }

    /// Runs `walk` in another context.
    pub(super) fn within(&mut self, context: Context<'s>, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.at, context);
        walk(self);
        self.at = outer;
    }

    /// The kind of the current node.
    pub(super) fn kind(&self) -> Kind {
        GRAMMAR.kind(self.cursor.node())
    }

    /// The number of the field in which the current node stands; 0 for none.
    pub(super) fn field(&self) -> u16 {
        self.cursor.field_id().map_or(0, |id| id.get())
    }

    /// The text of the current node.
    pub(super) fn text(&self) -> &'s str {
        text(self.cursor.node(), self.source)
    }

    /// The name an identifier stands for.
    pub(super) fn name(&self, identifier: &'s str) -> RawName<'s> {
        let base = if self.at.receiver == Some(identifier) { Base::SelfType } else { Base::Scope };
        RawName { base, path: vec![identifier] }
    }

    /// Notes a use of a name; `at` is where its last segment stands.
    pub(super) fn name_used(&mut self, relation: Relation, name: RawName<'s>, at: u32) {
        let Context { scope, symbol, class, .. } = self.at;
        self.uses.push(Use { relation, from: symbol, class, scope, name, at });
    }

    /// What the current scope itself binds a name to so far.
    pub(super) fn own_binding(&self, name: &str) -> Option<&Binding<'s>> {
        let (scope, binding) = self.scopes.lookup(self.at.scope, name)?;
        (scope == self.at.scope).then_some(binding)
    }

    /// Binds a name that is no symbol in the current scope.
    pub(super) fn bind(&mut self, name: &'s str, hint: Option<RawHint<'s>>) {
        if self.foreign.contains(&(self.at.scope, name)) {
            return;
        }
        let function = match self.own_binding(name) {
            Some(Binding::Symbol(symbol)) => Some(*symbol),
            _ => None,
        };
        if function.is_some_and(|symbol| self.builder.symbol_mut(symbol).kind.is_callable()) {
            // `run = traced(run)`: calling the name does not run the function of that name alone.
            self.scopes.overwrite(self.at.scope, name);
        } else {
            self.scopes.declare(self.at.scope, name, Binding::Local(hint));
        }
    }

    /// Visits the current node, whatever it is.
    pub(super) fn visit(&mut self) {
        let node = self.cursor.node();
        match GRAMMAR.kind(node) {
            Kind::Identifier | Kind::Attribute | Kind::Call | Kind::ParenthesizedExpression | Kind::Await => {
                self.read();
            }
            Kind::String => self.string(),
            Kind::KeywordArgument => self.keyword_argument(),
            Kind::Block => self.statements(),
            Kind::Assignment => {
                self.assignment();
            }
            Kind::AugmentedAssignment => self.augmented_assignment(),
            Kind::NamedExpression => self.named_expression(),
            Kind::FunctionDefinition | Kind::ClassDefinition | Kind::DecoratedDefinition => {
                self.definition(span(node).start);
            }
            Kind::ImportStatement | Kind::ImportFrom | Kind::FutureImport => {
                self.import();
            }
            Kind::TypeAliasStatement => self.type_alias(span(node).start),
            Kind::Lambda => self.lambda(),
            Kind::AsPattern => self.as_pattern(),
            Kind::ForInClause => self.for_clause(),
            Kind::ForStatement | Kind::WhileStatement | Kind::MatchStatement => {
                self.within(Context { declares: false, ..self.at }, Self::for_clause);
            }
            Kind::IfStatement => self.if_statement(node),
            Kind::CasePattern => self.case_pattern(),
            Kind::ExceptClause => self.except_clause(),
            Kind::RaiseStatement => self.raise_statement(),
            Kind::GlobalStatement | Kind::NonlocalStatement => self.foreign_names(),
            Kind::Yield => {
                self.mark_generator();
                self.children(Self::visit);
            }
            Kind::Type => {
                self.annotation();
            }
            _ => self.children(Self::visit),
        }
    }

    /// Visits the statements of the current node, a body or the file. Comments on the lines directly above a
    /// declaration belong to it.
    pub(super) fn statements(&mut self) {
        let mut comments = self.comments_above_block();
        self.children(|walk| {
            let node = walk.cursor.node();
            let here = span(node);
            if GRAMMAR.kind(node) == Kind::Comment {
                if !walk.starts_line(here.start) {
                    return;
                }
                comments = Some(match comments {
                    Some(above) if walk.on_next_line(above.end, here.start) => {
                        Span::new(above.start, here.end)
                    }
                    above => {
                        walk.stray_comment(above);
                        here
                    }
                });
            } else if node.is_named() {
                let start = match comments.take() {
                    Some(above) if walk.keeps_comment(node) && walk.on_next_line(above.end, here.start) => {
                        above.start
                    }
                    above => {
                        walk.stray_comment(above);
                        here.start
                    }
                };
                walk.statement(node, start);
            }
        });
        self.stray_comment(comments);
    }

    /// The comments on the lines directly above a block. The grammar has them outside of it.
    fn comments_above_block(&self) -> Option<Span> {
        let block = self.cursor.node().start_byte() as u32;
        if self.at.root || !self.starts_line(block) {
            return None;
        }
        let mut above: Option<Span> = None;
        for line in self.source[..block as usize].trim_end_matches([' ', '\t']).lines().rev() {
            let comment = line.trim();
            if !comment.starts_with('#') {
                break;
            }
            let start = (comment.as_ptr() as usize - self.source.as_ptr() as usize) as u32;
            let end = above.map_or(start + comment.len() as u32, |above| above.end);
            above = Some(Span::new(start, end));
        }
        above
    }

    /// Whether a comment directly above a statement belongs to it: not if it is an import or the file's
    /// docstring, above which stands what is said of the file.
    fn keeps_comment(&self, statement: Node<'t>) -> bool {
        let is_import =
            matches!(GRAMMAR.kind(statement), Kind::ImportStatement | Kind::ImportFrom | Kind::FutureImport);
        !(is_import || self.at.root && docstring::of_statement(statement, self.source).is_some())
    }

    fn stray_comment(&mut self, comment: Option<Span>) {
        if let Some(comment) = comment.filter(|_| self.at.root) {
            let name = headline(comment.text(self.source));
            self.builder.root(ChunkKind::Comment, comment, name);
        }
    }

    /// Visits one statement; `start` is where its attached comments start.
    fn statement(&mut self, node: Node<'t>, start: u32) {
        match GRAMMAR.kind(node) {
            Kind::FunctionDefinition | Kind::ClassDefinition | Kind::DecoratedDefinition => {
                self.definition(start);
            }
            Kind::TypeAliasStatement if self.at.declares => self.type_alias(start),
            Kind::ExpressionStatement if self.at.declares && self.variable(node, start) => {}
            Kind::ImportStatement | Kind::ImportFrom | Kind::FutureImport => {
                let modules = self.import();
                if self.at.root {
                    self.builder.root(ChunkKind::Import, self.whole(node, start), modules);
                }
            }
            _ if self.at.root => match docstring::of_statement(node, self.source) {
                Some(doc) => self.builder.root(ChunkKind::Comment, self.whole(node, start), headline(&doc)),
                None => self.root_statement(self.whole(node, start)),
            },
            _ => self.visit(),
        }
    }

    /// Visits a statement at the file's root. The declarations inside it are root items of their own, and so
    /// is what stands before, between and after them.
    fn root_statement(&mut self, whole: Span) {
        let before = self.root_symbols.len();
        self.within(Context { root: false, ..self.at }, Self::visit);
        let mut start = whole.start;
        for at in before..self.root_symbols.len() {
            let inner = self.root_symbols[at].1;
            self.root_expression(start, inner.start);
            start = inner.end;
        }
        self.root_expression(start, whole.end);
    }

    fn root_expression(&mut self, start: u32, end: u32) {
        let is_filler = |c: char| c.is_whitespace() || c == ';';
        let raw = Span::new(start, end.max(start)).text(self.source);
        let start = start + (raw.len() - raw.trim_start_matches(is_filler).len()) as u32;
        let code = raw.trim_matches(is_filler);
        if code.is_empty() {
            return;
        }
        let first_code = code.lines().find(|line| !line.trim_start().starts_with('#'));
        let kind = if first_code.is_some() { ChunkKind::Expression } else { ChunkKind::Comment };
        let whole = Span::new(start, start + code.len() as u32);
        self.builder.root(kind, whole, headline(first_code.unwrap_or(code)));
    }

    /// The span of a statement from its attached comments to the comment that ends its last line.
    pub(super) fn whole(&self, node: Node<'t>, start: u32) -> Span {
        let end = node.end_byte();
        let ends_line = self.source[..end].ends_with('\n');
        let line = self.source[end..].lines().next().filter(|_| !ends_line).unwrap_or_default();
        let comment = if line.trim_start().starts_with('#') { line.trim_end().len() } else { 0 };
        Span::new(start, (end + comment) as u32)
    }

    /// Whether only white space stands before `at` on its line.
    fn starts_line(&self, at: u32) -> bool {
        let line = self.source[..at as usize].trim_end_matches([' ', '\t', '\x0c', '\u{feff}', ';']);
        line.is_empty() || line.ends_with('\n')
    }

    /// Whether `next` stands on the line after `end`, with nothing between.
    fn on_next_line(&self, end: u32, next: u32) -> bool {
        let between = Span::new(end, next.max(end)).text(self.source);
        between.trim().is_empty() && between.bytes().filter(|byte| *byte == b'\n').count() == 1
    }
}
