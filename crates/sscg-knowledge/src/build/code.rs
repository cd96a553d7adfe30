//! Services, files and symbols, and the edges that come from the code graph.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{Confidence, FileId, IndexVec, ProjectFile, Relation, SymbolId, SymbolKind};
use sscg_graph::{CodeGraph, Node};

use super::Builder;
use super::ownership::Ownership;
use crate::graph::{FileNode, InteractionSite, ServiceNode, SymbolNode, service_id, symbol_id};
use crate::{EdgeData, EdgeKind, FactEvidence, Model, NodeData, NodeIndex, Problem, Site, Source};

/// Nodes of files and symbols.
#[derive(Default)]
pub(super) struct Code {
    files: IndexVec<FileId, NodeIndex>,
    symbols: IndexVec<SymbolId, NodeIndex>,
}

impl Code {
    /// Returns the node of a symbol.
    pub(super) fn symbol(&self, symbol: SymbolId) -> NodeIndex {
        self.symbols[symbol]
    }

    /// Returns the node of the declaration at a location, or of the file if there is none.
    pub(super) fn at(&self, site: &Site) -> NodeIndex {
        site.symbol.map_or_else(|| self.files[site.file], |symbol| self.symbol(symbol))
    }
}

/// Declaration with its id.
type Declared = (Arc<str>, SymbolNode);

/// Names that one file imports from another.
struct Import {
    names: Vec<Box<str>>,
    confidence: Confidence,
    line: u32,
}

impl Builder<'_> {
    pub(super) fn add_services(&mut self, model: &Model) {
        for service in &model.services {
            if self.graph.find(&service_id(&service.name)).is_some() {
                let input = service.root.clone().unwrap_or_else(|| service.name.clone());
                let message = format!("there is another service `{}`; the first is used", service.name);
                self.problems.push(Problem::new(input, message));
                continue;
            }
            self.graph.add_node(
                ServiceNode {
                    service_name: Arc::from(&*service.name),
                    domain: service.domain.clone(),
                    description: service.description.clone(),
                    stack: service.stack.clone(),
                    estimated_loc: service.estimated_loc,
                    root: service.root.clone(),
                }
                .into(),
            );
        }
    }

    pub(super) fn add_code(&mut self, code_graph: &CodeGraph, model: &Model) {
        assert!(code_graph.fits(self.project), "the code graph is of another state of the project");
        self.graph.reserve(self.project.symbol_count() + 1024, code_graph.edges().len());
        self.add_files(model);
        self.add_symbol_edges(code_graph);
        self.add_imports(code_graph);
    }

    fn add_files(&mut self, model: &Model) {
        let ownership = Ownership::new(model, &mut self.problems);
        let project = self.project;
        let files = project.files().as_slice();
        let data: Vec<(FileNode, u32, Vec<Declared>)> = files
            .par_iter()
            .map(|file| {
                let node = FileNode {
                    file_path: Arc::from(&*file.path),
                    language: Arc::from(file.language.name),
                    service_name: ownership.service_of(&file.path).cloned().unwrap_or_default(),
                };
                let symbols = symbols(file, &node);
                (node, file.facts.lines, symbols)
            })
            .collect();
        let mut counted: FxHashMap<NodeIndex, u32> = FxHashMap::default();
        for (node, lines, symbols) in data {
            let service = self.graph.find(&service_id(&node.service_name));
            if let Some(service) = service {
                *counted.entry(service).or_default() += lines;
            }
            let file = self.graph.add_node(node.into());
            self.code.files.push(file);
            if let Some(service) = service {
                let evidence = from(Source::Layout, Confidence::Exact, 0);
                self.graph.add_edge(service, file, EdgeKind::ContainsFile, EdgeData::None, evidence);
            }
            for (key, data) in symbols {
                let evidence = from(Source::Graph, Confidence::Exact, data.line_start);
                let node = self.graph.add_node_with_id(key, data.into());
                self.code.symbols.push(node);
                self.graph.add_edge(file, node, EdgeKind::DefinesSymbol, EdgeData::None, evidence);
            }
        }
        for (service, lines) in counted {
            if let NodeData::Service(service) = self.graph.data_mut(service)
                && service.estimated_loc == 0
            {
                service.estimated_loc = lines;
            }
        }
    }

    fn add_symbol_edges(&mut self, code_graph: &CodeGraph) {
        for edge in code_graph.edges() {
            let kind = match edge.relation {
                Relation::Calls | Relation::Instantiates => EdgeKind::Calls,
                Relation::Inherits => EdgeKind::Inherits,
                Relation::Implements => EdgeKind::Implements,
                _ => continue,
            };
            let symbol = |node| match code_graph.node(node) {
                Node::Symbol(symbol) => Some(self.code.symbol(symbol)),
                Node::File(_) | Node::External(_) => None,
            };
            if let (Some(source), Some(target)) = (symbol(edge.source), symbol(edge.target)) {
                let evidence = from(Source::Graph, edge.confidence, edge.line);
                self.graph.add_edge(source, target, kind, EdgeData::None, evidence);
            }
        }
    }

    /// Adds import edges from each file to the files that it imports as a whole or declarations of.
    fn add_imports(&mut self, code_graph: &CodeGraph) {
        let project = self.project;
        let mut imports: FxHashMap<(FileId, FileId), Import> = FxHashMap::default();
        for edge in code_graph.edges().iter().filter(|edge| edge.relation == Relation::Imports) {
            let place = |node| match code_graph.node(node) {
                Node::File(file) => Some((file, None)),
                Node::Symbol(symbol) => Some((project.symbol_file(symbol), Some(symbol))),
                Node::External(_) => None,
            };
            let (Some((source, _)), Some((target, symbol))) = (place(edge.source), place(edge.target)) else {
                continue;
            };
            if source == target {
                continue;
            }
            let import = imports.entry((source, target)).or_insert_with(|| Import {
                names: Vec::new(),
                confidence: edge.confidence,
                line: edge.line,
            });
            import.names.extend(symbol.map(|symbol| Box::from(project.symbol_name(symbol))));
            import.confidence = import.confidence.max(edge.confidence);
            import.line = import.line.min(edge.line);
        }
        let mut imports: Vec<_> = imports.into_iter().collect();
        imports.sort_unstable_by_key(|(ends, _)| *ends);
        for ((source, target), mut import) in imports {
            import.names.sort_unstable();
            import.names.dedup();
            let (source, target) = (self.code.files[source], self.code.files[target]);
            let evidence = from(Source::Graph, import.confidence, import.line);
            let names = EdgeData::Import(import.names.into());
            self.graph.add_edge(source, target, EdgeKind::Imports, names, evidence);
        }
    }

    /// Returns a location in the form of edges; without a code location, the location of the evidence.
    pub(super) fn use_site(
        &self,
        site: Option<&Site>,
        evidence: &FactEvidence,
        transport: &str,
    ) -> InteractionSite {
        let transport = transport.into();
        match site {
            Some(site) => InteractionSite {
                symbol: self.graph.node(self.code.at(site)).id().into(),
                file: self.project.files()[site.file].path.clone(),
                line: site.line,
                transport,
            },
            None => InteractionSite {
                symbol: "".into(),
                file: evidence.file.clone(),
                line: evidence.line,
                transport,
            },
        }
    }
}

/// Creates evidence without a file of its own: an end of the edge gives the file.
fn from(source: Source, confidence: Confidence, line: u32) -> FactEvidence {
    FactEvidence { confidence, source, file: "".into(), line }
}

/// Returns the symbols of a file with their ids. Among symbols of one name, all but the first are numbered, and a type
/// comes before its impl blocks.
fn symbols(file: &ProjectFile, node: &FileNode) -> Vec<Declared> {
    let facts = &file.facts;
    let names: Vec<String> =
        facts.symbols.iter_enumerated().map(|(symbol, _)| facts.qualified_name(symbol)).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|at| facts.symbols.as_slice()[*at].kind == SymbolKind::Impl);
    let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
    let mut numbers = vec![0; names.len()];
    for at in order {
        let count = seen.entry(&names[at]).or_default();
        *count += 1;
        numbers[at] = *count;
    }
    let described = facts.symbols.iter().zip(&names).zip(numbers).map(|((symbol, name), number)| {
        let mut id = symbol_id(&file.path, name);
        if number > 1 {
            id += &format!("~{number}");
        }
        let data = SymbolNode {
            symbol_name: name.as_str().into(),
            kind: symbol.kind,
            language: Arc::clone(&node.language),
            service_name: Arc::clone(&node.service_name),
            file_path: Arc::clone(&node.file_path),
            line_start: symbol.lines.start,
            line_end: symbol.lines.end,
            signature: symbol.signature.clone(),
            is_exported: symbol.exported,
        };
        (id.into(), data)
    });
    described.collect()
}
