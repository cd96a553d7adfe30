//! Members of types outside of the project, as far as their names give their types.

use std::rc::Rc;

use sscg_core::{Confidence, TypeHint};

use super::Ty;
use crate::link::languages::{ContainerMethod, GlobalType};
use crate::link::resolve::Linker;
use crate::link::resolve::shape::HintScope;

/// Types with only static members.
const STATIC_CLASSES: [&str; 16] = [
    "Activator",
    "BitConverter",
    "Buffer",
    "Console",
    "Convert",
    "Debug",
    "Directory",
    "Enumerable",
    "Environment",
    "File",
    "GC",
    "Interlocked",
    "Marshal",
    "Math",
    "Path",
    "Volatile",
];

/// Methods of text that return text.
const OF_TEXT: [&str; 15] = [
    "Concat",
    "Format",
    "Insert",
    "Join",
    "PadLeft",
    "PadRight",
    "Remove",
    "Replace",
    "Substring",
    "ToLower",
    "ToLowerInvariant",
    "ToUpper",
    "ToUpperInvariant",
    "Trim",
    "TrimEnd",
];

/// Containers whose values are pairs of a key and a value.
const MAPS: [&str; 6] = [
    "ConcurrentDictionary",
    "Dictionary",
    "IDictionary",
    "IReadOnlyDictionary",
    "SortedDictionary",
    "SortedList",
];

/// Other types that have a number of elements.
const COUNTED: [&str; 13] = [
    "Array",
    "ArrayList",
    "BitArray",
    "Hashtable",
    "ICollection",
    "IList",
    "Memory",
    "ReadOnlyMemory",
    "ReadOnlySpan",
    "Span",
    "StringBuilder",
    "string",
    TypeHint::SLICE,
];

/// Returns true for a type whose values wait for others.
pub(super) fn is_task(name: &str) -> bool {
    matches!(name, "Task" | "ValueTask")
}

/// Returns the result of a method whose name determines it, whatever the type of the value.
fn result_by_convention(method: &str) -> Option<&'static str> {
    Some(match method {
        "ToString" => "string",
        "GetHashCode" | "CompareTo" | "IndexOf" | "Count" => "int",
        "Equals" | "Contains" | "StartsWith" | "EndsWith" | "Any" | "All" | "IsNullOrEmpty"
        | "ContainsKey" => "bool",
        "GetType" => "Type",
        _ => return None,
    })
}

impl<'a> Linker<'a> {
    /// Returns what iterating over a value yields, or what waiting for it does.
    pub(super) fn element_type(&self, many: &Ty<'a>) -> Ty<'a> {
        match many {
            Ty::Outside(name, arguments) if is_task(name) => {
                arguments.first().cloned().unwrap_or_else(|| Ty::named(TypeHint::VOID))
            }
            Ty::Outside("string", _) => Ty::named("char"),
            Ty::Outside(name, arguments) if MAPS.contains(name) => {
                Ty::Outside("KeyValuePair", Rc::clone(arguments))
            }
            Ty::Outside(name, arguments) => match self.held_by(name) {
                Some(at) => arguments.get(at).cloned().unwrap_or(Ty::Unknown),
                None => Ty::Unknown,
            },
            Ty::Of(..) | Ty::Parameter(..) => {
                let supertypes = self.supertypes_of(many);
                let container = supertypes.iter().find(|ty| match ty {
                    Ty::Outside(name, _) => {
                        MAPS.contains(name) || is_task(name) || self.held_by(name).is_some()
                    }
                    _ => false,
                });
                container.map_or(Ty::Unknown, |container| self.element_type(container))
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns the position of the type argument whose values a container holds.
    pub(super) fn held_by(&self, name: &str) -> Option<usize> {
        match self.rules(self.typed.file.get()?).global_type(name)? {
            GlobalType::Holds(at) => Some(usize::from(at)),
            GlobalType::Same | GlobalType::Result => None,
        }
    }

    /// Returns what an index selects from a value.
    pub(super) fn indexed_type(&self, many: &Ty<'a>) -> Ty<'a> {
        match many {
            Ty::Outside("string", _) => Ty::named("char"),
            Ty::Outside(name, arguments) => match self.held_by(name) {
                Some(at) => arguments.get(at).cloned().unwrap_or(Ty::Unknown),
                None => Ty::Unknown,
            },
            _ => self.field_of(many, "[]").unwrap_or(Ty::Unknown),
        }
    }

    /// Returns the type of a member of a member of a type outside of the project.
    pub(super) fn along_outside(&self, name: &'a str, path: &'a [Box<str>]) -> Ty<'a> {
        let Some((first, rest)) = path.split_first() else { return Ty::named(name) };
        // A static property or constant most often is of its own type.
        let own = match (name, &**first) {
            _ if STATIC_CLASSES.contains(&name) => Ty::Unknown,
            ("Environment", "NewLine") => Ty::named("string"),
            ("Task", "CompletedTask") => Ty::named("Task"),
            // The first segments may be those of a namespace.
            _ if !rest.is_empty() => return self.along_outside(super::normalized(first), rest),
            _ => {
                self.typed.depend_on(Confidence::Inferred);
                Ty::named(name)
            }
        };
        if rest.is_empty() { own } else { Ty::Unknown }
    }

    /// Returns the type of a property of a value of a type outside of the project.
    pub(super) fn outside_member(&self, of: &Ty<'a>, name: &str) -> Ty<'a> {
        let Ty::Outside(ty, arguments) = of else { return Ty::Unknown };
        match (*ty, name) {
            (TypeHint::NULLABLE, "Value") => of.argument(0),
            (_, "HasValue") => Ty::named("bool"),
            (TypeHint::TUPLE | "Tuple", _) => {
                let place = name.strip_prefix("Item").and_then(|at| at.parse::<usize>().ok());
                place.and_then(|at| arguments.get(at.checked_sub(1)?).cloned()).unwrap_or(Ty::Unknown)
            }
            ("KeyValuePair" | "IGrouping", "Key") => of.argument(0),
            (_, "Count" | "Length") if self.has_count(ty) => Ty::named("int"),
            ("CancellationTokenSource", "Token") => Ty::named("CancellationToken"),
            ("Exception", "InnerException") => Ty::named("Exception"),
            (_, "Message" | "StackTrace") if ty.ends_with("Exception") => Ty::named("string"),
            (_, "Keys") if MAPS.contains(ty) => Ty::outside("ICollection", [of.argument(0)]),
            (_, "Values") if MAPS.contains(ty) => Ty::outside("ICollection", [of.argument(1)]),
            (_, "Result" | "Value" | "Current" | "Target") => self.element_type_of(of),
            _ => Ty::Unknown,
        }
    }

    /// Returns true for a type whose number of elements is a property of it.
    fn has_count(&self, ty: &str) -> bool {
        COUNTED.contains(&ty) || MAPS.contains(&ty) || self.held_by(ty).is_some_and(|_| !is_task(ty))
    }

    /// Returns the type of the value that a container holds.
    fn element_type_of(&self, of: &Ty<'a>) -> Ty<'a> {
        let Ty::Outside(name, arguments) = of else { return Ty::Unknown };
        self.held_by(name).and_then(|at| arguments.get(at).cloned()).unwrap_or(Ty::Unknown)
    }

    /// Returns the result of a method of a value, or of a type, outside of the project.
    pub(super) fn outside_result(
        &self,
        place: HintScope,
        of: &Ty<'a>,
        method: &str,
        arguments: &[Ty<'a>],
    ) -> Ty<'a> {
        if let Some(result) = result_by_convention(method) {
            return Ty::named(result);
        }
        if method == "GetAwaiter" {
            return of.clone();
        }
        let Ty::Outside(ty, _) = of else { return Ty::Unknown };
        let first = || arguments.first().cloned().unwrap_or(Ty::Unknown);
        let element = || self.element_type(of);
        match (*ty, method) {
            (TypeHint::NULLABLE, "GetValueOrDefault") => return of.argument(0),
            ("string", method) if OF_TEXT.contains(&method) => return Ty::named("string"),
            ("string", "ToCharArray") => return Ty::outside(TypeHint::SLICE, [Ty::named("char")]),
            ("Task" | "ValueTask", "FromResult") => return Ty::outside(ty, [first()]),
            ("Task", "Delay" | "Yield") => return Ty::named("Task"),
            ("Tuple", "Create") => return Ty::Outside("Tuple", arguments.into()),
            (_, "ToArray") => return Ty::outside(TypeHint::SLICE, [element()]),
            (_, "ToList") => return Ty::outside("List", [element()]),
            (_, "ToHashSet") => return Ty::outside("HashSet", [element()]),
            (_, "Select") => return Ty::outside("IEnumerable", [self.literal_result(&first())]),
            _ => {}
        }
        match self.rules(place.file).container_method(method) {
            Some(ContainerMethod::Element) => self.element_type_of(of),
            Some(ContainerMethod::Same) if is_task(ty) || method.starts_with("As") => of.clone(),
            Some(ContainerMethod::Same) => Ty::outside("IEnumerable", [element()]),
            None => Ty::Unknown,
        }
    }

    /// Returns the result of a static method of a type outside of the project, which most often makes a value of it.
    pub(super) fn outside_static_result(&self, ty: &'a str, method: &str) -> Ty<'a> {
        const MAKERS: [&str; 5] = ["From", "Create", "New", "Parse", "Get"];
        let makes_own = MAKERS.iter().any(|prefix| method.starts_with(prefix));
        if !makes_own || STATIC_CLASSES.contains(&ty) {
            return Ty::Unknown;
        }
        self.typed.depend_on(Confidence::Inferred);
        Ty::named(ty)
    }
}
