//! Type annotations.

use sscg_core::{LocalSymbol, Relation};

use super::docstring::string_text;
use super::grammar::Kind;
use super::walk::Walk;
use crate::scope::{Base, Binding, RawName};

/// What an annotation says a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Annotation<'s> {
    /// An instance of this type, whatever its arguments.
    Type(RawName<'s>),
    /// `None`.
    NoneType,
    /// Something that is not one type.
    Unclear,
}

impl<'s> Annotation<'s> {
    pub(super) fn into_name(self) -> Option<RawName<'s>> {
        match self {
            Annotation::Type(name) => Some(name),
            Annotation::NoneType | Annotation::Unclear => None,
        }
    }

    /// What the union with another alternative is: `X | None` counts as `X`.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Annotation::NoneType, known) | (known, Annotation::NoneType) => known,
            (left, right) if left == right => left,
            _ => Annotation::Unclear,
        }
    }
}

impl<'s> Walk<'_, 's> {
    /// Visits an annotation or a part of one and notes each type it names.
    pub(super) fn annotation(&mut self) -> Annotation<'s> {
        match self.kind() {
            Kind::Type | Kind::ParenthesizedExpression => {
                let mut inner = Annotation::Unclear;
                self.children(|walk| {
                    if walk.cursor.node().is_named() && walk.kind() != Kind::Comment {
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
                    if walk.cursor.node().is_named() {
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
        self.name_used(Relation::UsesType, name.clone(), at);
        Annotation::Type(name)
    }

    fn string_annotation(&mut self) -> Annotation<'s> {
        let is_name = |part: &str| {
            part.starts_with(|c: char| c == '_' || c.is_alphabetic()) && !part.contains(is_not_word)
        };
        match string_text(self.text()) {
            Some("None") => Annotation::NoneType,
            Some(quoted) if quoted.split('.').all(is_name) => {
                let at = self.cursor.node().start_byte() as u32;
                self.type_used(RawName::scoped(quoted.split('.').collect()), at)
            }
            _ => Annotation::Unclear,
        }
    }

    /// `Head[arguments]`, as the grammar's generic type or as a subscript.
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
        match form(&head) {
            // Qualifiers say how a value is held, not what it is.
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
        if !self.cursor.node().is_named() || self.kind() == Kind::Comment {
            return None;
        }
        match form(head) {
            // Its arguments are values, strings among them.
            "Literal" => Some(Annotation::Unclear),
            "Annotated" if nth > 0 => {
                self.visit();
                Some(Annotation::Unclear)
            }
            _ => Some(self.annotation()),
        }
    }

    /// Visits `[T, U: Bound]` behind a declaration's name.
    pub(super) fn type_parameters(&mut self) {
        self.children(|walk| {
            if walk.kind() == Kind::Type {
                walk.type_parameter();
            }
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

    /// Remembers the type of a declared symbol until its names can be looked up.
    pub(super) fn typed(&mut self, symbol: LocalSymbol, annotation: Annotation<'s>) {
        if let Some(name) = annotation.into_name() {
            self.types.push((symbol, self.at.scope, name));
        }
    }
}

/// The last segment of a type's name, by which the special forms of `typing` are known.
fn form<'a>(annotation: &Annotation<'a>) -> &'a str {
    match annotation {
        Annotation::Type(name) => name.path.last().copied().unwrap_or_default(),
        Annotation::NoneType | Annotation::Unclear => "",
    }
}

fn is_not_word(c: char) -> bool {
    c != '_' && !c.is_alphanumeric()
}
