//! Django: lists of paths in modules that include each other, starting at the module that the settings name.

use sscg_core::wiring::{Call, Expression};
use sscg_core::{FileId, ModuleSystem};

use super::path::of_pattern;
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use crate::derive::code::At;
use crate::derive::value::Value;

impl<'a> RouteReader<'a> {
    /// Finds the routes of every module that lists paths.
    pub(super) fn read_django(&mut self) {
        for file in self.code.files_using(&["django"]) {
            self.read_urls(file);
        }
        let files = self.code.project.files();
        let settings = files.iter_enumerated().filter(|(_, file)| file.path.contains("settings"));
        for (file, _) in settings.filter(|(_, file)| file.language.modules == ModuleSystem::PythonPackages) {
            self.read_settings(file);
        }
    }

    fn read_urls(&mut self, file: FileId) {
        let calls: Vec<(&'a Call, At<'a>)> = self.calls(file).collect();
        for (call, place) in &calls {
            let Some(pattern) = self.url_pattern(call, *place) else { continue };
            // A path in a list that another path includes is below that path.
            let around = calls.iter().rev().find(|(outer, outer_place)| {
                outer.span != call.span
                    && outer.span.contains(call.span)
                    && self.url_pattern(outer, *outer_place).is_some()
            });
            let router = around.map_or(Router::File(file), |(outer, _)| Router::Made(file, outer.span));
            let Some(view) = call.positional(1).or_else(|| call.named("view")) else { continue };
            let act = Act { router, method: "path", call, place: *place, target: None };
            match self.included_urls(place.with(view)) {
                Some(child) => self.mount(child.unwrap_or(Router::Made(file, call.span)), router, pattern),
                None => self.view(act, pattern, place.with(view)),
            }
        }
    }

    /// Returns the path of a call of `path`, `re_path` or `url`.
    fn url_pattern(&self, call: &'a Call, place: At<'a>) -> Option<PathText> {
        let name = self.external_name(place)?;
        let name = name.strip_prefix("django.urls.").or_else(|| name.strip_prefix("django.conf.urls."))?;
        let text = self.text(place.with(call.positional(0)?));
        match name {
            "path" => Some(text.unwrap_or_default()),
            "re_path" | "url" => {
                let pattern = text.filter(|text| text.exact).and_then(|text| of_pattern(&text.text));
                Some(pattern.map(PathText::exact).unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Returns the target of `include(..)`: a module, or the paths in the call itself (`Some(None)`).
    fn included_urls(&self, view: At<'a>) -> Option<Option<Router>> {
        let call = self.call(view)?;
        if call.callee.last_name() != Some("include") {
            return None;
        }
        let mut what = call.positional(0)?;
        if let Expression::List(items) = what
            && let Some(first @ (Expression::Text(_) | Expression::Name(_))) = items.first()
        {
            what = first;
        }
        let file = match what {
            Expression::Text(module) => self.module(view.file, module),
            _ => self.code.denoted(view.with(what)).into_iter().find_map(|value| match value {
                Value::File(file) => Some(file),
                _ => None,
            }),
        };
        Some(file.map(Router::File))
    }

    /// Returns the file of a module by its dotted name: the one that shares the longest path prefix with `from`.
    fn module(&self, from: FileId, name: &str) -> Option<FileId> {
        let files = self.code.project.files();
        let path = format!("{}.py", name.replace('.', "/"));
        let is_it =
            |file: &str| file.strip_suffix(&*path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let shared =
            |file: &str| file.bytes().zip(files[from].path.bytes()).take_while(|(a, b)| a == b).count();
        let named = files.iter_enumerated().filter(|(_, file)| is_it(&file.path));
        named.max_by_key(|(_, file)| shared(&file.path)).map(|(file, _)| file)
    }

    fn view(&mut self, act: Act<'a>, path: PathText, view: At<'a>) {
        let class = self.view_class(view);
        let methods = class.map(|class| self.methods_of(class)).unwrap_or_default();
        if methods.is_empty() {
            let handler = class.map(|class| self.site_of(class)).or_else(|| self.handler(view));
            // External views, such as the pages of the admin, are not handled by this code.
            if let Some(handler) = handler {
                self.answer(act, "ANY", path, handler);
            }
            return;
        }
        for (method, handler) in methods {
            self.answer(act, method, path.clone(), handler);
        }
    }

    /// Reads `ROOT_URLCONF = "shop.urls"`.
    fn read_settings(&mut self, file: FileId) {
        for binding in self.code.wired(file).bindings_of("ROOT_URLCONF") {
            if let Expression::Text(module) = &binding.value
                && let Some(root) = self.module(file, module)
            {
                self.found.apps.insert(Router::File(root));
            }
        }
    }
}
