//! End of a wait for a server.

use std::time::{Duration, Instant};

/// Time between two checks for a cancellation.
const STEP: Duration = Duration::from_millis(50);

/// Limit of the wait for a server: a deadline, and the caller's cancellation.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use sscg_lsp::Wait;
///
/// let deadline = Instant::now() + Duration::from_secs(20);
/// let wait = Wait::until(deadline).unless(&|| false);
/// # let _ = wait;
/// ```
#[derive(Clone, Copy)]
pub struct Wait<'a> {
    pub(crate) deadline: Instant,
    is_canceled: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    /// Limits a wait to a moment.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, is_canceled: &|| false }
    }

    /// Ends the wait also when `is_canceled` returns true. It is called about 20 times in a second, and before each
    /// message.
    pub fn unless(self, is_canceled: &'a dyn Fn() -> bool) -> Self {
        Self { is_canceled, ..self }
    }

    /// Limits this wait to an earlier moment, too.
    pub(crate) fn at_most(self, deadline: Instant) -> Self {
        Self { deadline: self.deadline.min(deadline), ..self }
    }

    pub(crate) fn is_canceled(self) -> bool {
        (self.is_canceled)()
    }

    /// Returns the time until the next check; `None` after the deadline.
    pub(crate) fn step(self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| left.min(STEP))
    }
}

impl From<Instant> for Wait<'_> {
    fn from(deadline: Instant) -> Self {
        Self::until(deadline)
    }
}
