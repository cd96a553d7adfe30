//! Constructs that bind names inside statements and expressions: targets, `as`, `for` and `case`.

use sscg_core::Relation;

use super::expression::Operand;
use super::grammar::{FIELDS, Kind, kind};
use super::walk::{Level, Walk, WalkContext};
use crate::scope::{RawHint, RawName};
use crate::tree::text;

impl<'s> Walk<'_, 's> {
    /// Binds the names of a target; `hint` is the type of the value, for a target of one name.
    pub(super) fn target(&mut self, hint: Option<RawHint<'s>>) {
        let node = self.cursor.node();
        match kind(node) {
            Kind::Identifier => self.bind(self.text(), self.start(), hint),
            Kind::AsPatternTarget => {
                let mut hint = hint;
                self.children(|walk| walk.target(hint.take()));
            }
            kind if kind.is_pattern() => self.children(|walk| walk.target(None)),
            Kind::Attribute => match self.own_attribute(node) {
                Some(attribute) => self.own_attribute_written(node, attribute),
                None => self.member_written(),
            },
            _ => self.visit(),
        }
    }

    pub(super) fn named_expression(&mut self) {
        let mut target = None;
        self.children(|walk| {
            if walk.field() == FIELDS.name {
                target = Some((walk.text(), walk.start()));
            } else if walk.field() == FIELDS.value {
                let hint = walk.value();
                if let Some((name, at)) = target {
                    walk.within(WalkContext { scope: walk.at.frame, ..walk.at }, |walk| {
                        walk.bind(name, at, hint)
                    });
                }
            }
        });
    }

    /// Visits `x as y` in a pattern.
    pub(super) fn as_pattern(&mut self) {
        let mut hint = None;
        self.children(|walk| match walk.kind() {
            Kind::AsPatternTarget => walk.target(hint.take()),
            kind if kind.is_code() => hint = walk.read(),
            _ => {}
        });
    }

    /// Visits `with f() as x`. The result of `f` is taken for the entered value.
    pub(super) fn with_item(&mut self) {
        let mut entered = None;
        self.children(|walk| {
            if walk.kind() != Kind::AsPattern {
                walk.used_as(Relation::UsesContextManager);
                return;
            }
            walk.children(|walk| match walk.kind() {
                Kind::AsPatternTarget => walk.target(entered.take()),
                kind if kind.is_code() => entered = walk.used_as(Relation::UsesContextManager),
                _ => {}
            });
        });
    }

    /// Visits a loop, which may have a target in its `left` field.
    pub(super) fn for_clause(&mut self) {
        self.children(|walk| {
            if walk.field() == FIELDS.left {
                walk.target(None);
            } else {
                walk.visit();
            }
        });
    }

    pub(super) fn if_statement(&mut self, node: tree_sitter::Node<'_>) {
        let is_script = || {
            let condition = node.child_by_field_id(FIELDS.condition);
            condition.is_some_and(|node| text(node, self.source).starts_with("__name__"))
        };
        let declares = self.at.declares && !is_script();
        self.within(WalkContext { declares, ..self.at }, |walk| walk.children(Self::visit));
    }

    pub(super) fn foreign_names(&mut self) {
        if self.at.level == Level::Function {
            self.children(|walk| {
                if walk.kind() == Kind::Identifier {
                    walk.foreign.insert((walk.at.scope, walk.text()));
                }
            });
        }
    }

    /// Visits a `case` pattern or a part of one. A plain name is bound, a dotted name is read.
    pub(super) fn case_pattern(&mut self) {
        match self.kind() {
            Kind::Identifier => self.bind(self.text(), self.start(), None),
            Kind::DottedName => {
                let name = self.text();
                if name.contains('.') {
                    self.dotted_name_used(Relation::References);
                } else {
                    self.bind(name, self.start(), None);
                }
            }
            Kind::ClassPattern => {
                let mut is_class = true;
                self.children(|walk| {
                    if std::mem::take(&mut is_class) {
                        walk.dotted_name_used(Relation::AssertsType);
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
            Kind::String => self.visit(),
            _ => self.children(Self::case_pattern),
        }
    }

    fn dotted_name_used(&mut self, relation: Relation) {
        let mut name: Option<RawName<'s>> = None;
        let mut at = 0;
        self.children(|walk| {
            if walk.kind() == Kind::Identifier {
                at = walk.start();
                match &mut name {
                    Some(name) => name.path.push(walk.text()),
                    None => name = Some(walk.name(walk.text())),
                }
            }
        });
        if let Some(name) = name {
            self.name_used(relation, name, at);
        }
    }

    /// Visits the right side of an assignment. Returns its type hint.
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

    /// Visits an expression where a type name is expected. Returns the name and its offset, if it is one.
    pub(super) fn type_name(&mut self) -> Option<(RawName<'s>, u32)> {
        match self.operand() {
            Operand::Name(name, at) => Some((name, at)),
            _ => None,
        }
    }
}
