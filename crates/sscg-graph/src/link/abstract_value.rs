//! Abstract values: the results of tracing a value back to its origins.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sscg_core::{Confidence, FileId, LocalCall, LocalFunction, LocalValue};

use super::tables::{Decl, Scope};
use crate::graph::Origin;

/// Abstract value, with texts of type `T`: borrowed from facts, or owned where it outlives them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum AbstractValueOf<T> {
    /// Function as declared.
    Function(Decl),
    /// Function behind its decorators, whose result its name really holds.
    Decorated(Decl),
    /// Function bound to an instance or class, with that class.
    Method(Decl, Decl),
    /// Function without a name.
    Lambda(FileId, LocalFunction),
    /// Class, or a subtype of it unless `exact`.
    Class {
        class: Decl,
        exact: bool,
    },
    /// Instance of a class, or of a subtype unless `exact`.
    Instance {
        class: Decl,
        exact: bool,
    },
    /// Members that a class inherits.
    Super(Decl),
    /// File or module.
    Module(Scope),
    /// External symbol.
    External(String, Origin),
    /// Collection literal.
    Collection(FileId, LocalValue),
    /// Standard library type with its arguments; `Typed` is a value of such a type.
    Type(FileId, LocalValue),
    Typed(FileId, LocalValue),
    /// Result of a generator function.
    Generator(Decl),
    /// Remaining arguments that a parameter collects.
    Rest(FileId, LocalFunction, u8),
    /// Results of calling the functions passed to a call, for each element.
    Mapped(FileId, LocalCall),
    /// Result of `zip`; `Row` is one of its rows.
    Zipped(FileId, LocalCall),
    Row(FileId, LocalCall),
    /// Pairs of a key or index and an element of a collection; `Pair` is one of them.
    Pairs(Box<AbstractValueOf<T>>),
    Pair(Box<AbstractValueOf<T>>),
    /// Method of a built-in type, on this value.
    BuiltIn(Box<AbstractValueOf<T>>, T),
    /// Function that returns its argument.
    Identity,
    /// String; `Prefix` is a string that starts with this text.
    Text(T),
    Prefix(T),
    /// Further values, which a limit leaves out.
    Others,
}

/// Abstract value with borrowed texts.
pub(super) type AbstractValue<'a> = AbstractValueOf<&'a str>;

/// Abstract values, each with its confidence.
pub(super) type ValuesOf<T> = Vec<(AbstractValueOf<T>, Confidence)>;

/// Abstract values with borrowed texts, each with its confidence: the pointees of a name, in terms of points-to analysis.
pub(super) type AbstractValues<'a> = ValuesOf<&'a str>;

/// Maximum number of abstract values of one value; with more, it counts as unknown.
const MAX_VALUES: usize = 256;

impl<T> AbstractValueOf<T> {
    /// Returns the same abstract value with other texts.
    pub(super) fn map<'t, U>(&'t self, text: impl Fn(&'t T) -> U + Copy) -> AbstractValueOf<U> {
        let boxed = |pointee: &'t Self| Box::new(pointee.map(text));
        match self {
            Self::Function(symbol) => AbstractValueOf::Function(*symbol),
            Self::Decorated(symbol) => AbstractValueOf::Decorated(*symbol),
            Self::Method(symbol, class) => AbstractValueOf::Method(*symbol, *class),
            Self::Lambda(file, function) => AbstractValueOf::Lambda(*file, *function),
            Self::Class { class, exact } => AbstractValueOf::Class { class: *class, exact: *exact },
            Self::Instance { class, exact } => AbstractValueOf::Instance { class: *class, exact: *exact },
            Self::Super(class) => AbstractValueOf::Super(*class),
            Self::Module(scope) => AbstractValueOf::Module(*scope),
            Self::External(path, origin) => AbstractValueOf::External(path.clone(), *origin),
            Self::Collection(file, value) => AbstractValueOf::Collection(*file, *value),
            Self::Type(file, value) => AbstractValueOf::Type(*file, *value),
            Self::Typed(file, value) => AbstractValueOf::Typed(*file, *value),
            Self::Generator(symbol) => AbstractValueOf::Generator(*symbol),
            Self::Rest(file, function, nth) => AbstractValueOf::Rest(*file, *function, *nth),
            Self::Mapped(file, call) => AbstractValueOf::Mapped(*file, *call),
            Self::Zipped(file, call) => AbstractValueOf::Zipped(*file, *call),
            Self::Row(file, call) => AbstractValueOf::Row(*file, *call),
            Self::Pairs(of) => AbstractValueOf::Pairs(boxed(of)),
            Self::Pair(of) => AbstractValueOf::Pair(boxed(of)),
            Self::BuiltIn(object, name) => AbstractValueOf::BuiltIn(boxed(object), text(name)),
            Self::Identity => AbstractValueOf::Identity,
            Self::Text(of) => AbstractValueOf::Text(text(of)),
            Self::Prefix(of) => AbstractValueOf::Prefix(text(of)),
            Self::Others => AbstractValueOf::Others,
        }
    }
}

/// Number of abstract values above which equal ones are looked up by hash.
const FEW_VALUES: usize = 16;

/// Merges equal abstract values, each with its highest confidence; empty if there are too many. O(values).
pub(super) fn merged<T: Clone + Eq + Hash>(
    pointees: impl IntoIterator<Item = (AbstractValueOf<T>, Confidence)>,
) -> ValuesOf<T> {
    let mut merged: ValuesOf<T> = Vec::new();
    let mut places: FxHashMap<AbstractValueOf<T>, usize> = FxHashMap::default();
    for (pointee, sure) in pointees {
        let place = if places.is_empty() {
            merged.iter().position(|(known, _)| *known == pointee)
        } else {
            places.get(&pointee).copied()
        };
        match place {
            Some(at) => merged[at].1 = merged[at].1.max(sure),
            None if merged.len() == MAX_VALUES => return Vec::new(),
            None => {
                if merged.len() == FEW_VALUES {
                    places = merged.iter().zip(0..).map(|((known, _), at)| (known.clone(), at)).collect();
                }
                if !places.is_empty() {
                    places.insert(pointee.clone(), merged.len());
                }
                merged.push((pointee, sure));
            }
        }
    }
    merged
}
