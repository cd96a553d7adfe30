//! FastAPI, Starlette, Flask and the server of aiohttp.

use sscg_core::wiring::{Call, Expression};

use super::framework::method;
use super::reader::{Act, RouteReader};
use super::router::{Mount, PathText, Router};
use crate::derive::code::At;

impl<'a> RouteReader<'a> {
    /// Reads a call on a FastAPI router, or such a decorator.
    pub(super) fn fastapi(&mut self, act: Act<'a>) {
        let path = argument(act, 0, "path");
        match act.method {
            "include_router" => self.included(act, argument(act, 0, "router"), act.call.named("prefix")),
            "mount" => self.included(act, argument(act, 1, "app"), path),
            "api_route" | "route" if act.target.is_some() => {
                self.listed(act, path, None, act.call.named("methods"))
            }
            "add_api_route" | "add_route" => {
                self.listed(act, path, argument(act, 1, "endpoint"), act.call.named("methods"));
            }
            name => {
                if let (Some(method), Some(path), true) = (method(name), path, act.target.is_some()) {
                    self.route(act, method, path, None);
                }
            }
        }
    }

    /// Reads a call on a Flask application or blueprint, or such a decorator.
    pub(super) fn flask(&mut self, act: Act<'a>) {
        let path = argument(act, 0, "rule");
        match act.method {
            "register_blueprint" => {
                let Some(child) = argument(act, 0, "blueprint") else { return };
                let prefix =
                    act.call.named("url_prefix").map(|prefix| self.text_or_unknown(act.place.with(prefix)));
                for child in self.routers(act.place.with(child)) {
                    // A prefix given when a blueprint is registered replaces its own.
                    let (replaces, prefix) =
                        (prefix.is_some(), prefix.clone().unwrap_or(PathText::exact("")));
                    self.mount_as(Mount { child, parent: act.router, prefix, replaces });
                }
            }
            "route" if act.target.is_some() => self.listed(act, path, None, act.call.named("methods")),
            "add_url_rule" => {
                let view = argument(act, 2, "view_func");
                match view.and_then(|view| self.class_view(act.place.with(view))) {
                    Some((class, _)) => {
                        let Some(path) = path.and_then(|path| self.text(act.place.with(path))) else {
                            return;
                        };
                        for (method, handler) in self.methods_of(class) {
                            self.answer(act, &method, path.clone(), handler);
                        }
                    }
                    None => self.listed(act, path, view, act.call.named("methods")),
                }
            }
            name => {
                if let (Some(method), Some(path), true) = (method(name), path, act.target.is_some()) {
                    self.route(act, method, path, None);
                }
            }
        }
    }

    /// Reads a call on an aiohttp application or route table.
    pub(super) fn aiohttp(&mut self, act: Act<'a>) {
        let [first, second, third] = [0, 1, 2].map(|at| act.call.positional(at));
        match act.method {
            "add_routes" => {
                let Some(routes) = first.map(|routes| act.place.with(routes)) else { return };
                for child in self.routers(routes) {
                    self.mount(child, act.router, PathText::exact(""));
                }
                self.listed_routes(act, routes, "aiohttp.web.");
            }
            "add_subapp" => self.included(act, second, first),
            "add_route" => {
                let Some(name) = first.and_then(|name| self.text(act.place.with(name))) else { return };
                let name = if name.text == "*" { "ANY".to_owned() } else { name.text.to_uppercase() };
                if let Some(path) = second {
                    self.route(act, &name, path, third);
                }
            }
            name => {
                let name = if act.target.is_some() { Some(name) } else { name.strip_prefix("add_") };
                if let (Some(method), Some(path)) = (name.and_then(method), first) {
                    self.route(act, method, path, second);
                }
            }
        }
    }

    /// Reads the routes that a Starlette application or mount is made with: `routes=[Route("/", index)]`.
    pub(super) fn starlette(&mut self, router: Router, call: &'a Call, place: At<'a>) {
        let routes = call
            .named("routes")
            .or_else(|| call.positional(1).filter(|it| matches!(it, Expression::List(_))));
        let act = Act { router, method: "routes", call, place, target: None };
        if let Some(routes) = routes {
            for child in self.routers(place.with(routes)) {
                self.mount(child, router, PathText::exact(""));
            }
            self.listed_routes(act, place.with(routes), "starlette.routing.");
        }
        if let Some(app) = call.named("app") {
            for child in self.routers(place.with(app)) {
                self.mount(child, router, PathText::exact(""));
            }
        }
    }

    /// Reads the routes in a list: `[web.get("/", index)]` of aiohttp, `[Route("/", index, methods=["GET"])]` of
    /// Starlette.
    fn listed_routes(&mut self, act: Act<'a>, routes: At<'a>, library: &str) {
        for route in self.code.elements(routes) {
            let Some(call) = self.call(route) else { continue };
            let Some(name) = self.external_name(route.with(&call.callee)) else { continue };
            let act = Act { call, place: route, ..act };
            match name.strip_prefix(library) {
                Some("Route") => {
                    self.listed(
                        act,
                        argument(act, 0, "path"),
                        argument(act, 1, "endpoint"),
                        call.named("methods"),
                    );
                }
                Some(name) => {
                    if let (Some(method), Some(path)) = (method(name), call.positional(0)) {
                        self.route(act, method, path, call.positional(1));
                    }
                }
                None => {}
            }
        }
    }

    fn included(&mut self, act: Act<'a>, child: Option<&'a Expression>, prefix: Option<&'a Expression>) {
        let prefix =
            prefix.map_or_else(|| PathText::exact(""), |prefix| self.text_or_unknown(act.place.with(prefix)));
        let children = child.map(|child| self.routers(act.place.with(child))).unwrap_or_default();
        for child in children {
            self.mount(child, act.router, prefix.clone());
        }
    }

    /// Adds a route for each method of a list; for `GET` if there is no list.
    fn listed(
        &mut self,
        act: Act<'a>,
        path: Option<&'a Expression>,
        handler: Option<&'a Expression>,
        methods: Option<&'a Expression>,
    ) {
        let Some(path) = path else { return };
        let methods = methods.map(|methods| self.texts(act.place.with(methods)));
        for method in methods.unwrap_or_else(|| vec![PathText::exact("GET")]) {
            self.route(act, &method.text.to_uppercase(), path, handler);
        }
    }
}

/// Returns an argument by its position or its name.
pub(super) fn argument<'a>(act: Act<'a>, place: usize, name: &str) -> Option<&'a Expression> {
    act.call.positional(place).or_else(|| act.call.named(name))
}
