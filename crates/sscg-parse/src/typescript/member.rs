//! Members of classes, interfaces, enums and objects.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use sscg_core::{LocalSymbol, Modifiers, Span, SymbolKind};

use super::declare::{Callable, NewSymbol, after_decorators};
use super::name::span_of;
use super::walk::Walker;

/// What the kinds of members have in common.
struct Member<'e, 'a> {
    owner: LocalSymbol,
    kind: SymbolKind,
    span: oxc_span::Span,
    key: &'e PropertyKey<'a>,
    is_computed: bool,
    decorators: &'e [Decorator<'a>],
    body: Option<Span>,
    modifiers: Modifiers,
    is_public: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn class_element(&mut self, class: LocalSymbol, element: &ClassElement<'a>) {
        match element {
            ClassElement::MethodDefinition(method) => self.method(class, method),
            ClassElement::PropertyDefinition(property) => {
                let mut modifiers = Modifiers::empty();
                modifiers.set(Modifiers::STATIC, property.r#static);
                modifiers.set(Modifiers::READONLY, property.readonly);
                let is_abstract = property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
                modifiers.set(Modifiers::ABSTRACT, is_abstract);
                let member = Member {
                    owner: class,
                    kind: SymbolKind::Field,
                    span: property.span,
                    key: &property.key,
                    is_computed: property.computed,
                    decorators: &property.decorators,
                    body: None,
                    modifiers,
                    is_public: is_public(property.accessibility, &property.key),
                };
                self.property(member, property.type_annotation.as_deref(), property.value.as_ref());
            }
            ClassElement::AccessorProperty(property) => {
                let mut modifiers = Modifiers::ACCESSOR;
                modifiers.set(Modifiers::STATIC, property.r#static);
                let member = Member {
                    owner: class,
                    kind: SymbolKind::Field,
                    span: property.span,
                    key: &property.key,
                    is_computed: property.computed,
                    decorators: &property.decorators,
                    body: None,
                    modifiers,
                    is_public: is_public(property.accessibility, &property.key),
                };
                self.property(member, property.type_annotation.as_deref(), property.value.as_ref());
            }
            ClassElement::StaticBlock(block) => walk::walk_static_block(self, block),
            ClassElement::TSIndexSignature(signature) => walk::walk_ts_index_signature(self, signature),
        }
    }

    fn method(&mut self, class: LocalSymbol, method: &MethodDefinition<'a>) {
        let callable = Callable::Function(&method.value);
        let mut modifiers = callable.modifiers();
        modifiers.set(Modifiers::STATIC, method.r#static);
        modifiers.set(Modifiers::ABSTRACT, method.r#type == MethodDefinitionType::TSAbstractMethodDefinition);
        let is_accessor = matches!(method.kind, MethodDefinitionKind::Get | MethodDefinitionKind::Set);
        modifiers.set(Modifiers::ACCESSOR, is_accessor);
        let is_constructor = method.kind == MethodDefinitionKind::Constructor;
        let symbol = self.member(&Member {
            owner: class,
            kind: if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method },
            span: method.span,
            key: &method.key,
            is_computed: method.computed,
            decorators: &method.decorators,
            body: callable.body(),
            modifiers,
            is_public: is_public(method.accessibility, &method.key),
        });
        if is_constructor {
            for parameter in &method.value.params.items {
                self.parameter_property(class, parameter);
            }
        }
        self.inside(symbol, |walker| walker.visit_decorators(&method.decorators));
        self.callable(symbol, callable, true);
    }

    /// A constructor's `private repo: Repo` declares a field of the class.
    fn parameter_property(&mut self, class: LocalSymbol, parameter: &FormalParameter<'a>) {
        let is_field = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
        let BindingPattern::BindingIdentifier(name) = &parameter.pattern else { return };
        if !is_field {
            return;
        }
        let start = after_decorators(&parameter.decorators, parameter.span.start);
        let mut modifiers = Modifiers::empty();
        modifiers.set(Modifiers::READONLY, parameter.readonly);
        let symbol = self.declare(NewSymbol {
            name: &name.name,
            kind: SymbolKind::Field,
            span: span_of(parameter),
            name_at: name.span.start,
            body: None,
            signature: Cow::Borrowed(self.signature(start, parameter.span.end)),
            exported: false,
            modifiers,
        });
        if parameter.accessibility.is_none_or(|access| access == TSAccessibility::Public) {
            self.public_members.push((symbol, class));
        }
        self.set_value_type(symbol, parameter.type_annotation.as_deref(), parameter.initializer.as_deref());
    }

    /// A property is a method if its value is a function.
    fn property(
        &mut self,
        mut member: Member<'_, 'a>,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        let callable = value.and_then(Callable::of);
        if let Some(callable) = callable {
            member.kind = SymbolKind::Method;
            member.body = callable.body();
            member.modifiers |= callable.modifiers();
        }
        let symbol = self.member(&member);
        self.inside(symbol, |walker| {
            walker.visit_decorators_of(member.decorators);
            if let Some(annotation) = annotation {
                walker.visit_ts_type_annotation(annotation);
            }
        });
        match (callable, value) {
            (Some(callable), _) => self.callable(symbol, callable, true),
            (None, value) => {
                self.set_value_type(symbol, annotation, value);
                if let Some(value) = value {
                    self.inside(symbol, |walker| walker.visit_expression(value));
                }
            }
        }
    }

    fn visit_decorators_of(&mut self, decorators: &[Decorator<'a>]) {
        for decorator in decorators {
            self.visit_decorator(decorator);
        }
    }

    fn member(&mut self, member: &Member<'_, 'a>) -> LocalSymbol {
        if member.is_computed {
            self.visit_property_key(member.key);
        }
        let name = self.key_name(member.key);
        let start = after_decorators(member.decorators, member.span.start);
        let end = member.body.map_or(member.span.end, |body| body.start);
        let first = member.decorators.first().map_or(member.span.start, |first| first.span.start);
        let symbol = self.declare(NewSymbol {
            name,
            kind: member.kind,
            span: Span::new(first.min(member.span.start), member.span.end),
            name_at: member.key.span().start,
            body: member.body,
            signature: Cow::Borrowed(self.signature(start, end)),
            exported: false,
            modifiers: member.modifiers,
        });
        if member.is_public {
            self.public_members.push((symbol, member.owner));
        }
        symbol
    }

    fn key_name(&self, key: &PropertyKey<'a>) -> &'a str {
        match key {
            PropertyKey::StaticIdentifier(identifier) => identifier.name.as_str(),
            PropertyKey::StringLiteral(literal) => literal.value.as_str(),
            other => self.names.text(other.span()),
        }
    }

    pub(super) fn interface_member(&mut self, interface: LocalSymbol, member: &TSSignature<'a>) {
        match member {
            TSSignature::TSPropertySignature(property) => {
                let mut modifiers = Modifiers::empty();
                modifiers.set(Modifiers::READONLY, property.readonly);
                let member = Member {
                    owner: interface,
                    kind: SymbolKind::Field,
                    span: property.span,
                    key: &property.key,
                    is_computed: property.computed,
                    decorators: &[],
                    body: None,
                    modifiers,
                    is_public: true,
                };
                self.property(member, property.type_annotation.as_deref(), None);
            }
            TSSignature::TSMethodSignature(method) => {
                let mut modifiers = Modifiers::empty();
                modifiers.set(Modifiers::ACCESSOR, method.kind != TSMethodSignatureKind::Method);
                let symbol = self.member(&Member {
                    owner: interface,
                    kind: SymbolKind::Method,
                    span: method.span,
                    key: &method.key,
                    is_computed: method.computed,
                    decorators: &[],
                    body: None,
                    modifiers,
                    is_public: true,
                });
                self.set_return_type(symbol, method.return_type.as_deref());
                self.inside(symbol, |walker| walk::walk_ts_method_signature(walker, method));
            }
            other => walk::walk_ts_signature(self, other),
        }
    }

    pub(super) fn enum_member(&mut self, owner: LocalSymbol, member: &TSEnumMember<'a>) {
        let name = match &member.id {
            TSEnumMemberName::Identifier(identifier) => identifier.name.as_str(),
            TSEnumMemberName::String(literal) | TSEnumMemberName::ComputedString(literal) => {
                literal.value.as_str()
            }
            TSEnumMemberName::ComputedTemplateString(template) => self.names.text(template.span),
        };
        let symbol = self.declare(NewSymbol {
            name,
            kind: SymbolKind::EnumMember,
            span: span_of(member),
            name_at: member.id.span().start,
            body: None,
            signature: Cow::Borrowed(self.signature(member.span.start, member.span.end)),
            exported: false,
            modifiers: Modifiers::empty(),
        });
        self.public_members.push((symbol, owner));
        if let Some(value) = &member.initializer {
            self.inside(symbol, |walker| walker.visit_expression(value));
        }
    }

    /// The functions of a declared object are its methods; the rest of it is walked as code.
    pub(super) fn object_members(&mut self, owner: LocalSymbol, object: &ObjectExpression<'a>) {
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                walk::walk_object_property_kind(self, property);
                continue;
            };
            let Some(callable) = Callable::of(&property.value) else {
                walk::walk_object_property(self, property);
                continue;
            };
            let mut modifiers = callable.modifiers();
            modifiers.set(Modifiers::ACCESSOR, property.kind != PropertyKind::Init);
            let symbol = self.member(&Member {
                owner,
                kind: SymbolKind::Method,
                span: property.span,
                key: &property.key,
                is_computed: property.computed,
                decorators: &[],
                body: callable.body(),
                modifiers,
                is_public: true,
            });
            self.callable(symbol, callable, true);
        }
    }
}

fn is_public(accessibility: Option<TSAccessibility>, key: &PropertyKey<'_>) -> bool {
    accessibility.is_none_or(|access| access == TSAccessibility::Public)
        && !matches!(key, PropertyKey::PrivateIdentifier(_))
}
