//! Body facts (calls, arguments, bindings) read from tree-sitter trees.
//!
//! A tree is folded bottom-up: each node is folded once all its children are ([`Grammar::fold`]). The call stack does
//! not grow with the text, and each value is moved into its parent, so the cost is dominated by parsing.

mod binding;
mod branch;
#[cfg(feature = "lang-csharp")]
pub(crate) mod csharp;
#[cfg(feature = "lang-go")]
pub(crate) mod go;
#[cfg(feature = "lang-java")]
pub(crate) mod java;
mod pieces;
mod placeholder;
#[cfg(feature = "lang-python")]
pub(crate) mod python;
#[cfg(feature = "lang-rust")]
pub(crate) mod rust;
#[cfg(feature = "lang-typescript")]
pub(crate) mod typescript;

#[cfg(all(test, feature = "all-languages", feature = "documents"))]
mod tests;

use std::cmp::Reverse;

use sscg_core::wiring::{Argument, Binding, Call, Decorator, Expression, Function, Wiring};
use sscg_core::{LineIndex, Span};
use tree_sitter::{Node, Tree};

use crate::tree::ParseTime;

use self::branch::{Branch, Part};
use self::pieces::Pieces;

/// Folding rules of a language.
pub(crate) trait Grammar {
    /// Returns true if a node is a call or construction, other than the application of a decorator.
    fn is_call(node: Node<'_>) -> bool;

    /// Returns true if nodes of this kind are decorators or attributes of declarations.
    fn is_decorator(kind: &str) -> bool;

    /// Folds a node into an expression, given its folded children.
    fn fold<'t>(reader: &mut WiringReader<'_, 't>, branch: Branch<'t>) -> Expression;
}

/// Function that reads the body facts of a text from its tree.
pub(crate) type Read = fn(&str, Option<&Tree>, &ParseTime) -> Wiring;

/// Returns the body facts of a text; none if its tree is missing, or if its pieces take too long to parse.
pub(crate) fn read<G: Grammar>(source: &str, tree: Option<&Tree>, time: &ParseTime) -> Wiring {
    let mut wiring = Wiring::default();
    let Some(tree) = tree else { return wiring };
    let lines = LineIndex::new(source);
    let mut reader = WiringReader {
        wiring: &mut wiring,
        lines: &lines,
        source,
        time,
        base: 0,
        nesting: 0,
        frames: Vec::new(),
        decorator: None,
    };
    reader.run::<G>(tree.root_node());
    if time.is_exceeded() {
        return Wiring::default();
    }
    wiring.functions.sort_by_key(|function| (function.span.start, Reverse(function.span.end)));
    wiring.bindings.sort_by_key(|binding| (binding.span.start, Reverse(binding.span.end)));
    wiring.decorators.sort_by_key(|decorator| decorator.call.span.start);
    wiring
}

/// State of a fold.
pub(crate) struct WiringReader<'r, 't> {
    wiring: &'r mut Wiring,
    lines: &'r LineIndex,
    /// Text being read: the file, or a piece of it that is parsed separately.
    source: &'t str,
    /// Time left for parsing the file and its pieces.
    time: &'r ParseTime,
    /// Offset of `source` in the file.
    base: u32,
    /// Nesting depth of such pieces.
    nesting: u8,
    /// Open nodes, outermost first.
    frames: Vec<Frame<'t>>,
    /// Call made by the last decorator.
    decorator: Option<Call>,
}

/// Open node.
struct Frame<'t> {
    node: Node<'t>,
    field: Option<&'t str>,
    /// Number of parts before its own.
    before: usize,
    /// Index of the node in `Wiring::calls`, if it is a call.
    call: Option<u32>,
}

impl<'t> WiringReader<'_, 't> {
    /// Folds the descendants of `root` and returns its children.
    fn run<G: Grammar>(&mut self, root: Node<'t>) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let mut cursor = root.walk();
        self.frames.push(Frame { node: root, field: None, before: 0, call: None });
        let mut inside = cursor.goto_first_child();
        while inside {
            let node = cursor.node();
            if node.is_named() && !node.kind().ends_with("comment") {
                let call = self.place::<G>(node);
                self.frames.push(Frame { node, field: cursor.field_name(), before: parts.len(), call });
                if cursor.goto_first_child() {
                    continue;
                }
                self.close::<G>(&mut parts);
            }
            while inside && !cursor.goto_next_sibling() {
                inside = self.frames.len() > 1 && cursor.goto_parent();
                if inside {
                    self.close::<G>(&mut parts);
                }
            }
        }
        self.frames.clear();
        parts
    }

    /// Reserves the index of a call, so that it precedes the calls inside it.
    fn place<G: Grammar>(&mut self, node: Node<'t>) -> Option<u32> {
        if !G::is_call(node) || self.frames.last().is_some_and(|frame| G::is_decorator(frame.node.kind())) {
            return None;
        }
        let call = Call {
            callee: Expression::Other,
            arguments: Vec::new(),
            types: Vec::new(),
            span: Span::default(),
            line: 0,
        };
        self.wiring.calls.push(call);
        Some(self.wiring.calls.len() as u32 - 1)
    }

    /// Folds the innermost node.
    fn close<G: Grammar>(&mut self, parts: &mut Vec<Part<'t>>) {
        let Some(frame) = self.frames.pop() else { return };
        let own = parts.split_off(frame.before);
        let inner = own.iter().map(|part| part.depth).max().unwrap_or(0);
        let branch = Branch { node: frame.node, call: frame.call, parts: own };
        let value = G::fold(self, branch);
        let depth = match &value {
            Expression::Join(_) | Expression::Member(..) | Expression::Record(_) => inner + 1,
            Expression::List(_) | Expression::Either(_) => inner + 1,
            _ => 1,
        };
        let (value, depth) =
            if depth > Expression::MAX_DEPTH { (Expression::Other, 1) } else { (value, depth) };
        parts.push(Part { field: frame.field, node: frame.node, value, depth });
    }

    /// Returns the parent of the node being folded.
    fn parent(&self) -> Option<Node<'t>> {
        self.frames.last().map(|frame| frame.node)
    }

    /// Returns the innermost ancestor of one of these kinds.
    fn around(&self, kinds: &[&str]) -> Option<Node<'t>> {
        self.frames.iter().rev().map(|frame| frame.node).find(|node| kinds.contains(&node.kind()))
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        &self.source[node.byte_range()]
    }

    /// Returns a string literal whose parts are text and escape sequences.
    fn literal(&self, branch: &Branch<'_>) -> Expression {
        let mut pieces = Pieces::default();
        for part in &branch.parts {
            match part.node.kind() {
                "escape_sequence" => pieces.escape(self.text(part.node)),
                _ => pieces.text(self.text(part.node)),
            }
        }
        pieces.finish()
    }

    /// Returns the text of a field; an empty text if it is missing.
    fn text_of(&self, branch: &Branch<'_>, field: &str) -> &'t str {
        branch.node_of(field).map_or("", |node| self.text(node))
    }

    /// Returns a node's text as a name; `Expression::Other` for a missing node.
    fn name(&self, node: Node<'_>) -> Expression {
        match self.text(node) {
            "" => Expression::Other,
            name => Expression::Name(name.into()),
        }
    }

    /// Returns the member of the value in the field `object` that is named in the field `name`.
    fn member(&self, mut branch: Branch<'t>, object: &str, name: &str) -> Expression {
        let name = self.text_of(&branch, name).into();
        Expression::Member(Box::new(branch.take(object)), name)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base.wrapping_add(start as u32), self.base.wrapping_add(end as u32))
    }

    fn span_of(&self, node: Node<'_>) -> Span {
        self.span(node.start_byte(), node.end_byte())
    }

    fn line(&self, offset: usize) -> u32 {
        self.lines.line(self.base.wrapping_add(offset as u32))
    }

    /// Records a call. `named` is the node of the callee, which ends with the callee's name.
    fn call(
        &mut self,
        branch: &Branch<'t>,
        named: Option<Node<'t>>,
        callee: Expression,
        arguments: Vec<Argument>,
    ) -> Expression {
        let at = named.map_or(branch.node.start_byte(), |named| named.end_byte().saturating_sub(1));
        let (span, line) = (self.span_of(branch.node), self.line(at));
        let call = Call { callee, arguments, types: Vec::new(), span, line };
        match branch.call {
            Some(place) => {
                self.wiring.calls[place as usize] = call;
                Expression::Call(place)
            }
            None => {
                self.decorator = Some(call);
                Expression::Other
            }
        }
    }

    /// Records a decorator, if it has a target: the call in it, or else its value as a call without arguments.
    fn decorate(&mut self, branch: Branch<'t>, target: Option<Span>) -> Expression {
        let span = self.span_of(branch.node);
        let line = self.line(branch.node.start_byte());
        let value = branch.parts.into_iter().next().map_or(Expression::Other, |part| part.value);
        let call = match self.decorator.take() {
            Some(call) => Call { span, ..call },
            None => Call { callee: value, arguments: Vec::new(), types: Vec::new(), span, line },
        };
        self.wiring.decorators.extend(target.map(|target| Decorator { call, target }));
        Expression::Other
    }

    /// Records a function or closure whose parameters are in the field `parameters`; `names` returns their names.
    fn callable(
        &mut self,
        branch: &Branch<'t>,
        names: fn(&Self, Node<'_>) -> Vec<Option<Box<str>>>,
    ) -> Expression {
        let names = branch.node_of("parameters").map(|all| names(self, all));
        self.function(branch, names.unwrap_or_default())
    }

    /// Records a function or closure.
    fn function(&mut self, branch: &Branch<'t>, parameters: Vec<Option<Box<str>>>) -> Expression {
        let (name, span) = (self.text_of(branch, "name").into(), self.span_of(branch.node));
        self.wiring.functions.push(Function { name, parameters: parameters.into(), span });
        Expression::Function(span)
    }

    /// Records the assignment of one field to another, unless the value is missing.
    fn bind_field(&mut self, mut branch: Branch<'t>, target: &str, value: &str) -> Expression {
        if branch.node_of(value).is_some() {
            let (target, value) = (branch.take(target), branch.take(value));
            self.bind(branch.node, target, value);
        }
        Expression::Other
    }

    /// Records the assignments of a loop over a list.
    fn bind_each(&mut self, mut branch: Branch<'t>, target: &str, list: &str) -> Expression {
        if let Expression::List(values) = branch.take(list) {
            let header = branch.node_of(target).unwrap_or(branch.node);
            self.bind(header, branch.take(target), Expression::Either(values));
        }
        Expression::Other
    }

    /// Records an assignment to a pattern, destructured as far as pattern and value have the same shape.
    fn bind(&mut self, node: Node<'_>, target: Expression, value: Expression) {
        let span = self.span_of(node);
        let line = self.line(node.start_byte());
        binding::take_apart(target, value, &mut |target, value| {
            self.wiring.bindings.push(Binding { target, value, span, line });
        });
    }
}

/// Returns the next sibling that is of none of the kinds in `passed`.
fn after<'t>(node: Node<'t>, passed: &[&str]) -> Option<Node<'t>> {
    let mut next = node.next_sibling();
    while let Some(node) = next.filter(|node| passed.contains(&node.kind())) {
        next = node.next_sibling();
    }
    next
}
