//! Static evaluation of expressions.
//!
//! Names are followed to their assigned values: in the enclosing functions, in fields, at the top of their file, and in
//! other files along the edges of the code graph. A value from a package is identified by its access path, a text by
//! its pieces. No code is executed, and if a value can be one of several, all of them are returned.
//!
//! Every evaluation is bounded in depth, in steps and in the number of alternatives, and a name that is assigned to
//! itself is unknown.

mod call;
mod external;
mod fields;
mod name;
mod scope;
mod text;

use std::cell::{Cell, RefCell};

use sscg_core::wiring::{Binding, Call, Expression};
use sscg_core::{FileId, ModuleSystem, SymbolId, TypeHint};

pub(crate) use external::ExternalValue;
pub(crate) use text::{Parameter, Piece, TextPattern, joined, literal};

use super::code::{At, Code};

/// Maximum number of expressions in one evaluation, and their maximum nesting depth.
const STEPS: u32 = 2_000;
const DEPTH: usize = 40;
/// Steps that an import or a base class takes, so that circular ones come to an end.
const STEPS_OF_LINK: u32 = 20;
/// Maximum number of alternatives followed.
const ALTERNATIVES: usize = 8;

/// Abstract value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Value<'c> {
    /// Text.
    Text(TextPattern),
    /// Value from a package or the standard library, or of an undeclared name.
    External(ExternalValue<'c>),
    /// Record of named values.
    Record(At<'c>),
    /// List of values in order.
    List(At<'c>),
    /// Closure.
    Function(At<'c>),
    /// Class, function or module of the project.
    Symbol(SymbolId),
    /// File as a module.
    File(FileId),
    /// Instance of a class of the project, with the call that made it.
    Instance(SymbolId, Option<At<'c>>),
    /// Call as written. Only denoted values contain it.
    Call(At<'c>),
}

impl<'a> Code<'a> {
    /// Returns the alternative values of an expression; empty if nothing is known.
    pub(crate) fn values<'c>(&'c self, at: At<'c>) -> Vec<Value<'c>> {
        Evaluation::new(self).values(at)
    }

    /// Returns the alternative values of an expression with names followed and calls left as they are written.
    pub(crate) fn denoted<'c>(&'c self, at: At<'c>) -> Vec<Value<'c>> {
        Evaluation { keeps_calls: true, ..Evaluation::new(self) }.values(at)
    }

    /// Returns the declaration that a name or member denotes, without following its value.
    pub(crate) fn declaration<'c>(&'c self, at: At<'c>) -> Option<SymbolId> {
        Evaluation::new(self).declaration(at)
    }

    /// Returns the values of a type that is written in a file.
    pub(crate) fn of_type<'c>(&'c self, file: FileId, hint: &TypeHint) -> Vec<Value<'c>> {
        Evaluation::new(self).of_type(file, hint)
    }

    /// Returns the alternative texts of an expression; a single unknown piece if none is known.
    pub(crate) fn texts<'c>(&'c self, at: At<'c>) -> Vec<TextPattern> {
        Evaluation::new(self).texts(at)
    }

    /// Returns the external values that an expression can have.
    pub(crate) fn external<'c>(&'c self, at: At<'c>) -> Vec<ExternalValue<'c>> {
        let values = self.values(at).into_iter();
        values
            .filter_map(|value| if let Value::External(external) = value { Some(external) } else { None })
            .collect()
    }

    /// Returns the elements of a list with their locations, following names; the expression itself if it is not a list.
    pub(crate) fn elements<'c>(&'c self, at: At<'c>) -> Vec<At<'c>> {
        let lists = self.values(at).into_iter().find_map(|value| match value {
            Value::List(list) => Some(list),
            _ => None,
        });
        match lists {
            Some(list) => match list.expression {
                Expression::List(elements) => elements.iter().map(|element| list.with(element)).collect(),
                _ => Vec::new(),
            },
            None => vec![at],
        }
    }

    /// Returns the field of a record, following names and spread records.
    pub(crate) fn field<'c>(&'c self, at: At<'c>, name: &str) -> Option<At<'c>> {
        Evaluation::new(self).record_field(at, name)
    }
}

/// State of one evaluation.
struct Evaluation<'c> {
    code: &'c Code<'c>,
    /// True if a call is its own value, except as the base of a member.
    keeps_calls: bool,
    steps: Cell<u32>,
    /// Expressions being evaluated, by address, outermost first.
    path: RefCell<Vec<*const Expression>>,
}

impl<'c> Evaluation<'c> {
    fn new(code: &'c Code<'c>) -> Self {
        Self { code, keeps_calls: false, steps: Cell::new(STEPS), path: RefCell::default() }
    }

    fn values(&self, at: At<'c>) -> Vec<Value<'c>> {
        self.bounded(at.expression, || self.evaluate(at))
    }

    /// Returns the values of an expression, within the bounds of the evaluation.
    fn bounded(&self, expression: &Expression, values: impl FnOnce() -> Vec<Value<'c>>) -> Vec<Value<'c>> {
        let address: *const Expression = expression;
        let steps = self.steps.get();
        let too_deep = {
            let path = self.path.borrow();
            path.len() >= DEPTH || path.contains(&address)
        };
        if steps == 0 || too_deep {
            return Vec::new();
        }
        self.steps.set(steps - 1);
        self.path.borrow_mut().push(address);
        let mut values = values();
        self.path.borrow_mut().pop();
        values.truncate(ALTERNATIVES);
        values
    }

    /// Takes steps for a lookup in another declaration; false if none are left.
    fn spend(&self, steps: u32) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps));
        self.steps.get() > 0
    }

    fn evaluate(&self, at: At<'c>) -> Vec<Value<'c>> {
        match at.expression {
            Expression::Text(text) => vec![Value::Text(vec![Piece::Text(text.clone())])],
            Expression::Join(parts) => {
                let parts = parts.iter().map(|part| self.texts(at.with(part)));
                text::joined(parts).into_iter().map(Value::Text).collect()
            }
            Expression::Name(name) => self.name(at, name),
            Expression::Member(base, name) => self.member(at, base, name),
            Expression::Record(_) => vec![Value::Record(at)],
            Expression::List(_) => vec![Value::List(at)],
            Expression::Either(values) => {
                values.iter().flat_map(|value| self.values(at.with(value))).collect()
            }
            Expression::Function(_) => vec![Value::Function(at)],
            Expression::Call(_) => match self.code.wired(at.file).call(at.expression) {
                Some(call) => self.call(at, call),
                None => Vec::new(),
            },
            Expression::Other => Vec::new(),
        }
    }

    /// Returns the values of a call, or the call itself if the evaluation keeps calls.
    fn call(&self, at: At<'c>, call: &'c Call) -> Vec<Value<'c>> {
        match call.positional(0) {
            Some(Expression::Text(module)) if self.is_require(at, &call.callee) => {
                self.required(at.file, call, module)
            }
            _ if self.keeps_calls => vec![Value::Call(at)],
            _ => self.result(at, call),
        }
    }

    /// True if an expression is the `require` of ES modules, and not a declaration of that name.
    fn is_require(&self, at: At<'c>, callee: &Expression) -> bool {
        matches!(callee, Expression::Name(name) if **name == *"require")
            && self.code.project.files()[at.file].language.modules == ModuleSystem::EsModules
            && !self.code.is_bound(at.file, at.offset, "require")
    }

    fn texts(&self, at: At<'c>) -> Vec<TextPattern> {
        let texts = self.values(at).into_iter();
        let mut texts: Vec<TextPattern> =
            texts.filter_map(|value| if let Value::Text(text) = value { Some(text) } else { None }).collect();
        if texts.is_empty() {
            texts.push(vec![Piece::Unknown]);
        }
        texts
    }

    fn record_field(&self, at: At<'c>, name: &str) -> Option<At<'c>> {
        let records = self.values(at).into_iter();
        let records = records.filter_map(|value| if let Value::Record(at) = value { Some(at) } else { None });
        records.into_iter().find_map(|record| match record.expression {
            Expression::Record(fields) => fields.iter().rev().find_map(|(field, value)| match &**field {
                "" => self.record_field(record.with(value), name),
                field => (field == name).then(|| record.with(value)),
            }),
            _ => None,
        })
    }
}

/// Returns the value of a binding, at the location of the binding.
fn at_binding(file: FileId, binding: &Binding) -> At<'_> {
    At { file, offset: binding.span.start, expression: &binding.value }
}
