//! Origin of values in one file, as far as the text gives it: calls, assignments, arguments, return values and
//! stores.
//!
//! Languages without declared types need this to determine call targets. Like names, values are kept as written.
//! Linking resolves them by following values across files.

use serde::{Deserialize, Serialize};

use crate::{Id, IndexVec, LocalCall, LocalFunction, LocalImport, LocalSymbol, LocalValue};

/// Data flow of one file. Empty for languages whose types determine call targets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Relevant expressions. A variable is represented by the values it may hold where it is read.
    pub values: IndexVec<LocalValue, Value>,
    /// Functions with a body, including lambdas.
    pub functions: IndexVec<LocalFunction, FlowFunction>,
    /// Calls, including applied decorators.
    pub calls: IndexVec<LocalCall, FlowCall>,
    /// Values of declared variables, fields and decorated declarations, sorted by symbol.
    pub symbols: Vec<(LocalSymbol, LocalValue)>,
    /// Stores into attributes and elements of other values.
    pub stores: Vec<FieldStore>,
}

/// Expression, as far as the text determines its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Unknown from the text.
    Unknown,
    /// Declaration of this file, before its decorators are applied.
    Symbol(LocalSymbol),
    /// Target of an import.
    Import(LocalImport),
    /// Name not bound in the file.
    Free(Box<str>),
    /// Argument passed for the n-th parameter.
    Parameter(LocalFunction, u8),
    /// Receiver of a method of this class: an instance.
    Instance(LocalSymbol),
    /// Receiver of a class method of this class: the class itself.
    Class(LocalSymbol),
    /// Members that this class inherits (`super()`).
    Super(LocalSymbol),
    /// One of these values, depending on the control flow.
    OneOf(Box<[LocalValue]>),
    /// Member of a value.
    Member(LocalValue, Box<str>),
    /// Element of a collection, or of an iteration over a value.
    Element(LocalValue, Key),
    /// Result of a call.
    Call(LocalCall),
    /// Declaration after a decorator is applied: the decorator's call and the decorated value.
    Decorated(LocalCall, LocalValue),
    /// Value bound by `with` on entering a context manager; true for `async with`.
    Entered(LocalValue, bool),
    /// Collection after a store into one of its elements.
    Updated(LocalValue, Key, LocalValue),
    /// Literal list, tuple, set or dictionary.
    Collection(Box<[(Key, LocalValue)]>),
    /// Lambda.
    Lambda(LocalFunction),
    /// Value whose type is another value.
    OfType(LocalValue),
    /// Generic type with its arguments.
    Generic(LocalValue, Box<[LocalValue]>),
    /// String constant.
    Text(Box<str>),
    /// String with this constant prefix.
    Prefix(Box<str>),
}

/// Key of an element in a collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Key {
    /// Unknown key.
    Any,
    /// Index, counted from the end if negative.
    Index(i32),
    /// String, or the text of another constant.
    Text(Box<str>),
    /// Value of an expression.
    Of(LocalValue),
}

/// Function, with its return values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowFunction {
    /// Declaration; `None` for a lambda.
    pub symbol: Option<LocalSymbol>,
    /// True if the first parameter is the receiver (instance or class).
    pub has_receiver: bool,
    /// Parameters, including a method's receiver.
    pub parameters: Box<[Parameter]>,
    /// Declared return type.
    pub ty: Option<LocalValue>,
    /// Values of `return` statements, except `None`.
    pub returns: Box<[LocalValue]>,
    /// Yielded values.
    pub yields: Box<[LocalValue]>,
}

/// Parameter of a [`FlowFunction`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: Box<str>,
    /// Kind of arguments that the parameter accepts.
    pub kind: ParameterKind,
    /// Declared type, if any.
    pub ty: Option<LocalValue>,
    /// Default value, if any.
    pub default: Option<LocalValue>,
}

/// Kind of arguments that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterKind {
    /// One argument, positional or by name.
    One,
    /// One argument, by name only.
    Named,
    /// Remaining positional arguments: `*args`.
    Rest,
    /// Remaining named arguments: `**kwargs`.
    NamedRest,
}

/// Call, written or implied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowCall {
    /// Callee.
    pub callee: LocalValue,
    /// Arguments, in order.
    pub arguments: Box<[FlowArgument]>,
    /// Innermost enclosing declaration; `None` at the file's top level.
    pub from: Option<LocalSymbol>,
    /// Line of the last segment of the callee.
    pub line: u32,
    /// Syntactic form.
    pub form: CallForm,
}

/// Syntactic form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallForm {
    /// Callee is a [`Reference`](crate::Reference) of its own.
    Referenced,
    /// Callee has no name or is a local variable: `f()()`, `table[key]()`.
    Unnamed,
    /// Call implied by a statement: a loop, `with`.
    Implied,
    /// Application of a decorator.
    Decorator,
}

/// Argument of a [`FlowCall`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowArgument {
    /// Form in which the argument is passed.
    pub kind: ArgumentKind,
    /// Value of the argument.
    pub value: LocalValue,
}

/// Form in which an argument is passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// Positional.
    Place,
    /// By parameter name.
    Name(Box<str>),
    /// Elements passed as positional arguments: `*args`.
    Rest,
    /// Elements passed as named arguments: `**kwargs`.
    NamedRest,
}

/// Store of a value into an attribute or element of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldStore {
    /// Modified object.
    pub object: LocalValue,
    /// Attribute or element written.
    pub slot: Slot,
    /// Stored value.
    pub value: LocalValue,
}

/// Place inside an object where a value is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// Attribute.
    Member(Box<str>),
    /// Element.
    Element(Key),
}

impl Flow {
    /// Returns the value of a declared variable, field or decorated declaration.
    pub fn held(&self, symbol: LocalSymbol) -> Option<LocalValue> {
        let at = self.symbols.binary_search_by_key(&symbol.index(), |(symbol, _)| symbol.index()).ok()?;
        Some(self.symbols[at].1)
    }
}
