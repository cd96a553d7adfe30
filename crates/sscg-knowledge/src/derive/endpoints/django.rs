//! Django: lists of paths in modules that include each other, starting at the module that the settings name.

use std::collections::BTreeSet;

use sscg_core::wiring::{Binding, Call, Expression};
use sscg_core::{FileId, ModuleSystem};

use super::path::of_pattern;
use super::reader::{Act, RouteReader};
use super::router::{PathText, Router};
use crate::derive::code::At;
use crate::derive::value::Value;

impl<'a> RouteReader<'a> {
    /// Finds the routes of every module that lists paths.
    pub(super) fn read_django(&mut self) {
        let files = self.code.files_using(&["django", "rest_framework"]);
        let lists: Vec<Router> = files.into_iter().flat_map(|file| self.read_urls(file)).collect();
        // The use of a list that no path includes is unknown, and likely that of its module.
        for list in lists {
            if !self.found.mounts.iter().any(|mount| mount.child == list) {
                self.mount(list, Router::File(list.file(self.code.project)), PathText::exact(""));
            }
        }
        let files = self.code.project.files();
        let settings = files.iter_enumerated().filter(|(_, file)| file.path.contains("settings"));
        for (file, _) in settings.filter(|(_, file)| file.language.modules == ModuleSystem::PythonPackages) {
            self.read_settings(file);
        }
    }

    /// Reads the paths of a module. Returns its lists of paths other than `urlpatterns`.
    fn read_urls(&mut self, file: FileId) -> BTreeSet<Router> {
        let wired = self.code.wired(file);
        let mut lists = BTreeSet::new();
        let calls: Vec<(&'a Call, At<'a>)> = self.calls(file).collect();
        for (call, place) in &calls {
            let Some(pattern) = self.url_pattern(call, *place) else { continue };
            // A path in a list that another path includes is below that path.
            let around = calls.iter().rev().find(|(outer, outer_place)| {
                outer.span != call.span
                    && outer.span.contains(call.span)
                    && self.url_pattern(outer, *outer_place).is_some()
            });
            let list =
                wired.bindings().find(|binding| is_path_list(binding) && binding.span.contains(call.span));
            let list = list.map(|list| Router::Made(file, list.span));
            let outer = around.map(|(outer, _)| Router::Made(file, outer.span));
            let router = outer.or(list).unwrap_or(Router::File(file));
            lists.extend(list);
            let Some(view) = call.positional(1).or_else(|| call.named("view")) else { continue };
            let act = Act { router, method: "path", call, place: *place, target: None };
            match self.included_urls(place.with(view), Router::Made(file, call.span)) {
                Some(children) => {
                    for child in children {
                        self.mount(child, router, pattern.clone());
                    }
                }
                None => self.view(act, pattern, place.with(view)),
            }
        }
        for binding in wired.bindings_of("urlpatterns") {
            let paths = At { file, offset: binding.span.start, expression: &binding.value };
            for child in self.listed_routers(paths) {
                self.mount(child, Router::File(file), PathText::exact(""));
            }
        }
        lists
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

    /// Returns the targets of `include(..)`: a module, routers, or the paths in the call itself, which are those of
    /// `own`.
    fn included_urls(&self, view: At<'a>, own: Router) -> Option<Vec<Router>> {
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
        if let Expression::Text(module) = what {
            return Some(self.module(view.file, module).map(Router::File).into_iter().collect());
        }
        let what = view.with(what);
        let files = self.code.denoted(what).into_iter().filter_map(|value| match value {
            Value::File(file) => Some(Router::File(file)),
            _ => None,
        });
        Some(files.chain(self.listed_routers(what)).chain([own]).collect())
    }

    /// Returns the named lists and the routers of Django REST framework in a list of paths: `pages + router.urls`,
    /// `format_suffix_patterns(router.urls)`.
    fn listed_routers(&self, paths: At<'a>) -> Vec<Router> {
        match paths.expression {
            Expression::List(parts) | Expression::Join(parts) => {
                parts.iter().flat_map(|part| self.listed_routers(paths.with(part))).collect()
            }
            Expression::Member(_, name) if **name == *"urls" => self.routers(paths),
            Expression::Name(name) => {
                let lists = self.code.wired(paths.file).bindings_of(name).filter(|it| is_path_list(it));
                lists.map(|list| Router::Made(paths.file, list.span)).collect()
            }
            _ => {
                let wrapper = self.call(paths).filter(|call| {
                    matches!(call.callee.last_name(), Some("format_suffix_patterns" | "i18n_patterns"))
                });
                let arguments = wrapper.into_iter().flat_map(|call| &call.arguments);
                arguments.flat_map(|argument| self.listed_routers(paths.with(&argument.value))).collect()
            }
        }
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
        for (method, handler) in self.methods_of_view(view) {
            self.answer(act, &method, path.clone(), handler);
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

/// True if the binding may name a list of paths: any but the list of the module itself.
fn is_path_list(binding: &Binding) -> bool {
    matches!(&binding.target, Expression::Name(name) if **name != *"urlpatterns")
}
