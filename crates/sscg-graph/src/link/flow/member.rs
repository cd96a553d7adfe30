//! Members of values: of instances in the method resolution order of their classes, of modules, of classes.

use std::rc::Rc;

use sscg_core::{Confidence, Key, LocalValue, Modifiers, Relation, Symbol, SymbolKind};

use super::{
    AbstractValue, AbstractValues, Decl, Evaluator, FlowTarget, MAX_SUBTYPES, Part, SubtypeMembers, at_most,
    confidence_of_subtypes, exactly, merged,
};
use crate::link::resolve::{DEPTH, Namespace, View};

/// Maximum number of stores into one attribute by methods of a class and its supertypes; with more, its value is unknown.
const MAX_STORES: usize = 16;

impl<'a> Evaluator<'_, 'a> {
    /// Returns the member `name` of an abstract value.
    pub(super) fn member(&mut self, object: &AbstractValue<'a>, name: &'a str) -> AbstractValues<'a> {
        match object {
            AbstractValue::Instance { class, exact } if name == "__class__" => {
                exactly(AbstractValue::Class { class: *class, exact: *exact })
            }
            AbstractValue::Instance { class, exact } => self.instance_member(*class, *exact, name).to_vec(),
            AbstractValue::Class { class, exact } => self.class_member(*class, *exact, name),
            AbstractValue::Super(class) => self.inherited_member(*class, name),
            AbstractValue::Module(scope) => {
                let view = View::Named;
                let found = self.linker.in_scope(*scope, name, view, Namespace::Last, &mut Vec::new(), DEPTH);
                let found = found.or_else(|| self.linker.member_of_whole(*scope, name));
                found.map_or_else(Vec::new, |found| self.found(found))
            }
            AbstractValue::External(path, origin) => {
                exactly(match self.linker.module_in_directory(path, *origin, name) {
                    Some(module) => AbstractValue::Module(module),
                    None => AbstractValue::External(format!("{path}.{name}"), *origin),
                })
            }
            AbstractValue::Collection(file, value) if self.linker.rules(*file).has_object_literals() => {
                let members = self.written_element(*file, *value, &Key::Text(name.into()));
                if members.is_empty() {
                    exactly(AbstractValue::BuiltIn(Box::new(object.clone()), name))
                } else {
                    members
                }
            }
            AbstractValue::Collection(..)
            | AbstractValue::Typed(..)
            | AbstractValue::Generator(_)
            | AbstractValue::Rest(..)
            | AbstractValue::Mapped(..)
            | AbstractValue::Zipped(..)
            | AbstractValue::Pairs(_) => exactly(AbstractValue::BuiltIn(Box::new(object.clone()), name)),
            _ => Vec::new(),
        }
    }

    /// Returns the member `name` of an instance: that of its class or an inherited one, and its overrides in subtypes.
    /// Many values have the same few classes.
    pub(super) fn instance_member(
        &mut self,
        class: Decl,
        exact: bool,
        name: &'a str,
    ) -> Rc<AbstractValues<'a>> {
        self.part(Part::Member(class, exact, name), |it| it.find_instance_member(class, exact, name))
    }

    fn find_instance_member(&mut self, class: Decl, exact: bool, name: &'a str) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        if let Some((members, sure)) = self.linker.member(class, name, Relation::Calls, DEPTH) {
            let members = self.linker.narrow(members, Relation::Calls);
            let sure = if members.len() > 1 { sure.min(Confidence::Ambiguous) } else { sure };
            for member in members {
                pointees.extend(at_most(self.of_instance(member, class, exact), sure));
            }
        }
        let is_method = pointees.iter().any(|(pointee, _)| matches!(pointee, AbstractValue::Method(..)));
        if !is_method {
            pointees.extend(self.stored(class, name));
        }
        if !exact {
            pointees.extend(self.overriding(class, name, pointees.is_empty()));
        }
        if pointees.is_empty() {
            pointees.extend(self.stored_elsewhere(class, name));
        }
        merged(pointees)
    }

    /// Returns the members of an object whose names start with `start`.
    pub(super) fn members_starting_with(
        &mut self,
        object: &AbstractValue<'a>,
        start: &str,
    ) -> AbstractValues<'a> {
        let AbstractValue::Instance { class, exact } = object else { return Vec::new() };
        let linker = self.linker;
        let mut classes: Vec<Decl> = vec![*class];
        classes.extend(linker.ancestors(*class).unwrap_or_default().iter().map(|ancestor| ancestor.ty));
        if !exact {
            classes.extend(linker.subtypes(*class));
        }
        let mut pointees = Vec::new();
        for class in classes {
            let facts = linker.context.facts(class.file);
            let named =
                facts.children(class.symbol).filter(|member| facts.symbols[*member].name.starts_with(start));
            for member in named {
                pointees.extend(self.of_instance(Decl::new(class.file, member), class, *exact));
            }
        }
        at_most(pointees, Confidence::Inferred).collect()
    }

    /// Returns the overrides of `name` in subtypes of `class`.
    fn overriding(&mut self, class: Decl, name: &'a str, is_new: bool) -> AbstractValues<'a> {
        let mut pointees = Vec::new();
        let linker = self.linker;
        let members = self.members_of_subtypes(class, name, is_new);
        for (member, subtype) in members.iter().take(MAX_SUBTYPES) {
            pointees.extend(self.of_instance(*member, *subtype, false));
        }
        for subtype in linker.subtypes(class).iter().take(MAX_SUBTYPES) {
            for value in linker.context.own_stores(*subtype, name) {
                pointees.extend(self.value(subtype.file, *value).iter().cloned());
            }
        }
        if members.len() > MAX_SUBTYPES {
            pointees.push((AbstractValue::Others, Confidence::Ambiguous));
        }
        let pointees = merged(pointees);
        let sure = confidence_of_subtypes(pointees.len());
        at_most(pointees, sure).collect()
    }

    /// Returns the members `name` of subtypes of `class`, each with its class: one more than are candidates, if there are.
    fn members_of_subtypes(&mut self, class: Decl, name: &'a str, is_new: bool) -> SubtypeMembers {
        if let Some(known) = self.subtype_members.get(&(class, name, is_new)) {
            return Rc::clone(known);
        }
        let linker = self.linker;
        let mut found = Vec::new();
        for subtype in linker.subtypes(class) {
            if found.len() > MAX_SUBTYPES {
                break;
            }
            let own = linker.own_member(*subtype, name, Relation::Calls);
            // If no supertype has the member, the subtype may inherit it from another base.
            let mixed_in = || Some(linker.member(*subtype, name, Relation::Calls, DEPTH)?.0);
            if let Some(members) = own.or_else(|| mixed_in().filter(|_| is_new)) {
                let members = linker.narrow(members, Relation::Calls);
                found.extend(members.into_iter().map(|member| (member, *subtype)));
            }
        }
        let found: SubtypeMembers = found.into();
        self.subtype_members.insert((class, name, is_new), Rc::clone(&found));
        found
    }

    /// Returns the value of a member when read from an instance of `class`.
    fn of_instance(&mut self, member: Decl, class: Decl, exact: bool) -> AbstractValues<'a> {
        let declaration = self.linker.symbol(member);
        if declaration.modifiers.contains(Modifiers::ACCESSOR) {
            return self.function_result(member, Some((class, exact)), None);
        }
        let is_method = matches!(declaration.kind, SymbolKind::Method | SymbolKind::Constructor);
        let held = self.held(member);
        if !is_method {
            return held;
        }
        let bound = held.into_iter().map(|(pointee, sure)| (self.bound(pointee, class), sure));
        bound.collect()
    }

    /// Binds a function to an instance.
    fn bound(&self, pointee: AbstractValue<'a>, class: Decl) -> AbstractValue<'a> {
        match pointee {
            AbstractValue::Function(symbol) if self.linker.context.has_receiver(symbol) => {
                AbstractValue::Method(symbol, class)
            }
            other => other,
        }
    }

    /// Returns the member `name` of a class itself.
    fn class_member(&mut self, class: Decl, exact: bool, name: &'a str) -> AbstractValues<'a> {
        let Some((members, sure)) = self.linker.member(class, name, Relation::Calls, DEPTH) else {
            return self.stored(class, name);
        };
        let members = self.linker.narrow(members, Relation::Calls);
        let sure = if members.len() > 1 { sure.min(Confidence::Ambiguous) } else { sure };
        let mut pointees = Vec::new();
        for member in members {
            let Symbol { kind, modifiers, .. } = self.linker.symbol(member);
            let is_static = *kind == SymbolKind::Method && modifiers.contains(Modifiers::STATIC);
            let held = self.held(member);
            let held = held.into_iter().map(|(pointee, known)| {
                (if is_static { self.bound(pointee, class) } else { pointee }, known.min(sure))
            });
            pointees.extend(held);
        }
        if pointees.is_empty() {
            return self.stored(class, name);
        }
        let is_method = pointees.iter().any(|(pointee, _)| matches!(pointee, AbstractValue::Method(..)));
        if !exact && is_method {
            pointees.extend(self.overriding(class, name, false));
        }
        merged(pointees)
    }

    /// Returns the member `name` that a class inherits, when read from its own instance.
    fn inherited_member(&mut self, class: Decl, name: &'a str) -> AbstractValues<'a> {
        let linker = self.linker;
        let ancestors = linker.ancestors(class).unwrap_or_default();
        let Some((members, sure)) = linker.inherited(ancestors, name, Relation::Calls, DEPTH) else {
            return Vec::new();
        };
        let members = linker.narrow(members, Relation::Calls);
        let sure = if members.len() > 1 { sure.min(Confidence::Ambiguous) } else { sure };
        let mut pointees = Vec::new();
        for member in members {
            pointees.extend(at_most(self.of_instance(member, class, false), sure));
        }
        pointees
    }

    /// Returns the values that methods of a class, or of its supertypes, assign to its attribute `name`.
    fn stored(&mut self, class: Decl, name: &'a str) -> AbstractValues<'a> {
        let linker = self.linker;
        let owners = std::iter::once(class)
            .chain(linker.ancestors(class).unwrap_or_default().iter().map(|ancestor| ancestor.ty));
        let mut stores = Vec::new();
        for owner in owners {
            let own = linker.context.own_stores(owner, name).iter();
            stores.extend(own.map(|value| (owner.file, *value)));
            if stores.len() > MAX_STORES {
                return Vec::new();
            }
        }
        let mut pointees = Vec::new();
        let mut is_known = true;
        for (file, value) in stores {
            let found = self.value(file, value);
            is_known &= !found.is_empty() || value == LocalValue::FIRST;
            pointees.extend(found.iter().cloned());
        }
        let pointees = merged(pointees);
        let sure = if pointees.len() > 1 || !is_known { Confidence::Inferred } else { Confidence::Exact };
        at_most(pointees, sure).collect()
    }

    /// Returns the values that code outside the class assigns to an attribute of its instances.
    fn stored_elsewhere(&mut self, class: Decl, name: &'a str) -> AbstractValues<'a> {
        let linker = self.linker;
        let ancestors = linker.ancestors(class).unwrap_or_default().iter().map(|ancestor| ancestor.ty);
        let subtypes = linker.subtypes(class).iter().take(MAX_SUBTYPES).copied();
        let mut pointees = Vec::new();
        for class in std::iter::once(class).chain(ancestors).chain(subtypes) {
            let place = FlowTarget::attribute(class, name);
            linker.context.note_passed(place);
            pointees.extend(self.passed.to(place));
        }
        at_most(pointees, Confidence::Inferred).collect()
    }
}
