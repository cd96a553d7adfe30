//! Parsing on stacks that no text can exhaust.
//!
//! Recursive descent goes as deep as the text nests, and each byte of a text may add a level. In the worst measured
//! case (endless nesting of brackets, calls, templates, arrow functions and generics), unoptimized builds use 1,100
//! bytes of stack per byte of text. [`STACK_PER_BYTE`] is about twice that. A stack reserves address space; only its
//! used part takes memory.
//!
//! A level of a visited tree takes more where the compiler merges the functions that it passes through, as in `!!!!x`.
//! The number of such levels is limited ([`MAX_LEVELS`]), so they have a stack size of their own.

/// Stack size per byte of text, in bytes.
const STACK_PER_BYTE: usize = 2 * 1024;

/// Maximum number of nodes inside each other that are visited: a sum of a thousand terms has as many levels.
pub(crate) const MAX_LEVELS: u32 = 5_000;

/// Stack size per visited level, in bytes. C needs up to 2,500, and 4,300 without optimization, which builds with debug
/// assertions are taken to lack.
const STACK_PER_LEVEL: usize = if cfg!(debug_assertions) { 8 } else { 4 } * 1024;

/// Stack size that is required for any text, in bytes.
const LEAST: usize = 64 * 1024;

/// Runs `work`, which recurses into a text of `bytes` bytes. Uses the current stack if it has room for the worst case,
/// otherwise a new one.
pub(crate) fn with_stack_for<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let levels = bytes.min(MAX_LEVELS as usize);
    let needed = LEAST + (bytes * STACK_PER_BYTE).max(levels * STACK_PER_LEVEL);
    stacker::maybe_grow(needed, needed, work)
}
