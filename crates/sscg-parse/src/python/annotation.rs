//! Type annotations.

use sscg_core::LocalSymbol;

use super::docstring::string_text;
use super::grammar::Kind;
use super::walk::Walk;
use crate::scope::{Base, RawName};

/// Type given by an annotation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Annotation<'s> {
    /// Instance of this type; arguments are ignored.
    Type(RawName<'s>),
    /// `None`.
    NoneType,
    /// Not a single type.
    Unclear,
}

impl<'s> Annotation<'s> {
    pub(super) fn into_name(self) -> Option<RawName<'s>> {
        match self {
            Annotation::Type(name) => Some(name),
            Annotation::NoneType | Annotation::Unclear => None,
        }
    }

    /// Returns the union with another alternative: `X | None` counts as `X`.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Annotation::NoneType, known) | (known, Annotation::NoneType) => known,
            (left, right) if left == right => left,
            _ => Annotation::Unclear,
        }
    }
}

impl<'s> Walk<'_, 's> {
    /// Visits an annotation or a part of one, and records each type name in it.
    pub(super) fn annotation(&mut self) -> Annotation<'s> {
        match self.kind() {
            Kind::Type | Kind::ParenthesizedExpression => {
                let mut inner = Annotation::Unclear;
                self.children(|walk| {
                    if walk.kind().is_code() {
                        inner = walk.annotation();
                    }
                });
                inner
            }
            Kind::Identifier | Kind::Attribute => match self.type_name() {
                Some((name, at)) => self.type_used(name, at),
                None => Annotation::Unclear,
            },
            Kind::NoneLiteral => Annotation::NoneType,
            Kind::String => self.string_annotation(),
            Kind::UnionType | Kind::BinaryOperator => {
                let mut union = Annotation::NoneType;
                self.children(|walk| {
                    if walk.kind().is_code() {
                        union = std::mem::replace(&mut union, Annotation::Unclear).or(walk.annotation());
                    }
                });
                union
            }
            Kind::GenericType | Kind::Subscript => self.generic(),
            Kind::Call | Kind::Lambda => {
                self.visit();
                Annotation::Unclear
            }
            _ => {
                self.children(|walk| {
                    walk.annotation();
                });
                Annotation::Unclear
            }
        }
    }

    fn type_used(&mut self, mut name: RawName<'s>, at: u32) -> Annotation<'s> {
        if self.at.class.is_some() && name.path == ["Self"] {
            name.base = Base::SelfType;
        }
        self.name_used(self.at.types, name.clone(), at);
        Annotation::Type(name)
    }

    /// Reads an annotation in quotes: records every name in it, and returns its type if it is a plain one.
    fn string_annotation(&mut self) -> Annotation<'s> {
        let Some(quoted) = string_text(self.text()) else { return Annotation::Unclear };
        if quoted.contains(['"', '\'', '\\']) || quoted.contains("Literal") {
            return Annotation::Unclear;
        }
        let mut alternatives = Annotation::NoneType;
        for alternative in quoted.split('|') {
            let mut head = Annotation::Unclear;
            let mut is_first = true;
            for name in alternative.split(|c: char| is_not_word(c) && c != '.') {
                let Some(first) = name.trim_matches('.').chars().next().filter(|c| !c.is_ascii_digit())
                else {
                    continue;
                };
                let name = name.trim_matches('.');
                let named = if name == "None" {
                    Annotation::NoneType
                } else {
                    debug_assert!(first == '_' || first.is_alphanumeric());
                    let at = name.as_ptr() as usize - self.source.as_ptr() as usize + name.len();
                    let path: Vec<&str> = name.split('.').filter(|segment| !segment.is_empty()).collect();
                    let last = path.last().map_or(0, |last| last.len());
                    self.type_used(RawName::scoped(path), (at - last) as u32)
                };
                if std::mem::take(&mut is_first) {
                    head = named;
                }
            }
            // A `|` inside brackets separates no alternatives; neither half is balanced then.
            let is_balanced = alternative.matches('[').count() == alternative.matches(']').count();
            let head = if is_balanced { head } else { Annotation::Unclear };
            alternatives = alternatives.or(head);
        }
        alternatives
    }

    /// Visits `Head[arguments]`, which the grammar parses as a generic type or a subscript.
    fn generic(&mut self) -> Annotation<'s> {
        let mut head = None;
        let mut arguments = Vec::new();
        self.children(|walk| match (&head, walk.kind()) {
            (None, _) => head = Some(walk.annotation()),
            (Some(head), Kind::TypeParameter) => {
                let head = head.clone();
                walk.children(|walk| arguments.extend(walk.type_argument(&head, arguments.len())));
            }
            (Some(head), _) => {
                let argument = walk.type_argument(head, arguments.len());
                arguments.extend(argument);
            }
        });
        let head = head.unwrap_or(Annotation::Unclear);
        match form_of(&head) {
            // Qualifiers describe how a value is held, not its type.
            "Final" | "ClassVar" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar" => {
                arguments.into_iter().next().unwrap_or(Annotation::Unclear)
            }
            "Optional" | "Union" => {
                arguments.into_iter().reduce(Annotation::or).unwrap_or(Annotation::Unclear)
            }
            _ => head,
        }
    }

    fn type_argument(&mut self, head: &Annotation<'s>, nth: usize) -> Option<Annotation<'s>> {
        if !self.kind().is_code() {
            return None;
        }
        match form_of(head) {
            // The arguments are values, including strings.
            "Literal" => Some(Annotation::Unclear),
            "Annotated" if nth > 0 => {
                match self.kind() {
                    Kind::Type => self.children(Self::visit),
                    _ => self.visit(),
                }
                Some(Annotation::Unclear)
            }
            _ => Some(self.annotation()),
        }
    }

    /// Records the type of a declared symbol, to be resolved later.
    pub(super) fn typed(&mut self, symbol: LocalSymbol, annotation: Annotation<'s>) {
        if let Some(name) = annotation.into_name() {
            self.types.push((symbol, self.at.scope, name));
        }
    }
}

/// Returns the last segment of a type's name, which identifies the special forms of `typing`.
fn form_of<'a>(annotation: &Annotation<'a>) -> &'a str {
    match annotation {
        Annotation::Type(name) => name.path.last().copied().unwrap_or_default(),
        Annotation::NoneType | Annotation::Unclear => "",
    }
}

/// Returns the last segment of a name in the text, without arguments in brackets.
pub(super) fn form(name: &str) -> &str {
    let head = name.split('[').next().unwrap_or(name);
    head.rsplit('.').next().unwrap_or(head).trim()
}

fn is_not_word(c: char) -> bool {
    c != '_' && !c.is_alphanumeric()
}
