//! Django REST framework: view sets that are registered on routers, and their actions.

use std::collections::BTreeMap;

use sscg_core::wiring::{Call, Decorator, Expression};

use super::framework::method;
use super::path::of_pattern;
use super::python::argument;
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use super::views::Lineage;
use crate::Site;
use crate::derive::code::At;

/// Operations of view sets with their methods, and true for those of one object.
const OPERATIONS: &[(&str, &str, bool)] = &[
    ("list", "get", false),
    ("create", "post", false),
    ("retrieve", "get", true),
    ("update", "put", true),
    ("partial_update", "patch", true),
    ("destroy", "delete", true),
];

/// Action of a view set: a method with a path of its own.
struct Action {
    /// HTTP methods in lowercase.
    methods: Vec<String>,
    /// True if the action is one of a single object.
    is_detail: bool,
    /// Path below that of the view set or of the object.
    path: PathText,
    handler: Site,
}

impl<'a> RouteReader<'a> {
    /// Reads a call on a router of Django REST framework.
    pub(super) fn rest(&mut self, act: Act<'a>) {
        match act.method {
            "register" => self.register(act),
            // `router.registry.extend(other.registry)`
            "extend" => {
                let Some(other) = act.call.positional(0) else { return };
                for child in self.routers(act.place.with(other)) {
                    self.mount(child, act.router, PathText::exact(""));
                }
            }
            _ => {}
        }
    }

    /// Reads the prefix of a nested router: `NestedSimpleRouter(router, "domains", lookup="domain")`. It is included
    /// beside its parent, not by it.
    pub(super) fn nested_router(&mut self, router: Router, call: &'a Call, place: At<'a>) {
        let Some(parent) = call.positional(0).or_else(|| call.named("parent_router")) else { return };
        let prefix = call.positional(1).or_else(|| call.named("parent_prefix"));
        let Some(prefix) = prefix.and_then(|prefix| self.path_of_pattern(place.with(prefix))) else { return };
        let lookup = call.named("lookup").and_then(|lookup| self.text(place.with(lookup)));
        let lookup = lookup.map_or_else(|| "nested".to_owned(), |lookup| lookup.text);
        let prefix = prefix.below(&PathText::exact(format!("{{{lookup}_pk}}")));
        let parents = self.routers(place.with(parent));
        let outer = parents.first().and_then(|parent| self.found.prefixes.get(parent)).cloned();
        self.found.prefixes.insert(router, outer.unwrap_or_else(|| PathText::exact("")).below(&prefix));
    }

    /// Reads `router.register("users", UserViewSet)`.
    fn register(&mut self, act: Act<'a>) {
        let (prefix, set) = (argument(act, 0, "prefix"), argument(act, 1, "viewset"));
        let Some(prefix) = prefix.and_then(|prefix| self.path_of_pattern(act.place.with(prefix))) else {
            return;
        };
        // The routes of external view sets are not handled by this code.
        let Some(class) = set.and_then(|set| self.code.declaration(act.place.with(set))) else { return };
        let set = self.lineage(class);
        let admitted = self.admitted(&set);
        let is_admitted = |name: &str| admitted.as_ref().is_none_or(|all| all.iter().any(|it| it == name));
        let object = prefix.below(&PathText::exact(self.object_parameter(&set)));
        let end = if self.has_no_slash(act.router) { "" } else { "/" };
        for (operation, name, is_detail) in OPERATIONS {
            let Some(handler) = self.member(&set, operation).filter(|_| is_admitted(name)) else { continue };
            let path = if *is_detail { &object } else { &prefix };
            self.operation(act, name, path, end, handler);
        }
        for action in self.actions(&set) {
            let path = if action.is_detail { &object } else { &prefix }.below(&action.path);
            for name in action.methods.iter().filter(|name| is_admitted(name)) {
                self.operation(act, name, &path, end, action.handler);
            }
        }
    }

    fn operation(&mut self, act: Act<'a>, name: &str, path: &PathText, end: &str, handler: Site) {
        let text = if path.text.is_empty() { String::new() } else { format!("{}{end}", path.text) };
        if let Some(method) = method(name) {
            self.answer(act, method, PathText { text, exact: path.exact }, handler);
        }
    }

    /// Returns the parameter for one object of a view set: `{pk}`, or that of `lookup_field`.
    fn object_parameter(&self, set: &Lineage<'_>) -> String {
        let mut named = ["lookup_url_kwarg", "lookup_field"].into_iter();
        let name = named.find_map(|name| self.text(self.attribute(set, name)?));
        format!("{{{}}}", name.as_ref().map_or("pk", |name| name.text.as_str()))
    }

    /// True if the paths of a router do not end with a slash: `DefaultRouter(trailing_slash=False)`.
    fn has_no_slash(&self, router: Router) -> bool {
        let Router::Made(file, span) = router else { return false };
        let mut calls = self.code.wired(file).calls();
        let made = calls.find(|call| call.span == span);
        made.and_then(|made| made.named("trailing_slash")).and_then(truth) == Some(false)
    }

    /// Returns the path of a text that may be a regular expression; `None` if it is unknown.
    fn path_of_pattern(&self, it: At<'a>) -> Option<PathText> {
        let text = self.text(it)?;
        Some(PathText { text: of_pattern(&text.text)?, exact: text.exact })
    }

    /// Returns the actions of a view set and of its base classes.
    fn actions(&self, set: &Lineage<'_>) -> Vec<Action> {
        let project = self.code.project;
        let mut actions: BTreeMap<&str, Action> = BTreeMap::new();
        let mut further = Vec::new();
        for class in &set.classes {
            let file = project.symbol_file(*class);
            for decorator in self.code.wired(file).decorators() {
                let Some(handler) = self.declared_at(file, decorator.target) else { continue };
                let Some(symbol) = handler.symbol.filter(|it| project.parent(*it) == Some(*class)) else {
                    continue;
                };
                let name = project.symbol_name(symbol);
                match decorator.call.callee.path().as_deref() {
                    // `@publish.mapping.delete`, on another method of the path of `publish`
                    Some([of, "mapping", method]) => further.push((*of, (*method).to_owned(), handler)),
                    _ => {
                        if let Some(action) = self.action(decorator, name, handler) {
                            actions.entry(name).or_insert(action);
                        }
                    }
                }
            }
        }
        let of_others = further.into_iter().filter_map(|(of, method, handler)| {
            let Action { is_detail, path, .. } = actions.get(of)?;
            Some(Action { methods: vec![method], is_detail: *is_detail, path: path.clone(), handler })
        });
        let of_others: Vec<Action> = of_others.collect();
        actions.into_values().chain(of_others).collect()
    }

    /// Reads `@action(detail=True, methods=["post"], url_path="set-password")`.
    fn action(&self, decorator: &'a Decorator, name: &str, handler: Site) -> Option<Action> {
        let call = &decorator.call;
        let place = At { file: handler.file, offset: call.span.start, expression: &call.callee };
        let is_detail = match self.external_name(place)?.strip_prefix("rest_framework.decorators.")? {
            "action" => call.named("detail").or_else(|| call.positional(1)).and_then(truth)?,
            "detail_route" => true,
            "list_route" => false,
            _ => return None,
        };
        let methods = match call.named("methods").or_else(|| call.positional(0)) {
            Some(methods) => {
                self.texts(place.with(methods)).into_iter().map(|it| it.text.to_lowercase()).collect()
            }
            None => vec!["get".to_owned()],
        };
        let path = match call.named("url_path") {
            Some(path) => self.path_of_pattern(place.with(path))?,
            None => PathText::exact(name),
        };
        Some(Action { methods, is_detail, path, handler })
    }
}

/// Returns the value of a literal of Python: `True` or `False`.
fn truth(value: &Expression) -> Option<bool> {
    match value {
        Expression::Name(name) if **name == *"True" => Some(true),
        Expression::Name(name) if **name == *"False" => Some(false),
        _ => None,
    }
}
