//! Graphs of the benchmark.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use sscg_core::{Adjacency, Id, NodeId, Project, ProjectFile, Relation};
use sscg_graph::{CodeGraph, Direction, Edge, Node, link};
use sscg_rank::Csr;

use super::synthetic::code_like;
use crate::corpus::sources;

/// A graph as all libraries receive it: without parallel edges and self-loops.
pub(super) struct Graph {
    pub(super) name: String,
    pub(super) outgoing: Csr,
}

impl Graph {
    /// Returns a synthetic graph of about `edges` edges, five per node.
    pub(super) fn synthetic(edges: usize) -> Self {
        let nodes = edges.div_ceil(5);
        Self::of_edges(&format!("synthetic {edges}"), nodes, code_like(nodes, edges))
    }

    /// Returns the graph of edges given as (source, target, weight), sorted by source.
    pub(super) fn of_edges(name: &str, nodes: usize, edges: Vec<(u32, u32, f32)>) -> Self {
        Self { name: name.to_owned(), outgoing: Csr::outgoing(&List { nodes, edges }) }
    }

    /// Returns the graph that SSCG builds from the sources in a directory. As in ranking, an edge weighs its relation's
    /// weight times its certainty, and `backward` times that against its direction.
    pub(super) fn of_directory(dir: &Path, backward: f32) -> Result<Self> {
        let sources = sources(dir)?;
        ensure!(!sources.is_empty(), "no source files in {}", dir.display());
        let files = sources.par_iter().map(|source| {
            let facts = sscg_parse::extract(source.language, source.extension, &source.text()?).into();
            let path = source.path.strip_prefix(dir)?.to_string_lossy().replace('\\', "/").into();
            Ok(ProjectFile { path, language: source.language, facts })
        });
        let graph = link(&Project::new(files.collect::<Result<_>>()?, Vec::new()));
        let name = dir.canonicalize()?.file_name().context("a project has a name")?.display().to_string();
        Ok(Self { name, outgoing: Csr::outgoing(&Walk { graph: &graph, backward }) })
    }

    /// Returns the same graph with all weights 1.
    pub(super) fn without_weights(&self) -> Self {
        let edges = self.outgoing.edges().map(|(source, target, _)| (source, target, 1.0)).collect();
        let outgoing = Csr::outgoing(&List { nodes: self.outgoing.node_count(), edges });
        Self { name: self.name.clone(), outgoing }
    }

    /// Writes the graph in the format of `peers.py`.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&(self.outgoing.node_count() as u32).to_le_bytes())?;
        file.write_all(&(self.outgoing.edge_count() as u32).to_le_bytes())?;
        for (source, ..) in self.outgoing.edges() {
            file.write_all(&source.to_le_bytes())?;
        }
        for (_, target, _) in self.outgoing.edges() {
            file.write_all(&target.to_le_bytes())?;
        }
        for (.., weight) in self.outgoing.edges() {
            file.write_all(&weight.to_le_bytes())?;
        }
        Ok(file.flush()?)
    }
}

/// Edges as (source, target, weight), sorted by source.
struct List {
    nodes: usize,
    edges: Vec<(u32, u32, f32)>,
}

impl Adjacency for List {
    fn node_count(&self) -> usize {
        self.nodes
    }

    fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        let first = self.edges.partition_point(|edge| edge.0 < node);
        let row = self.edges[first..].iter().take_while(|edge| edge.0 == node);
        row.for_each(|&(_, target, weight)| visit(target, weight));
    }
}

/// The code graph as the search traverses it.
struct Walk<'a> {
    graph: &'a CodeGraph,
    backward: f32,
}

impl Walk<'_> {
    /// True if an edge counts: it connects two different nodes of the project, and containment counts only once.
    fn counts(&self, edge: &Edge) -> bool {
        edge.source != edge.target
            && (edge.relation == Relation::Contains || !edge.relation.is_containment())
            && !matches!(self.graph.node(edge.target), Node::External(_))
    }
}

impl Adjacency for Walk<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn edge_count(&self) -> usize {
        2 * self.graph.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        let node = NodeId::new(node as usize);
        let weight = |edge: &Edge| edge.relation.weight() * edge.confidence_weight();
        for edge in self.graph.edges_at(node, Direction::Outgoing).filter(|edge| self.counts(edge)) {
            visit(edge.target.index() as u32, weight(edge));
        }
        for edge in self.graph.edges_at(node, Direction::Incoming).filter(|edge| self.counts(edge)) {
            visit(edge.source.index() as u32, self.backward * weight(edge));
        }
    }
}
