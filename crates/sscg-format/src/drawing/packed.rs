//! Drawings in columns, as pages contain them: a quarter of the size of the objects with their field names.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Drawing, DrawnEdge, DrawnNode, Role};
use crate::{Community, Confidence};

/// A drawing as columns. A column whose values are all defaults is empty.
#[derive(Serialize)]
pub(super) struct Packed<'a> {
    title: &'a str,
    project: &'a str,
    nodes: Nodes<'a>,
    edges: Edges<'a>,
    communities: &'a BTreeMap<String, Community>,
    relations: &'a BTreeMap<String, String>,
    packages: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    services: Option<Box<Packed<'a>>>,
    omitted_nodes: usize,
    omitted_boundary_edges: usize,
}

/// Fields of [`DrawnNode`], each a column.
#[derive(Serialize)]
struct Nodes<'a> {
    /// `None` for [`default_id`].
    id: Vec<Option<&'a str>>,
    name: Vec<&'a str>,
    kind: Names<'a>,
    role: Vec<Role>,
    file: Names<'a>,
    /// First and last lines; 0 for none.
    start: Vec<u32>,
    end: Vec<u32>,
    language: Names<'a>,
    /// -1 for none.
    community: Vec<i64>,
    signature: Vec<&'a str>,
    code: Vec<&'a str>,
    omitted_lines: Vec<usize>,
    /// -1 for none.
    members: Vec<i64>,
}

/// Fields of [`DrawnEdge`], each a column.
#[derive(Serialize)]
struct Edges<'a> {
    /// Difference to the source of the edge before: edges are sorted by source.
    source: Vec<i64>,
    target: Vec<usize>,
    relation: Names<'a>,
    line: Vec<u32>,
    /// Index in `["exact", "inferred", "ambiguous"]`.
    confidence: Vec<u8>,
    count: Vec<usize>,
}

/// Names, each written once.
#[derive(Serialize)]
struct Names<'a> {
    names: Vec<&'a str>,
    at: Vec<usize>,
}

impl<'a> Packed<'a> {
    pub(super) fn of(drawing: &'a Drawing) -> Self {
        let Drawing { nodes, edges, .. } = drawing;
        let mut before = 0;
        let source = |edge: &DrawnEdge| {
            let source = edge.source as i64;
            source - std::mem::replace(&mut before, source)
        };
        Self {
            title: &drawing.title,
            project: &drawing.project,
            nodes: Nodes {
                id: column(nodes, |node| Some(&*node.id).filter(|id| *id != default_id(node))),
                name: column(nodes, |node| &*node.name),
                kind: Names::of(nodes.iter().map(|node| &*node.kind)),
                role: column(nodes, |node| node.role),
                file: Names::of(nodes.iter().map(|node| &*node.file)),
                start: column(nodes, |node| node.lines.map_or(0, |lines| lines.start)),
                end: column(nodes, |node| node.lines.map_or(0, |lines| lines.end)),
                language: Names::of(nodes.iter().map(|node| &*node.language)),
                community: nodes.iter().map(|node| node.community.map_or(-1, i64::from)).collect(),
                signature: column(nodes, |node| &*node.signature),
                code: column(nodes, |node| &*node.code),
                omitted_lines: column(nodes, |node| node.omitted_lines),
                members: match nodes.iter().any(|node| node.members.is_some()) {
                    true => nodes.iter().map(|node| node.members.map_or(-1, |count| count as i64)).collect(),
                    false => Vec::new(),
                },
            },
            edges: Edges {
                source: edges.iter().map(source).collect(),
                target: edges.iter().map(|edge| edge.target).collect(),
                relation: Names::of(edges.iter().map(|edge| &*edge.relation)),
                line: column(edges, |edge| edge.line),
                confidence: column(edges, |edge| match edge.confidence {
                    Confidence::Exact => 0,
                    Confidence::Inferred => 1,
                    Confidence::Ambiguous => 2,
                }),
                count: column(edges, |edge| edge.count),
            },
            communities: &drawing.communities,
            relations: &drawing.relations,
            packages: &drawing.packages,
            services: drawing.services.as_deref().map(|services| Box::new(Self::of(services))),
            omitted_nodes: drawing.omitted_nodes,
            omitted_boundary_edges: drawing.omitted_boundary_edges,
        }
    }
}

impl<'a> Names<'a> {
    fn of(values: impl Iterator<Item = &'a str>) -> Self {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names = Vec::new();
        let at = values.map(|name| {
            *known.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        });
        let at = at.collect();
        Self { names, at }
    }
}

/// Returns the id that most nodes have: the key of the chunk.
fn default_id(node: &DrawnNode) -> String {
    let lines = node.lines.map_or_else(String::new, |lines| format!("{}-{}", lines.start, lines.end));
    let name = node.name.rsplit('.').next().unwrap_or_default();
    format!("{}:{lines}:{}:{name}", node.file, node.kind)
}

/// Returns a field of all items; nothing if it is the default everywhere.
fn column<'a, T, V: Default + PartialEq>(items: &'a [T], value: impl Fn(&'a T) -> V) -> Vec<V> {
    let values: Vec<V> = items.iter().map(value).collect();
    if values.iter().all(|value| *value == V::default()) { Vec::new() } else { values }
}
