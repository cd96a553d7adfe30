//! Names in the syntax tree, and their bindings once the whole file is known.
//!
//! A name may be used above its declaration. The walk therefore records names with oxc's symbol ids ([`RawName`],
//! allocated in the tree's own arena), and [`Bindings`] converts them to facts afterwards.

use std::cell::Cell;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    BindingIdentifier, ChainElement, ComputedMemberExpression, Expression, Ident, IdentifierReference,
    JSXElementName, JSXMemberExpression, JSXMemberExpressionObject, PrivateFieldExpression,
    StaticMemberExpression, TSImportTypeQualifier, TSQualifiedName, TSTypeName,
};
use oxc_semantic::Scoping;
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::{SymbolFlags, SymbolId};
use rustc_hash::FxHashMap;
use sscg_core::{Head, LocalImport, LocalSymbol, NameRef, Part, TypeHint};

use super::hint::CONTAINERS;

/// Name before its head is resolved.
#[derive(Clone, Copy)]
pub(super) struct RawName<'a> {
    pub(super) head: RawHead<'a>,
    /// Segments; never empty.
    pub(super) path: &'a [&'a str],
    /// Byte offset of the last segment.
    pub(super) at: u32,
}

/// Start of the path of a [`RawName`].
#[derive(Clone, Copy)]
pub(super) enum RawHead<'a> {
    /// Name resolved by oxc.
    Bound(SymbolId),
    /// Import that binds no name (`import("./x").Type`).
    Import(LocalImport),
    Free,
    SelfType,
    Super,
    Value(Option<&'a RawHint<'a>>),
}

/// Meaning of `this`.
#[derive(Clone, Copy)]
pub(super) enum This<'a> {
    /// Instance of the enclosing declared class or object.
    Own,
    /// Value of the type that a function declares for it: `function f(this: T)`.
    Typed(&'a RawHint<'a>),
    Unknown,
}

/// [`TypeHint`] before its names are resolved.
#[derive(Clone, Copy)]
pub(super) enum RawHint<'a> {
    Unknown,
    Named(RawName<'a>),
    Generic(RawName<'a>, &'a [RawHint<'a>]),
    Function(&'a [RawHint<'a>], &'a RawHint<'a>),
    Object(&'a [(&'a str, RawHint<'a>)]),
    OneOf(&'a [RawHint<'a>]),
    Value(RawName<'a>),
    Result(RawName<'a>),
    Element(&'a RawHint<'a>),
    /// Result of a test that asserts a type.
    Predicate(&'a RawHint<'a>),
    /// Value for which a test by this function was true; without it, it is the other value.
    Asserted(RawName<'a>, &'a RawHint<'a>),
    Argument(RawName<'a>, u8),
    Parameter(&'a RawHint<'a>, u8),
}

impl RawHint<'_> {
    /// True if the text names a value's type, and the type may have members in the project.
    fn states_type(&self) -> bool {
        match self {
            Self::Named(name) => !matches!(name.head, RawHead::Free),
            Self::Generic(name, _) => {
                !matches!((name.head, name.path), (RawHead::Free, [name]) if CONTAINERS.contains(name))
            }
            Self::OneOf(hints) => hints.iter().any(Self::states_type),
            _ => false,
        }
    }
}

/// Meaning of a declared name.
#[derive(Clone, Copy, Default)]
pub(super) enum Binding<'a> {
    /// Local variable without a hint.
    #[default]
    Unknown,
    Local(&'a RawHint<'a>),
    /// Type parameter with its bound.
    TypeParameter(&'a RawHint<'a>),
    Symbol(LocalSymbol),
    Import(LocalImport),
}

impl Binding<'_> {
    /// True for a variable or a type parameter, which the graph does not contain.
    fn is_local(self) -> bool {
        matches!(self, Self::Unknown | Self::Local(_) | Self::TypeParameter(_))
    }
}

/// Maximum number of hints followed from one name to the next (`a = f(); b = a.g(); ...`, `f().g().h()`).
pub(super) const HINT_DEPTH: u32 = 6;

/// Meanings of oxc's symbols.
pub(super) struct Bindings<'a> {
    scoping: &'a Scoping,
    bindings: Vec<Binding<'a>>,
    /// True for reassigned symbols; computed on demand, because oxc scans all references for it.
    reassigned: Vec<Cell<Option<bool>>>,
    /// Declarations that CommonJS code names as `exports.name`.
    exports: FxHashMap<&'a str, LocalSymbol>,
}

impl<'a> Bindings<'a> {
    pub(super) fn new(scoping: &'a Scoping) -> Self {
        let bindings = vec![Binding::Unknown; scoping.symbols_len()];
        let reassigned = vec![Cell::new(None); bindings.len()];
        Self { scoping, bindings, reassigned, exports: FxHashMap::default() }
    }

    /// Returns the number of names that the file declares, including locals.
    pub(super) fn len(&self) -> usize {
        self.bindings.len()
    }

    pub(super) fn get(&self, symbol: SymbolId) -> Binding<'a> {
        self.bindings[symbol.index()]
    }

    pub(super) fn set(&mut self, symbol: SymbolId, binding: Binding<'a>) {
        self.bindings[symbol.index()] = binding;
    }

    /// Binds a name declared by a scope.
    pub(super) fn set_in(&mut self, scope: Option<ScopeId>, name: &str, symbol: LocalSymbol) {
        let declared = scope.and_then(|scope| self.scoping.get_binding(scope, Ident::from(name)));
        if let Some(declared) = declared {
            self.set(declared, Binding::Symbol(symbol));
        }
    }

    /// Sets the declaration that other files see under `name`.
    pub(super) fn export(&mut self, name: &'a str, symbol: LocalSymbol) {
        self.exports.insert(name, symbol);
    }

    /// True if a variable, function or class is assigned to after its declaration.
    pub(super) fn is_reassigned(&self, symbol: SymbolId) -> bool {
        let known = &self.reassigned[symbol.index()];
        let is_reassigned = known.get().unwrap_or_else(|| self.scoping.symbol_is_mutated(symbol));
        known.set(Some(is_reassigned));
        is_reassigned
    }

    /// Returns the symbol that an identifier refers to; `None` for globals.
    pub(super) fn symbol_of(&self, identifier: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping.get_reference(identifier.reference_id.get()?).symbol_id()
    }

    /// Returns the offset of the declaration that an identifier refers to; `None` for globals.
    pub(super) fn declared_at(&self, identifier: &IdentifierReference<'_>) -> Option<u32> {
        self.symbol_of(identifier).map(|symbol| self.scoping.symbol_span(symbol).start)
    }

    /// True if an identifier refers to the variable of a `catch` clause.
    pub(super) fn is_caught(&self, identifier: &IdentifierReference<'_>) -> bool {
        let symbol = self.symbol_of(identifier);
        symbol.is_some_and(|symbol| self.scoping.symbol_flags(symbol).contains(SymbolFlags::CatchVariable))
    }

    /// Returns two flags, for read and written; `None` if the identifier refers to no name of this file.
    pub(super) fn access(&self, identifier: &IdentifierReference<'_>) -> Option<(bool, bool)> {
        let reference = self.scoping.get_reference(identifier.reference_id.get()?);
        reference.symbol_id().map(|_| (reference.is_read(), reference.is_write()))
    }

    /// True if a name used at an offset starts at a local variable that was declared before. It cannot refer to a
    /// declaration of the file, whatever else follows.
    pub(super) fn stays_local(&self, head: RawHead<'a>, at: u32) -> bool {
        match head {
            RawHead::Bound(symbol) => {
                self.get(symbol).is_local() && self.scoping.symbol_span(symbol).start < at
            }
            _ => false,
        }
    }

    /// True for a local variable with a written type.
    fn has_type(&self, symbol: SymbolId) -> bool {
        matches!(self.get(symbol), Binding::Local(hint) if hint.states_type())
    }

    /// True if a name is a member of `this`, or of a local variable with a written type.
    pub(super) fn is_field(&self, name: RawName<'a>) -> bool {
        let is_instance = match name.head {
            RawHead::SelfType => true,
            RawHead::Bound(symbol) => self.has_type(symbol),
            _ => false,
        };
        is_instance && name.path.len() > 1
    }

    /// True if a name starts at a declaration or an import of this file, or is a field.
    pub(super) fn is_declared(&self, name: RawName<'a>) -> bool {
        match name.head {
            RawHead::Bound(symbol) => {
                matches!(self.get(symbol), Binding::Symbol(_) | Binding::Import(_)) || self.is_field(name)
            }
            RawHead::Import(_) => true,
            RawHead::SelfType => name.path.len() > 1,
            RawHead::Free => self.exported(name.path).is_some(),
            RawHead::Super | RawHead::Value(_) => false,
        }
    }

    /// True if a name is a local variable or a type parameter itself, which the graph does not contain.
    pub(super) fn is_local(&self, name: RawName<'a>) -> bool {
        match (name.head, name.path) {
            (RawHead::Bound(symbol), [_]) => self.get(symbol).is_local(),
            _ => false,
        }
    }

    /// True if a name is a local variable with a hint.
    pub(super) fn is_known_local(&self, name: RawName<'a>) -> bool {
        match (name.head, name.path) {
            (RawHead::Bound(symbol), [_]) => matches!(self.get(symbol), Binding::Local(_)),
            _ => false,
        }
    }

    /// Returns the declaration of this file that a name starts at.
    pub(super) fn declared(&self, name: RawName<'a>) -> Option<LocalSymbol> {
        match name.head {
            RawHead::Bound(symbol) => match self.get(symbol) {
                Binding::Symbol(symbol) => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the declaration for `exports.name` or `module.exports.name`, and the number of segments before its name.
    fn exported(&self, path: &[&str]) -> Option<(LocalSymbol, usize)> {
        let at = match path {
            ["exports", _, ..] => 1,
            ["module", "exports"] => return self.exports.get("default").map(|symbol| (*symbol, 1)),
            ["module", "exports", _, ..] => 2,
            _ => return None,
        };
        self.exports.get(path[at]).map(|symbol| (*symbol, at))
    }

    pub(super) fn resolve(&self, name: RawName<'a>) -> NameRef {
        self.resolve_within(name, HINT_DEPTH)
    }

    fn resolve_within(&self, name: RawName<'a>, depth: u32) -> NameRef {
        let hint = |hint| self.hint_within(hint, depth).map(Box::new);
        let mut path = name.path;
        let head = match name.head {
            RawHead::Free => match self.exported(path) {
                Some((symbol, at)) => {
                    path = &path[at..];
                    Head::Symbol(symbol)
                }
                None => Head::Free,
            },
            RawHead::SelfType => Head::SelfType,
            RawHead::Super => Head::Super,
            RawHead::Import(import) => Head::Import(import),
            RawHead::Value(value) => Head::Value(value.and_then(|value| hint(*value))),
            RawHead::Bound(symbol) => match self.get(symbol) {
                Binding::Symbol(symbol) => Head::Symbol(symbol),
                Binding::Import(import) => Head::Import(import),
                Binding::Local(local) => Head::Local(hint(*local)),
                Binding::TypeParameter(_) => Head::TypeParameter,
                Binding::Unknown
                    if self.scoping.symbol_flags(symbol).contains(SymbolFlags::TypeParameter) =>
                {
                    Head::TypeParameter
                }
                Binding::Unknown => Head::Local(None),
            },
        };
        NameRef::new(head, path.iter().copied())
    }

    /// Resolves the names of a hint; `None` if nothing is known.
    pub(super) fn hint(&self, hint: RawHint<'a>) -> Option<TypeHint> {
        self.hint_within(hint, HINT_DEPTH)
    }

    fn hint_within(&self, hint: RawHint<'a>, depth: u32) -> Option<TypeHint> {
        let depth = depth.checked_sub(1)?;
        let name = |name| self.resolve_within(name, depth);
        let part = |hint: &RawHint<'a>| self.hint_within(*hint, depth).unwrap_or(TypeHint::Unknown);
        let parts = |hints: &[RawHint<'a>]| hints.iter().map(part).collect();
        Some(match hint {
            RawHint::Unknown => return None,
            RawHint::Named(RawName { head: RawHead::Bound(symbol), path: [_], .. })
                if self.scoping.symbol_flags(symbol).contains(SymbolFlags::TypeParameter) =>
            {
                match self.get(symbol) {
                    Binding::TypeParameter(bound) => return self.hint_within(*bound, depth),
                    _ => return None,
                }
            }
            RawHint::Named(named) => TypeHint::Named(name(named)),
            RawHint::Generic(named, arguments) => TypeHint::Generic(name(named), parts(arguments)),
            RawHint::Function(parameters, result) => {
                TypeHint::Function(parts(parameters), Box::new(part(result)))
            }
            RawHint::Object(members) => {
                let members = members.iter().map(|(name, hint)| (Box::from(*name), part(hint)));
                TypeHint::Object(members.collect())
            }
            RawHint::OneOf(hints) => TypeHint::OneOf(parts(hints)),
            RawHint::Value(value) => TypeHint::Value(name(value)),
            RawHint::Result(callee) => TypeHint::Result(name(callee)),
            RawHint::Element(hint) => {
                TypeHint::Part(Part::Element, Box::new(self.hint_within(*hint, depth)?))
            }
            RawHint::Predicate(asserted) => {
                let asserted = self.hint_within(*asserted, depth)?;
                TypeHint::Generic(NameRef::free([TypeHint::PREDICATE]), Box::new([asserted]))
            }
            RawHint::Asserted(test, value) => {
                let either = TypeHint::OneOf(Box::new([TypeHint::Result(name(test)), part(value)]));
                TypeHint::Part(Part::Asserted, Box::new(either))
            }
            RawHint::Argument(callee, at) => TypeHint::Argument(name(callee), at),
            RawHint::Parameter(hint, at) => {
                TypeHint::Parameter(Box::new(self.hint_within(*hint, depth)?), at)
            }
        })
    }
}

/// Extractor of names from the tree.
pub(super) struct Names<'a> {
    pub(super) arena: &'a Allocator,
    source: &'a str,
    pub(super) bindings: Bindings<'a>,
    /// Meaning of `this` at the current node.
    pub(super) this: This<'a>,
    /// Variables whose types follow from tests around the current node, the innermost last.
    pub(super) narrowed: Vec<(SymbolId, &'a RawHint<'a>)>,
    /// Segments of the current name, last one first; kept to reuse its memory.
    segments: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn new(arena: &'a Allocator, source: &'a str, scoping: &'a Scoping) -> Self {
        let bindings = Bindings::new(scoping);
        let (narrowed, segments) = Default::default();
        Self { arena, source, bindings, this: This::Unknown, narrowed, segments }
    }

    /// Returns the source text of a span.
    pub(super) fn text(&self, span: oxc_span::Span) -> &'a str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Returns the name of an expression: an identifier, or members of an identifier, of `this` or of any other value.
    pub(super) fn of_expression(&mut self, expression: &Expression<'a>) -> Option<RawName<'a>> {
        self.of_expression_within(expression, HINT_DEPTH)
    }

    /// Returns the name of a member expression.
    pub(super) fn of_member(&mut self, member: &StaticMemberExpression<'a>) -> Option<RawName<'a>> {
        let object = self.of_expression(&member.object)?;
        Some(self.member(object, member.property.name.as_str(), member.property.span.start))
    }

    /// Returns the name of a member expression with a `#name`.
    pub(super) fn of_private_member(&mut self, member: &PrivateFieldExpression<'a>) -> Option<RawName<'a>> {
        let object = self.of_expression(&member.object)?;
        Some(self.member(object, self.text(member.field.span), member.field.span.start))
    }

    pub(super) fn of_expression_within(
        &mut self,
        expression: &Expression<'a>,
        depth: u32,
    ) -> Option<RawName<'a>> {
        let mut segments = std::mem::take(&mut self.segments);
        segments.clear();
        let mut at = None;
        let mut expression = unwrap(expression);
        let head = loop {
            let (object, name, span) = match expression {
                Expression::StaticMemberExpression(member) => {
                    (&member.object, member.property.name.as_str(), member.property.span)
                }
                Expression::PrivateFieldExpression(member) => {
                    (&member.object, self.text(member.field.span), member.field.span)
                }
                Expression::ComputedMemberExpression(member) => {
                    match self.computed_name(member, segments.is_empty()) {
                        Some(name) => (&member.object, name, member.expression.span()),
                        None => break None,
                    }
                }
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => {
                        (&member.object, member.property.name.as_str(), member.property.span)
                    }
                    ChainElement::PrivateFieldExpression(member) => {
                        (&member.object, self.text(member.field.span), member.field.span)
                    }
                    _ => break None,
                },
                Expression::Identifier(identifier) => {
                    segments.push(identifier.name.as_str());
                    at.get_or_insert(identifier.span.start);
                    break Some(self.head_of(identifier));
                }
                Expression::ThisExpression(this) => match self.this {
                    This::Own => {
                        segments.push("this");
                        at.get_or_insert(this.span.start);
                        break Some(RawHead::SelfType);
                    }
                    This::Typed(hint) => break Some(RawHead::Value(Some(hint))),
                    This::Unknown => break None,
                },
                Expression::Super(parent) => {
                    segments.push("super");
                    at.get_or_insert(parent.span.start);
                    break Some(RawHead::Super);
                }
                _ => break None,
            };
            segments.push(name);
            at.get_or_insert(span.start);
            expression = unwrap(object);
        };
        segments.reverse();
        let path: &'a [&'a str] = self.arena.alloc_slice_copy(&segments);
        self.segments = segments;
        // `at` is set with the first segment, so an expression without segments ends here.
        let at = at?;
        let head = match head {
            Some(head) => head,
            None => RawHead::Value(self.hint_within(expression, depth).map(|hint| &*self.arena.alloc(hint))),
        };
        Some(RawName { head, path, at })
    }

    /// Returns the name of a member with a computed key in the form of its declaration: a string, a member of `Symbol`,
    /// or a key that is not an earlier local variable. A key of the last form is treated as an index if something
    /// follows the member.
    fn computed_name(&self, member: &ComputedMemberExpression<'a>, is_last: bool) -> Option<&'a str> {
        let key = &member.expression;
        let first = match key {
            Expression::StringLiteral(name) => return Some(name.value.as_str()),
            Expression::StaticMemberExpression(member) => &member.object,
            key => key,
        };
        let Expression::Identifier(first) = first else { return None };
        let is_same = match self.head_of(first) {
            RawHead::Free => first.name == "Symbol",
            head => is_last && !self.bindings.stays_local(head, first.span.start),
        };
        let span = key.span();
        let (start, end) = (span.start.checked_sub(1)?, span.end + 1);
        let text = self.source.get(start as usize..end as usize)?;
        (is_same && text.starts_with('[') && text.ends_with(']')).then_some(text)
    }

    /// Returns the offset under which the call of an expression is recorded: of its last segment, of the expression that
    /// an index selects from, or of the end of an expression without a name.
    pub(super) fn callee_at(&self, callee: &Expression<'a>) -> Option<u32> {
        Some(match value_of(callee) {
            Expression::Identifier(identifier) => identifier.span.start,
            Expression::StaticMemberExpression(member) => member.property.span.start,
            Expression::PrivateFieldExpression(member) => member.field.span.start,
            Expression::ComputedMemberExpression(member) => match self.computed_name(member, true) {
                Some(_) => member.expression.span().start,
                None => member.span.start,
            },
            callee @ (Expression::CallExpression(_)
            | Expression::ConditionalExpression(_)
            | Expression::LogicalExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)) => callee.span().end.checked_sub(1)?,
            _ => return None,
        })
    }

    /// True if an expression is `this`, or a local variable with a written type.
    pub(super) fn is_instance(&self, expression: &Expression<'a>) -> bool {
        match expression {
            Expression::ThisExpression(_) => true,
            Expression::Identifier(identifier) => match self.head_of(identifier) {
                RawHead::Bound(symbol) => self.bindings.has_type(symbol),
                _ => false,
            },
            _ => false,
        }
    }

    /// True if the members of `object` may be members of something that the file declares or imports, of `this`, or of
    /// a local variable with a written type.
    pub(super) fn may_have_fields(&self, object: &Expression<'a>) -> bool {
        let mut object = unwrap(object);
        loop {
            object = match object {
                Expression::StaticMemberExpression(member) => unwrap(&member.object),
                Expression::PrivateFieldExpression(member) => unwrap(&member.object),
                Expression::Identifier(identifier) => {
                    return match self.head_of(identifier) {
                        RawHead::Free => matches!(identifier.name.as_str(), "exports" | "module"),
                        RawHead::Bound(symbol) if self.bindings.has_type(symbol) => true,
                        head => !self.bindings.stays_local(head, identifier.span.start),
                    };
                }
                other => return matches!(other, Expression::ThisExpression(_)),
            };
        }
    }

    pub(super) fn of_type_name(&mut self, name: &TSTypeName<'a>) -> Option<RawName<'a>> {
        match name {
            TSTypeName::IdentifierReference(identifier) => Some(self.of_identifier(identifier)),
            TSTypeName::ThisExpression(this) => self.own_this(this.span.start),
            TSTypeName::QualifiedName(qualified) => self.of_qualified_name(qualified),
        }
    }

    pub(super) fn of_qualified_name(&mut self, name: &TSQualifiedName<'a>) -> Option<RawName<'a>> {
        let left = self.of_type_name(&name.left)?;
        Some(self.member(left, name.right.name.as_str(), name.right.span.start))
    }

    pub(super) fn of_identifier(&mut self, identifier: &IdentifierReference<'a>) -> RawName<'a> {
        let path = self.arena.alloc_slice_copy(&[identifier.name.as_str()]);
        RawName { head: self.head_of(identifier), path, at: identifier.span.start }
    }

    /// Returns the name of a declaration where it is declared.
    pub(super) fn of_binding(&self, identifier: &BindingIdentifier<'a>) -> RawName<'a> {
        let head = identifier.symbol_id.get().map_or(RawHead::Free, RawHead::Bound);
        RawName {
            head,
            path: self.arena.alloc_slice_copy(&[identifier.name.as_str()]),
            at: identifier.span.start,
        }
    }

    /// Returns the name of a JSX element, if it is a component and not an HTML element.
    pub(super) fn of_element(&mut self, name: &JSXElementName<'a>) -> Option<RawName<'a>> {
        match name {
            JSXElementName::IdentifierReference(identifier) => Some(self.of_identifier(identifier)),
            JSXElementName::MemberExpression(member) => self.of_jsx_member(member),
            _ => None,
        }
    }

    fn of_jsx_member(&mut self, member: &JSXMemberExpression<'a>) -> Option<RawName<'a>> {
        let object = match &member.object {
            JSXMemberExpressionObject::IdentifierReference(identifier) => self.of_identifier(identifier),
            JSXMemberExpressionObject::MemberExpression(inner) => self.of_jsx_member(inner)?,
            JSXMemberExpressionObject::ThisExpression(this) => self.own_this(this.span.start)?,
        };
        Some(self.member(object, member.property.name.as_str(), member.property.span.start))
    }

    /// Returns the name `qualifier` in the module of `import`.
    pub(super) fn of_import_type(
        &mut self,
        import: LocalImport,
        qualifier: &TSImportTypeQualifier<'a>,
    ) -> RawName<'a> {
        match qualifier {
            TSImportTypeQualifier::Identifier(name) => {
                let path = self.arena.alloc_slice_copy(&[name.name.as_str()]);
                RawName { head: RawHead::Import(import), path, at: name.span.start }
            }
            TSImportTypeQualifier::QualifiedName(qualified) => {
                let left = self.of_import_type(import, &qualified.left);
                self.member(left, qualified.right.name.as_str(), qualified.right.span.start)
            }
        }
    }

    fn head_of(&self, identifier: &IdentifierReference<'_>) -> RawHead<'a> {
        self.bindings.symbol_of(identifier).map_or(RawHead::Free, RawHead::Bound)
    }

    /// Returns the name `this` if it is an instance of the enclosing declared class or object.
    pub(super) fn own_this(&self, at: u32) -> Option<RawName<'a>> {
        let name = RawName { head: RawHead::SelfType, path: &["this"], at };
        matches!(self.this, This::Own).then_some(name)
    }

    pub(super) fn member(&mut self, object: RawName<'a>, name: &'a str, at: u32) -> RawName<'a> {
        let mut path = std::mem::take(&mut self.segments);
        path.clear();
        path.extend_from_slice(object.path);
        path.push(name);
        let member = RawName { path: self.arena.alloc_slice_copy(&path), at, ..object };
        self.segments = path;
        member
    }
}

/// Strips syntax that changes neither the value of an expression nor its members: parentheses, `!`, `satisfies`, type
/// arguments.
pub(super) fn unwrap<'e, 'a>(mut expression: &'e Expression<'a>) -> &'e Expression<'a> {
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::TSNonNullExpression(inner) => &inner.expression,
            Expression::TSSatisfiesExpression(inner) => &inner.expression,
            Expression::TSInstantiationExpression(inner) => &inner.expression,
            _ => return expression,
        };
    }
}

/// Strips casts as well, down to the expression that makes up a declaration's value.
pub(super) fn value_of<'e, 'a>(mut expression: &'e Expression<'a>) -> &'e Expression<'a> {
    loop {
        expression = match unwrap(expression) {
            Expression::TSAsExpression(cast) => &cast.expression,
            Expression::TSTypeAssertion(cast) => &cast.expression,
            other => return other,
        };
    }
}

/// True if a type name is the keyword of `as const`.
pub(super) fn is_const(name: &TSTypeName<'_>) -> bool {
    matches!(name, TSTypeName::IdentifierReference(identifier) if identifier.name == "const")
}

/// Returns the first segment of a qualifier.
pub(super) fn first_segment<'a>(qualifier: &TSImportTypeQualifier<'a>) -> &'a str {
    match qualifier {
        TSImportTypeQualifier::Identifier(name) => name.name.as_str(),
        TSImportTypeQualifier::QualifiedName(qualified) => first_segment(&qualified.left),
    }
}

/// Converts the span of an oxc node.
pub(super) fn span_of(node: &impl GetSpan) -> sscg_core::Span {
    let span = node.span();
    sscg_core::Span::new(span.start, span.end)
}
