//! Being told when a tree changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustc_hash::FxHashSet;

use crate::discovery::directories;

/// How a tree is watched.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// At most this many directories are watched; a tree with more is looked at every now and then instead. 4,096 by
    /// default: Linux gives all programs of a user together 8,192 watches where memory is small, and editors want some.
    pub max_directories: usize,
    /// A change is reported when nothing has happened for so long. 100 ms by default.
    pub quiet: Duration,
    /// But not later than this. 2 s by default.
    pub patience: Duration,
    /// How often a tree is looked at that is not watched. 3 s by default.
    pub interval: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            max_directories: 4_096,
            quiet: Duration::from_millis(100),
            patience: Duration::from_secs(2),
            interval: Duration::from_secs(3),
        }
    }
}

/// How changes come to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// The system tells of changes in so many directories.
    Notified {
        /// Those that are watched.
        directories: usize,
    },
    /// Every now and then there may have been one.
    Polling {
        /// Why the system does not tell.
        reason: String,
    },
}

/// Tells when a tree may have changed. What is ignored by discovery is not watched.
pub struct Watch {
    root: PathBuf,
    options: WatchOptions,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
    mode: WatchMode,
    /// None when polling.
    watcher: Option<RecommendedWatcher>,
    watched: FxHashSet<PathBuf>,
}

enum Signal {
    /// Something changed; these paths may be gone, and the system's watches on them.
    Changed {
        gone: Vec<PathBuf>,
    },
    Stop,
}

/// Ends a [`Watch`] from elsewhere.
#[derive(Clone)]
pub struct Stopper(Sender<Signal>);

impl Stopper {
    /// Makes the present or next [`Watch::wait`] return `false`.
    pub fn stop(&self) {
        // Without a receiver, it has ended already.
        _ = self.0.send(Signal::Stop);
    }
}

impl Watch {
    /// Watches the directory `root`. What changes from now on is told, so bring the index up to date after this, not
    /// before. If the tree has too many directories, or the system gives no watch, this is no error: see
    /// [`Watch::mode`].
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

    /// How changes come to be known at present. A tree that grows may come to be polled.
    pub fn mode(&self) -> &WatchMode {
        &self.mode
    }

    /// Something to end this with.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }

    /// Waits until the tree may have changed; `false` if it was [stopped](Stopper::stop).
    pub fn wait(&mut self) -> bool {
        if self.watcher.is_none() {
            return loop {
                match self.signals.recv_timeout(self.options.interval) {
                    // From before it was polled.
                    Ok(Signal::Changed { .. }) => {}
                    Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => break false,
                    Err(RecvTimeoutError::Timeout) => break true,
                }
            };
        }
        let Ok(Signal::Changed { mut gone }) = self.signals.recv() else { return false };
        let first = Instant::now();
        while first.elapsed() < self.options.patience {
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

    /// Watches the directories there are now.
    fn follow(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let limit = self.options.max_directories;
        let found: FxHashSet<PathBuf> = directories(&self.root).take(limit + 1).collect();
        if found.len() > limit {
            return self.poll(format!("more than {limit} directories"));
        }
        for path in self.watched.difference(&found) {
            // One that is gone is not watched any more.
            _ = watcher.unwatch(path);
        }
        for path in found.difference(&self.watched) {
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                // Gone between the walk and now: its parent tells.
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

/// What an event means; nothing if it is only someone who reads.
fn signal(event: notify::Result<Event>) -> Option<Signal> {
    let Ok(event) = event else { return Some(Signal::Changed { gone: Vec::new() }) };
    if event.kind.is_access() {
        return None;
    }
    let may_be_gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
    Some(Signal::Changed { gone: if may_be_gone { event.paths } else { Vec::new() } })
}
