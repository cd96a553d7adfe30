//! How a language names code in other files: one implementation of [`Modules`] for each module system.

mod es;
mod none;
mod python;
mod rust;
mod rust_cfg;
mod rust_values;

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use sscg_core::{ModuleSystem, Project};

pub(super) use self::rust::path_attributes;
pub(super) use self::rust_values::{Shape, Signature};
use super::context::Context;
use super::tables::{Scope, Tables};
use crate::graph::Origin;

/// What a module path denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModuleTarget {
    /// A file or inline module of the project.
    Scope(Scope),
    /// A package outside the project, by the path as the language writes it.
    Outside(String, Origin),
    /// Inside the project by its form, but not there.
    Missing,
}

/// What a type of the language says of its values by its type arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobalType {
    /// They are, as far as their members go, values of the first argument.
    Same,
    /// They are what functions of the first argument return.
    Result,
    /// They hold values of the argument at this position.
    Holds(u8),
}

/// What a method of a container returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerMethod {
    /// One of what is held.
    Element,
    /// A container of the same.
    Same,
}

/// The part of a module system that linking needs.
pub(super) trait Modules: Sync {
    /// What the module path of an import or qualified name denotes, as seen from `from`.
    fn resolve(&self, context: &Context<'_>, from: Scope, module: &str) -> ModuleTarget;

    /// The module `name` inside the module `within`, where that is a file of its own.
    fn child(&self, context: &Context<'_>, within: Scope, name: &str) -> Option<Scope>;

    /// The path of the module `name` in a directory of modules that is none itself, where there are such.
    fn join(&self, _directory: &str, _name: &str) -> Option<String> {
        None
    }

    /// What joins the segments of a path.
    fn separator(&self) -> &'static str;

    /// Whether types are checked before the program runs, so that a receiver's declared type decides.
    fn statically_typed(&self) -> bool;

    /// What the first segment of a path denotes when no scope of the file knows it.
    fn free_head(&self, _context: &Context<'_>, _from: Scope, _name: &str) -> Option<ModuleTarget> {
        None
    }

    /// Whether a glob import in `from` brings in `name` of `module`, which is marked as `public` there or not.
    fn glob_offers(
        &self,
        context: &Context<'_>,
        from: Scope,
        module: Scope,
        name: &str,
        public: bool,
    ) -> bool;

    /// Whether files list what others can import from them.
    fn lists_exports(&self) -> bool {
        false
    }

    /// Whether built-in types and common library types have a method of this name.
    fn is_common_method(&self, name: &str) -> bool;

    /// What a method of a type outside the project returns, by the last segments of both names.
    fn library_method(&self, _ty: &str, _method: &str) -> Option<&'static Signature> {
        None
    }

    /// Whether values of a type outside the project have the members of its first argument.
    fn is_pointer(&self, _ty: &str) -> bool {
        false
    }

    /// Whether a build with these features, or with any if they are not known, leaves out what stands under a condition.
    fn is_left_out(&self, _condition: &str, _features: Option<&[Box<str>]>) -> bool {
        false
    }

    /// Whether a type outside the project is that of functions.
    fn is_closure(&self, _ty: &str) -> bool {
        false
    }

    /// What a type that the language declares everywhere says of its values.
    fn global_type(&self, _name: &str) -> Option<GlobalType> {
        None
    }

    /// What a method returns that the language's containers have.
    fn container_method(&self, _name: &str) -> Option<ContainerMethod> {
        None
    }

    /// At which position a container's method gives the function that it takes what is held.
    fn container_callback(&self, _name: &str) -> Option<u8> {
        None
    }

    /// The path of what the language declares under this name everywhere.
    fn builtin(&self, name: &str) -> Option<String>;

    /// Whether declarations of one name in one scope are one thing, or a type and a value.
    fn merges_declarations(&self) -> bool {
        false
    }

    /// Whether a static method can be called on an instance.
    fn instances_have_static_methods(&self) -> bool {
        false
    }

    /// Whether a bare module import (`import a.b.c`) binds its first segment.
    fn binds_first_segment(&self) -> bool {
        false
    }
}

/// Words that are listed one a line.
type Words = LazyLock<FxHashSet<&'static str>>;

/// Where the modules of a project lie, told from paths, manifests and [`path_attributes`] alone.
pub(super) struct Layout {
    crates: rust::Crates,
    python: python::ModuleFiles,
    /// What specifiers of ECMAScript modules mean, where their form does not tell.
    modules: Option<es::Resolver>,
}

impl Layout {
    pub(super) fn new(project: &Project, tables: &Tables) -> Self {
        Self {
            crates: rust::Crates::new(project, tables),
            python: python::ModuleFiles::new(project),
            modules: es::Resolver::new(project),
        }
    }
}

/// The rules of a module system.
pub(super) fn of(system: ModuleSystem) -> &'static dyn Modules {
    match system {
        ModuleSystem::EsModules => &es::EsModules,
        ModuleSystem::RustCrates => &rust::RustCrates,
        ModuleSystem::PythonPackages => &python::PythonPackages,
        ModuleSystem::None => &none::NoModules,
    }
}

/// The directory part of a path; empty for a file at the root.
fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// `directory/name`, or `name` at the root.
fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// `directory` followed along a relative specifier; `None` if it leaves the project.
fn normalise(directory: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The directories of a path from the innermost to the root (the empty string).
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory(path)), |at| (!at.is_empty()).then(|| directory(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_followed_from_the_importing_directory() {
        assert_eq!(normalise("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(normalise("", "./x").as_deref(), Some("x"));
        assert_eq!(normalise("", "../x"), None);
    }

    #[test]
    fn ancestors_end_at_the_root() {
        assert_eq!(ancestors("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("c.rs").collect::<Vec<_>>(), [""]);
    }
}
