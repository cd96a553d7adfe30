//! Where the values in one file come from, as far as the text says: what is called, assigned, passed, returned
//! and stored.
//!
//! Languages without declared types need this to tell what a call runs. Values are kept as written, like names
//! are; what they are is decided by linking, which follows them from file to file.

use serde::{Deserialize, Serialize};

use crate::{Id, IndexVec, LocalCall, LocalFunction, LocalImport, LocalSymbol, LocalValue};

/// The flow of values in one file. Empty for languages whose types decide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Expressions whose value matters. A variable stands for what it holds where it is read.
    pub values: IndexVec<LocalValue, Value>,
    /// Functions with a body, lambdas among them.
    pub functions: IndexVec<LocalFunction, Function>,
    /// Calls, applied decorators among them.
    pub calls: IndexVec<LocalCall, Call>,
    /// What declared variables, fields and decorated declarations hold, by symbol.
    pub symbols: Vec<(LocalSymbol, LocalValue)>,
    /// Values put into attributes and elements of other values.
    pub stores: Vec<Store>,
}

/// An expression, as far as it says what its value is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// The text does not say.
    Unknown,
    /// A declaration of this file, as it is before decorators.
    Symbol(LocalSymbol),
    /// What an import binds.
    Import(LocalImport),
    /// A name that the file does not bind.
    Free(Box<str>),
    /// What is passed for the parameter of this number.
    Parameter(LocalFunction, u8),
    /// The instance that a method of this class runs on.
    Instance(LocalSymbol),
    /// The class that a class method of this class runs on.
    Class(LocalSymbol),
    /// The members that this class inherits.
    Super(LocalSymbol),
    /// Any of these, by the path that was taken.
    OneOf(Box<[LocalValue]>),
    /// A member of a value.
    Member(LocalValue, Box<str>),
    /// An element of a value: of a collection, or what iterating over it yields.
    Element(LocalValue, Key),
    /// What a call returns.
    Call(LocalCall),
    /// What a declaration is after a decorator: the call of the decorator, and what it is applied to.
    Decorated(LocalCall, LocalValue),
    /// What `with` binds to the value it enters.
    Entered(LocalValue),
    /// A collection after a value was put into one of its elements.
    Updated(LocalValue, Key, LocalValue),
    /// A list, tuple, set or dictionary that is written out.
    Collection(Box<[(Key, LocalValue)]>),
    /// A function without a name.
    Lambda(LocalFunction),
    /// A value of the type that another value is.
    OfType(LocalValue),
    /// A type with its arguments.
    Generic(LocalValue, Box<[LocalValue]>),
    /// A string.
    Text(Box<str>),
    /// A string that starts with this.
    Prefix(Box<str>),
}

/// Which element of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// The text does not say.
    Any,
    /// By number, from the end if negative.
    Index(i32),
    /// By a string, or by the text of another constant.
    Text(Box<str>),
}

/// A function, with what comes out of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its declaration; `None` for a lambda.
    pub symbol: Option<LocalSymbol>,
    /// Whether its first parameter is the instance or class that it runs on.
    pub has_receiver: bool,
    /// Its parameters, the receiver of a method among them.
    pub parameters: Box<[Parameter]>,
    /// What it is declared to return.
    pub ty: Option<LocalValue>,
    /// What its `return` statements return, but for `None`.
    pub returns: Box<[LocalValue]>,
    /// What it yields.
    pub yields: Box<[LocalValue]>,
}

/// A parameter of a [`Function`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: Box<str>,
    /// What it takes.
    pub kind: ParameterKind,
    /// Its type, if that is written out.
    pub ty: Option<LocalValue>,
    /// What it is if nothing is passed.
    pub default: Option<LocalValue>,
}

/// Which arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterKind {
    /// One, by place or name.
    One,
    /// One, by name alone.
    Named,
    /// All other arguments by place: `*args`.
    Rest,
    /// All other arguments by name: `**kwargs`.
    NamedRest,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What is called.
    pub callee: LocalValue,
    /// What is passed, in order.
    pub arguments: Box<[Argument]>,
    /// The innermost declaration around it; `None` at the file's top level.
    pub from: Option<LocalSymbol>,
    /// The line of the last segment of what is called.
    pub line: u32,
    /// How it is written.
    pub form: CallForm,
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallForm {
    /// What is called is a [`Reference`](crate::Reference) of its own.
    Referenced,
    /// What is called has no name, or that of a local variable: `f()()`, `table[key]()`.
    Unnamed,
    /// No call is written, but a statement makes it: a loop, `with`.
    Implied,
    /// A decorator is applied.
    Decorator,
}

/// An argument of a [`Call`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// How it is passed.
    pub kind: ArgumentKind,
    /// What is passed.
    pub value: LocalValue,
}

/// How an argument is passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// By place.
    Place,
    /// By name.
    Name(Box<str>),
    /// Its elements are passed by place: `*args`.
    Rest,
    /// Its elements are passed by name: `**kwargs`.
    NamedRest,
}

/// A value that is put into another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Store {
    /// What it is put into.
    pub object: LocalValue,
    /// Where in it.
    pub slot: Slot,
    /// What is put there.
    pub value: LocalValue,
}

/// Where in a value another one is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// In an attribute.
    Member(Box<str>),
    /// In an element.
    Element(Key),
}

impl Flow {
    /// What a declared variable, field or decorated declaration holds.
    pub fn held(&self, symbol: LocalSymbol) -> Option<LocalValue> {
        let at = self.symbols.binary_search_by_key(&symbol.index(), |(symbol, _)| symbol.index()).ok()?;
        Some(self.symbols[at].1)
    }
}
