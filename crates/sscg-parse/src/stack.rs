//! Parsing on stacks that no text can exhaust.
//!
//! Recursive descent goes as deep as the text nests, and each byte of a text may add a level. In the worst measured
//! case (endless nesting of brackets, calls, templates, arrow functions and generics), unoptimized builds use 1,100
//! bytes of stack per byte of text. [`STACK_PER_BYTE`] is about twice that. A stack reserves address space; only its
//! used part takes memory.

/// Stack size per byte of text, in bytes.
const STACK_PER_BYTE: usize = 2 * 1024;

/// Stack size that is required for any text, in bytes.
const LEAST: usize = 64 * 1024;

/// Runs `work`, which recurses into a text of `bytes` bytes. Uses the current stack if it has room for the worst case,
/// otherwise a new one.
pub(crate) fn with_stack_for<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let needed = LEAST + bytes * STACK_PER_BYTE;
    stacker::maybe_grow(needed, needed, work)
}
