//! Statements, in execution order.

use sscg_core::{Key, LocalValue, Slot, Value};
use tree_sitter::Node;

use super::super::grammar::{FIELDS, Kind, descend, kind};
use super::{Follow, FrameKind, MAX_DEPTH, UNKNOWN};
use crate::tree::{span, text};

impl<'t, 's> Follow<'t, 's, '_> {
    /// Follows the statements of a block or file. Returns true if its end is never reached.
    pub(super) fn block(&mut self, block: Node<'t>) -> bool {
        let mut ends = false;
        for statement in block.named_children(&mut block.walk()) {
            ends |= self.statement(statement);
        }
        ends
    }

    /// Follows one statement. Returns true if nothing after it runs.
    fn statement(&mut self, node: Node<'t>) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let ends = self.statement_inside(node);
        self.depth -= 1;
        ends
    }

    fn statement_inside(&mut self, node: Node<'t>) -> bool {
        match kind(node) {
            kind if kind.is_definition() => self.definition(node),
            kind if kind.is_import() => self.import(node),
            Kind::ReturnStatement => {
                self.return_statement(node);
                return true;
            }
            Kind::RaiseStatement => {
                self.parts(node);
                return true;
            }
            Kind::Leaf => return matches!(node.kind(), "break_statement" | "continue_statement"),
            Kind::IfStatement => return self.if_statement(node),
            Kind::ForStatement | Kind::WhileStatement => self.loop_statement(node),
            Kind::TryStatement => return self.try_statement(node),
            Kind::WithStatement => return self.with_statement(node),
            Kind::MatchStatement => self.match_statement(node),
            Kind::GlobalStatement | Kind::NonlocalStatement => {
                let mut cursor = node.walk();
                let names = node.named_children(&mut cursor).map(|name| text(name, self.source));
                self.frames[self.at].foreign.extend(names);
            }
            Kind::AssertStatement => {
                self.parts(node);
                if let Some(condition) = node.named_child(0) {
                    self.narrow(condition, true);
                }
            }
            Kind::DeleteStatement | Kind::Comment => {}
            Kind::TypeAliasStatement => self.type_alias(node),
            Kind::ExpressionStatement => self.parts(node),
            Kind::Block | Kind::Error => return self.block(node),
            _ => {
                self.expression(node);
            }
        }
        false
    }

    fn return_statement(&mut self, node: Node<'t>) {
        let Some(returned) = node.named_child(0).filter(|node| kind(*node) != Kind::Comment) else { return };
        let value = self.expression(returned);
        let returns = &mut self.frames[self.at].returns;
        if kind(returned) != Kind::NoneLiteral && !returns.contains(&value) {
            returns.push(value);
        }
    }

    fn type_alias(&mut self, node: Node<'t>) {
        let (left, right) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right));
        if let (Some(left), Some(right)) = (left, right) {
            let ty = self.annotation(right);
            self.assign(left, ty);
        }
    }

    /// Follows all expressions in a statement.
    fn parts(&mut self, node: Node<'t>) {
        for part in node.named_children(&mut node.walk()) {
            self.expression(part);
        }
    }

    fn import(&mut self, node: Node<'t>) {
        for child in node.named_children(&mut node.walk()) {
            let Some(import) = self.names.imports.get(&span(child).start).copied() else { continue };
            let local = match kind(child) {
                Kind::AliasedImport => child.child_by_field_id(FIELDS.alias),
                Kind::DottedName if kind(node) == Kind::ImportStatement => child.named_child(0),
                Kind::DottedName => Some(child),
                _ => None,
            };
            if let Some(local) = local {
                let value = self.value(Value::Import(import));
                self.bind(text(local, self.source), u32::MAX, value);
            }
        }
    }

    fn if_statement(&mut self, node: Node<'t>) -> bool {
        let mut arms = Vec::new();
        let mut branches = vec![node];
        let mut cursor = node.walk();
        branches.extend(node.children_by_field_id(
            std::num::NonZeroU16::new(FIELDS.alternative).expect("the grammar has the field"),
            &mut cursor,
        ));
        // What a false condition implies also holds in the arms that follow.
        let mark = self.replaced.len();
        let mut is_complete = false;
        for branch in branches {
            let Some(condition) = branch.child_by_field_id(FIELDS.condition) else {
                let body = branch.child_by_field_id(FIELDS.body);
                is_complete = true;
                arms.push(self.arm(|follow| body.is_some_and(|body| follow.block(body))));
                break;
            };
            self.expression(condition);
            let body = branch.child_by_field_id(FIELDS.consequence);
            arms.push(self.arm(|follow| {
                follow.narrow(condition, true);
                body.is_some_and(|body| follow.block(body))
            }));
            self.narrow(condition, false);
        }
        if !is_complete {
            arms.push(Some(Vec::new()));
        }
        let ends = arms.iter().all(Option::is_none);
        // If only the implicit `else` arm goes on, what the false conditions imply holds from here on.
        let goes_on = arms.iter().filter(|arm| arm.is_some()).count();
        if goes_on != 1 || is_complete {
            let undone: Vec<_> = self.replaced.drain(mark..).rev().collect();
            for (name, before) in undone {
                match before {
                    Some(before) => self.frames[self.at].now.insert(name, before),
                    None => self.frames[self.at].now.remove(name),
                };
            }
        }
        self.join(arms);
        ends
    }

    fn loop_statement(&mut self, node: Node<'t>) {
        let iterated = node.child_by_field_id(FIELDS.right).map(|right| self.expression(right));
        let body = node.child_by_field_id(FIELDS.body);
        // Values assigned in the body may be read in its next iteration.
        let mut open = Vec::new();
        for name in assigned(node, self.source) {
            if let Some(before) = self.frames[self.at].now.get(name).copied() {
                let round = self.value(Value::OneOf(Box::new([before])));
                self.now(name, round);
                open.push((name, before, round));
            }
        }
        let arm = self.arm(|follow| {
            if let (Some(left), Some(iterated)) = (node.child_by_field_id(FIELDS.left), iterated) {
                let element = follow.iterated(iterated, is_async(node), span(node).start);
                follow.assign(left, element);
            }
            if let Some(condition) = node.child_by_field_id(FIELDS.condition) {
                follow.expression(condition);
                follow.narrow(condition, true);
            }
            if let Some(body) = body {
                follow.block(body);
            }
            false
        });
        for (name, before, round) in open {
            let after = arm.iter().flatten().find(|(known, _)| *known == name).map(|(_, value)| *value);
            let mut values = vec![before];
            values.extend(after.filter(|after| *after != round));
            self.flow.values[round] = Value::OneOf(values.into());
        }
        self.join(vec![arm, Some(Vec::new())]);
        if let Some(otherwise) = node.child_by_field_id(FIELDS.alternative) {
            self.parts_of_clause(otherwise);
        }
    }

    /// Follows the block of a clause (`else`, `finally`). Returns true if its end is never reached.
    fn parts_of_clause(&mut self, clause: Node<'t>) -> bool {
        let mut cursor = clause.walk();
        let block = clause.named_children(&mut cursor).find(|child| kind(*child) == Kind::Block);
        block.is_some_and(|block| self.block(block))
    }

    fn try_statement(&mut self, node: Node<'t>) -> bool {
        let body = node.child_by_field_id(FIELDS.body);
        let mut tried = self.arm(|follow| body.is_some_and(|body| follow.block(body)));
        let mut arms = Vec::new();
        let mut last = None;
        for clause in node.named_children(&mut node.walk()) {
            match clause.kind() {
                "except_clause" | "except_group_clause" => {
                    // An exception may occur at any point of the body.
                    let begun = tried.clone();
                    arms.push(self.arm(|follow| {
                        follow.join(vec![begun, Some(Vec::new())]);
                        follow.except_clause(clause)
                    }));
                }
                "else_clause" => {
                    let begun = tried.take();
                    tried = self.arm(|follow| {
                        let ends = begun.is_none();
                        follow.join(vec![begun]);
                        follow.parts_of_clause(clause) || ends
                    });
                }
                "finally_clause" => last = Some(clause),
                _ => {}
            }
        }
        arms.push(tried);
        let ends = arms.iter().all(Option::is_none);
        self.join(arms);
        let last_ends = last.is_some_and(|clause| self.parts_of_clause(clause));
        ends || last_ends
    }

    fn except_clause(&mut self, clause: Node<'t>) -> bool {
        let caught = clause.child_by_field_id(FIELDS.value);
        let (types, alias) = match caught.map(|caught| (kind(caught), caught)) {
            Some((Kind::AsPattern, pattern)) => (pattern.named_child(0), pattern.named_child(1)),
            _ => (caught, clause.child_by_field_id(FIELDS.alias)),
        };
        let types = match types {
            Some(types) if kind(types) == Kind::Tuple => {
                let mut cursor = types.walk();
                types.named_children(&mut cursor).map(|ty| self.expression(ty)).collect()
            }
            Some(ty) => vec![self.expression(ty)],
            None => Vec::new(),
        };
        if let Some(alias) = alias {
            let ty = self.one_of(types);
            let value = self.value(Value::OfType(ty));
            self.assign(alias, value);
        }
        self.parts_of_clause(clause)
    }

    fn with_statement(&mut self, node: Node<'t>) -> bool {
        let mut items = Vec::new();
        descend(node, |part| match kind(part) {
            Kind::WithItem => {
                items.push(part);
                false
            }
            Kind::Block => false,
            _ => true,
        });
        for item in items {
            let Some(value) = item.named_child(0) else { continue };
            if kind(value) != Kind::AsPattern {
                let manager = self.expression(value);
                self.entered(manager, is_async(node), span(value).start);
                continue;
            }
            let manager = value.named_child(0).map_or(UNKNOWN, |manager| self.expression(manager));
            let entered = self.entered(manager, is_async(node), span(value).start);
            if let Some(target) = value.named_child(1) {
                self.assign(target, entered);
            }
        }
        node.child_by_field_id(FIELDS.body).is_some_and(|body| self.block(body))
    }

    /// Records the calls that `with` makes on a context manager, and returns what it gives.
    fn entered(&mut self, manager: LocalValue, is_async: bool, at: u32) -> LocalValue {
        let [enter, exit] = if is_async { ["__aenter__", "__aexit__"] } else { ["__enter__", "__exit__"] };
        for method in [enter, exit] {
            self.implied(manager, method, at);
        }
        if manager == UNKNOWN { UNKNOWN } else { self.value(Value::Entered(manager, is_async)) }
    }

    fn match_statement(&mut self, node: Node<'t>) {
        let body = node.child_by_field_id(FIELDS.body);
        for subject in node.named_children(&mut node.walk()) {
            if Some(subject) != body {
                self.expression(subject);
            }
        }
        let mut arms = vec![Some(Vec::new())];
        let cases = body.map_or_else(Vec::new, |body| body.named_children(&mut body.walk()).collect());
        for case in cases {
            arms.push(self.arm(|follow| {
                let mut names = Vec::new();
                for part in case.named_children(&mut case.walk()) {
                    match kind(part) {
                        Kind::Block => {}
                        Kind::CasePattern => descend(part, |node| {
                            if kind(node) == Kind::Identifier {
                                names.push(node);
                            }
                            true
                        }),
                        _ => {
                            follow.expression(part);
                        }
                    }
                }
                for name in names {
                    follow.now(text(name, follow.source), UNKNOWN);
                }
                let consequence = case.child_by_field_id(FIELDS.consequence);
                consequence.is_some_and(|block| follow.block(block))
            }));
        }
        self.join(arms);
    }

    // -- Assignments --------------------------------------------------------------------------------------

    /// Follows an assignment. Returns the assigned value.
    pub(super) fn assignment(&mut self, node: Node<'t>) -> LocalValue {
        let ty = node.child_by_field_id(FIELDS.ty);
        let right = node.child_by_field_id(FIELDS.right);
        let is_alias = ty.is_some_and(|ty| text(ty, self.source).ends_with("TypeAlias"));
        let value = right.map_or(UNKNOWN, |right| self.expression(right));
        let declared = match ty {
            Some(ty) if !is_alias => self.annotation(ty),
            _ => UNKNOWN,
        };
        let Some(left) = node.child_by_field_id(FIELDS.left) else { return value };
        if ty.is_some() && right.is_none() && self.frames[self.at].kind == FrameKind::Function {
            // `x: T` alone makes `x` a value of that type.
            if declared != UNKNOWN && kind(left) == Kind::Identifier {
                let value = self.value(Value::OfType(declared));
                self.assign(left, value);
            }
            return value;
        }
        let held = if declared == UNKNOWN { value } else { self.declared_as(declared, value) };
        self.assign(left, held);
        value
    }

    /// Returns a value with a declared type. A collection or lambda is kept as an alternative, because it may carry
    /// more information.
    fn declared_as(&mut self, ty: LocalValue, value: LocalValue) -> LocalValue {
        let typed = self.value(Value::OfType(ty));
        match self.flow.values[value] {
            Value::Collection(_) | Value::Lambda(_) => self.one_of(vec![typed, value]),
            _ => typed,
        }
    }

    /// Assigns a value to a target.
    pub(super) fn assign(&mut self, target: Node<'t>, value: LocalValue) {
        match kind(target) {
            Kind::Identifier => self.bind(text(target, self.source), span(target).start, value),
            Kind::Attribute => {
                let object = target.child_by_field_id(FIELDS.object);
                let object = object.map_or(UNKNOWN, |object| self.expression(object));
                if let Some(name) = target.child_by_field_id(FIELDS.attribute) {
                    self.store(object, Slot::Member(text(name, self.source).into()), value);
                }
            }
            Kind::Subscript => {
                let object = target.child_by_field_id(FIELDS.value);
                let object = object.map_or(UNKNOWN, |object| self.expression(object));
                let key = target.child_by_field_id(FIELDS.subscript).map_or(Key::Any, |key| self.key(key));
                self.put_element(target.child_by_field_id(FIELDS.value), object, key, value);
            }
            Kind::AsPatternTarget | Kind::ParenthesizedExpression => {
                if let Some(inner) = target.named_child(0) {
                    self.assign(inner, value);
                }
            }
            pattern if pattern.is_pattern() => {
                let parts: Vec<_> = target.named_children(&mut target.walk()).collect();
                let count = parts.len() as i32;
                let star = parts.iter().position(|part| kind(*part) == Kind::ListSplatPattern);
                for (nth, part) in parts.into_iter().enumerate() {
                    if Some(nth) == star {
                        if let Some(inner) = part.named_child(0) {
                            // List of the remaining elements.
                            let element = self.element(value, Key::Any);
                            let rest = self.value(Value::Collection(Box::new([(Key::Any, element)])));
                            self.assign(inner, rest);
                        }
                        continue;
                    }
                    let behind = star.is_some_and(|star| nth > star);
                    let index = if behind { nth as i32 - count } else { nth as i32 };
                    let element = self.element(value, Key::Index(index));
                    self.assign(part, element);
                }
            }
            Kind::ListSplatPattern => {}
            _ => {
                self.expression(target);
            }
        }
    }

    /// Stores a value into an element of the value that `target` reads. If that is a variable, it gets a new version.
    pub(super) fn put_element(
        &mut self,
        target: Option<Node<'t>>,
        object: LocalValue,
        key: Key,
        value: LocalValue,
    ) {
        self.store(object, Slot::Element(key.clone()), value);
        let Some(target) = target.filter(|_| key != Key::Any && object != UNKNOWN) else { return };
        match kind(target) {
            Kind::Identifier if self.frames[self.at].now.contains_key(text(target, self.source)) => {
                let updated = self.value(Value::Updated(object, key, value));
                self.now(text(target, self.source), updated);
            }
            Kind::Subscript => {
                let outer = target.child_by_field_id(FIELDS.value);
                let place = target.child_by_field_id(FIELDS.subscript).map(|key| self.key(key));
                if let (Some(outer), Some(place), Value::Element(collection, _)) =
                    (outer, place, self.flow.values[object].clone())
                {
                    let updated = self.value(Value::Updated(object, key, value));
                    self.put_element(Some(outer), collection, place, updated);
                }
            }
            _ => {}
        }
    }

    /// Records the calls made by iterating over a value. Returns the element it yields.
    pub(super) fn iterated(&mut self, value: LocalValue, is_async: bool, at: u32) -> LocalValue {
        let [iter, next] = if is_async { ["__aiter__", "__anext__"] } else { ["__iter__", "__next__"] };
        let iterator = self.implied(value, iter, at);
        self.implied(iterator, next, at);
        self.element(value, Key::Any)
    }

    pub(super) fn element(&mut self, value: LocalValue, key: Key) -> LocalValue {
        if value == UNKNOWN { UNKNOWN } else { self.value(Value::Element(value, key)) }
    }
}

/// Returns true for `async for` and `async with`.
pub(super) fn is_async(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|first| first.kind() == "async")
}

/// Returns the plain names that a statement assigns, without those in nested functions.
fn assigned<'s>(node: Node<'_>, source: &'s str) -> Vec<&'s str> {
    let mut names = Vec::new();
    let mut add = |target: Option<Node<'_>>| {
        if let Some(target) = target {
            descend(target, |part| {
                let kind = kind(part);
                if kind == Kind::Identifier {
                    names.push(text(part, source));
                }
                kind.is_pattern() || kind == Kind::AsPatternTarget
            });
        }
    };
    descend(node, |part| {
        match kind(part) {
            kind if kind.is_definition() || kind == Kind::Lambda => return false,
            Kind::Assignment | Kind::ForStatement => add(part.child_by_field_id(FIELDS.left)),
            Kind::NamedExpression => add(part.child_by_field_id(FIELDS.name)),
            Kind::AsPatternTarget => add(Some(part)),
            _ => {}
        }
        true
    });
    names.sort_unstable();
    names.dedup();
    names
}
