//! Helpers shared by the tree-sitter frontends.

use std::cell::Cell;
use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::time::Duration;

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};
use sscg_core::Span;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Tree};

/// Returns the byte span of a node.
pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// Returns the text of a node.
pub(crate) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    &source[node.byte_range()]
}

/// Returns the child of a node in a field, by the id of the field. O(children): not for nodes with long lists of children.
pub(crate) fn child(node: Node<'_>, field: u16) -> Option<Node<'_>> {
    node.child_by_field_id(field)
}

/// Returns the named children of a node in a field, by the id of the field.
pub(crate) fn children_in<'t>(node: Node<'t>, field: u16) -> Vec<Node<'t>> {
    let Some(field) = NonZeroU16::new(field) else { return Vec::new() };
    node.children_by_field_id(field, &mut node.walk()).filter(Node::is_named).collect()
}

/// Number of children up to which they are looked up by position. A cursor is faster for more, but allocates memory.
const FEW: u32 = 4;

/// Returns the named children of a node for which `keeps` holds.
pub(crate) fn named_children(node: Node<'_>, keeps: impl Fn(Node<'_>) -> bool) -> Vec<Node<'_>> {
    if node.child_count() <= FEW {
        let all = (0..node.named_child_count() as u32).filter_map(|at| node.named_child(at));
        return all.filter(|child| keeps(*child)).collect();
    }
    node.named_children(&mut node.walk()).filter(|child| keeps(*child)).collect()
}

/// Returns the first named child of a node for which `keeps` holds, which is the first one for most nodes.
pub(crate) fn first_child(node: Node<'_>, keeps: impl Fn(Node<'_>) -> bool) -> Option<Node<'_>> {
    let first = node.named_child(0)?;
    if keeps(first) { Some(first) } else { node.named_children(&mut node.walk()).find(|child| keeps(*child)) }
}

/// Returns the last named child of a node for which `keeps` holds, which is the last one for most nodes.
pub(crate) fn last_child(node: Node<'_>, keeps: impl Fn(Node<'_>) -> bool) -> Option<Node<'_>> {
    let last = node.named_child(node.named_child_count().checked_sub(1)? as u32)?;
    if keeps(last) { Some(last) } else { named_children(node, keeps).pop() }
}

/// Diagnostic for code that takes too long to parse.
pub(crate) const TOO_SLOW: &str = "takes too long to parse; its lines are searched as text";

/// Diagnostic for a document that takes too long to parse.
pub(crate) const TOO_SLOW_DOCUMENT: &str = "takes too long to parse; it is split into passages";

/// Returns the maximum number of progress reports of tree-sitter for a text of this length. Files of real code have up
/// to .06 reports per byte, lists of digits without spaces in Rust macros .11.
const fn most_reports(bytes: usize) -> usize {
    200 + bytes * 3 / 20
}

/// CPU time for parsing a file and the pieces of it that are parsed separately.
///
/// Error recovery of tree-sitter takes quadratic time for texts such as `-,-,-,`: two seconds for a kilobyte, with no
/// more steps than valid code. Only time distinguishes them. The number of steps is limited as well, which is the same on
/// every machine and stops most other texts earlier.
pub(crate) struct ParseTime {
    left: Cell<Duration>,
    is_exceeded: Cell<bool>,
}

impl ParseTime {
    /// Returns the time for a file: 300 ms, and 2 µs per byte. Code takes up to .5 µs per byte.
    pub(crate) fn for_text(source: &str) -> Self {
        let left = Duration::from_millis(300) + Duration::from_micros(2 * source.len() as u64);
        Self { left: Cell::new(left), is_exceeded: Cell::new(false) }
    }

    /// Returns true if a parse was stopped.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded.get()
    }

    /// Returns true if no time is left.
    pub(crate) fn is_over(&self) -> bool {
        self.left.get().is_zero()
    }

    /// Parses a text; `None` if that takes longer than the rest of the time, or too many steps.
    ///
    /// # Panics
    /// If the parser has no language.
    pub(crate) fn parse(&self, parser: &mut Parser, source: &str) -> Option<Tree> {
        let left = self.left.get();
        if self.is_over() {
            self.is_exceeded.set(true);
            return None;
        }
        let (wall, cpu) = (wall_time(), cpu_time());
        // Reading the CPU time takes a system call, so it is only read if the wall time exceeds the limit.
        let is_late = || wall_time().saturating_sub(wall) > left && cpu_time().saturating_sub(cpu) > left;
        let mut reports = 0;
        let mut progress = |_: &ParseState| {
            reports += 1;
            if reports > most_reports(source.len()) || is_late() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut text = |at: usize, _: Point| source.as_bytes().get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut text, None, Some(options));
        if tree.is_none() {
            self.is_exceeded.set(true);
            // Otherwise the parser would continue with this text.
            parser.reset();
        }
        self.spend(cpu);
        tree
    }

    /// Does work that belongs to parsing, and counts its time.
    pub(crate) fn count<T>(&self, work: impl FnOnce() -> T) -> T {
        let cpu = cpu_time();
        let done = work();
        self.spend(cpu);
        done
    }

    /// Subtracts the CPU time since a point in the past.
    fn spend(&self, since: Duration) {
        self.left.set(self.left.get().saturating_sub(cpu_time().saturating_sub(since)));
    }

    /// Parses a text with a new parser, like [`ParseTime::parse`].
    pub(crate) fn parse_with(&self, grammar: &Language, source: &str) -> Option<Tree> {
        self.parse(&mut parser(grammar), source)
    }
}

/// Returns a parser for a grammar.
///
/// # Panics
/// If the grammar was built for an incompatible version of tree-sitter.
pub(crate) fn parser(grammar: &Language) -> Parser {
    let mut parser = Parser::new();
    parser.set_language(grammar).expect("the grammar is of this version");
    parser
}

/// Returns the wall time since some point in the past.
fn wall_time() -> Duration {
    #[cfg(unix)]
    return Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default();
    #[cfg(not(unix))]
    return START.elapsed();
}

/// Returns the CPU time of this thread; the wall time if the platform is not Unix.
fn cpu_time() -> Duration {
    #[cfg(unix)]
    return Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
    #[cfg(not(unix))]
    return wall_time();
}

#[cfg(not(unix))]
static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
