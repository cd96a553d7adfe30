//! Data flow, in a second walk over the statements in execution order.
//!
//! Each assignment adds a version of its variable, and a read refers to the versions that reach it: after a branch
//! those of all arms, in a loop also those of the previous iteration. Functions see all versions of enclosing
//! variables, because it is unknown when they run. Their bodies are followed after the enclosing scope. A test of a
//! variable's type adds a version too ([`narrow`]).

mod expression;
mod function;
mod narrow;
mod statement;
mod types;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    CallForm, FieldStore, Flow, FlowArgument, FlowCall, LocalCall, LocalFunction, LocalSymbol, LocalValue,
    Slot, Value,
};
use tree_sitter::{Node, Tree};

use super::walk::{Names, Walk};
use crate::scope::Scopes;

/// Records the data flow of one file.
pub(super) fn follow<'s>(tree: &Tree, walk: &mut Walk<'_, 's>) {
    let mut follow = Follow::new(walk.source, &walk.names, &walk.scopes);
    follow.module(tree.root_node());
    let Follow { mut flow, calls, lines, .. } = follow;
    for (call, at) in lines {
        flow.calls[call].line = walk.builder.line(at);
    }
    walk.calls = calls;
    walk.builder.set_flow(flow);
}

/// Maximum nesting depth that is followed.
const MAX_DEPTH: u32 = 200;

/// Maximum number of versions of one variable that are distinguished.
const MAX_VERSIONS: usize = 24;

const UNKNOWN: LocalValue = LocalValue::FIRST;

/// Scope during the walk.
struct Frame<'s> {
    kind: FrameKind,
    /// Index of the enclosing frame.
    parent: Option<usize>,
    /// Innermost enclosing declaration.
    symbol: Option<LocalSymbol>,
    /// Innermost enclosing class.
    class: Option<LocalSymbol>,
    /// Current version of each variable.
    now: FxHashMap<&'s str, LocalValue>,
    /// All versions of each variable.
    versions: FxHashMap<&'s str, Vec<LocalValue>>,
    /// Declared symbol of each variable.
    symbols: FxHashMap<&'s str, LocalSymbol>,
    /// Names declared `global` or `nonlocal`.
    foreign: FxHashSet<&'s str>,
    /// Values of `return` and `yield`.
    returns: Vec<LocalValue>,
    yields: Vec<LocalValue>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Module,
    Class,
    Function,
    /// Lambda or comprehension, which is followed in place.
    Inline,
}

/// Function whose body is not yet followed.
struct Pending<'t> {
    body: Node<'t>,
    function: LocalFunction,
    frame: usize,
}

struct Follow<'t, 's, 'n> {
    source: &'s str,
    names: &'n Names,
    scopes: &'n Scopes<'s>,
    flow: Flow,
    frames: Vec<Frame<'s>>,
    at: usize,
    pending: VecDeque<Pending<'t>>,
    /// Versions replaced since the start of a branch, to be restored.
    replaced: Vec<(&'s str, Option<LocalValue>)>,
    calls: FxHashMap<u32, LocalCall>,
    /// Offset of the last segment of each callee.
    lines: Vec<(LocalCall, u32)>,
    depth: u32,
}

impl<'t, 's, 'n> Follow<'t, 's, 'n> {
    fn new(source: &'s str, names: &'n Names, scopes: &'n Scopes<'s>) -> Self {
        let mut flow = Flow::default();
        flow.values.push(Value::Unknown);
        Self {
            source,
            names,
            scopes,
            flow,
            frames: Vec::new(),
            at: 0,
            pending: VecDeque::new(),
            replaced: Vec::new(),
            calls: FxHashMap::default(),
            lines: Vec::new(),
            depth: 0,
        }
    }

    fn module(&mut self, root: Node<'t>) {
        self.at = self.open(FrameKind::Module, None, None, None);
        self.block(root);
        while let Some(Pending { body, function, frame }) = self.pending.pop_front() {
            self.at = frame;
            self.replaced.clear();
            self.body(body, function);
        }
        for at in 0..self.frames.len() {
            self.close(at);
        }
        self.flow.symbols.sort_by_key(|(symbol, _)| *symbol);
        self.flow.symbols.dedup_by_key(|(symbol, _)| *symbol);
    }

    fn open(
        &mut self,
        kind: FrameKind,
        parent: Option<usize>,
        symbol: Option<LocalSymbol>,
        class: Option<LocalSymbol>,
    ) -> usize {
        self.frames.push(Frame {
            kind,
            parent,
            symbol,
            class,
            now: FxHashMap::default(),
            versions: FxHashMap::default(),
            symbols: FxHashMap::default(),
            foreign: FxHashSet::default(),
            returns: Vec::new(),
            yields: Vec::new(),
        });
        self.frames.len() - 1
    }

    /// Records the values of the declared variables of a frame.
    fn close(&mut self, at: usize) {
        let symbols = std::mem::take(&mut self.frames[at].symbols);
        let mut symbols: Vec<_> = symbols.into_iter().collect();
        symbols.sort_unstable_by_key(|(_, symbol)| *symbol);
        for (name, symbol) in symbols {
            let versions = self.frames[at].versions.get(name).cloned().unwrap_or_default();
            let held = self.one_of(versions);
            if held != UNKNOWN {
                self.flow.symbols.push((symbol, held));
            }
        }
    }

    // -- Values -------------------------------------------------------------------------------------------

    fn value(&mut self, value: Value) -> LocalValue {
        self.flow.values.push(value)
    }

    fn one_of(&mut self, mut values: Vec<LocalValue>) -> LocalValue {
        values.sort_unstable();
        values.dedup();
        match values[..] {
            [] => UNKNOWN,
            [only] => only,
            _ if values.len() > MAX_VERSIONS => UNKNOWN,
            _ => self.value(Value::OneOf(values.into())),
        }
    }

    fn member(&mut self, object: LocalValue, name: &str) -> LocalValue {
        if object == UNKNOWN { UNKNOWN } else { self.value(Value::Member(object, name.into())) }
    }

    fn store(&mut self, object: LocalValue, slot: Slot, value: LocalValue) {
        if object != UNKNOWN && value != UNKNOWN {
            self.flow.stores.push(FieldStore { object, slot, value });
        }
    }

    /// Records a method call that a statement implies. Returns its result.
    fn implied(&mut self, object: LocalValue, method: &str, at: u32) -> LocalValue {
        if object == UNKNOWN {
            return UNKNOWN;
        }
        let callee = self.member(object, method);
        let call = self.call(callee, Vec::new(), CallForm::Implied, at);
        self.value(Value::Call(call))
    }

    fn call(
        &mut self,
        callee: LocalValue,
        arguments: Vec<FlowArgument>,
        form: CallForm,
        at: u32,
    ) -> LocalCall {
        let from = self.frames[self.at].symbol;
        let call = FlowCall { callee, arguments: arguments.into(), from, line: 0, form };
        let call = self.flow.calls.push(call);
        self.lines.push((call, at));
        if form == CallForm::Referenced {
            self.calls.insert(at, call);
        }
        call
    }

    // -- Variables ----------------------------------------------------------------------------------------

    /// Returns the value of a name at this point.
    fn read(&mut self, name: &'s str) -> LocalValue {
        let mut at = self.at;
        let mut runs_here = true;
        loop {
            let Frame { kind, parent, now, versions, foreign, .. } = &self.frames[at];
            let (kind, parent) = (*kind, *parent);
            let is_seen = kind != FrameKind::Class || at == self.at || runs_here;
            if is_seen && !foreign.contains(name) {
                if runs_here && let Some(value) = now.get(name) {
                    return *value;
                }
                if runs_here && kind == FrameKind::Function && self.is_variable(at, name) {
                    return UNKNOWN;
                }
                // A function may run at any point of the enclosing scope.
                if !runs_here && let Some(all) = versions.get(name) {
                    let all = all.clone();
                    return self.one_of(all);
                }
            }
            // A comprehension, a lambda or a class body runs in place.
            runs_here = runs_here && matches!(kind, FrameKind::Inline | FrameKind::Class);
            match parent {
                Some(parent) => at = parent,
                None => return self.value(Value::Free(name.into())),
            }
        }
    }

    /// Returns true if a function binds a name anywhere, which makes it a local variable of the whole function.
    fn is_variable(&self, frame: usize, name: &str) -> bool {
        let scope = self.frames[frame].symbol.and_then(|symbol| self.names.scopes.get(&symbol));
        scope.is_some_and(|scope| self.scopes.own(*scope, name).is_some())
    }

    /// Adds a version of a variable; `at` is the offset of its name.
    fn bind(&mut self, name: &'s str, at: u32, value: LocalValue) {
        let frame = self.frame_of(name);
        let symbol = self.names.symbols.get(&at).copied();
        let entry = &mut self.frames[frame];
        let versions = entry.versions.entry(name).or_default();
        if versions.len() <= MAX_VERSIONS {
            versions.push(value);
        }
        if let Some(symbol) = symbol {
            entry.symbols.entry(name).or_insert(symbol);
        }
        if frame == self.at {
            self.now(name, value);
        }
    }

    /// Makes `value` the current version of `name`.
    fn now(&mut self, name: &'s str, value: LocalValue) {
        let before = self.frames[self.at].now.insert(name, value);
        self.replaced.push((name, before));
    }

    /// Returns the frame of the variable that a write to `name` changes here.
    fn frame_of(&self, name: &str) -> usize {
        let mut at = self.at;
        while self.frames[at].kind == FrameKind::Inline && !self.frames[at].now.contains_key(name) {
            at = self.frames[at].parent.expect("what runs in place stands in something");
        }
        if !self.frames[at].foreign.contains(name) {
            return at;
        }
        while let Some(parent) = self.frames[at].parent {
            at = parent;
            let Frame { kind, foreign, versions, .. } = &self.frames[at];
            if *kind == FrameKind::Function && !foreign.contains(name) && versions.contains_key(name) {
                return at;
            }
        }
        at
    }

    // -- Branches -----------------------------------------------------------------------------------------

    /// Follows one arm of a branch, then restores the versions before it. Returns the versions that the arm leaves
    /// behind, or `None` if its end is not reached.
    fn arm(&mut self, follow: impl FnOnce(&mut Self) -> bool) -> Option<Vec<(&'s str, LocalValue)>> {
        let mark = self.replaced.len();
        let ends = follow(self);
        let mut changed = Vec::new();
        let now = &mut self.frames[self.at].now;
        for (name, before) in self.replaced.drain(mark..).rev() {
            let after = match before {
                Some(before) => now.insert(name, before),
                None => now.remove(name),
            };
            if !changed.iter().any(|(known, _)| *known == name) {
                changed.extend(after.map(|after| (name, after)));
            }
        }
        (!ends).then_some(changed)
    }

    /// Merges the versions that the arms leave behind.
    fn join(&mut self, arms: Vec<Option<Vec<(&'s str, LocalValue)>>>) {
        let arms: Vec<_> = arms.into_iter().flatten().collect();
        let mut names: Vec<&'s str> = arms.iter().flatten().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let before = self.frames[self.at].now.get(name).copied();
            let reaching = arms.iter().filter_map(|arm| {
                arm.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).or(before)
            });
            let value = self.one_of(reaching.collect());
            self.now(name, value);
        }
    }
}
