//! What a file's code passes to what it calls.
//!
//! [`FileFacts`](crate::FileFacts) say which names a file uses; its [`Wiring`] says with which values: the path in
//! `app.get("/users/:id", show)`, the topic in `producer.send({ topic: TOPIC })`, the address that a constant holds.
//! That is how code is wired to other programs. The form is the same for all languages, and nothing is evaluated here:
//! a name stays a name.
//!
//! Wiring is a pure function of the file's text, computed when someone asks and not stored.

use crate::Span;

/// What the calls, decorators and bindings of a file say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wiring {
    /// Every call and construction, those within other calls too, by where they start and outer before inner. What
    /// stands on declarations is none of them.
    pub calls: Vec<Call>,
    /// What stands on declarations, in source order.
    pub decorators: Vec<Decorator>,
    /// What names, fields and constants are set to, in source order.
    pub bindings: Vec<Binding>,
    /// The functions and their parameters, in source order; closures too.
    pub functions: Vec<Function>,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A string literal, without its quotes and with its escapes replaced.
    Text(Box<str>),
    /// Pieces that are joined to one text: a template string, an f-string, `a + "/b"`, `format!("{}/b", a)`,
    /// `"{}/b".format(a)`.
    Join(Box<[Expression]>),
    /// A name: `app`; `self`, `this` and `super` too. A Rust path is one of members: `Router::new` is `new` of `Router`.
    Name(Box<str>),
    /// A member of a value: `app.get`; an index by a string literal too.
    Member(Box<Expression>, Box<str>),
    /// What a call returns: its place in [`Wiring::calls`], so that a long chain of calls is as short as it is written.
    Call(u32),
    /// Named values: an object or dict literal, a struct literal. Spread values have an empty name.
    Record(Box<[(Box<str>, Expression)]>),
    /// An array, list, tuple, set or slice.
    List(Box<[Expression]>),
    /// One of these, the first if it is there: `a ?? b`, `a || b`, `a or b`, both arms of a condition.
    Either(Box<[Expression]>),
    /// A function without a name: its place in [`Wiring::functions`] is found by its span.
    Function(Span),
    /// Anything else.
    Other,
}

/// A call or a construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called: `Member(Name("app"), "get")`; the class of a construction; a macro's name ends in `!`.
    pub callee: Expression,
    /// What it is given, in order.
    pub arguments: Vec<Argument>,
    /// All of it.
    pub span: Span,
    /// The 1-based line of the name that is called.
    pub line: u32,
}

/// What a call is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter that is named: `methods` for `methods=["GET"]`; empty for named values that are spread.
    pub name: Option<Box<str>>,
    /// The value.
    pub value: Expression,
}

/// A decorator or attribute on a declaration: `@Get(":id")`, `#[get("/users")]`, `@app.route("/users")`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decorator {
    /// What it says; without parentheses a call without arguments.
    pub call: Call,
    /// The declaration that it stands on, without what stands on it: the symbol of the file's facts is the innermost one
    /// whose span holds the start.
    pub target: Span,
}

/// What a name or member is set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// What is set: `Name("TOPIC")`; `Member(Name("self"), "base_url")` for an assignment to a field, for the field of a
    /// class with a value (`this` in TypeScript), and for a field of a Rust struct literal (of `self` for `Self { .. }`,
    /// else of the type's name).
    pub target: Expression,
    /// To what.
    pub value: Expression,
    /// The whole statement, field or declarator.
    pub span: Span,
    /// Its 1-based line.
    pub line: u32,
}

/// A function and what its parameters are called.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name; empty for closures.
    pub name: Box<str>,
    /// The parameters in order; `None` for one that is taken apart. `self` of Python and Rust is none of them.
    pub parameters: Box<[Option<Box<str>>]>,
    /// All of it, without decorators.
    pub span: Span,
}

impl Wiring {
    /// The call that a value of this file is the result of.
    pub fn call(&self, value: &Expression) -> Option<&Call> {
        match value {
            Expression::Call(place) => self.calls.get(*place as usize),
            _ => None,
        }
    }

    /// The function without a name that a value of this file is.
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
    /// How deep values nest in each other at most: what would be deeper is [`Expression::Other`]. A call counts as 1.
    pub const MAX_DEPTH: u16 = 64;

    /// The names of a chain of members, outermost first: `["app", "router", "get"]` for `app.router.get`. `None` if it
    /// starts at anything but a name.
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

    /// The last name of a chain of members: `get` for `app.router.get` and for `make().get`.
    pub fn last_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Member(_, name) => Some(name),
            _ => None,
        }
    }

    /// What the last name is a member of.
    pub fn receiver(&self) -> Option<&Expression> {
        match self {
            Self::Member(base, _) => Some(base),
            _ => None,
        }
    }

    /// The value of a record's field.
    pub fn field(&self, name: &str) -> Option<&Expression> {
        match self {
            Self::Record(fields) => fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl Call {
    /// The `n`-th argument without a name, counted from 0.
    pub fn positional(&self, n: usize) -> Option<&Expression> {
        self.arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .nth(n)
            .map(|argument| &argument.value)
    }

    /// The argument of that name.
    pub fn named(&self, name: &str) -> Option<&Expression> {
        let named = |argument: &&Argument| argument.name.as_deref() == Some(name);
        self.arguments.iter().find(named).map(|argument| &argument.value)
    }
}
