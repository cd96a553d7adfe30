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
///
/// ```
/// use sscg_core::{FileId, Manifests, Project, Wiring};
/// use sscg_knowledge::{Model, Service, Sources, derive};
/// use sscg_parse::FileType;
///
/// /// Text of the only file.
/// struct Text(&'static str);
///
/// impl Sources for Text {
///     fn text(&self, _file: FileId) -> Option<String> {
///         Some(self.0.to_owned())
///     }
///
///     fn wiring(&self, _file: FileId, text: &str) -> Wiring {
///         FileType::of_path("app.py").unwrap().wiring(text)
///     }
/// }
///
/// let text = "from flask import Flask\n\napp = Flask(__name__)\n\n@app.get('/orders')\ndef orders(): pass\n";
/// let files = sscg_parse::project_file("app.py", text).into_iter().collect();
/// let project = Project::new(files, Manifests::default());
/// let service = Service { name: "shop".into(), root: Some("".into()), ..Service::default() };
/// let mut model = Model { services: vec![service], ..Model::default() };
/// derive(&project, &sscg_graph::link(&project), &Text(text), &mut model);
/// let endpoint = &model.endpoints[0];
/// assert_eq!((&*endpoint.service, &*endpoint.method, &*endpoint.path), ("shop", "GET", "/orders"));
/// assert_eq!(endpoint.handler.as_ref().unwrap().line, 6);
/// ```
pub fn derive(project: &Project, graph: &CodeGraph, sources: &dyn Sources, model: &mut Model) {
    let code = Code::new(project, graph, sources, model);
    endpoints::derive(&code, model);
    grpc::derive(&code, model);
    entities::derive(&code, model);
    requests::derive(&code, model);
    events::derive(&code, model);
}
