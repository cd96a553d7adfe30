//! Edges and unresolved references of one file.

use rustc_hash::FxHashSet;
use sscg_core::{
    CallForm, Confidence, FileId, FlowCall, LocalCall, LocalSymbol, Modifiers, Provenance, Relation, Symbol,
    SymbolKind, Value,
};

use super::flow::{Callees, Evaluator};
use super::resolve::{Linker, Outcome};
use super::tables::Decl;
use crate::graph::{End, ExternalSymbol, FileEdge, FileLinks, FileUnresolved, Node, Reason};

impl FileLinks {
    /// Resolves every import, reference and call of a file.
    pub(super) fn new(linker: &Linker<'_>, file: FileId) -> Self {
        let mut links = Self::default();
        for symbol in linker.context.facts(file).symbols.ids() {
            links.declaration(linker, Decl::new(file, symbol));
        }
        links.imports(linker, file);
        let mut values = Evaluator::new(linker);
        links.references(linker, &mut values, file);
        links.unnamed_calls(linker, &mut values, file);
        // The links of all files are in memory at once.
        links.edges.shrink_to_fit();
        links.unresolved.shrink_to_fit();
        links
    }

    /// Adds the edges between a declaration and those around it, and to those that it implements or overrides.
    fn declaration(&mut self, linker: &Linker<'_>, declared: Decl) {
        let Decl { file, symbol } = declared;
        let symbols = &linker.context.facts(file).symbols;
        let declaration = &symbols[symbol];
        let (line, name) = (declaration.name_line, &declaration.name);
        let node = linker.code_node(file, Some(symbol));
        let mut place = |source: Option<LocalSymbol>, relation| {
            self.edges.push(FileEdge {
                source: linker.code_node(file, source),
                target: End::Inside(node),
                relation,
                line,
                confidence: Confidence::Exact,
                provenance: Provenance::Syntax,
                candidates: 1,
            });
        };
        let parent = declaration.parent;
        if declaration.modifiers.contains(Modifiers::ANONYMOUS) {
            // The code around it passes it on, like a function with a name.
            return place(parent, Relation::References);
        }
        place(parent, Relation::Contains);
        place(None, Relation::Defines);
        let owner = parent.map(|parent| symbols[parent].kind);
        if let Some(relation) = definition(declaration, owner) {
            place(parent, relation);
        }
        if declaration.kind.is_type() {
            self.implementations(linker, declared);
            self.satisfied(linker, declared);
        }
        if declaration.kind == SymbolKind::Impl
            && let Some(ty) = linker.owner_of(declared)
        {
            let (outcome, relation) = linker.outcome(vec![ty], Relation::References, Confidence::Exact);
            self.record(outcome, &Use::new(node, relation, line, name));
        }
        if let Some((replaced, confidence)) = linker.overridden(declared) {
            let (outcome, relation) = linker.outcome(replaced, Relation::Overrides, confidence);
            self.record(outcome, &Use::new(node, relation, line, name));
        }
    }

    fn imports(&mut self, linker: &Linker<'_>, file: FileId) {
        for (id, import) in linker.context.facts(file).imports.iter_enumerated() {
            let outcome = linker.import_target(file, id);
            let name = if import.name.is_empty() { &import.module } else { &import.name };
            let source = linker.code_node(file, import.scope);
            self.record(outcome, &Use::new(source, Relation::Imports, import.line, name));
        }
    }

    /// Records the targets of the references of a file; of calls, by the values that they call, where these are known.
    fn references<'a>(&mut self, linker: &Linker<'a>, values: &mut Evaluator<'_, 'a>, file: FileId) {
        let rules = linker.rules(file);
        let (call_method, has_values_first) = (rules.call_method(), rules.has_values_first());
        for (at, reference) in linker.context.facts(file).references.iter().enumerate() {
            let mut source = linker.code_node(file, reference.from);
            if reference.relation == Relation::Implements
                && let Some(block) = reference.from.map(|from| Decl::new(file, from))
                && let Some(ty) = linker.owner_of(block)
            {
                if linker.trait_of(block).is_some() {
                    continue;
                }
                // An edge starts in the file that makes it.
                if ty.file == file {
                    source = linker.code_node(file, Some(ty.symbol));
                }
            }
            let name = linker.meant_name(file, reference);
            let named = Use::new(source, reference.relation, reference.line, name);
            if let Some(call) = reference.call.filter(|_| has_values_first)
                && self.record_call(linker, values, (file, call), &named)
            {
                continue;
            }
            let (outcome, relation, provenance) = match linker.reference_target(file, at, reference) {
                Ok((outcome, relation)) => (outcome, relation, Provenance::Resolver),
                Err(missing) => {
                    let (outcome, relation) = linker.by_name_alone(file, reference, missing);
                    (outcome, relation, Provenance::Name)
                }
            };
            if let Some(call) = reference.call.filter(|_| !has_values_first && is_open(&outcome))
                && self.record_call(linker, values, (file, call), &named)
            {
                continue;
            }
            match (outcome, call_method) {
                (Outcome::Nothing, Some(method)) if relation == Relation::Calls => {
                    let held = Use { relation, name: method, ..named };
                    self.record(Outcome::Unresolved(Reason::HeldValue), &held);
                }
                (outcome, _) => self.record(outcome, &Use { relation, provenance, ..named }),
            }
        }
    }

    /// Records the callees of the calls of a file that name none.
    fn unnamed_calls<'a>(&mut self, linker: &Linker<'a>, values: &mut Evaluator<'_, 'a>, file: FileId) {
        let flow = &linker.context.facts(file).flow;
        let call_method = linker.rules(file).call_method();
        let decorations: FxHashSet<LocalCall> = match call_method {
            Some(_) => flow.values.iter().filter_map(decoration).collect(),
            None => FxHashSet::default(),
        };
        for (id, call) in flow.calls.iter_enumerated() {
            if !matches!(call.form, CallForm::Unnamed | CallForm::Implied) {
                continue;
            }
            let source = linker.code_node(file, call.from);
            let held = Use::new(source, Relation::Calls, call.line, call_method.unwrap_or_default());
            let is_known = self.record_call(linker, values, (file, id), &held);
            // Decorators with arguments are results of calls, mostly of code outside of the project.
            let is_held = call.form == CallForm::Unnamed && !decorations.contains(&id);
            if is_held && !is_known && !held.name.is_empty() {
                self.record(Outcome::Unresolved(Reason::HeldValue), &held);
            }
        }
    }

    /// Adds edges to the traits of the project that blocks in any file implement for a type.
    fn implementations(&mut self, linker: &Linker<'_>, ty: Decl) {
        let project = linker.context.project();
        for block in linker.blocks(ty) {
            let (target, relation) = match linker.trait_of(*block) {
                Some(implemented_trait) => (implemented_trait, Relation::Implements),
                None if linker.context.symbol(*block).kind == SymbolKind::Impl => continue,
                None => (*block, Relation::Contains),
            };
            let at = if block.file == ty.file { *block } else { ty };
            self.edges.push(FileEdge {
                source: Node::Symbol(ty.id(project)),
                target: End::Inside(Node::Symbol(target.id(project))),
                relation,
                line: linker.context.symbol(at).name_line,
                confidence: Confidence::Exact,
                provenance: Provenance::Resolver,
                candidates: 1,
            });
        }
    }

    /// Adds edges to the interfaces that a type satisfies without naming them.
    fn satisfied(&mut self, linker: &Linker<'_>, ty: Decl) {
        let symbol = linker.context.symbol(ty);
        if symbol.kind == SymbolKind::Interface || !linker.rules(ty.file).has_structural_interfaces() {
            return;
        }
        let project = linker.context.project();
        for ancestor in linker.ancestors(ty).unwrap_or_default() {
            if linker.context.symbol(ancestor.ty).kind == SymbolKind::Interface {
                self.edges.push(FileEdge {
                    source: Node::Symbol(ty.id(project)),
                    target: End::Inside(Node::Symbol(ancestor.ty.id(project))),
                    relation: Relation::Implements,
                    line: symbol.name_line,
                    confidence: Confidence::Inferred,
                    provenance: Provenance::Resolver,
                    candidates: 1,
                });
            }
        }
    }

    /// Records the callees of a call. Returns false if the data flow does not determine them.
    fn record_call(
        &mut self,
        linker: &Linker<'_>,
        values: &mut Evaluator<'_, '_>,
        (file, call): (FileId, LocalCall),
        named: &Use<'_>,
    ) -> bool {
        let FlowCall { line, form, .. } = linker.context.facts(file).flow.calls[call];
        let Some(Callees { mut inside, external, has_others }) = values.callees(file, call) else {
            return false;
        };
        let relation = match named.relation {
            Relation::Instantiates => Relation::Calls,
            relation => relation,
        };
        let flow = Use { line, relation, provenance: Provenance::Flow, ..*named };
        // Where values are followed only for lack of types, not all assignments are known.
        let most =
            if linker.rules(file).has_values_first() { Confidence::Exact } else { Confidence::Inferred };
        inside.iter_mut().for_each(|(_, confidence)| *confidence = most.min(*confidence));
        let candidates = inside.iter().filter(|(_, confidence)| *confidence == Confidence::Ambiguous).count();
        for (callee, confidence) in inside {
            let (outcome, relation) = linker.outcome(vec![callee], relation, confidence);
            let callee = Use { relation, ..flow };
            match outcome {
                Outcome::Nodes(nodes, Confidence::Ambiguous) => self.candidates(nodes, candidates, &callee),
                outcome => self.record(outcome, &callee),
            }
        }
        // Implied calls, such as loops, of external code are not informative.
        let external = if form == CallForm::Implied { Vec::new() } else { external };
        for (path, origin, confidence) in external {
            let external = ExternalSymbol { name: path.into(), origin };
            self.record(Outcome::External(external, confidence), &Use { relation: named.relation, ..flow });
        }
        if has_others && !named.name.is_empty() {
            self.record(Outcome::Unresolved(Reason::TooDeep), &flow);
        }
        true
    }

    fn record(&mut self, outcome: Outcome, at: &Use<'_>) {
        match outcome {
            Outcome::Nodes(nodes, Confidence::Ambiguous) => {
                let count = nodes.len();
                self.candidates(nodes, count, at);
            }
            Outcome::SomeOf(nodes, candidates) => {
                self.candidates(nodes, candidates, at);
                self.record(Outcome::Unresolved(Reason::LikelierOthers), at);
            }
            Outcome::Nodes(nodes, confidence) => {
                self.edges.extend(nodes.into_iter().map(|node| at.edge(End::Inside(node), confidence, 1)));
            }
            Outcome::External(external, confidence) => {
                let candidates = if confidence == Confidence::Ambiguous { 2 } else { 1 };
                self.edges.push(at.edge(End::External(external), confidence, candidates));
            }
            Outcome::Unresolved(reason) => {
                let Use { source, relation, line, name, .. } = *at;
                self.unresolved.push(FileUnresolved { name: name.into(), source, line, relation, reason });
            }
            Outcome::Nothing => {}
        }
    }

    /// Records ambiguous edges to nodes that are among `count` candidates. A single one competes with an external symbol.
    fn candidates(&mut self, nodes: Vec<Node>, count: usize, at: &Use<'_>) {
        let count = u16::try_from(count.max(2)).unwrap_or(u16::MAX);
        let edge = |node| at.edge(End::Inside(node), Confidence::Ambiguous, count);
        self.edges.extend(nodes.into_iter().map(edge));
    }
}

/// Use of a name or value by code.
#[derive(Clone, Copy)]
struct Use<'n> {
    source: Node,
    relation: Relation,
    line: u32,
    name: &'n str,
    provenance: Provenance,
}

impl<'n> Use<'n> {
    fn new(source: Node, relation: Relation, line: u32, name: &'n str) -> Self {
        Self { source, relation, line, name, provenance: Provenance::Resolver }
    }

    fn edge(&self, target: End, confidence: Confidence, candidates: u16) -> FileEdge {
        let Self { source, relation, line, provenance, .. } = *self;
        FileEdge { source, target, relation, line, confidence, provenance, candidates }
    }
}

/// Returns true if the types in the text leave open what a call runs.
fn is_open(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Nothing | Outcome::SomeOf(..) | Outcome::Nodes(_, Confidence::Ambiguous) => true,
        Outcome::Unresolved(reason) => matches!(
            reason,
            Reason::BuiltInMethod | Reason::ManyMethods | Reason::NoMember | Reason::ReceiverType
        ),
        Outcome::Nodes(..) | Outcome::External(..) => false,
    }
}

/// Returns the relation of a declaration's parent, or its file, to the declaration, beyond containment.
fn definition(declaration: &Symbol, owner: Option<SymbolKind>) -> Option<Relation> {
    let is_static = declaration.modifiers.contains(Modifiers::STATIC);
    match (declaration.kind, owner) {
        (SymbolKind::Constant, _) => Some(Relation::DefinesConstant),
        (SymbolKind::EnumMember, _) => Some(Relation::DefinesEnumMember),
        (SymbolKind::Field, Some(SymbolKind::Class | SymbolKind::Component | SymbolKind::Enum))
            if is_static =>
        {
            Some(Relation::DefinesClassAttr)
        }
        (SymbolKind::Field, _) => Some(Relation::DefinesField),
        _ => None,
    }
}

/// Returns the call of a decorator that makes a value.
fn decoration(value: &Value) -> Option<LocalCall> {
    match value {
        Value::Decorated(call, _) => Some(*call),
        _ => None,
    }
}
