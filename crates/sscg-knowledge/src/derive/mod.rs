//! Facts derived from the code of services: handled and sent requests, published and consumed events, and stored
//! entities.
//!
//! Calls are read from [`Wiring`](sscg_core::Wiring), and their arguments are evaluated by [`value`]: through bindings,
//! fields, constants of other files and the environment. No code is executed. A finding is
//! [exact](sscg_core::Confidence::Exact) only if the called library, and every part of the text that names the other
//! side, follow from the source text.

mod annotation;
mod code;
mod endpoints;
mod entities;
mod events;
mod grpc;
mod passed;
mod requests;
mod settings;
mod value;

use sscg_core::Project;
use sscg_graph::CodeGraph;

pub use code::Sources;

use crate::Model;
use code::Code;

/// Adds the facts derived from the code of its services to a model. The model must already contain the services and
/// libraries; the graph must be that of the project.
pub fn derive(project: &Project, graph: &CodeGraph, sources: &dyn Sources, model: &mut Model) {
    let code = Code::new(project, graph, sources, model);
    endpoints::derive(&code, model);
    grpc::derive(&code, model);
    entities::derive(&code, model);
    requests::derive(&code, model);
    events::derive(&code, model);
}
