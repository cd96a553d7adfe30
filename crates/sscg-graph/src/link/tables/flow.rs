//! Index of the body facts of one file.

use rustc_hash::FxHashMap;
use sscg_core::{FieldStore, FileFacts, LocalFunction, LocalSymbol, LocalValue, Slot, Value};

use super::hash_of;

/// Lookup tables for the body facts of one file.
#[derive(Default)]
pub(in crate::link) struct FlowTable {
    /// Functions by declaration.
    functions: Box<[(LocalSymbol, LocalFunction)]>,
    /// Values that methods assign to attributes of their own instance or class.
    own: FxHashMap<(LocalSymbol, u64), Vec<LocalValue>>,
    /// Indices of stores into elements.
    elements: Box<[u32]>,
    /// Indices of stores into attributes of anything but a method's own instance or class.
    foreign: Box<[u32]>,
}

impl FlowTable {
    pub(in crate::link) fn new(facts: &FileFacts) -> Self {
        let flow = &facts.flow;
        let functions = flow.functions.iter_enumerated();
        let mut functions: Vec<_> =
            functions.filter_map(|(local, function)| Some((function.symbol?, local))).collect();
        functions.sort_unstable();
        let mut own: FxHashMap<_, Vec<LocalValue>> = FxHashMap::default();
        let (mut elements, mut foreign) = (Vec::new(), Vec::new());
        for (at, store) in flow.stores.iter().enumerate() {
            match (&store.slot, owner(facts, store)) {
                (Slot::Element(_), _) => elements.push(at as u32),
                (Slot::Member(name), Some(class)) => {
                    own.entry((class, hash_of(&**name))).or_default().push(store.value);
                }
                (Slot::Member(_), None) => foreign.push(at as u32),
            }
        }
        Self { functions: functions.into(), own, elements: elements.into(), foreign: foreign.into() }
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

    pub(in crate::link) fn foreign_stores(&self) -> &[u32] {
        &self.foreign
    }
}

/// Returns the class of a store into a method's own instance or class.
fn owner(facts: &FileFacts, store: &FieldStore) -> Option<LocalSymbol> {
    match facts.flow.values[store.object] {
        Value::Instance(class) | Value::Class(class) => Some(class),
        _ => None,
    }
}
