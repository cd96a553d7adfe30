//! Resolution of calls that declared types do not resolve: values are traced back to their origins.
//!
//! A query starts at a callee and follows the data flow backwards: from a variable to its assignments, from a parameter
//! to the arguments of the calls that run its function, from a call to the returned values, from a member to the class
//! it is looked up in. Nothing is computed ahead, so the cost of a query depends on its answer, and a budget ends
//! queries that need too much.
//!
//! A value that depends on control flow, or on code without annotations, is at most [`Confidence::Inferred`].

mod call;
mod collection;
mod member;
mod parameter;
mod passed;

use std::mem;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sscg_core::{Confidence, FileId, Key, LocalCall, LocalValue, Relation, SymbolKind, Value};

use super::abstract_value::{AbstractValue, AbstractValues, merged};
use super::passed::{FilePassed, FlowTarget, MAX_PASSED, Passed};
use super::resolve::{DEPTH, Linker, Namespace, Resolution, View};
use super::signature::is_structural;
use super::tables::{Decl, Scope};
use crate::graph::Origin;

/// Callees of a call.
#[derive(Default)]
pub(super) struct Callees {
    /// Functions and classes of the project.
    pub(super) inside: Vec<(Decl, Confidence)>,
    /// External callees.
    pub(super) external: Vec<(String, Origin, Confidence)>,
    /// True if a limit leaves out others.
    pub(super) has_others: bool,
}

/// Members of subtypes, each with its class.
type SubtypeMembers = Rc<[(Decl, Decl)]>;

/// Maximum number of values that one query looks at. Most queries with an answer need far fewer, and those without use
/// it up: `docs/DECISIONS.md` has the gain and the cost of a larger one.
const BUDGET: u32 = 1000;

/// Evaluator of values for the queries of one file.
pub(super) struct Evaluator<'l, 'a> {
    linker: &'l Linker<'a>,
    /// Values passed to parameters and attributes.
    passed: &'a Passed,
    /// Result of values of which nothing is known.
    nothing: Rc<AbstractValues<'a>>,
    /// Results that are the same for every query.
    known: FxHashMap<(FileId, LocalValue), Rc<AbstractValues<'a>>>,
    /// Results that hold only for the current query, in the order of their evaluation.
    partial: Vec<Partial<'a>>,
    /// Indices of the partial results.
    partial_places: FxHashMap<(FileId, LocalValue), usize>,
    /// Members of the subtypes of a class, by name and by whether neither the class nor a supertype has one.
    subtype_members: FxHashMap<(Decl, &'a str, bool), SubtypeMembers>,
    /// Results of parts of queries that are the same for every query.
    parts: FxHashMap<Part<'a>, Rc<AbstractValues<'a>>>,
    /// Least depth of the open values that the current value depends on; [`LIMIT`] if it was cut off, [`WHOLE`] if its
    /// result is complete.
    cut: u32,
    /// Values under evaluation, with their depths.
    open: FxHashMap<(FileId, LocalValue), u32>,
    /// Values that object literals under evaluation copy their members from, with their depths.
    copying: Vec<((FileId, LocalValue), u32)>,
    budget: u32,
    depth: u32,
}

/// Part of a query that many queries have.
#[derive(PartialEq, Eq, Hash)]
enum Part<'a> {
    /// Member of an instance of a class, or of its subtypes unless exact.
    Member(Decl, bool, &'a str),
    /// Result of a function, whatever its arguments, for a receiver of a class, or of its subtypes unless exact.
    Result(Decl, Option<(Decl, bool)>),
    /// Element of a collection literal.
    Element(FileId, LocalValue, Key),
}

/// Result that depends on an open value, or was cut off.
struct Partial<'a> {
    of: (FileId, LocalValue),
    pointees: Rc<AbstractValues<'a>>,
    /// See [`Evaluator::cut`].
    cut: u32,
}

/// Depth above that of every open value, which stands for a limit: no value that depends on it is complete.
const LIMIT: u32 = 0;

/// Depth below that of every open value, which stands for no dependence.
const WHOLE: u32 = u32::MAX;

/// Maximum number of subtypes of a class, or of overrides of a member in them, that are candidates.
const MAX_SUBTYPES: usize = 64;

/// Number of subtypes above which each is only a candidate.
const MAX_INFERRED_SUBTYPES: usize = 32;

/// Maximum nesting depth of values.
const MAX_NESTING: u32 = 96;

impl<'l, 'a> Evaluator<'l, 'a> {
    pub(super) fn new(linker: &'l Linker<'a>) -> Self {
        Self {
            linker,
            passed: linker.found.passed,
            nothing: Rc::default(),
            known: FxHashMap::default(),
            partial: Vec::new(),
            partial_places: FxHashMap::default(),
            subtype_members: FxHashMap::default(),
            parts: FxHashMap::default(),
            cut: WHOLE,
            open: FxHashMap::default(),
            copying: Vec::new(),
            budget: BUDGET,
            depth: 0,
        }
    }

    /// Starts another query.
    fn begin(&mut self) {
        self.budget = BUDGET;
        self.partial.clear();
        self.partial_places.clear();
        self.cut = WHOLE;
    }

    /// Returns the callees of a call; `None` if they are unknown.
    pub(super) fn callees(&mut self, file: FileId, call: LocalCall) -> Option<Callees> {
        self.begin();
        let callee = self.flow(file).calls[call].callee;
        let pointees = self.value(file, callee);
        if pointees.is_empty() {
            return None;
        }
        let mut callees = Callees { has_others: self.cut == LIMIT, ..Callees::default() };
        for (pointee, sure) in pointees.iter() {
            match pointee {
                AbstractValue::Function(symbol)
                | AbstractValue::Method(symbol, _)
                | AbstractValue::Decorated(symbol) => {
                    callees.inside.push((*symbol, *sure));
                }
                AbstractValue::Class { class, exact } => {
                    callees.inside.push((*class, *sure));
                    let subtypes = if *exact { &[] } else { self.linker.subtypes(*class) };
                    let sure = confidence_of_subtypes(subtypes.len());
                    callees.inside.extend(subtypes.iter().take(MAX_SUBTYPES).map(|subtype| (*subtype, sure)));
                    callees.has_others |= subtypes.len() > MAX_SUBTYPES;
                }
                AbstractValue::Instance { class, exact } => {
                    for (method, known) in self.instance_member(*class, *exact, "__call__").iter() {
                        match method {
                            AbstractValue::Method(symbol, _) => {
                                callees.inside.push((*symbol, *known.min(sure)));
                            }
                            AbstractValue::Others => callees.has_others = true,
                            _ => {}
                        }
                    }
                }
                AbstractValue::External(path, origin) => {
                    if calls_its_arguments(path) {
                        callees.inside.extend(self.functions_passed(file, call));
                    }
                    callees.external.push((path.clone(), *origin, *sure));
                }
                AbstractValue::Others => callees.has_others = true,
                _ => {}
            }
        }
        let is_lambda =
            |(pointee, _): &(AbstractValue<'_>, Confidence)| matches!(pointee, AbstractValue::Lambda(..));
        if callees.inside.is_empty() && callees.external.is_empty() && !pointees.iter().any(is_lambda) {
            return None;
        }
        callees.inside.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        callees.inside.dedup_by_key(|(symbol, _)| *symbol);
        Some(callees)
    }

    fn functions_passed(&mut self, file: FileId, call: LocalCall) -> Vec<(Decl, Confidence)> {
        let mut functions = Vec::new();
        for argument in &self.flow(file).calls[call].arguments {
            for (pointee, _) in self.value(file, argument.value).iter() {
                if let AbstractValue::Function(symbol) | AbstractValue::Method(symbol, _) = pointee {
                    functions.push((*symbol, Confidence::Inferred));
                }
            }
        }
        functions
    }

    fn flow(&self, file: FileId) -> &'a sscg_core::Flow {
        self.linker.context.flow(file)
    }

    /// Returns the abstract values that a value may have.
    pub(super) fn value(&mut self, file: FileId, value: LocalValue) -> Rc<AbstractValues<'a>> {
        if let Value::Unknown = self.flow(file).values[value] {
            return Rc::clone(&self.nothing);
        }
        if let Some(known) = self.known.get(&(file, value)) {
            return known.clone();
        }
        if let Some(place) = self.partial_places.get(&(file, value)) {
            let Partial { pointees, cut, .. } = &self.partial[*place];
            self.cut = self.cut.min(*cut);
            return Rc::clone(pointees);
        }
        if self.budget == 0 || self.depth >= MAX_NESTING {
            self.cut = LIMIT;
            return Rc::clone(&self.nothing);
        }
        if let Some(depth) = self.open.get(&(file, value)) {
            self.cut = self.cut.min(*depth);
            return Rc::clone(&self.nothing);
        }
        let around = mem::replace(&mut self.cut, WHOLE);
        let first_partial = self.partial.len();
        self.budget -= 1;
        self.depth += 1;
        self.open.insert((file, value), self.depth);
        self.linker.begin();
        let pointees = self.value_inside(file, value);
        self.open.remove(&(file, value));
        let pointees = if pointees.is_empty() { Rc::clone(&self.nothing) } else { Rc::new(merged(pointees)) };
        // A value that depends on itself, but on no other open one, keeps this result. Where it is a union of values, what
        // was missing adds nothing; members and results of what was missing may be left out. The values between are
        // evaluated again if they are needed, with this result.
        if self.cut >= self.depth {
            self.forget_partial(first_partial);
            self.known.insert((file, value), pointees.clone());
            self.cut = around;
        } else {
            let cut = self.cut;
            self.partial[first_partial..].iter_mut().for_each(|inner| inner.cut = inner.cut.min(cut));
            self.partial_places.insert((file, value), self.partial.len());
            self.partial.push(Partial { of: (file, value), pointees: pointees.clone(), cut });
            self.cut = cut.min(around);
        }
        self.depth -= 1;
        pointees
    }

    /// Drops the partial results from an index on, so that they are evaluated again if they are needed.
    fn forget_partial(&mut self, first: usize) {
        for Partial { of, .. } in self.partial.drain(first..) {
            self.partial_places.remove(&of);
        }
    }

    /// Returns the result of a part of a query, which is kept if it is the same for every query.
    fn part(
        &mut self,
        part: Part<'a>,
        find: impl FnOnce(&mut Self) -> AbstractValues<'a>,
    ) -> Rc<AbstractValues<'a>> {
        if let Some(known) = self.parts.get(&part) {
            return Rc::clone(known);
        }
        let around = mem::replace(&mut self.cut, WHOLE);
        let found = Rc::new(find(self));
        if self.cut == WHOLE {
            self.parts.insert(part, Rc::clone(&found));
        }
        self.cut = self.cut.min(around);
        found
    }

    fn value_inside(&mut self, file: FileId, value: LocalValue) -> AbstractValues<'a> {
        let flow = self.flow(file);
        match &flow.values[value] {
            Value::Symbol(symbol) => self.declared(Decl::new(file, *symbol)),
            Value::Import(import) => {
                let local = &*self.linker.context.facts(file).imports[*import].local;
                let found = self.linker.bound(file, *import, local, Namespace::Last, &mut Vec::new(), DEPTH);
                found.map_or_else(|_| Vec::new(), |found| self.found(found))
            }
            Value::Free(name) => self.free(file, name),
            Value::Parameter(function, nth) => self.parameter(file, *function, *nth),
            Value::OneOf(values) => self.one_of(file, values),
            Value::Member(object, name) => {
                let mut pointees = Vec::new();
                for (object, sure) in self.value(file, *object).iter() {
                    pointees.extend(at_most(self.member(object, name), *sure));
                }
                pointees
            }
            Value::Element(object, key) => self.element_of(file, *object, key),
            Value::Updated(object, ..) => self.value(file, *object).to_vec(),
            Value::Call(call) => self.result(file, *call),
            Value::Decorated(call, of) => self.decorated(file, *call, *of),
            Value::Entered(manager, is_async) => {
                let managers = self.value(file, *manager);
                self.results(&managers, if *is_async { "__aenter__" } else { "__enter__" })
            }
            Value::OfType(ty) => self.of_type(file, *ty),
            Value::Generic(head, _) => {
                let heads = self.value(file, *head);
                let generic = heads.iter().map(|(head, sure)| match head {
                    AbstractValue::External(..) => (AbstractValue::Type(file, value), *sure),
                    other => (other.clone(), *sure),
                });
                generic.collect()
            }
            _ => self.fixed(file, value),
        }
    }

    /// Returns the only abstract value that a class, a literal or the like may have.
    fn fixed(&self, file: FileId, value: LocalValue) -> AbstractValues<'a> {
        exactly(match &self.flow(file).values[value] {
            Value::Instance(class) => {
                AbstractValue::Instance { class: Decl::new(file, *class), exact: false }
            }
            Value::Class(class) => AbstractValue::Class { class: Decl::new(file, *class), exact: false },
            Value::Super(class) => AbstractValue::Super(Decl::new(file, *class)),
            Value::Collection(_) => AbstractValue::Collection(file, value),
            Value::Lambda(function) => AbstractValue::Lambda(file, *function),
            Value::Text(text) => AbstractValue::Text(text),
            Value::Prefix(start) => return vec![(AbstractValue::Prefix(start), Confidence::Inferred)],
            _ => return Vec::new(),
        })
    }

    fn free(&mut self, file: FileId, name: &'a str) -> AbstractValues<'a> {
        let scope = Scope::file(file);
        match self.linker.in_scope(scope, name, View::Own, Namespace::Last, &mut Vec::new(), DEPTH) {
            Some(found) => self.found(found),
            None => {
                let built_in = self.linker.rules(file).builtin(name);
                let built_in = built_in.map(|path| AbstractValue::External(path, Origin::StandardLibrary));
                built_in.map_or_else(Vec::new, exactly)
            }
        }
    }

    /// Returns the results of a decorator that are callable, and the declared function behind them; the decorated value
    /// if there are none.
    fn decorated(&mut self, file: FileId, call: LocalCall, of: LocalValue) -> AbstractValues<'a> {
        let inner = self.value(file, of);
        // Decorators of classes nearly always return the class, and some of them are called for many.
        if inner.iter().all(|(pointee, _)| matches!(pointee, AbstractValue::Class { .. }))
            && !inner.is_empty()
        {
            return inner.to_vec();
        }
        let outer = self.result(file, call);
        let mut pointees: AbstractValues<'a> =
            outer.into_iter().filter(|(pointee, _)| is_callable(pointee)).collect();
        if pointees.is_empty() {
            return inner.to_vec();
        }
        if !pointees.iter().any(|pointee| inner.contains(pointee)) {
            let is_declared = matches!(self.flow(file).values[of], Value::Symbol(_));
            pointees.extend(inner.iter().filter_map(|(pointee, sure)| match pointee {
                AbstractValue::Function(symbol) if is_declared => {
                    Some((AbstractValue::Decorated(*symbol), *sure))
                }
                AbstractValue::Decorated(_) => Some((pointee.clone(), *sure)),
                _ => None,
            }));
        }
        pointees
    }

    fn one_of(&mut self, file: FileId, values: &[LocalValue]) -> AbstractValues<'a> {
        let mut pointees = AbstractValues::new();
        let mut is_known = true;
        for value in values {
            let found = self.value(file, *value);
            is_known &= !found.is_empty() || *value == LocalValue::FIRST;
            pointees.extend(found.iter().cloned());
        }
        let pointees = merged(pointees);
        let sure = if pointees.len() > 1 || !is_known { Confidence::Inferred } else { Confidence::Exact };
        at_most(pointees, sure).collect()
    }

    /// Returns true if all are instances of structural types, for which any value with the same methods passes, or of
    /// library types.
    fn are_structural(&self, pointees: &AbstractValues<'a>) -> bool {
        pointees.iter().all(|(pointee, _)| match pointee {
            AbstractValue::Instance { class, .. } => is_structural(self.linker.symbol(*class)),
            AbstractValue::Typed(..) => true,
            _ => false,
        })
    }

    /// Returns the abstract values of the instances of a type.
    fn of_type(&mut self, file: FileId, ty: LocalValue) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        for (ty, sure) in self.value(file, ty).iter() {
            let pointee = match ty {
                AbstractValue::Class { class, .. } => AbstractValue::Instance { class: *class, exact: false },
                AbstractValue::Type(at, generic) => match self.type_arguments(*at, *generic) {
                    // `Callable` does not identify a callee.
                    (name, _) if name == "Callable" => continue,
                    (name, [class, ..]) if matches!(name.as_str(), "type" | "Type") => {
                        let classes = self.value(*at, *class);
                        pointees.extend(classes.iter().filter_map(|(pointee, sure)| match pointee {
                            AbstractValue::Class { class, .. } => {
                                Some((AbstractValue::Class { class: *class, exact: false }, *sure))
                            }
                            _ => None,
                        }));
                        continue;
                    }
                    _ => AbstractValue::Typed(*at, *generic),
                },
                _ => continue,
            };
            pointees.push((pointee, *sure));
        }
        pointees
    }

    /// Returns the last segment of a generic type's name, and its arguments.
    fn type_arguments(&mut self, file: FileId, generic: LocalValue) -> (String, &'a [LocalValue]) {
        let Value::Generic(head, arguments) = &self.flow(file).values[generic] else {
            return (String::new(), &[]);
        };
        let head = self.value(file, *head);
        let name = head.iter().find_map(|(head, _)| match head {
            AbstractValue::External(path, _) => Some(last_segment(path).to_owned()),
            _ => None,
        });
        (name.unwrap_or_default(), arguments)
    }

    /// Returns the abstract values of a resolved name.
    fn found(&mut self, (found, sure): (Resolution<'a>, Confidence)) -> AbstractValues<'a> {
        match found {
            Resolution::Scope(scope) => vec![(AbstractValue::Module(scope), sure)],
            Resolution::Values(_) => Vec::new(),
            Resolution::External(path, origin) => vec![(AbstractValue::External(path, origin), sure)],
            Resolution::Symbols(symbols) => {
                let symbols = self.linker.narrow(symbols, Relation::Calls);
                let sure = if symbols.len() > 1 { sure.min(Confidence::Ambiguous) } else { sure };
                let mut pointees = Vec::new();
                for symbol in symbols {
                    pointees.extend(at_most(self.held(symbol), sure));
                }
                pointees
            }
        }
    }

    /// Returns the value that a declared name holds, or else the declaration itself.
    fn held(&mut self, symbol: Decl) -> AbstractValues<'a> {
        if !self.linker.context.is_held(symbol) {
            return self.declared(symbol);
        }
        let held = match self.flow(symbol.file).held(symbol.symbol) {
            Some(value) => self.value(symbol.file, value),
            None => Rc::default(),
        };
        if held.is_empty() { self.declared(symbol) } else { held.to_vec() }
    }

    /// Returns a declaration as it is before decorators.
    fn declared(&mut self, symbol: Decl) -> AbstractValues<'a> {
        let declaration = self.linker.symbol(symbol);
        let pointee = match declaration.kind {
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => {
                AbstractValue::Function(symbol)
            }
            SymbolKind::EnumMember => match self.linker.context.parent(symbol) {
                Some(class) => AbstractValue::Instance { class, exact: true },
                None => return Vec::new(),
            },
            kind if kind.is_type() && kind != SymbolKind::TypeAlias => {
                AbstractValue::Class { class: symbol, exact: true }
            }
            _ => return Vec::new(),
        };
        exactly(pointee)
    }
}

fn exactly(pointee: AbstractValue<'_>) -> AbstractValues<'_> {
    vec![(pointee, Confidence::Exact)]
}

/// Limits the confidence of abstract values to `sure`.
fn at_most<'a>(
    pointees: AbstractValues<'a>,
    sure: Confidence,
) -> impl Iterator<Item = (AbstractValue<'a>, Confidence)> {
    pointees.into_iter().map(move |(pointee, known)| (pointee, known.min(sure)))
}

/// Returns the confidence that code for a class runs on its subtypes: a class overrides a method to have it called.
/// Among very many subtypes, each is only a candidate.
fn confidence_of_subtypes(count: usize) -> Confidence {
    if count > MAX_INFERRED_SUBTYPES { Confidence::Ambiguous } else { Confidence::Inferred }
}

fn is_callable(pointee: &AbstractValue<'_>) -> bool {
    matches!(
        pointee,
        AbstractValue::Function(_)
            | AbstractValue::Method(..)
            | AbstractValue::Lambda(..)
            | AbstractValue::Class { .. }
            | AbstractValue::Instance { .. }
    )
}

/// Returns true for standard library functions that call a function argument.
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
