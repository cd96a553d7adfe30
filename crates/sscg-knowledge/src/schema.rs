//! Kinds of nodes and edges, and the evidence for facts.

use std::fmt;

use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

macro_rules! kinds {
    ($(#[$of:meta])* $name:ident: $($(#[$doc:meta])* $variant:ident => $wire:literal,)*) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $wire)] $variant,)*
        }

        impl $name {
            /// All values, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the wire name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)* }
            }

            /// Returns the value with a wire name.
            pub fn from_wire(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

kinds! {
    /// Kind of a node. Its wire name is the prefix of the node's id.
    NodeKind:
    /// Source file.
    File => "file",
    /// Declaration.
    Symbol => "symbol",
    /// Separately deployed program.
    Service => "service",
    /// Contract of a service: an OpenAPI, AsyncAPI or JSON Schema file, or the API that its code exposes.
    Contract => "contract",
    /// Method and path that a service handles.
    Endpoint => "endpoint",
    /// Domain entity: an order, a customer.
    DomainEntity => "domain_entity",
    /// Message sent between services.
    Event => "event",
}

kinds! {
    /// Kind of an edge. Two nodes can be joined by several edges of different kinds.
    EdgeKind:
    /// A service owns a file.
    ContainsFile => "CONTAINS_FILE",
    /// A file defines a symbol.
    DefinesSymbol => "DEFINES_SYMBOL",
    /// A file imports another.
    Imports => "IMPORTS",
    /// A symbol calls or constructs another.
    Calls => "CALLS",
    /// A type extends another.
    Inherits => "INHERITS",
    /// A type implements an interface or trait.
    Implements => "IMPLEMENTS",
    /// A service provides a contract.
    ProvidesContract => "PROVIDES_CONTRACT",
    /// A contract lists an endpoint.
    ExposesEndpoint => "EXPOSES_ENDPOINT",
    /// A symbol handles an endpoint.
    HandlesEndpoint => "HANDLES_ENDPOINT",
    /// A service owns an entity.
    OwnsEntity => "OWNS_ENTITY",
    /// A service uses an entity of another service.
    ReferencesEntity => "REFERENCES_ENTITY",
    /// A symbol implements an entity.
    ImplementsEntity => "IMPLEMENTS_ENTITY",
    /// A service publishes an event.
    PublishesEvent => "PUBLISHES_EVENT",
    /// A service consumes an event.
    ConsumesEvent => "CONSUMES_EVENT",
    /// A service calls an endpoint of another service.
    ServiceCalls => "SERVICE_CALLS",
    /// An entity is related to another.
    DomainRelationship => "DOMAIN_RELATIONSHIP",
}

kinds! {
    /// Source of a fact.
    Source:
    /// Hand-written service map or domain model.
    Declared => "declared",
    /// Interfaces of services, passed as an input.
    Interface => "interface",
    /// OpenAPI, AsyncAPI or JSON Schema file.
    Contract => "contract",
    /// Manifest of a package or workspace, or of docker-compose or Kubernetes.
    Manifest => "manifest",
    /// Locations of files.
    Layout => "layout",
    /// Code graph.
    Graph => "graph",
    /// Code, such as the arguments of library calls.
    Code => "code",
    /// Names that are equal after normalization.
    Name => "name",
}

/// Evidence for a fact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FactEvidence {
    /// Confidence of the fact. `Exact` only if the text itself establishes it: an input states it, or every part of it
    /// (the library, the host, the path, the topic) is a literal or follows from constants. `Inferred` if a heuristic
    /// supplied a part. `Ambiguous` if it is one of several candidates.
    pub confidence: Confidence,
    /// Source of the fact.
    pub source: Source,
    /// File, relative to the project root; empty if there is no particular file.
    pub file: Box<str>,
    /// 1-based line; 0 if there is none.
    pub line: u32,
}
