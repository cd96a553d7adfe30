//! Assignments: the variables, constants and fields they declare, and their targets.

use std::collections::hash_map::Entry;

use sscg_core::{ChunkKind, LocalSymbol, Modifiers, Relation, SymbolKind};
use tree_sitter::Node;

use super::annotation::{Annotation, form};
use super::expression::Operand;
use super::grammar::{FIELDS, Kind, descend, kind};
use super::walk::{Level, Walk, WalkContext};
use crate::builder::Declaration;
use crate::scope::{Base, Binding, RawHint};
use crate::text::headline;
use crate::tree::{span, text};

/// Maximum length of a value in a signature, in bytes; a longer value is left out.
const MAX_VALUE: usize = 60;

/// Target of an assignment.
enum Target<'s> {
    /// Name, with its offset.
    Name(&'s str, u32),
    /// Attribute of `self`.
    Own(&'s str),
    /// Any other target; already visited.
    Other,
}

impl<'t, 's> Walk<'t, 's> {
    /// Returns the names in the targets of an assignment that it declares: each at its first assignment, in a file or
    /// class.
    pub(super) fn undeclared(&self, assignment: Node<'t>) -> Vec<Node<'t>> {
        let mut names = assigned_names(Some(assignment).filter(|_| self.at.declares));
        names.retain(|name| {
            let declared = self.own_binding(text(*name, self.source));
            !matches!(declared, Some(Binding::Symbol(_) | Binding::Import(_)))
        });
        names
    }

    /// Visits an assignment that declares `names`; `start` is the offset of its attached comments. Returns the
    /// variable, if it is a single one.
    pub(super) fn variables(
        &mut self,
        statement: Node<'t>,
        assignment: Node<'t>,
        names: &[Node<'t>],
        start: u32,
    ) -> Option<LocalSymbol> {
        let left = assignment.child_by_field_id(FIELDS.left);
        let right = assignment.child_by_field_id(FIELDS.right);
        let is_chain = right.is_some_and(|right| kind(right) == Kind::Assignment);
        self.new_names = names.iter().map(|name| span(*name).start).collect();
        let mut inner = WalkContext { root: false, ..self.at };
        let mut declared = None;
        if let [name] = names
            && left == Some(*name)
            && !is_chain
        {
            let symbol = self.variable(statement, assignment, *name, start);
            inner.symbol = Some(symbol);
            declared = Some(symbol);
        } else {
            self.several_variables(statement, assignment, names, start);
        }
        self.within(inner, |walk| {
            walk.children(|walk| match walk.kind() {
                Kind::Assignment => {
                    let (annotation, value) = walk.assignment_parts();
                    if let Some(symbol) = declared {
                        walk.typed(symbol, annotation);
                        walk.values.extend(value.map(|value| (symbol, walk.at.scope, value)));
                    }
                }
                _ => walk.visit(),
            });
        });
        self.new_names.clear();
        declared
    }

    fn variable(
        &mut self,
        statement: Node<'t>,
        assignment: Node<'t>,
        left: Node<'t>,
        start: u32,
    ) -> LocalSymbol {
        let name = text(left, self.source);
        let annotation = assignment.child_by_field_id(FIELDS.ty);
        let value = assignment.child_by_field_id(FIELDS.right);
        let ty = annotation.map_or("", |annotation| text(annotation, self.source));
        let kind = match self.at.level {
            _ if form(ty) == "TypeAlias" || self.is_new_type(value) => SymbolKind::TypeAlias,
            Level::Enum if value.is_some() => self.kind_of_name(name),
            Level::Enum => SymbolKind::Field,
            Level::Module if form(ty) == "Final" => SymbolKind::Constant,
            _ => self.kind_of_name(name),
        };
        // In a class, an annotated name is an instance attribute, and an assigned one without annotation a class
        // attribute.
        let is_own = kind == SymbolKind::Field && annotation.is_none();
        let modifiers = if is_own { Modifiers::STATIC } else { modifiers_of_type(ty) };
        let symbol = self.declare(Declaration {
            name,
            kind,
            parent: self.at.symbol,
            span: self.whole(statement, start),
            name_at: span(left).start,
            body: None,
            signature: self.assignment_head(assignment),
            doc: self.comment_above(start, statement),
            exported: false,
            modifiers,
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        });
        if let Some(class) = self.at.class {
            self.attributes.insert((class, name), None);
        }
        if self.at.level == Level::Module {
            if name == "__all__" {
                self.add_exports(value);
            }
            self.note_type_variable(name, value);
        }
        symbol
    }

    /// Declares the names of `a, b = f()` or `a = b = 0`, which share the statement's chunk.
    fn several_variables(
        &mut self,
        statement: Node<'t>,
        assignment: Node<'t>,
        names: &[Node<'t>],
        start: u32,
    ) {
        let head = self.assignment_head(assignment);
        for node in names {
            let name = text(*node, self.source);
            // The first target of a broken chain may be missing: `=x=`.
            let is_shown = !head.is_empty() && head.len() <= 2 * MAX_VALUE;
            let signature = if is_shown { head } else { name };
            let kind = self.kind_of_name(name);
            let is_own = kind == SymbolKind::Field;
            self.declare(Declaration {
                name,
                kind,
                parent: self.at.symbol,
                span: span(*node),
                name_at: span(*node).start,
                body: None,
                signature,
                doc: self.comment_above(start, statement),
                exported: false,
                modifiers: if is_own { Modifiers::STATIC } else { Modifiers::empty() },
                type_parameters: Vec::new(),
                attributes: Vec::new(),
            });
            if let Some(class) = self.at.class {
                self.attributes.insert((class, name), None);
            }
        }
        if self.at.root {
            let all: Vec<&str> = names.iter().map(|name| text(*name, self.source)).collect();
            let kind = ChunkKind::Symbol(self.kind_of_name(all[0]));
            self.builder.root(kind, self.whole(statement, start), headline(&all.join(", ")));
        }
    }

    fn kind_of_name(&self, name: &str) -> SymbolKind {
        match self.at.level {
            Level::Enum if is_enum_member(name) => SymbolKind::EnumMember,
            Level::Class | Level::Enum => SymbolKind::Field,
            Level::Module | Level::Function if is_constant_case(name) => SymbolKind::Constant,
            Level::Module | Level::Function => SymbolKind::Variable,
        }
    }

    /// Returns an assignment as a signature, without a long or multi-line value.
    pub(super) fn assignment_head(&self, assignment: Node<'t>) -> &'s str {
        let head = assignment.child_by_field_id(FIELDS.ty).or(assignment.child_by_field_id(FIELDS.left));
        let is_short = assignment.child_by_field_id(FIELDS.right).is_some_and(|value| {
            let value = text(value, self.source);
            value.len() <= MAX_VALUE && !value.contains('\n')
        });
        let end = head.filter(|_| !is_short).unwrap_or(assignment);
        &self.source[assignment.start_byte()..end.end_byte()]
    }

    /// Returns true if a value is `NewType("Name", Base)`.
    fn is_new_type(&self, value: Option<Node<'t>>) -> bool {
        value.is_some_and(|value| self.callee(value).is_some_and(|callee| form(callee) == "NewType"))
    }

    /// Returns the text of the callee, if the node is a call.
    pub(super) fn callee(&self, node: Node<'t>) -> Option<&'s str> {
        let function = Some(node).filter(|node| kind(*node) == Kind::Call)?;
        Some(text(function.child_by_field_id(FIELDS.function)?, self.source))
    }

    /// Visits an assignment. Returns the type hint of the assigned value.
    pub(super) fn assignment(&mut self) -> Option<RawHint<'s>> {
        self.assignment_parts().1
    }

    fn assignment_parts(&mut self) -> (Annotation<'s>, Option<RawHint<'s>>) {
        let mut target = Target::Other;
        let mut annotation = Annotation::Unclear;
        let mut value = None;
        let mut is_alias = false;
        self.children(|walk| {
            let field = walk.field();
            if field == FIELDS.left {
                target = walk.assignment_target();
            } else if field == FIELDS.ty {
                is_alias = form(walk.text()) == "TypeAlias";
                annotation = walk.annotation();
                // A qualifier alone describes how the value is held, not its type.
                if matches!(form(walk.text()), "Final" | "ClassVar") && !walk.text().contains('[') {
                    annotation = Annotation::Unclear;
                }
            } else if field == FIELDS.right && is_alias {
                annotation = walk.annotation();
            } else if field == FIELDS.right {
                value = walk.value();
            }
        });
        let hint = match &annotation {
            Annotation::Type(name) => Some(RawHint::Named(name.clone())),
            Annotation::NoneType | Annotation::Unclear => value.clone(),
        };
        let is_annotated = |binding| matches!(binding, &Binding::Local(Some(RawHint::Named(_))));
        match target {
            // A later assignment does not change the declared type of a parameter or variable.
            Target::Name(name, _) if self.own_binding(name).is_some_and(is_annotated) => {}
            Target::Name(name, at) => self.bind(name, at, hint),
            Target::Own(attribute) => self.attribute_assigned(attribute, hint),
            Target::Other => {}
        }
        (annotation, value)
    }

    fn assignment_target(&mut self) -> Target<'s> {
        let node = self.cursor.node();
        match kind(node) {
            Kind::Identifier => Target::Name(self.text(), span(node).start),
            Kind::Attribute => match self.own_attribute(node) {
                Some(attribute) => {
                    self.own_attribute_written(node, attribute);
                    Target::Own(attribute)
                }
                None => {
                    self.member_written();
                    Target::Other
                }
            },
            _ => {
                self.target(None);
                Target::Other
            }
        }
    }

    /// Records the type of an attribute of `self`. Two different types make it unclear; an assignment without a type,
    /// such as `None`, does not.
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

    /// Visits `x += y`, which reads and writes its target.
    pub(super) fn augmented_assignment(&mut self) {
        let node = self.cursor.node();
        let left = node.child_by_field_id(FIELDS.left);
        let is_exports = left.is_some_and(|left| text(left, self.source) == "__all__");
        if is_exports && self.at.level == Level::Module {
            self.add_exports(node.child_by_field_id(FIELDS.right));
        }
        self.children(|walk| {
            if walk.field() != FIELDS.left {
                return walk.visit();
            }
            let target = walk.cursor.node();
            walk.visit();
            match kind(target) {
                Kind::Identifier => walk.name_written(walk.text(), span(target).start),
                Kind::Attribute => match walk.own_attribute(target) {
                    Some(attribute) => walk.own_attribute_written(target, attribute),
                    None => walk.member_written(),
                },
                _ => {}
            }
        });
    }

    /// Visits an assigned attribute of any object but `self`.
    pub(super) fn member_written(&mut self) {
        if let Operand::Name(name, at) = self.operand()
            && name.base == Base::Scope
        {
            self.name_used(Relation::AssignsTo, name, at);
        }
    }
}

/// Returns the plain names in the targets of an assignment: `a, b = c = f()`.
pub(super) fn assigned_names(assignment: Option<Node<'_>>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut at = assignment;
    while let Some(node) = at {
        if let Some(left) = node.child_by_field_id(FIELDS.left) {
            collect_names(left, &mut names);
        }
        let right = node.child_by_field_id(FIELDS.right);
        at = right.filter(|right| kind(*right) == Kind::Assignment);
    }
    names
}

/// Collects the plain names in a target.
fn collect_names<'t>(target: Node<'t>, names: &mut Vec<Node<'t>>) {
    // A missing name is an empty node.
    let is_name = |node: Node<'t>| kind(node) == Kind::Identifier && !node.byte_range().is_empty();
    if is_name(target) {
        names.push(target);
    } else if kind(target).is_pattern() {
        descend(target, |node| {
            names.extend(Some(node).filter(|node| is_name(*node)));
            kind(node).is_pattern()
        });
    }
}

/// Returns the modifiers of a variable that the outermost form of its annotation implies.
pub(super) fn modifiers_of_type(annotation: &str) -> Modifiers {
    match form(annotation) {
        "Final" | "ReadOnly" => Modifiers::READONLY,
        "ClassVar" => Modifiers::STATIC,
        "NotRequired" => Modifiers::OPTIONAL,
        _ => Modifiers::empty(),
    }
}

/// Returns true if a name denotes an enumeration member and is not reserved by the enum machinery.
fn is_enum_member(name: &str) -> bool {
    !(name.starts_with("__") || name.starts_with('_') && name.ends_with('_'))
}

fn is_constant_case(name: &str) -> bool {
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}
