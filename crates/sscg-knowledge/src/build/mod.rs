//! Joins what was found with the code graph.

mod code;
mod contracts;
mod endpoints;
mod entities;
mod events;
mod named;
mod names;
mod ownership;
mod service_calls;

use sscg_core::Project;
use sscg_graph::CodeGraph;

use crate::graph::service_id;
use crate::{BuildReport, Evidence, KnowledgeGraph, Model, NodeIndex, Problem};
use code::Code;

/// What is computed of a graph when it is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildOptions {
    /// The probability with which PageRank follows an edge; 0.85 by default.
    pub alpha: f64,
    /// Of the communities: the larger, the smaller they are; 1 by default.
    pub resolution: f64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { alpha: 0.85, resolution: 1.0 }
    }
}

/// Builds the graph of a project from its code graph and from all that was found of its services.
///
/// What the model says of services that it does not name is left out and told of in the errors. The same arguments give the
/// same graph. O(symbols + edges) but for the metrics; the time in the report is for the caller to fill in.
///
/// # Panics
/// If the code graph, or a site or symbol of the model, is of another state of the project.
pub fn build(
    project: &Project,
    code_graph: &CodeGraph,
    model: Model,
    options: &BuildOptions,
) -> (KnowledgeGraph, BuildReport) {
    Base::new(project, code_graph, &model).build(model, options)
}

/// The services of a graph with their files and symbols, before anything else is known of them: it can be made while what the
/// code says is still being [derived](crate::derive()).
pub struct Base<'a>(Builder<'a>);

impl<'a> Base<'a> {
    /// The base of a model's services and libraries; nothing else of the model counts.
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

    /// The graph of a model that has the services and libraries of this base. See [`build`].
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
        let Builder { mut graph, mut problems, .. } = builder;
        problems.sort();
        problems.dedup();
        let communities = graph.compute_metrics(options.alpha, options.resolution);
        let report = BuildReport::of(&graph, communities, &problems);
        (graph, report)
    }
}

/// A graph that is being built.
struct Builder<'a> {
    project: &'a Project,
    graph: KnowledgeGraph,
    code: Code,
    problems: Vec<Problem>,
}

impl Builder<'_> {
    /// The node of a service; without one, a problem is noted with what names it.
    fn service(&mut self, name: &str, what: &str, evidence: &Evidence) -> Option<NodeIndex> {
        let service = self.graph.find(&service_id(name));
        if service.is_none() {
            let input = if evidence.file.is_empty() { what.into() } else { evidence.file.clone() };
            let message = format!("{what} names the service `{name}`, which there is not; it is left out");
            self.problems.push(Problem::new(input, message).at(evidence.line));
        }
        service
    }
}
