//! Answers as pieces of evidence.

use sscg_format::{Evidence, EvidenceProvenance, Origin, ResultItem};
use sscg_index::Snapshot;

/// Converts a result to evidence, found by its name if `is_lookup`; `None` if it belongs to another snapshot.
pub(crate) fn of_result(snapshot: &Snapshot, result: &ResultItem, is_lookup: bool) -> Option<Evidence> {
    let project = &snapshot.project;
    let chunk = project.chunk_with_key(&result.chunk_id)?;
    let source = snapshot.source(project.chunk_file(chunk));
    let content =
        source.map_or_else(String::new, |source| project.chunk(chunk).span.text(&source).to_owned());
    let provenance = match result.source {
        Origin::Search if is_lookup => EvidenceProvenance::Symbol,
        Origin::Search => EvidenceProvenance::Search,
        Origin::EgoGraph | Origin::Connection => EvidenceProvenance::Graph,
    };
    let what = format!("{} `{}`", result.kind, result.name);
    let reason = match provenance {
        EvidenceProvenance::Search => {
            let signals: Vec<&str> = result.rank_sources.keys().map(String::as_str).collect();
            format!("Found by {}: {what}", signals.join(", "))
        }
        EvidenceProvenance::Symbol => format!("Has the name that was asked for: {what}"),
        EvidenceProvenance::Graph => format!("Expanded from the graph: {what}"),
    };
    Some(Evidence {
        file_path: result.file.clone(),
        start_line: result.lines.start,
        end_line: result.lines.end,
        content,
        reason,
        provenance,
        symbol_id: project.symbol_of_chunk(chunk).map_or_else(String::new, |it| project.symbol_key(it)),
        symbol_kind: result.kind.clone(),
    })
}
