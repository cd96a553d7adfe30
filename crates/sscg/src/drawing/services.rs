//! Maps of services.

use std::collections::BTreeMap;

use sscg_format::{DRAWING_SCHEMA, Drawing, DrawnEdge, DrawnNode};
use sscg_knowledge::{EdgeKind, NodeData};

use crate::knowledge::Knowledge;

/// Relations of the map: the kind of edge, its name, and its name when read from target to source.
const RELATIONS: [(EdgeKind, &str, &str); 3] = [
    (EdgeKind::ServiceCalls, "calls", "called by"),
    (EdgeKind::PublishesEvent, "publishes", "published by"),
    (EdgeKind::ConsumesEvent, "consumes", "consumed by"),
];

/// Draws the services of a project, and the events that they exchange; `None` if there are fewer than two services.
pub fn draw_services(knowledge: &Knowledge) -> Option<Drawing> {
    let graph = knowledge.graph();
    let mut places = BTreeMap::new();
    let mut nodes = Vec::new();
    let mut services = 0;
    for (index, node) in graph.indexed_nodes() {
        let drawn = match node.data() {
            NodeData::Service(service) => {
                services += 1;
                DrawnNode::default()
                    .with_name(&*service.service_name)
                    .with_kind("service")
                    .with_file(service.root.as_deref().unwrap_or_default())
                    .with_signature(&*service.description)
            }
            NodeData::Event(event) => DrawnNode::default().with_name(&*event.event_name).with_kind("event"),
            _ => continue,
        };
        places.insert(index, nodes.len());
        nodes.push(drawn.with_id(node.id()));
    }
    if services < 2 {
        return None;
    }
    let mut drawn = BTreeMap::new();
    for edge in graph.edges() {
        let relation = RELATIONS.iter().find(|(kind, _, _)| *kind == edge.kind);
        let ends = (places.get(&edge.source), places.get(&edge.target));
        let (Some((_, relation, _)), (Some(source), Some(target))) = (relation, ends) else { continue };
        let (confidence, count) =
            drawn.entry((*source, *target, *relation)).or_insert((edge.evidence.confidence, 0));
        *confidence = edge.evidence.confidence.max(*confidence);
        *count += edge.data.sites().len().max(1);
    }
    let edges = drawn.into_iter().map(|((source, target, relation), (confidence, count))| {
        DrawnEdge::default()
            .with_source(source)
            .with_target(target)
            .with_relation(relation)
            .with_confidence(confidence)
            .with_count(count)
    });
    let relations = RELATIONS.iter().map(|(_, name, reverse)| ((*name).to_owned(), (*reverse).to_owned()));
    Some(
        Drawing::default()
            .with_schema(DRAWING_SCHEMA)
            .with_title("Services")
            .with_nodes(nodes)
            .with_edges(edges.collect())
            .with_relations(relations.collect()),
    )
}
