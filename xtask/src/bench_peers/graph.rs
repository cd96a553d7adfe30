//! Graphs of the benchmark.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use sscg_core::{Manifests, Project};
use sscg_graph::{Walk, link};
use sscg_parse::project_file;
use sscg_rank::{Csr, WeightedEdge};

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
        Self { name: name.to_owned(), outgoing: Csr::from_edges(nodes, edges) }
    }

    /// Returns the graph that SSCG builds from the sources in a directory. As in ranking, an edge weighs its relation's
    /// weight times its certainty, and `backward` times that against its direction.
    pub(super) fn of_directory(dir: &Path, backward: f32) -> Result<Self> {
        let sources = sources(dir)?;
        ensure!(!sources.is_empty(), "no source files in {}", dir.display());
        let files = sources.par_iter().map(|source| {
            let path = source.path.strip_prefix(dir)?.to_string_lossy().replace('\\', "/");
            Ok(project_file(&path, &source.text()?).expect("a source has a language"))
        });
        let graph = link(&Project::new(files.collect::<Result<_>>()?, Manifests::default()));
        let name = dir.canonicalize()?.file_name().context("a project has a name")?.display().to_string();
        Ok(Self { name, outgoing: Csr::outgoing(&Walk::new(&graph, backward)) })
    }

    /// Returns the same graph with all weights 1.
    pub(super) fn without_weights(&self) -> Self {
        let edges = self.outgoing.edges().map(|edge| WeightedEdge { weight: 1.0, ..edge });
        let outgoing = Csr::from_edges(self.outgoing.node_count(), edges);
        Self { name: self.name.clone(), outgoing }
    }

    /// Writes the graph in the format of `peers.py`.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&(self.outgoing.node_count() as u32).to_le_bytes())?;
        file.write_all(&(self.outgoing.edge_count() as u32).to_le_bytes())?;
        for edge in self.outgoing.edges() {
            file.write_all(&edge.source.to_le_bytes())?;
        }
        for edge in self.outgoing.edges() {
            file.write_all(&edge.target.to_le_bytes())?;
        }
        for edge in self.outgoing.edges() {
            file.write_all(&edge.weight.to_le_bytes())?;
        }
        Ok(file.flush()?)
    }
}
