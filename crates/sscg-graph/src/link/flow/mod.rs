//! What a call runs where declared types do not say: values are followed back to where they come from.
//!
//! A question starts at what is called and goes against the flow: from a variable to what was assigned, from a
//! parameter to the arguments of the calls that run its function, from a call to what is returned, from a
//! member to the class it is looked up in. Nothing is computed ahead, so a question costs what its answer
//! needs, and a budget ends those that need too much.
//!
//! A thing that the path of the program decides on, or that comes out of code without annotations, is no more
//! than [`Confidence::Inferred`].

mod call;
mod collection;
mod member;
mod parameter;
mod passed;
mod tables;

use std::mem;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    Confidence, FileId, Key, LocalCall, LocalFunction, LocalValue, Relation, Symbol, SymbolKind, Value,
};

use super::resolve::{DEPTH, Found, Linker, Sense, View};
use super::tables::{Decl, Scope};
use crate::graph::Origin;
pub(super) use passed::{FilePassed, Passed, Place, ROUNDS, Round};
pub(super) use tables::FlowTable;

/// What a value may be, with texts as `T`: those of facts, or its own where it outlives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ThingOf<T> {
    /// A function as it is declared.
    Function(Decl),
    /// A function behind its decorators, which are what its name really holds.
    Decorated(Decl),
    /// A function bound to an instance or class, whose class that is.
    Method(Decl, Decl),
    /// A function without a name.
    Lambda(FileId, LocalFunction),
    /// A class; one that extends it unless it is `exact`.
    Class {
        class: Decl,
        exact: bool,
    },
    /// An instance of a class; of one that extends it unless it is `exact`.
    Instance {
        class: Decl,
        exact: bool,
    },
    /// The members that a class inherits.
    Super(Decl),
    /// A file or module.
    Module(Scope),
    /// Something outside the project.
    Outside(String, Origin),
    /// A collection that is written out.
    Collection(FileId, LocalValue),
    /// A type of the standard library with its arguments, and a value of such a type.
    Type(FileId, LocalValue),
    Typed(FileId, LocalValue),
    /// What a generator function returns.
    Generator(Decl),
    /// The other arguments that a parameter takes.
    Rest(FileId, LocalFunction, u8),
    /// The results of calling functions that a call is passed, for each element.
    Mapped(FileId, LocalCall),
    /// What `zip` returns, and one row of it.
    Zipped(FileId, LocalCall),
    Row(FileId, LocalCall),
    /// Pairs of a key or number and an element of a collection, and one of them.
    Pairs(Box<ThingOf<T>>),
    Pair(Box<ThingOf<T>>),
    /// A method of a built-in type, on this value.
    BuiltIn(Box<ThingOf<T>>, T),
    /// A function that returns what it is given.
    Identity,
    /// A string, and one that starts with this.
    Text(T),
    Prefix(T),
}

/// What a value may be.
pub(super) type Thing<'a> = ThingOf<&'a str>;

impl<T> ThingOf<T> {
    /// The same with other texts.
    fn map<'t, U>(&'t self, text: impl Fn(&'t T) -> U + Copy) -> ThingOf<U> {
        let boxed = |thing: &'t Self| Box::new(thing.map(text));
        match self {
            Self::Function(symbol) => ThingOf::Function(*symbol),
            Self::Decorated(symbol) => ThingOf::Decorated(*symbol),
            Self::Method(symbol, class) => ThingOf::Method(*symbol, *class),
            Self::Lambda(file, function) => ThingOf::Lambda(*file, *function),
            Self::Class { class, exact } => ThingOf::Class { class: *class, exact: *exact },
            Self::Instance { class, exact } => ThingOf::Instance { class: *class, exact: *exact },
            Self::Super(class) => ThingOf::Super(*class),
            Self::Module(scope) => ThingOf::Module(*scope),
            Self::Outside(path, origin) => ThingOf::Outside(path.clone(), *origin),
            Self::Collection(file, value) => ThingOf::Collection(*file, *value),
            Self::Type(file, value) => ThingOf::Type(*file, *value),
            Self::Typed(file, value) => ThingOf::Typed(*file, *value),
            Self::Generator(symbol) => ThingOf::Generator(*symbol),
            Self::Rest(file, function, nth) => ThingOf::Rest(*file, *function, *nth),
            Self::Mapped(file, call) => ThingOf::Mapped(*file, *call),
            Self::Zipped(file, call) => ThingOf::Zipped(*file, *call),
            Self::Row(file, call) => ThingOf::Row(*file, *call),
            Self::Pairs(of) => ThingOf::Pairs(boxed(of)),
            Self::Pair(of) => ThingOf::Pair(boxed(of)),
            Self::BuiltIn(object, name) => ThingOf::BuiltIn(boxed(object), text(name)),
            Self::Identity => ThingOf::Identity,
            Self::Text(of) => ThingOf::Text(text(of)),
            Self::Prefix(of) => ThingOf::Prefix(text(of)),
        }
    }
}

/// What a call runs.
#[derive(Default)]
pub(super) struct Callees {
    /// Functions and classes of the project.
    pub(super) inside: Vec<(Decl, Confidence)>,
    /// What is not part of it.
    pub(super) outside: Vec<(String, Origin, Confidence)>,
}

/// Members with the classes that have them.
type OfHeirs = Rc<[(Decl, Decl)]>;

/// Things with how sure each is.
pub(super) type ThingsOf<T> = Vec<(ThingOf<T>, Confidence)>;

/// What a value may be.
pub(super) type Things<'a> = ThingsOf<&'a str>;

/// How many values one question may look at. Most questions with an answer need far fewer, and those without take all:
/// `docs/DECISIONS.md` has what more would find, and cost.
const BUDGET: u32 = 1000;

/// How many things a value may be before it could be anything.
const MAX_THINGS: usize = 256;

/// Looks values up for the questions of one file.
pub(super) struct Evaluator<'l, 'a> {
    linker: &'l Linker<'a>,
    /// What is passed to parameters and attributes.
    passed: &'a Passed,
    /// Values that every question finds the same.
    known: FxHashMap<(FileId, LocalValue), Rc<Things<'a>>>,
    /// Values as the question at hand found them: an end was put to it, or they are made of themselves.
    partly_known: FxHashMap<(FileId, LocalValue), Rc<Things<'a>>>,
    /// Members of the classes that extend a class, by whether nothing above has any.
    of_heirs: FxHashMap<(Decl, &'a str, bool), OfHeirs>,
    /// Whether the value at hand depends on one that is known in part.
    is_part: bool,
    /// The values that are being looked at.
    open: FxHashSet<(FileId, LocalValue)>,
    budget: u32,
    depth: u32,
}

/// How many classes that extend the one at hand are looked at.
const MAX_HEIRS: usize = 64;

/// Of how many of them each is taken to be meant.
const MAX_SURE_HEIRS: usize = 32;

/// How deep one value may be made of others.
const MAX_NESTING: u32 = 96;

impl<'l, 'a> Evaluator<'l, 'a> {
    pub(super) fn new(linker: &'l Linker<'a>) -> Self {
        Self {
            linker,
            passed: linker.found.passed,
            known: FxHashMap::default(),
            partly_known: FxHashMap::default(),
            of_heirs: FxHashMap::default(),
            is_part: false,
            open: FxHashSet::default(),
            budget: BUDGET,
            depth: 0,
        }
    }

    /// Begins with another question.
    fn begin(&mut self) {
        self.budget = BUDGET;
        self.partly_known.clear();
    }

    /// What a call runs; `None` if that is not known.
    pub(super) fn callees(&mut self, file: FileId, call: LocalCall) -> Option<Callees> {
        self.begin();
        let callee = self.flow(file).calls[call].callee;
        let things = self.value(file, callee);
        if things.is_empty() {
            return None;
        }
        let mut callees = Callees::default();
        for (thing, sure) in things.iter() {
            match thing {
                Thing::Function(symbol) | Thing::Method(symbol, _) | Thing::Decorated(symbol) => {
                    callees.inside.push((*symbol, *sure));
                }
                Thing::Class { class, exact } => {
                    callees.inside.push((*class, *sure));
                    let heirs = if *exact { &[] } else { self.linker.heirs(*class) };
                    let sure = sure_of_heirs(heirs.len());
                    callees.inside.extend(heirs.iter().take(MAX_HEIRS).map(|heir| (*heir, sure)));
                }
                Thing::Instance { class, exact } => {
                    for (method, known) in self.instance_member(*class, *exact, "__call__") {
                        if let Thing::Method(symbol, _) = method {
                            callees.inside.push((symbol, known.min(*sure)));
                        }
                    }
                }
                Thing::Outside(path, origin) => {
                    if calls_its_arguments(path) {
                        callees.inside.extend(self.functions_passed(file, call));
                    }
                    callees.outside.push((path.clone(), *origin, *sure));
                }
                _ => {}
            }
        }
        let is_lambda = |(thing, _): &(Thing<'_>, Confidence)| matches!(thing, Thing::Lambda(..));
        if callees.inside.is_empty() && callees.outside.is_empty() && !things.iter().any(is_lambda) {
            return None;
        }
        callees.inside.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        callees.inside.dedup_by_key(|(symbol, _)| *symbol);
        Some(callees)
    }

    fn functions_passed(&mut self, file: FileId, call: LocalCall) -> Vec<(Decl, Confidence)> {
        let mut functions = Vec::new();
        for argument in &self.flow(file).calls[call].arguments {
            for (thing, _) in self.value(file, argument.value).iter() {
                if let Thing::Function(symbol) | Thing::Method(symbol, _) = thing {
                    functions.push((*symbol, Confidence::Inferred));
                }
            }
        }
        functions
    }

    fn flow(&self, file: FileId) -> &'a sscg_core::Flow {
        self.linker.context.flow(file)
    }

    /// What a value may be.
    pub(super) fn value(&mut self, file: FileId, value: LocalValue) -> Rc<Things<'a>> {
        if let Some(known) = self.known.get(&(file, value)) {
            return known.clone();
        }
        if let Some(known) = self.partly_known.get(&(file, value)) {
            self.is_part = true;
            return known.clone();
        }
        if self.budget == 0 || self.depth >= MAX_NESTING || !self.open.insert((file, value)) {
            self.is_part = true;
            return Rc::default();
        }
        let around_is_part = mem::replace(&mut self.is_part, false);
        self.budget -= 1;
        self.depth += 1;
        self.linker.begin();
        let things = self.value_inside(file, value);
        self.depth -= 1;
        self.open.remove(&(file, value));
        let things = Rc::new(merged(things));
        let known = if self.is_part { &mut self.partly_known } else { &mut self.known };
        known.insert((file, value), things.clone());
        self.is_part |= around_is_part;
        things
    }

    fn value_inside(&mut self, file: FileId, value: LocalValue) -> Things<'a> {
        let flow = self.flow(file);
        match &flow.values[value] {
            Value::Unknown => Vec::new(),
            Value::Symbol(symbol) => self.declared(Decl::new(file, *symbol)),
            Value::Import(import) => {
                let local = &*self.linker.context.facts(file).imports[*import].local;
                let found = self.linker.bound(file, *import, local, Sense::Last, &mut Vec::new(), DEPTH);
                found.map_or_else(|_| Vec::new(), |found| self.found(found))
            }
            Value::Free(name) => {
                let scope = Scope::file(file);
                match self.linker.in_scope(scope, name, View::Own, Sense::Last, &mut Vec::new(), DEPTH) {
                    Some(found) => self.found(found),
                    None => match self.linker.rules(file).builtin(name) {
                        Some(path) => {
                            vec![(Thing::Outside(path, Origin::StandardLibrary), Confidence::Exact)]
                        }
                        None => Vec::new(),
                    },
                }
            }
            Value::Parameter(function, nth) => self.parameter(file, *function, *nth),
            Value::Instance(class) => {
                vec![(Thing::Instance { class: Decl::new(file, *class), exact: false }, Confidence::Exact)]
            }
            Value::Class(class) => {
                vec![(Thing::Class { class: Decl::new(file, *class), exact: false }, Confidence::Exact)]
            }
            Value::Super(class) => vec![(Thing::Super(Decl::new(file, *class)), Confidence::Exact)],
            Value::OneOf(values) => self.one_of(file, values),
            Value::Member(object, name) => {
                let mut things = Vec::new();
                for (object, sure) in self.value(file, *object).iter() {
                    things.extend(at_most(self.member(object, name), *sure));
                }
                things
            }
            Value::Element(object, key) => self.element_of(file, *object, key),
            Value::Updated(object, ..) => self.value(file, *object).to_vec(),
            Value::Call(call) => self.result(file, *call),
            Value::Decorated(call, of) => {
                let inner = self.value(file, *of);
                let outer = self.result(file, *call);
                let mut things: Things<'a> =
                    outer.into_iter().filter(|(thing, _)| is_callable(thing)).collect();
                if things.is_empty() {
                    return inner.to_vec();
                }
                if !things.iter().any(|thing| inner.contains(thing)) {
                    let is_declared = matches!(flow.values[*of], Value::Symbol(_));
                    things.extend(inner.iter().filter_map(|(thing, sure)| match thing {
                        Thing::Function(symbol) if is_declared => Some((Thing::Decorated(*symbol), *sure)),
                        Thing::Decorated(_) => Some((thing.clone(), *sure)),
                        _ => None,
                    }));
                }
                things
            }
            Value::Entered(manager) => {
                let mut things = Vec::new();
                for (manager, sure) in self.value(file, *manager).iter() {
                    let entered = match manager {
                        Thing::Instance { class, exact } => self.method_result(*class, *exact, "__enter__"),
                        other => self.element(other, &Key::Any),
                    };
                    things.extend(at_most(entered, *sure));
                }
                things
            }
            Value::Collection(_) => vec![(Thing::Collection(file, value), Confidence::Exact)],
            Value::Lambda(function) => vec![(Thing::Lambda(file, *function), Confidence::Exact)],
            Value::OfType(ty) => self.of_type(file, *ty),
            Value::Generic(head, _) => {
                let heads = self.value(file, *head);
                let generic = heads.iter().map(|(head, sure)| match head {
                    Thing::Outside(..) => (Thing::Type(file, value), *sure),
                    other => (other.clone(), *sure),
                });
                generic.collect()
            }
            Value::Text(text) => vec![(Thing::Text(text), Confidence::Exact)],
            Value::Prefix(start) => vec![(Thing::Prefix(start), Confidence::Inferred)],
        }
    }

    fn one_of(&mut self, file: FileId, values: &[LocalValue]) -> Things<'a> {
        let mut things = Things::new();
        let mut is_known = true;
        for value in values {
            let found = self.value(file, *value);
            is_known &= !found.is_empty() || *value == LocalValue::FIRST;
            things.extend(found.iter().cloned());
        }
        let things = merged(things);
        let sure = if things.len() > 1 || !is_known { Confidence::Inferred } else { Confidence::Exact };
        at_most(things, sure).collect()
    }

    /// Whether all of these are instances of classes that anything with the same methods passes for.
    fn are_structural(&self, things: &Things<'a>) -> bool {
        things.iter().all(|(thing, _)| match thing {
            Thing::Instance { class, .. } => is_structural(self.linker.symbol(*class)),
            Thing::Typed(..) => true,
            _ => false,
        })
    }

    /// What values of a type may be.
    fn of_type(&mut self, file: FileId, ty: LocalValue) -> Things<'a> {
        let mut things = Vec::new();
        for (ty, sure) in self.value(file, ty).iter() {
            let thing = match ty {
                Thing::Class { class, .. } => Thing::Instance { class: *class, exact: false },
                Thing::Type(at, generic) => match self.type_arguments(*at, *generic) {
                    // What may be called says nothing of what is.
                    (name, _) if name == "Callable" => continue,
                    (name, [class, ..]) if matches!(name.as_str(), "type" | "Type") => {
                        let classes = self.value(*at, *class);
                        things.extend(classes.iter().filter_map(|(thing, sure)| match thing {
                            Thing::Class { class, .. } => {
                                Some((Thing::Class { class: *class, exact: false }, *sure))
                            }
                            _ => None,
                        }));
                        continue;
                    }
                    _ => Thing::Typed(*at, *generic),
                },
                _ => continue,
            };
            things.push((thing, *sure));
        }
        things
    }

    /// The last segment of a generic type's name, and its arguments.
    fn type_arguments(&mut self, file: FileId, generic: LocalValue) -> (String, &'a [LocalValue]) {
        let Value::Generic(head, arguments) = &self.flow(file).values[generic] else {
            return (String::new(), &[]);
        };
        let head = self.value(file, *head);
        let name = head.iter().find_map(|(head, _)| match head {
            Thing::Outside(path, _) => Some(last_segment(path).to_owned()),
            _ => None,
        });
        (name.unwrap_or_default(), arguments)
    }

    /// What a resolved name stands for.
    fn found(&mut self, (found, sure): (Found<'a>, Confidence)) -> Things<'a> {
        match found {
            Found::Scope(scope) => vec![(Thing::Module(scope), sure)],
            Found::Values(_) => Vec::new(),
            Found::Outside(path, origin) => vec![(Thing::Outside(path, origin), sure)],
            Found::Symbols(symbols) => {
                let symbols = self.linker.narrow(symbols, Relation::Calls);
                let sure = if symbols.len() > 1 { sure.min(Confidence::Ambiguous) } else { sure };
                let mut things = Vec::new();
                for symbol in symbols {
                    things.extend(at_most(self.held(symbol), sure));
                }
                things
            }
        }
    }

    /// What a declared name holds: its value, or the declaration itself.
    fn held(&mut self, symbol: Decl) -> Things<'a> {
        if !self.linker.context.is_held(symbol) {
            return self.declared(symbol);
        }
        let held = match self.flow(symbol.file).held(symbol.symbol) {
            Some(value) => self.value(symbol.file, value),
            None => Rc::default(),
        };
        if held.is_empty() { self.declared(symbol) } else { held.to_vec() }
    }

    /// A declaration as it is before decorators.
    fn declared(&mut self, symbol: Decl) -> Things<'a> {
        let declaration = self.linker.symbol(symbol);
        let thing = match declaration.kind {
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => Thing::Function(symbol),
            SymbolKind::EnumMember => match self.linker.context.parent(symbol) {
                Some(class) => Thing::Instance { class, exact: true },
                None => return Vec::new(),
            },
            kind if kind.is_type() && kind != SymbolKind::TypeAlias => {
                Thing::Class { class: symbol, exact: true }
            }
            _ => return Vec::new(),
        };
        vec![(thing, Confidence::Exact)]
    }
}

/// Whether anything with the same methods passes for an instance of a class: `class Sized(Protocol)`.
pub(super) fn is_structural(class: &Symbol) -> bool {
    let bases = class.signature.split_once('(').map_or("", |(_, bases)| bases);
    class.kind.is_type()
        && bases.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "Protocol")
}

/// Things no surer than `sure`.
fn at_most<'a>(things: Things<'a>, sure: Confidence) -> impl Iterator<Item = (Thing<'a>, Confidence)> {
    things.into_iter().map(move |(thing, known)| (thing, known.min(sure)))
}

/// Each thing once, as sure as it is; nothing if it could be anything.
fn merged<T: PartialEq>(things: impl IntoIterator<Item = (ThingOf<T>, Confidence)>) -> ThingsOf<T> {
    let mut merged: ThingsOf<T> = Vec::new();
    for (thing, sure) in things {
        match merged.iter().position(|(known, _)| *known == thing) {
            Some(at) => merged[at].1 = merged[at].1.max(sure),
            None if merged.len() == MAX_THINGS => return Vec::new(),
            None => merged.push((thing, sure)),
        }
    }
    merged
}

/// How sure it is that code meant for a class runs on those that extend it: classes that replace a method do so to have
/// it called. Of very many, each is no more than a candidate.
fn sure_of_heirs(count: usize) -> Confidence {
    if count > MAX_SURE_HEIRS { Confidence::Ambiguous } else { Confidence::Inferred }
}

fn is_callable(thing: &Thing<'_>) -> bool {
    matches!(
        thing,
        Thing::Function(_)
            | Thing::Method(..)
            | Thing::Lambda(..)
            | Thing::Class { .. }
            | Thing::Instance { .. }
    )
}

/// Functions of the standard library that run a function that they are given.
fn calls_its_arguments(path: &str) -> bool {
    matches!(
        path,
        "builtins.map"
            | "builtins.filter"
            | "builtins.sorted"
            | "builtins.min"
            | "builtins.max"
            | "functools.reduce"
    )
}

fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
