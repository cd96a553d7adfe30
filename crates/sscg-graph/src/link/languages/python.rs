//! Python packages: dotted paths, absolute from a search root or relative to the importing package.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, FileRole, ModuleSystem, Project};

use super::{LanguageRules, ModuleTarget, RuleContext, Typing, Words, ancestors, directory, join};
use crate::graph::Origin;
use crate::link::tables::Scope;

pub(super) struct PythonPackages;

/// Top-level modules of the standard library, except those that are internal to other modules.
static STANDARD_MODULES: Words = Words::new(|| include_str!("python_stdlib.txt").lines().collect());

/// Methods of the built-in types and of the files, locks and tasks of the standard library.
static COMMON_METHODS: Words = Words::new(|| include_str!("python_methods.txt").lines().collect());

static BUILTINS: Words = Words::new(|| include_str!("python_builtins.txt").lines().collect());

impl LanguageRules for PythonPackages {
    fn resolve(&self, context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget {
        let path = context.path(from.file);
        let names = module.trim_start_matches('.');
        let dots = module.len() - names.len();
        let relative = names.replace('.', "/");
        if dots > 0 {
            let Some(package) = ancestors(path).nth(dots - 1) else { return ModuleTarget::Missing };
            let target = if relative.is_empty() { package.to_owned() } else { join(package, &relative) };
            return module_file(context, &target).map_or(ModuleTarget::Missing, ModuleTarget::Scope);
        }
        let top = names.split('.').next().unwrap_or(names);
        let standard = STANDARD_MODULES.contains(top);
        // Search roots: the directories around the importing file that are not packages, and their `src`. The project
        // root may itself be inside a package, whose modules do not shadow the standard library.
        let root_hides = !standard || module_file(context, "").is_none();
        let roots = ancestors(path)
            .filter(|dir| if dir.is_empty() { root_hides } else { module_file(context, dir).is_none() })
            .flat_map(|dir| [dir.to_owned(), join(dir, "src")]);
        for root in roots {
            if let Some(scope) = module_file(context, &join(&root, &relative)) {
                return ModuleTarget::Scope(scope);
            }
        }
        if standard {
            return ModuleTarget::External(module.to_owned(), Origin::StandardLibrary);
        }
        // Modules of other packages of the tree, as they are installed: external if two packages have the module.
        let others = context.layout.python.roots.get(top).into_iter().flatten();
        let mut others = others.filter_map(|root| module_file(context, &join(root, &relative)));
        match (others.next(), others.next()) {
            (Some(only), None) => ModuleTarget::Scope(only),
            _ => ModuleTarget::External(module.to_owned(), Origin::ThirdParty),
        }
    }

    fn child(&self, context: &RuleContext<'_>, within: Scope, name: &str) -> Option<Scope> {
        let path = context.path(within.file);
        let is_package = path.ends_with("__init__.py") || path.ends_with("__init__.pyi");
        is_package.then(|| module_file(context, &join(directory(path), name))).flatten()
    }

    fn join(&self, directory: &str, name: &str) -> Option<String> {
        let separator = if directory.ends_with('.') { "" } else { "." };
        Some(format!("{directory}{separator}{name}"))
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn typing(&self) -> Typing {
        Typing::Dynamic
    }

    fn has_values_first(&self) -> bool {
        true
    }

    fn constructor(&self) -> &'static str {
        "__init__"
    }

    fn call_method(&self) -> Option<&'static str> {
        Some("__call__")
    }

    fn glob_offers(&self, _: &RuleContext<'_>, _: Scope, _: Scope, name: &str, _public: bool) -> bool {
        !name.starts_with('_')
    }

    fn has_last_glob_first(&self) -> bool {
        true
    }

    fn is_common_method(&self, name: &str) -> bool {
        COMMON_METHODS.contains(name)
    }

    fn is_implicit(&self, name: &str) -> bool {
        name.len() > 4 && name.starts_with("__") && name.ends_with("__") && name != "__init__"
    }

    fn is_inert(&self, ty: &str) -> bool {
        let module = ["builtins.", "abc.", "typing.", "typing_extensions."];
        let own = module.iter().find_map(|module| ty.strip_prefix(module));
        own.is_some_and(|name| {
            matches!(name, "object" | "ABC" | "Generic" | "Protocol" | "NamedTuple" | "TypedDict")
        }) || ["Enum", "Error", "Exception", "Warning"].iter().any(|kind| ty.ends_with(kind))
    }

    fn builtin(&self, name: &str) -> Option<String> {
        BUILTINS.contains(name).then(|| format!("builtins.{name}"))
    }

    fn instances_have_static_methods(&self) -> bool {
        true
    }

    fn binds_first_segment(&self) -> bool {
        true
    }
}

/// Location of a project's modules and packages.
pub(super) struct ModuleFiles {
    /// Files by path without the extension.
    files: FxHashMap<Box<str>, FileId>,
    /// Directories of a manifest, or named by one, that have modules, by the first segment of the modules' names.
    roots: FxHashMap<Box<str>, BTreeSet<Box<str>>>,
}

impl ModuleFiles {
    pub(super) fn new(project: &Project) -> Self {
        // A module takes precedence over a package of its name, and code over its stub.
        let mut files: Vec<(&str, usize, FileId)> = Vec::new();
        for (file, entry) in project.files().iter_enumerated() {
            let mut endings = ["/__init__.pyi", "/__init__.py", ".pyi", ".py"].into_iter().enumerate();
            let place =
                endings.find_map(|(rank, ending)| Some((entry.path.strip_suffix(ending)?, rank, file)));
            files.extend(place);
            if matches!(&*entry.path, "__init__.py" | "__init__.pyi") {
                files.push(("", 0, file));
            }
        }
        files.sort_unstable_by_key(|(_, rank, _)| *rank);
        let packages = project.packages().iter().filter(|it| it.modules == ModuleSystem::PythonPackages);
        let dirs: FxHashSet<String> =
            packages.flat_map(|package| [package.dir.to_string(), join(&package.dir, "src")]).collect();
        let mut roots: FxHashMap<Box<str>, BTreeSet<Box<str>>> = FxHashMap::default();
        for (path, rank, file) in &files {
            // Tests and scripts beside a package are not installed with it.
            if dirs.is_empty() || FileRole::of(&project.files()[*file].path) != FileRole::Source {
                continue;
            }
            for root in ancestors(path).filter(|dir| dirs.contains(*dir)) {
                let module = path[root.len()..].trim_start_matches('/');
                let (top, is_inside) = module.split_once('/').map_or((module, false), |(top, _)| (top, true));
                // A single module beside a manifest is mostly a script of an application.
                if is_inside || *rank < 2 || root.rsplit('/').next() == Some("src") {
                    roots.entry(top.into()).or_default().insert(root.into());
                }
            }
        }
        Self { files: files.into_iter().map(|(path, _, file)| (path.into(), file)).collect(), roots }
    }
}

/// Returns the module or package at a path without its extension.
fn module_file(context: &RuleContext<'_>, path: &str) -> Option<Scope> {
    context.layout.python.files.get(path).copied().map(Scope::file)
}
