//! Threads that parse and link.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Enough for almost every file that people write, so that it is parsed on the spot, and for what follows values from
/// call to call.
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
