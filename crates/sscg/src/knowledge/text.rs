//! Answers of the service graph as text for people and agents.

use std::fmt::{self, Write};

use sscg_core::quoted;
use sscg_knowledge::graph::{EdgeRecord, NodeRecord};
use sscg_knowledge::query::{
    BoundaryValidation, ContextResult, CrossServiceImpact, EventEntry, EventValidation, Neighborhood,
    SearchResults, ServiceContext,
};
use sscg_knowledge::{BuildReport, NodeData};

/// Answer with a text form. The text contains no more than the data, and ends with a newline.
pub trait AsText {
    /// Returns the text.
    fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("writing to a string does not fail");
        text
    }

    /// Writes the text.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(&self, text: &mut String) -> fmt::Result;
}

/// Formats a number with its noun.
fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Writes a heading and a line for each item; nothing if there are no items.
fn list<T>(text: &mut String, heading: &str, items: &[T], mut line: impl FnMut(&T) -> String) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{heading}:")?;
    items.iter().try_for_each(|item| writeln!(text, "  {}", line(item)))
}

/// Returns the mark of an edge or finding that is not certain.
fn unsure(confidence: &str) -> String {
    if confidence == "exact" { String::new() } else { format!(" [{confidence}]") }
}

impl AsText for BuildReport {
    fn write(&self, text: &mut String) -> fmt::Result {
        let Self { node_count, edge_count, community_count, build_time_ms, .. } = self;
        // A graph that was read from a file has no build time.
        let time = if *build_time_ms == 0 { String::new() } else { format!(" in {build_time_ms} ms") };
        let services = count(self.services_indexed.len(), "service", "services");
        writeln!(
            text,
            "{services}, {}, {}, {}{time}",
            count(*node_count, "node", "nodes"),
            count(*edge_count, "edge", "edges"),
            count(*community_count, "community", "communities"),
        )?;
        list(text, "Services", &self.services_indexed, ToString::to_string)?;
        let counts = |counts: Vec<(&str, usize)>| {
            counts.iter().map(|(kind, number)| format!("{kind} {number}")).collect::<Vec<_>>().join(", ")
        };
        let nodes = self.node_types.iter().map(|(kind, number)| (kind.as_str(), *number)).collect();
        let edges = self.edge_types.iter().map(|(kind, number)| (kind.as_str(), *number)).collect();
        write!(text, "\nNodes: {}\nEdges: {}\n", counts(nodes), counts(edges))?;
        if !self.declarations_only.is_empty() {
            let files = self.declarations_only.iter().map(|(name, files)| format!("{name} {files}"));
            let files = files.collect::<Vec<_>>().join(", ");
            writeln!(
                text,
                "Files without calls, endpoints, requests and events, as only declarations are read: {files}"
            )?;
        }
        list(text, "Problems; the rest was built", &self.errors, Clone::clone)
    }
}

impl AsText for ServiceContext {
    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "{}", self.context_text.trim_end())
    }
}

/// Formats a node on one line: its id, and attributes that are not part of the id.
fn node(record: &NodeRecord) -> String {
    let about = match &record.data {
        NodeData::Symbol(symbol) => {
            format!(" ({}, lines {}-{})", symbol.kind, symbol.line_start, symbol.line_end)
        }
        NodeData::Service(service) => about([&service.domain, &service.description]),
        NodeData::Contract(contract) => {
            about([&format!("{} {}", contract.contract_type.as_str(), contract.version), &contract.status])
        }
        NodeData::Endpoint(endpoint) => about([&endpoint.summary]),
        NodeData::DomainEntity(entity) => about([&entity.owning_service, &entity.description]),
        NodeData::Event(event) if event.channel != event.event_name => about([&event.channel]),
        NodeData::File(_) | NodeData::Event(_) => String::new(),
    };
    format!("{}{about}", record.id)
}

fn about<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn edge(edge: &EdgeRecord) -> String {
    let via = match edge.via_endpoint.as_deref() {
        None | Some("") => String::new(),
        Some(endpoint) => format!(" via {endpoint}"),
    };
    let place = match (&*edge.file, edge.line) {
        ("", _) => String::new(),
        (file, 0) => format!(" ({file})"),
        (file, line) => format!(" ({file}:{line})"),
    };
    format!("{} {} {}{via}{place}{}", edge.source, edge.relation, edge.target, unsure(&edge.confidence))
}

impl AsText for Neighborhood {
    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "Around {}", node(&self.center_node))?;
        list(text, "Nodes, nearest first", &self.nodes, node)?;
        if self.truncated {
            let left_out = self.total_nodes_in_neighborhood - self.nodes.len();
            writeln!(text, "  and {} further away", count(left_out, "node", "nodes"))?;
        }
        list(text, "Edges", &self.edges, edge)
    }
}

impl AsText for SearchResults {
    fn write(&self, text: &mut String) -> fmt::Result {
        if self.results.is_empty() && self.contexts.is_empty() {
            return writeln!(text, "Nothing in the graph is about {}.", quoted(&self.query));
        }
        for ContextResult { score, record, .. } in &self.contexts {
            let (nodes, edges) =
                (count(record.node_count, "node", "nodes"), count(record.edge_count, "edge", "edges"));
            writeln!(text, "{score:.3} {} ({nodes}, {edges})", record.record_id)?;
        }
        for result in &self.results {
            let distance = if result.distance < 0 {
                String::new()
            } else {
                format!(", {} from the anchor", count(result.distance as usize, "step", "steps"))
            };
            writeln!(
                text,
                "{:.3} {} (meaning {:.2}, place {:.2}{distance})",
                result.score,
                node(&result.node),
                result.semantic_score,
                result.graph_score,
            )?;
            for id in &result.same_file {
                writeln!(text, "      {id}")?;
            }
        }
        Ok(())
    }
}

impl AsText for CrossServiceImpact {
    fn write(&self, text: &mut String) -> fmt::Result {
        let service = match &*self.source_service {
            "" => String::new(),
            name => format!(" of {name}"),
        };
        let nodes = count(self.total_impacted_nodes, "node", "nodes");
        let services = count(self.impacted_services.len(), "other service", "other services");
        writeln!(text, "{}{service}: a change reaches {nodes}, in {services}", self.source_node)?;
        for service in &self.impacted_services {
            let nodes = count(service.impact_count, "node", "nodes");
            writeln!(text, "\n{}: {nodes}{}", service.service_name, unsure(&service.confidence))?;
            for path in &service.impact_paths {
                writeln!(text, "  {}", path.join(" -> "))?;
            }
        }
        list(text, "Contracts", &self.impacted_contracts, |contract| {
            format!("{}: {}", contract.contract_id, contract.endpoints_affected.join(", "))
        })?;
        list(text, "Entities", &self.impacted_entities, |entity| {
            format!("{}{}", entity.entity_name, about([&entity.owning_service]))
        })?;
        list(text, "Files that depend on it", &self.dependent_files, ToString::to_string)
    }
}

impl AsText for BoundaryValidation {
    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(
            text,
            "{} in {}, {:.1} % of files where they belong",
            count(self.services_declared, "service", "services"),
            count(self.communities_detected, "community", "communities"),
            self.alignment_score * 100.0,
        )?;
        list(text, "Misplaced files", &self.misplaced_files, |file| {
            format!(
                "{}: stands in {} ({}), works with {} ({}), confidence {:.2}",
                file.file,
                file.declared_service,
                count(file.links_to_declared as usize, "link", "links"),
                file.community_service,
                count(file.links_to_community as usize, "link", "links"),
                file.confidence,
            )
        })?;
        list(
            text,
            "Files that no other file of the project uses, and that use none",
            &self.isolated_files,
            ToString::to_string,
        )?;
        list(text, "Edges between services", &self.service_coupling, |pair| {
            format!("{} - {}: {}", pair.service_a, pair.service_b, pair.cross_edges)
        })
    }
}

impl AsText for EventValidation {
    fn write(&self, text: &mut String) -> fmt::Result {
        if self.total_events == 0 {
            return writeln!(text, "No events.");
        }
        let events = count(self.total_events, "event", "events");
        writeln!(text, "{events}, {:.0} % with a sender and a listener", self.match_rate * 100.0)?;
        let uses = |event: &EventEntry| {
            let names =
                |names: &[Box<str>]| if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
            let transport = about([&event.transport]);
            let (from, to) = (names(&event.publishers), names(&event.consumers));
            format!("{}{transport}: {from} -> {to}{}", event.event_name, unsure(&event.confidence))
        };
        let with_sites = |event: &EventEntry| {
            let sites = event.sites.iter().map(|site| format!("\n    {site}"));
            format!("{}{}", uses(event), sites.collect::<String>())
        };
        list(text, "Sent, and nobody listens", &self.orphaned_events, with_sites)?;
        list(text, "Listened to, and nobody sends", &self.unmatched_consumers, with_sites)?;
        list(text, "Sent and listened to", &self.matched_events, uses)?;
        let is_open = !self.orphaned_events.is_empty() || !self.unmatched_consumers.is_empty();
        if is_open && !self.unread_services.is_empty() {
            let names = self.unread_services.join(", ");
            writeln!(
                text,
                "\nOf these services no code could be read, and they may be at the other end: {names}"
            )?;
        }
        Ok(())
    }
}
