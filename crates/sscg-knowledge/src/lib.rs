//! The service level on top of the code graph.
//!
//! Services, contracts, endpoints, events and domain entities, found in what a repository declares and in its code, and
//! how they depend on each other, down to the symbols that do it.
//!
//! *Invariant:* everything said here about a service leads back to a file, and where there is one to a symbol of the
//! code graph; no input or output, and the same project gives the same graph.

mod derive;
mod model;
mod problem;
mod schema;

pub use derive::{Sources, derive};
pub use model::{
    Contract, ContractType, Endpoint, Entity, EventUse, Field, Message, MessageDirection, Model, Operation,
    Relationship, Request, Service, Site,
};
pub use problem::Problem;
pub use schema::{EdgeKind, Evidence, NodeKind, Source};
