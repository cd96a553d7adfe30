//! Calls, struct expressions, and type hints of values.

use sscg_core::{Part, Relation};
use tree_sitter::{Node, TreeCursor};

use super::kind::{FIELDS, Kind, child, kind};
use super::name::{SMART_POINTERS, built_in, identifier, of_type, path_name, value_type};
use super::walk::{ReferenceForm, Walk, WalkContext};
use crate::scope::{Base, RawHint, RawName};

/// Maximum number of steps followed back from the end of a chain `a.b().c().d()`. Linking does not follow longer chains
/// either, and without a limit their cost would be quadratic.
const MAX_STEPS: u32 = 24;

/// Methods of `Any` that test whether a value has the given type.
const TYPE_TESTS: [&str; 4] = ["downcast", "downcast_mut", "downcast_ref", "is"];

/// Generic functions whose type argument gives the type of the result.
const MAKERS: [&str; 3] = ["cast", "collect", "sum"];

/// Primitive types that have associated functions.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// True if a called path names a type or variant, which is constructed, and not a function. The compiler warns about
/// names for which this is ambiguous.
pub(super) fn constructor_like(name: &RawName<'_>) -> bool {
    let last = name.path.last().copied().unwrap_or_default();
    last.starts_with(char::is_uppercase) && (last.len() == 1 || last.contains(char::is_lowercase))
}

/// Returns the path from the trait on in `<Self as Trait>::function`.
fn trait_of_self(path: &str) -> Option<RawName<'_>> {
    let (of_trait, function) = path.strip_prefix("<Self as ")?.rsplit_once(">::")?;
    let mut name = path_name(of_trait)?;
    name.path.push(function);
    Some(RawName { base: Base::Item, path: name.path })
}

/// True if a called path may name an associated function: `Type::function`.
fn is_associated(name: &RawName<'_>) -> bool {
    let is_path = matches!(name.base, Base::Item | Base::SelfType) && name.path[0] != "self";
    is_path && !constructor_like(name) && {
        let owner = name.path.iter().nth_back(1);
        owner.is_some_and(|owner| owner.starts_with(char::is_uppercase) || PRIMITIVES.contains(owner))
    }
}

/// True for an expression whose operator compares.
fn is_comparison(value: Node<'_>) -> bool {
    value.kind() == "binary_expression"
        && value
            .child(1)
            .is_some_and(|it| matches!(it.kind(), "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"))
}

/// Returns the type of a literal. A number without a suffix has the type that its use requires.
fn literal_type(kind: &str, literal: &str) -> Option<&'static str> {
    match kind {
        "boolean_literal" => Some("bool"),
        "char_literal" => Some("char"),
        "integer_literal" | "float_literal" => {
            let is_hexadecimal = literal.starts_with("0x");
            let mut numbers = NUMBERS.iter().filter(|name| !(is_hexadecimal && name.starts_with('f')));
            numbers.find(|name| literal.ends_with(**name)).copied()
        }
        _ => None,
    }
}

const NUMBERS: [&str; 14] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64"];

impl<'s> Walk<'s> {
    pub(super) fn call(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut callee = None;
        let mut is_path = false;
        let mut arguments = 0u8;
        let mut first = None;
        let mut of_own_trait = None;
        let mut qualified = None;
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            match kind(node) {
                Kind::Arguments => {
                    walk.children(cursor, context, |walk, cursor, context| {
                        let kind = kind(cursor.node());
                        let is_argument = cursor.node().is_named() && !kind.is_comment();
                        if is_argument && kind != Kind::AttributeItem {
                            if arguments == 0 && callee.as_ref().is_some_and(is_associated) {
                                first = walk.value_hint(cursor.node());
                            }
                            arguments = arguments.saturating_add(1);
                        }
                        if passes_closure(cursor.node()) {
                            walk.closure_callee = callee.clone().map(|callee| (context.scope, callee));
                        }
                        walk.visit(cursor, context);
                    });
                }
                function => {
                    // Other nodes here are comments.
                    let name = walk.callee(node, MAX_STEPS);
                    of_own_trait = trait_of_self(walk.text(node));
                    qualified = walk.qualified_type(node);
                    if name.is_some() {
                        callee = name;
                        is_path = function != Kind::FieldExpression;
                    }
                    walk.called(cursor, context);
                }
            }
        });
        // `<Self as Trait>::method(self)` calls the trait's method on the value.
        if first == Some(RawHint::Value(RawName { base: Base::SelfType, path: vec!["self"] })) {
            callee = of_own_trait.or(callee);
        }
        // `<Type as Trait>::method(value)` calls the method of that type.
        first = qualified.or(first);
        if let Some([.., "Default", default]) = callee.as_ref().map(|name| &name.path[..]) {
            callee = self.function_of_rest(cursor.node(), default).or(callee);
        }
        if let Some(name) = callee {
            let relation =
                if is_path && constructor_like(&name) { Relation::Instantiates } else { Relation::Calls };
            self.use_with(ReferenceForm::Plain(relation), name, Some(arguments), context);
            self.first_argument(first);
            self.raised(cursor.node(), context);
        }
    }

    /// Returns the type of `<Type as Trait>::function`, unless it is `Self`.
    fn qualified_type(&self, function: Node<'_>) -> Option<RawHint<'s>> {
        let brackets = child(function, FIELDS.path).filter(|it| kind(*it) == Kind::BracketedType)?;
        let ty = child(brackets.named_child(0).filter(|it| it.kind() == "qualified_type")?, FIELDS.ty)?;
        value_type(ty, self.source).filter(|ty| ty.name.base != Base::SelfType).map(RawHint::Typed)
    }

    /// Returns the function that `Default::default()` calls as the rest of a struct expression: that of the struct.
    fn function_of_rest(&self, call: Node<'_>, function: &'s str) -> Option<RawName<'s>> {
        let rest = call.parent().filter(|it| it.kind() == "base_field_initializer")?;
        let name = child(rest.parent()?.parent()?, FIELDS.name)?;
        let mut name = path_name(self.text(name)).and_then(of_type)?;
        name.path.push(function);
        Some(name)
    }

    /// Visits the parts of a callee that are references of their own.
    fn called(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        match kind(cursor.node()) {
            Kind::Identifier => {}
            Kind::ScopedIdentifier => self.generic_arguments(cursor, context),
            // The field is the method's name.
            Kind::FieldExpression => self.visit_children(cursor, context),
            Kind::GenericFunction => {
                let function = child(cursor.node(), FIELDS.function);
                let method = function.and_then(|function| child(function, FIELDS.field));
                let tests = method.is_some_and(|method| TYPE_TESTS.contains(&self.text(method)));
                self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
                    Kind::TypeArguments if tests => walk.children(cursor, context, Self::asserted),
                    _ => walk.called(cursor, context),
                });
            }
            _ => self.visit(cursor, context),
        }
    }

    /// Visits `value.field` outside of a call.
    pub(super) fn field(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        self.member_of_self(cursor.node(), Relation::ReadsFrom, context);
        self.visit_children(cursor, context);
    }

    /// Records a reference to a member of `self`.
    fn member_of_self(&mut self, member: Node<'_>, relation: Relation, context: WalkContext) {
        let value = member.child(0).filter(|value| kind(*value) == Kind::SelfValue);
        if let (Some(value), Some(field)) = (value, child(member, FIELDS.field)) {
            let path = vec![self.text(value), identifier(self.text(field))];
            self.use_name(ReferenceForm::Plain(relation), RawName { base: Base::SelfType, path }, context);
        }
    }

    /// Visits `place = value`.
    pub(super) fn assignment(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut is_place = true;
        self.children(cursor, context, |walk, cursor, context| {
            if std::mem::take(&mut is_place) {
                walk.place(cursor, context);
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Visits `place += value`, which reads and writes the place.
    pub(super) fn compound_assignment(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut is_place = true;
        self.children(cursor, context, |walk, cursor, context| {
            if std::mem::take(&mut is_place) {
                walk.written(cursor.node(), context);
            }
            walk.visit(cursor, context);
        });
    }

    /// Visits the target of an assignment: stored names are writes, everything else is read.
    fn place(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let node = cursor.node();
        match kind(node) {
            Kind::Identifier | Kind::ScopedIdentifier => self.written(node, context),
            Kind::FieldExpression => {
                self.written(node, context);
                self.visit_children(cursor, context);
            }
            Kind::IndexExpression => self.assignment(cursor, context),
            Kind::ArrayExpression
            | Kind::ParenthesizedExpression
            | Kind::TupleExpression
            | Kind::UnaryExpression => self.children(cursor, context, Self::place),
            _ => self.visit(cursor, context),
        }
    }

    /// Records a write to a name, to a member of `self`, or to a part of one.
    fn written(&mut self, place: Node<'_>, context: WalkContext) {
        let relation = Relation::AssignsTo;
        let mut place = place;
        loop {
            place = match kind(place) {
                Kind::Identifier => return self.mention(relation, self.text(place), context),
                Kind::ScopedIdentifier => {
                    let name = path_name(self.text(place));
                    name.into_iter()
                        .for_each(|name| self.use_name(ReferenceForm::Plain(relation), name, context));
                    return;
                }
                Kind::FieldExpression => {
                    let name = self.member(place, MAX_STEPS);
                    if name.base == Base::SelfType && name.path.len() > 1 {
                        self.use_name(ReferenceForm::Plain(relation), name, context);
                    }
                    return;
                }
                Kind::IndexExpression | Kind::ParenthesizedExpression | Kind::UnaryExpression => {
                    let Some(inner) = place.named_child(0) else { return };
                    inner
                }
                _ => return,
            };
        }
    }

    /// Visits `value as Type`.
    pub(super) fn cast(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let mut is_type = false;
        self.children(cursor, context, |walk, cursor, context| {
            if is_type {
                walk.asserted(cursor, context);
            } else {
                is_type = cursor.node().kind() == "as";
                walk.visit(cursor, context);
            }
        });
    }

    /// Visits the type under the cursor, which a value is asserted to have.
    fn asserted(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        match kind(cursor.node()) {
            Kind::TypeIdentifier | Kind::ScopedTypeIdentifier => {
                self.path(cursor, context, Relation::AssertsType);
            }
            Kind::GenericType | Kind::ReferenceType | Kind::PointerType | Kind::DynamicType => {
                self.children(cursor, context, Self::asserted);
            }
            _ => self.visit(cursor, context),
        }
    }

    pub(super) fn struct_expression(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let name = child(cursor.node(), FIELDS.name);
        if let Some(name) = name
            && let Some(path) = path_name(self.text(name))
        {
            self.use_name(ReferenceForm::Plain(Relation::Instantiates), path, context);
        }
        let name = name.map(|name| name.id());
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node().id()) == name {
                walk.generic_arguments(cursor, context);
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Returns the name of a callee; `None` if it has none (`(f)(x)`, `fs[0](x)`).
    fn callee(&self, function: Node<'_>, steps: u32) -> Option<RawName<'s>> {
        match kind(function) {
            Kind::Identifier | Kind::ScopedIdentifier => path_name(self.text(function)),
            Kind::GenericFunction => self.callee(child(function, FIELDS.function)?, steps.checked_sub(1)?),
            Kind::FieldExpression => Some(self.member(function, steps)),
            _ => None,
        }
    }

    /// Returns the name of `value.field`.
    fn member(&self, member: Node<'_>, steps: u32) -> RawName<'s> {
        let mut name = match (child(member, FIELDS.value), steps.checked_sub(1)) {
            (Some(value), Some(steps)) => self.receiver(value, steps),
            _ => RawName { base: Base::Value(None), path: Vec::new() },
        };
        name.path.extend(child(member, FIELDS.field).map(|field| identifier(self.text(field))));
        name
    }

    /// Returns the start of a name: the value that owns a member.
    fn receiver(&self, value: Node<'_>, steps: u32) -> RawName<'s> {
        let nameless =
            |hint: Option<RawHint<'s>>| RawName { base: Base::Value(hint.map(Box::new)), path: Vec::new() };
        let Some(fewer) = steps.checked_sub(1) else { return nameless(None) };
        match kind(value) {
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfValue => {
                path_name(self.text(value)).unwrap_or_else(|| nameless(None))
            }
            Kind::FieldExpression => self.member(value, steps),
            // The `Deref` target of the enclosing type is unknown.
            Kind::UnaryExpression if self.text(value) == "**self" => nameless(None),
            Kind::UnaryExpression if !self.text(value).starts_with('*') => nameless(None),
            Kind::ParenthesizedExpression | Kind::UnaryExpression | Kind::ReferenceExpression => {
                match inner(value) {
                    Some(inner) => self.receiver(inner, fewer),
                    None => nameless(None),
                }
            }
            _ => nameless(self.hint(value, fewer)),
        }
    }

    /// Returns the type hint of an expression.
    pub(super) fn value_hint(&self, value: Node<'_>) -> Option<RawHint<'s>> {
        self.hint(value, MAX_STEPS)
    }

    fn hint(&self, value: Node<'_>, steps: u32) -> Option<RawHint<'s>> {
        let fewer = steps.checked_sub(1)?;
        if let Some(same) = self.passed_on(value) {
            return self.hint(same, fewer);
        }
        match kind(value) {
            Kind::CallExpression => self.call_hint(value, fewer),
            Kind::StructExpression => path_name(self.text(child(value, FIELDS.name)?)).map(RawHint::Named),
            Kind::TypeCast => value_type(child(value, FIELDS.ty)?, self.source).map(RawHint::Typed),
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfValue => {
                path_name(self.text(value)).map(RawHint::Value)
            }
            Kind::FieldExpression => Some(RawHint::Value(self.member(value, fewer))),
            Kind::StringLiteral if self.text(value).starts_with('"') => Some(RawHint::Typed(built_in("str"))),
            Kind::MacroInvocation if self.text(value).starts_with("format!") => {
                Some(RawHint::Typed(built_in("String")))
            }
            Kind::TryExpression | Kind::IndexExpression => {
                let part = if kind(value) == Kind::TryExpression { Part::Success } else { Part::Indexed };
                let whole = self.hint(value.named_child(0)?, fewer)?;
                Some(RawHint::Part(part, Box::new(whole)))
            }
            _ if is_comparison(value) => Some(RawHint::Typed(built_in("bool"))),
            _ => literal_type(value.kind(), self.text(value)).map(|name| RawHint::Typed(built_in(name))),
        }
    }

    /// Returns the node inside an expression that has the same type hint.
    fn passed_on<'t>(&self, value: Node<'t>) -> Option<Node<'t>> {
        match kind(value) {
            // A part of a slice is a slice.
            Kind::IndexExpression => value
                .named_child(0)
                .filter(|_| value.named_child(1).is_some_and(|it| it.kind() == "range_expression")),
            Kind::UnaryExpression if self.text(value).starts_with('*') => inner(value),
            Kind::AwaitExpression
            | Kind::ParenthesizedExpression
            | Kind::ReferenceExpression
            | Kind::UnsafeBlock => inner(value),
            Kind::IfExpression => child(value, FIELDS.consequence),
            // Names bound in a block are unknown outside of it.
            Kind::Block if value.named_child_count() == 1 => value.named_child(0),
            _ => None,
        }
    }

    fn call_hint(&self, call: Node<'_>, steps: u32) -> Option<RawHint<'s>> {
        let function = child(call, FIELDS.function)?;
        let callee = self.callee(function, steps)?;
        if let [.., pointer, "new" | "clone"] = callee.path[..]
            && SMART_POINTERS.contains(&pointer)
        {
            return self.hint(child(call, FIELDS.arguments)?.named_child(0)?, steps);
        }
        // The type argument gives the type of the result.
        if kind(function) == Kind::GenericFunction
            && callee.path.last().is_some_and(|name| MAKERS.contains(name))
            && let Some(made) = child(function, FIELDS.type_arguments).and_then(|it| it.named_child(0))
        {
            return value_type(made, self.source).map(RawHint::Typed);
        }
        Some(RawHint::Result(callee))
    }
}

/// True if an argument is a closure or a reference to one.
fn passes_closure(argument: Node<'_>) -> bool {
    match kind(argument) {
        Kind::ClosureExpression => true,
        Kind::ReferenceExpression => inner(argument).is_some_and(|it| kind(it) == Kind::ClosureExpression),
        _ => false,
    }
}

/// Returns the operand of an expression that passes on the operand's value.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    child(node, FIELDS.value).or_else(|| node.named_child(0))
}
