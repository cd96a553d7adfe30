//! Facts of an oracle.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sscg_core::Relation;

/// One fact of an oracle; in JSON an object with its `kind`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Fact {
    /// Declaration for which the oracle has every outgoing edge of these relations. The name `*` stands for the file
    /// with all its declarations.
    Covered {
        #[serde(flatten)]
        place: DeclarationLine,
        relations: Vec<Named>,
    },
    /// An edge between declarations of the project, with the line of the use.
    Edge { relation: Named, source: DeclarationLine, target: DeclarationLine, at: u32 },
    /// A use that the oracle cannot resolve: edges from its source to a target of this name are not judged. The name
    /// `*` stands for any name.
    Unknown { relation: Named, source: DeclarationLine, name: String, at: u32 },
    /// A declaration of something that is defined elsewhere: an edge of one is an edge of both.
    Same { place: DeclarationLine, definition: DeclarationLine },
}

impl Fact {
    /// Returns the declarations in the fact.
    pub(super) fn places(&mut self) -> Vec<&mut DeclarationLine> {
        match self {
            Fact::Covered { place, .. } => vec![place],
            Fact::Edge { source, target, .. } => vec![source, target],
            Fact::Unknown { source, .. } => vec![source],
            Fact::Same { place, definition } => vec![place, definition],
        }
    }
}

/// A declaration, identified by the line of its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct DeclarationLine {
    /// Path relative to the measured directory, with forward slashes.
    pub(super) path: String,
    pub(super) line: u32,
    /// Last segment of its name; empty for the top-level code of a file.
    pub(super) name: String,
}

/// A relation; in JSON its wire name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named(pub(super) Relation);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_str().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Named).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_from_json_lines() {
        let read = |line| serde_json::from_str::<Fact>(line).expect("it has the form of a fact");
        let place = |line, name: &str| DeclarationLine { path: "a.rs".into(), line, name: name.into() };
        let calls = Named(Relation::Calls);
        assert_eq!(
            read(r#"{"kind":"covered","path":"a.rs","line":10,"name":"f","relations":["calls"]}"#),
            Fact::Covered { place: place(10, "f"), relations: vec![calls] }
        );
        assert_eq!(
            read(
                r#"{"kind":"edge","relation":"calls","source":{"path":"a.rs","line":10,"name":"f"},
                    "target":{"path":"a.rs","line":3,"name":"g"},"at":12}"#
            ),
            Fact::Edge { relation: calls, source: place(10, "f"), target: place(3, "g"), at: 12 }
        );
        assert_eq!(
            read(
                r#"{"kind":"unknown","relation":"calls","source":{"path":"a.rs","line":0,"name":""},
                    "name":"send","at":7}"#
            ),
            Fact::Unknown { relation: calls, source: place(0, ""), name: "send".into(), at: 7 }
        );
    }
}
