//! Visits the files that may contain routes, and dispatches calls on routers to their frameworks.

use std::collections::BTreeSet;

use sscg_core::wiring::Expression;
use sscg_core::{FileId, ModuleSystem, Span, SymbolId};
use sscg_graph::{Direction, Node};

use super::framework::{ASP_NET_NAMES, Framework, LIBRARIES, maker};
use super::reader::{Act, RouteReader, Target};
use super::router::{PathText, Route, Router};
use crate::Site;
use crate::derive::code::At;

impl<'a> RouteReader<'a> {
    /// Finds all routes and mounts.
    pub(super) fn read(&mut self) {
        let files = self.find_routers();
        for file in &files {
            self.read_calls(*file);
            self.read_decorators(*file);
        }
        self.read_django();
        self.read_next();
        self.serve_controllers();
        self.return_what_is_made();
    }

    /// Finds routers, first in files that name a library, then in files that receive or use a router. Returns the
    /// files.
    fn find_routers(&mut self) -> Vec<FileId> {
        let mut files = BTreeSet::new();
        let mut next: Vec<FileId> = self.code.files_using(LIBRARIES);
        next.extend(self.code.files_extending(|class| maker(class).is_some()));
        next.extend(self.code.csharp_naming(ASP_NET_NAMES));
        while !next.is_empty() {
            self.code.wire(&next);
            for file in next.drain(..).filter(|file| files.insert(*file)).collect::<Vec<_>>() {
                self.find_made(file);
                self.find_typed(file);
                match self.code.project.files()[file].language.modules {
                    ModuleSystem::DeclaredPackages | ModuleSystem::Namespaces => self.find_annotated(file),
                    _ => self.find_decorated(file),
                }
            }
            let known: Vec<FileId> = files.iter().copied().collect();
            self.find_passed(&known);
            next = self.files_with_routers().into_iter().filter(|file| !files.contains(file)).collect();
        }
        files.into_iter().collect()
    }

    /// Returns the files in which routers are made, received, or used by name.
    fn files_with_routers(&self) -> BTreeSet<FileId> {
        let (graph, project) = (self.code.graph, self.code.project);
        let mut files = BTreeSet::new();
        for router in self.known() {
            let (file, symbol) = match router {
                Router::Made(file, span) | Router::Given(file, span, _) => {
                    (file, self.code.symbol_at(file, span.start))
                }
                Router::Declared(symbol) => (project.symbol_file(symbol), Some(symbol)),
                Router::File(file) => (file, None),
            };
            files.insert(file);
            let around =
                symbol.into_iter().flat_map(|symbol| project.self_and_ancestors(symbol)).map(Node::Symbol);
            // A router that its module exports is used through the module.
            let module = symbol.is_none().then_some(Node::File(file));
            for node in around.chain(module) {
                let edges = graph.edges_at(graph.id(node), Direction::Incoming);
                let uses = edges.filter(|edge| !edge.relation.is_containment());
                files.extend(uses.filter_map(|edge| graph.node(edge.source).file(project)));
            }
        }
        files.retain(|file| !self.code.is_test_file(*file));
        files
    }

    fn read_calls(&mut self, file: FileId) {
        for (call, place) in self.calls(file) {
            if let Some(name) = self.external_name(place) {
                self.serve(&name, call, place);
                self.serve_go(&name, call, place);
            }
            let made = Router::Made(file, call.span);
            match self.framework(made) {
                Some(Framework::Starlette) => self.starlette(made, call, place),
                Some(Framework::Rest) => self.nested_router(made, call, place),
                Some(Framework::Rocket) if call.callee.last_name() == Some("routes!") => {
                    self.rocket_routes(made, call, place);
                }
                _ => {}
            }
            // A call of the result of another call can apply a decorator: `app.get("/items")(read)`.
            let decorator = self.call(place).filter(|_| self.is_python(file));
            let target = decorator.and(call.positional(0)).map(Target::Given);
            let (call, place) = decorator.map_or((call, place), |it| (it, place.with(&it.callee)));
            let (Some(receiver), Some(name)) = (call.callee.receiver(), call.callee.last_name()) else {
                continue;
            };
            for router in self.routers(place.with(receiver)) {
                self.act(Act { router, method: name, call, place, target });
            }
        }
    }

    fn read_decorators(&mut self, file: FileId) {
        for decorator in &self.code.wired(file).wiring.decorators {
            let call = &decorator.call;
            let place = At { file, offset: call.span.start, expression: &call.callee };
            let (Some(receiver), Some(name)) = (call.callee.receiver(), call.callee.last_name()) else {
                continue;
            };
            for router in self.routers(place.with(receiver)) {
                self.act(Act {
                    router,
                    method: name,
                    call,
                    place,
                    target: Some(Target::Declared(decorator.target)),
                });
            }
        }
    }

    /// Reads a call that derives a router from another or passes a router on.
    pub(super) fn place(&mut self, act: Act<'a>) {
        match self.framework(act.router) {
            Some(framework @ (Framework::Express | Framework::Hono)) => self.derived(act, framework),
            Some(Framework::Fastify) => self.fastify_plugin(act),
            Some(framework @ (Framework::Go | Framework::Gin)) => self.go_group(act, framework),
            Some(Framework::Actix) => self.actix_configured(act),
            Some(Framework::AspNet) => self.map_group(act),
            _ => {}
        }
    }

    fn act(&mut self, act: Act<'a>) {
        match self.framework(act.router) {
            Some(Framework::Axum) => self.axum(act),
            Some(Framework::Actix) => self.actix(act),
            Some(Framework::Rocket) => self.rocket(act),
            Some(Framework::Express) => self.express(act),
            Some(Framework::Koa) => self.koa(act),
            Some(Framework::Hono) => self.hono(act),
            Some(Framework::Fastify) => self.fastify(act),
            Some(Framework::Nest) => self.nest(act),
            Some(Framework::FastApi | Framework::Starlette) => self.fastapi(act),
            Some(Framework::Flask) => self.flask(act),
            Some(Framework::Aiohttp) => self.aiohttp(act),
            Some(Framework::Rest) => self.rest(act),
            Some(Framework::Go | Framework::Gin) => self.go(act),
            Some(Framework::AspNet) => self.minimal_api(act),
            None => {}
        }
    }

    /// Mounts each router that a function makes and that is mounted nowhere on the function itself, for its callers.
    fn return_what_is_made(&mut self) {
        for (function, router) in self.made_by_functions() {
            if !self.found.mounts.iter().any(|mount| mount.child == router) {
                if self.found.apps.contains(&router) {
                    self.found.apps.insert(Router::Declared(function));
                }
                self.mount(router, Router::Declared(function), PathText::exact(""));
            }
        }
    }

    /// Adds a route at each path that an expression can be; none if the path is entirely unknown.
    pub(super) fn route(
        &mut self,
        act: Act<'a>,
        method: &str,
        path: &'a Expression,
        handler: Option<&'a Expression>,
    ) {
        for path in self.texts(act.place.with(path)) {
            self.route_at(act, method, path, handler.map(|handler| act.place.with(handler)));
        }
    }

    /// Adds a route at a path.
    pub(super) fn route_at(&mut self, act: Act<'a>, method: &str, path: PathText, handler: Option<At<'a>>) {
        let file = act.place.file;
        let declared = match (act.target, handler) {
            (Some(Target::Declared(span)), _) => self.declared_at(file, span),
            (Some(Target::Given(function)), _) => self.handler(act.place.with(function)),
            (None, Some(handler)) => self.handler(handler),
            (None, None) => None,
        };
        let inline = || self.code.site(file, act.call.span.start, act.call.line);
        self.answer(act, method, path, declared.unwrap_or_else(inline));
    }

    /// Adds a route with the location of its handler.
    pub(super) fn answer(&mut self, act: Act<'a>, method: &str, path: PathText, handler: Site) {
        let (file, line) = (act.place.file, act.call.line);
        if !self.code.is_test_code(file, act.call.span.start) {
            let method = method.into();
            self.found.routes.push(Route { router: act.router, method, path, handler, file, line });
        }
    }

    /// Returns the location of the declaration that a decorator applies to.
    pub(super) fn declared_at(&self, file: FileId, target: Span) -> Option<Site> {
        self.code.symbol_at(file, target.start).map(|symbol| self.site_of(symbol))
    }

    /// Returns the declared handler function, through wrappers: `wrap(list)`, `controller.list.bind(controller)`, the
    /// last of several.
    pub(super) fn handler(&self, it: At<'a>) -> Option<Site> {
        match it.expression {
            Expression::Name(_) | Expression::Member(..) => {
                let symbol = self.code.declaration(it)?;
                Some(self.site_of(symbol))
            }
            Expression::List(items) => self.handler(it.with(items.last()?)),
            Expression::Call(_) => {
                let call = self.call(it)?;
                match call.callee.last_name() {
                    Some("bind") => self.handler(it.with(call.callee.receiver()?)),
                    _ => call
                        .arguments
                        .iter()
                        .rev()
                        .find_map(|argument| self.handler(it.with(&argument.value))),
                }
            }
            _ => None,
        }
    }

    /// Returns the location of a declaration.
    pub(super) fn site_of(&self, symbol: SymbolId) -> Site {
        let project = self.code.project;
        let line = project.symbol(symbol).name_line;
        Site { file: project.symbol_file(symbol), symbol: Some(symbol), line }
    }
}
