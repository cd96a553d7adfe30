//! ECMAScript modules: relative file paths, and packages by name.

mod resolver;
mod tree;

use sscg_core::ModuleSystem;

use super::{
    ContainerMethod, FunctionMethod, GlobalType, LanguageRules, ModuleTarget, RuleContext, Typing, Words,
    directory, join, normalize,
};
use crate::graph::Origin;
use crate::link::tables::Scope;

pub(super) use self::resolver::Resolver;

pub(super) struct EsModules;

/// File extensions that a specifier may omit, in the order in which bundlers and the compiler try them.
const ENDINGS: &[&str] = &[".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"];

/// Entry files of a package of the project whose manifest names none, or names a bundle.
const ENTRIES: &[&str] = &["src/index", "index", "lib/index", "src/main"];

/// Methods of the language's own types and of the DOM.
static COMMON_METHODS: Words = Words::new(|| include_str!("es_methods.txt").lines().collect());

/// Global names of ECMAScript, TypeScript's library, browsers and Node.
static GLOBALS: Words = Words::new(|| include_str!("es_globals.txt").lines().collect());

/// Modules that the Node runtime provides without a package.
const NODE_MODULES: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

impl LanguageRules for EsModules {
    fn resolve(&self, context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget {
        let path = context.path(from.file);
        let is_relative = module.starts_with('.');
        if is_relative && let Some(found) = normalize(directory(path), module) {
            let found = file_or_index(context, &found);
            if let Some(scope) = found {
                return ModuleTarget::Scope(scope);
            }
        }
        let resolver = context.layout.modules.as_ref();
        let found = resolver.and_then(|resolver| resolver.resolve(path, module));
        if let Some(file) = found.and_then(|path| context.first_file([path.into()])) {
            return ModuleTarget::Scope(Scope::file(file));
        }
        let is_alias = resolver.is_some_and(|resolver| resolver.is_alias(module));
        if is_relative || is_alias || module.starts_with(['/', '#']) {
            return ModuleTarget::Missing;
        }
        let package = context.packages().iter().find(|package| {
            let rest = module.strip_prefix(&*package.name);
            package.modules == ModuleSystem::EsModules
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if let Some(package) = package {
            let rest = module[package.name.len()..].trim_start_matches('/');
            let found = if rest.is_empty() {
                ENTRIES.iter().find_map(|entry| file_or_index(context, &join(&package.dir, entry)))
            } else {
                let direct = file_or_index(context, &join(&package.dir, rest));
                direct.or_else(|| file_or_index(context, &join(&package.dir, &join("src", rest))))
            };
            return found.map_or(ModuleTarget::Missing, ModuleTarget::Scope);
        }
        let standard = module.strip_prefix("node:").is_some()
            || NODE_MODULES.binary_search(&module.split('/').next().unwrap_or(module)).is_ok();
        let origin = if standard { Origin::StandardLibrary } else { Origin::ThirdParty };
        ModuleTarget::External(module.to_owned(), origin)
    }

    fn child(&self, _context: &RuleContext<'_>, _within: Scope, _name: &str) -> Option<Scope> {
        None
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn typing(&self) -> Typing {
        Typing::Dynamic
    }

    fn has_object_literals(&self) -> bool {
        true
    }

    fn is_prototype(&self, name: &str) -> bool {
        name == "prototype"
    }

    fn function_method(&self, name: &str) -> Option<FunctionMethod> {
        match name {
            "apply" | "call" => Some(FunctionMethod::Run),
            "bind" => Some(FunctionMethod::Hold),
            _ => None,
        }
    }

    fn infers_from_types(&self) -> bool {
        true
    }

    fn glob_offers(&self, _: &RuleContext<'_>, _: Scope, _: Scope, name: &str, public: bool) -> bool {
        public && name != "default"
    }

    fn lists_exports(&self) -> bool {
        true
    }

    fn merges_declarations(&self) -> bool {
        true
    }

    fn is_common_method(&self, name: &str) -> bool {
        COMMON_METHODS.contains(name)
    }

    fn states_types(&self, path: &str) -> bool {
        [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| path.ends_with(ending))
    }

    fn is_universal_method(&self, name: &str) -> bool {
        matches!(
            name,
            "constructor"
                | "hasOwnProperty"
                | "isPrototypeOf"
                | "propertyIsEnumerable"
                | "toLocaleString"
                | "toString"
                | "valueOf"
        )
    }

    fn is_implicit(&self, name: &str) -> bool {
        self.is_universal_method(name) && name != "constructor"
            || matches!(name, "then" | "toJSON")
            || name.starts_with("[Symbol.")
    }

    fn is_inert(&self, ty: &str) -> bool {
        ty == "Object" || ty.ends_with("Error")
    }

    fn global_type(&self, name: &str) -> Option<GlobalType> {
        Some(match name {
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "Extract" | "Exclude"
            | "Awaited" | "InstanceType" => GlobalType::Same,
            "ReturnType" => GlobalType::Result,
            "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" | "IterableIterator"
            | "Iterator" | "Generator" | "AsyncIterable" | "AsyncGenerator" | "ArrayLike" => {
                GlobalType::Holds(0)
            }
            "Map" | "ReadonlyMap" | "WeakMap" | "Record" => GlobalType::Holds(1),
            _ => return None,
        })
    }

    fn container_method(&self, name: &str) -> Option<ContainerMethod> {
        Some(match name {
            "at" | "find" | "findLast" | "get" | "pop" | "shift" => ContainerMethod::Element,
            "concat" | "filter" | "reverse" | "slice" | "sort" | "splice" | "toReversed" | "toSorted"
            | "values" => ContainerMethod::Same,
            _ => return None,
        })
    }

    fn container_callback(&self, name: &str) -> Option<u8> {
        match name {
            "every" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "flatMap"
            | "forEach" | "map" | "some" => Some(0),
            "reduce" | "reduceRight" => Some(1),
            _ => None,
        }
    }

    fn builtin(&self, name: &str) -> Option<String> {
        GLOBALS.contains(name).then(|| name.to_owned())
    }
}

/// Returns the file for a path without an extension, with one, or with that of the compiled file, or for a directory.
fn file_or_index(context: &RuleContext<'_>, path: &str) -> Option<Scope> {
    let compiled = [(".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")];
    let sources = compiled
        .into_iter()
        .filter_map(|(ending, source)| path.strip_suffix(ending).map(|stem| format!("{stem}{source}")));
    let endings = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
    let index = ENDINGS.iter().map(|ending| format!("{}{ending}", join(path, "index")));
    let exact = std::iter::once(path.to_owned());
    context.first_file(exact.chain(sources).chain(endings).chain(index)).map(Scope::file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_modules_are_sorted_for_the_search() {
        assert!(NODE_MODULES.is_sorted());
    }
}
