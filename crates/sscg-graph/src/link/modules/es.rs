//! ECMAScript modules: relative file paths, and packages by name.

use sscg_core::ModuleSystem;

use super::{ModuleTarget, Modules, Words, directory, join};
use crate::graph::Origin;
use crate::link::context::Context;
use crate::link::tables::Scope;

pub(super) struct EsModules;

/// What may stand for the ending of a specifier, in the order bundlers and the compiler try them.
const ENDINGS: &[&str] = &[".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"];

/// Where a package of the project keeps its entry file when no manifest field is known.
const ENTRIES: &[&str] = &["src/index", "index", "lib/index", "src/main"];

/// Methods of the language's own types and of the document object model.
static COMMON_METHODS: Words = Words::new(|| include_str!("es_methods.txt").lines().collect());

/// What ECMAScript, TypeScript's library, browsers and Node declare globally.
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

impl Modules for EsModules {
    fn resolve(&self, context: &Context<'_>, from: Scope, module: &str) -> ModuleTarget {
        if module.starts_with('.') {
            let path = normalise(directory(context.path(from.file)), module);
            return match path.and_then(|path| file_or_index(context, &path)) {
                Some(scope) => ModuleTarget::Scope(scope),
                None => ModuleTarget::Missing,
            };
        }
        let package = context.packages().iter().find(|package| {
            package.modules == ModuleSystem::EsModules
                && module
                    .strip_prefix(&*package.name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
        ModuleTarget::Outside(module.to_owned(), origin)
    }

    fn child(&self, _context: &Context<'_>, _within: Scope, _name: &str) -> Option<Scope> {
        None
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn statically_typed(&self) -> bool {
        false
    }

    fn glob_offers(&self, _: &Context<'_>, _: Scope, _: Scope, name: &str, public: bool) -> bool {
        public && name != "default"
    }

    fn lists_exports(&self) -> bool {
        true
    }

    fn is_common_method(&self, name: &str) -> bool {
        COMMON_METHODS.contains(name)
    }

    fn builtin(&self, name: &str) -> Option<String> {
        GLOBALS.contains(name).then(|| name.to_owned())
    }
}

/// The file a path without an ending, with an ending, or with the compiled ending stands for.
fn file_or_index(context: &Context<'_>, path: &str) -> Option<Scope> {
    let compiled = [(".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")];
    let sources = compiled
        .into_iter()
        .filter_map(|(ending, source)| path.strip_suffix(ending).map(|stem| format!("{stem}{source}")));
    let endings = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
    let index = ENDINGS.iter().map(|ending| format!("{}{ending}", join(path, "index")));
    let exact = std::iter::once(path.to_owned());
    context.first_file(exact.chain(sources).chain(endings).chain(index)).map(Scope::file)
}

/// `directory` followed along a relative specifier; `None` if it leaves the project.
fn normalise(directory: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_followed_from_the_importing_directory() {
        assert_eq!(normalise("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(normalise("", "./x").as_deref(), Some("x"));
        assert_eq!(normalise("", "../x"), None);
    }

    #[test]
    fn node_modules_are_sorted_for_the_search() {
        assert!(NODE_MODULES.is_sorted());
    }
}
