//! The service level on top of the code graph.
//!
//! Services, contracts, endpoints, events and domain entities, found in what a repository declares and in its code, and
//! how they depend on each other, down to the symbols that do it.
//!
//! Three steps make the graph. [`read_inputs`] reads what stands beside the code into a [`Model`]; [`derive()`] adds what the
//! code passes to libraries, parsing only the files that the code graph says use one; [`build()`] joins the model with the
//! code graph into a [`KnowledgeGraph`]. [`query`] asks it, [`Snapshot`] is the graph as a file. `sscg::Engine::knowledge`
//! does all of it for a directory.
//!
//! *Invariant:* everything said here about a service leads back to a file, and where there is one to a symbol of the
//! code graph; no input or output, and the same project gives the same graph.

mod build;
mod context;
mod derive;
mod document;
pub mod graph;
mod input;
mod model;
mod problem;
pub mod query;
mod report;
mod schema;
mod snapshot;

pub use build::{Base, BuildOptions, build};
pub use context::{CONTEXT_TOKENS, community_summary};
pub use derive::{Sources, derive};
pub use graph::{Edge, EdgeData, KnowledgeGraph, Node, NodeData, NodeIndex};
pub use input::{GivenInputs, InputFile, input_limit, read_inputs};
pub use model::{
    Contract, ContractType, Endpoint, Entity, EntityReference, EventUse, Field, Message, MessageDirection,
    Model, NamedEndpoint, Operation, Relationship, Request, Service, Site,
};
pub use problem::Problem;
pub use report::BuildReport;
pub use schema::{EdgeKind, Evidence, NodeKind, Source};
pub use snapshot::{SNAPSHOT_VERSION, Snapshot, SnapshotError};
