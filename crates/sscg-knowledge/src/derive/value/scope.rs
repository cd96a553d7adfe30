//! Declarations and imports that names denote, by scope and by the edges of the code graph.

use sscg_core::{
    Confidence, Export, FileId, Import, ImportKind, Modifiers, ModuleSystem, NodeId, Relation, Symbol,
    SymbolId, SymbolKind,
};
use sscg_graph::{Direction, Node};

use crate::derive::code::Code;
use crate::input::without_version;

impl Code<'_> {
    /// Returns the declaration that a name denotes at a byte offset, without following its value.
    pub(crate) fn declared(&self, file: FileId, offset: u32, name: &str) -> Option<SymbolId> {
        let imported = || self.imported_symbol(file, self.import(file, offset, name)?);
        self.visible(file, offset, name).or_else(imported)
    }

    /// Returns the innermost declaration of a name that is visible at a byte offset.
    pub(super) fn visible(&self, file: FileId, offset: u32, name: &str) -> Option<SymbolId> {
        let facts = &self.project.files()[file].facts;
        let is_visible = |symbol: &Symbol| match symbol.parent.map(|parent| &facts.symbols[parent]) {
            None => true,
            Some(parent) if parent.kind.has_members() && parent.kind != SymbolKind::Module => false,
            Some(parent) => (parent.span.start..parent.span.end).contains(&offset),
        };
        let named = facts.symbols.iter_enumerated().filter(|(_, symbol)| {
            *symbol.name == *name && symbol.kind != SymbolKind::Impl && is_visible(symbol)
        });
        let symbol = named.max_by_key(|(local, _)| facts.depth(*local))?.0;
        Some(self.project.symbol_id(file, symbol))
    }

    /// Returns the declaration that a file has at its top level or exports under a name.
    pub(crate) fn top_level(&self, file: FileId, name: &str) -> Option<SymbolId> {
        let facts = &self.project.files()[file].facts;
        let mut declared = facts.symbols.iter_enumerated().filter(|(_, symbol)| symbol.parent.is_none());
        let declared = declared.find(|(_, symbol)| *symbol.name == *name && symbol.kind != SymbolKind::Impl);
        let exported = || facts.exports.iter().find(|export| *export.name == *name);
        let symbol = declared.map(|(local, _)| local).or_else(|| Some(exported()?.symbol))?;
        Some(self.project.symbol_id(file, symbol))
    }

    /// Returns the default export of a file, or its whole export.
    pub(crate) fn default_export(&self, file: FileId) -> Option<SymbolId> {
        let facts = &self.project.files()[file].facts;
        let exported = facts.exports.iter().find(|it| matches!(&*it.name, Export::WHOLE | "default"));
        let marked = || {
            let mut symbols = facts.symbols.iter_enumerated();
            Some(symbols.find(|(_, symbol)| symbol.modifiers.contains(Modifiers::DEFAULT))?.0)
        };
        let symbol = exported.map(|export| export.symbol).or_else(marked)?;
        Some(self.project.symbol_id(file, symbol))
    }

    /// Returns the declaration that a name denotes at a byte offset, also one of another file of the package.
    pub(crate) fn declared_or_linked(&self, file: FileId, offset: u32, name: &str) -> Option<SymbolId> {
        self.declared(file, offset, name).or_else(|| self.linked(file, offset, name, None))
    }

    /// Returns a member of a declaration, in Rust also from another block of the type in its file, in Go from any file
    /// of the package.
    pub(crate) fn child(&self, owner: SymbolId, name: &str) -> Option<SymbolId> {
        let (file, local) = self.project.local_symbol(owner);
        let facts = &self.project.files()[file].facts;
        let blocks = facts.symbols.iter_enumerated().filter(|(_, symbol)| {
            symbol.kind == SymbolKind::Impl && symbol.name == facts.symbols[local].name
        });
        let owners = [local].into_iter().chain(blocks.map(|(block, _)| block));
        let mut children = owners.flat_map(|owner| facts.children(owner));
        let child = children.find(|child| *facts.symbols[*child].name == *name);
        let child = child.map(|child| self.project.symbol_id(file, child));
        child.or_else(|| self.method(file, &facts.symbols[local].name, name))
    }

    /// Returns a method that is declared outside of its type, in a file of the type's package.
    fn method(&self, of_type: FileId, ty: &str, name: &str) -> Option<SymbolId> {
        let files = self.project.files();
        if files[of_type].language.modules != ModuleSystem::DirectoryPackages {
            return None;
        }
        let path = &*files[of_type].path;
        let directory = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
        let first = files.as_slice().partition_point(|file| &*file.path < directory);
        let of_directory = files.iter_enumerated().skip(first);
        let of_directory =
            of_directory.map_while(|(file, entry)| Some((file, entry.path.strip_prefix(directory)?)));
        of_directory.filter(|(_, name)| !name.contains('/')).find_map(|(file, _)| {
            let mut symbols = files[file].facts.symbols.iter_enumerated();
            let is_it = |symbol: &Symbol| {
                *symbol.name == *name
                    && symbol.receiver.as_ref().is_some_and(|receiver| receiver.name() == ty)
            };
            let (symbol, _) = symbols.find(|(_, symbol)| is_it(symbol))?;
            Some(self.project.symbol_id(file, symbol))
        })
    }

    /// Returns the import that binds a name at a byte offset.
    pub(crate) fn import(&self, file: FileId, offset: u32, name: &str) -> Option<&Import> {
        let facts = &self.project.files()[file].facts;
        // A macro is imported by its name without the `!`.
        let name = name.trim_end_matches('!');
        let is_in_scope = |import: &&Import| {
            import
                .scope
                .map(|scope| facts.symbols[scope].span)
                .is_none_or(|span| (span.start..span.end).contains(&offset))
        };
        facts.imports.iter().filter(|import| *import.local == *name).rfind(is_in_scope)
    }

    /// Returns the declaration that an import leads to.
    pub(super) fn imported_symbol(&self, file: FileId, import: &Import) -> Option<SymbolId> {
        let linked = match (self.imported(file, import), import.kind) {
            (Some(Node::Symbol(symbol)), _) => Some(symbol),
            (Some(Node::File(target)), ImportKind::Default) => self.default_export(target),
            (Some(Node::File(target)), ImportKind::Named) => self.top_level(target, &import.name),
            _ => None,
        };
        linked.or_else(|| self.python_member(file, &import.module, &import.name))
    }

    /// Returns the member of a Python module by name, declared or imported there, for code in a file. Some modules
    /// resolve only after an installation, so the graph treats them as external: those of other packages of the
    /// workspace, and those beside a program that is started in its own directory.
    pub(crate) fn python_member(&self, from: FileId, module: &str, name: &str) -> Option<SymbolId> {
        let file = self.python_module(from, module)?;
        let imported = || self.linked(file, 0, &self.import(file, 0, name)?.name, None);
        self.top_level(file, name).or_else(imported)
    }

    /// Returns the nodes of a declaration: its own, and those of its names in Python modules that the graph treats as
    /// external.
    pub(crate) fn nodes_of(&self, symbol: SymbolId) -> Vec<NodeId> {
        let name = self.project.symbol_name(symbol);
        let is_python = self.project.files()[self.project.symbol_file(symbol)].path.ends_with(".py");
        let externals = self.graph.externals().iter().enumerate().filter(|_| is_python);
        let outside = externals.filter(|(_, external)| {
            let member = external.name.rsplit_once('.').filter(|(_, last)| *last == name);
            let file = self.project.symbol_file(symbol);
            member.is_some_and(|(module, _)| self.python_member(file, module, name) == Some(symbol))
        });
        let outside = outside.map(|(at, _)| Node::External(at as u32));
        [Node::Symbol(symbol)].into_iter().chain(outside).map(|node| self.graph.id(node)).collect()
    }

    /// Returns the file or declaration that an import surely resolves to.
    pub(super) fn imported(&self, file: FileId, import: &Import) -> Option<Node> {
        let name = (import.kind == ImportKind::Named).then_some(&*import.name);
        self.imported_at(file, import.span.start, import.line, name)
    }

    /// Returns the file or declaration that an import surely resolves to, by the offset and the line of the import and
    /// the imported name.
    pub(super) fn imported_at(
        &self,
        file: FileId,
        offset: u32,
        line: u32,
        name: Option<&str>,
    ) -> Option<Node> {
        let edges = self.nodes_around(file, offset);
        let edges = edges.flat_map(|node| self.graph.edges_at(node, Direction::Outgoing)).filter(|edge| {
            edge.relation == Relation::Imports && edge.line == line && edge.confidence == Confidence::Exact
        });
        let (mut symbols, mut files) = (Vec::new(), Vec::new());
        for edge in edges {
            match self.graph.node(edge.target) {
                Node::Symbol(symbol) => symbols.push(symbol),
                Node::File(file) => files.push(file),
                Node::External(_) => {}
            }
        }
        let only_file = if let [file] = files[..] { Some(Node::File(file)) } else { None };
        let Some(name) = name else {
            let only_symbol = if let [symbol] = symbols[..] { Some(Node::Symbol(symbol)) } else { None };
            return only_file.or(only_symbol);
        };
        let symbol = symbols.into_iter().find(|symbol| self.project.symbol_name(*symbol) == name);
        let module = || files.iter().copied().find(|file| self.is_module(*file, name));
        symbol.map(Node::Symbol).or_else(|| module().map(Node::File)).or(only_file)
    }

    /// True if the file is the module of this name, not a file that declares the name.
    pub(super) fn is_module(&self, file: FileId, name: &str) -> bool {
        let path = &self.project.files()[file].path;
        let (directories, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file_name.split('.').next().unwrap_or(file_name);
        stem == name
            || matches!(stem, "mod" | "lib" | "index" | "__init__")
                && (directories.rsplit('/').next() == Some(name) || stem == "lib")
    }

    /// Returns the only declaration of a name that the code at a byte offset leads to in the graph: the target of an
    /// edge from an enclosing declaration or from the file. Of several, the qualifier selects one by its module or
    /// owner.
    pub(crate) fn linked(
        &self,
        file: FileId,
        offset: u32,
        name: &str,
        qualifier: Option<&str>,
    ) -> Option<SymbolId> {
        let project = self.project;
        let is_qualified = |symbol: &SymbolId, qualifier: &str| {
            self.is_module(project.symbol_file(*symbol), qualifier)
                || project.parent(*symbol).is_some_and(|parent| project.symbol_name(parent) == qualifier)
        };
        self.nodes_around(file, offset).find_map(|source| {
            let edges = self
                .graph
                .edges_at(source, Direction::Outgoing)
                .filter(|edge| !edge.relation.is_containment() && edge.confidence != Confidence::Ambiguous);
            let mut named: Vec<SymbolId> = edges
                .filter_map(|edge| match self.graph.node(edge.target) {
                    Node::Symbol(symbol) if project.symbol_name(symbol) == name => Some(symbol),
                    _ => None,
                })
                .collect();
            named.sort_unstable();
            named.dedup();
            if let (true, Some(qualifier)) = (named.len() > 1, qualifier) {
                named.retain(|symbol| is_qualified(symbol, qualifier));
            }
            if let [symbol] = named[..] { Some(symbol) } else { None }
        })
    }

    /// Returns the nodes whose edges start in the code at a byte offset: the declarations around it, innermost first, and
    /// the file.
    fn nodes_around(&self, file: FileId, offset: u32) -> impl Iterator<Item = NodeId> {
        let around = self.symbol_at(file, offset).into_iter();
        let around = around.flat_map(|symbol| self.project.self_and_ancestors(symbol)).map(Node::Symbol);
        around.chain([Node::File(file)]).map(|node| self.graph.id(node))
    }

    /// True if a name is declared, assigned or imported where it is used at a byte offset.
    pub(super) fn is_bound(&self, file: FileId, offset: u32, name: &str) -> bool {
        let wired = self.wired(file);
        let mut functions = wired.functions_at(offset);
        let is_local = functions.any(|(function, declared)| {
            declared.parameters.iter().any(|parameter| parameter.as_deref() == Some(name))
                || !wired.assigned(name, Some(function), offset).is_empty()
        });
        is_local
            || !wired.assigned(name, None, offset).is_empty()
            || self.visible(file, offset, name).is_some()
            || self.import(file, offset, name).is_some()
            || self.linked(file, offset, name, None).is_some()
    }

    /// True if a name in a Rust file can only be that of a crate or of an item that the whole crate imports: a lowercase
    /// name that is not bound, in a file that imports all names of no package.
    pub(crate) fn is_unnamed(&self, file: FileId, offset: u32, name: &str) -> bool {
        name.starts_with(char::is_lowercase)
            && self.external_globs(file).next().is_none()
            && !self.is_bound(file, offset, name)
    }

    /// Returns the path of a name in a Rust file that imports all names of only one package.
    pub(super) fn in_glob(&self, file: FileId, name: &str) -> Option<String> {
        let mut globs = self.external_globs(file);
        let glob = globs.next().filter(|_| globs.next().is_none())?;
        Some(format!("{glob}.{}", name.trim_end_matches('!')))
    }

    /// Returns the dotted names of the packages and modules whose names a file imports all.
    fn external_globs(&self, file: FileId) -> impl Iterator<Item = String> {
        let imports = self.project.files()[file].facts.imports.iter();
        imports.filter(|import| import.kind == ImportKind::Glob).filter_map(external_path)
    }
}

/// Returns the dotted name of an imported item, if the text of the import is not relative to the project.
pub(super) fn external_path(import: &Import) -> Option<String> {
    let module = import.module.strip_prefix("node:").unwrap_or(&import.module).replace("::", ".");
    let module = without_version(&module).to_owned();
    let first = module.split('.').next().unwrap_or("");
    if module.starts_with(['.', '/']) || matches!(first, "crate" | "self" | "super") {
        return None;
    }
    match import.kind {
        ImportKind::Named if module.is_empty() => Some(import.name.to_string()),
        ImportKind::Named if !matches!(&*import.name, "" | "default") => {
            Some(format!("{module}.{}", import.name))
        }
        // `import aiohttp.web` binds `aiohttp`.
        ImportKind::Module if module.starts_with(&format!("{}.", import.local)) => {
            Some(import.local.to_string())
        }
        _ => Some(module),
    }
}
