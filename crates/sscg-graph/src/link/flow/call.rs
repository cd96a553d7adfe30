//! Results of calls.

use sscg_core::{Confidence, FileId, Flow, Key, LocalCall, LocalFunction, LocalValue, Modifiers, Value};

use super::{AbstractValue, AbstractValues, Decl, Evaluator, Part, at_most, exactly, last_segment, merged};

impl<'a> Evaluator<'_, 'a> {
    /// Returns the possible results of a call.
    pub(super) fn result(&mut self, file: FileId, call: LocalCall) -> AbstractValues<'a> {
        let callee = self.flow(file).calls[call].callee;
        let mut pointees = Vec::new();
        for (callee, sure) in self.value(file, callee).iter() {
            let result = match callee {
                AbstractValue::Function(symbol) | AbstractValue::Decorated(symbol) => {
                    self.function_result(*symbol, None, Some((file, call)))
                }
                AbstractValue::Method(symbol, class) => {
                    self.function_result(*symbol, Some((*class, false)), Some((file, call)))
                }
                AbstractValue::Class { class, exact } => {
                    exactly(AbstractValue::Instance { class: *class, exact: *exact })
                }
                AbstractValue::Instance { class, exact } => self.method_result(*class, *exact, "__call__"),
                AbstractValue::Lambda(at, lambda) => {
                    let returns = &self.flow(*at).functions[*lambda].returns;
                    let result = self.one_of(*at, returns);
                    at_most(result, Confidence::Inferred).collect()
                }
                AbstractValue::BuiltIn(object, name) => self.built_in(object, name, file, call),
                AbstractValue::Identity => self.argument(file, call, 0),
                AbstractValue::External(path, _) if self.linker.rules(file).has_values_first() => {
                    self.external(path, file, call)
                }
                _ => Vec::new(),
            };
            pointees.extend(at_most(result, *sure));
        }
        pointees
    }

    fn argument(&mut self, file: FileId, call: LocalCall, nth: usize) -> AbstractValues<'a> {
        match self.flow(file).calls[call].arguments.get(nth) {
            Some(argument) => self.value(file, argument.value).to_vec(),
            None => Vec::new(),
        }
    }

    /// Returns the results of the method `name` of an instance.
    pub(super) fn method_result(&mut self, class: Decl, exact: bool, name: &'a str) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        for (method, sure) in self.instance_member(class, exact, name).iter() {
            if let AbstractValue::Method(symbol, class) = method {
                pointees.extend(at_most(self.function_result(*symbol, Some((*class, exact)), None), *sure));
            }
        }
        pointees
    }

    /// Returns the results of a function: of its declared type, or else of its `return` statements. A returned
    /// parameter has the argument of `call` as its value.
    pub(super) fn function_result(
        &mut self,
        symbol: Decl,
        receiver: Option<(Decl, bool)>,
        call: Option<(FileId, LocalCall)>,
    ) -> AbstractValues<'a> {
        let file = symbol.file;
        if self.linker.symbol(symbol).modifiers.contains(Modifiers::GENERATOR) {
            return exactly(AbstractValue::Generator(symbol));
        }
        let Some(id) = self.linker.context.function(symbol) else { return Vec::new() };
        let flow = self.flow(file);
        let passes_on =
            |value: &LocalValue| matches!(flow.values[*value], Value::Parameter(of, _) if of == id);
        let call = call.filter(|_| returned(flow, id).any(passes_on));
        match call {
            Some(_) => self.find_function_result(symbol, id, receiver, call),
            None => {
                let part = Part::Result(symbol, receiver);
                self.part(part, |it| it.find_function_result(symbol, id, receiver, None)).to_vec()
            }
        }
    }

    fn find_function_result(
        &mut self,
        symbol: Decl,
        id: LocalFunction,
        receiver: Option<(Decl, bool)>,
        call: Option<(FileId, LocalCall)>,
    ) -> AbstractValues<'a> {
        let file = symbol.file;
        let flow = self.flow(file);
        let function = &flow.functions[id];
        let this = receiver.map(|(class, exact)| AbstractValue::Instance { class, exact });
        let mut pointees = AbstractValues::new();
        if let Some(ty) = function.ty {
            match (&flow.values[ty], &this) {
                // `-> Self`
                (Value::Class(_), Some(this)) => pointees.push((this.clone(), Confidence::Exact)),
                _ => pointees = self.of_type(file, ty),
            }
        }
        if self.are_structural(&pointees) {
            let mut values = AbstractValues::new();
            for value in returned(flow, id) {
                if let (Value::Parameter(of, nth), Some((at, call))) = (&flow.values[*value], call)
                    && *of == id
                {
                    let offset = usize::from(receiver.is_some() && function.has_receiver);
                    values.extend(self.passed_by(at, call, file, id, *nth, offset));
                    continue;
                }
                let is_receiver = match &flow.values[*value] {
                    // `return self`
                    Value::Instance(_) => true,
                    // `return cls()`
                    Value::Call(call) => matches!(flow.values[flow.calls[*call].callee], Value::Class(_)),
                    _ => false,
                };
                match this.as_ref().filter(|_| is_receiver) {
                    Some(this) => values.push((this.clone(), Confidence::Exact)),
                    None => values.extend(self.value(file, *value).iter().cloned()),
                }
            }
            pointees.extend(at_most(values, Confidence::Inferred));
        }
        merged(pointees)
    }

    /// Returns the results of standard library functions that depend on their arguments.
    fn external(&mut self, path: &str, file: FileId, call: LocalCall) -> AbstractValues<'a> {
        let first = |evaluator: &mut Self| evaluator.argument(file, call, 0);
        match last_segment(path) {
            "list" | "tuple" | "set" | "frozenset" | "dict" | "sorted" | "reversed" | "iter" | "copy"
            | "deepcopy" | "deque" | "OrderedDict" | "partial" | "update_wrapper" | "staticmethod"
            | "classmethod" | "cache" => first(self),
            "lru_cache" | "wraps" => exactly(AbstractValue::Identity),
            "cast" => {
                let Some(argument) = self.flow(file).calls[call].arguments.first() else { return Vec::new() };
                self.of_type(file, argument.value)
            }
            "map" if path == "builtins.map" => exactly(AbstractValue::Mapped(file, call)),
            "zip" => exactly(AbstractValue::Zipped(file, call)),
            "next" | "min" | "max" => {
                let mut pointees = Vec::new();
                for (collection, sure) in first(self) {
                    pointees.extend(at_most(self.element(&collection, &Key::Any), sure));
                }
                pointees
            }
            "enumerate" => {
                let paired = first(self).into_iter();
                paired.map(|(collection, sure)| (AbstractValue::Pairs(Box::new(collection)), sure)).collect()
            }
            "getattr" => {
                let names = self.argument(file, call, 1);
                let mut pointees = Vec::new();
                for (object, sure) in first(self) {
                    for (name, _) in &names {
                        let members = match name {
                            AbstractValue::Text(name) => self.member(&object, name),
                            AbstractValue::Prefix(start) => self.members_starting_with(&object, start),
                            _ => continue,
                        };
                        pointees.extend(at_most(members, sure));
                    }
                }
                pointees
            }
            "type" if path == "builtins.type" => {
                let classes = first(self).into_iter();
                classes
                    .filter_map(|(pointee, sure)| match pointee {
                        AbstractValue::Instance { class, exact } => {
                            Some((AbstractValue::Class { class, exact }, sure))
                        }
                        _ => None,
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the values that a function returns, those of each branch apart.
fn returned(flow: &Flow, function: LocalFunction) -> impl Iterator<Item = &LocalValue> {
    flow.functions[function].returns.iter().flat_map(|value| match &flow.values[*value] {
        Value::OneOf(values) => &**values,
        _ => std::slice::from_ref(value),
    })
}
