//! Required and allowed contents of a snapshot, computed in a different way than the snapshot: by names, from the facts
//! of its text.

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::{
    ChunkId, DetailLevel, FileFacts, FileId, Head, LocalSymbol, Project, Relation, Span, Symbol, SymbolKind,
};
use sscg_graph::{CodeGraph, Direction, Node};
use sscg_parse::extract;

/// A file and a set of targets in it.
pub(super) struct Case<'a> {
    pub(super) project: &'a Project,
    pub(super) graph: &'a CodeGraph,
    pub(super) file: FileId,
    pub(super) source: &'a str,
    pub(super) targets: &'a [(ChunkId, DetailLevel)],
}

impl Case<'_> {
    /// Returns the problems of a text as the snapshot of the targets, each with its kind before a colon.
    pub(super) fn problems(&self, text: &str) -> Vec<String> {
        let entry = &self.project.files()[self.file];
        let facts: &FileFacts = &entry.facts;
        let shown = extract(&entry.path, text).expect("only source files are looked at");
        let mut problems = Vec::new();
        // The grammar does not support empty type parameter lists, which may occur in a macro.
        let is_known =
            |line: u32| text.lines().nth(line as usize - 1).is_some_and(|line| line.contains("<>"));
        let wrong: Vec<_> = shown.diagnostics.iter().filter(|wrong| !is_known(wrong.line)).collect();
        if wrong.len() > facts.diagnostics.len() {
            let first = wrong[0];
            problems.push(format!("does not parse: line {}: {}", first.line, first.message));
        }
        if !facts.diagnostics.is_empty() {
            // The declarations of code with syntax errors depend on the surrounding code.
            return problems;
        }
        let held = counted(&shown);
        let all = counted(facts);
        for (name, count) in &held {
            if all.get(name).is_some_and(|known| known < count) {
                problems.push(format!("duplicate: {name}"));
            }
        }
        let (must, may) = (self.needed(facts, false), self.allowed(facts));
        for symbol in must {
            let name = facts.qualified_name(symbol);
            // A declared function may appear as an import if its origin is not shown.
            let is_imported = shown.imports.iter().any(|import| *import.local == *name);
            // A macro makes nothing of the shown text, which elides its rules.
            let is_made = is_made(&facts.symbols[symbol], self.source);
            if !held.contains_key(&name) && !is_imported && !is_made {
                problems.push(format!("missing: {name}"));
            }
        }
        let may: BTreeSet<String> = may.into_iter().map(|symbol| facts.qualified_name(symbol)).collect();
        let is_asked = |symbol| may.contains(&shown.qualified_name(symbol));
        // The first assignment to a name depends on which other code of the file is shown.
        let asked: Vec<Span> =
            shown.symbols.ids().filter(|id| is_asked(*id)).map(|id| shown.symbols[id].span).collect();
        for (symbol, declaration) in shown.symbols.iter_enumerated().filter(|(id, _)| !is_asked(*id)) {
            let is_assigned = declaration.body.is_none()
                && asked.iter().any(|other| is_one_statement(text, *other, declaration.span));
            if !is_assigned && !self.is_in_target(declaration.span.text(text)) {
                problems.push(format!("not referred to: {}", shown.qualified_name(symbol)));
            }
        }
        self.check_imports(facts, &shown, &mut problems);
        problems
    }

    /// Checks that the imports used by fully shown targets are present, and that the text uses every import.
    fn check_imports(&self, facts: &FileFacts, shown: &FileFacts, problems: &mut Vec<String>) {
        let full = self.symbols_in_targets(facts, true);
        let held: BTreeSet<&str> = shown.imports.iter().map(|import| &*import.local).collect();
        for reference in &facts.references {
            if let Head::Import(import) = reference.target.head
                && reference.from.is_some_and(|from| full.contains(&from))
            {
                let import = &facts.imports[import];
                if !held.contains(&*import.local) {
                    problems.push(format!("import missing: {}", import.local));
                }
            }
        }
        let in_target =
            |span: Span| self.targets.iter().any(|(chunk, _)| self.project.chunk(*chunk).span.contains(span));
        let own: BTreeSet<&str> = facts
            .imports
            .iter()
            .filter(|import| in_target(import.span))
            .map(|import| &*import.local)
            .collect();
        let used: BTreeSet<&str> =
            shown.references.iter().map(|reference| reference.target.path[0].trim_end_matches('!')).collect();
        for import in shown.imports.iter().filter(|import| !import.local.is_empty()) {
            if !used.contains(&*import.local) && !own.contains(&*import.local) {
                problems.push(format!("import not used: {}", import.local));
            }
        }
    }

    /// True if a text occurs in a target.
    fn is_in_target(&self, text: &str) -> bool {
        let mut targets = self.targets.iter().map(|(chunk, _)| self.project.chunk(*chunk).span);
        targets.any(|span| span.text(self.source).contains(text))
    }

    /// Returns the declarations in targets: only in those shown in full, or in any but those shown by name.
    fn symbols_in_targets(&self, facts: &FileFacts, full_only: bool) -> BTreeSet<LocalSymbol> {
        let is_asked = |shown: DetailLevel| match shown {
            DetailLevel::Full | DetailLevel::WithoutComments => true,
            DetailLevel::Collapsed | DetailLevel::Signature => !full_only,
            DetailLevel::Name => false,
        };
        let targets = self.targets.iter().filter(|(_, shown)| is_asked(*shown));
        let spans: Vec<Span> = targets.map(|(chunk, _)| self.project.chunk(*chunk).span).collect();
        let inside = |symbol: &Symbol| spans.iter().any(|span| span.contains(symbol.span));
        facts.symbols.iter_enumerated().filter(|(_, symbol)| inside(symbol)).map(|(id, _)| id).collect()
    }

    /// Returns the declarations that targets refer to: only targets shown in full, or any.
    fn needed(&self, facts: &FileFacts, of_any: bool) -> BTreeSet<LocalSymbol> {
        let sources = self.symbols_in_targets(facts, !of_any);
        let mut needed = BTreeSet::new();
        for reference in &facts.references {
            if let (Some(from), Head::Symbol(symbol)) = (reference.from, &reference.target.head)
                && sources.contains(&from)
            {
                needed.insert(*symbol);
            }
        }
        for symbol in &sources {
            let lines = facts.symbols[*symbol].lines;
            let node = Node::Symbol(self.project.symbol_id(self.file, *symbol));
            needed.extend(self.edges_said(node, |line| lines.contains(line)));
        }
        for (chunk, shown) in self.targets {
            let chunk = self.project.chunk(*chunk);
            let is_asked = of_any || matches!(shown, DetailLevel::Full | DetailLevel::WithoutComments);
            if chunk.symbol.is_none() && is_asked {
                needed.extend(self.edges_said(Node::File(self.file), |line| chunk.lines.contains(line)));
                let at_root = facts.references.iter().filter(|reference| {
                    of_any && reference.from.is_none() && chunk.lines.contains(reference.line)
                });
                needed.extend(at_root.filter_map(|reference| match reference.target.head {
                    Head::Symbol(symbol) => Some(symbol),
                    _ => None,
                }));
            }
        }
        needed
    }

    /// Returns the declarations of the file that are targets of edges from some lines of a node's code.
    fn edges_said(&self, node: Node, is_said: impl Fn(u32) -> bool) -> Vec<LocalSymbol> {
        let edges = self.graph.edges_at(self.graph.id(node), Direction::Outgoing);
        let said = edges.filter(|edge| {
            is_said(edge.line) && edge.relation != Relation::Overrides && !edge.relation.is_containment()
        });
        let targets = said.filter_map(|edge| match self.graph.node(edge.target) {
            Node::Symbol(target) => Some(self.project.local_symbol(target)),
            _ => None,
        });
        targets.filter(|(file, _)| *file == self.file).map(|(_, local)| local).collect()
    }

    /// Returns the declarations that may be shown: targets, their references, enclosing declarations, and declarations
    /// that cannot be separated from these.
    fn allowed(&self, facts: &FileFacts) -> BTreeSet<LocalSymbol> {
        let mut allowed = self.symbols_in_targets(facts, false);
        let needed = self.needed(facts, true);
        for needed_symbol in &needed {
            let declaration = &facts.symbols[*needed_symbol];
            let whole = declaration.parent.filter(|_| declaration.kind == SymbolKind::EnumMember);
            let symbol = whole.unwrap_or(*needed_symbol);
            let kind = facts.symbols[symbol].kind;
            allowed.extend([symbol, *needed_symbol]);
            let is_short_type = kind.is_type() && facts.symbols[symbol].lines.count() <= 12;
            if is_short_type || !kind.is_callable() && !kind.has_members() {
                allowed.extend(facts.descendants(symbol));
            }
        }
        let around = |inner: Span| {
            let symbols = facts.symbols.iter_enumerated();
            symbols.filter(move |(_, outer)| outer.span.contains(inner)).map(|(id, _)| id)
        };
        let outer: BTreeSet<LocalSymbol> =
            allowed.iter().flat_map(|symbol| around(facts.symbols[*symbol].span)).collect();
        for symbol in &outer {
            let declaration = &facts.symbols[*symbol];
            if !self.can_be_taken_apart(declaration) {
                allowed.extend(facts.descendants(*symbol));
            } else if let Some(body) = declaration.body {
                // Declarations in a head, such as the fields of a constructor's parameters.
                let head = Span::new(declaration.span.start, body.start);
                let inside = facts.symbols.iter_enumerated();
                allowed.extend(inside.filter(|(_, it)| head.contains(it.span)).map(|(id, _)| id));
            }
        }
        allowed.extend(outer);
        // All names of one statement are shown together.
        let lines: BTreeSet<u32> = allowed
            .iter()
            .map(|symbol| &facts.symbols[*symbol])
            .filter(|symbol| symbol.body.is_none() || facts.chunks[symbol.chunk].symbol.is_none())
            .flat_map(|symbol| symbol.lines.start..=symbol.lines.end)
            .collect();
        let shared = facts.symbols.iter_enumerated().filter(|(_, symbol)| {
            let chunk = &facts.chunks[symbol.chunk];
            let statement = if chunk.symbol.is_none() { chunk.lines } else { symbol.lines };
            let is_part = symbol.body.is_none() || chunk.symbol.is_none();
            (statement.start..=statement.end).any(|line| lines.contains(&line)) && is_part
        });
        allowed.extend(shared.map(|(id, _)| id).collect::<Vec<_>>());
        allowed
    }

    /// True if the head of a declaration can be shown without its body.
    fn can_be_taken_apart(&self, declaration: &Symbol) -> bool {
        let Some(body) = declaration.body else { return false };
        let text = body.text(self.source);
        let before = self.source[..body.start as usize].trim_end_matches(' ');
        text.starts_with('{') && text.ends_with('}') || before.ends_with(['\n', '>'])
    }
}

/// True if a macro of Rust makes a declaration, whose text is the invocation, after comments and attributes of one line.
fn is_made(symbol: &Symbol, source: &str) -> bool {
    let mut lines = symbol.span.text(source).lines().map(str::trim);
    let code = lines.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#["));
    let invocation = code.and_then(|code| code.split_once('!')).is_some_and(|(name, rest)| {
        name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
            && rest.trim_start().starts_with(['(', '[', '{'])
    });
    invocation && symbol.body.is_none() && symbol.kind != SymbolKind::Macro
}

/// True if only assignment targets are between two declarations, or no line ends there.
fn is_one_statement(text: &str, a: Span, b: Span) -> bool {
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    let between = Span::new(first.end.min(second.start), second.start).text(text);
    let is_target = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_.,=()[]".contains(c);
    !between.contains('\n') || between.contains(',') && between.chars().all(is_target)
}

/// Counts the declarations of each qualified name.
fn counted(facts: &FileFacts) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for symbol in facts.symbols.ids() {
        *counts.entry(facts.qualified_name(symbol)).or_default() += 1;
    }
    counts
}
