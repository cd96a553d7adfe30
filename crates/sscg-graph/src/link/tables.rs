//! What the linker looks names up in.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    ChunkKind, FileFacts, FileId, ImportKind, IndexVec, LocalImport, LocalSymbol, Modifiers, ModuleSystem,
    Project, Relation, Symbol, SymbolId, SymbolKind,
};

/// A place where declarations and imports are in scope by their bare names: a file, or a module inside one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scope {
    pub(super) file: FileId,
    pub(super) module: Option<LocalSymbol>,
}

impl Scope {
    pub(super) fn file(file: FileId) -> Self {
        Self { file, module: None }
    }
}

/// The names of one scope.
#[derive(Default)]
pub(super) struct Names<'p> {
    pub(super) symbols: FxHashMap<&'p str, Vec<LocalSymbol>>,
    /// What other files see under names that are not its own.
    pub(super) exports: FxHashMap<&'p str, Vec<LocalSymbol>>,
    pub(super) imports: FxHashMap<&'p str, Vec<LocalImport>>,
    pub(super) globs: Vec<LocalImport>,
}

/// Name tables that do not depend on any resolution.
pub(super) struct Tables<'p> {
    scopes: IndexVec<FileId, FxHashMap<Option<LocalSymbol>, Names<'p>>>,
    /// Direct members by owner and name: fields, methods, enum members, nested declarations.
    members: FxHashMap<SymbolId, FxHashMap<&'p str, Vec<SymbolId>>>,
    /// Methods anywhere by name, for receivers whose type the text does not give.
    methods: FxHashMap<&'p str, Vec<SymbolId>>,
    /// Macros anywhere by name: they are in scope by the order of the text, not by paths.
    macros: FxHashMap<&'p str, Vec<SymbolId>>,
    /// The names in the value of each default export: `export default { merge, forEach }`.
    defaults: FxHashMap<SymbolId, FxHashSet<&'p str>>,
    files: FxHashMap<&'p str, FileId>,
}

/// Whether a declaration stands inside a statement at the file's root. Where blocks and functions are scopes, only
/// code in there sees it.
fn stands_in_statement(facts: &FileFacts, symbol: &Symbol) -> bool {
    let own = &facts.chunks[symbol.chunk];
    let root = own.parent.map_or(own, |around| &facts.chunks[around]);
    root.kind == ChunkKind::Expression
}

impl<'p> Tables<'p> {
    pub(super) fn new(project: &'p Project) -> Self {
        let mut tables = Self {
            scopes: IndexVec::new(),
            members: FxHashMap::default(),
            methods: FxHashMap::default(),
            macros: FxHashMap::default(),
            defaults: FxHashMap::default(),
            files: FxHashMap::default(),
        };
        for (file, entry) in project.files().iter_enumerated() {
            tables.files.insert(&entry.path, file);
            let facts = &entry.facts;
            let has_blocks = entry.language.modules == ModuleSystem::EsModules;
            let mut scopes: FxHashMap<Option<LocalSymbol>, Names<'p>> = FxHashMap::default();
            scopes.entry(None).or_default();
            for (local, symbol) in facts.symbols.iter_enumerated() {
                let parent = symbol.parent;
                let in_scope = match parent {
                    Some(parent) => facts.symbols[parent].kind == SymbolKind::Module,
                    None => symbol.exported || !(has_blocks && stands_in_statement(facts, symbol)),
                };
                if in_scope {
                    let names = scopes.entry(parent).or_default();
                    // An implementation block declares nothing: its name is that of its type. A function that is
                    // assigned to a member has no bare name.
                    if !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Method) {
                        names.symbols.entry(&symbol.name).or_default().push(local);
                    }
                }
                let id = project.symbol_id(file, local);
                if let Some(parent) = parent {
                    let owner = project.symbol_id(file, parent);
                    tables.members.entry(owner).or_default().entry(&symbol.name).or_default().push(id);
                }
                match symbol.kind {
                    SymbolKind::Method => tables.methods.entry(&symbol.name).or_default().push(id),
                    SymbolKind::Macro => tables.macros.entry(&symbol.name).or_default().push(id),
                    _ => {}
                }
            }
            let names = scopes.entry(None).or_default();
            for export in &facts.exports {
                names.exports.entry(&export.name).or_default().push(export.symbol);
            }
            for (local, import) in facts.imports.iter_enumerated() {
                let in_scope = import.scope.is_none_or(|s| facts.symbols[s].kind == SymbolKind::Module);
                if !in_scope {
                    continue;
                }
                let names = scopes.entry(import.scope).or_default();
                if import.kind == ImportKind::Glob {
                    names.globs.push(local);
                } else if !import.local.is_empty() {
                    names.imports.entry(&import.local).or_default().push(local);
                }
            }
            let is_default = |local: &LocalSymbol| {
                let Symbol { kind, modifiers, .. } = &facts.symbols[*local];
                *kind == SymbolKind::Constant && modifiers.contains(Modifiers::DEFAULT)
            };
            for reference in facts.references.iter().filter(|used| used.relation == Relation::References) {
                if let ([name], Some(from)) = (&*reference.target.path, reference.from.filter(is_default)) {
                    tables.defaults.entry(project.symbol_id(file, from)).or_default().insert(name);
                }
            }
            tables.scopes.push(scopes);
        }
        tables
    }

    /// The names of a scope, or `None` if it declares and imports nothing.
    pub(super) fn names(&self, scope: Scope) -> Option<&Names<'p>> {
        self.scopes[scope.file].get(&scope.module)
    }

    pub(super) fn members(&self, owner: SymbolId, name: &str) -> &[SymbolId] {
        self.members.get(&owner).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Whether the value of a default export names `name`.
    pub(super) fn default_names(&self, export: SymbolId, name: &str) -> bool {
        self.defaults.get(&export).is_some_and(|names| names.contains(name))
    }

    pub(super) fn methods(&self, name: &str) -> &[SymbolId] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn macros(&self, name: &str) -> &[SymbolId] {
        self.macros.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.files.get(path).copied()
    }
}
