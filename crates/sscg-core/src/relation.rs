//! The typed edges of the graph, and how far to trust each.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! relations {
    ($($(#[$doc:meta])* $variant:ident => $name:literal / $reverse:literal,)*) => {
        /// What an edge says: `source <relation> target`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Relation {
            $($(#[$doc])* $variant,)*
        }

        impl Relation {
            /// Every relation, in declaration order.
            pub const ALL: &[Relation] = &[$(Relation::$variant,)*];

            /// The wire name, read from source to target.
            pub const fn as_str(self) -> &'static str {
                match self { $(Relation::$variant => $name,)* }
            }

            /// The wire name read from target to source.
            pub const fn reverse_name(self) -> &'static str {
                match self { $(Relation::$variant => $reverse,)* }
            }
        }
    };
}

relations! {
    /// A function runs another.
    Calls => "calls" / "called_by",
    /// A type extends another.
    Inherits => "inherits" / "inherited_by",
    /// A signature, annotation or expression names a type.
    UsesType => "uses_type" / "used_as_type_by",
    /// A file or scope imports a file or a symbol.
    Imports => "imports" / "imported_by",
    /// A decorator or attribute stands on a declaration; the edge starts at the declaration.
    Decorates => "decorates" / "decorated_by",
    /// A function raises or throws a type.
    Raises => "raises" / "raised_by",
    /// A function handles a raised type.
    Catches => "catches" / "caught_by",
    /// A type is constructed.
    Instantiates => "instantiates" / "instantiated_by",
    /// A type implements an interface or trait.
    Implements => "implements" / "implemented_by",
    /// A member replaces an inherited one.
    Overrides => "overrides" / "overridden_by",
    /// A value is written.
    AssignsTo => "assigns_to" / "assigned_by",
    /// A value is read.
    ReadsFrom => "reads_from" / "read_by",
    /// A scope defines a constant.
    DefinesConstant => "defines_constant" / "constant_defined_by",
    /// An enumeration defines a member.
    DefinesEnumMember => "defines_enum_member" / "enum_member_defined_by",
    /// A class defines an attribute.
    DefinesClassAttr => "defines_class_attr" / "class_attr_defined_by",
    /// A type defines a field.
    DefinesField => "defines_field" / "field_defined_by",
    /// A constant is read.
    UsesConstant => "uses_constant" / "constant_used_by",
    /// A parameter's default value names something.
    UsesDefault => "uses_default" / "default_used_by",
    /// A global variable is read or written.
    UsesGlobal => "uses_global" / "global_used_by",
    /// A type test or cast names a type.
    AssertsType => "asserts_type" / "type_asserted_by",
    /// A context manager or `using` declaration guards a block.
    UsesContextManager => "uses_context_manager" / "context_manager_used_by",
    /// A file or symbol holds a symbol (structural).
    Contains => "contains" / "contained_by",
    /// A file defines a symbol (structural).
    Defines => "defines" / "defined_by",
    /// A symbol is named in a way no other relation describes (structural).
    References => "references" / "referenced_by",
}

impl Relation {
    /// How strongly the relation ties its ends together, from 0 to 1. Containment is weak, or every file would
    /// tie all its symbols together.
    pub const fn weight(self) -> f32 {
        match self {
            Relation::Calls | Relation::Inherits | Relation::Implements | Relation::Overrides => 1.0,
            Relation::Instantiates => 0.9,
            Relation::UsesType | Relation::Decorates => 0.6,
            Relation::Imports => 0.3,
            // What a method does with the fields of its own type says little more than where it stands.
            Relation::ReadsFrom | Relation::AssignsTo => 0.2,
            containment if containment.is_containment() => 0.2,
            _ => 0.5,
        }
    }

    /// Whether the relation only says where something stands, and nothing of what its code does.
    pub const fn is_containment(self) -> bool {
        matches!(
            self,
            Relation::Contains
                | Relation::Defines
                | Relation::DefinesConstant
                | Relation::DefinesEnumMember
                | Relation::DefinesClassAttr
                | Relation::DefinesField
        )
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationSet(u32);

impl RelationSet {
    /// No relation.
    pub const EMPTY: Self = Self(0);

    /// Every relation.
    pub const ALL: Self = Self((1 << Relation::ALL.len()) - 1);

    /// What code does: every relation but those that only say where something stands.
    pub const CODE: Self = Self::ALL
        .without(Relation::Contains)
        .without(Relation::Defines)
        .without(Relation::DefinesConstant)
        .without(Relation::DefinesEnumMember)
        .without(Relation::DefinesClassAttr)
        .without(Relation::DefinesField);

    /// What a call tree follows.
    pub const CALLS: Self = Self::EMPTY.with(Relation::Calls).with(Relation::Instantiates);

    /// The set with one relation more.
    pub const fn with(self, relation: Relation) -> Self {
        Self(self.0 | 1 << relation as u32)
    }

    /// The set with one relation less.
    pub const fn without(self, relation: Relation) -> Self {
        Self(self.0 & !(1 << relation as u32))
    }

    /// The relations that are in both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether a relation is in the set.
    pub const fn contains(self, relation: Relation) -> bool {
        self.0 & 1 << relation as u32 != 0
    }
}

impl FromIterator<Relation> for RelationSet {
    fn from_iter<T: IntoIterator<Item = Relation>>(relations: T) -> Self {
        relations.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// How sure an edge is. What could not be resolved at all is no edge: it stands in the graph's ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Confidence {
    /// One of several candidates that the rules could not tell apart; the edge weighs 1/n.
    Ambiguous,
    /// The one candidate left after rules that are usually, not always, right.
    Inferred,
    /// Resolved by the language's scope, import or type rules.
    Exact,
}

impl Confidence {
    /// Every confidence, the least sure first.
    pub const ALL: [Confidence; 3] = [Confidence::Ambiguous, Confidence::Inferred, Confidence::Exact];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Confidence::Ambiguous => "ambiguous",
            Confidence::Inferred => "inferred",
            Confidence::Exact => "exact",
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What an edge was learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Provenance {
    /// The syntax of one file.
    Syntax,
    /// SSCG's own linker.
    Resolver,
    /// A SCIP index.
    Scip,
    /// A language server.
    Lsp,
}

impl Provenance {
    /// Every provenance, in declaration order.
    pub const ALL: [Provenance; 4] =
        [Provenance::Syntax, Provenance::Resolver, Provenance::Scip, Provenance::Lsp];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provenance::Syntax => "syntax",
            Provenance::Resolver => "resolver",
            Provenance::Scip => "scip",
            Provenance::Lsp => "lsp",
        }
    }
}

/// A set of provenances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProvenanceSet(u8);

impl ProvenanceSet {
    /// No provenance.
    pub const EMPTY: Self = Self(0);

    /// Every provenance.
    pub const ALL: Self = Self::EMPTY
        .with(Provenance::Syntax)
        .with(Provenance::Resolver)
        .with(Provenance::Scip)
        .with(Provenance::Lsp);

    /// The set with one provenance more.
    pub const fn with(self, provenance: Provenance) -> Self {
        Self(self.0 | 1 << provenance as u8)
    }

    /// The set with one provenance less.
    pub const fn without(self, provenance: Provenance) -> Self {
        Self(self.0 & !(1 << provenance as u8))
    }

    /// Whether a provenance is in the set.
    pub const fn contains(self, provenance: Provenance) -> bool {
        self.0 & 1 << provenance as u8 != 0
    }
}

impl FromIterator<Provenance> for ProvenanceSet {
    fn from_iter<T: IntoIterator<Item = Provenance>>(provenances: T) -> Self {
        provenances.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_21_code_relations_and_three_structural_ones() {
        assert_eq!(Relation::ALL.len(), 24);
        assert_eq!(Relation::ALL[21..], [Relation::Contains, Relation::Defines, Relation::References]);
    }

    #[test]
    fn sets_hold_what_was_put_into_them() {
        for relation in Relation::ALL.iter().copied() {
            assert!(RelationSet::ALL.contains(relation) && !RelationSet::EMPTY.contains(relation));
            assert_eq!(RelationSet::CODE.contains(relation), !relation.is_containment());
            let one = RelationSet::from_iter([relation]);
            assert!(one.contains(relation));
            assert_eq!(one.without(relation), RelationSet::EMPTY);
        }
    }

    #[test]
    fn sets_of_provenances_hold_what_was_put_into_them() {
        use Provenance::{Lsp, Resolver, Scip, Syntax};
        for provenance in [Syntax, Resolver, Scip, Lsp] {
            assert!(ProvenanceSet::ALL.contains(provenance) && !ProvenanceSet::EMPTY.contains(provenance));
            let one = ProvenanceSet::from_iter([provenance]);
            assert!(one.contains(provenance));
            assert_eq!(one.without(provenance), ProvenanceSet::EMPTY);
        }
    }

    #[test]
    fn wire_names_are_unique_in_both_directions() {
        let mut names: Vec<_> = Relation::ALL.iter().flat_map(|r| [r.as_str(), r.reverse_name()]).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 48);
    }
}
