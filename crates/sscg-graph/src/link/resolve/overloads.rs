//! Choice among functions of one name by the types of the arguments.

use std::cell::Cell;

use sscg_core::{Confidence, Head, Modifiers, ModuleSystem, NameRef, SymbolKind, TypeHint};

use super::choose::same_parameters;
use super::shape::{HintScope, Shape};
use super::{Linker, Resolution};
use crate::link::signature;
use crate::link::tables::Decl;

/// Type of an argument or parameter, as far as it decides between functions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    Declared(Decl),
    /// Type outside of the project, by its path.
    Outside(String),
    Array(Box<Given>),
    /// Type parameter, which takes any object.
    Any,
}

impl Given {
    fn is_primitive(&self) -> bool {
        matches!(self, Self::Outside(path) if primitive(path).is_some())
    }
}

/// Primitive types, each with those to which it widens, nearest first, and its boxed form.
const PRIMITIVES: &[(&str, &[&str], &str)] = &[
    ("byte", &["short", "int", "long", "float", "double"], "java.lang.Byte"),
    ("short", &["int", "long", "float", "double"], "java.lang.Short"),
    ("char", &["int", "long", "float", "double"], "java.lang.Character"),
    ("int", &["long", "float", "double"], "java.lang.Integer"),
    ("long", &["float", "double"], "java.lang.Long"),
    ("float", &["double"], "java.lang.Float"),
    ("double", &[], "java.lang.Double"),
    ("boolean", &[], "java.lang.Boolean"),
];

/// Types of the library whose supertypes are only those of [`FINAL_BASES`] and the object type.
const FINAL: &[&str] = &["java.lang.String", "java.lang.Class"];
const FINAL_BASES: &[(&str, &[&str])] = &[
    ("java.lang.String", &["java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable"]),
    (
        "java.lang.Class",
        &["java.lang.reflect.Type", "java.lang.reflect.AnnotatedElement", "java.io.Serializable"],
    ),
];

/// Fit of an argument to a parameter; `None` if it cannot be passed. Higher is better.
type Fit = Option<u32>;

const SAME: u32 = 100;
const SUBTYPE: u32 = 60;
/// Fit of a template's parameter that takes the argument's type.
const DEDUCED: u32 = 55;
const WIDENED: u32 = 50;
const CONVERTED: u32 = 20;
const BOXED: u32 = 20;
const ANY_OBJECT: u32 = 5;
/// Fit of types whose relation is unknown.
const PERHAPS: u32 = 10;
const UNLIKELY: u32 = 2;
/// Fit of an argument of an unknown type.
const UNKNOWN: u32 = 9;

fn primitive(path: &str) -> Option<&'static (&'static str, &'static [&'static str], &'static str)> {
    PRIMITIVES.iter().find(|(name, ..)| *name == path)
}

/// Returns true for a type outside of the project that no declaration extends, and that extends none.
fn is_closed(path: &str) -> bool {
    primitive(path).is_some() || FINAL.contains(&path)
}

impl<'a> Linker<'a> {
    /// Selects the functions whose parameters fit the arguments of a call best. Functions that fit equally well remain. The
    /// choice is inferred if the type of an argument or its relation to a parameter is unknown.
    pub(super) fn by_types(
        &self,
        place: HintScope,
        functions: Vec<Decl>,
        arguments: &'a [TypeHint],
    ) -> Vec<Decl> {
        if functions.len() < 2 || arguments.is_empty() {
            return functions;
        }
        let arguments: Vec<Option<Given>> =
            arguments.iter().map(|hint| self.given(place, hint, super::DEPTH / 2)).collect();
        let is_unsure = Cell::new(false);
        let noted = |fit: Fit| {
            let is_unknown = matches!(fit, Some(PERHAPS | UNLIKELY | UNKNOWN));
            is_unsure.set(is_unsure.get() || is_unknown);
            fit
        };
        let fit = |function: &Decl| -> Fit {
            let symbol = self.symbol(*function);
            let is_variadic = symbol.modifiers.contains(Modifiers::VARIADIC);
            let last = symbol.parameters.len().checked_sub(1)?;
            let fits = arguments.iter().enumerate().map(|(at, argument)| {
                let parameter = self.given_parameter(*function, at.min(last));
                let (Some(argument), Some(parameter)) = (argument, &parameter) else {
                    // A value of an unknown type is more likely one that a template takes.
                    let is_known = parameter.as_ref().is_some_and(|it| *it != Given::Any);
                    let is_deduced = self.converts_values() && parameter.is_some() && !is_known;
                    noted(Some(UNKNOWN));
                    return Some(if is_deduced { DEDUCED } else { PERHAPS - u32::from(is_known) });
                };
                let fit = self.fit(argument, parameter);
                noted(match argument {
                    Given::Array(element) if is_variadic && at == last => {
                        fit.max(self.fit(element, parameter))
                    }
                    _ => fit,
                })
            });
            let fits: Option<u32> = fits.sum();
            // A function that takes any number of arguments is the last choice.
            fits.map(|fits| fits.saturating_sub(u32::from(is_variadic)))
        };
        let fits: Vec<(Fit, Decl)> = functions.iter().map(|it| (fit(it), *it)).collect();
        if fits.iter().filter(|(fit, _)| fit.is_some()).count() > 1 && is_unsure.get() {
            self.depend_on(Confidence::Inferred);
        }
        match fits.iter().filter_map(|(fit, _)| *fit).max() {
            Some(best) => fits.into_iter().filter(|(fit, _)| *fit == Some(best)).map(|(_, it)| it).collect(),
            None => functions,
        }
    }

    /// Returns the type of a parameter, with a cache: the calls of a file look at the same functions often.
    fn given_parameter(&self, function: Decl, at: usize) -> Option<Given> {
        let known = self.parameters.borrow().get(&(function, at)).cloned();
        let (found, types) = known.unwrap_or_else(|| {
            let before = self.types.replace(Confidence::Exact);
            let scope = HintScope { file: function.file, from: Some(function.symbol) };
            let parameter = self.symbol(function).parameters.get(at);
            let found = parameter.and_then(|it| self.given(scope, it, super::DEPTH / 2));
            let types = self.types.replace(before);
            // A lookup that ran out of steps is not cached: earlier ones may have used them.
            if self.steps.get() > 0 {
                self.parameters.borrow_mut().insert((function, at), (found.clone(), types));
            }
            (found, types)
        });
        self.depend_on(types);
        found
    }

    /// Returns the type that a hint describes.
    fn given(&self, place: HintScope, hint: &'a TypeHint, depth: u32) -> Option<Given> {
        let depth = depth.checked_sub(1)?;
        let written = |name: &'a sscg_core::NameRef| {
            if name.head == Head::TypeParameter {
                return Some(Given::Any);
            }
            match self.name(place.file, place.from, name, sscg_core::Relation::UsesType, depth).ok()? {
                (Resolution::Symbols(types), _) => {
                    match self.narrow(types, sscg_core::Relation::UsesType)[..] {
                        [only] => Some(Given::Declared(only)),
                        _ => None,
                    }
                }
                (Resolution::External(path, _), _) => Some(Given::Outside(path)),
                _ => None,
            }
        };
        match hint {
            TypeHint::Generic(name, elements) if name.name() == TypeHint::SLICE => {
                Some(Given::Array(Box::new(self.given(place, elements.first()?, depth)?)))
            }
            TypeHint::Named(name) | TypeHint::Generic(name, _) => written(name),
            TypeHint::Value(name) | TypeHint::Result(name) => {
                let is_call = matches!(hint, TypeHint::Result(_));
                let relation =
                    if is_call { sscg_core::Relation::Calls } else { sscg_core::Relation::References };
                let (found, _) = self.name(place.file, place.from, name, relation, depth).ok()?;
                let Resolution::Symbols(found) = self.narrowed(found, relation) else { return None };
                let mut types = found.iter().map(|it| self.given_by(*it, depth));
                let first = types.next()??;
                types.all(|it| it.as_ref() == Some(&first)).then_some(first)
            }
            _ => match self.hinted(place, hint, depth).ok()?.0[..] {
                [Shape::Declared(only)] => Some(Given::Declared(only)),
                _ => None,
            },
        }
    }

    /// Returns the type of the value that a declaration holds or returns.
    fn given_by(&self, declaration: Decl, depth: u32) -> Option<Given> {
        let symbol = self.symbol(declaration);
        match symbol.kind {
            kind if kind.is_type() => Some(Given::Declared(declaration)),
            SymbolKind::EnumMember => Some(Given::Declared(self.context.parent(declaration)?)),
            _ => {
                let place = HintScope { file: declaration.file, from: Some(declaration.symbol) };
                // A type parameter of the function or its type stands for a type that is not known here.
                self.given(place, symbol.ty.as_ref()?, depth).filter(|it| *it != Given::Any)
            }
        }
    }

    fn fit(&self, argument: &Given, parameter: &Given) -> Fit {
        if argument == parameter {
            return Some(SAME);
        }
        if self.converts_values() {
            return Some(self.fit_by_conversion(argument, parameter));
        }
        match (argument, parameter) {
            // A primitive value is boxed first.
            (_, Given::Any) => Some(ANY_OBJECT - u32::from(argument.is_primitive())),
            (Given::Any, _) => (!parameter.is_primitive()).then_some(PERHAPS),
            (_, Given::Outside(path)) if path == "java.lang.Object" => {
                Some(ANY_OBJECT - u32::from(argument.is_primitive()))
            }
            // Elements of an array are not converted.
            (Given::Array(argument), Given::Array(parameter)) => {
                let is_primitive = argument.is_primitive() || parameter.is_primitive();
                if is_primitive { None } else { self.fit(argument, parameter) }
            }
            (Given::Array(_), _) | (_, Given::Array(_)) => None,
            (Given::Outside(argument), Given::Outside(parameter)) => fit_outside(argument, parameter),
            (Given::Declared(argument), Given::Declared(parameter)) => {
                let ancestors = self.ancestors(*argument).unwrap_or_default();
                let distance = ancestors.iter().position(|ancestor| ancestor.ty == *parameter)?;
                Some(SUBTYPE.saturating_sub(distance as u32))
            }
            (Given::Declared(_), Given::Outside(path)) => (!is_closed(path)).then_some(PERHAPS),
            // Code outside of the project seldom extends its types.
            (Given::Outside(path), Given::Declared(_)) => (!is_closed(path)).then_some(UNLIKELY),
        }
    }
}

impl Linker<'_> {
    /// Selects a method by the constness of the receiver, where others differ from it only in their own: a constant method
    /// calls a constant one, other code most likely the one that is not.
    pub(super) fn by_constness(&self, place: HintScope, name: &NameRef, functions: Vec<Decl>) -> Vec<Decl> {
        let is_const = |it: &Decl| signature::is_const(self.symbol(*it));
        if functions.len() < 2 || !self.converts_values() {
            return functions;
        }
        let is_own = name.path.len() == 1 && name.head == Head::Free || name.head == Head::SelfType;
        let wants_const = is_own && place.from.is_some_and(|from| is_const(&Decl::new(place.file, from)));
        let is_method = |it: &Decl| self.symbol(*it).kind == SymbolKind::Method;
        let has_other = |it: &Decl| {
            let parameters = |other: &&Decl| same_parameters(self.symbol(**other), self.symbol(*it));
            functions
                .iter()
                .filter(parameters)
                .any(|other| is_method(other) && is_const(other) == wants_const)
        };
        let is_left_out = |it: &Decl| is_method(it) && is_const(it) != wants_const && has_other(it);
        let left: Vec<Decl> = functions.iter().copied().filter(|it| !is_left_out(it)).collect();
        if left.len() < functions.len() {
            self.depend_on(Confidence::Inferred);
        }
        left
    }

    /// Returns true for a language whose types define conversions to and from other types.
    fn converts_values(&self) -> bool {
        let language = self.current.get().map(|file| self.context.language(file));
        language.is_some_and(|it| it.modules == ModuleSystem::Includes)
    }

    /// Returns the fit of an argument to a parameter where most types may be converted. Pointers to a type are not
    /// distinguished from its values.
    fn fit_by_conversion(&self, argument: &Given, parameter: &Given) -> u32 {
        match (argument, parameter) {
            // A value whose type is a parameter of a template may have any type.
            (Given::Any, _) => PERHAPS,
            (_, Given::Any) => DEDUCED,
            (Given::Array(argument), Given::Array(parameter)) if argument == parameter => SAME,
            (Given::Outside(a), Given::Outside(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) if a <= b => WIDENED,
                (Some(_), Some(_)) => CONVERTED,
                _ => PERHAPS,
            },
            (Given::Declared(argument), Given::Declared(parameter)) => {
                let mut ancestors = self.ancestors(*argument).unwrap_or_default().iter();
                match ancestors.position(|ancestor| ancestor.ty == *parameter) {
                    Some(distance) => SUBTYPE.saturating_sub(distance as u32),
                    None => UNLIKELY,
                }
            }
            (Given::Declared(argument), Given::Outside(path)) if number(path).is_some() => {
                if self.symbol(*argument).kind == SymbolKind::Enum { CONVERTED } else { UNLIKELY }
            }
            // Text is often converted.
            (Given::Outside(path), Given::Declared(_)) if path == "char" => PERHAPS,
            (Given::Outside(path), Given::Declared(_)) if number(path).is_some() => UNLIKELY,
            _ => PERHAPS,
        }
    }
}

/// Numeric types of C, narrowest first.
const NUMBERS: &[&str] = &["bool", "char", "short", "int", "unsigned", "long", "size_t", "float", "double"];

/// Returns the position of a type among the numeric ones.
fn number(path: &str) -> Option<usize> {
    NUMBERS.iter().position(|it| *it == path)
}

fn fit_outside(argument: &str, parameter: &str) -> Fit {
    if let Some((_, wider, boxed)) = primitive(argument) {
        if let Some(distance) = wider.iter().position(|it| *it == parameter) {
            return Some(WIDENED - distance as u32);
        }
        let is_number = parameter == "java.lang.Number" && !["char", "boolean"].contains(&argument);
        return match parameter {
            _ if parameter == *boxed => Some(BOXED),
            _ if is_number => Some(BOXED - 1),
            "java.lang.Comparable" | "java.io.Serializable" => Some(ANY_OBJECT),
            _ => None,
        };
    }
    if primitive(parameter).is_some() {
        let unboxed = PRIMITIVES.iter().find(|(_, _, boxed)| *boxed == argument)?;
        if unboxed.0 == parameter {
            return Some(BOXED);
        }
        return unboxed.1.contains(&parameter).then_some(BOXED - 1);
    }
    if let Some((_, bases)) = FINAL_BASES.iter().find(|(name, _)| *name == argument) {
        return bases.contains(&parameter).then_some(SUBTYPE);
    }
    // Only the object type is wider than every other.
    if argument == "java.lang.Object" || FINAL.contains(&parameter) { None } else { Some(PERHAPS) }
}
