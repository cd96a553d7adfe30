//! Expressions: the names they read and call.

use sscg_core::Relation;
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, kind};
use super::parameter::Receiver;
use super::walk::{Walk, WalkContext};
use crate::scope::{Base, Binding, RawHint, RawName, ScopeKind};
use crate::tree::{span, text};

/// Kind of an expression, as far as a member access or an assignment needs it.
pub(super) enum Operand<'s> {
    /// Name, with the offset of its last segment.
    Name(RawName<'s>, u32),
    /// Result of a call, by the index of its reference.
    Call(usize),
    /// `super()`.
    Super,
    /// Anything else.
    Value,
}

/// Argument of a call that names a type.
#[derive(Clone, Copy, PartialEq)]
enum TypeArgument {
    None,
    /// `cast(T, value)`.
    First,
    /// `isinstance(value, T)`.
    Second,
}

impl<'t, 's> Walk<'t, 's> {
    /// Visits an expression whose value is read. Returns its type hint.
    pub(super) fn read(&mut self) -> Option<RawHint<'s>> {
        match self.operand() {
            Operand::Name(name, at) => {
                let hint = self.known_hint(&name);
                self.name_read(name, at);
                hint
            }
            Operand::Call(call) => Some(RawHint::Result(self.uses[call].name.clone())),
            Operand::Super | Operand::Value => None,
        }
    }

    /// Records a read of a plain name. Most are local variables, which are skipped.
    pub(super) fn identifier_read(&mut self, identifier: Node<'t>) {
        let name = text(identifier, self.source);
        if self.at.receiver != Some(name) && !self.is_local(name) {
            self.name_used(self.at.reads, RawName::scoped(vec![name]), span(identifier).start);
        }
    }

    fn name_read(&mut self, name: RawName<'s>, at: u32) {
        match (&name.base, name.path.len()) {
            // A read of a member of `self` is recorded at that member; `self` alone carries no information.
            (Base::SelfType | Base::Super, 2) => self.name_used(Relation::ReadsFrom, name, at),
            (Base::Scope, _) if !self.is_local(name.path[0]) => self.name_used(self.at.reads, name, at),
            _ => {}
        }
    }

    /// Returns the type hint known so far for a parameter or variable of the current function.
    fn known_hint(&self, name: &RawName<'s>) -> Option<RawHint<'s>> {
        match (&name.base, &*name.path) {
            (Base::Scope, [local]) => match self.own_binding(local)? {
                Binding::Local(hint) => hint.clone(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Visits an expression without recording a read of its name; the caller records its use.
    pub(super) fn operand(&mut self) -> Operand<'s> {
        let node = self.cursor.node();
        match kind(node) {
            Kind::Identifier => Operand::Name(self.name(text(node, self.source)), span(node).start),
            Kind::Attribute => self.attribute(),
            Kind::Call => self.call(),
            Kind::ParenthesizedExpression | Kind::Await => {
                let mut inner = Operand::Value;
                self.children(|walk| {
                    if walk.kind().is_code() {
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
            Kind::Comment | Kind::Leaf if object.is_some() => {}
            _ if object.is_none() => object = Some(walk.operand()),
            Kind::Identifier => member = Some((walk.text(), walk.start())),
            _ => {}
        });
        let (Some(object), Some((member, at))) = (object, member) else { return Operand::Value };
        let (base, path) = match object {
            Operand::Name(mut name, object_at) => {
                if name.path.len() == 2 && matches!(name.base, Base::SelfType | Base::Super) {
                    self.name_used(Relation::ReadsFrom, name.clone(), object_at);
                }
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
        let node = self.cursor.node();
        let mut result = None;
        let mut types = TypeArgument::None;
        self.children(|walk| match walk.kind() {
            Kind::Comment => {}
            _ if result.is_none() => {
                result = Some(match walk.operand() {
                    Operand::Name(name, _) if name.base == Base::Scope && name.path == ["super"] => {
                        Operand::Super
                    }
                    Operand::Name(name, at) => {
                        types = walk.type_argument_of(&name);
                        if name.path[0] == "__all__" {
                            walk.add_exports_of_call(node);
                        }
                        if walk.at.reads == Relation::UsesDefault {
                            walk.name_used(Relation::UsesDefault, name.clone(), at);
                        }
                        walk.name_used(Relation::Calls, name, at);
                        Operand::Call(walk.uses.len() - 1)
                    }
                    _ => Operand::Value,
                });
            }
            Kind::ArgumentList => {
                let count = walk.arguments(types);
                if let Some(Operand::Call(call)) = result {
                    walk.uses[call].arguments = count;
                }
            }
            _ => {
                // A generator expression that is the only argument needs no brackets of its own.
                if let Some(Operand::Call(call)) = result {
                    walk.uses[call].arguments = Some(1);
                }
                walk.visit();
            }
        });
        result.unwrap_or(Operand::Value)
    }

    /// Visits arguments. Returns their number, if the text determines it.
    fn arguments(&mut self, types: TypeArgument) -> Option<u8> {
        let mut count = Some(0_u8);
        self.children(|walk| {
            let kind = walk.kind();
            if kind == Kind::Leaf && !walk.cursor.node().is_named() || kind == Kind::Comment {
                return;
            }
            let is_type = match types {
                TypeArgument::None => false,
                TypeArgument::First => count == Some(0),
                TypeArgument::Second => count == Some(1),
            };
            if matches!(kind, Kind::ListSplat | Kind::DictionarySplat) {
                count = None;
            }
            count = count.map(|count| count.saturating_add(1));
            if is_type {
                walk.within(WalkContext { types: Relation::AssertsType, ..walk.at }, |walk| {
                    walk.annotation();
                });
            } else {
                walk.visit();
            }
        });
        count
    }

    /// Returns the argument of a call that names the type tested for or cast to.
    fn type_argument_of(&self, callee: &RawName<'s>) -> TypeArgument {
        match &*callee.path {
            _ if callee.base != Base::Scope => TypeArgument::None,
            ["isinstance" | "issubclass"] => TypeArgument::Second,
            ["cast"] | [_, "cast"] if self.typing.contains(callee.path[0]) => TypeArgument::First,
            ["assert_type"] | [_, "assert_type"] if self.typing.contains(callee.path[0]) => {
                TypeArgument::Second
            }
            _ => TypeArgument::None,
        }
    }

    pub(super) fn keyword_argument(&mut self) {
        self.children(|walk| {
            if walk.field() != FIELDS.name {
                walk.visit();
            }
        });
    }

    /// Visits a string. Only strings with an `f` or `t` prefix contain code.
    pub(super) fn string(&mut self, node: Node<'t>) {
        let prefix = text(node, self.source).bytes().take_while(|byte| !matches!(byte, b'"' | b'\''));
        if prefix.into_iter().any(|byte| matches!(byte.to_ascii_lowercase(), b'f' | b't')) {
            self.children(Self::visit);
        }
    }

    pub(super) fn lambda(&mut self) {
        let scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        let mut inner = WalkContext { scope, frame: scope, declares: false, ..self.at };
        self.children(|walk| match walk.kind() {
            Kind::LambdaParameters => {
                let outer = Receiver::Inherited(walk.at.receiver);
                inner.receiver = walk.parameters(scope, outer);
            }
            _ => walk.within(inner, Self::visit),
        });
    }

    /// Visits a comprehension, which has its own variables. Its first iterable is code of the enclosing scope.
    pub(super) fn comprehension(&mut self) {
        let outer = self.at;
        let scope = self.scopes.open(Some(outer.scope), ScopeKind::Lexical);
        let inner = WalkContext { scope, declares: false, ..outer };
        let mut is_first = true;
        self.within(inner, |walk| {
            walk.children(|walk| {
                if walk.kind() != Kind::ForInClause {
                    return walk.visit();
                }
                let is_first = std::mem::take(&mut is_first);
                walk.children(|walk| {
                    if walk.field() == FIELDS.left {
                        walk.target(None);
                    } else if is_first {
                        walk.within(outer, Self::visit);
                    } else {
                        walk.visit();
                    }
                });
            });
        });
    }

    pub(super) fn raise_statement(&mut self) {
        self.children(|walk| {
            if walk.field() == FIELDS.cause {
                return walk.visit();
            }
            walk.used_as(Relation::Raises);
        });
    }

    /// Visits an expression and records its name, or that of its callee, in `relation`. Returns its type hint.
    pub(super) fn used_as(&mut self, relation: Relation) -> Option<RawHint<'s>> {
        match self.operand() {
            Operand::Name(name, at) => {
                let hint = self.known_hint(&name);
                self.name_used(relation, name, at);
                hint
            }
            Operand::Call(call) => {
                let (name, at) = (self.uses[call].name.clone(), self.uses[call].at);
                self.name_used(relation, name.clone(), at);
                Some(RawHint::Result(name))
            }
            Operand::Super | Operand::Value => None,
        }
    }

    pub(super) fn except_clause(&mut self) {
        let mut caught = None;
        self.children(|walk| {
            let field = walk.field();
            if field == FIELDS.value {
                caught = walk.caught_type();
            } else if field == FIELDS.alias {
                walk.target(caught.take());
            } else {
                walk.visit();
            }
        });
    }

    /// Visits the type of an `except` clause. Returns it, if it is a single one.
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
                    kind if kind.is_code() => caught = walk.caught_type(),
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
