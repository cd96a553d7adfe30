//! Imports and exports of a file: ES modules and TypeScript's own forms.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use sscg_core::{
    ChunkKind, Export, Id, Import, ImportKind, LocalImport, LocalSymbol, Modifiers, Relation, Span,
    SymbolKind,
};

use super::callable::Callable;
use super::declare::{NewSymbol, Outer, is_short};
use super::name::{Binding, RawHint, This, first_segment, span_of, unwrap, value_of};
use super::walk::Walker;

/// Import before it has an id.
pub(super) struct NewImport<'n> {
    pub(super) kind: ImportKind,
    pub(super) module: &'n str,
    /// Name in the module, for [`ImportKind::Named`].
    pub(super) name: &'n str,
    pub(super) local: &'n str,
    pub(super) reexport: bool,
    pub(super) span: Span,
    pub(super) at: u32,
}

impl<'a> Walker<'a> {
    pub(super) fn import(&mut self, new: NewImport<'_>) -> LocalImport {
        let is_default = new.kind == ImportKind::Named && new.name == "default";
        self.imports.push(Import {
            condition: None,
            kind: if is_default { ImportKind::Default } else { new.kind },
            module: new.module.into(),
            name: if is_default { "" } else { new.name }.into(),
            local: new.local.into(),
            reexport: new.reexport,
            scope: self.owner,
            span: new.span,
            line: self.facts.line(new.at),
        });
        LocalImport::new(self.imports.len() - 1)
    }

    /// Binds a local name to an import.
    pub(super) fn import_as(&mut self, local: &BindingIdentifier<'a>, new: NewImport<'_>) {
        let import = self.import(NewImport { local: &local.name, at: local.span.start, ..new });
        if let Some(symbol) = local.symbol_id.get() {
            self.names.bindings.set(symbol, Binding::Import(import));
        }
    }

    pub(super) fn module_declaration(&mut self, declaration: &ModuleDeclaration<'a>) {
        match declaration {
            ModuleDeclaration::ImportDeclaration(import) => self.import_declaration(import),
            ModuleDeclaration::ExportFromDeclaration(export) => self.export_from(export),
            ModuleDeclaration::ExportAllDeclaration(export) => self.export_all(export),
            ModuleDeclaration::ExportNamedDeclaration(export) => self.export_list(export),
            ModuleDeclaration::ExportDeclaration(export) => {
                self.declaration(&export.declaration, Outer::export(&**export));
            }
            ModuleDeclaration::ExportDefaultDeclaration(export) => {
                let outer = Outer::default_export(&**export);
                match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        self.function(function, outer);
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        self.class_declaration(class, outer);
                    }
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        self.interface(interface, outer);
                    }
                    other => {
                        self.default_value(other.to_expression(), outer);
                    }
                }
            }
            ModuleDeclaration::TSExportAssignment(export) => {
                let outer = Outer::default_export(&**export);
                // `export = { a, b }` exports `a` and `b`, as `module.exports` does.
                if let Expression::ObjectExpression(object) = unwrap(&export.expression) {
                    self.export_properties(object, outer);
                }
                self.whole_value(&export.expression, outer);
            }
            ModuleDeclaration::TSNamespaceExportDeclaration(export) => {
                self.root_statement(ChunkKind::Expression, span_of(&**export));
            }
        }
    }

    fn import_declaration(&mut self, declaration: &ImportDeclaration<'a>) {
        let module = declaration.source.value.as_str();
        let new = |kind, name| NewImport {
            kind,
            module,
            name,
            local: "",
            reexport: false,
            span: span_of(declaration),
            at: declaration.span.start,
        };
        self.root_item(ChunkKind::Import, span_of(declaration), module);
        let specifiers = declaration.specifiers.as_ref().map_or(&[][..], |specifiers| specifiers);
        if specifiers.is_empty() {
            self.import(new(ImportKind::Effects, ""));
        }
        for specifier in specifiers {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    let name = exported_name(&named.imported);
                    self.import_as(&named.local, new(ImportKind::Named, name));
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    self.import_as(&default.local, new(ImportKind::Default, ""));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace) => {
                    self.import_as(&namespace.local, new(ImportKind::Module, ""));
                }
            }
        }
    }

    fn export_from(&mut self, export: &ExportFromDeclaration<'a>) {
        let module = export.source.value.as_str();
        self.root_item(ChunkKind::ReExport, span_of(export), module);
        for specifier in &export.specifiers {
            self.import(NewImport {
                kind: ImportKind::Named,
                module,
                name: exported_name(&specifier.local),
                local: exported_name(&specifier.exported),
                reexport: true,
                span: span_of(export),
                at: specifier.span.start,
            });
        }
    }

    fn export_all(&mut self, export: &ExportAllDeclaration<'a>) {
        let module = export.source.value.as_str();
        self.root_item(ChunkKind::ReExport, span_of(export), module);
        let local = export.exported.as_ref().map(exported_name);
        self.import(NewImport {
            kind: if local.is_some() { ImportKind::Module } else { ImportKind::Glob },
            module,
            name: "",
            local: local.unwrap_or_default(),
            reexport: true,
            span: span_of(export),
            at: export.span.start,
        });
    }

    fn export_list(&mut self, export: &ExportNamedDeclaration<'a>) {
        self.root_statement(ChunkKind::ReExport, span_of(export));
        for specifier in &export.specifiers {
            if let ModuleExportName::IdentifierReference(local) = &specifier.local {
                self.export_name(local, exported_name(&specifier.exported), span_of(export));
            }
        }
    }

    /// Exports the target of `local` to other files under the name `exported`.
    pub(super) fn export_name(&mut self, local: &IdentifierReference<'a>, exported: &'a str, span: Span) {
        let Some(symbol) = self.names.bindings.symbol_of(local) else { return };
        if let Binding::Import(import) = self.names.bindings.get(symbol) {
            let line = self.facts.line(local.span.start);
            let import = self.imports[import.index()].clone();
            let (local, scope) = (exported.into(), self.owner);
            let reexport = Import { local, reexport: true, scope, span, line, ..import };
            self.imports.push(reexport);
        } else {
            self.export_bound(symbol, exported);
        }
    }

    /// Handles `export default value`: exports a name, declares any other value as `default`.
    fn default_value(&mut self, value: &Expression<'a>, outer: Outer) -> Option<LocalSymbol> {
        if let Expression::Identifier(name) = unwrap(value) {
            self.root_statement(ChunkKind::Expression, outer.span);
            self.export_name(name, "default", outer.span);
            self.visit_identifier_reference(name);
            None
        } else {
            Some(self.declare_value(None, value, outer, This::Unknown))
        }
    }

    /// Handles `export = value`: a default export that also represents the module itself.
    fn whole_value(&mut self, value: &Expression<'a>, outer: Outer) {
        if let Some(symbol) = self.default_value(value, outer) {
            self.export_symbol(symbol, Export::WHOLE);
        } else if let Expression::Identifier(name) = unwrap(value) {
            self.export_name(name, Export::WHOLE, outer.span);
        }
    }

    /// Declares a value that is exported or assigned by a statement of its own. `name` is the name that it is assigned
    /// to and its offset; without it, the value's own name is used.
    pub(super) fn declare_value(
        &mut self,
        name: Option<(&str, u32)>,
        value: &Expression<'a>,
        outer: Outer,
        this: This<'a>,
    ) -> LocalSymbol {
        let made = value_of(value);
        let own_name = match made {
            Expression::FunctionExpression(function) => function.id.as_ref(),
            Expression::ClassExpression(class) => class.id.as_ref(),
            _ => None,
        };
        let own_name = own_name.map(|id| (id.name.as_str(), id.span.start));
        let (name, name_at) = name.or(own_name).unwrap_or(("default", outer.span.start));
        let callable = Callable::of(value);
        if let Expression::ClassExpression(class) = made {
            let signature = Cow::Borrowed(self.signature(outer.span.start, class.body.span.start));
            return self.class_named(class, outer, name, name_at, signature);
        }
        let body = callable.and_then(Callable::body);
        let end = match body {
            Some(body) => body.start,
            None if is_short(self.names.text(value.span())) => outer.span.end,
            None => value.span().start,
        };
        let kind = if callable.is_some() { SymbolKind::Function } else { SymbolKind::Constant };
        let signature = self.signature(outer.span.start, end).trim_end_matches([' ', '=']);
        let symbol = self.declare(NewSymbol {
            body,
            modifiers: outer.modifiers | callable.map_or(Modifiers::empty(), Callable::modifiers),
            type_parameters: self.type_parameters(callable.and_then(Callable::type_parameters)),
            ..NewSymbol::new(name, kind, outer, name_at, signature)
        });
        match callable {
            Some(callable) => {
                self.inside(symbol, |walker| walker.note_types_around(value));
                self.callable(symbol, callable, this);
            }
            None => {
                self.set_value_type(symbol, None, Some(value));
                self.inside(symbol, |walker| walker.value(symbol, value));
            }
        }
        symbol
    }

    pub(super) fn import_equals(&mut self, import: &TSImportEqualsDeclaration<'a>, outer: Outer) {
        match &import.module_reference {
            TSModuleReference::ExternalModuleReference(external) => {
                let module = external.expression.value.as_str();
                self.root_item(ChunkKind::Import, outer.span, module);
                let new = NewImport {
                    kind: ImportKind::Module,
                    module,
                    name: "",
                    local: "",
                    reexport: outer.exported,
                    span: outer.span,
                    at: outer.span.start,
                };
                self.import_as(&import.id, new);
            }
            reference => {
                // An alias for any member of a namespace.
                let name = match reference {
                    TSModuleReference::IdentifierReference(name) => Some(self.names.of_identifier(name)),
                    TSModuleReference::QualifiedName(name) => self.names.of_qualified_name(name),
                    TSModuleReference::ExternalModuleReference(_) => None,
                };
                let symbol = self.declare(NewSymbol::new(
                    &import.id.name,
                    SymbolKind::TypeAlias,
                    outer,
                    import.id.span.start,
                    self.signature(outer.span.start, outer.span.end),
                ));
                self.bind(import.id.symbol_id.get(), symbol);
                self.types.extend(name.map(|name| (symbol, RawHint::Named(name))));
                self.inside(symbol, |walker| walker.note(Relation::References, name));
            }
        }
    }

    /// Adds the import of `import("./x")` as an expression.
    pub(super) fn dynamic_import(&mut self, import: &ImportExpression<'a>) {
        match &import.source {
            Expression::StringLiteral(module) => {
                self.import(NewImport {
                    kind: ImportKind::Effects,
                    module: &module.value,
                    name: "",
                    local: "",
                    reexport: false,
                    span: span_of(import),
                    at: import.span.start,
                });
            }
            _ => walk::walk_import_expression(self, import),
        }
    }

    /// Adds the import of `import("./x").Name` as a type.
    pub(super) fn import_type(&mut self, ty: &TSImportType<'a>) {
        let qualifier = ty.qualifier.as_ref();
        let import = self.import(NewImport {
            kind: if qualifier.is_some() { ImportKind::Named } else { ImportKind::Effects },
            module: &ty.source.value,
            name: qualifier.map_or("", first_segment),
            local: "",
            reexport: false,
            span: span_of(ty),
            at: ty.span.start,
        });
        let name = qualifier.map(|qualifier| self.names.of_import_type(import, qualifier));
        self.note(Relation::UsesType, name);
        if let Some(arguments) = &ty.type_arguments {
            self.visit_ts_type_parameter_instantiation(arguments);
        }
    }
}

fn exported_name<'a>(name: &ModuleExportName<'a>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str(),
    }
}
