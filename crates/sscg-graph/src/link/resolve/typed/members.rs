//! Members of types, with the arguments of the types.

use std::rc::Rc;

use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, Relation, Symbol, SymbolKind, TypeHint};

use super::{Bindings, MAX_SUPERTYPE_DEPTH, Supertypes, Ty};
use crate::link::resolve::Linker;
use crate::link::resolve::choose::same_parameters;
use crate::link::resolve::shape::HintScope;
use crate::link::signature::is_explicit;
use crate::link::tables::{Decl, MOST_OF_A_NAME};

/// Maximum number of supertypes of a type.
const MOST_SUPERTYPES: usize = 64;

/// Maximum number of methods of one name among which a call selects.
pub(super) const MOST_METHODS: usize = MOST_OF_A_NAME;

/// Maximum number of methods that are compared with the arguments of a call if there are [`MOST_METHODS`] or more, where the
/// choice is a guess.
pub(super) const MAX_COMPARED: usize = 16;

/// Method that a call may run.
#[derive(Clone)]
pub(super) struct Candidate<'a> {
    pub(super) method: Decl,
    /// Type that declares it, with its arguments.
    pub(super) owner: Ty<'a>,
    /// Number of types between the receiver's type and that which first declares the method.
    pub(super) level: usize,
}

impl<'a> Linker<'a> {
    /// Returns the parts in which a type is declared.
    fn parts(&self, ty: Decl) -> impl Iterator<Item = Decl> {
        std::iter::once(ty).chain(self.blocks(ty).iter().copied())
    }

    /// Returns the supertypes of a type of the project, as its declaration names them and theirs, nearest first.
    fn declared_supertypes(&self, ty: Decl) -> Rc<[Ty<'a>]> {
        let known = self.typed.supertypes.borrow().get(&ty).cloned();
        let (found, confidence) = match known {
            Some(known) => known,
            None if self.typed.supertype_depth.get() < MAX_SUPERTYPE_DEPTH && self.typed.step() => {
                self.collect_supertypes(ty)
            }
            None => {
                self.typed.is_chain_cut.set(true);
                return Rc::new([]);
            }
        };
        self.typed.depend_on(confidence);
        found
    }

    fn collect_supertypes(&self, ty: Decl) -> Supertypes<'a> {
        let depth = self.typed.supertype_depth.get();
        self.typed.supertype_depth.set(depth + 1);
        // A cycle of types ends here.
        self.typed.supertypes.borrow_mut().insert(ty, (Rc::new([]), Confidence::Exact));
        let found = self.typed.noting(|| self.read_supertypes(ty));
        self.typed.supertype_depth.set(depth);
        // The nearest supertypes of the first type of a chain are complete.
        let is_complete = !self.typed.is_chain_cut.get() || depth == 0;
        let mut known = self.typed.supertypes.borrow_mut();
        if is_complete && self.typed.has_steps() {
            known.insert(ty, found.clone());
        } else {
            known.remove(&ty);
        }
        if depth == 0 {
            self.typed.is_chain_cut.set(false);
        }
        found
    }

    fn read_supertypes(&self, ty: Decl) -> Rc<[Ty<'a>]> {
        let mut found: Vec<Ty<'a>> = Vec::new();
        let mut own: Vec<Ty<'a>> = Vec::new();
        for part in self.parts(ty) {
            let hint =
                self.symbol(part).ty.as_ref().filter(|_| self.symbol(part).kind != SymbolKind::TypeAlias);
            let Some(TypeHint::OneOf(bases)) = hint else { continue };
            own.extend(bases.iter().map(|base| self.written_type(HintScope::of(part), base)));
        }
        for base in own {
            let inherited = self.supertypes_of(&base);
            for ty in std::iter::once(base).chain(inherited.iter().cloned()) {
                if found.len() < MOST_SUPERTYPES && !found.contains(&ty) {
                    found.push(ty);
                }
            }
        }
        // Classes come before interfaces.
        found.sort_by_key(|ty| matches!(ty, Ty::Of(ty, _) if self.symbol(*ty).kind == SymbolKind::Interface));
        found.into()
    }

    /// Returns the supertypes of a type, nearest first.
    pub(super) fn supertypes_of(&self, ty: &Ty<'a>) -> Rc<[Ty<'a>]> {
        match ty {
            Ty::Of(declared, arguments) => {
                let supertypes = self.declared_supertypes(*declared);
                let bindings = self.bindings_of(*declared, arguments);
                if bindings.is_empty() {
                    return supertypes;
                }
                supertypes.iter().map(|ty| ty.with(&bindings)).collect()
            }
            Ty::Parameter(owner, name) => {
                let mut found = Vec::new();
                for part in self.parts(*owner) {
                    let bounds = self.symbol(part).bounds.iter().filter(|bound| *bound.parameter == **name);
                    for bound in bounds {
                        let bound = self.written_type(HintScope::of(part), &bound.ty);
                        if found.len() < MOST_SUPERTYPES && !found.contains(&bound) {
                            let inherited = match &bound {
                                // Bounds of bounds are seldom, and may be cyclic.
                                Ty::Of(..) => self.supertypes_of(&bound),
                                _ => Rc::new([]),
                            };
                            found.push(bound);
                            found.extend(inherited.iter().cloned());
                        }
                    }
                }
                found.into()
            }
            _ => Rc::new([]),
        }
    }

    /// Returns the base class of a type.
    pub(super) fn base_of(&self, ty: &Ty<'a>) -> Ty<'a> {
        self.supertypes_of(ty).first().cloned().unwrap_or(Ty::Unknown)
    }

    /// Returns the types for the type parameters of a declared type.
    pub(super) fn bindings_of(&self, ty: Decl, arguments: &[Ty<'a>]) -> Bindings<'a> {
        let parameters = self.symbol(ty).type_parameters.iter();
        let bound =
            parameters.zip(arguments).map(|(parameter, argument)| (ty, &*parameter.name, argument.clone()));
        bound.filter(|(owner, name, ty)| *ty != Ty::Parameter(*owner, name)).collect()
    }

    /// Returns the types for the type parameters of the type that owns a member.
    pub(super) fn bindings_in(&self, owner: &Ty<'a>) -> Bindings<'a> {
        match owner {
            Ty::Of(ty, arguments) => self.bindings_of(*ty, arguments),
            _ => Vec::new(),
        }
    }

    /// Returns a type and its supertypes.
    fn with_supertypes(&self, ty: &Ty<'a>) -> impl Iterator<Item = Ty<'a>> {
        let supertypes = self.supertypes_of(ty);
        let own = std::iter::once(ty.clone());
        own.chain((0..supertypes.len()).map(move |at| supertypes[at].clone()))
    }

    /// Returns the type of a member of a value: a field or property, a nested type, methods.
    pub(super) fn member_type(&self, of: &Ty<'a>, name: &'a str) -> Ty<'a> {
        match of {
            Ty::Unknown | Ty::Literal(..) => Ty::Unknown,
            // `value?.Member` is one of the value.
            Ty::Outside(TypeHint::NULLABLE, value) if !matches!(name, "Value" | "HasValue") => {
                self.member_type(&value[0], name)
            }
            Ty::Outside(..) => self.outside_member(of, name),
            Ty::Functions(_) => Ty::Unknown,
            Ty::Of(..) | Ty::Parameter(..) => {
                let found = self.with_supertypes(of).find_map(|owner| match &owner {
                    Ty::Of(ty, _) => {
                        let members = self.own_member(*ty, name, Relation::References)?;
                        Some(self.declared_member(&owner, &members))
                    }
                    outside => Some(self.outside_member(outside, name)).filter(|ty| *ty != Ty::Unknown),
                });
                found.unwrap_or(Ty::Unknown)
            }
        }
    }

    fn declared_member(&self, owner: &Ty<'a>, members: &[Decl]) -> Ty<'a> {
        let is_value = |it: &&Decl| {
            let kind = self.symbol(**it).kind;
            !kind.is_callable() && !kind.is_type()
        };
        let values: Vec<Decl> = members.iter().filter(is_value).copied().collect();
        let meant = if values.is_empty() { members } else { &values };
        self.type_of_declarations(meant).with(&self.bindings_in(owner))
    }

    /// Returns the type of a field of a value.
    pub(super) fn field_of(&self, of: &Ty<'a>, name: &str) -> Option<Ty<'a>> {
        self.with_supertypes(of).find_map(|owner| {
            let Ty::Of(ty, _) = &owner else { return None };
            let members = self.own_member(*ty, name, Relation::References)?;
            Some(self.declared_member(&owner, &members))
        })
    }

    /// Returns the type of a value that a type around some code, or a supertype of it, declares.
    pub(super) fn around_member(&self, place: HintScope, name: &'a str) -> Option<Ty<'a>> {
        let types = self.types_around(place.file, place.from);
        types.iter().find_map(|around| {
            self.with_supertypes(around).enumerate().find_map(|(level, owner)| {
                let Ty::Of(ty, _) = &owner else { return None };
                let mut members = self.own_member(*ty, name, Relation::References)?;
                members.retain(|it| {
                    let symbol = self.symbol(*it);
                    symbol.kind != SymbolKind::Constructor && (level == 0 || !is_private(symbol))
                });
                (!members.is_empty()).then(|| self.declared_member(&owner, &members))
            })
        })
    }

    /// Returns the methods of a name that a value has. Of those that override each other, the nearest one counts.
    pub(super) fn methods_of(&self, of: &Ty<'a>, name: &str) -> Vec<Candidate<'a>> {
        let mut found: Vec<Candidate<'a>> = Vec::new();
        for (level, owner) in self.with_supertypes(of).enumerate() {
            let Ty::Of(ty, _) = &owner else {
                // What is overridden may be declared outside of the project.
                continue;
            };
            let nearer = found.len();
            for method in self.own_member(*ty, name, Relation::Calls).unwrap_or_default() {
                if found.len() == MOST_METHODS {
                    return found;
                }
                let symbol = self.symbol(method);
                let is_method = symbol.kind.is_callable() && symbol.kind != SymbolKind::Constructor;
                if !is_method || is_explicit(symbol) || level > 0 && is_private(symbol) {
                    continue;
                }
                let overriding = found[..nearer].iter_mut().find(|it| {
                    let other = self.symbol(it.method);
                    other.parameters.len() == symbol.parameters.len()
                        && other.type_parameters.len() == symbol.type_parameters.len()
                        && (same_parameters(other, symbol)
                            || other.modifiers.contains(Modifiers::OVERRIDE)
                                && self.overrides_by_types(it, method, &owner))
                });
                match overriding {
                    Some(nearer) if self.symbol(nearer.method).modifiers.contains(Modifiers::OVERRIDE) => {
                        nearer.level = level;
                    }
                    // It hides or implements the farther one.
                    Some(_) => {}
                    None => found.push(Candidate { method, owner: owner.clone(), level }),
                }
            }
        }
        found
    }

    /// Returns true if a method takes the same types as one of a supertype, whose parameters have arguments.
    fn overrides_by_types(&self, nearer: &Candidate<'a>, method: Decl, owner: &Ty<'a>) -> bool {
        let of = |method: Decl, owner: &Ty<'a>| -> Vec<Ty<'a>> {
            let bindings = self.bindings_in(owner);
            let own = &self.symbol(method).parameters;
            own.iter().map(|ty| self.written_type(HintScope::of(method), ty).with(&bindings)).collect()
        };
        of(nearer.method, &nearer.owner) == of(method, owner)
    }

    /// Returns the methods that a bare name in some code may call: those of the innermost type around it that has any.
    pub(super) fn methods_around(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &str,
    ) -> Vec<Candidate<'a>> {
        let types = self.types_around(file, from);
        types.iter().map(|ty| self.methods_of(ty, name)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the parameters and the result of a function type.
    pub(super) fn signature(&self, function: &Ty<'a>) -> Option<(Vec<Ty<'a>>, Ty<'a>)> {
        match function {
            Ty::Outside("Func", types) => {
                let (result, parameters) = types.split_last()?;
                Some((parameters.to_vec(), result.clone()))
            }
            Ty::Outside("Action", types) => Some((types.to_vec(), Ty::named(TypeHint::VOID))),
            Ty::Outside("Predicate", types) => Some((types.to_vec(), Ty::named("bool"))),
            Ty::Outside("Comparison", types) => {
                let ty = types.first()?;
                Some((vec![ty.clone(), ty.clone()], Ty::named("int")))
            }
            Ty::Outside("Converter", types) => Some((vec![types.first()?.clone()], types.get(1)?.clone())),
            Ty::Outside("EventHandler", types) => {
                let arguments = types.first().cloned().unwrap_or_else(|| Ty::named("EventArgs"));
                Some((vec![Ty::named("object"), arguments], Ty::named(TypeHint::VOID)))
            }
            Ty::Outside("Expression", types) => self.signature(types.first()?),
            Ty::Of(delegate, arguments) if self.symbol(*delegate).kind == SymbolKind::TypeAlias => {
                let bindings = self.bindings_of(*delegate, arguments);
                let symbol = self.symbol(*delegate);
                let place = HintScope::of(*delegate);
                let typed = |hint| self.written_type(place, hint).with(&bindings);
                Some((symbol.parameters.iter().map(typed).collect(), typed(symbol.ty.as_ref()?)))
            }
            _ => None,
        }
    }

    /// Returns the type of the value that a function literal returns.
    pub(super) fn literal_result(&self, literal: &Ty<'a>) -> Ty<'a> {
        let Ty::Literal(_, hint, place) = literal else {
            return match literal {
                Ty::Functions(methods) => self.result_of_functions(methods),
                other => self.signature(other).map_or(Ty::Unknown, |(_, result)| result),
            };
        };
        match hint {
            TypeHint::Generic(name, inner) if name.name() == TypeHint::ASYNC => {
                let value = inner.first().map_or(Ty::Unknown, |value| self.type_of_hint(*place, value));
                if value.is(TypeHint::VOID) { Ty::named("Task") } else { Ty::outside("Task", [value]) }
            }
            _ => self.type_of_hint(*place, hint),
        }
    }

    /// Returns the result of the functions of a name, if they agree on it.
    pub(super) fn result_of_functions(&self, functions: &[Decl]) -> Ty<'a> {
        let result = |it: &Decl| {
            let ty = self.symbol(*it).ty.as_ref()?;
            Some(self.written_type(HintScope::of(*it), ty))
        };
        let mut results = functions.iter().map(result);
        let first = results.next().flatten();
        match first {
            Some(first) if results.all(|it| it.as_ref() == Some(&first)) => first,
            _ => Ty::Unknown,
        }
    }
}

fn is_private(symbol: &Symbol) -> bool {
    symbol.modifiers.contains(Modifiers::PRIVATE)
}
