//! Resolution of specifiers that are not relative paths: packages of the project by name, their `exports` and
//! `imports`, and `paths` of `tsconfig.json`. Uses `oxc_resolver`.

use std::path::Path;
use std::sync::{Arc, RwLock};

use oxc_resolver::{ResolveOptions, ResolverGeneric, TsconfigDiscovery};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use sscg_core::Project;

use super::tree::{Disk, ROOT, Tree};
use crate::link::languages::directory;

/// Resolver with a cache by directory and specifier. Results depend on the manifests and on which files exist, not on
/// the contents of source files.
pub(in crate::link) struct Resolver {
    tree: Arc<Tree>,
    /// One with the settings of the nearest `tsconfig.json`, and one without, in case that file is broken.
    resolvers: [ResolverGeneric<Disk>; 2],
    /// Resolved files, by directory of the importing file and by specifier.
    known: RwLock<FxHashMap<Box<str>, Known>>,
}

/// Resolved files of one directory, by specifier.
type Known = FxHashMap<Box<str>, Option<Box<str>>>;

impl Resolver {
    /// Creates a resolver for a project; `None` if it has no manifests, so that all packages are external.
    pub(in crate::link) fn new(project: &Project) -> Option<Self> {
        if project.manifests().settings.is_empty() {
            return None;
        }
        let tree = Arc::new(Tree::new(project));
        let plain = options(project);
        let configured = ResolveOptions { tsconfig: Some(TsconfigDiscovery::Auto), ..plain.clone() };
        let resolver = ResolverGeneric::new_with_file_system(Disk(Arc::clone(&tree)), configured);
        let fallback = resolver.clone_with_options(plain);
        Some(Self { tree, resolvers: [resolver, fallback], known: RwLock::default() })
    }

    /// Returns true if the project's `paths` cover a specifier.
    pub(super) fn is_alias(&self, specifier: &str) -> bool {
        self.tree.is_alias(specifier)
    }

    /// Returns the project file that a specifier in the file at `from` refers to.
    pub(super) fn resolve(&self, from: &str, specifier: &str) -> Option<Box<str>> {
        let dir = directory(from);
        let known = self.known.read().expect("no thread panicked with it");
        if let Some(found) = known.get(dir).and_then(|known| known.get(specifier)) {
            return found.clone();
        }
        drop(known);
        let file = Path::new(ROOT).join(from);
        let mut found =
            self.resolvers.iter().filter_map(|resolver| resolver.resolve_file(&file, specifier).ok());
        let found = found.find_map(|found| self.tree.file(found.path())).map(String::into_boxed_str);
        let mut known = self.known.write().expect("no thread panicked with it");
        known.entry(dir.into()).or_default().insert(specifier.into(), found.clone());
        found
    }
}

fn options(project: &Project) -> ResolveOptions {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let alias = |ending: &str, sources: &[&str]| (ending.to_owned(), owned(sources));
    let mut condition_names =
        owned(&["types", "import", "module", "node", "require", "browser", "development"]);
    condition_names.extend(source_conditions(project));
    ResolveOptions {
        cwd: Some(ROOT.into()),
        condition_names,
        extensions: owned(super::ENDINGS),
        extension_alias: vec![
            alias(".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
            alias(".jsx", &[".tsx", ".jsx"]),
            alias(".mjs", &[".mts", ".d.mts", ".mjs"]),
            alias(".cjs", &[".cts", ".d.cts", ".cjs"]),
        ],
        main_fields: owned(&["source", "types", "typings", "module", "main"]),
        symlinks: false,
        node_path: false,
        ..ResolveOptions::default()
    }
}

/// Returns the conditions under which packages of the project export their sources: `source`, `@scope/source`.
fn source_conditions(project: &Project) -> FxHashSet<String> {
    let mut conditions = FxHashSet::default();
    for manifest in
        project.manifests().settings.iter().filter(|manifest| manifest.path.ends_with("package.json"))
    {
        if let Ok(package) = serde_json::from_str::<Value>(&manifest.text) {
            collect_conditions(&package["exports"], &mut conditions);
        }
    }
    conditions
}

fn collect_conditions(exports: &Value, conditions: &mut FxHashSet<String>) {
    let Value::Object(entries) = exports else { return };
    for (name, value) in entries {
        if name == "source" || name.ends_with("/source") || name.ends_with("-source") {
            conditions.insert(name.clone());
        }
        collect_conditions(value, conditions);
    }
}
