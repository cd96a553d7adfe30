//! What is passed for a parameter: its type if that is written out, else the arguments of the calls that run
//! its function.

use sscg_core::{
    Argument, ArgumentKind, Call, Confidence, FileId, Key, LocalCall, LocalFunction, ParameterKind, Relation,
    SymbolKind,
};

use super::{Decl, Evaluator, Thing, Things, at_most, merged};
use crate::link::resolve::DEPTH;

/// How many calls of one function are looked at.
const MAX_CALLS: usize = 64;

/// How many callers of callers are looked at.
const MAX_CALLERS: u32 = 4;

impl<'a> Evaluator<'_, 'a> {
    /// What a parameter may be.
    pub(super) fn parameter(&mut self, file: FileId, function: LocalFunction, nth: u8) -> Things<'a> {
        let Some(parameter) = self.flow(file).functions[function].parameters.get(usize::from(nth)) else {
            return Vec::new();
        };
        if matches!(parameter.kind, ParameterKind::Rest | ParameterKind::NamedRest) {
            return vec![(Thing::Rest(file, function, nth), Confidence::Exact)];
        }
        let mut things = Things::new();
        if let Some(ty) = parameter.ty {
            things = self.of_type(file, ty);
            if !self.are_structural(&things) {
                let sure = if things.len() > 1 { Confidence::Inferred } else { Confidence::Exact };
                return at_most(things, sure).collect();
            }
        }
        let mut passed = self.passed(file, function, nth);
        if let Some(default) = parameter.default {
            passed.extend(self.value(file, default).iter().cloned());
        }
        // What a decorator hides is not what is passed.
        passed.retain(|(thing, _)| !matches!(thing, Thing::Decorated(_)));
        things.extend(at_most(passed, Confidence::Inferred));
        merged(things)
    }

    /// What the calls of a function pass for one of its parameters; for one that takes all other arguments, each
    /// of them.
    pub(super) fn passed(&mut self, file: FileId, function: LocalFunction, nth: u8) -> Things<'a> {
        if self.callers == MAX_CALLERS {
            self.is_part = true;
            return Vec::new();
        }
        self.callers += 1;
        let mut passed = Vec::new();
        for (at, call, offset) in self.calls_of(file, function) {
            passed.extend(self.passed_by(at, call, file, function, nth, offset));
        }
        self.callers -= 1;
        passed
    }

    /// What one call passes for a parameter of a function, if the first `offset` parameters are bound already.
    pub(super) fn passed_by(
        &mut self,
        at: FileId,
        call: LocalCall,
        file: FileId,
        function: LocalFunction,
        nth: u8,
        offset: usize,
    ) -> Things<'a> {
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

    /// The arguments that go to a parameter, if the first `offset` parameters are bound already.
    fn arguments_for(
        &self,
        file: FileId,
        function: LocalFunction,
        nth: u8,
        arguments: &'a [Argument],
        offset: usize,
    ) -> impl Iterator<Item = &'a Argument> + use<'a> {
        let function = &self.flow(file).functions[function];
        let parameter = &function.parameters[usize::from(nth)];
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
                    !function.parameters.iter().any(|parameter| parameter.name == *name)
                }
                _ => false,
            };
            is_meant.then_some(argument)
        })
    }

    /// The calls that run a function, with how many of its parameters are bound without an argument.
    fn calls_of(&mut self, file: FileId, function: LocalFunction) -> Vec<(FileId, LocalCall, usize)> {
        let linker = self.linker;
        let symbol = self.flow(file).functions[function].symbol.map(|symbol| Decl::new(file, symbol));
        let mut sites: Vec<(FileId, LocalCall)> = Vec::new();
        if let Some(symbol) = symbol {
            let declaration = linker.symbol(symbol);
            let mut names = vec![&*declaration.name];
            if declaration.kind == SymbolKind::Constructor
                && let Some(class) = linker.context.parent(symbol)
            {
                names.push(&linker.symbol(class).name);
                names.extend(linker.heirs(class).iter().map(|heir| &*linker.symbol(*heir).name));
            }
            // What a function returns is called by the name of that function's call: `decorator(argument)(f)`.
            let maker = linker.context.parent(symbol).map(|maker| linker.symbol(maker));
            let made =
                maker.filter(|maker| maker.kind.is_callable()).map(|maker| format!("{}()", maker.name));
            for name in names.into_iter().chain(made.as_deref()) {
                sites.extend_from_slice(linker.context.calls(name));
            }
        }
        sites.extend(linker.context.indirect_calls(file).iter().map(|call| (file, *call)));
        if sites.len() > MAX_CALLS {
            sites.retain(|(at, _)| *at == file);
            sites.truncate(MAX_CALLS);
        }
        let mut calls = Vec::new();
        for (at, call) in sites {
            let Call { callee, arguments, .. } = &self.flow(at).calls[call];
            if arguments.is_empty() {
                continue;
            }
            for (thing, _) in self.value(at, *callee).iter() {
                if let Some(offset) = self.runs(thing, file, function, symbol) {
                    calls.push((at, call, offset));
                    break;
                }
            }
        }
        calls
    }

    /// Whether calling a thing runs a function, and how many of its parameters are bound then.
    fn runs(
        &mut self,
        thing: &Thing<'a>,
        file: FileId,
        function: LocalFunction,
        symbol: Option<Decl>,
    ) -> Option<usize> {
        match thing {
            Thing::Lambda(at, lambda) => (*at == file && *lambda == function).then_some(0),
            Thing::Function(known) => (Some(*known) == symbol).then_some(0),
            Thing::Method(known, _) => (Some(*known) == symbol).then_some(1),
            Thing::Class { class, .. } => {
                let (made, _) = self.linker.member(*class, "__init__", Relation::Calls, DEPTH)?;
                made.iter().any(|known| Some(*known) == symbol).then_some(1)
            }
            Thing::Instance { class, exact } => {
                let called = self.instance_member(*class, *exact, "__call__");
                let runs = |(thing, _): &(Thing<'_>, _)| matches!(thing, Thing::Method(known, _) if Some(*known) == symbol);
                called.iter().any(runs).then_some(1)
            }
            _ => None,
        }
    }
}
