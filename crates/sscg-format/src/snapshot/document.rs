//! Snapshots of documents: the text of the targets.

use sscg_core::{DetailLevel, FileFacts, LocalChunk, Span};

use super::StructuralSnapshot;

/// Renders the text of the targets in order, with a blank line between them. Targets inside of another one that is
/// shown in full are not repeated. Documents have no comments to leave out, and a signature is a heading or key.
pub(super) fn render(
    facts: &FileFacts,
    source: &str,
    stub: &str,
    targets: &[(LocalChunk, DetailLevel)],
) -> StructuralSnapshot {
    let mut targets = targets.to_vec();
    targets.sort_by_key(|(chunk, shown)| (*chunk, *shown));
    targets.dedup_by_key(|(chunk, _)| *chunk);
    let mut snapshot = StructuralSnapshot::default();
    let mut whole = Span::default();
    for (chunk, shown) in targets {
        let facts_of_chunk = &facts.chunks[chunk];
        let span = facts_of_chunk.span;
        if whole.contains(span) {
            continue;
        }
        let text = match shown {
            DetailLevel::Full | DetailLevel::WithoutComments => {
                whole = span;
                span.text(source).to_owned()
            }
            DetailLevel::Collapsed => facts.chunk_text(chunk, source, stub),
            DetailLevel::Signature => match facts_of_chunk.symbol {
                Some(symbol) => facts.symbols[symbol].signature.to_string(),
                None => facts_of_chunk.name.to_string(),
            },
            DetailLevel::Name => continue,
        };
        if !snapshot.text.is_empty() {
            snapshot.text.push('\n');
        }
        snapshot.text.push_str(text.trim_matches('\n').trim_end());
        snapshot.text.push('\n');
        snapshot.symbols.extend(facts_of_chunk.symbol);
    }
    snapshot
}
