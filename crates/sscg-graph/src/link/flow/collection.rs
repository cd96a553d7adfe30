//! Elements of collections, and results of methods of built-in collections.

use std::mem;

use sscg_core::{Confidence, FileId, Key, LocalCall, LocalValue, Slot, TypeHint, Value};

use super::{AbstractValue, AbstractValues, Decl, Evaluator, LIMIT, Part, WHOLE, at_most, exactly, merged};
use crate::link::languages::ContainerMethod;

/// Maximum number of stores in one file that may be into an element.
const MAX_STORES: usize = 64;

impl<'a> Evaluator<'_, 'a> {
    /// Returns an element of a value: the value stored last under `key` if known, otherwise the elements before that store.
    pub(super) fn element_of(&mut self, file: FileId, object: LocalValue, key: &Key) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        if let Key::Of(key) = key {
            return self.selected(file, object, *key);
        }
        let object = self.settled(file, object);
        if let Value::Updated(before, at, value) = &self.flow(file).values[object] {
            if at == key {
                return self.value(file, *value).to_vec();
            }
            pointees = self.element_of(file, *before, key);
            if *key == Key::Any {
                pointees.extend(self.value(file, *value).iter().cloned());
            }
            return merged(pointees);
        }
        for (object, sure) in self.value(file, object).iter() {
            pointees.extend(at_most(self.element(object, key), *sure));
        }
        pointees
    }

    /// Returns the members of a value that the values of a key name; any element if these are unknown.
    fn selected(&mut self, file: FileId, object: LocalValue, key: LocalValue) -> AbstractValues<'a> {
        let keys = self.value(file, key);
        let names = keys.iter().filter_map(|(key, _)| match key {
            AbstractValue::Text(name) => Some(*name),
            _ => None,
        });
        let names: Vec<&'a str> = names.collect();
        let mut pointees = Vec::new();
        for (object, sure) in self.value(file, object).iter() {
            for name in &names {
                pointees.extend(at_most(self.member(object, name), *sure));
            }
        }
        pointees.retain(|(pointee, _)| !matches!(pointee, AbstractValue::BuiltIn(..)));
        if pointees.is_empty() {
            return self.element_of(file, object, &Key::Any);
        }
        let sure = if names.len() > 1 { Confidence::Inferred } else { Confidence::Exact };
        at_most(merged(pointees), sure).collect()
    }

    /// Returns the value stored last in the element that a value reads, or else the value itself.
    fn settled(&self, file: FileId, value: LocalValue) -> LocalValue {
        let values = &self.flow(file).values;
        let Value::Element(object, key) = &values[value] else { return value };
        match &values[self.settled(file, *object)] {
            Value::Updated(_, at, put) if at == key => *put,
            _ => value,
        }
    }

    /// Returns an element of an abstract value.
    pub(super) fn element(&mut self, object: &AbstractValue<'a>, key: &Key) -> AbstractValues<'a> {
        match object {
            AbstractValue::Collection(file, value) => self.written_element(*file, *value, key),
            AbstractValue::Typed(file, generic) => self.typed_element(*file, *generic, key),
            AbstractValue::Generator(symbol) => self.yielded(*symbol),
            AbstractValue::Rest(file, function, nth) => {
                let parameter = &self.linker.context.parameters(*file, *function)[usize::from(*nth)];
                let mut pointees = Vec::new();
                if let Some(ty) = parameter.ty {
                    pointees = self.of_type(*file, ty);
                }
                if self.are_structural(&pointees) {
                    pointees = merged(self.passed(*file, *function, *nth));
                    pointees = at_most(pointees, Confidence::Inferred).collect();
                }
                pointees
            }
            AbstractValue::Mapped(file, call) => {
                let mut pointees = Vec::new();
                for argument in &self.flow(*file).calls[*call].arguments {
                    for (function, sure) in self.value(*file, argument.value).iter() {
                        if let AbstractValue::Function(symbol) = function {
                            pointees.extend(at_most(self.function_result(*symbol, None, None), *sure));
                        }
                    }
                }
                pointees
            }
            AbstractValue::Zipped(file, call) => exactly(AbstractValue::Row(*file, *call)),
            AbstractValue::Row(file, call) => {
                let Key::Index(index) = key else { return Vec::new() };
                let arguments = &self.flow(*file).calls[*call].arguments;
                match usize::try_from(*index).ok().and_then(|index| arguments.get(index)) {
                    Some(argument) => self.element_of(*file, argument.value, &Key::Any),
                    None => Vec::new(),
                }
            }
            AbstractValue::Pairs(of) => exactly(AbstractValue::Pair(of.clone())),
            AbstractValue::Pair(of) if *key == Key::Index(1) => self.element(of, &Key::Any),
            AbstractValue::Instance { class, exact } => {
                let gotten = self.method_result(*class, *exact, "__getitem__");
                if !gotten.is_empty() {
                    return gotten;
                }
                let iterators = self.method_result(*class, *exact, "__iter__");
                if !iterators.is_empty() {
                    return self.results(&iterators, "__next__");
                }
                let iterators = self.method_result(*class, *exact, "__aiter__");
                self.results(&iterators, "__anext__")
            }
            _ => Vec::new(),
        }
    }

    /// Returns the results of a method of instances, and the elements of other values.
    pub(super) fn results(&mut self, of: &AbstractValues<'a>, method: &'a str) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        for (object, sure) in of {
            let results = match object {
                AbstractValue::Instance { class, exact } => self.method_result(*class, *exact, method),
                other => self.element(other, &Key::Any),
            };
            pointees.extend(at_most(results, *sure));
        }
        pointees
    }

    /// Returns an element of a collection literal: its initial value and later stores.
    pub(super) fn written_element(
        &mut self,
        file: FileId,
        collection: LocalValue,
        key: &Key,
    ) -> AbstractValues<'a> {
        let part = Part::Element(file, collection, key.clone());
        self.part(part, |it| it.find_written_element(file, collection, key)).to_vec()
    }

    fn find_written_element(
        &mut self,
        file: FileId,
        collection: LocalValue,
        key: &Key,
    ) -> AbstractValues<'a> {
        let flow = self.flow(file);
        let Value::Collection(elements) = &flow.values[collection] else { return Vec::new() };
        let place = match key {
            Key::Index(index) if *index < 0 => Key::Index(elements.len() as i32 + index),
            other => other.clone(),
        };
        let mut pointees = Vec::new();
        for (at, value) in elements {
            let is_copied = matches!(at, Key::Text(text) if **text == *TypeHint::SPREAD);
            if is_copied {
                pointees.extend(self.copied(file, *value, &place));
            } else if fits(at, &place) {
                pointees.extend(self.value(file, *value).iter().cloned());
            }
        }
        let stores = self.linker.context.element_stores(file);
        let has_members = self.linker.rules(file).has_object_literals();
        let members = has_members.then(|| self.linker.context.foreign_stores(file));
        let this = AbstractValue::Collection(file, collection);
        let mut fitting = stores.chain(members.into_iter().flatten()).filter(|store| match &store.slot {
            Slot::Element(at) => fits(at, key),
            Slot::Member(name) => match key {
                Key::Text(key) => key == name,
                Key::Any | Key::Of(_) => true,
                Key::Index(_) => false,
            },
        });
        for store in fitting.by_ref().take(MAX_STORES) {
            if self.value(file, store.object).iter().any(|(object, _)| *object == this) {
                pointees.extend(self.value(file, store.value).iter().cloned());
            }
        }
        if !pointees.is_empty() && fitting.next().is_some() {
            pointees.push((AbstractValue::Others, Confidence::Ambiguous));
        }
        let pointees = merged(pointees);
        let sure = if pointees.len() > 1 { Confidence::Inferred } else { Confidence::Exact };
        at_most(pointees, sure).collect()
    }

    /// Returns an element that an object literal copies from another object.
    fn copied(&mut self, file: FileId, from: LocalValue, key: &Key) -> AbstractValues<'a> {
        // An object may be a copy of itself: `options = { ...options, name }`.
        if let Some((_, depth)) = self.copying.iter().find(|(copied, _)| *copied == (file, from)) {
            self.cut = self.cut.min(*depth);
            return Vec::new();
        }
        if self.budget == 0 {
            self.cut = LIMIT;
            return Vec::new();
        }
        let around = mem::replace(&mut self.cut, WHOLE);
        let first_partial = self.partial.len();
        self.budget -= 1;
        self.depth += 1;
        self.copying.push(((file, from), self.depth));
        let mut pointees = Vec::new();
        for (object, sure) in self.value(file, from).iter() {
            if let AbstractValue::Collection(..) = object {
                pointees.extend(at_most(self.element(object, key), *sure));
            }
        }
        self.copying.pop();
        // What depends on this copy alone is complete, as in `value`.
        if self.cut >= self.depth {
            self.forget_partial(first_partial);
            self.cut = around;
        } else {
            self.cut = self.cut.min(around);
        }
        self.depth -= 1;
        pointees
    }

    fn typed_element(&mut self, file: FileId, generic: LocalValue, key: &Key) -> AbstractValues<'a> {
        let (name, arguments) = self.type_arguments(file, generic);
        let is_map = name.ends_with("Dict") || name.ends_with("dict") || name.ends_with("Mapping");
        let argument = match (name.as_str(), key) {
            _ if is_map => arguments.get(1),
            ("tuple" | "Tuple", Key::Index(index)) => {
                arguments.get(usize::try_from(*index).unwrap_or(0)).or(arguments.first())
            }
            _ => arguments.first(),
        };
        argument.map_or_else(Vec::new, |argument| self.of_type(file, *argument))
    }

    /// Returns the values that a generator function yields.
    fn yielded(&mut self, symbol: Decl) -> AbstractValues<'a> {
        let file = symbol.file;
        let Some(function) = self.linker.context.function(symbol) else { return Vec::new() };
        let function = &self.flow(file).functions[function];
        if let Some(ty) = function.ty {
            let mut pointees = Vec::new();
            for (typed, sure) in self.of_type(file, ty) {
                pointees.extend(at_most(self.element(&typed, &Key::Any), sure));
            }
            if !pointees.is_empty() {
                return pointees;
            }
        }
        let mut pointees = Vec::new();
        for value in &function.yields {
            pointees.extend(self.value(file, *value).iter().cloned());
        }
        at_most(merged(pointees), Confidence::Inferred).collect()
    }

    /// Returns the result of a method of a built-in type.
    pub(super) fn built_in(
        &mut self,
        object: &AbstractValue<'a>,
        name: &str,
        file: FileId,
        call: LocalCall,
    ) -> AbstractValues<'a> {
        let arguments = &self.flow(file).calls[call].arguments;
        match name {
            "get" | "pop" | "setdefault" | "popleft" | "__getitem__" | "popitem" | "__next__" => {
                let key = match arguments.first().map(|key| self.value(file, key.value)) {
                    Some(key) => match key.first() {
                        Some((AbstractValue::Text(key), _)) => Key::Text((*key).into()),
                        _ => Key::Any,
                    },
                    None => Key::Any,
                };
                let mut pointees = self.element(object, &key);
                if let (Some(default), "get" | "pop" | "setdefault") = (arguments.get(1), name) {
                    pointees.extend(self.value(file, default.value).iter().cloned());
                }
                pointees
            }
            "values" | "copy" | "union" | "__iter__" => exactly(object.clone()),
            "items" => exactly(AbstractValue::Pairs(Box::new(object.clone()))),
            _ => match self.linker.rules(file).container_method(name) {
                Some(ContainerMethod::Element) => self.element(object, &Key::Any),
                Some(ContainerMethod::Same) => exactly(object.clone()),
                None => Vec::new(),
            },
        }
    }
}

/// Returns true if a store at one key may be read at another.
fn fits(at: &Key, wanted: &Key) -> bool {
    *at == Key::Any || *wanted == Key::Any || at == wanted
}
