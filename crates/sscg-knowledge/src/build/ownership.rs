//! Assignment of files to services.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Model, Problem};

/// Services by the directories of their code.
pub(super) struct Ownership {
    /// Service of each directory; `None` for directories of libraries.
    roots: FxHashMap<Box<str>, Option<Arc<str>>>,
}

impl Ownership {
    /// Reads the ownership from a model. If two services have the same directory, the first one owns it.
    pub(super) fn new(model: &Model, problems: &mut Vec<Problem>) -> Self {
        let mut roots: FxHashMap<Box<str>, Option<Arc<str>>> = FxHashMap::default();
        for service in &model.services {
            let Some(root) = &service.root else { continue };
            if let Some(Some(other)) = roots.get(root) {
                let message =
                    format!("`{}` and `{other}` have this directory both; it is the latter's", service.name);
                problems.push(Problem::new(root.clone(), message));
                continue;
            }
            roots.insert(root.clone(), Some(Arc::from(&*service.name)));
        }
        for library in &model.libraries {
            roots.entry(library.clone()).or_insert(None);
        }
        Self { roots }
    }

    /// Returns the service of a file: the one with the nearest enclosing directory, unless a library's is nearer.
    pub(super) fn service_of(&self, path: &str) -> Option<&Arc<str>> {
        let mut dir = path;
        while !dir.is_empty() {
            dir = dir.rfind('/').map_or("", |slash| &dir[..slash]);
            if let Some(service) = self.roots.get(dir) {
                return service.as_ref();
            }
        }
        None
    }
}
