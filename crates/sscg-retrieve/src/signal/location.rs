//! Places that the question names.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id, Project};

use super::{Context, Evidence, Signal, SignalId};
use crate::location::{self, resolve};
use crate::lookup::chunk_at_line;
use crate::verbatim;

/// Scores the files and lines that the question names outright: the frames of a stack trace, where a compiler points, a
/// path; if there are no such lines, those that have text of the question as it stands. A path that could be any of several
/// files counts for each as much less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Location {
    /// What a line of a file counts: more than the other signals together.
    #[schemars(range(min = 0.0))]
    pub line: f64,
    /// What a file counts that is named without a line.
    #[schemars(range(min = 0.0))]
    pub file: f64,
    /// What each further line counts relative to the one before it, which is nearer to what went wrong.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decay: f64,
}

impl Default for Location {
    fn default() -> Self {
        Self { line: 2.0, file: 0.5, decay: 0.85 }
    }
}

/// How much more a line counts among the chunks of its file: all else that is said of them does not change the order of the
/// lines.
const CHUNK: f64 = 5.0;

impl Signal for Location {
    fn id(&self) -> SignalId {
        SignalId::Location
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Evidence {
        let locations = location::Location::all_in(&context.query.text);
        let project = &context.snapshot.project;
        let mut files: FxHashMap<FileId, f64> = FxHashMap::default();
        let mut chunks: FxHashMap<ChunkId, f64> = FxHashMap::default();
        let mut lines: Vec<(ChunkId, u32)> = Vec::new();
        let mut line_score = self.line;
        for (location, found) in locations.iter().zip(resolve(project, &locations)) {
            if found.is_empty() {
                continue;
            }
            let score = if location.line.is_some() { line_score } else { self.file } / found.len() as f64;
            if location.line.is_some() {
                line_score *= self.decay;
            }
            for file in found {
                let best = files.entry(file).or_default();
                *best = best.max(score);
                if let Some(chunk) = chunk_at(project, file, location) {
                    lines.extend(location.line.map(|line| (chunk, line)));
                    let best = chunks.entry(chunk).or_default();
                    *best = best.max(CHUNK * score);
                }
            }
        }
        // A trace repeats the lines that it names.
        let copied = if lines.is_empty() { verbatim::places(context) } else { Vec::new() };
        for verbatim::Place { file, line, share } in copied {
            let score = self.line * share;
            let best = files.entry(file).or_default();
            *best = best.max(score);
            if let Some(chunk) = chunk_at_line(project, file, line) {
                lines.push((chunk, line));
                let best = chunks.entry(chunk).or_default();
                *best = best.max(CHUNK * score);
            }
        }
        let mut evidence =
            Evidence { files: files.into_iter().collect(), chunks: chunks.into_iter().collect(), lines };
        evidence.chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
        // A line that the text of the trace is no longer at says nothing.
        evidence.lines.retain(|(chunk, line)| project.chunk_lines(*chunk).contains(*line));
        evidence
    }
}

/// The chunk that a location names: the innermost around its line, or, if the text is not that of the trace, the function
/// of that name nearest to the line.
fn chunk_at(project: &Project, file: FileId, location: &location::Location) -> Option<ChunkId> {
    let line = location.line?;
    let chunks = project.chunks_of(file);
    let chunks = || (chunks.start.index()..chunks.end.index()).map(ChunkId::new);
    let name = |chunk: ChunkId| project.symbol_of_chunk(chunk).map(|symbol| project.symbol_name(symbol));
    let innermost = chunk_at_line(project, file, line);
    let Some(function) = location.function.as_deref() else { return innermost };
    if innermost.and_then(name) == Some(function) {
        return innermost;
    }
    let named = chunks().filter(|chunk| name(*chunk) == Some(function));
    named.min_by_key(|chunk| project.chunk_lines(*chunk).start.abs_diff(line)).or(innermost)
}
