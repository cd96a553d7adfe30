//! Where values come from: a second walk, over statements in the order in which they run.
//!
//! Each assignment makes a new version of its variable, and a read means the versions that reach it: after a
//! branch those of all its arms, in a loop also those of the round before. Functions see all versions of the
//! variables around them, since nobody knows when they run; their bodies are followed after the scope that
//! they stand in. A test of a variable's type makes a version as well ([`narrow`]).

mod expression;
mod function;
mod narrow;
mod statement;
mod types;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    Argument, Call, CallForm, Flow, LocalCall, LocalFunction, LocalSymbol, LocalValue, Slot, Store, Value,
};
use tree_sitter::{Node, Tree};

use super::walk::{Names, Walk};
use crate::scope::Scopes;

/// Follows the values through one file.
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

/// Deeper nesting than this is not followed.
const MAX_DEPTH: u32 = 200;

/// More versions of one variable than this are not told apart.
const MAX_VERSIONS: usize = 24;

const UNKNOWN: LocalValue = LocalValue::FIRST;

/// A scope of the file while it is followed.
struct Frame<'s> {
    kind: FrameKind,
    /// The frame around it, by number.
    parent: Option<usize>,
    /// The innermost declaration.
    symbol: Option<LocalSymbol>,
    /// The class whose methods these are.
    class: Option<LocalSymbol>,
    /// The version of each variable that a read means now.
    now: FxHashMap<&'s str, LocalValue>,
    /// All versions of each variable.
    versions: FxHashMap<&'s str, Vec<LocalValue>>,
    /// The declared symbol of each variable.
    symbols: FxHashMap<&'s str, LocalSymbol>,
    /// Names that `global` or `nonlocal` leave to other frames.
    foreign: FxHashSet<&'s str>,
    /// What `return` and `yield` hand out.
    returns: Vec<LocalValue>,
    yields: Vec<LocalValue>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Module,
    Class,
    Function,
    /// A lambda or comprehension, which runs where it stands.
    Inline,
}

/// A function whose body is still to be followed.
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
    /// The versions that were replaced since a branch began, to come back to them.
    replaced: Vec<(&'s str, Option<LocalValue>)>,
    calls: FxHashMap<u32, LocalCall>,
    /// Where each call's last segment stands.
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

    /// Says what the declared variables of a frame hold.
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
            self.flow.stores.push(Store { object, slot, value });
        }
    }

    /// The call of a method that a statement makes; its result.
    fn implied(&mut self, object: LocalValue, method: &str, at: u32) -> LocalValue {
        if object == UNKNOWN {
            return UNKNOWN;
        }
        let callee = self.member(object, method);
        let call = self.call(callee, Vec::new(), CallForm::Implied, at);
        self.value(Value::Call(call))
    }

    fn call(&mut self, callee: LocalValue, arguments: Vec<Argument>, form: CallForm, at: u32) -> LocalCall {
        let from = self.frames[self.at].symbol;
        let call = Call { callee, arguments: arguments.into(), from, line: 0, form };
        let call = self.flow.calls.push(call);
        self.lines.push((call, at));
        if form == CallForm::Referenced {
            self.calls.insert(at, call);
        }
        call
    }

    // -- Variables ----------------------------------------------------------------------------------------

    /// What a name means here.
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
                // A function runs when all of the scope around it may have run.
                if !runs_here && let Some(all) = versions.get(name) {
                    let all = all.clone();
                    return self.one_of(all);
                }
            }
            // A comprehension, a lambda or a class body runs where it stands.
            runs_here = runs_here && matches!(kind, FrameKind::Inline | FrameKind::Class);
            match parent {
                Some(parent) => at = parent,
                None => return self.value(Value::Free(name.into())),
            }
        }
    }

    /// Whether a function binds a name somewhere, which makes it a variable everywhere in it.
    fn is_variable(&self, frame: usize, name: &str) -> bool {
        let scope = self.frames[frame].symbol.and_then(|symbol| self.names.scopes.get(&symbol));
        scope.is_some_and(|scope| self.scopes.own(*scope, name).is_some())
    }

    /// A new version of a variable; `at` is where its name stands.
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

    /// Makes `value` what reading `name` means from here on.
    fn now(&mut self, name: &'s str, value: LocalValue) {
        let before = self.frames[self.at].now.insert(name, value);
        self.replaced.push((name, before));
    }

    /// The frame whose variable a name is when it is written here.
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

    /// Follows one arm of a branch and returns to the versions before it: those that it leaves behind, or
    /// `None` if it does not come to its end.
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

    /// Goes on with the versions that all arms leave behind.
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
