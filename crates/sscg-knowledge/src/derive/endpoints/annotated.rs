//! Routes in annotations of Java (Spring, JAX-RS, Micronaut) and in attributes of ASP.NET Core, and minimal APIs of the
//! latter.

use std::collections::BTreeMap;

use sscg_core::{FileId, SymbolId};

use super::framework::{Framework, method};
use super::reader::{Act, RouteReader};
use super::router::{PathText, Route, Router};
use crate::derive::annotation::{Annotation, annotations, paths, verb};

/// Annotations of classes that handle requests.
const CONTROLLERS: &[&str] =
    &["ApiController", "Controller", "Path", "RequestMapping", "RestController", "Route", "RoutePrefix"];

/// Name of the method in a path of ASP.NET.
const ACTION: &str = "[action]";

impl<'a> RouteReader<'a> {
    /// Finds the controllers of a file and the routes of their methods.
    pub(super) fn find_annotated(&mut self, file: FileId) {
        let mut by_class: BTreeMap<SymbolId, Vec<(SymbolId, Vec<Annotation<'a>>)>> = BTreeMap::new();
        let all = annotations(self.code, file);
        for (symbol, own) in &all {
            if let Some(class) = self.code.project.parent(*symbol) {
                by_class.entry(class).or_default().push((*symbol, own.clone()));
            }
        }
        for (class, members) in by_class {
            let own = all.get(&class).map_or(&[][..], Vec::as_slice);
            if !own.iter().any(|it| CONTROLLERS.contains(&it.name)) && !self.is_named_controller(class) {
                continue;
            }
            // Interfaces with these annotations are clients.
            if own
                .iter()
                .any(|it| matches!(it.name, "FeignClient" | "HttpExchange" | "RegisterRestClient" | "Client"))
            {
                continue;
            }
            for (symbol, annotations) in members {
                self.annotated_method(file, class, own, symbol, &annotations);
            }
        }
    }

    fn is_named_controller(&self, class: SymbolId) -> bool {
        let name = self.code.project.symbol_name(class);
        name.ends_with("Controller") || name.ends_with("Resource")
    }

    fn annotated_method(
        &mut self,
        file: FileId,
        class: SymbolId,
        of_class: &[Annotation<'a>],
        symbol: SymbolId,
        own: &[Annotation<'a>],
    ) {
        let methods: Vec<(String, &Annotation<'a>)> =
            own.iter().flat_map(|it| verb(self.code, it).into_iter().map(move |verb| (verb, it))).collect();
        let prefix = self.prefix(class, of_class);
        for (method, annotation) in methods {
            // The path can be in an annotation of its own.
            let mut own_paths = paths(self.code, annotation);
            if own_paths.is_empty() {
                let beside = own.iter().filter(|it| matches!(it.name, "Path" | "Route"));
                own_paths = beside.flat_map(|it| paths(self.code, it)).collect();
            }
            let has_path = prefix.is_some() || !own_paths.is_empty();
            // ASP.NET finds methods without a path by conventions of the application.
            if !has_path && annotation.name.starts_with("Http") {
                continue;
            }
            if own_paths.is_empty() {
                own_paths.push(PathText::exact(""));
            }
            for mut path in own_paths {
                let is_absolute = self.is_csharp(file) && path.text.starts_with(['/', '~']);
                // The prefix of a controller can contain the name of the method.
                let is_own = is_absolute || prefix.as_ref().is_some_and(|it| it.text.contains(ACTION));
                let router = Router::Declared(if is_own { symbol } else { class });
                self.found.apps.insert(router);
                if let (Some(prefix), false) = (&prefix, is_absolute) {
                    let text = self.with_action(&prefix.text, symbol);
                    self.found.prefixes.insert(router, PathText { text, exact: prefix.exact });
                }
                path.text = self.with_action(path.text.trim_start_matches('~'), symbol);
                let (handler, line) = (self.site_of(symbol), annotation.call.line);
                let method = method.as_str().into();
                self.found.routes.push(Route { router, method, path, handler, file, line });
            }
        }
    }

    /// Returns the path of a controller; `None` if no annotation gives one.
    fn prefix(&self, class: SymbolId, annotations: &[Annotation<'a>]) -> Option<PathText> {
        let is_prefix = |it: &&Annotation<'a>| {
            matches!(it.name, "Path" | "RequestMapping" | "Route")
                || it.name == "Controller" && it.is_of("io.micronaut")
        };
        let mut prefixes = annotations.iter().filter(is_prefix).flat_map(|it| paths(self.code, it));
        let mut path = prefixes.next()?;
        let name = self.code.project.symbol_name(class);
        path.text = path.text.replace("[controller]", name.strip_suffix("Controller").unwrap_or(name));
        let area =
            annotations.iter().filter(|it| it.name == "Area").flat_map(|it| paths(self.code, it)).next();
        if let Some(area) = area {
            path.text = path.text.replace("[area]", &area.text);
        }
        Some(path)
    }

    /// Returns a path of ASP.NET with the name of a method.
    fn with_action(&self, path: &str, method: SymbolId) -> String {
        let name = self.code.project.symbol_name(method);
        path.replace(ACTION, name.strip_suffix("Async").unwrap_or(name))
    }

    /// Reads `app.MapGroup("/orders")`.
    pub(super) fn map_group(&mut self, act: Act<'a>) {
        let Some(path) = act.call.positional(0).filter(|_| act.method == "MapGroup") else { return };
        let child = Router::Made(act.place.file, act.call.span);
        if self.framework(child).is_none() {
            let prefix = self.text_or_unknown(act.place.with(path));
            self.note(child, Framework::AspNet);
            self.mount(child, act.router, prefix);
        }
    }

    /// Reads `app.MapGet("/orders", list)`, `app.MapMethods("/orders", ["GET"], list)`.
    pub(super) fn minimal_api(&mut self, act: Act<'a>) {
        let [Some(path), Some(second)] = [0, 1].map(|at| act.call.positional(at)) else { return };
        match act.method.strip_prefix("Map") {
            Some("") => self.route(act, "ANY", path, Some(second)),
            Some("Methods") => {
                for method in self.code.elements(act.place.with(second)) {
                    // A text, or a constant such as `HttpMethods.Options`.
                    let text = self.text(method).map(|text| text.text);
                    let Some(name) = text.as_deref().or(method.expression.last_name()) else { continue };
                    self.route(act, &name.to_uppercase(), path, act.call.positional(2));
                }
            }
            Some(name) => {
                if let Some(method) = method(&name.to_lowercase()) {
                    self.route(act, method, path, Some(second));
                }
            }
            None => {}
        }
    }
}
