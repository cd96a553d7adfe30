//! Text form of a community.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{EdgeKind, KnowledgeGraph, Node, NodeIndex, NodeKind};

/// Maximum number of names in a list.
const MOST_NAMED: usize = 10;

/// Returns the summary of a community: its services, its most important nodes of each kind, the relationships between
/// them, and the adjacent communities. `None` if there is no such community. O(nodes + edges).
pub fn community_summary(graph: &KnowledgeGraph, community_id: u32) -> Option<String> {
    let is_member = |node: &Node| node.community_id() == Some(community_id);
    let members: Vec<&Node> = graph.nodes().iter().filter(|node| is_member(node)).collect();
    if members.is_empty() {
        return None;
    }
    let (mut inside, mut outside): (BTreeMap<EdgeKind, usize>, BTreeMap<u32, usize>) = Default::default();
    let community = |node: NodeIndex| graph.node(node).community_id();
    for edge in graph.edges() {
        match (community(edge.source), community(edge.target)) {
            (Some(a), Some(b)) if a == community_id && b == community_id => {
                *inside.entry(edge.kind).or_default() += 1;
            }
            (Some(a), Some(b)) if a == community_id || b == community_id => {
                *outside.entry(if a == community_id { b } else { a }).or_default() += 1;
            }
            _ => {}
        }
    }
    let mut services: BTreeMap<&str, usize> = BTreeMap::new();
    for name in members.iter().map(|node| node.service_name()).filter(|name| !name.is_empty()) {
        *services.entry(name).or_default() += 1;
    }
    let edges: usize = inside.values().sum();
    let mut text = format!("Community {community_id}: {} nodes, {edges} edges.\n", members.len());
    let counted = |counts: Vec<(String, usize)>| {
        let counts = counts.into_iter().take(MOST_NAMED).map(|(name, count)| format!("{name} ({count})"));
        counts.collect::<Vec<_>>().join(", ")
    };
    let mut say = |what: &str, value: String| {
        if !value.is_empty() {
            writeln!(text, "{what}: {value}.").expect("writing to a string does not fail");
        }
    };
    say("Services", counted(by_count(services)));
    for kind in NodeKind::ALL.iter().copied().filter(|kind| *kind != NodeKind::Service) {
        let mut nodes: Vec<&&Node> = members.iter().filter(|node| node.kind() == kind).collect();
        nodes.sort_by(|a, b| b.pagerank().total_cmp(&a.pagerank()).then_with(|| a.id().cmp(b.id())));
        let more = nodes.len().saturating_sub(MOST_NAMED);
        let names: Vec<String> = nodes.into_iter().take(MOST_NAMED).map(|node| node.name()).collect();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        say(title(kind), names.join(", ") + &more);
    }
    say("Relationships", counted(by_count(inside)));
    let outside = outside.into_iter().map(|(community, count)| (format!("community {community}"), count));
    say("Joined to", counted(by_count(outside.collect())));
    Some(text)
}

/// Returns the counts in descending order; ties are in key order.
fn by_count<K: ToString + Ord>(counts: BTreeMap<K, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn title(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => "Files",
        NodeKind::Symbol => "Symbols",
        NodeKind::Service => "Services",
        NodeKind::Contract => "Contracts",
        NodeKind::Endpoint => "Endpoints",
        NodeKind::DomainEntity => "Entities",
        NodeKind::Event => "Events",
    }
}
