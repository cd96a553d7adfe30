//! Joins the model with the code graph.

mod code;
mod contracts;
mod endpoints;
mod entities;
mod events;
mod named;
mod names;
mod ownership;
mod service_calls;

use derive_setters::Setters;
use sscg_core::Project;
use sscg_graph::CodeGraph;

use crate::graph::service_id;
use crate::{BuildReport, FactEvidence, KnowledgeGraph, Model, NodeIndex, Problem};
use code::Code;

/// Options for the metrics of a built graph.
#[derive(Clone, Copy, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct BuildOptions {
    /// Probability that PageRank follows an edge (default 0.85).
    pub alpha: f64,
    /// Resolution of the communities; larger values give smaller communities (default 1).
    pub resolution: f64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { alpha: 0.85, resolution: 1.0 }
    }
}

/// Builds the graph of a project from its code graph and the model of its services.
///
/// Facts about services that the model does not declare are dropped and reported as errors. The same arguments give the
/// same graph. O(symbols + edges), except for the metrics. The caller sets the build time in the report.
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_knowledge::{BuildOptions, Model, NodeKind, Service, build};
///
/// let text = "export function ship(): void {}\n";
/// let files = sscg_parse::project_file("shipping/src/ship.ts", text).into_iter().collect();
/// let project = Project::new(files, Manifests::default());
///
/// let mut service = Service::default();
/// (service.name, service.root) = ("shipping".into(), Some("shipping".into()));
/// let mut model = Model::default();
/// model.services.push(service);
/// let (graph, _) = build(&project, &sscg_graph::link(&project), model, &BuildOptions::default());
/// assert_eq!(graph.nodes_of(NodeKind::Service).count(), 1);
/// assert!(graph.get("file::shipping/src/ship.ts").is_some());
/// ```
///
/// # Panics
/// If the code graph, or a site or symbol of the model, belongs to another state of the project.
pub fn build(
    project: &Project,
    code_graph: &CodeGraph,
    model: Model,
    options: &BuildOptions,
) -> (KnowledgeGraph, BuildReport) {
    Base::new(project, code_graph, &model).build(model, options)
}

/// Graph of the services with their files and symbols only. It can be built while the facts in the code are still being
/// [derived](crate::derive()).
pub struct Base<'a>(Builder<'a>);

impl<'a> Base<'a> {
    /// Builds the base from the services and libraries of a model; the rest of the model is ignored.
    ///
    /// # Panics
    /// As [`build`].
    pub fn new(project: &'a Project, code_graph: &CodeGraph, model: &Model) -> Self {
        let mut builder =
            Builder { project, graph: KnowledgeGraph::new(), code: Code::default(), problems: Vec::new() };
        builder.add_services(model);
        builder.add_code(code_graph, model);
        Self(builder)
    }

    /// Completes the graph from a model that has the services and libraries of this base. See [`build`].
    ///
    /// # Panics
    /// As [`build`].
    pub fn build(self, model: Model, options: &BuildOptions) -> (KnowledgeGraph, BuildReport) {
        let Self(mut builder) = self;
        builder.problems.extend_from_slice(&model.errors);
        let endpoints = builder.add_endpoints(&model);
        builder.add_events(&model, &endpoints);
        builder.add_service_calls(&model, &endpoints);
        builder.add_entities(&model);
        let Builder { project, mut graph, mut problems, .. } = builder;
        problems.sort();
        problems.dedup();
        let communities = graph.compute_metrics(options.alpha, options.resolution);
        let report = BuildReport::of(project, &graph, communities, &problems);
        (graph, report)
    }
}

/// Graph under construction.
struct Builder<'a> {
    project: &'a Project,
    graph: KnowledgeGraph,
    code: Code,
    problems: Vec<Problem>,
}

impl Builder<'_> {
    /// Returns the node of a service. If there is none, records the problem that `what` names it.
    fn service(&mut self, name: &str, what: &str, evidence: &FactEvidence) -> Option<NodeIndex> {
        let service = self.graph.find(&service_id(name));
        if service.is_none() {
            let input = if evidence.file.is_empty() { what.into() } else { evidence.file.clone() };
            let message = format!("{what} names the service `{name}`, which there is not; it is left out");
            self.problems.push(Problem::new(input, message).at(evidence.line));
        }
        service
    }
}
