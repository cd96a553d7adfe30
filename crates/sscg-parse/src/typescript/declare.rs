//! Declarations: shared parts, functions, and classes.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;
use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind, TypeParameter};

use super::callable::Callable;
use super::member::holds_functions;
use super::name::{Binding, RawHint, This, span_of, unwrap, value_of};
use super::walk::{Level, Walker};
use crate::builder::Declaration as NewDeclaration;
use crate::text::{one_line, without_line_comments};

/// Statement around a declaration.
#[derive(Clone, Copy)]
pub(super) struct Outer {
    pub(super) span: Span,
    pub(super) exported: bool,
    pub(super) modifiers: Modifiers,
}

impl Outer {
    /// Returns a statement without exports.
    pub(super) fn plain(statement: &impl GetSpan) -> Self {
        Self { span: span_of(statement), exported: false, modifiers: Modifiers::empty() }
    }

    /// Returns a statement with `export` before the declaration.
    pub(super) fn export(statement: &impl GetSpan) -> Self {
        Self { exported: true, ..Self::plain(statement) }
    }

    /// Returns a statement with `export default` before the declaration.
    pub(super) fn default_export(statement: &impl GetSpan) -> Self {
        Self { modifiers: Modifiers::DEFAULT, ..Self::export(statement) }
    }

    /// Sets the `declare` modifier to `is_declared`.
    pub(super) fn declared(mut self, is_declared: bool) -> Self {
        self.modifiers.set(Modifiers::DECLARE, is_declared);
        self
    }
}

/// Declaration before it has a symbol.
pub(super) struct NewSymbol<'n> {
    pub(super) name: &'n str,
    pub(super) kind: SymbolKind,
    /// Whole declaration without the comments above it.
    pub(super) span: Span,
    pub(super) name_at: u32,
    pub(super) body: Option<Span>,
    pub(super) signature: Cow<'n, str>,
    pub(super) exported: bool,
    pub(super) modifiers: Modifiers,
    pub(super) type_parameters: Vec<TypeParameter>,
    pub(super) attributes: Vec<Span>,
}

impl<'n> NewSymbol<'n> {
    /// Creates the declaration of a statement, without body, type parameters and decorators.
    pub(super) fn new(
        name: &'n str,
        kind: SymbolKind,
        outer: Outer,
        name_at: u32,
        signature: impl Into<Cow<'n, str>>,
    ) -> Self {
        Self {
            name,
            kind,
            span: outer.span,
            name_at,
            body: None,
            signature: signature.into(),
            exported: outer.exported,
            modifiers: outer.modifiers,
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        }
    }
}

impl<'a> Walker<'a> {
    pub(super) fn declaration(&mut self, declaration: &Declaration<'a>, outer: Outer) {
        match declaration {
            Declaration::VariableDeclaration(variables) => self.variables(variables, outer),
            Declaration::FunctionDeclaration(function) => self.function(function, outer),
            Declaration::ClassDeclaration(class) => self.class_declaration(class, outer),
            Declaration::TSInterfaceDeclaration(interface) => self.interface(interface, outer),
            Declaration::TSTypeAliasDeclaration(alias) => self.type_alias(alias, outer),
            Declaration::TSEnumDeclaration(declaration) => self.enumeration(declaration, outer),
            Declaration::TSNamespaceDeclaration(namespace) => self.namespace(namespace, outer),
            Declaration::TSExternalModuleDeclaration(module) => self.external_module(module, outer),
            Declaration::TSGlobalDeclaration(global) => self.global_augmentation(global, outer),
            Declaration::TSImportEqualsDeclaration(import) => self.import_equals(import, outer),
        }
    }

    /// Adds a symbol with the comments attached to it.
    pub(super) fn declare(&mut self, new: NewSymbol<'_>) -> LocalSymbol {
        let attached = self.comments.attached(new.span.start);
        let start = attached.first().map_or(new.span.start, |comment| comment.span.start);
        let span = Span::new(start, new.span.end);
        if self.owner.is_none() {
            self.roots.push(span);
        }
        let symbol = self.facts.declare(NewDeclaration {
            name: new.name,
            kind: new.kind,
            parent: self.owner,
            span,
            name_at: new.name_at,
            body: new.body,
            signature: &without_line_comments(&new.signature, b"\"'`"),
            doc: self.comments.doc(attached),
            exported: new.exported || (self.ambient && self.level != Level::Inner),
            modifiers: new.modifiers,
            type_parameters: new.type_parameters,
            attributes: new.attributes,
        });
        self.declared.names.insert(new.name_at, symbol);
        symbol
    }

    /// Binds oxc's symbol. If several declarations share a name (overloads, a merged interface), the first with a body
    /// represents all.
    pub(super) fn bind(&mut self, symbol: Option<SymbolId>, local: LocalSymbol) {
        let Some(symbol) = symbol else { return };
        let is_callable = self.facts.symbol(local).kind.is_callable();
        if is_callable && self.names.bindings.is_reassigned(symbol) {
            self.facts.symbol_mut(local).modifiers |= Modifiers::REASSIGNED;
        }
        if let Binding::Symbol(known) = self.names.bindings.get(symbol) {
            if is_callable && self.facts.symbol(known).kind.is_callable() {
                self.mark_overloads(known, local);
            }
            if self.facts.symbol(known).body.is_some() || self.facts.symbol(local).body.is_none() {
                return;
            }
        }
        self.names.bindings.set(symbol, Binding::Symbol(local));
    }

    /// Marks those of two declarations of one function that have no body as overloads.
    pub(super) fn mark_overloads(&mut self, first: LocalSymbol, second: LocalSymbol) {
        for symbol in [first, second] {
            let symbol = self.facts.symbol_mut(symbol);
            symbol.modifiers.set(Modifiers::OVERLOAD, symbol.body.is_none());
        }
    }

    /// Returns the source from `start` to `end` without the tokens that end a declaration or open its body.
    pub(super) fn signature(&self, start: u32, end: u32) -> &'a str {
        let text = Span::new(start, end.max(start)).text(self.facts.source()).trim();
        let text = text.strip_suffix("=>").unwrap_or(text);
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | ','))
    }

    pub(super) fn type_parameters(
        &self,
        parameters: Option<&TSTypeParameterDeclaration<'a>>,
    ) -> Vec<TypeParameter> {
        let text = |ty: &TSType<'a>| one_line(self.names.text(ty.span())).into();
        let parameters = parameters.map_or(&[][..], |parameters| &parameters.params);
        let parameters = parameters.iter().map(|parameter| TypeParameter {
            name: parameter.name.name.as_str().into(),
            constraint: parameter.constraint.as_ref().map(text),
            default: parameter.default.as_ref().map(text),
        });
        parameters.collect()
    }

    pub(super) fn function(&mut self, function: &Function<'a>, outer: Outer) {
        let id = function.id.as_ref();
        let callable = Callable::Function(function);
        let body = callable.body();
        let end = body.map_or(outer.span.end, |body| body.start);
        let outer = outer.declared(function.declare);
        let symbol = self.declare(NewSymbol {
            body,
            modifiers: outer.modifiers | callable.modifiers(),
            type_parameters: self.type_parameters(callable.type_parameters()),
            ..NewSymbol::new(
                id.map_or("default", |id| id.name.as_str()),
                SymbolKind::Function,
                outer,
                id.map_or(function.span.start, |id| id.span.start),
                self.signature(outer.span.start, end),
            )
        });
        self.callable(symbol, callable, This::Unknown);
    }

    /// Walks a declared function, whose own name, if any, is visible inside it. `this` applies to functions that have
    /// their own `this` and do not declare its type.
    pub(super) fn callable(&mut self, symbol: LocalSymbol, callable: Callable<'_, 'a>, this: This<'a>) {
        self.declared.functions.insert(callable.start(), symbol);
        let around = std::mem::replace(&mut self.saw_jsx, false);
        if let Callable::Function(function) = callable {
            self.bind(function.id.as_ref().and_then(|id| id.symbol_id.get()), symbol);
        }
        self.inside(symbol, |walker| match callable {
            Callable::Function(function) => {
                walker.with_this_of(function, this, |walker| {
                    walker.set_function_type(symbol, callable);
                    walk::walk_function(walker, function, ScopeFlags::Function);
                });
            }
            Callable::Arrow(arrow) => {
                walker.set_function_type(symbol, callable);
                walk::walk_arrow_function_expression(walker, arrow);
            }
        });
        if self.saw_jsx {
            let symbol = self.facts.symbol_mut(symbol);
            if symbol.kind == SymbolKind::Function && is_pascal_case(&symbol.name) {
                symbol.kind = SymbolKind::Component;
            }
        }
        self.saw_jsx |= around;
    }

    pub(super) fn set_return_type(&mut self, symbol: LocalSymbol, annotation: Option<&TSTypeAnnotation<'a>>) {
        let hint = annotation.and_then(|annotation| self.names.of_type(&annotation.type_annotation));
        self.types.extend(hint.map(|hint| (symbol, hint)));
    }

    /// Sets the parameter and return types of a function. A missing return type is taken from a returned expression.
    fn set_function_type(&mut self, symbol: LocalSymbol, callable: Callable<'_, 'a>) {
        self.set_parameters(symbol, callable.parameters());
        if let Some(annotation) = callable.return_type() {
            self.set_return_type(symbol, Some(annotation));
            if let Some(expected) = self.names.of_type(&annotation.type_annotation) {
                self.expect_results(callable, expected);
            }
        } else if let Some(result) = callable.results().last() {
            let hint = self.names.hint(result);
            self.types.extend(hint.map(|hint| (symbol, hint)));
        }
    }

    pub(super) fn set_parameters(&mut self, symbol: LocalSymbol, parameters: &FormalParameters<'a>) {
        let hints = self.names.of_parameters(parameters);
        if hints.iter().any(|hint| !matches!(hint, RawHint::Unknown)) {
            self.parameters.push((symbol, hints));
        }
    }

    /// Sets the type of a field, constant or variable: its annotation, or the type of its value.
    pub(super) fn set_value_type(
        &mut self,
        symbol: LocalSymbol,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        let hint = match annotation {
            Some(annotation) => self.names.of_type(&annotation.type_annotation),
            None => value.and_then(|value| match value_of(value) {
                // The members of an object with functions are symbols of their own.
                Expression::ObjectExpression(object) if holds_functions(object) => {
                    self.names.shorthands(object)
                }
                _ => self.names.hint(value),
            }),
        };
        if let (Some(_), Some(hint), Some(value)) = (annotation, hint, value) {
            self.expect(value, hint);
        }
        self.types.extend(hint.map(|hint| (symbol, hint)));
    }

    pub(super) fn class_declaration(&mut self, class: &Class<'a>, outer: Outer) {
        self.class(class, class.id.as_ref().map_or("default", |id| id.name.as_str()), outer);
    }

    /// Declares a class under its own name, or under `name` if it has none.
    pub(super) fn class(&mut self, class: &Class<'a>, name: &str, outer: Outer) {
        let start = after_decorators(&class.decorators, outer.span.start);
        let signature = Cow::Borrowed(self.signature(start, class.body.span.start));
        let name_at = class.id.as_ref().map_or(start, |id| id.span.start);
        self.class_named(class, outer, name, name_at, signature);
    }

    /// Declares a class under a name that may differ from its own.
    pub(super) fn class_named(
        &mut self,
        class: &Class<'a>,
        outer: Outer,
        name: &str,
        name_at: u32,
        signature: Cow<'_, str>,
    ) -> LocalSymbol {
        let start = class.decorators.first().map_or(outer.span.start, |first| first.span.start);
        let span = Span::new(start.min(outer.span.start), outer.span.end);
        let mut outer = Outer { span, ..outer }.declared(class.declare);
        outer.modifiers.set(Modifiers::ABSTRACT, class.r#abstract);
        let kind = if is_component_class(class) { SymbolKind::Component } else { SymbolKind::Class };
        let symbol = self.declare(NewSymbol {
            body: Some(span_of(&*class.body)),
            type_parameters: self.type_parameters(class.type_parameters.as_deref()),
            attributes: class.decorators.iter().map(span_of).collect(),
            ..NewSymbol::new(name, kind, outer, name_at, signature)
        });
        self.bind(class.id.as_ref().and_then(|id| id.symbol_id.get()), symbol);
        let interfaces = class.implements.iter();
        self.set_derived_bases(symbol, interfaces.map(|it| (&it.expression, it.type_arguments.as_deref())));
        let around = std::mem::replace(&mut self.saw_jsx, false);
        self.inside(symbol, |walker| {
            walker.with_this(This::Own, |walker| {
                walker.visit_decorators(&class.decorators);
                if let Some(parameters) = &class.type_parameters {
                    walker.visit_ts_type_parameter_declaration(parameters);
                }
                if let Some(heritage) = &class.heritage {
                    walker.note_expression(Relation::Inherits, &heritage.expression);
                    if let Some(arguments) = &heritage.type_arguments {
                        walker.visit_ts_type_parameter_instantiation(arguments);
                    }
                }
                walker.visit_ts_class_implements_list(&class.implements);
                walker.class_body(symbol, &class.body);
            });
        });
        if self.saw_jsx && class.heritage.is_some() && has_render(class) {
            self.facts.symbol_mut(symbol).kind = SymbolKind::Component;
        }
        self.saw_jsx |= around;
        symbol
    }
}

/// Returns the start of a declaration's own text, after its decorators.
pub(super) fn after_decorators(decorators: &[Decorator<'_>], start: u32) -> u32 {
    decorators.last().map_or(start, |last| last.span.end.max(start))
}

/// True if a value is short enough for a signature.
pub(super) fn is_short(code: &str) -> bool {
    code.len() <= 60 && !code.contains('\n')
}

pub(super) fn is_pascal_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}

fn is_component_class(class: &Class<'_>) -> bool {
    let parent = class.heritage.as_ref().and_then(|heritage| last_segment(&heritage.expression));
    matches!(parent, Some("Component" | "PureComponent"))
}

/// True if a class has the method that React calls to render it.
fn has_render(class: &Class<'_>) -> bool {
    class.body.body.iter().any(|element| match element {
        ClassElement::MethodDefinition(method) => method.key.is_specific_static_name("render"),
        _ => false,
    })
}

/// Returns the last segment of a plain name: `memo` for `React.memo`.
pub(super) fn last_segment<'a>(name: &Expression<'a>) -> Option<&'a str> {
    match unwrap(name) {
        Expression::Identifier(identifier) => Some(identifier.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        _ => None,
    }
}
