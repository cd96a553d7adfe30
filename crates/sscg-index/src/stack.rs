//! Parsing on stacks that no text can exhaust.
//!
//! Recursive descent goes as deep as the text nests, and a file may nest with each byte. Measured on the worst
//! of brackets, calls, templates, arrow functions and generics without end, unoptimised builds take 1,100 bytes
//! of stack for each byte of text. [`STACK_PER_BYTE`] is about twice that. Stacks cost address space; memory only
//! where they are used.

use std::sync::LazyLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Enough stack for one byte of text.
const STACK_PER_BYTE: usize = 2 * 1024;

/// Enough for almost every file that people write, and for its share of the program's own needs.
const POOL_STACK: usize = 256 * 1024 * 1024;

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let builder = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads());
    builder.thread_name(|at| format!("sscg-parse-{at}")).stack_size(POOL_STACK).build().ok()
});

/// Runs `work` where what it does in parallel uses the pool with large stacks. Without address space for the
/// pool, that is the usual one.
pub(crate) fn on_large_stacks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Runs `parse`, which recurses into a text of `bytes` bytes, in the pool: on the spot where that stack will do,
/// otherwise on a thread of its own.
pub(crate) fn with_stack_for<T: Send>(bytes: usize, parse: impl Fn() -> T + Sync) -> T {
    let needed = bytes * STACK_PER_BYTE;
    if needed <= POOL_STACK {
        return parse();
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(needed).spawn_scoped(scope, &parse);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => parse(),
        }
    })
}
