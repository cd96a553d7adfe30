//! Languages whose rules are data: packages that several files share, and files that include others.

use sscg_core::{LanguageDef, ModuleSystem};

use super::{
    ContainerMethod, GlobalType, LanguageRules, ModuleTarget, RuleContext, Typing, ancestors, go_build,
    includes, join,
};
use crate::graph::Origin;
use crate::link::tables::Scope;

impl LanguageRules for LanguageDef {
    fn resolve(&self, context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget {
        match self.modules {
            ModuleSystem::Includes => match includes::resolve(context, from, module) {
                ModuleTarget::Scope(scope) => ModuleTarget::Scope(scope),
                outside if module.starts_with('<') => outside,
                outside => match context.package_scope(self.family, module) {
                    Some(scope) if !module.is_empty() => ModuleTarget::Scope(scope),
                    _ if self.library.is_root(module.split('.').next().unwrap_or(module)) => {
                        external(self, module, '.')
                    }
                    _ => outside,
                },
            },
            ModuleSystem::DirectoryPackages => directory_package(self, context, from, module),
            _ => match context.package_scope(self.family, module) {
                Some(scope) => ModuleTarget::Scope(scope),
                None => external(self, module, '.'),
            },
        }
    }

    fn child(&self, context: &RuleContext<'_>, within: Scope, name: &str) -> Option<Scope> {
        if self.modules == ModuleSystem::DirectoryPackages {
            return None;
        }
        let path = context.package_path(within)?;
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        context.package_scope(self.family, &path)
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn typing(&self) -> Typing {
        Typing::Static
    }

    fn glob_offers(&self, _: &RuleContext<'_>, _: Scope, _: Scope, _name: &str, public: bool) -> bool {
        public
    }

    fn is_left_out(&self, condition: &str, _features: Option<&[Box<str>]>) -> bool {
        self.modules == ModuleSystem::DirectoryPackages && go_build::holds(condition) == Some(false)
    }

    fn is_file_left_out(&self, path: &str) -> bool {
        self.modules == ModuleSystem::DirectoryPackages && go_build::is_for_other_platform(path)
    }

    fn is_common_method(&self, name: &str) -> bool {
        self.library.is_common_method(name)
    }

    fn is_implicit(&self, name: &str) -> bool {
        let is_word = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_operator = name.strip_prefix("operator").is_some_and(|rest| !is_word(rest));
        // Destructors of C++ and finalizers of C# have this prefix.
        is_operator || name.starts_with('~') || self.library.is_implicit(name)
    }

    fn global_type(&self, name: &str) -> Option<GlobalType> {
        if self.library.is_pointer(name) {
            return Some(GlobalType::Same);
        }
        self.library.held_argument(name).map(GlobalType::Holds)
    }

    fn container_method(&self, name: &str) -> Option<ContainerMethod> {
        if self.library.returns_element(name) {
            Some(ContainerMethod::Element)
        } else {
            self.library.returns_same(name).then_some(ContainerMethod::Same)
        }
    }

    fn container_callback(&self, name: &str) -> Option<u8> {
        self.library.callback_parameter(name)
    }

    fn builtin(&self, name: &str) -> Option<String> {
        self.library.builtin(name)
    }

    fn has_packages(&self) -> bool {
        true
    }

    fn packages_are_names(&self) -> bool {
        self.modules == ModuleSystem::Namespaces
    }

    fn has_extension_methods(&self) -> bool {
        self.modules == ModuleSystem::Namespaces
    }

    fn has_implicit_receiver(&self) -> bool {
        self.modules != ModuleSystem::DirectoryPackages
    }

    fn has_pointers(&self) -> bool {
        self.modules == ModuleSystem::Includes
    }

    fn free_head(&self, _: &RuleContext<'_>, _: Scope, name: &str) -> Option<ModuleTarget> {
        let is_root = self.modules != ModuleSystem::DirectoryPackages && self.library.is_root(name);
        is_root.then(|| external(self, name, '.'))
    }

    fn has_overloads(&self) -> bool {
        self.modules != ModuleSystem::DirectoryPackages
    }

    fn has_structural_interfaces(&self) -> bool {
        self.modules == ModuleSystem::DirectoryPackages
    }
}

/// Returns the target of a path outside of the project.
fn external(language: &LanguageDef, module: &str, separator: char) -> ModuleTarget {
    let first = module.split(separator).next().unwrap_or(module);
    let origin = if language.library.is_root(first) { Origin::StandardLibrary } else { Origin::ThirdParty };
    ModuleTarget::External(module.to_owned(), origin)
}

/// Returns the package of a directory: below the module that the path starts with, or vendored beside the importing
/// file.
fn directory_package(
    language: &LanguageDef,
    context: &RuleContext<'_>,
    from: Scope,
    path: &str,
) -> ModuleTarget {
    let in_module = |package: &sscg_core::Package| {
        let rest = path.strip_prefix(&*package.name).filter(|_| package.modules == language.modules)?;
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
        Some((
            package.name.len(),
            if rest.is_empty() { package.dir.to_string() } else { join(&package.dir, rest) },
        ))
    };
    let modules = context.packages().iter().filter_map(in_module);
    let innermost = modules.max_by_key(|(length, _)| *length);
    let vendored = || ancestors(context.path(from.file)).map(|around| join(around, &join("vendor", path)));
    let mut directories = innermost.iter().map(|(_, directory)| directory.clone()).chain(vendored());
    match directories.find_map(|directory| context.package_scope(language.family, &directory)) {
        Some(scope) => ModuleTarget::Scope(scope),
        None if innermost.is_some() => ModuleTarget::Missing,
        None => external(language, path, '/'),
    }
}
