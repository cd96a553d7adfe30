//! Variables, and the functions, classes and objects declared as their values.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use sscg_core::{ChunkKind, LocalSymbol, Relation, Span, SymbolKind};

use super::callable::Callable;
use super::declare::{NewSymbol, Outer, is_pascal_case, is_short, last_segment};
use super::name::{This, span_of, value_of};
use super::walk::{Level, Walker};
use crate::text::{headline, one_line};

/// Properties shared by the declarators of one statement.
#[derive(Clone, Copy)]
struct Statement<'n> {
    /// `export const` and the like.
    keywords: &'n str,
    kind: SymbolKind,
    /// Set when there is one declarator, which then spans the whole statement.
    is_alone: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn variables(&mut self, variables: &VariableDeclaration<'a>, outer: Outer) {
        let [first, rest @ ..] = variables.declarations.as_slice() else { return };
        let outer = outer.declared(variables.declare);
        let statement = Statement {
            keywords: self.signature(outer.span.start, first.span.start),
            kind: if variables.kind.is_const() { SymbolKind::Constant } else { SymbolKind::Variable },
            is_alone: rest.is_empty(),
        };
        let declared_before = self.facts.symbol_count();
        let mut modules: Vec<&str> = Vec::new();
        for variable in &variables.declarations {
            if variables.kind.is_using() {
                self.note_context_manager(variable);
            }
            match self.bound_require(variable, outer) {
                Some(module) => modules.push(module),
                None => self.variable(variable, outer, statement),
            }
        }
        let is_one = statement.is_alone && first.id.is_binding_identifier() && modules.is_empty();
        if !is_one {
            self.describe_first(declared_before, outer.span.start);
            if self.level == Level::File {
                self.shared_statement(variables, outer.span, statement.kind, &modules);
            }
        }
    }

    /// Adds one root item for a root statement that declares several names or requires modules.
    fn shared_statement(
        &mut self,
        variables: &VariableDeclaration<'a>,
        span: Span,
        kind: SymbolKind,
        modules: &[&str],
    ) {
        let is_import = modules.len() == variables.declarations.len();
        if is_import {
            return self.root_item(ChunkKind::Import, span, headline(&modules.join(", ")));
        }
        let names: Vec<&str> = variables
            .declarations
            .iter()
            .flat_map(|variable| variable.id.get_binding_identifiers())
            .map(|name| name.name.as_str())
            .collect();
        if names.is_empty() {
            self.root_statement(ChunkKind::Expression, span);
        } else {
            self.root_item(ChunkKind::Symbol(kind), span, headline(&names.join(", ")));
        }
    }

    /// Attaches the comment above a statement to the first name that it declares.
    fn describe_first(&mut self, first: LocalSymbol, start: u32) {
        let doc = self.comments.doc(self.comments.attached(start));
        if let Some(doc) = doc.filter(|doc| !doc.is_empty())
            && self.facts.symbol_count() > first
        {
            self.facts.symbol_mut(first).doc.get_or_insert(doc.into());
        }
    }

    /// Records the callee of `using file = open()`, whose result guards the block.
    fn note_context_manager(&mut self, variable: &VariableDeclarator<'a>) {
        let Some(value) = &variable.init else { return };
        let mut value = value_of(value);
        while let Expression::AwaitExpression(promise) = value {
            value = value_of(&promise.argument);
        }
        let name = match value {
            Expression::CallExpression(call) => self.names.of_expression(&call.callee),
            Expression::NewExpression(new) => self.names.of_expression(&new.callee),
            other => self.names.of_expression(other),
        };
        self.note(Relation::UsesContextManager, name);
    }

    fn variable(&mut self, variable: &VariableDeclarator<'a>, outer: Outer, statement: Statement<'_>) {
        let span = if statement.is_alone { outer.span } else { span_of(variable) };
        let mut outer = Outer { span, ..outer };
        let mut aliases = Vec::new();
        let value = variable.init.as_ref().map(|init| self.value_of_variable(init, &mut outer, &mut aliases));
        let BindingPattern::BindingIdentifier(name) = &variable.id else {
            return self.destructured_variables(variable, outer, statement);
        };
        let symbol = self.named_variable(name, variable, value, outer, statement);
        if let Some(symbol) = symbol {
            for alias in aliases {
                self.export_symbol(symbol, alias);
            }
        }
    }

    fn named_variable(
        &mut self,
        name: &BindingIdentifier<'a>,
        variable: &VariableDeclarator<'a>,
        value: Option<&Expression<'a>>,
        outer: Outer,
        statement: Statement<'_>,
    ) -> Option<LocalSymbol> {
        if let Some(value) = value {
            if let Some(callable) = Callable::of(value) {
                self.expect_annotated(variable.type_annotation.as_deref(), Some(value));
                let symbol = self.function_variable(name, variable, callable, outer, statement);
                self.inside(symbol, |walker| walker.note_types_around(value));
                self.callable(symbol, callable, This::Unknown);
                return Some(symbol);
            }
            if let Expression::ClassExpression(class) = value_of(value) {
                let signature = self.value_signature(variable, class.body.span.start, true, statement);
                let signature = Cow::Owned(signature);
                let symbol = self.class_named(class, outer, &name.name, name.span.start, signature);
                self.inside(symbol, |walker| walker.note_types_around(value));
                self.bind(name.symbol_id.get(), symbol);
                return Some(symbol);
            }
        }
        if self.level == Level::Inner {
            self.hint_local(&variable.id, variable.type_annotation.as_deref(), variable.init.as_ref());
            walk::walk_variable_declarator(self, variable);
            return None;
        }
        Some(self.plain_variable(name, variable, value, outer, statement))
    }

    fn function_variable(
        &mut self,
        name: &BindingIdentifier<'a>,
        variable: &VariableDeclarator<'a>,
        callable: Callable<'_, 'a>,
        outer: Outer,
        statement: Statement<'_>,
    ) -> LocalSymbol {
        let annotation = variable.type_annotation.as_deref();
        let is_component = is_pascal_case(&name.name) && annotation.is_some_and(is_component_type);
        let kind = if is_component { SymbolKind::Component } else { SymbolKind::Function };
        let body = callable.body();
        let end = body.map_or(outer.span.end, |body| body.start);
        let signature = self.value_signature(variable, end, true, statement);
        let symbol = self.declare(NewSymbol {
            body,
            modifiers: outer.modifiers | callable.modifiers(),
            type_parameters: self.type_parameters(callable.type_parameters()),
            ..NewSymbol::new(&name.name, kind, outer, name.span.start, signature)
        });
        self.bind(name.symbol_id.get(), symbol);
        if let Some(annotation) = annotation {
            self.inside(symbol, |walker| walker.visit_ts_type_annotation(annotation));
        }
        symbol
    }

    /// Returns the signature `const NAME: Type = value`, up to `end`. For a function or class in a statement with
    /// several declarators, it starts at the name, because the keyword is not part of the declarator.
    fn value_signature(
        &self,
        variable: &VariableDeclarator<'a>,
        end: u32,
        has_body: bool,
        statement: Statement<'_>,
    ) -> String {
        let text = self.signature(variable.span.start, end);
        if has_body && !statement.is_alone {
            text.to_owned()
        } else {
            format!("{} {text}", statement.keywords)
        }
    }

    fn plain_variable(
        &mut self,
        name: &BindingIdentifier<'a>,
        variable: &VariableDeclarator<'a>,
        value: Option<&Expression<'a>>,
        outer: Outer,
        statement: Statement<'_>,
    ) -> LocalSymbol {
        let annotation = variable.type_annotation.as_deref();
        let declared_end = annotation.map_or(name.span.end, |annotation| annotation.span.end);
        let is_shown =
            variable.init.as_ref().is_some_and(|init| is_short(span_of(init).text(self.facts.source())));
        let end = if is_shown { variable.span.end } else { declared_end };
        let signature = self.value_signature(variable, end, false, statement);
        let new = NewSymbol::new(&name.name, statement.kind, outer, name.span.start, signature);
        let symbol = self.declare(new);
        self.bind(name.symbol_id.get(), symbol);
        self.set_value_type(symbol, annotation, value);
        if is_pascal_case(&name.name)
            && let Some(Callable::Function(function)) = value.and_then(wrapped_function)
        {
            self.bind(function.id.as_ref().and_then(|id| id.symbol_id.get()), symbol);
        }
        let around = std::mem::replace(&mut self.saw_jsx, false);
        self.inside(symbol, |walker| {
            if let Some(annotation) = annotation {
                walker.visit_ts_type_annotation(annotation);
            }
            if let Some(value) = value {
                walker.value(symbol, value);
            }
        });
        if is_pascal_case(&name.name)
            && let Some(value) = value
            && let Some(wrapped) = wrapped_component(value, self.saw_jsx)
        {
            let body = wrapped.and_then(Callable::body);
            let end = body.map_or(end, |body| body.start);
            let signature = self.value_signature(variable, end, body.is_some(), statement);
            let symbol = self.facts.symbol_mut(symbol);
            symbol.kind = SymbolKind::Component;
            symbol.body = body;
            symbol.signature = one_line(&signature).into();
        }
        self.saw_jsx |= around;
        symbol
    }

    /// Walks the value of a declaration; the functions of an object become its members.
    pub(super) fn value(&mut self, symbol: LocalSymbol, value: &Expression<'a>) {
        match value_of(value) {
            Expression::ObjectExpression(object) => {
                self.note_types_around(value);
                self.object_members(symbol, object);
            }
            _ => self.visit_expression(value),
        }
    }

    /// Declares each name of a pattern; references in the pattern and its value belong to the first.
    fn destructured_variables(
        &mut self,
        variable: &VariableDeclarator<'a>,
        outer: Outer,
        statement: Statement<'_>,
    ) {
        if self.level == Level::Inner {
            self.hint_local(&variable.id, variable.type_annotation.as_deref(), variable.init.as_ref());
            return walk::walk_variable_declarator(self, variable);
        }
        let mut first = None;
        for name in variable.id.get_binding_identifiers() {
            let signature = format!("{} {}", statement.keywords, name.name);
            let new = NewSymbol::new(&name.name, statement.kind, outer, name.span.start, signature);
            let symbol = self.declare(new);
            self.bind(name.symbol_id.get(), symbol);
            first.get_or_insert(symbol);
        }
        match first {
            Some(first) => self.inside(first, |walker| walk::walk_variable_declarator(walker, variable)),
            None => walk::walk_variable_declarator(self, variable),
        }
    }
}

/// Returns the function passed to the calls that create a value.
fn wrapped_function<'e, 'a>(mut value: &'e Expression<'a>) -> Option<Callable<'e, 'a>> {
    while let Expression::CallExpression(call) = value_of(value) {
        value = call.arguments.first()?.as_expression()?;
        if let Some(callable) = Callable::of(value) {
            return Some(callable);
        }
    }
    None
}

/// Returns the function in a value that wraps a component, as `memo(forwardRef((props) => ...))` and
/// `lazy(() => import("./page"))` do; `Some(None)` if it contains no function to show, `None` if it is not a component.
fn wrapped_component<'e, 'a>(value: &'e Expression<'a>, has_jsx: bool) -> Option<Option<Callable<'e, 'a>>> {
    let mut value = value_of(value);
    let mut is_component = false;
    while let Expression::CallExpression(call) = value {
        match last_segment(&call.callee) {
            Some("lazy") => return Some(None),
            Some("memo" | "forwardRef") => is_component = true,
            _ => {}
        }
        let Some(argument) = call.arguments.first().and_then(Argument::as_expression) else { break };
        if let Some(callable) = Callable::of(argument) {
            return (is_component || has_jsx).then_some(Some(callable));
        }
        value = value_of(argument);
    }
    is_component.then_some(None)
}

/// True if a type is one of React's function component types.
fn is_component_type(annotation: &TSTypeAnnotation<'_>) -> bool {
    let TSType::TSTypeReference(reference) = &annotation.type_annotation else { return false };
    let name = match &reference.type_name {
        TSTypeName::IdentifierReference(name) => name.name.as_str(),
        TSTypeName::QualifiedName(name) => name.right.name.as_str(),
        TSTypeName::ThisExpression(_) => return false,
    };
    matches!(name, "FC" | "FunctionComponent" | "VFC")
}
