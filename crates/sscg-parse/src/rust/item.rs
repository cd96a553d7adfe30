//! Declarations.

use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind, TypeParameter};
use tree_sitter::{Node, TreeCursor};

use super::generics::type_parameters;
use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, parameter_types, tuple, type_name, value_type, value_type_name, written_type};
use super::trivia::{Bond, LeadingTrivia, all_of, comment_bond};
use super::walk::{ItemList, ReferenceForm, Walk, WalkContext};
use crate::builder::Declaration;
use crate::scope::{Base, Binding, RawName, RawType, ScopeKind};
use crate::text::{one_line, without_line_comments};
use crate::tree::span;

/// True if a node of this kind declares or imports something, or may contain such an item.
pub(super) fn is_item(kind: Kind) -> bool {
    declared_kind(kind).is_some()
        || matches!(
            kind,
            Kind::ImplItem
                | Kind::ModItem
                | Kind::ForeignMod
                | Kind::MacroDefinition
                | Kind::MacroInvocation
                | Kind::UseDeclaration
                | Kind::ExternCrate
        )
}

/// Returns the symbol kind of a declaration with a name field, outside of traits and implementations.
fn declared_kind(kind: Kind) -> Option<SymbolKind> {
    Some(match kind {
        Kind::FunctionItem | Kind::FunctionSignature => SymbolKind::Function,
        Kind::StructItem => SymbolKind::Struct,
        Kind::UnionItem => SymbolKind::Union,
        Kind::EnumItem => SymbolKind::Enum,
        Kind::EnumVariant => SymbolKind::EnumMember,
        Kind::FieldDeclaration => SymbolKind::Field,
        Kind::TraitItem => SymbolKind::Trait,
        Kind::TypeItem | Kind::AssociatedType => SymbolKind::TypeAlias,
        Kind::ConstItem => SymbolKind::Constant,
        Kind::StaticItem => SymbolKind::Variable,
        _ => return None,
    })
}

/// Properties of a declaration, as determined by one of the rules below.
pub(super) struct Shape<'s> {
    /// Whole declaration without its leading trivia.
    pub(super) all: Span,
    pub(super) kind: SymbolKind,
    pub(super) name: &'s str,
    pub(super) name_at: usize,
    pub(super) body: Option<Span>,
    /// Byte offset of the end of the signature.
    pub(super) end: usize,
    pub(super) modifiers: Modifiers,
    pub(super) exported: bool,
    pub(super) type_parameters: Vec<TypeParameter>,
}

impl<'s> Walk<'s> {
    /// Declares the item under the cursor and walks its contents.
    pub(super) fn item<'t>(
        &mut self,
        cursor: &mut TreeCursor<'t>,
        context: WalkContext,
        trivia: LeadingTrivia<'t>,
    ) {
        let node = cursor.node();
        match kind(node) {
            Kind::ModItem => self.module(cursor, context, &trivia),
            Kind::ImplItem => self.implementation(cursor, context, &trivia),
            Kind::MacroDefinition => self.macro_definition(cursor, context, &trivia),
            Kind::MacroInvocation => self.item_macro(cursor, context, &trivia),
            Kind::UseDeclaration => self.use_declaration(node, context, &trivia),
            Kind::ExternCrate => self.extern_crate(node, context, &trivia),
            Kind::ForeignMod => self.foreign_block(cursor, context, &trivia),
            _ => self.named_item(cursor, context, &trivia),
        }
    }

    /// Declares an item with a name field: any except modules, implementations and macros.
    fn named_item(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, trivia: &LeadingTrivia<'_>) {
        let node = cursor.node();
        let name = child(node, FIELDS.name).filter(|name| !name.is_missing());
        let (Some(declared), Some(name)) = (declared_kind(kind(node)), name) else {
            return self.visit_children(cursor, context);
        };
        let shape = self.named_shape(node, name, declared, context);
        let (exported, modifiers) = (shape.exported, shape.modifiers);
        let symbol = self.declare(context, trivia, shape);
        let is_part =
            context.place.has_methods() || matches!(declared, SymbolKind::Field | SymbolKind::EnumMember);
        if !is_part {
            self.bind(self.text(name), symbol, context);
        }
        let nests = if is_part { ScopeKind::Lexical } else { ScopeKind::Item };
        let scope = self.scopes.open(Some(context.scope), nests);
        self.type_of(symbol, self.item_type(node, declared), scope);
        self.bounds_of(symbol, node, scope);
        // A type may implement a trait several times, and the argument types select the implementation.
        let is_function = declared == SymbolKind::Function;
        if is_function && context.place == ItemList::TraitImpl && modifiers.contains(Modifiers::STATIC) {
            let types = child(node, FIELDS.parameters).map(|it| parameter_types(it, self.source));
            self.parameters_of(symbol, types.unwrap_or_default(), scope);
        }
        let place = match declared {
            SymbolKind::Struct | SymbolKind::Union => ItemList::Type,
            SymbolKind::Enum => ItemList::Enum { exported },
            SymbolKind::EnumMember => context.place,
            SymbolKind::Trait => ItemList::Trait,
            _ => ItemList::Body,
        };
        let name = name.id();
        self.children(cursor, context.inside(symbol, scope, place), |walk, cursor, context| {
            let part = cursor.node();
            match kind(part) {
                _ if part.id() == name => {}
                Kind::TraitBounds if declared == SymbolKind::Trait => {
                    walk.children(cursor, context, |walk, cursor, context| {
                        walk.bound(cursor, context, Relation::Inherits);
                    });
                }
                // Positional fields of an enum variant cannot be named.
                Kind::OrderedFieldDeclarationList if declared == SymbolKind::Struct => {
                    walk.positional_fields(cursor, context);
                }
                _ => walk.visit(cursor, context),
            }
        });
    }

    /// Returns the shape of an item with a name field.
    fn named_shape(
        &self,
        node: Node<'_>,
        name: Node<'_>,
        declared: SymbolKind,
        context: WalkContext,
    ) -> Shape<'s> {
        // The braces of an enum variant are part of its definition, not a body.
        let parts = child(node, FIELDS.body);
        let body =
            parts.filter(|parts| declared != SymbolKind::EnumMember && self.text(*parts).starts_with('{'));
        let is_function = declared == SymbolKind::Function;
        let is_method = is_function && context.place.has_methods();
        let mut modifiers = keywords(self, node);
        if is_method {
            modifiers.set(Modifiers::STATIC, !takes_self(self, node));
        }
        if is_function && context.place == ItemList::Trait {
            modifiers.set(Modifiers::ABSTRACT, body.is_none());
        }
        modifiers.set(Modifiers::DECLARE, context.place == ItemList::Foreign);
        let end = match (body, parts.or_else(|| child(node, FIELDS.value))) {
            (Some(body), _) => body.start_byte(),
            (None, Some(value)) if is_long(self.text(value)) => value.start_byte(),
            _ => node.end_byte(),
        };
        Shape {
            all: span(node),
            kind: if is_method { SymbolKind::Method } else { declared },
            name: identifier(self.text(name)),
            name_at: name.start_byte(),
            body: body.map(span),
            end,
            modifiers,
            exported: self.is_exported(node, context),
            type_parameters: type_parameters(node, self.source),
        }
    }

    /// Returns the written type of an item; for an enum variant, the tuple of its positional fields.
    fn item_type(&self, node: Node<'_>, declared: SymbolKind) -> Option<RawType<'s>> {
        if declared == SymbolKind::EnumMember
            && let Some(parts) = child(node, FIELDS.body)
            && kind(parts) == Kind::OrderedFieldDeclarationList
        {
            return Some(tuple(parts, self.source));
        }
        let ty = child(node, FIELDS.return_type).or_else(|| child(node, FIELDS.ty))?;
        value_type(ty, self.source)
    }

    fn module(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, trivia: &LeadingTrivia<'_>) {
        let node = cursor.node();
        let Some(name) = child(node, FIELDS.name) else { return };
        let Some(body) = child(node, FIELDS.body) else {
            return self.module_file(node, name, context, trivia);
        };
        let shape = Shape {
            all: span(node),
            kind: SymbolKind::Module,
            name: identifier(self.text(name)),
            name_at: name.start_byte(),
            body: Some(span(body)),
            end: body.start_byte(),
            modifiers: Modifiers::empty(),
            exported: self.is_exported(node, context),
            type_parameters: Vec::new(),
        };
        let symbol = self.declare(context, trivia, shape);
        self.bind(self.text(name), symbol, context);
        let scope = self.scopes.open(Some(context.scope), ScopeKind::Isolated);
        self.visit_except_name(cursor, context.inside(symbol, scope, ItemList::Module));
    }

    fn implementation(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        let node = cursor.node();
        let ty = child(node, FIELDS.ty).filter(|ty| !self.text(*ty).is_empty());
        let Some(ty) = ty else { return self.visit_children(cursor, context) };
        let implemented = child(node, FIELDS.trait_);
        let body = child(node, FIELDS.body);
        let head = written_type(ty, self.source);
        let name = self.implementing_type(node, ty);
        let written = one_line(self.text(ty));
        let shape = Shape {
            all: span(node),
            kind: SymbolKind::Impl,
            name: name.as_ref().and_then(|name| name.path.last().copied()).unwrap_or(&written),
            name_at: ty.start_byte(),
            body: body.map(span),
            end: body.map_or(node.end_byte(), |body| body.start_byte()),
            modifiers: keywords(self, node),
            exported: implemented.is_some(),
            type_parameters: type_parameters(node, self.source),
        };
        let symbol = self.declare(context, trivia, shape);
        let scope = self.scopes.open(Some(context.scope), ScopeKind::Item);
        self.type_of(symbol, head, scope);
        self.bounds_of(symbol, node, scope);
        let place = if implemented.is_some() { ItemList::TraitImpl } else { ItemList::Type };
        let inside = context.inside(symbol, scope, place);
        let mut negative = false;
        self.children(cursor, inside, |walk, cursor, context| {
            let part = cursor.node();
            if kind(part) == Kind::Bang {
                negative = true;
            } else if Some(part) == implemented {
                let relation = if negative { Relation::References } else { Relation::Implements };
                walk.bound(cursor, context, relation);
            } else if part == ty {
                // The self type of the block is not a reference to it; the types in its arguments are references.
                walk.generic_arguments(cursor, context);
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Returns the type that names an implementation: `Foo` for `Foo` and `Arc<Foo>`, but `Box` for `Box<T>`.
    fn implementing_type(&self, block: Node<'_>, ty: Node<'_>) -> Option<RawName<'s>> {
        let parameters = child(block, FIELDS.type_parameters).map_or("", |node| self.text(node));
        let is_parameter = |name: &RawName<'_>| {
            parameters.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name.path[0])
        };
        let value = value_type_name(ty, self.source).filter(|name| !is_parameter(name));
        value.or_else(|| type_name(ty, self.source))
    }

    /// Declares the fields of a tuple struct, which are named by position.
    fn positional_fields(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut trivia = LeadingTrivia::default();
        let mut visibility = None;
        let mut place = 0u32;
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            match kind(node) {
                kind if kind.is_comment() => {
                    if comment_bond(walk.text(node)) == Bond::Attached {
                        trivia.push_doc(span(node));
                    }
                }
                Kind::AttributeItem => trivia.push_attribute(node, walk.source),
                Kind::Visibility => visibility = Some(node),
                Kind::Error => walk.visit(cursor, context),
                _ if !node.is_named() || walk.text(node).is_empty() => {}
                _ => {
                    let visibility: Option<Node<'_>> = visibility.take();
                    let start = visibility.unwrap_or(node).start_byte();
                    let shape = Shape {
                        all: Span::new(start as u32, node.end_byte() as u32),
                        kind: SymbolKind::Field,
                        name: &place.to_string(),
                        name_at: node.start_byte(),
                        body: None,
                        end: node.end_byte(),
                        modifiers: Modifiers::empty(),
                        exported: visibility.is_some(),
                        type_parameters: Vec::new(),
                    };
                    let field = walk.declare(context, &std::mem::take(&mut trivia), shape);
                    walk.type_of(field, value_type(node, walk.source), context.scope);
                    walk.visit(cursor, context.inside(field, context.scope, ItemList::Body));
                    place += 1;
                }
            }
        });
    }

    /// Visits an `extern` block.
    fn foreign_block(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        self.root_item(span(cursor.node()), context, trivia);
        self.attributes(trivia, context);
        self.visit_children(cursor, WalkContext { place: ItemList::Foreign, ..context });
    }

    fn macro_definition(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        let node = cursor.node();
        let Some(name) = child(node, FIELDS.name) else { return };
        let after_name = name.end_byte();
        let open = self.source[after_name..node.end_byte()].find(['{', '(', '[']).map(|at| after_name + at);
        let shape = Shape {
            all: span(node),
            kind: SymbolKind::Macro,
            name: identifier(self.text(name)),
            name_at: name.start_byte(),
            body: open.map(|open| Span::new(open as u32, node.end_byte() as u32)),
            end: open.unwrap_or(node.end_byte()),
            modifiers: Modifiers::empty(),
            exported: trivia.has_attribute("macro_export", self.source),
            type_parameters: Vec::new(),
        };
        let symbol = self.declare(context, trivia, shape);
        self.bind(self.text(name), symbol, context);
        self.macro_rules(cursor, context.inside(symbol, context.scope, ItemList::MacroRules));
    }

    pub(super) fn declare(
        &mut self,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
        shape: Shape<'_>,
    ) -> LocalSymbol {
        let Shape { all, kind, name, name_at, body, end, mut modifiers, exported, type_parameters } = shape;
        modifiers.set(Modifiers::TEST, trivia.is_test(self.source));
        let signature = without_line_comments(&self.source[all.start as usize..end], b"\"");
        let signature = signature.trim_end();
        let signature = signature.strip_suffix([';', '=', ',']).unwrap_or(signature);
        let is_made = self.made_at(all.start as usize).is_some();
        let symbol = self.facts.declare(Declaration {
            name,
            kind,
            parent: context.symbol,
            span: self.placed(Span::new(trivia.start(all.start), all.end)),
            name_at: self.offset(name_at),
            body: body.filter(|_| !is_made),
            signature,
            doc: trivia.doc(self.source),
            exported,
            modifiers,
            type_parameters,
            attributes: if is_made { Vec::new() } else { trivia.attribute_spans() },
        });
        let condition = self.made_if.clone().into_iter().chain(trivia.condition(self.source));
        self.facts.set_condition(symbol, all_of(condition));
        self.attributes(trivia, WalkContext { symbol: Some(symbol), ..context });
        symbol
    }

    /// Binds an item's name in the enclosing scope.
    pub(super) fn bind(&mut self, name: &'s str, symbol: LocalSymbol, context: WalkContext) {
        if name != "_" {
            self.scopes.declare(context.scope, identifier(name), Binding::Symbol(symbol));
        }
    }

    fn is_exported(&self, node: Node<'_>, context: WalkContext) -> bool {
        match context.place {
            ItemList::Trait | ItemList::TraitImpl => true,
            ItemList::Enum { exported } => exported,
            ItemList::Module | ItemList::Type | ItemList::Foreign | ItemList::Body | ItemList::MacroRules => {
                is_public(node)
            }
        }
    }

    /// Records the trait under the cursor with the given relation; the types in its arguments are type references.
    fn bound(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, relation: Relation) {
        let name = type_name(cursor.node(), self.source);
        if let Some(name) = name.filter(|name| name.base == Base::Item) {
            self.use_name(ReferenceForm::Plain(relation), name, context);
            self.generic_arguments(cursor, context);
        }
    }
}

/// True if a declaration has a visibility modifier.
pub(super) fn is_public(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|first| kind(first) == Kind::Visibility)
}

/// Returns the modifiers given by keywords before a declaration's name.
fn keywords(walk: &Walk<'_>, node: Node<'_>) -> Modifiers {
    let mut modifiers = Modifiers::empty();
    // Visibility, the keyword of the declaration, and the modifiers before and after it.
    for part in (0..4).map_while(|at| node.child(at)) {
        match kind(part) {
            Kind::FunctionModifiers => {
                for word in walk.text(part).split_whitespace() {
                    match word {
                        "async" => modifiers |= Modifiers::ASYNC,
                        "unsafe" => modifiers |= Modifiers::UNSAFE,
                        "const" => modifiers |= Modifiers::CONST,
                        _ if word.starts_with("extern") => modifiers |= Modifiers::EXTERN,
                        _ => {}
                    }
                }
            }
            Kind::Unsafe => modifiers |= Modifiers::UNSAFE,
            Kind::Static => modifiers |= Modifiers::STATIC,
            Kind::MutableSpecifier => modifiers |= Modifiers::MUT,
            _ => {}
        }
    }
    modifiers
}

fn takes_self(walk: &Walk<'_>, function: Node<'_>) -> bool {
    let first = child(function, FIELDS.parameters).and_then(|parameters| parameters.named_child(0));
    first.is_some_and(|first| match kind(first) {
        Kind::SelfParameter => true,
        Kind::Parameter => {
            child(first, FIELDS.pattern).is_some_and(|pattern| kind(pattern) == Kind::SelfValue)
        }
        // An attribute or a comment before the first parameter.
        _ => walk.text(first.parent().unwrap_or(first)).contains("self"),
    })
}

/// True if a value is too long for a signature.
fn is_long(value: &str) -> bool {
    value.len() > 60 || value.contains('\n')
}
