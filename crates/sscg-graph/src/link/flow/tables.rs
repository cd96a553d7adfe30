//! Where to look for what flows into a place: the calls of a function, the stores into an attribute.

use rustc_hash::FxHashMap;
use sscg_core::{
    FileFacts, FileId, Id, LocalCall, LocalFunction, LocalSymbol, LocalValue, Project, Slot, Store, SymbolId, Value,
};

/// The flow of all files, by the names under which it is asked for.
#[derive(Default)]
pub(in crate::link) struct FlowTables<'p> {
    functions: FxHashMap<SymbolId, LocalFunction>,
    /// What methods assign to attributes of their own instance or class.
    own: FxHashMap<(SymbolId, &'p str), Vec<(FileId, LocalValue)>>,
    /// What is assigned to attributes of anything else.
    foreign: FxHashMap<&'p str, Vec<(FileId, &'p Store)>>,
    /// What is put into elements.
    elements: FxHashMap<FileId, Vec<&'p Store>>,
    /// Calls by the name of what is called.
    calls: FxHashMap<&'p str, Vec<(FileId, LocalCall)>>,
    /// Calls of variables, parameters and results.
    indirect: FxHashMap<FileId, Vec<LocalCall>>,
}

impl<'p> FlowTables<'p> {
    pub(in crate::link) fn new(project: &'p Project) -> Self {
        let mut tables = Self::default();
        for (file, entry) in project.files().iter_enumerated() {
            let facts = &entry.facts;
            let flow = &facts.flow;
            for (local, function) in flow.functions.iter_enumerated() {
                if let Some(symbol) = function.symbol {
                    tables.functions.insert(project.symbol_id(file, symbol), local);
                }
            }
            for store in &flow.stores {
                match (&store.slot, &flow.values[store.object]) {
                    (Slot::Member(name), Value::Instance(class) | Value::Class(class)) => {
                        let class = project.symbol_id(file, *class);
                        tables.own.entry((class, name)).or_default().push((file, store.value));
                    }
                    (Slot::Member(name), _) => tables.foreign.entry(name).or_default().push((file, store)),
                    (Slot::Element(_), _) => tables.elements.entry(file).or_default().push(store),
                }
            }
            for (local, call) in flow.calls.iter_enumerated() {
                match called_name(facts, call.callee) {
                    Some(name) => tables.calls.entry(name).or_default().push((file, local)),
                    None => tables.indirect.entry(file).or_default().push(local),
                }
            }
        }
        tables
    }

    pub(super) fn function(&self, symbol: SymbolId) -> Option<LocalFunction> {
        self.functions.get(&symbol).copied()
    }

    pub(super) fn own_stores(&self, class: SymbolId, name: &'p str) -> &[(FileId, LocalValue)] {
        self.own.get(&(class, name)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn foreign_stores(&self, name: &str) -> &[(FileId, &'p Store)] {
        self.foreign.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn element_stores(&self, file: FileId) -> &[&'p Store] {
        self.elements.get(&file).map_or(&[], Vec::as_slice)
    }

    pub(super) fn calls(&self, name: &str) -> &[(FileId, LocalCall)] {
        self.calls.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn indirect_calls(&self, file: FileId) -> &[LocalCall] {
        self.indirect.get(&file).map_or(&[], Vec::as_slice)
    }
}

/// The name by which what is called was declared, where the text has it.
fn called_name(facts: &FileFacts, callee: LocalValue) -> Option<&str> {
    let name = |symbol: LocalSymbol| &*facts.symbols[symbol].name;
    match &facts.flow.values[callee] {
        Value::Member(_, name) | Value::Free(name) => Some(name),
        Value::Symbol(symbol) => Some(name(*symbol)),
        Value::Decorated(_, of) => called_name(facts, *of).filter(|_| of.index() < callee.index()),
        Value::Import(import) => {
            let import = &facts.imports[*import];
            Some(if import.name.is_empty() { &import.local } else { &import.name })
        }
        _ => None,
    }
}
