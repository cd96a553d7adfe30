//! Typed edges of the graph, and their confidence and provenance.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! relations {
    ($($(#[$doc:meta])* $variant:ident => $name:literal / $reverse:literal,)*) => {
        /// Type of an edge: `source <relation> target`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Relation {
            $($(#[$doc])* $variant,)*
        }

        impl Relation {
            /// All relations, in declaration order.
            pub const ALL: &[Relation] = &[$(Relation::$variant,)*];

            /// Returns the wire name, read from source to target.
            pub const fn as_str(self) -> &'static str {
                match self { $(Relation::$variant => $name,)* }
            }

            /// Returns the wire name read from target to source.
            pub const fn reverse_name(self) -> &'static str {
                match self { $(Relation::$variant => $reverse,)* }
            }
        }
    };
}

relations! {
    /// Calls a function.
    Calls => "calls" / "called_by",
    /// Extends a type.
    Inherits => "inherits" / "inherited_by",
    /// Names a type in a signature, annotation or expression.
    UsesType => "uses_type" / "used_as_type_by",
    /// Imports a file or a symbol into a file or scope.
    Imports => "imports" / "imported_by",
    /// Attaches a decorator or attribute; the edge starts at the declaration.
    Decorates => "decorates" / "decorated_by",
    /// Raises or throws a type.
    Raises => "raises" / "raised_by",
    /// Handles a raised type.
    Catches => "catches" / "caught_by",
    /// Constructs a type.
    Instantiates => "instantiates" / "instantiated_by",
    /// Implements an interface or trait.
    Implements => "implements" / "implemented_by",
    /// Overrides an inherited member.
    Overrides => "overrides" / "overridden_by",
    /// Writes a value.
    AssignsTo => "assigns_to" / "assigned_by",
    /// Reads a value.
    ReadsFrom => "reads_from" / "read_by",
    /// Defines a constant in a scope.
    DefinesConstant => "defines_constant" / "constant_defined_by",
    /// Defines a member of an enumeration.
    DefinesEnumMember => "defines_enum_member" / "enum_member_defined_by",
    /// Defines an attribute of a class.
    DefinesClassAttr => "defines_class_attr" / "class_attr_defined_by",
    /// Defines a field of a type.
    DefinesField => "defines_field" / "field_defined_by",
    /// Reads a constant.
    UsesConstant => "uses_constant" / "constant_used_by",
    /// Names a symbol in the default value of a parameter.
    UsesDefault => "uses_default" / "default_used_by",
    /// Reads or writes a global variable.
    UsesGlobal => "uses_global" / "global_used_by",
    /// Names a type in a type test or cast.
    AssertsType => "asserts_type" / "type_asserted_by",
    /// Guards a block with a context manager or `using` declaration.
    UsesContextManager => "uses_context_manager" / "context_manager_used_by",
    /// Contains a symbol, in a file or symbol (structural).
    Contains => "contains" / "contained_by",
    /// Defines a symbol, in a file (structural).
    Defines => "defines" / "defined_by",
    /// Names a symbol in a way no other relation describes (structural).
    References => "references" / "referenced_by",
}

impl Relation {
    /// Returns the strength of the relation, from 0 to 1. Containment is weak; otherwise every file would tie all its
    /// symbols together.
    pub const fn weight(self) -> f32 {
        match self {
            Relation::Calls | Relation::Inherits | Relation::Implements | Relation::Overrides => 1.0,
            Relation::Instantiates => 0.9,
            Relation::UsesType | Relation::Decorates => 0.6,
            Relation::Imports => 0.3,
            // A method's access to fields of its own type adds little beyond containment.
            Relation::ReadsFrom | Relation::AssignsTo => 0.2,
            containment if containment.is_containment() => 0.2,
            _ => 0.5,
        }
    }

    /// Returns true if the relation describes only where a symbol is declared, not the behavior of code.
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

/// Set of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationSet(u32);

impl RelationSet {
    /// No relation.
    pub const EMPTY: Self = Self(0);

    /// All relations.
    pub const ALL: Self = Self((1 << Relation::ALL.len()) - 1);

    /// Relations that describe code: all but containment.
    pub const CODE: Self = Self::ALL
        .without(Relation::Contains)
        .without(Relation::Defines)
        .without(Relation::DefinesConstant)
        .without(Relation::DefinesEnumMember)
        .without(Relation::DefinesClassAttr)
        .without(Relation::DefinesField);

    /// Relations that a call tree follows.
    pub const CALLS: Self = Self::EMPTY.with(Relation::Calls).with(Relation::Instantiates);

    /// Returns the set with `relation` added.
    pub const fn with(self, relation: Relation) -> Self {
        Self(self.0 | 1 << relation as u32)
    }

    /// Returns the set with `relation` removed.
    pub const fn without(self, relation: Relation) -> Self {
        Self(self.0 & !(1 << relation as u32))
    }

    /// Returns the intersection of both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns true if the set contains `relation`.
    pub const fn contains(self, relation: Relation) -> bool {
        self.0 & 1 << relation as u32 != 0
    }
}

impl FromIterator<Relation> for RelationSet {
    fn from_iter<T: IntoIterator<Item = Relation>>(relations: T) -> Self {
        relations.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// Confidence of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Confidence {
    /// One of several candidates that the rules cannot distinguish.
    Ambiguous,
    /// Resolved by rules that are usually right.
    Inferred,
    /// Resolved by the language's scope, import or type rules.
    #[default]
    Exact,
}

impl Confidence {
    /// All confidence levels, in ascending order.
    pub const ALL: [Confidence; 3] = [Confidence::Ambiguous, Confidence::Inferred, Confidence::Exact];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Confidence::Ambiguous => "ambiguous",
            Confidence::Inferred => "inferred",
            Confidence::Exact => "exact",
        }
    }

    /// Returns true if the confidence is [`Confidence::Exact`].
    pub fn is_exact(&self) -> bool {
        *self == Confidence::Exact
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Source of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Provenance {
    /// Syntax of one file.
    Syntax,
    /// SSCG's own linker, by scopes and types.
    Resolver,
    /// The linker, by the values that a call may run.
    Flow,
    /// The linker, by the name of a member alone, as nothing is known of the value that has it.
    Name,
    /// SCIP index.
    Scip,
    /// Language server.
    Lsp,
}

impl Provenance {
    /// All provenances, in declaration order.
    pub const ALL: [Provenance; 6] = [
        Provenance::Syntax,
        Provenance::Resolver,
        Provenance::Flow,
        Provenance::Name,
        Provenance::Scip,
        Provenance::Lsp,
    ];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provenance::Syntax => "syntax",
            Provenance::Resolver => "resolver",
            Provenance::Flow => "flow",
            Provenance::Name => "name",
            Provenance::Scip => "scip",
            Provenance::Lsp => "lsp",
        }
    }
}

/// Set of provenances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProvenanceSet(u8);

impl ProvenanceSet {
    /// No provenance.
    pub const EMPTY: Self = Self(0);

    /// All provenances.
    pub const ALL: Self = Self((1 << Provenance::ALL.len()) - 1);

    /// Returns the set with `provenance` added.
    pub const fn with(self, provenance: Provenance) -> Self {
        Self(self.0 | 1 << provenance as u8)
    }

    /// Returns the set with `provenance` removed.
    pub const fn without(self, provenance: Provenance) -> Self {
        Self(self.0 & !(1 << provenance as u8))
    }

    /// Returns true if the set contains `provenance`.
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
        for provenance in Provenance::ALL {
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
