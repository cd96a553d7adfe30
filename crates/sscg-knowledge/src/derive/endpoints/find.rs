//! Finds the routers of a file: those that it makes, and the parameters that are routers by their type.

use sscg_core::FileId;
use sscg_core::wiring::Call;

use super::framework::{Maker, Prefix, maker, of_type};
use super::reader::RouteReader;
use super::router::{PathText, Router};
use crate::derive::code::At;
use crate::derive::value::Value;

impl<'a> RouteReader<'a> {
    /// Finds the routers that are made in a file.
    pub(super) fn find_made(&mut self, file: FileId) {
        for (call, callee) in self.calls(file) {
            let name = self.external_name(callee).or_else(|| self.built_name(callee));
            let own = || if name.is_none() { self.own_maker(callee) } else { None };
            let Some(maker) = name.as_deref().and_then(maker).or_else(own) else { continue };
            let router = Router::Made(file, call.span);
            self.frameworks.insert(router, maker.framework);
            if maker.is_app {
                self.found.apps.insert(router);
            }
            if let Some(prefix) = self.own_prefix(maker, call, callee) {
                self.found.prefixes.insert(router, prefix);
            }
            let around = self.code.symbol_at(file, call.span.start).into_iter();
            let mut around = around.flat_map(|symbol| self.code.project.self_and_ancestors(symbol));
            if let Some(function) = around.find(|it| self.code.project.symbol_kind(*it).is_callable()) {
                self.made_in.entry(function).or_default().push(router);
            }
        }
    }

    /// Returns the maker that a class of the project extends, in Python.
    fn own_maker(&self, callee: At<'a>) -> Option<&'static Maker> {
        let is_class = |name: &str| name.starts_with(char::is_uppercase);
        if !self.is_python(callee.file) || !callee.expression.last_name().is_some_and(is_class) {
            return None;
        }
        let class =
            self.code.declaration(callee).filter(|it| self.code.project.symbol_kind(*it).is_type())?;
        self.lineage(class).external.into_iter().find_map(maker)
    }

    fn own_prefix(&self, maker: &Maker, call: &'a Call, place: At<'a>) -> Option<PathText> {
        let value = match maker.prefix {
            Prefix::None => None,
            Prefix::First => call.positional(0),
            Prefix::Named(name) => call.named(name).or_else(|| call.positional(0)?.field(name)),
        };
        value.map(|value| self.text_or_unknown(place.with(value)))
    }

    /// Finds the parameters that are routers by their type.
    pub(super) fn find_typed(&mut self, file: FileId) {
        let project = self.code.project;
        for symbol in project.symbols_of(file) {
            let declaration = project.symbol(symbol);
            let types = declaration.parameters.iter().enumerate();
            let typed = types.filter_map(|(place, ty)| {
                let values = self.code.of_type(file, ty).into_iter();
                let mut frameworks = values.filter_map(|value| match value {
                    Value::External(instance) => of_type(instance.path.strip_suffix("()")?),
                    _ => None,
                });
                Some((place, frameworks.next()?))
            });
            let typed: Vec<_> = typed.collect();
            if typed.is_empty() {
                continue;
            }
            let functions = self.code.wired(file).wiring.functions.iter();
            let Some(function) = functions.clone().find(|function| declaration.span.contains(function.span))
            else {
                continue;
            };
            for (place, framework) in typed {
                self.frameworks.entry(Router::Given(file, function.span, place)).or_insert(framework);
            }
        }
    }
}
