//! Conversions of arguments to parameters.

use sscg_core::{SymbolKind, TypeHint};

use super::Ty;
use super::library::is_task;
use crate::link::resolve::Linker;
use crate::link::resolve::shape::HintScope;
use crate::link::signature::converts_implicitly;
use crate::link::tables::Decl;

/// Conversion of an argument to the type of a parameter; `None` if there is none. Higher is better.
pub(super) type Conversion = Option<u8>;

pub(super) const SAME: u8 = 10;
pub(super) const TO_BASE: u8 = 6;
pub(super) const TO_OBJECT: u8 = 4;
/// Conversions up to this one are guesses.
pub(super) const PERHAPS: u8 = 2;
const UNLIKELY: u8 = 1;

/// Numeric types, each with those to which it converts.
const NUMBERS: [(&str, &[&str]); 12] = [
    ("sbyte", &["short", "int", "long", "float", "double", "decimal", "nint"]),
    ("byte", &["short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"]),
    ("short", &["int", "long", "float", "double", "decimal"]),
    ("ushort", &["int", "uint", "long", "ulong", "float", "double", "decimal"]),
    ("int", &["long", "float", "double", "decimal", "nint"]),
    ("uint", &["long", "ulong", "float", "double", "decimal"]),
    ("long", &["float", "double", "decimal"]),
    ("ulong", &["float", "double", "decimal"]),
    ("float", &["double"]),
    ("double", &[]),
    ("decimal", &[]),
    ("char", &["ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"]),
];

/// Other types of the library without subtypes.
const CLOSED: [&str; 13] = [
    "bool",
    "string",
    "CancellationToken",
    "DateTime",
    "DateTimeOffset",
    "Guid",
    "IntPtr",
    "ReadOnlyMemory",
    "ReadOnlySpan",
    "Span",
    "TimeSpan",
    "ValueTask",
    TypeHint::TUPLE,
];

const DELEGATES: [&str; 7] =
    ["Action", "Comparison", "Converter", "EventHandler", "Expression", "Func", "Predicate"];

fn number(name: &str) -> Option<&'static [&'static str]> {
    NUMBERS.iter().find(|(it, _)| *it == name).map(|(_, wider)| *wider)
}

fn is_closed(name: &str) -> bool {
    number(name).is_some() || CLOSED.contains(&name) || DELEGATES.contains(&name)
}

/// Returns true for a type of the library that is no function type.
fn is_data(name: &str) -> bool {
    is_closed(name) || is_interface(name) || matches!(name, "object" | TypeHint::SLICE)
}

/// Returns true for the name of an interface, by convention.
fn is_interface(name: &str) -> bool {
    name.strip_prefix('I').is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// Returns the conversion of a number to another type of the library, given the types `wider` than its own.
fn number_conversion(own: &str, wider: &[&str], other: &str) -> Conversion {
    match other {
        _ if wider.contains(&other) => Some(TO_BASE),
        // A constant converts to each type that has its value.
        _ if own == "int" && number(other).is_some() && other != "char" => Some(UNLIKELY),
        "IComparable" | "IConvertible" | "IEquatable" | "IFormattable" | "ValueType" => Some(TO_OBJECT),
        _ => None,
    }
}

/// Returns true if the name of a type of the library excludes that it is derived from another one.
fn is_unrelated(own: &str, other: &str) -> bool {
    let is_as_general = |(own, other)| own <= other;
    is_task(own)
        || is_closed(other)
        // An interface extends interfaces only.
        || (is_closed(own) || is_interface(own)) && !is_interface(other)
        || own.ends_with("Exception") != other.ends_with("Exception")
        || collection_rank(own).zip(collection_rank(other)).is_some_and(is_as_general)
}

/// Types of the library whose values are never missing.
const VALUES: [&str; 16] = [
    "bool",
    "BigInteger",
    "CancellationToken",
    "DateOnly",
    "DateTime",
    "DateTimeOffset",
    "Guid",
    "IntPtr",
    "KeyValuePair",
    "ReadOnlyMemory",
    "ReadOnlySpan",
    "Span",
    "TimeOnly",
    "TimeSpan",
    "ValueTask",
    TypeHint::TUPLE,
];

/// Returns the number of collection interfaces that one of them extends; `None` for other types.
fn collection_rank(name: &str) -> Option<u8> {
    match name {
        "IEnumerable" | "IEnumerator" => Some(0),
        "ICollection" | "IReadOnlyCollection" => Some(1),
        "IList" | "IReadOnlyList" | "ISet" | "IDictionary" | "IReadOnlyDictionary" => Some(2),
        _ => None,
    }
}

impl<'a> Linker<'a> {
    /// Returns true for a type whose values are never missing.
    pub(super) fn is_value_type(&self, ty: &Ty<'a>) -> bool {
        match ty {
            Ty::Of(ty, _) => matches!(self.symbol(*ty).kind, SymbolKind::Struct | SymbolKind::Enum),
            Ty::Outside(name, _) => number(name).is_some() || VALUES.contains(name),
            Ty::Parameter(owner, name) => {
                let own = self.symbol(*owner).type_parameters.iter().find(|it| *it.name == **name);
                let bounds = own.and_then(|it| it.constraint.as_deref()).unwrap_or_default();
                bounds.split(',').any(|bound| matches!(bound.trim(), "struct" | "unmanaged"))
            }
            _ => false,
        }
    }

    /// Returns the conversion of an argument to the type of a parameter.
    pub(super) fn conversion(&self, argument: &Ty<'a>, parameter: &Ty<'a>) -> Conversion {
        if !self.typed.step() {
            return Some(PERHAPS);
        }
        match (argument, parameter) {
            (Ty::Unknown, _) | (_, Ty::Unknown) => Some(PERHAPS),
            (argument, parameter) if argument == parameter => Some(SAME),
            // A parameter has a type of its own.
            (_, Ty::Literal(..) | Ty::Functions(_)) => None,
            (Ty::Literal(..), _) => self.literal_conversion(argument, parameter),
            (Ty::Functions(methods), _) => self.method_group_conversion(methods, parameter),
            (Ty::Outside(TypeHint::NULL, _), _) => self.null_conversion(parameter),
            (Ty::Outside(TypeHint::NEW, _), _) => self.new_conversion(parameter),
            (Ty::Outside(TypeHint::VOID, _), _) => None,
            (Ty::Outside(TypeHint::NEVER, _), _) => Some(PERHAPS),
            (_, Ty::Outside("object" | "dynamic", _)) => Some(TO_OBJECT),
            _ => self.typed_conversion(argument, parameter),
        }
    }

    /// Returns the conversion of the functions of a name, one of which has to fit.
    fn method_group_conversion(&self, methods: &[Decl], parameter: &Ty<'a>) -> Conversion {
        match (self.signature(parameter), parameter) {
            (Some((parameters, _)), _) => {
                let fits = |it: &Decl| self.symbol(*it).parameters.len() == parameters.len();
                methods.iter().any(fits).then_some(TO_BASE)
            }
            (None, Ty::Outside("Delegate" | "MulticastDelegate", _)) => Some(TO_OBJECT),
            (None, Ty::Outside(name, _)) if is_data(name) => None,
            (None, _) => Some(UNLIKELY),
        }
    }

    /// Returns the conversion of `null`.
    fn null_conversion(&self, parameter: &Ty<'a>) -> Conversion {
        match parameter {
            Ty::Outside("object", _) => Some(TO_OBJECT),
            parameter if self.is_value_type(parameter) => None,
            _ => Some(TO_BASE),
        }
    }

    /// Returns the conversion of `new()`, an instance of the type that its place requires.
    fn new_conversion(&self, parameter: &Ty<'a>) -> Conversion {
        match parameter {
            Ty::Outside("object", _) => Some(UNLIKELY),
            Ty::Outside(name, _) if is_data(name) => None,
            Ty::Parameter(..) => None,
            Ty::Of(ty, _) if self.symbol(*ty).kind == SymbolKind::Interface => None,
            _ => Some(TO_BASE),
        }
    }

    /// Returns the conversion of an argument that has a type of its own to a different one.
    fn typed_conversion(&self, argument: &Ty<'a>, parameter: &Ty<'a>) -> Conversion {
        match (argument, parameter) {
            (Ty::Outside(TypeHint::NULLABLE, own), Ty::Outside(TypeHint::NULLABLE, wanted)) => {
                self.conversion(&own[0], &wanted[0]).map(|it| it.min(TO_BASE))
            }
            (_, Ty::Outside(TypeHint::NULLABLE, wanted)) => {
                self.conversion(argument, &wanted[0]).map(|it| it.min(TO_BASE))
            }
            (Ty::Outside(TypeHint::NULLABLE, _), Ty::Outside(name, _)) if is_interface(name) => Some(PERHAPS),
            (Ty::Outside(TypeHint::NULLABLE, _), _) => None,
            (Ty::Outside("dynamic", _), _) => Some(PERHAPS),
            (_, Ty::Parameter(..)) => self.supertypes_of(argument).contains(parameter).then_some(TO_BASE),
            (Ty::Parameter(..), _) => self.derived_conversion(argument, parameter),
            (Ty::Of(own, arguments), Ty::Of(other, wanted)) if own == other => {
                self.arguments_conversion(arguments, wanted)
            }
            (Ty::Of(..), _) => {
                self.derived_conversion(argument, parameter).or_else(|| self.operator(argument, parameter))
            }
            (Ty::Outside(..), Ty::Of(..)) => self.operator(argument, parameter),
            (Ty::Outside(own, arguments), Ty::Outside(other, wanted)) => {
                if own == other {
                    self.arguments_conversion(arguments, wanted)
                } else {
                    self.outside_conversion(argument, own, other, parameter)
                }
            }
            // The others have no type of their own.
            _ => None,
        }
    }

    /// Returns the conversion between instances of one generic type.
    fn arguments_conversion(&self, arguments: &[Ty<'a>], wanted: &[Ty<'a>]) -> Conversion {
        if arguments.len() != wanted.len() {
            return None;
        }
        let mut worst = SAME;
        for (argument, wanted) in arguments.iter().zip(wanted) {
            // A container of numbers is none of objects.
            let is_value = |ty: &Ty<'a>| self.is_value_type(ty) || ty.is(TypeHint::NULLABLE);
            if argument != wanted && !argument.is_open() && !wanted.is_open() {
                let is_tuple = |ty: &Ty<'a>| !ty.arguments().is_empty() && !ty.is(TypeHint::NULLABLE);
                if (is_value(argument) || is_value(wanted)) && !(is_tuple(argument) && is_tuple(wanted)) {
                    return None;
                }
            }
            let known = self.conversion(argument, wanted).or_else(|| self.conversion(wanted, argument))?;
            worst = worst.min(if argument == wanted { SAME } else { known.min(TO_BASE) });
        }
        Some(worst)
    }

    /// Returns the conversion to a supertype.
    fn derived_conversion(&self, argument: &Ty<'a>, parameter: &Ty<'a>) -> Conversion {
        let supertypes = self.supertypes_of(argument);
        let found = supertypes.iter().find_map(|ty| match (ty, parameter) {
            (Ty::Of(own, arguments), Ty::Of(other, wanted)) if own == other => {
                self.arguments_conversion(arguments, wanted)
            }
            (Ty::Outside(own, arguments), Ty::Outside(other, wanted)) => {
                if own == other {
                    self.arguments_conversion(arguments, wanted)
                } else {
                    self.outside_conversion(ty, own, other, parameter).filter(|it| *it > PERHAPS)
                }
            }
            _ => None,
        });
        let is_open = || supertypes.iter().any(|ty| matches!(ty, Ty::Outside(..) | Ty::Unknown));
        match (found, parameter) {
            (Some(found), _) => Some(found.min(TO_BASE)),
            // A base outside of the project has bases of its own.
            (None, Ty::Outside(name, _)) if !is_closed(name) && *name != TypeHint::SLICE && is_open() => {
                Some(PERHAPS)
            }
            (None, Ty::Outside(name, _)) => {
                let kind = match argument {
                    Ty::Of(ty, _) => Some(self.symbol(*ty).kind),
                    _ => None,
                };
                let is_value = matches!(kind, Some(SymbolKind::Enum | SymbolKind::Struct));
                match *name {
                    "Enum" => (kind == Some(SymbolKind::Enum)).then_some(TO_BASE),
                    "ValueType" => is_value.then_some(TO_BASE),
                    "Delegate" => (kind == Some(SymbolKind::TypeAlias)).then_some(TO_BASE),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the conversion by an operator that one of two types declares.
    fn operator(&self, argument: &Ty<'a>, parameter: &Ty<'a>) -> Conversion {
        [argument, parameter].into_iter().find_map(|ty| {
            let Ty::Of(declared, _) = ty else { return None };
            let facts = self.context.facts(declared.file);
            let has_any =
                facts.children(declared.symbol).any(|member| converts_implicitly(&facts.symbols[member]));
            has_any.then_some(UNLIKELY)
        })
    }

    /// Returns the conversion between different types of the library.
    fn outside_conversion(
        &self,
        argument: &Ty<'a>,
        own: &str,
        other: &str,
        parameter: &Ty<'a>,
    ) -> Conversion {
        let element = || {
            let (held, wanted) = (self.element_type(argument), parameter.argument(0));
            if parameter.arguments().len() == 1 {
                self.arguments_conversion(&[held], &[wanted])
            } else {
                Some(SAME)
            }
        };
        if let Some(wider) = number(own) {
            return number_conversion(own, wider, other);
        }
        match (own, other) {
            ("string", "IEnumerable") => element().map(|_| TO_OBJECT),
            ("string", "IComparable" | "IConvertible" | "IEquatable" | "ICloneable") => Some(TO_OBJECT),
            ("string", "ReadOnlySpan" | "FormattableString" | "StringValues") => Some(UNLIKELY),
            (TypeHint::SLICE, "Array" | "IStructuralEquatable") => Some(TO_OBJECT),
            (
                TypeHint::SLICE,
                "IEnumerable"
                | "IList"
                | "ICollection"
                | "IReadOnlyList"
                | "IReadOnlyCollection"
                | "Span"
                | "ReadOnlySpan"
                | "Memory"
                | "ReadOnlyMemory"
                | "ArraySegment",
            ) => element().map(|it| it.min(TO_BASE)),
            (TypeHint::SLICE, _) | (_, TypeHint::SLICE) => None,
            ("Task", "IAsyncResult") => Some(TO_BASE),
            (own, "Exception" | "SystemException") if own.ends_with("Exception") => Some(TO_BASE),
            _ if is_unrelated(own, other) => None,
            _ if is_interface(other) && [own, other].iter().all(|it| self.held_by(it).is_some()) => {
                element().map(|it| it.min(TO_BASE))
            }
            _ => Some(PERHAPS),
        }
    }

    /// Returns the conversion of a function literal to a function type.
    fn literal_conversion(&self, literal: &Ty<'a>, parameter: &Ty<'a>) -> Conversion {
        let Ty::Literal(own, _, place) = literal else { return None };
        let Some((parameters, returned)) = self.signature(parameter) else {
            return match parameter {
                Ty::Outside("Delegate" | "MulticastDelegate", _) => Some(TO_OBJECT),
                Ty::Outside(name, _) if is_data(name) => None,
                // A function type whose declaration is not part of the project.
                Ty::Outside(..) => Some(UNLIKELY),
                _ => None,
            };
        };
        if own.len() != parameters.len() {
            return None;
        }
        for (written, wanted) in own.iter().zip(&parameters) {
            if *written != TypeHint::Unknown {
                let written = self.type_of_hint(*place, written);
                self.arguments_conversion(&[written], std::slice::from_ref(wanted))?;
            }
        }
        self.result_conversion(literal, &returned)
    }

    /// Returns the conversion of the result of a function literal to that of a function type.
    fn result_conversion(&self, literal: &Ty<'a>, returned: &Ty<'a>) -> Conversion {
        let Ty::Literal(_, hint, place) = literal else { return None };
        let asynchronous = match hint {
            TypeHint::Generic(name, inner) if name.name() == TypeHint::ASYNC => inner.first(),
            _ => None,
        };
        let wants_nothing = returned.is(TypeHint::VOID);
        if let Some(value) = asynchronous {
            let shape = ResultShape::of(value);
            return match returned {
                _ if wants_nothing => Some(PERHAPS + 1),
                Ty::Outside(name, arguments) if is_task(name) => match arguments.first() {
                    None if shape.may_be_nothing => Some(TO_BASE),
                    None => None,
                    Some(_) if !shape.may_be_value => None,
                    Some(wanted) => self.value_conversion(*place, value, wanted),
                },
                Ty::Unknown | Ty::Parameter(..) => Some(PERHAPS),
                Ty::Of(..) => Some(UNLIKELY),
                _ => None,
            };
        }
        let shape = ResultShape::of(hint);
        match (wants_nothing, shape.may_be_nothing, shape.may_be_value) {
            (true, true, _) => Some(TO_BASE),
            (true, false, _) => None,
            (false, _, false) => None,
            (false, _, true) => self.value_conversion(*place, hint, returned),
        }
    }

    fn value_conversion(&self, place: HintScope, hint: &'a TypeHint, wanted: &Ty<'a>) -> Conversion {
        let value = self.type_of_hint(place, hint);
        if value.is(TypeHint::VOID) {
            return None;
        }
        let is_nothing_known = value == Ty::Unknown;
        match self.conversion(&value, wanted) {
            Some(_) if is_nothing_known => Some(PERHAPS),
            Some(SAME) => Some(SAME),
            Some(found) => Some(found.min(TO_BASE)),
            // The types of the parameters may not be known yet.
            None if value.is_open() => Some(UNLIKELY),
            None => None,
        }
    }
}

/// Ways in which a function literal may end.
struct ResultShape {
    may_be_nothing: bool,
    may_be_value: bool,
}

impl ResultShape {
    fn of(hint: &TypeHint) -> Self {
        let is = |hint: &TypeHint, name: &str| matches!(hint, TypeHint::Named(it) if it.name() == name && it.path.len() == 1);
        if is(hint, TypeHint::VOID) {
            return Self { may_be_nothing: true, may_be_value: false };
        }
        if is(hint, TypeHint::NEVER) {
            return Self { may_be_nothing: true, may_be_value: true };
        }
        let drops =
            matches!(hint, TypeHint::OneOf(hints) if hints.iter().any(|hint| is(hint, TypeHint::VOID)));
        Self { may_be_nothing: drops, may_be_value: true }
    }
}
