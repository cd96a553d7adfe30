//! Errors of walks and of operations on graphs.

use std::fmt;

use sscg_core::{ChunkId, Id, NodeId};

/// Node id that is not in the graph. Ids are only valid for the snapshot they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownNode(pub NodeId);

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the graph has no node {}: it belongs to another state of the project", self.0.index())
    }
}

impl std::error::Error for UnknownNode {}

/// Chunk id that is not in the project: it belongs to another state of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownChunk(pub ChunkId);

impl fmt::Display for UnknownChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the project has no chunk {}: it belongs to another state of it", self.0.index())
    }
}

impl std::error::Error for UnknownChunk {}

/// Mismatch of two graphs whose ids mean different things: they belong to different projects, or to different states of
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherProject;

impl fmt::Display for OtherProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the graphs have different files or symbols: they belong to different states of a project",
        )
    }
}

impl std::error::Error for OtherProject {}
