//! Return types of functions without a written one, where all returned values have the same type.
//!
//! Only declared types are inferred, and only from values that the text and the edges of the function determine: a
//! construction, the own instance, an annotated parameter, or the result of a call of known type. One returned value of
//! an unknown or another type leaves the result unknown.

use sscg_core::{
    Confidence, FileFacts, Head, LocalSymbol, LocalValue, Modifiers, NameRef, RelationSet, SymbolId,
    SymbolKind, TypeHint, Value,
};
use sscg_format::SignatureType;
use sscg_graph::{Direction, Node};
use sscg_parse::{SignatureTypes, signature_types};

use super::declared::DeclaredNames;
use super::facts::Facts;

/// Maximum number of values that are looked at for one function, those of its callees included.
pub(super) const MAX_VALUES: u32 = 100;

/// Types of one value; `None` if they are unknown.
type Known = Option<Vec<SignatureType>>;

impl Facts<'_> {
    /// Returns the types of the values that a function returns; empty if unknown. Looks at most at `left`
    /// values, and subtracts them.
    pub(super) fn inferred_result(&self, names: &DeclaredNames<'_>, left: &mut u32) -> Vec<SignatureType> {
        let (file, local) = self.project.local_symbol(names.symbol());
        let facts = &self.project.files()[file].facts;
        let declaration = &facts.symbols[local];
        if declaration.kind == SymbolKind::Constructor || declaration.modifiers.contains(Modifiers::GENERATOR)
        {
            return Vec::new();
        }
        let is_hinted = declaration.ty.is_some();
        let followed = facts.flow.functions.iter().find(|it| it.symbol == Some(local) && !is_hinted);
        let known = match followed {
            Some(function) if function.yields.is_empty() => {
                let values =
                    function.returns.iter().map(|value| self.value(names, facts, local, *value, left));
                agreed(values)
            }
            Some(_) => None,
            None => {
                declaration.ty.as_ref().filter(|_| self.returns_one_value(names.symbol())).and_then(|hint| {
                    // The hint belongs to the last returned value.
                    self.hint(names, hint, left)
                })
            }
        };
        let mut types = known.unwrap_or_default();
        types.iter_mut().for_each(|ty| ty.inferred = true);
        types
    }

    /// Returns the types of a value in the data flow of a function.
    fn value(
        &self,
        names: &DeclaredNames<'_>,
        facts: &FileFacts,
        function: LocalSymbol,
        value: LocalValue,
        left: &mut u32,
    ) -> Known {
        *left = left.checked_sub(1)?;
        let values = &facts.flow.values;
        let ty_of = |value: LocalValue| match &values[value] {
            Value::Symbol(symbol) => names.find(&facts.symbols[*symbol].name),
            Value::Import(import) => names.find(&facts.imports[*import].local),
            Value::Member(_, name) => names.find(name),
            _ => None,
        };
        match &values[value] {
            Value::OneOf(several) => {
                agreed(several.iter().map(|value| self.value(names, facts, function, *value, left)))
            }
            Value::Instance(_) => self.declared_type(names.own_type()?, Confidence::Exact),
            Value::Parameter(of, nth) if facts.flow.functions[*of].symbol == Some(function) => {
                let (ty, confidence) = ty_of(facts.flow.functions[*of].parameters[usize::from(*nth)].ty?)?;
                self.declared_type(ty, confidence)
            }
            Value::OfType(ty) => {
                let (ty, confidence) = ty_of(*ty)?;
                self.declared_type(ty, confidence)
            }
            Value::Call(call) => {
                let call = &facts.flow.calls[*call];
                let name = match &values[call.callee] {
                    Value::Class(_) => return self.declared_type(names.own_type()?, Confidence::Exact),
                    Value::Symbol(symbol) => &*facts.symbols[*symbol].name,
                    Value::Import(import) => &*facts.imports[*import].local,
                    Value::Member(_, name) => name,
                    _ => return None,
                };
                if call.from == Some(function) { self.call(names, name, Some(call.line), left) } else { None }
            }
            _ => None,
        }
    }

    /// Returns the types of a value as far as its text gives it.
    fn hint(&self, names: &DeclaredNames<'_>, hint: &TypeHint, left: &mut u32) -> Known {
        let is_own = |name: &NameRef| name.head == Head::SelfType && name.path.len() == 1;
        match hint {
            TypeHint::Named(name) | TypeHint::Value(name) if is_own(name) => {
                self.declared_type(names.own_type()?, Confidence::Exact)
            }
            TypeHint::Named(name) => {
                let (ty, confidence) = names.find(name.name())?;
                self.declared_type(ty, confidence)
            }
            TypeHint::Result(callee) => self.call(names, callee.name(), None, left),
            _ => None,
        }
    }

    /// Returns the types of the result of a call by name: the constructed type, or the result of the function. `line` is
    /// that of the call, if it is known.
    fn call(&self, names: &DeclaredNames<'_>, name: &str, line: Option<u32>, left: &mut u32) -> Known {
        *left = left.checked_sub(1)?;
        let graph = self.graph;
        let node = graph.id(Node::Symbol(names.symbol()));
        let edges = graph.sites_at(node, Direction::Outgoing).filter(|edge| {
            RelationSet::CALLS.contains(edge.relation) && line.is_none_or(|line| edge.line == line)
        });
        let mut callees = edges.filter(|edge| names.is_named(edge.target, name)).collect::<Vec<_>>();
        callees.dedup_by_key(|edge| edge.target);
        let [callee] = &callees[..] else { return None };
        let Node::Symbol(symbol) = graph.node(callee.target) else { return None };
        if callee.confidence < self.min_confidence.max(Confidence::Inferred) {
            return None;
        }
        if self.project.symbol_kind(symbol).is_type() {
            return self.declared_type(callee.target, callee.confidence);
        }
        self.result(symbol, left)
    }

    /// Returns the declared types in the result of a function.
    fn result(&self, function: SymbolId, left: &mut u32) -> Known {
        let declaration = self.project.symbol(function);
        let is_decorated = !declaration.attributes.is_empty()
            && !declaration.modifiers.intersects(Modifiers::STATIC | Modifiers::ACCESSOR);
        if !declaration.kind.is_callable() || is_decorated {
            return None;
        }
        let language = self.project.files()[self.project.symbol_file(function)].language;
        let names = DeclaredNames::new(self, function);
        let types = match signature_types(language, &declaration.name, &declaration.signature).result {
            "" => self.inferred_result(&names, left),
            written => {
                let found = SignatureTypes::names(written).filter_map(|name| names.find(name));
                found
                    .map(|(ty, confidence)| self.declared_type(ty, confidence))
                    .collect::<Option<Vec<_>>>()?
                    .concat()
            }
        };
        (!types.is_empty()).then_some(types)
    }

    fn declared_type(&self, node: sscg_core::NodeId, confidence: Confidence) -> Known {
        let is_type = match self.graph.node(node) {
            Node::Symbol(symbol) => self.project.symbol_kind(symbol).is_type(),
            Node::File(_) | Node::External(_) => false,
        };
        is_type.then(|| vec![self.signature_type(node, confidence)])
    }

    /// Returns true if at most one `return` of a function has a value other than `null` and `undefined`. Those of nested
    /// functions and in comments count, too.
    fn returns_one_value(&self, function: SymbolId) -> bool {
        let file = self.project.symbol_file(function);
        let Some(body) = self.project.symbol(function).body else { return true };
        let Some(source) = self.snapshot.source(file) else { return false };
        let text = body.text(&source);
        let returns = text.match_indices("return").filter(|(at, _)| {
            let value = text[at + "return".len()..].trim_start_matches([' ', '\t']);
            let is_nothing = |word: &str| value.starts_with(word);
            !["null;", "undefined;", ";", "\n", "}"].into_iter().any(is_nothing)
        });
        returns.count() <= 1
    }
}

/// Returns the types that all values have.
fn agreed(mut values: impl Iterator<Item = Known>) -> Known {
    let first = values.next()??;
    values.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
