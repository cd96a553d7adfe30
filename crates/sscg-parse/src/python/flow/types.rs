//! Types in annotations.

use sscg_core::{LocalValue, Value};
use tree_sitter::Node;

use super::super::docstring::string_text;
use super::{Follow, UNKNOWN};
use crate::tree::text;

impl<'t, 's> Follow<'t, 's, '_> {
    /// Returns the type that an annotation names, quoted or not.
    pub(super) fn annotation(&mut self, node: Node<'t>) -> LocalValue {
        let text = text(node, self.source);
        if text.contains('#') {
            return UNKNOWN;
        }
        let mut rest = text;
        self.union(&mut rest, 0)
    }

    /// Parses `A | B`; the remainder stays in `rest`.
    fn union(&mut self, rest: &mut &'s str, depth: u32) -> LocalValue {
        let mut types = Vec::new();
        loop {
            let ty = self.term(rest, depth);
            types.extend(ty);
            match rest.trim_start().strip_prefix('|') {
                Some(more) => *rest = more,
                None => break,
            }
        }
        self.one_of(types)
    }

    /// Parses one alternative; returns `None` for `None`.
    fn term(&mut self, rest: &mut &'s str, depth: u32) -> Option<LocalValue> {
        let at = rest.trim_start();
        if depth > 16 {
            *rest = "";
            return Some(UNKNOWN);
        }
        if at.starts_with(['"', '\'']) {
            let quote = &at[..1];
            let end = at[1..].find(quote).map_or(at.len(), |end| end + 2);
            *rest = &at[end..];
            let mut quoted = string_text(&at[..end]).unwrap_or_default();
            return Some(self.union(&mut quoted, depth + 1)).filter(|_| !quoted.contains(['"', '\'']));
        }
        if let Some(list) = at.strip_prefix(['[', '(']) {
            *rest = list;
            let types = self.list(rest, depth);
            return Some(if at.starts_with('(') { self.one_of(types) } else { UNKNOWN });
        }
        let end = at.find(|c: char| c != '_' && c != '.' && !c.is_alphanumeric()).unwrap_or(at.len());
        let name = &at[..end];
        *rest = &at[end..];
        let arguments = match rest.trim_start().strip_prefix('[') {
            Some(list) if name.rsplit('.').next() == Some("Literal") => {
                *rest = list.find(']').map_or("", |end| &list[end + 1..]);
                return Some(UNKNOWN);
            }
            Some(list) => {
                *rest = list;
                Some(self.list(rest, depth))
            }
            None => None,
        };
        if end == 0 {
            // Not a type. Continue at the next separator.
            *rest = rest.get(rest.find([',', ']', ')']).unwrap_or(rest.len())..).unwrap_or_default();
            return Some(UNKNOWN);
        }
        match (name.rsplit('.').next().unwrap_or(name), arguments) {
            ("None", None) => None,
            ("Optional" | "Union", Some(arguments)) => {
                let known = arguments.into_iter().filter(|ty| *ty != UNKNOWN).collect();
                Some(self.one_of(known))
            }
            // Qualifiers describe how a value is held, not its type.
            (
                "Final" | "ClassVar" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar",
                arguments,
            ) => Some(arguments.and_then(|list| list.first().copied()).unwrap_or(UNKNOWN)),
            ("Self", None) if self.frames[self.at].class.is_some() => {
                self.frames[self.at].class.map(|class| self.value(Value::Class(class)))
            }
            (_, arguments) => {
                let mut segments = name.split('.').filter(|segment| !segment.is_empty());
                let mut ty = self.read(segments.next()?);
                for segment in segments {
                    ty = self.member(ty, segment);
                }
                Some(match arguments {
                    Some(arguments) => self.value(Value::Generic(ty, arguments.into())),
                    None => ty,
                })
            }
        }
    }

    /// Parses the types in a list, up to its closing bracket.
    fn list(&mut self, rest: &mut &'s str, depth: u32) -> Vec<LocalValue> {
        let mut types = Vec::new();
        loop {
            *rest = rest.trim_start();
            if rest.is_empty() {
                return types;
            }
            if let Some(behind) = rest.strip_prefix([']', ')']) {
                *rest = behind;
                return types;
            }
            if let Some(behind) = rest.strip_prefix(',') {
                *rest = behind;
                continue;
            }
            let before = rest.len();
            types.push(self.union(rest, depth + 1));
            if rest.len() == before {
                *rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
}
