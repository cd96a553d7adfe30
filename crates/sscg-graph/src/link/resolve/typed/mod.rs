//! Types of values with their arguments, where the types of arguments select among functions of one name and functions
//! extend types (C#).
//!
//! A local variable or argument refers to the calls it depends on by their positions in the file
//! ([`TypeHint::Call`]), and the result of each call is cached, so that a file takes time linear in its calls. What the
//! text does not give is [`Ty::Unknown`], which fits everything.

mod convert;
mod infer;
mod library;
mod members;
mod select;

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sscg_core::{Confidence, FileId, Head, LocalSymbol, NameRef, Part, Relation, SymbolKind, TypeHint};

use self::select::Selected;
use super::shape::HintScope;
use super::{DEPTH, Linker, Resolution};
use crate::link::tables::Decl;

/// Type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty<'a> {
    /// Type of the project with its arguments.
    Of(Decl, Args<'a>),
    /// Other type, by the last segment of its name. Arrays and tuples have the names of [`TypeHint`].
    Outside(&'a str, Args<'a>),
    /// Type parameter of a declaration.
    Parameter(Decl, &'a str),
    /// Function literal: types of its parameters, and its result.
    Literal(&'a [TypeHint], &'a TypeHint, HintScope),
    /// Functions of one name, of which none is called.
    Functions(Rc<[Decl]>),
    Unknown,
}

type Args<'a> = Rc<[Ty<'a>]>;

/// Replacement of type parameters by types.
type Bindings<'a> = Vec<(Decl, &'a str, Ty<'a>)>;

/// Maximum number of steps for one call.
const MAX_STEPS: u32 = 4_000;

/// Maximum number of calls whose results depend on each other, beyond those that are known already.
const MAX_NESTED: u32 = 24;

/// Maximum number of types in a type.
const MOST_PARTS: usize = 200;

/// Maximum length of a chain of types that extend each other, which recursion follows.
const MAX_SUPERTYPE_DEPTH: u32 = 64;

/// Maximum nesting depth of types that are compared to infer type arguments.
const MAX_TYPE_DEPTH: u32 = 8;

/// Results for the current file.
#[derive(Default)]
pub(super) struct TypedFile<'a> {
    calls: RefCell<FxHashMap<(FileId, u32), Progress<'a>>>,
    /// Written types and supertypes of declared types, with the confidence of the names that they depend on.
    written: RefCell<FxHashMap<*const TypeHint, (Ty<'a>, Confidence)>>,
    supertypes: RefCell<FxHashMap<Decl, Supertypes<'a>>>,
    /// The current file; none between computations.
    file: Cell<Option<FileId>>,
    steps: Cell<u32>,
    nested: Cell<u32>,
    /// Number of types whose supertypes are being collected.
    supertype_depth: Cell<u32>,
    /// Set when supertypes were left out because the chain is too long.
    is_chain_cut: Cell<bool>,
    /// Minimum confidence of the types read for the current call.
    confidence: Cell<Confidence>,
    /// Set when a result depends on a call that is in progress, or was cut off.
    is_partial: Cell<bool>,
}

type Supertypes<'a> = (Rc<[Ty<'a>]>, Confidence);

#[derive(Clone)]
enum Progress<'a> {
    /// In progress, with the types of the arguments as far as they are known.
    Begun(Rc<[Ty<'a>]>),
    Done(Option<Rc<Selected<'a>>>),
}

impl TypedFile<'_> {
    pub(super) fn clear(&self) {
        self.calls.borrow_mut().clear();
        self.written.borrow_mut().clear();
        self.supertypes.borrow_mut().clear();
    }

    /// Runs a computation for a file, and returns the confidence of the types that it reads. One inside of another shares
    /// its steps.
    fn compute<T>(&self, file: FileId, run: impl FnOnce() -> T) -> (T, Confidence) {
        let around = self.file.replace(Some(file));
        if around.is_none() {
            self.steps.set(MAX_STEPS);
        }
        let found = self.noting(run);
        self.file.set(around);
        found
    }

    /// Returns a result with the confidence of the types that it depends on, apart from those read before.
    fn noting<T>(&self, run: impl FnOnce() -> T) -> (T, Confidence) {
        let before = self.confidence.replace(Confidence::Exact);
        let found = run();
        // Without steps, what would contradict the result may have been left out.
        let most = if self.has_steps() { Confidence::Exact } else { Confidence::Inferred };
        (found, self.confidence.replace(before).min(most))
    }

    /// Records the confidence of a type that the current call depends on.
    fn depend_on(&self, confidence: Confidence) {
        self.confidence.set(self.confidence.get().min(confidence));
    }

    fn has_steps(&self) -> bool {
        self.steps.get() > 0
    }

    /// Takes a step; returns false if none is left.
    fn step(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or_default());
        if left.is_none() {
            self.is_partial.set(true);
        }
        left.is_some()
    }
}

impl<'a> Ty<'a> {
    fn named(name: &'a str) -> Self {
        Self::Outside(name, Rc::new([]))
    }

    fn outside(name: &'a str, arguments: impl Into<Args<'a>>) -> Self {
        Self::Outside(name, arguments.into())
    }

    /// Returns the name of a type that is not part of the project.
    fn name(&self) -> Option<&'a str> {
        match self {
            Self::Outside(name, _) => Some(name),
            _ => None,
        }
    }

    fn is(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    fn arguments(&self) -> &[Ty<'a>] {
        match self {
            Self::Of(_, arguments) | Self::Outside(_, arguments) => arguments,
            _ => &[],
        }
    }

    fn argument(&self, at: usize) -> Ty<'a> {
        self.arguments().get(at).cloned().unwrap_or(Self::Unknown)
    }

    /// Returns the type of a value that is not missing.
    fn without_null(self) -> Self {
        if self.is(TypeHint::NULLABLE) { self.argument(0) } else { self }
    }

    /// Returns the type with type parameters replaced.
    fn with(&self, bindings: &[(Decl, &'a str, Ty<'a>)]) -> Self {
        if bindings.is_empty() { self.clone() } else { self.replaced(bindings).limited() }
    }

    fn replaced(&self, bindings: &[(Decl, &'a str, Ty<'a>)]) -> Self {
        let all = |arguments: &Args<'a>| -> Args<'a> {
            arguments.iter().map(|argument| argument.replaced(bindings)).collect()
        };
        match self {
            Self::Of(_, arguments) | Self::Outside(_, arguments) if arguments.is_empty() => self.clone(),
            Self::Of(ty, arguments) => Self::Of(*ty, all(arguments)),
            Self::Outside(name, arguments) => Self::Outside(name, all(arguments)),
            Self::Parameter(owner, name) => {
                let bound = bindings.iter().find(|(of, it, _)| of == owner && it == name);
                bound.map_or_else(|| self.clone(), |(.., ty)| ty.clone())
            }
            _ => self.clone(),
        }
    }

    /// Returns the type, or nothing about it if it has too many parts: each call may double them.
    fn limited(self) -> Self {
        fn take(ty: &Ty<'_>, left: &mut usize) -> bool {
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            ty.arguments().iter().all(|argument| take(argument, left))
        }
        if take(&self, &mut { MOST_PARTS }) { self } else { Self::Unknown }
    }

    /// Returns true if a part of the type is a type parameter of a declaration.
    fn mentions(&self, owner: Decl, parameter: &str) -> bool {
        match self {
            Self::Parameter(of, name) => *of == owner && *name == parameter,
            _ => self.arguments().iter().any(|argument| argument.mentions(owner, parameter)),
        }
    }

    /// Returns true if something about the type is unknown.
    fn is_open(&self) -> bool {
        match self {
            Self::Unknown => true,
            _ => self.arguments().iter().any(Ty::is_open),
        }
    }
}

/// Returns the usual name of a type of the library.
fn normalized(name: &str) -> &str {
    const KEYWORDS: [(&str, &str); 17] = [
        ("Boolean", "bool"),
        ("Byte", "byte"),
        ("Char", "char"),
        ("Decimal", "decimal"),
        ("Double", "double"),
        ("Int16", "short"),
        ("Int32", "int"),
        ("Int64", "long"),
        ("Object", "object"),
        ("SByte", "sbyte"),
        ("Single", "float"),
        ("String", "string"),
        ("UInt16", "ushort"),
        ("UInt32", "uint"),
        ("UInt64", "ulong"),
        ("Void", "void"),
        ("ValueTuple", TypeHint::TUPLE),
    ];
    KEYWORDS.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| short)
}

impl<'a> Linker<'a> {
    /// Returns the methods that a call may run, if the types of its arguments determine them.
    pub(super) fn typed_call(&self, file: FileId, call: u32) -> Option<Rc<Selected<'a>>> {
        self.typed.compute(file, || self.selected(file, call)).0
    }

    /// Returns the type of the project that the value of a hint has.
    pub(super) fn typed_hint(&self, place: HintScope, hint: &'a TypeHint) -> Option<(Decl, Confidence)> {
        if !self.rules(place.file).has_extension_methods() {
            return None;
        }
        let (ty, confidence) = self.typed.compute(place.file, || self.type_of_hint(place, hint));
        match ty.without_null() {
            Ty::Of(ty, _) => Some((ty, confidence)),
            Ty::Parameter(..) | Ty::Outside(..) | Ty::Literal(..) | Ty::Functions(_) | Ty::Unknown => None,
        }
    }

    /// Resolves a name on behalf of a type, whatever the steps of the name that is resolved around it.
    fn resolved(
        &self,
        place: HintScope,
        name: &'a NameRef,
        len: usize,
        relation: Relation,
    ) -> Option<Resolution<'a>> {
        let saved = (self.steps.get(), self.types.get());
        self.begin();
        let found = if len == name.path.len() && super::choose::names_type(relation) {
            self.name(place.file, place.from, name, relation, DEPTH)
        } else {
            self.prefix(place.file, place.from, name, len, relation, DEPTH)
        };
        self.steps.set(saved.0);
        let types = self.types.replace(saved.1);
        let (found, confidence) = found.ok()?;
        self.typed.depend_on(types.min(confidence));
        Some(found)
    }

    /// Returns a written type.
    fn written_type(&self, place: HintScope, hint: &'a TypeHint) -> Ty<'a> {
        let key: *const TypeHint = hint;
        let known = self.typed.written.borrow().get(&key).cloned();
        let (found, confidence) = known.unwrap_or_else(|| {
            let found = self.typed.noting(|| self.read_type(place, hint));
            if self.typed.has_steps() {
                self.typed.written.borrow_mut().insert(key, found.clone());
            }
            found
        });
        self.typed.depend_on(confidence);
        found
    }

    fn read_type(&self, place: HintScope, hint: &'a TypeHint) -> Ty<'a> {
        let Some((name, arguments)) = hint.named() else {
            return match hint {
                TypeHint::OneOf(hints) => {
                    hints.first().map_or(Ty::Unknown, |hint| self.written_type(place, hint))
                }
                _ => Ty::Unknown,
            };
        };
        if name.head == Head::TypeParameter {
            return self.type_parameter(place, name.name());
        }
        if let ([value], TypeHint::NULLABLE | "Nullable") = (arguments, name.name()) {
            let value = self.written_type(place, value);
            let is_value = self.is_value_type(&value) || name.name() == "Nullable";
            return if is_value { Ty::outside(TypeHint::NULLABLE, [value]) } else { value };
        }
        let arguments: Args<'a> = arguments.iter().map(|hint| self.type_of_hint(place, hint)).collect();
        let plain = name.name();
        let is_special = [TypeHint::TUPLE, TypeHint::SLICE, TypeHint::ASYNC, TypeHint::NULL, TypeHint::NEW]
            .contains(&plain)
            || [TypeHint::VOID, TypeHint::NEVER].contains(&plain);
        if is_special && name.path.len() == 1 {
            return Ty::Outside(plain, arguments);
        }
        match self.resolved(place, name, name.path.len(), Relation::UsesType) {
            Some(Resolution::Symbols(types)) => {
                let types = self.by_type_arity(types, arguments.len());
                match self.narrow(types, Relation::UsesType)[..] {
                    [only] => self.instance(only, arguments),
                    _ => Ty::Unknown,
                }
            }
            Some(Resolution::External(..)) | None => Ty::Outside(normalized(plain), arguments),
            Some(Resolution::Scope(_) | Resolution::Values(_)) => Ty::Unknown,
        }
    }

    /// Returns a type of the project; without arguments, with its own parameters.
    fn instance(&self, ty: Decl, arguments: Args<'a>) -> Ty<'a> {
        let symbol = self.symbol(ty);
        if !symbol.kind.is_type() {
            return Ty::Unknown;
        }
        let ty = self.whole_type(ty);
        if arguments.len() == symbol.type_parameters.len() {
            return Ty::Of(ty, arguments);
        }
        let parameters = self.symbol(ty).type_parameters.iter();
        Ty::Of(ty, parameters.map(|parameter| Ty::Parameter(ty, &parameter.name)).collect())
    }

    /// Returns the type parameter of a name that a declaration around some code has.
    fn type_parameter(&self, place: HintScope, name: &'a str) -> Ty<'a> {
        let Some(from) = place.from else { return Ty::Unknown };
        let mut around = self.context.self_and_ancestors(Decl::new(place.file, from));
        let has_it = |it: &Decl| self.symbol(*it).type_parameters.iter().any(|own| *own.name == *name);
        match around.find(has_it) {
            Some(owner) if self.symbol(owner).kind.is_type() => Ty::Parameter(self.whole_type(owner), name),
            Some(owner) => Ty::Parameter(owner, name),
            None => Ty::Unknown,
        }
    }

    /// Returns the type of the value that a hint describes.
    pub(super) fn type_of_hint(&self, place: HintScope, hint: &'a TypeHint) -> Ty<'a> {
        if !self.typed.step() {
            return Ty::Unknown;
        }
        match hint {
            TypeHint::Named(_) | TypeHint::Generic(..) => self.written_value(place, hint),
            TypeHint::Function(parameters, result) => Ty::Literal(parameters, result, place),
            TypeHint::Object(members) => {
                members.first().map_or(Ty::Unknown, |(_, hint)| self.type_of_hint(place, hint))
            }
            TypeHint::OneOf(hints) => {
                let mut types = hints.iter().map(|hint| self.type_of_hint(place, hint));
                types.find(|ty| *ty != Ty::Unknown && !ty.is(TypeHint::VOID)).unwrap_or(Ty::Unknown)
            }
            TypeHint::Value(name) => self.type_of_name(place, name),
            TypeHint::Call(call) => {
                let Some(selected) = self.selected(place.file, *call) else { return Ty::Unknown };
                self.typed.depend_on(selected.result_confidence);
                selected.result.clone()
            }
            TypeHint::Passed(call, at) => self.passed_type(place.file, *call, usize::from(*at)),
            TypeHint::Part(Part::Element, many) => self.element_type(&self.type_of_hint(place, many)),
            TypeHint::Part(Part::Indexed, many) => self.indexed_type(&self.type_of_hint(place, many)),
            TypeHint::Part(Part::Success, value) => self.type_of_hint(place, value).without_null(),
            TypeHint::Part(Part::Place(at), tuple) => {
                let tuple = self.type_of_hint(place, tuple);
                if tuple.is(TypeHint::TUPLE) || tuple.is("KeyValuePair") {
                    tuple.argument(usize::from(*at))
                } else {
                    Ty::Unknown
                }
            }
            TypeHint::Parameter(function, at) => {
                let function = self.type_of_hint(place, function);
                let signature = self.signature(&function);
                signature
                    .and_then(|(parameters, _)| parameters.get(usize::from(*at)).cloned())
                    .unwrap_or(Ty::Unknown)
            }
            TypeHint::Argument(callee, at) => {
                let receiver = self.type_of_prefix(place, callee, callee.path.len() - 1);
                let candidates = self.methods_of(&receiver, callee.name());
                let [only] = &candidates[..] else { return Ty::Unknown };
                let parameters = self.parameters_of(only.method, &only.owner);
                parameters.get(usize::from(*at)).cloned().unwrap_or(Ty::Unknown)
            }
            TypeHint::Unknown | TypeHint::Result(_) | TypeHint::ClosureParameter(..) | TypeHint::Part(..) => {
                Ty::Unknown
            }
        }
    }

    /// Returns a written type, whose arguments may be values: those of a tuple.
    fn written_value(&self, place: HintScope, hint: &'a TypeHint) -> Ty<'a> {
        match hint {
            TypeHint::Generic(name, values) if name.name() == TypeHint::TUPLE => {
                Ty::Outside(TypeHint::TUPLE, values.iter().map(|it| self.type_of_hint(place, it)).collect())
            }
            _ => self.written_type(place, hint),
        }
    }

    /// Returns the type of the value that an argument is passed to.
    fn passed_type(&self, file: FileId, call: u32, at: usize) -> Ty<'a> {
        if let Some(Progress::Begun(types)) = self.typed.calls.borrow().get(&(file, call)) {
            self.typed.is_partial.set(true);
            return types.get(at).cloned().unwrap_or(Ty::Unknown);
        }
        let Some(selected) = self.selected(file, call) else { return Ty::Unknown };
        // A method outside of the project is not selected among others.
        let is_outside = selected.methods.is_empty();
        self.typed.depend_on(if is_outside { selected.result_confidence } else { selected.confidence });
        selected.passed.get(at).cloned().unwrap_or(Ty::Unknown)
    }

    /// Returns the type of the value, or the type, that a name denotes.
    fn type_of_name(&self, place: HintScope, name: &'a NameRef) -> Ty<'a> {
        self.type_of_prefix(place, name, name.path.len())
    }

    /// Returns the type of the first segments of a name.
    fn type_of_prefix(&self, place: HintScope, name: &'a NameRef, len: usize) -> Ty<'a> {
        let (first, rest) = match &name.head {
            Head::SelfType => (self.own_instance(place), 1),
            Head::Super => (self.base_of(&self.own_instance(place)), 1),
            Head::Local(Some(hint)) => (self.type_of_hint(place, hint), 1),
            Head::Value(Some(hint)) => (self.type_of_hint(place, hint), 0),
            Head::Local(None) | Head::Value(None) | Head::TypeParameter => (Ty::Unknown, 1),
            Head::Symbol(_) | Head::Import(_) | Head::Free => return self.type_of_free(place, name, len),
        };
        self.along(first, &name.path[rest.min(len)..len])
    }

    /// Returns the type of a member of a member.
    fn along(&self, first: Ty<'a>, path: &'a [Box<str>]) -> Ty<'a> {
        path.iter().fold(first, |of, segment| self.member_type(&of, segment))
    }

    /// Returns the type of the first segments of a name that is not bound to a value in its file.
    fn type_of_free(&self, place: HintScope, name: &'a NameRef, len: usize) -> Ty<'a> {
        if let (Head::Free, Some(member)) = (&name.head, self.around_member(place, &name.path[0])) {
            return self.along(member, &name.path[1..len]);
        }
        for head in 1..=len {
            let relation = Relation::References;
            match self.resolved(place, name, head, relation) {
                Some(Resolution::Scope(_)) => {}
                Some(Resolution::Symbols(found)) => {
                    let found = self.by_type_arity(self.narrow(found, relation), 0);
                    let first = self.type_of_declarations(&found);
                    return self.along(first, &name.path[head..len]);
                }
                Some(Resolution::External(..)) | None => {
                    // A type of a namespace outside of the project, or a namespace.
                    let (last, is_type) = (&*name.path[head - 1], head < len || name.path.len() == len);
                    let is_upper = last.starts_with(char::is_uppercase)
                        || self.rules(place.file).builtin(last).is_some();
                    if !is_upper || !is_type {
                        return Ty::Unknown;
                    }
                    return self.along_outside(normalized(last), &name.path[head..len]);
                }
                Some(Resolution::Values(_)) => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    /// Returns the type of the value that declarations of one name hold, or of the types themselves.
    fn type_of_declarations(&self, found: &[Decl]) -> Ty<'a> {
        let Some(first) = found.first() else { return Ty::Unknown };
        let symbol = self.symbol(*first);
        match symbol.kind {
            SymbolKind::TypeAlias if found.len() > 1 => Ty::Unknown,
            kind if kind.is_type() => self.instance(*first, Rc::new([])),
            kind if kind.is_callable() => Ty::Functions(found.into()),
            SymbolKind::EnumMember => {
                self.context.parent(*first).map_or(Ty::Unknown, |owner| Ty::Of(owner, Rc::new([])))
            }
            _ => symbol.ty.as_ref().map_or(Ty::Unknown, |ty| self.written_type(HintScope::of(*first), ty)),
        }
    }

    /// Returns the type that contains some code.
    fn own_instance(&self, place: HintScope) -> Ty<'a> {
        match self.enclosing_type(place.file, place.from) {
            Some(ty) => self.instance(ty, Rc::new([])),
            None => Ty::Unknown,
        }
    }

    /// Returns the types around some code, innermost first.
    fn types_around(&self, file: FileId, from: Option<LocalSymbol>) -> Vec<Ty<'a>> {
        let Some(from) = from else { return Vec::new() };
        let around = self.context.self_and_ancestors(Decl::new(file, from));
        let types = around.filter(|it| self.symbol(*it).kind.is_type());
        types.map(|ty| self.instance(ty, Rc::new([]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::Direction;
    use crate::link;
    use crate::testing::project;

    /// Returns the lines of the functions that `Main.Run` calls, with the confidence of each edge.
    fn calls(text: &str) -> Vec<(u32, Confidence)> {
        let project = project(&[("main.cs", text)]);
        let graph = link(&project);
        let [run] = graph.nodes_labeled(&project, "main.cs::Main.Run")[..] else { panic!("one node") };
        let edges = graph.edges_at(run, Direction::Outgoing).filter(|it| it.relation == Relation::Calls);
        let line = |label: String| label.rsplit(':').next().and_then(|it| it.parse().ok()).unwrap_or(0);
        edges.map(|it| (line(graph.label(&project, it.target)), it.confidence)).collect()
    }

    /// Returns the calls of the first of many overloads, whose last parameters have different types.
    fn calls_of_overloads(overloads: usize, parameters: usize) -> Vec<(u32, Confidence)> {
        let mut text = String::from("class Main {\n");
        let same = "int, ".repeat(parameters - 1);
        let names = (0..).map(|at| format!("p{at}"));
        let same: String = same
            .split_inclusive(", ")
            .zip(names)
            .map(|(ty, name)| ty.replace(",", &format!(" {name},")))
            .collect();
        for at in 0..overloads {
            writeln!(text, "void Many({same}P{at} last) {{ }}").expect("writing to a string does not fail");
        }
        writeln!(text, "void Run(P0 last) {{ Many({}last); }}\n}}", "1, ".repeat(parameters - 1))
            .expect("writing to a string does not fail");
        for at in 0..overloads {
            writeln!(text, "class P{at} {{ }}").expect("writing to a string does not fail");
        }
        calls(&text)
    }

    #[test]
    fn a_choice_among_a_part_of_the_methods_is_not_exact() {
        for (overloads, parameters, is_exact) in [(10, 2, true), (200, 2, false), (100, 50, false)] {
            let found = calls_of_overloads(overloads, parameters);
            let [(_, confidence)] = found[..] else { panic!("one call: {found:?}") };
            assert_eq!(confidence == Confidence::Exact, is_exact, "{overloads} {parameters}");
        }
    }

    #[test]
    fn long_chains_of_types_are_cut() {
        let mut text = String::from("class C0 { void Go(int at) { } }\n");
        for at in 1..3_000 {
            writeln!(text, "class C{at} : C{} {{ }}", at - 1).expect("writing to a string does not fail");
        }
        text.push_str("class Main { void Run(C2999 far, C40 near) { near.Go(0); far.Go(0); } }\n");
        assert_eq!(calls(&text).len(), 1);
    }
}
