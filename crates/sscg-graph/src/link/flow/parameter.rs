//! Values of parameters: of the declared type, or else the arguments of the calls that run the function.

use sscg_core::{
    ArgumentKind, Confidence, FileId, FlowArgument, Key, LocalCall, LocalFunction, ParameterKind, Relation,
};

use super::{AbstractValue, AbstractValues, Decl, Evaluator, FlowTarget, at_most, exactly, merged};
use crate::link::resolve::DEPTH;

impl<'a> Evaluator<'_, 'a> {
    /// Returns the values that a parameter may have.
    pub(super) fn parameter(&mut self, file: FileId, function: LocalFunction, nth: u8) -> AbstractValues<'a> {
        let Some(parameter) = self.linker.context.parameters(file, function).get(usize::from(nth)) else {
            return Vec::new();
        };
        if matches!(parameter.kind, ParameterKind::Rest | ParameterKind::NamedRest) {
            return exactly(AbstractValue::Rest(file, function, nth));
        }
        let mut pointees = AbstractValues::new();
        if let Some(ty) = parameter.ty {
            pointees = self.of_type(file, ty);
            if !self.are_structural(&pointees) {
                let sure = if pointees.len() > 1 { Confidence::Inferred } else { Confidence::Exact };
                return at_most(pointees, sure).collect();
            }
        }
        let mut passed = self.passed(file, function, nth);
        if let Some(default) = parameter.default {
            passed.extend(self.value(file, default).iter().cloned());
        }
        // A decorator replaces its function, so callers do not pass the latter.
        passed.retain(|(pointee, _)| !matches!(pointee, AbstractValue::Decorated(_)));
        pointees.extend(at_most(passed, Confidence::Inferred));
        merged(pointees)
    }

    /// Returns the values that the calls of a function pass for one of its parameters; for a parameter that collects
    /// the remaining arguments, each of these.
    pub(super) fn passed(&mut self, file: FileId, function: LocalFunction, nth: u8) -> AbstractValues<'a> {
        let place = FlowTarget::Parameter(file, function, nth);
        self.linker.context.note_passed(place);
        self.passed.to(place).collect()
    }

    /// Returns true if the values of a parameter depend on the arguments of calls.
    pub(super) fn takes_anything(&mut self, file: FileId, function: LocalFunction, nth: u8) -> bool {
        match self.linker.context.parameters(file, function)[usize::from(nth)].ty {
            Some(ty) => {
                let pointees = self.of_type(file, ty);
                self.are_structural(&pointees)
            }
            None => true,
        }
    }

    /// Returns the values that one call passes for a parameter of a function whose first `offset` parameters are bound.
    pub(super) fn passed_by(
        &mut self,
        at: FileId,
        call: LocalCall,
        file: FileId,
        function: LocalFunction,
        nth: u8,
        offset: usize,
    ) -> AbstractValues<'a> {
        let arguments = &self.flow(at).calls[call].arguments;
        let mut passed = Vec::new();
        for argument in self.arguments_for(file, function, nth, arguments, offset) {
            if argument.kind == ArgumentKind::Rest {
                passed.extend(self.element_of(at, argument.value, &Key::Any));
            } else {
                passed.extend(self.value(at, argument.value).iter().cloned());
            }
        }
        passed
    }

    /// Returns the arguments for a parameter of a function whose first `offset` parameters are bound.
    fn arguments_for(
        &self,
        file: FileId,
        function: LocalFunction,
        nth: u8,
        arguments: &'a [FlowArgument],
        offset: usize,
    ) -> impl Iterator<Item = &'a FlowArgument> + use<'a> {
        let parameters = self.linker.context.parameters(file, function);
        let parameter = &parameters[usize::from(nth)];
        let place = usize::from(nth);
        arguments.iter().enumerate().filter_map(move |(at, argument)| {
            let is_meant = match (&argument.kind, parameter.kind) {
                (ArgumentKind::Place, ParameterKind::One) => at + offset == place,
                (ArgumentKind::Place, ParameterKind::Rest) => at + offset >= place,
                (ArgumentKind::Rest, ParameterKind::One) => at + offset <= place,
                (ArgumentKind::Rest, ParameterKind::Rest) => true,
                (ArgumentKind::Name(name), ParameterKind::One | ParameterKind::Named) => {
                    *name == parameter.name
                }
                (ArgumentKind::Name(name), ParameterKind::NamedRest) => {
                    !parameters.iter().any(|parameter| parameter.name == *name)
                }
                _ => false,
            };
            is_meant.then_some(argument)
        })
    }

    /// Collects the functions that a call runs, each with the number of its parameters that are bound without an
    /// argument.
    pub(super) fn functions_run(
        &mut self,
        pointee: &AbstractValue<'a>,
        run: &mut Vec<((FileId, LocalFunction), usize)>,
    ) {
        let linker = self.linker;
        let mut push = |symbol: Decl, offset| {
            if let Some(function) = linker.context.function(symbol)
                && run.iter().all(|(known, _)| *known != (symbol.file, function))
            {
                run.push(((symbol.file, function), offset));
            }
        };
        match pointee {
            AbstractValue::Lambda(file, lambda) => run.push(((*file, *lambda), 0)),
            AbstractValue::Function(symbol) => push(*symbol, 0),
            AbstractValue::Method(symbol, _) => push(*symbol, 1),
            AbstractValue::Class { class, .. } => {
                let made =
                    linker.member(*class, linker.rules(class.file).constructor(), Relation::Calls, DEPTH);
                made.into_iter().flat_map(|(made, _)| made).for_each(|symbol| push(symbol, 1));
            }
            AbstractValue::Instance { class, exact } => {
                for (called, _) in self.instance_member(*class, *exact, "__call__").iter() {
                    if let AbstractValue::Method(symbol, _) = called {
                        push(*symbol, 1);
                    }
                }
            }
            _ => {}
        }
    }
}
