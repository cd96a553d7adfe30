//! Decorators, and the modifiers implied by well-known ones.

use sscg_core::{LocalSymbol, Modifiers, Relation};

use super::expression::Operand;
use super::grammar::Kind;
use super::walk::{Walk, WalkContext};

impl Walk<'_, '_> {
    /// Visits a decorator. Returns the modifiers it implies for the declaration.
    pub(super) fn decorator(&mut self, symbol: LocalSymbol) -> Modifiers {
        let mut marks = Modifiers::empty();
        self.within(WalkContext { symbol: Some(symbol), root: false, ..self.at }, |walk| {
            walk.children(|walk| match walk.kind() {
                Kind::Identifier | Kind::Attribute => marks = walk.decorator_name(symbol),
                Kind::Call => {
                    let mut is_callee = true;
                    walk.children(|walk| {
                        if !std::mem::take(&mut is_callee) {
                            walk.visit();
                        } else if matches!(walk.kind(), Kind::Identifier | Kind::Attribute) {
                            marks = walk.decorator_name(symbol);
                        } else {
                            walk.visit();
                        }
                    });
                }
                _ => walk.visit(),
            });
        });
        marks
    }

    fn decorator_name(&mut self, symbol: LocalSymbol) -> Modifiers {
        let Operand::Name(name, at) = self.operand() else { return Modifiers::empty() };
        let marks = match name.path.last().copied().unwrap_or_default() {
            "staticmethod" | "classmethod" => Modifiers::STATIC,
            "property" | "cached_property" => Modifiers::ACCESSOR,
            // `@radius.setter` names its own property, which adds no information.
            "setter" | "getter" | "deleter" if *self.builder.symbol_mut(symbol).name == *name.path[0] => {
                return Modifiers::ACCESSOR;
            }
            "abstractmethod" => Modifiers::ABSTRACT,
            "abstractproperty" => Modifiers::ABSTRACT | Modifiers::ACCESSOR,
            "override" => Modifiers::OVERRIDE,
            "overload" => Modifiers::OVERLOAD,
            _ => Modifiers::empty(),
        };
        self.name_used(Relation::Decorates, name, at);
        marks
    }
}
