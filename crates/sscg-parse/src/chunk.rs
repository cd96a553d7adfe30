//! Chunking, by one rule for every level of every language.
//!
//! A declaration with a name has a chunk if it is at the root or has a body. Each root statement, import and detached
//! comment has one too. A declaration inside a root statement (`if TYPE_CHECKING:`, `cfg_if! { .. }`, the wrapper function of a
//! bundle) is a child of that statement's chunk. If it has no body and shares its line with other code, it is part of
//! that chunk. A declaration on exactly the lines of the enclosing chunk has no chunk of its own. Text that no frontend
//! reported becomes chunks too: every line that is not blank belongs to a chunk at the root.
//! A chunk stores no text. Its text is a view of the source, in which every child that has a body and a chunk of its
//! own is a stub ([`FileFacts::for_each_piece`]).

use std::cmp::Reverse;

use sscg_core::{
    Chunk, ChunkKind, FileFacts, Head, Id, LineIndex, LocalChunk, LocalImport, Modifiers, NameRef, Reference,
    Span, Symbol,
};

use crate::text::{headline, is_blank};

/// Root item other than a declaration.
pub(crate) struct RootItem {
    pub(crate) kind: ChunkKind,
    pub(crate) span: Span,
    pub(crate) name: String,
}

/// Fills `facts.chunks` and each symbol's `chunk`. O(bytes + items log items).
pub(crate) fn cut(facts: &mut FileFacts, source: &str, lines: &LineIndex, mut roots: Vec<RootItem>) {
    roots.sort_by_key(|root| (root.span.start, Reverse(root.span.end)));
    let tops = keep_outermost(facts, &mut roots);
    let found = roots.len();
    roots.extend(uncovered(source, lines, &tops));
    if roots.len() > found {
        roots.sort_by_key(|root| root.span.start);
    }
    assign(facts, source, lines, roots);
    widen(facts, source, lines);
}

/// Drops root items inside other items or declarations. Returns the spans of everything left at the root, in order.
fn keep_outermost(facts: &FileFacts, roots: &mut Vec<RootItem>) -> Vec<Span> {
    let mut tops: Vec<Span> = Vec::new();
    let take = |tops: &mut Vec<Span>, span: Span| {
        let is_outside = tops.last().is_none_or(|last| last.end <= span.start);
        if is_outside {
            tops.push(span);
        }
        is_outside
    };
    let is_top =
        |symbol: &&Symbol| symbol.parent.is_none() && !symbol.modifiers.contains(Modifiers::ANONYMOUS);
    let mut symbols = facts.symbols.iter().filter(is_top).peekable();
    roots.retain(|root| {
        while let Some(symbol) = symbols.next_if(|symbol| {
            let (statement, declared) = (root.span, symbol.span);
            declared.start < statement.start
                || declared.start == statement.start && declared.end > statement.end
        }) {
            take(&mut tops, symbol.span);
        }
        take(&mut tops, root.span)
    });
    for symbol in symbols {
        take(&mut tops, symbol.span);
    }
    tops
}

/// Returns the runs of non-blank lines that belong to no item at the root.
fn uncovered(source: &str, lines: &LineIndex, tops: &[Span]) -> Vec<RootItem> {
    let mut items = Vec::new();
    let mut from = 0;
    let end = source.len() as u32;
    for top in tops.iter().copied().chain([Span::new(end, end)]) {
        let until = if top.start == end { end } else { lines.line_span(lines.line(top.start)).start };
        if from < until {
            let gap = Span::new(from, until).text(source);
            if !gap.trim_matches(is_blank).is_empty() {
                items.extend(runs(gap, from));
            }
        }
        if !top.is_empty() {
            from = (lines.line_span(lines.line(top.end - 1)).end + 1).min(end);
        }
    }
    items
}

/// Returns the runs of lines in `gap` without a blank line between them; `at` is the offset of the gap.
fn runs(gap: &str, at: u32) -> Vec<RootItem> {
    let mut items: Vec<RootItem> = Vec::new();
    let mut is_open = false;
    let mut start = at;
    for line in gap.split_inclusive('\n') {
        let text = line.trim_end_matches(is_blank);
        let is_text = !text.trim_start_matches(is_blank).is_empty();
        let span = Span::new(start, start + text.len() as u32);
        match items.last_mut() {
            Some(run) if is_text && is_open => run.span.end = span.end,
            _ if is_text => {
                let name = headline(text.trim_matches(is_blank));
                items.push(RootItem { kind: ChunkKind::Expression, span, name });
            }
            _ => {}
        }
        is_open = is_text;
        start += line.len() as u32;
    }
    items
}

/// Creates the chunks in source order, parents before children.
fn assign(facts: &mut FileFacts, source: &str, lines: &LineIndex, roots: Vec<RootItem>) {
    facts.chunks.reserve(roots.len() + facts.symbols.len() / 2);
    let mut roots = roots.into_iter().peekable();
    // Last root statement; declarations inside it are its children.
    let mut statement: Option<LocalChunk> = None;
    for symbol in facts.symbols.ids() {
        let declaration = &facts.symbols[symbol];
        let (span, own_lines) = (declaration.span, declaration.lines);
        let enclosing = match declaration.parent {
            Some(parent) => Some(facts.symbols[parent].chunk),
            None => {
                while let Some(root) = roots.next_if(|root| root.span.start <= span.start) {
                    statement = Some(facts.chunks.push(statement_chunk(root, lines)));
                }
                statement.filter(|chunk| facts.chunks[*chunk].span.contains(span))
            }
        };
        let declaration = &facts.symbols[symbol];
        if let Some(enclosing) = enclosing {
            let around = &facts.chunks[enclosing];
            let is_statement = around.kind == ChunkKind::Expression && declaration.parent.is_none();
            let is_apart = own_lines != around.lines
                && !declaration.modifiers.contains(Modifiers::ANONYMOUS)
                && (declaration.body.is_some() || is_statement && is_alone(span, source, lines));
            if !is_apart {
                facts.symbols[symbol].chunk = enclosing;
                continue;
            }
        }
        let chunk = Chunk {
            kind: ChunkKind::Symbol(declaration.kind),
            name: declaration.name.clone(),
            symbol: Some(symbol),
            parent: enclosing,
            span,
            lines: own_lines,
            imports: Box::default(),
        };
        facts.symbols[symbol].chunk = facts.chunks.push(chunk);
    }
    for root in roots {
        facts.chunks.push(statement_chunk(root, lines));
    }
}

/// True if only a comment shares the lines of `span`.
fn is_alone(span: Span, source: &str, lines: &LineIndex) -> bool {
    let on = lines.lines(span);
    let before = Span::new(lines.line_span(on.start).start, span.start).text(source);
    let after = Span::new(span.end, lines.line_span(on.end).end.max(span.end)).text(source);
    let after = after.trim_start_matches(is_blank).trim_start_matches([';', ',']).trim_start();
    let is_comment = after.starts_with("//") || after.starts_with('#');
    before.trim_matches(is_blank).is_empty() && (after.is_empty() || is_comment)
}

fn statement_chunk(root: RootItem, lines: &LineIndex) -> Chunk {
    Chunk {
        kind: root.kind,
        name: root.name.into(),
        symbol: None,
        parent: None,
        span: root.span,
        lines: lines.lines(root.span),
        imports: Box::default(),
    }
}

/// Extends chunks that share no lines with other code to whole lines. The end of a chunk's last line (a comment, a
/// semicolon) belongs to the chunk, unless another root item starts on that line.
fn widen(facts: &mut FileFacts, source: &str, lines: &LineIndex) {
    let mut next_root = u32::MAX;
    for chunk in facts.chunks.ids().rev() {
        let Chunk { span, parent, lines: on, kind, .. } = facts.chunks[chunk];
        let (first, last) = (lines.line_span(on.start), lines.line_span(on.end));
        let before = Span::new(first.start, span.start).text(source);
        let start = if before.trim_matches(is_blank).is_empty() { first.start } else { span.start };
        let rest = Span::new(span.end, last.end.max(span.end)).text(source).trim_matches(is_blank);
        let is_root = parent.is_none();
        let is_last_on_line = !is_root || next_root > last.end;
        // An import is one statement and a child is one declaration, whatever follows it in broken text.
        let takes_any = is_root && !matches!(kind, ChunkKind::Import | ChunkKind::ReExport);
        let after = rest.trim_start_matches([';', ',']).trim_start();
        let is_comment = after.starts_with("//") || is_root && after.starts_with(['#', '/']);
        let takes_rest = is_last_on_line && (takes_any || after.is_empty() || is_comment);
        let end = if rest.is_empty() || takes_rest { last.end.max(span.end) } else { span.end };
        facts.chunks[chunk].span = Span::new(start, end);
        if is_root {
            next_root = span.start;
        }
    }
}

/// Fills each chunk's `imports` from the references in its own code. References come with their offsets.
pub(crate) fn assign_imports(facts: &mut FileFacts, references: &[(u32, Reference)]) {
    let mut used: Vec<(LocalChunk, LocalImport)> = Vec::new();
    for (at, reference) in references {
        let Some(import) = head_import(&reference.target) else { continue };
        // `import("./x").Type` is in the chunk itself.
        if facts.imports[import].local.is_empty() {
            continue;
        }
        let chunk = match reference.from {
            Some(from) => Some(facts.symbols[from].chunk),
            None => root_chunk_at(facts, *at),
        };
        let Some(chunk) = chunk else { continue };
        used.push((chunk, import));
        // The stub in the enclosing chunk uses the names in the signature.
        if let (Some(from), Some(around)) = (reference.from, facts.chunks[chunk].parent)
            && facts.chunks[chunk].symbol == Some(from)
            && is_in_stub(&facts.symbols[from], *at)
        {
            used.push((around, import));
        }
    }
    used.sort_unstable();
    used.dedup();
    for run in used.chunk_by(|a, b| a.0 == b.0) {
        facts.chunks[run[0].0].imports = run.iter().map(|(_, import)| *import).collect();
    }
}

/// Returns the import that a name starts with, if any.
fn head_import(name: &NameRef) -> Option<LocalImport> {
    match name.head {
        Head::Import(import) => Some(import),
        _ => None,
    }
}

/// True if an offset is in the part of a declaration that its stub keeps: after its attributes and before its body.
fn is_in_stub(declaration: &Symbol, at: u32) -> bool {
    let start = declaration.attributes.last().map_or(declaration.span.start, |last| last.end);
    declaration.body.is_some_and(|body| start <= at && at < body.start)
}

fn root_chunk_at(facts: &FileFacts, at: u32) -> Option<LocalChunk> {
    // Chunks are in source order with children after parents, so the last one that starts at or before `at` is the
    // innermost or follows it. Its outermost ancestor is the root chunk to test.
    let after = facts.chunks.as_slice().partition_point(|chunk| chunk.span.start <= at);
    let mut chunk = LocalChunk::new(after.checked_sub(1)?);
    while let Some(parent) = facts.chunks[chunk].parent {
        chunk = parent;
    }
    (at < facts.chunks[chunk].span.end).then_some(chunk)
}
