//! Notification of changes in a tree.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use derive_setters::Setters;
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustc_hash::FxHashSet;

use crate::discovery::directories;

/// Options for watching a tree.
#[derive(Clone, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct WatchOptions {
    /// Maximum number of watched directories (default 4,096); a larger tree is polled. With little memory, Linux grants
    /// 8,192 watches to all programs of a user together, and editors need some.
    pub max_directories: usize,
    /// Quiet time after which a change is reported (default 100 ms).
    pub quiet: Duration,
    /// Maximum delay of a report (default 2 s).
    pub max_delay: Duration,
    /// Polling interval of a tree that is not watched (default 3 s).
    pub interval: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            max_directories: 4_096,
            quiet: Duration::from_millis(100),
            max_delay: Duration::from_secs(2),
            interval: Duration::from_secs(3),
        }
    }
}

/// Method of change notification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchMode {
    /// Notification by the system of changes in the watched directories.
    Notified {
        /// Number of watched directories.
        directories: usize,
    },
    /// Assumption of a change after each interval.
    Polling {
        /// Reason why the system cannot report changes.
        reason: String,
    },
}

/// Watcher that reports when a tree may have changed. Paths ignored by discovery are not watched.
///
/// ```
/// use sscg_index::{Watch, WatchOptions};
///
/// let tree = tempfile::tempdir()?;
/// let mut watch = Watch::new(tree.path(), WatchOptions::default());
/// std::fs::write(tree.path().join("a.py"), "pass\n")?;
/// assert!(watch.wait()); // Refresh the index now.
/// // Usually called from another thread, or by a handler of Ctrl-C.
/// watch.stopper().stop();
/// assert!(!watch.wait());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Watch {
    root: PathBuf,
    options: WatchOptions,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
    mode: WatchMode,
    /// System watcher; `None` when polling.
    watcher: Option<RecommendedWatcher>,
    watched: FxHashSet<PathBuf>,
}

enum Signal {
    /// Change; the paths in `gone` may have been removed, and the system's watches with them.
    Changed {
        gone: Vec<PathBuf>,
    },
    Stop,
}

/// Handle that stops a [`Watch`] from elsewhere.
#[derive(Clone)]
pub struct Stopper(Sender<Signal>);

impl Stopper {
    /// Makes the current or next [`Watch::wait`] return `false`.
    pub fn stop(&self) {
        // Without a receiver, the watch has already ended.
        _ = self.0.send(Signal::Stop);
    }
}

impl Watch {
    /// Watches the directory `root`. Changes are reported from now on, so refresh the index after this call, not
    /// before. Too many directories or a failure to watch is not an error: see [`Watch::mode`].
    pub fn new(root: &Path, options: WatchOptions) -> Self {
        let (sender, signals) = mpsc::channel();
        let events = sender.clone();
        let watcher = notify::recommended_watcher(move |event| {
            if let Some(signal) = signal(event) {
                _ = events.send(signal);
            }
        });
        let mut watch = Self {
            root: root.to_owned(),
            options,
            sender,
            signals,
            mode: WatchMode::Notified { directories: 0 },
            watcher: None,
            watched: FxHashSet::default(),
        };
        match watcher {
            Ok(watcher) => {
                watch.watcher = Some(watcher);
                watch.follow();
            }
            Err(error) => watch.poll(error.to_string()),
        }
        watch
    }

    /// Returns the current method of change notification. A growing tree may switch to polling.
    pub fn mode(&self) -> &WatchMode {
        &self.mode
    }

    /// Returns a handle that stops this watch.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }

    /// Waits until the tree may have changed. Returns `false` if it was [stopped](Stopper::stop).
    pub fn wait(&mut self) -> bool {
        if self.watcher.is_none() {
            return loop {
                match self.signals.recv_timeout(self.options.interval) {
                    // Sent before the switch to polling.
                    Ok(Signal::Changed { .. }) => {}
                    Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => break false,
                    Err(RecvTimeoutError::Timeout) => break true,
                }
            };
        }
        let Ok(Signal::Changed { mut gone }) = self.signals.recv() else { return false };
        let first = Instant::now();
        while first.elapsed() < self.options.max_delay {
            match self.signals.recv_timeout(self.options.quiet) {
                Ok(Signal::Changed { gone: more }) => gone.extend(more),
                Ok(Signal::Stop) => return false,
                Err(_) => break,
            }
        }
        let gone: FxHashSet<PathBuf> = gone.into_iter().collect();
        self.watched.retain(|path| !path.ancestors().any(|path| gone.contains(path)));
        self.follow();
        true
    }

    /// Watches the directories that exist now.
    fn follow(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let limit = self.options.max_directories;
        let found: FxHashSet<PathBuf> = directories(&self.root).take(limit + 1).collect();
        if found.len() > limit {
            return self.poll(format!("more than {limit} directories"));
        }
        for path in self.watched.difference(&found) {
            // A removed directory has lost its watch already.
            _ = watcher.unwatch(path);
        }
        for path in found.difference(&self.watched) {
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                // Removed since the walk; the watch of its parent reports that.
                Err(error) if !path.is_dir() => drop(error),
                Err(error) => return self.poll(error.to_string()),
                Ok(()) => {}
            }
        }
        self.mode = WatchMode::Notified { directories: found.len() };
        self.watched = found;
    }

    fn poll(&mut self, reason: String) {
        self.mode = WatchMode::Polling { reason };
        self.watcher = None;
        self.watched = FxHashSet::default();
    }
}

/// Converts an event to a signal; `None` if a file was only accessed.
fn signal(event: notify::Result<Event>) -> Option<Signal> {
    let Ok(event) = event else { return Some(Signal::Changed { gone: Vec::new() }) };
    if event.kind.is_access() {
        return None;
    }
    let may_be_gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
    Some(Signal::Changed { gone: if may_be_gone { event.paths } else { Vec::new() } })
}
