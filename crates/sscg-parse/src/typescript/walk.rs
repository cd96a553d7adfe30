//! The one walk over the tree: what each use of a name says.
//!
//! Declarations are in `declare` and `member`, imports and exports in `module`; expressions and types are here.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::operator::BinaryOperator;
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;
use sscg_core::{ChunkKind, FileFacts, Id, Import, LocalSymbol, Modifiers, Relation};

use super::comment::Comments;
use super::declare::Outer;
use super::layout::Layout;
use super::name::{Binding, Names, RawHint, RawName, is_const, span_of, unwrap};
use crate::builder::FactsBuilder;
use crate::text::headline;

/// Where a statement stands, which decides what it declares for others to see.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// At the file's root.
    File,
    /// Directly in a namespace or an ambient module.
    Namespace,
    /// In a function, a block or an expression: variables are local.
    Inner,
}

/// A use of a name, to be resolved after the walk.
struct Use<'a> {
    relation: Relation,
    from: Option<LocalSymbol>,
    name: RawName<'a>,
}

/// The state of the walk.
pub(super) struct Walker<'a> {
    pub(super) facts: FactsBuilder<'a>,
    pub(super) names: Names<'a>,
    pub(super) comments: Comments<'a>,
    pub(super) layout: Layout,
    pub(super) level: Level,
    /// The innermost declaration around the current node.
    pub(super) owner: Option<LocalSymbol>,
    /// Whether declarations at the current level are public without `export`.
    pub(super) ambient: bool,
    /// Whether the file only declares what is defined elsewhere (`.d.ts`).
    pub(super) is_definition_file: bool,
    /// Whether JSX was seen since this was last reset.
    pub(super) saw_jsx: bool,
    pub(super) imports: Vec<Import>,
    /// The types of declarations.
    pub(super) types: Vec<(LocalSymbol, RawName<'a>)>,
    /// Names that are exported apart from their declarations.
    pub(super) exports: Vec<(SymbolId, Modifiers)>,
    /// Public members, which are as visible as what they are members of.
    pub(super) public_members: Vec<(LocalSymbol, LocalSymbol)>,
    uses: Vec<Use<'a>>,
    /// How many declarations are around the current node.
    depth: u32,
}

/// Declarations nested deeper than this are not looked into: the cost of each grows with what is around it, and
/// people write no such code.
const MAX_DEPTH: u32 = 500;

impl<'a> Walker<'a> {
    pub(super) fn new(facts: FactsBuilder<'a>, names: Names<'a>, comments: Comments<'a>) -> Self {
        Self {
            facts,
            names,
            comments,
            layout: Layout::default(),
            level: Level::File,
            owner: None,
            ambient: false,
            is_definition_file: false,
            saw_jsx: false,
            imports: Vec::new(),
            types: Vec::new(),
            exports: Vec::new(),
            public_members: Vec::new(),
            uses: Vec::new(),
            depth: 0,
        }
    }

    /// Walks the file and returns its facts.
    pub(super) fn run(mut self, program: &Program<'a>) -> FileFacts {
        self.is_definition_file = program.source_type.is_typescript_definition();
        self.ambient = self.is_definition_file && !program.body.iter().any(Statement::is_module_declaration);
        for directive in &program.directives {
            let name = headline(self.names.text(directive.span));
            self.layout.statement(ChunkKind::Expression, span_of(directive), name);
        }
        self.visit_statements(&program.body);
        self.finish()
    }

    fn finish(mut self) -> FileFacts {
        let bindings = &self.names.bindings;
        for (symbol, name) in self.types {
            self.facts.set_type(symbol, bindings.resolve(name));
        }
        for Use { relation, from, name } in self.uses {
            // Plain reads of locals and globals say nothing about the graph.
            if relation != Relation::References || bindings.is_declared(name) {
                self.facts.reference(relation, from, bindings.resolve(name), name.at, None);
            }
        }
        for (symbol, modifiers) in self.exports {
            match bindings.get(symbol) {
                Binding::Symbol(symbol) => {
                    let symbol = self.facts.symbol_mut(symbol);
                    symbol.exported = true;
                    symbol.modifiers |= modifiers;
                }
                Binding::Import(import) => self.imports[import.index()].reexport = true,
                Binding::Local(_) | Binding::Unknown => {}
            }
        }
        for (member, owner) in self.public_members {
            let exported = self.facts.symbol_mut(owner).exported;
            self.facts.symbol_mut(member).exported = exported;
        }
        for import in self.imports {
            self.facts.import(import);
        }
        self.layout.finish(&mut self.facts, self.comments);
        self.facts.finish()
    }

    /// Notes a use of a name by the current owner.
    pub(super) fn note(&mut self, relation: Relation, name: Option<RawName<'a>>) {
        if let Some(name) = name {
            self.uses.push(Use { relation, from: self.owner, name });
        }
    }

    /// Walks with `symbol` as the owner of what is found.
    pub(super) fn inside(&mut self, symbol: LocalSymbol, walk: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            let at = self.facts.symbol_mut(symbol).span.start;
            return self.facts.diagnostic(at, "nested too deeply to look into");
        }
        self.depth += 1;
        let owner = self.owner.replace(symbol);
        let level = std::mem::replace(&mut self.level, Level::Inner);
        walk(self);
        self.depth -= 1;
        self.owner = owner;
        self.level = level;
    }

    /// Walks code in which `this` is, or is not, an instance of the owner's type.
    pub(super) fn with_this(&mut self, is_self: bool, walk: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.names.this_is_self, is_self);
        walk(self);
        self.names.this_is_self = around;
    }

    /// Whether functions and types declared here get a symbol: not in the blocks of root statements, which
    /// have no declaration to hold them.
    pub(super) fn declares(&self) -> bool {
        self.level != Level::Inner || self.owner.is_some()
    }

    /// Notes a statement that is no declaration as a root item, if it stands at the root.
    pub(super) fn root_statement(&mut self, kind: ChunkKind, node: &impl GetSpan, name: &str) {
        if self.level == Level::File {
            self.layout.statement(kind, span_of(node), name.to_owned());
        }
    }

    /// Walks what a name is a member of: all of the expression that [`Names::of_expression`] does not name.
    fn visit_base(&mut self, expression: &Expression<'a>) {
        match unwrap(expression) {
            Expression::StaticMemberExpression(member) => self.visit_base(&member.object),
            Expression::PrivateFieldExpression(member) => self.visit_base(&member.object),
            Expression::Identifier(_) | Expression::ThisExpression(_) | Expression::Super(_) => {}
            other => self.visit_expression(other),
        }
    }

    fn visit_arguments_of(
        &mut self,
        types: Option<&TSTypeParameterInstantiation<'a>>,
        arguments: &oxc_allocator::Vec<'a, Argument<'a>>,
    ) {
        if let Some(types) = types {
            self.visit_ts_type_parameter_instantiation(types);
        }
        self.visit_arguments(arguments);
    }

    /// Notes a type's name; `relation` says how it is used.
    pub(super) fn note_type(
        &mut self,
        relation: Relation,
        name: &TSTypeName<'a>,
        arguments: Option<&TSTypeParameterInstantiation<'a>>,
    ) {
        let name = self.names.of_type_name(name);
        self.note(relation, name);
        if let Some(arguments) = arguments {
            self.visit_ts_type_parameter_instantiation(arguments);
        }
    }

    /// Notes the class or function that an expression names, and walks the rest of the expression.
    pub(super) fn note_expression(&mut self, relation: Relation, expression: &Expression<'a>) {
        let name = self.names.of_expression(expression);
        self.note(relation, name);
        self.visit_base(expression);
    }

    /// Notes the types that a cast or test names.
    fn note_asserted(&mut self, ty: &TSType<'a>) {
        match ty {
            TSType::TSTypeReference(reference) if is_const(&reference.type_name) => {}
            TSType::TSTypeReference(reference) => {
                let arguments = reference.type_arguments.as_deref();
                self.note_type(Relation::AssertsType, &reference.type_name, arguments);
            }
            other => self.visit_ts_type(other),
        }
    }

    /// Remembers the type of a parameter or local variable.
    pub(super) fn hint_local(
        &mut self,
        pattern: &BindingPattern<'a>,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        let BindingPattern::BindingIdentifier(identifier) = pattern else { return };
        // What a variable starts with says nothing of what it is assigned later.
        let value = match identifier.symbol_id.get() {
            Some(symbol) if self.names.bindings.is_reassigned(symbol) => None,
            _ => value,
        };
        let hint = match annotation {
            Some(annotation) => self.names.of_type(&annotation.type_annotation).map(RawHint::Named),
            None => value.and_then(|value| self.names.hint(value)),
        };
        if let (Some(hint), Some(symbol)) = (hint, identifier.symbol_id.get()) {
            self.names.bindings.set(symbol, Binding::Local(hint));
        }
    }
}

impl<'a> Visit<'a> for Walker<'a> {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if let Some(declaration) = statement.as_declaration() {
            self.declaration(declaration, Outer::plain(statement));
        } else if let Some(module) = statement.as_module_declaration() {
            self.module_declaration(module);
        } else if self.level != Level::File || !self.root_assignment_or_require(statement) {
            // A lone `;` is covered with the lines around it.
            if !matches!(statement, Statement::EmptyStatement(_)) {
                let name = headline(self.names.text(statement.span()));
                self.root_statement(ChunkKind::Expression, statement, &name);
            }
            let level = std::mem::replace(&mut self.level, Level::Inner);
            walk::walk_statement(self, statement);
            self.level = level;
        }
    }

    fn visit_variable_declaration(&mut self, variables: &VariableDeclaration<'a>) {
        self.variables(variables, Outer::plain(variables));
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.with_this(false, |walker| walk::walk_function(walker, function, flags));
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        self.with_this(false, |walker| walk::walk_class(walker, class));
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        // A default value says nothing of what callers pass.
        self.hint_local(&parameter.pattern, parameter.type_annotation.as_deref(), None);
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        match unwrap(&decorator.expression) {
            Expression::CallExpression(call) => {
                self.note_expression(Relation::Decorates, &call.callee);
                self.visit_arguments_of(call.type_arguments.as_deref(), &call.arguments);
            }
            named => self.note_expression(Relation::Decorates, named),
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if !self.require_for_effects(call) {
            self.note_expression(Relation::Calls, &call.callee);
            self.visit_arguments_of(call.type_arguments.as_deref(), &call.arguments);
        }
    }

    fn visit_tagged_template_expression(&mut self, tagged: &TaggedTemplateExpression<'a>) {
        self.note_expression(Relation::Calls, &tagged.tag);
        if let Some(arguments) = &tagged.type_arguments {
            self.visit_ts_type_parameter_instantiation(arguments);
        }
        self.visit_template_literal(&tagged.quasi);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        self.note_expression(Relation::Instantiates, &new.callee);
        self.visit_arguments_of(new.type_arguments.as_deref(), &new.arguments);
    }

    fn visit_throw_statement(&mut self, throw: &ThrowStatement<'a>) {
        if let Expression::NewExpression(new) = unwrap(&throw.argument) {
            let name = self.names.of_expression(&new.callee);
            self.note(Relation::Raises, name);
        }
        walk::walk_throw_statement(self, throw);
    }

    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        if binary.operator == BinaryOperator::Instanceof {
            self.visit_expression(&binary.left);
            self.note_expression(Relation::AssertsType, &binary.right);
        } else {
            walk::walk_binary_expression(self, binary);
        }
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.dynamic_import(import);
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        self.saw_jsx = true;
        let name = self.names.of_element(&element.name);
        self.note(Relation::Calls, name);
        if let Some(arguments) = &element.type_arguments {
            self.visit_ts_type_parameter_instantiation(arguments);
        }
        self.visit_jsx_attribute_items(&element.attributes);
    }

    fn visit_jsx_closing_element(&mut self, _: &JSXClosingElement<'a>) {
        // Its name is the opening element's.
    }

    fn visit_jsx_opening_fragment(&mut self, _: &JSXOpeningFragment) {
        self.saw_jsx = true;
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        if self.names.bindings.is_read(identifier) {
            let name = self.names.of_identifier(identifier);
            self.note(Relation::References, Some(name));
        }
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        self.member_read(member);
    }

    fn visit_ts_type_reference(&mut self, reference: &TSTypeReference<'a>) {
        if !is_const(&reference.type_name) {
            let arguments = reference.type_arguments.as_deref();
            self.note_type(Relation::UsesType, &reference.type_name, arguments);
        }
    }

    fn visit_ts_class_implements(&mut self, implements: &TSClassImplements<'a>) {
        let arguments = implements.type_arguments.as_deref();
        self.note_type(Relation::Implements, &implements.expression, arguments);
    }

    fn visit_ts_interface_heritage(&mut self, parent: &TSInterfaceHeritage<'a>) {
        self.note_type(Relation::Inherits, &parent.type_name, parent.type_arguments.as_deref());
    }

    fn visit_ts_type_query(&mut self, query: &TSTypeQuery<'a>) {
        match query.expr_name.as_ts_type_name() {
            Some(name) => self.note_type(Relation::UsesType, name, query.type_arguments.as_deref()),
            None => walk::walk_ts_type_query(self, query),
        }
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        self.import_type(import);
    }

    fn visit_ts_as_expression(&mut self, cast: &TSAsExpression<'a>) {
        self.visit_expression(&cast.expression);
        self.note_asserted(&cast.type_annotation);
    }

    fn visit_ts_type_assertion(&mut self, cast: &TSTypeAssertion<'a>) {
        self.note_asserted(&cast.type_annotation);
        self.visit_expression(&cast.expression);
    }

    fn visit_ts_type_predicate(&mut self, predicate: &TSTypePredicate<'a>) {
        if let Some(annotation) = &predicate.type_annotation {
            self.note_asserted(&annotation.type_annotation);
        }
    }
}

impl<'a> Walker<'a> {
    /// Notes `Config.limits.size` as one name; members of anything but an identifier only walk that.
    fn member_read(&mut self, member: &StaticMemberExpression<'a>) {
        let mut object = unwrap(&member.object);
        while let Expression::StaticMemberExpression(inner) = object {
            object = unwrap(&inner.object);
        }
        let Expression::Identifier(identifier) = object else { return self.visit_base(object) };
        if self.names.bindings.symbol_of(identifier).is_some() {
            let name = self.names.of_member(member);
            self.note(Relation::References, name);
        }
    }
}
