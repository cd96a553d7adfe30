//! Walk over the syntax tree: position, state, and dispatch of nodes to rules.

use sscg_core::{Bound, FileFacts, Head, LocalSymbol, NameRef, Relation, Span, SymbolKind};
use tree_sitter::{Node, TreeCursor};

use super::expand::{Made, expand};
use super::generics::bounds;
use super::item::is_item;
use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, of_type, path_name};
use super::readable::readable;
use super::syntax;
use super::trivia::LeadingTrivia;
use crate::builder::{FactsBuilder, undivided};
use crate::nesting::{TOO_DEEP, levelled};
use crate::scope::{Base, RawHint, RawName, RawType, ScopeId, ScopeKind, Scopes};
use crate::tree::{ParseTime, TOO_SLOW, text};

/// Returns the facts of a file.
pub(super) fn extract(source: &str) -> FileFacts {
    let time = ParseTime::for_text(source);
    let (text, mut left_out) = readable(source);
    let levelled = levelled(&text, |text| syntax::parse(text, &time));
    if time.is_exceeded() {
        return undivided(source, TOO_SLOW);
    }
    let Some(tree) = syntax::parse(levelled.as_ref().map_or(&*text, |(text, _)| text), &time) else {
        return undivided(source, TOO_SLOW);
    };
    let root = tree.root_node();
    let (extended, made) = expand(source, root, &time);
    let mut walk = Walk::new(source, &extended, made, time);
    left_out.extend(levelled.map(|(_, at)| (at, TOO_DEEP)));
    for (at, message) in left_out {
        walk.facts.diagnostic(at, message.to_owned());
    }
    if root.has_error() {
        syntax::diagnose(root, &mut walk.facts);
    }
    let scope = walk.scopes.open(None, ScopeKind::Lexical);
    let context = WalkContext { symbol: None, scope, place: ItemList::Module, depth: 0 };
    walk.list(&mut root.walk(), context);
    if walk.time.is_exceeded() {
        return undivided(source, TOO_SLOW);
    }
    let mut facts = walk.finish();
    facts.limit_nesting();
    facts
}

/// Position of the walk.
#[derive(Clone, Copy)]
pub(super) struct WalkContext {
    /// Innermost enclosing declaration.
    pub(super) symbol: Option<LocalSymbol>,
    pub(super) scope: ScopeId,
    pub(super) place: ItemList,
    /// Number of enclosing nodes.
    pub(super) depth: u16,
}

impl WalkContext {
    /// True if an item at this position is a root item of the file.
    pub(super) fn is_root(self) -> bool {
        self.symbol.is_none() && self.place == ItemList::Module
    }

    /// Returns the context inside the declaration of `symbol`.
    pub(super) fn inside(self, symbol: LocalSymbol, scope: ScopeId, place: ItemList) -> Self {
        Self { symbol: Some(symbol), scope, place, depth: self.depth }
    }
}

/// Kind of the list of declarations around the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemList {
    /// File or module.
    Module,
    /// Inherent implementation, struct or union.
    Type,
    /// Trait.
    Trait,
    /// Trait implementation.
    TraitImpl,
    /// Enum; `exported` is the visibility of its variants.
    Enum { exported: bool },
    /// `extern` block.
    Foreign,
    /// Code.
    Body,
    /// Rules of a macro, which may bind names of their own.
    MacroRules,
}

impl ItemList {
    /// True if functions here are methods.
    pub(super) fn has_methods(self) -> bool {
        matches!(self, Self::Type | Self::Trait | Self::TraitImpl)
    }
}

/// Form of a reference before it is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceForm {
    /// Reference without conditions.
    Plain(Relation),
    /// Reference only if the name starts at a declaration or import of the file, or at the crate.
    Item(Relation),
    /// Name of a macro.
    Macro,
    /// Call among the tokens of a macro, whose own variables are unknown. If nothing binds the first of several
    /// segments, it is such a variable.
    TokenCall,
}

struct Pending<'s> {
    usage: ReferenceForm,
    from: Option<LocalSymbol>,
    scope: ScopeId,
    name: RawName<'s>,
    arguments: Option<u8>,
    first_argument: Option<RawHint<'s>>,
    in_macro: bool,
}

/// Identifier that counts as a reference only if it names a declaration or import.
struct Mention<'s> {
    relation: Relation,
    name: &'s str,
    from: Option<LocalSymbol>,
    scope: ScopeId,
}

/// State of one walk.
pub(super) struct Walk<'s> {
    /// Text of the file, and behind it the expansions of its macros.
    pub(super) source: &'s str,
    /// Length of the file.
    file_end: usize,
    /// Expansions in the order of their text.
    pub(super) made: Vec<Made>,
    /// Condition of the invocation whose expansion is walked.
    pub(super) made_if: Option<String>,
    /// Time left for parsing the file and its pieces.
    pub(super) time: ParseTime,
    pub(super) facts: FactsBuilder<'s>,
    pub(super) scopes: Scopes<'s>,
    uses: Vec<Pending<'s>>,
    mentions: Vec<Mention<'s>>,
    types: Vec<(LocalSymbol, ScopeId, RawType<'s>)>,
    parameters: Vec<(LocalSymbol, ScopeId, Vec<RawType<'s>>)>,
    bounds: Vec<(LocalSymbol, ScopeId, &'s str, RawType<'s>)>,
    /// Set while the walk is among the tokens of a macro with unknown expansion.
    pub(super) in_macro: bool,
    /// Type hint of the value of the innermost `match`.
    pub(super) matched: Option<RawHint<'s>>,
    /// Callee that receives the next closure.
    pub(super) closure_callee: Option<(ScopeId, RawName<'s>)>,
    too_deep: bool,
}

/// Maximum nesting depth of the walk, so that no input can exhaust the stack.
const MAX_DEPTH: u16 = 500;

impl<'s> Walk<'s> {
    fn new(file: &'s str, extended: &'s str, made: Vec<Made>, time: ParseTime) -> Self {
        Self {
            source: extended,
            file_end: file.len(),
            made,
            made_if: None,
            time,
            facts: FactsBuilder::new(file),
            scopes: Scopes::default(),
            uses: Vec::new(),
            mentions: Vec::new(),
            types: Vec::new(),
            parameters: Vec::new(),
            bounds: Vec::new(),
            in_macro: false,
            matched: None,
            closure_callee: None,
            too_deep: false,
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// Returns the expansion that contains an offset of the extended text; `None` for the text of the file.
    pub(super) fn made_at(&self, offset: usize) -> Option<&Made> {
        let at = self.made.partition_point(|made| made.text.start <= offset);
        self.made[..at].last().filter(|_| offset > self.file_end)
    }

    /// Returns the place of a part of the extended text in the file: the invocation for what a macro makes.
    pub(super) fn placed(&self, span: Span) -> Span {
        self.made_at(span.start as usize).map_or(span, |made| made.invocation)
    }

    /// Returns the offset in the file for one in the extended text.
    pub(super) fn offset(&self, at: usize) -> u32 {
        self.made_at(at).map_or(at as u32, |made| made.at)
    }

    /// Calls `each` with the cursor on every child of its node, comments and missing nodes included.
    pub(super) fn children<'t>(
        &mut self,
        cursor: &mut TreeCursor<'t>,
        context: WalkContext,
        mut each: impl FnMut(&mut Self, &mut TreeCursor<'t>, WalkContext),
    ) {
        let context = WalkContext { depth: context.depth + 1, ..context };
        if context.depth > MAX_DEPTH {
            if !std::mem::replace(&mut self.too_deep, true) {
                let at = self.offset(cursor.node().start_byte());
                self.facts.diagnostic(at, "nested too deeply to look into");
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
    pub(super) fn visit_children(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        self.children(cursor, context, Self::visit);
    }

    /// Visits the cursor's node: types, expressions, and the nodes that contain them.
    pub(super) fn visit(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
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
                let context = WalkContext { place: ItemList::Body, ..self.open(context) };
                self.list(cursor, context);
            }
            Kind::DeclarationList | Kind::FieldDeclarationList | Kind::EnumVariantList => {
                self.list(cursor, context);
            }
            Kind::TypeParameter | Kind::ConstParameter => self.type_parameter(cursor, context),
            Kind::Parameters => self.parameters(cursor, context),
            Kind::FunctionType => {
                // The parameter names of a function pointer bind nothing.
                let context = self.open(context);
                self.visit_children(cursor, context);
            }
            Kind::TypeBinding => self.visit_except_name(cursor, context),
            Kind::TokenTree => self.tokens(cursor, context),
            item if is_item(item) => self.item(cursor, context, LeadingTrivia::default()),
            _ => self.visit_children(cursor, context),
        }
    }

    /// Visits every child except the one in the field `name`.
    pub(super) fn visit_except_name(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let name = child(cursor.node(), FIELDS.name).map(|name| name.id());
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node().id()) != name {
                walk.visit(cursor, context);
            }
        });
    }

    /// Returns the context with a new scope.
    pub(super) fn open(&mut self, context: WalkContext) -> WalkContext {
        WalkContext { scope: self.scopes.open(Some(context.scope), ScopeKind::Lexical), ..context }
    }

    /// Records a reference.
    pub(super) fn use_name(&mut self, usage: ReferenceForm, name: RawName<'s>, context: WalkContext) {
        self.use_with(usage, name, None, context);
    }

    /// Records a reference with its number of arguments.
    pub(super) fn use_with(
        &mut self,
        usage: ReferenceForm,
        name: RawName<'s>,
        arguments: Option<u8>,
        context: WalkContext,
    ) {
        let WalkContext { symbol: from, scope, .. } = context;
        let in_macro = self.in_macro;
        self.uses.push(Pending { usage, from, scope, name, arguments, first_argument: None, in_macro });
    }

    /// Sets the type of the first argument of the last recorded reference.
    pub(super) fn first_argument(&mut self, hint: Option<RawHint<'s>>) {
        if let Some(last) = self.uses.last_mut() {
            last.first_argument = hint;
        }
    }

    /// Records an identifier that is a reference only if it names a declaration or import.
    pub(super) fn mention(&mut self, relation: Relation, name: &'s str, context: WalkContext) {
        let WalkContext { symbol: from, scope, .. } = context;
        self.mentions.push(Mention { relation, name: identifier(name), from, scope });
    }

    /// Records the written type of a symbol.
    pub(super) fn type_of(&mut self, symbol: LocalSymbol, ty: Option<RawType<'s>>, scope: ScopeId) {
        self.types.extend(ty.map(|ty| (symbol, scope, ty)));
    }

    /// Records the types of a function's parameters.
    pub(super) fn parameters_of(&mut self, symbol: LocalSymbol, types: Vec<RawType<'s>>, scope: ScopeId) {
        self.parameters.push((symbol, scope, types));
    }

    /// Records the bounds on the type parameters of a declaration.
    pub(super) fn bounds_of(&mut self, symbol: LocalSymbol, declaration: Node<'_>, scope: ScopeId) {
        let bounds = bounds(declaration, self.source).into_iter();
        self.bounds.extend(bounds.map(|(parameter, ty)| (symbol, scope, parameter, ty)));
    }

    /// Records a reference to the path under the cursor, and visits the types in its generic arguments.
    pub(super) fn path(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, relation: Relation) {
        let written = self.text(cursor.node());
        let name = path_name(written).and_then(|name| match relation {
            Relation::UsesType | Relation::AssertsType => of_type(name),
            _ => Some(name),
        });
        // `Self` alone adds nothing to the enclosing declaration.
        if let Some(name) = name.filter(|name| name.base != Base::SelfType || name.path.len() > 1) {
            self.use_name(ReferenceForm::Plain(relation), name, context);
        }
        if written.contains('<') {
            self.generic_arguments(cursor, context);
        }
    }

    /// Visits the types in the generic arguments and brackets of a path.
    pub(super) fn generic_arguments(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::TypeArguments | Kind::BracketedType => walk.visit_children(cursor, context),
            Kind::Identifier | Kind::TypeIdentifier => {}
            _ => walk.generic_arguments(cursor, context),
        });
    }

    fn finish(mut self) -> FileFacts {
        let has_globs = self.facts.has_globs();
        for Mention { relation, name, from, scope } in std::mem::take(&mut self.mentions) {
            // A name that the file does not declare may come from a glob import.
            let may_come_from_glob =
                || has_globs && !is_prelude_variant(name) && self.scopes.lookup(scope, name).is_none();
            if (self.scopes.names_item(scope, name) || may_come_from_glob())
                && let Some(at) = self.offset_of(name)
            {
                let target = self.resolved(scope, &RawName::scoped(vec![name]));
                self.facts.reference(relation, from, target, at, None);
            }
        }
        for pending in std::mem::take(&mut self.uses) {
            self.resolve_use(pending);
        }
        for (symbol, scope, ty) in std::mem::take(&mut self.types) {
            let ty = self.scopes.resolve_type(scope, &ty);
            self.facts.set_type(symbol, ty);
        }
        for (symbol, scope, types) in std::mem::take(&mut self.parameters) {
            let types = types.iter().map(|ty| self.scopes.resolve_type(scope, ty)).collect();
            self.facts.symbol_mut(symbol).parameters = types;
        }
        self.bounds.sort_by_key(|(symbol, ..)| *symbol);
        for of_symbol in self.bounds.chunk_by(|a, b| a.0 == b.0) {
            let bounds = of_symbol.iter().map(|(_, scope, parameter, ty)| Bound {
                parameter: (*parameter).into(),
                ty: self.scopes.resolve_type(*scope, ty),
            });
            self.facts.set_bounds(of_symbol[0].0, bounds);
        }
        self.facts.finish()
    }

    fn resolve_use(&mut self, pending: Pending<'s>) {
        let Pending { usage, from, scope, name, arguments, first_argument, in_macro } = pending;
        // Outside of declarations, the start of the name determines the chunk.
        let segment = if from.is_some() { name.path.last() } else { name.path.first() };
        let segment = segment.expect("a name has at least one segment");
        let Some(at) = self.offset_of(segment) else { return };
        if matches!(usage, ReferenceForm::Item(_)) && !self.names_item(scope, &name) {
            return;
        }
        let mut target = self.resolved(scope, &name);
        let relation = match usage {
            ReferenceForm::Plain(Relation::UsesType | Relation::AssertsType)
                if target.head == Head::TypeParameter =>
            {
                return;
            }
            ReferenceForm::Plain(relation) | ReferenceForm::Item(relation) => relation,
            ReferenceForm::Macro => {
                self.turn_into_macro(&mut target);
                Relation::Calls
            }
            ReferenceForm::TokenCall => {
                if target.head == Head::Free && target.path.len() > 1 {
                    target = NameRef::new(Head::Value(None), target.path[1..].iter().map(|name| &**name));
                }
                Relation::Calls
            }
        };
        let relation = self.call_relation(relation, &target);
        self.facts.reference(relation, from, target, at, arguments);
        if in_macro {
            self.facts.in_macro();
        }
        if let Some(hint) = first_argument.and_then(|hint| self.scopes.resolve_hint(scope, &hint)) {
            self.facts.first_argument(hint);
        }
    }

    /// Resolves a name. In what a macro makes, imports are left to linking, as the chunk does not show their names.
    fn resolved(&self, scope: ScopeId, name: &RawName<'s>) -> NameRef {
        let mut target = self.scopes.resolve(scope, name);
        if matches!(target.head, Head::Import(_)) && name.path.last().is_some_and(|last| self.is_made(last)) {
            target.head = Head::Free;
        }
        target
    }

    /// Returns the offset of a name in the source. `None` for the name of a built-in type that the source does not spell
    /// there, and for text that only looks like a name: after a digit, where the parser split a broken literal into a
    /// number and a name, and after `$`, where a macro's rules bind it.
    fn offset_of(&self, part: &'s str) -> Option<u32> {
        let at = self.offset_in_text(part)?;
        let before = self.source.as_bytes()[..at].last();
        let is_name = !matches!(before, Some(b'0'..=b'9' | b'$'));
        is_name.then(|| self.offset(at))
    }

    /// Returns the offset of a part of the source; `None` for other text.
    fn offset_in_text(&self, part: &'s str) -> Option<usize> {
        let at = (part.as_ptr() as usize).checked_sub(self.source.as_ptr() as usize)?;
        (at + part.len() <= self.source.len()).then_some(at)
    }

    /// True if a macro makes a name.
    fn is_made(&self, part: &'s str) -> bool {
        self.offset_in_text(part).is_some_and(|at| self.made_at(at).is_some())
    }

    /// True if a name is, or starts at, a declaration or import of the file, or starts at the crate.
    fn names_item(&self, scope: ScopeId, name: &RawName<'s>) -> bool {
        let first = name.path[0];
        matches!(name.base, Base::Scope | Base::Item)
            && (first == "crate" || self.scopes.names_item(scope, first))
    }

    /// Returns `Calls` or `Instantiates` by the kind of the target if this file declares it, whatever its name looks
    /// like.
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

    /// Converts a target to a macro name. Macros have their own namespace: other items with the name are not the
    /// target, except for imports, which may refer to the macro.
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

/// True for the variants of `Option` and `Result`, which are in the prelude.
fn is_prelude_variant(name: &str) -> bool {
    matches!(name, "Some" | "None" | "Ok" | "Err")
}
