//! Lexical scopes for grammars that come without name resolution.
//!
//! A frontend opens and closes scopes while it walks, declares names in them, and asks for names in the scope
//! where they were used. Resolution runs after the walk ([`Scopes::resolve`]), because most languages allow
//! the use of a name before its declaration.

use rustc_hash::FxHashMap;
use sscg_core::{Head, LocalImport, LocalSymbol, NameRef, Part, TypeHint};

/// A scope of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(u32);

/// Who sees a scope's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// Everything inside it: a function, a block, a file.
    Lexical,
    /// Only code that stands directly in it: a Python class body, whose names its methods do not see.
    Members,
    /// Everything inside it, but nothing around it: a Rust module.
    Isolated,
    /// Everything inside it; of the scopes around it declarations and imports show through, local variables
    /// and type parameters do not: a Rust `fn` inside another.
    Item,
}

/// What a name is declared as.
#[derive(Clone, Debug)]
pub(crate) enum Binding<'s> {
    Symbol(LocalSymbol),
    Import(LocalImport),
    /// A parameter or variable, with what the text says of its type.
    Local(Option<RawHint<'s>>),
    TypeParameter,
}

/// A name as written, before its head is looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawName<'s> {
    pub(crate) base: Base<'s>,
    pub(crate) path: Vec<&'s str>,
}

/// Where the path of a [`RawName`] starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base<'s> {
    /// At a name to look up in the scopes: `path[0]`.
    Scope,
    /// Like `Scope`, where the syntax rules out that a variable is meant: a type, or the `a` of `a::b`.
    Item,
    /// At the enclosing type or an instance of it; `path[0]` is `self` or the like.
    SelfType,
    /// At the enclosing type's parent; `path[0]` is `super`.
    Super,
    /// At the members of a value without a name.
    Value(Option<Box<RawHint<'s>>>),
}

/// A [`TypeHint`] before its names are looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RawHint<'s> {
    Named(RawName<'s>),
    Typed(RawType<'s>),
    Result(RawName<'s>),
    Value(RawName<'s>),
    Part(Part, Box<RawHint<'s>>),
    Handed(RawName<'s>, u8),
    /// A hint whose names mean what they mean in another scope than that of the variable.
    In(ScopeId, Box<RawHint<'s>>),
}

/// A written type before its names are looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawType<'s> {
    pub(crate) name: RawName<'s>,
    pub(crate) arguments: Vec<RawType<'s>>,
}

impl<'s> RawName<'s> {
    /// A name whose first segment is to be looked up.
    pub(crate) fn scoped(path: Vec<&'s str>) -> Self {
        Self { base: Base::Scope, path }
    }
}

struct Scope<'s> {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    names: FxHashMap<&'s str, Binding<'s>>,
}

/// All scopes of one file.
#[derive(Default)]
pub(crate) struct Scopes<'s> {
    scopes: Vec<Scope<'s>>,
}

/// How deep a hint's own names are followed (`a = f(); b = a.g(); ...`).
const HINT_DEPTH: u32 = 8;

impl<'s> Scopes<'s> {
    /// A new scope inside `parent`.
    pub(crate) fn open(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        self.scopes.push(Scope { parent, kind, names: FxHashMap::default() });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Declares `name`. A declaration or import wins over a variable of the same name; of two variables of
    /// the same name that differ in type, the type is unknown, since which one is meant depends on the place.
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

    /// Makes `name` a variable of unknown type, whatever it was declared as.
    pub(crate) fn overwrite(&mut self, scope: ScopeId, name: &'s str) {
        self.scopes[scope.0 as usize].names.insert(name, Binding::Local(None));
    }

    /// The name with its head looked up from `scope` outwards.
    pub(crate) fn resolve(&self, scope: ScopeId, name: &RawName<'s>) -> NameRef {
        self.resolve_within(scope, name, HINT_DEPTH)
    }

    /// Whether a declaration or import is what `name` means in `scope`.
    pub(crate) fn names_item(&self, scope: ScopeId, name: &str) -> bool {
        matches!(self.lookup(scope, name), Some((_, Binding::Symbol(_) | Binding::Import(_))))
    }

    /// The hint with its names looked up; `None` if it leads too far, or to a variable of unknown type.
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
            RawHint::Typed(ty) => self.resolve_type(scope, ty),
            RawHint::Result(name) => TypeHint::Result(self.resolve_within(scope, name, depth)),
            RawHint::Value(name) => {
                let name = self.resolve_within(scope, name, depth);
                match name.head {
                    // A variable's type is known as well as its value's.
                    Head::Local(hint) if name.path.len() == 1 => return hint.map(|hint| *hint),
                    _ => TypeHint::Value(name),
                }
            }
            RawHint::Part(part, whole) => {
                TypeHint::Part(*part, Box::new(self.hint_within(scope, whole, depth)?))
            }
            RawHint::Handed(name, place) => TypeHint::Handed(self.resolve_within(scope, name, depth), *place),
            RawHint::In(scope, hint) => return self.hint_within(*scope, hint, depth + 1),
        })
    }

    /// The type with its names looked up.
    pub(crate) fn resolve_type(&self, scope: ScopeId, ty: &RawType<'s>) -> TypeHint {
        let name = self.resolve(scope, &ty.name);
        if ty.arguments.is_empty() {
            return TypeHint::Named(name);
        }
        TypeHint::Generic(
            name,
            ty.arguments.iter().map(|argument| self.resolve_type(scope, argument)).collect(),
        )
    }

    /// What `scope` itself declares `name` as.
    pub(crate) fn own(&self, scope: ScopeId, name: &str) -> Option<&Binding<'s>> {
        self.scopes[scope.0 as usize].names.get(name)
    }

    /// What `name` means in `scope`, and the scope that declares it.
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
