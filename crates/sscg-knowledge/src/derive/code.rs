//! Code of the services: the relevant files, their body facts and their services.

use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::wiring::{Binding, Call, Decorator, Expression, Function};
use sscg_core::{
    Confidence, FileId, FileRole, IndexVec, Modifiers, ModuleSystem, NodeId, Project, Relation, Span,
    SymbolId, SymbolKind, Wiring, is_generated,
};
use sscg_graph::{CodeGraph, Direction, Edge, Node};

use crate::input::has_tests;
use crate::{FactEvidence, Model, Site, Source};

/// Access to the texts and body facts of files. The derivation has no other external access.
pub trait Sources: Sync {
    /// Returns the text of a file as it was indexed; `None` if it is no longer available.
    fn text(&self, file: FileId) -> Option<String>;

    /// Returns the body facts of a file with this text.
    fn wiring(&self, file: FileId, text: &str) -> Wiring;
}

/// Code of a project. Files are parsed on first use, and only once.
pub(crate) struct Code<'a> {
    pub project: &'a Project,
    pub graph: &'a CodeGraph,
    sources: &'a dyn Sources,
    files: IndexVec<FileId, OnceLock<WiredFile>>,
    /// Roots of services and libraries, longest first, with the name of the service; `None` for a library.
    roots: Vec<(Box<str>, Option<Box<str>>)>,
    /// Packages and standard modules that the project's code names.
    libraries: FxHashSet<&'a str>,
    /// Modules of Python packages by their dotted names.
    python_modules: OnceLock<FxHashMap<String, Vec<FileId>>>,
    /// Files that set the address of a client of .NET.
    base_addresses: OnceLock<Vec<FileId>>,
    /// True for generated files.
    generated: IndexVec<FileId, OnceLock<bool>>,
}

/// Body facts of a file, with an index by name.
#[derive(Default)]
pub(crate) struct WiredFile {
    pub wiring: Wiring,
    /// Bindings by the last name of their target.
    bindings: FxHashMap<Box<str>, Vec<u32>>,
}

/// Expression and its location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'c> {
    pub file: FileId,
    /// Byte offset whose scopes resolve the names of the expression.
    pub offset: u32,
    pub expression: &'c Expression,
}

impl<'c> At<'c> {
    /// Returns another expression at the same location.
    pub(crate) fn with(self, expression: &'c Expression) -> Self {
        Self { expression, ..self }
    }
}

impl<'a> Code<'a> {
    pub(crate) fn new(
        project: &'a Project,
        graph: &'a CodeGraph,
        sources: &'a dyn Sources,
        model: &Model,
    ) -> Self {
        let services = model.services.iter();
        let services =
            services.filter_map(|service| Some((service.root.clone()?, Some(service.name.clone()))));
        let libraries = model.libraries.iter().map(|root| (root.clone(), None));
        let mut roots: Vec<_> = services.chain(libraries).collect();
        roots.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| b.cmp(a)));
        let files: Vec<_> = project.files().iter().map(|_| OnceLock::new()).collect();
        let generated: Vec<_> = project.files().iter().map(|_| OnceLock::new()).collect();
        let libraries = graph.externals().iter().map(|external| split_library(&external.name).0).collect();
        Self {
            project,
            graph,
            sources,
            files: files.into(),
            roots,
            libraries,
            python_modules: OnceLock::new(),
            base_addresses: OnceLock::new(),
            generated: generated.into(),
        }
    }

    /// Returns the body facts of a file, and parses it on first use.
    pub(crate) fn wired(&self, file: FileId) -> &WiredFile {
        self.files[file].get_or_init(|| {
            let text = self.sources.text(file).unwrap_or_default();
            WiredFile::new(self.sources.wiring(file, &text))
        })
    }

    /// True if a file is [generated](is_generated). Reads the file on first use.
    pub(crate) fn is_generated(&self, file: FileId) -> bool {
        *self.generated[file].get_or_init(|| {
            let text = self.sources.text(file).unwrap_or_default();
            is_generated(&self.project.files()[file].path, &text)
        })
    }

    /// True if code of the project names an item of this package or standard module.
    pub(crate) fn is_library(&self, name: &str) -> bool {
        self.libraries.contains(name)
    }

    /// Returns the service that a file belongs to.
    pub(crate) fn service_of(&self, file: FileId) -> Option<&str> {
        let path = &*self.project.files()[file].path;
        let (_, service) = self.roots.iter().find(|(root, _)| is_below(path, root))?;
        service.as_deref()
    }

    /// Parses files in parallel that are read one after the other later.
    pub(crate) fn wire(&self, files: &[FileId]) {
        files.par_iter().for_each(|file| {
            self.wired(*file);
        });
    }

    /// Returns the files that use one of these packages or standard modules (or one item of them: `express.Router`), or
    /// a value that another file made from them, without test files. Reads only the graph.
    pub(crate) fn files_using(&self, libraries: &[&str]) -> Vec<FileId> {
        let externals = self.graph.externals().iter().enumerate();
        let of_these = externals.filter(|(_, external)| is_of(libraries, &external.name));
        let nodes = of_these.map(|(at, _)| self.graph.id(Node::External(at as u32)));
        let users: Vec<&Edge> =
            nodes.flat_map(|node| self.graph.edges_at(node, Direction::Incoming)).collect();
        let made = users.iter().filter(|edge| self.is_made(edge));
        let of_made = made.flat_map(|edge| self.graph.edges_at(edge.source, Direction::Incoming));
        let edges = users.iter().copied().chain(of_made.filter(|edge| !edge.relation.is_containment()));
        let mut files: Vec<FileId> =
            edges.filter_map(|edge| self.graph.node(edge.source).file(self.project)).collect();
        files.sort_unstable();
        files.dedup();
        files.retain(|file| !self.is_test_file(*file));
        files
    }

    /// Returns the files that use a class of the project with an external base class of such a name, without test
    /// files. Reads only the graph.
    pub(crate) fn files_extending(&self, is_base: impl Fn(&str) -> bool) -> Vec<FileId> {
        let externals = self.graph.externals().iter().enumerate();
        let bases = externals.filter(|(_, external)| is_base(&external.name));
        let mut classes: Vec<NodeId> =
            bases.map(|(at, _)| self.graph.id(Node::External(at as u32))).collect();
        let mut files = Vec::new();
        let mut at = 0;
        while let Some(class) = classes.get(at).copied() {
            at += 1;
            for edge in self.graph.edges_at(class, Direction::Incoming) {
                match edge.relation {
                    Relation::Inherits if !classes.contains(&edge.source) => classes.push(edge.source),
                    relation if relation.is_containment() => {}
                    _ => files.extend(self.graph.node(edge.source).file(self.project)),
                }
            }
        }
        files.sort_unstable();
        files.dedup();
        files.retain(|file| !self.is_test_file(*file));
        files
    }

    /// Returns the files of C# that name one of these. Its imports list no names, and can be those of a whole project.
    pub(crate) fn csharp_naming(&self, names: &[&str]) -> Vec<FileId> {
        self.files_naming(|modules| modules == ModuleSystem::Namespaces, |name| names.contains(&name))
    }

    /// Returns the files of some languages that have a reference with such a name, without test files. Decodes the facts
    /// of all files of these languages.
    pub(crate) fn files_naming(
        &self,
        is_read: impl Fn(ModuleSystem) -> bool,
        is_named: impl Fn(&str) -> bool,
    ) -> Vec<FileId> {
        let files = self.project.files().iter_enumerated();
        let code = files.filter(|(_, file)| is_read(file.language.modules));
        let naming = code.filter(|(_, file)| {
            let targets = file.facts.references.iter().map(|reference| &reference.target);
            targets.flat_map(|target| target.path.iter()).any(|name| is_named(name))
        });
        naming.map(|(file, _)| file).filter(|file| !self.is_test_file(*file)).collect()
    }

    /// Returns the files that set the base address of a client of .NET.
    pub(crate) fn base_addresses(&self) -> &[FileId] {
        self.base_addresses.get_or_init(|| self.csharp_naming(&["BaseAddress"]))
    }

    /// True if an edge to a package starts at a symbol that other files can use in its place: a value made with the
    /// package, or a function that names one of its types.
    fn is_made(&self, edge: &Edge) -> bool {
        match self.graph.node(edge.source) {
            Node::Symbol(symbol) => match self.project.symbol_kind(symbol) {
                SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field => true,
                kind => kind.is_callable() && edge.relation == Relation::UsesType,
            },
            Node::File(_) | Node::External(_) => false,
        }
    }

    /// True if a file is a test by its name or by any of its directories, also below examples and the like. Tests call
    /// their own service and send arbitrary requests.
    pub(crate) fn is_test_file(&self, file: FileId) -> bool {
        let path = &*self.project.files()[file].path;
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        FileRole::of_name(name) == FileRole::Test || directories.split('/').any(has_tests)
    }

    /// Returns the location of a byte offset in a file.
    pub(crate) fn site(&self, file: FileId, offset: u32, line: u32) -> Site {
        Site { file, symbol: self.symbol_at(file, offset), line }
    }

    /// Returns the innermost declaration around a byte offset.
    pub(crate) fn symbol_at(&self, file: FileId, offset: u32) -> Option<SymbolId> {
        let symbols = &self.project.files()[file].facts.symbols;
        let place = Span::new(offset, offset + 1);
        let around = symbols.iter_enumerated().rev().find(|(_, symbol)| symbol.span.contains(place));
        around.map(|(symbol, _)| self.project.symbol_id(file, symbol))
    }

    /// True if a byte offset is in code that is built only for tests.
    pub(crate) fn is_test_code(&self, file: FileId, offset: u32) -> bool {
        let symbol = self.symbol_at(file, offset);
        symbol.is_some_and(|symbol| {
            let mut around = self.project.self_and_ancestors(symbol);
            around.any(|symbol| self.project.symbol_modifiers(symbol).contains(Modifiers::TEST))
        })
    }

    /// Returns the file of a Python module: the only one of that name, or the one in the same directory.
    pub(super) fn python_module(&self, from: FileId, name: &str) -> Option<FileId> {
        let path = |file: FileId| &*self.project.files()[file].path;
        if !path(from).ends_with(".py") {
            return None;
        }
        let modules = self.python_modules.get_or_init(|| {
            let mut modules: FxHashMap<String, Vec<FileId>> = FxHashMap::default();
            for (file, entry) in self.project.files().iter_enumerated() {
                if let Some(name) = self.python_name(&entry.path) {
                    modules.entry(name).or_default().push(file);
                }
            }
            modules
        });
        let directory = |file: FileId| path(file).rsplit_once('/').map_or("", |(directory, _)| directory);
        match modules.get(name)?.as_slice() {
            [only] => Some(*only),
            several => several.iter().copied().find(|file| directory(*file) == directory(from)),
        }
    }

    /// Returns the dotted name of a Python module, starting at its outermost package.
    fn python_name(&self, path: &str) -> Option<String> {
        let module = path.strip_suffix(".py")?;
        let module = module.strip_suffix("/__init__").unwrap_or(module);
        let is_package =
            |directory: &str| self.project.file_at(&format!("{directory}/__init__.py")).is_some();
        let mut start = module.rfind('/').map_or(0, |at| at + 1);
        while start > 0 && is_package(&module[..start - 1]) {
            start = module[..start - 1].rfind('/').map_or(0, |at| at + 1);
        }
        Some(module[start..].replace('/', "."))
    }

    /// Creates evidence from the code at a location.
    pub(crate) fn evidence(&self, site: Site, confidence: Confidence) -> FactEvidence {
        let file = self.project.files()[site.file].path.clone();
        FactEvidence { confidence, source: Source::Code, file, line: site.line }
    }
}

impl WiredFile {
    fn new(wiring: Wiring) -> Self {
        let mut bindings: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        for (at, binding) in wiring.bindings.iter().enumerate() {
            if let Some(name) = binding.target.last_name() {
                bindings.entry(name.into()).or_default().push(at as u32);
            }
        }
        Self { wiring, bindings }
    }

    /// Returns the bindings whose target has this last name, in source order.
    pub(crate) fn bindings_of(&self, name: &str) -> impl Iterator<Item = &Binding> {
        let places = self.bindings.get(name).into_iter().flatten();
        places.map(|place| &self.wiring.bindings[*place as usize])
    }

    /// Returns the assignments that determine a name at a byte offset, among those directly in a function or at the top
    /// level: the last one before the offset, or all later ones if there is none.
    pub(crate) fn assigned(&self, name: &str, function: Option<usize>, offset: u32) -> Vec<&Binding> {
        let scope = |binding: &Binding| self.functions_at(binding.span.start).next().map(|(at, _)| at);
        let bindings: Vec<&Binding> = self
            .bindings_of(name)
            .filter(|it| matches!(it.target, Expression::Name(_)) && scope(it) == function)
            .collect();
        match bindings.iter().rfind(|binding| binding.span.end <= offset) {
            Some(last) => vec![*last],
            None => bindings.into_iter().filter(|binding| offset < binding.span.start).collect(),
        }
    }

    /// Returns all bindings, in source order.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.wiring.bindings.iter()
    }

    /// Returns the functions around a byte offset with their indices, innermost first.
    pub(crate) fn functions_at(&self, offset: u32) -> impl Iterator<Item = (usize, &Function)> {
        let place = Span::new(offset, offset + 1);
        let functions = self.wiring.functions.iter().enumerate().rev();
        functions.filter(move |(_, function)| function.span.contains(place))
    }

    /// Returns the call that an expression denotes.
    pub(crate) fn call(&self, expression: &Expression) -> Option<&Call> {
        self.wiring.call(expression)
    }

    /// Returns all calls, without decorators.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.wiring.calls.iter()
    }

    /// Returns all decorators.
    pub(crate) fn decorators(&self) -> impl Iterator<Item = &Decorator> {
        self.wiring.decorators.iter()
    }
}

/// True if a path is in a directory; the empty directory contains everything.
fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| directory.is_empty() || rest.starts_with('/'))
}

/// True if an external name belongs to one of these packages or standard modules, or to one item of them:
/// `express.Router` beside `express`.
pub(crate) fn is_of(libraries: &[&str], name: &str) -> bool {
    libraries.iter().any(|library| within(library, name).is_some())
}

/// Returns the path of an external name within a package, standard module or item; `None` if it belongs to another.
pub(crate) fn within<'n>(library: &str, name: &'n str) -> Option<&'n str> {
    let name = name.strip_prefix("node:").unwrap_or(name);
    let rest = name.strip_prefix(library)?;
    let is_whole = rest.is_empty() || rest.starts_with(is_separator) || rest.starts_with('(');
    is_whole.then(|| rest.trim_start_matches(is_separator))
}

fn is_separator(char: char) -> bool {
    matches!(char, '.' | '/' | ':')
}

/// Splits an external name into its package or standard module and the path within it: `kafkajs` and `Kafka`,
/// `@nestjs/axios` and `HttpService`, `redis` and `asyncio.from_url`, `net/http` and `Get`.
pub(crate) fn split_library(name: &str) -> (&str, &str) {
    let name = name.strip_prefix("node:").unwrap_or(name);
    let path = &name[..name.find('(').unwrap_or(name.len())];
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    let end = path[last..].find(['.', ':']).map_or(path.len(), |at| last + at);
    (&name[..end], name[end..].trim_start_matches(is_separator))
}
