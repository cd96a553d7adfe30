//! Type hints from types and expressions.

use oxc_ast::ast::*;
use oxc_syntax::operator::LogicalOperator;

use sscg_core::TypeHint;

use super::callable::Callable;
use super::name::{HINT_DEPTH, Names, RawHead, RawHint, RawName, This, is_const, unwrap, value_of};

/// Maximum nesting depth to which a written type is examined.
const TYPE_DEPTH: u32 = 5;

/// Maximum number of recorded parts of one type or object: generated code has types with thousands.
const MAX_PARTS: usize = 32;

/// Classes whose type arguments are the types of their contents.
pub(super) const CONTAINERS: &[&str] =
    &["Array", "Map", "ReadonlyArray", "ReadonlyMap", "ReadonlySet", "Set", "WeakMap"];

impl<'a> Names<'a> {
    /// Returns the hint of a written type.
    pub(super) fn of_type(&mut self, ty: &TSType<'a>) -> Option<RawHint<'a>> {
        self.of_type_within(ty, TYPE_DEPTH)
    }

    fn of_type_within(&mut self, ty: &TSType<'a>, depth: u32) -> Option<RawHint<'a>> {
        let depth = depth.checked_sub(1)?;
        match ty {
            TSType::TSTypeReference(reference) if !is_const(&reference.type_name) => {
                self.of_reference(reference, depth)
            }
            TSType::TSParenthesizedType(inner) => self.of_type_within(&inner.type_annotation, depth),
            TSType::TSThisType(this) => self.of_this(this.span.start, RawHint::Named),
            TSType::TSArrayType(array) => {
                let element = self.of_type_within(&array.element_type, depth);
                Some(self.array(array.span.start, element))
            }
            TSType::TSTupleType(tuple) => Some(self.array(tuple.span.start, None)),
            TSType::TSTypeOperatorType(operator) if operator.operator == TSTypeOperatorOperator::Readonly => {
                self.of_type_within(&operator.type_annotation, depth)
            }
            TSType::TSUnionType(union) => {
                use TSType::{TSNullKeyword, TSUndefinedKeyword, TSVoidKeyword};
                let is_nothing = |ty: &&TSType<'_>| {
                    matches!(ty, TSNullKeyword(_) | TSUndefinedKeyword(_) | TSVoidKeyword(_))
                };
                let solid = union.types.iter().filter(|ty| !is_nothing(ty));
                one_of(self.parts(solid, |names, ty| names.of_type_within(ty, depth)))
            }
            TSType::TSIntersectionType(both) => {
                let known = self.parts(both.types.iter(), |names, ty| names.of_type_within(ty, depth));
                let known = known.iter().copied().filter(|hint| !matches!(hint, RawHint::Unknown));
                one_of(self.arena.alloc_slice_copy(&known.collect::<Vec<_>>()))
            }
            TSType::TSFunctionType(function) => {
                let parameters = self.parameters(&function.params, depth);
                let result = self.of_type_within(&function.return_type.type_annotation, depth);
                Some(self.function(parameters, result))
            }
            TSType::TSTypeLiteral(literal) => self.of_literal(&literal.members, depth),
            TSType::TSTypeQuery(query) => {
                self.of_type_name(query.expr_name.as_ts_type_name()?).map(RawHint::Value)
            }
            TSType::TSIndexedAccessType(access) => self.of_access(access, depth),
            TSType::TSConditionalType(choice) => {
                let branches = [&choice.true_type, &choice.false_type].into_iter();
                let solid = branches.filter(|ty| !matches!(ty, TSType::TSNeverKeyword(_)));
                one_of(self.parts(solid, |names, ty| names.of_type_within(ty, depth)))
            }
            TSType::TSTypePredicate(predicate) => {
                let asserted = &predicate.type_annotation.as_ref()?.type_annotation;
                let asserted = self.of_type_within(asserted, depth)?;
                Some(RawHint::Predicate(self.arena.alloc(asserted)))
            }
            _ => None,
        }
    }

    fn of_reference(&mut self, reference: &TSTypeReference<'a>, depth: u32) -> Option<RawHint<'a>> {
        let name = self.of_type_name(&reference.type_name)?;
        let arguments = reference.type_arguments.as_ref().map_or(&[][..], |arguments| &arguments.params);
        // Callers await a promise, so its result is recorded instead.
        if matches!((name.head, name.path), (RawHead::Free, ["Promise" | "PromiseLike"])) {
            return self.of_type_within(arguments.first()?, depth);
        }
        let arguments = self.parts(arguments.iter(), |names, ty| names.of_type_within(ty, depth));
        let is_known = arguments.iter().any(|hint| !matches!(hint, RawHint::Unknown));
        Some(if is_known { RawHint::Generic(name, arguments) } else { RawHint::Named(name) })
    }

    fn of_access(&mut self, access: &TSIndexedAccessType<'a>, depth: u32) -> Option<RawHint<'a>> {
        let object = self.of_type_within(&access.object_type, depth)?;
        match &access.index_type {
            TSType::TSNumberKeyword(_) => Some(RawHint::Element(self.arena.alloc(object))),
            TSType::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::StringLiteral(name) => Some(self.member_of(object, name.value.as_str())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the hint of a generic type that the file neither declares nor imports.
    pub(super) fn of_library_type(
        &mut self,
        name: &TSTypeName<'a>,
        arguments: &TSTypeParameterInstantiation<'a>,
    ) -> Option<RawHint<'a>> {
        let name = self.of_type_name(name).filter(|name| matches!(name.head, RawHead::Free))?;
        let arguments = self.parts(arguments.params.iter(), Self::of_type);
        arguments
            .iter()
            .any(|hint| !matches!(hint, RawHint::Unknown))
            .then_some(RawHint::Generic(name, arguments))
    }

    /// Returns the types of a function's parameters.
    pub(super) fn of_parameters(&mut self, parameters: &FormalParameters<'a>) -> &'a [RawHint<'a>] {
        self.parameters(parameters, TYPE_DEPTH)
    }

    fn parameters(&mut self, parameters: &FormalParameters<'a>, depth: u32) -> &'a [RawHint<'a>] {
        self.parts(parameters.items.iter(), |names, parameter| {
            names.of_type_within(&parameter.type_annotation.as_ref()?.type_annotation, depth)
        })
    }

    fn of_literal(&mut self, members: &[TSSignature<'a>], depth: u32) -> Option<RawHint<'a>> {
        let mut hints = Vec::new();
        for member in members.iter().take(MAX_PARTS) {
            let (key, hint) = match member {
                TSSignature::TSPropertySignature(property) => {
                    let annotation = property.type_annotation.as_ref();
                    let hint = annotation.and_then(|it| self.of_type_within(&it.type_annotation, depth));
                    (&property.key, hint)
                }
                TSSignature::TSMethodSignature(method) => {
                    let parameters = self.parameters(&method.params, depth);
                    let result = method.return_type.as_ref();
                    let result = result.and_then(|it| self.of_type_within(&it.type_annotation, depth));
                    (&method.key, Some(self.function(parameters, result)))
                }
                _ => continue,
            };
            if let (PropertyKey::StaticIdentifier(name), Some(hint)) = (key, hint) {
                hints.push((name.name.as_str(), hint));
            }
        }
        (!hints.is_empty()).then(|| RawHint::Object(self.arena.alloc_slice_copy(&hints)))
    }

    /// Returns the hint of an expression.
    pub(super) fn hint(&mut self, expression: &Expression<'a>) -> Option<RawHint<'a>> {
        self.hint_within(expression, HINT_DEPTH)
    }

    pub(super) fn hint_within(&mut self, expression: &Expression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let depth = depth.checked_sub(1)?;
        match unwrap(expression) {
            Expression::ThisExpression(this) => self.of_this(this.span.start, RawHint::Value),
            Expression::Identifier(_)
            | Expression::StaticMemberExpression(_)
            | Expression::PrivateFieldExpression(_) => {
                self.of_expression_within(expression, depth).map(RawHint::Value)
            }
            Expression::NewExpression(new) => self.instance(new, depth),
            Expression::CallExpression(call) => self.returned(call, depth),
            Expression::ChainExpression(chain) => self.of_chain(chain, expression, depth),
            Expression::ComputedMemberExpression(member) => self.indexed(member, depth),
            // The result of a promise is recorded instead of the promise.
            Expression::AwaitExpression(promise) => self.hint_within(&promise.argument, depth),
            Expression::TSAsExpression(cast) => match &cast.type_annotation {
                TSType::TSTypeReference(reference) if is_const(&reference.type_name) => {
                    self.hint_within(&cast.expression, depth)
                }
                ty => self.of_type(ty),
            },
            Expression::TSTypeAssertion(cast) => self.of_type(&cast.type_annotation),
            Expression::ConditionalExpression(choice) => {
                self.either(&choice.consequent, &choice.alternate, depth)
            }
            Expression::LogicalExpression(logical) if logical.operator == LogicalOperator::And => {
                self.hint_within(&logical.right, depth)
            }
            Expression::LogicalExpression(logical) => self.either(&logical.left, &logical.right, depth),
            Expression::AssignmentExpression(assignment) => self.hint_within(&assignment.right, depth),
            Expression::ArrayExpression(array) => {
                let first = array.elements.first().and_then(ArrayExpressionElement::as_expression);
                let element = first.and_then(|first| self.hint_within(first, depth));
                Some(self.array(array.span.start, element))
            }
            Expression::ObjectExpression(object) => self.members(object, |names, property| {
                let PropertyKey::StaticIdentifier(name) = &property.key else { return None };
                Some((name.name.as_str(), names.hint_within(&property.value, depth)?))
            }),
            value => self.of_callable(value, depth),
        }
    }

    /// Returns the hint of an optional chain, which is the whole of an expression: `a?.b()`.
    fn of_chain(
        &mut self,
        chain: &ChainExpression<'a>,
        expression: &Expression<'a>,
        depth: u32,
    ) -> Option<RawHint<'a>> {
        match &chain.expression {
            ChainElement::CallExpression(call) => self.returned(call, depth),
            ChainElement::ComputedMemberExpression(member) => self.indexed(member, depth),
            ChainElement::TSNonNullExpression(inner) => self.hint_within(&inner.expression, depth),
            _ => self.of_expression_within(expression, depth).map(RawHint::Value),
        }
    }

    fn of_callable(&mut self, value: &Expression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let function = Callable::of(value)?;
        let parameters = self.of_parameters(function.parameters());
        let result = match function.return_type() {
            Some(annotation) => self.of_type(&annotation.type_annotation),
            None => function.results().last().and_then(|result| self.hint_within(result, depth)),
        };
        Some(self.function(parameters, result))
    }

    fn of_this(&self, at: u32, of_name: impl FnOnce(RawName<'a>) -> RawHint<'a>) -> Option<RawHint<'a>> {
        match self.this {
            This::Typed(hint) => Some(*hint),
            _ => self.own_this(at).map(of_name),
        }
    }

    fn instance(&mut self, new: &NewExpression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let class = self.of_expression_within(&new.callee, depth)?;
        Some(match (&new.type_arguments, class.path) {
            (Some(arguments), [container]) if CONTAINERS.contains(container) => {
                RawHint::Generic(class, self.parts(arguments.params.iter(), Self::of_type))
            }
            _ => RawHint::Named(class),
        })
    }

    fn returned(&mut self, call: &CallExpression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let callee = self.of_expression_within(&call.callee, depth)?;
        Some(RawHint::Result(self.narrowed(callee)))
    }

    fn function(&self, parameters: &'a [RawHint<'a>], result: Option<RawHint<'a>>) -> RawHint<'a> {
        RawHint::Function(parameters, self.arena.alloc(result.unwrap_or(RawHint::Unknown)))
    }

    /// Returns the hint of an object from the names and hints of its properties.
    fn members(
        &mut self,
        object: &ObjectExpression<'a>,
        mut member: impl FnMut(&mut Self, &ObjectProperty<'a>) -> Option<(&'a str, RawHint<'a>)>,
    ) -> Option<RawHint<'a>> {
        let mut members = Vec::new();
        for property in object.properties.iter().take(MAX_PARTS) {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => members.extend(member(self, property)),
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let copied = self.of_expression(&spread.argument);
                    members.extend(copied.map(|copied| (TypeHint::SPREAD, RawHint::Value(copied))));
                }
            }
        }
        (!members.is_empty()).then(|| RawHint::Object(self.arena.alloc_slice_copy(&members)))
    }

    /// Returns the members of an object that are declared elsewhere: `{ open, close }`.
    pub(super) fn shorthands(&mut self, object: &ObjectExpression<'a>) -> Option<RawHint<'a>> {
        self.members(object, |names, property| match &property.value {
            Expression::Identifier(value) if property.shorthand => {
                Some((value.name.as_str(), RawHint::Value(names.of_identifier(value))))
            }
            _ => None,
        })
    }

    fn either(&mut self, left: &Expression<'a>, right: &Expression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let is_nothing = |it: &Expression<'a>| match unwrap(it) {
            Expression::NullLiteral(_) => true,
            Expression::Identifier(name) => name.name == "undefined",
            _ => false,
        };
        let solid = [left, right].into_iter().filter(|it| !is_nothing(it));
        one_of(self.parts(solid, |names, it| names.hint_within(it, depth)))
    }

    fn indexed(&mut self, member: &ComputedMemberExpression<'a>, depth: u32) -> Option<RawHint<'a>> {
        let object = self.hint_within(&member.object, depth)?;
        Some(match &member.expression {
            Expression::StringLiteral(name) => self.member_of(object, name.value.as_str()),
            _ => RawHint::Element(self.arena.alloc(object)),
        })
    }

    /// Returns the hint of a member of a value.
    pub(super) fn member_of(&mut self, object: RawHint<'a>, member: &'a str) -> RawHint<'a> {
        RawHint::Value(self.name_in(object, member))
    }

    /// Returns the name of a member of a value.
    pub(super) fn name_in(&mut self, object: RawHint<'a>, member: &'a str) -> RawName<'a> {
        match object {
            RawHint::Value(name) => self.member(name, member, name.at),
            _ => RawName {
                head: RawHead::Value(Some(self.arena.alloc(object))),
                path: self.arena.alloc_slice_copy(&[member]),
                at: 0,
            },
        }
    }

    /// Returns the name of a callee: that of an expression, or the call of what an index selects.
    pub(super) fn of_callee(&mut self, callee: &Expression<'a>) -> Option<RawName<'a>> {
        // A cast does not change what is called.
        let callee = value_of(callee);
        if let Some(name) = self.of_expression(callee) {
            return Some(self.narrowed(name));
        }
        let (selected, at) = match callee {
            Expression::ComputedMemberExpression(member) => {
                (self.indexed(member, HINT_DEPTH)?, member.span.start)
            }
            // `f()()`
            Expression::CallExpression(call) => (self.returned(call, HINT_DEPTH)?, call.span.end - 1),
            _ => return None,
        };
        Some(RawName { at, ..self.name_in(selected, TypeHint::CALL) })
    }

    /// Returns the hint of the result of calling a value.
    pub(super) fn result_of(&mut self, function: RawHint<'a>) -> RawHint<'a> {
        match function {
            RawHint::Function(_, result) => *result,
            _ => RawHint::Result(self.name_in(function, TypeHint::CALL)),
        }
    }

    fn array(&mut self, at: u32, element: Option<RawHint<'a>>) -> RawHint<'a> {
        let name = RawName { head: RawHead::Free, path: &["Array"], at };
        match element {
            Some(element) => RawHint::Generic(name, self.arena.alloc_slice_copy(&[element])),
            None => RawHint::Named(name),
        }
    }

    /// Returns the hints of several nodes, `Unknown` where there is none.
    fn parts<T>(
        &mut self,
        nodes: impl Iterator<Item = T>,
        mut hint: impl FnMut(&mut Self, T) -> Option<RawHint<'a>>,
    ) -> &'a [RawHint<'a>] {
        let hints: Vec<_> =
            nodes.take(MAX_PARTS).map(|node| hint(self, node).unwrap_or(RawHint::Unknown)).collect();
        self.arena.alloc_slice_copy(&hints)
    }
}

/// Combines alternative hints; `None` if all are unknown.
fn one_of<'a>(hints: &'a [RawHint<'a>]) -> Option<RawHint<'a>> {
    match hints {
        [only] => Some(*only).filter(|only| !matches!(only, RawHint::Unknown)),
        hints if hints.iter().all(|hint| matches!(hint, RawHint::Unknown)) => None,
        hints => Some(RawHint::OneOf(hints)),
    }
}
