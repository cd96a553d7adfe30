//! Rust crates: a tree of modules below a crate root, told from the conventional file layout.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use sscg_core::{FileId, ModuleSystem, SymbolKind};

use super::{Context, ModuleTarget, Modules, Words, ancestors, directory, join};
use crate::graph::Origin;
use crate::link::tables::Scope;

pub(super) struct RustCrates;

/// Methods of the standard library's common types.
static COMMON_METHODS: Words = Words::new(|| include_str!("rust_methods.txt").lines().collect());

/// The prelude, primitive types and macros of the standard library, by name.
static PRELUDE: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let named = |path: &'static str| (path.rsplit("::").next().unwrap_or(path), path);
    include_str!("rust_prelude.txt").lines().map(named).collect()
});

const STANDARD_CRATES: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];

impl Modules for RustCrates {
    fn resolve(&self, context: &Context<'_>, from: Scope, module: &str) -> ModuleTarget {
        let mut segments = module.split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return ModuleTarget::Missing };
        let mut at = match first {
            "crate" | "$crate" => crate_root(context, from),
            "self" => Some(from),
            "super" => parent(context, from),
            // A name in scope comes before a crate of that name.
            _ => match inline_or_file(context, from, first) {
                Some(module) => Some(module),
                None => match package_root(context, first) {
                    Some(root) => Some(root),
                    None => {
                        let standard = STANDARD_CRATES.contains(&first);
                        let origin = if standard { Origin::StandardLibrary } else { Origin::ThirdParty };
                        return ModuleTarget::Outside(module.to_owned(), origin);
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

    fn child(&self, context: &Context<'_>, within: Scope, name: &str) -> Option<Scope> {
        inline_or_file(context, within, name)
    }

    fn free_head(&self, context: &Context<'_>, from: Scope, name: &str) -> Option<ModuleTarget> {
        // Types and their parameters are written in CamelCase, crates and modules are not.
        let may_be_module = !name.starts_with(|first: char| first.is_uppercase());
        may_be_module.then(|| self.resolve(context, from, name))
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn statically_typed(&self) -> bool {
        true
    }

    fn glob_offers(
        &self,
        context: &Context<'_>,
        from: Scope,
        module: Scope,
        _name: &str,
        public: bool,
    ) -> bool {
        // Code inside a module sees its private names.
        public || modules_around(context, from).any(|around| around == module)
    }

    fn is_common_method(&self, name: &str) -> bool {
        COMMON_METHODS.contains(name)
    }

    fn builtin(&self, name: &str) -> Option<String> {
        PRELUDE.get(name).map(|path| (*path).to_owned())
    }
}

/// The module `name` of the module `within`: written out in it, or a file of its own.
fn inline_or_file(context: &Context<'_>, within: Scope, name: &str) -> Option<Scope> {
    let facts = &context.project.files()[within.file].facts;
    let declared = context.tables.names(within).and_then(|names| names.symbols.get(name));
    let inline =
        declared.into_iter().flatten().find(|symbol| facts.symbols[**symbol].kind == SymbolKind::Module);
    if let Some(module) = inline {
        return Some(Scope { file: within.file, module: Some(*module) });
    }
    let directory = join(&children_directory(context, within), name);
    context.first_file([format!("{directory}.rs"), join(&directory, "mod.rs")]).map(Scope::file)
}

/// Where the files of a module's children lie.
fn children_directory(context: &Context<'_>, within: Scope) -> String {
    let path = context.path(within.file);
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
    let mut directory = directory(path).to_owned();
    // The root of an integration test, example or build script keeps its modules beside itself.
    let is_root = crate_root(context, Scope::file(within.file)) == Some(Scope::file(within.file));
    if stem != "mod" && !is_root {
        directory = join(&directory, stem);
    }
    if let Some(module) = within.module {
        let facts = &context.project.files()[within.file].facts;
        for name in facts.qualified_name(module).split('.') {
            directory = join(&directory, name);
        }
    }
    directory
}

/// The module around a module.
fn parent(context: &Context<'_>, of: Scope) -> Option<Scope> {
    let facts = &context.project.files()[of.file].facts;
    if let Some(module) = of.module {
        return Some(Scope { file: of.file, module: facts.symbols[module].parent });
    }
    let path = context.path(of.file);
    let directory = directory(path);
    let outer = if path.ends_with("/mod.rs") { super::directory(directory) } else { directory };
    let own_file = (!outer.is_empty()).then(|| format!("{outer}.rs"));
    let candidates = [join(outer, "mod.rs"), join(outer, "lib.rs"), join(outer, "main.rs")];
    context.first_file(own_file.into_iter().chain(candidates)).map(Scope::file)
}

/// A module and those around it, innermost first.
fn modules_around(context: &Context<'_>, module: Scope) -> impl Iterator<Item = Scope> {
    // A broken tree may lead back to itself.
    std::iter::successors(Some(module), |at| parent(context, *at).filter(|around| around != at)).take(32)
}

/// The root of the crate a module belongs to.
fn crate_root(context: &Context<'_>, of: Scope) -> Option<Scope> {
    let path = context.path(of.file);
    let own_directory = directory(path);
    let in_bin = own_directory.ends_with("/bin") || own_directory == "src/bin";
    if in_bin {
        return Some(Scope::file(of.file));
    }
    let root = ancestors(path).find_map(|dir| {
        let name = dir.rsplit('/').next().unwrap_or(dir);
        // A package directory holds crates, and is none itself.
        let beside_sources = matches!(name, "tests" | "examples" | "benches")
            && !ancestors(dir).any(|outer| crate_file(context, outer).is_some());
        if beside_sources {
            let top = path[dir.len()..].trim_start_matches('/').split('/').next()?;
            return context.first_file([join(dir, top), join(&join(dir, top), "main.rs")]);
        }
        crate_file(context, dir)
    });
    Some(Scope::file(root.unwrap_or(of.file)))
}

/// The root of a crate whose sources lie in this directory.
fn crate_file(context: &Context<'_>, directory: &str) -> Option<FileId> {
    context.first_file([join(directory, "lib.rs"), join(directory, "main.rs")])
}

/// The root module of a package of the project.
fn package_root(context: &Context<'_>, name: &str) -> Option<Scope> {
    let package = context.project.packages().iter().find(|package| {
        package.modules == ModuleSystem::RustCrates && package.name.replace('-', "_") == name
    })?;
    context.first_file([join(&package.dir, "src/lib.rs"), join(&package.dir, "lib.rs")]).map(Scope::file)
}
