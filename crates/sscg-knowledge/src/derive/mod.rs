//! What code says of services: the requests that it answers and sends, the events that it sends and listens to, and the
//! entities that it keeps.
//!
//! Calls are read from [`Wiring`](sscg_core::Wiring), and what is passed to them is evaluated by [`value`]: through
//! bindings, fields, constants of other files and the environment, never by running anything. A finding is
//! [exact](sscg_core::Confidence::Exact) only if the library that is called, and every part of the text that names the
//! other side, follow from what is written.

mod code;
mod endpoints;
mod entities;
mod events;
mod passed;
mod requests;
mod value;

use sscg_core::Project;
use sscg_graph::CodeGraph;

pub use code::Sources;

use crate::Model;
use code::Code;

/// Adds to a model what the code of its services says. The services and libraries must stand in the model already; the
/// graph must be that of the project.
pub fn derive(project: &Project, graph: &CodeGraph, sources: &dyn Sources, model: &mut Model) {
    let code = Code::new(project, graph, sources, model);
    endpoints::derive(&code, model);
    entities::derive(&code, model);
    requests::derive(&code, model);
    events::derive(&code, model);
}
