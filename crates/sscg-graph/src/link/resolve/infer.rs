//! Inference of values from the text: by their type, by their initializer, by the place they are passed to.

use sscg_core::{
    Confidence, FileId, Head, Id, LocalSymbol, Modifiers, NameRef, Part, Relation, SymbolKind, TypeHint,
};

use super::shape::{HintScope, Shape, Shapes};
use super::{Linker, NOT_DEFINED, Namespace, Resolution, ResolveError, ResolveResult};
use crate::graph::Origin;
use crate::link::languages::{ContainerMethod, GlobalType, Typing};
use crate::link::tables::Decl;

impl<'a> Linker<'a> {
    /// Returns the values that a hint describes.
    pub(super) fn hinted(&self, place: HintScope, hint: &'a TypeHint, depth: u32) -> Shapes<'a> {
        let depth = self.deeper(depth)?;
        if let TypeHint::Call(_) | TypeHint::Passed(..) | TypeHint::Parameter(..) | TypeHint::Part(..) = hint
            && let Some((ty, confidence)) = self.typed_hint(place, hint)
        {
            return Ok((vec![Shape::Declared(ty)], confidence));
        }
        match hint {
            TypeHint::Function(..) | TypeHint::Object(_) => {
                Ok((vec![Shape::Written(hint, place)], Confidence::Exact))
            }
            TypeHint::Named(name) => self.named(place, hint, name, &[], depth),
            TypeHint::Generic(name, arguments) => self.named(place, hint, name, arguments, depth),
            TypeHint::OneOf(hints) => collect(hints.iter().map(|hint| self.hinted(place, hint, depth))),
            TypeHint::Value(name) => {
                let (values, sure) = self.denoted(place, name, Relation::References, depth)?;
                let (values, known) = collect(values.into_iter().map(|value| self.held(value, depth)))?;
                Ok((values, known.min(sure)))
            }
            TypeHint::Result(callee) => {
                let (callees, sure) = self.denoted(place, callee, Relation::Calls, depth)?;
                let result = |it: Shape<'a>| {
                    let is_bound = match it {
                        Shape::Declared(declaration) => self.is_bound(place.file, callee, &[declaration]),
                        _ => false,
                    };
                    // `f.bind(..)` is another `f`.
                    if is_bound { self.held(it, depth) } else { self.result_of(it, depth) }
                };
                let (values, known) = collect(callees.into_iter().map(result))?;
                Ok((values, known.min(sure)))
            }
            TypeHint::Part(part, value) => self.part_of(place, *part, value, depth),
            TypeHint::Call(call) => {
                let callee = &self.called(place.file, *call)?.target;
                let (callees, sure) = self.denoted(place, callee, Relation::Calls, depth)?;
                let (values, known) =
                    collect(callees.into_iter().map(|callee| self.result_of(callee, depth)))?;
                Ok((values, known.min(sure)))
            }
            TypeHint::Passed(call, at) => {
                self.argument(place, &self.called(place.file, *call)?.target, *at, depth)
            }
            TypeHint::Unknown | TypeHint::ClosureParameter(..) => Err(ResolveError::ReceiverType),
            TypeHint::Argument(callee, at) => self.argument(place, callee, *at, depth),
            TypeHint::Parameter(function, at) => {
                let (functions, _) = self.hinted(place, function, depth)?;
                self.followed(
                    place.file,
                    functions.into_iter().map(|function| self.parameter_of(function, *at, depth)),
                )
            }
        }
    }

    /// Returns the values that a callee takes as an argument.
    fn argument(&self, place: HintScope, callee: &'a NameRef, at: u8, depth: u32) -> Shapes<'a> {
        let (callees, _) = self.denoted(place, callee, Relation::Calls, depth)?;
        self.followed(place.file, callees.into_iter().map(|callee| self.parameter_of(callee, at, depth)))
    }

    /// Returns a part of the value that a hint describes.
    fn part_of(&self, place: HintScope, part: Part, value: &'a TypeHint, depth: u32) -> Shapes<'a> {
        match part {
            Part::Indexed if self.rules(place.file).has_pointers() => {
                let (many, sure) = self.hinted(place, value, depth)?;
                let (values, known) = collect(many.into_iter().map(|many| self.indexed(many, depth)))?;
                Ok((values, known.min(sure)))
            }
            Part::Element | Part::Indexed => {
                let (many, _) = self.hinted(place, value, depth)?;
                self.followed(place.file, many.into_iter().map(|many| self.element_of(many, depth)))
            }
            Part::Place(at) => {
                let (tuples, sure) = self.hinted(place, value, depth)?;
                let (values, known) = collect(tuples.into_iter().map(|it| self.place_of(it, at, depth)))?;
                Ok((values, known.min(sure)))
            }
            Part::Success => self.hinted(place, value, depth),
            Part::Asserted => {
                let TypeHint::OneOf(values) = value else { return Err(ResolveError::ReceiverType) };
                let [test, otherwise] = &**values else { return Err(ResolveError::ReceiverType) };
                let asserted = self.hinted(place, test, depth).and_then(|(results, _)| {
                    let results = results.into_iter().map(|result| self.asserted(result, depth));
                    self.followed(place.file, results)
                });
                asserted.or_else(|_| self.hinted(place, otherwise, depth))
            }
            // Occurs only in hints for other languages.
            Part::Failure => Err(ResolveError::ReceiverType),
        }
    }

    /// Returns the values of a named type.
    fn named(
        &self,
        place: HintScope,
        hint: &'a TypeHint,
        name: &'a NameRef,
        arguments: &'a [TypeHint],
        depth: u32,
    ) -> Shapes<'a> {
        if matches!(name.name(), TypeHint::TUPLE | TypeHint::PREDICATE) && name.head == Head::Free {
            return Ok((vec![Shape::Written(hint, place)], Confidence::Exact));
        }
        if name.head == Head::TypeParameter {
            return self.bound_of(place, name.name(), depth);
        }
        let found = self.name(place.file, place.from, name, Relation::UsesType, depth);
        match found.map_err(unknown_type)? {
            (Resolution::External(path, Origin::StandardLibrary), sure) => {
                match self.rules(place.file).global_type(&path) {
                    Some(GlobalType::Same) => {
                        self.hinted(place, arguments.first().ok_or(ResolveError::ExternalType)?, depth)
                    }
                    Some(GlobalType::Result) => {
                        let (functions, _) =
                            self.hinted(place, arguments.first().ok_or(ResolveError::ExternalType)?, depth)?;
                        self.followed(
                            place.file,
                            functions.into_iter().map(|function| self.result_of(function, depth)),
                        )
                    }
                    Some(GlobalType::Holds(_)) if !arguments.is_empty() => {
                        Ok((vec![Shape::Written(hint, place)], sure))
                    }
                    _ => Err(ResolveError::ExternalType),
                }
            }
            (Resolution::Symbols(types), sure) => {
                let types = self.by_type_arity(types, arguments.len());
                let types = self.narrow(types, Relation::UsesType);
                Ok((shapes(Resolution::Symbols(types))?, sure))
            }
            (found, sure) => Ok((shapes(found)?, sure)),
        }
    }

    /// Returns the values of a type parameter: those of its bounds.
    fn bound_of(&self, place: HintScope, parameter: &str, depth: u32) -> Shapes<'a> {
        let around =
            self.context.self_and_ancestors(Decl::new(place.file, place.from.ok_or(ResolveError::Local)?));
        let bounds = around.flat_map(|it| {
            let bounds = self.symbol(it).bounds.iter().filter(|bound| *bound.parameter == *parameter);
            bounds.map(move |bound| (it, bound))
        });
        let found: Vec<_> =
            bounds.map(|(it, bound)| self.hinted(HintScope::of(it), &bound.ty, depth)).collect();
        collect(found.into_iter())
    }

    /// Returns the values that a name denotes: declarations, and values without one.
    fn denoted(&self, place: HintScope, name: &'a NameRef, relation: Relation, depth: u32) -> Shapes<'a> {
        if let (Head::Local(Some(hint)), [_]) = (&name.head, &*name.path) {
            // A function of an external type may return a value of any type.
            return self.hinted(place, hint, depth).map_err(|missing| match missing {
                ResolveError::ExternalType if relation == Relation::Calls => ResolveError::ReceiverType,
                other => other,
            });
        }
        let (found, sure) = self.name(place.file, place.from, name, relation, depth).map_err(unknown_type)?;
        Ok((shapes(self.narrowed(found, relation))?, sure))
    }

    /// Resolves a call of a local variable: its assigned function, or the call signature of its type.
    pub(super) fn called_value(&self, place: HintScope, hint: &'a TypeHint, depth: u32) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        if let TypeHint::Value(name) = hint {
            return match self.name(place.file, place.from, name, Relation::Calls, depth) {
                Ok((Resolution::Symbols(callees), sure)) => {
                    Ok((Resolution::Symbols(callees), sure.min(Confidence::Inferred)))
                }
                _ => Err(ResolveError::Local),
            };
        }
        let (values, _) = self.hinted(place, hint, depth).map_err(|_| ResolveError::Local)?;
        let signatures = values.into_iter().filter_map(Shape::declaration);
        let signatures = signatures.filter_map(|ty| self.member(ty, TypeHint::CALL, Relation::Calls, depth));
        let signatures: Vec<Decl> = signatures.flat_map(|(signatures, _)| signatures).collect();
        if signatures.is_empty() {
            Err(ResolveError::Local)
        } else {
            Ok((Resolution::Symbols(signatures), Confidence::Inferred))
        }
    }

    /// Returns the values of the type that a declaration states; for a function, of its result.
    pub(super) fn declared_type(&self, declaration: Decl, depth: u32) -> Shapes<'a> {
        let ty = self.symbol(declaration).ty.as_ref().ok_or(ResolveError::ReceiverType)?;
        self.hinted(HintScope::of(declaration), ty, depth)
    }

    /// Returns the value behind a declaration: the one that a variable or field holds.
    fn held(&self, value: Shape<'a>, depth: u32) -> Shapes<'a> {
        let Shape::Declared(declaration) = value else { return Ok((vec![value], Confidence::Exact)) };
        let symbol = self.symbol(declaration);
        let holds = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant)
            || symbol.modifiers.contains(Modifiers::ACCESSOR);
        // An object with functions is declared together with its members.
        if holds && symbol.ty.is_some() && !self.has_members(declaration) {
            self.declared_type(declaration, depth)
        } else {
            Ok((vec![value], Confidence::Exact))
        }
    }

    /// Returns the values that a result denotes, each the one that a variable or field holds.
    pub(super) fn values_of(
        &self,
        found: Resolution<'a>,
        depth: u32,
    ) -> Option<(Vec<Shape<'a>>, Confidence)> {
        let values = shapes(found).ok()?;
        collect(values.into_iter().map(|value| self.held(value, depth))).ok()
    }

    fn has_members(&self, declaration: Decl) -> bool {
        let symbols = &self.context.facts(declaration.file).symbols;
        let next = LocalSymbol::new(declaration.symbol.index() + 1);
        symbols.get(next).is_some_and(|next| next.parent == Some(declaration.symbol))
    }

    /// Returns the result of calling a value.
    fn result_of(&self, callee: Shape<'a>, depth: u32) -> Shapes<'a> {
        let depth = self.deeper(depth)?;
        match callee {
            Shape::Declared(declaration) => self.result_of_declared(declaration, depth),
            Shape::Written(TypeHint::Function(_, result), place) => self.hinted(place, result, depth),
            Shape::Method(held, place, method) => {
                let container = Shape::Written(held, place);
                match self.rules(place.file).container_method(method) {
                    Some(ContainerMethod::Element) => self.element_of(container, depth),
                    Some(ContainerMethod::Same) => Ok((vec![container], self.most(place.file))),
                    None => Err(ResolveError::ExternalType),
                }
            }
            Shape::Written(..) | Shape::Callback(..) => Err(ResolveError::ReceiverType),
        }
    }

    fn result_of_declared(&self, declaration: Decl, depth: u32) -> Shapes<'a> {
        let symbol = self.symbol(declaration);
        let instance = || Ok((vec![Shape::Declared(declaration)], Confidence::Exact));
        let result_of_type = || {
            let (functions, _) = self.declared_type(declaration, depth)?;
            self.followed(
                declaration.file,
                functions.into_iter().map(|function| self.result_of(function, depth)),
            )
        };
        match symbol.kind {
            SymbolKind::EnumMember => {
                let owner = self.context.parent(declaration).ok_or(ResolveError::ReceiverType)?;
                Ok((vec![Shape::Declared(owner)], Confidence::Exact))
            }
            SymbolKind::Interface => match self.member(declaration, TypeHint::CALL, Relation::Calls, depth) {
                Some((signatures, _)) => self.followed(
                    declaration.file,
                    signatures.into_iter().map(|signature| self.declared_type(signature, depth)),
                ),
                None => instance(),
            },
            SymbolKind::TypeAlias
                if symbol.ty.is_some() && self.rules(declaration.file).typing() == Typing::Dynamic =>
            {
                result_of_type()
            }
            kind if kind.is_type() => instance(),
            SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant
                if self.rules(declaration.file).merges_declarations() =>
            {
                result_of_type()
            }
            _ => {
                let (values, sure) = self.declared_type(declaration, depth)?;
                Ok((values, sure.min(self.most(declaration.file))))
            }
        }
    }

    /// Returns the values that a function takes at a position.
    fn parameter_of(&self, function: Shape<'a>, at: u8, depth: u32) -> Shapes<'a> {
        let depth = self.deeper(depth)?;
        let declaration = match function {
            Shape::Declared(declaration) => declaration,
            Shape::Written(TypeHint::Function(parameters, _), place) => {
                let parameter = parameters.get(usize::from(at)).ok_or(ResolveError::ReceiverType)?;
                return self.hinted(place, parameter, depth);
            }
            // A function type of the library lists the types of its parameters first.
            Shape::Written(TypeHint::Generic(_, types), place) if self.rules(place.file).has_packages() => {
                let parameter = types.get(usize::from(at)).ok_or(ResolveError::ReceiverType)?;
                return self.hinted(place, parameter, depth);
            }
            Shape::Method(held, place, method) if at == 0 => {
                return Ok((vec![Shape::Callback(held, place, method)], self.most(place.file)));
            }
            Shape::Callback(held, place, method) => {
                if self.rules(place.file).container_callback(method) != Some(at) {
                    return Err(ResolveError::ExternalType);
                }
                return self.element_of(Shape::Written(held, place), depth);
            }
            Shape::Written(..) | Shape::Method(..) => return Err(ResolveError::ReceiverType),
        };
        let symbol = self.symbol(declaration);
        let signature = match symbol.kind {
            SymbolKind::Class | SymbolKind::Component if !symbol.kind.is_callable() => Some("constructor"),
            SymbolKind::Interface => Some(TypeHint::CALL),
            _ => None,
        };
        if symbol.kind == SymbolKind::Interface && self.rules(declaration.file).has_overloads() {
            let method = self.functional_method(declaration).ok_or(ResolveError::ReceiverType)?;
            return self.parameter_of(Shape::Declared(method), at, depth);
        }
        if let Some(signature) = signature {
            let (signatures, _) = self
                .member(declaration, signature, Relation::Calls, depth)
                .ok_or(ResolveError::ReceiverType)?;
            let signatures = self.narrow(signatures, Relation::Calls).into_iter().map(Shape::Declared);
            return self.followed(
                declaration.file,
                signatures.map(|signature| self.parameter_of(signature, at, depth)),
            );
        }
        if let Some(parameter) = symbol.parameters.get(usize::from(at)) {
            return self.hinted(HintScope::of(declaration), parameter, depth);
        }
        if symbol.kind.is_callable() {
            return Err(ResolveError::ReceiverType);
        }
        let (functions, _) = self.declared_type(declaration, depth)?;
        self.followed(
            declaration.file,
            functions.into_iter().map(|function| self.parameter_of(function, at, depth)),
        )
    }

    /// Returns the values of the type that the result of a test asserts.
    fn asserted(&self, result: Shape<'a>, depth: u32) -> Shapes<'a> {
        match result {
            Shape::Written(TypeHint::Generic(name, types), place) if name.name() == TypeHint::PREDICATE => {
                self.hinted(place, types.first().ok_or(ResolveError::ReceiverType)?, depth)
            }
            _ => Err(ResolveError::ReceiverType),
        }
    }

    /// Returns the value at a position of a tuple. Any other value is the only one of its kind, at position 0.
    fn place_of(&self, tuple: Shape<'a>, at: u8, depth: u32) -> Shapes<'a> {
        match tuple {
            Shape::Written(TypeHint::Generic(name, types), place) if name.name() == TypeHint::TUPLE => {
                self.hinted(place, types.get(usize::from(at)).ok_or(ResolveError::ReceiverType)?, depth)
            }
            value if at == 0 => Ok((vec![value], Confidence::Exact)),
            _ => Err(ResolveError::ReceiverType),
        }
    }

    /// Returns what an index selects where pointers and arrays stand for what they hold.
    fn indexed(&self, many: Shape<'a>, depth: u32) -> Shapes<'a> {
        let depth = self.deeper(depth)?;
        match many {
            Shape::Declared(declaration) if self.symbol(declaration).kind == SymbolKind::TypeAlias => {
                let (many, sure) = self.declared_type(declaration, depth)?;
                let (values, known) = collect(many.into_iter().map(|many| self.indexed(many, depth)))?;
                Ok((values, known.min(sure)))
            }
            Shape::Declared(declaration) => {
                match self.member(declaration, "operator[]", Relation::Calls, depth) {
                    Some((operators, _)) => {
                        collect(operators.into_iter().map(|operator| self.declared_type(operator, depth)))
                    }
                    None => Ok((vec![many], Confidence::Exact)),
                }
            }
            other => self.element_of(other, depth),
        }
    }

    /// Returns the elements of a container.
    fn element_of(&self, many: Shape<'a>, depth: u32) -> Shapes<'a> {
        let depth = self.deeper(depth)?;
        match many {
            Shape::Written(TypeHint::Generic(name, arguments), place) => {
                let rules = self.rules(place.file);
                let container = rules.global_type(name.name()).or_else(|| {
                    match self.name(place.file, place.from, name, Relation::UsesType, depth) {
                        Ok((Resolution::External(path, _), _)) => rules.global_type(&path),
                        _ => None,
                    }
                });
                let Some(GlobalType::Holds(at)) = container else {
                    return Err(ResolveError::ExternalType);
                };
                let element = arguments.get(usize::from(at)).ok_or(ResolveError::ExternalType)?;
                let (values, _) = self.hinted(place, element, depth)?;
                Ok((values, self.most(place.file)))
            }
            Shape::Declared(declaration) => {
                if self.symbol(declaration).kind == SymbolKind::TypeAlias
                    && self.symbol(declaration).ty.is_some()
                {
                    let (many, _) = self.declared_type(declaration, depth)?;
                    return self.followed(
                        declaration.file,
                        many.into_iter().map(|many| self.element_of(many, depth)),
                    );
                }
                let facts = self.context.facts(declaration.file);
                let mut members = facts.children(declaration.symbol);
                if self.symbol(declaration).kind.is_type() {
                    // `[key: string]: Element` is a member named by its bracketed part.
                    let index = members.find(|member| facts.symbols[*member].name.starts_with('['));
                    let index = index.ok_or(ResolveError::ReceiverType)?;
                    return self.declared_type(Decl::new(declaration.file, index), depth);
                }
                if self.symbol(declaration).kind.is_callable() {
                    return Err(ResolveError::ReceiverType);
                }
                // Any member of an object may be selected.
                let members = members.map(|member| Shape::Declared(Decl::new(declaration.file, member)));
                let others = self.symbol(declaration).ty.as_ref();
                let others = others.filter(|ty| matches!(ty, TypeHint::Object(_)));
                let others =
                    others.map(|ty| self.element_of(Shape::Written(ty, HintScope::of(declaration)), depth));
                self.followed(declaration.file, members.map(|member| self.held(member, depth)).chain(others))
            }
            Shape::Written(TypeHint::Object(members), place) => {
                let elements = members.iter().map(|(name, hint)| {
                    let (values, sure) = self.hinted(place, hint, depth)?;
                    if **name != *TypeHint::SPREAD {
                        return Ok((values, sure));
                    }
                    collect(values.into_iter().map(|copied| self.element_of(copied, depth)))
                });
                self.followed(place.file, elements)
            }
            _ => Err(ResolveError::ExternalType),
        }
    }

    /// Returns the maximum confidence of a type that follows from the type of another value.
    fn most(&self, file: FileId) -> Confidence {
        match self.rules(file).typing() {
            Typing::Static => Confidence::Exact,
            Typing::Dynamic => Confidence::Inferred,
        }
    }

    /// Collects shapes that follow from those of other values.
    fn followed(&self, file: FileId, found: impl Iterator<Item = Shapes<'a>>) -> Shapes<'a> {
        let (shapes, confidence) = collect(found)?;
        Ok((shapes, confidence.min(self.most(file))))
    }

    /// Resolves a member that an object literal copies from another object or module: the last one that has it.
    fn copied_member(
        &self,
        members: &'a [(Box<str>, TypeHint)],
        place: HintScope,
        member: &'a str,
        wanted: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let copies = members.iter().rev().filter(|(name, _)| **name == *TypeHint::SPREAD);
        for (_, hint) in copies {
            let found = match hint {
                TypeHint::Value(name) => self
                    .name(place.file, place.from, name, Relation::References, depth)
                    .map(|(found, _)| found),
                hint => self.hinted(place, hint, depth).map(|(values, _)| Resolution::of(values)),
            };
            let depth = self.deeper(depth)?;
            let separator = self.rules(place.file).separator();
            if let Ok(found) = found
                && let Ok((found, _)) = self.step(found, member, separator, wanted, Namespace::Last, depth)
                && !matches!(found, Resolution::External(..))
            {
                return Ok((found, self.most(place.file)));
            }
        }
        Err(ResolveError::ReceiverType)
    }

    /// Resolves a member of a value without a declaration.
    pub(super) fn member_of_value(
        &self,
        value: Shape<'a>,
        member: &'a str,
        wanted: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        match value {
            Shape::Written(TypeHint::Object(members), place) => {
                let Some((_, hint)) = members.iter().find(|(name, _)| **name == *member) else {
                    return self.copied_member(members, place, member, wanted, depth);
                };
                // A function in an object literal is called through the object.
                if let TypeHint::Value(name) = hint
                    && let Ok(found) = self.name(place.file, place.from, name, wanted, depth)
                {
                    return Ok(found);
                }
                let (values, sure) = self.hinted(place, hint, depth)?;
                Ok((Resolution::Values(values), sure))
            }
            Shape::Written(TypeHint::Function(..), place) if self.runs_value(place.file, member, wanted) => {
                Ok((Resolution::Values(vec![value]), Confidence::Exact))
            }
            Shape::Written(held @ TypeHint::Generic(..), place) => {
                Ok((Resolution::Values(vec![Shape::Method(held, place, member)]), Confidence::Exact))
            }
            _ => Err(ResolveError::ReceiverType),
        }
    }
}

/// Collects the shapes of several values. If one is unknown, the others are at most inferred.
fn collect<'a>(found: impl Iterator<Item = Shapes<'a>>) -> Shapes<'a> {
    let mut all: Vec<Shape<'a>> = Vec::new();
    let mut confidence = Confidence::Exact;
    let mut missing = None;
    for shapes in found {
        match shapes {
            Ok((shapes, sure)) => {
                for shape in shapes {
                    if !all.contains(&shape) {
                        all.push(shape);
                    }
                }
                confidence = confidence.min(sure);
            }
            Err(why) => missing = Some(why),
        }
    }
    match missing {
        Some(missing) if all.is_empty() => Err(missing),
        Some(_) => Ok((all, confidence.min(Confidence::Inferred))),
        None if all.is_empty() => Err(ResolveError::ReceiverType),
        None => Ok((all, confidence)),
    }
}

fn shapes(found: Resolution<'_>) -> Result<Vec<Shape<'_>>, ResolveError> {
    match found {
        Resolution::Symbols(symbols) if !symbols.is_empty() => {
            Ok(symbols.into_iter().map(Shape::Declared).collect())
        }
        Resolution::Values(values) => Ok(values),
        Resolution::Symbols(_) | Resolution::Scope(_) => Err(ResolveError::ReceiverType),
        Resolution::External(..) => Err(ResolveError::ExternalType),
    }
}

/// Returns the reason why a value whose type is not resolved here has no members.
fn unknown_type(missing: ResolveError) -> ResolveError {
    match missing {
        NOT_DEFINED | ResolveError::ExternalType => ResolveError::ExternalType,
        ResolveError::Because(_) | ResolveError::Local | ResolveError::ReceiverType => {
            ResolveError::ReceiverType
        }
    }
}
