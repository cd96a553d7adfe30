//! The one rule by which chunks are cut, at every level of every language.
//!
//! A declaration has a chunk if it stands at the root or has a body; so has each root statement, import and
//! stray comment. A chunk holds no text: that is a view of the source, with every child that has a chunk of its
//! own as a stub ([`FileFacts::for_each_piece`]).

use sscg_core::{Chunk, ChunkKind, FileFacts, Id, LineIndex, LocalChunk, LocalImport};

use crate::builder::{RootItem, head_import};

/// Fills `facts.chunks` and each symbol's `chunk`.
pub(crate) fn cut(facts: &mut FileFacts, lines: &LineIndex, roots: Vec<RootItem>) {
    let mut roots = roots.into_iter().peekable();
    let mut next_root_before = |offset: u32, facts: &mut FileFacts| {
        while let Some(root) = roots.next_if(|root| root.span.start < offset) {
            facts.chunks.push(Chunk {
                kind: root.kind,
                name: root.name.into(),
                symbol: None,
                parent: None,
                span: root.span,
                lines: lines.lines(root.span),
                imports: Box::default(),
            });
        }
    };
    for symbol in facts.symbols.ids() {
        let declaration = &facts.symbols[symbol];
        let enclosing = declaration.parent.map(|parent| facts.symbols[parent].chunk);
        if let Some(enclosing) = enclosing
            && declaration.body.is_none()
        {
            facts.symbols[symbol].chunk = enclosing;
            continue;
        }
        let span = declaration.span;
        if enclosing.is_none() {
            next_root_before(span.start, facts);
        }
        let declaration = &facts.symbols[symbol];
        let chunk = Chunk {
            kind: ChunkKind::Symbol(declaration.kind),
            name: declaration.name.clone(),
            symbol: Some(symbol),
            parent: enclosing,
            span,
            lines: declaration.lines,
            imports: Box::default(),
        };
        facts.symbols[symbol].chunk = facts.chunks.push(chunk);
    }
    next_root_before(u32::MAX, facts);
}

/// Fills each chunk's `imports` from the references of its own code. `offsets` holds where each reference
/// stands.
pub(crate) fn assign_imports(facts: &mut FileFacts, offsets: &[u32]) {
    let mut used: Vec<(LocalChunk, LocalImport)> = Vec::new();
    for (reference, &at) in facts.references.iter().zip(offsets) {
        let Some(import) = head_import(&reference.target) else { continue };
        let chunk = match reference.from {
            Some(from) => Some(facts.symbols[from].chunk),
            None => root_chunk_at(facts, at),
        };
        used.extend(chunk.map(|chunk| (chunk, import)));
    }
    used.sort_unstable();
    used.dedup();
    for run in used.chunk_by(|a, b| a.0 == b.0) {
        facts.chunks[run[0].0].imports = run.iter().map(|(_, import)| *import).collect();
    }
}

fn root_chunk_at(facts: &FileFacts, at: u32) -> Option<LocalChunk> {
    // Chunks are in source order with children after parents, so the last one that starts at or before
    // `at` is the innermost or follows it; its outermost ancestor is the root chunk to test.
    let after = facts.chunks.as_slice().partition_point(|chunk| chunk.span.start <= at);
    let mut chunk = LocalChunk::new(after.checked_sub(1)?);
    while let Some(parent) = facts.chunks[chunk].parent {
        chunk = parent;
    }
    (at < facts.chunks[chunk].span.end).then_some(chunk)
}
