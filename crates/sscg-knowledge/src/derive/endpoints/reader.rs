//! Routers of a project, and the routers that an expression denotes.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::wiring::{Argument, Call, Expression, Function};
use sscg_core::{FileId, Span, SymbolId};

use super::framework::{Framework, Maker, Prefix, maker, of_type};
use super::router::{Mount, PathText, Router, Routers};
use crate::derive::code::{At, Code};
use crate::derive::value::{Parameter, Piece, Value};

/// Reader of the routers of a project.
pub(super) struct RouteReader<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) found: Routers,
    /// Framework of each router.
    frameworks: FxHashMap<Router, Framework>,
    /// Routers that are made in each function.
    made_in: FxHashMap<SymbolId, Vec<Router>>,
    /// Routers that represent a path of another router.
    pub(super) derived: FxHashSet<Router>,
    /// Cache of the routers of calls, by file and span.
    given: RefCell<FxHashMap<(FileId, Span), Vec<Router>>>,
}

/// Maximum number of steps to follow an expression to its routers.
pub(super) const DEPTH: u32 = 16;

/// Methods that derive a router from another or pass a router on.
const PLACING: &[&str] =
    &["Group", "MapGroup", "Route", "Subrouter", "basePath", "configure", "register", "route"];

/// Call of a method on a router, or such a call as the decorator of a declaration.
#[derive(Clone, Copy)]
pub(super) struct Act<'a> {
    /// Receiver of the call.
    pub(super) router: Router,
    /// Name of the method.
    pub(super) method: &'a str,
    /// Call of the method.
    pub(super) call: &'a Call,
    /// Location that resolves the names in its arguments.
    pub(super) place: At<'a>,
    /// Function that the call decorates.
    pub(super) target: Option<Target<'a>>,
}

/// Function that a decorator applies to.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// Span of a declaration with the decorator.
    Declared(Span),
    /// Argument of the decorator, applied as a call: `app.get("/items")(read)`.
    Given(&'a Expression),
}

impl<'a> RouteReader<'a> {
    pub(super) fn new(code: &'a Code<'a>) -> Self {
        Self {
            code,
            found: Routers::default(),
            frameworks: FxHashMap::default(),
            made_in: FxHashMap::default(),
            derived: FxHashSet::default(),
            given: RefCell::default(),
        }
    }

    /// Returns every call of a file, with the location that resolves its names.
    pub(super) fn calls(&self, file: FileId) -> impl Iterator<Item = (&'a Call, At<'a>)> + use<'a> {
        let calls = self.code.wired(file).wiring.calls.iter();
        calls.map(move |call| (call, At { file, offset: call.span.start, expression: &call.callee }))
    }

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

    /// Returns the text of a prefix; empty and not exact if unknown.
    pub(super) fn text_or_unknown(&self, it: At<'a>) -> PathText {
        self.text(it).unwrap_or_default()
    }

    /// Follows routers to the functions they are passed to, until nothing new is found.
    pub(super) fn find_passed(&mut self, files: &[FileId]) {
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

    /// Records that a function receives a router as one of its parameters.
    pub(super) fn give(
        &mut self,
        file: FileId,
        function: &Function,
        place: usize,
        parent: Router,
        prefix: PathText,
    ) {
        let child = Router::Given(file, function.span, place);
        if let Some(framework) = self.framework(parent) {
            if self.framework(child).is_none() {
                self.note(child, framework);
            }
            self.mount(child, parent, prefix);
        }
    }

    /// Mounts a router on another.
    pub(super) fn mount(&mut self, child: Router, parent: Router, prefix: PathText) {
        self.mount_as(Mount { child, parent, prefix, replaces: false });
    }

    /// Adds a mount, unless it is of a router on itself or already present. See [`RouteReader::mount`].
    pub(super) fn mount_as(&mut self, mount: Mount) {
        if mount.child != mount.parent && !self.found.mounts.contains(&mount) {
            self.found.mounts.push(mount);
        }
    }

    /// Returns the framework of a router.
    pub(super) fn framework(&self, router: Router) -> Option<Framework> {
        match router {
            Router::Declared(symbol) => {
                let made = self.made_in.get(&symbol).and_then(|made| made.first());
                made.and_then(|made| self.frameworks.get(made))
                    .or_else(|| self.frameworks.get(&router))
                    .copied()
            }
            router => self.frameworks.get(&router).copied(),
        }
    }

    /// Returns all routers.
    pub(super) fn known(&self) -> impl Iterator<Item = Router> {
        self.frameworks.keys().copied().collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns the routers that functions make, with the function.
    pub(super) fn made_by_functions(&self) -> Vec<(SymbolId, Router)> {
        let all =
            self.made_in.iter().flat_map(|(function, made)| made.iter().map(|router| (*function, *router)));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Records the framework of a router, and clears the cache of calls.
    pub(super) fn note(&mut self, router: Router, framework: Framework) {
        self.frameworks.insert(router, framework);
        self.given.borrow_mut().clear();
    }

    /// Returns the routers that an expression denotes.
    pub(super) fn routers(&self, it: At<'a>) -> Vec<Router> {
        self.follow(it, DEPTH)
    }

    fn follow(&self, it: At<'a>, depth: u32) -> Vec<Router> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        match it.expression {
            Expression::Call(_) => self.call(it).map_or_else(Vec::new, |call| self.of_call(it, call, depth)),
            Expression::Name(_) | Expression::Member(..) => {
                let values = self.code.denoted(it).into_iter();
                let routers: Vec<Router> = values.flat_map(|value| self.of_value(value, depth)).collect();
                if routers.is_empty() { self.of_part(it, depth) } else { routers }
            }
            Expression::Either(values) | Expression::List(values) => {
                values.iter().flat_map(|value| self.follow(it.with(value), depth)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the routers that a value is.
    fn of_value(&self, value: Value<'a>, depth: u32) -> Vec<Router> {
        let router = match value {
            Value::Call(value) | Value::List(value) => return self.follow(value, depth),
            Value::Symbol(symbol) => Some(Router::Declared(symbol)),
            Value::Text(text) => match text[..] {
                [Piece::Parameter(Parameter { file, function, index })] => {
                    let function = &self.code.wired(file).wiring.functions[function as usize];
                    Some(Router::Given(file, function.span, index as usize))
                }
                _ => None,
            },
            _ => None,
        };
        router.filter(|router| self.framework(*router).is_some()).into_iter().collect()
    }

    /// Returns the routers of a member that stands for the router itself: `app.router` of aiohttp and FastAPI,
    /// `router.urls` and `router.registry` of Django REST framework.
    fn of_part(&self, it: At<'a>, depth: u32) -> Vec<Router> {
        let Expression::Member(base, name) = it.expression else { return Vec::new() };
        let is_part = |router: &Router| match &**name {
            "router" => true,
            _ => self.framework(*router) == Some(Framework::Rest),
        };
        match &**name {
            "router" | "urls" | "registry" => {
                self.follow(it.with(base), depth).into_iter().filter(is_part).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the routers of a call: the one that it makes, its receiver, or those of a function.
    fn of_call(&self, it: At<'a>, call: &'a Call, depth: u32) -> Vec<Router> {
        let key = (it.file, call.span);
        if let Some(known) = self.given.borrow().get(&key) {
            return known.clone();
        }
        // A chain does not count against the depth: it is as long as there are routes.
        let mut chain = Vec::new();
        let mut inner = call;
        let mut routers = loop {
            let made = Router::Made(it.file, inner.span);
            if self.frameworks.contains_key(&made) {
                break vec![made];
            }
            let callee = it.with(&inner.callee);
            if let Some(receiver) = inner.callee.receiver() {
                let receiver = it.with(receiver);
                chain.push(inner);
                match self.call(receiver) {
                    Some(before) => inner = before,
                    None => {
                        let on = self.follow(receiver, depth);
                        if !on.is_empty() {
                            break on;
                        }
                        chain.pop();
                        break self.of_function(callee, inner, depth);
                    }
                }
            } else {
                break self.of_function(callee, inner, depth);
            }
        };
        let is_chained = !chain.is_empty();
        for call in chain.into_iter().rev() {
            let keeps = |router: &Router| {
                self.framework(*router).is_some_and(|framework| framework.is_returned_by(call))
            };
            routers.retain(keeps);
            self.given.borrow_mut().insert((it.file, call.span), routers.clone());
        }
        if is_chained && routers.is_empty() {
            routers = self.of_function(it.with(&call.callee), call, depth);
        }
        self.given.borrow_mut().insert(key, routers.clone());
        routers
    }

    /// Returns the known routers that a project function returns: those that it makes, and in Rust those passed to it.
    fn of_function(&self, callee: At<'a>, call: &'a Call, depth: u32) -> Vec<Router> {
        let Some(symbol) = self.code.declaration(callee) else { return Vec::new() };
        let mut routers = Vec::new();
        if self.made_in.contains_key(&symbol) {
            routers.push(Router::Declared(symbol));
        }
        // Functions that extend a router return it.
        if self.is_rust(callee.file) {
            let passed =
                call.arguments.iter().flat_map(|argument| self.follow(callee.with(&argument.value), depth));
            routers.extend(passed);
        }
        routers
    }
}
