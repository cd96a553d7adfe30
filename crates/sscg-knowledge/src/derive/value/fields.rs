//! Fields of objects, and values of types.

use sscg_core::wiring::Expression;
use sscg_core::{FileId, Head, ModuleSystem, NameRef, Relation, SymbolId, SymbolKind, TypeHint};
use sscg_graph::{Direction, Node};

use super::scope::external_path;
use super::{Evaluation, ExternalValue, Parameter, Piece, STEPS_OF_LINK, Value, at_binding};

/// Wrapper types that are replaced by their contents.
const HOLDERS: &[&str] = &[
    "Annotated",
    "Arc",
    "Awaitable",
    "Box",
    "Cow",
    "Final",
    "LazyLock",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "Option",
    "Optional",
    "Promise",
    "Rc",
    "Readonly",
    "RefCell",
    "Result",
    "RwLock",
];

impl<'c> Evaluation<'c> {
    /// Returns the type around a byte offset.
    pub(super) fn type_at(&self, file: FileId, offset: u32) -> Option<SymbolId> {
        let project = self.code.project;
        let around = self.code.symbol_at(file, offset)?;
        project.self_and_ancestors(around).find_map(|symbol| match &project.symbol(symbol).receiver {
            Some(receiver) => self.code.declared_or_linked(file, offset, receiver.name()),
            None => is_class(project.symbol_kind(symbol)).then_some(symbol),
        })
    }

    /// Returns the values of a field of a project's class: from its assignments, its type, or its base class.
    pub(super) fn field_of(&self, class: SymbolId, name: &str) -> Vec<Value<'c>> {
        let project = self.code.project;
        let (file, class_name) = (project.symbol_file(class), project.symbol_name(class));
        let wired = self.code.wired(file);
        let of_class = |offset: u32| {
            self.type_at(file, offset).is_some_and(|around| project.symbol_name(around) == class_name)
        };
        let mut values = Vec::new();
        for binding in wired.bindings_of(name) {
            let is_field = match binding.target.receiver().and_then(Expression::last_name) {
                Some(owner) => owner == class_name || is_self(owner) && of_class(binding.span.start),
                None => {
                    wired.functions_at(binding.span.start).next().is_none() && of_class(binding.span.start)
                }
            };
            if is_field {
                values.extend(self.values(at_binding(file, binding)));
            }
        }
        if values.iter().all(|value| matches!(value, Value::Text(_))) {
            for part in project.symbols_of(file).filter(|symbol| project.symbol_name(*symbol) == class_name) {
                let (_, local) = project.local_symbol(part);
                let facts = &project.files()[file].facts;
                let fields = facts.children(local).map(|field| &facts.symbols[field]);
                let hints = fields.filter(|field| &*field.name == name && !field.kind.is_callable());
                values.extend(
                    hints.filter_map(|field| field.ty.as_ref()).flat_map(|hint| self.of_type(file, hint)),
                );
            }
        }
        if values.is_empty() {
            values.extend(self.constructor_parameter(class, name));
        }
        if self.is_settings(class) {
            values.push(Value::Text(vec![Piece::Variable(name.to_uppercase().into())]));
        }
        if values.is_empty() { self.inherited(class, name) } else { values }
    }

    /// Returns the values of a field of the base class.
    fn inherited(&self, class: SymbolId, name: &str) -> Vec<Value<'c>> {
        let mut bases = self.bases(class);
        let base = bases.find_map(|node| if let Node::Symbol(base) = node { Some(base) } else { None });
        // The text of a class can name the class itself as its base.
        base.filter(|_| self.spend(STEPS_OF_LINK)).map(|base| self.field_of(base, name)).unwrap_or_default()
    }

    /// Returns a constructor parameter that is also a field: `constructor(private readonly bus: EventEmitter2)`.
    fn constructor_parameter(&self, class: SymbolId, name: &str) -> Vec<Value<'c>> {
        let file = self.code.project.symbol_file(class);
        let span = self.code.project.symbol(class).span;
        let functions = self.code.wired(file).wiring.functions.iter().enumerate();
        let mut constructors = functions
            .filter(|(_, function)| &*function.name == "constructor" && span.contains(function.span));
        constructors
            .find_map(|(place, function)| {
                let is_named = |parameter: &Option<Box<str>>| parameter.as_deref() == Some(name);
                let index = function.parameters.iter().position(is_named)?;
                Some(self.parameter(file, place, index))
            })
            .unwrap_or_default()
    }

    /// True if the fields of the class are read from the environment.
    fn is_settings(&self, class: SymbolId) -> bool {
        let graph = self.code.graph;
        self.bases(class).any(|base| match base {
            Node::External(at) => graph.externals()[at as usize].name.ends_with("BaseSettings"),
            _ => false,
        })
    }

    fn bases(&self, class: SymbolId) -> impl Iterator<Item = Node> {
        let graph = self.code.graph;
        let edges = graph.edges_at(graph.id(Node::Symbol(class)), Direction::Outgoing);
        edges.filter(|edge| edge.relation == Relation::Inherits).map(|edge| graph.node(edge.target))
    }

    /// Returns the values of a parameter: those of its type, and a placeholder for the argument.
    pub(super) fn parameter(&self, file: FileId, function: usize, index: usize) -> Vec<Value<'c>> {
        let mut values = self.type_of_parameter(file, function, index);
        let parameter = Parameter { file, function: function as u32, index: index as u32 };
        values.push(Value::Text(vec![Piece::Parameter(parameter)]));
        values
    }

    /// Returns the values of a parameter's type, from the parameter list in the facts or from a reference to the name.
    fn type_of_parameter(&self, file: FileId, function: usize, index: usize) -> Vec<Value<'c>> {
        let function = &self.code.wired(file).wiring.functions[function];
        let Some(symbol) = self.code.symbol_at(file, function.span.start) else { return Vec::new() };
        let (_, local) = self.code.project.local_symbol(symbol);
        let facts = &self.code.project.files()[file].facts;
        let declared = &facts.symbols[local];
        if declared.name == function.name
            && let Some(hint) = declared.parameters.get(index)
        {
            return self.of_type(file, hint);
        }
        let Some(name) = function.parameters[index].as_deref() else { return Vec::new() };
        let uses =
            facts.references.iter().filter(|used| used.from == Some(local) && &*used.target.path[0] == name);
        let hint = uses.filter_map(|used| match &used.target.head {
            Head::Local(hint) => hint.as_deref(),
            _ => None,
        });
        hint.take(1).flat_map(|hint| self.of_type(file, hint)).collect()
    }

    /// Returns the instances of a type.
    pub(super) fn of_type(&self, file: FileId, hint: &TypeHint) -> Vec<Value<'c>> {
        match hint {
            TypeHint::OneOf(hints) => hints.iter().flat_map(|hint| self.of_type(file, hint)).collect(),
            TypeHint::Generic(name, arguments) if HOLDERS.contains(&name.name()) => {
                arguments.first().map(|hint| self.of_type(file, hint)).unwrap_or_default()
            }
            TypeHint::Named(name) | TypeHint::Generic(name, _) => {
                self.named_type(file, name).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn modules(&self, file: FileId) -> ModuleSystem {
        self.code.project.files()[file].language.modules
    }

    fn named_type(&self, file: FileId, name: &NameRef) -> Option<Value<'c>> {
        let facts = &self.code.project.files()[file].facts;
        let external = |external: ExternalValue<'c>, rest: &[Box<str>]| {
            let of_type = rest.iter().fold(external, |external, name| external.member(name));
            Value::External(of_type.called(None))
        };
        match &name.head {
            Head::Symbol(local) => Some(Value::Instance(self.code.project.symbol_id(file, *local), None)),
            Head::SelfType => None,
            Head::Import(import) => {
                let import = &facts.imports[*import];
                let linked = || {
                    let linked = if import.name.is_empty() { name.name() } else { &import.name };
                    let near = facts.symbols.iter().map(|symbol| symbol.span.start);
                    let mut near = [import.span.start].into_iter().chain(near);
                    near.find_map(|near| self.code.linked(file, near, linked, None))
                };
                match self.code.imported_symbol(file, import).or_else(linked) {
                    Some(class) => Some(Value::Instance(class, None)),
                    None => {
                        let module = ExternalValue::imported(external_path(import)?);
                        Some(external(module, &name.path[1..]))
                    }
                }
            }
            // A name of a namespace that the file uses as a whole.
            Head::Free
                if matches!(
                    self.modules(file),
                    ModuleSystem::DeclaredPackages | ModuleSystem::Namespaces
                ) =>
            {
                Some(external(ExternalValue::imported(name.name().to_owned()), &[]))
            }
            Head::Free if name.path.len() > 1 => {
                Some(external(ExternalValue::imported(name.path[0].to_string()), &name.path[1..]))
            }
            _ => None,
        }
    }
}

/// True if the name denotes the receiver of a method or its type.
pub(super) fn is_self(name: &str) -> bool {
    matches!(name, "self" | "this" | "cls" | "Self")
}

/// True if members of a declaration of this kind operate on an instance of it.
fn is_class(kind: SymbolKind) -> bool {
    kind.is_type() || kind == SymbolKind::Impl
}
