//! Surviving a damaged database.
//!
//! redb checks its pages only after a crash; when it meets a damaged one later it panics. Such a panic means
//! "replace the store" here and is nothing that a user should read.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, or `None` if it panics. The panic is not reported.
///
/// What `work` borrows must not be used after a panic, except to be dropped in here.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CONTAINED.get() {
                report(info);
            }
        }));
    });
    let before = CONTAINED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_work_and_nothing_else() {
        assert_eq!(contained(|| 1), Some(1));
        let broken: Option<u8> = contained(|| panic!("a damaged page"));
        assert_eq!(broken, None);
        assert!(!CONTAINED.get());
    }
}
