//! Functions and classes.

use std::borrow::Cow;

use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind};
use tree_sitter::Node;

use super::docstring;
use super::expression::Operand;
use super::field::{Class, member_modifiers};
use super::grammar::{FIELDS, Kind, kind};
use super::parameter::Receiver;
use super::type_parameter::listed;
use super::walk::{Level, Walk, WalkContext};
use crate::builder::Declaration;
use crate::scope::{Binding, ScopeKind};
use crate::text::comment_text;
use crate::tree::{span, text};

impl<'t, 's> Walk<'t, 's> {
    /// Visits a function or class, decorated or not; `start` is the offset of its attached comments.
    pub(super) fn definition(&mut self, start: u32) {
        let whole = self.cursor.node();
        let definition = match kind(whole) {
            Kind::DecoratedDefinition => whole.child_by_field_id(FIELDS.definition),
            _ => Some(whole),
        };
        let named = definition.and_then(|node| Some((node, node.child_by_field_id(FIELDS.name)?)));
        let named = named.filter(|(_, name)| !name.byte_range().is_empty());
        let Some((node, name)) = named else { return self.children(Self::visit) };
        let symbol = self.declare_definition(node, name, self.whole(whole, start));
        let mut receiver = match self.at.level {
            Level::Class | Level::Enum => Receiver::FirstParameter,
            Level::Module | Level::Function => Receiver::Inherited(self.at.receiver),
        };
        if whole == node {
            return self.definition_parts(symbol, receiver);
        }
        let mut attributes = Vec::new();
        self.children(|walk| match walk.kind() {
            Kind::Decorator => {
                let decorator = walk.cursor.node();
                attributes.push(span(decorator));
                if text(decorator, walk.source) == "@staticmethod" {
                    receiver = Receiver::Inherited(None);
                }
                let marks = walk.decorator(symbol);
                walk.builder.symbol_mut(symbol).modifiers |= marks;
            }
            Kind::FunctionDefinition | Kind::ClassDefinition => walk.definition_parts(symbol, receiver),
            _ => walk.visit(),
        });
        self.builder.symbol_mut(symbol).attributes = attributes.into();
    }

    fn declare_definition(&mut self, node: Node<'t>, name: Node<'t>, whole: Span) -> LocalSymbol {
        let part = |field| node.child_by_field_id(field);
        let body = part(FIELDS.body).filter(|body| !body.byte_range().is_empty());
        let type_parameters = part(FIELDS.type_parameters);
        let named = text(name, self.source);
        let is_class = kind(node) == Kind::ClassDefinition;
        let mut is_abstract = false;
        let (kind, head_end) = if is_class {
            let bases = part(FIELDS.superclasses);
            is_abstract = bases.is_some_and(|bases| names_abc(text(bases, self.source)));
            let is_enum = bases.is_some_and(|bases| self.names_enum(text(bases, self.source)));
            let kind = if is_enum { SymbolKind::Enum } else { SymbolKind::Class };
            (kind, bases.or(type_parameters))
        } else {
            let kind = match self.at.level {
                Level::Module | Level::Function => SymbolKind::Function,
                Level::Class | Level::Enum if named == "__init__" => SymbolKind::Constructor,
                Level::Class | Level::Enum => SymbolKind::Method,
            };
            (kind, part(FIELDS.return_type).or(part(FIELDS.parameters)))
        };
        // With an unclosed bracket, the head would extend over all that follows.
        let is_closed = |end: &Node<'t>| !end.has_error() || Some(*end) == type_parameters;
        let head_end = head_end.filter(is_closed).unwrap_or(name);
        let head = Span::new(span(node).start, span(head_end).end);
        let mut modifiers = Modifiers::empty();
        modifiers.set(Modifiers::ASYNC, head.text(self.source).starts_with("async"));
        let is_static = matches!(named, "__new__" | "__init_subclass__" | "__class_getitem__");
        modifiers.set(Modifiers::STATIC, is_static && kind == SymbolKind::Method);
        modifiers.set(Modifiers::ABSTRACT, is_abstract);
        let listed = type_parameters.map(|list| listed(text(list, self.source)));
        self.declare(Declaration {
            name: named,
            kind,
            parent: self.at.symbol,
            span: whole,
            name_at: span(name).start,
            body: body.map(span),
            signature: &self.without_comments(node, head),
            doc: body.and_then(|body| docstring::of_block(body, self.source)),
            exported: false,
            modifiers,
            type_parameters: listed.unwrap_or_default(),
            attributes: Vec::new(),
        })
    }

    /// Adds a declaration and binds its name. The name determines whether it is exported, private or protected.
    pub(super) fn declare(&mut self, declaration: Declaration<'_>) -> LocalSymbol {
        let name = Span::new(declaration.name_at, declaration.name_at + declaration.name.len() as u32);
        let name = name.text(self.source);
        let exported = self.at.level != Level::Function && self.is_exported(name, declaration.parent);
        let mut modifiers = declaration.modifiers;
        if matches!(self.at.level, Level::Class | Level::Enum) {
            modifiers |= member_modifiers(name);
        }
        let name_at = declaration.name_at;
        let symbol = self.builder.declare(Declaration { exported, modifiers, ..declaration });
        self.names.symbols.insert(name_at, symbol);
        self.scopes.declare(self.at.scope, name, Binding::Symbol(symbol));
        symbol
    }

    /// Returns the text of a declaration's head. Comments between parameters are removed, because they would hide the
    /// rest of a one-line signature.
    fn without_comments(&self, node: Node<'t>, head: Span) -> Cow<'s, str> {
        let code = head.text(self.source);
        if !code.contains('#') {
            return Cow::Borrowed(code);
        }
        let mut kept = String::new();
        let mut from = head.start;
        let mut cursor = node.walk();
        // Only the parameter list can span lines, and it is a direct child.
        for part in node.children(&mut node.walk()) {
            for comment in part.children(&mut cursor).filter(|node| kind(*node) == Kind::Comment) {
                let comment = span(comment);
                if comment.end <= head.end {
                    kept.push_str(Span::new(from, comment.start).text(self.source));
                    from = comment.end;
                }
            }
        }
        kept.push_str(Span::new(from, head.end).text(self.source));
        Cow::Owned(kept)
    }

    /// Returns the text of the comments between `start` and the declaration they are attached to.
    pub(super) fn comment_above(&self, start: u32, declaration: Node<'t>) -> Option<String> {
        // A declaration may start with a missing name, before its first character.
        let comments = Span::new(start, span(declaration).start.max(start));
        // `#:` marks a comment as documentation.
        (!comments.is_empty()).then(|| comment_text(&comments.text(self.source).replace("#:", "#")))
    }

    fn definition_parts(&mut self, symbol: LocalSymbol, receiver: Receiver<'s>) {
        let inner = WalkContext { symbol: Some(symbol), root: false, declares: false, ..self.at };
        match self.kind() {
            Kind::ClassDefinition => self.within(inner, |walk| walk.class(symbol)),
            _ => self.within(inner, |walk| walk.function(symbol, receiver)),
        }
    }

    fn class(&mut self, symbol: LocalSymbol) {
        let is_enum = self.builder.symbol_mut(symbol).kind == SymbolKind::Enum;
        let mut bases = Vec::new();
        self.children(|walk| match walk.kind() {
            Kind::Identifier => {}
            Kind::TypeParameter => walk.open_type_parameters(),
            Kind::ArgumentList => {
                let mut parameters = Vec::new();
                let before = walk.uses.len();
                walk.children(|walk| {
                    if walk.kind() == Kind::Subscript {
                        walk.add_type_variables(walk.text(), &mut parameters);
                    }
                    walk.base_class();
                });
                bases = walk.own_bases(before);
                let declaration = walk.builder.symbol_mut(symbol);
                if declaration.type_parameters.is_empty() {
                    declaration.type_parameters = parameters.into();
                }
            }
            Kind::Block => {
                let scope = walk.scopes.open(Some(walk.at.scope), ScopeKind::Members);
                let body = WalkContext {
                    scope,
                    frame: scope,
                    level: if is_enum { Level::Enum } else { Level::Class },
                    class: Some(symbol),
                    receiver: None,
                    declares: true,
                    ..walk.at
                };
                let class = Class::new(walk.cursor.node(), std::mem::take(&mut bases));
                walk.classes.insert(symbol, class);
                walk.within(body, Self::statements);
            }
            _ => walk.visit(),
        });
    }

    /// Returns the base classes declared in this file, among the references recorded since `before`.
    fn own_bases(&self, before: usize) -> Vec<LocalSymbol> {
        let bases = self.uses[before..].iter().filter(|used| used.relation == Relation::Inherits);
        bases
            .filter_map(|base| match (&*base.name.path, self.scopes.lookup(base.scope, base.name.path[0])) {
                ([_], Some((_, Binding::Symbol(symbol)))) => Some(*symbol),
                _ => None,
            })
            .collect()
    }

    fn base_class(&mut self) {
        match self.kind() {
            Kind::Identifier | Kind::Attribute => {
                if let Operand::Name(name, at) = self.operand() {
                    self.name_used(Relation::Inherits, name, at);
                }
            }
            Kind::Subscript => {
                let mut is_base = true;
                self.children(|walk| {
                    if std::mem::take(&mut is_base) {
                        walk.base_class();
                    } else {
                        walk.annotation();
                    }
                });
            }
            _ => self.visit(),
        }
    }

    fn function(&mut self, symbol: LocalSymbol, receiver: Receiver<'s>) {
        let mut scope = None;
        let mut own_receiver = None;
        self.children(|walk| match walk.kind() {
            Kind::Identifier => {}
            Kind::TypeParameter => walk.open_type_parameters(),
            Kind::Parameters => {
                let inner = walk.scopes.open(Some(walk.at.scope), ScopeKind::Lexical);
                scope = Some(inner);
                own_receiver = walk.parameters(inner, receiver);
            }
            Kind::Type => {
                let returned = walk.annotation();
                walk.typed(symbol, returned);
            }
            Kind::Block => {
                let outer = walk.at.scope;
                let scope = scope.unwrap_or_else(|| walk.scopes.open(Some(outer), ScopeKind::Lexical));
                let level = Level::Function;
                walk.names.scopes.insert(symbol, scope);
                let body = WalkContext { scope, frame: scope, level, receiver: own_receiver, ..walk.at };
                walk.within(body, Self::statements);
            }
            _ => walk.visit(),
        });
    }

    /// Opens a scope for type parameters, which are visible in the whole declaration and not outside it. The caller
    /// restores the scope with its context.
    fn open_type_parameters(&mut self) {
        self.at.scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        self.type_parameters();
    }

    /// Marks the function around a `yield` as a generator.
    pub(super) fn mark_generator(&mut self) {
        if let (Level::Function, Some(symbol)) = (self.at.level, self.at.symbol) {
            self.builder.symbol_mut(symbol).modifiers |= Modifiers::GENERATOR;
        }
    }

    /// Returns true if a base makes the class an enumeration, by its name or because it is an enumeration of this
    /// file.
    fn names_enum(&mut self, bases: &str) -> bool {
        let bases = bases.trim_matches(['(', ')']);
        bases.split(',').map(str::trim).filter(|base| !base.contains('=')).any(|base| {
            let is_known = match self.scopes.lookup(self.at.scope, base) {
                Some((_, Binding::Symbol(base))) => Some(*base),
                _ => None,
            };
            let last = base.rsplit('.').next().unwrap_or(base);
            last.ends_with("Enum")
                || last.ends_with("Flag")
                || is_known.is_some_and(|base| self.builder.symbol_mut(base).kind == SymbolKind::Enum)
        })
    }
}

/// Returns true if the bases make a class abstract: `(Shape, ABC)`, `(metaclass=abc.ABCMeta)`.
fn names_abc(bases: &str) -> bool {
    bases.split(['(', ')', ',', '=', '.']).any(|name| matches!(name.trim(), "ABC" | "ABCMeta"))
}
