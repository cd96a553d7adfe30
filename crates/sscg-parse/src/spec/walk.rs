//! Walk over a syntax tree: position, scopes, and the facts collected so far.

use sscg_core::{
    Bound, ChunkKind, FileFacts, Head, Import, LocalImport, LocalSymbol, Modifiers, NameRef, Relation, Span,
    SymbolKind, TypeHint, TypeParameter,
};
use tree_sitter::{Node, TreeCursor};

use super::Grammar;
use crate::builder::{Declaration, FactsBuilder};
use crate::nesting::TOO_DEEP;
use crate::scope::{Base, Binding, RawHint, RawName, RawType, ScopeId, ScopeKind, Scopes};
use crate::stack::MAX_LEVELS;
use crate::text::{comment_headline, comment_text, headline, one_line};
use crate::tree::{span, text};

/// Declaration as seen by a grammar. Fields that are left at their default do not occur in it.
pub(crate) struct Item<'t> {
    pub(crate) kind: SymbolKind,
    /// Node of the name.
    pub(crate) name: Node<'t>,
    /// Name, if it differs from the text of its node.
    pub(crate) renamed: Option<&'t str>,
    /// Whole declaration, without the comments before it.
    pub(crate) span: Span,
    /// Part that a stub elides.
    pub(crate) body: Option<Span>,
    /// Start of the signature; the declaration's own if it has no attributes.
    pub(crate) signature_start: Option<u32>,
    /// Signature that is not a part of the text.
    pub(crate) signature: Option<String>,
    pub(crate) exported: bool,
    pub(crate) modifiers: Modifiers,
    pub(crate) type_parameters: Vec<TypeParameter>,
    pub(crate) attributes: Vec<Span>,
    /// Type that a member declared outside of it belongs to.
    pub(crate) receiver: Option<RawName<'t>>,
}

impl<'t> Item<'t> {
    pub(crate) fn new(kind: SymbolKind, name: Node<'t>, declaration: Node<'t>) -> Self {
        Self {
            kind,
            name,
            renamed: None,
            span: span(declaration),
            body: None,
            signature_start: None,
            signature: None,
            exported: true,
            modifiers: Modifiers::empty(),
            type_parameters: Vec::new(),
            attributes: Vec::new(),
            receiver: None,
        }
    }

    pub(crate) fn with_body(self, body: Option<Node<'t>>) -> Self {
        Self { body: body.map(span), ..self }
    }
}

/// Reference whose names are resolved after the walk, because most languages allow a use before the declaration.
struct Pending<'t> {
    relation: Relation,
    from: Option<LocalSymbol>,
    scope: ScopeId,
    name: RawName<'t>,
    at: u32,
    arguments: Option<u8>,
    types: Vec<Option<RawHint<'t>>>,
    type_arguments: Vec<Option<RawType<'t>>>,
    in_macro: bool,
}

/// Types of a declaration, which are resolved after the walk.
enum Typed<'t> {
    Own(RawHint<'t>),
    Parameters(Vec<Option<RawType<'t>>>),
    Receiver(RawName<'t>),
    Bounds(Vec<(&'t str, RawType<'t>)>),
}

/// Walk over one file.
pub(crate) struct Walk<'t> {
    grammar: &'static dyn Grammar,
    pub(crate) source: &'t str,
    pub(crate) facts: FactsBuilder<'t>,
    pub(crate) scopes: Scopes<'t>,
    /// Innermost scope.
    pub(crate) scope: ScopeId,
    /// Number of nodes around the current one that are being visited.
    level: u32,
    /// True if a node was left out because of [`MAX_LEVELS`].
    is_cut: bool,
    /// Number of scopes around the current position.
    depth: u32,
    /// Innermost enclosing declaration.
    pub(crate) owner: Option<LocalSymbol>,
    /// Condition for conditional compilation of the current part of the innermost enclosing declaration, or of the file;
    /// see [`Symbol::condition`](sscg_core::Symbol::condition).
    pub(crate) condition: Option<String>,
    /// Comments directly above the current node of a list.
    leading: Option<Span>,
    uses: Vec<Pending<'t>>,
    typed: Vec<(LocalSymbol, ScopeId, Typed<'t>)>,
    /// Cursors that are not in use.
    cursors: Vec<TreeCursor<'t>>,
}

/// Maximum number of bytes of a type that is read; longer ones are not written by people, and each use copies the type.
const MAX_TYPE_BYTES: usize = 4_000;

/// Maximum number of arguments of a call whose types are read.
const MAX_ARGUMENTS: usize = 16;

/// Maximum number of names in a type.
const MAX_TYPE_PARTS: usize = 64;

/// Maximum number of scopes inside each other; what is deeper shares the last one. Each name is looked up from the
/// innermost scope outwards.
const MAX_SCOPES: u32 = 1_000;

/// Maximum number of calls and members of one chain whose types are followed.
pub(crate) const MAX_CHAIN: u32 = 32;

impl<'t> Walk<'t> {
    pub(crate) fn new(grammar: &'static dyn Grammar, source: &'t str) -> Self {
        let mut scopes = Scopes::default();
        let scope = scopes.open(None, ScopeKind::Lexical);
        let facts = FactsBuilder::new(source);
        let (uses, typed, cursors) = Default::default();
        Self {
            grammar,
            source,
            facts,
            scopes,
            scope,
            level: 0,
            is_cut: false,
            depth: 0,
            owner: None,
            condition: None,
            leading: None,
            uses,
            typed,
            cursors,
        }
    }

    // -- Position -------------------------------------------------------------------------------------------

    /// Returns true for the root of the file, outside of all declarations.
    pub(crate) fn is_root(&self) -> bool {
        self.owner.is_none()
    }

    /// Returns true if code at this position runs when the function around it is called.
    pub(crate) fn in_function(&self) -> bool {
        self.owner.is_some_and(|owner| {
            let kind = self.facts.symbol(owner).kind;
            kind.is_callable() || !kind.has_members()
        })
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &'t str {
        text(node, self.source)
    }

    pub(crate) fn visit(&mut self, node: Node<'t>) {
        if self.level == MAX_LEVELS {
            if !self.is_cut {
                self.facts.diagnostic(node.start_byte() as u32, TOO_DEEP);
            }
            self.is_cut = true;
            return;
        }
        self.level += 1;
        self.grammar.visit(self, node);
        self.level -= 1;
    }

    /// Visits a node if there is one.
    pub(crate) fn visit_field(&mut self, node: Node<'t>, field: u16) {
        if let Some(child) = node.child_by_field_id(field) {
            self.visit(child);
        }
    }

    /// Visits the named children of a node.
    pub(crate) fn children(&mut self, node: Node<'t>) {
        if node.named_child_count() == 0 {
            return;
        }
        let mut cursor = self.cursor(node);
        let mut more = cursor.goto_first_child();
        while more {
            if cursor.node().is_named() {
                self.visit(cursor.node());
            }
            more = cursor.goto_next_sibling();
        }
        self.cursors.push(cursor);
    }

    /// Returns a cursor at a node, in the memory of an earlier one. Put back into [`Walk::cursors`] after its use.
    fn cursor(&mut self, node: Node<'t>) -> TreeCursor<'t> {
        match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        }
    }

    /// Visits the children of a list of declarations or statements. Comments directly above one of them belong to it;
    /// at the root of the file, others are chunks of their own.
    pub(crate) fn list(&mut self, node: Node<'t>) {
        self.list_with(node, 0, &mut |_, _| {});
    }

    /// Visits the children of a list as [`Walk::list`] does, but that of a field with `visit_field`.
    pub(crate) fn list_with(
        &mut self,
        node: Node<'t>,
        field: u16,
        visit_field: &mut dyn FnMut(&mut Self, Node<'t>),
    ) {
        self.leading = None;
        let is_root = self.is_root();
        let mut last_line = None;
        let mut cursor = self.cursor(node);
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let (start, end) = (child.start_position().row, child.end_position().row);
            if self.grammar.is_comment(child) {
                let here = span(child);
                match self.leading {
                    _ if last_line == Some(start) => {}
                    Some(above) if self.touches(above, here.start) => {
                        self.leading = Some(Span::new(above.start, here.end));
                    }
                    _ => {
                        self.flush_comment(is_root);
                        self.leading = Some(here);
                    }
                }
            } else {
                if self.leading.is_some_and(|above| !self.touches(above, child.start_byte() as u32)) {
                    self.flush_comment(is_root);
                }
                if cursor.field_id().is_some_and(|it| it.get() == field) {
                    self.leading = None;
                    visit_field(self, child);
                } else if child.is_named() {
                    self.visit(child);
                }
                self.leading = None;
                last_line = Some(if child.end_position().column == 0 { end.saturating_sub(1) } else { end });
            }
            more = cursor.goto_next_sibling();
        }
        self.cursors.push(cursor);
        self.flush_comment(is_root);
    }

    /// Returns true if only one line break is between a comment and the text at an offset, apart from the lines of
    /// directives that are not parsed.
    fn touches(&self, above: Span, at: u32) -> bool {
        let end = above.end.min(at);
        let text = above.text(self.source).trim_end();
        let end = end.min(above.start + text.len() as u32);
        let between = Span::new(end, at).text(self.source).split('\n');
        between.skip(1).filter(|line| !line.trim_start().starts_with('#')).count() <= 1
    }

    fn flush_comment(&mut self, is_root: bool) {
        if let Some(comment) = self.leading.take()
            && is_root
        {
            let name = comment_headline(comment.text(self.source));
            self.facts.root(ChunkKind::Comment, comment, name);
        }
    }

    /// Adds a statement at the root of the file that the comments above it document together with the file.
    pub(crate) fn document_file(&mut self, node: Node<'t>) {
        self.root(ChunkKind::Expression, node, &headline(self.text(node)));
        if let Some(comment) = self.leading.take() {
            self.facts.file_doc(comment_text(comment.text(self.source)));
        }
    }

    /// Adds a statement at the root of the file, with the comments above it.
    pub(crate) fn root(&mut self, kind: ChunkKind, node: Node<'t>, name: &str) {
        let here = span(node);
        let start = self.leading.map_or(here.start, |above| above.start);
        self.facts.root(kind, Span::new(start, here.end), name);
    }

    // -- Scopes ---------------------------------------------------------------------------------------------

    /// Runs `work` in a new scope.
    pub(crate) fn scoped(&mut self, work: impl FnOnce(&mut Self)) {
        let around = self.scope;
        if self.depth < MAX_SCOPES {
            self.scope = self.scopes.open(Some(around), ScopeKind::Lexical);
        }
        self.depth += 1;
        work(self);
        self.depth -= 1;
        self.scope = around;
    }

    /// Runs `work` inside a declaration, in a new scope.
    pub(crate) fn inside(&mut self, symbol: LocalSymbol, work: impl FnOnce(&mut Self)) {
        let around = (self.owner.replace(symbol), self.condition.take());
        self.scoped(work);
        (self.owner, self.condition) = around;
    }

    /// Declares a parameter or local variable.
    pub(crate) fn local(&mut self, name: &'t str, hint: Option<RawHint<'t>>) {
        if name != "_" && !name.is_empty() {
            // The initializer of a variable is evaluated before the variable exists: `x := x.next()`.
            let hint = hint.filter(|hint| !names(hint, name));
            self.scopes.declare(self.scope, name, Binding::Local(hint));
        }
    }

    /// Declares a type parameter.
    pub(crate) fn type_parameter(&mut self, name: &'t str) {
        self.scopes.declare(self.scope, name, Binding::TypeParameter);
    }

    /// Adds an import and binds its local name, if it has one, in the current scope.
    pub(crate) fn import(&mut self, import: Import, local: &'t str) -> LocalImport {
        let import = self.facts.import(import);
        if !local.is_empty() {
            self.scopes.declare(self.scope, local, Binding::Import(import));
        }
        import
    }

    // -- Declarations ---------------------------------------------------------------------------------------

    /// Adds a declaration, with the comments directly above the current node as its documentation. Does not bind its
    /// name; see [`Walk::bind`].
    pub(crate) fn declare(&mut self, item: Item<'t>) -> LocalSymbol {
        let leading = self.leading.take();
        let start = leading.map_or(item.span.start, |above| above.start.min(item.span.start));
        let whole = Span::new(start, item.span.end);
        let signature_start = item.signature_start.unwrap_or(item.span.start);
        let end = item.body.map_or(item.span.end, |body| body.start);
        let written = Span::new(signature_start.min(end), end).text(self.source);
        let signature = item.signature.as_deref().unwrap_or(written);
        let signature = signature.trim_end().trim_end_matches(';');
        let signature = self.grammar.without_comments(signature);
        let symbol = self.facts.declare(Declaration {
            name: item.renamed.unwrap_or_else(|| self.text(item.name)),
            kind: item.kind,
            parent: self.owner,
            span: whole,
            name_at: item.name.start_byte() as u32,
            body: item.body,
            signature: &signature,
            doc: leading.map(|above| self.grammar.documentation(above.text(self.source))),
            exported: item.exported,
            modifiers: item.modifiers,
            type_parameters: item.type_parameters,
            attributes: item.attributes,
        });
        self.facts.set_condition(symbol, self.condition.clone());
        if let Some(receiver) = item.receiver {
            self.typed.push((symbol, self.scope, Typed::Receiver(receiver)));
        }
        symbol
    }

    /// Binds a name to a declaration in the current scope.
    pub(crate) fn bind(&mut self, name: &'t str, symbol: LocalSymbol) {
        self.scopes.declare(self.scope, name, Binding::Symbol(symbol));
    }

    /// Sets the type of a declaration, with names as seen from the current scope.
    pub(crate) fn set_type(&mut self, symbol: LocalSymbol, hint: RawHint<'t>) {
        self.typed.push((symbol, self.scope, Typed::Own(hint)));
    }

    /// Sets the types of a function's parameters, with names as seen from the current scope.
    pub(crate) fn set_parameters(&mut self, symbol: LocalSymbol, types: Vec<Option<RawType<'t>>>) {
        self.typed.push((symbol, self.scope, Typed::Parameters(types)));
    }

    /// Sets the bounds on type parameters, with names as seen from the current scope.
    pub(crate) fn set_bounds(&mut self, symbol: LocalSymbol, bounds: Vec<(&'t str, RawType<'t>)>) {
        self.typed.push((symbol, self.scope, Typed::Bounds(bounds)));
    }

    // -- References -----------------------------------------------------------------------------------------

    /// Adds a reference to a name; `at` is the offset of its last segment.
    pub(crate) fn reference(&mut self, relation: Relation, name: RawName<'t>, at: Node<'t>) {
        self.reference_with(relation, name, at, None);
    }

    /// Adds a reference to a name with the number of arguments of a call.
    pub(crate) fn reference_with(
        &mut self,
        relation: Relation,
        name: RawName<'t>,
        at: Node<'t>,
        arguments: Option<u8>,
    ) {
        let (from, scope, at) = (self.owner, self.scope, at.start_byte() as u32);
        self.uses.push(Pending {
            relation,
            from,
            scope,
            name,
            at,
            arguments,
            types: Vec::new(),
            type_arguments: Vec::new(),
            in_macro: false,
        });
    }

    /// Adds a call or construction with its arguments, whose types select among functions of one name.
    pub(crate) fn call(
        &mut self,
        relation: Relation,
        name: RawName<'t>,
        at: Node<'t>,
        arguments: &[Node<'t>],
    ) {
        let count = u8::try_from(arguments.len()).unwrap_or(u8::MAX);
        let types: Vec<_> =
            arguments.iter().take(MAX_ARGUMENTS).map(|argument| self.hint(*argument)).collect();
        self.call_with(relation, name, at, count, types, Vec::new());
    }

    /// Adds a call with the number of its arguments, the types of the first ones, and its type arguments.
    pub(crate) fn call_with(
        &mut self,
        relation: Relation,
        name: RawName<'t>,
        at: Node<'t>,
        count: u8,
        mut types: Vec<Option<RawHint<'t>>>,
        type_arguments: Vec<Option<RawType<'t>>>,
    ) {
        self.reference_with(relation, name, at, Some(count));
        types.truncate(MAX_ARGUMENTS);
        if let Some(call) = self.uses.last_mut() {
            call.types = if types.iter().any(Option::is_some) { types } else { Vec::new() };
            call.type_arguments = type_arguments;
        }
    }

    /// Returns the number of references so far, which is the position of the next one.
    pub(crate) fn use_count(&self) -> usize {
        self.uses.len()
    }

    /// Sets the types of the arguments of a construction, whose reference was added before those in its arguments.
    pub(crate) fn set_argument_types(
        &mut self,
        position: usize,
        mut types: Vec<Option<RawHint<'t>>>,
        type_arguments: Vec<RawType<'t>>,
    ) {
        types.truncate(MAX_ARGUMENTS);
        let reference = self.uses.get_mut(position);
        if let Some(reference) = reference.filter(|it| it.relation == Relation::Instantiates) {
            reference.types = types;
            reference.type_arguments = type_arguments.into_iter().map(Some).collect();
        }
    }

    /// Adds a reference at an offset in the text of a macro.
    pub(crate) fn macro_reference(&mut self, relation: Relation, name: RawName<'t>, at: u32) {
        let (from, scope, arguments) = (self.owner, self.scope, None);
        let (types, type_arguments) = Default::default();
        let in_macro = true;
        self.uses.push(Pending {
            relation,
            from,
            scope,
            name,
            at,
            arguments,
            types,
            type_arguments,
            in_macro,
        });
    }

    /// Adds a reference to the name that an expression denotes.
    pub(crate) fn refer(
        &mut self,
        relation: Relation,
        expression: Node<'t>,
        at: Node<'t>,
        arguments: Option<u8>,
    ) {
        if let Some(name) = self.name(expression) {
            self.reference_with(relation, name, at, arguments);
        }
    }

    /// Returns the name that an expression denotes, if it is a name or a member of something.
    pub(crate) fn name(&self, expression: Node<'t>) -> Option<RawName<'t>> {
        self.grammar.name(self, expression, MAX_CHAIN)
    }

    /// Returns the type of an expression as far as the text gives it.
    pub(crate) fn hint(&self, expression: Node<'t>) -> Option<RawHint<'t>> {
        self.grammar.hint(self, expression, MAX_CHAIN)
    }

    /// Returns a written type, with at most [`MAX_TYPE_PARTS`] names.
    pub(crate) fn ty(&self, node: Node<'t>) -> Option<RawType<'t>> {
        if node.end_byte() - node.start_byte() > MAX_TYPE_BYTES {
            return None;
        }
        let mut ty = self.grammar.ty(self, node)?;
        limit(&mut ty, &mut { MAX_TYPE_PARTS });
        Some(ty)
    }

    /// Resolves the names, and returns the facts.
    pub(crate) fn finish(mut self) -> FileFacts {
        for (symbol, scope, typed) in self.typed {
            match typed {
                Typed::Own(hint) => {
                    if let Some(hint) = self.scopes.resolve_hint(scope, &hint) {
                        self.facts.set_type(symbol, hint);
                    }
                }
                Typed::Parameters(types) => {
                    let resolve = |ty: &RawType<'t>| self.scopes.resolve_type(scope, ty);
                    let types = types.iter().map(|ty| ty.as_ref().map_or(TypeHint::Unknown, resolve));
                    self.facts.symbol_mut(symbol).parameters = types.collect();
                }
                Typed::Receiver(name) => self.facts.set_receiver(symbol, self.scopes.resolve(scope, &name)),
                Typed::Bounds(bounds) => {
                    let bound = |(parameter, ty): &(&str, RawType<'t>)| Bound {
                        parameter: (*parameter).into(),
                        ty: self.scopes.resolve_type(scope, ty),
                    };
                    self.facts.set_bounds(symbol, bounds.iter().map(bound));
                }
            }
        }
        for Pending { relation, from, scope, name, at, arguments, types, type_arguments, in_macro } in
            self.uses
        {
            let target: NameRef = self.scopes.resolve(scope, &name);
            let is_variable =
                matches!(target.head, Head::Local(_) | Head::TypeParameter) && target.path.len() == 1;
            // A declaration does not use itself by being named in its own signature.
            if !is_variable || relation == Relation::Calls && matches!(target.head, Head::Local(Some(_))) {
                self.facts.reference(relation, from, target, at, arguments);
                if !types.is_empty() {
                    let resolve = |hint: &RawHint<'t>| self.scopes.resolve_hint(scope, hint);
                    let types = types.iter().map(|hint| hint.as_ref().and_then(resolve));
                    self.facts.argument_types(types.map(|hint| hint.unwrap_or(TypeHint::Unknown)).collect());
                }
                if !type_arguments.is_empty() {
                    let resolve = |ty: &RawType<'t>| self.scopes.resolve_type(scope, ty);
                    let types =
                        type_arguments.iter().map(|ty| ty.as_ref().map_or(TypeHint::Unknown, resolve));
                    self.facts.type_arguments(types.collect());
                }
                if in_macro {
                    self.facts.in_macro();
                }
            }
        }
        self.facts.finish()
    }
}

/// Returns true if a hint depends on a variable of this name.
fn names(hint: &RawHint<'_>, variable: &str) -> bool {
    let starts = |name: &RawName<'_>| match &name.base {
        Base::Scope => name.path.first() == Some(&variable),
        Base::Value(Some(hint)) => names(hint, variable),
        _ => false,
    };
    match hint {
        RawHint::Named(name)
        | RawHint::Result(name)
        | RawHint::Value(name)
        | RawHint::Argument(name, _)
        | RawHint::ClosureParameter(name, _) => starts(name),
        RawHint::Typed(_)
        | RawHint::Function(_)
        | RawHint::Unknown
        | RawHint::Call(_)
        | RawHint::Passed(..) => false,
        RawHint::Part(_, whole)
        | RawHint::Parameter(whole, _)
        | RawHint::In(_, whole)
        | RawHint::Literal(_, whole)
        | RawHint::Keyed(_, whole)
        | RawHint::Async(whole) => names(whole, variable),
        RawHint::Tuple(values) => values.iter().flatten().any(|value| names(value, variable)),
        RawHint::OneOf(values) => values.iter().any(|value| names(value, variable)),
    }
}

/// Removes the arguments of a type beyond a number of names.
fn limit(ty: &mut RawType<'_>, left: &mut usize) {
    let mut kept = 0;
    for argument in &mut ty.arguments {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        limit(argument, left);
        kept += 1;
    }
    ty.arguments.truncate(kept);
}

/// Returns the name of a type with arguments.
pub(crate) fn generic<'t>(name: &'t str, arguments: Vec<RawType<'t>>) -> RawType<'t> {
    RawType { name: RawName { base: Base::Item, path: vec![name] }, arguments }
}

/// Returns a member of a value: of the value that a name denotes, or of one without a name.
pub(crate) fn member<'t>(
    of: Option<RawName<'t>>,
    hint: impl FnOnce() -> Option<RawHint<'t>>,
    name: &'t str,
) -> RawName<'t> {
    match of {
        Some(mut path) => {
            path.path.push(name);
            path
        }
        None => RawName { base: Base::Value(hint().map(Box::new)), path: vec![name] },
    }
}

/// Returns a type parameter as written.
pub(crate) fn parameter(name: &str, constraint: Option<&str>, default: Option<&str>) -> TypeParameter {
    TypeParameter {
        name: name.into(),
        constraint: constraint.map(|it| one_line(it).into()),
        default: default.map(|it| one_line(it).into()),
    }
}

/// Returns the number of named children of an argument list that are not comments.
pub(crate) fn argument_count(grammar: &dyn Grammar, list: Node<'_>) -> u8 {
    let mut cursor = list.walk();
    let count = list.named_children(&mut cursor).filter(|child| !grammar.is_comment(*child)).count();
    u8::try_from(count).unwrap_or(u8::MAX)
}
