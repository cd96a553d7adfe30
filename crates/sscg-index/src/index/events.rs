//! Log events of an index.

use std::sync::Arc;
use std::time::Instant;

use sscg_graph::CodeGraph;
use tracing::{debug, info, warn};

use super::RefreshReport;
use crate::{IndexError, Snapshot};

/// Records the outcome of a refresh that began at `started`: what it did, each of its warnings, or its error.
pub(super) fn refreshed(
    tree: &str,
    started: Instant,
    outcome: &Result<(Arc<Snapshot>, RefreshReport), IndexError>,
) {
    let ms = milliseconds(started);
    match outcome {
        Ok((_, report)) => {
            for warning in &report.warnings {
                warn!(tree, "{warning}");
            }
            let RefreshReport { files, parsed, linked, hashed, pending, .. } = *report;
            if parsed + linked + pending == 0 {
                debug!(tree, files, hashed, ms, "index is up to date");
            } else {
                info!(tree, files, parsed, linked, pending, ms, "index updated");
            }
        }
        Err(IndexError::Canceled) => info!(tree, ms, "index update canceled"),
        Err(error) => warn!(tree, ms, "index update failed: {error}"),
    }
}

/// Records that a stored snapshot was read, and whether it is of the model in use.
pub(super) fn loaded(tree: &str, started: Instant, snapshot: &Snapshot, fits: bool) {
    let ms = milliseconds(started);
    let (files, nodes, edges) =
        (snapshot.project.files().len(), snapshot.graph.node_count(), snapshot.graph.edges().len());
    if fits {
        info!(tree, files, nodes, edges, ms, "stored graph loaded");
    } else {
        warn!(tree, model = snapshot.vectors.model(), ms, "stored graph has vectors of another model");
    }
}

/// Records that references of files were linked.
pub(super) fn linked(tree: &str, started: Instant, files: usize, graph: &CodeGraph) {
    let ms = milliseconds(started);
    info!(tree, files, nodes = graph.node_count(), edges = graph.edges().len(), ms, "files linked");
}

fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
