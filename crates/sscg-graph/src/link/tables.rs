//! Name tables of the linker. The tables of a file hold hashes instead of most names, and no project-wide ids, so that
//! they stay valid when other files change.

mod flow;

use std::hash::{Hash, Hasher};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use sscg_core::{
    ChunkKind, FileFacts, FileId, ImportKind, IndexVec, LocalImport, LocalSymbol, Modifiers, ModuleSystem,
    Project, ProjectFile, Reference, Relation, Symbol, SymbolId, SymbolKind,
};

use flow::FlowTable;

/// Declaration, by its file and its index in that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Decl {
    pub(super) file: FileId,
    pub(super) symbol: LocalSymbol,
}

impl Decl {
    pub(super) fn new(file: FileId, symbol: LocalSymbol) -> Self {
        Self { file, symbol }
    }

    pub(super) fn id(self, project: &Project) -> SymbolId {
        project.symbol_id(self.file, self.symbol)
    }
}

/// Scope in which declarations and imports are visible by their bare names: a file, or a module inside one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Scope {
    pub(super) file: FileId,
    pub(super) module: Option<LocalSymbol>,
}

impl Scope {
    pub(super) fn file(file: FileId) -> Self {
        Self { file, module: None }
    }
}

/// Name and the declaration that contains it.
type NameInDeclaration<'n> = (Option<LocalSymbol>, &'n str);

/// Items of one file by place: sorted by a hash, then by the place itself, which is read from the file's facts.
struct NameIndex<T> {
    hashes: Box<[u32]>,
    items: Box<[T]>,
}

impl<T> Default for NameIndex<T> {
    fn default() -> Self {
        Self { hashes: Box::default(), items: Box::default() }
    }
}

impl<T: Copy> NameIndex<T> {
    fn new(mut entries: Vec<(NameInDeclaration<'_>, T)>) -> Self {
        let mut keyed: Vec<(u32, NameInDeclaration<'_>, T)> =
            entries.drain(..).map(|(place, item)| (hash(place), place, item)).collect();
        keyed.sort_by(|(a, place_a, _), (b, place_b, _)| a.cmp(b).then_with(|| place_a.cmp(place_b)));
        Self {
            hashes: keyed.iter().map(|(hash, ..)| *hash).collect(),
            items: keyed.iter().map(|(.., item)| *item).collect(),
        }
    }

    /// Returns the first [`MOST_OF_A_NAME`] items at a place, in source order. O(log items).
    fn get<'n>(&self, place: NameInDeclaration<'n>, place_of: impl Fn(T) -> NameInDeclaration<'n>) -> &[T] {
        let wanted = hash(place);
        let start = self.hashes.partition_point(|hash| *hash < wanted);
        let len = self.hashes[start..].partition_point(|hash| *hash == wanted);
        let items = &self.items[start..start + len];
        let start = items.partition_point(|item| place_of(*item) < place);
        let len = items[start..].partition_point(|item| place_of(*item) == place);
        &items[start..start + len.min(MOST_OF_A_NAME)]
    }
}

/// Maximum number of declarations of one name in one place that are looked at. With more, no use can be resolved, and a
/// file of nothing else would take time quadratic in its size.
pub(super) const MOST_OF_A_NAME: usize = 128;

fn hash(place: NameInDeclaration<'_>) -> u32 {
    (hash_of(&place) >> 32) as u32
}

/// Returns a hash of a value that is stable while the program runs.
pub(super) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Key of a lookup by name, or of another that no file answers alone, among the [reads](super::Reads) of a file. Half of a
/// hash, as these lists are long: where two lookups share a key, a file may be linked again in vain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct LookupKey(u32);

impl LookupKey {
    /// Returns the key of a lookup with this hash, of whose bits the lower ones are mixed best.
    pub(super) fn new(hash: u64) -> Self {
        Self(hash as u32)
    }
}

/// Returns the packages of a file, of itself and of its modules, each with the path of the package. Modules come after
/// the modules around them. Empty for languages whose packages are not shared by several files.
pub(super) fn packages_of(file: &ProjectFile) -> Vec<(Option<LocalSymbol>, String)> {
    let declared = file.facts.package.as_deref().unwrap_or_default();
    let own = match file.language.modules {
        ModuleSystem::DirectoryPackages => directory_package(directory(&file.path), declared),
        ModuleSystem::DeclaredPackages | ModuleSystem::Includes | ModuleSystem::Namespaces => {
            declared.to_owned()
        }
        _ => return Vec::new(),
    };
    let mut packages = vec![(None, own)];
    for (module, symbol) in file.facts.symbols.iter_enumerated() {
        if symbol.kind == SymbolKind::Module
            && let Ok(at) = packages.binary_search_by_key(&symbol.parent, |(module, _)| *module)
            && packages[at].1.len() < MAX_PACKAGE_PATH
        {
            let around = &packages[at].1;
            let path = if around.is_empty() {
                (*symbol.name).to_owned()
            } else {
                format!("{around}.{}", symbol.name)
            };
            packages.push((Some(module), path));
        }
    }
    packages
}

/// Maximum number of bytes of the path of nested packages.
const MAX_PACKAGE_PATH: usize = 1_000;

/// Returns the path of a package of a directory. Tests may declare one of their own.
pub(super) fn directory_package(directory: &str, declared: &str) -> String {
    if declared.ends_with("_test") { format!("{directory}:{declared}") } else { directory.to_owned() }
}

/// Returns the directory of a path; empty for a file at the root.
pub(super) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the glob imports of a file that apply to all files below its directory: `global using`.
pub(super) fn global_imports(file: &ProjectFile) -> impl Iterator<Item = LocalImport> {
    let has_any = file.language.modules == ModuleSystem::Namespaces;
    let imports = has_any.then(|| file.facts.imports.iter_enumerated()).into_iter().flatten();
    imports
        .filter(|(_, it)| it.kind == ImportKind::Glob && it.reexport && it.scope.is_none())
        .map(|(local, _)| local)
}

/// Returns the dependency key for a lookup of a name in a package, which is also its key in the tables.
pub(super) fn in_package(family: &str, package: &str, name: &str) -> u64 {
    hash_of(&("package", family, package, name))
}

/// Returns the declaration whose scope has the name of a symbol: the enclosing one, unless that is an enumeration whose
/// members are names of the scope around it.
fn scope_of_name(facts: &FileFacts, symbol: &Symbol) -> Option<LocalSymbol> {
    let parent = &facts.symbols[symbol.parent?];
    if parent.modifiers.contains(Modifiers::UNSCOPED) { parent.parent } else { symbol.parent }
}

/// Returns the declarations of a file that are visible by their bare names in its packages, with their keys.
pub(super) fn names_in_packages(file: &ProjectFile) -> impl Iterator<Item = (u64, LocalSymbol)> {
    let packages = packages_of(file);
    let family = file.language.family;
    let symbols = &file.facts.symbols;
    let own = symbols.iter_enumerated().map(|(local, symbol)| (&symbol.name, local));
    let exports = file.facts.exports.iter().map(|export| (&export.name, export.symbol));
    own.chain(exports).filter_map(move |(name, local)| {
        let symbol = &symbols[local];
        let scope = scope_of_name(&file.facts, symbol);
        let at = packages.binary_search_by_key(&scope, |(module, _)| *module).ok()?;
        let (_, package) = packages.get(at).filter(|_| symbol.receiver.is_none())?;
        Some((in_package(family, package, name), local))
    })
}

/// Name tables of one file.
#[derive(Default)]
struct FileTable {
    /// Paths of the packages of the file and of its modules; see [`packages_of`].
    packages: Box<[(Option<LocalSymbol>, String)]>,
    /// Declarations visible by their bare names, by the module of the scope.
    scopes: NameIndex<LocalSymbol>,
    /// Direct members by owner: fields, methods, enum members, nested declarations.
    members: NameIndex<LocalSymbol>,
    /// Exports under names other than the declarations' own.
    exports: NameIndex<u32>,
    /// Imports by the module of the scope and the name that they bind.
    imports: NameIndex<LocalImport>,
    /// Glob imports with the module or function of the scope.
    globs: Box<[(Option<LocalSymbol>, LocalImport)]>,
    /// Declaration that is the file's default export.
    default: Option<LocalSymbol>,
    /// Names in the values of default exports: `export default { merge, forEach }`.
    defaults: Box<[(LocalSymbol, Box<str>)]>,
    flow: FlowTable,
}

impl FileTable {
    fn new(file: &ProjectFile) -> Self {
        let ProjectFile { language, facts, .. } = file;
        let has_blocks = language.modules == ModuleSystem::EsModules;
        let (mut scopes, mut members) = (Vec::new(), Vec::new());
        let is_named = |symbol: &Symbol| !symbol.modifiers.contains(Modifiers::ANONYMOUS);
        for (local, symbol) in facts.symbols.iter_enumerated().filter(|(_, symbol)| is_named(symbol)) {
            let parent = scope_of_name(facts, symbol);
            let in_scope = match parent {
                Some(parent) => facts.symbols[parent].kind == SymbolKind::Module,
                None => symbol.exported || !(has_blocks && stands_in_statement(facts, symbol)),
            };
            // An implementation block declares no name: it uses that of its type. A function that is assigned to a
            // member has no bare name.
            let is_outside = symbol.receiver.is_some();
            if in_scope && !is_outside && !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Method) {
                scopes.push(((parent, &*symbol.name), local));
            }
            if symbol.parent.is_some() {
                members.push(((symbol.parent, &*symbol.name), local));
            }
            if parent.is_some() && parent != symbol.parent {
                members.push(((parent, &*symbol.name), local));
            }
        }
        let exports = facts.exports.iter().enumerate();
        let exports = exports.map(|(at, export)| ((None, &*export.name), at as u32)).collect();
        let (mut imports, mut globs) = (Vec::new(), Vec::new());
        for (local, import) in facts.imports.iter_enumerated() {
            let in_scope = import.scope.is_none_or(|s| facts.symbols[s].kind == SymbolKind::Module);
            if import.kind == ImportKind::Glob {
                globs.push((import.scope, local));
            } else if in_scope && !import.local.is_empty() {
                imports.push(((import.scope, &*import.local), local));
            }
        }
        Self {
            packages: packages_of(file).into(),
            scopes: NameIndex::new(scopes),
            members: NameIndex::new(members),
            exports: NameIndex::new(exports),
            imports: NameIndex::new(imports),
            globs: globs.into(),
            default: default_export(facts),
            defaults: default_values(facts).map(|(from, used)| (from, used.target.name().into())).collect(),
            flow: FlowTable::new(facts),
        }
    }
}

/// Returns the declaration that is the default export of a file; of an overloaded function, the one with a body.
fn default_export(facts: &FileFacts) -> Option<LocalSymbol> {
    let defaults = || facts.symbols.iter_enumerated().filter(|(_, symbol)| is_default(symbol));
    let is_whole = |(_, symbol): &(LocalSymbol, &Symbol)| !symbol.modifiers.contains(Modifiers::OVERLOAD);
    defaults().find(is_whole).or_else(|| defaults().next()).map(|(local, _)| local)
}

fn is_default(symbol: &Symbol) -> bool {
    symbol.modifiers.contains(Modifiers::DEFAULT)
}

/// Returns the names in the values of a file's default exports.
pub(super) fn default_values(facts: &FileFacts) -> impl Iterator<Item = (LocalSymbol, &Reference)> {
    let is_value = |symbol: &Symbol| symbol.kind == SymbolKind::Constant && is_default(symbol);
    facts.references.iter().filter_map(move |used| {
        let names = used.relation == Relation::References && used.target.path.len() == 1;
        used.from.filter(|from| names && is_value(&facts.symbols[*from])).map(|from| (from, used))
    })
}

/// Returns true if a declaration is inside a statement at the file's root. Where blocks and functions are scopes, only
/// code inside the statement sees it.
pub(super) fn stands_in_statement(facts: &FileFacts, symbol: &Symbol) -> bool {
    let own = &facts.chunks[symbol.chunk];
    let root = own.parent.map_or(own, |around| &facts.chunks[around]);
    root.kind == ChunkKind::Expression
}

/// Returns true if a declaration is global: inside `declare global`.
pub(super) fn is_global(facts: &FileFacts, symbol: &Symbol) -> bool {
    let around = symbol.parent.map(|parent| &facts.symbols[parent]);
    around.is_some_and(|around| {
        let is_declared = around.modifiers.contains(Modifiers::DECLARE);
        around.kind == SymbolKind::Module && is_declared && &*around.name == "global"
    })
}

/// Returns true if a declaration is a method that an interface requires.
fn is_required(facts: &FileFacts, symbol: &Symbol) -> bool {
    let is_of_interface = |parent: LocalSymbol| facts.symbols[parent].kind == SymbolKind::Interface;
    symbol.kind == SymbolKind::Method
        && symbol.modifiers.contains(Modifiers::ABSTRACT)
        && symbol.parent.is_some_and(is_of_interface)
}

/// Returns the hash of a lookup in the global namespace.
pub(super) fn global_of(name: &str) -> u64 {
    hash_of(&("global", name))
}

/// Declarations of all files by name, in the order of the project.
#[derive(Default)]
struct ByName(FxHashMap<Box<str>, Vec<Decl>>);

impl ByName {
    fn get(&self, name: &str) -> &[Decl] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    fn insert(&mut self, name: &str, declaration: Decl) {
        match self.0.get_mut(name) {
            Some(known) => {
                let place = known.partition_point(|other| *other < declaration);
                known.insert(place, declaration);
            }
            None => {
                self.0.insert(name.into(), vec![declaration]);
            }
        }
    }

    fn remove(&mut self, name: &str, file: FileId) {
        if let Some(known) = self.0.get_mut(name) {
            known.retain(|declaration| declaration.file != file);
            if known.is_empty() {
                self.0.remove(name);
            }
        }
    }
}

/// Name tables that do not depend on any resolution.
pub(super) struct Tables {
    files: IndexVec<FileId, FileTable>,
    /// Methods, for receivers whose type is not given in the text.
    methods: ByName,
    /// Methods that interfaces require.
    required: ByName,
    /// Macros, which are scoped by textual order, not by paths.
    macros: ByName,
    /// Global declarations: `declare global`.
    globals: ByName,
    /// Declarations by the key of their name in their package.
    in_packages: FxHashMap<u64, Vec<Decl>>,
    /// Imports of files that apply to others; see [`global_imports`].
    global_imports: Vec<(FileId, LocalImport)>,
    /// Parts of each package in path order, by the key of its path.
    packages: FxHashMap<u64, Vec<Scope>>,
    paths: FxHashMap<Box<str>, FileId>,
}

impl Tables {
    pub(super) fn new(project: &Project) -> Self {
        let entries = project.files().as_slice();
        let files: Vec<FileTable> = entries.par_iter().map(FileTable::new).collect();
        let paths =
            project.files().iter_enumerated().map(|(file, entry)| (entry.path.clone(), file)).collect();
        let mut tables = Self {
            files: files.into(),
            methods: ByName::default(),
            required: ByName::default(),
            macros: ByName::default(),
            globals: ByName::default(),
            in_packages: FxHashMap::default(),
            global_imports: Vec::new(),
            packages: FxHashMap::default(),
            paths,
        };
        for file in project.files().ids() {
            tables.add_names(project, file);
            let family = project.files()[file].language.family;
            let imports = global_imports(&project.files()[file]);
            tables.global_imports.extend(imports.map(|import| (file, import)));
            for (module, path) in &tables.files[file].packages {
                let parts: &mut Vec<Scope> = tables.packages.entry(in_package(family, path, "")).or_default();
                parts.push(Scope { file, module: *module });
            }
        }
        tables
    }

    /// Updates the tables after a change of a file.
    pub(super) fn update(&mut self, old: &Project, new: &Project, file: FileId) {
        let facts = &old.files()[file].facts;
        for symbol in facts.symbols.iter() {
            if let Some(by_name) = self.by_name(facts, symbol) {
                by_name.remove(&symbol.name, file);
            }
            if is_required(facts, symbol) {
                self.required.remove(&symbol.name, file);
            }
        }
        for (key, _) in names_in_packages(&old.files()[file]) {
            if let Some(known) = self.in_packages.get_mut(&key) {
                known.retain(|declaration| declaration.file != file);
            }
        }
        self.files[file] = FileTable::new(&new.files()[file]);
        self.add_names(new, file);
    }

    fn add_names(&mut self, project: &Project, file: FileId) {
        let facts = &project.files()[file].facts;
        for (local, symbol) in facts.symbols.iter_enumerated() {
            if let Some(by_name) = self.by_name(facts, symbol) {
                by_name.insert(&symbol.name, Decl::new(file, local));
            }
            if is_required(facts, symbol) {
                self.required.insert(&symbol.name, Decl::new(file, local));
            }
        }
        for (key, local) in names_in_packages(&project.files()[file]) {
            let declaration = Decl::new(file, local);
            let known = self.in_packages.entry(key).or_default();
            let place = known.partition_point(|other| *other < declaration);
            known.insert(place, declaration);
        }
    }

    /// Returns the declarations of a name in the package of a scope, in the order of the project.
    pub(super) fn in_package(&self, key: u64) -> &[Decl] {
        let found = self.in_packages.get(&key).map_or(&[][..], Vec::as_slice);
        &found[..found.len().min(MOST_OF_A_NAME)]
    }

    pub(super) fn global_imports(&self) -> &[(FileId, LocalImport)] {
        &self.global_imports
    }

    /// Returns the parts of a package.
    pub(super) fn parts(&self, family: &str, package: &str) -> &[Scope] {
        self.packages.get(&in_package(family, package, "")).map_or(&[], Vec::as_slice)
    }

    /// Returns the path of the package of a scope; `None` where packages are not shared by several files.
    pub(super) fn package(&self, scope: Scope) -> Option<&str> {
        let packages = &self.files[scope.file].packages;
        let at = packages.binary_search_by_key(&scope.module, |(module, _)| *module).ok()?;
        Some(&packages[at].1)
    }

    fn by_name(&mut self, facts: &FileFacts, symbol: &Symbol) -> Option<&mut ByName> {
        match symbol.kind {
            SymbolKind::Macro => Some(&mut self.macros),
            SymbolKind::Method => Some(&mut self.methods),
            _ if is_global(facts, symbol) => Some(&mut self.globals),
            _ => None,
        }
    }

    /// Returns the declarations of a name in a scope.
    pub(super) fn declared(&self, facts: &FileFacts, scope: Scope, name: &str) -> &[LocalSymbol] {
        self.files[scope.file].scopes.get((scope.module, name), symbol_place(facts))
    }

    /// Returns the declarations that a file exports under a name other than their own.
    pub(super) fn exported<'f>(
        &self,
        facts: &'f FileFacts,
        file: FileId,
        name: &'f str,
    ) -> impl ExactSizeIterator<Item = LocalSymbol> {
        let export = |at: u32| &facts.exports[at as usize];
        let found = self.files[file].exports.get((None, name), |at| (None, &export(at).name));
        found.iter().map(move |at| export(*at).symbol)
    }

    /// Returns the imports that bind a name in a scope.
    pub(super) fn imported(&self, facts: &FileFacts, scope: Scope, name: &str) -> &[LocalImport] {
        let place = |import: LocalImport| {
            let import = &facts.imports[import];
            (import.scope, &*import.local)
        };
        self.files[scope.file].imports.get((scope.module, name), place)
    }

    /// Returns the glob imports of a scope, which may be a function.
    pub(super) fn globs(&self, scope: Scope) -> impl DoubleEndedIterator<Item = LocalImport> {
        let globs = self.files[scope.file].globs.iter();
        globs.filter(move |(module, _)| *module == scope.module).map(|(_, glob)| *glob)
    }

    /// Returns the direct members `name` of a declaration.
    pub(super) fn members(
        &self,
        facts: &FileFacts,
        owner: Decl,
        name: &str,
    ) -> impl Iterator<Item = Decl> + use<'_> {
        let found = self.files[owner.file].members.get((Some(owner.symbol), name), symbol_place(facts));
        found.iter().map(move |member| Decl::new(owner.file, *member))
    }

    /// Returns the declaration that a file marks as its default export.
    pub(super) fn default(&self, file: FileId) -> Option<LocalSymbol> {
        self.files[file].default
    }

    /// Returns true if the value of a default export names `name`.
    pub(super) fn default_names(&self, export: Decl, name: &str) -> bool {
        let mut defaults = self.files[export.file].defaults.iter();
        defaults.any(|(from, named)| *from == export.symbol && **named == *name)
    }

    pub(super) fn methods(&self, name: &str) -> &[Decl] {
        self.methods.get(name)
    }

    pub(super) fn required(&self, name: &str) -> &[Decl] {
        self.required.get(name)
    }

    pub(super) fn macros(&self, name: &str) -> &[Decl] {
        self.macros.get(name)
    }

    pub(super) fn globals(&self, name: &str) -> &[Decl] {
        self.globals.get(name)
    }

    pub(super) fn flow(&self, file: FileId) -> &FlowTable {
        &self.files[file].flow
    }

    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.paths.get(path).copied()
    }
}

fn symbol_place<'f>(facts: &'f FileFacts) -> impl Fn(LocalSymbol) -> NameInDeclaration<'f> {
    |symbol| {
        let symbol = &facts.symbols[symbol];
        (symbol.parent, &symbol.name)
    }
}
