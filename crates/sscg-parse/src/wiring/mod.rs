//! What code passes to what it calls, out of the trees of tree-sitter.
//!
//! A tree is folded: each node says something once what is in it has been said ([`Grammar::fold`]). No call stack grows
//! with the text, and each value is moved into the one around it, so that the time taken is that of parsing.

mod binding;
mod branch;
mod pieces;
mod placeholder;
pub(crate) mod python;
pub(crate) mod rust;
pub(crate) mod typescript;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use sscg_core::wiring::{Argument, Binding, Call, Decorator, Expression, Function, Wiring};
use sscg_core::{LineIndex, Span};
use tree_sitter::{Node, Tree};

use self::branch::{Branch, Part};

/// What the nodes of a language say.
pub(crate) trait Grammar {
    /// Whether a node of that kind calls something; what is put on declarations is not asked for.
    fn is_call(kind: &str) -> bool;

    /// Whether a node of that kind is put on declarations.
    fn is_decorator(kind: &str) -> bool;

    /// What a node says.
    fn fold<'t>(reader: &mut Reader<'_, 't>, branch: Branch<'t>) -> Expression;
}

/// The wiring of a text.
pub(crate) fn read<G: Grammar>(source: &str, tree: &Tree) -> Wiring {
    let mut wiring = Wiring::default();
    let lines = LineIndex::new(source);
    let mut reader = Reader {
        wiring: &mut wiring,
        lines: &lines,
        source,
        base: 0,
        nesting: 0,
        frames: Vec::new(),
        decorator: None,
    };
    reader.run::<G>(tree.root_node());
    wiring.functions.sort_by_key(|function| (function.span.start, Reverse(function.span.end)));
    wiring.bindings.sort_by_key(|binding| (binding.span.start, Reverse(binding.span.end)));
    wiring.decorators.sort_by_key(|decorator| decorator.call.span.start);
    wiring
}

/// Where a fold is.
pub(crate) struct Reader<'r, 't> {
    wiring: &'r mut Wiring,
    lines: &'r LineIndex,
    /// The text that is read: the file, or a piece of it that is parsed in another way.
    source: &'t str,
    /// What to add to an offset in it for one in the file.
    base: u32,
    /// In how many such pieces it lies.
    nesting: u8,
    /// The nodes around, outermost first.
    frames: Vec<Frame<'t>>,
    /// What the last decorator calls.
    decorator: Option<Call>,
}

/// A node that is being read.
struct Frame<'t> {
    node: Node<'t>,
    field: Option<&'t str>,
    /// How many parts there were before its own.
    before: usize,
    /// Its place among the calls.
    call: Option<u32>,
}

impl<'t> Reader<'_, 't> {
    /// What the children of a node say.
    fn run<G: Grammar>(&mut self, root: Node<'t>) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let mut cursor = root.walk();
        self.frames.push(Frame { node: root, field: None, before: 0, call: None });
        let mut inside = cursor.goto_first_child();
        while inside {
            let node = cursor.node();
            if node.is_named() && !node.kind().ends_with("comment") {
                let call = self.place::<G>(node.kind());
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

    /// Keeps the place of a call, so that it comes before those in it.
    fn place<G: Grammar>(&mut self, kind: &str) -> Option<u32> {
        if !G::is_call(kind) || self.frames.last().is_some_and(|frame| G::is_decorator(frame.node.kind())) {
            return None;
        }
        let call = Call { callee: Expression::Other, arguments: Vec::new(), span: Span::default(), line: 0 };
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

    /// The node around the one that is folded.
    fn parent(&self) -> Option<Node<'t>> {
        self.frames.last().map(|frame| frame.node)
    }

    /// The innermost node around of a kind.
    fn around(&self, kinds: &[&str]) -> Option<Node<'t>> {
        self.frames.iter().rev().map(|frame| frame.node).find(|node| kinds.contains(&node.kind()))
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        &self.source[node.byte_range()]
    }

    /// A node's text as a name; nothing where the parser only misses one.
    fn name(&self, node: Node<'_>) -> Expression {
        match self.text(node) {
            "" => Expression::Other,
            name => Expression::Name(name.into()),
        }
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

    /// Notes a call; `named` is the node of what is called, which the name ends.
    fn call(
        &mut self,
        branch: &Branch<'t>,
        named: Option<Node<'t>>,
        callee: Expression,
        arguments: Vec<Argument>,
    ) -> Expression {
        let at = named.map_or(branch.node.start_byte(), |named| named.end_byte().saturating_sub(1));
        let call = Call { callee, arguments, span: self.span_of(branch.node), line: self.line(at) };
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

    /// Notes what stands on a declaration, if it is one: what was called in it, or else its value.
    fn decorate(&mut self, branch: Branch<'t>, target: Option<Span>) {
        let span = self.span_of(branch.node);
        let line = self.line(branch.node.start_byte());
        let value = branch.parts.into_iter().next().map_or(Expression::Other, |part| part.value);
        let call = match self.decorator.take() {
            Some(call) => Call { span, ..call },
            None => Call { callee: value, arguments: Vec::new(), span, line },
        };
        self.wiring.decorators.extend(target.map(|target| Decorator { call, target }));
    }

    /// Notes a function; `parameters` is the node of them.
    fn function(&mut self, node: Node<'t>, name: &str, parameters: Vec<Option<Box<str>>>) -> Expression {
        let span = self.span_of(node);
        self.wiring.functions.push(Function { name: name.into(), parameters: parameters.into(), span });
        Expression::Function(span)
    }

    /// Notes what a pattern is set to, taken apart as far as both are alike.
    fn bind(&mut self, node: Node<'_>, target: Expression, value: Expression) {
        let span = self.span_of(node);
        let line = self.line(node.start_byte());
        binding::take_apart(target, value, &mut |target, value| {
            self.wiring.bindings.push(Binding { target, value, span, line });
        });
    }
}

/// The next sibling of another kind.
fn after<'t>(node: Node<'t>, passed: &[&str]) -> Option<Node<'t>> {
    let mut next = node.next_sibling();
    while let Some(node) = next.filter(|node| passed.contains(&node.kind())) {
        next = node.next_sibling();
    }
    next
}
