//! Text to tree, also when the text is broken.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

/// At most this many of the parser's complaints are kept.
const MAX_DIAGNOSTICS: usize = 20;

/// A tree, and what was wrong with the text: offsets and messages.
pub(super) struct Parsed<'a> {
    pub(super) program: Program<'a>,
    pub(super) diagnostics: Vec<(u32, String)>,
}

/// Parses `source`. oxc gives no tree at all for some errors; then the top-level statements that do not
/// parse on their own are blanked out, and the rest is parsed in place.
pub(super) fn parse<'a>(arena: &'a Allocator, extension: &str, source: &'a str) -> Parsed<'a> {
    let source_type = source_type(extension);
    let first = run(arena, source_type, source);
    let diagnostics = first
        .diagnostics
        .iter()
        .take(MAX_DIAGNOSTICS)
        .map(|diagnostic| {
            let at = diagnostic.labels.first().map_or(0, |label| label.offset());
            (at.min(source.len() as u32), diagnostic.message.to_string())
        })
        .collect();
    let program = if first.panicked {
        let mended = arena.alloc_str(&without_broken_statements(source_type, source));
        run(arena, source_type, mended).program
    } else {
        first.program
    };
    Parsed { program, diagnostics }
}

fn run<'a>(arena: &'a Allocator, source_type: SourceType, source: &'a str) -> ParserReturn<'a> {
    // Scripts that are run inside a function (CommonJS) may return at their top level.
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    Parser::new(arena, source, source_type).with_options(options).parse()
}

fn source_type(extension: &str) -> SourceType {
    match extension {
        "d.ts" | "d.mts" | "d.cts" => SourceType::d_ts(),
        "tsx" => SourceType::tsx(),
        "ts" | "mts" | "cts" => SourceType::ts(),
        "cjs" => SourceType::cjs().with_jsx(true),
        "mjs" => SourceType::mjs().with_jsx(true),
        _ => SourceType::unambiguous().with_jsx(true),
    }
}

/// The text with spaces in place of each top-level statement that does not parse; all offsets stay.
fn without_broken_statements(source_type: SourceType, source: &str) -> String {
    let mut mended = String::with_capacity(source.len());
    let mut arena = Allocator::default();
    for statement in top_level_blocks(source) {
        if run(&arena, source_type, statement).panicked {
            mended.extend(statement.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            mended.push_str(statement);
        }
        arena.reset();
    }
    mended
}

/// Cuts at the lines that start a statement by their looks: at the margin, with anything but a bracket's end.
fn top_level_blocks(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let starts = rest.match_indices('\n').map(|(at, _)| at + 1);
        let next = starts.into_iter().find(|&at| {
            rest[at..].starts_with(|first: char| !first.is_whitespace() && !matches!(first, '}' | ')' | ']'))
        });
        let (block, after) = rest.split_at(next.unwrap_or(rest.len()));
        rest = after;
        Some(block)
    })
}
