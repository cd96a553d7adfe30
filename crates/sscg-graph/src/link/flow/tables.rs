//! Where to look for what flows into a place: the calls of a function, the stores into an attribute.

use rustc_hash::FxHashMap;
use sscg_core::{
    FileFacts, FileId, Id, LocalCall, LocalFunction, LocalSymbol, LocalValue, Slot, Store, Value,
};

use crate::link::tables::hash_of;

/// The flow of one file, by what is asked of it.
#[derive(Default)]
pub(in crate::link) struct FlowTable {
    /// By declaration.
    functions: Box<[(LocalSymbol, LocalFunction)]>,
    /// What methods assign to attributes of their own instance or class.
    own: FxHashMap<(LocalSymbol, u64), Vec<LocalValue>>,
    /// What is put into elements.
    elements: Box<[u32]>,
    /// Calls of variables, parameters and results.
    indirect: Box<[LocalCall]>,
}

impl FlowTable {
    pub(in crate::link) fn new(facts: &FileFacts) -> Self {
        let flow = &facts.flow;
        let functions = flow.functions.iter_enumerated();
        let mut functions: Vec<_> =
            functions.filter_map(|(local, function)| Some((function.symbol?, local))).collect();
        functions.sort_unstable();
        let mut own: FxHashMap<_, Vec<LocalValue>> = FxHashMap::default();
        let mut elements = Vec::new();
        for (at, store) in flow.stores.iter().enumerate() {
            match (&store.slot, owner(facts, store)) {
                (Slot::Element(_), _) => elements.push(at as u32),
                (Slot::Member(name), Some(class)) => {
                    own.entry((class, hash_of(&**name))).or_default().push(store.value);
                }
                (Slot::Member(_), None) => {}
            }
        }
        let calls = flow.calls.iter_enumerated();
        let indirect = calls.filter(|(_, call)| called_name(facts, call.callee).is_none());
        Self {
            functions: functions.into(),
            own,
            elements: elements.into(),
            indirect: indirect.map(|(call, _)| call).collect(),
        }
    }

    pub(in crate::link) fn function(&self, symbol: LocalSymbol) -> Option<LocalFunction> {
        let at = self.functions.binary_search_by_key(&symbol, |(symbol, _)| *symbol).ok()?;
        Some(self.functions[at].1)
    }

    pub(in crate::link) fn own_stores(&self, class: LocalSymbol, name: &str) -> &[LocalValue] {
        self.own.get(&(class, hash_of(name))).map_or(&[], Vec::as_slice)
    }

    pub(in crate::link) fn element_stores(&self) -> &[u32] {
        &self.elements
    }

    pub(in crate::link) fn indirect_calls(&self) -> &[LocalCall] {
        &self.indirect
    }
}

/// Calls and stores anywhere, by hashes of names, in the order of the project.
#[derive(Default)]
pub(in crate::link) struct FlowNames {
    calls: FxHashMap<u64, Vec<(FileId, LocalCall)>>,
    /// Stores into attributes of anything but a method's own instance or class.
    stores: FxHashMap<u64, Vec<(FileId, u32)>>,
}

impl FlowNames {
    pub(in crate::link) fn add(&mut self, file: FileId, facts: &FileFacts) {
        for (name, call) in called_names(facts) {
            insert(&mut self.calls, name, (file, call));
        }
        for (name, at) in stored_names(facts) {
            insert(&mut self.stores, name, (file, at));
        }
    }

    pub(in crate::link) fn remove(&mut self, file: FileId, facts: &FileFacts) {
        for (name, _) in called_names(facts) {
            remove(&mut self.calls, name, file);
        }
        for (name, _) in stored_names(facts) {
            remove(&mut self.stores, name, file);
        }
    }

    pub(in crate::link) fn calls(&self, name: &str) -> &[(FileId, LocalCall)] {
        self.calls.get(&hash_of(name)).map_or(&[], Vec::as_slice)
    }

    pub(in crate::link) fn foreign_stores(&self, name: &str) -> &[(FileId, u32)] {
        self.stores.get(&hash_of(name)).map_or(&[], Vec::as_slice)
    }
}

fn insert<T: Copy + Ord>(table: &mut FxHashMap<u64, Vec<(FileId, T)>>, name: u64, entry: (FileId, T)) {
    let entries = table.entry(name).or_default();
    let place = entries.partition_point(|known| *known < entry);
    entries.insert(place, entry);
}

fn remove<T>(table: &mut FxHashMap<u64, Vec<(FileId, T)>>, name: u64, file: FileId) {
    if let Some(entries) = table.get_mut(&name) {
        entries.retain(|(at, _)| *at != file);
        if entries.is_empty() {
            table.remove(&name);
        }
    }
}

fn called_names(facts: &FileFacts) -> impl Iterator<Item = (u64, LocalCall)> {
    let calls = facts.flow.calls.iter_enumerated();
    calls.filter_map(|(call, entry)| {
        let name = match facts.flow.values[entry.callee] {
            // What a call returns goes by the name of what made it.
            Value::Call(maker) => format!("{}()", called_name(facts, facts.flow.calls[maker].callee)?),
            _ => called_name(facts, entry.callee)?.to_owned(),
        };
        Some((hash_of(&*name), call))
    })
}

fn stored_names(facts: &FileFacts) -> impl Iterator<Item = (u64, u32)> {
    let stores = facts.flow.stores.iter().enumerate();
    stores.filter_map(|(at, store)| match &store.slot {
        Slot::Member(name) if owner(facts, store).is_none() => Some((hash_of(&**name), at as u32)),
        _ => None,
    })
}

/// Hashes of the names by which code anywhere may find calls and stores of a file.
pub(in crate::link) fn flow_names(facts: &FileFacts) -> impl Iterator<Item = u64> {
    let calls = called_names(facts).map(|(name, _)| calls_of(name));
    calls.chain(stored_names(facts).map(|(name, _)| stores_of(name)))
}

/// How it is noted that the calls of a name were looked at.
pub(in crate::link) fn calls_of(name: u64) -> u64 {
    hash_of(&("calls", name))
}

/// How it is noted that the stores into attributes of a name were looked at.
pub(in crate::link) fn stores_of(name: u64) -> u64 {
    hash_of(&("stores", name))
}

/// The class to whose own instance or class a store belongs.
fn owner(facts: &FileFacts, store: &Store) -> Option<LocalSymbol> {
    match facts.flow.values[store.object] {
        Value::Instance(class) | Value::Class(class) => Some(class),
        _ => None,
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
