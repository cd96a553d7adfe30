//! Routers of a project, with their frameworks and mounts.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::wiring::{Call, Expression, Function};
use sscg_core::{FileId, Span, SymbolId};

use super::framework::Framework;
use super::router::{Mount, PathText, Router, Routers};
use crate::derive::code::{At, Code};

/// Reader of the routers of a project.
pub(super) struct RouteReader<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) found: Routers,
    /// Framework of each router.
    pub(super) frameworks: FxHashMap<Router, Framework>,
    /// Routers that are made in each function.
    pub(super) made_in: FxHashMap<SymbolId, Vec<Router>>,
    /// Routers that represent a path of another router.
    pub(super) derived: FxHashSet<Router>,
    /// Cache of the routers of calls, by file and span.
    pub(super) given: RefCell<FxHashMap<(FileId, Span), Vec<Router>>>,
}

/// Maximum number of steps to follow an expression to its routers.
pub(super) const DEPTH: u32 = 16;

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
}
