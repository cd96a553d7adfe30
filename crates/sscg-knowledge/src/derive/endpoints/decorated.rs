//! Routes in decorators of declarations: controllers of NestJS, handlers of actix-web and Rocket.

use sscg_core::wiring::{Call, Expression};
use sscg_core::{FileId, SymbolId};

use super::framework::{Framework, method};
use super::reader::{Act, RouteReader};
use super::router::{PathText, Route, Router};
use crate::derive::code::At;

impl<'a> RouteReader<'a> {
    /// Finds the routers and routes that external decorators declare.
    pub(super) fn find_decorated(&mut self, file: FileId) {
        let mut controllers = Vec::new();
        for decorator in &self.code.wired(file).wiring.decorators {
            let place = At { file, offset: decorator.call.span.start, expression: &decorator.call.callee };
            let Some(name) = self.external_name(place) else { continue };
            let Some(site) = self.declared_at(file, decorator.target) else { continue };
            let Some(symbol) = site.symbol else { continue };
            let answers = |library: &str| name.strip_prefix(library).map(str::to_lowercase);
            if name == "@nestjs/common.Controller" {
                controllers.push(symbol);
                self.controller(symbol, &decorator.call, place);
            } else if let Some(verb) = answers("@nestjs/common.") {
                let Some(controller) = self.code.project.parent(symbol) else { continue };
                if let (Some(method), true) = (method(&verb), self.has_controller(controller)) {
                    self.decorated(Router::Declared(controller), method, &decorator.call, place, symbol);
                }
            } else if let Some(verb) =
                answers("actix_web.").or_else(|| answers("rocket.")).or_else(|| bare(&name))
            {
                let framework = if name.starts_with("actix") { Framework::Actix } else { Framework::Rocket };
                let router = Router::Declared(symbol);
                if let Some(method) = method(&verb) {
                    self.note(router, framework);
                    self.decorated(router, method, &decorator.call, place, symbol);
                } else if verb == "route" {
                    self.note(router, framework);
                    let methods =
                        decorator.call.arguments.iter().filter(|it| it.name.as_deref() == Some("method"));
                    let methods: Vec<_> = methods.filter_map(|it| self.text(place.with(&it.value))).collect();
                    for method in methods {
                        self.decorated(router, &method.text, &decorator.call, place, symbol);
                    }
                }
            }
        }
    }

    fn has_controller(&self, class: SymbolId) -> bool {
        self.found.prefixes.contains_key(&Router::Declared(class))
    }

    /// Reads `@Controller("users")`, `@Controller({ path: "users" })`.
    fn controller(&mut self, class: SymbolId, call: &'a Call, place: At<'a>) {
        let prefix = match call.positional(0) {
            None => PathText::exact(""),
            Some(argument) => {
                let path = argument.field("path");
                let is_versioned = argument.field("version").is_some();
                let mut text = match (path, argument) {
                    (None, Expression::Record(_)) => PathText::exact(""),
                    (path, argument) => {
                        let mut texts = self.texts(place.with(path.unwrap_or(argument)));
                        if texts.is_empty() { PathText::default() } else { texts.swap_remove(0) }
                    }
                };
                // The effect of a version depends on the setup of the application.
                text.exact &= !is_versioned;
                text
            }
        };
        self.found.prefixes.insert(Router::Declared(class), prefix);
        self.note(Router::Declared(class), Framework::Nest);
    }

    fn decorated(&mut self, router: Router, method: &str, call: &'a Call, place: At<'a>, symbol: SymbolId) {
        let paths = match call.positional(0) {
            None => vec![PathText::exact("")],
            Some(path) => self.texts(place.with(path)),
        };
        let handler = self.site_of(symbol);
        for path in paths {
            let (file, line, method) = (place.file, call.line, method.into());
            self.found.routes.push(Route { router, method, path, handler, file, line });
        }
    }

    /// Reads a call on a NestJS application.
    pub(super) fn nest(&mut self, act: Act<'a>) {
        if act.method == "setGlobalPrefix"
            && let Some(prefix) = act.call.positional(0)
        {
            let mut prefix = self.text_or_unknown(act.place.with(prefix));
            // The options can exclude routes from the prefix.
            prefix.exact &= act.call.arguments.len() == 1;
            self.found.prefixes.insert(act.router, prefix);
        }
    }

    /// Mounts the controllers of a service on its applications.
    pub(super) fn serve_controllers(&mut self) {
        let routers: Vec<Router> =
            self.known().filter(|it| self.framework(*it) == Some(Framework::Nest)).collect();
        let service = |router: &Router| self.code.service_of(router.file(self.code.project));
        let is_app = |router: &&Router| matches!(router, Router::Made(..));
        let mut mounts = Vec::new();
        for app in routers.iter().filter(is_app) {
            let controllers = routers.iter().filter(|it| matches!(it, Router::Declared(_)));
            let served = controllers.filter(|controller| service(controller) == service(app));
            mounts.extend(served.map(|controller| (*controller, *app)));
        }
        for (controller, app) in mounts {
            self.mount(controller, app, PathText::exact(""));
        }
    }
}

/// Returns the name of an attribute that its file does not import: Rocket's, if the crate imports all of its macros.
fn bare(name: &str) -> Option<String> {
    method(name).map(|_| name.to_owned())
}
