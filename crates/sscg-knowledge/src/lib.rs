//! Service graph on top of the code graph.
//!
//! Services, contracts, endpoints, events and domain entities, found in the declarations and the code of a repository,
//! and their dependencies, down to the symbols that implement them.
//!
//! The graph is built in three steps. [`read_inputs`] reads the inputs beside the code into a [`Model`]. [`derive()`]
//! adds the facts that follow from calls into libraries; it parses only files that use one, according to the code
//! graph. [`build()`] joins the model with the code graph into a [`KnowledgeGraph`]. [`query`] queries the graph, and
//! [`Snapshot`] is its file form. `sscg::Engine::knowledge` runs all steps for a directory.
//!
//! *Invariant:* every fact about a service leads back to a file, and where there is one to a symbol of the code graph.
//! The crate does no I/O, and the same project gives the same graph.

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
