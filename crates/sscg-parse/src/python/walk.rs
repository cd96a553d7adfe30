//! The walk over the tree: where it stands, what it has gathered, and which node is whose.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{LocalCall, LocalImport, LocalSymbol, Relation, TypeParameter};
use tree_sitter::{Tree, TreeCursor};

use super::field::Class;
use super::grammar::{GRAMMAR, Kind};
use crate::builder::FactsBuilder;
use crate::scope::{Base, Binding, RawHint, RawName, ScopeId, ScopeKind, Scopes};
use crate::tree::{span, text};

/// Deeper nesting than this is not walked; the call stack is finite and people write no such code.
const MAX_DEPTH: u32 = 500;

/// A walk over one file's tree and what it has gathered.
pub(super) struct Walk<'t, 's> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'s str,
    pub(super) builder: FactsBuilder<'s>,
    pub(super) scopes: Scopes<'s>,
    /// The scope of the file.
    pub(super) file: ScopeId,
    pub(super) at: Context<'s>,
    pub(super) uses: Vec<Use<'s>>,
    /// Types of declared symbols, to be looked up in a scope.
    pub(super) types: Vec<(LocalSymbol, ScopeId, RawName<'s>)>,
    /// What the values say of the types of variables without an annotation, to be looked up in a scope.
    pub(super) values: Vec<(LocalSymbol, ScopeId, RawHint<'s>)>,
    pub(super) attributes: Attributes<'s>,
    pub(super) classes: FxHashMap<LocalSymbol, Class<'t, 's>>,
    /// The attributes of instances that methods declare: class, name and symbol.
    pub(super) fields: Vec<(LocalSymbol, &'s str, LocalSymbol)>,
    /// Names that a function's scope leaves to the scopes around it.
    pub(super) foreign: FxHashSet<(ScopeId, &'s str)>,
    /// The names in a literal `__all__`.
    pub(super) exports: Option<FxHashSet<&'s str>>,
    /// The type variables of the file: `T = TypeVar("T")`.
    pub(super) type_variables: FxHashMap<&'s str, TypeParameter>,
    /// The names that are imported from `typing`, and what that is imported as.
    pub(super) typing: FxHashSet<&'s str>,
    /// Whether a `from m import *` may declare any name.
    pub(super) has_globs: bool,
    /// Where the names stand that the current statement declares, in order.
    pub(super) new_names: Vec<u32>,
    /// The declarations and imports by where their names stand.
    pub(super) names: Names,
    /// The calls of the flow by where the last segment of what they call stands.
    pub(super) calls: FxHashMap<u32, LocalCall>,
    depth: u32,
    /// Whether something was nested too deeply.
    left_out: bool,
}

/// Declarations and imports by where their names stand.
#[derive(Default)]
pub(super) struct Names {
    pub(super) symbols: FxHashMap<u32, LocalSymbol>,
    pub(super) imports: FxHashMap<u32, LocalImport>,
    /// The scope of each function's own variables.
    pub(super) scopes: FxHashMap<LocalSymbol, ScopeId>,
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
    pub(super) arguments: Option<u8>,
}

/// Where the walk stands.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    pub(super) scope: ScopeId,
    /// The scope in which `:=` binds: that of the code around all comprehensions.
    pub(super) frame: ScopeId,
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
    /// What reading a name says here.
    pub(super) reads: Relation,
    /// What naming a type says here.
    pub(super) types: Relation,
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
        let file = scopes.open(None, ScopeKind::Lexical);
        let at = Context {
            scope: file,
            frame: file,
            level: Level::Module,
            symbol: None,
            class: None,
            receiver: None,
            declares: true,
            root: true,
            reads: Relation::References,
            types: Relation::UsesType,
        };
        let mut walk = Self {
            cursor: tree.walk(),
            source: builder.source(),
            builder,
            scopes,
            file,
            at,
            uses: Vec::new(),
            types: Vec::new(),
            values: Vec::new(),
            attributes: Attributes::default(),
            classes: FxHashMap::default(),
            fields: Vec::new(),
            foreign: FxHashSet::default(),
            exports: None,
            type_variables: FxHashMap::default(),
            typing: FxHashSet::default(),
            has_globs: false,
            new_names: Vec::new(),
            names: Names::default(),
            calls: FxHashMap::default(),
            depth: 0,
            left_out: false,
        };
        walk.module();
        walk
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
    pub(super) fn within<T>(&mut self, context: Context<'s>, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, context);
        let result = walk(self);
        self.at = outer;
        result
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

    /// Where the current node starts.
    pub(super) fn start(&self) -> u32 {
        self.cursor.node().start_byte() as u32
    }

    /// The name an identifier stands for.
    pub(super) fn name(&self, identifier: &'s str) -> RawName<'s> {
        let base = if self.at.receiver == Some(identifier) { Base::SelfType } else { Base::Scope };
        RawName { base, path: vec![identifier] }
    }

    /// Notes a use of a name; `at` is where its last segment stands.
    pub(super) fn name_used(&mut self, relation: Relation, name: RawName<'s>, at: u32) {
        let Context { scope, symbol, class, .. } = self.at;
        self.uses.push(Use { relation, from: symbol, class, scope, name, at, arguments: None });
    }

    /// What the current scope itself binds a name to so far.
    pub(super) fn own_binding(&self, name: &str) -> Option<&Binding<'s>> {
        self.scopes.own(self.at.scope, name)
    }

    /// Whether a name is known to be a parameter or variable of a function around.
    pub(super) fn is_local(&self, name: &str) -> bool {
        matches!(self.scopes.lookup(self.at.scope, name), Some((at, Binding::Local(_))) if at != self.file)
    }

    /// Binds a name that is written to in the current scope; `at` is where it stands.
    pub(super) fn bind(&mut self, name: &'s str, at: u32, hint: Option<RawHint<'s>>) {
        if self.new_names.binary_search(&at).is_ok() {
            return;
        }
        self.name_written(name, at);
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

    /// Notes that a name is written to, if it may be one that the file or a class declares.
    pub(super) fn name_written(&mut self, name: &'s str, at: u32) {
        let is_declared = matches!(self.own_binding(name), Some(Binding::Symbol(_)));
        if is_declared || !self.foreign.is_empty() && self.foreign.contains(&(self.at.scope, name)) {
            self.name_used(Relation::AssignsTo, RawName::scoped(vec![name]), at);
        }
    }

    /// Visits the current node, whatever it is.
    pub(super) fn visit(&mut self) {
        let node = self.cursor.node();
        match GRAMMAR.kind(node) {
            Kind::Leaf | Kind::Comment => {}
            Kind::Identifier => self.identifier_read(node),
            Kind::Attribute | Kind::Call | Kind::ParenthesizedExpression | Kind::Await => {
                self.read();
            }
            Kind::String => self.string(node),
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
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::GeneratorExpression => self.comprehension(),
            Kind::AsPattern => self.as_pattern(),
            Kind::WithItem => self.with_item(),
            Kind::ForStatement | Kind::WhileStatement => {
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
}
