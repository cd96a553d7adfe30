//! CommonJS: `require`, `exports` and `module.exports`, and functions assigned to members.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use sscg_core::{ChunkKind, Export, ImportKind, LocalSymbol, Modifiers, Relation, Span, SymbolKind};

use super::callable::Callable;
use super::declare::Outer;
use super::member::holds_functions;
use super::module::NewImport;
use super::name::{RawName, This, span_of, unwrap};
use super::walk::{Level, Walker};

/// Export by an assignment.
enum ExportTarget<'a> {
    /// `module.exports = ...`: the module itself.
    Module,
    /// `exports.name = ...`, with the byte offset of the name.
    Name(&'a str, u32),
}

impl<'a> Walker<'a> {
    /// Adds the imports of `const x = require("y")` and `const { x } = await import("y")`; returns the module.
    pub(super) fn bound_require(
        &mut self,
        variable: &VariableDeclarator<'a>,
        outer: Outer,
    ) -> Option<&'a str> {
        let (value, member) = match unwrap(variable.init.as_ref()?) {
            Expression::StaticMemberExpression(member) => {
                (unwrap(&member.object), member.property.name.as_str())
            }
            value => (value, ""),
        };
        let module = self.required(value)?;
        let new = |kind, name| NewImport {
            kind,
            module,
            name,
            local: "",
            reexport: outer.exported,
            span: outer.span,
            at: outer.span.start,
        };
        match &variable.id {
            BindingPattern::BindingIdentifier(name) => {
                let kind = if member.is_empty() { ImportKind::Module } else { ImportKind::Named };
                self.import_as(name, new(kind, member));
            }
            BindingPattern::ObjectPattern(pattern) if member.is_empty() => {
                for property in &pattern.properties {
                    let local = match &property.value {
                        BindingPattern::AssignmentPattern(default) => &default.left,
                        plain => plain,
                    };
                    if let BindingPattern::BindingIdentifier(local) = local
                        && let PropertyKey::StaticIdentifier(name) = &property.key
                    {
                        self.import_as(local, new(ImportKind::Named, name.name.as_str()));
                    }
                }
            }
            _ => return None,
        }
        Some(module)
    }

    /// Returns the module loaded by `require("x")` or `await import("x")`.
    fn required(&self, value: &Expression<'a>) -> Option<&'a str> {
        match value {
            Expression::CallExpression(call) => self.required_by_call(call),
            Expression::AwaitExpression(promise) => match unwrap(&promise.argument) {
                Expression::ImportExpression(import) => match &import.source {
                    Expression::StringLiteral(module) => Some(module.value.as_str()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn required_by_call(&self, call: &CallExpression<'a>) -> Option<&'a str> {
        let Expression::Identifier(callee) = &call.callee else { return None };
        match call.arguments.as_slice() {
            [Argument::StringLiteral(module)] if self.is_global(callee, "require") => {
                Some(module.value.as_str())
            }
            _ => None,
        }
    }

    /// Adds the import of a `require("x")` whose result has no name; returns true if `call` is one.
    pub(super) fn require_for_effects(&mut self, call: &CallExpression<'a>) -> bool {
        let Some(module) = self.required_by_call(call) else { return false };
        self.import(NewImport {
            kind: ImportKind::Effects,
            module,
            name: "",
            local: "",
            reexport: false,
            span: span_of(call),
            at: call.span.start,
        });
        true
    }

    /// Handles CommonJS statements at the root: `require("x")`, `exports.x = ...`, `module.exports = ...`, and any
    /// function assigned to a member (`Queue.prototype.push = function ...`). Returns true if `statement` was handled.
    pub(super) fn root_assignment_or_require(&mut self, statement: &Statement<'a>) -> bool {
        let Statement::ExpressionStatement(expression) = statement else { return false };
        match unwrap(&expression.expression) {
            Expression::CallExpression(call) => {
                if let Some((class, object)) = self.mixin(call) {
                    self.prototype_members(class, object, span_of(statement));
                    return true;
                }
                let Some(module) = self.required_by_call(call) else { return false };
                self.root_item(ChunkKind::Import, span_of(statement), module);
                self.require_for_effects(call)
            }
            Expression::AssignmentExpression(assignment) => {
                if let AssignmentTarget::StaticMemberExpression(target) = &assignment.left
                    && let Expression::ObjectExpression(object) = unwrap(&assignment.right)
                    && let Some(class) = self.prototype_of(target).filter(|_| holds_functions(object))
                {
                    self.prototype_members(class, object, span_of(statement));
                    return true;
                }
                self.root_assignment(assignment, Outer::plain(statement))
            }
            _ => false,
        }
    }

    fn root_assignment(&mut self, assignment: &AssignmentExpression<'a>, mut outer: Outer) -> bool {
        let mut aliases = Vec::new();
        let value = self.value_of_assignment(assignment, &mut outer, &mut aliases);
        let name = self.assigned_name(&assignment.left);
        let is_declared = match unwrap(value) {
            Expression::Identifier(local) if outer.exported => {
                match name {
                    Some((name, _)) => self.export_name(local, name, outer.span),
                    None => {
                        self.export_name(local, "default", outer.span);
                        self.export_name(local, Export::WHOLE, outer.span);
                    }
                }
                false
            }
            Expression::ObjectExpression(object) if outer.modifiers.contains(Modifiers::DEFAULT) => {
                self.export_properties(object, outer);
                holds_functions(object)
            }
            Expression::CallExpression(call) if outer.exported && self.required_by_call(call).is_some() => {
                self.reexport_required(call, name, outer);
                return true;
            }
            // `exports.x = void 0` only reserves the name.
            Expression::UnaryExpression(_) => false,
            Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_) => name.is_some() || outer.exported,
            _ => outer.exported,
        };
        if is_declared {
            let receiver = if outer.exported { None } else { self.receiver(&assignment.left) };
            let symbol = self.declare_assigned(name, value, outer, receiver);
            for alias in aliases {
                self.export_symbol(symbol, alias);
            }
        } else if outer.exported {
            self.root_statement(ChunkKind::Expression, outer.span);
            self.visit_expression(value);
        }
        is_declared || outer.exported
    }

    /// Returns the name of an exported value or member, with its byte offset.
    fn assigned_name(&self, target: &AssignmentTarget<'a>) -> Option<(&'a str, u32)> {
        match (self.export_target(target), target) {
            (Some(ExportTarget::Name(name, at)), _) => Some((name, at)),
            (None, AssignmentTarget::StaticMemberExpression(member)) => {
                Some((member.property.name.as_str(), member.property.span.start))
            }
            _ => None,
        }
    }

    /// Declares an assigned value. A function that is not exported is a method, of its receiver if it has one.
    fn declare_assigned(
        &mut self,
        name: Option<(&'a str, u32)>,
        value: &Expression<'a>,
        outer: Outer,
        receiver: Option<RawName<'a>>,
    ) -> LocalSymbol {
        let this = if receiver.is_some() { This::Own } else { This::Unknown };
        let symbol = self.declare_value(name, value, outer, this);
        let declared = self.facts.symbol_mut(symbol);
        if !outer.exported && declared.kind == SymbolKind::Function {
            // It is called as a member, never by its bare name.
            declared.kind = SymbolKind::Method;
            self.receivers.extend(receiver.map(|receiver| (symbol, receiver)));
        }
        symbol
    }

    /// Returns the name of the class that a member is assigned to: `Queue` in `Queue.prototype.push = value`.
    fn receiver(&mut self, target: &AssignmentTarget<'a>) -> Option<RawName<'a>> {
        let AssignmentTarget::StaticMemberExpression(member) = target else { return None };
        let Expression::StaticMemberExpression(prototype) = unwrap(&member.object) else { return None };
        self.prototype_of(prototype)
    }

    /// Returns the name of the class whose prototype an expression is: `Queue` for `Queue.prototype`.
    fn prototype_of(&mut self, member: &StaticMemberExpression<'a>) -> Option<RawName<'a>> {
        let name = self.names.of_expression(&member.object)?;
        (member.property.name == "prototype" && self.names.bindings.is_declared(name)).then_some(name)
    }

    /// Returns the class and the object of `Object.assign(Queue.prototype, { .. })`, if the object has functions.
    fn mixin<'e>(&mut self, call: &'e CallExpression<'a>) -> Option<(RawName<'a>, &'e ObjectExpression<'a>)> {
        if !call.callee.is_specific_member_access("Object", "assign") {
            return None;
        }
        let [Argument::StaticMemberExpression(target), Argument::ObjectExpression(object)] =
            call.arguments.as_slice()
        else {
            return None;
        };
        let class = self.prototype_of(target).filter(|_| holds_functions(object))?;
        Some((class, object))
    }

    /// Declares the functions of an object whose members become those of a class, as methods of the class.
    fn prototype_members(&mut self, class: RawName<'a>, object: &ObjectExpression<'a>, statement: Span) {
        self.root_statement(ChunkKind::Expression, statement);
        let level = std::mem::replace(&mut self.level, Level::Inner);
        for property in &object.properties {
            if let ObjectPropertyKind::ObjectProperty(property) = property
                && let PropertyKey::StaticIdentifier(key) = &property.key
                && Callable::of(&property.value).is_some()
            {
                let name = Some((key.name.as_str(), key.span.start));
                let symbol = self.declare_value(name, &property.value, Outer::plain(&**property), This::Own);
                let declared = self.facts.symbol_mut(symbol);
                declared.kind = SymbolKind::Method;
                declared.modifiers.set(Modifiers::ACCESSOR, property.kind != PropertyKind::Init);
                self.receivers.push((symbol, class));
            } else {
                self.visit_object_property_kind(property);
            }
        }
        self.level = level;
        self.note_access(Relation::References, Some(class));
    }

    /// Returns the value at the end of `a = b = value`. Adds the exports on the way to `outer` and `names`.
    fn value_of_assignment<'e>(
        &self,
        assignment: &'e AssignmentExpression<'a>,
        outer: &mut Outer,
        names: &mut Vec<&'a str>,
    ) -> &'e Expression<'a> {
        let mut assignment = assignment;
        loop {
            if let Some(target) = self.export_target(&assignment.left) {
                outer.exported = true;
                match target {
                    ExportTarget::Module => {
                        outer.modifiers |= Modifiers::DEFAULT;
                        names.extend(["default", Export::WHOLE]);
                    }
                    ExportTarget::Name(name, _) => names.push(name),
                }
            }
            match unwrap(&assignment.right) {
                Expression::AssignmentExpression(inner) => assignment = inner,
                _ => return &assignment.right,
            }
        }
    }

    /// Returns the value of a variable, also for `const x = module.exports = value`.
    pub(super) fn value_of_variable<'e>(
        &self,
        value: &'e Expression<'a>,
        outer: &mut Outer,
        names: &mut Vec<&'a str>,
    ) -> &'e Expression<'a> {
        match unwrap(value) {
            Expression::AssignmentExpression(assignment) => {
                self.value_of_assignment(assignment, outer, names)
            }
            _ => value,
        }
    }

    /// Exports the variables of `module.exports = { a, b: c }`: `a`, and `c` as `b`.
    pub(super) fn export_properties(&mut self, object: &ObjectExpression<'a>, outer: Outer) {
        for property in &object.properties {
            if let ObjectPropertyKind::ObjectProperty(property) = property
                && let Expression::Identifier(local) = &property.value
                && let PropertyKey::StaticIdentifier(key) = &property.key
            {
                self.export_name(local, key.name.as_str(), outer.span);
            }
        }
    }

    /// Adds the re-export of `module.exports = require("x")` or `exports.name = require("x")`.
    fn reexport_required(&mut self, call: &CallExpression<'a>, name: Option<(&str, u32)>, outer: Outer) {
        let Some(module) = self.required_by_call(call) else { return };
        self.root_item(ChunkKind::ReExport, outer.span, module);
        self.import(NewImport {
            kind: if name.is_some() { ImportKind::Module } else { ImportKind::Glob },
            module,
            name: "",
            local: name.map_or("", |(name, _)| name),
            reexport: true,
            span: outer.span,
            at: outer.span.start,
        });
    }

    fn export_target(&self, target: &AssignmentTarget<'a>) -> Option<ExportTarget<'a>> {
        let AssignmentTarget::StaticMemberExpression(member) = target else { return None };
        let (name, at) = (member.property.name.as_str(), member.property.span.start);
        match unwrap(&member.object) {
            Expression::Identifier(object) if self.is_global(object, "exports") => {
                Some(ExportTarget::Name(name, at))
            }
            Expression::Identifier(object) if name == "exports" && self.is_global(object, "module") => {
                Some(ExportTarget::Module)
            }
            Expression::StaticMemberExpression(inner) if inner.property.name == "exports" => {
                let is_module = matches!(unwrap(&inner.object), Expression::Identifier(object)
                    if self.is_global(object, "module"));
                is_module.then_some(ExportTarget::Name(name, at))
            }
            _ => None,
        }
    }

    fn is_global(&self, identifier: &IdentifierReference<'a>, name: &str) -> bool {
        identifier.name == name && self.names.bindings.symbol_of(identifier).is_none()
    }
}
