//! Declarations by name.

use rustc_hash::FxHashMap;
use sscg_core::{Project, SymbolId, SymbolKind};

/// Finds declarations by their names, exactly or apart from case and underscores.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    by_folded: FxHashMap<Box<str>, Vec<SymbolId>>,
}

impl Definitions {
    /// Collects the names of a project. Implementation blocks declare none.
    pub fn new(project: &Project) -> Self {
        let mut by_folded: FxHashMap<Box<str>, Vec<SymbolId>> = FxHashMap::default();
        for symbol in project.symbol_ids() {
            let declaration = project.symbol(symbol);
            if declaration.kind != SymbolKind::Impl {
                by_folded.entry(fold(&declaration.name).into()).or_default().push(symbol);
            }
        }
        Self { by_folded }
    }

    /// Declarations whose name is `name` apart from case and underscores, in file order. Compare the names
    /// to find the exact ones.
    pub fn named(&self, name: &str) -> &[SymbolId] {
        self.by_folded.get(fold(name).as_str()).map_or(&[], Vec::as_slice)
    }
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}
