//! Next.js: the location of a file gives the path, and its exports give the methods.

use sscg_core::{FileId, SymbolId};

use super::path::join;
use super::reader::RouteReader;
use super::router::{PathText, Route, Router};
use crate::Site;

/// Methods that a route handler may export.
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

impl<'a> RouteReader<'a> {
    /// Finds the route handlers of every package that depends on Next.js.
    pub(super) fn read_next(&mut self) {
        let project = self.code.project;
        for manifest in &project.manifests().settings {
            let Some(root) = manifest.path.strip_suffix("package.json") else { continue };
            if !depends_on_next(&manifest.text) {
                continue;
            }
            for (file, entry) in project.files().iter_enumerated() {
                let Some(path) = entry.path.strip_prefix(root) else { continue };
                let path = path.strip_prefix("src/").unwrap_or(path);
                if self.code.is_test_file(file) {
                    continue;
                }
                if let Some(route) = of_app_directory(path) {
                    for (method, symbol) in self.exported_methods(file) {
                        self.next_route(file, method, &route, self.site_of(symbol));
                    }
                } else if let Some(route) = of_pages_directory(path)
                    && let Some(handler) = self.code.default_export(file)
                {
                    self.next_route(file, "ANY", &route, self.site_of(handler));
                }
            }
        }
    }

    fn next_route(&mut self, file: FileId, method: &str, path: &str, handler: Site) {
        let router = Router::File(file);
        self.found.apps.insert(router);
        let (path, line) = (PathText::exact(path), handler.line);
        self.found.routes.push(Route { router, method: method.into(), path, handler, file, line });
    }

    fn exported_methods(&self, file: FileId) -> Vec<(&'static str, SymbolId)> {
        let project = self.code.project;
        let facts = &project.files()[file].facts;
        let method = |name: &str| METHODS.iter().copied().find(|method| *method == name);
        let declared = facts.symbols.iter_enumerated().filter(|(_, it)| it.parent.is_none() && it.exported);
        let declared = declared.filter_map(|(local, symbol)| Some((method(&symbol.name)?, local)));
        let renamed = facts.exports.iter().filter_map(|export| Some((method(&export.name)?, export.symbol)));
        let all = declared.chain(renamed).map(|(method, local)| (method, project.symbol_id(file, local)));
        all.collect()
    }
}

fn depends_on_next(manifest: &str) -> bool {
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(manifest) else { return false };
    ["dependencies", "devDependencies"].iter().any(|of| manifest[of].get("next").is_some())
}

/// Returns the path of a route handler below `app`: `/users/[id]` for `app/(admin)/users/[id]/route.ts`.
fn of_app_directory(path: &str) -> Option<String> {
    let below = path.strip_prefix("app/")?;
    let (directories, name) = below.rsplit_once('/').unwrap_or(("", below));
    if name.split('.').next() != Some("route") {
        return None;
    }
    // Groups and slots are not part of the path.
    let segments = directories.split('/').filter(|segment| !segment.starts_with(['(', '@']));
    Some(join("", &segments.collect::<Vec<_>>().join("/")))
}

/// Returns the path of a file below `pages/api`.
fn of_pages_directory(path: &str) -> Option<String> {
    let below = path.strip_prefix("pages/").filter(|below| below.starts_with("api/"))?;
    let (stem, _) = below.rsplit_once('.')?;
    Some(join("", stem.strip_suffix("/index").unwrap_or(stem)))
}
