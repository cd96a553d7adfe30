//! Common parts of the commands that query the graph.

use std::path::Path;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sscg::config::GraphConfig;
use sscg::core::{Confidence, Relation, RelationSet, UnknownName};
use sscg::graph::Direction;
use sscg::graph::traverse::EdgeFilter;
use sscg::{GraphQuery, Reach};

use super::open;
use crate::configuration::Flag;
use crate::failure::Failure;
use crate::progress::with_bar;
use crate::{CommandResult, Global, color, print_painted, skipped};

/// Format and size of an answer.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Output format [default: text] [env: SSCG_FORMAT]
    #[arg(long, value_parser = formats())]
    format: Option<String>,
    /// Maximum number of tokens in all [default: 8000] [env: SSCG_BUDGET]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

impl Output {
    fn flags(&self) -> [Flag; 2] {
        [
            ("search.format", self.format.clone()),
            ("search.budget", self.budget.map(|budget| budget.to_string())),
        ]
    }

    /// Queries the graph of the code in a directory, and prints the answer. The query depends on the configuration
    /// with some flags.
    pub(crate) fn answer(
        &self,
        path: &Path,
        global: &Global,
        flags: &[Flag],
        query: impl FnOnce(&GraphConfig) -> GraphQuery,
    ) -> Result<CommandResult, Failure> {
        let config = global.configure(path, &[&self.flags(), flags].concat())?;
        let engine = open(path, global, &config)?;
        let request = config.search.graph_request(query(&config.graph));
        let response = with_bar(|bar| engine.explore_with_progress(&request, bar))?;
        skipped::report(&response.snapshot, &response.refresh, global.verbose);
        print_painted(&color::explored(&response.text, &request.format))?;
        Ok(if response.answer.parts() == 0 { CommandResult::NothingFound } else { CommandResult::Found })
    }
}

/// Filter for edges.
#[derive(Debug, Args)]
pub(crate) struct Edges {
    /// Follow only this relation; may be given more than once [default: all code relations]
    #[arg(long = "relation", value_name = "NAME", value_parser = relations())]
    relations: Vec<Relation>,
    /// Minimum confidence of edges to follow.
    #[arg(long, value_name = "HOW", default_value = "ambiguous", value_parser = confidences())]
    pub(crate) min_confidence: Confidence,
}

impl Edges {
    pub(crate) fn relations(&self) -> RelationSet {
        if self.relations.is_empty() { RelationSet::CODE } else { self.relations.iter().copied().collect() }
    }

    pub(crate) fn filter(&self, direction: Option<Direction>) -> EdgeFilter {
        let mut filter =
            EdgeFilter::default().with_relations(self.relations()).with_min_confidence(self.min_confidence);
        filter.direction = direction;
        filter
    }
}

/// Extent of a query around nodes.
#[derive(Debug, Args)]
pub(crate) struct Around {
    /// Number of steps [default: 2]
    #[arg(long, value_name = "STEPS")]
    depth: Option<u32>,
    /// Maximum number of nodes [default: 50]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Follow edges from user to used (outgoing), the other way (incoming), or both ways.
    #[arg(long, value_name = "WAY", default_value = "both", value_parser = ["outgoing", "incoming", "both"])]
    direction: String,
    #[command(flatten)]
    edges: Edges,
}

impl Around {
    pub(crate) fn flags(&self) -> [Flag; 2] {
        [
            ("graph.depth", self.depth.map(|steps| steps.to_string())),
            ("graph.limit", self.limit.map(|limit| limit.to_string())),
        ]
    }

    pub(crate) fn reach(&self, config: &GraphConfig) -> Reach {
        let direction = match self.direction.as_str() {
            "outgoing" => Some(Direction::Outgoing),
            "incoming" => Some(Direction::Incoming),
            _ => None,
        };
        config.reach().with_edges(self.edges.filter(direction))
    }
}

/// Returns a parser of these names.
pub(super) fn names<T>(all: impl Iterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all).map(|name| name.parse().expect("it is one of the names"))
}

/// Returns a parser of the names of relations.
pub(super) fn relations() -> impl TypedValueParser<Value = Relation> {
    names(Relation::ALL.iter().map(|relation| relation.as_str()))
}

/// Returns a parser of the names of confidences.
pub(super) fn confidences() -> impl TypedValueParser<Value = Confidence> {
    names(Confidence::ALL.iter().map(|confidence| confidence.as_str()))
}

/// Returns a parser of output formats.
pub(super) fn formats() -> PossibleValuesParser {
    sscg::output_formats()
        .map(|(name, description)| PossibleValue::new(name).help(description))
        .collect::<Vec<_>>()
        .into()
}
