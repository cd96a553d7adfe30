//! Routers of Go: `net/http`, chi, gorilla/mux, Echo, Gin and Fiber, whose methods do not contradict each other.

use sscg_core::wiring::{Argument, Call, Expression};

use super::framework::{Framework, method};
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use crate::derive::code::At;

/// Maximum number of calls in the chain of one route.
const CHAIN: usize = 64;

/// Description of a route by the calls of a chain.
#[derive(Default)]
struct Described {
    methods: Vec<String>,
    path: Option<PathText>,
    prefix: Option<PathText>,
}

impl<'a> RouteReader<'a> {
    /// Reads a call of `net/http` itself, which has a router of its own.
    pub(super) fn serve_go(&mut self, name: &str, call: &'a Call, place: At<'a>) {
        if matches!(name, "net/http.Handle" | "net/http.HandleFunc")
            && let Some(method) = call.callee.last_name()
        {
            let router = Router::File(place.file);
            self.note(router, Framework::Go);
            self.found.apps.insert(router);
            self.go(Act { router, method, call, place, target: None });
        }
    }

    /// Reads a call that derives a router from another one: `r.Group("/v1")`, `r.Route("/users", func(r chi.Router) {})`,
    /// `r.PathPrefix("/v1").Subrouter()`.
    pub(super) fn go_group(&mut self, act: Act<'a>, framework: Framework) {
        let function_of = |it: At<'a>| {
            let is_one = matches!(
                it.expression,
                Expression::Function(_) | Expression::Name(_) | Expression::Member(..)
            );
            self.function(it).filter(|_| is_one)
        };
        let argument = |argument: &'a Argument| act.place.with(&argument.value);
        let path = act.call.arguments.first().map(argument);
        // The name of the route can follow the function.
        let function = act.call.arguments.iter().rev().map(argument).find_map(function_of);
        let is_text = path.is_none_or(|path| function_of(path).is_none());
        let child = Router::Made(act.place.file, act.call.span);
        let prefix = match (act.method, path) {
            ("Subrouter", _) => {
                let described = self.described(act);
                if !described.methods.is_empty() {
                    self.found.methods.insert(child, described.methods);
                }
                described.prefix.unwrap_or(PathText::exact(""))
            }
            ("Group" | "Route", Some(_)) if !is_text => PathText::exact(""),
            ("Group" | "Route", Some(path)) => self.text_or_unknown(path),
            _ => return,
        };
        match function {
            Some((file, function)) if act.method == "Route" || !is_text => {
                self.give(file, function, 0, act.router, prefix);
            }
            _ => {
                if self.framework(child).is_none() {
                    self.note(child, framework);
                    self.mount(child, act.router, prefix);
                }
            }
        }
    }

    /// Reads a call on a router.
    pub(super) fn go(&mut self, act: Act<'a>) {
        let [first, second, third] = [0, 1, 2].map(|at| act.call.positional(at));
        match (act.method, first, second, third) {
            ("Mount", Some(path), Some(child), _) => {
                let prefix = self.text_or_unknown(act.place.with(path));
                self.mount_handler(act, act.place.with(child), prefix);
            }
            (
                "Add" | "Handle" | "HandlerFunc" | "Handler" | "Match" | "Method" | "MethodFunc",
                Some(methods),
                Some(path),
                Some(_),
            ) => {
                for method in self.go_methods(act.place.with(methods)) {
                    self.route(act, &method, path, self.go_handler(act, 2));
                }
            }
            ("Handle" | "HandleFunc", Some(pattern), Some(handler), None) => {
                self.pattern(act, act.place.with(pattern), act.place.with(handler));
            }
            ("Handler" | "HandlerFunc", Some(handler), None, _) => {
                let described = self.described(act);
                let handler = act.place.with(handler);
                match (described.path, described.prefix) {
                    (Some(path), _) => {
                        for method in self.or_inherited(act.router, described.methods) {
                            self.route_at(act, &method, path.clone(), Some(handler));
                        }
                    }
                    (None, Some(_)) => {
                        self.mount_handler(act, handler, PathText::exact(""));
                    }
                    (None, None) => {}
                }
            }
            (name, Some(path), Some(_), _) if name.starts_with(char::is_uppercase) => {
                if let Some(method) = method(&name.to_lowercase()) {
                    self.route(act, method, path, self.go_handler(act, 1));
                }
            }
            _ => {}
        }
    }

    /// Returns the handler in a call whose handlers start at this argument.
    fn go_handler(&self, act: Act<'a>, first: usize) -> Option<&'a Expression> {
        match self.framework(act.router) {
            Some(Framework::Gin) => act.call.arguments.last().map(|argument| &argument.value),
            _ => act.call.positional(first),
        }
    }

    /// Reads `Handle("GET /users/{id}", show)`, with the methods that later calls of the chain add.
    fn pattern(&mut self, act: Act<'a>, pattern: At<'a>, handler: At<'a>) {
        let Some(pattern) = self.text(pattern) else { return };
        let (method, path) = match pattern.text.split_once(' ') {
            Some((method, path)) => (Some(method.to_owned()), path.trim_start()),
            None => (None, &*pattern.text),
        };
        // A host can precede the path.
        let path = path.find('/').map_or(path, |slash| &path[slash..]).trim_end_matches("{$}");
        let path = PathText { text: path.to_owned(), exact: pattern.exact };
        if self.mount_handler(act, handler, PathText::exact("")) {
            return;
        }
        let methods = method.map_or_else(|| self.chained_methods(act), |method| vec![method]);
        for method in self.or_inherited(act.router, methods) {
            self.route_at(act, &method, path.clone(), Some(handler));
        }
    }

    /// Returns the methods, or those of the router or of the ones around it, or the one that stands for all.
    fn or_inherited(&self, router: Router, methods: Vec<String>) -> Vec<String> {
        if !methods.is_empty() {
            return methods;
        }
        let parent = |child: &Router| {
            self.found.mounts.iter().find(|mount| mount.child == *child).map(|mount| mount.parent)
        };
        let mut around = std::iter::successors(Some(router), parent).take(CHAIN);
        let inherited = around.find_map(|router| self.found.methods.get(&router).cloned());
        inherited.unwrap_or_else(|| vec!["ANY".to_owned()])
    }

    /// Mounts the routers that a handler is; true if it is one. A router behind `http.StripPrefix` has paths below the
    /// stripped prefix.
    fn mount_handler(&mut self, act: Act<'a>, handler: At<'a>, prefix: PathText) -> bool {
        let stripped = self.call(handler).filter(|call| {
            self.external_name(handler.with(&call.callee)).as_deref() == Some("net/http.StripPrefix")
        });
        let (handler, prefix) = match stripped.map(|call| (call.positional(0), call.positional(1))) {
            Some((Some(prefix), Some(inner))) => {
                (handler.with(inner), self.text_or_unknown(handler.with(prefix)))
            }
            _ => (handler, prefix),
        };
        let routers = self.routers(handler);
        for child in &routers {
            self.mount(*child, act.router, prefix.clone());
        }
        !routers.is_empty()
    }

    /// Returns the methods of the calls that continue a route: `HandleFunc("/users", list).Methods("GET")`.
    fn chained_methods(&self, act: Act<'a>) -> Vec<String> {
        let calls = &self.code.wired(act.place.file).wiring.calls;
        let first = calls.partition_point(|call| call.span.start < act.call.span.start);
        let around = calls[first..].iter().take_while(|call| call.span != act.call.span).take(CHAIN);
        let around = around
            .filter(|call| call.callee.last_name() == Some("Methods") && call.span.contains(act.call.span));
        around.flat_map(|call| self.methods_in(call, act.place)).collect()
    }

    /// Returns what the receivers of a call describe: `Methods("GET").Path("/users")`.
    fn described(&self, act: Act<'a>) -> Described {
        let mut described = Described::default();
        let mut at = act.call.callee.receiver();
        for _ in 0..CHAIN {
            let Some(call) = at.and_then(|at| self.call(act.place.with(at))) else { break };
            let text = || call.positional(0).map(|path| self.text_or_unknown(act.place.with(path)));
            match call.callee.last_name() {
                Some("Methods") => described.methods.extend(self.methods_in(call, act.place)),
                Some("Path") => described.path = text(),
                Some("PathPrefix") => described.prefix = text(),
                _ => {}
            }
            at = call.callee.receiver();
        }
        described
    }

    fn methods_in(&self, call: &'a Call, place: At<'a>) -> Vec<String> {
        call.arguments.iter().flat_map(|argument| self.go_methods(place.with(&argument.value))).collect()
    }

    /// Returns the methods that an expression stands for: a text, a list of texts, a constant such as `http.MethodGet`.
    fn go_methods(&self, it: At<'a>) -> Vec<String> {
        let constant = |it: At<'a>| Some(it.expression.last_name()?.strip_prefix("Method")?.to_uppercase());
        let text = |it: At<'a>| self.text(it).map(|text| text.text.to_uppercase());
        self.code.elements(it).into_iter().filter_map(|it| constant(it).or_else(|| text(it))).collect()
    }
}
