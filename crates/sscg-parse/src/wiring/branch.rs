//! Nodes with their folded children.

use std::mem;

use sscg_core::wiring::{Argument, Expression};
use tree_sitter::Node;

use super::pieces::concatenation;

/// Folded child of a node.
pub(crate) struct Part<'t> {
    pub(super) field: Option<&'t str>,
    pub(super) node: Node<'t>,
    pub(super) value: Expression,
    /// Nesting depth of `value`.
    pub(super) depth: u16,
}

/// Node with its folded named children, in order.
pub(crate) struct Branch<'t> {
    pub(super) node: Node<'t>,
    /// Index of the node in the file's calls, if it is a call.
    pub(super) call: Option<u32>,
    pub(super) parts: Vec<Part<'t>>,
}

impl<'t> Branch<'t> {
    pub(super) fn field(&self, name: &str) -> Option<&Part<'t>> {
        self.parts.iter().find(|part| part.field == Some(name))
    }

    /// Returns the node of a field.
    pub(super) fn node_of(&self, name: &str) -> Option<Node<'t>> {
        self.field(name).map(|part| part.node)
    }

    /// Returns the operator of an expression.
    pub(super) fn operator(&self) -> &'t str {
        self.node.child_by_field_name("operator").map_or("", |operator| operator.kind())
    }

    /// Takes the value of a field.
    pub(super) fn take(&mut self, name: &str) -> Expression {
        self.parts.iter_mut().find(|part| part.field == Some(name)).map_or(Expression::Other, Part::take)
    }

    pub(super) fn first(&mut self) -> Expression {
        self.parts.first_mut().map_or(Expression::Other, Part::take)
    }

    pub(super) fn last(&mut self) -> Expression {
        self.parts.last_mut().map_or(Expression::Other, Part::take)
    }

    /// Returns the concatenation of the operands of `+`; `Expression::Other` for another operator.
    pub(super) fn sum(mut self) -> Expression {
        match self.operator() {
            "+" => concatenation(self.take("left"), self.take("right")),
            _ => Expression::Other,
        }
    }

    /// Returns the values of all parts.
    pub(super) fn values(self) -> Vec<Expression> {
        self.parts.into_iter().map(|part| part.value).collect()
    }

    /// Returns the parts as a list.
    pub(super) fn list(self) -> Expression {
        Expression::List(self.values().into())
    }

    /// Merges the parts that are records into one record.
    pub(super) fn record(self) -> Expression {
        let mut fields = Vec::new();
        for part in self.parts {
            if let Expression::Record(own) = part.value {
                fields.extend(own);
            }
        }
        Expression::Record(fields.into())
    }
}

impl Part<'_> {
    pub(super) fn take(&mut self) -> Expression {
        mem::replace(&mut self.value, Expression::Other)
    }
}

/// Returns a record with one field.
pub(super) fn entry(name: &str, value: Expression) -> Expression {
    Expression::Record(Box::new([(name.into(), value)]))
}

/// Returns an element of a value; known if its index is a text.
pub(super) fn element(object: Expression, index: Expression) -> Expression {
    match index {
        Expression::Text(name) => Expression::Member(Box::new(object), name),
        _ => Expression::Other,
    }
}

/// Returns the elements of a list as positional arguments.
pub(super) fn arguments(value: Expression) -> Vec<Argument> {
    let values = match value {
        Expression::List(values) => values.into_vec(),
        Expression::Other => Vec::new(),
        one => vec![one],
    };
    values.into_iter().map(|value| Argument { name: None, value }).collect()
}

/// Returns the fields of a record as arguments; those without a name are positional.
pub(super) fn named_arguments(value: Expression) -> Vec<Argument> {
    let Expression::Record(fields) = value else { return Vec::new() };
    let argument = |(name, value): (Box<str>, Expression)| Argument {
        name: Some(name).filter(|name| !name.is_empty()),
        value,
    };
    fields.into_iter().map(argument).collect()
}

/// Returns the alternative of two values.
pub(super) fn either(left: Expression, right: Expression) -> Expression {
    let mut all = match left {
        Expression::Either(all) => all.into_vec(),
        one => vec![one],
    };
    all.push(right);
    Expression::Either(all.into())
}
