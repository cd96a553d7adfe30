//! Binary encoding of a graph, so that another process need not link again.

use sscg_core::{Confidence, Id, NodeId, Provenance, Relation};

use super::columns::{Columns, put_text, put_u32s};
use super::sites::Sites;
use super::unresolved::{UnresolvedReferences, UnresolvedUse};
use super::{CodeGraph, Edge, ExternalSymbol, Origin, Reason, key, targets};

/// Shift of the provenance in the byte that it shares with the confidence.
const PROVENANCE_SHIFT: u32 = 4;

impl CodeGraph {
    /// Appends the graph in a format that [`CodeGraph::decode`] of the same version of this crate reads. O(nodes +
    /// edges + ledger), about 12 bytes per edge, 9 per additional line and 10 per unresolved use.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_u32s(out, [self.files, self.symbols, self.externals.len()].map(|count| count as u32).into_iter());
        let names: String = self.externals.iter().map(|external| &*external.name).collect();
        put_text(out, &names);
        put_u32s(out, self.externals.iter().map(|external| external.name.len() as u32));
        out.extend(self.externals.iter().map(|external| external.origin as u8));

        put_u32s(out, self.outgoing.iter().copied());
        put_u32s(out, self.edges.iter().map(|edge| edge.target.index() as u32));
        put_u32s(out, self.edges.iter().map(|edge| edge.line));
        self.edges.iter().for_each(|edge| out.extend_from_slice(&edge.candidates.to_le_bytes()));
        out.extend(self.edges.iter().map(|edge| edge.relation as u8));
        let sure = |edge: &Edge| edge.confidence as u8 | (edge.provenance as u8) << PROVENANCE_SHIFT;
        out.extend(self.edges.iter().map(sure));
        self.sites.encode(out);
        self.unresolved.encode(out);
    }

    /// Reads an [encoded](CodeGraph::encode) graph. Returns `None` unless the bytes are exactly one graph, in order,
    /// with all ends among its nodes. Modified bytes that pass may give a different graph, but never one that panics.
    /// O(nodes + edges + unresolved references), with a few allocations and one per external symbol.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut columns = Columns::new(bytes);
        let [files, symbols] = [columns.number()? as usize, columns.number()? as usize];
        let externals = externals(&mut columns)?;
        let nodes = files.checked_add(symbols)?.checked_add(externals.len())?;
        let outgoing: Vec<u32> = columns.u32s(nodes.checked_add(1)?)?.collect();
        if outgoing[0] != 0 || !outgoing.is_sorted() {
            return None;
        }
        let edges = EdgeColumns::new(&mut columns, outgoing[nodes] as usize)?;
        if edges.targets().max().is_some_and(|last| last.index() >= nodes) {
            return None;
        }
        let sites = Sites::decode(&mut columns, outgoing[nodes] as usize)?;
        let (edges, ((by_target, incoming), unresolved)) = rayon::join(
            || edges.rows(files, &outgoing),
            || {
                rayon::join(
                    || targets(nodes, edges.targets()),
                    || UnresolvedReferences::decode(columns, nodes),
                )
            },
        );
        let (edges, unresolved) = (edges?, unresolved?);
        Some(Self { files, symbols, externals, edges, sites, outgoing, by_target, incoming, unresolved })
    }
}

fn externals(columns: &mut Columns<'_>) -> Option<Vec<ExternalSymbol>> {
    let count = columns.number()? as usize;
    let mut names = columns.text()?;
    let lengths = columns.u32s(count)?;
    let mut externals = Vec::with_capacity(count);
    for (length, origin) in lengths.zip(columns.bytes(count)?) {
        let (name, rest) = names.split_at_checked(length as usize)?;
        names = rest;
        let origin = *Origin::ALL.get(usize::from(*origin))?;
        externals.push(ExternalSymbol { name: name.into(), origin });
    }
    (names.is_empty() && is_strictly_sorted(&externals)).then_some(externals)
}

/// Encoded columns of the edges.
struct EdgeColumns<'b> {
    targets: &'b [[u8; 4]],
    lines: &'b [[u8; 4]],
    candidates: &'b [[u8; 2]],
    relations: &'b [u8],
    /// Confidence in the lower half, provenance in the upper.
    sure: &'b [u8],
}

impl<'b> EdgeColumns<'b> {
    fn new(columns: &mut Columns<'b>, count: usize) -> Option<Self> {
        Some(Self {
            targets: columns.column(count)?,
            lines: columns.column(count)?,
            candidates: columns.column(count)?,
            relations: columns.bytes(count)?,
            sure: columns.bytes(count)?,
        })
    }

    fn targets(&self) -> impl Iterator<Item = NodeId> + Clone {
        self.targets.iter().map(|target| NodeId::new(u32::from_le_bytes(*target) as usize))
    }

    fn edge(&self, source: usize, at: usize) -> Option<Edge> {
        let sure = self.sure[at];
        Some(Edge {
            source: NodeId::new(source),
            target: NodeId::new(u32::from_le_bytes(self.targets[at]) as usize),
            relation: *Relation::ALL.get(usize::from(self.relations[at]))?,
            line: u32::from_le_bytes(self.lines[at]),
            confidence: *Confidence::ALL.get(usize::from(sure & ((1 << PROVENANCE_SHIFT) - 1)))?,
            provenance: *Provenance::ALL.get(usize::from(sure >> PROVENANCE_SHIFT))?,
            candidates: u16::from_le_bytes(self.candidates[at]),
        })
    }

    /// Returns the edges in rows with the given starts; `None` unless they are in order.
    fn rows(&self, files: usize, outgoing: &[u32]) -> Option<Vec<Edge>> {
        let mut edges: Vec<Edge> = Vec::with_capacity(self.targets.len());
        for (source, ends) in outgoing.windows(2).enumerate() {
            let mut before: Option<Edge> = None;
            for at in ends[0] as usize..ends[1] as usize {
                let edge = self.edge(source, at)?;
                // The first comparison is cheaper and decides most cases: most targets differ.
                let may_follow =
                    |before: Edge| before.target < edge.target || key(files, &before) < key(files, &edge);
                if !before.is_none_or(may_follow) {
                    return None;
                }
                edges.push(edge);
                before = Some(edge);
            }
        }
        Some(edges)
    }
}

impl UnresolvedReferences {
    fn encode(&self, out: &mut Vec<u8>) {
        put_text(out, &self.names);
        put_u32s(out, [self.ends.len() as u32].into_iter());
        put_u32s(out, self.ends.iter().map(|ends| ends.0));
        put_u32s(out, self.ends.iter().map(|ends| ends.1));
        put_u32s(out, self.uses.iter().map(|of_name| of_name.source.index() as u32));
        put_u32s(out, self.uses.iter().map(|of_name| of_name.line));
        out.extend(self.uses.iter().map(|of_name| of_name.relation as u8));
        out.extend(self.uses.iter().map(|of_name| of_name.reason as u8));
    }

    /// Reads the unresolved uses in the code of `nodes` nodes. No bytes may follow.
    fn decode(mut columns: Columns<'_>, nodes: usize) -> Option<Self> {
        let names = columns.text()?.to_owned();
        let rows = columns.number()? as usize;
        let name_ends = columns.u32s(rows)?;
        let ends: Vec<(u32, u32)> = name_ends.zip(columns.u32s(rows)?).collect();
        let last = ends.last().map_or((0, 0), |last| (last.0 as usize, last.1 as usize));
        let uses_rise = ends.windows(2).all(|ends| ends[0].1 < ends[1].1);
        let (mut start, mut before) = (0, None);
        for (end, _) in &ends {
            let name = names.get(start..*end as usize)?;
            if before.is_some_and(|before| before >= name) {
                return None;
            }
            (start, before) = (*end as usize, Some(name));
        }
        if last.0 != names.len() || !uses_rise {
            return None;
        }
        let (sources, lines) = (columns.u32s(last.1)?, columns.u32s(last.1)?);
        let codes = columns.bytes(last.1)?.iter().zip(columns.bytes(last.1)?);
        columns.end()?;
        let mut uses = Vec::with_capacity(last.1);
        for ((source, line), (relation, reason)) in sources.zip(lines).zip(codes) {
            if source as usize >= nodes {
                return None;
            }
            uses.push(UnresolvedUse {
                source: NodeId::new(source as usize),
                line,
                relation: *Relation::ALL.get(usize::from(*relation))?,
                reason: *Reason::ALL.get(usize::from(*reason))?,
            });
        }
        Some(Self { names, ends, uses })
    }
}

fn is_strictly_sorted<T: Ord>(things: &[T]) -> bool {
    things.windows(2).all(|pair| pair[0] < pair[1])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{ChunkId, FileId, LineRange, Project, RelationSet};

    use super::*;
    use crate::graph::{Direction, Node};
    use crate::link;
    use crate::subgraph::{SubgraphOptions, subgraph};
    use crate::testing::project;
    use crate::traverse::{EdgeFilter, ExpandOptions, expand};

    /// Links two files of functions that call each other, external functions and undefined ones.
    fn linked(calls: &[(usize, usize)]) -> (Project, CodeGraph) {
        let text = |file: usize| {
            let mut text = "import os\nfrom a import *\nfrom b import *\n".to_owned();
            for (caller, callee) in calls.iter().filter(|(caller, _)| caller % 2 == file) {
                let body = format!("    f{callee}()\n    os.call{callee}()\n    gone{callee}()\n");
                text += &format!("def f{caller}(x):\n{body}    x.grow()\n\nf{callee}(1)\n");
            }
            text
        };
        let project = project(&[("a.py", &text(0)), ("b.py", &text(1))]);
        let graph = link(&project);
        (project, graph)
    }

    fn chunks_in(project: &Project, file: FileId) -> impl Iterator<Item = ChunkId> {
        let chunks = project.chunks_of(file);
        (chunks.start.index()..chunks.end.index()).map(ChunkId::new)
    }

    fn encoded(graph: &CodeGraph) -> Vec<u8> {
        let mut bytes = Vec::new();
        graph.encode(&mut bytes);
        bytes
    }

    /// Runs every query on a graph.
    fn use_up(project: &Project, graph: &CodeGraph) {
        let nodes: Vec<NodeId> = (0..graph.node_count()).map(NodeId::new).collect();
        for node in nodes.iter().copied() {
            assert_eq!(graph.id(graph.node(node)), node);
            for direction in [Direction::Outgoing, Direction::Incoming] {
                for edge in graph.edges_at(node, direction) {
                    assert!(graph.edges_between(edge.source, edge.target).contains(edge));
                    assert!(edge.probability() <= 1.0);
                }
            }
            if let Node::File(file) = graph.node(node) {
                graph.file_edges_on(file, LineRange { start: 1, end: u32::MAX }).for_each(drop);
            }
        }
        for entry in graph.unresolved_references().iter() {
            assert!(graph.unresolved(entry.name).any(|it| it == entry));
            assert!(entry.source.index() < graph.node_count());
        }
        assert_eq!(graph.unresolved_references().iter().count(), graph.unresolved_references().len());
        expand(graph, &nodes, &ExpandOptions::default()).expect("its own nodes");
        let every = EdgeFilter { relations: RelationSet::ALL, ..EdgeFilter::default() };
        let part = graph.induced(&nodes, every).expect("its own nodes");
        assert_eq!(part.edges().len(), graph.edges().len());
        if graph.fits(project) {
            assert!(graph.merge(project, &part).is_ok());
            for node in nodes {
                assert!(graph.nodes_labeled(project, &graph.label(project, node)).contains(&node));
            }
            let chunks: Vec<_> = project.files().ids().flat_map(|file| chunks_in(project, file)).collect();
            subgraph(project, graph, &chunks, &SubgraphOptions::default()).expect("its own chunks");
            graph.unresolved_in_file(project, FileId::FIRST).for_each(drop);
        }
        assert_eq!(CodeGraph::decode(&encoded(graph)).as_ref(), Some(graph));
    }

    proptest! {
        #[test]
        fn a_graph_comes_back_from_its_bytes(
            calls in proptest::collection::vec((0..9_usize, 0..9_usize), 0..30),
        ) {
            let (project, graph) = linked(&calls);
            let bytes = encoded(&graph);
            prop_assert!(CodeGraph::decode(&bytes).as_ref() == Some(&graph));
            use_up(&project, &graph);
        }

        #[test]
        fn changed_bytes_make_no_graph_or_one_that_works(
            calls in proptest::collection::vec((0..9_usize, 0..9_usize), 1..12),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let (project, graph) = linked(&calls);
            let mut bytes = encoded(&graph);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(changed) = CodeGraph::decode(&bytes) {
                use_up(&project, &changed);
            }
        }
    }

    #[test]
    fn one_changed_byte_anywhere_makes_no_graph_or_one_that_works() {
        let (project, graph) = linked(&[(0, 1), (1, 0), (2, 2)]);
        let bytes = encoded(&graph);
        for at in 0..bytes.len() {
            for change in [1, 0x10, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                if let Some(changed) = CodeGraph::decode(&changed) {
                    use_up(&project, &changed);
                }
            }
        }
    }

    #[test]
    fn a_part_of_the_bytes_or_more_of_them_are_no_graph() {
        let (_, graph) = linked(&[(0, 1), (1, 0)]);
        let mut bytes = encoded(&graph);
        for len in 0..bytes.len() {
            assert_eq!(CodeGraph::decode(&bytes[..len]), None, "{len}");
        }
        bytes.push(0);
        assert_eq!(CodeGraph::decode(&bytes), None);
    }
}
