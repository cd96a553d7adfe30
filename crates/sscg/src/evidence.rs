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
    let what = format!("{} `{}`", result.kind, result.name);
    let (provenance, reason) = match result.source {
        Origin::Search if is_lookup => {
            (EvidenceProvenance::Symbol, format!("Has the name that was asked for: {what}"))
        }
        Origin::Search => {
            let signals: Vec<&str> = result.rank_sources.keys().map(String::as_str).collect();
            (EvidenceProvenance::Search, format!("Found by {}: {what}", signals.join(", ")))
        }
        _ => (EvidenceProvenance::Graph, format!("Expanded from the graph: {what}")),
    };
    let symbol = project.symbol_of_chunk(chunk);
    Some(
        Evidence::default()
            .with_file_path(result.file.clone())
            .with_start_line(result.lines.start)
            .with_end_line(result.lines.end)
            .with_content(content)
            .with_reason(reason)
            .with_provenance(provenance)
            .with_symbol_id(symbol.map_or_else(String::new, |it| project.symbol_key(it)))
            .with_symbol_kind(result.kind.clone()),
    )
}
