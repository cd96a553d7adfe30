//! Expressions: which names are read and called.

use sscg_core::Relation;

use super::definition::Receiver;
use super::grammar::{GRAMMAR, Kind};
use super::walk::{Context, Walk};
use crate::scope::{Base, Binding, RawHint, RawName, ScopeKind};

/// What an expression is, as far as a member access or an assignment needs to know.
pub(super) enum Operand<'s> {
    /// A name, and where its last segment stands.
    Name(RawName<'s>, u32),
    /// The result of the call that is this use.
    Call(usize),
    /// `super()`.
    Super,
    /// Anything else.
    Value,
}

impl<'s> Walk<'_, 's> {
    /// Visits an expression whose value is read.
    pub(super) fn read(&mut self) -> Option<RawHint<'s>> {
        match self.operand() {
            Operand::Name(name, at) => {
                let hint = self.known_hint(&name);
                self.name_used(Relation::References, name, at);
                hint
            }
            Operand::Call(call) => Some(RawHint::Result(self.uses[call].name.clone())),
            Operand::Super | Operand::Value => None,
        }
    }

    /// What is known of the type of a parameter or variable of the current function so far.
    fn known_hint(&self, name: &RawName<'s>) -> Option<RawHint<'s>> {
        match (&name.base, &*name.path) {
            (Base::Scope, [local]) => match self.own_binding(local)? {
                Binding::Local(hint) => hint.clone(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Visits an expression without noting a name as read; the caller knows what is done with it.
    pub(super) fn operand(&mut self) -> Operand<'s> {
        let node = self.cursor.node();
        match GRAMMAR.kind(node) {
            Kind::Identifier => Operand::Name(self.name(self.text()), node.start_byte() as u32),
            Kind::Attribute => self.attribute(),
            Kind::Call => self.call(),
            Kind::ParenthesizedExpression | Kind::Await => {
                let mut inner = Operand::Value;
                self.children(|walk| {
                    if walk.cursor.node().is_named() && walk.kind() != Kind::Comment {
                        inner = walk.operand();
                    }
                });
                inner
            }
            _ => {
                self.visit();
                Operand::Value
            }
        }
    }

    fn attribute(&mut self) -> Operand<'s> {
        let mut object = None;
        let mut member = None;
        self.children(|walk| match walk.kind() {
            Kind::Comment => {}
            _ if object.is_none() => object = Some(walk.operand()),
            Kind::Identifier => member = Some((walk.text(), walk.cursor.node().start_byte() as u32)),
            _ => {}
        });
        let (Some(object), Some((member, at))) = (object, member) else { return Operand::Value };
        let (base, path) = match object {
            Operand::Name(mut name, _) => {
                name.path.push(member);
                return Operand::Name(name, at);
            }
            Operand::Call(call) => {
                let result = RawHint::Result(self.uses[call].name.clone());
                (Base::Value(Some(Box::new(result))), vec![member])
            }
            Operand::Super => (Base::Super, vec!["super", member]),
            Operand::Value => (Base::Value(None), vec![member]),
        };
        Operand::Name(RawName { base, path }, at)
    }

    fn call(&mut self) -> Operand<'s> {
        let mut result = None;
        self.children(|walk| match walk.kind() {
            Kind::Comment => {}
            _ if result.is_none() => {
                result = Some(match walk.operand() {
                    Operand::Name(name, _) if name.base == Base::Scope && name.path == ["super"] => {
                        Operand::Super
                    }
                    Operand::Name(name, at) => {
                        walk.name_used(Relation::Calls, name, at);
                        Operand::Call(walk.uses.len() - 1)
                    }
                    _ => Operand::Value,
                });
            }
            _ => walk.visit(),
        });
        result.unwrap_or(Operand::Value)
    }

    pub(super) fn keyword_argument(&mut self) {
        self.children(|walk| {
            if walk.field() != GRAMMAR.fields.name {
                walk.visit();
            }
        });
    }

    /// Only strings with a prefix that allows it hold code.
    pub(super) fn string(&mut self) {
        let prefix = self.text().bytes().take_while(|byte| !matches!(byte, b'"' | b'\''));
        if prefix.into_iter().any(|byte| matches!(byte.to_ascii_lowercase(), b'f' | b't')) {
            self.children(Self::visit);
        }
    }

    pub(super) fn lambda(&mut self) {
        let scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        let mut inner = Context { scope, declares: false, ..self.at };
        self.children(|walk| match walk.kind() {
            Kind::LambdaParameters => {
                let outer = Receiver::Inherited(walk.at.receiver);
                inner.receiver = walk.parameters(scope, outer);
            }
            _ => walk.within(inner, Self::visit),
        });
    }

    pub(super) fn raise_statement(&mut self) {
        self.children(|walk| {
            if walk.field() == GRAMMAR.fields.cause {
                return walk.visit();
            }
            match walk.operand() {
                Operand::Name(name, at) => walk.name_used(Relation::Raises, name, at),
                Operand::Call(call) => {
                    let (name, at) = (walk.uses[call].name.clone(), walk.uses[call].at);
                    walk.name_used(Relation::Raises, name, at);
                }
                Operand::Super | Operand::Value => {}
            }
        });
    }

    pub(super) fn except_clause(&mut self) {
        let mut caught = None;
        self.children(|walk| {
            let field = walk.field();
            if field == GRAMMAR.fields.value {
                caught = walk.caught_type();
            } else if field == GRAMMAR.fields.alias {
                walk.target(caught.take());
            } else {
                walk.visit();
            }
        });
    }

    /// Visits what an `except` clause names; the type, if it is one.
    fn caught_type(&mut self) -> Option<RawHint<'s>> {
        match self.kind() {
            Kind::Identifier | Kind::Attribute => {
                let Operand::Name(name, at) = self.operand() else { return None };
                self.name_used(Relation::Catches, name.clone(), at);
                Some(RawHint::Named(name))
            }
            Kind::AsPattern => {
                let mut caught = None;
                self.children(|walk| match walk.kind() {
                    Kind::AsPatternTarget => walk.target(caught.take()),
                    _ if walk.cursor.node().is_named() => caught = walk.caught_type(),
                    _ => {}
                });
                None
            }
            Kind::Tuple | Kind::ParenthesizedExpression => {
                self.children(|walk| {
                    walk.caught_type();
                });
                None
            }
            _ => {
                self.visit();
                None
            }
        }
    }
}
