//! Functions without a name that top-level code passes to calls: handlers of routes, tests, listeners.
//!
//! What runs in a function belongs to the function. Such a function is therefore a declaration, named by its place and
//! role: `router.get("/users") handler`, `it("sends mail")`. Inside a declaration with a name, a function that is passed
//! on is part of that declaration.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use sscg_core::{LocalSymbol, Modifiers, Span, SymbolKind};

use super::callable::Callable;
use super::name::{Bindings, span_of, unwrap, value_of};
use super::walk::{MAX_DEPTH, Walker};
use crate::builder::Declaration;
use crate::text::one_line;

/// Maximum number of characters of the callee in a name, and of the whole name.
const MAX_CALLEE: usize = 30;
const MAX_NAME: usize = 60;

/// Functions of test frameworks whose calls declare a test or a group of tests.
const TESTS: [&str; 7] = ["bench", "context", "describe", "it", "specify", "suite", "test"];

/// Role of the functions that are passed to a call.
#[derive(Clone)]
pub(super) struct Role {
    /// Name of a function with the role.
    name: String,
    is_test: bool,
    /// True if the call has a title, such as a route or an event.
    is_titled: bool,
}

impl<'a> Walker<'a> {
    /// Walks the arguments of a call.
    pub(super) fn visit_passed(&mut self, callee: &Expression<'a>, arguments: &[Argument<'a>]) {
        let is_followed = |argument: &Argument<'a>| {
            let value = argument.as_expression();
            value.is_some_and(|it| is_call(it) || Callable::of(it).is_some())
        };
        if self.owner.is_some() || self.depth == MAX_DEPTH || !arguments.iter().any(is_followed) {
            return arguments.iter().for_each(|argument| self.visit_argument(argument));
        }
        // A function that a wrapper passes on has the role of the wrapper: `router.get("/", guarded(() => { .. }))`.
        let around = self.role.take();
        let own = self.role_in(callee, arguments);
        let role = match &around {
            Some(around) if !own.is_titled && !own.is_test => around.clone(),
            _ => own,
        };
        for argument in arguments {
            let value = argument.as_expression();
            if let Some(callable) = value.and_then(Callable::of) {
                // Of functions in another one, only the tests of a group are apart from it.
                let is_apart = !self.is_passed || role.is_test;
                let symbol = (is_apart && self.leads_on(callable))
                    .then(|| self.declare_anonymous(&role.name, callable));
                let anonymous = self.anonymous;
                self.anonymous = symbol.or(anonymous);
                let is_passed = std::mem::replace(&mut self.is_passed, true);
                let depth = u32::from(symbol.is_some());
                self.depth += depth;
                self.visit_argument(argument);
                self.depth -= depth;
                self.anonymous = anonymous;
                self.is_passed = is_passed;
            } else {
                self.role = value.is_some_and(is_call).then(|| role.clone()).filter(|role| role.is_titled);
                self.visit_argument(argument);
                self.role = None;
            }
        }
        self.role = around;
    }

    fn role_in(&self, callee: &Expression<'a>, arguments: &[Argument<'a>]) -> Role {
        let is_test = is_of_tests(callee);
        let callee = self.callee_text(callee);
        let title = self.title(arguments);
        let is_titled = title.is_some();
        let name = match title {
            Some(title) => {
                let role = if is_test { "" } else { " handler" };
                let length = callee.chars().count() + "(\"\")".len() + role.len();
                let title = start_of(&one_line(title), MAX_NAME.saturating_sub(length));
                format!("{callee}(\"{title}\"){role}")
            }
            None => format!("{callee} callback"),
        };
        Role { name, is_test, is_titled }
    }

    /// Returns the first string among the arguments of a call, as written between its quotes.
    fn title(&self, arguments: &[Argument<'a>]) -> Option<&'a str> {
        let title = arguments.iter().find_map(|argument| match argument {
            Argument::StringLiteral(text) => Some(span_of(&**text)),
            Argument::TemplateLiteral(template) => Some(span_of(&**template)),
            _ => None,
        });
        title.map(|quoted| Span::new(quoted.start + 1, quoted.end - 1).text(self.facts.source()))
    }

    /// Returns the names in a callee, of a long one the last: `request().get("/").end`.
    fn callee_text(&self, callee: &Expression<'a>) -> String {
        let mut callee = named(callee);
        let (mut parts, mut length): (Vec<Cow<'_, str>>, usize) = (Vec::new(), 0);
        while length <= MAX_CALLEE {
            let (part, inner): (Cow<'_, str>, _) = match unwrap(callee) {
                Expression::Identifier(name) => (name.name.as_str().into(), None),
                Expression::ThisExpression(_) => ("this".into(), None),
                Expression::StaticMemberExpression(member) => {
                    (format!(".{}", member.property.name).into(), Some(&member.object))
                }
                Expression::CallExpression(call) => {
                    let title =
                        self.title(&call.arguments).map(|title| start_of(&one_line(title), MAX_CALLEE));
                    let title = title.map_or_else(String::new, |title| format!("\"{title}\""));
                    (format!("({title})").into(), Some(&call.callee))
                }
                _ => ("".into(), None),
            };
            length += part.chars().count();
            parts.push(part);
            match inner {
                Some(inner) => callee = inner,
                None => break,
            }
        }
        parts.reverse();
        let text = parts.concat();
        match text.trim_start_matches('.') {
            "" => "function".to_owned(),
            text if length > MAX_CALLEE => {
                format!("…{}", text.chars().skip(length + 1 - MAX_CALLEE).collect::<String>())
            }
            text => text.to_owned(),
        }
    }

    /// True if a function has no name and uses a name that the file declares outside of it. Others lead nowhere, and neither
    /// does a group that only holds tests.
    fn leads_on(&self, callable: Callable<'_, 'a>) -> bool {
        let (body, span) = match callable {
            Callable::Function(function) if function.id.is_some() => return false,
            Callable::Function(function) => (function.body.as_deref(), span_of(function)),
            Callable::Arrow(arrow) => (None, span_of(arrow)),
        };
        let mut captures = Captures { bindings: &self.names.bindings, span, found: false };
        match (body, callable) {
            (Some(body), _) => captures.visit_function_body(body),
            (None, Callable::Arrow(arrow)) => captures.visit_arrow_function_body(&arrow.body),
            (None, Callable::Function(_)) => {}
        }
        captures.found
    }

    fn declare_anonymous(&mut self, name: &str, callable: Callable<'_, 'a>) -> LocalSymbol {
        let span = callable.span();
        let end = callable.body().map_or(span.end, |body| body.start);
        let symbol = self.facts.declare(Declaration {
            name,
            kind: SymbolKind::Function,
            parent: self.anonymous,
            span,
            name_at: span.start,
            body: callable.body(),
            signature: self.signature(span.start, end),
            doc: None,
            exported: false,
            modifiers: Modifiers::ANONYMOUS | callable.modifiers(),
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        });
        self.declared.functions.insert(span.start, symbol);
        symbol
    }
}

/// Search for a name that a function uses and does not declare itself.
struct Captures<'w, 'a> {
    bindings: &'w Bindings<'a>,
    span: Span,
    found: bool,
}

impl<'a> Visit<'a> for Captures<'_, 'a> {
    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        let declared = self.bindings.declared_at(identifier);
        self.found |= declared.is_some_and(|at| !(self.span.start..self.span.end).contains(&at));
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if !self.found {
            walk::walk_statement(self, statement);
        }
    }

    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if !self.found {
            walk::walk_expression(self, expression);
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if !is_of_tests(&call.callee) {
            return walk::walk_call_expression(self, call);
        }
        self.visit_expression(&call.callee);
        let values = call.arguments.iter().filter_map(Argument::as_expression);
        values.filter(|value| Callable::of(value).is_none()).for_each(|value| self.visit_expression(value));
    }

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
}

/// Returns the expression with the name of a callee: `it.each` for the function that `it.each(rows)` returns.
fn named<'e, 'a>(callee: &'e Expression<'a>) -> &'e Expression<'a> {
    match unwrap(callee) {
        Expression::CallExpression(call) => &call.callee,
        Expression::TaggedTemplateExpression(tagged) => &tagged.tag,
        other => other,
    }
}

/// True if a callee declares a test or a group of tests: `it`, `test.only`, `it.each(rows)`.
fn is_of_tests(callee: &Expression<'_>) -> bool {
    let mut callee = named(callee);
    loop {
        let (name, object) = match unwrap(callee) {
            Expression::Identifier(name) => (name.name.as_str(), None),
            Expression::StaticMemberExpression(member) => {
                (member.property.name.as_str(), Some(&member.object))
            }
            _ => return false,
        };
        match object {
            _ if TESTS.contains(&name) => return true,
            Some(object) => callee = object,
            None => return false,
        }
    }
}

fn is_call(value: &Expression<'_>) -> bool {
    matches!(value_of(value), Expression::CallExpression(_))
}

/// Returns a text, cut after `length` characters.
fn start_of(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some(_) => text.chars().take(length.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}
