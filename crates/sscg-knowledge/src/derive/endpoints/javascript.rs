//! Express, Koa, Hono and Fastify: methods of routers named after HTTP methods.

use sscg_core::wiring::Expression;

use super::framework::{Framework, method};
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use crate::derive::code::At;
use crate::derive::value::Value;

impl<'a> RouteReader<'a> {
    /// Adds the router that a call on another one returns: `app.route("/users")` of Express, `app.basePath("/api")` of
    /// Hono.
    pub(super) fn derived(&mut self, act: Act<'a>, framework: Framework) {
        let is_derived = match framework {
            Framework::Express => act.method == "route" && act.call.arguments.len() == 1,
            Framework::Hono => act.method == "basePath",
            _ => false,
        };
        let Some(path) = act.call.positional(0).filter(|_| is_derived) else { return };
        let child = Router::Made(act.place.file, act.call.span);
        if self.framework(child).is_none() {
            let prefix = self.text_or_unknown(act.place.with(path));
            self.note(child, framework);
            self.derived.extend((framework == Framework::Express).then_some(child));
            self.mount(child, act.router, prefix);
        }
    }

    /// Reads a call on an Express router.
    pub(super) fn express(&mut self, act: Act<'a>) {
        match act.method {
            "use" => self.used(act),
            _ => self.verb(act),
        }
    }

    /// Reads a call on a Koa router.
    pub(super) fn koa(&mut self, act: Act<'a>) {
        match act.method {
            "use" => self.used(act),
            "prefix" => {
                if let Some(prefix) = act.call.positional(0) {
                    let prefix = self.text_or_unknown(act.place.with(prefix));
                    self.found.prefixes.insert(act.router, prefix);
                }
            }
            _ => self.verb(act),
        }
    }

    /// Reads a call on a Hono router.
    pub(super) fn hono(&mut self, act: Act<'a>) {
        match act.method {
            "route" | "mount" => {
                let [Some(path), Some(child)] = [0, 1].map(|at| act.call.positional(at)) else { return };
                let prefix = self.text_or_unknown(act.place.with(path));
                for child in self.routers(act.place.with(child)) {
                    self.mount(child, act.router, prefix.clone());
                }
            }
            "on" => {
                let [Some(methods), Some(path)] = [0, 1].map(|at| act.call.positional(at)) else { return };
                for method in self.texts(act.place.with(methods)) {
                    self.route(act, &method.text.to_uppercase(), path, last(act));
                }
            }
            _ => self.verb(act),
        }
    }

    /// Reads a call on a Fastify instance.
    pub(super) fn fastify(&mut self, act: Act<'a>) {
        match act.method {
            "route" => {
                let Some(options) = act.call.positional(0).map(|options| act.place.with(options)) else {
                    return;
                };
                let field = |name: &str| self.code.field(options, name);
                let (Some(methods), Some(path)) = (field("method"), field("url")) else { return };
                let handler = field("handler");
                for method in self.texts(methods) {
                    for path in self.texts(path) {
                        self.route_at(act, &method.text.to_uppercase(), path, handler);
                    }
                }
            }
            _ => self.verb(act),
        }
    }

    /// Reads `app.get("/users", authenticate, list)`.
    fn verb(&mut self, act: Act<'a>) {
        let Some(method) = method(act.method) else { return };
        if self.derived.contains(&act.router) {
            self.route_at(act, method, PathText::exact(""), last(act).map(|handler| act.place.with(handler)));
            return;
        }
        // With a single argument, the call reads a setting.
        if act.call.arguments.len() < 2 {
            return;
        }
        let mut arguments = act.call.arguments.iter().map(|argument| &argument.value);
        // Koa routes may have a name before their path.
        let path = arguments
            .clone()
            .take(act.call.arguments.len() - 1)
            .filter(|it| self.is_path(act.place.with(it)))
            .last();
        if let Some(path) = path.or_else(|| arguments.next()) {
            self.route(act, method, path, last(act));
        }
    }

    fn is_path(&self, it: At<'a>) -> bool {
        self.text(it).is_some_and(|text| text.text.starts_with('/'))
    }

    /// Reads `app.use("/users", authenticate, users)`.
    fn used(&mut self, act: Act<'a>) {
        let Some(first) = act.call.positional(0) else { return };
        let mut prefixes = self.texts(act.place.with(first));
        let children: Vec<Router> = act
            .call
            .arguments
            .iter()
            .flat_map(|argument| self.routers(act.place.with(&argument.value)))
            .collect();
        if prefixes.is_empty() {
            // Calls, literals and functions are not paths.
            let is_router = !self.routers(act.place.with(first)).is_empty();
            let is_handler =
                matches!(first, Expression::Call(_) | Expression::Function(_) | Expression::List(_));
            let is_pathless = is_router || is_handler || self.function(act.place.with(first)).is_some();
            prefixes.push(PathText { text: String::new(), exact: is_pathless });
        }
        for child in children {
            for prefix in &prefixes {
                self.mount(child, act.router, prefix.clone());
            }
        }
    }

    /// Reads `app.register(users, { prefix: "/users" })`.
    pub(super) fn fastify_plugin(&mut self, act: Act<'a>) {
        let Some(plugin) = act.call.positional(0).filter(|_| act.method == "register") else { return };
        let prefix = match act.call.positional(1).map(|options| act.place.with(options)) {
            None => PathText::exact(""),
            Some(options) => match self.code.field(options, "prefix") {
                Some(prefix) => self.text_or_unknown(prefix),
                None => {
                    let exact = self.code.denoted(options).iter().any(|it| matches!(it, Value::Record(_)));
                    PathText { text: String::new(), exact }
                }
            },
        };
        let Some((file, function)) = self.function(act.place.with(plugin)) else { return };
        self.give(file, function, 0, act.router, prefix);
    }
}

fn last<'a>(act: Act<'a>) -> Option<&'a Expression> {
    act.call.arguments.last().map(|argument| &argument.value)
}
