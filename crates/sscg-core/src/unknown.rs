//! Parsing of names from closed sets.

use std::fmt;

use crate::{ChunkKind, Confidence, Corpus, DetailLevel, Relation, SymbolKind, quoted};

/// Error of parsing a name that is not in a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// Set in which the name was looked up: `kind`.
    pub set: &'static str,
    /// Name as given.
    pub name: Box<str>,
    /// Names in the set.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {}, not one of: {}", self.set, quoted(&self.name), self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

impl UnknownName {
    /// Returns the value with a wire name in a closed set, as implementations of [`FromStr`](std::str::FromStr) need it.
    ///
    /// # Errors
    /// If no value has this name.
    pub fn look_up<T: Copy>(
        name: &str,
        set: &'static str,
        all: impl Iterator<Item = T> + Clone,
        as_str: impl Fn(T) -> &'static str,
    ) -> Result<T, Self> {
        let found = all.clone().find(|it| as_str(*it) == name);
        found.ok_or_else(|| Self { set, name: name.into(), known: all.map(as_str).collect() })
    }
}

/// Implements [`FromStr`](std::str::FromStr) for types with a method `as_str`: a type, the name of the set for errors, and
/// an iterator over all values, each.
#[doc(hidden)]
#[macro_export]
macro_rules! parsed_by_name {
    ($($type:ty, $set:literal, $all:expr;)*) => {
        $(
            /// Parses a wire name.
            impl std::str::FromStr for $type {
                type Err = $crate::UnknownName;

                fn from_str(name: &str) -> Result<Self, $crate::UnknownName> {
                    $crate::UnknownName::look_up(name, $set, $all, |it: Self| it.as_str())
                }
            }
        )*
    };
}

parsed_by_name! {
    SymbolKind, "kind", SymbolKind::ALL.iter().copied();
    ChunkKind, "kind", ChunkKind::all();
    Relation, "relation", Relation::ALL.iter().copied();
    Confidence, "confidence", Confidence::ALL.into_iter();
    DetailLevel, "level of detail", DetailLevel::ALL.into_iter();
    Corpus, "part of a tree", Corpus::ALL.into_iter();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_as_they_are_written() {
        for kind in ChunkKind::all() {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        for corpus in Corpus::ALL {
            assert_eq!(corpus.as_str().parse(), Ok(corpus));
        }
        for relation in Relation::ALL {
            assert_eq!(relation.as_str().parse(), Ok(*relation));
        }
    }

    #[test]
    fn unknown_names_are_errors_that_list_the_known_ones() {
        let error = "sure\n".parse::<Confidence>().expect_err("there is no such confidence");
        assert_eq!(
            error.to_string(),
            r#"unknown confidence "sure\n", not one of: ambiguous, inferred, exact"#
        );
        assert_eq!("Function".parse::<SymbolKind>().expect_err("names are lowercase").set, "kind");
    }
}
