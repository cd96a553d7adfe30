//! Type parameters: those after a declaration's name, and type variables.

use sscg_core::TypeParameter;
use tree_sitter::Node;

use super::annotation::form;
use super::grammar::{FIELDS, Kind, kind};
use super::walk::Walk;
use crate::scope::Binding;
use crate::text::one_line;
use crate::tree::text;

impl<'t, 's> Walk<'t, 's> {
    /// Visits `[T, U: Bound]` after a declaration's name.
    pub(super) fn type_parameters(&mut self) {
        let mut is_default = false;
        self.children(|walk| match walk.kind() {
            Kind::Type if std::mem::take(&mut is_default) => {
                walk.annotation();
            }
            Kind::Type => walk.type_parameter(),
            // The grammar does not support defaults: `T =` or `= int` is an error node.
            Kind::Error => {
                is_default = walk.text().ends_with('=');
                walk.children(|walk| match walk.kind() {
                    kind if !kind.is_code() => {}
                    _ if is_default => walk.type_parameter(),
                    _ => {
                        walk.annotation();
                    }
                });
            }
            _ => {}
        });
    }

    fn type_parameter(&mut self) {
        match self.kind() {
            Kind::Identifier => {
                self.scopes.declare(self.at.scope, self.text(), Binding::TypeParameter);
            }
            Kind::ConstrainedType => {
                let mut is_name = true;
                self.children(|walk| {
                    if std::mem::take(&mut is_name) {
                        walk.type_parameter();
                    } else {
                        walk.annotation();
                    }
                });
            }
            _ => self.children(Self::type_parameter),
        }
    }

    /// Records `T = TypeVar("T", bound=Base)` and the like.
    pub(super) fn note_type_variable(&mut self, name: &'s str, value: Option<Node<'t>>) {
        let Some(call) = value else { return };
        let stars = match self.callee(call).map(form) {
            Some("TypeVar") => "",
            Some("TypeVarTuple") => "*",
            Some("ParamSpec") => "**",
            _ => return,
        };
        let mut variable =
            TypeParameter { name: format!("{stars}{name}").into(), constraint: None, default: None };
        let mut alternatives: Vec<&str> = Vec::new();
        let Some(arguments) = call.child_by_field_id(FIELDS.arguments) else { return };
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor).skip(1) {
            if kind(argument) != Kind::KeywordArgument {
                alternatives.push(text(argument, self.source));
                continue;
            }
            let part = |field| argument.child_by_field_id(field).map(|part| text(part, self.source));
            let value = part(FIELDS.value).map(|value| one_line(value).into());
            match part(FIELDS.name) {
                Some("bound") => variable.constraint = value,
                Some("default") => variable.default = value,
                _ => {}
            }
        }
        if !alternatives.is_empty() {
            variable.constraint = Some(one_line(&format!("({})", alternatives.join(", "))).into());
        }
        self.type_variables.insert(name, variable);
    }

    /// Adds the type variables in `Base[T, U]` to a class's type parameters. `Generic` and `Protocol` take nothing
    /// else, so that imported names count there too.
    pub(super) fn add_type_variables(&self, base: &'s str, parameters: &mut Vec<TypeParameter>) {
        let Some((head, arguments)) = base.split_once('[') else { return };
        let lists_all = matches!(form(head), "Generic" | "Protocol");
        let words = arguments.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        for word in words.filter(|word| !word.is_empty()) {
            let parameter = match self.type_variables.get(word) {
                Some(variable) => variable.clone(),
                None if lists_all && word != "Unpack" => {
                    TypeParameter { name: word.into(), constraint: None, default: None }
                }
                None => continue,
            };
            if !parameters.iter().any(|known| known.name == parameter.name) {
                parameters.push(parameter);
            }
        }
    }
}

/// Returns the parameters in `[T: Bound = Default, *Ts, **P]`.
pub(super) fn listed(list: &str) -> Vec<TypeParameter> {
    let list = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(list);
    let parameters = split_outside(list, ',').into_iter().filter(|parameter| !parameter.trim().is_empty());
    parameters
        .map(|parameter| {
            let mut halves = split_outside(parameter, '=').into_iter();
            let head = halves.next().unwrap_or_default();
            let (name, constraint) = match head.split_once(':') {
                Some((name, constraint)) => (name, Some(constraint)),
                None => (head, None),
            };
            TypeParameter {
                name: name.trim().into(),
                constraint: constraint.map(|constraint| one_line(constraint).into()),
                default: halves.next().map(|default| one_line(default).into()),
            }
        })
        .collect()
}

/// Returns the parts of `list` between separators outside brackets.
fn split_outside(list: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_u32, 0);
    for (at, c) in list.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ if c == separator && depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_split_outside_of_brackets() {
        let listed = listed("[T: dict[str, int] = dict[str, int], *Ts, **P = [int, str]]");
        let parts = |parameter: &TypeParameter| {
            let text = |part: &Option<Box<str>>| part.as_deref().unwrap_or("-").to_owned();
            format!("{} {} {}", parameter.name, text(&parameter.constraint), text(&parameter.default))
        };
        let parts: Vec<String> = listed.iter().map(parts).collect();
        assert_eq!(parts, ["T dict[str, int] dict[str, int]", "*Ts - -", "**P - [int, str]"]);
    }
}
