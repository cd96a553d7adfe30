//! Routers, what stands on them, and the whole paths that come of mounting them on each other.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, Project, Span, SymbolId};

use super::path::join;
use crate::Site;

/// Something that routes stand on: an application, a router, a scope, a blueprint, a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Router {
    /// What this call makes.
    Made(FileId, Span),
    /// What a function is given as one of its parameters: the place of the function, and which parameter.
    Given(FileId, Span, usize),
    /// A declaration: a controller, a handler whose attribute says its path, a function that returns routers.
    Declared(SymbolId),
    /// A file that is a list of routes.
    File(FileId),
}

impl Router {
    /// The file that it stands in.
    pub(super) fn file(self, project: &Project) -> FileId {
        match self {
            Self::Made(file, _) | Self::Given(file, ..) | Self::File(file) => file,
            Self::Declared(symbol) => project.symbol_file(symbol),
        }
    }
}

/// Text of a path, and whether all of it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) exact: bool,
}

impl Text {
    /// Text that is known.
    pub(super) fn exact(text: impl Into<String>) -> Self {
        Self { text: text.into(), exact: true }
    }
}

/// A route: what is answered where.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// What it stands on.
    pub(super) router: Router,
    /// The method in capitals.
    pub(super) method: Box<str>,
    /// Its path below that of the router.
    pub(super) path: Text,
    /// The code that answers.
    pub(super) handler: Site,
    /// Where it is said.
    pub(super) file: FileId,
    /// The 1-based line.
    pub(super) line: u32,
}

/// A router that is put on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The router that is put somewhere.
    pub(super) child: Router,
    /// What it is put on.
    pub(super) parent: Router,
    /// The path between the two.
    pub(super) prefix: Text,
    /// Whether the prefix stands in for the one that the child has itself.
    pub(super) replaces: bool,
}

/// Where a router is in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The path before its routes.
    pub(super) prefix: Text,
    /// The application that serves it; `None` if it is put on none.
    pub(super) app: Option<Router>,
}

/// Everything found about routers.
#[derive(Debug, Default)]
pub(super) struct Routers {
    /// Routers that serve by themselves.
    pub(super) apps: FxHashSet<Router>,
    /// The path that a router says itself.
    pub(super) prefixes: FxHashMap<Router, Text>,
    /// What is put where.
    pub(super) mounts: Vec<Mount>,
    /// What is answered.
    pub(super) routes: Vec<Route>,
}

/// How many places one router is followed to, and how deep. Code that mounts a router in more is generated or in a
/// circle.
const PLACES: usize = 64;

impl Routers {
    /// Where a router is in the end: once for each way that it is mounted. Where there is an application at the end of
    /// one way, ways without are left out. Never empty.
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
        let own = self.prefixes.get(&router).cloned().unwrap_or_else(|| Text::exact(""));
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

impl Text {
    /// The path of what stands at `path` below this one.
    pub(super) fn below(&self, path: &Text) -> Self {
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
        Mount { child: router(child), parent: router(parent), prefix: Text::exact(prefix), replaces: false }
    }

    fn texts(routers: &Routers, at: u32) -> Vec<(String, bool)> {
        let bases = routers.bases(router(at)).into_iter();
        bases.map(|base| (base.prefix.text, base.app.is_some())).collect()
    }

    #[test]
    fn a_router_is_wherever_it_is_mounted() {
        let mut routers = Routers::default();
        routers.apps.insert(router(0));
        routers.prefixes.insert(router(2), Text::exact("/items"));
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
