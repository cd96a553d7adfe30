//! The kinds of nodes and edges, and what each says.

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
            /// Every one, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The wire name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)* }
            }

            /// The one of a wire name.
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
    /// What a node stands for. Its wire name is the prefix of the node's id.
    NodeKind:
    /// A file.
    File => "file",
    /// A declaration.
    Symbol => "symbol",
    /// A program that is deployed by itself.
    Service => "service",
    /// What a service promises: an OpenAPI, AsyncAPI or JSON Schema file, or what its code shows to others.
    Contract => "contract",
    /// A method and a path that a service answers.
    Endpoint => "endpoint",
    /// A thing of the domain: an order, a customer.
    DomainEntity => "domain_entity",
    /// A message that services send each other.
    Event => "event",
}

kinds! {
    /// What an edge says. Two nodes can be joined by several edges, of different kinds.
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
    /// A symbol answers an endpoint.
    HandlesEndpoint => "HANDLES_ENDPOINT",
    /// A service owns an entity.
    OwnsEntity => "OWNS_ENTITY",
    /// A service uses an entity of another.
    ReferencesEntity => "REFERENCES_ENTITY",
    /// A symbol is what the code has of an entity.
    ImplementsEntity => "IMPLEMENTS_ENTITY",
    /// A service sends an event.
    PublishesEvent => "PUBLISHES_EVENT",
    /// A service listens to an event.
    ConsumesEvent => "CONSUMES_EVENT",
    /// A service calls an endpoint of another.
    ServiceCalls => "SERVICE_CALLS",
    /// An entity is related to another.
    DomainRelationship => "DOMAIN_RELATIONSHIP",
}

kinds! {
    /// What told of something.
    Source:
    /// The service map or the domain model that somebody wrote.
    Declared => "declared",
    /// The interfaces of services that were handed in.
    Interface => "interface",
    /// An OpenAPI, AsyncAPI or JSON Schema file.
    Contract => "contract",
    /// A manifest: of a package, a workspace, docker-compose, Kubernetes.
    Manifest => "manifest",
    /// Where files stand.
    Layout => "layout",
    /// The code graph.
    Graph => "graph",
    /// What the code passes to a library.
    Code => "code",
    /// Names that are the same after normalisation.
    Name => "name",
}

/// How an edge is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// How sure it is. `Exact` only where the text says so itself: it is written in an input, or every part of it (the
    /// library, the host, the path, the topic) is a literal or follows from constants; `Inferred` where a rule that is
    /// usually right filled in a part; `Ambiguous` if it is one of several candidates.
    pub confidence: Confidence,
    /// What told of it.
    pub source: Source,
    /// Where, relative to the project's root; empty if it is nowhere in particular.
    pub file: Box<str>,
    /// The 1-based line; 0 if there is none.
    pub line: u32,
}
