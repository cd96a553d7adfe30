//! Functions and arrow functions.

use oxc_ast::ast::*;
use sscg_core::{Modifiers, Span};

use super::name::{span_of, unwrap, value_of};

/// Function or arrow function.
#[derive(Clone, Copy)]
pub(super) enum Callable<'e, 'a> {
    Function(&'e Function<'a>),
    Arrow(&'e ArrowFunctionExpression<'a>),
}

impl<'e, 'a> Callable<'e, 'a> {
    /// Returns the function that a value consists of.
    pub(super) fn of(value: &'e Expression<'a>) -> Option<Self> {
        match value_of(value) {
            Expression::FunctionExpression(function) => Some(Self::Function(function)),
            Expression::ArrowFunctionExpression(arrow) => Some(Self::Arrow(arrow)),
            _ => None,
        }
    }

    pub(super) fn span(self) -> Span {
        match self {
            Self::Function(function) => span_of(function),
            Self::Arrow(arrow) => span_of(arrow),
        }
    }

    /// Returns the byte offset of the function.
    pub(super) fn start(self) -> u32 {
        self.span().start
    }

    pub(super) fn body(self) -> Option<Span> {
        match self {
            Self::Function(function) => function.body.as_deref().map(span_of),
            Self::Arrow(arrow) => Some(span_of(&arrow.body)),
        }
    }

    pub(super) fn modifiers(self) -> Modifiers {
        let (is_async, is_generator) = match self {
            Self::Function(function) => (function.r#async, function.generator),
            Self::Arrow(arrow) => (arrow.r#async, false),
        };
        let mut modifiers = Modifiers::empty();
        modifiers.set(Modifiers::ASYNC, is_async);
        modifiers.set(Modifiers::GENERATOR, is_generator);
        modifiers
    }

    pub(super) fn type_parameters(self) -> Option<&'e TSTypeParameterDeclaration<'a>> {
        match self {
            Self::Function(function) => function.type_parameters.as_deref(),
            Self::Arrow(arrow) => arrow.type_parameters.as_deref(),
        }
    }

    pub(super) fn return_type(self) -> Option<&'e TSTypeAnnotation<'a>> {
        match self {
            Self::Function(function) => function.return_type.as_deref(),
            Self::Arrow(arrow) => arrow.return_type.as_deref(),
        }
    }

    pub(super) fn parameters(self) -> &'e FormalParameters<'a> {
        match self {
            Self::Function(function) => &function.params,
            Self::Arrow(arrow) => &arrow.params,
        }
    }

    /// Returns the results of the function: its expression body, or the values of its top-level `return` statements.
    pub(super) fn results(self) -> impl Iterator<Item = &'e Expression<'a>> {
        let (expression, statements) = match self {
            Self::Function(function) => (None, function.body.as_ref().map(|body| &body.statements)),
            Self::Arrow(arrow) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => (None, Some(&body.statements)),
                expression => (expression.as_expression(), None),
            },
        };
        let returned = statements.into_iter().flatten().filter_map(|statement| match statement {
            Statement::ReturnStatement(statement) => statement.argument.as_ref(),
            _ => None,
        });
        expression.into_iter().chain(returned).map(unwrap)
    }
}
