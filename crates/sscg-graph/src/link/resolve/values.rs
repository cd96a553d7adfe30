//! Types of values in statically typed languages: with their arguments, so that parts of a value have types too.

use sscg_core::{
    Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Part, Relation, Symbol, SymbolKind, TypeHint,
};

use super::{
    Linker, NO_MEMBER, NO_MODULE, NOT_IN_MODULE, OUTSIDE_SELF, Resolution, ResolveError, ResolveResult,
};
use crate::link::languages::{Shape, Signature};
use crate::link::tables::Decl;

/// Type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Type of the project. Several if they are the bounds of a type parameter, or declarations under different
    /// conditions.
    Declared(Vec<Decl>, Vec<Type>),
    /// External type, by its path.
    External(String, Vec<Type>),
    /// Unknown type.
    Unknown,
}

impl Type {
    fn external(name: &str, arguments: Vec<Type>) -> Self {
        Self::External(name.to_owned(), arguments)
    }

    fn arguments(&self) -> &[Type] {
        match self {
            Type::Declared(_, arguments) | Type::External(_, arguments) => arguments,
            Type::Unknown => &[],
        }
    }

    fn argument(&self, place: usize) -> Type {
        self.arguments().get(place).cloned().unwrap_or(Type::Unknown)
    }

    /// Returns the last segment of the name of an external type.
    fn library_name(&self) -> Option<&str> {
        match self {
            Type::External(path, _) => path.rsplit("::").next(),
            Type::Declared(..) | Type::Unknown => None,
        }
    }

    /// Returns true if a value of this type can be passed where `other` is declared, as far as both are known.
    pub(super) fn fits(&self, other: &Type) -> bool {
        let same_name = match (self, other) {
            (Type::Declared(types, _), Type::Declared(others, _)) => types == others,
            (Type::External(..), Type::External(..)) => self.library_name() == other.library_name(),
            _ => false,
        };
        let mut arguments = self.arguments().iter().zip(other.arguments());
        same_name && arguments.all(|(one, other)| [one, other].contains(&&Type::Unknown) || one.fits(other))
    }

    fn or_else(self, other: impl FnOnce() -> Type) -> Type {
        if self == Type::Unknown { other() } else { self }
    }

    /// Returns the n-th part of a tuple.
    fn place(&self, place: usize) -> Type {
        if self.library_name() == Some(TypeHint::TUPLE) { self.argument(place) } else { Type::Unknown }
    }
}

/// Substitutions for the names in a written type.
#[derive(Default)]
pub(super) struct Given<'g> {
    /// Type parameters with known types.
    parameters: Vec<(&'g str, Type)>,
    /// `Self`, if it is not the type that contains the code.
    this: Option<Type>,
    /// Set when the type is used outside its declaration, where its other parameters may stand for any type.
    from_elsewhere: bool,
}

/// Returns the type parameters of a declaration, without lifetimes, with their arguments.
fn parameters<'s>(declaration: &'s Symbol, arguments: &[Type]) -> Vec<(&'s str, Type)> {
    let parameters = declaration.type_parameters.iter().map(|it| &*it.name);
    parameters.filter(|name| !name.starts_with('\'')).zip(arguments.iter().cloned()).collect()
}

/// Map types: iterating over them yields pairs of key and value.
const MAPS: [&str; 4] = ["BTreeMap", "FxHashMap", "HashMap", "IndexMap"];

/// External functions that construct the type they belong to.
const MAKERS: [&str; 5] = ["default", "from", "from_iter", "new", "with_capacity"];

/// Maximum number of bounds followed for one type parameter.
const MAX_BOUNDS: u32 = 4;

impl<'a> Linker<'a> {
    /// Resolves a name that starts at a value.
    pub(super) fn value_path(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        relation: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        let receiver = self.receiver(file, from, name, depth)?;
        match self.member_of(file, &receiver, name.name(), relation, depth) {
            // A method for an external type does not call itself, which would not end: it calls the type's own method.
            Ok(((members, _), _))
                if self.external_type(&receiver).is_some()
                    && members.iter().all(|it| it.file == file && Some(it.symbol) == from) =>
            {
                let caller = Decl::new(file, from.expect("a member of it was found"));
                self.beside(caller, &receiver, name.name()).ok_or(ResolveError::ExternalType)
            }
            Ok(((members, sure), _)) => Ok((Resolution::Symbols(self.narrow(members, relation)), sure)),
            Err(missing) if relation == Relation::Calls && missing != ResolveError::ReceiverType => {
                let (members, sure) = self.extension(file, &receiver, name.name()).ok_or(missing)?;
                Ok((Resolution::Symbols(members), sure))
            }
            Err(missing) => Err(missing),
        }
    }

    /// Returns the same method of the same trait in the only other block for an external type: traits are implemented
    /// for a type and for references to it.
    fn beside(&self, caller: Decl, receiver: &Type, name: &str) -> Option<(Resolution<'a>, Confidence)> {
        let own = self.context.parent(caller)?;
        let is_of_trait = |block: Decl| {
            block != own
                && self.trait_of(block) == self.trait_of(own)
                && self.trait_name(block) == self.trait_name(own)
        };
        let methods = self.methods_for(caller.file, self.external_type(receiver)?, name);
        let mut methods = methods.filter(|(block, _)| is_of_trait(*block));
        match (methods.next(), methods.next()) {
            (Some((_, only)), None) => Some((Resolution::Symbols(vec![only]), Confidence::Inferred)),
            _ => None,
        }
    }

    /// Resolves a member of a constant.
    pub(super) fn member_of_constant(
        &self,
        constant: Decl,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        let receiver = self.type_of(&Type::Unknown, &[constant], depth);
        let ((members, sure), _) = self.member_of(constant.file, &receiver, name, wanted, depth)?;
        Ok((Resolution::Symbols(members), sure))
    }

    /// Returns the method that a trait of the project gives to a type that lacks it: by a block for that type, if it is
    /// external, or because no other trait has such a method.
    fn extension(&self, file: FileId, receiver: &Type, name: &str) -> Option<(Vec<Decl>, Confidence)> {
        let rules = self.rules(file);
        if rules.is_common_method(name) {
            return None;
        }
        let of_type: Vec<Decl> = self.methods_for(file, receiver, name).map(|(_, method)| method).collect();
        let of_traits: Vec<Decl> = self
            .methods_with_owners(file, name)
            .filter(|(owner, _)| self.context.peek(*owner).kind == SymbolKind::Trait)
            .map(|(_, method)| method)
            .collect();
        match (of_type.is_empty(), of_traits.len()) {
            (false, _) => Some((of_type, Confidence::Exact)),
            (true, 1) => Some((of_traits, Confidence::Inferred)),
            (true, _) => None,
        }
    }

    /// Returns the methods of a name with a receiver, in all files, each with its owner.
    fn methods_with_owners(&self, file: FileId, name: &str) -> impl Iterator<Item = (Decl, Decl)> {
        let has_receiver =
            |(_, method): &(Decl, Decl)| !self.context.peek(*method).modifiers.contains(Modifiers::STATIC);
        self.functions_with_owners(file, name).filter(has_receiver)
    }

    /// Returns the associated functions of a name, in all files, each with its owner.
    fn functions_with_owners(&self, file: FileId, name: &str) -> impl Iterator<Item = (Decl, Decl)> {
        self.context.methods(name).iter().filter_map(move |method| {
            let owner = Decl::new(method.file, self.context.peek(*method).parent?);
            self.context.is_of_family(method.file, file).then_some((owner, *method))
        })
    }

    /// Returns the methods that blocks of the project give to an external type, with their blocks.
    pub(super) fn methods_for(
        &self,
        file: FileId,
        ty: &Type,
        name: &str,
    ) -> impl Iterator<Item = (Decl, Decl)> {
        let has_receiver =
            |(_, method): &(Decl, Decl)| !self.context.peek(*method).modifiers.contains(Modifiers::STATIC);
        self.blocks_for(file, ty, name).filter(has_receiver)
    }

    /// Returns the associated functions that blocks of the project give to an external type, with their blocks.
    pub(super) fn blocks_for(
        &self,
        file: FileId,
        ty: &Type,
        name: &str,
    ) -> impl Iterator<Item = (Decl, Decl)> {
        let ty = ty.library_name();
        self.functions_with_owners(file, name).filter(move |(owner, _)| {
            let block = self.context.peek(*owner);
            let is_for_type = match &block.ty {
                Some(written) if block.kind == SymbolKind::Impl => {
                    written.named().is_some_and(|(written, _)| ty == Some(written.name()))
                }
                _ => false,
            };
            is_for_type && self.owner_of(*owner).is_none()
        })
    }

    /// Returns the type of the value whose member a name denotes.
    fn receiver(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        depth: u32,
    ) -> Result<Type, ResolveError> {
        let depth = self.deeper(depth)?;
        let (receiver, path) = match &name.head {
            Head::SelfType => (self.own_type(file, from, depth).ok_or(OUTSIDE_SELF)?, &name.path[1..]),
            Head::Local(Some(hint)) => (self.hinted_type(file, from, hint, depth), &name.path[1..]),
            Head::Value(Some(hint)) => (self.hinted_type(file, from, hint, depth), &name.path[..]),
            Head::Symbol(_) | Head::Import(_) | Head::Free if name.path.len() > 1 => {
                let len = name.path.len() - 1;
                let (found, _) = self.prefix(file, from, name, len, Relation::References, depth)?;
                let Resolution::Symbols(found) = found else { return Err(ResolveError::ExternalType) };
                return Ok(self.type_of(&Type::Unknown, &found, depth));
            }
            _ => return Err(ResolveError::ReceiverType),
        };
        let (_, fields) = path.split_last().ok_or(ResolveError::Local)?;
        Ok(fields.iter().fold(receiver, |of, field| self.field(file, &of, field, depth)))
    }

    /// Returns the type of a field of a value.
    fn field(&self, file: FileId, of: &Type, field: &str, depth: u32) -> Type {
        match self.member_of(file, of, field, Relation::ReadsFrom, depth) {
            Ok(((members, _), owner)) => self.type_of(&owner, &members, depth),
            Err(_) => field.parse().map_or(Type::Unknown, |place| of.place(place)),
        }
    }

    /// Returns the type that contains the code of `from`, with its parameters.
    fn own_type(&self, file: FileId, from: Option<LocalSymbol>, depth: u32) -> Option<Type> {
        self.own_type_given(file, from, &Given::default(), depth)
    }

    fn own_type_given(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        given: &Given<'_>,
        depth: u32,
    ) -> Option<Type> {
        let enclosing = self.enclosing_type(file, from)?;
        let is_block = |it: &Decl| self.symbol(*it).kind == SymbolKind::Impl;
        let block = self.context.self_and_ancestors(Decl::new(file, from?)).find(is_block);
        let written = block.and_then(|block| {
            let ty = self.symbol(block).ty.as_ref()?;
            Some(self.written(file, Some(block.symbol), ty, given, depth))
        });
        Some(match written {
            // A block for an external type has the members that it declares, and those of that type.
            Some(external) if is_block(&enclosing) => Type::Declared(vec![enclosing], vec![external]),
            Some(own @ Type::Declared(..)) => own,
            _ => Type::Declared(vec![enclosing], Vec::new()),
        })
    }

    /// Returns the members `name` of a value, and the type that has them: its own, or one that it dereferences to.
    fn member_of(
        &self,
        file: FileId,
        value: &Type,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Result<((Vec<Decl>, Confidence), Type), ResolveError> {
        let depth = self.deeper(depth)?;
        let missing = match value {
            Type::Unknown => return Err(ResolveError::ReceiverType),
            Type::External(..) => ResolveError::ExternalType,
            // An external type's own methods take precedence over those that a trait of the project gives to it.
            Type::Declared(..) if self.is_own_library_method(file, value, name, wanted) => {
                return Err(ResolveError::ExternalType);
            }
            Type::Declared(types, _) => match self.members(types, name, wanted, depth) {
                Some(members) => return Ok((members, value.clone())),
                None => NO_MEMBER,
            },
        };
        let behind = self.dereferenced(file, value, depth).ok_or(missing)?;
        if behind == Type::Unknown && self.is_library_method(file, value, name, wanted) {
            return Err(ResolveError::ExternalType);
        }
        self.member_of(file, &behind, name, wanted, depth)
    }

    /// Returns the external type that a block is for, if `value` stands for such a block.
    pub(super) fn external_type<'t>(&self, value: &'t Type) -> Option<&'t Type> {
        match value {
            Type::Declared(types, arguments) => match (&types[..], &arguments[..]) {
                ([block], [external]) if self.symbol(*block).kind == SymbolKind::Impl => Some(external),
                _ => None,
            },
            Type::External(..) | Type::Unknown => None,
        }
    }

    fn is_own_library_method(&self, file: FileId, value: &Type, name: &str, wanted: Relation) -> bool {
        self.external_type(value).is_some_and(|external| self.is_library_method(file, external, name, wanted))
    }

    /// Returns true if the language rules list a method of an external type.
    fn is_library_method(&self, file: FileId, external: &Type, name: &str, wanted: Relation) -> bool {
        let ty = external.library_name().unwrap_or_default();
        let rules = self.rules(file);
        wanted == Relation::Calls
            && (rules.library_method(ty, name).is_some() || rules.is_common_method(name))
    }

    /// Returns the type that a value dereferences to, possibly unknown; `None` if it does not dereference.
    fn dereferenced(&self, file: FileId, value: &Type, depth: u32) -> Option<Type> {
        let behind = match value {
            Type::Unknown => return None,
            Type::External(_, arguments) => {
                let is_pointer = self.rules(file).is_pointer(value.library_name()?);
                return is_pointer.then(|| arguments.first().cloned().unwrap_or(Type::Unknown));
            }
            Type::Declared(types, _) => match self.external_type(value) {
                Some(external) => external.clone(),
                None => {
                    self.members(types, "Target", Relation::UsesType, depth)?;
                    self.associated(value, "Target", depth)
                }
            },
        };
        (behind != *value).then_some(behind)
    }

    /// Returns an associated type of a type.
    fn associated(&self, of: &Type, name: &str, depth: u32) -> Type {
        let Ok(depth) = self.deeper(depth) else { return Type::Unknown };
        match of {
            Type::Declared(types, _) => {
                let found = self.members(types, name, Relation::UsesType, depth);
                let mut found = found.map_or_else(Vec::new, |(found, _)| found);
                found.retain(|found| self.symbol(*found).kind == SymbolKind::TypeAlias);
                self.type_of(of, &found, depth)
            }
            Type::External(..) if name == "Item" => of.argument(0),
            Type::External(..) | Type::Unknown => Type::Unknown,
        }
    }

    /// Returns the type that members of a value hold or return.
    fn type_of(&self, receiver: &Type, members: &[Decl], depth: u32) -> Type {
        let mut known = Type::Unknown;
        for member in members {
            match (&mut known, self.type_of_one(receiver, *member, depth)) {
                (Type::Unknown, ty) => known = ty,
                (Type::Declared(known, _), Type::Declared(more, _)) => {
                    known.extend(more);
                    known.sort_unstable();
                    known.dedup();
                }
                _ => {}
            }
        }
        known
    }

    fn type_of_one(&self, receiver: &Type, member: Decl, depth: u32) -> Type {
        let Ok(depth) = self.deeper(depth) else { return Type::Unknown };
        let symbol = self.symbol(member);
        match symbol.kind {
            SymbolKind::EnumMember => {
                let ty = self.context.parent(member);
                return ty.map_or(Type::Unknown, |ty| Type::Declared(vec![ty], Vec::new()));
            }
            SymbolKind::TypeAlias => {}
            kind if kind.is_type() => return Type::Declared(vec![member], Vec::new()),
            _ => {}
        }
        let given = self.given_to(receiver, member, symbol);
        match &symbol.ty {
            Some(ty) => self.written(member.file, Some(member.symbol), ty, &given, depth),
            // An associated type without a definition satisfies its bounds.
            None if symbol.kind == SymbolKind::TypeAlias => {
                self.bounded(member.file, Some(member.symbol), &symbol.name, depth)
            }
            None => Type::Unknown,
        }
    }

    /// Returns the substitutions for the names in a member's type, given the type of the value.
    fn given_to(&self, receiver: &Type, member: Decl, symbol: &'a Symbol) -> Given<'a> {
        let this = Some(receiver.clone()).filter(|receiver| *receiver != Type::Unknown);
        let arguments = receiver.arguments();
        let owner = symbol.parent.map(|parent| Decl::new(member.file, parent));
        let is_of_receiver = matches!(receiver, Type::Declared(types, _) if *types == owner.as_slice());
        let owner = match owner.map(|owner| self.symbol(owner)) {
            Some(Symbol { kind: SymbolKind::EnumMember, parent: Some(parent), .. }) => {
                Some(self.symbol(Decl::new(member.file, *parent)))
            }
            owner => owner,
        };
        let parameters = match owner {
            Some(Symbol { kind: SymbolKind::Impl, ty: Some(ty), .. }) => {
                let written = ty.named().map_or(&[][..], |(_, written)| written);
                let given = written.iter().zip(arguments).filter_map(|(parameter, argument)| {
                    let (name, _) = parameter.named().filter(|(name, _)| name.head == Head::TypeParameter)?;
                    Some((name.name(), argument.clone()))
                });
                given.collect()
            }
            // A supertrait has other parameters than the trait that extends it.
            Some(owner) if owner.kind == SymbolKind::Trait && !is_of_receiver => Vec::new(),
            Some(owner) => parameters(owner, arguments),
            None => Vec::new(),
        };
        Given { parameters, this, from_elsewhere: true }
    }

    /// Resolves a written type.
    pub(super) fn written(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        ty: &'a TypeHint,
        given: &Given<'_>,
        depth: u32,
    ) -> Type {
        let Ok(depth) = self.deeper(depth) else { return Type::Unknown };
        let Some((name, arguments)) = ty.named() else { return Type::Unknown };
        let first = &*name.path[0];
        match &name.head {
            Head::Free if first == "_" => return Type::Unknown,
            Head::TypeParameter => return self.projected(file, from, &name.path, given, depth),
            Head::SelfType => {
                let this = given.this.clone().or_else(|| self.own_type_given(file, from, given, depth));
                let rest = name.path[1..].iter();
                return rest
                    .fold(this.unwrap_or(Type::Unknown), |of, name| self.associated(&of, name, depth));
            }
            _ => {}
        }
        let arguments: Vec<Type> =
            arguments.iter().map(|argument| self.written(file, from, argument, given, depth)).collect();
        match self.name(file, from, name, Relation::UsesType, depth) {
            Ok((Resolution::Symbols(types), sure)) => {
                self.depend_on(sure);
                self.unaliased(types, arguments, depth)
            }
            Ok((Resolution::External(path, _), _)) => Type::External(path, arguments),
            Ok((Resolution::Values(_) | Resolution::Scope(_), _)) => Type::Unknown,
            // It may be any type of the project.
            Err(NO_MODULE | NOT_IN_MODULE) => Type::Unknown,
            Err(_) => Type::external(name.name(), arguments),
        }
    }

    /// Returns a type of the project, with aliases resolved.
    fn unaliased(&self, types: Vec<Decl>, arguments: Vec<Type>, depth: u32) -> Type {
        let [alias] = types[..] else { return Type::Declared(types, arguments) };
        let declaration = self.symbol(alias);
        match (declaration.kind, &declaration.ty) {
            (SymbolKind::TypeAlias, Some(ty)) => {
                let given = Given {
                    parameters: parameters(declaration, &arguments),
                    from_elsewhere: true,
                    ..Default::default()
                };
                self.written(alias.file, Some(alias.symbol), ty, &given, depth)
            }
            (SymbolKind::TypeAlias, None) => {
                self.bounded(alias.file, Some(alias.symbol), &declaration.name, depth)
            }
            _ => Type::Declared(types, arguments),
        }
    }

    /// Returns the bounds of a type parameter, from the declarations around `from`.
    fn bounded(&self, file: FileId, from: Option<LocalSymbol>, parameter: &str, depth: u32) -> Type {
        let Some(from) = from else { return Type::Unknown };
        // Bounds may refer to each other's parameters.
        let depth = depth.min(MAX_BOUNDS);
        let (mut traits, mut arguments) = (Vec::new(), Vec::new());
        let mut external = Type::external(parameter, Vec::new());
        for declaration in self.context.self_and_ancestors(Decl::new(file, from)) {
            let symbol = self.symbol(declaration);
            for bound in symbol.bounds.iter().filter(|bound| *bound.parameter == *parameter) {
                let place = Some(declaration.symbol);
                match self.written(file, place, &bound.ty, &Given::default(), depth) {
                    Type::Declared(types, of_trait) => {
                        traits.extend(types);
                        arguments = of_trait;
                    }
                    bound if !bound.arguments().is_empty() => external = bound,
                    Type::External(..) | Type::Unknown => {}
                }
            }
            if symbol.type_parameters.iter().any(|it| *it.name == *parameter) {
                break;
            }
        }
        match traits.len() {
            0 => external,
            1 => Type::Declared(traits, arguments),
            _ => Type::Declared(traits, Vec::new()),
        }
    }

    /// Returns the traits of the project that bound the type parameter at the start of a path, or an associated type of
    /// it, and the number of segments that denote it.
    pub(super) fn parameter_types(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        path: &[Box<str>],
        depth: u32,
    ) -> Result<(Vec<Decl>, usize), ResolveError> {
        if path.len() > 2
            && let Type::Declared(traits, _) =
                self.projected(file, from, &path[..2], &Given::default(), depth)
        {
            return Ok((traits, 2));
        }
        match self.bounded(file, from, &path[0], depth) {
            Type::Declared(traits, _) => Ok((traits, 1)),
            Type::External(..) | Type::Unknown => Err(ResolveError::Local),
        }
    }

    /// Returns the type of a type parameter, or of an associated type of it: `T`, `T::Item`.
    fn projected(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        path: &[Box<str>],
        given: &Given<'_>,
        depth: u32,
    ) -> Type {
        let (first, rest) = path.split_first().expect("a name has at least one segment");
        let known = given.parameters.iter().find(|(name, _)| **name == **first);
        let known = known.map_or(Type::Unknown, |(_, known)| known.clone());
        // A bound on the associated type here is more specific than its declaration.
        if known == Type::Unknown
            && let [associated] = rest
        {
            let written = format!("{first}::{associated}");
            let bounded = self.bounded(file, from, &written, depth);
            if bounded != Type::external(&written, Vec::new()) {
                return bounded;
            }
        }
        let start = known.or_else(|| self.bounded(file, from, first, depth));
        if given.from_elsewhere && start == Type::external(first, Vec::new()) {
            return Type::Unknown;
        }
        rest.iter().fold(start, |of, name| self.associated(&of, name, depth))
    }

    /// Returns the type that a hint gives to a value.
    pub(super) fn hinted_type(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        hint: &'a TypeHint,
        depth: u32,
    ) -> Type {
        let Ok(depth) = self.deeper(depth) else { return Type::Unknown };
        match hint {
            TypeHint::Named(_) | TypeHint::Generic(..) => {
                self.written(file, from, hint, &Given::default(), depth)
            }
            TypeHint::Value(name) => self.value_named(file, from, name, depth),
            TypeHint::Result(name) => self.returned_type(file, from, name, depth),
            TypeHint::Part(part, whole) => {
                let whole = self.hinted_type(file, from, whole, depth);
                self.part(file, *part, &whole, depth)
            }
            TypeHint::ClosureParameter(name, place) => {
                self.closure_parameter(file, from, name, usize::from(*place), depth).unwrap_or(Type::Unknown)
            }
            // Hints for other languages.
            TypeHint::Unknown
            | TypeHint::Function(..)
            | TypeHint::Object(_)
            | TypeHint::OneOf(_)
            | TypeHint::Call(_)
            | TypeHint::Passed(..)
            | TypeHint::Argument(..)
            | TypeHint::Parameter(..) => Type::Unknown,
        }
    }

    /// Returns the type of the n-th closure parameter in a call of `name`.
    fn closure_parameter(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        place: usize,
        depth: u32,
    ) -> Option<Type> {
        let receiver = self.receiver(file, from, name, depth).unwrap_or(Type::Unknown);
        if let Ok((Resolution::Symbols(found), _)) = self.name(file, from, name, Relation::Calls, depth)
            && let [callee] = found[..]
        {
            let symbol = self.symbol(callee);
            let is_closure = |name: &NameRef| self.rules(file).is_closure(name.name());
            let bounds = symbol.bounds.iter().filter_map(|bound| bound.ty.named());
            let mut closures = bounds.filter(|(name, _)| is_closure(name));
            let (Some((_, closure_parameters)), None) = (closures.next(), closures.next()) else {
                return None;
            };
            let given = self.given_to(&receiver, callee, symbol);
            let ty = closure_parameters.get(place)?;
            return Some(self.written(callee.file, Some(callee.symbol), ty, &given, depth));
        }
        let (signature, receiver) = self.library_method(file, receiver, name.name(), depth)?;
        signature.closure_parameters.get(place).map(|shape| shaped(shape, &receiver))
    }

    /// Returns the type of a named value.
    fn value_named(&self, file: FileId, from: Option<LocalSymbol>, name: &'a NameRef, depth: u32) -> Type {
        match &name.head {
            Head::SelfType if *name.path == ["self".into()] => {
                self.own_type(file, from, depth).unwrap_or(Type::Unknown)
            }
            Head::SelfType if &*name.path[0] == "Self" => self.constant(file, from, name, depth),
            Head::SelfType | Head::Local(_) | Head::Value(_) => {
                let receiver = self.receiver(file, from, name, depth);
                receiver.map_or(Type::Unknown, |receiver| self.field(file, &receiver, name.name(), depth))
            }
            _ => self.constant(file, from, name, depth),
        }
    }

    /// Returns the type of a constant, of a variant, or of a part of a variant: `Shape::Square::0`.
    fn constant(&self, file: FileId, from: Option<LocalSymbol>, name: &'a NameRef, depth: u32) -> Type {
        let place: Option<usize> = name.name().parse().ok();
        let len = name.path.len() - usize::from(place.is_some());
        let found = self.prefix(file, from, name, len, Relation::References, depth);
        let Ok((Resolution::Symbols(found), _)) = found else { return Type::Unknown };
        // Code of a type that destructures a value takes one of its own type, with its own parameters.
        let own = self.own_type(file, from, depth).unwrap_or(Type::Unknown);
        let is_own = |of: &Decl| match &own {
            Type::Declared(types, _) => {
                self.context.self_and_ancestors(*of).any(|around| types.contains(&around))
            }
            Type::External(..) | Type::Unknown => false,
        };
        let whole = if found.iter().all(is_own) { own.clone() } else { Type::Unknown };
        let Some(place) = place else { return self.type_of(&whole, &found, depth) };
        let parts = found.iter().map(|of| {
            let declaration = self.symbol(*of);
            if declaration.kind == SymbolKind::EnumMember {
                let part = declaration.ty.as_ref().and_then(|parts| parts.named()?.1.get(place));
                let ty = declaration.parent.map(|parent| self.symbol(Decl::new(of.file, parent)));
                let parameters = ty.map_or_else(Vec::new, |ty| parameters(ty, whole.arguments()));
                let given = Given { parameters, ..Default::default() };
                return part
                    .map_or(Type::Unknown, |ty| self.written(of.file, Some(of.symbol), ty, &given, depth));
            }
            let arguments = whole.arguments().to_vec();
            self.field(file, &Type::Declared(vec![*of], arguments), name.name(), depth)
        });
        parts.into_iter().find(|part| *part != Type::Unknown).unwrap_or(Type::Unknown)
    }

    /// Returns the result type of a call of `name`.
    fn returned_type(&self, file: FileId, from: Option<LocalSymbol>, name: &'a NameRef, depth: u32) -> Type {
        let is_value = match name.head {
            Head::SelfType => &*name.path[0] == "self",
            Head::Local(_) | Head::Value(_) => true,
            _ => false,
        };
        if is_value {
            let Ok(receiver) = self.receiver(file, from, name, depth) else { return Type::Unknown };
            return match self.member_of(file, &receiver, name.name(), Relation::Calls, depth) {
                Ok(((members, _), owner)) => {
                    let members = self.narrow(members, Relation::Calls);
                    self.type_of(&owner, &members, depth)
                }
                Err(_) => self.library_result(file, receiver, name.name(), depth),
            };
        }
        match self.name(file, from, name, Relation::Calls, depth) {
            Ok((Resolution::Symbols(found), _)) => {
                let of = self.named_before(file, from, name, depth);
                self.type_of(&of, &self.narrow(found, Relation::Calls), depth)
            }
            Ok((Resolution::External(path, _), _)) => constructed(&path),
            // External traits construct values of the type.
            _ if MAKERS.contains(&name.name()) => self.named_before(file, from, name, depth),
            _ => Type::Unknown,
        }
    }

    /// Returns the type whose function a path denotes: `Shape` in `Shape::new`.
    fn named_before(&self, file: FileId, from: Option<LocalSymbol>, name: &'a NameRef, depth: u32) -> Type {
        if let (Head::SelfType, 2) = (&name.head, name.path.len()) {
            return self.own_type(file, from, depth).unwrap_or(Type::Unknown);
        }
        let Some(len) = name.path.len().checked_sub(1).filter(|len| *len > 0) else { return Type::Unknown };
        match self.prefix(file, from, name, len, Relation::UsesType, depth) {
            Ok((Resolution::Symbols(mut types), _)) => {
                types.retain(|ty| self.symbol(*ty).kind.is_type());
                if types.is_empty() { Type::Unknown } else { self.unaliased(types, Vec::new(), depth) }
            }
            _ => Type::Unknown,
        }
    }

    /// Returns the result type of a method that the project does not declare.
    fn library_result(&self, file: FileId, receiver: Type, method: &str, depth: u32) -> Type {
        if let Some((signature, receiver)) = self.library_method(file, receiver.clone(), method, depth) {
            return shaped(&signature.result, &receiver);
        }
        // Cloned and borrowed values have the same members.
        let is_same = matches!(
            method,
            "clone" | "to_owned" | "by_ref" | "borrow" | "borrow_mut" | "as_ref" | "as_mut" | "into_inner"
        );
        // A pinned value has the type of what it pins.
        let is_pinned = matches!(method, "get_mut" | "get_ref" | "get_unchecked_mut")
            && matches!(receiver, Type::Declared(..));
        if is_same || is_pinned { receiver } else { Type::Unknown }
    }

    /// Returns the library method of a value, and the type that has it: the value's own, one that it dereferences to,
    /// or an iterator.
    fn library_method(
        &self,
        file: FileId,
        value: Type,
        method: &str,
        depth: u32,
    ) -> Option<(&'static Signature, Type)> {
        let depth = self.deeper(depth).ok()?;
        if let Some(name) = value.library_name()
            && let Some(signature) = self.rules(file).library_method(name, method)
        {
            return Some((signature, value));
        }
        if let Some(behind) = self.dereferenced(file, &value, depth).filter(|it| *it != Type::Unknown) {
            return self.library_method(file, behind, method, depth);
        }
        if !matches!(value, Type::Declared(..)) {
            return None;
        }
        match self.associated(&value, "Item", depth) {
            Type::Unknown => None,
            item => {
                let iterator = Type::external("Iterator", vec![item]);
                Some((self.rules(file).library_method("Iterator", method)?, iterator))
            }
        }
    }

    fn part(&self, file: FileId, part: Part, whole: &Type, depth: u32) -> Type {
        let whole = self.external_type(whole).unwrap_or(whole);
        let is_map = whole.library_name().is_some_and(|name| MAPS.contains(&name));
        let behind = |associated| {
            self.associated(whole, associated, depth).or_else(|| {
                let behind = self.dereferenced(file, whole, depth);
                behind.map_or(Type::Unknown, |behind| behind.argument(0))
            })
        };
        match (part, whole) {
            (_, Type::Unknown) => Type::Unknown,
            (Part::Success, _) => whole.argument(0),
            (Part::Failure, _) => whole.argument(1),
            (Part::Place(place), _) => whole.place(usize::from(place)),
            // Only TypeScript has tests that assert types.
            (Part::Asserted, _) => Type::Unknown,
            (Part::Indexed, _) if is_map => whole.argument(1),
            (Part::Element, _) if is_map => Type::external(TypeHint::TUPLE, whole.arguments().to_vec()),
            (Part::Indexed | Part::Element, Type::External(..)) => whole.argument(0),
            (Part::Indexed, Type::Declared(..)) => behind("Output"),
            (Part::Element, Type::Declared(..)) => behind("Item"),
        }
    }
}

/// Converts a type given in terms of the receiver's type.
fn shaped(shape: &Shape, receiver: &Type) -> Type {
    match shape {
        Shape::Unknown => Type::Unknown,
        Shape::This => receiver.clone(),
        Shape::Argument(place) => receiver.argument(*place),
        Shape::Named(name, arguments) => {
            Type::external(name, arguments.iter().map(|argument| shaped(argument, receiver)).collect())
        }
    }
}

/// Returns the type that an external associated function constructs: `Vec` for `std::vec::Vec::with_capacity`.
fn constructed(path: &str) -> Type {
    let Some((ty, function)) = path.rsplit_once("::") else { return Type::Unknown };
    let name = ty.rsplit("::").next().unwrap_or(ty);
    if MAKERS.contains(&function) && name.starts_with(char::is_uppercase) {
        Type::external(ty, Vec::new())
    } else {
        Type::Unknown
    }
}
