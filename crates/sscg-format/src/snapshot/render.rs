//! Text of the shown items.

use std::borrow::Cow;
use std::cmp::Reverse;

use sscg_core::{LocalChunk, LocalImport, LocalSymbol, Span};
use sscg_parse::{Blocks, Ending, GLOB};

use super::comments;
use super::file::{File, ends_in_comment};
use super::plan::{Level, Plan};

/// Shown item with its extent.
struct Item {
    extent: Span,
    what: What,
}

enum What {
    Symbol(LocalSymbol),
    Statement(LocalChunk),
    /// Import statement with the names that are used.
    Import(String),
}

/// Renders the text of a snapshot below its header, ending in a newline; empty if nothing is shown.
pub(super) fn render(file: &File<'_>, plan: &Plan, imports: &[LocalImport]) -> String {
    let items = items(file, plan, imports);
    let mut writer = Writer { file, plan, out: String::new(), bare: Vec::new() };
    writer.items(&items, "");
    let Writer { mut out, bare, .. } = writer;
    if !out.is_empty() {
        out.push('\n');
    }
    if bare.is_empty() {
        return out;
    }
    let comments = file.syntax.comments(file.extension, &out);
    comments::cut(&out, &comments, &bare)
}

/// Returns all shown items, outer ones before inner ones.
fn items(file: &File<'_>, plan: &Plan, imports: &[LocalImport]) -> Vec<Item> {
    let shown = plan.levels.iter_enumerated().filter(|(_, level)| **level > Level::Hidden);
    let mut items: Vec<Item> =
        shown.map(|(symbol, _)| Item { extent: file.extent(symbol), what: What::Symbol(symbol) }).collect();
    items.extend(plan.statements.iter().map(|(chunk, _)| Item {
        extent: file.trimmed(file.facts.chunks[*chunk].span),
        what: What::Statement(*chunk),
    }));
    for of_statement in imports.chunk_by(|a, b| file.facts.imports[*a].span == file.facts.imports[*b].span) {
        let extent = file.facts.imports[of_statement[0]].span;
        let names: Vec<&str> = of_statement
            .iter()
            .map(|import| match &*file.facts.imports[*import].local {
                "" => GLOB,
                local => local,
            })
            .collect();
        let keeps = |name: &str| names.contains(&name);
        let reduced = file.syntax.reduce_import(file.extension, file.text(extent), &keeps);
        items.extend(reduced.map(|text| Item { extent, what: What::Import(text) }));
    }
    // Of items with the same extent, the one with more detail comes first.
    let level = |item: &Item| match item.what {
        What::Symbol(symbol) => plan.levels[symbol],
        _ => Level::Full,
    };
    items.sort_by_key(|item| (item.extent.start, Reverse(item.extent.end), Reverse(level(item))));
    items
}

/// Change of a text's indentation.
struct Shift<'a> {
    from: &'a str,
    to: String,
}

impl Shift<'_> {
    /// Returns the new indentation of a line.
    fn indent(&self, indent: &str) -> String {
        match indent.strip_prefix(self.from) {
            Some(deeper) => format!("{}{deeper}", self.to),
            None => indent.to_owned(),
        }
    }

    /// Shifts a text that starts behind its first line's indentation. Lines with less indentation stay.
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.from == self.to {
            return Cow::Borrowed(text);
        }
        let lines = text.split('\n').enumerate().map(|(at, line)| match line.strip_prefix(self.from) {
            Some(rest) if at > 0 => format!("{}{rest}", self.to),
            _ => line.to_owned(),
        });
        Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
    }
}

struct Writer<'a> {
    file: &'a File<'a>,
    plan: &'a Plan,
    out: String,
    /// Spans of `out` whose comments are to be removed.
    bare: Vec<Span>,
}

impl Writer<'_> {
    /// Writes sibling items, each on lines of its own.
    fn items(&mut self, items: &[Item], indent: &str) {
        let mut previous: Option<u32> = None;
        let mut rest = items;
        while let [item, after @ ..] = rest {
            let inside = after.partition_point(|next| next.extent.start < item.extent.end);
            let inside = &after[..inside];
            rest = &after[inside.len()..];
            if let Some(end) = previous {
                let gap = self.file.text(Span::new(end.min(item.extent.start), item.extent.start));
                self.out.push_str(if has_blank_line(gap) { "\n\n" } else { "\n" });
            }
            previous = Some(item.extent.end);
            let (from, is_alone) = self.file.indent(item.extent.start);
            let is_free = self.file.syntax.blocks() == Blocks::Braces && is_alone;
            let shift = Shift { from, to: if is_free { from } else { indent }.to_owned() };
            self.out.push_str(&shift.to);
            self.item(item, inside, &shift);
        }
    }

    fn item(&mut self, item: &Item, inside: &[Item], shift: &Shift<'_>) {
        match &item.what {
            What::Import(text) => self.out.push_str(&shift.text(text)),
            What::Statement(chunk) => {
                let level = self.plan.statements.iter().find(|(statement, _)| statement == chunk);
                let level = level.map_or(Level::Full, |(_, level)| *level);
                self.text(item.extent, Some(*chunk), level, inside, shift);
            }
            What::Symbol(symbol) => {
                let keyword = self.file.keyword(*symbol, item.extent);
                self.out.push_str(keyword);
                self.symbol(*symbol, item.extent, inside, shift);
                let ends = !keyword.is_empty() || self.file.needs_end(*symbol);
                if ends && !self.out.ends_with(';') {
                    self.out.push(';');
                }
            }
        }
    }

    fn symbol(&mut self, symbol: LocalSymbol, extent: Span, inside: &[Item], shift: &Shift<'_>) {
        let level = self.plan.levels[symbol];
        if level > Level::Head {
            let chunk = self.file.has_chunk(symbol).then_some(self.file.symbol(symbol).chunk);
            self.text(extent, chunk, level, inside, shift);
        } else {
            self.head(symbol, extent, inside, shift);
        }
    }

    /// Writes a text at a level. `chunk` is collapsed in it.
    fn text(
        &mut self,
        extent: Span,
        chunk: Option<LocalChunk>,
        level: Level,
        inside: &[Item],
        shift: &Shift<'_>,
    ) {
        let start = self.out.len() as u32;
        let mut at = extent.start;
        let collapsed = chunk.filter(|_| level == Level::Collapsed);
        for child in collapsed.into_iter().flat_map(|chunk| self.file.facts.collapsed(chunk)) {
            let span = self.file.symbol(child).span;
            let gap = self.file.text(Span::new(at, span.start));
            let is_between = at > extent.start && gap.trim().is_empty();
            let from = self.file.indent(span.start).0;
            let inner = Shift { from, to: shift.indent(from) };
            if is_between && gap.contains('\n') {
                self.out.push('\n');
                self.out.push_str(&inner.to);
            } else {
                self.out.push_str(&shift.text(gap));
            }
            let first = inside.partition_point(|item| item.extent.start < span.start);
            let count = inside[first..].partition_point(|item| item.extent.start < span.end);
            self.symbol(child, span, &inside[first..first + count], &inner);
            at = span.end;
        }
        self.out.push_str(&shift.text(self.file.text(Span::new(at, extent.end))));
        // `for self.x in y:` declares something before its block.
        if self.file.syntax.blocks() == Blocks::Indentation && self.out.ends_with(':') {
            self.out.push_str(" ...");
        }
        if level == Level::WithoutComments {
            self.bare.push(Span::new(start, self.out.len() as u32));
        }
    }

    /// Writes a declaration's head with the items shown in its body.
    fn head(&mut self, symbol: LocalSymbol, extent: Span, inside: &[Item], shift: &Shift<'_>) {
        for (attribute, breaks_line) in self.file.attributes(symbol) {
            self.out.push_str(&shift.text(attribute));
            self.out.push_str(if breaks_line { "\n" } else { " " });
            self.out.push_str(if breaks_line { &shift.to } else { "" });
        }
        let declaration = self.file.symbol(symbol);
        let whole = Span::new(self.file.head_start(symbol), extent.end.max(declaration.span.end));
        let Some(body) = declaration.body else {
            if let Some(value) = self.file.long_value(symbol) {
                let before = Span::new(whole.start, value.start);
                self.out.push_str(&shift.text(self.file.text(before)));
                self.out.push_str(self.file.syntax.no_value());
                let after = Span::new(value.end, whole.end.max(value.end));
                return self.out.push_str(&shift.text(self.file.text(after)));
            }
            return self.out.push_str(&shift.text(self.file.text(whole)));
        };
        // Skips the declaration itself and the items in its head.
        let is_before =
            |item: &Item| item.extent.start <= declaration.span.start || item.extent.end <= body.start;
        let first = inside.partition_point(is_before);
        let inside = &inside[first..];
        let is_empty = inside.is_empty();
        match (self.file.syntax.blocks(), self.file.is_frame(symbol)) {
            (Blocks::Braces, true) if !is_empty || self.file.is_container(symbol) => {
                let (head, tail) = self.file.head(symbol);
                if self.file.text(body).starts_with('{') {
                    self.out.push_str(&shift.text(head));
                } else {
                    self.head_before_body(head, shift);
                }
                self.out.push('{');
                self.inside(symbol, inside, shift);
                if !is_empty {
                    self.out.push('\n');
                    self.out.push_str(&shift.to);
                }
                self.out.push('}');
                self.out.push_str(&shift.text(tail));
            }
            (Blocks::Indentation, true) if !is_empty => {
                self.out.push_str(&declaration.signature);
                self.out.push(':');
                self.inside(symbol, inside, shift);
            }
            (Blocks::Braces, false) if self.file.is_container(symbol) => {
                self.out.push_str(&shift.text(self.file.text(whole)));
            }
            _ => match self.file.ending(symbol) {
                Ending::Signature(end) => {
                    self.out.push_str(&declaration.signature);
                    // In a list, the separator ends the declaration, too.
                    if !self.file.source[whole.end as usize..].starts_with([',', ';']) {
                        self.out.push_str(end);
                    }
                }
                Ending::Body(body) => {
                    let (head, tail) = self.file.head(symbol);
                    self.head_before_body(head, shift);
                    self.out.push_str(body);
                    self.out.push_str(&shift.text(tail));
                }
            },
        }
    }

    /// Writes the head of a declaration before a body that is not its own.
    fn head_before_body(&mut self, head: &str, shift: &Shift<'_>) {
        let head = head.trim_end();
        self.out.push_str(&shift.text(head));
        if ends_in_comment(head, self.file.syntax.line_comment()) {
            self.out.push('\n');
            self.out.push_str(&shift.to);
        } else {
            self.out.push(' ');
        }
    }

    /// Writes the items shown in the body of a declaration, after a line break.
    fn inside(&mut self, symbol: LocalSymbol, inside: &[Item], shift: &Shift<'_>) {
        let Some(body) = self.file.symbol(symbol).body.filter(|_| !inside.is_empty()) else { return };
        let text = self.file.text(body);
        let inner = text.trim_start_matches('{');
        let first = body.start + (text.len() - inner.trim_start().len()) as u32;
        let (indent, is_alone) = self.file.indent(first);
        let is_deeper = is_alone && indent.len() > shift.from.len();
        let indent = if is_deeper { shift.indent(indent) } else { format!("{}    ", shift.to) };
        self.out.push('\n');
        self.items(inside, &indent);
    }
}

/// True if a text that starts and ends inside of lines contains a blank line.
fn has_blank_line(text: &str) -> bool {
    let breaks = text.matches('\n').count();
    text.split('\n').skip(1).take(breaks.saturating_sub(1)).any(|line| line.trim().is_empty())
}
