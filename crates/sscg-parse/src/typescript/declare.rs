//! Declarations: functions, classes, variables and the types of TypeScript.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;
use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind};

use super::name::{Binding, RawHint, RawName, span_of, unwrap};
use super::walk::{Level, Walker};
use crate::builder::Declaration as NewDeclaration;

/// The statement around a declaration.
#[derive(Clone, Copy)]
pub(super) struct Outer {
    pub(super) span: Span,
    pub(super) exported: bool,
    pub(super) modifiers: Modifiers,
}

impl Outer {
    /// A statement that exports nothing.
    pub(super) fn plain(statement: &impl GetSpan) -> Self {
        Self { span: span_of(statement), exported: false, modifiers: Modifiers::empty() }
    }

    /// `export` before the declaration.
    pub(super) fn export(statement: &impl GetSpan) -> Self {
        Self { exported: true, ..Self::plain(statement) }
    }

    /// `export default` before the declaration.
    pub(super) fn default_export(statement: &impl GetSpan) -> Self {
        Self { modifiers: Modifiers::DEFAULT, ..Self::export(statement) }
    }
}

/// A declaration about to get its symbol.
pub(super) struct NewSymbol<'n> {
    pub(super) name: &'n str,
    pub(super) kind: SymbolKind,
    /// All of it but the comments above.
    pub(super) span: Span,
    pub(super) name_at: u32,
    pub(super) body: Option<Span>,
    pub(super) signature: Cow<'n, str>,
    pub(super) exported: bool,
    pub(super) modifiers: Modifiers,
}

/// A function or an arrow function.
#[derive(Clone, Copy)]
pub(super) enum Callable<'e, 'a> {
    Function(&'e Function<'a>),
    Arrow(&'e ArrowFunctionExpression<'a>),
}

impl<'e, 'a> Callable<'e, 'a> {
    /// The function that an expression is.
    pub(super) fn of(expression: &'e Expression<'a>) -> Option<Self> {
        match unwrap(expression) {
            Expression::FunctionExpression(function) => Some(Self::Function(function)),
            Expression::ArrowFunctionExpression(arrow) => Some(Self::Arrow(arrow)),
            _ => None,
        }
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

    fn return_type(self) -> Option<&'e TSTypeAnnotation<'a>> {
        match self {
            Self::Function(function) => function.return_type.as_deref(),
            Self::Arrow(arrow) => arrow.return_type.as_deref(),
        }
    }
}

impl<'a> Walker<'a> {
    pub(super) fn declaration(&mut self, declaration: &Declaration<'a>, outer: Outer) {
        if !self.declares() {
            return walk::walk_declaration(self, declaration);
        }
        match declaration {
            Declaration::VariableDeclaration(variables) => self.variables(variables, outer),
            Declaration::FunctionDeclaration(function) => self.function(function, outer),
            Declaration::ClassDeclaration(class) => self.class(class, outer),
            Declaration::TSInterfaceDeclaration(interface) => self.interface(interface, outer),
            Declaration::TSTypeAliasDeclaration(alias) => self.type_alias(alias, outer),
            Declaration::TSEnumDeclaration(declaration) => self.enumeration(declaration, outer),
            Declaration::TSNamespaceDeclaration(namespace) => self.namespace(namespace, outer),
            Declaration::TSExternalModuleDeclaration(module) => {
                let symbol = self.module(&module.id.value, module.id.span, module.body.as_deref(), outer);
                self.module_body(symbol, module.body.as_deref(), true);
            }
            Declaration::TSGlobalDeclaration(global) => {
                let symbol = self.module("global", global.global_span, Some(&global.body), outer);
                self.module_body(symbol, Some(&global.body), true);
            }
            Declaration::TSImportEqualsDeclaration(import) => self.import_equals(import, outer),
        }
    }

    /// Adds a symbol with the comments attached to it.
    pub(super) fn declare(&mut self, new: NewSymbol<'_>) -> LocalSymbol {
        let attached = self.comments.attached(new.span.start);
        let start = attached.first().map_or(new.span.start, |comment| comment.span.start);
        let span = Span::new(start, new.span.end);
        if self.owner.is_none() {
            self.layout.declaration(span);
        }
        self.facts.declare(NewDeclaration {
            name: new.name,
            kind: new.kind,
            parent: self.owner,
            span,
            name_at: new.name_at,
            body: new.body,
            signature: &new.signature,
            doc: self.comments.doc(attached),
            exported: new.exported || (self.ambient && self.level != Level::Inner),
            modifiers: new.modifiers,
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Binds oxc's symbol. Of declarations that share a name (overloads, a merged interface) the first with
    /// a body stands for all.
    pub(super) fn bind(&mut self, symbol: Option<SymbolId>, local: LocalSymbol) {
        let Some(symbol) = symbol else { return };
        // A function that is replaced later is not what its name means everywhere.
        if self.facts.symbol_mut(local).kind.is_callable() && self.names.bindings.is_reassigned(symbol) {
            return;
        }
        if let Binding::Symbol(known) = self.names.bindings.get(symbol)
            && (self.facts.symbol_mut(known).body.is_some() || self.facts.symbol_mut(local).body.is_none())
        {
            return;
        }
        self.names.bindings.set(symbol, Binding::Symbol(local));
    }

    /// The source from `start` to `end` without what only ends a declaration or opens its body.
    pub(super) fn signature(&self, start: u32, end: u32) -> &'a str {
        let text = Span::new(start, end.max(start)).text(self.facts.source()).trim();
        let text = text.strip_suffix("=>").unwrap_or(text);
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | ','))
    }

    pub(super) fn function(&mut self, function: &Function<'a>, outer: Outer) {
        let id = function.id.as_ref();
        let callable = Callable::Function(function);
        let body = callable.body();
        let end = body.map_or(outer.span.end, |body| body.start);
        let symbol = self.declare(NewSymbol {
            name: id.map_or("default", |id| id.name.as_str()),
            kind: SymbolKind::Function,
            span: outer.span,
            name_at: id.map_or(function.span.start, |id| id.span.start),
            body,
            signature: Cow::Borrowed(self.signature(outer.span.start, end)),
            exported: outer.exported,
            modifiers: outer.modifiers | callable.modifiers(),
        });
        self.bind(id.and_then(|id| id.symbol_id.get()), symbol);
        self.callable(symbol, callable, false);
    }

    /// Walks a declared function. `this_is_self` says whether it is a method, for functions that have their
    /// own `this`.
    pub(super) fn callable(&mut self, symbol: LocalSymbol, callable: Callable<'_, 'a>, this_is_self: bool) {
        let around = std::mem::replace(&mut self.saw_jsx, false);
        self.inside(symbol, |walker| match callable {
            Callable::Function(function) => {
                walker.with_this(this_is_self, |walker| {
                    walker.set_return_type(symbol, callable.return_type());
                    walk::walk_function(walker, function, ScopeFlags::Function);
                });
            }
            Callable::Arrow(arrow) => {
                walker.set_return_type(symbol, callable.return_type());
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
        let name = annotation.and_then(|annotation| self.names.of_return_type(&annotation.type_annotation));
        self.types.extend(name.map(|name| (symbol, name)));
    }

    /// Sets the type of a field, constant or variable: as annotated, or the class it is made of.
    pub(super) fn set_value_type(
        &mut self,
        symbol: LocalSymbol,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        let name = match annotation {
            Some(annotation) => self.names.of_type(&annotation.type_annotation),
            None => value.and_then(|value| self.class_of(value)),
        };
        self.types.extend(name.map(|name| (symbol, name)));
    }

    fn class_of(&mut self, value: &Expression<'a>) -> Option<RawName<'a>> {
        match unwrap(value) {
            Expression::NewExpression(new) => self.names.of_expression(&new.callee),
            Expression::TSAsExpression(_) | Expression::TSTypeAssertion(_) => match self.names.hint(value)? {
                RawHint::Named(name) => Some(name),
                RawHint::Result(_) => None,
            },
            _ => None,
        }
    }

    pub(super) fn class(&mut self, class: &Class<'a>, outer: Outer) {
        let name = class.id.as_ref().map_or("default", |id| id.name.as_str());
        let start = after_decorators(&class.decorators, outer.span.start);
        let signature = Cow::Borrowed(self.signature(start, class.body.span.start));
        let name_at = class.id.as_ref().map_or(start, |id| id.span.start);
        self.class_named(class, outer, name, name_at, signature);
    }

    /// Declares a class under a name that it need not have itself.
    pub(super) fn class_named(
        &mut self,
        class: &Class<'a>,
        outer: Outer,
        name: &str,
        name_at: u32,
        signature: Cow<'_, str>,
    ) -> LocalSymbol {
        let start = class.decorators.first().map_or(outer.span.start, |first| first.span.start);
        let mut modifiers = outer.modifiers;
        modifiers.set(Modifiers::ABSTRACT, class.r#abstract);
        let symbol = self.declare(NewSymbol {
            name,
            kind: if is_component_class(class) { SymbolKind::Component } else { SymbolKind::Class },
            span: Span::new(start.min(outer.span.start), outer.span.end),
            name_at,
            body: Some(span_of(&*class.body)),
            signature,
            exported: outer.exported,
            modifiers,
        });
        self.bind(class.id.as_ref().and_then(|id| id.symbol_id.get()), symbol);
        self.inside(symbol, |walker| {
            walker.with_this(true, |walker| {
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
                for element in &class.body.body {
                    walker.class_element(symbol, element);
                }
            });
        });
        symbol
    }

    pub(super) fn interface(&mut self, interface: &TSInterfaceDeclaration<'a>, outer: Outer) {
        let symbol = self.declare(NewSymbol {
            name: &interface.id.name,
            kind: SymbolKind::Interface,
            span: outer.span,
            name_at: interface.id.span.start,
            body: Some(span_of(&*interface.body)),
            signature: Cow::Borrowed(self.signature(outer.span.start, interface.body.span.start)),
            exported: outer.exported,
            modifiers: outer.modifiers,
        });
        self.bind(interface.id.symbol_id.get(), symbol);
        self.inside(symbol, |walker| {
            walker.with_this(true, |walker| {
                if let Some(parameters) = &interface.type_parameters {
                    walker.visit_ts_type_parameter_declaration(parameters);
                }
                walker.visit_ts_interface_heritages(&interface.extends);
                for member in &interface.body.body {
                    walker.interface_member(symbol, member);
                }
            });
        });
    }

    fn type_alias(&mut self, alias: &TSTypeAliasDeclaration<'a>, outer: Outer) {
        let whole = self.signature(outer.span.start, outer.span.end);
        let signature = if is_short(whole) {
            whole
        } else {
            let end =
                alias.type_parameters.as_ref().map_or(alias.id.span.end, |parameters| parameters.span.end);
            self.signature(outer.span.start, end)
        };
        let symbol = self.declare(NewSymbol {
            name: &alias.id.name,
            kind: SymbolKind::TypeAlias,
            span: outer.span,
            name_at: alias.id.span.start,
            body: None,
            signature: Cow::Borrowed(signature),
            exported: outer.exported,
            modifiers: outer.modifiers,
        });
        self.bind(alias.id.symbol_id.get(), symbol);
        if let Some(name) = self.names.of_type(&alias.type_annotation) {
            self.types.push((symbol, name));
        }
        self.inside(symbol, |walker| walk::walk_ts_type_alias_declaration(walker, alias));
    }

    fn enumeration(&mut self, declaration: &TSEnumDeclaration<'a>, outer: Outer) {
        let mut modifiers = outer.modifiers;
        modifiers.set(Modifiers::CONST, declaration.r#const);
        let symbol = self.declare(NewSymbol {
            name: &declaration.id.name,
            kind: SymbolKind::Enum,
            span: outer.span,
            name_at: declaration.id.span.start,
            body: Some(span_of(&declaration.body)),
            signature: Cow::Borrowed(self.signature(outer.span.start, declaration.body.span.start)),
            exported: outer.exported,
            modifiers,
        });
        self.bind(declaration.id.symbol_id.get(), symbol);
        self.inside(symbol, |walker| {
            for member in &declaration.body.members {
                walker.enum_member(symbol, member);
            }
        });
    }

    fn namespace(&mut self, namespace: &TSNamespaceDeclaration<'a>, outer: Outer) {
        // `namespace A.B {}` is one declaration of the name `A.B`.
        let mut innermost = namespace;
        let body = loop {
            match &innermost.body {
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => innermost = inner,
                TSNamespaceDeclarationBody::TSModuleBlock(block) => break block,
            }
        };
        let name_span = oxc_span::Span::new(namespace.id.span.start, innermost.id.span.end);
        let symbol = self.module(self.names.text(name_span), name_span, Some(body), outer);
        self.bind(namespace.id.symbol_id.get(), symbol);
        self.module_body(symbol, Some(body), namespace.declare || self.ambient);
    }

    fn module(
        &mut self,
        name: &str,
        name_span: oxc_span::Span,
        body: Option<&TSModuleBlock<'a>>,
        outer: Outer,
    ) -> LocalSymbol {
        let body = body.map(span_of);
        let end = body.map_or(outer.span.end, |body| body.start);
        self.declare(NewSymbol {
            name,
            kind: SymbolKind::Module,
            span: outer.span,
            name_at: name_span.start,
            body,
            signature: Cow::Borrowed(self.signature(outer.span.start, end)),
            exported: outer.exported,
            modifiers: outer.modifiers,
        })
    }

    fn module_body(&mut self, symbol: LocalSymbol, body: Option<&TSModuleBlock<'a>>, is_ambient: bool) {
        let Some(body) = body else { return };
        self.inside(symbol, |walker| {
            let ambient = std::mem::replace(&mut walker.ambient, is_ambient || walker.is_definition_file);
            walker.level = Level::Namespace;
            walker.visit_statements(&body.body);
            walker.ambient = ambient;
        });
    }
}

/// Where a declaration's own text starts.
pub(super) fn after_decorators(decorators: &[Decorator<'_>], start: u32) -> u32 {
    decorators.last().map_or(start, |last| last.span.end.max(start))
}

/// Whether a value is short enough to stand in a signature.
pub(super) fn is_short(code: &str) -> bool {
    code.len() <= 60 && !code.contains('\n')
}

pub(super) fn is_pascal_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}

fn is_component_class(class: &Class<'_>) -> bool {
    let parent = match class.heritage.as_ref().map(|heritage| &heritage.expression) {
        Some(Expression::Identifier(identifier)) => identifier.name.as_str(),
        Some(Expression::StaticMemberExpression(member)) => member.property.name.as_str(),
        _ => return false,
    };
    matches!(parent, "Component" | "PureComponent")
}
