//! Assignments and type aliases: the variables, constants and fields they declare.

use std::collections::hash_map::Entry;

use sscg_core::{ChunkKind, Modifiers, SymbolKind};
use tree_sitter::Node;

use super::annotation::Annotation;
use super::docstring::string_text;
use super::grammar::{GRAMMAR, Kind};
use super::walk::{Context, Level, Walk};
use crate::builder::Declaration;
use crate::scope::{Binding, RawHint, ScopeKind};
use crate::text::headline;
use crate::tree::{span, text};

/// A longer value is left out of a signature.
const MAX_VALUE: usize = 60;

/// What an assignment writes to.
enum Target<'s> {
    Name(&'s str),
    /// An attribute of `self`.
    Own(&'s str),
    /// Anything else; visited already.
    Other,
}

impl<'t, 's> Walk<'t, 's> {
    /// Visits an assignment that declares a symbol: the first of a name in a file or class. False if the
    /// statement is none; it has not been visited then.
    pub(super) fn variable(&mut self, statement: Node<'t>, start: u32) -> bool {
        let fields = &GRAMMAR.fields;
        let Some(node) = statement.child(0).filter(|node| GRAMMAR.kind(*node) == Kind::Assignment) else {
            return false;
        };
        let Some(left) = node.child_by_field_id(fields.left) else { return false };
        let name = text(left, self.source);
        let is_declared = matches!(self.own_binding(name), Some(Binding::Symbol(_) | Binding::Import(_)));
        if GRAMMAR.kind(left) != Kind::Identifier || is_declared {
            return false;
        }
        let annotation = node.child_by_field_id(fields.ty);
        let value = node.child_by_field_id(fields.right);
        let form = annotation.map_or("", |annotation| form(text(annotation, self.source)));
        let kind = match self.at.level {
            _ if form == "TypeAlias" => SymbolKind::TypeAlias,
            Level::Enum if annotation.is_none() && !name.starts_with('_') => SymbolKind::EnumMember,
            Level::Class | Level::Enum => SymbolKind::Field,
            Level::Module | Level::Function if is_constant_case(name) => SymbolKind::Constant,
            Level::Module | Level::Function => SymbolKind::Variable,
        };
        let shown = value.map(|value| text(value, self.source));
        let end = match shown {
            Some(value) if value.len() <= MAX_VALUE && !value.contains('\n') => node,
            _ => annotation.unwrap_or(left),
        };
        let symbol = self.declare(Declaration {
            name,
            kind,
            parent: self.at.symbol,
            span: self.whole(statement, start),
            name_at: span(left).start,
            body: None,
            signature: &self.source[node.start_byte()..end.end_byte()],
            doc: self.comment_above(start, statement),
            exported: false,
            modifiers: if form == "Final" { Modifiers::READONLY } else { Modifiers::empty() },
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        });
        if let Some(class) = self.at.class {
            self.attributes.insert((class, name), None);
        }
        if name == "__all__" && self.at.level == Level::Module {
            self.add_exports(value);
        }
        self.within(Context { symbol: Some(symbol), root: false, ..self.at }, |walk| {
            walk.children(|walk| match walk.kind() {
                Kind::Assignment => {
                    let (annotation, _) = walk.assignment_parts();
                    if kind != SymbolKind::TypeAlias {
                        walk.typed(symbol, annotation);
                    }
                }
                _ => walk.visit(),
            });
        });
        true
    }

    /// Visits an assignment; what is known of the assigned value's type.
    pub(super) fn assignment(&mut self) -> Option<RawHint<'s>> {
        self.assignment_parts().1
    }

    fn assignment_parts(&mut self) -> (Annotation<'s>, Option<RawHint<'s>>) {
        let fields = &GRAMMAR.fields;
        let mut target = Target::Other;
        let mut annotation = Annotation::Unclear;
        let mut value = None;
        let mut is_alias = false;
        self.children(|walk| {
            let field = walk.field();
            if field == fields.left {
                target = walk.assignment_target();
            } else if field == fields.ty {
                is_alias = form(walk.text()) == "TypeAlias";
                annotation = walk.annotation();
            } else if field == fields.right && is_alias {
                walk.annotation();
            } else if field == fields.right {
                value = walk.value();
            }
        });
        let hint = match &annotation {
            Annotation::Type(name) => Some(RawHint::Named(name.clone())),
            Annotation::NoneType | Annotation::Unclear => value.clone(),
        };
        let is_annotated = |binding| matches!(binding, &Binding::Local(Some(RawHint::Named(_))));
        match target {
            // A later assignment does not change the type that a parameter or variable was declared with.
            Target::Name(name) if self.own_binding(name).is_some_and(is_annotated) => {}
            Target::Name(name) => self.bind(name, hint),
            Target::Own(attribute) => self.attribute_assigned(attribute, hint),
            Target::Other => {}
        }
        (annotation, value)
    }

    fn assignment_target(&mut self) -> Target<'s> {
        match self.kind() {
            Kind::Identifier => Target::Name(self.text()),
            Kind::Attribute => match self.own_attribute() {
                Some(attribute) => Target::Own(attribute),
                None => {
                    self.object_of_member();
                    Target::Other
                }
            },
            _ => {
                self.target(None);
                Target::Other
            }
        }
    }

    /// Notes the type of an attribute of `self`. Two different types make it unclear; an assignment that says
    /// nothing, as of `None`, does not.
    fn attribute_assigned(&mut self, attribute: &'s str, hint: Option<RawHint<'s>>) {
        let (Some(class), Some(hint)) = (self.at.class, hint) else { return };
        let scope = self.at.scope;
        match self.attributes.entry((class, attribute)) {
            Entry::Vacant(entry) => {
                entry.insert(Some((hint, scope)));
            }
            Entry::Occupied(mut entry) => {
                if entry.get().as_ref().is_some_and(|(known, _)| *known != hint) {
                    entry.insert(None);
                }
            }
        }
    }

    pub(super) fn augmented_assignment(&mut self) {
        let node = self.cursor.node();
        let left = node.child_by_field_id(GRAMMAR.fields.left);
        let is_exports = left.is_some_and(|left| text(left, self.source) == "__all__");
        if is_exports && self.at.level == Level::Module {
            self.add_exports(node.child_by_field_id(GRAMMAR.fields.right));
        }
        self.children(Self::visit);
    }

    /// Adds the strings of a literal list or tuple to the names that `__all__` holds.
    fn add_exports(&mut self, value: Option<Node<'t>>) {
        let Some(value) = value.filter(|value| matches!(GRAMMAR.kind(*value), Kind::List | Kind::Tuple))
        else {
            return;
        };
        let source = self.source;
        let mut cursor = value.walk();
        let strings = value.named_children(&mut cursor).filter_map(|element| {
            (GRAMMAR.kind(element) == Kind::String).then(|| string_text(text(element, source)))?
        });
        self.exports.get_or_insert_default().extend(strings);
    }

    /// Visits `type X[T] = ...`; `start` is where its attached comments start.
    pub(super) fn type_alias(&mut self, start: u32) {
        let node = self.cursor.node();
        let fields = &GRAMMAR.fields;
        let mut name = node.child_by_field_id(fields.left);
        while let Some(part) = name.filter(|part| GRAMMAR.kind(*part) != Kind::Identifier) {
            name = part.named_child(0);
        }
        let Some(name) = name else { return self.children(Self::visit) };
        let mut inner = self.at;
        if self.at.declares {
            let symbol = self.declare(Declaration {
                name: text(name, self.source),
                kind: SymbolKind::TypeAlias,
                parent: self.at.symbol,
                span: self.whole(node, start),
                name_at: span(name).start,
                body: None,
                signature: text(node, self.source),
                doc: self.comment_above(start, node),
                exported: false,
                modifiers: Modifiers::empty(),
                type_parameters: Vec::new(),
                attributes: Vec::new(),
            });
            inner.symbol = Some(symbol);
        } else {
            self.bind(text(name, self.source), None);
            if self.at.root {
                self.builder.root(ChunkKind::Expression, self.whole(node, start), headline(self.text()));
            }
        }
        inner.scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        self.within(inner, |walk| {
            walk.children(|walk| {
                if walk.field() == fields.left {
                    walk.type_alias_parameters();
                } else if walk.field() == fields.right {
                    walk.annotation();
                }
            });
        });
    }

    fn type_alias_parameters(&mut self) {
        match self.kind() {
            Kind::Identifier => {}
            Kind::TypeParameter => self.type_parameters(),
            _ => self.children(Self::type_alias_parameters),
        }
    }
}

/// The name of an annotation without its module and arguments.
fn form(annotation: &str) -> &str {
    let head = annotation.split('[').next().unwrap_or(annotation);
    head.rsplit('.').next().unwrap_or(head).trim()
}

fn is_constant_case(name: &str) -> bool {
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}
