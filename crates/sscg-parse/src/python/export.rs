//! Names that a file exports.

use sscg_core::LocalSymbol;
use tree_sitter::Node;

use super::docstring::string_text;
use super::grammar::{FIELDS, Kind, descend, kind};
use super::walk::{Level, Walk};
use crate::tree::text;

impl<'t> Walk<'t, '_> {
    /// Returns true if other files can name a declaration. A literal `__all__` takes precedence later.
    pub(super) fn is_exported(&mut self, name: &str, parent: Option<LocalSymbol>) -> bool {
        is_public(name) && parent.is_none_or(|parent| self.builder.symbol_mut(parent).exported)
    }

    /// Adds the strings of the lists and tuples in a value to the names in `__all__`.
    pub(super) fn add_exports(&mut self, value: Option<Node<'t>>) {
        let source = self.source;
        let Some(value) = value.filter(|value| is_literal(kind(*value))) else { return };
        let exports = self.exports.get_or_insert_default();
        descend(value, |node| match kind(node) {
            Kind::String => {
                exports.extend(string_text(text(node, source)));
                false
            }
            kind => is_literal(kind),
        });
    }

    /// Records `__all__.extend([...])` and `__all__.append("name")`.
    pub(super) fn add_exports_of_call(&mut self, call: Node<'t>) {
        if self.at.level != Level::Module || !text(call, self.source).starts_with("__all__.") {
            return;
        }
        let arguments = call.child_by_field_id(FIELDS.arguments);
        if let Some(argument) = arguments.and_then(|arguments| arguments.named_child(0)) {
            let exports = self.exports.get_or_insert_default();
            match kind(argument) {
                Kind::String => exports.extend(string_text(text(argument, self.source))),
                _ => self.add_exports(Some(argument)),
            }
        }
    }
}

/// Returns true for a node that may enclose the strings of `__all__`: `[...] + [...]`.
fn is_literal(kind: Kind) -> bool {
    matches!(kind, Kind::List | Kind::Tuple | Kind::BinaryOperator | Kind::ParenthesizedExpression)
}

pub(super) fn is_public(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}
