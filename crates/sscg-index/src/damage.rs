//! Recovery from a corrupt database.
//!
//! redb verifies its pages only after a crash, and panics when it reads a corrupt page at any other time. Here such a
//! panic means "replace the store", so it is not shown to users.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and returns its result, or `None` if it panics. The panic is not reported.
///
/// After a panic, values borrowed by `work` must not be used, except to drop them in another call of this function.
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
