//! Collects one file's facts during a walk over its tree.

use std::cell::Cell;

use sscg_core::{
    ChunkKind, Diagnostic, Export, FileFacts, Head, Id, Import, LineIndex, LineRange, LocalChunk,
    LocalImport, LocalSymbol, Modifiers, NameRef, Reference, Relation, Span, Symbol, SymbolKind,
    TypeParameter,
};

use crate::chunk;
use crate::text::one_line;

/// A declaration as a frontend reports it; the rest of [`Symbol`] is derived.
pub(crate) struct Declaration<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: SymbolKind,
    pub(crate) parent: Option<LocalSymbol>,
    /// All of it, with attached comments, attributes and decorators.
    pub(crate) span: Span,
    /// Where the name stands.
    pub(crate) name_at: u32,
    /// What a stub leaves out.
    pub(crate) body: Option<Span>,
    /// The part of the text that is the signature; put on one line.
    pub(crate) signature: &'a str,
    pub(crate) doc: Option<String>,
    pub(crate) exported: bool,
    pub(crate) modifiers: Modifiers,
    pub(crate) type_parameters: Vec<TypeParameter>,
    /// The attributes and decorators on it.
    pub(crate) attributes: Vec<Span>,
}

/// A root item that is no declaration.
pub(crate) struct RootItem {
    pub(crate) kind: ChunkKind,
    pub(crate) span: Span,
    pub(crate) name: String,
}

/// The facts of a file in the making.
pub(crate) struct FactsBuilder<'s> {
    source: &'s str,
    lines: LineIndex,
    /// The line that was asked for last: a walk asks for one close to it next.
    last_line: Cell<u32>,
    facts: FileFacts,
    roots: Vec<RootItem>,
    /// Where each reference stands, beside `facts.references`.
    offsets: Vec<u32>,
}

impl<'s> FactsBuilder<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let lines = LineIndex::new(source);
        let facts = FileFacts { lines: lines.line_count(), ..FileFacts::default() };
        Self { source, lines, last_line: Cell::new(1), facts, roots: Vec::new(), offsets: Vec::new() }
    }

    pub(crate) fn source(&self) -> &'s str {
        self.source
    }

    pub(crate) fn line(&self, offset: u32) -> u32 {
        let line = self.lines.line_near(offset, self.last_line.get());
        self.last_line.set(line);
        line
    }

    /// Adds a declaration. Call it in source order, parents before children.
    pub(crate) fn declare(&mut self, declaration: Declaration<'_>) -> LocalSymbol {
        let Declaration { name, kind, parent, span, name_at, body, signature, doc, .. } = declaration;
        let span = self.without_line_end(span);
        self.facts.symbols.push(Symbol {
            name: name.into(),
            kind,
            parent,
            span,
            lines: LineRange {
                start: self.line(span.start),
                end: self.lines.line(span.end.max(span.start + 1) - 1),
            },
            name_line: self.line(name_at),
            body,
            signature: one_line(signature).into(),
            doc: doc.filter(|doc| !doc.is_empty()).map(Into::into),
            exported: declaration.exported,
            modifiers: declaration.modifiers,
            type_parameters: declaration.type_parameters.into(),
            attributes: declaration.attributes.into(),
            ty: None,
            chunk: LocalChunk::new(0),
        })
    }

    /// Says what type a declared symbol has; see [`Symbol::ty`].
    pub(crate) fn set_type(&mut self, symbol: LocalSymbol, ty: NameRef) {
        self.facts.symbols[symbol].ty = Some(ty);
    }

    /// How many declarations there are so far: the number of the next one.
    pub(crate) fn symbol_count(&self) -> LocalSymbol {
        LocalSymbol::new(self.facts.symbols.len())
    }

    pub(crate) fn symbol(&self, symbol: LocalSymbol) -> &Symbol {
        &self.facts.symbols[symbol]
    }

    /// A symbol that was declared before, to amend what was learned later (an `export` list, say).
    pub(crate) fn symbol_mut(&mut self, symbol: LocalSymbol) -> &mut Symbol {
        &mut self.facts.symbols[symbol]
    }

    /// Adds a name under which other files see a declaration.
    pub(crate) fn export(&mut self, export: Export) {
        self.facts.exports.push(export);
    }

    pub(crate) fn import(&mut self, import: Import) -> LocalImport {
        self.facts.imports.push(import)
    }

    /// Makes room for references.
    pub(crate) fn expect_references(&mut self, count: usize) {
        self.facts.references.reserve(count);
        self.offsets.reserve(count);
    }

    /// Adds a use of a name; `at` is the offset of its last segment. See [`Reference::arguments`].
    pub(crate) fn reference(
        &mut self,
        relation: Relation,
        from: Option<LocalSymbol>,
        target: NameRef,
        at: u32,
        arguments: Option<u8>,
    ) {
        let line = self.line(at);
        self.facts.references.push(Reference { relation, from, target, line, arguments });
        self.offsets.push(at);
    }

    /// Adds a statement, import or comment that stands at the file's root. Declarations inside it become its
    /// children; items inside it are part of it. The kind of a symbol is for a statement that declares several
    /// names, which share its chunk.
    pub(crate) fn root(&mut self, kind: ChunkKind, span: Span, name: impl Into<String>) {
        let span = self.without_line_end(span);
        self.roots.push(RootItem { kind, span, name: name.into() });
    }

    /// Some grammars let a node reach over the end of its last line.
    fn without_line_end(&self, span: Span) -> Span {
        let text = span.text(self.source);
        let kept = if text.ends_with('\n') { text.trim_end().len() } else { text.len() };
        Span::new(span.start, span.start + kept as u32)
    }

    /// Sets the description of the whole file.
    pub(crate) fn file_doc(&mut self, doc: String) {
        self.facts.doc = Some(doc).filter(|doc| !doc.is_empty()).map(Into::into);
    }

    /// Notes what is wrong with the text at an offset.
    pub(crate) fn diagnostic(&mut self, at: u32, message: impl Into<Box<str>>) {
        self.facts.diagnostics.push(Diagnostic { line: self.lines.line(at), message: message.into() });
    }

    /// Cuts the chunks and returns the facts.
    pub(crate) fn finish(mut self) -> FileFacts {
        self.sort_references();
        chunk::cut(&mut self.facts, self.source, &self.lines, self.roots);
        chunk::assign_imports(&mut self.facts, &self.offsets);
        self.facts
    }

    fn sort_references(&mut self) {
        if self.offsets.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.offsets.len() as u32).collect();
        order.sort_by_key(|&at| self.offsets[at as usize]);
        let mut references: Vec<Option<Reference>> =
            std::mem::take(&mut self.facts.references).into_iter().map(Some).collect();
        self.facts.references = order
            .iter()
            .map(|&at| references[at as usize].take().expect("an order names each reference once"))
            .collect();
        self.offsets = order.iter().map(|&at| self.offsets[at as usize]).collect();
    }
}

/// The import a name starts at, if it starts at one.
pub(crate) fn head_import(name: &NameRef) -> Option<LocalImport> {
    match name.head {
        Head::Import(import) => Some(import),
        _ => None,
    }
}
