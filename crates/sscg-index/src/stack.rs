//! Thread pool for parsing and linking.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack size in bytes: enough to parse almost every handwritten file on the spot, and to follow values from call to
/// call.
const POOL_STACK: usize = 256 * 1024 * 1024;

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let builder = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads());
    builder.thread_name(|at| format!("sscg-parse-{at}")).stack_size(POOL_STACK).build().ok()
});

/// Runs `work` so that its parallel operations use the pool with large stacks. Falls back to the default pool if there
/// is no address space for the large one.
pub(crate) fn on_large_stacks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
