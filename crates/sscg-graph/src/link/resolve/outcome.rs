//! Outcomes of imports and references: their targets, and the relations to these.

use std::mem;

use sscg_core::{
    Confidence, FileId, Head, LocalImport, Modifiers, NameRef, Reference, Relation, SymbolKind, TypeHint,
};

use super::choose::names_type;
use super::shape::{HintScope, Shape};
use super::{DEPTH, Linker, Outcome, Resolution, ResolveError, ResolveResult};
use crate::graph::{ExternalSymbol, Reason};
use crate::link::languages::{FunctionMethod, Typing};
use crate::link::tables::Decl;

/// Maximum number of candidates that are listed. With more, an edge to the first one has their number.
const MOST_LISTED: usize = 32;

impl<'a> Linker<'a> {
    /// Resolves an import.
    pub(in crate::link) fn import_target(&self, file: FileId, id: LocalImport) -> Outcome {
        self.begin();
        match self.import(file, id, DEPTH) {
            Ok((Resolution::Scope(_), _)) if self.rules(file).packages_are_names() => Outcome::Nothing,
            Ok((Resolution::Scope(scope), sure)) => Outcome::Nodes(vec![self.scope_node(scope)], sure),
            Ok((Resolution::Symbols(symbols), sure)) => self.outcome(symbols, Relation::Imports, sure).0,
            Ok((Resolution::External(name, origin), sure)) => {
                Outcome::External(ExternalSymbol { name: name.into(), origin }, sure)
            }
            Ok((Resolution::Values(_), _)) => Outcome::Nothing,
            Err(missing) => unresolved(missing),
        }
    }

    /// Resolves the reference at a position in its file, and returns its relation to the target: calling a type
    /// constructs it. Fails if its path leads to nothing that is known.
    pub(in crate::link) fn reference_target(
        &self,
        file: FileId,
        at: usize,
        reference: &'a Reference,
    ) -> Result<(Outcome, Relation), ResolveError> {
        self.begin();
        let Reference { relation, from, target, .. } = reference;
        if *relation == Relation::Calls
            && self.rules(file).has_extension_methods()
            && let Some(selected) = self.typed_call(file, at as u32)
        {
            if !selected.methods.is_empty() {
                return Ok(self.outcome(selected.methods.clone(), *relation, selected.confidence));
            }
            self.depend_on(selected.confidence);
        }
        if let Some(name) = target.name().strip_suffix('!') {
            return Ok((self.macro_target(file, *from, target, name), *relation));
        }
        let is_doubtful = reference.in_macro || self.is_switched_off(file, *from);
        let most = if is_doubtful { Confidence::Inferred } else { Confidence::Exact };
        let found = self.referenced(file, reference);
        let most = most.min(self.types.get());
        // A name that its file does not declare may come from a glob import; otherwise it may not be a name at all.
        let may_be_none =
            *relation == Relation::References && target.head == Head::Free && target.path.len() == 1;
        if may_be_none && !matches!(found, Ok((Resolution::Symbols(_) | Resolution::Scope(_), _))) {
            return Ok((Outcome::Nothing, *relation));
        }
        Ok(match found {
            Ok((Resolution::Symbols(symbols), sure)) => {
                self.referenced_symbols(file, reference, symbols, sure, most)
            }
            Ok((Resolution::Scope(_), _)) if self.rules(file).packages_are_names() => {
                (Outcome::Nothing, *relation)
            }
            Ok((Resolution::Scope(scope), confidence)) => {
                (Outcome::Nodes(vec![self.scope_node(scope)], confidence), *relation)
            }
            Ok((Resolution::External(name, origin), sure)) => {
                (Outcome::External(ExternalSymbol { name: name.into(), origin }, sure), *relation)
            }
            Ok((Resolution::Values(values), _)) => {
                (unresolved(Shape::without_declaration(&values)), *relation)
            }
            // What an index selects is called, and nothing is known of it.
            Err(_) if target.name() == TypeHint::CALL => (Outcome::Nothing, *relation),
            Err(missing) => return Err(missing),
        })
    }

    /// Resolves the name of a reference, and selects the declarations that fit its arguments.
    fn referenced(&self, file: FileId, reference: &'a Reference) -> ResolveResult<'a> {
        let Reference { relation, from, target, .. } = reference;
        let place = HintScope { file, from: *from };
        let first = reference.first_argument.as_deref();
        let mut found = self.name(file, *from, target, *relation, DEPTH);
        if let Some(first) = first {
            found = self.by_first_argument(file, *from, target, first, found);
        }
        if let Ok((Resolution::External(path, _), _)) = &found
            && *relation == Relation::Calls
            && target.path.len() > 1
            && self.rules(file).evaluates_paths()
            && let Some((functions, sure)) = self.on_external_type(file, *from, target, first, path)
        {
            found = Ok((Resolution::Symbols(functions), sure));
        }
        let (Ok((Resolution::Symbols(symbols), sure)), Some(count)) = (&mut found, reference.arguments)
        else {
            return found;
        };
        let symbols = mem::take(symbols);
        let fitting = if names_type(*relation) {
            self.by_type_arity(symbols, usize::from(count))
        } else {
            let fitting = self.by_arity(file, symbols, count);
            self.by_constness(place, target, self.by_types(place, fitting, &reference.argument_types))
        };
        Ok((Resolution::Symbols(fitting), *sure))
    }

    /// Returns the outcome of a reference to these symbols. The confidence is at most `most`.
    fn referenced_symbols(
        &self,
        file: FileId,
        reference: &Reference,
        symbols: Vec<Decl>,
        sure: Confidence,
        most: Confidence,
    ) -> (Outcome, Relation) {
        let relation = reference.relation;
        if self.are_packages(file, &symbols) {
            return (Outcome::Nothing, relation);
        }
        let is_doubtful = symbols.iter().any(|it| {
            // A function whose variable is assigned to again is not what its name means everywhere.
            let may_change = self.symbol(*it).modifiers.contains(Modifiers::REASSIGNED);
            may_change && relation != Relation::AssignsTo || self.is_switched_off(it.file, Some(it.symbol))
        });
        let most = if is_doubtful { Confidence::Inferred } else { most };
        let relation = self.relation_by_method(file, &reference.target, &symbols, relation);
        self.outcome(symbols, relation, sure.min(most))
    }

    /// Returns the outcome of a reference that its path does not resolve: methods on a receiver of an unknown type are
    /// found by name.
    pub(in crate::link) fn by_name_alone(
        &self,
        file: FileId,
        reference: &'a Reference,
        missing: ResolveError,
    ) -> (Outcome, Relation) {
        let Reference { relation, from, target, arguments, .. } = reference;
        match self.function_method(file, *relation, target) {
            Some((_, FunctionMethod::Hold)) => (unresolved(missing), Relation::References),
            Some((name, FunctionMethod::Run)) if missing == ResolveError::ReceiverType => {
                (self.method_by_name(file, *from, name, None), *relation)
            }
            None if missing == ResolveError::ReceiverType && *relation == Relation::Calls => {
                (self.method_by_name(file, *from, target.name(), *arguments), *relation)
            }
            _ => (unresolved(missing), *relation),
        }
    }

    /// Returns the name that an unresolved reference means: `f` in `x.f.call(..)`.
    pub(in crate::link) fn meant_name(&self, file: FileId, reference: &'a Reference) -> &'a str {
        let method = self.function_method(file, reference.relation, &reference.target);
        method.map_or_else(|| reference.target.name(), |(name, _)| name)
    }

    /// Returns the relation of code to functions of which it calls a method: `f.bind(..)` holds `f`.
    fn relation_by_method(
        &self,
        file: FileId,
        called: &NameRef,
        symbols: &[Decl],
        relation: Relation,
    ) -> Relation {
        let is_bound = relation == Relation::Calls && self.is_bound(file, called, symbols);
        if is_bound { Relation::References } else { relation }
    }

    /// Returns true if symbols are parts of packages, where these are only names.
    fn are_packages(&self, file: FileId, symbols: &[Decl]) -> bool {
        self.rules(file).packages_are_names()
            && symbols.iter().all(|symbol| self.symbol(*symbol).kind == SymbolKind::Module)
    }

    pub(in crate::link) fn outcome(
        &self,
        symbols: Vec<Decl>,
        relation: Relation,
        confidence: Confidence,
    ) -> (Outcome, Relation) {
        let (symbols, sure) = self.first_of_variants(self.narrow(symbols, relation));
        let confidence = confidence.min(sure);
        let relation = self.relation_to(&symbols, relation);
        let is_one = symbols.len() == 1
            || self.is_one_name(&symbols)
            || relation == Relation::Imports && self.are_overloads(&symbols);
        if !is_one && symbols.len() > MOST_LISTED {
            return (Outcome::SomeOf(vec![self.node(symbols[0])], symbols.len()), relation);
        }
        let confidence = match is_one {
            true if relation == Relation::Calls && self.hides_callee(&symbols) => {
                confidence.min(Confidence::Inferred)
            }
            true => confidence,
            false => Confidence::Ambiguous,
        };
        (Outcome::Nodes(self.nodes(symbols), confidence), relation)
    }

    /// Returns the relation of code to the symbols that it uses, given the relation by syntax.
    fn relation_to(&self, symbols: &[Decl], relation: Relation) -> Relation {
        let constructs = |symbol: &Decl| {
            let kind = self.symbol(*symbol).kind;
            (kind.is_type() && kind != SymbolKind::Component) || kind == SymbolKind::EnumMember
        };
        let all_are = |kind| symbols.iter().all(|symbol| self.symbol(*symbol).kind == kind);
        let is_passed = |symbol: &Decl| {
            let symbol = self.symbol(*symbol);
            symbol.kind == SymbolKind::Method && !symbol.modifiers.contains(Modifiers::ACCESSOR)
        };
        let may_leave_out_receiver =
            || symbols.first().is_none_or(|first| self.rules(first.file).has_implicit_receiver());
        match relation {
            Relation::Calls if symbols.iter().all(constructs) => Relation::Instantiates,
            // The name of a function may look like that of a type.
            Relation::Instantiates if all_are(SymbolKind::Function) || all_are(SymbolKind::Method) => {
                Relation::Calls
            }
            // A method that is not called is passed as a value. An accessor is a property.
            Relation::ReadsFrom if symbols.iter().all(is_passed) => Relation::References,
            // A bare name of a field has an implicit receiver.
            Relation::References if all_are(SymbolKind::Field) && may_leave_out_receiver() => {
                Relation::ReadsFrom
            }
            Relation::References if all_are(SymbolKind::Constant) => Relation::UsesConstant,
            // Local variables are not declarations, so this one belongs to a file or module.
            Relation::References if all_are(SymbolKind::Variable) => Relation::UsesGlobal,
            other => other,
        }
    }

    /// Returns true if a call of these symbols runs code that they do not determine: the callees of a macro are known only
    /// after its expansion, and a variable may hold any function.
    fn hides_callee(&self, symbols: &[Decl]) -> bool {
        let is_variable = |symbol: &Decl| {
            let kind = self.symbol(*symbol).kind;
            self.rules(symbol.file).typing() == Typing::Dynamic
                && matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field)
        };
        symbols.iter().all(|it| self.symbol(*it).kind == SymbolKind::Macro) || symbols.iter().any(is_variable)
    }
}

fn unresolved(missing: ResolveError) -> Outcome {
    match missing {
        ResolveError::ReceiverType => Outcome::Unresolved(Reason::ReceiverType),
        ResolveError::ExternalType => Outcome::Unresolved(Reason::ExternalType),
        ResolveError::Local => Outcome::Nothing,
        ResolveError::Because(reason) => Outcome::Unresolved(reason),
    }
}
