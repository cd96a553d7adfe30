//! External values, identified by access path.

use crate::derive::code::{At, split_library};

/// External value: `kafkajs.Kafka().producer()`.
#[derive(Clone, Debug)]
pub(crate) struct ExternalValue<'c> {
    /// Access path: the module, names and calls, joined by dots. An object known only by its type is written as a call
    /// of the type.
    pub path: String,
    /// Last call of the path, if it is in the code.
    pub made_by: Option<At<'c>>,
    /// True if the code gives the origin of the value; false for an undeclared name, such as `fetch`.
    pub is_imported: bool,
}

impl<'c> ExternalValue<'c> {
    /// Creates the value that an import leads to.
    pub(crate) fn imported(path: String) -> Self {
        Self { path, made_by: None, is_imported: true }
    }

    /// Creates the value of an undeclared name.
    pub(crate) fn global(name: &str) -> Self {
        Self { path: name.to_owned(), made_by: None, is_imported: false }
    }

    /// Returns a member of the value.
    pub(crate) fn member(mut self, name: &str) -> Self {
        self.path.push('.');
        self.path.push_str(name);
        self
    }

    /// Returns the result of calling the value.
    pub(crate) fn called(mut self, by: Option<At<'c>>) -> Self {
        self.path.push_str("()");
        self.made_by = by;
        self
    }

    /// Returns the package, the type and the rest of a path in Java or C#: `java.net.http`, `HttpClient` and `()` for
    /// `java.net.http.HttpClient()`. The package is empty for a name that the file imports with all others of a package.
    pub(crate) fn typed(&self) -> (&str, &str, &str) {
        let is_type = |segment: &&str| segment.starts_with(char::is_uppercase);
        let before =
            self.path.split('.').take_while(|segment| !is_type(segment)).map(|segment| segment.len() + 1);
        let start = before.sum::<usize>().min(self.path.len());
        let rest = &self.path[start..];
        let (ty, steps) = rest.split_at(rest.find(['.', '(']).unwrap_or(rest.len()));
        (self.path[..start].trim_end_matches('.'), ty, steps)
    }

    /// Returns the package or standard module, and the rest of the path.
    pub(crate) fn split(&self) -> (&str, &str) {
        split_library(&self.path)
    }
}

/// True if an external path denotes the environment variables.
pub(super) fn is_environment(path: &str) -> bool {
    matches!(path, "process.env" | "import.meta.env" | "os.environ" | "Bun.env" | "env")
}
