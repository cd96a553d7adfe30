//! Language rules for names of code in other files: one implementation of [`LanguageRules`] per module system.

mod declared;
mod es;
mod go_build;
mod includes;
mod none;
mod preprocessor;
mod python;
mod rust;
mod rust_cfg;
mod rust_values;

use std::ops::Deref;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use sscg_core::{FileId, IndexVec, Language, ModuleSystem, Project};

pub(super) use self::includes::shared;
use self::preprocessor::Platform;
pub(super) use self::preprocessor::{Compiler, Likelihood, likelihood};
pub(super) use self::rust::path_attributes;
pub(super) use self::rust_values::{Shape, Signature};
use super::context::LinkContext;
use super::tables::{Decl, Scope, Tables};
use crate::graph::Origin;

/// Target of a module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModuleTarget {
    /// File or inline module of the project.
    Scope(Scope),
    /// Package outside the project, by its path in the notation of the language.
    External(String, Origin),
    /// Path that has the form of a project module, but matches none.
    Missing,
}

/// Relation of a built-in type's values to its type arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobalType {
    /// Same members as values of the first argument.
    Same,
    /// Results of functions of the first argument.
    Result,
    /// Containers of values of the argument at this position.
    Holds(u8),
}

/// Result of a container method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerMethod {
    /// Element of the container.
    Element,
    /// Container of the same elements.
    Same,
}

/// Effect of a method that all functions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionMethod {
    /// Runs the function.
    Run,
    /// Makes a function that runs it.
    Hold,
}

/// Type checking of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    /// Types are checked before the program runs, so that a receiver's declared type is decisive.
    Static,
    /// Declared types are hints.
    Dynamic,
}

/// Language rules that linking needs.
pub(super) trait LanguageRules: Sync {
    /// Resolves the module path of an import or qualified name, as seen from `from`.
    fn resolve(&self, context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget;

    /// Returns the module `name` inside the module `within`, if it is a file of its own.
    fn child(&self, context: &RuleContext<'_>, within: Scope, name: &str) -> Option<Scope>;

    /// Returns the path of the module `name` in a directory of modules that is not a module, if the language has these.
    fn join(&self, _directory: &str, _name: &str) -> Option<String> {
        None
    }

    /// Returns the separator of path segments.
    fn separator(&self) -> &'static str;

    /// Returns the type checking of the language.
    fn typing(&self) -> Typing;

    /// Returns true if the types of values are evaluated along whole paths, with the signatures of
    /// [`library_method`](Self::library_method).
    fn evaluates_paths(&self) -> bool {
        false
    }

    /// Returns true if inferred targets of uses follow from types rather than from names, so that other declarations of
    /// the name are hardly ever meant.
    fn infers_from_types(&self) -> bool {
        false
    }

    /// Returns true for the member of a class that holds the members of its instances.
    fn is_prototype(&self, _name: &str) -> bool {
        false
    }

    /// Returns the effect of a method that all functions have.
    fn function_method(&self, _name: &str) -> Option<FunctionMethod> {
        None
    }

    /// Returns true if a field that holds a function is called like a method.
    fn calls_fields(&self) -> bool {
        true
    }

    /// Returns true if the compiler rejects a use that may mean members of two supertypes.
    fn rejects_ambiguous_members(&self) -> bool {
        false
    }

    /// Returns true if a bare name may denote a member of an enclosing type.
    fn has_implicit_receiver(&self) -> bool {
        false
    }

    /// Returns true if the type of a pointer or array stands for what it holds, so that an index selects a value of the
    /// same type.
    fn has_pointers(&self) -> bool {
        false
    }

    /// Returns true if a function can be called like a member of its first parameter.
    fn has_extension_methods(&self) -> bool {
        false
    }

    /// Returns true if functions of one name with different parameters are different functions.
    fn has_overloads(&self) -> bool {
        false
    }

    /// Returns true if a scope also has the declarations of other files of its package.
    fn has_packages(&self) -> bool {
        false
    }

    /// Returns true if the callees of a call follow from the values of its file alone. Otherwise, values are followed
    /// where types do not determine the callee.
    fn has_values_first(&self) -> bool {
        false
    }

    /// Returns true if objects are collections whose elements are their members.
    fn has_object_literals(&self) -> bool {
        false
    }

    /// Returns the name of the method that a construction runs.
    fn constructor(&self) -> &'static str {
        "constructor"
    }

    /// Returns the method that runs when an instance is called like a function, if there is one.
    fn call_method(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if code outside of a package sees only the macros that it exports.
    fn exports_macros(&self) -> bool {
        false
    }

    /// Returns true if packages are only names, so that none of the files that share one stands for it.
    fn packages_are_names(&self) -> bool {
        false
    }

    /// Returns true if a type has the members of each interface that it names, and satisfies each interface whose
    /// methods it has.
    fn has_structural_interfaces(&self) -> bool {
        false
    }

    /// Returns true if the last of several glob imports of a name takes precedence, because each assigns it.
    fn has_last_glob_first(&self) -> bool {
        false
    }

    /// Resolves the first segment of a path that no scope of the file declares.
    fn free_head(&self, _context: &RuleContext<'_>, _from: Scope, _name: &str) -> Option<ModuleTarget> {
        None
    }

    /// Returns true if a glob import in `from` brings in `name` of `module`, given its visibility (`public`) there.
    fn glob_offers(
        &self,
        context: &RuleContext<'_>,
        from: Scope,
        module: Scope,
        name: &str,
        public: bool,
    ) -> bool;

    /// Returns true if code in file `from` sees the private members of types in another file.
    fn sees_private(&self, _context: &RuleContext<'_>, _from: FileId, _file: FileId) -> bool {
        true
    }

    /// Returns true if files list their exports.
    fn lists_exports(&self) -> bool {
        false
    }

    /// Returns true if built-in types and common library types have a method of this name.
    fn is_common_method(&self, name: &str) -> bool;

    /// Returns true if code in a file states the types of its values, although they are only hints.
    fn states_types(&self, _path: &str) -> bool {
        false
    }

    /// Returns true if all values have a method of this name.
    fn is_universal_method(&self, _name: &str) -> bool {
        false
    }

    /// Returns true if operators, statements or functions of the language call a method of this name by themselves.
    fn is_implicit(&self, _name: &str) -> bool {
        false
    }

    /// Returns true for an external type that calls no member of its subtypes, except implicit ones.
    fn is_inert(&self, _ty: &str) -> bool {
        false
    }

    /// Returns the signature of a method of an external type, by the last segments of both names.
    fn library_method(&self, _ty: &str, _method: &str) -> Option<&'static Signature> {
        None
    }

    /// Returns true if values of an external type have the members of its first argument.
    fn is_pointer(&self, _ty: &str) -> bool {
        false
    }

    /// Returns true if a build with these features, or with any if `None`, leaves out code under a condition.
    fn is_left_out(&self, _condition: &str, _features: Option<&[Box<str>]>) -> bool {
        false
    }

    /// Returns true if no build with these features alone, or with any if `None`, has code under a condition.
    fn is_switched_off(&self, _condition: &str, _features: Option<&[Box<str>]>) -> bool {
        false
    }

    /// Returns the conditions under which the modules around a file, and its own, are declared.
    fn module_conditions<'a>(&self, _context: &RuleContext<'a>, _file: FileId) -> Vec<&'a str> {
        Vec::new()
    }

    /// Returns true if a build for the usual platform leaves out a file because of its name.
    fn is_file_left_out(&self, _path: &str) -> bool {
        false
    }

    /// Returns true if an external type is a function type.
    fn is_closure(&self, _ty: &str) -> bool {
        false
    }

    /// Returns the relation of values to type arguments for a type that the language declares globally.
    fn global_type(&self, _name: &str) -> Option<GlobalType> {
        None
    }

    /// Returns the result of a method that the language's containers have.
    fn container_method(&self, _name: &str) -> Option<ContainerMethod> {
        None
    }

    /// Returns the position of the callback parameter to which a container method passes an element.
    fn container_callback(&self, _name: &str) -> Option<u8> {
        None
    }

    /// Returns the path of a name that the language declares globally.
    fn builtin(&self, name: &str) -> Option<String>;

    /// Returns true if declarations of one name in one scope merge into one entity, or into a type and a value.
    fn merges_declarations(&self) -> bool {
        false
    }

    /// Returns true if a static method can be called on an instance.
    fn instances_have_static_methods(&self) -> bool {
        false
    }

    /// Returns true if a bare module import (`import a.b.c`) binds its first segment.
    fn binds_first_segment(&self) -> bool {
        false
    }
}

/// Project as the rules of a language see it: facts, of which each read is recorded, and the locations of modules.
pub(super) struct RuleContext<'a> {
    context: LinkContext<'a>,
    pub(super) layout: &'a Layout,
}

impl<'a> Deref for RuleContext<'a> {
    type Target = LinkContext<'a>;

    fn deref(&self) -> &Self::Target {
        &self.context
    }
}

impl<'a> RuleContext<'a> {
    pub(super) fn new(context: LinkContext<'a>, layout: &'a Layout) -> Self {
        Self { context, layout }
    }

    /// Selects the declarations in a build with the default features, if there are any.
    pub(super) fn built(&self, rules: &dyn LanguageRules, declarations: &mut Vec<Decl>) {
        if declarations.len() < 2 {
            return;
        }
        let is_built = |declaration: &Decl| {
            let mut around = self.self_and_ancestors(*declaration);
            around.all(|it| self.is_built(rules, it.file, self.symbol(it).condition.as_deref()))
                && !rules.is_file_left_out(self.path(declaration.file))
        };
        if declarations.iter().any(is_built) {
            declarations.retain(is_built);
        }
    }

    /// Returns true if code under a condition in a file may be part of a build with the default features.
    pub(super) fn is_built(&self, rules: &dyn LanguageRules, file: FileId, condition: Option<&str>) -> bool {
        condition.is_none_or(|condition| !rules.is_left_out(condition, self.features(file)))
    }

    /// Returns true if the default features switch off code under a condition in a file.
    pub(super) fn is_switched_off(&self, rules: &dyn LanguageRules, file: FileId, condition: &str) -> bool {
        rules.is_switched_off(condition, self.features(file))
    }
}

/// Word list with one word per line.
type Words = LazyLock<FxHashSet<&'static str>>;

/// Locations of the modules of a project, derived only from paths, manifests and [`path_attributes`].
pub(super) struct Layout {
    crates: rust::Crates,
    python: python::ModuleFiles,
    headers: includes::Headers,
    /// Platform of each file.
    platforms: IndexVec<FileId, Platform>,
    /// Resolver for specifiers of ECMAScript modules whose form does not determine a file.
    modules: Option<es::Resolver>,
}

impl Layout {
    pub(super) fn new(project: &Project, tables: &Tables) -> Self {
        Self {
            crates: rust::Crates::new(project, tables),
            python: python::ModuleFiles::new(project),
            headers: includes::Headers::new(project),
            platforms: preprocessor::platforms(project),
            modules: es::Resolver::new(project),
        }
    }
}

impl Layout {
    /// Returns true if the path of a file restricts it to another platform.
    pub(super) fn is_for_other_platform(&self, file: FileId) -> bool {
        self.platforms[file] != Platform::Usual
    }

    /// Returns the compiler that a file of a language is written for.
    pub(super) fn compiler(&self, file: FileId, language: Language) -> Compiler {
        Compiler::new(self.platforms[file], language)
    }
}

/// Returns the rules of a language.
pub(super) fn of(language: Language) -> &'static dyn LanguageRules {
    match language.modules {
        ModuleSystem::EsModules => &es::EsModules,
        ModuleSystem::RustCrates => &rust::RustCrates,
        ModuleSystem::PythonPackages => &python::PythonPackages,
        ModuleSystem::DeclaredPackages
        | ModuleSystem::DirectoryPackages
        | ModuleSystem::Includes
        | ModuleSystem::Namespaces => language.definition(),
        ModuleSystem::None => &none::NoModules,
    }
}

/// Returns the directory part of a path; empty for a file at the root.
fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns `directory/name`, or `name` at the root.
fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Resolves a relative specifier against `directory`; `None` if it leaves the project.
fn normalize(directory: &str, specifier: &str) -> Option<String> {
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

/// Returns the directories of a path, from the innermost to the root (the empty string).
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory(path)), |at| (!at.is_empty()).then(|| directory(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_followed_from_the_importing_directory() {
        assert_eq!(normalize("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(normalize("", "./x").as_deref(), Some("x"));
        assert_eq!(normalize("", "../x"), None);
    }

    #[test]
    fn ancestors_end_at_the_root() {
        assert_eq!(ancestors("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("c.rs").collect::<Vec<_>>(), [""]);
    }
}
