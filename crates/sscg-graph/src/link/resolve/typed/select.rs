//! Selection of the method that a call runs.

use std::rc::Rc;

use sscg_core::{Confidence, FileId, Head, Modifiers, Reference, Relation, SymbolKind, TypeHint};

use super::convert::{PERHAPS, SAME, TO_OBJECT};
use super::members::{Candidate, MAX_COMPARED, MOST_METHODS};
use super::{Bindings, MAX_NESTED, MAX_TYPE_DEPTH, Progress, Ty};
use crate::link::resolve::shape::HintScope;
use crate::link::resolve::{Linker, Resolution};
use crate::link::tables::Decl;

/// Result of a call.
pub(in crate::link::resolve) struct Selected<'a> {
    /// Methods that it may run; none if it calls a value, or a method outside of the project.
    pub(in crate::link::resolve) methods: Vec<Decl>,
    pub(in crate::link::resolve) confidence: Confidence,
    /// Type of its result, with the confidence of this type.
    pub(super) result: Ty<'a>,
    pub(super) result_confidence: Confidence,
    /// Types of the parameters that take its arguments.
    pub(super) passed: Rc<[Ty<'a>]>,
}

impl Selected<'_> {
    /// Returns the result of a call of a known type that no known method of it takes.
    fn unknown() -> Self {
        Self::without_method(Ty::Unknown, Rc::new([]))
    }
}

impl<'a> Selected<'a> {
    /// Returns the result of a call of a value, or of a method outside of the project.
    fn without_method(result: Ty<'a>, passed: Rc<[Ty<'a>]>) -> Self {
        let (confidence, result_confidence) = (Confidence::Inferred, Confidence::Exact);
        Self { methods: Vec::new(), confidence, result, result_confidence, passed }
    }
}

/// Call with the types of its arguments.
struct CallSite<'a> {
    file: FileId,
    call: u32,
    reference: &'a Reference,
    arguments: Vec<Ty<'a>>,
    /// Confidence of the types of the arguments.
    confidence: Confidence,
    /// Names of the arguments that have one.
    names: Vec<Option<&'a str>>,
}

/// Method that takes the arguments of a call.
struct Applicable<'a> {
    candidate: Candidate<'a>,
    /// Types of the parameters for each argument, with the type arguments of the call.
    passed: Vec<Ty<'a>>,
    /// The same as declared.
    declared: Vec<Ty<'a>>,
    conversions: Vec<u8>,
    bindings: Bindings<'a>,
    /// Set if the last parameter takes several arguments.
    is_expanded: bool,
    /// Set if parameters have no argument.
    omits: bool,
    is_generic: bool,
}

impl<'a> Linker<'a> {
    pub(super) fn selected(&self, file: FileId, call: u32) -> Option<Rc<Selected<'a>>> {
        match self.typed.calls.borrow().get(&(file, call)) {
            Some(Progress::Done(known)) => return known.clone(),
            Some(Progress::Begun(_)) => {
                self.typed.is_partial.set(true);
                return None;
            }
            None => {}
        }
        let nested = self.typed.nested.get();
        if nested >= MAX_NESTED || !self.typed.step() {
            self.typed.is_partial.set(true);
            return None;
        }
        self.typed.nested.set(nested + 1);
        let was_partial = self.typed.is_partial.replace(false);
        self.begin_call(file, call, Rc::new([]));
        let (found, confidence) = self.typed.noting(|| self.select(file, call));
        let found = found.map(|selected| {
            Rc::new(Selected {
                result: selected.result.clone().limited(),
                confidence: selected.confidence.min(confidence),
                result_confidence: selected.result_confidence.min(confidence),
                ..selected
            })
        });
        // A result that depends on a call in progress is not final, unless that is this call.
        let is_final = !self.typed.is_partial.get() || nested == 0;
        let mut calls = self.typed.calls.borrow_mut();
        if is_final {
            calls.insert((file, call), Progress::Done(found.clone()));
        } else {
            calls.remove(&(file, call));
        }
        self.typed.is_partial.set(was_partial || !is_final);
        self.typed.nested.set(nested);
        found
    }

    fn begin_call(&self, file: FileId, call: u32, passed: Rc<[Ty<'a>]>) {
        self.typed.calls.borrow_mut().insert((file, call), Progress::Begun(passed));
    }

    fn select(&self, file: FileId, call: u32) -> Option<Selected<'a>> {
        let reference = self.called(file, call).ok()?;
        let (arguments, names) = Default::default();
        let mut site = CallSite { file, call, reference, arguments, confidence: Confidence::Exact, names };
        if reference.relation == Relation::Instantiates {
            return self.select_constructor(site);
        }
        let place = HintScope { file, from: reference.from };
        let name = &reference.target;
        let before = name.path.len() - 1;
        match &name.head {
            Head::Value(_) => {}
            _ if before > 0 => {}
            Head::Local(Some(hint)) => {
                let function = self.type_of_hint(place, hint);
                return self.call_of_value(&function, place, &mut site);
            }
            Head::Symbol(_) | Head::Free | Head::Import(_) => return self.select_bare(place, &mut site),
            _ => return None,
        }
        let receiver = self.type_of_prefix(place, name, before);
        if receiver == Ty::Unknown {
            return None;
        }
        self.read_arguments(place, &mut site);
        let value = receiver.clone().without_null();
        let own = self.accessible(place, self.methods_of(&value, name.name()));
        let has_own = !own.is_empty();
        let found = self.best(&site, own, None).or_else(|| self.select_extension(place, &site, &receiver));
        let is_nullable = value != receiver;
        let found = found.or_else(|| self.select_extension(place, &site, &value).filter(|_| is_nullable));
        if found.is_some() {
            return found;
        }
        if has_own {
            return Some(Selected::unknown());
        }
        match self.field_of(&receiver, name.name()) {
            Some(function) => self.call_of_value(&function, place, &mut site),
            None => self.call_outside(place, &site, &receiver),
        }
    }

    /// Selects the methods that are visible to some code: private ones only in their type.
    fn accessible(&self, place: HintScope, mut methods: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
        let is_private = |it: &Candidate<'a>| self.symbol(it.method).modifiers.contains(Modifiers::PRIVATE);
        if methods.iter().any(is_private) {
            let around = self.types_around(place.file, place.from);
            let is_inside = |owner: &Ty<'a>| match owner {
                Ty::Of(ty, _) => around.iter().any(|it| matches!(it, Ty::Of(around, _) if around == ty)),
                _ => false,
            };
            methods.retain(|it| !is_private(it) || is_inside(&it.owner));
        }
        methods
    }

    /// Returns the result of a method outside of the project.
    fn call_outside(&self, place: HintScope, site: &CallSite<'a>, receiver: &Ty<'a>) -> Option<Selected<'a>> {
        let name = &site.reference.target;
        let method = name.name();
        let is_known = |passed: &[Ty<'a>]| passed.iter().any(|it| *it != Ty::Unknown);
        let passed = self.outside_passed(place, receiver, method, site.arguments.len());
        let is_partial = self.typed.is_partial.get();
        if is_known(&passed) {
            // The results of function literals depend on what is passed to them.
            self.begin_call(site.file, site.call, Rc::clone(&passed));
        }
        let mut result = self.outside_result(place, receiver, method, &site.arguments);
        if is_known(&passed) {
            self.typed.is_partial.set(is_partial);
        }
        if let (Ty::Unknown, Head::Free, [_, _], Ty::Outside(ty, _)) =
            (&result, &name.head, &*name.path, receiver)
        {
            result = self.outside_static_result(ty, method);
        }
        if !result.arguments().is_empty() {
            self.typed.depend_on(site.confidence);
        }
        (result != Ty::Unknown || is_known(&passed)).then(|| Selected::without_method(result, passed))
    }

    /// Selects the constructor that creates an object.
    fn select_constructor(&self, mut site: CallSite<'a>) -> Option<Selected<'a>> {
        if site.reference.argument_types.is_empty() {
            return None;
        }
        let place = HintScope { file: site.file, from: site.reference.from };
        let name = &site.reference.target;
        let Resolution::Symbols(types) =
            self.resolved(place, name, name.path.len(), Relation::Instantiates)?
        else {
            return None;
        };
        let arguments = &site.reference.type_arguments;
        let count = site.reference.arguments.map_or(arguments.len(), usize::from);
        let [ty] = self.narrow(self.by_type_arity(types, count), Relation::Instantiates)[..] else {
            return None;
        };
        let arguments = arguments.iter().map(|hint| self.written_type(place, hint)).collect();
        let owner = self.instance(ty, arguments);
        let Ty::Of(ty, _) = owner else { return None };
        self.read_arguments(place, &mut site);
        let constructors = self.own_member(ty, "constructor", Relation::Calls).unwrap_or_default();
        let methods = if constructors.is_empty() { vec![ty] } else { constructors };
        let candidates =
            methods.into_iter().map(|method| Candidate { method, owner: owner.clone(), level: 0 });
        let mut found = self.best(&site, candidates.collect(), None)?;
        (found.result, found.result_confidence) = (owner, Confidence::Exact);
        Some(found)
    }

    /// Returns the types of the parameters of a method outside of the project.
    fn outside_passed(&self, place: HintScope, of: &Ty<'a>, method: &str, count: usize) -> Rc<[Ty<'a>]> {
        let element = || self.element_type(of);
        let mut passed = vec![Ty::Unknown; count];
        let first = match (of, method) {
            (Ty::Outside(..), "TryGetValue") => {
                if let Some(value) = passed.get_mut(1) {
                    *value = self.indexed_type(of);
                }
                Ty::Unknown
            }
            (Ty::Outside(..) | Ty::Of(..), _)
                if self.rules(place.file).container_callback(method) == Some(0) =>
            {
                match element() {
                    Ty::Unknown => Ty::Unknown,
                    element => Ty::outside("Func", [element, Ty::Unknown]),
                }
            }
            _ => Ty::Unknown,
        };
        if let Some(argument) = passed.first_mut() {
            *argument = first;
        }
        passed.into()
    }

    fn read_arguments(&self, place: HintScope, site: &mut CallSite<'a>) {
        let hints = &site.reference.argument_types;
        // A construction has the number of its type arguments.
        let is_call = site.reference.relation == Relation::Calls;
        let count = site.reference.arguments.filter(|_| is_call).map_or(hints.len(), usize::from);
        let hint = |at: usize| hints.get(at).map_or(Ty::Unknown, |hint| self.type_of_hint(place, hint));
        (site.arguments, site.confidence) = self.typed.noting(|| (0..count).map(hint).collect());
        let name = |at: usize| match hints.get(at) {
            Some(TypeHint::Object(named)) => named.first().map(|(name, _)| &**name),
            _ => None,
        };
        site.names = (0..count).map(name).collect();
    }

    /// Returns the result of calling a value.
    fn call_of_value(
        &self,
        function: &Ty<'a>,
        place: HintScope,
        site: &mut CallSite<'a>,
    ) -> Option<Selected<'a>> {
        if let Ty::Functions(functions) = function {
            self.read_arguments(place, site);
            let candidates = functions.iter().map(|it| self.without_level(*it)).collect();
            return self.best(site, candidates, None);
        }
        let (parameters, result) = match function {
            Ty::Literal(..) => (Vec::new(), self.literal_result(function)),
            _ => self.signature(function)?,
        };
        Some(Selected::without_method(result, parameters.into()))
    }

    fn without_level(&self, method: Decl) -> Candidate<'a> {
        let owner = self.context.parent(method).filter(|it| self.symbol(*it).kind.is_type());
        let owner = owner.map_or(Ty::Unknown, |owner| self.instance(owner, Rc::new([])));
        Candidate { method, owner, level: 0 }
    }

    /// Selects the function that a bare name calls.
    fn select_bare(&self, place: HintScope, site: &mut CallSite<'a>) -> Option<Selected<'a>> {
        let name = &site.reference.target;
        if let Head::Symbol(symbol) = name.head {
            let function = Decl::new(place.file, symbol);
            if self.symbol(function).kind != SymbolKind::Function {
                return None;
            }
            self.read_arguments(place, site);
            return self.best(site, vec![self.without_level(function)], None);
        }
        let around = self.methods_around(place.file, place.from, name.name());
        self.read_arguments(place, site);
        if !around.is_empty() {
            return self.best(site, around, None);
        }
        if let Some(function) = self.around_member(place, name.name()) {
            return self.call_of_value(&function, place, site);
        }
        // Members of a type whose names the file imports.
        match self.resolved(place, name, 1, Relation::Calls)? {
            Resolution::Symbols(found) => {
                let callable = found.iter().filter(|it| self.symbol(**it).kind.is_callable());
                let candidates = callable.map(|it| self.without_level(*it)).collect();
                self.best(site, candidates, None)
            }
            _ => None,
        }
    }

    /// Selects the extension method that a call runs.
    fn select_extension(
        &self,
        place: HintScope,
        site: &CallSite<'a>,
        receiver: &Ty<'a>,
    ) -> Option<Selected<'a>> {
        let candidates: Vec<Candidate<'a>> = self
            .extensions(place.file, site.reference.target.name())
            .into_iter()
            .map(|method| self.without_level(method))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let seen = self.seen_packages(self.scope_of(place.file, place.from));
        let is_seen = |it: &Candidate<'a>| {
            let package = self.context.package_path(self.scope_of(it.method.file, Some(it.method.symbol)));
            package.is_some_and(|package| seen.contains(package))
        };
        let (near, far): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_seen);
        self.best(site, near, Some(receiver)).or_else(|| {
            let mut found = self.best(site, far, Some(receiver))?;
            found.confidence = found.confidence.min(Confidence::Inferred);
            found.result_confidence = found.result_confidence.min(Confidence::Inferred);
            Some(found)
        })
    }

    /// Selects the best of the methods that take the arguments of a call, with the confidence of the types that the choice
    /// and the result depend on.
    fn best(
        &self,
        site: &CallSite<'a>,
        mut candidates: Vec<Candidate<'a>>,
        receiver: Option<&Ty<'a>>,
    ) -> Option<Selected<'a>> {
        let is_cut = candidates.len() >= MOST_METHODS;
        if is_cut {
            candidates.truncate(MAX_COMPARED);
        }
        let (found, types) = self.typed.noting(|| self.best_by_types(site, &candidates, receiver));
        let (mut found, types) = (found?, types.min(site.confidence));
        if is_cut {
            found.confidence = found.confidence.min(Confidence::Inferred);
            found.result_confidence = found.result_confidence.min(Confidence::Inferred);
        }
        if candidates.len() > 1 {
            found.confidence = found.confidence.min(types);
        }
        let confidence = found.confidence.min(types);
        if confidence < Confidence::Exact && !self.have_one_result(&candidates) {
            found.result_confidence = confidence;
        }
        Some(found)
    }

    /// Returns true if methods have the same result whatever their arguments.
    fn have_one_result(&self, candidates: &[Candidate<'a>]) -> bool {
        let mut results = candidates.iter().map(|it| self.result_with(it.method, &it.owner, &Vec::new()));
        let first = results.next().unwrap_or(Ty::Unknown);
        !first.is_open() && results.all(|it| it == first)
    }

    fn best_by_types(
        &self,
        site: &CallSite<'a>,
        candidates: &[Candidate<'a>],
        receiver: Option<&Ty<'a>>,
    ) -> Option<Selected<'a>> {
        let mut fitting: Vec<Applicable<'a>> =
            candidates.iter().filter_map(|candidate| self.applicable(site, candidate, receiver)).collect();
        // A method of a type hides those of its supertypes that the same arguments fit.
        let is_likely = |it: &Applicable<'a>| it.conversions.iter().all(|it| *it > PERHAPS);
        let nearest = fitting.iter().filter(|it| is_likely(it)).map(|it| it.candidate.level).min();
        if let Some(nearest) = nearest {
            fitting.retain(|it| it.candidate.level <= nearest);
        }
        let (first, rest) = fitting.split_first()?;
        let mut champion = first;
        for other in rest {
            if self.is_better(site, other, champion) {
                champion = other;
            }
        }
        let mut is_unsure = false;
        let mut rivals: Vec<&Applicable<'a>> = Vec::new();
        for other in fitting.iter().filter(|it| it.candidate.method != champion.candidate.method) {
            if self.is_better(site, champion, other) {
                is_unsure |= is_guess(champion, other)
                    || self.is_conditional(champion.candidate.method)
                        != self.is_conditional(other.candidate.method);
            } else {
                rivals.push(other);
            }
        }
        let is_extension = receiver.is_some();
        let mut confidence = if is_unsure { Confidence::Inferred } else { Confidence::Exact };
        // Under a condition, it stands for a method of the library.
        if is_extension
            && self.is_conditional(champion.candidate.method)
            && champion.candidate.method.file != site.file
        {
            confidence = Confidence::Inferred;
        }
        if is_extension && champion.conversions.last().is_some_and(|it| *it <= PERHAPS) {
            confidence = Confidence::Inferred;
        }
        let result_confidence = Confidence::Exact;
        if !rivals.is_empty() {
            let methods: Vec<Decl> =
                [champion].into_iter().chain(rivals.iter().copied()).map(|it| it.candidate.method).collect();
            let mut results = [champion].into_iter().chain(rivals).map(|it| self.result(it));
            let first = results.next().unwrap_or(Ty::Unknown);
            let result = if results.all(|it| it == first) { first } else { Ty::Unknown };
            let passed = Rc::new([]);
            return Some(Selected { methods, confidence, result, result_confidence, passed });
        }
        let (method, passed, bindings) = self.completed(site, champion);
        let result = self.result_with(method, &champion.candidate.owner, &bindings);
        Some(Selected { methods: vec![method], confidence, result, result_confidence, passed })
    }

    /// Returns true if a declaration is compiled under a condition.
    fn is_conditional(&self, declaration: Decl) -> bool {
        self.context.self_and_ancestors(declaration).any(|it| self.symbol(it).condition.is_some())
    }

    /// Returns the selected method with the types that follow from the bodies of function literals.
    fn completed(&self, site: &CallSite<'a>, chosen: &Applicable<'a>) -> (Decl, Rc<[Ty<'a>]>, Bindings<'a>) {
        let method = chosen.candidate.method;
        let mut bindings = chosen.bindings.clone();
        let has_literals = site.arguments.iter().any(|it| matches!(it, Ty::Literal(..) | Ty::Functions(_)));
        if has_literals && chosen.is_generic {
            // The types of the parameters of each literal are known now.
            let is_partial = self.typed.is_partial.get();
            let own: Bindings<'a> = bindings.iter().filter(|(.., ty)| *ty != Ty::Unknown).cloned().collect();
            let known = chosen.declared.iter().map(|ty| ty.with(&own)).collect();
            self.begin_call(site.file, site.call, known);
            for (declared, argument) in chosen.declared.iter().zip(&site.arguments) {
                if matches!(argument, Ty::Literal(..) | Ty::Functions(_)) {
                    bindings.retain(|(.., ty)| *ty != Ty::Unknown);
                    let declared = declared.with(&bindings);
                    self.unify(method, &declared, argument, &mut bindings, MAX_TYPE_DEPTH);
                }
            }
            self.typed.is_partial.set(is_partial);
        }
        let passed = chosen.declared.iter().map(|ty| ty.with(&bindings)).collect();
        (method, passed, bindings)
    }

    fn result(&self, chosen: &Applicable<'a>) -> Ty<'a> {
        self.result_with(chosen.candidate.method, &chosen.candidate.owner, &chosen.bindings)
    }

    fn result_with(&self, method: Decl, owner: &Ty<'a>, bindings: &Bindings<'a>) -> Ty<'a> {
        let symbol = self.symbol(method);
        let Some(hint) = &symbol.ty else { return Ty::Unknown };
        let result = self.written_type(HintScope::of(method), hint);
        let result = result.with(&self.bindings_in(owner)).with(bindings);
        let is_unbound = symbol.type_parameters.iter().any(|it| result.mentions(method, &it.name));
        if is_unbound { self.with_unknown(method, &result) } else { result }
    }

    /// Returns a type whose parameters of a method are unknown.
    fn with_unknown(&self, method: Decl, ty: &Ty<'a>) -> Ty<'a> {
        let parameters = self.symbol(method).type_parameters.iter();
        let unknown: Bindings<'a> = parameters.map(|it| (method, &*it.name, Ty::Unknown)).collect();
        ty.with(&unknown)
    }

    /// Returns the parameter of a method for each argument of a call, and true if some have none; `None` if the number
    /// or a name does not fit.
    fn positions(
        &self,
        site: &CallSite<'a>,
        method: Decl,
        skipped: usize,
        is_expanded: bool,
    ) -> Option<(Vec<usize>, bool)> {
        let symbol = self.symbol(method);
        let count = symbol.parameters.len().checked_sub(skipped)?;
        let required = usize::from(symbol.required_parameters).saturating_sub(skipped);
        let is_variadic = symbol.modifiers.contains(Modifiers::VARIADIC);
        let mut positions = Vec::with_capacity(site.arguments.len());
        for (at, name) in site.names.iter().enumerate() {
            let position = match name {
                Some(name) => symbol.parameter_names.iter().skip(skipped).position(|it| **it == **name)?,
                None if at < count => at,
                None if is_expanded => count.checked_sub(1)?,
                None => return None,
            };
            positions.push(position);
        }
        let is_given = |position: usize| positions.contains(&position);
        let last_is_given = !is_variadic || is_expanded || is_given(count.checked_sub(1)?);
        let all = (0..required.min(count)).all(is_given) && last_is_given;
        let given = (0..count).filter(|position| is_given(*position)).count();
        let omits = given < count - usize::from(is_variadic && is_expanded && given < count);
        all.then_some((positions, omits))
    }

    fn applicable(
        &self,
        site: &CallSite<'a>,
        candidate: &Candidate<'a>,
        receiver: Option<&Ty<'a>>,
    ) -> Option<Applicable<'a>> {
        if !self.typed.step() {
            return None;
        }
        let is_variadic = self.symbol(candidate.method).modifiers.contains(Modifiers::VARIADIC);
        let plain = self.applicable_as(site, candidate, receiver, false);
        match plain {
            None if is_variadic => self.applicable_as(site, candidate, receiver, true),
            plain => plain,
        }
    }

    fn applicable_as(
        &self,
        site: &CallSite<'a>,
        candidate: &Candidate<'a>,
        receiver: Option<&Ty<'a>>,
        is_expanded: bool,
    ) -> Option<Applicable<'a>> {
        let method = candidate.method;
        let symbol = self.symbol(method);
        let skipped = usize::from(receiver.is_some());
        let (positions, omits) = self.positions(site, method, skipped, is_expanded)?;
        let written = &site.reference.type_arguments;
        if !written.is_empty() && written.len() != symbol.type_parameters.len() {
            return None;
        }
        let own = self.parameters_of(method, &candidate.owner);
        let last = own.len().wrapping_sub(1);
        let declared = positions.iter().map(|at| {
            let ty = own[at + skipped].clone();
            if is_expanded && at + skipped == last { held(&ty) } else { ty }
        });
        let declared: Vec<Ty<'a>> = declared.collect();
        let is_generic = !symbol.type_parameters.is_empty();
        let mut bindings: Bindings<'a> = Vec::new();
        if !written.is_empty() {
            let place = HintScope { file: site.file, from: site.reference.from };
            let given = written.iter().map(|hint| self.written_type(place, hint));
            bindings.extend(symbol.type_parameters.iter().zip(given).map(|(it, ty)| (method, &*it.name, ty)));
        } else if is_generic {
            if let Some(receiver) = receiver {
                self.unify(method, own.first()?, receiver, &mut bindings, MAX_TYPE_DEPTH);
            }
            let is_function = |ty: &Ty<'a>| matches!(ty, Ty::Literal(..) | Ty::Functions(_));
            for wanted in [false, true] {
                for (ty, argument) in declared.iter().zip(&site.arguments) {
                    if is_function(argument) == wanted {
                        self.unify(method, ty, argument, &mut bindings, MAX_TYPE_DEPTH);
                    }
                }
            }
            for parameter in &symbol.type_parameters {
                if bindings.iter().any(|(_, name, _)| **name == *parameter.name) {
                    continue;
                }
                // It follows from an argument or from nothing.
                let mentions = |ty: &Ty<'a>| ty.mentions(method, &parameter.name);
                let of_receiver = receiver.is_some() && own.first().is_some_and(mentions);
                if !of_receiver && !declared.iter().any(mentions) {
                    return None;
                }
                bindings.push((method, &parameter.name, Ty::Unknown));
            }
        }
        if !self.keeps_bounds(method, &bindings) {
            return None;
        }
        let passed: Vec<Ty<'a>> = declared.iter().map(|ty| ty.with(&bindings)).collect();
        let mut conversions = Vec::with_capacity(passed.len() + 1);
        for (argument, parameter) in site.arguments.iter().zip(&passed) {
            conversions.push(self.conversion(argument, parameter)?);
        }
        if let Some(receiver) = receiver {
            let first = own.first()?.with(&bindings);
            conversions.push(self.conversion(receiver, &first)?);
        }
        Some(Applicable {
            candidate: candidate.clone(),
            passed,
            declared,
            conversions,
            bindings,
            is_expanded,
            omits,
            is_generic,
        })
    }

    /// Returns true if types can be the type arguments of a method.
    fn keeps_bounds(&self, method: Decl, bindings: &Bindings<'a>) -> bool {
        self.symbol(method).bounds.iter().all(|bound| {
            let given =
                bindings.iter().find(|(owner, name, _)| *owner == method && **name == *bound.parameter);
            let Some((.., given)) = given else { return true };
            let wanted = self.written_type(HintScope::of(method), &bound.ty).with(bindings);
            // `class`, `struct` and the like are no types.
            let is_type = matches!(wanted, Ty::Of(..))
                || wanted.name().is_some_and(|it| it.starts_with(char::is_uppercase));
            !is_type || self.conversion(given, &wanted).is_some()
        })
    }

    /// Returns true if a call prefers a method to another one.
    fn is_better(&self, site: &CallSite<'a>, one: &Applicable<'a>, other: &Applicable<'a>) -> bool {
        let mut is_better = false;
        for (at, argument) in site.arguments.iter().enumerate() {
            let (a, b) = (&one.passed[at], &other.passed[at]);
            match self.compared(argument, (a, one.conversions[at]), (b, other.conversions[at])) {
                std::cmp::Ordering::Less => return false,
                std::cmp::Ordering::Greater => is_better = true,
                std::cmp::Ordering::Equal => {}
            }
        }
        if is_better {
            return true;
        }
        if let (Some(a), Some(b)) =
            (one.conversions.get(site.arguments.len()), other.conversions.get(site.arguments.len()))
            && a != b
        {
            return a > b;
        }
        let by_form = [
            (!one.is_generic, !other.is_generic),
            (!one.is_expanded, !other.is_expanded),
            (!one.omits, !other.omits),
        ];
        if let Some((a, _)) = by_form.into_iter().find(|(a, b)| a != b) {
            return a;
        }
        if self.is_more_specific(one, other) || self.is_more_specific(other, one) {
            return self.is_more_specific(one, other);
        }
        // One that is always compiled stands for those under conditions.
        let is_conditional = |it: &Applicable<'a>| self.is_conditional(it.candidate.method);
        !is_conditional(one) && is_conditional(other)
    }

    /// Returns true if the parameters of a method, as declared, are more specific than those of another.
    fn is_more_specific(&self, one: &Applicable<'a>, other: &Applicable<'a>) -> bool {
        let mut is_more = false;
        for (a, b) in one.declared.iter().zip(&other.declared) {
            match (generality(a), generality(b)) {
                (a, b) if a > b => return false,
                (a, b) => is_more |= a < b,
            }
        }
        is_more
    }

    /// Compares the conversions of an argument to two types.
    fn compared(
        &self,
        argument: &Ty<'a>,
        (a, to_a): (&Ty<'a>, u8),
        (b, to_b): (&Ty<'a>, u8),
    ) -> std::cmp::Ordering {
        use std::cmp::Ordering::{Equal, Greater, Less};
        if a == b {
            return Equal;
        }
        if let Ty::Literal(..) = argument {
            let (result_a, result_b) = (self.signature(a), self.signature(b));
            if let (Some((_, result_a)), Some((_, result_b))) = (result_a, result_b) {
                let is_nothing = |ty: &Ty<'a>| ty.is(TypeHint::VOID);
                return match (is_nothing(&result_a), is_nothing(&result_b)) {
                    (true, true) => Equal,
                    // A function literal with a value is a function with a result.
                    (false, true) if to_a > PERHAPS => Greater,
                    (true, false) if to_b > PERHAPS => Less,
                    (false, false) if to_a == to_b => self.wider(&result_a, &result_b),
                    _ => to_a.cmp(&to_b),
                };
            }
            return to_a.cmp(&to_b);
        }
        if to_a == SAME || to_b == SAME || to_a <= PERHAPS || to_b <= PERHAPS {
            return to_a.cmp(&to_b);
        }
        match self.wider(a, b) {
            Equal if to_a == TO_OBJECT || to_b == TO_OBJECT => to_a.cmp(&to_b),
            found => found,
        }
    }

    /// Compares types: the one that converts to the other is better.
    fn wider(&self, a: &Ty<'a>, b: &Ty<'a>) -> std::cmp::Ordering {
        let certain = |a: &Ty<'a>, b: &Ty<'a>| self.conversion(a, b).filter(|it| *it > PERHAPS).is_some();
        match (certain(a, b), certain(b, a)) {
            (true, false) => std::cmp::Ordering::Greater,
            (false, true) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Equal,
        }
    }
}

/// Returns true if the choice between two methods depends on an argument of unknown type.
fn is_guess(one: &Applicable<'_>, other: &Applicable<'_>) -> bool {
    let differs = |at: usize| one.passed.get(at) != other.passed.get(at);
    (0..one.conversions.len().max(other.conversions.len())).any(|at| {
        let is_open = |it: &Applicable<'_>| it.conversions.get(at).is_some_and(|it| *it <= PERHAPS);
        differs(at) && (is_open(one) || is_open(other))
    })
}

/// Returns the number of type parameters in a type, which others may stand for.
fn generality(ty: &Ty<'_>) -> u32 {
    match ty {
        Ty::Parameter(..) => 100,
        _ => ty.arguments().iter().map(generality).sum::<u32>().min(99),
    }
}

/// Returns what each argument of a variable number is.
fn held<'a>(many: &Ty<'a>) -> Ty<'a> {
    match many {
        Ty::Outside(_, held) if held.len() == 1 => held[0].clone(),
        _ => Ty::Unknown,
    }
}
