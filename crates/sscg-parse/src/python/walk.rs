//! Traversal of the syntax tree: its context, the collected data, and the dispatch by node kind.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{LocalCall, LocalImport, LocalSymbol, Relation, TypeParameter};
use tree_sitter::{Tree, TreeCursor};

use super::field::Class;
use super::grammar::{Kind, kind};
use crate::builder::FactsBuilder;
use crate::scope::{Base, Binding, RawHint, RawName, ScopeId, ScopeKind, Scopes};
use crate::tree::{span, text};

/// Maximum depth of the walk. The call stack is finite, and real code is not nested as deeply.
const MAX_DEPTH: u32 = 500;

/// Walk over the tree of one file, with the data collected so far.
pub(super) struct Walk<'t, 's> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'s str,
    pub(super) builder: FactsBuilder<'s>,
    pub(super) scopes: Scopes<'s>,
    /// Scope of the file.
    pub(super) file: ScopeId,
    pub(super) at: WalkContext<'s>,
    pub(super) uses: Vec<NameUse<'s>>,
    /// Types of declared symbols, to be resolved in a scope.
    pub(super) types: Vec<(LocalSymbol, ScopeId, RawName<'s>)>,
    /// Type hints from the values of variables without annotation, to be resolved in a scope.
    pub(super) values: Vec<(LocalSymbol, ScopeId, RawHint<'s>)>,
    pub(super) attributes: Attributes<'s>,
    pub(super) classes: FxHashMap<LocalSymbol, Class<'t, 's>>,
    /// Instance attributes declared by methods: class, name and symbol.
    pub(super) fields: Vec<(LocalSymbol, &'s str, LocalSymbol)>,
    /// Names that a function declares `global` or `nonlocal`.
    pub(super) foreign: FxHashSet<(ScopeId, &'s str)>,
    /// Names in a literal `__all__`.
    pub(super) exports: Option<FxHashSet<&'s str>>,
    /// Type variables of the file: `T = TypeVar("T")`.
    pub(super) type_variables: FxHashMap<&'s str, TypeParameter>,
    /// Local names of `typing` and of names imported from it.
    pub(super) typing: FxHashSet<&'s str>,
    /// True if the file has a glob import, which may bind any name.
    pub(super) has_globs: bool,
    /// Sorted offsets of the names that the current statement declares.
    pub(super) new_names: Vec<u32>,
    /// Declarations and imports by the offset of their names.
    pub(super) names: Names,
    /// Calls of the flow by the offset of the last segment of their callee.
    pub(super) calls: FxHashMap<u32, LocalCall>,
    depth: u32,
    /// True if a node was left out because of its depth.
    left_out: bool,
}

/// Declarations and imports by the offset of their names.
#[derive(Default)]
pub(super) struct Names {
    pub(super) symbols: FxHashMap<u32, LocalSymbol>,
    pub(super) imports: FxHashMap<u32, LocalImport>,
    /// Scope of each function's local variables.
    pub(super) scopes: FxHashMap<LocalSymbol, ScopeId>,
}

/// Types that the methods of a class assign to attributes of `self`, each with the scope in which its names are
/// resolved. `None` if the type is unclear or the class body declares the attribute.
pub(super) type Attributes<'s> = FxHashMap<(LocalSymbol, &'s str), Option<(RawHint<'s>, ScopeId)>>;

/// Reference, to be resolved after the walk.
pub(super) struct NameUse<'s> {
    pub(super) relation: Relation,
    pub(super) from: Option<LocalSymbol>,
    pub(super) class: Option<LocalSymbol>,
    pub(super) scope: ScopeId,
    pub(super) name: RawName<'s>,
    pub(super) at: u32,
    pub(super) arguments: Option<u8>,
}

/// Context of the walk.
#[derive(Clone, Copy)]
pub(super) struct WalkContext<'s> {
    pub(super) scope: ScopeId,
    /// Scope in which `:=` binds: that of the code outside all comprehensions.
    pub(super) frame: ScopeId,
    pub(super) level: Level,
    /// Innermost enclosing declaration.
    pub(super) symbol: Option<LocalSymbol>,
    /// Class of `self`.
    pub(super) class: Option<LocalSymbol>,
    /// Name of the receiver in the enclosing method.
    pub(super) receiver: Option<&'s str>,
    /// True if assignments declare symbols: outside functions and loops.
    pub(super) declares: bool,
    /// True if statements are top-level items.
    pub(super) root: bool,
    /// Relation of names that are read here.
    pub(super) reads: Relation,
    /// Relation of type names here.
    pub(super) types: Relation,
}

/// Kind of body being walked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Module,
    Class,
    /// Body of an enumeration, whose assignments are its members.
    Enum,
    Function,
}

impl<'t, 's> Walk<'t, 's> {
    /// Walks a whole tree.
    pub(super) fn over(tree: &'t Tree, builder: FactsBuilder<'s>) -> Self {
        let mut scopes = Scopes::default();
        let file = scopes.open(None, ScopeKind::Lexical);
        let at = WalkContext {
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

    /// Calls `visit` for each child of the current node, with the cursor at the child.
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
    pub(super) fn within<T>(&mut self, context: WalkContext<'s>, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, context);
        let result = walk(self);
        self.at = outer;
        result
    }

    /// Returns the kind of the current node.
    pub(super) fn kind(&self) -> Kind {
        kind(self.cursor.node())
    }

    /// Returns the field id of the current node in its parent; 0 for none.
    pub(super) fn field(&self) -> u16 {
        self.cursor.field_id().map_or(0, |id| id.get())
    }

    /// Returns the text of the current node.
    pub(super) fn text(&self) -> &'s str {
        text(self.cursor.node(), self.source)
    }

    /// Returns the start offset of the current node.
    pub(super) fn start(&self) -> u32 {
        self.cursor.node().start_byte() as u32
    }

    /// Returns the unresolved name for an identifier.
    pub(super) fn name(&self, identifier: &'s str) -> RawName<'s> {
        let base = if self.at.receiver == Some(identifier) { Base::SelfType } else { Base::Scope };
        RawName { base, path: vec![identifier] }
    }

    /// Records a reference; `at` is the offset of its last segment.
    pub(super) fn name_used(&mut self, relation: Relation, name: RawName<'s>, at: u32) {
        let WalkContext { scope, symbol, class, .. } = self.at;
        self.uses.push(NameUse { relation, from: symbol, class, scope, name, at, arguments: None });
    }

    /// Returns the binding of a name in the current scope itself, as far as the walk has come.
    pub(super) fn own_binding(&self, name: &str) -> Option<&Binding<'s>> {
        self.scopes.own(self.at.scope, name)
    }

    /// Returns true if a name is known to be a parameter or local variable of an enclosing function.
    pub(super) fn is_local(&self, name: &str) -> bool {
        matches!(self.scopes.lookup(self.at.scope, name), Some((at, Binding::Local(_))) if at != self.file)
    }

    /// Binds a name that is assigned in the current scope; `at` is its offset.
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
            // `run = traced(run)`: a call of the name no longer runs just the function of that name.
            self.scopes.overwrite(self.at.scope, name);
        } else {
            self.scopes.declare(self.at.scope, name, Binding::Local(hint));
        }
    }

    /// Records a write to a name that the file or a class may declare.
    pub(super) fn name_written(&mut self, name: &'s str, at: u32) {
        let is_declared = matches!(self.own_binding(name), Some(Binding::Symbol(_)));
        if is_declared || !self.foreign.is_empty() && self.foreign.contains(&(self.at.scope, name)) {
            self.name_used(Relation::AssignsTo, RawName::scoped(vec![name]), at);
        }
    }

    /// Visits the current node, of any kind.
    pub(super) fn visit(&mut self) {
        let node = self.cursor.node();
        match kind(node) {
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
                self.within(WalkContext { declares: false, ..self.at }, Self::for_clause);
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
