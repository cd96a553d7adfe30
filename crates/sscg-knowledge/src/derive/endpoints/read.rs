//! Visits the files that may contain routes, and dispatches calls on routers to their frameworks.

use std::collections::BTreeSet;

use sscg_core::wiring::{Argument, Call};
use sscg_core::{FileId, ModuleSystem};
use sscg_graph::{Direction, Node};

use super::framework::{ASP_NET_NAMES, Framework, LIBRARIES, maker};
use super::reader::{Act, RouteReader, Target};
use super::router::{PathText, Router};
use crate::derive::code::At;

/// Methods that derive a router from another or pass a router on.
const PLACING: &[&str] =
    &["Group", "MapGroup", "Route", "Subrouter", "basePath", "configure", "register", "route"];

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

    /// Follows routers to the functions they are passed to, until nothing new is found.
    fn find_passed(&mut self, files: &[FileId]) {
        loop {
            let before = self.found.mounts.len();
            for file in files {
                self.follow_passed(*file);
            }
            if self.found.mounts.len() == before {
                break;
            }
        }
    }

    /// Mounts the router parameters of project functions on the routers that calls pass.
    fn follow_passed(&mut self, file: FileId) {
        for (call, callee) in self.calls(file) {
            if let (Some(receiver), Some(method)) = (call.callee.receiver(), call.callee.last_name())
                && PLACING.contains(&method)
            {
                for router in self.routers(callee.with(receiver)) {
                    self.place(Act { router, method, call, place: callee, target: None });
                }
            }
            self.extended(call, callee);
            let passed = |argument: &'a Argument| self.routers(callee.with(&argument.value));
            let passed: Vec<_> = call.arguments.iter().map(passed).collect();
            if passed.iter().all(Vec::is_empty) {
                continue;
            }
            let Some((of, function)) = self.function(callee) else { continue };
            for (place, routers) in passed.into_iter().enumerate() {
                for parent in routers {
                    self.give(of, function, place, parent, PathText::exact(""));
                }
            }
        }
    }

    /// Passes a router to an extension method of C#, as its first parameter: `app.MapCatalog()`.
    fn extended(&mut self, call: &'a Call, callee: At<'a>) {
        let Some(receiver) = call.callee.receiver().filter(|_| self.is_csharp(callee.file)) else { return };
        let routers = self.routers(callee.with(receiver));
        if routers.is_empty() {
            return;
        }
        let Some((of, function)) = self.function(callee) else { return };
        for parent in routers {
            self.give(of, function, 0, parent, PathText::exact(""));
        }
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
    fn place(&mut self, act: Act<'a>) {
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
}
