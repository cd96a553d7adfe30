//! Name resolution of expressions: through local variables, fields and constants, through imports and across files.
//!
//! A name is resolved as at run time: to the last assignment before it, a parameter, a declaration, an import.
//! Ambiguous names are not followed.

use sscg_core::wiring::{Binding, Call, Expression, Function};
use sscg_core::{
    Confidence, Export, FileFacts, FileId, Head, Import, ImportKind, LocalImport, Modifiers, ModuleSystem,
    NameRef, Relation, Span, SymbolId, SymbolKind, Wiring,
};
use sscg_graph::{Direction, Node};

use super::router::PathText;
use crate::derive::code::{At, Code};
use crate::derive::value::{Piece, literal};

/// Meaning of an expression.
#[derive(Clone, Debug)]
pub(super) enum Meaning<'a> {
    /// External item by its dotted name: `express.Router`, `axum.routing.get`.
    External(String),
    /// Declaration.
    Symbol(SymbolId),
    /// File as a module.
    File(FileId),
    /// Parameter of a function: its file, the span of the function and the index of the parameter.
    Parameter(FileId, Span, usize),
    /// Value of this expression.
    Value(At<'a>),
}

/// Maximum number of names followed in one resolution.
const DEPTH: u32 = 24;

/// Resolver of the names in a project.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) code: &'a Code<'a>,
}

impl<'a> Names<'a> {
    fn wiring(self, file: FileId) -> &'a Wiring {
        &self.code.wired(file).wiring
    }

    fn facts(self, file: FileId) -> &'a FileFacts {
        &self.code.project.files()[file].facts
    }

    /// Returns the call that an expression denotes.
    pub(super) fn call(self, it: At<'a>) -> Option<&'a Call> {
        self.code.wired(it.file).call(it.expression)
    }

    /// Returns the meaning of an expression, followed until it is no longer a name; `None` if unknown.
    pub(super) fn meaning(self, it: At<'a>) -> Option<Meaning<'a>> {
        self.follow(it, DEPTH)
    }

    fn follow(self, it: At<'a>, depth: u32) -> Option<Meaning<'a>> {
        let depth = depth.checked_sub(1)?;
        match it.expression {
            Expression::Name(name) => {
                let found = self.name(it.file, it.offset, name, depth)?;
                self.onward(found, it, depth)
            }
            Expression::Member(base, name) => {
                let found = self.member(it.with(base), name, depth)?;
                self.onward(found, it, depth)
            }
            Expression::Call(_) => {
                let call = self.call(it)?;
                if call.callee != Expression::Name("require".into()) {
                    return Some(Meaning::Value(it));
                }
                let Some(Expression::Text(module)) = call.positional(0) else { return None };
                match self.imported_on(it.file, call.line, None) {
                    Some(Node::File(file)) => Some(self.whole(file, depth)),
                    Some(Node::Symbol(symbol)) => Some(self.held(symbol, depth)),
                    _ => (!module.starts_with('.')).then(|| Meaning::External(module.to_string())),
                }
            }
            _ => Some(Meaning::Value(it)),
        }
    }

    /// Follows a found value further. `None` if the value is the expression that it was found for.
    fn onward(self, found: Meaning<'a>, from: At<'a>, depth: u32) -> Option<Meaning<'a>> {
        match found {
            Meaning::Value(value) if std::ptr::eq(value.expression, from.expression) => None,
            Meaning::Value(value) => self.follow(value, depth),
            found => Some(found),
        }
    }

    /// Returns the declaration that an expression names, without following its value.
    pub(super) fn declaration(self, it: At<'a>) -> Option<SymbolId> {
        match it.expression {
            Expression::Name(name) => self.visible(it.file, it.offset, name).or_else(|| {
                match self.imported(it.file, it.offset, name, DEPTH)? {
                    Meaning::Symbol(symbol) => Some(symbol),
                    _ => None,
                }
            }),
            Expression::Member(base, name) => match self.follow(it.with(base), DEPTH)? {
                Meaning::File(file) => self.top_level(file, name),
                Meaning::Symbol(owner) => self.child(owner, name),
                Meaning::Value(value) => self.child(self.class_of(value)?, name),
                _ => None,
            },
            _ => None,
        }
    }

    fn name(self, file: FileId, at: u32, name: &str, depth: u32) -> Option<Meaning<'a>> {
        if let "this" | "self" | "cls" | "Self" = name {
            return self.enclosing_type(file, at).map(Meaning::Symbol);
        }
        let wiring = self.wiring(file);
        let around = |function: &&Function| function.span.start <= at && at < function.span.end;
        let functions: Vec<&Function> = wiring.functions.iter().filter(around).collect();
        for function in functions.iter().rev() {
            if let Some(binding) = self.binding(wiring, Some(function), at, name) {
                return Some(Meaning::Value(At {
                    file,
                    offset: binding.span.start,
                    expression: &binding.value,
                }));
            }
            let is_named = |parameter: &Option<Box<str>>| parameter.as_deref() == Some(name);
            if let Some(place) = function.parameters.iter().position(is_named) {
                return Some(Meaning::Parameter(file, function.span, place));
            }
        }
        let inner = self.visible(file, at, name).filter(|symbol| self.code.project.parent(*symbol).is_some());
        if let Some(symbol) = inner {
            return Some(self.held(symbol, depth));
        }
        let at_top = if functions.is_empty() { at } else { u32::MAX };
        if let Some(binding) = self.binding(wiring, None, at_top, name) {
            return Some(Meaning::Value(At { file, offset: binding.span.start, expression: &binding.value }));
        }
        if let Some(symbol) = self.visible(file, at, name) {
            return Some(Meaning::Symbol(symbol));
        }
        // A macro is imported by its name without the `!`.
        self.imported(file, at, name.trim_end_matches('!'), depth).or_else(|| self.outside(file, name))
    }

    /// Returns the last binding of a name before an offset, directly in a function or at the top level. If there is
    /// none, returns the first one after it, for code that runs later.
    fn binding(
        self,
        wiring: &'a Wiring,
        within: Option<&Function>,
        at: u32,
        name: &str,
    ) -> Option<&'a Binding> {
        let is_named =
            |binding: &&Binding| matches!(&binding.target, Expression::Name(target) if **target == *name);
        let innermost = |binding: &&Binding| {
            let around = wiring.functions.iter().rev().find(|function| {
                function.span.contains(binding.span) && function.span.start <= binding.span.start
            });
            around.map(|function| function.span) == within.map(|function| function.span)
        };
        let found = || wiring.bindings.iter().filter(is_named).filter(innermost);
        found()
            .rfind(|binding| binding.span.end <= at)
            .or_else(|| found().find(|binding| binding.span.start > at))
    }

    /// Returns the innermost declaration of a name that is visible at an offset.
    fn visible(self, file: FileId, at: u32, name: &str) -> Option<SymbolId> {
        let facts = self.facts(file);
        let is_visible =
            |symbol: &&sscg_core::Symbol| match symbol.parent.map(|parent| &facts.symbols[parent]) {
                None => true,
                Some(parent) if parent.kind.has_members() && parent.kind != SymbolKind::Module => false,
                Some(parent) => parent.span.start <= at && at < parent.span.end,
            };
        let named = facts.symbols.iter_enumerated().filter(|(_, symbol)| {
            *symbol.name == *name && symbol.kind != SymbolKind::Impl && is_visible(symbol)
        });
        let symbol = named.max_by_key(|(local, _)| facts.depth(*local))?.0;
        Some(self.code.project.symbol_id(file, symbol))
    }

    fn top_level(self, file: FileId, name: &str) -> Option<SymbolId> {
        let facts = self.facts(file);
        let own = facts.symbols.iter_enumerated().find(|(_, symbol)| {
            symbol.parent.is_none() && *symbol.name == *name && symbol.kind != SymbolKind::Impl
        });
        let exported =
            || facts.exports.iter().find(|export| *export.name == *name).map(|export| export.symbol);
        let symbol = own.map(|(local, _)| local).or_else(exported)?;
        Some(self.code.project.symbol_id(file, symbol))
    }

    fn member(self, base: At<'a>, name: &str, depth: u32) -> Option<Meaning<'a>> {
        match self.follow(base, depth)? {
            Meaning::External(path) => Some(Meaning::External(format!("{path}.{name}"))),
            Meaning::File(file) => self.of_file(file, name, depth),
            Meaning::Symbol(owner) => self
                .field(owner, name)
                .or_else(|| self.child(owner, name).map(|child| self.held(child, depth))),
            Meaning::Value(value) => match value.expression {
                Expression::Record(_) => Some(Meaning::Value(value.with(value.expression.field(name)?))),
                _ => {
                    let class = self.class_of(value)?;
                    self.field(class, name).or_else(|| self.child(class, name).map(Meaning::Symbol))
                }
            },
            Meaning::Parameter(..) => None,
        }
    }

    /// Returns the meaning of a name that a file declares at its top level or exports.
    fn of_file(self, file: FileId, name: &str, depth: u32) -> Option<Meaning<'a>> {
        if let Some(binding) = self.binding(self.wiring(file), None, u32::MAX, name) {
            return Some(Meaning::Value(At { file, offset: binding.span.start, expression: &binding.value }));
        }
        if let Some(symbol) = self.top_level(file, name) {
            return Some(self.held(symbol, depth));
        }
        let exports = |binding: &&Binding| {
            binding
                .target
                .path()
                .is_some_and(|path| path == ["exports", name] || path == ["module", "exports", name])
        };
        if let Some(binding) = self.wiring(file).bindings.iter().find(exports) {
            return Some(Meaning::Value(At { file, offset: binding.span.start, expression: &binding.value }));
        }
        if let Meaning::Value(whole) = self.whole(file, depth)
            && let Some(value) = whole.expression.field(name)
        {
            return Some(Meaning::Value(whole.with(value)));
        }
        self.imported(file, 0, name, depth)
    }

    /// Returns the value of a file as a whole: its default export, or its `module.exports`.
    fn whole(self, file: FileId, depth: u32) -> Meaning<'a> {
        let facts = self.facts(file);
        let is_whole =
            |binding: &&Binding| binding.target.path().is_some_and(|path| path == ["module", "exports"]);
        if let Some(binding) = self.wiring(file).bindings.iter().find(is_whole) {
            let value = At { file, offset: binding.span.start, expression: &binding.value };
            return self.follow(value, depth).unwrap_or(Meaning::Value(value));
        }
        let exported =
            facts.exports.iter().find(|export| *export.name == *Export::WHOLE || *export.name == *"default");
        let default = || {
            let symbols = facts.symbols.iter_enumerated();
            symbols
                .filter(|(_, symbol)| symbol.modifiers.contains(Modifiers::DEFAULT))
                .map(|(local, _)| local)
                .next()
        };
        match exported.map(|export| export.symbol).or_else(default) {
            Some(symbol) => self.held(self.code.project.symbol_id(file, symbol), depth),
            None => Meaning::File(file),
        }
    }

    /// Returns the value of a declared variable; other declarations stand for themselves.
    fn held(self, symbol: SymbolId, depth: u32) -> Meaning<'a> {
        let project = self.code.project;
        if !matches!(project.symbol_kind(symbol), SymbolKind::Constant | SymbolKind::Variable) {
            return Meaning::Symbol(symbol);
        }
        let (file, span) = (project.symbol_file(symbol), project.symbol(symbol).span);
        let name = project.symbol_name(symbol);
        let is_its = |binding: &&Binding| {
            span.contains(binding.span)
                && matches!(&binding.target, Expression::Name(target) if **target == *name)
        };
        let bindings = &self.wiring(file).bindings;
        match bindings.iter().find(is_its) {
            Some(binding) => {
                let value = At { file, offset: binding.span.start, expression: &binding.value };
                self.follow(value, depth).unwrap_or(Meaning::Value(value))
            }
            None => Meaning::Symbol(symbol),
        }
    }

    /// Returns the value that any function of a class assigns to a field.
    fn field(self, class: SymbolId, name: &str) -> Option<Meaning<'a>> {
        let (file, span) = (self.code.project.symbol_file(class), self.code.project.symbol(class).span);
        let is_field = |binding: &&Binding| {
            span.contains(binding.span)
                && binding.target.path().is_some_and(|path| path == ["this", name] || path == ["self", name])
        };
        let binding = self.wiring(file).bindings.iter().find(is_field)?;
        Some(Meaning::Value(At { file, offset: binding.span.start, expression: &binding.value }))
    }

    fn child(self, owner: SymbolId, name: &str) -> Option<SymbolId> {
        let (file, local) = self.code.project.local_symbol(owner);
        let facts = self.facts(file);
        let own = facts.children(local).find(|child| *facts.symbols[*child].name == *name);
        let of_blocks = || {
            let owner = &facts.symbols[local].name;
            let blocks = facts
                .symbols
                .iter_enumerated()
                .filter(|(_, symbol)| symbol.kind == SymbolKind::Impl && symbol.name == *owner);
            blocks
                .flat_map(|(block, _)| facts.children(block))
                .find(|child| *facts.symbols[*child].name == *name)
        };
        Some(self.code.project.symbol_id(file, own.or_else(of_blocks)?))
    }

    /// Returns the class of a value, if the value is a construction.
    fn class_of(self, value: At<'a>) -> Option<SymbolId> {
        let call = self.call(value)?;
        match self.follow(value.with(&call.callee), DEPTH)? {
            Meaning::Symbol(symbol) if self.code.project.symbol_kind(symbol) == SymbolKind::Class => {
                Some(symbol)
            }
            _ => None,
        }
    }

    fn enclosing_type(self, file: FileId, at: u32) -> Option<SymbolId> {
        let facts = self.facts(file);
        let mut around = facts.symbols.iter_enumerated().filter(|(_, symbol)| {
            matches!(symbol.kind, SymbolKind::Class | SymbolKind::Component | SymbolKind::Impl)
                && symbol.span.start <= at
                && at < symbol.span.end
        });
        Some(self.code.project.symbol_id(file, around.next_back()?.0))
    }

    /// Returns the meaning of a name that an import binds.
    fn imported(self, file: FileId, at: u32, name: &str, depth: u32) -> Option<Meaning<'a>> {
        let depth = depth.checked_sub(1)?;
        let facts = self.facts(file);
        let in_scope = |import: &&Import| match import.scope.map(|scope| facts.symbols[scope].span) {
            None => true,
            Some(span) => span.start <= at && at < span.end,
        };
        let import = facts.imports.iter().filter(|import| *import.local == *name).rfind(in_scope)?;
        let wanted = match import.kind {
            ImportKind::Named => Some(&*import.name),
            _ => None,
        };
        match self.imported_on(file, import.line, wanted) {
            Some(Node::Symbol(symbol)) => Some(self.held(symbol, depth)),
            Some(Node::File(target)) => match import.kind {
                ImportKind::Default => Some(self.whole(target, depth)),
                ImportKind::Named if !self.is_module(target, &import.name) => {
                    self.of_file(target, &import.name, depth)
                }
                _ => Some(Meaning::File(target)),
            },
            _ => external_of(import).map(Meaning::External),
        }
    }

    /// True if the file is the module of this name, not a file that declares the name.
    fn is_module(self, file: FileId, name: &str) -> bool {
        let path = &self.code.project.files()[file].path;
        let (directories, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file_name.split('.').next().unwrap_or(file_name);
        stem == name
            || matches!(stem, "mod" | "lib" | "index" | "__init__")
                && (directories.rsplit('/').next() == Some(name) || stem == "lib")
    }

    /// Returns the node of the project that the import of `name` on a line resolves to.
    fn imported_on(self, file: FileId, line: u32, name: Option<&str>) -> Option<Node> {
        let graph = self.code.graph;
        let project = self.code.project;
        let edges = graph.edges_at(graph.id(Node::File(file)), Direction::Outgoing).filter(|edge| {
            edge.relation == Relation::Imports && edge.line == line && edge.confidence == Confidence::Exact
        });
        let nodes: Vec<Node> = edges.map(|edge| graph.node(edge.target)).collect();
        let symbols = || nodes.iter().copied().filter(|node| matches!(node, Node::Symbol(_)));
        let files = || nodes.iter().copied().filter(|node| matches!(node, Node::File(_)));
        match name {
            Some(name) => symbols()
                .find(|node| matches!(node, Node::Symbol(symbol) if project.symbol_name(*symbol) == name))
                .or_else(|| {
                    files().find(|node| matches!(node, Node::File(file) if self.is_module(*file, name)))
                })
                .or_else(|| files().next().filter(|_| files().count() == 1)),
            None => files()
                .next()
                .filter(|_| files().count() == 1)
                .or_else(|| symbols().next().filter(|_| symbols().count() == 1)),
        }
    }

    /// Returns the external meaning of a name that its file does not declare: a crate, or an item of a glob import.
    fn outside(self, file: FileId, name: &str) -> Option<Meaning<'a>> {
        let project = self.code.project;
        if project.files()[file].language.modules != ModuleSystem::RustCrates {
            return None;
        }
        let is_glob = |import: &&Import| import.kind == ImportKind::Glob && external_of(import).is_some();
        let globs: Vec<String> =
            self.facts(file).imports.iter().filter(is_glob).filter_map(external_of).collect();
        let is_crate = name.starts_with(|c: char| c.is_lowercase()) && globs.is_empty();
        match &globs[..] {
            [glob] => Some(Meaning::External(format!("{glob}.{name}"))),
            _ if is_crate => Some(Meaning::External(name.to_owned())),
            _ => None,
        }
    }

    /// Returns the dotted name of a written type, if it is external.
    pub(super) fn outside_type(self, file: FileId, name: &NameRef) -> Option<String> {
        let head = match &name.head {
            Head::Import(import) => external_of(self.import(file, *import))?,
            Head::Free => name.path[0].to_string(),
            _ => return None,
        };
        let rest = name.path[1..].iter();
        Some(rest.fold(head, |path, segment| format!("{path}.{segment}")))
    }

    /// Returns the type that a name denotes in a file.
    pub(crate) fn type_named(self, file: FileId, name: &str) -> Option<SymbolId> {
        let symbol = self.visible(file, 0, name).or_else(|| match self.imported(file, 0, name, DEPTH)? {
            Meaning::Symbol(symbol) => Some(symbol),
            _ => None,
        });
        symbol.filter(|symbol| self.code.project.symbol_kind(*symbol).is_type())
    }

    fn import(self, file: FileId, import: LocalImport) -> &'a Import {
        &self.facts(file).imports[import]
    }

    /// Returns the text of an expression, with `{}` for unknown pieces; `None` if no piece is known.
    pub(super) fn text(self, it: At<'a>) -> Option<PathText> {
        let texts = self.code.texts(it);
        let known = texts.iter().find_map(|text| literal(text));
        if let Some(text) = known {
            return Some(PathText { text, exact: texts.len() == 1 });
        }
        let pieces = texts.iter().find(|text| text.iter().any(|piece| matches!(piece, Piece::Text(_))))?;
        let shown = pieces.iter().map(|piece| if let Piece::Text(text) = piece { &**text } else { "{}" });
        Some(PathText { text: shown.collect(), exact: false })
    }

    /// Returns the declaration that a name denotes, by the edges of the code graph if its scopes do not resolve it.
    pub(super) fn declared(self, it: At<'a>) -> Option<SymbolId> {
        self.declaration(it).or_else(|| {
            let path = it.expression.path()?;
            let (name, qualifier) = (*path.last()?, path.len().checked_sub(2).map(|at| path[at]));
            self.by_edge(it.file, it.offset, name, qualifier)
        })
    }

    /// Returns the only declaration of a name that the code around an offset leads to.
    fn by_edge(self, file: FileId, at: u32, name: &str, qualifier: Option<&str>) -> Option<SymbolId> {
        let (graph, project) = (self.code.graph, self.code.project);
        let around = self.code.symbol_at(file, at).into_iter();
        let around = around.flat_map(|symbol| project.self_and_ancestors(symbol)).map(Node::Symbol);
        for source in around.chain([Node::File(file)]) {
            let targets = graph
                .edges_at(graph.id(source), Direction::Outgoing)
                .filter(|edge| !edge.relation.is_containment() && edge.confidence != Confidence::Ambiguous);
            let mut named: Vec<SymbolId> = targets
                .filter_map(|edge| match graph.node(edge.target) {
                    Node::Symbol(symbol) if project.symbol_name(symbol) == name => Some(symbol),
                    _ => None,
                })
                .collect();
            named.sort_unstable();
            named.dedup();
            if let (true, Some(qualifier)) = (named.len() > 1, qualifier) {
                named.retain(|symbol| {
                    self.is_module(project.symbol_file(*symbol), qualifier)
                        || project
                            .parent(*symbol)
                            .is_some_and(|parent| project.symbol_name(parent) == qualifier)
                });
            }
            if let [symbol] = named[..] {
                return Some(symbol);
            }
        }
        None
    }

    /// Returns the function of a declaration.
    pub(super) fn function_of(self, symbol: SymbolId) -> Option<(FileId, &'a Function)> {
        let project = self.code.project;
        let file = project.symbol_file(symbol);
        let (span, name) = (project.symbol(symbol).span, project.symbol_name(symbol));
        let is_its = |function: &&Function| {
            span.contains(function.span) && (function.name.is_empty() || *function.name == *name)
        };
        let function = self.wiring(file).functions.iter().find(is_its);
        function.filter(|_| project.symbol_kind(symbol).is_callable()).map(|function| (file, function))
    }

    /// Returns the function that an expression denotes, with its file. Wrappers around it are skipped.
    pub(super) fn function(self, it: At<'a>) -> Option<(FileId, &'a Function)> {
        match it.expression {
            Expression::Function(span) => {
                let functions = &self.wiring(it.file).functions;
                functions.iter().find(|function| function.span == *span).map(|function| (it.file, function))
            }
            Expression::Name(_) | Expression::Member(..) => self
                .declared(it)
                .and_then(|symbol| self.function_of(symbol))
                .or_else(|| match self.meaning(it)? {
                    Meaning::Value(value) if !std::ptr::eq(value.expression, it.expression) => {
                        self.function(value)
                    }
                    Meaning::Symbol(symbol) => self.function_of(symbol),
                    _ => None,
                }),
            Expression::Call(_) => {
                let call = self.call(it)?;
                let argument = call.positional(0)?;
                matches!(argument, Expression::Function(_) | Expression::Name(_))
                    .then(|| self.function(it.with(argument)))
                    .flatten()
            }
            _ => None,
        }
    }
}

/// Returns the dotted name of an imported item, if the text of the import is not relative to the project.
fn external_of(import: &Import) -> Option<String> {
    let module = import.module.replace("::", ".");
    let first = module.split('.').next().unwrap_or("");
    if module.starts_with(['.', '/']) || matches!(first, "crate" | "self" | "super") {
        return None;
    }
    let is_member = import.kind == ImportKind::Named && !import.name.is_empty() && &*import.name != "default";
    // `import aiohttp.web` binds `aiohttp`.
    if import.kind == ImportKind::Module && module.starts_with(&format!("{}.", import.local)) {
        return Some(import.local.to_string());
    }
    match (is_member, module.is_empty()) {
        (true, false) => Some(format!("{module}.{}", import.name)),
        (true, true) => Some(import.name.to_string()),
        (false, _) => Some(module),
    }
}
