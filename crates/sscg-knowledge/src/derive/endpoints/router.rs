//! Routers, their routes, and the full paths that result from mounting routers on each other.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, Project, Span, SymbolId};

use super::path::join;
use crate::Site;
use crate::derive::code::{At, Code};
use crate::derive::value::{Piece, literal};

/// Holder of routes: an application, a router, a scope, a blueprint, a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Router {
    /// Router that this call makes.
    Made(FileId, Span),
    /// Router that a function receives as a parameter: the span of the function and the index of the parameter.
    Given(FileId, Span, usize),
    /// Declaration: a controller, a handler with its path in an attribute, a function that returns routers.
    Declared(SymbolId),
    /// File that is a list of routes.
    File(FileId),
}

impl Router {
    /// Returns the file that contains the router.
    pub(super) fn file(self, project: &Project) -> FileId {
        match self {
            Self::Made(file, _) | Self::Given(file, ..) | Self::File(file) => file,
            Self::Declared(symbol) => project.symbol_file(symbol),
        }
    }
}

/// Text of a path; exact if all of it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::derive) struct PathText {
    pub(in crate::derive) text: String,
    pub(in crate::derive) exact: bool,
}

impl PathText {
    /// Returns the text of an expression, with `{}` for unknown pieces; `None` if no piece is known.
    pub(in crate::derive) fn of(code: &Code<'_>, it: At<'_>) -> Option<Self> {
        let texts = code.texts(it);
        if let Some(text) = texts.iter().find_map(|text| literal(text)) {
            return Some(Self { text, exact: texts.len() == 1 });
        }
        let pieces = texts.iter().find(|text| text.iter().any(|piece| matches!(piece, Piece::Text(_))))?;
        let shown = pieces.iter().map(|piece| if let Piece::Text(text) = piece { &**text } else { "{}" });
        Some(Self { text: shown.collect(), exact: false })
    }

    /// Creates a text that is known.
    pub(super) fn exact(text: impl Into<String>) -> Self {
        Self { text: text.into(), exact: true }
    }
}

/// Route: a path, a method and the handler.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// Router of the route.
    pub(super) router: Router,
    /// Method in uppercase.
    pub(super) method: Box<str>,
    /// Path below that of the router.
    pub(super) path: PathText,
    /// Location of the handler.
    pub(super) handler: Site,
    /// File that declares the route.
    pub(super) file: FileId,
    /// 1-based line.
    pub(super) line: u32,
}

/// Mount of a router on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Mounted router.
    pub(super) child: Router,
    /// Router that the child is mounted on.
    pub(super) parent: Router,
    /// Path between the two.
    pub(super) prefix: PathText,
    /// True if the prefix replaces the child's own.
    pub(super) replaces: bool,
}

/// Base path and application of a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// Path before its routes.
    pub(super) prefix: PathText,
    /// Application that serves the router; `None` if it is mounted on none.
    pub(super) app: Option<Router>,
}

/// Findings about routers.
#[derive(Debug, Default)]
pub(super) struct Routers {
    /// Routers that serve by themselves.
    pub(super) apps: FxHashSet<Router>,
    /// Own prefix of each router.
    pub(super) prefixes: FxHashMap<Router, PathText>,
    /// Methods of the routes of a router that name none.
    pub(super) methods: FxHashMap<Router, Vec<String>>,
    /// Mounts of routers.
    pub(super) mounts: Vec<Mount>,
    /// Routes of all routers.
    pub(super) routes: Vec<Route>,
}

/// Maximum number of bases of one router, and maximum depth of mounts. Code that exceeds it is generated or circular.
const PLACES: usize = 64;

impl Routers {
    /// Returns the bases of a router, one for each way that it is mounted. If one way ends at an application, ways that
    /// do not are omitted. Never empty.
    pub(super) fn bases(&self, router: Router) -> Vec<Base> {
        let mut by_child: FxHashMap<Router, Vec<&Mount>> = FxHashMap::default();
        for mount in &self.mounts {
            by_child.entry(mount.child).or_default().push(mount);
        }
        self.climb(&by_child, router, &mut Vec::new())
    }

    fn climb(
        &self,
        mounts: &FxHashMap<Router, Vec<&Mount>>,
        router: Router,
        below: &mut Vec<Router>,
    ) -> Vec<Base> {
        let own = self.prefixes.get(&router).cloned().unwrap_or_else(|| PathText::exact(""));
        let mut bases = Vec::new();
        below.push(router);
        for mount in mounts.get(&router).into_iter().flatten() {
            if below.contains(&mount.parent) || below.len() >= PLACES {
                continue;
            }
            for above in self.climb(mounts, mount.parent, below) {
                let prefix = above.prefix.below(&mount.prefix);
                let prefix = if mount.replaces { prefix } else { prefix.below(&own) };
                let base = Base { prefix, app: above.app };
                if !bases.contains(&base) && bases.len() < PLACES {
                    bases.push(base);
                }
            }
        }
        below.pop();
        if bases.iter().any(|base| base.app.is_some()) {
            bases.retain(|base| base.app.is_some());
        } else if bases.is_empty() || self.apps.contains(&router) {
            let app = self.apps.contains(&router).then_some(router);
            bases = vec![Base { prefix: own, app }];
        }
        bases
    }
}

impl PathText {
    /// Returns the path of `path` below this one.
    pub(super) fn below(&self, path: &PathText) -> Self {
        let text = if self.text.is_empty() && path.text.is_empty() {
            String::new()
        } else {
            join(&self.text, &path.text)
        };
        Self { text, exact: self.exact && path.exact }
    }
}

#[cfg(test)]
mod tests {
    use sscg_core::Id;

    use super::*;

    fn router(at: u32) -> Router {
        Router::Made(FileId::new(0), Span::new(at, at + 1))
    }

    fn mount(child: u32, parent: u32, prefix: &str) -> Mount {
        Mount {
            child: router(child),
            parent: router(parent),
            prefix: PathText::exact(prefix),
            replaces: false,
        }
    }

    fn texts(routers: &Routers, at: u32) -> Vec<(String, bool)> {
        let bases = routers.bases(router(at)).into_iter();
        bases.map(|base| (base.prefix.text, base.app.is_some())).collect()
    }

    #[test]
    fn a_router_is_wherever_it_is_mounted() {
        let mut routers = Routers::default();
        routers.apps.insert(router(0));
        routers.prefixes.insert(router(2), PathText::exact("/items"));
        routers.mounts = vec![mount(1, 0, "/v1"), mount(1, 0, "/v2"), mount(2, 1, ""), mount(2, 9, "/lost")];
        assert_eq!(texts(&routers, 2), [("/v1/items".to_owned(), true), ("/v2/items".to_owned(), true)]);
        assert_eq!(texts(&routers, 7), [(String::new(), false)]);
    }

    #[test]
    fn routers_in_a_circle_come_to_an_end() {
        let mounts = vec![mount(1, 2, "/a"), mount(2, 1, "/b")];
        let routers = Routers { mounts, ..Routers::default() };
        assert_eq!(texts(&routers, 1), [("/a".to_owned(), false)]);
    }
}
