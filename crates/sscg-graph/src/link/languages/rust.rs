//! Rust crates: a tree of modules below a crate root, derived from the conventional file layout.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use sscg_core::{FileId, Import, IndexVec, ModuleSystem, Project, ProjectFile, SymbolKind};

use super::{
    LanguageRules, ModuleTarget, RuleContext, Signature, Typing, Words, ancestors, directory, join,
    normalize, rust_cfg, rust_values,
};
use crate::graph::Origin;
use crate::link::tables::{Decl, Scope, Tables};

pub(super) struct RustCrates;

/// Methods of the standard library's common types.
static COMMON_METHODS: Words = Words::new(|| include_str!("rust_methods.txt").lines().collect());

/// Prelude, primitive types and macros of the standard library, by name.
static PRELUDE: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let named = |path: &'static str| (path.rsplit("::").next().unwrap_or(path), path);
    include_str!("rust_prelude.txt").lines().map(named).collect()
});

const STANDARD_CRATES: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];

impl LanguageRules for RustCrates {
    fn resolve(&self, context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget {
        if module.starts_with("./") {
            let found = file_at(context, from, module);
            return found.map_or(ModuleTarget::Missing, ModuleTarget::Scope);
        }
        let mut segments = module.split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return ModuleTarget::Missing };
        let mut at = match first {
            "crate" | "$crate" => Some(Scope::file(context.layout.crates.roots[from.file])),
            "self" => Some(from),
            "super" => parent(context, from),
            // A name in scope takes precedence over a crate of that name.
            _ => match inline_or_file(context, from, first) {
                Some(module) => Some(module),
                None => match package_root(context, from, first) {
                    Some(root) => Some(root),
                    None => {
                        let standard = STANDARD_CRATES.contains(&first);
                        let origin = if standard { Origin::StandardLibrary } else { Origin::ThirdParty };
                        return ModuleTarget::External(module.to_owned(), origin);
                    }
                },
            },
        };
        for segment in segments {
            at = match at {
                None => return ModuleTarget::Missing,
                Some(within) if segment == "super" => parent(context, within),
                Some(within) if segment == "self" => Some(within),
                Some(within) => inline_or_file(context, within, segment),
            };
        }
        at.map_or(ModuleTarget::Missing, ModuleTarget::Scope)
    }

    fn child(&self, context: &RuleContext<'_>, within: Scope, name: &str) -> Option<Scope> {
        match name {
            "super" => parent(context, within),
            _ => inline_or_file(context, within, name),
        }
    }

    fn free_head(&self, context: &RuleContext<'_>, from: Scope, name: &str) -> Option<ModuleTarget> {
        // Types and their parameters are written in CamelCase, crates and modules are not.
        let may_be_module = !name.starts_with(|first: char| first.is_uppercase());
        may_be_module.then(|| self.resolve(context, from, name))
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn typing(&self) -> Typing {
        Typing::Static
    }

    fn exports_macros(&self) -> bool {
        true
    }

    fn evaluates_paths(&self) -> bool {
        true
    }

    fn calls_fields(&self) -> bool {
        false
    }

    fn rejects_ambiguous_members(&self) -> bool {
        true
    }

    fn glob_offers(
        &self,
        context: &RuleContext<'_>,
        from: Scope,
        module: Scope,
        _name: &str,
        public: bool,
    ) -> bool {
        // Code inside a module sees its private names.
        public || modules_around(context, from).any(|around| around == module)
    }

    fn sees_private(&self, context: &RuleContext<'_>, from: FileId, file: FileId) -> bool {
        modules_around(context, Scope::file(from)).any(|around| around.file == file)
    }

    fn is_common_method(&self, name: &str) -> bool {
        COMMON_METHODS.contains(name)
    }

    fn library_method(&self, ty: &str, method: &str) -> Option<&'static Signature> {
        rust_values::signature(ty, method)
    }

    fn is_left_out(&self, condition: &str, features: Option<&[Box<str>]>) -> bool {
        rust_cfg::holds(condition, features) == Some(false)
    }

    fn is_switched_off(&self, condition: &str, features: Option<&[Box<str>]>) -> bool {
        rust_cfg::is_switched_off(condition, features)
    }

    fn module_conditions<'a>(&self, context: &RuleContext<'a>, file: FileId) -> Vec<&'a str> {
        let mut conditions = Vec::new();
        for module in modules_around(context, Scope::file(file)) {
            let around = match module.module {
                Some(inline) => context.symbol(Decl::new(module.file, inline)).condition.as_deref(),
                None => parent(context, module).and_then(|outer| {
                    let name = module_name(context.path(module.file));
                    let mut imports = context.imported(outer, name).iter();
                    let facts = context.facts(outer.file);
                    imports.find_map(|import| facts.imports[*import].condition.as_deref())
                }),
            };
            conditions.extend(around);
        }
        conditions
    }

    fn is_closure(&self, ty: &str) -> bool {
        matches!(ty, "Fn" | "FnMut" | "FnOnce")
    }

    fn is_pointer(&self, ty: &str) -> bool {
        rust_values::is_pointer(ty)
    }

    fn builtin(&self, name: &str) -> Option<String> {
        PRELUDE.get(name).map(|path| (*path).to_owned())
    }
}

/// Locations of the modules of a project's crates, derived only from paths and `#[path = ".."]`.
pub(super) struct Crates {
    /// Crate root of each file.
    roots: IndexVec<FileId, FileId>,
    /// Directory of each file's child modules.
    directories: IndexVec<FileId, String>,
    /// Files by the directory of their sibling modules, and by name.
    modules: FxHashMap<Box<str>, FxHashMap<Box<str>, FileId>>,
    /// Module that declares a file by `#[path = ".."]`; the first, if several do.
    declared_in: FxHashMap<FileId, Scope>,
    /// Files declared by `#[path = ".."]`, by the directory of their own modules; the first of each.
    declared_beside: FxHashMap<Box<str>, FileId>,
}

impl Crates {
    pub(super) fn new(project: &Project, tables: &Tables) -> Self {
        let mut crates = Self {
            roots: IndexVec::new(),
            directories: IndexVec::new(),
            modules: FxHashMap::default(),
            declared_in: FxHashMap::default(),
            declared_beside: FxHashMap::default(),
        };
        for (file, entry) in project.files().iter_enumerated() {
            let root = crate_root(tables, &entry.path).unwrap_or(file);
            crates.roots.push(root);
            let own = directory(&entry.path);
            let stem = file_stem(&entry.path);
            // The root of an integration test, example or build script keeps its modules beside itself.
            let beside = stem == "mod" || root == file;
            crates.directories.push(if beside { own.to_owned() } else { join(own, stem) });
            if entry.language.modules == ModuleSystem::RustCrates {
                let (outer, name) =
                    if stem == "mod" { (directory(own), file_name(own)) } else { (own, stem) };
                // The compiler rejects `name.rs` beside `name/mod.rs`.
                let modules = crates.modules.entry(outer.into()).or_default();
                modules.entry(name.into()).or_insert(file);
            }
        }
        for (file, entry) in project.files().iter_enumerated() {
            for import in path_attributes(entry) {
                let within = Scope { file, module: import.scope };
                let path = crates.path_of(project, within, &import.module);
                let Some(found) = path.and_then(|path| tables.file(&path)) else { continue };
                let path = &project.files()[found].path;
                let is_stray = crates.roots[found] == found && crate_root(tables, path).is_none();
                // Tests and build scripts may include a file of another crate, where its own path determines its
                // module.
                let is_own = is_stray || crates.roots[found] == crates.roots[file];
                if found == file || !is_own || crates.declared_in.contains_key(&found) {
                    continue;
                }
                crates.declared_in.insert(found, within);
                if is_stray {
                    crates.roots[found] = crates.roots[file];
                }
                // Like a crate root, it keeps its modules beside itself, unless the directory of its own name has some.
                if !crates.modules.contains_key(&*crates.directories[found]) {
                    let beside = directory(path);
                    crates.directories[found] = beside.to_owned();
                    crates.declared_beside.entry(beside.into()).or_insert(found);
                }
            }
        }
        crates
    }

    /// Returns the path that `#[path = ".."] mod name;` in the module `within` refers to.
    fn path_of(&self, project: &Project, within: Scope, path: &str) -> Option<String> {
        let from = match within.module {
            None => Cow::Borrowed(directory(&project.files()[within.file].path)),
            Some(_) => self.children_of(project, within),
        };
        normalize(&from, path)
    }

    /// Returns the directory of the module files in `within`. The compiler looks elsewhere if an inline module also has
    /// a `path` attribute.
    fn children_of<'a>(&'a self, project: &Project, within: Scope) -> Cow<'a, str> {
        let directory = &*self.directories[within.file];
        let Some(module) = within.module else { return Cow::Borrowed(directory) };
        let inner = project.files()[within.file].facts.qualified_name(module).replace('.', "/");
        Cow::Owned(join(directory, &inner))
    }
}

/// Returns the modules of a Rust file that a `path` attribute reads from files of other names.
pub(in crate::link) fn path_attributes(file: &ProjectFile) -> impl Iterator<Item = &Import> {
    let is_rust = file.language.modules == ModuleSystem::RustCrates;
    let imports = is_rust.then(|| file.facts.imports.iter()).into_iter().flatten();
    imports.filter(|import| import.module.starts_with("./"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    name.strip_suffix(".rs").unwrap_or(name)
}

/// Returns the name of the module that a file at a conventional path contains.
fn module_name(path: &str) -> &str {
    match file_stem(path) {
        "mod" => file_name(directory(path)),
        name => name,
    }
}

/// Returns the module `name` of the module `within`: inline, or a file of its own.
fn inline_or_file(context: &RuleContext<'_>, within: Scope, name: &str) -> Option<Scope> {
    let facts = context.facts(within.file);
    let declared = context.declared(within, name).iter();
    let inline = declared.filter(|symbol| facts.symbols[**symbol].kind == SymbolKind::Module);
    let mut inline: Vec<Decl> = inline.map(|module| Decl::new(within.file, *module)).collect();
    context.built(&RustCrates, &mut inline);
    if let Some(module) = inline.first() {
        return Some(Scope { file: within.file, module: Some(module.symbol) });
    }
    let directory = context.layout.crates.children_of(context.project(), within);
    let beside = context.layout.crates.modules.get(&*directory).and_then(|files| files.get(name));
    let imports = context.imported(within, name).iter().map(|import| &facts.imports[*import]);
    // If a file has the conventional name, conditional attributes are for special builds.
    let mut elsewhere = imports
        .filter(|it| it.module.starts_with("./") && (beside.is_none() || it.condition.is_none()))
        .filter(|it| context.is_built(&RustCrates, within.file, it.condition.as_deref()));
    let elsewhere = elsewhere.find_map(|it| file_at(context, within, &it.module));
    elsewhere.or_else(|| beside.copied().map(Scope::file))
}

/// Returns the file of `#[path = ".."] mod name;` in the module `within`.
fn file_at(context: &RuleContext<'_>, within: Scope, path: &str) -> Option<Scope> {
    context.first_file(context.layout.crates.path_of(context.project(), within, path)).map(Scope::file)
}

/// Returns the parent of a module.
fn parent(context: &RuleContext<'_>, of: Scope) -> Option<Scope> {
    let facts = context.facts(of.file);
    if let Some(module) = of.module {
        return Some(Scope { file: of.file, module: facts.symbols[module].parent });
    }
    if let Some(around) = context.layout.crates.declared_in.get(&of.file) {
        return Some(*around);
    }
    let path = context.path(of.file);
    let directory = directory(path);
    let outer = if path.ends_with("/mod.rs") { super::directory(directory) } else { directory };
    let own_file = (!outer.is_empty()).then(|| format!("{outer}.rs"));
    let candidates = [join(outer, "mod.rs"), join(outer, "lib.rs"), join(outer, "main.rs")];
    let conventional = context.first_file(own_file.into_iter().chain(candidates));
    let declared = || context.layout.crates.declared_beside.get(outer).copied();
    conventional.or_else(declared).map(Scope::file)
}

/// Returns a module and its ancestors, innermost first.
fn modules_around(context: &RuleContext<'_>, module: Scope) -> impl Iterator<Item = Scope> {
    // A broken tree may have cycles.
    std::iter::successors(Some(module), |at| parent(context, *at).filter(|around| around != at)).take(32)
}

/// Returns the root of the crate that the file at `path` belongs to; `None` if the file is a crate root itself.
fn crate_root(tables: &Tables, path: &str) -> Option<FileId> {
    let own_directory = directory(path);
    if own_directory.ends_with("/bin") || own_directory == "src/bin" {
        return None;
    }
    let first_file = |paths: [String; 2]| paths.iter().find_map(|path| tables.file(path));
    let crate_file = |dir: &str| first_file([join(dir, "lib.rs"), join(dir, "main.rs")]);
    ancestors(path).find_map(|dir| {
        // `tests`, `examples` and `benches` hold crates and are not crates. Below a crate root, they belong to a
        // module.
        let holds_crates = matches!(file_name(dir), "tests" | "examples" | "benches")
            && !ancestors(dir).any(|outer| crate_file(outer).is_some());
        if holds_crates {
            let top = path[dir.len()..].trim_start_matches('/').split('/').next()?;
            return first_file([join(dir, top), join(&join(dir, top), "main.rs")]);
        }
        crate_file(dir)
    })
}

/// Returns the root module of a package of the project, by its name in the code of `from`.
fn package_root(context: &RuleContext<'_>, from: Scope, name: &str) -> Option<Scope> {
    let renamed = context.package(from.file).into_iter().flat_map(|package| &package.renamed);
    let name = renamed
        .into_iter()
        .find(|(alias, _)| **alias == *name)
        .map_or(Cow::Borrowed(name), |(_, own)| Cow::Owned(own.replace('-', "_")));
    let package = context.packages().iter().find(|package| {
        package.modules == ModuleSystem::RustCrates && package.name.replace('-', "_") == name
    })?;
    context.first_file([join(&package.dir, "src/lib.rs"), join(&package.dir, "lib.rs")]).map(Scope::file)
}
