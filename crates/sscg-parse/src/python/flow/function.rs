//! Functions, classes, and arguments of calls.

use sscg_core::{
    ArgumentKind, CallForm, FlowArgument, FlowFunction, LocalFunction, LocalSymbol, LocalValue, Parameter,
    ParameterKind, Value,
};
use tree_sitter::Node;

use super::super::grammar::{FIELDS, Kind, kind};
use super::{Follow, FrameKind, Pending, UNKNOWN};
use crate::tree::{span, text};

/// Receiver of a method.
#[derive(Clone, Copy, PartialEq)]
enum Receiver {
    None,
    Instance,
    Class,
}

/// Decorator of a declaration.
struct Decorator<'t> {
    expression: Node<'t>,
    value: LocalValue,
    /// Offset of the last segment of its name, if the expression is a name.
    named_at: Option<u32>,
}

impl<'t, 's> Follow<'t, 's, '_> {
    /// Follows a function or class, decorated or not.
    pub(super) fn definition(&mut self, whole: Node<'t>) {
        let definition = match kind(whole) {
            Kind::DecoratedDefinition => whole.child_by_field_id(FIELDS.definition),
            _ => Some(whole),
        };
        let Some(node) = definition else { return };
        let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
        let Some(symbol) = self.names.symbols.get(&span(name).start).copied() else { return };
        let decorators = if whole == node { Vec::new() } else { self.decorators(whole, symbol) };
        let mut value = self.value(Value::Symbol(symbol));
        if kind(node) == Kind::ClassDefinition {
            self.class(node, symbol);
        } else {
            let receiver = self.receiver(text(name, self.source), &decorators);
            self.function(node, symbol, receiver);
        }
        for Decorator { value: decorator, named_at, expression } in decorators.into_iter().rev() {
            if decorator == UNKNOWN {
                continue;
            }
            let argument = FlowArgument { kind: ArgumentKind::Place, value };
            let form = if named_at.is_some() { CallForm::Decorator } else { CallForm::Unnamed };
            let call = self.call(decorator, vec![argument], form, span(expression).start);
            if let Some(at) = named_at {
                self.calls.insert(at, call);
            }
            value = self.value(Value::Decorated(call, value));
        }
        if !matches!(self.flow.values[value], Value::Symbol(_)) {
            self.flow.symbols.push((symbol, value));
        }
        // The offset binds no symbol: the declaration itself is not a variable of the frame.
        let bound = text(name, self.source);
        self.bind(bound, u32::MAX, value);
    }

    /// Follows the decorators of a declaration.
    fn decorators(&mut self, whole: Node<'t>, symbol: LocalSymbol) -> Vec<Decorator<'t>> {
        let mut decorators = Vec::new();
        for decorator in whole.children(&mut whole.walk()).filter(|it| kind(*it) == Kind::Decorator) {
            let Some(expression) = decorator.named_child(0) else { continue };
            let around = self.frames[self.at].symbol.replace(symbol);
            let value = self.expression(expression);
            self.frames[self.at].symbol = around;
            // The call of a decorator factory is referenced as the decorator.
            if let Value::Call(call) = self.flow.values[value] {
                self.flow.calls[call].form = CallForm::Decorator;
            }
            let named = match kind(expression) {
                Kind::Identifier => Some(expression),
                Kind::Attribute => expression.child_by_field_id(FIELDS.attribute),
                _ => None,
            };
            decorators.push(Decorator { expression, value, named_at: named.map(|name| span(name).start) });
        }
        decorators
    }

    /// Returns the receiver of a function; the last decorator that sets it decides.
    fn receiver(&self, name: &str, decorators: &[Decorator<'t>]) -> Receiver {
        let decorated = decorators.iter().rev().find_map(|it| match text(it.expression, self.source) {
            "staticmethod" => Some(Receiver::None),
            "classmethod" => Some(Receiver::Class),
            _ => None,
        });
        let by_name = match (self.frames[self.at].kind, name) {
            (FrameKind::Class, "__new__" | "__init_subclass__" | "__class_getitem__") => Receiver::Class,
            (FrameKind::Class, _) => Receiver::Instance,
            _ => Receiver::None,
        };
        decorated.unwrap_or(by_name)
    }

    fn class(&mut self, node: Node<'t>, symbol: LocalSymbol) {
        if let Some(bases) = node.child_by_field_id(FIELDS.superclasses) {
            let around = self.frames[self.at].symbol.replace(symbol);
            self.arguments(bases);
            self.frames[self.at].symbol = around;
        }
        let Some(body) = node.child_by_field_id(FIELDS.body) else { return };
        let frame = self.open(FrameKind::Class, Some(self.at), Some(symbol), Some(symbol));
        self.in_frame(frame, |follow| follow.block(body));
    }

    fn function(&mut self, node: Node<'t>, symbol: LocalSymbol, receiver: Receiver) {
        let class = self.frames[self.at].class;
        let parameters = node.child_by_field_id(FIELDS.parameters);
        let parameters = parameters.map_or_else(Vec::new, |list| self.parameters(list));
        let ty = node.child_by_field_id(FIELDS.return_type).map(|ty| self.annotation(ty));
        let names: Vec<(&'s str, bool)> = parameters
            .iter()
            .map(|(name, parameter)| (*name, parameter.kind == ParameterKind::One))
            .collect();
        let function = self.flow.functions.push(FlowFunction {
            symbol: Some(symbol),
            has_receiver: receiver != Receiver::None,
            parameters: parameters.into_iter().map(|(_, parameter)| parameter).collect(),
            ty: ty.filter(|ty| *ty != UNKNOWN),
            returns: Box::default(),
            yields: Box::default(),
        });
        let frame = self.open(FrameKind::Function, Some(self.at), Some(symbol), class);
        self.in_frame(frame, |follow| {
            for (nth, (name, is_plain)) in names.into_iter().enumerate() {
                let value = match (receiver, class) {
                    (Receiver::Instance, Some(class)) if nth == 0 && is_plain => Value::Instance(class),
                    (Receiver::Class, Some(class)) if nth == 0 && is_plain => Value::Class(class),
                    _ => Value::Parameter(function, u8::try_from(nth).unwrap_or(u8::MAX)),
                };
                let value = follow.value(value);
                follow.bind(name, u32::MAX, value);
            }
        });
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            self.pending.push_back(Pending { body, function, frame });
        }
    }

    /// Follows the body of a function in its own frame.
    pub(super) fn body(&mut self, body: Node<'t>, function: LocalFunction) {
        self.block(body);
        let frame = &mut self.frames[self.at];
        let (returns, yields) = (std::mem::take(&mut frame.returns), std::mem::take(&mut frame.yields));
        self.flow.functions[function].returns = returns.into();
        self.flow.functions[function].yields = yields.into();
    }

    pub(super) fn lambda(&mut self, node: Node<'t>) -> LocalValue {
        let parameters = node.child_by_field_id(FIELDS.parameters);
        let parameters = parameters.map_or_else(Vec::new, |list| self.parameters(list));
        let names: Vec<&'s str> = parameters.iter().map(|(name, _)| *name).collect();
        let function = self.flow.functions.push(FlowFunction {
            symbol: None,
            has_receiver: false,
            parameters: parameters.into_iter().map(|(_, parameter)| parameter).collect(),
            ty: None,
            returns: Box::default(),
            yields: Box::default(),
        });
        let body = node.child_by_field_id(FIELDS.body);
        let returned = self.inline(|follow| {
            for (nth, name) in names.into_iter().enumerate() {
                let parameter = Value::Parameter(function, u8::try_from(nth).unwrap_or(u8::MAX));
                let value = follow.value(parameter);
                follow.now(name, value);
            }
            body.map_or(UNKNOWN, |body| follow.expression(body))
        });
        self.flow.functions[function].returns = Box::new([returned]);
        self.value(Value::Lambda(function))
    }

    /// Follows code that runs in place and has variables of its own.
    pub(super) fn inline<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let (symbol, class) = (self.frames[self.at].symbol, self.frames[self.at].class);
        let frame = self.open(FrameKind::Inline, Some(self.at), symbol, class);
        self.in_frame(frame, follow)
    }

    /// Follows code in another frame.
    fn in_frame<T>(&mut self, frame: usize, follow: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, frame);
        let replaced = std::mem::take(&mut self.replaced);
        let result = follow(self);
        self.at = outer;
        self.replaced = replaced;
        result
    }

    /// Returns the parameters of a list, with their names.
    fn parameters(&mut self, list: Node<'t>) -> Vec<(&'s str, Parameter)> {
        let mut parameters = Vec::new();
        let mut kind = ParameterKind::One;
        for node in list.children(&mut list.walk()) {
            let (mut at, mut ty, mut default) = (node, None, None);
            match node.kind() {
                "keyword_separator" | "*" => {
                    kind = ParameterKind::Named;
                    continue;
                }
                "identifier" | "list_splat_pattern" | "dictionary_splat_pattern" => {}
                "typed_parameter" | "default_parameter" | "typed_default_parameter" => {
                    ty = node.child_by_field_id(FIELDS.ty).map(|ty| self.annotation(ty));
                    default = node.child_by_field_id(FIELDS.value).map(|value| self.expression(value));
                    let Some(name) = node.child_by_field_id(FIELDS.name).or(node.named_child(0)) else {
                        continue;
                    };
                    at = name;
                }
                _ => continue,
            }
            let takes = match at.kind() {
                "list_splat_pattern" => ParameterKind::Rest,
                "dictionary_splat_pattern" => ParameterKind::NamedRest,
                _ => kind,
            };
            if takes == ParameterKind::Rest {
                kind = ParameterKind::Named;
            }
            let name = if at.kind() == "identifier" { Some(at) } else { at.named_child(0) };
            let name = name.map_or("", |name| text(name, self.source));
            let (ty, default) = (ty.filter(|ty| *ty != UNKNOWN), default.filter(|value| *value != UNKNOWN));
            parameters.push((name, Parameter { name: name.into(), kind: takes, ty, default }));
        }
        parameters
    }

    /// Follows the arguments of a call.
    pub(super) fn arguments(&mut self, list: Node<'t>) -> Vec<FlowArgument> {
        let mut arguments = Vec::new();
        for node in list.named_children(&mut list.walk()) {
            let (kind, value) = match kind(node) {
                Kind::Comment => continue,
                Kind::KeywordArgument => {
                    let name = node.child_by_field_id(FIELDS.name);
                    let name = name.map_or("", |name| text(name, self.source));
                    (ArgumentKind::Name(name.into()), node.child_by_field_id(FIELDS.value))
                }
                Kind::ListSplat => (ArgumentKind::Rest, node.named_child(0)),
                Kind::DictionarySplat => (ArgumentKind::NamedRest, node.named_child(0)),
                _ => (ArgumentKind::Place, Some(node)),
            };
            let value = value.map_or(UNKNOWN, |value| self.expression(value));
            arguments.push(FlowArgument { kind, value });
        }
        arguments
    }
}
