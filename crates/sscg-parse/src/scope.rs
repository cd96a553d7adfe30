//! Lexical scopes for grammars without name resolution.
//!
//! During its walk, a frontend opens scopes, declares names in them, and records each reference with its scope.
//! Resolution runs after the walk ([`Scopes::resolve`]), because most languages allow a reference before the
//! declaration.

use rustc_hash::FxHashMap;
use sscg_core::{Head, LocalImport, LocalSymbol, NameRef, Part, TypeHint};

/// Scope of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(u32);

/// Visibility of a scope's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// Visible everywhere inside: a function, a block, a file.
    Lexical,
    /// Visible only directly in the scope: a Python class body, whose names its methods do not see.
    Members,
    /// Visible everywhere inside; names of enclosing scopes are hidden: a Rust module.
    Isolated,
    /// Visible everywhere inside; of enclosing scopes, declarations and imports are visible, but not local variables
    /// and type parameters: a nested Rust `fn`.
    Item,
}

/// Meaning of a declared name.
#[derive(Clone, Debug)]
pub(crate) enum Binding<'s> {
    Symbol(LocalSymbol),
    Import(LocalImport),
    /// Parameter or variable, with its type if the text gives one.
    Local(Option<RawHint<'s>>),
    TypeParameter,
}

/// Name as written, before its head is resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawName<'s> {
    pub(crate) base: Base<'s>,
    pub(crate) path: Vec<&'s str>,
}

/// Start of the path of a [`RawName`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base<'s> {
    /// Name to resolve in the scopes: `path[0]`.
    Scope,
    /// Like `Scope`, where the syntax excludes variables: a type, or the `a` of `a::b`.
    Item,
    /// Enclosing type or an instance of it; `path[0]` is `self` or the like.
    SelfType,
    /// Supertype of the enclosing type; `path[0]` is `super`.
    Super,
    /// Members of an unnamed value.
    Value(Option<Box<RawHint<'s>>>),
}

/// [`TypeHint`] before its names are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RawHint<'s> {
    Named(RawName<'s>),
    Typed(RawType<'s>),
    Result(RawName<'s>),
    Value(RawName<'s>),
    Part(Part, Box<RawHint<'s>>),
    ClosureParameter(RawName<'s>, u8),
    /// Function with a result of this type.
    Function(RawType<'s>),
    /// See [`TypeHint::Argument`].
    Argument(RawName<'s>, u8),
    /// See [`TypeHint::Parameter`].
    Parameter(Box<RawHint<'s>>, u8),
    /// Hint whose names are resolved in another scope than that of the variable.
    In(ScopeId, Box<RawHint<'s>>),
    Unknown,
    /// Result of the call whose callee's name is at this offset.
    Call(u32),
    /// Value that the call at this offset takes as this argument.
    Passed(u32, u8),
    /// Tuple of these values.
    Tuple(Vec<Option<RawHint<'s>>>),
    /// Function literal: the written types of its parameters, and its result.
    Literal(Vec<Option<RawType<'s>>>, Box<RawHint<'s>>),
    /// Value of one of these types.
    OneOf(Vec<RawHint<'s>>),
    /// Argument with a name.
    Keyed(&'s str, Box<RawHint<'s>>),
    /// Result of an asynchronous function literal with this value.
    Async(Box<RawHint<'s>>),
}

/// Written type before its names are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawType<'s> {
    pub(crate) name: RawName<'s>,
    pub(crate) arguments: Vec<RawType<'s>>,
}

impl<'s> RawName<'s> {
    /// Creates a name whose first segment is to be resolved.
    pub(crate) fn scoped(path: Vec<&'s str>) -> Self {
        Self { base: Base::Scope, path }
    }
}

struct Scope<'s> {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    names: FxHashMap<&'s str, Binding<'s>>,
}

/// Scopes of one file.
#[derive(Default)]
pub(crate) struct Scopes<'s> {
    scopes: Vec<Scope<'s>>,
}

/// Maximum number of hints followed from one variable to the next (`a = f(); b = a.g(); ...`).
const HINT_DEPTH: u32 = 8;

/// The same for the values of a tuple.
const TUPLE_DEPTH: u32 = 3;

/// Maximum number of values of a tuple whose types are read.
const MOST_VALUES: usize = 8;

impl<'s> Scopes<'s> {
    /// Opens a scope inside `parent`.
    pub(crate) fn open(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        self.scopes.push(Scope { parent, kind, names: FxHashMap::default() });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Declares `name`. A declaration or import wins over a variable of the same name. If two variables of the same
    /// name differ in type, the type is unknown, because the meaning depends on the place.
    pub(crate) fn declare(&mut self, scope: ScopeId, name: &'s str, binding: Binding<'s>) {
        use std::collections::hash_map::Entry;
        match self.scopes[scope.0 as usize].names.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(binding);
            }
            Entry::Occupied(mut entry) => match (entry.get_mut(), binding) {
                (Binding::Local(known), Binding::Local(hint)) => {
                    if *known != hint {
                        *known = None;
                    }
                }
                (_, Binding::Local(_)) => {}
                (known, binding) => *known = binding,
            },
        }
    }

    /// Makes `name` a variable of unknown type, whatever its declaration.
    pub(crate) fn overwrite(&mut self, scope: ScopeId, name: &'s str) {
        self.scopes[scope.0 as usize].names.insert(name, Binding::Local(None));
    }

    /// Resolves the head of a name from `scope` outwards.
    pub(crate) fn resolve(&self, scope: ScopeId, name: &RawName<'s>) -> NameRef {
        self.resolve_within(scope, name, HINT_DEPTH)
    }

    /// True if `name` resolves to a declaration or import in `scope`.
    pub(crate) fn names_item(&self, scope: ScopeId, name: &str) -> bool {
        matches!(self.lookup(scope, name), Some((_, Binding::Symbol(_) | Binding::Import(_))))
    }

    /// Resolves the names of a hint; `None` if the chain of hints is too long or ends at a variable of unknown type.
    pub(crate) fn resolve_hint(&self, scope: ScopeId, hint: &RawHint<'s>) -> Option<TypeHint> {
        self.hint_within(scope, hint, HINT_DEPTH)
    }

    fn resolve_within(&self, scope: ScopeId, name: &RawName<'s>, depth: u32) -> NameRef {
        let hint = |scope, hint: &RawHint<'s>| self.hint_within(scope, hint, depth).map(Box::new);
        let head = match &name.base {
            Base::SelfType => Head::SelfType,
            Base::Super => Head::Super,
            Base::Value(value) => Head::Value(value.as_ref().and_then(|value| hint(scope, value))),
            Base::Scope | Base::Item => {
                match self.lookup_among(scope, name.path[0], name.base == Base::Scope) {
                    None => Head::Free,
                    Some((_, Binding::Symbol(symbol))) => Head::Symbol(*symbol),
                    Some((_, Binding::Import(import))) => Head::Import(*import),
                    Some((_, Binding::TypeParameter)) => Head::TypeParameter,
                    Some((at, Binding::Local(local))) => {
                        Head::Local(local.as_ref().and_then(|local| hint(at, local)))
                    }
                }
            }
        };
        NameRef::new(head, name.path.iter().copied())
    }

    fn hint_within(&self, scope: ScopeId, hint: &RawHint<'s>, depth: u32) -> Option<TypeHint> {
        let depth = depth.checked_sub(1)?;
        Some(match hint {
            RawHint::Named(name) => TypeHint::Named(self.resolve_within(scope, name, depth)),
            RawHint::Typed(ty) => self.type_within(scope, ty, depth),
            RawHint::Result(name) => TypeHint::Result(self.resolve_within(scope, name, depth)),
            RawHint::Value(name) => {
                let name = self.resolve_within(scope, name, depth);
                match name.head {
                    // The type of a variable is the type of its value.
                    Head::Local(hint) if name.path.len() == 1 => return hint.map(|hint| *hint),
                    _ => TypeHint::Value(name),
                }
            }
            RawHint::Part(part, whole) => {
                TypeHint::Part(*part, Box::new(self.hint_within(scope, whole, depth)?))
            }
            RawHint::ClosureParameter(name, place) => {
                TypeHint::ClosureParameter(self.resolve_within(scope, name, depth), *place)
            }
            RawHint::Function(result) => {
                TypeHint::Function(Box::default(), Box::new(self.type_within(scope, result, depth)))
            }
            RawHint::Argument(name, place) => {
                TypeHint::Argument(self.resolve_within(scope, name, depth), *place)
            }
            RawHint::Parameter(function, place) => {
                TypeHint::Parameter(Box::new(self.hint_within(scope, function, depth)?), *place)
            }
            RawHint::In(scope, hint) => return self.hint_within(*scope, hint, depth + 1),
            RawHint::Unknown => TypeHint::Unknown,
            RawHint::Call(at) => TypeHint::Call(*at),
            RawHint::Passed(at, argument) => TypeHint::Passed(*at, *argument),
            RawHint::Tuple(values) => {
                // Each level multiplies the number of hints.
                let below = depth.min(TUPLE_DEPTH);
                let known = |hint: &RawHint<'s>| self.hint_within(scope, hint, below);
                let value = |hint: &Option<RawHint<'s>>| hint.as_ref().and_then(known);
                let values =
                    values.iter().take(MOST_VALUES).map(|hint| value(hint).unwrap_or(TypeHint::Unknown));
                TypeHint::Generic(NameRef::free([TypeHint::TUPLE]), values.collect())
            }
            RawHint::Literal(parameters, result) => {
                let written = |ty: &RawType<'s>| self.type_within(scope, ty, depth);
                let parameters = parameters.iter().map(|ty| ty.as_ref().map_or(TypeHint::Unknown, written));
                let result = self.hint_within(scope, result, depth).unwrap_or(TypeHint::Unknown);
                TypeHint::Function(parameters.collect(), Box::new(result))
            }
            RawHint::OneOf(hints) => {
                let known = |hint| self.hint_within(scope, hint, depth).unwrap_or(TypeHint::Unknown);
                TypeHint::OneOf(hints.iter().map(known).collect())
            }
            RawHint::Keyed(name, hint) => {
                let hint = self.hint_within(scope, hint, depth).unwrap_or(TypeHint::Unknown);
                TypeHint::Object(Box::new([((*name).into(), hint)]))
            }
            RawHint::Async(result) => {
                let result = self.hint_within(scope, result, depth).unwrap_or(TypeHint::Unknown);
                TypeHint::Generic(NameRef::free([TypeHint::ASYNC]), Box::new([result]))
            }
        })
    }

    /// Resolves the names of a type.
    pub(crate) fn resolve_type(&self, scope: ScopeId, ty: &RawType<'s>) -> TypeHint {
        self.type_within(scope, ty, HINT_DEPTH)
    }

    fn type_within(&self, scope: ScopeId, ty: &RawType<'s>, depth: u32) -> TypeHint {
        let name = self.resolve_within(scope, &ty.name, depth);
        if ty.arguments.is_empty() {
            return TypeHint::Named(name);
        }
        let arguments = ty.arguments.iter().map(|argument| self.type_within(scope, argument, depth));
        TypeHint::Generic(name, arguments.collect())
    }

    /// Returns the binding of `name` in `scope` itself.
    pub(crate) fn own(&self, scope: ScopeId, name: &str) -> Option<&Binding<'s>> {
        self.scopes[scope.0 as usize].names.get(name)
    }

    /// Returns the meaning of `name` in `scope`, and the scope that declares it.
    pub(crate) fn lookup(&self, scope: ScopeId, name: &str) -> Option<(ScopeId, &Binding<'s>)> {
        self.lookup_among(scope, name, true)
    }

    fn lookup_among(&self, scope: ScopeId, name: &str, variables: bool) -> Option<(ScopeId, &Binding<'s>)> {
        let mut at = scope;
        let mut items_only = false;
        loop {
            let Scope { parent, kind, names } = &self.scopes[at.0 as usize];
            if (*kind != ScopeKind::Members || at == scope)
                && let Some(binding) = names.get(name)
                && !(items_only && matches!(binding, Binding::Local(_) | Binding::TypeParameter))
                && (variables || !matches!(binding, Binding::Local(_)))
            {
                return Some((at, binding));
            }
            match kind {
                ScopeKind::Isolated => return None,
                ScopeKind::Item => items_only = true,
                ScopeKind::Lexical | ScopeKind::Members => {}
            }
            at = (*parent)?;
        }
    }
}
