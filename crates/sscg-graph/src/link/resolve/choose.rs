//! Choice among several declarations that a use may refer to.

use sscg_core::{FileId, LocalSymbol, Modifiers, Relation, Symbol, SymbolKind, TypeHint};

use super::{Linker, Resolution};
use crate::link::languages::Typing;
use crate::link::signature::is_specialization;
use crate::link::tables::Decl;

impl<'a> Linker<'a> {
    pub(super) fn narrowed(&self, found: Resolution<'a>, relation: Relation) -> Resolution<'a> {
        match found {
            Resolution::Symbols(symbols) => Resolution::Symbols(self.narrow(symbols, relation)),
            other => other,
        }
    }

    /// Selects the declarations of one name that fit the use: types where a type is expected, functions with a body
    /// rather than overloads, and code of the default build.
    pub(in crate::link) fn narrow(&self, mut symbols: Vec<Decl>, relation: Relation) -> Vec<Decl> {
        symbols.sort_unstable();
        symbols.dedup();
        let mut symbols = self.merged(symbols, relation);
        if self.is_one_name(&symbols) {
            return symbols;
        }
        if symbols.len() > 1 && symbols.iter().all(|it| self.rules(it.file).packages_are_names()) {
            // A type may have a shorter name as an attribute, beside its own.
            let lengths = symbols.iter().map(|it| self.symbol(*it).name.len());
            let length = if relation == Relation::Decorates { lengths.max() } else { lengths.min() };
            symbols.retain(|it| Some(self.symbol(*it).name.len()) == length);
        }
        // A template stands for its specializations.
        if symbols.len() > 1 && !symbols.iter().all(|it| is_specialization(self.symbol(*it))) {
            symbols.retain(|it| !is_specialization(self.symbol(*it)));
        }
        // In Rust, functions without a body are those of traits and of other languages.
        let marks_bodiless = symbols.first().is_some_and(|it| self.rules(it.file).evaluates_paths());
        let mut keep = |fits: &dyn Fn(&Symbol) -> bool| {
            if symbols.len() > 1 && symbols.iter().any(|symbol| fits(self.symbol(*symbol))) {
                symbols.retain(|symbol| fits(self.symbol(*symbol)));
            }
        };
        match relation {
            Relation::UsesType | Relation::Inherits | Relation::Implements => keep(&|s| s.kind.is_type()),
            Relation::Calls | Relation::Instantiates => keep(&|s| s.kind.is_callable() || s.kind.is_type()),
            // A field and a method may share a name, and only the field is read.
            Relation::References | Relation::ReadsFrom | Relation::AssignsTo => {
                keep(&|s| s.kind != SymbolKind::Method);
            }
            _ => {}
        }
        keep(&|symbol| symbol.kind != SymbolKind::Macro);
        // A function that a macro makes has no body in the text, and is no declaration of another either.
        let is_made = |symbol: &Symbol| {
            marks_bodiless
                && symbol.kind.is_callable()
                && !symbol.modifiers.intersects(Modifiers::ABSTRACT | Modifiers::DECLARE)
        };
        keep(&|symbol| symbol.body.is_some() || is_made(symbol));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::DECLARE));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::OVERLOAD));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::TEST));
        if let [first, _, ..] = symbols[..] {
            self.context.built(self.rules(first.file), &mut symbols);
        }
        symbols
    }

    /// Selects static or instance members among those of one name, where no value has both.
    pub(super) fn on_side(&self, file: FileId, found: Resolution<'a>, of_class: bool) -> Resolution<'a> {
        let rules = self.rules(file);
        let Resolution::Symbols(mut members) = found else { return found };
        let is_meant = |member: &Decl| self.symbol(*member).modifiers.contains(Modifiers::STATIC) == of_class;
        let has_sides = rules.typing() == Typing::Dynamic && !rules.instances_have_static_methods();
        if has_sides && members.len() > 1 && members.iter().any(is_meant) {
            members.retain(is_meant);
        }
        Resolution::Symbols(members)
    }

    /// Returns true if the result is classes rather than instances of classes.
    pub(super) fn are_classes(&self, found: &Resolution<'_>) -> bool {
        let is_class = |symbol: &Decl| self.symbol(*symbol).kind.is_type();
        matches!(found, Resolution::Symbols(symbols) if symbols.iter().all(is_class))
    }

    /// Returns true if code belongs to a static member, where `this` is the class.
    pub(super) fn is_static(&self, file: FileId, from: Option<LocalSymbol>) -> bool {
        let facts = self.context.facts(file);
        let is_member = |symbol: &LocalSymbol| {
            let parent = facts.symbols[*symbol].parent;
            parent.is_some_and(|parent| facts.symbols[parent].kind.is_type())
        };
        let member = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent).find(is_member);
        member.is_some_and(|member| facts.symbols[member].modifiers.contains(Modifiers::STATIC))
    }

    /// Selects the types with a number of type parameters, where types of one name may differ in it.
    pub(super) fn by_type_arity(&self, types: Vec<Decl>, count: usize) -> Vec<Decl> {
        let has_count = |it: &Decl| self.symbol(*it).type_parameters.len() == count;
        let overloaded = types.len() > 1 && types.iter().all(|it| self.rules(it.file).has_overloads());
        if overloaded && types.iter().any(has_count) {
            types.into_iter().filter(has_count).collect()
        } else {
            types
        }
    }
}

/// Returns true if functions take parameters of types of the same names.
pub(super) fn same_parameters(a: &Symbol, b: &Symbol) -> bool {
    fn same(a: &TypeHint, b: &TypeHint) -> bool {
        match (a.named(), b.named()) {
            (Some((a, of)), Some((b, to))) => {
                a.name() == b.name() && of.len() == to.len() && of.iter().zip(to).all(|(a, b)| same(a, b))
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }
    a.parameters.len() == b.parameters.len()
        && a.parameters.iter().zip(&b.parameters).all(|(a, b)| same(a, b))
}

/// Returns true if only a type can be the target of a relation.
pub(super) fn names_type(relation: Relation) -> bool {
    use Relation::*;
    matches!(
        relation,
        UsesType | Inherits | Implements | AssertsType | Instantiates | Catches | Raises | Decorates
    )
}
