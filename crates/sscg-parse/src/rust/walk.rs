//! The walk over the tree: where it stands, what it has seen, and which node goes to which rule.

use sscg_core::{Bound, FileFacts, Head, LocalSymbol, NameRef, Relation, SymbolKind};
use tree_sitter::{Node, TreeCursor};

use super::generics::bounds;
use super::item::is_item;
use super::kind::{FIELDS, Kind, child, kind};
use super::lead::Lead;
use super::name::{identifier, of_type, path_name};
use super::readable::readable;
use super::syntax;
use crate::builder::FactsBuilder;
use crate::nesting::{TOO_DEEP, levelled};
use crate::scope::{Base, RawHint, RawName, RawType, ScopeId, ScopeKind, Scopes};
use crate::tree::text;

/// The facts of a file.
pub(super) fn extract(source: &str) -> FileFacts {
    let (text, mut left_out) = readable(source);
    let levelled = levelled(&text, |text| Some(syntax::parse(text)));
    let tree = syntax::parse(levelled.as_ref().map_or(&*text, |(text, _)| text));
    let root = tree.root_node();
    let mut walk = Walk::new(source);
    left_out.extend(levelled.map(|(_, at)| (at, TOO_DEEP)));
    for (at, message) in left_out {
        walk.facts.diagnostic(at, message.to_owned());
    }
    if root.has_error() {
        syntax::diagnose(root, &mut walk.facts);
    }
    let scope = walk.scopes.open(None, ScopeKind::Lexical);
    let context = Context { symbol: None, scope, place: Place::Module, depth: 0 };
    walk.list(&mut root.walk(), context);
    walk.finish()
}

/// Where the walk stands.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The innermost declaration around it.
    pub(super) symbol: Option<LocalSymbol>,
    pub(super) scope: ScopeId,
    pub(super) place: Place,
    /// How many nodes enclose it.
    pub(super) depth: u16,
}

impl Context {
    /// Whether what stands here is a root item of the file.
    pub(super) fn is_root(self) -> bool {
        self.symbol.is_none() && self.place == Place::Module
    }

    /// Inside the declaration of `symbol`.
    pub(super) fn inside(self, symbol: LocalSymbol, scope: ScopeId, place: Place) -> Self {
        Self { symbol: Some(symbol), scope, place, depth: self.depth }
    }
}

/// What kind of list of declarations the walk is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file or module.
    Module,
    /// An implementation block without a trait, or a struct or union without visibility of its own.
    Type,
    /// A trait.
    Trait,
    /// The implementation of a trait.
    TraitImpl,
    /// An enumeration; whether it is exported.
    Enum { exported: bool },
    /// An `extern` block.
    Foreign,
    /// Code.
    Body,
    /// The rules of a macro: a name may be one that they bind.
    MacroRules,
}

/// What a use of a name is, before it is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// As it is.
    Plain(Relation),
    /// A use only if it starts at a declaration or import of the file, or at the crate.
    Item(Relation),
    /// The name of a macro.
    Macro,
    /// A call seen in the tokens of a macro, whose own variables are unknown: if nothing binds the first of
    /// several segments, it is such a variable.
    TokenCall,
}

struct Pending<'s> {
    usage: Use,
    from: Option<LocalSymbol>,
    scope: ScopeId,
    name: RawName<'s>,
    arguments: Option<u8>,
    first_argument: Option<RawHint<'s>>,
    in_macro: bool,
}

/// An identifier that counts as a use only if it names a declaration or import.
struct Mention<'s> {
    relation: Relation,
    name: &'s str,
    from: Option<LocalSymbol>,
    scope: ScopeId,
}

/// The state of one walk.
pub(super) struct Walk<'s> {
    pub(super) source: &'s str,
    pub(super) facts: FactsBuilder<'s>,
    pub(super) scopes: Scopes<'s>,
    uses: Vec<Pending<'s>>,
    mentions: Vec<Mention<'s>>,
    types: Vec<(LocalSymbol, ScopeId, RawType<'s>)>,
    parameters: Vec<(LocalSymbol, ScopeId, Vec<RawType<'s>>)>,
    bounds: Vec<(LocalSymbol, ScopeId, &'s str, RawType<'s>)>,
    /// Whether the walk is among the tokens of a macro that may make anything of them.
    pub(super) in_macro: bool,
    /// What the innermost `match` looks at.
    pub(super) matched: Option<RawHint<'s>>,
    /// What the closure that comes next is handed to.
    pub(super) handing: Option<(ScopeId, RawName<'s>)>,
    too_deep: bool,
}

/// Beyond this nesting the text is not looked at, so that no input can exhaust the stack.
const MAX_DEPTH: u16 = 500;

impl<'s> Walk<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            facts: FactsBuilder::new(source),
            scopes: Scopes::default(),
            uses: Vec::new(),
            mentions: Vec::new(),
            types: Vec::new(),
            parameters: Vec::new(),
            bounds: Vec::new(),
            in_macro: false,
            matched: None,
            handing: None,
            too_deep: false,
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// Calls `each` with the cursor on every child of its node, comments and missing nodes included.
    pub(super) fn children<'t>(
        &mut self,
        cursor: &mut TreeCursor<'t>,
        context: Context,
        mut each: impl FnMut(&mut Self, &mut TreeCursor<'t>, Context),
    ) {
        let context = Context { depth: context.depth + 1, ..context };
        if context.depth > MAX_DEPTH {
            if !std::mem::replace(&mut self.too_deep, true) {
                self.facts.diagnostic(cursor.node().start_byte() as u32, "nested too deeply to look into");
            }
            return;
        }
        if cursor.goto_first_child() {
            loop {
                each(self, cursor, context);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
            cursor.goto_parent();
        }
    }

    /// Visits every child of the cursor's node.
    pub(super) fn visit_children(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.children(cursor, context, Self::visit);
    }

    /// Visits the cursor's node: types, expressions, and whatever holds them.
    pub(super) fn visit(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let node = cursor.node();
        match kind(node) {
            Kind::Leaf
            | Kind::LineComment
            | Kind::BlockComment
            | Kind::Label
            | Kind::Visibility
            | Kind::AttributeItem
            | Kind::InnerAttribute => {}
            token if token.is_token() => {}
            Kind::Identifier => self.mention(Relation::References, self.text(node), context),
            Kind::ScopedIdentifier => self.path(cursor, context, Relation::References),
            Kind::TypeIdentifier | Kind::ScopedTypeIdentifier => {
                self.path(cursor, context, Relation::UsesType);
            }
            Kind::CallExpression => self.call(cursor, context),
            Kind::FieldExpression => self.field(cursor, context),
            Kind::AssignmentExpression => self.assignment(cursor, context),
            Kind::CompoundAssignment => self.compound_assignment(cursor, context),
            Kind::TypeCast => self.cast(cursor, context),
            Kind::StructExpression => self.struct_expression(cursor, context),
            Kind::MacroInvocation => self.macro_call(cursor, context),
            Kind::LetDeclaration | Kind::LetCondition | Kind::LetChain => {
                self.condition(cursor, context);
            }
            Kind::ForExpression => self.for_loop(cursor, context),
            Kind::MatchExpression => self.matching(cursor, context),
            Kind::MatchArm => self.match_arm(cursor, context),
            Kind::IfExpression | Kind::WhileExpression => self.conditional(cursor, context),
            Kind::ClosureExpression => {
                let context = self.open(context);
                self.visit_children(cursor, context);
            }
            Kind::ClosureParameters => self.closure_parameters(cursor, context),
            Kind::Block => {
                let context = Context { place: Place::Body, ..self.open(context) };
                self.list(cursor, context);
            }
            Kind::DeclarationList | Kind::FieldDeclarationList | Kind::EnumVariantList => {
                self.list(cursor, context);
            }
            Kind::TypeParameter | Kind::ConstParameter => self.type_parameter(cursor, context),
            Kind::Parameters => self.parameters(cursor, context),
            Kind::FunctionType => {
                // The parameters' names of a function pointer bind nothing.
                let context = self.open(context);
                self.visit_children(cursor, context);
            }
            Kind::TypeBinding => self.visit_except_name(cursor, context),
            Kind::TokenTree => self.tokens(cursor, context),
            item if is_item(item) => self.item(cursor, context, Lead::default()),
            _ => self.visit_children(cursor, context),
        }
    }

    /// Visits every child but the one in the field `name`.
    pub(super) fn visit_except_name(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let name = child(cursor.node(), FIELDS.name).map(|name| name.id());
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node().id()) != name {
                walk.visit(cursor, context);
            }
        });
    }

    /// The context with a scope of its own.
    pub(super) fn open(&mut self, context: Context) -> Context {
        Context { scope: self.scopes.open(Some(context.scope), ScopeKind::Lexical), ..context }
    }

    /// Notes a use of a name.
    pub(super) fn use_name(&mut self, usage: Use, name: RawName<'s>, context: Context) {
        self.use_with(usage, name, None, context);
    }

    /// Notes a use of a name, with how many arguments it passes.
    pub(super) fn use_with(
        &mut self,
        usage: Use,
        name: RawName<'s>,
        arguments: Option<u8>,
        context: Context,
    ) {
        let Context { symbol: from, scope, .. } = context;
        let in_macro = self.in_macro;
        self.uses.push(Pending { usage, from, scope, name, arguments, first_argument: None, in_macro });
    }

    /// Says what the first argument of the last noted use is.
    pub(super) fn first_argument(&mut self, hint: Option<RawHint<'s>>) {
        if let Some(last) = self.uses.last_mut() {
            last.first_argument = hint;
        }
    }

    /// Notes an identifier that matters only if it names a declaration or import.
    pub(super) fn mention(&mut self, relation: Relation, name: &'s str, context: Context) {
        let Context { symbol: from, scope, .. } = context;
        self.mentions.push(Mention { relation, name: identifier(name), from, scope });
    }

    /// Notes the type that the text gives for a symbol.
    pub(super) fn type_of(&mut self, symbol: LocalSymbol, ty: Option<RawType<'s>>, scope: ScopeId) {
        self.types.extend(ty.map(|ty| (symbol, scope, ty)));
    }

    /// Notes the types of a function's parameters.
    pub(super) fn parameters_of(&mut self, symbol: LocalSymbol, types: Vec<RawType<'s>>, scope: ScopeId) {
        self.parameters.push((symbol, scope, types));
    }

    /// Notes what the type parameters of a declaration must satisfy.
    pub(super) fn bounds_of(&mut self, symbol: LocalSymbol, declaration: Node<'_>, scope: ScopeId) {
        let bounds = bounds(declaration, self.source).into_iter();
        self.bounds.extend(bounds.map(|(parameter, ty)| (symbol, scope, parameter, ty)));
    }

    /// A use of the path under the cursor, and of the types in its generic arguments.
    pub(super) fn path(&mut self, cursor: &mut TreeCursor<'_>, context: Context, relation: Relation) {
        let written = self.text(cursor.node());
        let name = path_name(written).and_then(|name| match relation {
            Relation::UsesType | Relation::AssertsType => of_type(name),
            _ => Some(name),
        });
        // `Self` alone says nothing that the declaration around it does not.
        if let Some(name) = name.filter(|name| name.base != Base::SelfType || name.path.len() > 1) {
            self.use_name(Use::Plain(relation), name, context);
        }
        if written.contains('<') {
            self.generic_arguments(cursor, context);
        }
    }

    /// Visits the types in the generic arguments and brackets of a path.
    pub(super) fn generic_arguments(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::TypeArguments | Kind::BracketedType => walk.visit_children(cursor, context),
            Kind::Identifier | Kind::TypeIdentifier => {}
            _ => walk.generic_arguments(cursor, context),
        });
    }

    fn finish(mut self) -> FileFacts {
        let has_globs = self.facts.has_globs();
        for Mention { relation, name, from, scope } in std::mem::take(&mut self.mentions) {
            // What nothing in the file declares may come from a glob import.
            let may_come_from_glob =
                || has_globs && !is_prelude_variant(name) && self.scopes.lookup(scope, name).is_none();
            if (self.scopes.names_item(scope, name) || may_come_from_glob())
                && let Some(at) = self.offset_of(name)
            {
                let target = self.scopes.resolve(scope, &RawName::scoped(vec![name]));
                self.facts.reference(relation, from, target, at, None);
            }
        }
        for Pending { usage, from, scope, name, arguments, first_argument, in_macro } in
            std::mem::take(&mut self.uses)
        {
            // Outside of declarations, the chunk that uses a name is found by where the name starts.
            let segment = if from.is_some() { name.path.last() } else { name.path.first() };
            let segment = segment.expect("a name has at least one segment");
            let Some(at) = self.offset_of(segment) else { continue };
            if matches!(usage, Use::Item(_)) && !self.names_item(scope, &name) {
                continue;
            }
            let mut target = self.scopes.resolve(scope, &name);
            let relation = match usage {
                Use::Plain(relation) | Use::Item(relation) => relation,
                Use::Macro | Use::TokenCall => Relation::Calls,
            };
            match usage {
                Use::Plain(Relation::UsesType | Relation::AssertsType)
                    if target.head == Head::TypeParameter =>
                {
                    continue;
                }
                Use::Plain(_) | Use::Item(_) => {}
                Use::Macro => self.turn_into_macro(&mut target),
                Use::TokenCall => {
                    if target.head == Head::Free && target.path.len() > 1 {
                        target = NameRef::new(Head::Value(None), target.path[1..].iter().map(|name| &**name));
                    }
                }
            }
            let relation = self.call_relation(relation, &target);
            self.facts.reference(relation, from, target, at, arguments);
            if in_macro {
                self.facts.in_macro();
            }
            if let Some(hint) = first_argument.and_then(|hint| self.scopes.resolve_hint(scope, &hint)) {
                self.facts.first_argument(hint);
            }
        }
        for (symbol, scope, ty) in std::mem::take(&mut self.types) {
            let ty = self.scopes.resolve_type(scope, &ty);
            self.facts.set_type(symbol, ty);
        }
        for (symbol, scope, types) in std::mem::take(&mut self.parameters) {
            let types = types.iter().map(|ty| self.scopes.resolve_type(scope, ty)).collect();
            self.facts.symbol_mut(symbol).parameters = types;
        }
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.sort_by_key(|(symbol, ..)| *symbol);
        for of_symbol in bounds.chunk_by(|a, b| a.0 == b.0) {
            let bounds = of_symbol.iter().map(|(_, scope, parameter, ty)| Bound {
                parameter: (*parameter).into(),
                ty: self.scopes.resolve_type(*scope, ty),
            });
            self.facts.set_bounds(of_symbol[0].0, bounds);
        }
        self.facts.finish()
    }

    /// Where a name stands in the source. `None` for what only looks like one: behind a digit, where the parser
    /// took a broken literal for a number and a name, and behind `$`, where a macro's rules bind it.
    fn offset_of(&self, part: &'s str) -> Option<u32> {
        let at = part.as_ptr() as usize - self.source.as_ptr() as usize;
        let before = self.source.as_bytes()[..at].last();
        let is_name = !matches!(before, Some(b'0'..=b'9' | b'$'));
        is_name.then_some(at as u32)
    }

    /// Whether a name means, or starts at, a declaration or import of the file, or at the crate.
    fn names_item(&self, scope: ScopeId, name: &RawName<'s>) -> bool {
        let first = name.path[0];
        matches!(name.base, Base::Scope | Base::Item)
            && (first == "crate" || self.scopes.names_item(scope, first))
    }

    /// Whether what this file declares is called or constructed is known, whatever its name looks like.
    fn call_relation(&mut self, relation: Relation, target: &NameRef) -> Relation {
        match (relation, &target.head) {
            (Relation::Calls | Relation::Instantiates, Head::Symbol(symbol)) if target.path.len() == 1 => {
                match self.facts.symbol_mut(*symbol).kind {
                    SymbolKind::Function => Relation::Calls,
                    SymbolKind::Struct => Relation::Instantiates,
                    _ => relation,
                }
            }
            _ => relation,
        }
    }

    /// Macros have a name space of their own: of what else has the name, only an import may mean the macro.
    fn turn_into_macro(&mut self, target: &mut NameRef) {
        let names_macro = match target.head {
            Head::Symbol(symbol) => {
                target.path.len() > 1 || self.facts.symbol_mut(symbol).kind == SymbolKind::Macro
            }
            Head::Local(_) | Head::TypeParameter => false,
            _ => true,
        };
        if !names_macro {
            target.head = Head::Free;
        }
        if let Some(last) = target.path.last_mut() {
            *last = format!("{last}!").into();
        }
    }
}

/// Whether every file knows a name as that of a variant of `Option` or `Result`.
fn is_prelude_variant(name: &str) -> bool {
    matches!(name, "Some" | "None" | "Ok" | "Err")
}
