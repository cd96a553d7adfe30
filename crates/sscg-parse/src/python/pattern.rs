//! What binds names inside statements and expressions: targets, `as`, `for` and `case`.

use sscg_core::Relation;

use super::expression::Operand;
use super::grammar::{GRAMMAR, Kind};
use super::walk::{Context, Level, Walk};
use crate::scope::{RawHint, RawName};
use crate::tree::text;

impl<'s> Walk<'_, 's> {
    /// Binds the names of a target; `hint` is the type of what a target of one name receives.
    pub(super) fn target(&mut self, hint: Option<RawHint<'s>>) {
        match self.kind() {
            Kind::Identifier => self.bind(self.text(), hint),
            Kind::AsPatternTarget => {
                let mut hint = hint;
                self.children(|walk| walk.target(hint.take()));
            }
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::ListSplatPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ParenthesizedExpression => self.children(|walk| walk.target(None)),
            // Writing to a member reads the object that has it.
            Kind::Attribute => self.object_of_member(),
            _ => self.visit(),
        }
    }

    pub(super) fn object_of_member(&mut self) {
        let mut is_object = true;
        self.children(|walk| {
            if std::mem::take(&mut is_object) {
                walk.visit();
            }
        });
    }

    pub(super) fn named_expression(&mut self) {
        let mut name = None;
        self.children(|walk| {
            if walk.field() == GRAMMAR.fields.name {
                name = Some(walk.text());
            } else if walk.field() == GRAMMAR.fields.value {
                let hint = walk.value();
                if let Some(name) = name {
                    walk.bind(name, hint);
                }
            }
        });
    }

    /// `with f() as x`: what `f` returns is taken for what it enters.
    pub(super) fn as_pattern(&mut self) {
        let mut hint = None;
        self.children(|walk| match walk.kind() {
            Kind::AsPatternTarget => walk.target(hint.take()),
            _ if walk.cursor.node().is_named() => hint = walk.read(),
            _ => {}
        });
    }

    /// Visits anything that may have a target in its `left` field: loops and comprehensions.
    pub(super) fn for_clause(&mut self) {
        self.children(|walk| {
            if walk.field() == GRAMMAR.fields.left {
                walk.target(None);
            } else {
                walk.visit();
            }
        });
    }

    pub(super) fn if_statement(&mut self, node: tree_sitter::Node<'_>) {
        let condition = node.child_by_field_id(GRAMMAR.fields.condition);
        let is_script = condition.is_some_and(|node| text(node, self.source).starts_with("__name__"));
        let declares = self.at.declares && !is_script;
        self.within(Context { declares, ..self.at }, |walk| walk.children(Self::visit));
    }

    pub(super) fn foreign_names(&mut self) {
        if self.at.level == Level::Function {
            self.children(|walk| {
                if walk.kind() == Kind::Identifier {
                    walk.foreign.push((walk.at.scope, walk.text()));
                }
            });
        }
    }

    /// Visits a `case` pattern or a part of one. A name alone is bound, a dotted name is read.
    pub(super) fn case_pattern(&mut self) {
        match self.kind() {
            Kind::Identifier => self.bind(self.text(), None),
            Kind::DottedName => {
                let name = self.text();
                if name.contains('.') { self.dotted_name_read() } else { self.bind(name, None) }
            }
            Kind::ClassPattern => {
                let mut is_class = true;
                self.children(|walk| {
                    if std::mem::take(&mut is_class) {
                        walk.dotted_name_read();
                    } else {
                        walk.case_pattern();
                    }
                });
            }
            Kind::KeywordPattern => {
                let mut is_keyword = true;
                self.children(|walk| {
                    if !std::mem::take(&mut is_keyword) {
                        walk.case_pattern();
                    }
                });
            }
            _ => self.children(Self::case_pattern),
        }
    }

    fn dotted_name_read(&mut self) {
        let mut name: Option<RawName<'s>> = None;
        let mut at = 0;
        self.children(|walk| {
            if walk.kind() == Kind::Identifier {
                at = walk.cursor.node().start_byte() as u32;
                match &mut name {
                    Some(name) => name.path.push(walk.text()),
                    None => name = Some(walk.name(walk.text())),
                }
            }
        });
        if let Some(name) = name {
            self.name_used(Relation::References, name, at);
        }
    }

    /// Visits the right side of an assignment; what is known of its type.
    pub(super) fn value(&mut self) -> Option<RawHint<'s>> {
        match self.kind() {
            Kind::Assignment => self.assignment(),
            Kind::Identifier | Kind::Attribute | Kind::Call | Kind::ParenthesizedExpression | Kind::Await => {
                self.read()
            }
            _ => {
                self.visit();
                None
            }
        }
    }

    /// The attribute of `self` that the current node is, if it is one.
    pub(super) fn own_attribute(&self) -> Option<&'s str> {
        let (object, member) = self.text().split_once('.')?;
        let is_name = member.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (self.at.receiver == Some(object) && is_name).then_some(member)
    }

    /// Visits an expression that stands where a type is expected to be named; its name, if it is one.
    pub(super) fn type_name(&mut self) -> Option<(RawName<'s>, u32)> {
        match self.operand() {
            Operand::Name(name, at) => Some((name, at)),
            _ => None,
        }
    }
}
