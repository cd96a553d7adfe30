//! How many calls are worked on at once.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits to work, which calls get in the order they came. More calls at once would not be done sooner: each takes all
/// of a core, and the memory of an answer in the making.
#[derive(Clone)]
pub(crate) struct Permits(Arc<Semaphore>);

/// Does a wait without a permit.
pub(crate) type Aside = Box<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// A permit to work, until it is dropped.
pub(crate) struct Permit {
    permits: Permits,
    /// `None` while its holder waits for something else than a core.
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Permits {
    pub(crate) fn new(count: NonZero<usize>) -> Self {
        Self(Arc::new(Semaphore::new(count.get().min(Semaphore::MAX_PERMITS))))
    }

    /// A permit, once it is this call's turn. Who does not want it any more drops the future.
    pub(crate) async fn get(&self) -> Permit {
        Permit { permits: self.clone(), held: Mutex::new(Some(self.take().await)) }
    }

    async fn take(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0).acquire_owned().await.expect("permits are never withdrawn")
    }
}

impl Permit {
    /// Does a wait, while another call may work, and goes on when it is this one's turn again. Only on a thread that may
    /// block, of the runtime.
    pub(crate) fn aside(&self, wait: &mut dyn FnMut()) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        drop(held.take());
        wait();
        *held = Some(Handle::current().block_on(self.permits.take()));
    }
}
