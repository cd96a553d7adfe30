//! Several projects in one process.

mod lock;
mod merged;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use derive_setters::Setters;
use sscg_core::Corpus;
use sscg_index::{Busy, IndexError, Observer, Progress, RefreshReport, Snapshot, Storage, unobserved};

use crate::context::AnswerContext;
use crate::engine::prepare;
use crate::knowledge::{self, GivenInputs, Knowledge};
use crate::responder::Responder;
use crate::{
    Engine, EngineOptions, Error, ErrorKind, GraphRequest, GraphResponse, Response, SearchRequest, explore,
};
use lock::{Guard, Lock};
pub use merged::MergedResponse;
use tracing::{debug, info};

/// Interval of progress reports to a waiting caller.
const TICK: Duration = Duration::from_millis(100);

/// Maximum time to refresh an index that is nearly up to date.
const MOMENT: Duration = Duration::from_millis(100);

/// Projects that are opened at their first use, and closed again, least recently used first, when they exceed the
/// memory limit.
///
/// All methods take `&self` and may be called from many threads. Questions about different projects do not wait for
/// each other. Of two about the same project, one updates the index; the other waits for it or, with
/// [`Busy::UseReady`], is answered from the existing snapshot. Answers are composed concurrently. [`WaitPolicy`] limits
/// the wait for an index.
///
/// ```
/// use sscg::{EngineOptions, SearchRequest, Storage, Workspace};
///
/// # let (shop, blog) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # std::fs::write(shop.path().join("cart.py"), "def total(prices): return sum(prices)\n")?;
/// # std::fs::write(blog.path().join("post.py"), "def publish(post): post.save()\n")?;
/// let workspace = Workspace::new(512 << 20);
/// workspace.add(&shop, EngineOptions::stored_in(Storage::Ephemeral));
/// workspace.add(&blog, EngineOptions::stored_in(Storage::Ephemeral));
///
/// let responses = workspace.search(&[&shop], &SearchRequest::new("symbol = total"))?;
/// assert_eq!(responses[0].outcome.as_ref().unwrap().answer.results[0].file, "cart.py");
/// // The other project was not needed, so it is not open.
/// assert_eq!(workspace.open_projects().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Workspace(Arc<Shared>);

struct Shared {
    /// Projects, in the order of their addition.
    projects: RwLock<Vec<Arc<Slot>>>,
    memory: usize,
    clock: AtomicU64,
}

/// Wait policy for an index: time limit and progress reports.
#[derive(Clone, Copy, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct WaitPolicy<'a> {
    /// Maximum wait (default `None`, unlimited). After it, indexing continues in the background, and what is ready is
    /// used: the previous state, or the files that are indexed already.
    pub limit: Option<Duration>,
    /// Observer of the index update, called by the waiting thread or a working one (default: none). If it cancels, the
    /// call ends with an error of kind [`Canceled`](crate::ErrorKind::Canceled). The update itself goes on if there
    /// is a limit or another call runs it.
    pub observer: Observer<'a>,
    /// Runs a wait of more than a moment, once. This thread computes nothing meanwhile, so that a program with a
    /// limited number of workers can let another one proceed. By default it only waits.
    pub yield_while_waiting: &'a dyn Fn(&mut dyn FnMut()),
}

impl Default for WaitPolicy<'_> {
    fn default() -> Self {
        Self { limit: None, observer: &unobserved, yield_while_waiting: &|wait| wait() }
    }
}

impl WaitPolicy<'_> {
    /// Waits with `step`, which gets the time by which to return, and returns the outcome if it is there. The wait
    /// runs in `yield_while_waiting`: at once if it `is_long`, otherwise after a moment.
    fn wait<T>(
        &self,
        deadline: Option<Instant>,
        is_long: bool,
        mut step: impl FnMut(Option<Instant>) -> Option<T>,
    ) -> Option<T> {
        let moment = Instant::now() + MOMENT;
        if !is_long {
            let soon = deadline.map_or(moment, |deadline| deadline.min(moment));
            let outcome = step(Some(soon));
            if outcome.is_some() || deadline == Some(soon) {
                return outcome;
            }
        }
        let mut outcome = None;
        (self.yield_while_waiting)(&mut || outcome = step(deadline));
        outcome
    }
}

/// State of a project, as known without reading its tree.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ProjectState {
    /// Last indexed state of its code; `None` if the project is not open.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Progress of a running index update.
    pub indexing: Option<Progress>,
}

/// Entry of a project.
struct Slot {
    path: PathBuf,
    options: EngineOptions,
    responder: Responder,
    /// Engine; the holder of the lock updates the index.
    engine: Arc<Lock<Engine>>,
    ready: Mutex<Option<Ready>>,
    /// Progress of the lock holder.
    progress: Mutex<Progress>,
    /// Partial snapshot of an index that has never been complete.
    gathered: Mutex<Option<(Corpus, Arc<Snapshot>)>>,
    /// Error of the last index update, if it failed for lack of memory.
    refused: Mutex<Option<String>>,
    is_gathering: AtomicBool,
    /// Set until the next update of the index, which parses every file again.
    is_discarded: AtomicBool,
}

/// State of a project in memory.
#[derive(Default)]
struct Ready {
    code: Option<Arc<Snapshot>>,
    documents: Option<Arc<Snapshot>>,
    /// Time of the last use, by the workspace's clock.
    used: u64,
}

/// Response of one of several projects.
#[derive(Debug)]
#[non_exhaustive]
pub struct ProjectResponse {
    /// Project: as it was requested or, if all projects were, its absolute path.
    pub project: PathBuf,
    /// Answer, or error of this project. An error does not affect the other projects.
    pub outcome: Result<Response, Error>,
}

type Refreshed = (Arc<Snapshot>, RefreshReport);

impl Workspace {
    /// Creates a workspace without projects, which may take `memory` bytes for open projects, as estimated by
    /// [`Snapshot::memory`]. The last used project stays open regardless of its size.
    pub fn new(memory: usize) -> Self {
        Self(Arc::new(Shared { projects: RwLock::default(), memory, clock: AtomicU64::new(0) }))
    }

    /// Adds a project, which is opened at its first use. A directory that was added before, under whatever path, keeps its
    /// first options. For a [published](EngineOptions::published) index, `path` is any name.
    pub fn add(&self, path: impl AsRef<Path>, options: EngineOptions) {
        let path = path.as_ref();
        let directory = if options.published.is_none() { path.canonicalize().ok() } else { None };
        // A path that does not exist yet is a project that cannot be opened yet.
        let path = directory.unwrap_or_else(|| path.to_owned());
        let mut projects = self.0.projects.write().unwrap_or_else(PoisonError::into_inner);
        if projects.iter().all(|slot| slot.path != path) {
            projects.push(Arc::new(Slot::new(path, options)));
        }
    }

    /// Returns the projects, in the order of their addition.
    pub fn projects(&self) -> Vec<PathBuf> {
        self.0.slots().iter().map(|slot| slot.path.clone()).collect()
    }

    /// Returns the open projects with their estimated memory in bytes, in the order of their addition.
    pub fn open_projects(&self) -> Vec<(PathBuf, usize)> {
        self.0.open_projects()
    }

    /// Returns the state of a project, without waiting.
    ///
    /// # Errors
    /// If there is no such project.
    pub fn state(&self, project: impl AsRef<Path>) -> Result<ProjectState, Error> {
        let slot = self.0.named(project.as_ref())?;
        let snapshot = slot.ready().as_ref().and_then(|ready| ready.code.clone());
        let indexing = (!slot.engine.is_free()).then(|| slot.progress());
        Ok(ProjectState { snapshot, indexing })
    }

    /// Answers a question for each of these projects, or for all if `projects` is empty. A project is named by its
    /// path, or by a unique suffix of it.
    ///
    /// ```
    /// use sscg::{EngineOptions, SearchRequest, Storage, Workspace};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// # for (name, text) in [("shop/cart.py", "def total(): pass\n"), ("blog/post.py", "def title(): pass\n")] {
    /// #     let path = tree.path().join(name);
    /// #     std::fs::create_dir_all(path.parent().unwrap())?;
    /// #     std::fs::write(path, text)?;
    /// # }
    /// let workspace = Workspace::new(256 << 20);
    /// for project in ["shop", "blog"] {
    ///     workspace.add(tree.path().join(project), EngineOptions::stored_in(Storage::Ephemeral));
    /// }
    /// let all: &[&str] = &[];
    /// let responses = workspace.search(all, &SearchRequest::new("symbol = total"))?;
    /// let found = responses.iter().map(|it| it.outcome.as_ref().map_or(0, |it| it.answer.results.len()));
    /// assert_eq!(found.collect::<Vec<_>>(), [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the request is not valid. An error of one project is its outcome.
    pub fn search(
        &self,
        projects: &[impl AsRef<Path>],
        request: &SearchRequest,
    ) -> Result<Vec<ProjectResponse>, Error> {
        self.search_within(projects, request, &WaitPolicy::default())
    }

    /// Runs [`Workspace::search`] with a wait policy for the index of each project. An answer that is not of the
    /// current tree has a warning. If nothing is ready, the outcome is an error of kind
    /// [`NotReady`](crate::ErrorKind::NotReady).
    ///
    /// # Errors
    /// As [`Workspace::search`].
    pub fn search_within(
        &self,
        projects: &[impl AsRef<Path>],
        request: &SearchRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<Vec<ProjectResponse>, Error> {
        let query = prepare(request)?;
        let chosen: Vec<(PathBuf, Result<Arc<Slot>, Error>)> = if projects.is_empty() {
            self.0.slots().into_iter().map(|slot| (slot.path.clone(), Ok(slot))).collect()
        } else {
            projects.iter().map(|name| (name.as_ref().to_owned(), self.0.named(name.as_ref()))).collect()
        };
        let slots: Vec<&Arc<Slot>> = chosen.iter().filter_map(|(_, slot)| slot.as_ref().ok()).collect();
        if slots.is_empty() {
            Responder::new(EngineOptions::default()).renderer(&request.format)?;
        }
        let unknown = slots.iter().filter_map(|slot| slot.responder.renderer(&request.format).err());
        let unknown: Vec<Error> = unknown.collect();
        if unknown.len() == slots.len()
            && let Some(error) = unknown.into_iter().next()
        {
            return Err(error);
        }
        let answer = |slot: Arc<Slot>| {
            slot.responder.renderer(&request.format)?;
            let context = match self.0.refresh_if_possible(&slot, request.corpus, policy)? {
                Some((snapshot, refresh)) => AnswerContext { snapshot, refresh, warning: None },
                None => slot.at_hand(request.corpus)?,
            };
            slot.responder.answer(request, query.clone(), context)
        };
        let mut is_canceled = false;
        let respond = |(project, slot): (_, Result<_, _>)| {
            let outcome = if is_canceled { Err(IndexError::Canceled.into()) } else { slot.and_then(&answer) };
            is_canceled |= outcome.as_ref().is_err_and(|error: &Error| error.kind() == ErrorKind::Canceled);
            ProjectResponse { project, outcome }
        };
        Ok(chosen.into_iter().map(respond).collect())
    }

    /// Answers a query of the graph of one project.
    ///
    /// # Errors
    /// As [`Engine::explore`], or if there is no such project.
    pub fn explore(&self, project: impl AsRef<Path>, request: &GraphRequest) -> Result<GraphResponse, Error> {
        self.explore_within(project, request, &WaitPolicy::default())
    }

    /// Runs [`Workspace::explore`] with a wait policy for the index. After the limit, the answer is of the previous
    /// state, and has a warning. A partial graph is not reliable, so only a complete one is queried.
    ///
    /// # Errors
    /// As [`Workspace::explore`], and of kind [`NotReady`](crate::ErrorKind::NotReady) if the index exceeds the
    /// limit, and there was none before.
    pub fn explore_within(
        &self,
        project: impl AsRef<Path>,
        request: &GraphRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<GraphResponse, Error> {
        explore::prepare(request)?;
        let slot = self.0.named(project.as_ref())?;
        slot.responder.renderer(&request.format)?;
        let context = match self.0.refresh_if_possible(&slot, Corpus::Code, policy)? {
            Some((snapshot, refresh)) => AnswerContext { snapshot, refresh, warning: None },
            None => slot.before(Corpus::Code).ok_or_else(|| slot.not_ready())?,
        };
        slot.responder.explore(request, context)
    }

    /// Returns the service graph of a project, with a wait policy for the index. After the limit, it is the graph of
    /// the previous state.
    ///
    /// # Errors
    /// As [`Engine::knowledge`], if there is no such project, and of kind [`NotReady`](crate::ErrorKind::NotReady) if
    /// the index exceeds the limit, and there was none before.
    pub fn knowledge_within(
        &self,
        project: impl AsRef<Path>,
        given: &GivenInputs,
        policy: &WaitPolicy<'_>,
    ) -> Result<Arc<Knowledge>, Error> {
        let slot = self.0.named(project.as_ref())?;
        let snapshot = match self.0.refresh_if_possible(&slot, Corpus::Code, policy)? {
            Some((snapshot, _)) => snapshot,
            None => slot.before(Corpus::Code).ok_or_else(|| slot.not_ready())?.snapshot,
        };
        knowledge::of_snapshot(&snapshot, given, policy.observer)
    }

    /// Discards the index of a project's code and documents: the next update parses every file again. Until it is done,
    /// answers are of the previous state. See [`Engine::discard`].
    ///
    /// # Errors
    /// If there is no such project.
    pub fn discard(&self, project: impl AsRef<Path>) -> Result<(), Error> {
        self.0.named(project.as_ref())?.is_discarded.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Updates the index of a project's code, and returns the state of the tree that it represents.
    ///
    /// # Errors
    /// If there is no such project, or it cannot be opened.
    pub fn refresh(&self, project: impl AsRef<Path>) -> Result<Refreshed, Error> {
        self.refresh_within(project, Corpus::Code, &WaitPolicy::default())
    }

    /// Updates the index of a project's code or documents, with a wait policy.
    ///
    /// # Errors
    /// As [`Workspace::refresh`], and of kind [`NotReady`](crate::ErrorKind::NotReady) if it exceeds the limit.
    pub fn refresh_within(
        &self,
        project: impl AsRef<Path>,
        corpus: Corpus,
        policy: &WaitPolicy<'_>,
    ) -> Result<Refreshed, Error> {
        let slot = self.0.named(project.as_ref())?;
        self.0.refresh(&slot, corpus, policy)?.ok_or_else(|| slot.not_ready())
    }
}

impl Shared {
    fn slots(&self) -> Vec<Arc<Slot>> {
        self.projects.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the project of that name.
    fn named(&self, name: &Path) -> Result<Arc<Slot>, Error> {
        let slots = self.slots();
        let path = name.canonicalize();
        let exact =
            slots.iter().find(|slot| slot.path == name || path.as_ref().is_ok_and(|path| *path == slot.path));
        if let Some(slot) = exact {
            return Ok(Arc::clone(slot));
        }
        let mut ending = slots.iter().filter(|slot| slot.path.ends_with(name));
        match (ending.next(), ending.next()) {
            (Some(slot), None) => Ok(Arc::clone(slot)),
            (first, _) => {
                let what = if first.is_some() { "more than one project" } else { "no project" };
                let known: Vec<String> = slots.iter().map(|slot| slot.path.display().to_string()).collect();
                let hint = format!("one of: {}", known.join(", "));
                Err(Error::request(format!("{what} is named {}", name.display()), hint))
            }
        }
    }

    /// Updates an index. `None` if that exceeds the wait limit, or the memory limit while the previous state is
    /// ready.
    fn refresh_if_possible(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        corpus: Corpus,
        policy: &WaitPolicy<'_>,
    ) -> Result<Option<Refreshed>, Error> {
        match self.refresh(slot, corpus, policy) {
            Err(error) if error.kind() == ErrorKind::Memory && slot.is_ready(corpus) => Ok(None),
            outcome => outcome,
        }
    }

    /// Updates an index, in another thread if there is a wait limit. `None` if it exceeds the limit.
    fn refresh(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        corpus: Corpus,
        policy: &WaitPolicy<'_>,
    ) -> Result<Option<Refreshed>, Error> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let WaitPolicy { limit, observer, .. } = *policy;
        let started = Instant::now();
        // A limit beyond the range of time is no limit.
        let deadline = limit.and_then(|limit| started.checked_add(limit));
        let tell = || {
            // Gathering what is ready takes time, too.
            if limit.is_some_and(|limit| started.elapsed() > limit / 2) {
                slot.gather(corpus);
            }
            observer(slot.progress())
        };
        let held = match slot.engine.try_take() {
            Some(held) => held,
            None => {
                if slot.options.index.busy == Busy::UseReady
                    && let Some(ready) = slot.ready().as_mut()
                    && let Some(snapshot) = ready.of(corpus).clone()
                {
                    ready.used = used;
                    return Ok(Some((snapshot, RefreshReport::default())));
                }
                let tick = limit.map_or(TICK, |limit| (limit / 4).min(TICK));
                let is_long = slot.is_behind(corpus);
                let wait = |until| slot.engine.wait(until, tick, tell);
                match policy.wait(deadline, is_long, wait) {
                    Some(ControlFlow::Continue(held)) => held,
                    Some(ControlFlow::Break(())) => return Err(IndexError::Canceled.into()),
                    None => return Ok(None),
                }
            }
        };
        let Some(deadline) = deadline else {
            return self.refresh_now(slot, held, used, corpus, observer).map(Some);
        };
        if observer(slot.progress()).is_break() {
            return Err(IndexError::Canceled.into());
        }
        let (sender, receiver) = mpsc::channel();
        let is_long = slot.is_behind(corpus);
        let (shared, working) = (Arc::clone(self), Arc::clone(slot));
        thread::spawn(move || {
            // The caller may have left meanwhile.
            _ = sender.send(shared.refresh_now(&working, held, used, corpus, &unobserved));
        });
        let refreshed = |until: Option<Instant>| loop {
            let left = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()));
            match receiver.recv_timeout(left.min(TICK).min(left / 4 + Duration::from_millis(1))) {
                Ok(outcome) => return Some(outcome),
                Err(mpsc::RecvTimeoutError::Timeout) if left.is_zero() => return None,
                Err(mpsc::RecvTimeoutError::Timeout) if tell().is_break() => {
                    return Some(Err(IndexError::Canceled.into()));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let message = format!("indexing {} failed", slot.path.display());
                    return Some(Err(Error::project(message, "this is a mistake in SSCG; please report it")));
                }
            }
        };
        policy.wait(Some(deadline), is_long, refreshed).transpose()
    }

    /// Updates an index, given its lock.
    fn refresh_now(
        &self,
        slot: &Slot,
        mut held: Guard<Engine>,
        used: u64,
        corpus: Corpus,
        observer: Observer<'_>,
    ) -> Result<Refreshed, Error> {
        // If the directory is gone, opening it anew reports the error.
        let is_tree = slot.options.published.is_none();
        if is_tree && held.value.as_ref().is_some_and(|engine| !engine.root().is_dir()) {
            slot.close(&mut held);
        }
        let engine = match &mut held.value {
            Some(open) => open,
            closed => {
                debug!(project = %slot.path.display(), "project opened");
                closed.insert(Engine::open_with(&slot.path, slot.options.clone())?)
            }
        };
        if slot.is_discarded.swap(false, Ordering::Relaxed) {
            engine.discard()?;
        }
        let refresh = || {
            let outcome = engine.refresh_with_progress(corpus, &|progress| {
                // Linking counts nothing: the number of parsed files stays visible.
                if progress != Progress::Linking {
                    slot.set_progress(progress);
                }
                observer(progress)
            });
            slot.set_progress(Progress::default());
            outcome
        };
        let mut outcome = refresh();
        if let Err(error) = &outcome
            && let Some(excess) = excess(error)
            && self.close_for(slot, excess)
        {
            outcome = refresh();
        }
        let kind = outcome.as_ref().err().map(Error::kind);
        if kind != Some(ErrorKind::Canceled) {
            *slot.refused() =
                outcome.as_ref().err().filter(|it| it.kind() == ErrorKind::Memory).map(Error::to_string);
        }
        if outcome.is_err() && slot.ready().is_none() {
            // Only ready projects count toward the memory limit, so this one must not stay open.
            slot.close(&mut held);
        }
        let (snapshot, report) = outcome?;
        slot.set_ready(corpus, &snapshot, used);
        drop(held);
        self.close_others(slot, self.memory);
        Ok((snapshot, report))
    }

    /// Closes other projects until at least `excess` bytes are free by estimate; none if all of them take less.
    /// Returns true if any was closed.
    fn close_for(&self, used: &Slot, excess: usize) -> bool {
        let open = self.open_projects();
        let all: usize = open.iter().map(|(_, bytes)| bytes).sum();
        let others: usize = open.iter().filter(|(path, _)| *path != used.path).map(|(_, bytes)| bytes).sum();
        excess <= others && self.close_others(used, all - excess)
    }

    /// Returns the open projects with their estimated memory in bytes.
    fn open_projects(&self) -> Vec<(PathBuf, usize)> {
        let bytes = |slot: &Arc<Slot>| Some((slot.path.clone(), slot.ready().as_ref()?.bytes()));
        self.slots().iter().filter_map(bytes).collect()
    }

    /// Closes projects until the open ones take at most `memory` bytes, except this one and those being indexed.
    /// Returns true if any was closed.
    fn close_others(&self, used: &Slot, memory: usize) -> bool {
        let mut has_closed = false;
        let mut open: Vec<(u64, usize, Arc<Slot>)> = Vec::new();
        for slot in self.slots() {
            let ready = slot.ready().as_ref().map(|ready| (ready.used, ready.bytes()));
            open.extend(ready.map(|(used, bytes)| (used, bytes, slot)));
        }
        open.sort_by_key(|(used, ..)| *used);
        let mut sum: usize = open.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, slot) in open {
            if sum <= memory {
                break;
            }
            if slot.path != used.path
                && let Some(mut held) = slot.engine.try_take()
            {
                slot.close(&mut held);
                info!(project = %slot.path.display(), bytes, limit = memory, "project closed to free memory");
                sum -= bytes;
                has_closed = true;
            }
        }
        has_closed
    }
}

/// Returns the number of missing bytes of an out-of-memory error.
fn excess(error: &Error) -> Option<usize> {
    match std::error::Error::source(error)?.downcast_ref()? {
        IndexError::OutOfMemory { needed, limit, .. } => Some(needed - limit),
        _ => None,
    }
}

impl Ready {
    fn of(&mut self, corpus: Corpus) -> &mut Option<Arc<Snapshot>> {
        match corpus {
            Corpus::Code => &mut self.code,
            Corpus::Documents => &mut self.documents,
        }
    }

    /// Returns the estimated memory in bytes.
    fn bytes(&self) -> usize {
        self.code.iter().chain(&self.documents).map(|snapshot| snapshot.memory()).sum()
    }
}

impl Slot {
    fn new(path: PathBuf, options: EngineOptions) -> Self {
        Self {
            path,
            responder: Responder::new(options.clone()),
            options,
            engine: Arc::default(),
            ready: Mutex::default(),
            progress: Default::default(),
            gathered: Mutex::default(),
            refused: Mutex::default(),
            is_gathering: AtomicBool::new(false),
            is_discarded: AtomicBool::new(false),
        }
    }

    /// Locks the state in memory. The lock is only held briefly, so nothing can panic meanwhile.
    fn ready(&self) -> MutexGuard<'_, Option<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the partial snapshot; only held briefly, too.
    fn gathered(&self) -> MutexGuard<'_, Option<(Corpus, Arc<Snapshot>)>> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the memory error; only held briefly, too.
    fn refused(&self) -> MutexGuard<'_, Option<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if an update of the index is expected to take long.
    fn is_behind(&self, corpus: Corpus) -> bool {
        !self.is_ready(corpus) || self.progress() != Progress::default()
    }

    fn is_ready(&self, corpus: Corpus) -> bool {
        self.ready().as_mut().is_some_and(|ready| ready.of(corpus).is_some())
    }

    fn progress(&self) -> Progress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_progress(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// Collects in the background what the store has of an index that has never been complete, which another engine
    /// is writing to it. Does not use the user's model, which the other engine calls already.
    fn gather(self: &Arc<Self>, corpus: Corpus) {
        let is_ready = self.is_ready(corpus);
        let is_kept =
            self.options.published.is_none() && !matches!(self.options.index.storage, Storage::Ephemeral);
        if is_ready || !is_kept || self.is_gathering.swap(true, Ordering::Relaxed) {
            return;
        }
        let slot = Arc::clone(self);
        thread::spawn(move || {
            let _done = OnDrop(|| slot.is_gathering.store(false, Ordering::Relaxed));
            let mut options = slot.options.clone();
            options.index.busy = Busy::UseReady;
            options.index.embedder = None;
            let engine = Engine::open_with(&slot.path, options);
            let gathered = engine.and_then(|engine| engine.refresh_with_progress(corpus, &unobserved));
            if let Ok((snapshot, _)) = gathered
                && !snapshot.project.files().is_empty()
            {
                slot.keep(corpus, snapshot);
            }
        });
    }

    /// Stores a partial snapshot, unless the complete one has become ready meanwhile, or no engine works on it any
    /// more.
    fn keep(&self, corpus: Corpus, snapshot: Arc<Snapshot>) {
        let mut ready = self.ready();
        let is_ready = ready.as_mut().is_some_and(|ready| ready.of(corpus).is_some());
        if !is_ready && !self.engine.is_free() {
            *self.gathered() = Some((corpus, snapshot));
        }
    }

    /// Replaces the partial snapshot with the complete one.
    fn set_ready(&self, corpus: Corpus, snapshot: &Arc<Snapshot>, used: u64) {
        let mut ready = self.ready();
        let of_slot = ready.get_or_insert_default();
        *of_slot.of(corpus) = Some(Arc::clone(snapshot));
        of_slot.used = used;
        *self.gathered() = None;
    }

    /// Drops everything in memory, including the engine of the lock holder.
    fn close(&self, held: &mut Guard<Engine>) {
        held.value = None;
        *self.ready() = None;
        *self.gathered() = None;
    }

    /// Returns the previous state as context while the index is being updated, or if that takes too much memory.
    fn before(&self, corpus: Corpus) -> Option<AnswerContext> {
        let before = self.ready().as_mut().and_then(|ready| ready.of(corpus).clone())?;
        if let Some(refused) = &*self.refused() {
            let warning =
                format!("the index is not up to date: {refused}; this answer is of the state before");
            return Some(AnswerContext {
                snapshot: before,
                refresh: RefreshReport::default(),
                warning: Some(warning),
            });
        }
        let progress = match self.progress().counts() {
            None => ";".to_owned(),
            Some((done, total)) => format!(", {done} of {total} done;"),
        };
        Some(late(before, format!("{progress} this answer is of the state before")))
    }

    /// Returns the previous state, or the partial snapshot of an index that has never been complete. The answer shows
    /// how much of it there is.
    fn at_hand(&self, corpus: Corpus) -> Result<AnswerContext, Error> {
        let gathered = || {
            let (_, snapshot) = self.gathered().clone().filter(|(of, _)| *of == corpus)?;
            Some(late(snapshot, "; ask again for a full answer".to_owned()))
        };
        self.before(corpus).or_else(gathered).ok_or_else(|| self.not_ready())
    }

    fn not_ready(&self) -> Error {
        if let Some(refused) = &*self.refused() {
            return Error::memory(refused.clone());
        }
        let path = self.path.display();
        let hint = "ask again in a moment: indexing goes on meanwhile";
        let done = match self.progress().counts() {
            None => String::new(),
            Some((done, total)) => format!(": {done} of {total} done"),
        };
        Error::not_ready(format!("{path} is being indexed{done}"), hint)
    }
}

/// Returns a snapshot that is not of the current tree as context; `end` completes the warning.
fn late(snapshot: Arc<Snapshot>, end: String) -> AnswerContext {
    let warning = Some(format!("the index is being brought up to date{end}"));
    AnswerContext { snapshot, refresh: RefreshReport::default(), warning }
}

/// Guard that runs a function when dropped, even by a panic.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gathered_too_late_is_not_kept() {
        let tree = tempfile::tempdir().expect("temporary directory");
        std::fs::write(tree.path().join("app.py"), "def work():\n    pass\n").expect("ours");
        let options = EngineOptions::stored_in(Storage::Ephemeral);
        let engine = Engine::open_with(tree.path(), options.clone()).expect("it is there");
        let (snapshot, _) = engine.refresh().expect("memory has no limit");
        let slot = Slot::new(tree.path().to_owned(), options);
        let is_kept = |slot: &Slot| slot.gathered().is_some();
        slot.keep(Corpus::Code, Arc::clone(&snapshot));
        assert!(!is_kept(&slot), "nobody makes the index");
        let mut held = slot.engine.try_take().expect("free");
        slot.keep(Corpus::Code, Arc::clone(&snapshot));
        assert!(is_kept(&slot) && slot.at_hand(Corpus::Code).is_ok() && slot.before(Corpus::Code).is_none());
        slot.set_ready(Corpus::Code, &snapshot, 1);
        assert!(!is_kept(&slot) && slot.before(Corpus::Code).is_some());
        slot.keep(Corpus::Code, Arc::clone(&snapshot));
        assert!(!is_kept(&slot), "the whole is ready");
        slot.keep(Corpus::Documents, snapshot);
        assert!(is_kept(&slot), "of documents nothing is ready");
        slot.close(&mut held);
        assert!(!is_kept(&slot) && slot.at_hand(Corpus::Code).is_err());
    }
}
