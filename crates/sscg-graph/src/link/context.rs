//! Data that resolution may read, and a record of its reads.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;
use sscg_core::{
    FieldStore, FileFacts, FileId, FileRole, Flow, Id, Language, LocalFunction, LocalImport, LocalSymbol,
    LocalValue, Package, Parameter, Project, Symbol,
};

use super::Reads;
use super::lineage::subtypes_key;
use super::passed::FlowTarget;
use super::tables::{Decl, LookupKey, Scope, Tables, directory, global_of, hash_of, in_package};

/// Project and tables as one thread sees them. Facts are only accessible through this type, which records the files
/// that they belong to: the links of a file depend on those files only.
pub(super) struct LinkContext<'a> {
    project: &'a Project,
    tables: &'a Tables,
    files: NotedFiles,
    flows: NotedFiles,
    names: RefCell<FxHashSet<LookupKey>>,
}

/// Set of files that is cheap to add to, since most reads are of files that were read before.
struct NotedFiles {
    is_noted: Box<[Cell<bool>]>,
    files: RefCell<Vec<FileId>>,
}

impl NotedFiles {
    fn new(files: usize) -> Self {
        Self { is_noted: vec![Cell::new(false); files].into(), files: RefCell::default() }
    }

    fn note(&self, file: FileId) {
        if !self.is_noted[file.index()].replace(true) {
            self.files.borrow_mut().push(file);
        }
    }

    /// Returns the files in order, and empties the set.
    fn take(&self) -> Box<[FileId]> {
        let files = self.files.take();
        for file in &files {
            self.is_noted[file.index()].set(false);
        }
        sorted(files)
    }
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Box<[T]> {
    let mut items: Box<[T]> = items.into_iter().collect();
    items.sort_unstable();
    items
}

impl<'a> LinkContext<'a> {
    pub(super) fn new(project: &'a Project, tables: &'a Tables) -> Self {
        let files = || NotedFiles::new(project.files().len());
        Self { project, tables, files: files(), flows: files(), names: RefCell::default() }
    }

    /// Returns the reads since the last call.
    pub(super) fn take_reads(&self) -> Reads {
        Reads { files: self.files.take(), flows: self.flows.take(), names: sorted(self.names.take()) }
    }

    /// Records a read of a file's declarations.
    pub(super) fn note(&self, file: FileId) {
        self.files.note(file);
    }

    /// Records a lookup whose answer depends on more than single files.
    fn note_lookup(&self, key: LookupKey) {
        self.names.borrow_mut().insert(key);
    }

    // -- Independent of facts --------------------------------------------------------------------------------

    pub(super) fn path(&self, file: FileId) -> &'a str {
        &self.project.files()[file].path
    }

    pub(super) fn language(&self, file: FileId) -> Language {
        self.project.files()[file].language
    }

    /// Returns true if two files are in languages that can name each other's declarations.
    pub(super) fn is_of_family(&self, file: FileId, other: FileId) -> bool {
        self.language(file).family == self.language(other).family
    }

    pub(super) fn packages(&self) -> &'a [Package] {
        self.project.packages()
    }

    /// Returns true if a file is test code by its path.
    pub(super) fn is_test_file(&self, file: FileId) -> bool {
        self.project.role(self.path(file)) == FileRole::Test
    }

    /// Returns the first of these paths that is a file of the project.
    pub(super) fn first_file(&self, paths: impl IntoIterator<Item = String>) -> Option<FileId> {
        paths.into_iter().find_map(|path| self.tables.file(&path))
    }

    /// Returns the project, for ids only.
    pub(super) fn project(&self) -> &'a Project {
        self.project
    }

    // -- Facts ----------------------------------------------------------------------------------------------

    pub(super) fn facts(&self, file: FileId) -> &'a FileFacts {
        self.note(file);
        &self.project.files()[file].facts
    }

    pub(super) fn symbol(&self, declaration: Decl) -> &'a Symbol {
        &self.facts(declaration.file).symbols[declaration.symbol]
    }

    /// Returns the declaration that contains a declaration.
    pub(super) fn parent(&self, declaration: Decl) -> Option<Decl> {
        self.symbol(declaration).parent.map(|parent| Decl::new(declaration.file, parent))
    }

    /// Returns a declaration and those around it, innermost first.
    pub(super) fn self_and_ancestors(&self, declaration: Decl) -> impl Iterator<Item = Decl> {
        std::iter::successors(Some(declaration), |declaration| self.parent(*declaration))
    }

    /// Returns the declarations of a name in a scope.
    pub(super) fn declared(&self, scope: Scope, name: &str) -> &'a [LocalSymbol] {
        self.tables.declared(self.facts(scope.file), scope, name)
    }

    /// Returns the declarations that a file exports under a name other than their own.
    pub(super) fn exported(&self, file: FileId, name: &'a str) -> impl ExactSizeIterator<Item = LocalSymbol> {
        self.tables.exported(self.facts(file), file, name)
    }

    /// Returns the imports that bind a name in a scope.
    pub(super) fn imported(&self, scope: Scope, name: &str) -> &'a [LocalImport] {
        self.tables.imported(self.facts(scope.file), scope, name)
    }

    /// Returns the glob imports of a scope.
    pub(super) fn globs(&self, scope: Scope) -> impl DoubleEndedIterator<Item = LocalImport> + use<'a> {
        self.note(scope.file);
        self.tables.globs(scope)
    }

    /// Returns the direct members `name` of a declaration.
    pub(super) fn members(&self, owner: Decl, name: &str) -> impl Iterator<Item = Decl> + use<'a> {
        self.tables.members(self.facts(owner.file), owner, name)
    }

    /// Returns the path of the package of a scope; `None` where packages are not shared by several files.
    pub(super) fn package_path(&self, scope: Scope) -> Option<&'a str> {
        self.note(scope.file);
        self.tables.package(scope)
    }

    /// Returns the declarations of a name in a package, in all files.
    pub(super) fn in_package(&self, family: &str, package: &str, name: &str) -> &'a [Decl] {
        let hash = in_package(family, package, name);
        self.note_lookup(LookupKey::new(hash));
        self.tables.in_package(hash)
    }

    /// Returns the declarations of a name in the package of a scope.
    pub(super) fn in_package_of(&self, scope: Scope, name: &str) -> Vec<Decl> {
        let Some(package) = self.package_path(scope) else { return Vec::new() };
        let language = self.language(scope.file);
        let all = self.in_package(language.family, package, name);
        let own = self.declared(scope, name).iter().map(|own| Decl::new(scope.file, *own));
        let missing: Vec<Decl> = own.filter(|own| !all.contains(own)).collect();
        missing.into_iter().chain(all.iter().copied()).collect()
    }

    /// Returns the imports of other files that apply to a file as well.
    pub(super) fn global_imports(
        &self,
        file: FileId,
    ) -> impl Iterator<Item = (FileId, LocalImport)> + use<'a> {
        let (path, project) = (self.path(file), self.project);
        let applies = move |(at, _): &(FileId, LocalImport)| {
            let rest = path.strip_prefix(directory(&project.files()[*at].path));
            *at != file && rest.is_some_and(|rest| rest.starts_with('/') || rest.len() == path.len())
        };
        self.tables.global_imports().iter().copied().filter(applies)
    }

    /// Returns the paths of the namespaces and types whose names manifests import for a file.
    pub(super) fn usings(&self, file: FileId) -> impl Iterator<Item = &'a str> + use<'a> {
        let path = self.path(file);
        let applies = move |dir: &str| {
            let rest = path.strip_prefix(dir);
            dir.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let usings = self.project.manifests().usings.iter();
        usings.filter(move |using| applies(&using.dir)).map(|using| &*using.module)
    }

    /// Returns the first part of a package, which stands for the whole.
    pub(super) fn package_scope(&self, family: &str, package: &str) -> Option<Scope> {
        self.tables.parts(family, package).first().copied()
    }

    /// Returns the declaration that a file marks as its default export.
    pub(super) fn default(&self, file: FileId) -> Option<LocalSymbol> {
        self.note(file);
        self.tables.default(file)
    }

    /// Returns true if the value of a default export names `name`.
    pub(super) fn default_names(&self, export: Decl, name: &str) -> bool {
        self.note(export.file);
        self.tables.default_names(export, name)
    }

    /// Returns the default features of the package that a file belongs to.
    pub(super) fn features(&self, file: FileId) -> Option<&'a [Box<str>]> {
        self.package(file).map(|package| &*package.features)
    }

    /// Returns the package that a file belongs to.
    pub(super) fn package(&self, file: FileId) -> Option<&'a Package> {
        self.project.package_of(file)
    }

    // -- Body facts -----------------------------------------------------------------------------------------

    /// Returns the body facts of a file, which depend on the bodies of its functions.
    pub(super) fn flow(&self, file: FileId) -> &'a Flow {
        self.flows.note(file);
        &self.facts(file).flow
    }

    /// Returns true if a declared name holds something other than the declaration itself.
    pub(super) fn is_held(&self, declaration: Decl) -> bool {
        self.facts(declaration.file).flow.held(declaration.symbol).is_some()
    }

    /// Returns the function of a declaration in the body facts of its file.
    pub(super) fn function(&self, declaration: Decl) -> Option<LocalFunction> {
        self.note(declaration.file);
        self.tables.flow(declaration.file).function(declaration.symbol)
    }

    /// Returns the parameters of a function. The recorded read covers whether they have types and defaults, not which.
    pub(super) fn parameters(&self, file: FileId, function: LocalFunction) -> &'a [Parameter] {
        &self.facts(file).flow.functions[function].parameters
    }

    /// Returns true if a declaration is a function whose first parameter is its receiver.
    pub(super) fn has_receiver(&self, declaration: Decl) -> bool {
        let function = self.function(declaration);
        function.is_some_and(|function| self.facts(declaration.file).flow.functions[function].has_receiver)
    }

    /// Returns the values that methods of a class assign to an attribute of their own instance or class.
    pub(super) fn own_stores(&self, class: Decl, name: &str) -> &'a [LocalValue] {
        self.flow(class.file);
        self.tables.flow(class.file).own_stores(class.symbol, name)
    }

    /// Returns the stores of a file into elements.
    pub(super) fn element_stores(&self, file: FileId) -> impl Iterator<Item = &'a FieldStore> {
        let flow = self.flow(file);
        self.tables.flow(file).element_stores().iter().map(|at| &flow.stores[*at as usize])
    }

    /// Returns the stores of a file into attributes of anything but a method's own instance or class.
    pub(super) fn foreign_stores(&self, file: FileId) -> impl Iterator<Item = &'a FieldStore> {
        let flow = self.flow(file);
        self.tables.flow(file).foreign_stores().iter().map(|at| &flow.stores[*at as usize])
    }

    /// Records a read of the values passed to a place.
    pub(super) fn note_passed(&self, place: FlowTarget) {
        self.note_lookup(place.key());
    }

    /// Records a read of a type's subtypes.
    pub(super) fn note_subtypes(&self, ty: Decl) {
        self.note_lookup(subtypes_key(ty));
    }

    // -- Declarations anywhere, by name ---------------------------------------------------------------------

    /// Returns the methods of a name in all files. Their set and the data from [`LinkContext::peek`] are recorded by name,
    /// not by file, since the files may be many.
    pub(super) fn methods(&self, name: &str) -> &'a [Decl] {
        self.note_lookup(LookupKey::new(hash_of(name)));
        self.tables.methods(name)
    }

    /// Returns the methods of a name that interfaces in any file require, recorded like [`LinkContext::methods`].
    pub(super) fn required(&self, name: &str) -> &'a [Decl] {
        self.note_lookup(LookupKey::new(hash_of(name)));
        self.tables.required(name)
    }

    /// Returns the macros of a name in all files, recorded like [`LinkContext::methods`].
    pub(super) fn macros(&self, name: &str) -> &'a [Decl] {
        self.note_lookup(LookupKey::new(hash_of(name)));
        self.tables.macros(name)
    }

    /// Returns the global declarations of a name.
    pub(super) fn globals(&self, name: &str) -> &'a [Decl] {
        self.note_lookup(LookupKey::new(global_of(name)));
        self.tables.globals(name)
    }

    /// Returns a declaration from [`LinkContext::methods`] or [`LinkContext::macros`], or one around it.
    pub(super) fn peek(&self, declaration: Decl) -> &'a Symbol {
        &self.project.files()[declaration.file].facts.symbols[declaration.symbol]
    }
}
