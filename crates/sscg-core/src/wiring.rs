//! Values that a file's code passes to its callees.
//!
//! [`FileFacts`](crate::FileFacts) hold the names that a file uses. Its [`Wiring`] adds the values used with them:
//! the path in `app.get("/users/:id", show)`, the topic in `producer.send({ topic: TOPIC })`, the address in a
//! constant. These values connect code to other programs. The form is the same for all languages. Nothing is
//! evaluated here: a name stays a name.
//!
//! Wiring is a pure function of the file's text, computed on demand and not stored.

use crate::Span;

/// Calls, decorators, bindings and functions of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wiring {
    /// Calls and constructions, nested ones included, by start offset, outer before inner. Decorators are not
    /// included.
    pub calls: Vec<Call>,
    /// Decorators and attributes, in source order.
    pub decorators: Vec<Decorator>,
    /// Assigned values of names, fields and constants, in source order.
    pub bindings: Vec<Binding>,
    /// Functions and closures with their parameters, in source order.
    pub functions: Vec<Function>,
}

/// Value as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// String literal, without its quotes and with its escapes decoded.
    Text(Box<str>),
    /// Concatenated parts of a text: a template string, an f-string, `a + "/b"`, `format!("{}/b", a)`,
    /// `"{}/b".format(a)`.
    Join(Box<[Expression]>),
    /// Name: `app`, including `self`, `this` and `super`. A Rust path is a chain of members: `Router::new` is the
    /// member `new` of `Router`.
    Name(Box<str>),
    /// Member of a value: `app.get`, or an index by a string literal.
    Member(Box<Expression>, Box<str>),
    /// Result of a call, as an index into [`Wiring::calls`], so that a chain of calls does not nest.
    Call(u32),
    /// Named fields: an object, dict or struct literal. Spread values have an empty name.
    Record(Box<[(Box<str>, Expression)]>),
    /// Array, list, tuple, set or slice.
    List(Box<[Expression]>),
    /// One of several values, preferably the first: `a ?? b`, `a || b`, `a or b`, both arms of a conditional.
    Either(Box<[Expression]>),
    /// Closure. Its span identifies it in [`Wiring::functions`].
    Function(Span),
    /// Any other expression.
    Other,
}

/// Call or construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Callee: `Member(Name("app"), "get")`, or the class of a construction. The name of a macro ends in `!`.
    pub callee: Expression,
    /// Arguments, in order. The fields that a literal of a named type sets are named arguments of its construction.
    pub arguments: Vec<Argument>,
    /// Type arguments, in order: `Order` for `bus.Publish<Order>(order)`. Read only for C#.
    pub types: Vec<Expression>,
    /// Span of the whole call.
    pub span: Span,
    /// 1-based line of the callee's name.
    pub line: u32,
}

/// Argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Parameter name: `methods` for `methods=["GET"]`; empty for spread named arguments.
    pub name: Option<Box<str>>,
    /// Value of the argument.
    pub value: Expression,
}

/// Decorator or attribute on a declaration: `@Get(":id")`, `#[get("/users")]`, `@app.route("/users")`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decorator {
    /// Application of the decorator; without parentheses, a call without arguments.
    pub call: Call,
    /// Span of the decorated declaration, without its decorators. Its symbol in the file's facts is the innermost one
    /// whose span contains the start.
    pub target: Span,
}

/// Assignment of a value to a name or member.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Assigned name or member: `Name("TOPIC")`, or `Member(Name("self"), "base_url")` for an assignment to a field,
    /// an initialized class field (`this` in TypeScript), and a field of a Rust struct literal (of `self` for
    /// `Self { .. }`, else of the type's name).
    pub target: Expression,
    /// Assigned value.
    pub value: Expression,
    /// Span of the whole statement, field or declarator.
    pub span: Span,
    /// 1-based line of the statement, field or declarator.
    pub line: u32,
}

/// Function and the names of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name of the function; empty for closures.
    pub name: Box<str>,
    /// Parameters in order; `None` for a destructured one. The `self` of Python and Rust is left out.
    pub parameters: Box<[Option<Box<str>>]>,
    /// Span of the whole function, without decorators.
    pub span: Span,
}

impl Wiring {
    /// Returns the call whose result is `value`, an expression of this file.
    pub fn call(&self, value: &Expression) -> Option<&Call> {
        match value {
            Expression::Call(place) => self.calls.get(*place as usize),
            _ => None,
        }
    }

    /// Returns the closure that `value`, an expression of this file, denotes.
    pub fn function(&self, value: &Expression) -> Option<&Function> {
        let Expression::Function(span) = value else { return None };
        let after = self.functions.partition_point(|function| function.span.start < span.start);
        self.functions[after..]
            .iter()
            .take_while(|function| function.span.start == span.start)
            .find(|function| function.span == *span)
    }
}

impl Expression {
    /// Maximum nesting depth of expressions; a deeper one is [`Expression::Other`]. A call counts as 1.
    pub const MAX_DEPTH: u16 = 64;

    /// Returns the names of a member chain, outermost first: `["app", "router", "get"]` for `app.router.get`. `None`
    /// if the chain does not start at a name.
    pub fn path(&self) -> Option<Vec<&str>> {
        match self {
            Self::Name(name) => Some(vec![name]),
            Self::Member(base, name) => {
                let mut path = base.path()?;
                path.push(name);
                Some(path)
            }
            _ => None,
        }
    }

    /// Returns the last name of a member chain: `get` for `app.router.get` and for `make().get`.
    pub fn last_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Member(_, name) => Some(name),
            _ => None,
        }
    }

    /// Returns the receiver of the last name in a member chain.
    pub fn receiver(&self) -> Option<&Expression> {
        match self {
            Self::Member(base, _) => Some(base),
            _ => None,
        }
    }

    /// Returns the value of the record's field `name`.
    pub fn field(&self, name: &str) -> Option<&Expression> {
        match self {
            Self::Record(fields) => fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl Call {
    /// Returns the `n`-th positional argument, counted from 0.
    pub fn positional(&self, n: usize) -> Option<&Expression> {
        self.arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .nth(n)
            .map(|argument| &argument.value)
    }

    /// Returns the named argument `name`.
    pub fn named(&self, name: &str) -> Option<&Expression> {
        let named = |argument: &&Argument| argument.name.as_deref() == Some(name);
        self.arguments.iter().find(named).map(|argument| &argument.value)
    }
}
