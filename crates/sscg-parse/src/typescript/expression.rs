//! References in expressions, types and statements.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator, LogicalOperator};
use oxc_syntax::scope::ScopeFlags;
use sscg_core::{ChunkKind, Relation};

use super::declare::Outer;
use super::name::{Binding, RawName, This, is_const, span_of, unwrap};
use super::walk::{Level, Walker};

impl<'a> Visit<'a> for Walker<'a> {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if let Some(declaration) = statement.as_declaration() {
            self.declaration(declaration, Outer::plain(statement));
        } else if let Some(module) = statement.as_module_declaration() {
            self.module_declaration(module);
        } else if self.owner.is_some() || !self.root_assignment_or_require(statement) {
            // A lone `;` belongs to the lines around it.
            if !matches!(statement, Statement::EmptyStatement(_)) {
                self.root_statement(ChunkKind::Expression, span_of(statement));
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
        let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
        // Its name may be bound to a declaration already.
        if symbol.is_none_or(|symbol| matches!(self.names.bindings.get(symbol), Binding::Symbol(_))) {
            return self.with_this_of(function, This::Unknown, |walker| {
                walk::walk_function(walker, function, flags);
            });
        }
        let level = std::mem::replace(&mut self.level, Level::Inner);
        self.function(function, Outer::plain(function));
        self.level = level;
        // A function that is named where it is passed or assigned is a value there.
        let id = function.id.as_ref().filter(|_| function.is_expression());
        let name = id.map(|id| self.names.of_binding(id));
        self.note_access(self.read, name);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        let name = class.id.as_ref().map_or("class", |id| id.name.as_str());
        let level = std::mem::replace(&mut self.level, Level::Inner);
        self.class(class, name, Outer::plain(class));
        self.level = level;
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        self.parameter_property(parameter);
        // A default value does not determine the type of the argument.
        self.hint_local(&parameter.pattern, parameter.type_annotation.as_deref(), None);
        self.visit_decorators(&parameter.decorators);
        let read = std::mem::replace(&mut self.read, Relation::UsesDefault);
        self.visit_binding_pattern(&parameter.pattern);
        if let Some(annotation) = &parameter.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(value) = &parameter.initializer {
            self.visit_expression(value);
        }
        self.read = read;
    }

    fn visit_formal_parameter_rest(&mut self, rest: &FormalParameterRest<'a>) {
        self.hint_local(&rest.rest.argument, rest.type_annotation.as_deref(), None);
        walk::walk_formal_parameter_rest(self, rest);
    }

    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        match unwrap(&decorator.expression) {
            Expression::CallExpression(call) => {
                self.note_expression(Relation::Decorates, &call.callee);
                self.visit_type_arguments(call.type_arguments.as_deref());
                self.visit_arguments(&call.arguments);
            }
            named => self.note_expression(Relation::Decorates, named),
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if !self.require_for_effects(call) {
            self.visit_base(&call.callee);
            let name = self.names.of_callee(&call.callee);
            self.note_call(Relation::Calls, name, &call.arguments);
            self.expect_arguments(name, &call.arguments);
            self.visit_type_arguments(call.type_arguments.as_deref());
            self.visit_passed(&call.callee, &call.arguments);
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
        self.visit_base(&new.callee);
        let name = self.names.of_expression(&new.callee);
        self.note_call(Relation::Instantiates, name, &new.arguments);
        self.expect_arguments(name, &new.arguments);
        self.visit_type_arguments(new.type_arguments.as_deref());
        self.visit_passed(&new.callee, &new.arguments);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.hint_loop(statement);
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_throw_statement(&mut self, throw: &ThrowStatement<'a>) {
        if let Expression::NewExpression(new) = unwrap(&throw.argument) {
            let name = self.names.of_expression(&new.callee);
            self.note(Relation::Raises, name);
        }
        walk::walk_throw_statement(self, throw);
    }

    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        if binary.operator != BinaryOperator::Instanceof {
            return walk::walk_binary_expression(self, binary);
        }
        self.visit_expression(&binary.left);
        if let Expression::Identifier(value) = unwrap(&binary.left)
            && self.names.bindings.is_caught(value)
        {
            let name = self.names.of_expression(&binary.right);
            self.note(Relation::Catches, name);
        }
        self.note_expression(Relation::AssertsType, &binary.right);
    }

    fn visit_statements(&mut self, statements: &oxc_allocator::Vec<'a, Statement<'a>>) {
        let known = self.names.narrowed.len();
        for statement in statements {
            self.visit_statement(statement);
            self.narrow_after(statement);
        }
        self.names.narrowed.truncate(known);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.visit_expression(&statement.test);
        self.where_it_is(&statement.test, true, |walker| walker.visit_statement(&statement.consequent));
        if let Some(alternate) = &statement.alternate {
            self.where_it_is(&statement.test, false, |walker| walker.visit_statement(alternate));
        }
    }

    fn visit_conditional_expression(&mut self, choice: &ConditionalExpression<'a>) {
        self.visit_expression(&choice.test);
        self.where_it_is(&choice.test, true, |walker| walker.visit_expression(&choice.consequent));
        self.where_it_is(&choice.test, false, |walker| walker.visit_expression(&choice.alternate));
    }

    fn visit_logical_expression(&mut self, logical: &LogicalExpression<'a>) {
        self.visit_expression(&logical.left);
        match logical.operator {
            LogicalOperator::Coalesce => self.visit_expression(&logical.right),
            operator => self.where_it_is(&logical.left, operator == LogicalOperator::And, |walker| {
                walker.visit_expression(&logical.right);
            }),
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
        // Same name as in the opening element.
    }

    fn visit_jsx_opening_fragment(&mut self, _: &JSXOpeningFragment) {
        self.saw_jsx = true;
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        let Some((is_read, is_written)) = self.names.bindings.access(identifier) else { return };
        let name = self.names.of_identifier(identifier);
        if is_read {
            self.note_access(self.read, Some(name));
        }
        if is_written {
            self.note_access(Relation::AssignsTo, Some(name));
        }
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        self.visit_object(&member.object);
        if self.names.may_have_fields(&member.object) {
            let name = self.names.of_member(member);
            self.note_member(self.read, name);
        }
    }

    fn visit_private_field_expression(&mut self, member: &PrivateFieldExpression<'a>) {
        self.visit_object(&member.object);
        if self.names.may_have_fields(&member.object) {
            let name = self.names.of_private_member(member);
            self.note_member(self.read, name);
        }
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if assignment.operator != AssignmentOperator::Assign
            && let Some(target) = assignment.left.as_simple_assignment_target()
        {
            self.read_target(target);
        } else {
            self.field_assignment(assignment);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_update_expression(&mut self, update: &UpdateExpression<'a>) {
        self.read_target(&update.argument);
        walk::walk_update_expression(self, update);
    }

    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                let name = self.names.of_member(member);
                self.note_access(Relation::AssignsTo, name);
                self.visit_object(&member.object);
            }
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                let name = self.names.of_private_member(member);
                self.note_access(Relation::AssignsTo, name);
                self.visit_object(&member.object);
            }
            other => walk::walk_simple_assignment_target(self, other),
        }
    }

    fn visit_ts_type_parameter(&mut self, parameter: &TSTypeParameter<'a>) {
        if let (Some(bound), Some(symbol)) = (&parameter.constraint, parameter.name.symbol_id.get())
            && let Some(bound) = self.names.of_type(bound)
        {
            let bound = self.names.arena.alloc(bound);
            self.names.bindings.set(symbol, Binding::TypeParameter(bound));
        }
        walk::walk_ts_type_parameter(self, parameter);
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
    /// Records the class or function that an expression names, and walks the rest of the expression.
    pub(super) fn note_expression(&mut self, relation: Relation, expression: &Expression<'a>) {
        self.visit_base(expression);
        let name = self.names.of_expression(expression);
        self.note(relation, name);
    }

    /// Records the name of a type with the given relation.
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

    /// Records the types in a cast or type test.
    fn note_asserted(&mut self, ty: &TSType<'a>) {
        match ty {
            TSType::TSTypeReference(reference) if is_const(&reference.type_name) => {}
            TSType::TSTypeReference(reference) => {
                let arguments = reference.type_arguments.as_deref();
                self.note_type(Relation::AssertsType, &reference.type_name, arguments);
            }
            TSType::TSUnionType(union) => union.types.iter().for_each(|ty| self.note_asserted(ty)),
            TSType::TSIntersectionType(both) => both.types.iter().for_each(|ty| self.note_asserted(ty)),
            other => self.visit_ts_type(other),
        }
    }

    /// Records a read of a member: `ReadsFrom` for `this` and for local variables with a written type, else `relation`.
    fn note_member(&mut self, relation: Relation, name: Option<RawName<'a>>) {
        let relation = match name {
            Some(name) if self.names.bindings.is_field(name) => Relation::ReadsFrom,
            _ => relation,
        };
        self.note_access(relation, name);
    }

    /// Records the read of a member before it is written.
    fn read_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        let name = match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => self.names.of_member(member),
            SimpleAssignmentTarget::PrivateFieldExpression(member) => self.names.of_private_member(member),
            // For an identifier itself, oxc reports the read.
            _ => None,
        };
        self.note_member(self.read, name);
    }

    /// Walks the object of a named expression.
    pub(super) fn visit_base(&mut self, expression: &Expression<'a>) {
        match self.unwrap_noting_types(expression) {
            Expression::StaticMemberExpression(member) => self.visit_object(&member.object),
            Expression::PrivateFieldExpression(member) => self.visit_object(&member.object),
            Expression::Identifier(_) | Expression::ThisExpression(_) | Expression::Super(_) => {}
            other => self.visit_expression(other),
        }
    }

    /// Walks the object of a member whose whole name is already recorded. The variable at its start is read, and so is
    /// the first member of `this` or of a local variable.
    fn visit_object(&mut self, object: &Expression<'a>) {
        let mut object = self.unwrap_noting_types(object);
        loop {
            let inner = match object {
                Expression::StaticMemberExpression(member) => &member.object,
                Expression::PrivateFieldExpression(member) => &member.object,
                Expression::Identifier(identifier) => {
                    let name = self.names.of_identifier(identifier);
                    return self.note_base(name);
                }
                Expression::ThisExpression(_) | Expression::Super(_) => return,
                other => return self.visit_expression(other),
            };
            let inner = self.unwrap_noting_types(inner);
            if self.names.is_instance(inner) {
                let name = self.names.of_expression(object);
                return self.note_member(self.read, name);
            }
            object = inner;
        }
    }

    fn visit_type_arguments(&mut self, types: Option<&TSTypeParameterInstantiation<'a>>) {
        if let Some(types) = types {
            self.visit_ts_type_parameter_instantiation(types);
        }
    }

    /// Returns the expression without the wrappers that [`unwrap`] removes, and records the types in them.
    pub(super) fn unwrap_noting_types<'e>(
        &mut self,
        mut expression: &'e Expression<'a>,
    ) -> &'e Expression<'a> {
        loop {
            expression = match expression {
                Expression::ParenthesizedExpression(inner) => &inner.expression,
                Expression::TSNonNullExpression(inner) => &inner.expression,
                Expression::TSSatisfiesExpression(inner) => {
                    self.visit_ts_type(&inner.type_annotation);
                    &inner.expression
                }
                Expression::TSInstantiationExpression(inner) => {
                    self.visit_ts_type_parameter_instantiation(&inner.type_arguments);
                    &inner.expression
                }
                _ => return expression,
            };
        }
    }

    /// Records the types around the function, class or object that a value consists of; see [`super::name::value_of`].
    pub(super) fn note_types_around(&mut self, value: &Expression<'a>) {
        match self.unwrap_noting_types(value) {
            Expression::TSAsExpression(cast) => {
                self.note_asserted(&cast.type_annotation);
                self.note_types_around(&cast.expression);
            }
            Expression::TSTypeAssertion(cast) => {
                self.note_asserted(&cast.type_annotation);
                self.note_types_around(&cast.expression);
            }
            _ => {}
        }
    }
}
