//! Tracing of library uses to callers: a function that passes its parameter to a library uses the library with the
//! values of its callers.

use rayon::prelude::*;
use sscg_core::wiring::{Call, Expression};
use sscg_core::{Confidence, FileId, Relation, SymbolId, SymbolKind};
use sscg_graph::{Direction, Node};

use super::code::{At, Code};
use super::value::{Parameter, Piece, TextPattern, Value};

/// Maximum number of functions between a library and the code that determines the call.
const DEPTH: usize = 3;
/// Maximum number of calls examined per function, and maximum number of alternatives per call.
const CALLS: usize = 400;
const ALTERNATIVES: usize = 16;

/// Use of a library, with the texts that determine it.
#[derive(Clone, Debug)]
pub(super) struct LibraryUse<K> {
    pub file: FileId,
    /// Byte offset of the call.
    pub offset: u32,
    pub line: u32,
    pub kind: K,
    pub texts: Vec<TextPattern>,
    /// True if the library, and each function in between, is certain.
    pub is_sure: bool,
}

impl<K: Clone> LibraryUse<K> {
    /// Creates one use for each combination of the alternatives.
    pub(super) fn each(
        file: FileId,
        call: &Call,
        kind: &K,
        is_sure: bool,
        texts: Vec<Vec<TextPattern>>,
    ) -> Vec<Self> {
        let here = Self {
            file,
            offset: call.span.start,
            line: call.line,
            kind: kind.clone(),
            texts: Vec::new(),
            is_sure,
        };
        here.with_each(texts)
    }

    fn with_each(&self, texts: Vec<Vec<TextPattern>>) -> Vec<Self> {
        let combinations = texts.into_iter().fold(vec![Vec::new()], |heads: Vec<Vec<TextPattern>>, tails| {
            let both = heads.iter().flat_map(|head| {
                tails.iter().map(move |tail| head.iter().chain([tail]).cloned().collect::<Vec<TextPattern>>())
            });
            both.take(ALTERNATIVES).collect()
        });
        combinations.into_iter().map(|texts| Self { texts, ..self.clone() }).collect()
    }
}

/// Moves uses that depend on their callers, and uses in code of no service, to the calls that lead to them. A use in a
/// function that is never called stays in place.
pub(super) fn traced<K: Clone + Send + Sync>(
    code: &Code<'_>,
    uses: Vec<LibraryUse<K>>,
    is_open: impl Fn(&LibraryUse<K>) -> bool,
) -> Vec<LibraryUse<K>> {
    let mut open = uses;
    let mut done = Vec::new();
    for _ in 0..DEPTH {
        let is_passed = |found: &LibraryUse<K>| is_open(found) || code.service_of(found.file).is_none();
        let (to_move, settled): (Vec<_>, Vec<_>) = open.into_iter().partition(is_passed);
        done.extend(settled);
        let moved = to_move.into_par_iter().map(|found| {
            let callers = callers(code, &found);
            if callers.is_empty() { (vec![found], Vec::new()) } else { (Vec::new(), callers) }
        });
        let (stay, moved): (Vec<_>, Vec<_>) = moved.unzip();
        done.extend(stay.into_iter().flatten());
        open = moved.into_iter().flatten().collect();
    }
    done.extend(open);
    done
}

/// Returns the name of a parameter; empty if the function destructures it.
pub(super) fn parameter_name<'c>(code: &'c Code<'_>, parameter: Parameter) -> &'c str {
    let function = &code.wired(parameter.file).wiring.functions[parameter.function as usize];
    function.parameters[parameter.index as usize].as_deref().unwrap_or_default()
}

/// Returns the use as it applies to each caller of the enclosing function.
fn callers<K: Clone>(code: &Code<'_>, found: &LibraryUse<K>) -> Vec<LibraryUse<K>> {
    let Some(function) = function_at(code, found.file, found.offset) else { return Vec::new() };
    let calls = calls_of(code, function);
    calls
        .into_iter()
        .flat_map(|(at, call, is_sure)| moved(code, found, function, at, call, is_sure))
        .collect()
}

/// Returns the innermost declaration around a byte offset that other code can call: a function, or a variable, constant
/// or field that may hold one.
fn function_at(code: &Code<'_>, file: FileId, offset: u32) -> Option<SymbolId> {
    let around = code.symbol_at(file, offset)?;
    let mut around = code.project.self_and_ancestors(around);
    around.find(|symbol| {
        let kind = code.project.symbol_kind(*symbol);
        kind.is_callable() || matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field)
    })
}

/// Returns the calls of a function according to the graph, under its own name or the name of an import.
fn calls_of<'c>(code: &'c Code<'_>, function: SymbolId) -> Vec<(At<'c>, &'c Call, bool)> {
    let name = code.project.symbol_name(function);
    let nodes = code.nodes_of(function).into_iter();
    let edges = nodes.flat_map(|node| code.graph.edges_at(node, Direction::Incoming));
    let edges =
        edges.filter(|edge| edge.relation == Relation::Calls && edge.confidence != Confidence::Ambiguous);
    let mut calls = Vec::new();
    for edge in edges {
        let (file, from) = match code.graph.node(edge.source) {
            Node::File(file) => (file, None),
            Node::Symbol(symbol) => (code.project.symbol_file(symbol), Some(symbol)),
            Node::External(_) => continue,
        };
        if code.is_test_file(file) {
            continue;
        }
        let imports = &code.project.files()[file].facts.imports;
        let is_called = |last: &str| {
            last == name || imports.iter().any(|import| &*import.local == last && &*import.name == name)
        };
        let of_source = code.wired(file).calls().filter(|call| {
            call.callee.last_name().is_some_and(is_called) && code.symbol_at(file, call.span.start) == from
        });
        calls.extend(of_source.map(|call| {
            let at = At { file, offset: call.span.start, expression: &call.callee };
            (at, call, edge.confidence == Confidence::Exact)
        }));
        if calls.len() >= CALLS {
            break;
        }
    }
    calls
}

fn moved<'c, K: Clone>(
    code: &'c Code<'_>,
    found: &LibraryUse<K>,
    function: SymbolId,
    at: At<'c>,
    call: &'c Call,
    is_sure: bool,
) -> Vec<LibraryUse<K>> {
    let texts = found.texts.iter().map(|text| {
        let pieces = text.iter().map(|piece| match piece {
            Piece::Parameter(parameter) => given(code, *parameter, function, at, call),
            piece => vec![vec![piece.clone()]],
        });
        super::value::joined(pieces)
    });
    let there = LibraryUse {
        file: at.file,
        offset: call.span.start,
        line: call.line,
        is_sure: found.is_sure && is_sure,
        ..found.clone()
    };
    there.with_each(texts.collect())
}

/// Returns the argument of a call for a parameter of the called function, or of the constructor of its receiver.
fn given<'c>(
    code: &'c Code<'_>,
    parameter: Parameter,
    function: SymbolId,
    at: At<'c>,
    call: &'c Call,
) -> Vec<TextPattern> {
    let declared = &code.wired(parameter.file).wiring.functions[parameter.function as usize];
    let holder = function_at(code, parameter.file, declared.span.start);
    if holder == Some(function) {
        return argument(code, parameter, at, call);
    }
    let receivers = call.callee.receiver().map(|receiver| code.values(at.with(receiver))).unwrap_or_default();
    let made = receivers.into_iter().find_map(|receiver| match receiver {
        Value::Instance(class, made) if is_part_of(code, holder, class) => Some(made),
        _ => None,
    });
    match made {
        Some(Some(made)) => match code.wired(made.file).call(made.expression) {
            Some(construction) => argument(code, parameter, made, construction),
            None => vec![vec![Piece::Unknown]],
        },
        // Without a visible construction, as for `self`, the parameter stays open.
        Some(None) => vec![vec![Piece::Parameter(parameter)]],
        None => vec![vec![Piece::Unknown]],
    }
}

/// True if the function is a member of the class, as its constructor is.
fn is_part_of(code: &Code<'_>, function: Option<SymbolId>, class: SymbolId) -> bool {
    let owner = function.and_then(|function| code.project.parent(function));
    owner.is_some_and(|owner| {
        code.project.symbol_name(owner) == code.project.symbol_name(class)
            && code.project.symbol_file(owner) == code.project.symbol_file(class)
    })
}

fn argument<'c>(code: &'c Code<'_>, parameter: Parameter, at: At<'c>, call: &'c Call) -> Vec<TextPattern> {
    let given: Option<&Expression> =
        call.positional(parameter.index as usize).or_else(|| call.named(parameter_name(code, parameter)));
    given.map_or_else(|| vec![vec![Piece::Unknown]], |given| code.texts(at.with(given)))
}
