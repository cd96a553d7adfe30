//! What comes from outside of the project, by the path that leads to it.

use crate::derive::code::{At, split_library};

/// Something from a package: `kafkajs.Kafka().producer()`.
#[derive(Clone, Debug)]
pub(crate) struct Outside<'c> {
    /// The module, the names in it and the calls, joined by dots; an object that is known by its type alone is what
    /// calling its type returns.
    pub path: String,
    /// The last call of the path, if it is written somewhere.
    pub made_by: Option<At<'c>>,
    /// Whether the code says where it comes from; otherwise it is a name that nothing declares, as `fetch`.
    pub is_imported: bool,
}

impl<'c> Outside<'c> {
    /// Something that an import leads to.
    pub(crate) fn imported(path: String) -> Self {
        Self { path, made_by: None, is_imported: true }
    }

    /// A name that nothing declares.
    pub(crate) fn global(name: &str) -> Self {
        Self { path: name.to_owned(), made_by: None, is_imported: false }
    }

    /// A member of it.
    pub(crate) fn member(mut self, name: &str) -> Self {
        self.path.push('.');
        self.path.push_str(name);
        self
    }

    /// What calling it returns.
    pub(crate) fn called(mut self, by: Option<At<'c>>) -> Self {
        self.path.push_str("()");
        self.made_by = by;
        self
    }

    /// The package or standard module, and what leads on from there.
    pub(crate) fn split(&self) -> (&str, &str) {
        split_library(&self.path)
    }
}
