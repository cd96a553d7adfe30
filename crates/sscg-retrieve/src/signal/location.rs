//! Locations named in the question.

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id, Project};

use super::{Signal, SignalContext, SignalId, SignalScores};
use crate::location::{self, resolve};
use crate::lookup::chunk_at_line;
use crate::verbatim;

/// Scores the files and lines that the question names: stack frames, compiler messages, paths. Without such lines, it
/// scores lines that contain text of the question verbatim. A path that may be any of several files counts
/// proportionally less for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct LocationSignal {
    /// Weight of a line: more than the other signals together.
    #[schemars(range(min = 0.0))]
    pub line: f64,
    /// Weight of a file that is named without a line.
    #[schemars(range(min = 0.0))]
    pub file: f64,
    /// Factor of each further line relative to the one before it, which is closer to the failure.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decay: f64,
}

impl Default for LocationSignal {
    fn default() -> Self {
        Self { line: 2.0, file: 0.5, decay: 0.85 }
    }
}

/// Additional factor of a line among the chunks of its file, so that other evidence does not change the order of the
/// lines.
const CHUNK: f64 = 5.0;

impl Signal for LocationSignal {
    fn id(&self) -> SignalId {
        SignalId::LOCATION
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
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
        // A trace quotes the lines that it names.
        let copied = if lines.is_empty() { verbatim::places(context) } else { Vec::new() };
        for verbatim::LineMatch { file, line, share } in copied {
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
            SignalScores { files: files.into_iter().collect(), chunks: chunks.into_iter().collect(), lines };
        evidence.chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
        // Drop lines outside of their chunk: the file has changed since the trace.
        evidence.lines.retain(|(chunk, line)| project.chunk_lines(*chunk).contains(*line));
        evidence
    }
}

/// Returns the chunk that a location names: the innermost around its line or, if the code has changed since the trace,
/// the function of that name closest to the line.
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
