//! Parsing, also of broken text.

use memchr::memchr_iter;
use oxc_allocator::Allocator;
use oxc_ast::ast::{FormalParameters, Program};
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

use super::recover::{self, mend};
use crate::nesting::{TOO_DEEP, levelled, unchained};
use crate::tree::ParseTime;

/// Maximum number of parser diagnostics that are kept.
const MAX_DIAGNOSTICS: usize = 20;

/// Syntax tree and diagnostics (offsets and messages).
pub(super) struct Parsed<'a> {
    pub(super) program: Program<'a>,
    pub(super) diagnostics: Vec<(u32, String)>,
}

/// Parses `source`. For some errors, oxc returns no tree at all; then the broken parts are blanked, and the rest is
/// parsed in place. Returns `None` if it takes too long to find the broken parts.
pub(super) fn parse<'a>(arena: &'a Allocator, extension: &str, source: &'a str) -> Option<Parsed<'a>> {
    let source_type = source_type(extension);
    let unchained = unchained(source);
    let source = unchained.as_ref().map_or(source, |(text, _)| arena.alloc_str(text));
    let time = ParseTime::for_text(source);
    let levelled = levelled(source, |text| recover::parse(extension, text, &time));
    let source = levelled.as_ref().map_or(source, |(text, _)| arena.alloc_str(text));
    let first = run(arena, source_type, source);
    let too_deep = unchained.iter().chain(&levelled).map(|(_, at)| (*at, TOO_DEEP.to_owned()));
    let messages = first.diagnostics.iter().map(|diagnostic| diagnostic.message.to_string());
    let said = error_offsets(&first, source).zip(messages).take(MAX_DIAGNOSTICS);
    let diagnostics = too_deep.chain(said).collect();
    let mut program = if first.panicked {
        let mended = mend(extension, source, &time, |text| gives_up(source_type, text));
        if time.is_over() {
            return None;
        }
        run(arena, source_type, arena.alloc_str(&mended)).program
    } else {
        first.program
    };
    if memchr_iter(b',', source.as_bytes()).count() > MAX_COMMAS {
        LongLists.visit_program(&mut program);
    }
    Some(Parsed { program, diagnostics })
}

/// Maximum number of parameters of one function in a text with many commas: oxc scans all of them for each.
const MAX_PARAMETERS: usize = 10_000;

/// Number of commas below which the scans take at most a second, and less than a walk over the tree of nearly any text.
const MAX_COMMAS: usize = 50_000;

/// Truncates parameter lists that are longer than any that people write.
struct LongLists;

impl<'a> VisitMut<'a> for LongLists {
    fn visit_formal_parameters(&mut self, parameters: &mut FormalParameters<'a>) {
        parameters.items.truncate(MAX_PARAMETERS);
        walk_mut::walk_formal_parameters(self, parameters);
    }
}

fn run<'a>(arena: &'a Allocator, source_type: SourceType, source: &'a str) -> ParserReturn<'a> {
    // Scripts that are run inside a function (CommonJS) may return at their top level.
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    Parser::new(arena, source, source_type).with_options(options).parse()
}

/// Returns the offset at which oxc gives up on a text, if it does.
fn gives_up(source_type: SourceType, text: &str) -> Option<u32> {
    let arena = Allocator::default();
    let parsed = run(&arena, source_type, text);
    // The last diagnostic is the one at which oxc gives up.
    parsed.panicked.then(|| error_offsets(&parsed, text).last().unwrap_or(0))
}

/// Returns the offsets of the parser diagnostics.
fn error_offsets(parsed: &ParserReturn<'_>, text: &str) -> impl Iterator<Item = u32> {
    let end = text.len() as u32;
    let labels = parsed.diagnostics.iter().map(|diagnostic| diagnostic.labels.first());
    labels.map(move |label| label.map_or(0, |label| label.offset()).min(end))
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
