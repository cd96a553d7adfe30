//! `sscg knowledge`

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, Subcommand, ValueEnum, value_parser};
use serde::Serialize;
use sscg::config::KnowledgeConfig;
use sscg::knowledge::query::{
    BoundariesRequest, EventsRequest, ImpactRequest, NeighborhoodRequest, QueryError, SearchResults,
};
use sscg::knowledge::{AsText, EdgeKind, GivenInputs, Knowledge, NodeKind};
use sscg::{Config, KnowledgeResponse};

use super::search::Terms;
use super::{Directory, open};
use crate::configuration::Flag;
use crate::failure::Failure;
use crate::progress::with_bar;
use crate::{CommandResult, Global, print, skipped};

/// Query how a project's services connect: endpoints, requests, events, entities.
///
/// The graph is built from the code and other files of the repository: workspaces, docker-compose, Kubernetes, OpenAPI,
/// AsyncAPI, JSON Schema and Protocol Buffers files, and sscg-services.toml if there is one. See docs/knowledge.md.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg knowledge build
  sscg knowledge context orders
  sscg knowledge impact services/catalog/src/routes/products.rs
  sscg knowledge events --service orders --format json
  sscg knowledge search \"who charges the customer\" --anchor orders
  sscg knowledge search \"payments\" --records")]
pub(crate) struct KnowledgeCommand {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    Build(Build),
    Context(ContextArgs),
    Neighborhood(Neighborhood),
    Search(Search),
    Impact(Impact),
    Boundaries(Boundaries),
    Events(Events),
}

impl KnowledgeCommand {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        match self.question {
            Question::Build(build) => build.run(global),
            Question::Context(context) => context.run(global),
            Question::Neighborhood(neighborhood) => neighborhood.run(global),
            Question::Search(search) => search.run(global),
            Question::Impact(impact) => impact.run(global),
            Question::Boundaries(boundaries) => boundaries.run(global),
            Question::Events(events) => events.run(global),
        }
    }
}

/// Format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Format {
    /// For people and agents.
    #[default]
    Text,
    /// All data, for programs.
    Json,
}

/// Graph to query, and format of its answer.
#[derive(Debug, Args)]
struct Source {
    #[command(flatten)]
    directory: Directory,
    /// Query the graph in this file, from `build --output`, instead of building one.
    #[arg(long, value_name = "FILE", conflicts_with = "interfaces")]
    graph: Option<PathBuf>,
    /// Interfaces of services as JSON, added to those found.
    #[arg(long, value_name = "FILE")]
    interfaces: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Source {
    fn knowledge(&self, global: &Global, config: &Config) -> Result<std::sync::Arc<Knowledge>, Failure> {
        if let Some(path) = &self.graph {
            return Ok(Knowledge::open(path)?.into());
        }
        let mut given = GivenInputs::default();
        given.service_interfaces_json = self.interfaces.as_deref().map(read).transpose()?;
        let engine = open(self.directory.path(), global, config)?;
        let KnowledgeResponse { knowledge, snapshot, refresh, .. } =
            with_bar(|bar| engine.knowledge_with_progress(&given, bar))?;
        skipped::report(&snapshot, &refresh, global.verbose);
        Ok(knowledge)
    }

    fn print(&self, answer: &(impl AsText + Serialize)) -> Result<(), Failure> {
        match self.format {
            Format::Text => print(&answer.to_text()),
            Format::Json => {
                let json = serde_json::to_string_pretty(answer).expect("answers have names as keys");
                print(&format!("{json}\n"))
            }
        }
    }

    fn answer<A: AsText + Serialize>(
        &self,
        global: &Global,
        flags: &[Flag],
        ask: impl FnOnce(&Knowledge, &KnowledgeConfig) -> Result<A, QueryError>,
        is_found: impl FnOnce(&A) -> bool,
    ) -> Result<CommandResult, Failure> {
        let config = global.configure(self.directory.path(), flags)?;
        let knowledge = self.knowledge(global, &config)?;
        let answer = ask(&knowledge, &config.knowledge).map_err(sscg::Error::from)?;
        self.print(&answer)?;
        Ok(if is_found(&answer) { CommandResult::Found } else { CommandResult::NothingFound })
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        let message = format!("{} cannot be read: {}", path.display(), sscg::index::describe(&error));
        sscg::Error::project(message, "give the path of a file with the interfaces of services as JSON")
            .into()
    })
}

/// Build the graph, and print its contents and invalid inputs.
#[derive(Debug, Args)]
struct Build {
    #[command(flatten)]
    source: Source,
    /// Write the graph to this file, for other commands and programs.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Build {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let config = global.configure(self.source.directory.path(), &[])?;
        let knowledge = self.source.knowledge(global, &config)?;
        if let Some(path) = &self.output {
            fs::write(path, knowledge.to_json()).map_err(|error| {
                let message =
                    format!("{} cannot be written: {}", path.display(), sscg::index::describe(&error));
                sscg::Error::project(message, "give `--output` a file in a directory that is there")
            })?;
        }
        self.source.print(knowledge.report())?;
        Ok(if knowledge.report().services_indexed.is_empty() {
            CommandResult::NothingFound
        } else {
            CommandResult::Found
        })
    }
}

/// Describe a service and its connections to the others.
#[derive(Debug, Args)]
struct ContextArgs {
    /// Service.
    service: String,
    #[command(flatten)]
    source: Source,
    /// Omit the endpoints that it calls.
    #[arg(long)]
    no_consumed_apis: bool,
    /// Omit the endpoints that it provides.
    #[arg(long)]
    no_provided_apis: bool,
    /// Omit the events that it sends and receives.
    #[arg(long)]
    no_events: bool,
    /// Omit the entities that it owns and uses.
    #[arg(long)]
    no_entities: bool,
    /// Omit the services that it calls and that call it.
    #[arg(long)]
    no_dependencies: bool,
    /// Maximum distance of services, in calls [default: 2]
    #[arg(long, value_name = "STEPS", value_parser = value_parser!(u32).range(1..=20))]
    depth: Option<u32>,
    /// Maximum number of tokens [default: 2000]
    #[arg(long, value_name = "TOKENS", value_parser = at_least(50))]
    budget: Option<usize>,
}

impl ContextArgs {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let flags = [
            ("knowledge.context_depth", self.depth.map(|steps| steps.to_string())),
            ("knowledge.context_tokens", self.budget.map(|tokens| tokens.to_string())),
        ];
        let ask = |knowledge: &Knowledge, config: &KnowledgeConfig| {
            let request = config
                .context(self.service)
                .with_include_consumed_apis(!self.no_consumed_apis)
                .with_include_provided_apis(!self.no_provided_apis)
                .with_include_events(!self.no_events)
                .with_include_entities(!self.no_entities)
                .with_include_dependencies(!self.no_dependencies);
            knowledge.service_context(&request)
        };
        self.source.answer(global, &flags, ask, |_| true)
    }
}

/// Show the nodes around one, and the edges among them.
#[derive(Debug, Args)]
struct Neighborhood {
    /// Node: service::orders, endpoint::orders::GET::/orders, event::order.placed, a file, src/a.py::Outer.inner
    node: String,
    #[command(flatten)]
    source: Source,
    /// Number of steps.
    #[arg(long, value_name = "STEPS", value_parser = value_parser!(u32).range(0..=20), default_value_t = NeighborhoodRequest::default().radius)]
    radius: u32,
    /// Follow edges only from source to target.
    #[arg(long)]
    directed: bool,
    /// Show only nodes of this kind; may be given more than once.
    #[arg(long = "node-type", value_name = "KIND", value_parser = node_kinds())]
    node_types: Vec<String>,
    /// Follow only edges of this kind; may be given more than once.
    #[arg(long = "edge-type", value_name = "KIND", value_parser = edge_kinds())]
    edge_types: Vec<String>,
    /// Maximum number of nodes.
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least(1), default_value_t = NeighborhoodRequest::default().max_nodes)]
    limit: usize,
}

impl Neighborhood {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let request = NeighborhoodRequest::default()
            .with_node_id(self.node)
            .with_radius(self.radius)
            .with_undirected(!self.directed)
            .with_filter_node_types(self.node_types.join(","))
            .with_filter_edge_types(self.edge_types.join(","))
            .with_max_nodes(self.limit);
        let is_found = |found: &sscg::knowledge::query::Neighborhood| found.nodes.len() > 1;
        self.source.answer(global, &[], |knowledge, _| knowledge.neighborhood(&request), is_found)
    }
}

/// Find nodes by meaning and position in the graph.
#[derive(Debug, Args)]
struct Search {
    /// Query in words.
    query: String,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    source: Source,
    /// Maximum number of results [default: 10]
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least(1))]
    limit: Option<usize>,
    /// Only nodes of this kind; may be given more than once.
    #[arg(long = "node-type", value_name = "KIND", value_parser = node_kinds())]
    node_types: Vec<String>,
    /// Only nodes of this service.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    service: String,
    /// Search the contexts of services and the summaries of communities instead of nodes; `context` shows one by its id.
    #[arg(long, conflicts_with_all = ["node_types", "anchor"])]
    records: bool,
    /// Rank nodes near this one first; by default, the most central ones.
    #[arg(long, value_name = "NODE", default_value = "", hide_default_value = true)]
    anchor: String,
    /// Weight of the meaning, from 0 to 1 [default: 0.6]
    #[arg(long, value_name = "WEIGHT", value_parser = weight)]
    semantic_weight: Option<f64>,
    /// Weight of the position in the graph, from 0 to 1 [default: 0.4]
    #[arg(long, value_name = "WEIGHT", value_parser = weight)]
    graph_weight: Option<f64>,
}

impl Search {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let flags = [
            ("knowledge.limit", self.limit.map(|limit| limit.to_string())),
            ("knowledge.semantic_weight", self.semantic_weight.map(|weight| weight.to_string())),
            ("knowledge.graph_weight", self.graph_weight.map(|weight| weight.to_string())),
        ];
        let ask = |knowledge: &Knowledge, config: &KnowledgeConfig| {
            let mut request = config
                .search(self.query)
                .with_terms(self.terms.all())
                .with_node_types(self.node_types.join(","))
                .with_service_name(self.service)
                .with_anchor_node_id(self.anchor);
            request.records = self.records;
            knowledge.search(&request)
        };
        let is_found = |found: &SearchResults| !found.results.is_empty() || !found.contexts.is_empty();
        self.source.answer(global, &flags, ask, is_found)
    }
}

/// Show a change's impact on other services.
#[derive(Debug, Args)]
struct Impact {
    /// Changed node: a file, src/a.py::Outer.inner, or a node such as event::order.placed
    node: String,
    #[command(flatten)]
    source: Source,
    /// Number of steps.
    #[arg(long, value_name = "STEPS", value_parser = value_parser!(u32).range(1..=20), default_value_t = ImpactRequest::default().max_depth)]
    depth: u32,
}

impl Impact {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let request = ImpactRequest::default().with_node_id(self.node).with_max_depth(self.depth);
        let is_found = |found: &sscg::knowledge::query::CrossServiceImpact| found.total_impacted_nodes > 0;
        self.source.answer(global, &[], |knowledge, _| knowledge.impact(&request), is_found)
    }
}

/// Find files in one service that work with another.
#[derive(Debug, Args)]
struct Boundaries {
    #[command(flatten)]
    source: Source,
    /// Resolution of communities: above 1 for smaller ones, below for larger.
    #[arg(long, value_name = "NUMBER", value_parser = resolution, default_value_t = BoundariesRequest::default().resolution)]
    resolution: f64,
}

impl Boundaries {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let request = BoundariesRequest::default().with_resolution(self.resolution);
        let is_found = |found: &sscg::knowledge::query::BoundaryValidation| found.services_declared > 0;
        self.source.answer(global, &[], |knowledge, _| knowledge.boundaries(&request), is_found)
    }
}

/// Find events without receivers, and those without senders.
#[derive(Debug, Args)]
struct Events {
    #[command(flatten)]
    source: Source,
    /// Only events that this service sends or receives.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    service: String,
}

impl Events {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let request = EventsRequest::default().with_service_name(self.service);
        self.source.answer(
            global,
            &[],
            |knowledge, _| knowledge.events(&request),
            |found| found.total_events > 0,
        )
    }
}

fn node_kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(NodeKind::ALL.iter().map(|kind| kind.as_str()))
}

fn edge_kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(EdgeKind::ALL.iter().map(|kind| kind.as_str()))
}

fn at_least(least: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..)
}

fn weight(text: &str) -> Result<f64, String> {
    number(text, |weight| (0.0..=1.0).contains(&weight), "it is a number from 0 to 1")
}

fn resolution(text: &str) -> Result<f64, String> {
    number(text, |resolution| resolution > 0.0 && resolution.is_finite(), "it is a number above 0")
}

fn number(text: &str, is_valid: impl Fn(f64) -> bool, rule: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number| is_valid(*number)).ok_or_else(|| rule.to_owned())
}
