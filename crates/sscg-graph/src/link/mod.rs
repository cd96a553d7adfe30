//! From facts to edges.
//!
//! Linking runs in three passes over immutable tables, each parallel by file:
//! 1. *owners*: which type each implementation block and each class belongs to ([`tables`]);
//! 2. *bases*: what each type extends or implements;
//! 3. *references*: every use of a name, with both tables at hand ([`resolve`]).
//!
//! How a language names code in other files is behind one trait with an implementation for each module
//! system ([`modules`]).

mod flow;
mod modules;
mod resolve;
mod tables;

use rayon::prelude::*;
use sscg_core::{
    Call, CallForm, Confidence, FileId, LocalCall, LocalSymbol, Modifiers, Project, Provenance, Relation, Symbol, SymbolKind,
};

use crate::graph::{Boundary, BoundaryTable, CodeGraph, Edge, Node, Unresolved};
use flow::Evaluator;
use resolve::{Linker, Outcome};
use tables::Tables;

/// Resolves every import and reference of the project. Deterministic, parallel by file; time is linear in
/// references times the depth of re-export and inheritance chains.
pub fn link(project: &Project) -> CodeGraph {
    let tables = Tables::new(project);
    let linker = Linker::new(project, &tables);
    let files: Vec<FileId> = project.files().ids().collect();
    let links: Vec<FileLinks> = files.par_iter().map(|file| FileLinks::new(&linker, *file)).collect();

    let outside = links.iter().flat_map(|links| links.edges.iter()).filter_map(|edge| match &edge.target {
        End::Outside(boundary) => Some(boundary),
        End::Inside(_) => None,
    });
    let (table, boundaries) = BoundaryTable::new(outside);
    // Node numbers depend on the number of files and symbols alone, which an edgeless graph knows.
    let numbering = CodeGraph::new(project, Vec::new(), Vec::new(), Vec::new());
    let mut edges = Vec::with_capacity(links.iter().map(|links| links.edges.len()).sum());
    let mut ledger = Vec::with_capacity(links.iter().map(|links| links.unresolved.len()).sum());
    for links in links {
        edges.extend(links.edges.into_iter().map(|edge| Edge {
            source: numbering.id(edge.source),
            target: match &edge.target {
                End::Inside(node) => numbering.id(*node),
                End::Outside(boundary) => numbering.id(Node::Boundary(table.id(boundary))),
            },
            relation: edge.relation,
            line: edge.line,
            confidence: edge.confidence,
            provenance: edge.provenance,
            candidates: edge.candidates,
        }));
        ledger.extend(links.unresolved.into_iter().map(|entry| Unresolved {
            name: entry.name,
            source: numbering.id(entry.source),
            line: entry.line,
            relation: entry.relation,
            reason: entry.reason,
        }));
    }
    CodeGraph::new(project, boundaries, edges, ledger)
}

/// What a declaration is to the one it stands in, or to its file, beyond standing there.
fn definition(declaration: &Symbol, owner: Option<SymbolKind>) -> Option<Relation> {
    let is_static = declaration.modifiers.contains(Modifiers::STATIC);
    match (declaration.kind, owner) {
        (SymbolKind::Constant, _) => Some(Relation::DefinesConstant),
        (SymbolKind::EnumMember, _) => Some(Relation::DefinesEnumMember),
        (SymbolKind::Field, Some(SymbolKind::Class | SymbolKind::Component)) if is_static => {
            Some(Relation::DefinesClassAttr)
        }
        (SymbolKind::Field, _) => Some(Relation::DefinesField),
        _ => None,
    }
}

/// The edges that one file's facts make, before nodes are numbered.
#[derive(Default)]
struct FileLinks {
    edges: Vec<FileEdge>,
    unresolved: Vec<FileUnresolved>,
}

struct FileEdge {
    source: Node,
    target: End,
    relation: Relation,
    line: u32,
    confidence: Confidence,
    provenance: Provenance,
    candidates: u16,
}

enum End {
    Inside(Node),
    Outside(Boundary),
}

struct FileUnresolved {
    name: Box<str>,
    source: Node,
    line: u32,
    relation: Relation,
    reason: &'static str,
}

impl FileLinks {
    fn new(linker: &Linker<'_>, file: FileId) -> Self {
        let project = linker.project();
        let facts = &project.files()[file].facts;
        let mut links = Self::default();
        let node = |symbol: Option<LocalSymbol>| match symbol {
            Some(symbol) => Node::Symbol(project.symbol_id(file, symbol)),
            None => Node::File(file),
        };
        for (symbol, declaration) in facts.symbols.iter_enumerated() {
            let mut place = |source: Option<LocalSymbol>, relation| {
                links.edges.push(FileEdge {
                    source: node(source),
                    target: End::Inside(node(Some(symbol))),
                    relation,
                    line: declaration.name_line,
                    confidence: Confidence::Exact,
                    provenance: Provenance::Syntax,
                    candidates: 1,
                });
            };
            let parent = declaration.parent;
            place(parent, Relation::Contains);
            place(None, Relation::Defines);
            let owner = parent.map(|parent| facts.symbols[parent].kind);
            if let Some(relation) = definition(declaration, owner) {
                place(parent, relation);
            }
            let member = project.symbol_id(file, symbol);
            if let Some((replaced, confidence)) = linker.overridden(member) {
                let (outcome, relation) = linker.outcome(replaced, Relation::Overrides, confidence);
                let (line, name) = (declaration.name_line, &declaration.name);
                links.record(outcome, node(Some(symbol)), relation, line, name);
            }
        }
        for (id, import) in facts.imports.iter_enumerated() {
            let outcome = linker.import_target(file, id);
            let name = if import.name.is_empty() { &import.module } else { &import.name };
            links.record(outcome, node(import.scope), Relation::Imports, import.line, name);
        }
        for reference in &facts.references {
            let source = node(reference.from);
            if let Some(call) = reference.call
                && links.record_call(linker, file, call, reference.relation, source)
            {
                continue;
            }
            let (outcome, relation) = linker.reference_target(file, reference);
            links.record(outcome, source, relation, reference.line, reference.target.name());
        }
        for (id, call) in facts.flow.calls.iter_enumerated() {
            if matches!(call.form, CallForm::Unnamed | CallForm::Implied) {
                links.record_call(linker, file, id, Relation::Calls, node(call.from));
            }
        }
        links
    }

    /// Records what a call runs, as far as the flow of values tells; whether it does.
    fn record_call(
        &mut self,
        linker: &Linker<'_>,
        file: FileId,
        call: LocalCall,
        relation: Relation,
        source: Node,
    ) -> bool {
        let Call { line, form, .. } = linker.project().files()[file].facts.flow.calls[call];
        let Some(callees) = Evaluator::new(linker).callees(file, call) else { return false };
        for (callee, confidence) in callees.inside {
            let (outcome, relation) = linker.outcome(vec![callee], relation, confidence);
            self.record(outcome, source, relation, line, "");
        }
        // Loops over what is not part of the project say nothing.
        let outside = if form == CallForm::Implied { Vec::new() } else { callees.outside };
        for (path, origin, confidence) in outside {
            let boundary = Boundary { name: path.into(), origin };
            self.record(Outcome::Outside(boundary, confidence), source, relation, line, "");
        }
        true
    }

    fn record(&mut self, outcome: Outcome, source: Node, relation: Relation, line: u32, name: &str) {
        let mut push = |target: End, confidence, candidates| {
            let provenance = Provenance::Resolver;
            let edge = FileEdge { source, target, relation, line, confidence, provenance, candidates };
            self.edges.push(edge);
        };
        match outcome {
            Outcome::Nodes(nodes, Confidence::Ambiguous) => {
                // One that stands alone competes with something outside the project.
                let candidates = u16::try_from(nodes.len().max(2)).unwrap_or(u16::MAX);
                for node in nodes {
                    push(End::Inside(node), Confidence::Ambiguous, candidates);
                }
            }
            Outcome::OneOf(node, candidates) => {
                let candidates = u16::try_from(candidates).unwrap_or(u16::MAX);
                push(End::Inside(node), Confidence::Ambiguous, candidates);
            }
            Outcome::Nodes(nodes, confidence) => {
                for node in nodes {
                    push(End::Inside(node), confidence, 1);
                }
            }
            Outcome::Outside(boundary, confidence) => {
                let candidates = if confidence == Confidence::Ambiguous { 2 } else { 1 };
                push(End::Outside(boundary), confidence, candidates);
            }
            Outcome::Unresolved(reason) => {
                self.unresolved.push(FileUnresolved { name: name.into(), source, line, relation, reason });
            }
            Outcome::Nothing => {}
        }
    }
}
