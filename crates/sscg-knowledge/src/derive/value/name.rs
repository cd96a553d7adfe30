//! Names and members.

use sscg_core::wiring::{Binding, Expression};
use sscg_core::{FileId, Import, ImportKind, ModuleSystem, SymbolId};

use super::{Evaluation, ExternalValue, Parameter, Piece, Value};
use crate::derive::code::At;

impl<'c> Evaluation<'c> {
    pub(super) fn name(&self, at: At<'c>, name: &str) -> Vec<Value<'c>> {
        if is_self(name) {
            return self
                .type_at(at.file, at.offset)
                .map(|class| Value::Instance(class, None))
                .into_iter()
                .collect();
        }
        if let Some(values) = self.local(at, name) {
            return values;
        }
        let imports = &self.code.project.files()[at.file].facts.imports;
        if let Some(import) = imports.iter().find(|import| &*import.local == name) {
            return self.import(at, import);
        }
        if let Some(symbol) = self.code.linked(at.file, at.offset, name) {
            return self.symbol(symbol);
        }
        match self.code.project.files()[at.file].language.modules {
            // The name of a crate needs no import; any other name is a module.
            ModuleSystem::RustCrates => {
                let is_package = self.code.is_library(name);
                is_package
                    .then(|| Value::External(ExternalValue::imported(name.to_owned())))
                    .into_iter()
                    .collect()
            }
            _ => vec![Value::External(ExternalValue::global(name))],
        }
    }

    /// Returns the values assigned to a name in the enclosing functions or in the file, or its parameter.
    fn local(&self, at: At<'c>, name: &str) -> Option<Vec<Value<'c>>> {
        let file = self.code.wired(at.file);
        let scope_of =
            |binding: &Binding| file.functions_at(binding.span.start).next().map(|(place, _)| place);
        let in_scope = |scope: Option<usize>| {
            let bindings = file.bindings_of(name);
            let bindings: Vec<&Binding> = bindings
                .filter(|binding| matches!(binding.target, Expression::Name(_)) && scope_of(binding) == scope)
                .collect();
            // The last assignment before the offset counts; later ones count only if there is none.
            match bindings.iter().rev().find(|binding| binding.span.end <= at.offset) {
                Some(last) => vec![*last],
                None => bindings.into_iter().filter(|binding| at.offset < binding.span.start).collect(),
            }
        };
        let set = |bindings: Vec<&'c Binding>| {
            let values = bindings.into_iter().map(|binding| self.values(at_binding(at.file, binding)));
            values.flatten().collect()
        };
        for (place, function) in file.functions_at(at.offset) {
            let bindings = in_scope(Some(place));
            if !bindings.is_empty() {
                return Some(set(bindings));
            }
            let parameters = &function.parameters;
            if let Some(index) = parameters.iter().position(|parameter| parameter.as_deref() == Some(name)) {
                return Some(self.parameter(at.file, place, index));
            }
        }
        let bindings = in_scope(None);
        (!bindings.is_empty()).then(|| set(bindings))
    }

    /// Returns the values of a parameter: those of its type, and a placeholder for the argument.
    pub(super) fn parameter(&self, file: FileId, function: usize, index: usize) -> Vec<Value<'c>> {
        let mut values = self.type_of_parameter(file, function, index);
        let parameter = Parameter { file, function: function as u32, index: index as u32 };
        values.push(Value::Text(vec![Piece::Parameter(parameter)]));
        values
    }

    /// Returns the values that an import binds.
    fn import(&self, at: At<'c>, import: &Import) -> Vec<Value<'c>> {
        let name = if import.name.is_empty() { &import.local } else { &import.name };
        if let Some(symbol) = self.code.linked(at.file, at.offset, name) {
            return self.symbol(symbol);
        }
        if let Some(symbol) = self.code.python_member(at.file, &import.module, &import.name) {
            return self.symbol(symbol);
        }
        imported(import).map(Value::External).into_iter().collect()
    }

    pub(super) fn member(&self, at: At<'c>, base: &'c Expression, name: &str) -> Vec<Value<'c>> {
        let bases = self.values(at.with(base)).into_iter();
        let values: Vec<_> = bases.flat_map(|base| self.member_of(at, base, name)).collect();
        if !values.is_empty() {
            return values;
        }
        let linked = self.code.linked(at.file, at.offset, name);
        linked.map(|symbol| self.symbol(symbol)).unwrap_or_default()
    }

    fn member_of(&self, at: At<'c>, base: Value<'c>, name: &str) -> Vec<Value<'c>> {
        match base {
            Value::Record(record) => {
                let field = self.record_field(record, name);
                field.map(|field| self.values(field)).unwrap_or_default()
            }
            Value::External(external) if is_environment(&external.path) => {
                vec![Value::Text(vec![Piece::Variable(name.into())])]
            }
            Value::External(external) => match self.code.python_member(at.file, &external.path, name) {
                Some(symbol) => self.symbol(symbol),
                None => vec![Value::External(external.member(name))],
            },
            Value::Instance(class, _) => self.field_of(class, name),
            Value::Symbol(symbol) => self.child(symbol, name),
            // `href` is the part of a URL that holds all of it.
            Value::Text(text) if name == "href" => vec![Value::Text(text)],
            Value::Text(_) | Value::List(_) | Value::Function => Vec::new(),
        }
    }

    /// Returns the values of a member that a class, enum or module has without an instance.
    fn child(&self, symbol: SymbolId, name: &str) -> Vec<Value<'c>> {
        let (file, local) = self.code.project.local_symbol(symbol);
        let facts = &self.code.project.files()[file].facts;
        let child = facts.children(local).find(|child| &*facts.symbols[*child].name == name);
        match child {
            Some(child) => self.symbol(self.code.project.symbol_id(file, child)),
            None => self.field_of(symbol, name),
        }
    }

    /// Returns the value that a declaration is set to, or the declaration itself.
    pub(super) fn symbol(&self, symbol: SymbolId) -> Vec<Value<'c>> {
        let file = self.code.project.symbol_file(symbol);
        let declared = self.code.project.symbol(symbol);
        let bindings = self.code.wired(file).bindings_of(&declared.name);
        let bindings = bindings
            .filter(|binding| declared.span.contains(binding.span) || binding.span.contains(declared.span));
        let mut values: Vec<_> =
            bindings.flat_map(|binding| self.values(at_binding(file, binding))).collect();
        if values.is_empty() {
            match &declared.ty {
                Some(hint) if !declared.kind.is_callable() && !declared.kind.is_type() => {
                    values = self.of_type(file, hint);
                }
                _ => values.push(Value::Symbol(symbol)),
            }
        }
        values
    }
}

/// Returns the value of a binding, at the location of the binding.
pub(super) fn at_binding(file: FileId, binding: &Binding) -> At<'_> {
    At { file, offset: binding.span.start, expression: &binding.value }
}

/// True if the name denotes the receiver of a method or its type.
pub(super) fn is_self(name: &str) -> bool {
    matches!(name, "self" | "this" | "cls" | "Self")
}

/// Returns the external value that an import leads to.
pub(super) fn imported<'c>(import: &Import) -> Option<ExternalValue<'c>> {
    let module = &*import.module;
    if module.starts_with('.') || ["crate", "super", "self"].contains(&module.split("::").next()?) {
        return None;
    }
    let module = module.strip_prefix("node:").unwrap_or(module).replace("::", ".");
    let external = ExternalValue::imported(module);
    match import.kind {
        ImportKind::Named if !import.name.is_empty() && &*import.name != "default" => {
            Some(external.member(&import.name))
        }
        ImportKind::Named | ImportKind::Default | ImportKind::Module => Some(external),
        ImportKind::Glob | ImportKind::Effects => None,
    }
}

/// True if an external path denotes the environment variables.
pub(super) fn is_environment(path: &str) -> bool {
    matches!(path, "process.env" | "import.meta.env" | "os.environ" | "Bun.env" | "env")
}
