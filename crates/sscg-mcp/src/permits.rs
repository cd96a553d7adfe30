//! Limit of concurrent calls.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Worker permits, which calls get in order of arrival. More concurrent calls would not finish sooner: each takes a
/// whole core, and memory for its answer.
#[derive(Clone)]
pub(crate) struct Permits(Arc<Semaphore>);

/// Function that runs a wait without holding a permit.
pub(crate) type YieldWhileWaiting = Box<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// Worker permit, released on drop.
pub(crate) struct Permit {
    permits: Permits,
    /// `None` while its holder waits for something other than a core.
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Permits {
    pub(crate) fn new(count: NonZero<usize>) -> Self {
        Self(Arc::new(Semaphore::new(count.get().min(Semaphore::MAX_PERMITS))))
    }

    /// Waits for a permit. Dropping the future gives up the place in the queue.
    pub(crate) async fn get(&self) -> Permit {
        Permit { permits: self.clone(), held: Mutex::new(Some(self.take().await)) }
    }

    async fn take(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0).acquire_owned().await.expect("permits are never withdrawn")
    }
}

impl Permit {
    /// Runs `wait` without holding a worker permit, so that another call can proceed, and then waits for a new permit.
    /// Call it only on a runtime thread that may block.
    pub(crate) fn yield_while_waiting(&self, wait: &mut dyn FnMut()) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        drop(held.take());
        wait();
        *held = Some(Handle::current().block_on(self.permits.take()));
    }
}
