//! Adds routes, with the declarations that handle them.

use sscg_core::wiring::Expression;
use sscg_core::{FileId, Span, SymbolId};

use super::reader::{Act, RouteReader, Target};
use super::router::{PathText, Route};
use crate::Site;
use crate::derive::code::At;

impl<'a> RouteReader<'a> {
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
