//! Declarations specific to TypeScript: interfaces, aliases, enums, namespaces and modules.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use sscg_core::{LocalSymbol, Modifiers, SymbolKind};

use super::declare::{NewSymbol, Outer, is_short};
use super::name::{RawHint, This, span_of};
use super::walk::{Level, Walker};

impl<'a> Walker<'a> {
    pub(super) fn interface(&mut self, interface: &TSInterfaceDeclaration<'a>, outer: Outer) {
        let symbol = self.declare(NewSymbol {
            body: Some(span_of(&*interface.body)),
            type_parameters: self.type_parameters(interface.type_parameters.as_deref()),
            ..NewSymbol::new(
                &interface.id.name,
                SymbolKind::Interface,
                outer.declared(interface.declare),
                interface.id.span.start,
                self.signature(outer.span.start, interface.body.span.start),
            )
        });
        self.bind(interface.id.symbol_id.get(), symbol);
        let bases = interface.extends.iter();
        self.set_derived_bases(symbol, bases.map(|base| (&base.type_name, base.type_arguments.as_deref())));
        self.inside(symbol, |walker| {
            walker.with_this(This::Own, |walker| {
                if let Some(parameters) = &interface.type_parameters {
                    walker.visit_ts_type_parameter_declaration(parameters);
                }
                walker.visit_ts_interface_heritages(&interface.extends);
                walker.signatures(symbol, &interface.body.body);
            });
        });
    }

    /// Sets the type of a symbol from bases that are derived from other types: `Omit<Base, "id">`.
    pub(super) fn set_derived_bases<'e>(
        &mut self,
        symbol: LocalSymbol,
        bases: impl Iterator<Item = (&'e TSTypeName<'a>, Option<&'e TSTypeParameterInstantiation<'a>>)>,
    ) where
        'a: 'e,
    {
        let derived: Vec<_> =
            bases.filter_map(|(name, given)| self.names.of_library_type(name, given?)).collect();
        if !derived.is_empty() {
            let derived = self.names.arena.alloc_slice_copy(&derived);
            self.types.push((symbol, RawHint::OneOf(derived)));
        }
    }

    pub(super) fn type_alias(&mut self, alias: &TSTypeAliasDeclaration<'a>, outer: Outer) {
        let whole = self.signature(outer.span.start, outer.span.end);
        let signature = if is_short(whole) {
            whole
        } else {
            let parameters = alias.type_parameters.as_ref();
            let end = parameters.map_or(alias.id.span.end, |parameters| parameters.span.end);
            self.signature(outer.span.start, end)
        };
        let symbol = self.declare(NewSymbol {
            type_parameters: self.type_parameters(alias.type_parameters.as_deref()),
            ..NewSymbol::new(
                &alias.id.name,
                SymbolKind::TypeAlias,
                outer.declared(alias.declare),
                alias.id.span.start,
                signature,
            )
        });
        self.bind(alias.id.symbol_id.get(), symbol);
        // The members of an object type are symbols of their own.
        if !matches!(alias.type_annotation, TSType::TSTypeLiteral(_)) {
            let hint = self.names.of_type(&alias.type_annotation);
            self.types.extend(hint.map(|hint| (symbol, hint)));
        }
        self.inside(symbol, |walker| match &alias.type_annotation {
            // An object type has members like an interface.
            TSType::TSTypeLiteral(literal) => {
                if let Some(parameters) = &alias.type_parameters {
                    walker.visit_ts_type_parameter_declaration(parameters);
                }
                walker.signatures(symbol, &literal.members);
            }
            _ => walk::walk_ts_type_alias_declaration(walker, alias),
        });
    }

    pub(super) fn enumeration(&mut self, declaration: &TSEnumDeclaration<'a>, outer: Outer) {
        let mut outer = outer.declared(declaration.declare);
        outer.modifiers.set(Modifiers::CONST, declaration.r#const);
        let symbol = self.declare(NewSymbol {
            body: Some(span_of(&declaration.body)),
            ..NewSymbol::new(
                &declaration.id.name,
                SymbolKind::Enum,
                outer,
                declaration.id.span.start,
                self.signature(outer.span.start, declaration.body.span.start),
            )
        });
        self.bind(declaration.id.symbol_id.get(), symbol);
        self.inside(symbol, |walker| {
            for member in &declaration.body.members {
                walker.enum_member(symbol, declaration.body.scope_id.get(), member);
            }
        });
    }

    pub(super) fn namespace(&mut self, namespace: &TSNamespaceDeclaration<'a>, outer: Outer) {
        // `namespace A.B {}` is one declaration of the name `A.B`.
        let mut innermost = namespace;
        let body = loop {
            match &innermost.body {
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => innermost = inner,
                TSNamespaceDeclarationBody::TSModuleBlock(block) => break block,
            }
        };
        let name_span = oxc_span::Span::new(namespace.id.span.start, innermost.id.span.end);
        let name = self.names.text(name_span);
        let symbol = self.module(name, name_span.start, Some(body), outer.declared(namespace.declare));
        self.bind(namespace.id.symbol_id.get(), symbol);
        self.namespaces.push((symbol, namespace.id.symbol_id.get()));
        self.module_body(symbol, Some(body), namespace.declare || self.ambient);
    }

    /// Declares `declare module "name" { ... }`.
    pub(super) fn external_module(&mut self, module: &TSExternalModuleDeclaration<'a>, outer: Outer) {
        let body = module.body.as_deref();
        let outer = outer.declared(module.declare);
        let symbol = self.module(&module.id.value, module.id.span.start, body, outer);
        self.module_body(symbol, body, true);
    }

    /// Declares `declare global { ... }`.
    pub(super) fn global_augmentation(&mut self, global: &TSGlobalDeclaration<'a>, outer: Outer) {
        let outer = outer.declared(global.declare);
        let symbol = self.module("global", global.global_span.start, Some(&global.body), outer);
        self.module_body(symbol, Some(&global.body), true);
    }

    fn module(
        &mut self,
        name: &str,
        name_at: u32,
        body: Option<&TSModuleBlock<'a>>,
        outer: Outer,
    ) -> LocalSymbol {
        let body = body.map(span_of);
        let end = body.map_or(outer.span.end, |body| body.start);
        let signature = self.signature(outer.span.start, end);
        self.declare(NewSymbol {
            body,
            ..NewSymbol::new(name, SymbolKind::Module, outer, name_at, signature)
        })
    }

    fn module_body(&mut self, symbol: LocalSymbol, body: Option<&TSModuleBlock<'a>>, is_ambient: bool) {
        let Some(body) = body else { return };
        self.inside(symbol, |walker| {
            let ambient = std::mem::replace(&mut walker.ambient, is_ambient || walker.is_definition_file);
            walker.level = Level::Namespace;
            walker.visit_statements(&body.body);
            walker.ambient = ambient;
        });
    }
}
