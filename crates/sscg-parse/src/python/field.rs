//! Instance attributes, declared by their first assignment in a method.

use rustc_hash::FxHashSet;
use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind};
use tree_sitter::Node;

use super::assignment::{assigned_names, modifiers_of_type};
use super::grammar::{FIELDS, Kind, descend, kind};
use super::walk::Walk;
use crate::builder::Declaration;
use crate::scope::{Base, RawName};
use crate::tree::{span, text};

/// Class of the file, reduced to what its attributes need.
pub(super) struct Class<'t, 's> {
    body: Node<'t>,
    /// Base classes that the file declares.
    bases: Vec<LocalSymbol>,
    /// Names declared by its body, and by its methods so far; collected on first use.
    names: Option<FxHashSet<&'s str>>,
}

impl<'t> Class<'t, '_> {
    pub(super) fn new(body: Node<'t>, bases: Vec<LocalSymbol>) -> Self {
        Self { body, bases, names: None }
    }
}

/// Maximum depth of base classes, and maximum number of bases of one class, searched for an attribute.
const MAX_ANCESTRY: u32 = 4;
const MAX_BASES: usize = 8;

impl<'t, 's> Walk<'t, 's> {
    /// Visits an assignment in a method. Returns the field it declares, if its target is a new attribute of `self`.
    pub(super) fn attribute_statement(
        &mut self,
        statement: Node<'t>,
        assignment: Node<'t>,
        start: u32,
    ) -> Option<LocalSymbol> {
        let left = assignment.child_by_field_id(FIELDS.left);
        let own = left.and_then(|left| self.own_attribute(left));
        let field = own.filter(|name| self.is_new_attribute(name)).map(|name| {
            let annotation = assignment.child_by_field_id(FIELDS.ty);
            let ty = annotation.map_or("", |annotation| text(annotation, self.source));
            let doc = self.comment_above(start, statement);
            let (whole, head) = (self.whole(statement, start), self.assignment_head(assignment));
            self.declare_attribute(name, assignment, whole, head, modifiers_of_type(ty), doc)
        });
        self.visit();
        field
    }

    /// Records a write to an attribute of `self`; `node` is the attribute, in a target.
    pub(super) fn own_attribute_written(&mut self, node: Node<'t>, name: &'s str) {
        if self.is_new_attribute(name) {
            let whole = span(node);
            self.declare_attribute(name, node, whole, text(node, self.source), Modifiers::empty(), None);
        }
        let receiver = self.at.receiver.unwrap_or_default();
        let target = RawName { base: Base::SelfType, path: vec![receiver, name] };
        self.name_used(Relation::AssignsTo, target, node.end_byte() as u32 - name.len() as u32);
    }

    fn declare_attribute(
        &mut self,
        name: &'s str,
        node: Node<'t>,
        whole: Span,
        signature: &str,
        modifiers: Modifiers,
        doc: Option<String>,
    ) -> LocalSymbol {
        let name_at = (node.start_byte() + self.source[node.start_byte()..].find(name).unwrap_or(0)) as u32;
        let class = self.at.class;
        let exported = self.is_exported(name, class);
        let symbol = self.builder.declare(Declaration {
            name,
            kind: SymbolKind::Field,
            parent: class,
            span: whole,
            name_at,
            body: None,
            signature,
            doc,
            exported,
            modifiers: modifiers | member_modifiers(name),
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        });
        if let Some(class) = class {
            self.fields.push((class, name, symbol));
        }
        symbol
    }

    /// Returns true if neither the enclosing class nor a base in this file declares an attribute yet, and adds it to
    /// those declared.
    fn is_new_attribute(&mut self, name: &'s str) -> bool {
        let Some(class) = self.at.class else { return false };
        // A private name includes that of its class, so that no two classes share one.
        let is_private = member_modifiers(name).contains(Modifiers::PRIVATE);
        if self.declares_attribute(class, name, if is_private { 0 } else { MAX_ANCESTRY }) {
            return false;
        }
        let around = self.classes.get_mut(&class);
        around.and_then(|around| around.names.as_mut()).is_some_and(|names| names.insert(name))
    }

    fn declares_attribute(&mut self, class: LocalSymbol, name: &str, depth: u32) -> bool {
        let Some(around) = self.classes.get_mut(&class) else { return false };
        let (body, source) = (around.body, self.source);
        if around.names.get_or_insert_with(|| declared_names(body, source)).contains(name) {
            return true;
        }
        let bases = around.bases.len().min(MAX_BASES);
        depth > 0
            && (0..bases).any(|nth| {
                let base = self.classes[&class].bases[nth];
                self.declares_attribute(base, name, depth - 1)
            })
    }

    /// Returns the attribute's name, if the node is an attribute of `self`.
    pub(super) fn own_attribute(&self, node: Node<'t>) -> Option<&'s str> {
        if kind(node) != Kind::Attribute {
            return None;
        }
        let receiver = self.at.receiver?;
        let (object, member) = text(node, self.source).split_once('.')?;
        let is_name = !member.is_empty() && member.chars().all(|c| c.is_alphanumeric() || c == '_');
        (object == receiver && is_name).then_some(member)
    }
}

/// Returns the names that a class body declares, including those in conditional statements.
fn declared_names<'s>(body: Node<'_>, source: &'s str) -> FxHashSet<&'s str> {
    let mut names = FxHashSet::default();
    descend(body, |node| match kind(node) {
        Kind::FunctionDefinition | Kind::ClassDefinition => {
            let name = node.child_by_field_id(FIELDS.name);
            names.extend(name.map(|name| text(name, source)));
            false
        }
        Kind::ExpressionStatement => {
            let assignment = node.child(0).filter(|child| kind(*child) == Kind::Assignment);
            names.extend(assigned_names(assignment).into_iter().map(|name| text(name, source)));
            false
        }
        kind => kind.is_code(),
    });
    names
}

/// Returns the modifiers implied by the leading underscores of a member's name.
pub(super) fn member_modifiers(name: &str) -> Modifiers {
    match name.as_bytes() {
        // `__init__`, `_missing_`: names with a meaning in the language.
        [b'_', .., b'_'] => Modifiers::empty(),
        [b'_', b'_', ..] => Modifiers::PRIVATE,
        [b'_', _, ..] => Modifiers::PROTECTED,
        _ => Modifiers::empty(),
    }
}
