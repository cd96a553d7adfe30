//! Check that each event has a publisher and a consumer.

use std::collections::{BTreeMap, BTreeSet};

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::QueryError;
use super::error::service;
use crate::graph::{EventNode, InteractionSite};
use crate::{EdgeKind, KnowledgeGraph, NodeData, NodeIndex, NodeKind};

/// Request for a check of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct EventsRequest {
    /// Service that publishes or consumes the events; empty for all.
    #[setters(into)]
    pub service_name: String,
}

/// Result of a check of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EventValidation {
    /// Published events without a consumer.
    pub orphaned_events: Vec<EventEntry>,
    /// Consumed events without a publisher.
    pub unmatched_consumers: Vec<EventEntry>,
    /// Published and consumed events.
    pub matched_events: Vec<EventEntry>,
    /// Total number in the three lists.
    pub total_events: usize,
    /// Share of matched events, 0 to 1; 1 if there are no events.
    pub match_rate: f64,
    /// Services without readable code, by name: each may be the other end of any event.
    #[serde(default)]
    pub unread_services: Vec<Box<str>>,
}

/// Event with its publishers and consumers. Events on an in-process bus reach only the service itself and have an entry
/// of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EventEntry {
    /// Name.
    pub event_name: Box<str>,
    /// Channel.
    pub channel: Box<str>,
    /// Transport; empty if unknown.
    pub transport: Box<str>,
    /// Services that publish it, by name.
    pub publishers: Vec<Box<str>>,
    /// Services that consume it, by name.
    pub consumers: Vec<Box<str>>,
    /// Highest confidence of its uses.
    pub confidence: Box<str>,
    /// Ids of symbols or files that publish or consume it; files that are not code have `:` and a line appended.
    pub sites: Vec<String>,
}

/// Transport of events within one process.
pub(crate) const WITHIN_PROCESS: &str = "process";

/// Publishers and consumers of an event within one scope of delivery.
#[derive(Default)]
struct Uses<'a> {
    publishers: BTreeSet<&'a str>,
    consumers: BTreeSet<&'a str>,
    transports: BTreeSet<&'a str>,
    confidence: Option<Confidence>,
    sites: BTreeSet<String>,
}

/// Finds events without a consumer and events without a publisher. A consumed pattern (`orders.*`) matches each name
/// that it covers. O(events × patterns + uses).
///
/// # Errors
/// Fails if the graph has no such service.
pub fn check_cross_service_events(
    graph: &KnowledgeGraph,
    request: &EventsRequest,
) -> Result<EventValidation, QueryError> {
    if !request.service_name.is_empty() {
        service(graph, &request.service_name)?;
    }
    let (mut orphaned, mut unmatched, mut matched) = (Vec::new(), Vec::new(), Vec::new());
    let mut events: Vec<(NodeIndex, &EventNode)> = graph
        .nodes_of(NodeKind::Event)
        .filter_map(|(index, node)| match node.data() {
            NodeData::Event(event) => Some((index, event)),
            _ => None,
        })
        .collect();
    events.sort_by(|a, b| a.1.event_name.cmp(&b.1.event_name));
    let mut all: Vec<(&EventNode, Option<&str>, Uses<'_>)> = Vec::new();
    for (index, event) in events {
        all.extend(uses_of(graph, index).into_iter().map(|(process, uses)| (event, process, uses)));
    }
    join_patterns(&mut all);
    for (event, _, uses) in all {
        let mut users = uses.publishers.iter().chain(&uses.consumers);
        if !request.service_name.is_empty() && !users.any(|name| *name == request.service_name) {
            continue;
        }
        let list = match (uses.publishers.is_empty(), uses.consumers.is_empty()) {
            (false, true) => &mut orphaned,
            (true, false) => &mut unmatched,
            (false, false) => &mut matched,
            // A contract lists the event, but nothing uses it.
            (true, true) => continue,
        };
        list.push(EventEntry {
            event_name: event.event_name.clone(),
            channel: event.channel.clone(),
            transport: Vec::from_iter(uses.transports).join(", ").into(),
            publishers: uses.publishers.into_iter().map(Box::from).collect(),
            consumers: uses.consumers.into_iter().map(Box::from).collect(),
            confidence: uses.confidence.map_or("", Confidence::as_str).into(),
            sites: uses.sites.into_iter().collect(),
        });
    }
    let total_events = orphaned.len() + unmatched.len() + matched.len();
    let match_rate = if total_events == 0 { 1.0 } else { matched.len() as f64 / total_events as f64 };
    Ok(EventValidation {
        orphaned_events: orphaned,
        unmatched_consumers: unmatched,
        matched_events: matched,
        total_events,
        match_rate,
        unread_services: unread(graph),
    })
}

/// Returns the services without code files, by name.
fn unread(graph: &KnowledgeGraph) -> Vec<Box<str>> {
    let has_code = |service| graph.targets(service, EdgeKind::ContainsFile).next().is_some();
    let services = graph.nodes_of(NodeKind::Service).filter(|(service, _)| !has_code(*service));
    let mut names: Vec<Box<str>> = services.map(|(_, node)| node.service_name().into()).collect();
    names.sort();
    names
}

/// Adds the publishers of all covered names to a pattern, and the consumers of the pattern to these names.
fn join_patterns(all: &mut [(&EventNode, Option<&str>, Uses<'_>)]) {
    let is_pattern = |at: &usize| all[*at].0.event_name.contains(['*', '+', '#', '>']);
    let patterns: Vec<usize> = (0..all.len()).filter(is_pattern).collect();
    for pattern in patterns {
        for name in 0..all.len() {
            if pattern == name || all[pattern].1 != all[name].1 {
                continue;
            }
            if covers(&all[pattern].0.event_name, &all[name].0.event_name) {
                let publishers = all[name].2.publishers.clone();
                let consumers = all[pattern].2.consumers.clone();
                all[pattern].2.publishers.extend(publishers);
                all[name].2.consumers.extend(consumers);
            }
        }
    }
}

/// True if a pattern covers a name by the rules of brokers. Segments end at dots, slashes or colons. `+` matches one
/// segment, `*` the rest of one, and `#` and `>` all that follow.
fn covers(pattern: &str, name: &str) -> bool {
    let parts = |text| str::split(text, ['.', '/', ':']);
    let (mut asked, mut told) = (parts(pattern), parts(name));
    loop {
        match (asked.next(), told.next()) {
            (Some("#" | ">"), _) | (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(asked), Some(told)) => match asked.strip_suffix('*') {
                Some(start) if told.starts_with(start) => {}
                _ if asked == told => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}

/// Returns the uses of an event: those over the network together under `None`, those within a process by service.
fn uses_of(graph: &KnowledgeGraph, event: NodeIndex) -> BTreeMap<Option<&str>, Uses<'_>> {
    let mut uses: BTreeMap<Option<&str>, Uses<'_>> = BTreeMap::new();
    for edge in graph.edges_in(event) {
        let service = graph.node(edge.source).service_name();
        // A use without a site counts as a use over the network.
        let sites: Vec<Option<&InteractionSite>> = match edge.data.sites() {
            [] => vec![None],
            sites => sites.iter().map(Some).collect(),
        };
        for site in sites {
            let transport = site.map_or("", |site| &site.transport);
            let uses = uses.entry((transport == WITHIN_PROCESS).then_some(service)).or_default();
            match edge.kind {
                EdgeKind::PublishesEvent => uses.publishers.insert(service),
                EdgeKind::ConsumesEvent => uses.consumers.insert(service),
                _ => continue,
            };
            uses.confidence = uses.confidence.max(Some(edge.evidence.confidence));
            uses.sites.extend(site.map(InteractionSite::to_string).filter(|site| !site.is_empty()));
            if !transport.is_empty() {
                uses.transports.insert(transport);
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn patterns_stand_for_the_names_that_brokers_take_them_for() {
        for (pattern, name) in
            [("a.*", "a.b"), ("a.#", "a.b.c"), ("a.>", "a.b"), ("a/+/c", "a/b/c"), ("a*", "ab"), ("a", "a")]
        {
            assert!(covers(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a.*", "a.b.c"), ("a.*", "b.b"), ("a", "a.b"), ("a.b", "a.*"), ("a*", "b")] {
            assert!(!covers(pattern, name), "{pattern} {name}");
        }
    }
}
