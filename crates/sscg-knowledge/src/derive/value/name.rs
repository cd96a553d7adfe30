//! Names and members.

use sscg_core::wiring::{Binding, Call, Expression};
use sscg_core::{FileId, Import, ImportKind, ModuleSystem, Span, SymbolId};
use sscg_graph::Node;

use super::external::is_environment;
use super::fields::is_self;
use super::scope::external_path;
use super::{Evaluation, ExternalValue, Piece, STEPS_OF_LINK, Value, at_binding};
use crate::derive::code::At;

impl<'c> Evaluation<'c> {
    /// Returns the values of a name as at run time: of the last assignment before it, a parameter, a declaration, an
    /// import.
    pub(super) fn name(&self, at: At<'c>, name: &str) -> Vec<Value<'c>> {
        let project = self.code.project;
        if is_self(name) {
            let class = self.type_at(at.file, at.offset).map(|class| Value::Instance(class, None));
            return class.into_iter().collect();
        }
        if let Some(values) = self.local(at, name) {
            return values;
        }
        let of_class = self.implicit_field(at, name);
        if !of_class.is_empty() {
            return of_class;
        }
        let symbol = self.code.visible(at.file, at.offset, name);
        if symbol.is_none_or(|symbol| project.parent(symbol).is_none()) {
            let wired = self.code.wired(at.file);
            // Code in functions runs after the top level.
            let is_later = wired.functions_at(at.offset).next().is_some();
            let bindings = wired.assigned(name, None, if is_later { u32::MAX } else { at.offset });
            if !bindings.is_empty() {
                return self.set(at.file, bindings);
            }
        }
        if let Some(symbol) = symbol {
            // Code in the value of a variable cannot use that value.
            let is_around = project.symbol(symbol).span.contains(Span::new(at.offset, at.offset));
            return if is_around { vec![Value::Symbol(symbol)] } else { self.symbol(symbol) };
        }
        if let Some(import) = self.code.import(at.file, at.offset, name) {
            return self.import(at.file, at.offset, import);
        }
        if let Some(symbol) = self.code.linked(at.file, at.offset, name, None) {
            return self.symbol(symbol);
        }
        self.undeclared(at.file, name).map(Value::External).into_iter().collect()
    }

    /// Returns the values assigned to a name in the enclosing functions, or its parameter.
    fn local(&self, at: At<'c>, name: &str) -> Option<Vec<Value<'c>>> {
        let wired = self.code.wired(at.file);
        wired.functions_at(at.offset).find_map(|(function, declared)| {
            let bindings = wired.assigned(name, Some(function), at.offset);
            if !bindings.is_empty() {
                return Some(self.set(at.file, bindings));
            }
            let mut parameters = declared.parameters.iter();
            let index = parameters.position(|parameter| parameter.as_deref() == Some(name))?;
            Some(self.parameter(at.file, function, index))
        })
    }

    /// Returns the values of a field that is named without its object, as in Java and C#.
    fn implicit_field(&self, at: At<'c>, name: &str) -> Vec<Value<'c>> {
        if !matches!(self.modules(at.file), ModuleSystem::DeclaredPackages | ModuleSystem::Namespaces) {
            return Vec::new();
        }
        let class = self.type_at(at.file, at.offset);
        let field =
            |class: &SymbolId| self.code.child(*class, name).is_some_and(|member| !self.is_callable(member));
        class.filter(field).map(|class| self.field_of(class, name)).unwrap_or_default()
    }

    fn set(&self, file: FileId, bindings: Vec<&'c Binding>) -> Vec<Value<'c>> {
        bindings.into_iter().flat_map(|binding| self.values(at_binding(file, binding))).collect()
    }

    fn undeclared(&self, file: FileId, name: &str) -> Option<ExternalValue<'c>> {
        match self.modules(file) {
            ModuleSystem::RustCrates => {}
            // The namespaces that a file uses as a whole declare the name.
            ModuleSystem::DeclaredPackages | ModuleSystem::Namespaces
                if name.starts_with(char::is_uppercase) =>
            {
                return Some(ExternalValue::imported(name.to_owned()));
            }
            _ => return Some(ExternalValue::global(name)),
        }
        // The name of a crate needs no import; any other name is a module.
        let of_crate = self.code.is_library(name).then(|| ExternalValue::imported(name.to_owned()));
        of_crate.or_else(|| Some(ExternalValue::global(&self.code.in_glob(file, name)?)))
    }

    /// Returns the values that an import binds.
    fn import(&self, file: FileId, offset: u32, import: &Import) -> Vec<Value<'c>> {
        if !self.spend(STEPS_OF_LINK) {
            return Vec::new();
        }
        let values = match (self.code.imported(file, import), import.kind) {
            (Some(Node::File(target)), ImportKind::Default) => self.module(target),
            (Some(Node::File(target)), ImportKind::Named) if !self.code.is_module(target, &import.name) => {
                self.member_of_file(target, &import.name)
            }
            (Some(Node::File(target)), _) => vec![Value::File(target)],
            _ => Vec::new(),
        };
        if !values.is_empty() {
            return values;
        }
        let name = if import.name.is_empty() { &import.local } else { &import.name };
        let symbol = self.code.imported_symbol(file, import);
        if let Some(symbol) = symbol.or_else(|| self.code.linked(file, offset, name, None)) {
            return self.symbol(symbol);
        }
        external_path(import).map(ExternalValue::imported).map(Value::External).into_iter().collect()
    }

    /// Returns the value of a call `require(module)`.
    pub(super) fn required(&self, file: FileId, call: &Call, module: &str) -> Vec<Value<'c>> {
        match self.code.imported_at(file, call.span.start, call.line, None) {
            Some(Node::File(file)) => self.module(file),
            Some(Node::Symbol(symbol)) => self.symbol(symbol),
            _ if module.starts_with('.') => Vec::new(),
            _ => {
                let module = module.trim_start_matches("node:").to_owned();
                vec![Value::External(ExternalValue::imported(module))]
            }
        }
    }

    /// Returns the value of a file as a whole: its `module.exports`, its default export, or the file as a module.
    fn module(&self, file: FileId) -> Vec<Value<'c>> {
        let wired = self.code.wired(file);
        let whole = wired.bindings_of("exports").find(|it| is_path(&it.target, &["module", "exports"]));
        match (whole, self.code.default_export(file)) {
            (Some(whole), _) => self.values(at_binding(file, whole)),
            (None, Some(symbol)) => self.symbol(symbol),
            (None, None) => vec![Value::File(file)],
        }
    }

    /// Returns the values of a name that a file declares at its top level, exports or imports.
    fn member_of_file(&self, file: FileId, name: &str) -> Vec<Value<'c>> {
        let wired = self.code.wired(file);
        let bindings = wired.assigned(name, None, u32::MAX);
        if !bindings.is_empty() {
            return self.set(file, bindings);
        }
        if let Some(symbol) = self.code.top_level(file, name) {
            return self.symbol(symbol);
        }
        let is_exported = |binding: &&Binding| {
            is_path(&binding.target, &["exports", name])
                || is_path(&binding.target, &["module", "exports", name])
        };
        if let Some(binding) = wired.bindings_of(name).find(is_exported) {
            return self.values(at_binding(file, binding));
        }
        let whole = self.module(file).into_iter();
        let mut records = whole.filter(|whole| matches!(whole, Value::Record(_)));
        match (records.next(), self.code.import(file, 0, name)) {
            (Some(record), _) => self.member_of(record, file, name),
            (None, Some(import)) => self.import(file, 0, import),
            (None, None) => Vec::new(),
        }
    }

    pub(super) fn member(&self, at: At<'c>, base: &'c Expression, name: &str) -> Vec<Value<'c>> {
        let bases = self.values(at.with(base)).into_iter().flat_map(|base| self.opened(base));
        let values: Vec<_> = bases.flat_map(|base| self.member_of(base, at.file, name)).collect();
        // A member of an external object that the file sets: `app.config["ORDERS_URL"] = ..` of Flask.
        if values.iter().all(|value| matches!(value, Value::External(_))) {
            let set = self.code.wired(at.file).bindings_of(name).filter(|it| it.target == *at.expression);
            let set = self.set(at.file, set.collect());
            if !set.is_empty() {
                return set;
            }
        }
        if !values.is_empty() {
            return values;
        }
        let linked = self.code.linked(at.file, at.offset, name, base.last_name());
        linked.map(|symbol| self.symbol(symbol)).unwrap_or_default()
    }

    /// Returns the values of a member, for code in a file.
    fn member_of(&self, base: Value<'c>, from: FileId, name: &str) -> Vec<Value<'c>> {
        match base {
            Value::Record(record) => {
                let field = self.record_field(record, name);
                field.map(|field| self.values(field)).unwrap_or_default()
            }
            Value::External(external) if is_environment(&external.path) => {
                vec![Value::Text(vec![Piece::Variable(name.into())])]
            }
            Value::External(external)
                if self.modules(from) == ModuleSystem::Namespaces && is_configuration(&external.path) =>
            {
                vec![Value::Text(vec![Piece::Variable(name.into())])]
            }
            Value::External(external) => match self.code.python_member(from, &external.path, name) {
                Some(symbol) => self.symbol(symbol),
                None => vec![Value::External(external.member(name))],
            },
            Value::File(file) => self.member_of_file(file, name),
            Value::Instance(class, _) => {
                let values = self.field_of(class, name);
                let method = || self.code.child(class, name).filter(|it| self.is_callable(*it));
                if values.is_empty() { method().into_iter().map(Value::Symbol).collect() } else { values }
            }
            // Member that a class, enum or module has without an instance.
            Value::Symbol(symbol) => match self.code.child(symbol, name) {
                Some(child) => self.symbol(child),
                None => self.field_of(symbol, name),
            },
            // `href` is the part of a URL that holds all of it.
            Value::Text(text) if name == "href" => vec![Value::Text(text)],
            Value::Text(_) | Value::List(_) | Value::Function(_) | Value::Call(_) => Vec::new(),
        }
    }

    /// Returns the value that a declaration is set to, or the declaration itself.
    pub(super) fn symbol(&self, symbol: SymbolId) -> Vec<Value<'c>> {
        let file = self.code.project.symbol_file(symbol);
        let declared = self.code.project.symbol(symbol);
        let holds_code = declared.kind.is_callable() || declared.kind.is_type();
        let bindings = self.code.wired(file).bindings_of(&declared.name).filter(|binding| {
            // A variable in a function can have the name of the function.
            declared.span.contains(binding.span) && !holds_code || binding.span.contains(declared.span)
        });
        let values = self.set(file, bindings.collect());
        match &declared.ty {
            _ if !values.is_empty() => values,
            Some(hint) if !holds_code => self.of_type(file, hint),
            _ => vec![Value::Symbol(symbol)],
        }
    }

    /// Returns the declaration that a name or member denotes, without following its value.
    pub(super) fn declaration(&self, at: At<'c>) -> Option<SymbolId> {
        let (declared, qualifier) = match at.expression {
            Expression::Name(name) => (self.code.declared(at.file, at.offset, name), None),
            Expression::Member(base, name) => {
                let bases = self.values(at.with(base)).into_iter();
                let mut declared = bases.filter_map(|base| match base {
                    Value::File(file) => self.code.top_level(file, name),
                    Value::Symbol(owner) | Value::Instance(owner, _) => self.code.child(owner, name),
                    _ => None,
                });
                (declared.next(), base.last_name())
            }
            _ => return None,
        };
        let name = at.expression.last_name()?;
        declared.or_else(|| self.code.linked(at.file, at.offset, name, qualifier))
    }

    fn is_callable(&self, symbol: SymbolId) -> bool {
        self.code.project.symbol_kind(symbol).is_callable()
    }
}

/// True if an external path of .NET denotes the settings, which are indexed by their keys.
fn is_configuration(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path).trim_end_matches("()");
    matches!(last, "Configuration" | "ConfigurationManager" | "IConfiguration" | "IConfigurationRoot")
}

fn is_path(expression: &Expression, path: &[&str]) -> bool {
    expression.path().is_some_and(|of_expression| of_expression == path)
}
