//! Functions and classes.

use std::borrow::Cow;

use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind};
use tree_sitter::Node;

use super::annotation::Annotation;
use super::docstring;
use super::expression::Operand;
use super::grammar::{GRAMMAR, Kind};
use super::walk::{Context, Level, Walk};
use crate::builder::Declaration;
use crate::scope::{Binding, RawHint, ScopeId, ScopeKind};
use crate::text::comment_text;
use crate::tree::{span, text};

impl<'t, 's> Walk<'t, 's> {
    /// Visits a function or class, decorated or not; `start` is where its attached comments start.
    pub(super) fn definition(&mut self, start: u32) {
        let whole = self.cursor.node();
        let definition = match GRAMMAR.kind(whole) {
            Kind::DecoratedDefinition => whole.child_by_field_id(GRAMMAR.fields.definition),
            _ => Some(whole),
        };
        let named = definition.and_then(|node| Some((node, node.child_by_field_id(GRAMMAR.fields.name)?)));
        let Some((node, name)) = named else { return self.children(Self::visit) };
        let symbol = self.declare_definition(node, name, self.whole(whole, start));
        let mut receiver = match self.at.level {
            Level::Class | Level::Enum => Receiver::FirstParameter,
            Level::Module | Level::Function => Receiver::Inherited(self.at.receiver),
        };
        if whole == node {
            return self.definition_parts(symbol, receiver);
        }
        let mut marks = Modifiers::empty();
        self.children(|walk| match walk.kind() {
            Kind::Decorator => {
                if walk.text() == "@staticmethod" {
                    receiver = Receiver::Inherited(None);
                }
                marks |= walk.decorator(symbol);
            }
            Kind::FunctionDefinition | Kind::ClassDefinition => walk.definition_parts(symbol, receiver),
            _ => walk.visit(),
        });
        self.builder.symbol_mut(symbol).modifiers |= marks;
    }

    fn declare_definition(&mut self, node: Node<'t>, name: Node<'t>, whole: Span) -> LocalSymbol {
        let fields = &GRAMMAR.fields;
        let part = |field| node.child_by_field_id(field);
        let body = part(fields.body).filter(|body| !body.byte_range().is_empty());
        let is_class = GRAMMAR.kind(node) == Kind::ClassDefinition;
        let (kind, head_end) = if is_class {
            let bases = part(fields.superclasses);
            let is_enum = bases.is_some_and(|bases| names_enum(text(bases, self.source)));
            let kind = if is_enum { SymbolKind::Enum } else { SymbolKind::Class };
            (kind, bases.or(part(fields.type_parameters)))
        } else {
            let kind = match self.at.level {
                Level::Module | Level::Function => SymbolKind::Function,
                Level::Class | Level::Enum if text(name, self.source) == "__init__" => {
                    SymbolKind::Constructor
                }
                Level::Class | Level::Enum => SymbolKind::Method,
            };
            (kind, part(fields.return_type).or(part(fields.parameters)))
        };
        // An unclosed bracket makes a head of all that follows.
        let head_end = head_end.filter(|end| !end.has_error()).unwrap_or(name);
        let head = Span::new(span(node).start, span(head_end).end);
        let is_async = head.text(self.source).starts_with("async");
        self.declare(Declaration {
            name: text(name, self.source),
            kind,
            parent: self.at.symbol,
            span: whole,
            name_at: span(name).start,
            body: body.map(span),
            signature: &self.without_comments(node, head),
            doc: body.and_then(|body| docstring::of_block(body, self.source)),
            exported: false,
            modifiers: if is_async { Modifiers::ASYNC } else { Modifiers::empty() },
            type_parameters: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Adds a declaration and binds its name; whether it is exported follows from the name.
    pub(super) fn declare(&mut self, declaration: Declaration<'_>) -> LocalSymbol {
        let name = Span::new(declaration.name_at, declaration.name_at + declaration.name.len() as u32);
        let (name, whole) = (name.text(self.source), declaration.span);
        let exported = self.at.level != Level::Function && is_public(name);
        let symbol = self.builder.declare(Declaration { exported, ..declaration });
        self.scopes.declare(self.at.scope, name, Binding::Symbol(symbol));
        if self.at.symbol.is_none() {
            self.root_symbols.push((symbol, whole));
        }
        symbol
    }

    /// The text of a declaration's head. Comments between parameters would swallow the rest of the line.
    fn without_comments(&self, node: Node<'t>, head: Span) -> Cow<'s, str> {
        let code = head.text(self.source);
        if !code.contains('#') {
            return Cow::Borrowed(code);
        }
        let mut kept = String::new();
        let mut from = head.start;
        let mut cursor = node.walk();
        // Only the parameter list spans lines, and it stands directly below.
        for part in node.children(&mut node.walk()) {
            for comment in part.children(&mut cursor).filter(|node| GRAMMAR.kind(*node) == Kind::Comment) {
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

    /// The text of the comments between `start` and the declaration they are attached to.
    pub(super) fn comment_above(&self, start: u32, declaration: Node<'t>) -> Option<String> {
        let comments = Span::new(start, span(declaration).start);
        (!comments.is_empty()).then(|| comment_text(comments.text(self.source)))
    }

    /// Visits a decorator; what it says of the declaration under it.
    fn decorator(&mut self, symbol: LocalSymbol) -> Modifiers {
        let mut marks = Modifiers::empty();
        self.within(Context { symbol: Some(symbol), root: false, ..self.at }, |walk| {
            walk.children(|walk| match walk.kind() {
                Kind::Identifier | Kind::Attribute => marks = walk.decorator_name(),
                Kind::Call => {
                    let mut is_callee = true;
                    walk.children(|walk| {
                        if !std::mem::take(&mut is_callee) {
                            walk.visit();
                        } else if matches!(walk.kind(), Kind::Identifier | Kind::Attribute) {
                            marks = walk.decorator_name();
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

    fn decorator_name(&mut self) -> Modifiers {
        let Operand::Name(name, at) = self.operand() else { return Modifiers::empty() };
        let marks = match name.path.last().copied().unwrap_or_default() {
            "staticmethod" | "classmethod" => Modifiers::STATIC,
            "property" | "cached_property" | "setter" | "getter" | "deleter" => Modifiers::ACCESSOR,
            "abstractmethod" => Modifiers::ABSTRACT,
            "abstractproperty" => Modifiers::ABSTRACT | Modifiers::ACCESSOR,
            _ => Modifiers::empty(),
        };
        self.name_used(Relation::Decorates, name, at);
        marks
    }

    fn definition_parts(&mut self, symbol: LocalSymbol, receiver: Receiver<'s>) {
        let inner = Context { symbol: Some(symbol), root: false, declares: false, ..self.at };
        match self.kind() {
            Kind::ClassDefinition => self.within(inner, |walk| walk.class(symbol)),
            _ => self.within(inner, |walk| walk.function(symbol, receiver)),
        }
    }

    fn class(&mut self, symbol: LocalSymbol) {
        let is_enum = self.builder.symbol_mut(symbol).kind == SymbolKind::Enum;
        self.children(|walk| match walk.kind() {
            Kind::Identifier => {}
            Kind::TypeParameter => walk.open_type_parameters(),
            Kind::ArgumentList => walk.children(Self::base_class),
            Kind::Block => {
                let body = Context {
                    scope: walk.scopes.open(Some(walk.at.scope), ScopeKind::Members),
                    level: if is_enum { Level::Enum } else { Level::Class },
                    class: Some(symbol),
                    receiver: None,
                    declares: true,
                    ..walk.at
                };
                walk.within(body, Self::statements);
            }
            _ => walk.visit(),
        });
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
                let body = Context { scope, level: Level::Function, receiver: own_receiver, ..walk.at };
                walk.within(body, Self::statements);
            }
            _ => walk.visit(),
        });
    }

    /// Type parameters are seen by the whole declaration and by nothing around it. The caller restores the
    /// scope with its context.
    fn open_type_parameters(&mut self) {
        self.at.scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        self.type_parameters();
    }

    /// Binds parameters in `scope`; the name of the receiver inside the function.
    pub(super) fn parameters(&mut self, scope: ScopeId, receiver: Receiver<'s>) -> Option<&'s str> {
        let mut first = None;
        let mut hidden = false;
        self.children(|walk| {
            let name = walk.parameter(scope);
            first = first.or(name);
            hidden |= matches!(receiver, Receiver::Inherited(outer) if outer.is_some() && outer == name);
        });
        match receiver {
            Receiver::FirstParameter => first,
            Receiver::Inherited(outer) => outer.filter(|_| !hidden),
        }
    }

    /// Binds one parameter; its name, if it has exactly one.
    fn parameter(&mut self, scope: ScopeId) -> Option<&'s str> {
        match self.kind() {
            Kind::Identifier => {
                self.scopes.declare(scope, self.text(), Binding::Local(None));
                Some(self.text())
            }
            Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                let mut name = None;
                let mut is_first = true;
                let mut annotation = Annotation::Unclear;
                self.children(|walk| match walk.kind() {
                    Kind::Identifier if is_first => {
                        is_first = false;
                        name = Some(walk.text());
                    }
                    Kind::Type => annotation = walk.annotation(),
                    _ if is_first => {
                        is_first = false;
                        walk.parameter(scope);
                    }
                    _ => walk.visit(),
                });
                if let Some(name) = name {
                    let hint = annotation.into_name().map(RawHint::Named);
                    self.scopes.declare(scope, name, Binding::Local(hint));
                }
                name
            }
            Kind::ListSplatPattern | Kind::DictionarySplatPattern | Kind::TuplePattern => {
                self.children(|walk| {
                    walk.parameter(scope);
                });
                None
            }
            _ => None,
        }
    }

    /// Marks the function around a `yield`.
    pub(super) fn mark_generator(&mut self) {
        if let (Level::Function, Some(symbol)) = (self.at.level, self.at.symbol) {
            self.builder.symbol_mut(symbol).modifiers |= Modifiers::GENERATOR;
        }
    }
}

/// Where a function's body has the instance or class of its method from.
#[derive(Clone, Copy)]
pub(super) enum Receiver<'s> {
    /// A method: its first parameter.
    FirstParameter,
    /// A function inside a method, or none: what the code around calls it.
    Inherited(Option<&'s str>),
}

fn names_enum(bases: &str) -> bool {
    let base_names = bases.split([',', '(', ')']).map(|base| base.trim().rsplit('.').next().unwrap_or(""));
    base_names
        .into_iter()
        .any(|base| !base.contains('=') && (base.ends_with("Enum") || base.ends_with("Flag")))
}

fn is_public(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}
