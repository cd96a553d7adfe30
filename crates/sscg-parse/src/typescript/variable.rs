//! Variables, and the functions, classes and objects that are declared as a variable's value.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use sscg_core::{ChunkKind, LocalSymbol, Span, SymbolKind};

use super::declare::{Callable, NewSymbol, Outer, is_pascal_case, is_short};
use super::name::{span_of, unwrap};
use super::walk::{Level, Walker};

impl<'a> Walker<'a> {
    pub(super) fn variables(&mut self, variables: &VariableDeclaration<'a>, outer: Outer) {
        let Some(first) = variables.declarations.first() else { return };
        let last = variables.declarations.len() - 1;
        let keywords = self.signature(outer.span.start, first.span.start);
        for (index, variable) in variables.declarations.iter().enumerate() {
            let start = if index == 0 { outer.span.start } else { variable.span.start };
            let end = if index == last { outer.span.end } else { variable.span.end };
            let part = Outer { span: Span::new(start, end), ..outer };
            self.variable(variable, part, keywords, variables.kind.is_const());
        }
    }

    fn variable(&mut self, variable: &VariableDeclarator<'a>, outer: Outer, keywords: &str, is_const: bool) {
        if let Some(module) = self.bound_require(variable, outer) {
            if self.level == Level::File {
                self.layout.statement(ChunkKind::Import, outer.span, module.to_owned());
            }
            return;
        }
        let mut outer = outer;
        let value = variable.init.as_ref().map(|init| self.value_of_variable(init, &mut outer));
        let name = match &variable.id {
            BindingPattern::BindingIdentifier(name) => Some(&**name),
            _ => None,
        };
        if let (Some(name), Some(value), true) = (name, value, self.declares()) {
            if let Some(callable) = Callable::of(value) {
                let symbol = self.function_variable(name, variable, callable, outer, keywords);
                return self.callable(symbol, callable, false);
            }
            if let Expression::ClassExpression(class) = unwrap(value) {
                let signature = self.value_signature(keywords, variable, class.body.span.start);
                let symbol =
                    self.class_named(class, outer, &name.name, name.span.start, Cow::Owned(signature));
                return self.bind(name.symbol_id.get(), symbol);
            }
        }
        if self.level == Level::Inner {
            self.hint_local(&variable.id, variable.type_annotation.as_deref(), variable.init.as_ref());
            return walk::walk_variable_declarator(self, variable);
        }
        let kind = if is_const { SymbolKind::Constant } else { SymbolKind::Variable };
        match name {
            Some(name) => self.plain_variable(name, variable, value, outer, keywords, kind),
            None => self.destructured_variables(variable, outer, keywords, kind),
        }
    }

    fn function_variable(
        &mut self,
        name: &BindingIdentifier<'a>,
        variable: &VariableDeclarator<'a>,
        callable: Callable<'_, 'a>,
        outer: Outer,
        keywords: &str,
    ) -> LocalSymbol {
        let body = callable.body();
        let end = body.map_or(outer.span.end, |body| body.start);
        let signature = self.value_signature(keywords, variable, end);
        let symbol = self.declare(NewSymbol {
            name: &name.name,
            kind: SymbolKind::Function,
            span: outer.span,
            name_at: name.span.start,
            body,
            signature: Cow::Owned(signature),
            exported: outer.exported,
            modifiers: outer.modifiers | callable.modifiers(),
        });
        self.bind(name.symbol_id.get(), symbol);
        if let Some(annotation) = &variable.type_annotation {
            self.inside(symbol, |walker| walker.visit_ts_type_annotation(annotation));
        }
        symbol
    }

    /// `const NAME: Type = value`, up to `end`.
    fn value_signature(&self, keywords: &str, variable: &VariableDeclarator<'a>, end: u32) -> String {
        format!("{keywords} {}", self.signature(variable.span.start, end))
    }

    fn plain_variable(
        &mut self,
        name: &BindingIdentifier<'a>,
        variable: &VariableDeclarator<'a>,
        value: Option<&Expression<'a>>,
        outer: Outer,
        keywords: &str,
        kind: SymbolKind,
    ) {
        let annotation = variable.type_annotation.as_deref();
        let declared_end = annotation.map_or(name.span.end, |annotation| annotation.span.end);
        let is_shown =
            variable.init.as_ref().is_some_and(|init| is_short(span_of(init).text(self.facts.source())));
        let end = if is_shown { variable.span.end } else { declared_end };
        let symbol = self.declare(NewSymbol {
            name: &name.name,
            kind,
            span: outer.span,
            name_at: name.span.start,
            body: None,
            signature: Cow::Owned(self.value_signature(keywords, variable, end)),
            exported: outer.exported,
            modifiers: outer.modifiers,
        });
        self.bind(name.symbol_id.get(), symbol);
        self.set_value_type(symbol, annotation, value);
        let around = std::mem::replace(&mut self.saw_jsx, false);
        self.inside(symbol, |walker| {
            if let Some(annotation) = annotation {
                walker.visit_ts_type_annotation(annotation);
            }
            if let Some(value) = value {
                walker.value(symbol, value);
            }
        });
        if self.saw_jsx
            && let Some(callable) = value.and_then(wrapped_function)
            && is_pascal_case(&name.name)
        {
            let body = callable.body();
            let end = body.map_or(end, |body| body.start);
            let signature = crate::text::one_line(&self.value_signature(keywords, variable, end));
            let symbol = self.facts.symbol_mut(symbol);
            symbol.kind = SymbolKind::Component;
            symbol.body = body;
            symbol.signature = signature.into();
        }
        self.saw_jsx |= around;
    }

    /// Walks the value of a declaration: an object's functions are members of it.
    pub(super) fn value(&mut self, symbol: LocalSymbol, value: &Expression<'a>) {
        match unwrap(value) {
            Expression::ObjectExpression(object) => self.object_members(symbol, object),
            Expression::TSAsExpression(cast) => {
                self.value(symbol, &cast.expression);
                self.visit_ts_type(&cast.type_annotation);
            }
            other => self.visit_expression(other),
        }
    }

    /// Declares each name of a pattern. They share one statement, so each takes the part of it that ends with
    /// its name, and the last one the rest.
    fn destructured_variables(
        &mut self,
        variable: &VariableDeclarator<'a>,
        outer: Outer,
        keywords: &str,
        kind: SymbolKind,
    ) {
        let names = variable.id.get_binding_identifiers();
        let mut start = outer.span.start;
        for (index, name) in names.iter().enumerate() {
            let is_last = index + 1 == names.len();
            let end = if is_last { outer.span.end } else { name.span.end };
            let symbol = self.declare(NewSymbol {
                name: &name.name,
                kind,
                span: Span::new(start, end),
                name_at: name.span.start,
                body: None,
                signature: Cow::Owned(format!("{keywords} {}", name.name)),
                exported: outer.exported,
                modifiers: outer.modifiers,
            });
            self.bind(name.symbol_id.get(), symbol);
            let rest = Span::new(end, outer.span.end).text(self.facts.source());
            start = end
                + (rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len())
                    as u32;
            if is_last {
                self.inside(symbol, |walker| walk::walk_variable_declarator(walker, variable));
            }
        }
        if names.is_empty() {
            let name = crate::text::headline(outer.span.text(self.facts.source()));
            if self.level == Level::File {
                self.layout.statement(ChunkKind::Expression, outer.span, name);
            }
            walk::walk_variable_declarator(self, variable);
        }
    }
}

/// The function that a call wraps, as in `memo(forwardRef((props) => ...))`.
fn wrapped_function<'e, 'a>(value: &'e Expression<'a>) -> Option<Callable<'e, 'a>> {
    let mut value = value;
    while let Expression::CallExpression(call) = unwrap(value) {
        value = call.arguments.first()?.as_expression()?;
        if let Some(callable) = Callable::of(value) {
            return Some(callable);
        }
    }
    None
}
