//! Collects the facts of one file during a walk over its syntax tree.

use std::cell::Cell;

use sscg_core::{
    Bound, CallForm, ChunkKind, Diagnostic, Export, FileFacts, Flow, Id, Import, ImportKind, LineIndex,
    LineRange, LocalCall, LocalChunk, LocalImport, LocalSymbol, Modifiers, NameRef, Reference, Relation,
    Span, Symbol, SymbolKind, TypeHint, TypeParameter,
};

use crate::chunk::{self, RootItem};
use crate::text::{headline, is_blank, one_line};

/// Declaration as reported by a frontend; the rest of [`Symbol`] is derived.
pub(crate) struct Declaration<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: SymbolKind,
    pub(crate) parent: Option<LocalSymbol>,
    /// Whole declaration, with attached comments, attributes and decorators.
    pub(crate) span: Span,
    /// Byte offset of the name.
    pub(crate) name_at: u32,
    /// Part that a stub elides.
    pub(crate) body: Option<Span>,
    /// Text of the signature, to be joined into one line.
    pub(crate) signature: &'a str,
    pub(crate) doc: Option<String>,
    pub(crate) exported: bool,
    pub(crate) modifiers: Modifiers,
    pub(crate) type_parameters: Vec<TypeParameter>,
    /// Attributes and decorators of the declaration.
    pub(crate) attributes: Vec<Span>,
}

/// Facts of a file under construction.
pub(crate) struct FactsBuilder<'s> {
    source: &'s str,
    lines: LineIndex,
    facts: FileFacts,
    roots: Vec<RootItem>,
    /// References with their byte offsets.
    references: Vec<(u32, Reference)>,
    /// Line of the last lookup. A walk goes through a file from top to bottom, so the next one is near.
    near: Cell<u32>,
}

impl<'s> FactsBuilder<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let lines = LineIndex::new(source);
        let facts = FileFacts { lines: lines.line_count(), ..FileFacts::default() };
        Self { source, lines, facts, roots: Vec::new(), references: Vec::new(), near: Cell::new(1) }
    }

    pub(crate) fn source(&self) -> &'s str {
        self.source
    }

    pub(crate) fn line(&self, offset: u32) -> u32 {
        let line = self.lines.line_near(offset, self.near.get());
        self.near.set(line);
        line
    }

    fn lines(&self, span: Span) -> LineRange {
        let start = self.line(span.start);
        let end = if span.is_empty() { start } else { self.lines.line_near(span.end - 1, start) };
        LineRange { start, end }
    }

    /// Adds a declaration. Must be called in source order, parents before children.
    pub(crate) fn declare(&mut self, declaration: Declaration<'_>) -> LocalSymbol {
        let Declaration { name, kind, parent, span, name_at, body, signature, doc, .. } = declaration;
        let span = self.trimmed(span);
        self.facts.symbols.push(Symbol {
            name: name.into(),
            kind,
            parent,
            receiver: None,
            span,
            lines: self.lines(span),
            name_line: self.line(name_at),
            // An unclosed body extends to the end of the text.
            body: body.map(|body| Span::new(body.start, body.end.min(span.end))),
            signature: one_line(signature).into(),
            doc: doc.filter(|doc| !doc.is_empty()).map(Into::into),
            exported: declaration.exported,
            modifiers: declaration.modifiers,
            type_parameters: declaration.type_parameters.into(),
            attributes: declaration.attributes.into(),
            condition: None,
            ty: None,
            bounds: Box::default(),
            parameters: Box::default(),
            parameter_names: Box::default(),
            required_parameters: 0,
            chunk: LocalChunk::new(0),
        })
    }

    /// Sets the type of a symbol; see [`Symbol::ty`].
    pub(crate) fn set_type(&mut self, symbol: LocalSymbol, ty: impl Into<TypeHint>) {
        self.facts.symbols[symbol].ty = Some(ty.into());
    }

    /// Sets the type that a symbol declared outside of it belongs to; see [`Symbol::receiver`].
    pub(crate) fn set_receiver(&mut self, symbol: LocalSymbol, receiver: NameRef) {
        self.facts.symbols[symbol].receiver = Some(receiver);
    }

    /// Sets the package that the file declares; see [`FileFacts::package`].
    pub(crate) fn set_package(&mut self, package: impl Into<Box<str>>) {
        self.facts.package = Some(package.into());
    }

    /// Sets the build condition of a symbol; see [`Symbol::condition`].
    pub(crate) fn set_condition(&mut self, symbol: LocalSymbol, condition: Option<String>) {
        self.facts.symbols[symbol].condition = condition.map(Into::into);
    }

    /// Sets the bounds on the type parameters of a symbol; see [`Symbol::bounds`].
    pub(crate) fn set_bounds(&mut self, symbol: LocalSymbol, bounds: impl IntoIterator<Item = Bound>) {
        self.facts.symbols[symbol].bounds = bounds.into_iter().collect();
    }

    /// Returns the number of declarations so far, which is the id of the next one.
    pub(crate) fn symbol_count(&self) -> LocalSymbol {
        LocalSymbol::new(self.facts.symbols.len())
    }

    pub(crate) fn symbol(&self, symbol: LocalSymbol) -> &Symbol {
        &self.facts.symbols[symbol]
    }

    /// Returns a symbol for changes by later statements (an `export` list, for example).
    pub(crate) fn symbol_mut(&mut self, symbol: LocalSymbol) -> &mut Symbol {
        &mut self.facts.symbols[symbol]
    }

    /// Returns the ids of the declarations so far.
    pub(crate) fn symbol_ids(&self) -> impl Iterator<Item = LocalSymbol> + use<'s> {
        (0..self.facts.symbols.len()).map(LocalSymbol::new)
    }

    /// Extends a declaration to `end`, because the text after it documents it.
    pub(crate) fn describe(&mut self, symbol: LocalSymbol, end: u32, doc: String) {
        let last = self.lines.line(end);
        let declaration = &mut self.facts.symbols[symbol];
        declaration.span.end = end;
        declaration.lines.end = last;
        if declaration.doc.is_none() && !doc.is_empty() {
            declaration.doc = Some(doc.into());
        }
    }

    /// Adds the name under which a declaration is visible to other files.
    pub(crate) fn export(&mut self, export: Export) {
        self.facts.exports.push(export);
    }

    pub(crate) fn import(&mut self, import: Import) -> LocalImport {
        self.facts.imports.push(import)
    }

    /// True if there is a glob import so far.
    pub(crate) fn has_globs(&self) -> bool {
        self.facts.imports.iter().any(|import| import.kind == ImportKind::Glob)
    }

    /// Adds a reference; `at` is the offset of its last segment. See [`Reference::arguments`].
    pub(crate) fn reference(
        &mut self,
        relation: Relation,
        from: Option<LocalSymbol>,
        target: NameRef,
        at: u32,
        arguments: Option<u8>,
    ) {
        let line = self.line(at);
        let reference = Reference {
            relation,
            from,
            target,
            line,
            arguments,
            first_argument: None,
            argument_types: Box::default(),
            type_arguments: Box::default(),
            in_macro: false,
            call: None,
        };
        self.references.push((at, reference));
    }

    /// Sets the type of the first argument of the last added reference; see [`Reference::first_argument`].
    pub(crate) fn first_argument(&mut self, hint: TypeHint) {
        if let Some((_, reference)) = self.references.last_mut() {
            reference.first_argument = Some(Box::new(hint));
        }
    }

    /// Sets the types of the arguments of the last added reference; see [`Reference::argument_types`].
    pub(crate) fn argument_types(&mut self, types: Box<[TypeHint]>) {
        if let Some((_, reference)) = self.references.last_mut() {
            reference.argument_types = types;
        }
    }

    /// Sets the type arguments of the last added reference; see [`Reference::type_arguments`].
    pub(crate) fn type_arguments(&mut self, types: Box<[TypeHint]>) {
        if let Some((_, reference)) = self.references.last_mut() {
            reference.type_arguments = types;
        }
    }

    /// Marks the last added reference as inside a macro; see [`Reference::in_macro`].
    pub(crate) fn in_macro(&mut self) {
        if let Some((_, reference)) = self.references.last_mut() {
            reference.in_macro = true;
        }
    }

    /// Sets the call in the file's flow that the last added reference belongs to. See [`Reference::call`].
    pub(crate) fn set_call(&mut self, call: LocalCall) {
        if let Some((_, reference)) = self.references.last_mut() {
            reference.call = Some(call);
        }
    }

    /// Marks a call without a reference.
    pub(crate) fn set_unnamed(&mut self, call: LocalCall) {
        let call = &mut self.facts.flow.calls[call];
        if call.form == CallForm::Referenced {
            call.form = CallForm::Unnamed;
        }
    }

    /// Sets the body facts of the file.
    pub(crate) fn set_flow(&mut self, flow: Flow) {
        self.facts.flow = flow;
    }

    /// Adds a statement, import or comment at the root of the file. Declarations inside it become its children; items
    /// inside it are part of it. A statement that declares several names, which share its chunk, has the kind of a
    /// symbol.
    pub(crate) fn root(&mut self, kind: ChunkKind, span: Span, name: impl Into<String>) {
        let span = self.trimmed(span);
        if span.is_empty() {
            return;
        }
        self.roots.push(RootItem { kind, span, name: name.into() });
    }

    /// Trims trailing white space, which some grammars include in a node.
    fn trimmed(&self, span: Span) -> Span {
        let text = span.text(self.source);
        let kept = text.trim_end_matches(is_blank).len();
        Span::new(span.start, span.start + kept as u32)
    }

    /// Sets the documentation of the whole file.
    pub(crate) fn file_doc(&mut self, doc: String) {
        self.facts.doc = Some(doc).filter(|doc| !doc.is_empty()).map(Into::into);
    }

    /// Adds a diagnostic for the text at an offset.
    pub(crate) fn diagnostic(&mut self, at: u32, message: impl Into<Box<str>>) {
        self.facts.diagnostics.push(Diagnostic { line: self.lines.line(at), message: message.into() });
    }

    /// Creates the chunks and returns the facts.
    pub(crate) fn finish(mut self) -> FileFacts {
        chunk::cut(&mut self.facts, self.source, &self.lines, self.roots);
        self.references.sort_by_key(|(at, _)| *at);
        chunk::assign_imports(&mut self.facts, &self.references);
        number_calls(&mut self.references);
        self.facts.references = self.references.into_iter().map(|(_, reference)| reference).collect();
        self.facts
    }
}

/// Replaces the offsets of calls in the hints of references by the positions of the calls. Only hints of local variables
/// and arguments refer to calls. O(references × log references).
fn number_calls(references: &mut [(u32, Reference)]) {
    let is_call =
        |reference: &Reference| matches!(reference.relation, Relation::Calls | Relation::Instantiates);
    let calls = references.iter().enumerate().filter(|(_, (_, reference))| is_call(reference));
    let calls: Vec<(u32, u32)> = calls.map(|(index, (at, _))| (*at, index as u32)).collect();
    let number = &mut |call: &mut u32| {
        let found = calls.binary_search_by_key(call, |(at, _)| *at);
        *call = found.map_or(u32::MAX, |found| calls[found].1);
    };
    references.iter_mut().for_each(|(_, reference)| reference.for_each_call(number));
}

/// Returns the facts of a text that is not parsed: its lines in blocks, and a diagnostic with the reason. O(bytes).
///
/// # Panics
/// If `source` is longer than 4 GiB.
pub fn undivided(source: &str, why: &str) -> FileFacts {
    /// Lines per block, as many as in an excerpt.
    const LINES: usize = 40;
    let mut facts = FactsBuilder::new(source);
    facts.diagnostic(0, why);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let mut start = 0;
    for block in lines.chunks(LINES) {
        let text: String = block.concat();
        let lead = text.len() - text.trim_start_matches(is_blank).len();
        let end = start + text.len();
        facts.root(
            ChunkKind::Expression,
            Span::new((start + lead) as u32, end as u32),
            headline(text.trim_start()),
        );
        start = end;
    }
    facts.finish()
}
