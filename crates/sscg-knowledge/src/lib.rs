//! Service graph on top of the code graph.
//!
//! Services, contracts, endpoints, events and domain entities, found in the declarations and the code of a repository,
//! and their dependencies, down to the symbols that implement them. In [`sscg`](https://docs.rs/sscg),
//! `Engine::knowledge` runs all steps for a directory; use this crate to run them on inputs of your own.
//!
//! *Invariant:* every fact about a service leads back to a file, and where there is one to a symbol of the code graph.
//! The crate does no I/O and calls no models, and the same project gives the same graph.
//!
//! # Overview
//!
//! 1. [`read_inputs`] reads the inputs beside the code into a [`Model`]: manifests, compose and Kubernetes files,
//!    contracts, the service map.
//! 2. [`derive()`] adds the facts that follow from calls into libraries: routes, requests, events, stored types. It
//!    gets the texts from [`Sources`] and parses only files that use such a library.
//! 3. [`build()`] joins the model with the code graph into a [`KnowledgeGraph`]: a directed multigraph with descriptive
//!    ids (`service::orders`, `endpoint::orders::GET::/orders/{id}`).
//! 4. [`query`] answers questions: the context of a service, the neighborhood of a node, the nodes that match a text,
//!    the effects of a change on other services, misplaced files, events without a consumer.
//! 5. [`KnowledgeSnapshot`] is the graph as a versioned JSON file.
//!
//! # Example
//!
//! ```
//! use sscg_core::{Manifests, Project};
//! use sscg_knowledge::query::{ServiceContextRequest, get_service_context};
//! use sscg_knowledge::{BuildOptions, GivenInputs, build, read_inputs};
//!
//! let code = [("orders/create.py", "def create_order(): pass\n")];
//! let files = code.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
//! let project = Project::new(files, Manifests::default());
//!
//! let mut given = GivenInputs::default();
//! let map = "services: [{name: orders, root: orders, owns_entities: [Order]}]\nentities: [{name: Order}]";
//! given.service_map = Some(("map.yaml".into(), map.into()));
//! let model = read_inputs(&[], &given);
//! let (graph, report) = build(&project, &sscg_graph::link(&project), model, &BuildOptions::default());
//! assert!(report.errors.is_empty());
//! assert!(graph.find("symbol::orders/create.py::create_order").is_some());
//!
//! let mut request = ServiceContextRequest::default();
//! request.service_name = "orders".into();
//! let context = get_service_context(&graph, &request, &sscg_format::O200k)?;
//! assert_eq!(&*context.owned_entities[0].name, "Order");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **Nothing is run.** Names and addresses are traced statically to their literals. A derived fact is exact only if
//!   library, host, path or topic all follow from the text, and no edge has a higher confidence than its evidence.
//! - **The code graph selects the files to parse**: those with an edge to an external symbol of a relevant library.
//!   Storing the arguments of all calls would enlarge every index for a question that few ask.
//! - **Endpoints belong to contracts.** One found only in code belongs to `code:<service>`, so that all queries take
//!   one path.
//! - **No input prevents another from being read.** Problems are listed in [`BuildReport`], each with file and line.
//!   YAML is untrusted and has budgets for aliases, depth and nodes.
//! - **A change travels to dependents only**, never back to what the changed code uses; otherwise it would reach
//!   everything that shares a library.
//! - **The graph is not stored.** It is built from a snapshot in memory, so it needs no expiry.

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
pub use context::{CONTEXT_TOKENS, ContextKind, ContextRecord, ContextStore, community_summary};
pub use derive::{Sources, derive};
pub use graph::{Edge, EdgeData, KnowledgeGraph, Node, NodeData, NodeIndex};
pub use input::{GivenInputs, InputFile, input_limit, read_inputs};
pub use model::{
    Contract, ContractOperation, ContractType, Endpoint, Entity, EntityReference, EventUse, Message,
    MessageDirection, Model, NamedEndpoint, Relationship, Request, SchemaField, Service, ServiceDependency,
    Setting, Site,
};
pub use problem::Problem;
pub use report::BuildReport;
pub use schema::{EdgeKind, FactEvidence, NodeKind, Source};
pub use snapshot::{KnowledgeSnapshot, SNAPSHOT_VERSION, SnapshotError};
