//! Lock that passes a value from one holder to the next.

use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Lock that gives a value to one holder at a time, on any thread. Unlike a mutex, it supports a wait with a
/// deadline.
pub(super) struct Lock<T> {
    desk: Mutex<Desk<T>>,
    free: Condvar,
}

struct Desk<T> {
    is_taken: bool,
    value: Option<T>,
}

impl<T> Default for Lock<T> {
    fn default() -> Self {
        Self { desk: Mutex::new(Desk { is_taken: false, value: None }), free: Condvar::new() }
    }
}

/// Guard of the lock, until it is dropped. The next holder gets its `value`, or nothing if this one panics.
pub(super) struct Guard<T> {
    lock: Arc<Lock<T>>,
    pub(super) value: Option<T>,
}

impl<T> Lock<T> {
    /// Takes the lock, if it is free now.
    pub(super) fn try_take(self: &Arc<Self>) -> Option<Guard<T>> {
        self.take(self.desk())
    }

    /// Returns true if the lock is free now.
    pub(super) fn is_free(&self) -> bool {
        !self.desk().is_taken
    }

    /// Takes the lock as soon as it is free, but not after `deadline`. Calls `wait` at least every `tick` meanwhile, and
    /// gives up if that breaks.
    pub(super) fn wait(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        tick: Duration,
        wait: impl Fn() -> ControlFlow<()>,
    ) -> Option<ControlFlow<(), Guard<T>>> {
        loop {
            let mut desk = self.desk();
            if desk.is_taken {
                desk = self.free.wait_timeout(desk, tick).unwrap_or_else(PoisonError::into_inner).0;
            }
            if let Some(held) = self.take(desk) {
                return Some(ControlFlow::Continue(held));
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return None;
            }
            if wait().is_break() {
                return Some(ControlFlow::Break(()));
            }
        }
    }

    fn take(self: &Arc<Self>, mut desk: MutexGuard<'_, Desk<T>>) -> Option<Guard<T>> {
        if desk.is_taken {
            return None;
        }
        desk.is_taken = true;
        Some(Guard { lock: Arc::clone(self), value: desk.value.take() })
    }

    /// Locks the state. The lock is only held briefly, so nothing can panic meanwhile.
    fn desk(&self) -> MutexGuard<'_, Desk<T>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for Guard<T> {
    fn drop(&mut self) {
        let value = self.value.take().filter(|_| !thread::panicking());
        *self.lock.desk() = Desk { is_taken: false, value };
        self.lock.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_one_at_a_time_and_passes_on_the_value_unless_its_holder_panics() {
        let lock = Arc::<Lock<u32>>::default();
        let mut first = lock.try_take().expect("free");
        first.value = Some(7);
        assert!(lock.try_take().is_none());
        let soon = Some(Instant::now() + Duration::from_millis(5));
        let go_on = || ControlFlow::Continue(());
        assert!(lock.wait(soon, Duration::from_millis(1), go_on).is_none());
        let canceled = lock.wait(None, Duration::from_millis(1), || ControlFlow::Break(()));
        assert!(matches!(canceled, Some(ControlFlow::Break(()))));
        let waiting = Arc::clone(&lock);
        let next = thread::spawn(move || {
            let held = waiting.wait(None, Duration::from_secs(60), go_on).expect("no deadline");
            let held = held.continue_value().expect("not canceled");
            assert_eq!(held.value, Some(7));
            panic!("this is part of the test");
        });
        drop(first);
        next.join().expect_err("it panics");
        assert_eq!(lock.try_take().expect("free again").value, None);
    }
}
