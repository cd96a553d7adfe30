//! axum, actix-web and Rocket.

use sscg_core::wiring::{Call, Expression};

use super::framework::method;
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use crate::derive::code::At;
use crate::derive::value::Value;

/// Method in uppercase, and the code that handles it.
type Answer<'a> = (&'static str, Option<At<'a>>);

/// Maximum number of calls in the chain of one method router.
const METHODS: usize = 64;

impl<'a> RouteReader<'a> {
    /// Reads a call on an axum router.
    pub(super) fn axum(&mut self, act: Act<'a>) {
        let [first, second] =
            [0, 1].map(|at| act.call.positional(at).map(|argument| act.place.with(argument)));
        match (act.method, first, second) {
            ("route", Some(path), Some(answers)) => {
                let Some(path) = self.text(path) else { return };
                for (method, handler) in self.method_router(answers) {
                    self.route_at(act, method, path.clone(), handler);
                }
            }
            ("nest", Some(path), Some(child)) => {
                let prefix = self.text_or_unknown(path);
                self.mount_all(child, act.router, &prefix);
            }
            ("merge", Some(child), _) => self.mount_all(child, act.router, &PathText::exact("")),
            ("into_make_service" | "into_make_service_with_connect_info", ..) => {
                self.found.apps.insert(act.router);
            }
            _ => {}
        }
    }

    /// Reads a call of axum itself: `axum::serve(listener, app)`.
    pub(super) fn serve(&mut self, name: &str, call: &'a Call, place: At<'a>) {
        if name == "axum.serve"
            && let Some(app) = call.positional(1)
        {
            for router in self.routers(place.with(app)) {
                self.found.apps.insert(router);
            }
        }
    }

    /// Returns the methods that an axum method router handles: `get(list).post(create)`, `on(MethodFilter::GET, list)`.
    fn method_router(&self, it: At<'a>) -> Vec<Answer<'a>> {
        let mut answers = Vec::new();
        let mut at = it;
        for _ in 0..METHODS {
            let call = self.code.denoted(at).into_iter().find_map(|value| match value {
                Value::Call(call) => Some(call),
                _ => None,
            });
            let Some((called, call)) = call.and_then(|at| Some((at, self.call(at)?))) else { break };
            at = called;
            let Some(name) = call.callee.last_name() else { break };
            let outside = self.external_name(at.with(&call.callee));
            let starts = outside.is_some_and(|name| name.starts_with("axum.routing."));
            let argument = |place| call.positional(place).map(|argument| at.with(argument));
            match (name, method(name)) {
                ("on", _) => {
                    let filter = call.positional(0).and_then(Expression::last_name).unwrap_or_default();
                    answers.extend(method(&filter.to_lowercase()).map(|method| (method, argument(1))));
                }
                (_, Some(method)) => answers.push((method, argument(0))),
                _ => {}
            }
            if starts {
                answers.reverse();
                return answers;
            }
            let Some(receiver) = call.callee.receiver() else { break };
            at = at.with(receiver);
        }
        Vec::new()
    }

    /// Reads a call on an actix-web application, scope or resource.
    pub(super) fn actix(&mut self, act: Act<'a>) {
        let [first, second] =
            [0, 1].map(|at| act.call.positional(at).map(|argument| act.place.with(argument)));
        match (act.method, first, second) {
            ("service", Some(child), _) => self.mount_all(child, act.router, &PathText::exact("")),
            ("route", Some(path), Some(answer)) => {
                let Some(path) = self.text(path) else { return };
                if let Some((method, handler)) = self.actix_route(answer) {
                    self.route_at(act, &method, path, handler);
                }
            }
            ("route", Some(answer), None) => {
                if let Some((method, handler)) = self.actix_route(answer) {
                    self.route_at(act, &method, PathText::exact(""), handler);
                }
            }
            ("to", Some(handler), None) => self.route_at(act, "ANY", PathText::exact(""), Some(handler)),
            _ => {}
        }
    }

    /// Reads `app.configure(users)`.
    pub(super) fn actix_configured(&mut self, act: Act<'a>) {
        if act.method == "configure"
            && let Some(function) = act.call.positional(0)
            && let Some((file, function)) = self.function(act.place.with(function))
        {
            self.give(file, function, 0, act.router, PathText::exact(""));
        }
    }

    /// Returns the method and handler of `web::get().to(list)`.
    fn actix_route(&self, it: At<'a>) -> Option<(String, Option<At<'a>>)> {
        let mut at = it;
        let (mut handler, mut chosen) = (None, None);
        loop {
            let call = self.call(at)?;
            let name = call.callee.last_name()?;
            match name {
                "to" => handler = call.positional(0).map(|argument| at.with(argument)),
                "method" => chosen = call.positional(0).and_then(Expression::last_name),
                _ => {}
            }
            if let Some(outside) = self.external_name(at.with(&call.callee)) {
                let base = outside.strip_prefix("actix_web.web.")?;
                let method = chosen.or(method(base)).or((base == "route").then_some("ANY"))?;
                return Some((method.to_uppercase(), handler));
            }
            at = at.with(call.callee.receiver()?);
        }
    }

    /// Reads a call on a Rocket instance: `mount("/users", routes![list, show])`.
    pub(super) fn rocket(&mut self, act: Act<'a>) {
        if act.method == "mount"
            && let [Some(path), Some(child)] = [0, 1].map(|at| act.call.positional(at))
        {
            let prefix = self.text_or_unknown(act.place.with(path));
            self.mount_all(act.place.with(child), act.router, &prefix);
        }
    }

    /// Mounts the handlers that `routes![list, show]` lists.
    pub(super) fn rocket_routes(&mut self, list: Router, call: &'a Call, place: At<'a>) {
        for argument in &call.arguments {
            if let Some(handler) = self.code.declaration(place.with(&argument.value)) {
                self.mount(Router::Declared(handler), list, PathText::exact(""));
            }
        }
    }

    fn mount_all(&mut self, child: At<'a>, parent: Router, prefix: &PathText) {
        for child in self.routers(child) {
            self.mount(child, parent, prefix.clone());
        }
    }
}
