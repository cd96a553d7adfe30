//! Index of a project and its graph.

use std::collections::BTreeSet;
use std::ops::Range;

use protobuf::{Enum, EnumFull, Message, MessageField};
use rustc_hash::{FxHashMap, FxHashSet};
use scip::types::{
    Document, Index, Language, Metadata, Occurrence, PositionEncoding, Relationship, Signature,
    SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};
use sscg_core::{Confidence, FileId, Head, Project, Reference, Relation, Span, SymbolId, SymbolKind};
use sscg_graph::{CodeGraph, Direction, Edge, Encoding, Node, TextPositions};

use crate::symbol::{Symbols, external, kind};
use crate::{SourceText, Texts};

/// Options for writing an index.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// URI of the project's root, which readers use to find the files; empty by default.
    pub project_root: String,
}

impl WriteOptions {
    /// Sets the URI of the project's root.
    pub fn with_project_root(mut self, uri: impl Into<String>) -> Self {
        self.project_root = uri.into();
        self
    }
}

/// Returns an index with a document for each file whose text is known: its declarations with their ranges, kinds,
/// signatures and documentation, and the names that refer to declarations. Types that a type extends or implements, and
/// members that a member overrides, are relationships.
///
/// Edges that are [ambiguous](Confidence::Ambiguous) are left out, since the format has no candidates, and so are edges
/// that no name on their line refers to, such as calls of the functions that a variable holds. The same project and graph
/// give the same bytes. O(bytes of the texts + edges).
///
/// # Panics
/// Panics if the graph is not of the project.
pub fn write(project: &Project, graph: &CodeGraph, texts: &Texts<'_>, options: &WriteOptions) -> Vec<u8> {
    assert!(graph.fits(project), "the graph belongs to the project");
    let symbols = Symbols::new(project);
    let mut externals: BTreeSet<u32> = BTreeSet::new();
    let mut index = Index { metadata: MessageField::some(metadata(options)), ..Index::default() };
    for file in project.files().ids() {
        if let Some(SourceText { text, .. }) = texts(file) {
            let lines = TextPositions::new(&text, Encoding::Utf8);
            let mut writer = Writer {
                project,
                graph,
                symbols: &symbols,
                file,
                text: &text,
                lines,
                definitions: FxHashSet::default(),
                externals: &mut externals,
            };
            index.documents.push(writer.document());
        }
    }
    index.external_symbols = externals
        .into_iter()
        .map(|at| {
            let outside = &graph.externals()[at as usize];
            SymbolInformation {
                symbol: external(outside),
                display_name: outside.name.to_string(),
                ..SymbolInformation::default()
            }
        })
        .collect();
    index.write_to_bytes().expect("all fields of the messages are set")
}

fn metadata(options: &WriteOptions) -> Metadata {
    let tool = ToolInfo {
        name: "sscg".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..ToolInfo::default()
    };
    Metadata {
        tool_info: MessageField::some(tool),
        project_root: options.project_root.clone(),
        text_document_encoding: TextEncoding::UTF8.into(),
        ..Metadata::default()
    }
}

/// Returns the name of a language in the list of the format, or else its own.
fn language(name: &str) -> String {
    let known = Language::VALUES.iter().map(|language| language.descriptor().name().to_owned());
    known.into_iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or_else(|| name.to_owned())
}

/// Writer of one document.
struct Writer<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    symbols: &'a Symbols,
    file: FileId,
    text: &'a str,
    lines: TextPositions<'a>,
    /// Ranges of the names that declarations have.
    definitions: FxHashSet<Vec<i32>>,
    /// External symbols in use.
    externals: &'a mut BTreeSet<u32>,
}

impl Writer<'_> {
    fn document(&mut self) -> Document {
        let file = &self.project.files()[self.file];
        let mut document = Document {
            relative_path: file.path.to_string(),
            language: language(file.language.name),
            position_encoding: PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
            ..Document::default()
        };
        let whole = self.symbols.file(self.file).to_owned();
        document.occurrences.push(Occurrence {
            range: vec![0, 0, 0],
            symbol: whole.clone(),
            symbol_roles: SymbolRole::Definition.value(),
            enclosing_range: self.range(Span::new(0, self.text.len() as u32)),
            ..Occurrence::default()
        });
        document.symbols.push(SymbolInformation {
            symbol: whole,
            display_name: file.path.to_string(),
            documentation: file.facts.doc.iter().map(|doc| doc.to_string()).collect(),
            kind: scip::types::symbol_information::Kind::File.into(),
            ..SymbolInformation::default()
        });
        let mut described: FxHashMap<String, usize> = FxHashMap::default();
        for symbol in self.project.symbols_of(self.file) {
            self.declare(symbol, &mut document, &mut described);
        }
        self.definitions = document.occurrences.iter().map(|it| it.range.clone()).collect();
        self.refer(&mut document);
        document.occurrences.sort_by(|a, b| (&a.range, &a.symbol).cmp(&(&b.range, &b.symbol)));
        document.occurrences.dedup_by(|b, a| {
            let is_same = (&a.range, &a.symbol) == (&b.range, &b.symbol);
            if is_same {
                a.symbol_roles |= b.symbol_roles;
            }
            is_same
        });
        document
    }

    /// Adds the definition of a declaration, with its description.
    fn declare(&self, symbol: SymbolId, document: &mut Document, described: &mut FxHashMap<String, usize>) {
        let declaration = self.project.symbol(symbol);
        if declaration.kind == SymbolKind::Impl {
            // It declares nothing; its name is a reference to the type.
            return;
        }
        let id = self.symbols.symbol(symbol).to_owned();
        let tokens = self.lines.tokens(declaration.name_line - 1, &declaration.name);
        let whole = declaration.span.start as usize..declaration.span.end as usize;
        if let Some(name) = tokens.iter().find(|token| whole.start <= token.start && token.end <= whole.end) {
            document.occurrences.push(Occurrence {
                range: self.byte_range(name),
                symbol: id.clone(),
                symbol_roles: SymbolRole::Definition.value(),
                enclosing_range: self.range(declaration.span),
                ..Occurrence::default()
            });
        }
        let relationships = self.relationships(symbol);
        if let Some(at) = described.get(&id) {
            let known = &mut document.symbols[*at].relationships;
            known.extend(relationships);
            known.sort_by(|a, b| a.symbol.cmp(&b.symbol));
            known.dedup_by(|b, a| a.symbol == b.symbol);
            return;
        }
        described.insert(id.clone(), document.symbols.len());
        let signature = Signature {
            language: document.language.clone(),
            text: declaration.signature.to_string(),
            ..Signature::default()
        };
        document.symbols.push(SymbolInformation {
            symbol: id,
            display_name: declaration.name.to_string(),
            documentation: declaration.doc.iter().map(|doc| doc.to_string()).collect(),
            kind: kind(declaration.kind).into(),
            signature_documentation: MessageField::some(signature),
            relationships,
            ..SymbolInformation::default()
        });
    }

    /// Returns the declarations that a declaration implements, extends or overrides.
    fn relationships(&self, symbol: SymbolId) -> Vec<Relationship> {
        let edges = self.graph.edges_at(self.graph.id(Node::Symbol(symbol)), Direction::Outgoing);
        let mut found: Vec<Relationship> = edges
            .filter(|edge| edge.confidence > Confidence::Ambiguous)
            .filter(|edge| {
                matches!(edge.relation, Relation::Implements | Relation::Inherits | Relation::Overrides)
            })
            .filter_map(|edge| {
                Some(Relationship {
                    symbol: self.symbols.symbol(self.graph.node(edge.target).symbol()?).to_owned(),
                    is_implementation: true,
                    // References of an overridden member may run the one that overrides it.
                    is_reference: edge.relation == Relation::Overrides,
                    ..Relationship::default()
                })
            })
            .collect();
        found.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        found.dedup_by(|b, a| a.symbol == b.symbol);
        found
    }

    /// Adds the names that refer to declarations.
    fn refer(&mut self, document: &mut Document) {
        let (project, graph) = (self.project, self.graph);
        let sources =
            [graph.id(Node::File(self.file))].into_iter().chain(graph.nodes_in_file(project, self.file));
        let edges = sources.flat_map(|node| graph.sites_at(node, Direction::Outgoing));
        let is_use = |edge: &Edge| {
            !edge.relation.is_containment()
                && edge.relation != Relation::Overrides
                && edge.confidence > Confidence::Ambiguous
        };
        let edges: Vec<Edge> = edges.filter(is_use).collect();
        for edge in edges {
            let symbol = match graph.node(edge.target) {
                Node::File(file) => self.symbols.file(file).to_owned(),
                Node::Symbol(symbol) => self.symbols.symbol(symbol).to_owned(),
                Node::External(at) => external(&graph.externals()[at as usize]),
            };
            let tokens = self.tokens(&edge);
            if let (Node::External(at), false) = (graph.node(edge.target), tokens.is_empty()) {
                self.externals.insert(at);
            }
            document.occurrences.extend(tokens.into_iter().map(|range| Occurrence {
                range,
                symbol: symbol.clone(),
                symbol_roles: roles(edge.relation),
                ..Occurrence::default()
            }));
        }
    }

    /// Returns the ranges of the name that makes an edge, on its line.
    fn tokens(&self, edge: &Edge) -> Vec<Vec<i32>> {
        let facts = &self.project.files()[self.file].facts;
        let Some(line) = edge.line.checked_sub(1) else { return Vec::new() };
        for name in self.names(edge) {
            let mut tokens = self.lines.tokens(line, &name);
            if tokens.is_empty() {
                continue;
            }
            // An assignment may both declare and refer, other declarations do not.
            let is_reference = |it: &Range<usize>| !self.definitions.contains(&self.byte_range(it));
            if tokens.iter().any(is_reference) && edge.relation != Relation::AssignsTo {
                tokens.retain(is_reference);
            }
            let referring =
                facts.references.iter().filter(|it| it.line == edge.line && it.target.name() == name);
            let forms: Vec<Form> = referring.map(Form::of).collect();
            let is_in_form = |form: &Form| {
                let is_member = |start: usize| self.text[..start].ends_with(['.', ':', '>']);
                tokens
                    .iter()
                    .filter(|it| is_member(it.start) == (*form == Form::Member))
                    .cloned()
                    .collect::<Vec<_>>()
            };
            let mut chosen: Vec<_> = forms.iter().flat_map(is_in_form).collect();
            if chosen.is_empty() {
                chosen = tokens;
            }
            chosen.sort_by_key(|token| token.start);
            chosen.dedup();
            let count = forms.len().max(1);
            return chosen.into_iter().take(count).map(|it| self.byte_range(&it)).collect();
        }
        Vec::new()
    }

    /// Returns the names by which the code may refer to the target of an edge, most likely first.
    fn names(&self, edge: &Edge) -> Vec<String> {
        let (project, graph) = (self.project, self.graph);
        let facts = &project.files()[self.file].facts;
        let declared = match graph.node(edge.target) {
            Node::Symbol(symbol) => {
                let is_constructor = project.symbol_kind(symbol) == SymbolKind::Constructor;
                let named = project.parent(symbol).filter(|_| is_constructor).unwrap_or(symbol);
                project.symbol_name(named).to_owned()
            }
            Node::External(at) => {
                let name = &graph.externals()[at as usize].name;
                name.rsplit(['.', ':', '/']).next().unwrap_or(name).to_owned()
            }
            Node::File(file) => {
                let path = &project.files()[file].path;
                let name = path.rsplit('/').next().unwrap_or(path);
                name.split('.').next().unwrap_or(name).to_owned()
            }
        };
        let bound = facts.imports.iter().filter(|import| {
            *import.name == *declared || import.line == edge.line && edge.relation == Relation::Imports
        });
        let bound = bound.map(|import| import.local.to_string()).filter(|local| *local != declared);
        let modules =
            facts.imports.iter().filter(|import| import.line == edge.line && import.name.is_empty());
        let modules = modules.filter_map(|it| it.module.rsplit(['.', ':', '/']).next().map(str::to_owned));
        let aliases: Vec<String> = bound.chain(modules).collect();
        [declared].into_iter().chain(aliases).collect()
    }

    fn byte_range(&self, bytes: &Range<usize>) -> Vec<i32> {
        self.range(Span::new(bytes.start as u32, bytes.end as u32))
    }

    /// Returns a span as a range of the format.
    fn range(&self, span: Span) -> Vec<i32> {
        let [start, end] = [span.start, span.end].map(|byte| self.lines.position(byte as usize));
        let [first, from, last, to] =
            [start.line, start.character, end.line, end.character].map(|it| it as i32);
        if first == last { vec![first, from, to] } else { vec![first, from, last, to] }
    }
}

/// Form in which a reference is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Bare name.
    Bare,
    /// After a value or path.
    Member,
}

impl Form {
    fn of(reference: &Reference) -> Self {
        let is_member = reference.target.path.len() > 1 || matches!(reference.target.head, Head::Value(_));
        if is_member { Self::Member } else { Self::Bare }
    }
}

/// Returns the roles of a name in an edge with a relation.
fn roles(relation: Relation) -> i32 {
    match relation {
        Relation::Imports => SymbolRole::Import.value(),
        Relation::AssignsTo => SymbolRole::WriteAccess.value(),
        Relation::ReadsFrom | Relation::UsesConstant | Relation::UsesGlobal => SymbolRole::ReadAccess.value(),
        _ => SymbolRole::UnspecifiedSymbolRole.value(),
    }
}
