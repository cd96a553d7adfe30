//! Expressions, and the origin of their values.

use sscg_core::{ArgumentKind, CallForm, FlowArgument, Key, LocalValue, Slot, Value};
use tree_sitter::Node;

use super::super::docstring::string_text;
use super::super::grammar::{FIELDS, Kind, kind};
use super::statement::is_async;
use super::{Follow, MAX_DEPTH, UNKNOWN};
use crate::tree::{span, text};

/// Maximum length of a string used as key or attribute, in bytes.
const MAX_TEXT: usize = 40;

/// Minimum length of a string prefix, in bytes; a shorter one carries too little information.
const MIN_PREFIX: usize = 4;

/// Maximum number of elements kept of one collection.
const MAX_ELEMENTS: usize = 256;

impl<'t, 's> Follow<'t, 's, '_> {
    /// Follows an expression. Returns its value.
    pub(super) fn expression(&mut self, node: Node<'t>) -> LocalValue {
        if self.depth >= MAX_DEPTH {
            return UNKNOWN;
        }
        self.depth += 1;
        let value = self.expression_inside(node);
        self.depth -= 1;
        value
    }

    fn expression_inside(&mut self, node: Node<'t>) -> LocalValue {
        match kind(node) {
            Kind::Leaf | Kind::Comment | Kind::NoneLiteral => UNKNOWN,
            Kind::Identifier => self.read(text(node, self.source)),
            Kind::Attribute => {
                let object = node.child_by_field_id(FIELDS.object);
                let object = object.map_or(UNKNOWN, |object| self.expression(object));
                match node.child_by_field_id(FIELDS.attribute) {
                    Some(name) => self.member(object, text(name, self.source)),
                    None => UNKNOWN,
                }
            }
            Kind::Call => self.called(node),
            Kind::Assignment => self.assignment(node),
            Kind::AugmentedAssignment => {
                let right = node.child_by_field_id(FIELDS.right);
                let added = right.map_or(UNKNOWN, |right| self.expression(right));
                if let Some(left) = node.child_by_field_id(FIELDS.left) {
                    let object = self.expression(left);
                    let element = self.element(added, Key::Any);
                    self.store(object, Slot::Element(Key::Any), element);
                }
                UNKNOWN
            }
            Kind::NamedExpression => {
                let value = node.child_by_field_id(FIELDS.value);
                let value = value.map_or(UNKNOWN, |value| self.expression(value));
                if let Some(name) = node.child_by_field_id(FIELDS.name) {
                    self.assign(name, value);
                }
                value
            }
            Kind::ParenthesizedExpression | Kind::Await | Kind::Type | Kind::AsPattern => {
                let mut value = UNKNOWN;
                for part in node.named_children(&mut node.walk()) {
                    if kind(part).is_code() {
                        value = self.expression(part);
                    }
                }
                value
            }
            Kind::BooleanOperator => self.boolean_operator(node),
            Kind::ConditionalExpression => {
                let parts: Vec<_> = node.named_children(&mut node.walk()).collect();
                let [value, condition, otherwise] = parts[..] else { return UNKNOWN };
                self.expression(condition);
                let mut values = Vec::new();
                for (part, outcome) in [(value, true), (otherwise, false)] {
                    self.arm(|follow| {
                        follow.narrow(condition, outcome);
                        if kind(part) != Kind::NoneLiteral {
                            values.push(follow.expression(part));
                        }
                        false
                    });
                }
                self.one_of(values)
            }
            Kind::Lambda => self.lambda(node),
            Kind::Subscript => self.subscript(node),
            Kind::List | Kind::Tuple | Kind::Set | Kind::ExpressionList => self.collection(node),
            Kind::Dictionary => self.dictionary(node),
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::GeneratorExpression => self.comprehension(node),
            Kind::Yield => {
                let value = node.named_child(0).map_or(UNKNOWN, |value| self.expression(value));
                let is_from = node.child(1).is_some_and(|token| token.kind() == "from");
                let value = if is_from { self.element(value, Key::Any) } else { value };
                let yields = &mut self.frames[self.at].yields;
                if !yields.contains(&value) {
                    yields.push(value);
                }
                UNKNOWN
            }
            Kind::String => match self.key(node) {
                Key::Text(key) => self.value(Value::Text(key)),
                _ => {
                    self.inside(node);
                    self.prefix(text(node, self.source).trim_start_matches(['f', 'F']), '{')
                }
            },
            Kind::BinaryOperator => {
                self.inside(node);
                match node.child_by_field_id(FIELDS.left) {
                    Some(left) if kind(left) == Kind::String => self.prefix(text(left, self.source), '%'),
                    _ => UNKNOWN,
                }
            }
            _ => self.inside(node),
        }
    }

    /// Returns a string with the prefix that precedes a placeholder in a literal.
    fn prefix(&mut self, literal: &str, placeholder: char) -> LocalValue {
        let start = string_text(literal).and_then(|inner| inner.split(placeholder).next());
        match start.filter(|start| (MIN_PREFIX..MAX_TEXT).contains(&start.len())) {
            Some(start) => self.value(Value::Prefix(start.into())),
            None => UNKNOWN,
        }
    }

    /// Follows the parts of an expression whose own value is unknown.
    fn inside(&mut self, node: Node<'t>) -> LocalValue {
        for part in node.named_children(&mut node.walk()) {
            self.expression(part);
        }
        UNKNOWN
    }

    fn boolean_operator(&mut self, node: Node<'t>) -> LocalValue {
        let operator = node.child_by_field_id(FIELDS.operator).map(|operator| operator.kind());
        let left = node.child_by_field_id(FIELDS.left);
        let first = left.map_or(UNKNOWN, |left| self.expression(left));
        let mut second = UNKNOWN;
        self.arm(|follow| {
            if let Some(left) = left {
                follow.narrow(left, operator == Some("and"));
            }
            let right = node.child_by_field_id(FIELDS.right);
            second = right.map_or(UNKNOWN, |right| follow.expression(right));
            false
        });
        // The result of `and` with a false left side is of no use.
        if operator == Some("and") { second } else { self.one_of(vec![first, second]) }
    }

    fn called(&mut self, node: Node<'t>) -> LocalValue {
        let Some(function) = node.child_by_field_id(FIELDS.function) else { return UNKNOWN };
        let list = node.child_by_field_id(FIELDS.arguments);
        if text(function, self.source) == "super"
            && let Some(class) = self.frames[self.at].class
        {
            if let Some(list) = list {
                self.arguments(list);
            }
            return self.value(Value::Super(class));
        }
        let callee = self.expression(function);
        let arguments = match list {
            Some(list) if kind(list) == Kind::GeneratorExpression => {
                vec![FlowArgument { kind: ArgumentKind::Place, value: self.comprehension(list) }]
            }
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        if callee == UNKNOWN {
            return UNKNOWN;
        }
        let named = match kind(function) {
            Kind::Identifier => Some(function),
            Kind::Attribute => function.child_by_field_id(FIELDS.attribute),
            _ => None,
        };
        if let Some(method) = named.filter(|_| kind(function) == Kind::Attribute) {
            let target = function.child_by_field_id(FIELDS.object);
            self.put(target, callee, text(method, self.source), &arguments);
        }
        let form = if named.is_some() { CallForm::Referenced } else { CallForm::Unnamed };
        let call = self.call(callee, arguments, form, span(named.unwrap_or(function)).start);
        self.value(Value::Call(call))
    }

    /// Records the stores that a method of a built-in collection makes into the collection.
    fn put(
        &mut self,
        target: Option<Node<'t>>,
        callee: LocalValue,
        method: &str,
        arguments: &[FlowArgument],
    ) {
        let Value::Member(object, _) = self.flow.values[callee] else { return };
        let argument = |nth: usize| arguments.get(nth).map_or(UNKNOWN, |argument| argument.value);
        let (key, value) = match method {
            "append" | "add" | "appendleft" | "push" => (Key::Any, argument(0)),
            "insert" => (Key::Any, argument(1)),
            "update" => {
                if let Value::Collection(elements) = self.flow.values[argument(0)].clone() {
                    for (key, value) in elements {
                        self.put_element(target, object, key, value);
                    }
                    return;
                }
                (Key::Any, self.element(argument(0), Key::Any))
            }
            "extend" => (Key::Any, self.element(argument(0), Key::Any)),
            "setdefault" => match &self.flow.values[argument(0)] {
                Value::Text(key) => (Key::Text(key.clone()), argument(1)),
                _ => (Key::Any, argument(1)),
            },
            _ => return,
        };
        self.store(object, Slot::Element(key), value);
    }

    fn subscript(&mut self, node: Node<'t>) -> LocalValue {
        let object = node.child_by_field_id(FIELDS.value);
        let object = object.map_or(UNKNOWN, |object| self.expression(object));
        let Some(key) = node.child_by_field_id(FIELDS.subscript) else { return UNKNOWN };
        if key.kind() == "slice" {
            self.inside(key);
            return self.slice(object, text(key, self.source));
        }
        let place = self.key(key);
        if place == Key::Any {
            let ty = self.expression(key);
            // A type with arguments looks like an element.
            if ty != UNKNOWN && matches!(self.flow.values[object], Value::Import(_) | Value::Symbol(_)) {
                let element = self.element(object, Key::Any);
                let generic = self.value(Value::Generic(object, Box::new([ty])));
                return self.one_of(vec![element, generic]);
            }
        }
        self.element(object, place)
    }

    /// Returns a slice of a collection, or the whole if it has a step or unknown keys. A bound that is not a number
    /// counts as the start or end.
    fn slice(&mut self, object: LocalValue, slice: &str) -> LocalValue {
        let Value::Collection(elements) = &self.flow.values[object] else { return object };
        let mut bounds = slice.split(':').map(|bound| bound.trim().parse::<usize>());
        let start = bounds.next().and_then(Result::ok).unwrap_or(0).min(elements.len());
        let end = bounds.next().and_then(Result::ok).unwrap_or(elements.len()).clamp(start, elements.len());
        if bounds.next().is_some() || elements.iter().any(|(key, _)| *key == Key::Any) {
            return object;
        }
        let kept = elements[start..end].iter().enumerate();
        let kept = kept.map(|(at, (_, value))| (Key::Index(at as i32), *value)).collect();
        self.value(Value::Collection(kept))
    }

    /// Returns the element selected by a subscript.
    pub(super) fn key(&self, node: Node<'t>) -> Key {
        let written = text(node, self.source);
        match kind(node) {
            Kind::String => match string_text(written) {
                Some(inner) if inner.len() <= MAX_TEXT && written.starts_with(['"', '\'']) => {
                    Key::Text(inner.into())
                }
                _ => Key::Any,
            },
            _ => written.parse().map_or(Key::Any, Key::Index),
        }
    }

    fn collection(&mut self, node: Node<'t>) -> LocalValue {
        let mut elements = Vec::new();
        let mut is_known = true;
        for part in node.named_children(&mut node.walk()) {
            match kind(part) {
                Kind::Comment => continue,
                Kind::ListSplat => {
                    is_known = false;
                    let spread = part.named_child(0).map_or(UNKNOWN, |inner| self.expression(inner));
                    let element = self.element(spread, Key::Any);
                    elements.push((Key::Any, element));
                }
                _ => {
                    let value = self.expression(part);
                    let index = i32::try_from(elements.len()).ok().filter(|_| is_known);
                    elements.push((index.map_or(Key::Any, Key::Index), value));
                }
            }
        }
        elements.truncate(MAX_ELEMENTS);
        self.value(Value::Collection(elements.into()))
    }

    fn dictionary(&mut self, node: Node<'t>) -> LocalValue {
        let mut elements = Vec::new();
        for part in node.named_children(&mut node.walk()) {
            match kind(part) {
                Kind::Pair => {
                    let (Some(key), Some(value)) =
                        (part.child_by_field_id(FIELDS.key), part.child_by_field_id(FIELDS.value))
                    else {
                        continue;
                    };
                    let place = self.key(key);
                    if place == Key::Any {
                        self.expression(key);
                    }
                    let value = self.expression(value);
                    elements.push((place, value));
                }
                Kind::DictionarySplat => {
                    let spread = part.named_child(0).map_or(UNKNOWN, |inner| self.expression(inner));
                    let element = self.element(spread, Key::Any);
                    elements.push((Key::Any, element));
                }
                _ => {}
            }
        }
        elements.truncate(MAX_ELEMENTS);
        self.value(Value::Collection(elements.into()))
    }

    /// Follows a comprehension. Returns a collection of the values of its body.
    fn comprehension(&mut self, node: Node<'t>) -> LocalValue {
        let element = self.inline(|follow| {
            let clauses: Vec<_> = node.named_children(&mut node.walk()).collect();
            for clause in &clauses {
                match clause.kind() {
                    "for_in_clause" => {
                        let iterated = clause.child_by_field_id(FIELDS.right);
                        let iterated = iterated.map_or(UNKNOWN, |right| follow.expression(right));
                        let element = follow.iterated(iterated, is_async(*clause), span(*clause).start);
                        if let Some(left) = clause.child_by_field_id(FIELDS.left) {
                            follow.bind_own(left, element);
                        }
                    }
                    "if_clause" => {
                        for condition in clause.named_children(&mut clause.walk()) {
                            follow.expression(condition);
                            follow.narrow(condition, true);
                        }
                    }
                    _ => {}
                }
            }
            let Some(body) = node.child_by_field_id(FIELDS.body) else { return UNKNOWN };
            if kind(body) == Kind::Pair {
                if let Some(key) = body.child_by_field_id(FIELDS.key) {
                    follow.expression(key);
                }
                let value = body.child_by_field_id(FIELDS.value);
                return value.map_or(UNKNOWN, |value| follow.expression(value));
            }
            follow.expression(body)
        });
        self.value(Value::Collection(Box::new([(Key::Any, element)])))
    }

    /// Binds the variables of a comprehension in its own frame.
    fn bind_own(&mut self, target: Node<'t>, value: LocalValue) {
        if kind(target) == Kind::Identifier {
            return self.now(text(target, self.source), value);
        }
        for (nth, part) in target.named_children(&mut target.walk()).enumerate() {
            let element = self.element(value, Key::Index(nth as i32));
            self.bind_own(part, element);
        }
    }
}
