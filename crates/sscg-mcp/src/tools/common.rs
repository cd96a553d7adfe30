//! Arguments shared by several tools.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use sscg::config::{GraphConfig, SearchConfig};
use sscg::core::{Confidence, Relation, RelationSet};
use sscg::graph::Direction;
use sscg::graph::traverse::EdgeFilter;
use sscg::{Format, GraphQuery, GraphRequest, Reach, SearchRequest};

use crate::content::MAX_TOKENS;

/// Output limits, format and project.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Limits {
    /// Token budget (default 8000).
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// `text` (default), JSON (`compact`, `verbose`), tables (`toon`), or whole code as JSON Lines (`evidence`).
    #[schemars(schema_with = "formats", extend("x-rare" = true))]
    #[serde(default)]
    format: Option<String>,
    /// Project directory, if there are several; without it, search_code searches all.
    #[schemars(extend("x-several" = true))]
    pub(super) project: Option<String>,
}

impl Limits {
    /// Sets the budget of a call that has none.
    pub(super) fn set_default_budget(&mut self, budget: usize) {
        self.budget.get_or_insert(budget);
    }

    /// Returns a search request with these limits, or else the project's own.
    pub(super) fn search(self, query: String, config: &SearchConfig) -> SearchRequest {
        let mut request = config.request(query);
        request.budget = self.budget.unwrap_or(request.budget).min(MAX_TOKENS);
        request.format = self.format.map_or(request.format, Format::from);
        request
    }

    /// Returns a graph request with these limits, or else the project's own.
    pub(super) fn explore(self, query: GraphQuery, config: &SearchConfig) -> GraphRequest {
        let mut request = config.graph_request(query);
        request.budget = self.budget.unwrap_or(request.budget).min(MAX_TOKENS);
        request.format = self.format.map_or(request.format, Format::from);
        request
    }
}

/// Filter of edges. The schema has checked the names.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Edges {
    /// Follow only these relations (default: all code relations).
    #[schemars(schema_with = "relation_names", extend("x-rare" = true))]
    #[serde(default)]
    relations: Vec<String>,
    /// Minimum confidence of edges to follow.
    #[schemars(schema_with = "confidence_names", extend("x-rare" = true))]
    #[serde(default)]
    min_confidence: Option<String>,
}

impl Edges {
    /// Returns the named relations, or all code relations if none is named.
    pub(super) fn relations(&self) -> RelationSet {
        if self.relations.is_empty() {
            return RelationSet::CODE;
        }
        self.relations.iter().filter_map(|name| name.parse().ok()).collect()
    }

    pub(super) fn min_confidence(&self) -> Confidence {
        confidence(self.min_confidence.as_deref())
    }

    /// Returns the filter of edges for traversals.
    pub(super) fn filter(&self, direction: Option<Direction>) -> EdgeFilter {
        let mut filter =
            EdgeFilter::default().with_relations(self.relations()).with_min_confidence(self.min_confidence());
        filter.direction = direction;
        filter
    }
}

/// Reach around nodes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Around {
    /// Maximum depth in steps (default 2).
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Node limit (default 50).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// `outgoing` from user to used, `incoming` the reverse; both if left out.
    #[schemars(schema_with = "direction_names")]
    #[serde(default)]
    direction: Option<String>,
    #[serde(flatten)]
    edges: Edges,
}

impl Around {
    /// Returns the reach as the library expects it, with the project's defaults.
    pub(super) fn reach(&self, config: &GraphConfig) -> Reach {
        let default = config.reach();
        let direction = match self.direction.as_deref() {
            Some("outgoing") => Some(Direction::Outgoing),
            Some("incoming") => Some(Direction::Incoming),
            _ => None,
        };
        default
            .with_depth(self.depth.unwrap_or(default.depth))
            .with_limit(self.limit.unwrap_or(default.limit))
            .with_edges(self.edges.filter(direction))
    }
}

/// Returns the schema of a string with these values.
pub(super) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Schema {
    let names: Vec<&str> = names.into_iter().collect();
    Schema::try_from(json!({ "type": "string", "enum": names })).expect("an object is a schema")
}

/// Returns the schema of a list of strings with these values.
pub(super) fn some_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Schema {
    let items = one_of(names);
    Schema::try_from(json!({ "type": "array", "items": items })).expect("an object is a schema")
}

fn formats(_: &mut SchemaGenerator) -> Schema {
    one_of(sscg::output_formats().map(|(name, _)| name))
}

fn relation_names(_: &mut SchemaGenerator) -> Schema {
    some_of(Relation::ALL.iter().map(|relation| relation.as_str()))
}

/// Returns the confidence with this name, which the schema has checked; without a name the lowest, which admits all
/// edges.
pub(super) fn confidence(name: Option<&str>) -> Confidence {
    name.and_then(|name| name.parse().ok()).unwrap_or(Confidence::Ambiguous)
}

pub(super) fn confidence_names(_: &mut SchemaGenerator) -> Schema {
    one_of(Confidence::ALL.iter().map(|confidence| confidence.as_str()))
}

fn direction_names(_: &mut SchemaGenerator) -> Schema {
    one_of(["outgoing", "incoming", "both"])
}
