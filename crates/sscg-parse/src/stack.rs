//! Parsing on stacks that no text can exhaust.
//!
//! Recursive descent goes as deep as the text nests, and a text may nest with each byte. Measured on the worst of
//! brackets, calls, templates, arrow functions and generics without end, unoptimised builds take 1,100 bytes of stack
//! for each byte of text. [`STACK_PER_BYTE`] is about twice that. Stacks cost address space; memory only where they are
//! used.

/// Enough stack for one byte of text.
const STACK_PER_BYTE: usize = 2 * 1024;

/// What is left of any stack that is not worth another.
const LEAST: usize = 64 * 1024;

/// Runs `work`, which recurses into a text of `bytes` bytes: on the spot where the stack has room for the worst of
/// texts, otherwise on another stack.
pub(crate) fn with_stack_for<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let needed = LEAST + bytes * STACK_PER_BYTE;
    stacker::maybe_grow(needed, needed, work)
}
