//! Data flow, in a second walk, when it is known what each name is bound to.
//!
//! A variable holds every value that the file assigns to it, whatever the order: most variables are constants, and a
//! function sees those around it at an unknown time. Only values that may be functions, or lead to some, are recorded.

mod store;
mod value;

use std::mem;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;
use rustc_hash::FxHashMap;
use sscg_core::{
    ArgumentKind, CallForm, Flow, FlowArgument, FlowCall, FlowFunction, IndexVec, LocalCall, LocalFunction,
    LocalSymbol, LocalValue, Parameter, ParameterKind, SymbolKind, Value,
};

use super::callable::Callable;
use super::name::{Binding, Names, unwrap};
use crate::builder::FactsBuilder;

const UNKNOWN: LocalValue = LocalValue::FIRST;

/// Maximum nesting depth of an expression that is followed.
const MAX_DEPTH: u32 = 12;

/// Maximum number of recorded elements of a literal, of arguments of a call, and of values of a variable.
const MAX_PARTS: usize = 64;

/// Declarations by the offsets of their names, and of the functions that they consist of.
#[derive(Default)]
pub(super) struct DeclaredAt {
    pub(super) names: FxHashMap<u32, LocalSymbol>,
    pub(super) functions: FxHashMap<u32, LocalSymbol>,
}

/// Records the data flow of a file; returns its calls by the offset of the last segment of their callees.
pub(super) fn follow<'a>(
    program: &Program<'a>,
    facts: &mut FactsBuilder<'a>,
    names: &Names<'a>,
    declared: &DeclaredAt,
) -> FxHashMap<u32, LocalCall> {
    let mut follow = Follow {
        facts,
        names,
        declared,
        flow: Flow::default(),
        functions: FxHashMap::default(),
        parameters: FxHashMap::default(),
        variables: FxHashMap::default(),
        members: FxHashMap::default(),
        bound: FxHashMap::default(),
        calls: FxHashMap::default(),
        lines: Vec::new(),
        function: None,
        owner: None,
        this: UNKNOWN,
    };
    follow.flow.values.push(Value::Unknown);
    follow.visit_program(program);
    follow.finish()
}

/// Variable, with all values that the file assigns to it.
struct Variable {
    value: LocalValue,
    assigned: Vec<LocalValue>,
    /// Declaration of the variable, if it has one.
    symbol: Option<LocalSymbol>,
}

/// State of the walk.
struct Follow<'w, 'a> {
    facts: &'w mut FactsBuilder<'a>,
    names: &'w Names<'a>,
    declared: &'w DeclaredAt,
    flow: Flow,
    /// Functions by their offsets.
    functions: FxHashMap<u32, LocalFunction>,
    /// Functions and positions of parameters.
    parameters: FxHashMap<SymbolId, (LocalFunction, u8)>,
    variables: FxHashMap<SymbolId, Variable>,
    /// Recorded members of values.
    members: FxHashMap<(LocalValue, &'a str), LocalValue>,
    /// Recorded values of declarations, imports and parameters.
    bound: FxHashMap<SymbolId, LocalValue>,
    /// Calls by the offset of the last segment of their callees; `None` where nothing is known of the callee.
    calls: FxHashMap<u32, Option<LocalCall>>,
    /// Offset of the last segment of each callee.
    lines: Vec<(LocalCall, u32)>,
    function: Option<LocalFunction>,
    /// Innermost declaration around the current node.
    owner: Option<LocalSymbol>,
    /// Value of `this`.
    this: LocalValue,
}

impl<'a> Visit<'a> for Follow<'_, 'a> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if function.body.is_some() {
            self.inside(Callable::Function(function), |follow| walk::walk_function(follow, function, flags));
        }
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.inside(Callable::Arrow(arrow), |follow| {
            if let Some(result) = arrow.body.as_expression() {
                follow.returned(result);
            }
            walk::walk_arrow_function_expression(follow, arrow);
        });
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        if let Some(result) = &statement.argument {
            self.returned(result);
        }
        walk::walk_return_statement(self, statement);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        let around = mem::replace(&mut self.this, UNKNOWN);
        walk::walk_class(self, class);
        self.this = around;
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        if let Some(value) = &variable.init {
            self.bind(&variable.id, value);
        }
        let declared = variable.id.get_binding_identifiers().into_iter().find_map(|name| {
            match self.names.bindings.get(name.symbol_id.get()?) {
                Binding::Symbol(symbol) => Some(symbol),
                _ => None,
            }
        });
        self.owned_by(declared, |follow| walk::walk_variable_declarator(follow, variable));
    }

    fn visit_property_definition(&mut self, property: &PropertyDefinition<'a>) {
        self.field(&property.key, property.value.as_ref(), |follow| {
            walk::walk_property_definition(follow, property);
        });
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        self.field(&property.key, Some(&property.value), |follow| {
            walk::walk_object_property(follow, property);
        });
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        self.assignment(assignment);
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.loop_variable(statement);
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.record_call(&call.callee, &call.arguments, MAX_DEPTH);
        self.element_stores(call);
        self.callback_of_elements(call);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        self.record_call(&new.callee, &new.arguments, MAX_DEPTH);
        walk::walk_new_expression(self, new);
    }

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
}

impl<'a> Follow<'_, 'a> {
    fn finish(mut self) -> FxHashMap<u32, LocalCall> {
        for variable in self.variables.into_values() {
            let mut assigned = variable.assigned;
            assigned.sort_unstable();
            assigned.dedup();
            assigned.truncate(MAX_PARTS);
            if assigned.iter().all(|value| *value == UNKNOWN) {
                continue;
            }
            self.flow.values[variable.value] = Value::OneOf(assigned.into());
            self.flow.symbols.extend(variable.symbol.map(|symbol| (symbol, variable.value)));
        }
        self.flow.symbols.sort_unstable();
        self.flow.symbols.dedup_by_key(|(symbol, _)| *symbol);
        // Arguments for parameters that no value depends on are not followed.
        let mut followed: IndexVec<LocalFunction, usize> = self.flow.functions.ids().map(|_| 0).collect();
        for value in self.flow.values.iter() {
            if let Value::Parameter(function, nth) = value {
                followed[*function] = followed[*function].max(usize::from(*nth) + 1);
            }
        }
        for (function, count) in followed.iter_enumerated() {
            let parameters = &mut self.flow.functions[function].parameters;
            *parameters = mem::take(parameters).into_vec().into_iter().take(*count).collect();
        }
        for (call, at) in self.lines {
            self.flow.calls[call].line = self.facts.line(at);
        }
        self.facts.set_flow(self.flow);
        self.calls.into_iter().filter_map(|(at, call)| Some((at, call?))).collect()
    }

    fn owned_by(&mut self, symbol: Option<LocalSymbol>, walk: impl FnOnce(&mut Self)) {
        let around = self.owner;
        self.owner = symbol.or(around);
        walk(self);
        self.owner = around;
    }

    /// Walks a member with its value.
    fn field(&mut self, key: &PropertyKey<'a>, value: Option<&Expression<'a>>, walk: impl FnOnce(&mut Self)) {
        let symbol = self.declared.names.get(&oxc_span::GetSpan::span(key).start).copied();
        if let (Some(symbol), Some(value)) = (symbol, value)
            && self.facts.symbol(symbol).kind == SymbolKind::Field
        {
            let value = self.value(value);
            if value != UNKNOWN {
                self.flow.symbols.push((symbol, value));
            }
        }
        self.owned_by(symbol, walk);
    }

    /// Walks the body of a function.
    fn inside(&mut self, callable: Callable<'_, 'a>, walk: impl FnOnce(&mut Self)) {
        let function = self.function_of(callable);
        let symbol = self.flow.functions[function].symbol;
        let this = match (callable, symbol) {
            (Callable::Arrow(_), _) => self.this,
            (Callable::Function(_), Some(symbol)) => self.receiver_of(symbol),
            (Callable::Function(_), None) => UNKNOWN,
        };
        let this = mem::replace(&mut self.this, this);
        let around = self.function.replace(function);
        self.owned_by(symbol, walk);
        self.function = around;
        self.this = this;
    }

    /// Returns the value of `this` in a declared function.
    fn receiver_of(&mut self, symbol: LocalSymbol) -> LocalValue {
        let parent = self.facts.symbol(symbol).parent;
        match parent.filter(|parent| self.facts.symbol(*parent).kind == SymbolKind::Class) {
            Some(class) => self.flow.values.push(Value::Instance(class)),
            None => UNKNOWN,
        }
    }

    /// Returns the function of a node, with the parameters that may be followed.
    fn function_of(&mut self, callable: Callable<'_, 'a>) -> LocalFunction {
        let at = callable.start();
        if let Some(known) = self.functions.get(&at) {
            return *known;
        }
        let formal = callable.parameters();
        let parameter = |name: Option<&str>, kind| Parameter {
            name: name.unwrap_or_default().into(),
            kind,
            ty: None,
            default: None,
        };
        let rest = formal.rest.as_ref().map(|_| parameter(None, ParameterKind::Rest));
        let one = |_: &FormalParameter<'a>| parameter(None, ParameterKind::One);
        let function = self.flow.functions.push(FlowFunction {
            symbol: self.declared.functions.get(&at).copied(),
            has_receiver: false,
            parameters: formal.items.iter().map(one).chain(rest).collect(),
            ty: None,
            returns: Box::default(),
            yields: Box::default(),
        });
        self.functions.insert(at, function);
        for (nth, item) in formal.items.iter().enumerate() {
            let is_plain = item.type_annotation.as_ref().is_some_and(|it| is_plain(&it.type_annotation));
            if let (Ok(nth), false) = (u8::try_from(nth), is_plain) {
                self.bind_parameter(function, nth, &item.pattern);
            }
            if let Some(default) = &item.initializer {
                let default = self.value(default);
                self.flow.functions[function].parameters[nth].default =
                    Some(default).filter(|it| *it != UNKNOWN);
            }
        }
        if let (Some(rest), Ok(nth)) = (&formal.rest, u8::try_from(formal.items.len())) {
            self.bind_parameter(function, nth, &rest.rest.argument);
        }
        function
    }

    fn bind_parameter(&mut self, function: LocalFunction, nth: u8, pattern: &BindingPattern<'a>) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(symbol) = name.symbol_id.get() {
                    self.parameters.insert(symbol, (function, nth));
                }
            }
            pattern => {
                let value = self.flow.values.push(Value::Parameter(function, nth));
                self.bind_value(pattern, value);
            }
        }
    }

    fn returned(&mut self, result: &Expression<'a>) {
        let value = self.value(result);
        if let Some(function) = self.function
            && value != UNKNOWN
        {
            let returns = &mut self.flow.functions[function].returns;
            if returns.len() < MAX_PARTS && !returns.contains(&value) {
                *returns = returns.iter().copied().chain([value]).collect();
            }
        }
    }

    /// Records a call or construction of a known value, and returns it.
    fn record_call(
        &mut self,
        callee: &Expression<'a>,
        arguments: &[Argument<'a>],
        depth: u32,
    ) -> Option<LocalCall> {
        let depth = depth.checked_sub(1)?;
        let at = self.names.callee_at(callee)?;
        if let Some(known) = self.calls.get(&at) {
            return *known;
        }
        self.calls.insert(at, None);
        let (callee, arguments) = self.callee(callee, arguments, depth);
        if callee == UNKNOWN {
            return None;
        }
        let arguments = arguments.iter().take(MAX_PARTS);
        let arguments: Vec<FlowArgument> = arguments.map(|it| self.argument(it, depth)).collect();
        let known = arguments.iter().rposition(|argument| argument.value != UNKNOWN).map_or(0, |at| at + 1);
        let call = self.flow.calls.push(FlowCall {
            callee,
            arguments: arguments.into_iter().take(known).collect(),
            from: self.owner,
            line: 0,
            form: CallForm::Referenced,
        });
        self.lines.push((call, at));
        self.calls.insert(at, Some(call));
        Some(call)
    }

    /// Returns what a call runs, with its arguments: `f` in `f.call(this, x)`, with `x`.
    fn callee<'e>(
        &mut self,
        callee: &Expression<'a>,
        arguments: &'e [Argument<'a>],
        depth: u32,
    ) -> (LocalValue, &'e [Argument<'a>]) {
        if let Expression::StaticMemberExpression(member) = unwrap(callee) {
            match member.property.name.as_str() {
                "call" => {
                    return (
                        self.value_within(&member.object, depth),
                        arguments.get(1..).unwrap_or_default(),
                    );
                }
                "apply" => return (self.value_within(&member.object, depth), &[]),
                _ => {}
            }
        }
        (self.value_within(callee, depth), arguments)
    }

    fn argument(&mut self, argument: &Argument<'a>, depth: u32) -> FlowArgument {
        match argument {
            Argument::SpreadElement(spread) => {
                FlowArgument { kind: ArgumentKind::Rest, value: self.value_within(&spread.argument, depth) }
            }
            other => {
                let value = other.as_expression().map_or(UNKNOWN, |value| self.value_within(value, depth));
                FlowArgument { kind: ArgumentKind::Place, value }
            }
        }
    }
}

/// True for types whose values are no functions and have none.
fn is_plain(ty: &TSType<'_>) -> bool {
    match ty {
        TSType::TSStringKeyword(_)
        | TSType::TSNumberKeyword(_)
        | TSType::TSBooleanKeyword(_)
        | TSType::TSBigIntKeyword(_)
        | TSType::TSSymbolKeyword(_)
        | TSType::TSNullKeyword(_)
        | TSType::TSUndefinedKeyword(_)
        | TSType::TSTemplateLiteralType(_) => true,
        // A string may be the name of a member.
        TSType::TSLiteralType(literal) => !matches!(literal.literal, TSLiteral::StringLiteral(_)),
        TSType::TSArrayType(array) => is_plain(&array.element_type),
        TSType::TSUnionType(union) => union.types.iter().all(is_plain),
        TSType::TSParenthesizedType(inner) => is_plain(&inner.type_annotation),
        _ => false,
    }
}
