//! The cheapest paths that connect a set of chunks.

mod cost;
mod parts;
mod search;

use sscg_core::{ChunkId, Confidence, Id, Project};

use crate::error::UnknownChunk;
use crate::graph::CodeGraph;
use crate::traverse::Path;
use parts::Parts;
use search::Search;

/// Limits of a connection.
#[derive(Clone, Copy)]
pub struct ConnectOptions<'a> {
    /// At most this many chunks are added.
    pub added: usize,
    /// The most that one path may cost, in bits: see [`connect`]. What costs more is likely an accident.
    pub cost: f64,
    /// At most this many edges are looked at, so that the time is bounded whatever the graph. A list of edges that is
    /// longer than what is left is not looked at.
    pub edges: usize,
    /// The chunks that may lie between those of the set; `None` for all.
    pub through: Option<&'a dyn Fn(ChunkId) -> bool>,
    /// Edges less sure than this connect nothing.
    pub min_confidence: Confidence,
}

impl Default for ConnectOptions<'_> {
    /// 5 chunks, 20 bits, 20,000 edges, through all chunks, edges of any confidence.
    ///
    /// 20 bits is where paths stop meaning something. In 40 answers about seven projects, raising the limit from 18 to
    /// 20 bits found 0.38 paths more for each answer, and 0.14 more between as many chunks drawn at random; raising it
    /// further to 22 found 0.18 more in answers, and 0.27 more at random. Up to 20 bits there are two calls, or a
    /// call and a type that few use; above, a class of sixty methods of which two were found.
    fn default() -> Self {
        let min_confidence = Confidence::Ambiguous;
        Self { added: 5, cost: 20.0, edges: 20_000, through: None, min_confidence }
    }
}

/// What it takes to connect a set of chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// The chunks between those of the set, in the order in which they were found: first those of the cheapest path.
    pub added: Vec<ChunkId>,
    /// The paths that they lie on, in the same order. What a path adds may make the next one cheaper than itself.
    pub paths: Vec<ConnectingPath>,
    /// Whether the search ended for want of paths, and not because hardly any chunk could be added any more.
    pub is_complete: bool,
    /// The places in the set by what is connected, each group sorted, by first member; one group if all are.
    pub groups: Vec<Vec<usize>>,
}

/// A path between two parts of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectingPath {
    /// Through declarations of chunks that are in the set or added. An end that is a file is the top-level code of a
    /// chunk of the set.
    pub path: Path,
    /// What it costs, in bits.
    pub cost: f64,
}

/// Few paths that are worth telling add so many chunks.
const LONG_PATH: usize = 3;

/// Connects chunks that do not touch by the cheapest paths between them.
///
/// Chunks touch if one uses what the other shows, or stands in it. Between those that do not, paths are sought along
/// and against the edges, through declarations only: two functions that both parse JSON with the same library, or
/// stand in the same file, have nothing to do with each other by that.
///
/// A path costs the bits that it takes to tell it from others, so that the cheapest one is the least likely to be
/// there by accident, as the most probable path of a random walk is. An edge costs, each as a binary logarithm,
/// - the number of edges out of its source and the number of edges into its target: what everything uses, such as an
///   error type, explains nothing, and neither does what uses everything. How many callers a function has does not
///   matter to a path through what it calls;
/// - the inverse of the weight of its relation and that of its [certainty](crate::Edge::certainty);
/// - 1 for the step, unless its ends are shown by one chunk, as a type and its fields are.
///
/// That the degrees of the nodes in between tell paths that mean something from those that do not was found by Croes
/// et al., "Inferring meaningful pathways in weighted metabolic networks" (J. Mol. Biol. 356, 2006).
///
/// The cheapest path between any two parts makes them one, and its chunks are part of them, until no path is left
/// that costs little enough and adds few enough chunks: the heuristic of Kruskal for Steiner trees (Plesník, "A bound
/// for the Steiner tree problem in graphs", Math. Slovaca 31, 1981; Aragão and Werneck, ALENEX 2002). If no limit is
/// met, the paths together cost less than twice what the cheapest ones would.
///
/// All parts grow at once, as in Mehlhorn's construction (Inf. Process. Lett. 27, 1988), to half of what a path may
/// cost. O(e log e) for e edges looked at over all paths, at most `options.edges`.
///
/// # Errors
/// If the project has no such chunk as one of `chunks`.
pub fn connect(
    project: &Project,
    graph: &CodeGraph,
    chunks: &[ChunkId],
    options: &ConnectOptions<'_>,
) -> Result<Connection, UnknownChunk> {
    if let Some(&stranger) = chunks.iter().find(|chunk| chunk.index() >= project.chunk_count()) {
        return Err(UnknownChunk(stranger));
    }
    let mut parts = Parts::new(project, graph, options.min_confidence);
    for &chunk in chunks {
        parts.add(chunk);
    }
    let mut search = Search::new(project, graph, options);
    let mut connection = Connection::default();
    while let Some(bridge) = search.bridge(&parts, options.added - connection.added.len()) {
        parts.join(bridge.ends.0, bridge.ends.1);
        for &chunk in &bridge.added {
            let place = parts.add(chunk);
            parts.join(place, bridge.ends.0);
        }
        connection.added.extend(bridge.added);
        connection.paths.push(ConnectingPath { path: bridge.path, cost: cost::in_bits(bridge.cost) });
    }
    connection.is_complete = options.added >= connection.added.len() + LONG_PATH;
    connection.groups = parts.groups(chunks.len());
    Ok(connection)
}

#[cfg(test)]
mod tests;
