//! Invariants of the facts of any text, for all languages.
//!
//! Every fixture and every corpus run is checked against these ten rules, and the fuzz targets look for violations. A
//! new frontend is correct when they hold over a large amount of real code. `docs/chunking.md` gives the reasons for
//! them.

use std::{fmt, hint};

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{ChunkKind, CodeChunk, FileFacts, Id, LineIndex, LocalChunk, Span, TOKEN_BYTES};

use crate::registry::FileType;
use crate::text::is_blank;
use crate::tree::{TOO_SLOW, TOO_SLOW_DOCUMENT, parser};

/// One of the ten rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Every line that is not blank belongs to a chunk at the root.
    Coverage,
    /// Chunks with the same parent do not overlap.
    NoOverlap,
    /// A chunk's source is its lines in the file, except for other code on the first and the last line.
    SourceFidelity,
    /// Parents precede their children, contain them and list them. Nested declarations have the same order.
    Hierarchy,
    /// A chunk's embedding text has at most 32,000 tokens, at four bytes per token.
    TokenLimit,
    /// Children with a body are stubs in their parent's text; the text of a leaf is its source.
    CollapsedChildren,
    /// A breadcrumb consists of the file, the enclosing declarations, and the name of the chunk.
    Breadcrumb,
    /// The same text yields the same facts and ids, and no two chunks share an id. An extraction that is stopped because
    /// it takes too long does not count.
    Determinism,
    /// Each import and re-export at the root is a chunk of its own.
    RootIsolation,
    /// A chunk's source contains the names of the imports that the chunk lists.
    RelevantImports,
}

impl Rule {
    /// All rules in the order of their numbers (starting at 1).
    pub const ALL: [Rule; 10] = [
        Rule::Coverage,
        Rule::NoOverlap,
        Rule::SourceFidelity,
        Rule::Hierarchy,
        Rule::TokenLimit,
        Rule::CollapsedChildren,
        Rule::Breadcrumb,
        Rule::Determinism,
        Rule::RootIsolation,
        Rule::RelevantImports,
    ];

    /// Returns the name of the rule in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rule::Coverage => "full coverage",
            Rule::NoOverlap => "no overlap",
            Rule::SourceFidelity => "source fidelity",
            Rule::Hierarchy => "hierarchy",
            Rule::TokenLimit => "token limit",
            Rule::CollapsedChildren => "collapsed children",
            Rule::Breadcrumb => "breadcrumb",
            Rule::Determinism => "determinism",
            Rule::RootIsolation => "root isolation",
            Rule::RelevantImports => "relevant imports",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Violated rule.
    pub rule: Rule,
    /// 1-based line of the violation.
    pub line: u32,
    /// Description of the problem.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line, self.rule, self.message)
    }
}

/// Maximum number of tokens of an embedding text.
pub const MAX_TOKENS: usize = 32_000;

/// Returns the facts of a text and the violated rules. Extracts twice. O(bytes × nesting depth).
pub fn check(file_type: FileType, source: &str) -> (FileFacts, Vec<Violation>) {
    let facts = file_type.extract(source);
    let again = file_type.extract(source);
    let stub = file_type.language.stub;
    let rows = facts.code_chunks(FILE, source, stub);
    let mut check = Check {
        facts: &facts,
        rows: &rows,
        source,
        stub,
        lines: LineIndex::new(source),
        violations: Vec::new(),
    };
    check.coverage();
    check.overlap();
    for chunk in facts.chunks.ids() {
        check.fidelity(chunk);
        check.hierarchy(chunk);
        check.token_limit(chunk);
        check.collapsed_children(chunk);
        check.breadcrumb(chunk);
        check.relevant_imports(chunk);
    }
    check.declarations();
    check.root_isolation();
    check.determinism(&again);
    let violations = check.violations;
    (facts, violations)
}

/// Parses a text with the tree-sitter grammar of its language, without extracting anything: the lower bound for the time
/// of [`FileType::extract`]. Returns false if the language has no such grammar. O(bytes) for code without syntax errors.
pub fn parse(file_type: FileType, source: &str) -> bool {
    let grammar = file_type.grammar(source);
    grammar.map(|grammar| hint::black_box(parser(grammar).parse(source, None))).is_some()
}

/// Placeholder for the file path in ids.
const FILE: &str = "file";

struct Check<'a> {
    facts: &'a FileFacts,
    rows: &'a [CodeChunk<'a>],
    source: &'a str,
    stub: &'a str,
    lines: LineIndex,
    violations: Vec<Violation>,
}

impl<'a> Check<'a> {
    fn report(&mut self, rule: Rule, line: u32, message: impl Into<String>) {
        self.violations.push(Violation { rule, line, message: message.into() });
    }

    /// Reports a violation at a chunk unless `holds`.
    fn require(&mut self, holds: bool, rule: Rule, chunk: LocalChunk, message: &str) {
        if !holds {
            let row = self.row(chunk);
            let (line, message) = (row.lines.start, format!("{} `{}`: {message}", row.kind, row.name));
            self.report(rule, line, message);
        }
    }

    fn row(&self, chunk: LocalChunk) -> &'a CodeChunk<'a> {
        &self.rows[chunk.index()]
    }

    fn coverage(&mut self) {
        let mut covered = vec![false; self.facts.lines as usize + 2];
        for chunk in self.facts.chunks.iter().filter(|chunk| chunk.parent.is_none()) {
            for line in chunk.lines.start..=chunk.lines.end {
                covered[line as usize] = true;
            }
        }
        for line in 1..=self.facts.lines {
            let text = self.lines.line_span(line).text(self.source).trim_matches(is_blank);
            if !text.is_empty() && !covered[line as usize] {
                self.report(Rule::Coverage, line, format!("in no chunk at the root: {text:.60}"));
            }
        }
    }

    fn overlap(&mut self) {
        let mut ends: FxHashMap<Option<LocalChunk>, u32> = FxHashMap::default();
        for (id, chunk) in self.facts.chunks.iter_enumerated() {
            let end = ends.insert(chunk.parent, chunk.span.end).unwrap_or(0);
            self.require(end <= chunk.span.start, Rule::NoOverlap, id, "starts inside the chunk before it");
        }
    }

    fn fidelity(&mut self, chunk: LocalChunk) {
        let rule = Rule::SourceFidelity;
        let this = &self.facts.chunks[chunk];
        self.require(self.lines.lines(this.span) == this.lines, rule, chunk, "lines and bytes differ");
        let whole =
            Span::new(self.lines.line_span(this.lines.start).start, self.lines.line_span(this.lines.end).end);
        if !whole.contains(this.span) {
            return self.require(false, rule, chunk, "reaches beyond its lines");
        }
        let before = Span::new(whole.start, this.span.start).text(self.source);
        let after = Span::new(this.span.end, whole.end).text(self.source);
        for (text, what) in [(before, "before it"), (after, "behind it")] {
            let is_shared = !text.trim_matches(is_blank).is_empty();
            let message = format!("leaves out white space {what} on its line");
            self.require(text.is_empty() || is_shared, rule, chunk, &message);
        }
    }

    fn hierarchy(&mut self, chunk: LocalChunk) {
        let rule = Rule::Hierarchy;
        let this = &self.facts.chunks[chunk];
        if let Some(parent) = this.parent {
            self.require(parent < chunk, rule, chunk, "comes before its parent");
            let holds = self.facts.chunks[parent].span.contains(this.span);
            self.require(holds, rule, chunk, "reaches beyond its parent");
            let (row, parent) = (self.row(chunk), self.row(parent));
            self.require(parent.child_ids.contains(&row.id), rule, chunk, "its parent does not list it");
            self.require(row.parent_id.as_ref() == Some(&parent.id), rule, chunk, "names another parent");
        }
        if let Some(symbol) = this.symbol {
            let declaration = &self.facts.symbols[symbol];
            self.require(declaration.chunk == chunk, rule, chunk, "its declaration has another chunk");
            let holds = this.span.contains(declaration.span);
            self.require(holds, rule, chunk, "its declaration reaches beyond it");
        }
    }

    fn declarations(&mut self) {
        let mut start = 0;
        for (id, symbol) in self.facts.symbols.iter_enumerated() {
            let mut problems = Vec::new();
            if let Some(parent) = symbol.parent {
                let parent_span = self.facts.symbols.get(parent).map(|parent| parent.span);
                if parent >= id || !parent_span.is_some_and(|parent| parent.contains(symbol.span)) {
                    problems.push("reaches beyond its parent");
                }
            }
            if symbol.span.start < start {
                problems.push("comes after one that starts later");
            }
            start = symbol.span.start;
            if symbol.body.is_some_and(|body| !symbol.span.contains(body)) {
                problems.push("has its body outside");
            }
            if !symbol.lines.contains(symbol.name_line) {
                problems.push("has its name outside");
            }
            if self.lines.lines(symbol.span) != symbol.lines {
                problems.push("lines and bytes differ");
            }
            if symbol.name.is_empty() || symbol.signature.is_empty() {
                problems.push("has no name or no signature");
            }
            for problem in problems {
                let message = format!("{} `{}`: {problem}", symbol.kind, symbol.name);
                self.report(Rule::Hierarchy, symbol.lines.start, message);
            }
        }
    }

    fn token_limit(&mut self, chunk: LocalChunk) {
        let tokens = self.row(chunk).embedding_text.len().div_ceil(TOKEN_BYTES);
        let message = format!("about {tokens} tokens");
        self.require(tokens <= MAX_TOKENS, Rule::TokenLimit, chunk, &message);
    }

    fn collapsed_children(&mut self, chunk: LocalChunk) {
        let rule = Rule::CollapsedChildren;
        let row = self.row(chunk);
        let mut expected = String::new();
        let mut at = self.facts.chunks[chunk].span.start;
        for child in (chunk.index() + 1..self.facts.chunks.len()).map(LocalChunk::new) {
            let this = &self.facts.chunks[child];
            if this.span.start >= self.facts.chunks[chunk].span.end {
                break;
            }
            // Deeper chunks are inside a stub, unless no declaration between them and this chunk has a body.
            let Some(symbol) = this.symbol else { continue };
            let declaration = &self.facts.symbols[symbol];
            let Some(body) = declaration.body else { continue };
            if declaration.span.start < at {
                continue;
            }
            let head = Span::new(declaration.span.start, body.start).text(self.source);
            let body = body.text(self.source);
            // A short body may also occur in the head.
            let holds_body = declaration.signature.contains(body) && !head.contains(body) && body.len() > 24;
            let is_head = !declaration.signature.contains('\n') && !holds_body;
            self.require(is_head, rule, child, "its stub holds its body");
            expected.push_str(Span::new(at, declaration.span.start).text(self.source));
            expected.push_str(&declaration.signature);
            at = declaration.span.end;
            if !self.source[at as usize..].starts_with([',', ';']) {
                expected.push_str(self.stub);
            }
        }
        expected.push_str(Span::new(at, self.facts.chunks[chunk].span.end).text(self.source));
        self.require(expected == row.embedding_text, rule, chunk, "its text is not its source with stubs");
        let is_leaf = expected == row.full_source;
        self.require(is_leaf || row.is_collapsed(), rule, chunk, "its text is not its source");
    }

    fn breadcrumb(&mut self, chunk: LocalChunk) {
        let row = self.row(chunk);
        let mut names = vec![row.name];
        let mut declaration = self.facts.chunks[chunk].symbol;
        while let Some(symbol) = declaration {
            let symbol = &self.facts.symbols[symbol];
            let receiver = symbol.receiver.iter().flat_map(|receiver| receiver.path.iter().rev());
            names.extend(receiver.map(|segment| &**segment));
            names.extend(symbol.parent.map(|parent| &*self.facts.symbols[parent].name));
            declaration = symbol.parent;
        }
        names.push(FILE);
        // Enclosing chunks belong to enclosing declarations, in the same order. The name of a root statement is not
        // part of the breadcrumb of a declaration inside it.
        let mut around = names[1..].iter();
        let mut at = chunk;
        while let Some(parent) = self.facts.chunks[at].parent {
            if self.facts.chunks[parent].symbol.is_some() {
                let name = self.row(parent).name;
                let holds = around.any(|known| *known == name);
                self.require(holds, Rule::Breadcrumb, chunk, "stands in the chunk of another declaration");
            }
            at = parent;
        }
        names.reverse();
        let holds = row.breadcrumb == names.join(" > ");
        self.require(holds, Rule::Breadcrumb, chunk, &row.breadcrumb);
    }

    fn root_isolation(&mut self) {
        let mut statements: Vec<Span> = self
            .facts
            .imports
            .iter()
            .filter(|import| import.scope.is_none())
            .map(|import| import.span)
            .collect();
        statements.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        // Statements may nest: `require("a")(require("b"))`.
        let mut end = 0;
        statements.retain(|span| {
            let is_outermost = end <= span.start;
            end = end.max(span.end);
            is_outermost
        });
        for (id, chunk) in self.facts.chunks.iter_enumerated() {
            if matches!(chunk.kind, ChunkKind::Import | ChunkKind::ReExport) {
                self.require(chunk.parent.is_none(), Rule::RootIsolation, id, "stands in another chunk");
                let first = statements.partition_point(|span| span.start < chunk.span.start);
                let inside = statements[first..].iter().take_while(|span| chunk.span.contains(**span));
                self.require(inside.count() <= 1, Rule::RootIsolation, id, "holds several statements");
            }
        }
    }

    fn relevant_imports(&mut self, chunk: LocalChunk) {
        let row = self.row(chunk);
        for import in &self.facts.chunks[chunk].imports {
            let name = &*self.facts.imports[*import].local;
            let message = format!("does not name `{name}`");
            self.require(has_word(row.full_source, name), Rule::RelevantImports, chunk, &message);
        }
    }

    fn determinism(&mut self, again: &FileFacts) {
        // Of two extractions near the limit of time, one may be stopped.
        let is_stopped = |facts: &FileFacts| {
            facts.diagnostics.iter().any(|it| [TOO_SLOW, TOO_SLOW_DOCUMENT].contains(&&*it.message))
        };
        if self.facts != again && is_stopped(self.facts) == is_stopped(again) {
            self.report(Rule::Determinism, 1, "a second extraction gives other facts");
        }
        let mut seen = FxHashSet::default();
        for chunk in self.facts.chunks.ids() {
            let is_new = seen.insert(&self.row(chunk).id);
            self.require(is_new, Rule::Determinism, chunk, "shares its id with another chunk");
        }
    }
}

/// True if `text` contains `word` without a word character before or after it. A digit before it is allowed, because
/// broken text may have one directly before a name.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    let is_word = |c: char| is_letter(c) || c.is_numeric();
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_word))
}

#[cfg(all(test, feature = "all-languages", feature = "documents"))]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_word_boundaries() {
        assert!(has_word("a.join(b)", "join"));
        assert!(!has_word("joined, rejoin, join_all", "join"));
        assert!(!has_word("a", ""));
    }
}
