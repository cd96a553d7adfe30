//! Members of classes, interfaces, enums and objects.

use std::borrow::Cow;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeId;
use rustc_hash::FxHashSet;
use sscg_core::{LocalSymbol, Modifiers, Span, SymbolKind, TypeHint, TypeParameter};

use super::callable::Callable;
use super::declare::{NewSymbol, Outer, after_decorators, is_short};
use super::name::{RawHead, This, span_of, value_of};
use super::walk::Walker;

/// Properties shared by the kinds of members.
struct Member<'e, 'a> {
    owner: LocalSymbol,
    kind: SymbolKind,
    span: oxc_span::Span,
    key: &'e PropertyKey<'a>,
    is_computed: bool,
    decorators: &'e [Decorator<'a>],
    body: Option<Span>,
    /// Byte offset of the end of the signature, if it is neither the body nor the end of the member.
    head_end: Option<u32>,
    type_parameters: Vec<TypeParameter>,
    modifiers: Modifiers,
}

impl<'e, 'a> Member<'e, 'a> {
    /// Creates a member without decorators, body and type parameters.
    fn new(
        owner: LocalSymbol,
        kind: SymbolKind,
        span: oxc_span::Span,
        key: &'e PropertyKey<'a>,
        is_computed: bool,
        modifiers: Modifiers,
    ) -> Self {
        Self {
            owner,
            kind,
            span,
            key,
            is_computed,
            decorators: &[],
            body: None,
            head_end: None,
            type_parameters: Vec::new(),
            modifiers,
        }
    }
}

impl Member<'_, '_> {
    /// Returns the span of the member with its decorators.
    fn whole(&self) -> Span {
        let first = self.decorators.first().map_or(self.span.start, |first| first.span.start);
        Span::new(first.min(self.span.start), self.span.end)
    }

    /// Returns the modifiers, including those implied by the name.
    fn all_modifiers(&self) -> Modifiers {
        let is_private_name = matches!(self.key, PropertyKey::PrivateIdentifier(_));
        self.modifiers | if is_private_name { Modifiers::PRIVATE } else { Modifiers::empty() }
    }
}

impl<'a> Walker<'a> {
    pub(super) fn class_body(&mut self, class: LocalSymbol, body: &ClassBody<'a>) {
        let around = std::mem::replace(&mut self.class_names, declared_names(body));
        let mut previous = None;
        for element in &body.body {
            let member = self.class_element(class, element);
            self.mark_overloaded_members(previous, member);
            previous = member;
        }
        self.class_names = around;
    }

    /// Declares a field for `this.db = new Db()` in a constructor, if the class does not declare it otherwise, as is
    /// usual in JavaScript.
    pub(super) fn field_assignment(&mut self, assignment: &AssignmentExpression<'a>) {
        let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { return };
        let constructor = self.owner.map(|owner| self.facts.symbol(owner));
        let Some(constructor) = constructor.filter(|owner| owner.kind == SymbolKind::Constructor) else {
            return;
        };
        let Some(class) = constructor.parent else { return };
        let target = self.names.of_member(member);
        let is_own = target.is_some_and(|it| matches!(it.head, RawHead::SelfType) && it.path.len() == 2);
        if !is_own || !self.class_names.insert(member.property.name.as_str()) {
            return;
        }
        let value = &assignment.right;
        let end = if is_short(self.names.text(value.span())) { assignment.span.end } else { member.span.end };
        let signature = self.signature(assignment.span.start, end);
        let outer = Outer::plain(assignment);
        let around = self.owner.replace(class);
        let name = member.property.name.as_str();
        let new = NewSymbol::new(name, SymbolKind::Field, outer, member.property.span.start, signature);
        let symbol = self.declare(new);
        self.owner = around;
        self.note_visibility(symbol, class);
        self.set_value_type(symbol, None, Some(value));
    }

    fn class_element(&mut self, class: LocalSymbol, element: &ClassElement<'a>) -> Option<LocalSymbol> {
        match element {
            ClassElement::MethodDefinition(method) => Some(self.method(class, method)),
            ClassElement::PropertyDefinition(property) => {
                let mut modifiers = accessibility(property.accessibility);
                modifiers.set(Modifiers::STATIC, property.r#static);
                modifiers.set(Modifiers::READONLY, property.readonly);
                modifiers.set(Modifiers::OPTIONAL, property.optional);
                modifiers.set(Modifiers::OVERRIDE, property.r#override);
                modifiers.set(Modifiers::DECLARE, property.declare);
                let is_abstract = property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
                modifiers.set(Modifiers::ABSTRACT, is_abstract);
                let (span, is_computed) = (property.span, property.computed);
                let member =
                    Member::new(class, SymbolKind::Field, span, &property.key, is_computed, modifiers);
                let member = Member { decorators: &property.decorators, ..member };
                let annotation = property.type_annotation.as_deref();
                Some(self.property(member, annotation, property.value.as_ref()))
            }
            ClassElement::AccessorProperty(property) => {
                let mut modifiers = Modifiers::ACCESSOR | accessibility(property.accessibility);
                modifiers.set(Modifiers::STATIC, property.r#static);
                modifiers.set(Modifiers::OVERRIDE, property.r#override);
                let is_abstract = property.r#type == AccessorPropertyType::TSAbstractAccessorProperty;
                modifiers.set(Modifiers::ABSTRACT, is_abstract);
                let (span, is_computed) = (property.span, property.computed);
                let member =
                    Member::new(class, SymbolKind::Field, span, &property.key, is_computed, modifiers);
                let member = Member { decorators: &property.decorators, ..member };
                let annotation = property.type_annotation.as_deref();
                Some(self.property(member, annotation, property.value.as_ref()))
            }
            ClassElement::StaticBlock(block) => {
                walk::walk_static_block(self, block);
                None
            }
            ClassElement::TSIndexSignature(signature) => Some(self.index_signature(class, signature)),
        }
    }

    fn method(&mut self, class: LocalSymbol, method: &MethodDefinition<'a>) -> LocalSymbol {
        let callable = Callable::Function(&method.value);
        let mut modifiers = callable.modifiers() | accessibility(method.accessibility);
        modifiers.set(Modifiers::STATIC, method.r#static);
        modifiers.set(Modifiers::OPTIONAL, method.optional);
        modifiers.set(Modifiers::OVERRIDE, method.r#override);
        modifiers.set(Modifiers::ABSTRACT, method.r#type == MethodDefinitionType::TSAbstractMethodDefinition);
        let is_accessor = matches!(method.kind, MethodDefinitionKind::Get | MethodDefinitionKind::Set);
        modifiers.set(Modifiers::ACCESSOR, is_accessor);
        let is_constructor = method.kind == MethodDefinitionKind::Constructor;
        let kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
        let symbol = self.member(Member {
            decorators: &method.decorators,
            body: callable.body(),
            type_parameters: self.type_parameters(callable.type_parameters()),
            ..Member::new(class, kind, method.span, &method.key, method.computed, modifiers)
        });
        self.inside(symbol, |walker| walker.visit_decorators(&method.decorators));
        self.callable(symbol, callable, This::Own);
        symbol
    }

    /// Declares a field of the class for a constructor parameter such as `private repo: Repo`.
    pub(super) fn parameter_property(&mut self, parameter: &FormalParameter<'a>) {
        let is_field = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
        let BindingPattern::BindingIdentifier(name) = &parameter.pattern else { return };
        let constructor = self.owner.map(|owner| self.facts.symbol(owner));
        let Some(constructor) = constructor.filter(|owner| owner.kind == SymbolKind::Constructor) else {
            return;
        };
        let Some(class) = constructor.parent.filter(|_| is_field) else { return };
        let start = after_decorators(&parameter.decorators, parameter.span.start);
        let mut outer = Outer::plain(parameter);
        outer.modifiers = accessibility(parameter.accessibility);
        outer.modifiers.set(Modifiers::READONLY, parameter.readonly);
        outer.modifiers.set(Modifiers::OVERRIDE, parameter.r#override);
        outer.modifiers.set(Modifiers::OPTIONAL, parameter.optional);
        let signature = self.signature(start, parameter.span.end);
        let around = self.owner.replace(class);
        let symbol = self.declare(NewSymbol {
            attributes: parameter.decorators.iter().map(span_of).collect(),
            ..NewSymbol::new(&name.name, SymbolKind::Field, outer, name.span.start, signature)
        });
        self.owner = around;
        self.note_visibility(symbol, class);
        self.set_value_type(symbol, parameter.type_annotation.as_deref(), parameter.initializer.as_deref());
    }

    /// Declares a property: a method if its value is a function, a class if its value is a class.
    fn property(
        &mut self,
        mut member: Member<'_, 'a>,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) -> LocalSymbol {
        if let Some(Expression::ClassExpression(class)) = value.map(value_of) {
            return self.class_property(&member, class);
        }
        let callable = value.and_then(Callable::of);
        if let Some(callable) = callable {
            member.kind = SymbolKind::Method;
            member.body = callable.body();
            member.modifiers |= callable.modifiers();
            member.type_parameters = self.type_parameters(callable.type_parameters());
        } else if value.is_some_and(|value| !is_short(self.names.text(value.span()))) {
            let end = annotation.map_or(member.key.span().end, |annotation| annotation.span.end);
            member.head_end = Some(end + u32::from(annotation.is_none() && member.is_computed));
        }
        let decorators = member.decorators;
        let symbol = self.member(member);
        self.inside(symbol, |walker| {
            for decorator in decorators {
                walker.visit_decorator(decorator);
            }
            if let Some(annotation) = annotation {
                walker.visit_ts_type_annotation(annotation);
            }
            match (callable, value) {
                (Some(_), Some(value)) => walker.note_types_around(value),
                (None, Some(value)) => walker.value(symbol, value),
                (_, None) => {}
            }
        });
        match callable {
            Some(callable) => {
                self.expect_annotated(annotation, value);
                self.callable(symbol, callable, This::Own);
            }
            None => self.set_value_type(symbol, annotation, value),
        }
        symbol
    }

    fn class_property(&mut self, member: &Member<'_, 'a>, class: &Class<'a>) -> LocalSymbol {
        let outer = Outer { span: member.whole(), exported: false, modifiers: member.all_modifiers() };
        let name = self.key_name(member.key, member.is_computed);
        let start = after_decorators(member.decorators, member.span.start);
        let signature = Cow::Borrowed(self.signature(start, class.body.span.start));
        let symbol = self.class_named(class, outer, name, member.key.span().start, signature);
        self.note_visibility(symbol, member.owner);
        symbol
    }

    fn member(&mut self, member: Member<'_, 'a>) -> LocalSymbol {
        if member.is_computed {
            self.visit_property_key(member.key);
        }
        let outer = Outer { span: member.whole(), exported: false, modifiers: member.all_modifiers() };
        let start = after_decorators(member.decorators, member.span.start);
        let body_or_end = member.body.map_or(member.span.end, |body| body.start);
        let end = member.head_end.unwrap_or(body_or_end);
        let name = self.key_name(member.key, member.is_computed);
        let symbol = self.declare(NewSymbol {
            body: member.body,
            type_parameters: member.type_parameters,
            attributes: member.decorators.iter().map(span_of).collect(),
            ..NewSymbol::new(name, member.kind, outer, member.key.span().start, self.signature(start, end))
        });
        self.note_visibility(symbol, member.owner);
        symbol
    }

    /// Records that a member has the visibility of its owner, unless it is private or protected.
    fn note_visibility(&mut self, member: LocalSymbol, owner: LocalSymbol) {
        let modifiers = self.facts.symbol(member).modifiers;
        if !modifiers.intersects(Modifiers::PRIVATE | Modifiers::PROTECTED) {
            self.public_members.push((member, owner));
        }
    }

    /// Returns the name of a key. A computed key is named as written: `[Symbol.iterator]`.
    fn key_name(&self, key: &PropertyKey<'a>, is_computed: bool) -> &'a str {
        match key {
            PropertyKey::StaticIdentifier(identifier) => identifier.name.as_str(),
            PropertyKey::StringLiteral(literal) if !literal.value.is_empty() => literal.value.as_str(),
            other if is_computed => {
                let (source, span) = (self.facts.source(), other.span());
                let before = source[..span.start as usize].trim_end();
                let after = source[span.end as usize..].trim_start();
                let start = before.len() - usize::from(before.ends_with('['));
                let end = source.len() - after.len() + usize::from(after.starts_with(']'));
                &source[start..end]
            }
            other => self.names.text(other.span()),
        }
    }

    /// Declares the members of an interface or object type.
    pub(super) fn signatures(&mut self, owner: LocalSymbol, members: &[TSSignature<'a>]) {
        let mut previous = None;
        for member in members {
            let symbol = self.interface_member(owner, member);
            self.mark_overloaded_members(previous, Some(symbol));
            previous = Some(symbol);
        }
    }

    fn interface_member(&mut self, owner: LocalSymbol, member: &TSSignature<'a>) -> LocalSymbol {
        match member {
            TSSignature::TSPropertySignature(property) => {
                let mut modifiers = Modifiers::empty();
                modifiers.set(Modifiers::READONLY, property.readonly);
                modifiers.set(Modifiers::OPTIONAL, property.optional);
                let (span, is_computed) = (property.span, property.computed);
                let member =
                    Member::new(owner, SymbolKind::Field, span, &property.key, is_computed, modifiers);
                self.property(member, property.type_annotation.as_deref(), None)
            }
            TSSignature::TSMethodSignature(method) => {
                let mut modifiers = Modifiers::empty();
                modifiers.set(Modifiers::OPTIONAL, method.optional);
                modifiers.set(Modifiers::ACCESSOR, method.kind != TSMethodSignatureKind::Method);
                let symbol = self.member(Member {
                    type_parameters: self.type_parameters(method.type_parameters.as_deref()),
                    ..Member::new(
                        owner,
                        SymbolKind::Method,
                        method.span,
                        &method.key,
                        method.computed,
                        modifiers,
                    )
                });
                self.set_parameters(symbol, &method.params);
                self.set_return_type(symbol, method.return_type.as_deref());
                self.inside(symbol, |walker| walk::walk_ts_method_signature(walker, method));
                symbol
            }
            TSSignature::TSCallSignatureDeclaration(call) => {
                let parameters = call.type_parameters.as_deref();
                let symbol =
                    self.unnamed_signature(owner, TypeHint::CALL, SymbolKind::Method, call.span, parameters);
                self.set_parameters(symbol, &call.params);
                self.set_return_type(symbol, call.return_type.as_deref());
                self.inside(symbol, |walker| walk::walk_ts_call_signature_declaration(walker, call));
                symbol
            }
            TSSignature::TSConstructSignatureDeclaration(new) => {
                let parameters = new.type_parameters.as_deref();
                let symbol =
                    self.unnamed_signature(owner, "new", SymbolKind::Constructor, new.span, parameters);
                self.set_parameters(symbol, &new.params);
                self.set_return_type(symbol, new.return_type.as_deref());
                self.inside(symbol, |walker| walk::walk_ts_construct_signature_declaration(walker, new));
                symbol
            }
            TSSignature::TSIndexSignature(signature) => self.index_signature(owner, signature),
        }
    }

    /// Declares `[key: string]: number`, named by the text in the brackets.
    fn index_signature(&mut self, owner: LocalSymbol, signature: &TSIndexSignature<'a>) -> LocalSymbol {
        let key = self.names.text(signature.parameter.span);
        let name = format!("[{}]", crate::text::one_line(key));
        let symbol = self.unnamed_signature(owner, &name, SymbolKind::Field, signature.span, None);
        let modifiers = &mut self.facts.symbol_mut(symbol).modifiers;
        modifiers.set(Modifiers::READONLY, signature.readonly);
        modifiers.set(Modifiers::STATIC, signature.r#static);
        self.set_value_type(symbol, Some(&signature.type_annotation), None);
        self.inside(symbol, |walker| walk::walk_ts_index_signature(walker, signature));
        symbol
    }

    /// Declares a signature that is named by its form.
    fn unnamed_signature(
        &mut self,
        owner: LocalSymbol,
        name: &str,
        kind: SymbolKind,
        span: oxc_span::Span,
        parameters: Option<&TSTypeParameterDeclaration<'a>>,
    ) -> LocalSymbol {
        let outer = Outer::plain(&span);
        let signature = self.signature(span.start, span.end);
        let symbol = self.declare(NewSymbol {
            type_parameters: self.type_parameters(parameters),
            ..NewSymbol::new(name, kind, outer, span.start, signature)
        });
        self.note_visibility(symbol, owner);
        symbol
    }

    /// Marks overloads: adjacent methods with one name are one method, and those without a body are its overloads.
    fn mark_overloaded_members(&mut self, previous: Option<LocalSymbol>, member: Option<LocalSymbol>) {
        let (Some(previous), Some(member)) = (previous, member) else { return };
        let (first, second) = (self.facts.symbol(previous), self.facts.symbol(member));
        let side = Modifiers::STATIC | Modifiers::ACCESSOR;
        let is_same = first.kind == second.kind
            && first.kind.is_callable()
            && first.name == second.name
            && first.modifiers & side == second.modifiers & side
            && !first.modifiers.contains(Modifiers::ACCESSOR);
        if is_same {
            self.mark_overloads(previous, member);
        }
    }

    pub(super) fn enum_member(
        &mut self,
        owner: LocalSymbol,
        scope: Option<ScopeId>,
        member: &TSEnumMember<'a>,
    ) {
        let name = match &member.id {
            TSEnumMemberName::Identifier(identifier) => identifier.name.as_str(),
            TSEnumMemberName::String(literal) | TSEnumMemberName::ComputedString(literal) => {
                literal.value.as_str()
            }
            TSEnumMemberName::ComputedTemplateString(template) => self.names.text(template.span),
        };
        let name = if name.is_empty() { self.names.text(member.id.span()) } else { name };
        let signature = self.signature(member.span.start, member.span.end);
        let symbol = self.declare(NewSymbol::new(
            name,
            SymbolKind::EnumMember,
            Outer::plain(member),
            member.id.span().start,
            signature,
        ));
        self.note_visibility(symbol, owner);
        // Other members refer to it without the name of the enum.
        self.names.bindings.set_in(scope, name, symbol);
        if let Some(value) = &member.initializer {
            self.inside(symbol, |walker| walker.visit_expression(value));
        }
    }

    /// Declares the functions of a declared object as its methods. An object with methods has fields as well; an object
    /// of data alone is walked as code.
    pub(super) fn object_members(&mut self, owner: LocalSymbol, object: &ObjectExpression<'a>) {
        let has_methods = holds_functions(object);
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                walk::walk_object_property_kind(self, property);
                continue;
            };
            let (span, key, is_computed) = (property.span, &property.key, property.computed);
            if let Some(callable) = Callable::of(&property.value) {
                let mut modifiers = callable.modifiers();
                modifiers.set(Modifiers::ACCESSOR, property.kind != PropertyKind::Init);
                let symbol = self.member(Member {
                    body: callable.body(),
                    type_parameters: self.type_parameters(callable.type_parameters()),
                    ..Member::new(owner, SymbolKind::Method, span, key, is_computed, modifiers)
                });
                self.inside(symbol, |walker| walker.note_types_around(&property.value));
                self.callable(symbol, callable, This::Own);
            } else if has_methods && !property.shorthand || is_object_with_methods(&property.value) {
                let modifiers = Modifiers::empty();
                let member = Member::new(owner, SymbolKind::Field, span, key, is_computed, modifiers);
                self.property(member, None, Some(&property.value));
            } else {
                walk::walk_object_property(self, property);
            }
        }
    }
}

/// True if an object literal directly contains functions.
pub(super) fn holds_functions(object: &ObjectExpression<'_>) -> bool {
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => Callable::of(&property.value).is_some(),
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}

fn is_object_with_methods(value: &Expression<'_>) -> bool {
    matches!(value_of(value), Expression::ObjectExpression(object) if holds_functions(object))
}

fn accessibility(accessibility: Option<TSAccessibility>) -> Modifiers {
    match accessibility {
        Some(TSAccessibility::Private) => Modifiers::PRIVATE,
        Some(TSAccessibility::Protected) => Modifiers::PROTECTED,
        Some(TSAccessibility::Public) | None => Modifiers::empty(),
    }
}

/// Returns the names of the members that a class declares, including parameters of its constructor; none if it has no
/// constructor that could declare others.
fn declared_names<'a>(body: &ClassBody<'a>) -> FxHashSet<&'a str> {
    let mut names = FxHashSet::default();
    let constructors = body.body.iter().filter_map(|element| match element {
        ClassElement::MethodDefinition(method) => {
            Some(method).filter(|method| method.kind == MethodDefinitionKind::Constructor)
        }
        _ => None,
    });
    for constructor in constructors {
        let bound = constructor.value.params.items.iter().filter(|parameter| {
            parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
        });
        names.extend(bound.filter_map(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(name) => Some(name.name.as_str()),
            _ => None,
        }));
        names.extend(body.body.iter().filter_map(|element| match element.property_key() {
            Some(PropertyKey::StaticIdentifier(name)) => Some(name.name.as_str()),
            _ => None,
        }));
    }
    names
}
