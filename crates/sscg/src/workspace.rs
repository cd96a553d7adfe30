//! Several projects in one process.

mod turn;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use sscg_core::Corpus;
use sscg_index::{Busy, IndexError, IndexOptions, Progress, RefreshReport, Snapshot, Storage};

use crate::engine::{Question, prepare};
use crate::knowledge::{self, GivenInputs, Knowledge};
use crate::responder::{Basis, Responder};
use crate::{
    Engine, EngineOptions, Error, ErrorKind, GraphRequest, GraphResponse, Response, SearchRequest, explore,
};
use turn::{Held, Turns};

/// Who waits is told so often how far the index is.
const TICK: Duration = Duration::from_millis(100);

/// An index that is as good as up to date is ready within so long.
const MOMENT: Duration = Duration::from_millis(100);

/// Projects that are opened when they are first asked about, and closed again, those asked about least recently first,
/// when together they take more memory than they may.
///
/// All methods take `&self` and may be called from many threads. Questions about different projects do not wait for each
/// other. Of two about the same project, one brings the index up to date; the other waits for it, or, with
/// [`Busy::UseReady`], is answered from the snapshot there is. Answers themselves are made side by side. Who cannot wait
/// for an index says so with [`Patience`].
pub struct Workspace(Arc<Shared>);

struct Shared {
    /// In the order they were added.
    projects: RwLock<Vec<Arc<Slot>>>,
    memory: usize,
    clock: AtomicU64,
}

/// How to wait for an index: how long, and who is told meanwhile how far it is.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// After so long, indexing goes on in the background, and what is ready is used: the state before, or the files that
    /// are indexed already. `None`, the default, to wait as long as it takes.
    pub limit: Option<Duration>,
    /// Told how far the index is, by the thread that waits or one that works.
    pub progress: Progress<'a>,
    /// Does a wait of more than a moment, which is what it is given, once. Nothing is computed by this thread meanwhile, so
    /// that a program which has only so many work at once can let another one work. By default it waits, and that is all.
    pub aside: &'a dyn Fn(&mut dyn FnMut()),
}

impl Default for Patience<'_> {
    fn default() -> Self {
        Self { limit: None, progress: &|_, _| {}, aside: &|wait| wait() }
    }
}

impl Patience<'_> {
    /// Waits by `step`, which is given the time by which to return, with what is waited for if that is there. A wait that
    /// `is_long` is done aside, any other one if it turns out to be.
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
        (self.aside)(&mut || outcome = step(deadline));
        outcome
    }
}

/// What is known of a project without looking at its tree.
#[derive(Clone, Debug, Default)]
pub struct ProjectState {
    /// The state of its code that was indexed last; `None` if it is not open.
    pub snapshot: Option<Arc<Snapshot>>,
    /// How far its index is, if it is being brought up to date just now: what is done, and all there is to do, as
    /// [`Progress`] tells it.
    pub indexing: Option<(usize, usize)>,
}

/// A project's place.
struct Slot {
    path: PathBuf,
    options: EngineOptions,
    responder: Responder,
    /// Who holds it brings the index up to date.
    engine: Arc<Turns<Engine>>,
    ready: Mutex<Option<Ready>>,
    /// How far who holds the engine is: done, all.
    progress: [AtomicUsize; 2],
    /// What could be had of an index that has never been complete.
    gathered: Mutex<Option<(Corpus, Arc<Snapshot>)>>,
    /// Why its index could not be brought up to date last, if for want of memory.
    refused: Mutex<Option<String>>,
    is_gathering: AtomicBool,
}

/// What is kept in memory of a project.
#[derive(Default)]
struct Ready {
    code: Option<Arc<Snapshot>>,
    documents: Option<Arc<Snapshot>>,
    /// By the workspace's clock.
    used: u64,
}

/// What one of several projects says to a question.
#[derive(Debug)]
pub struct ProjectResponse {
    /// The project, as it was added or asked for.
    pub project: PathBuf,
    /// Its answer, or why it has none. Other projects have theirs all the same.
    pub outcome: Result<Response, Error>,
}

type Refreshed = (Arc<Snapshot>, RefreshReport);

impl Workspace {
    /// A workspace without projects, which may take `memory` bytes for those that are open, as
    /// [`Snapshot::memory`] estimates them. The project asked about last stays open whatever it takes.
    pub fn new(memory: usize) -> Self {
        Self(Arc::new(Shared { projects: RwLock::default(), memory, clock: AtomicU64::new(0) }))
    }

    /// Adds a project, which is not opened before it is asked about. One that is there already is not added twice.
    pub fn add(&self, path: impl AsRef<Path>, options: EngineOptions) {
        // A path that does not exist yet is a project that cannot be opened yet.
        let path = path.as_ref().canonicalize().unwrap_or_else(|_| path.as_ref().to_owned());
        let mut projects = self.0.projects.write().unwrap_or_else(PoisonError::into_inner);
        if projects.iter().all(|slot| slot.path != path) {
            projects.push(Arc::new(Slot::new(path, options)));
        }
    }

    /// The projects, in the order they were added.
    pub fn projects(&self) -> Vec<PathBuf> {
        self.0.slots().iter().map(|slot| slot.path.clone()).collect()
    }

    /// The projects that are open, with the bytes they take by estimate, in the order they were added.
    pub fn open_projects(&self) -> Vec<(PathBuf, usize)> {
        self.0.open_projects()
    }

    /// What is known of a project, without waiting for anything.
    ///
    /// # Errors
    /// If there is no such project.
    pub fn state(&self, project: impl AsRef<Path>) -> Result<ProjectState, Error> {
        let slot = self.0.named(project.as_ref())?;
        let snapshot = slot.ready().as_ref().and_then(|ready| ready.code.clone());
        let indexing = (!slot.engine.is_free()).then(|| slot.progress());
        Ok(ProjectState { snapshot, indexing })
    }

    /// Answers a question for each of these projects, or for all if none is named. A project is named by its path, or by
    /// the end of it if no other project has the same.
    ///
    /// # Errors
    /// If the request is not valid. What is wrong with one project stands in its place.
    pub fn search(
        &self,
        projects: &[impl AsRef<Path>],
        request: &SearchRequest,
    ) -> Result<Vec<ProjectResponse>, Error> {
        self.search_within(projects, request, &Patience::default())
    }

    /// [`Workspace::search`], but with so much patience for the index of each project. An answer that is not of the tree as
    /// it is now says so. Where nothing is ready, the outcome is an error of kind
    /// [`NotReady`](crate::ErrorKind::NotReady).
    ///
    /// # Errors
    /// As [`Workspace::search`].
    pub fn search_within(
        &self,
        projects: &[impl AsRef<Path>],
        request: &SearchRequest,
        patience: &Patience<'_>,
    ) -> Result<Vec<ProjectResponse>, Error> {
        let question = prepare(request)?;
        let chosen: Vec<(PathBuf, Result<Arc<Slot>, Error>)> = if projects.is_empty() {
            self.0.slots().into_iter().map(|slot| (slot.path.clone(), Ok(slot))).collect()
        } else {
            projects.iter().map(|name| (name.as_ref().to_owned(), self.0.named(name.as_ref()))).collect()
        };
        let answer = |slot: Arc<Slot>| {
            let basis = match self.0.refresh_if_possible(&slot, request.corpus, patience)? {
                Some((snapshot, refresh)) => Basis { snapshot, refresh, warning: None },
                None => slot.at_hand(request.corpus)?,
            };
            let question: Question = (question.0.clone(), question.1);
            slot.responder.answer(request, question, basis)
        };
        let respond =
            |(project, slot): (_, Result<_, _>)| ProjectResponse { project, outcome: slot.and_then(answer) };
        Ok(chosen.into_iter().map(respond).collect())
    }

    /// Answers a question about the graph of one project.
    ///
    /// # Errors
    /// As [`Engine::explore`], or if there is no such project.
    pub fn explore(&self, project: impl AsRef<Path>, request: &GraphRequest) -> Result<GraphResponse, Error> {
        self.explore_within(project, request, &Patience::default())
    }

    /// [`Workspace::explore`], but with so much patience for the index. After that, the state before answers, and the answer
    /// says so. Half a graph says nothing that could be relied on, so that only a complete one is asked.
    ///
    /// # Errors
    /// As [`Workspace::explore`], and of kind [`NotReady`](crate::ErrorKind::NotReady) if the index takes longer than that, and
    /// there was none before.
    pub fn explore_within(
        &self,
        project: impl AsRef<Path>,
        request: &GraphRequest,
        patience: &Patience<'_>,
    ) -> Result<GraphResponse, Error> {
        let renderer = explore::prepare(request)?;
        let slot = self.0.named(project.as_ref())?;
        let basis = match self.0.refresh_if_possible(&slot, Corpus::Code, patience)? {
            Some((snapshot, refresh)) => Basis { snapshot, refresh, warning: None },
            None => slot.before(Corpus::Code).ok_or_else(|| slot.not_ready())?,
        };
        explore::answer(request, renderer, basis)
    }

    /// The service graph of a project, with so much patience for the index. After that, the graph of the state before.
    ///
    /// # Errors
    /// As [`Engine::knowledge`], if there is no such project, and of kind [`NotReady`](crate::ErrorKind::NotReady) if the
    /// index takes longer than that, and there was none before.
    pub fn knowledge_within(
        &self,
        project: impl AsRef<Path>,
        given: &GivenInputs,
        patience: &Patience<'_>,
    ) -> Result<Arc<Knowledge>, Error> {
        let slot = self.0.named(project.as_ref())?;
        let snapshot = match self.0.refresh_if_possible(&slot, Corpus::Code, patience)? {
            Some((snapshot, _)) => snapshot,
            None => slot.before(Corpus::Code).ok_or_else(|| slot.not_ready())?.snapshot,
        };
        knowledge::of_snapshot(&snapshot, given)
    }

    /// Brings the index of a project's code up to date, and returns the state of the tree it now stands for.
    ///
    /// # Errors
    /// If there is no such project, or it cannot be opened.
    pub fn refresh(&self, project: impl AsRef<Path>) -> Result<Refreshed, Error> {
        self.refresh_within(project, Corpus::Code, &Patience::default())
    }

    /// Brings the index of a project's code or documents up to date, with so much patience.
    ///
    /// # Errors
    /// As [`Workspace::refresh`], and of kind [`NotReady`](crate::ErrorKind::NotReady) if it takes longer than that.
    pub fn refresh_within(
        &self,
        project: impl AsRef<Path>,
        corpus: Corpus,
        patience: &Patience<'_>,
    ) -> Result<Refreshed, Error> {
        let slot = self.0.named(project.as_ref())?;
        self.0.refresh(&slot, corpus, patience)?.ok_or_else(|| slot.not_ready())
    }
}

impl Shared {
    fn slots(&self) -> Vec<Arc<Slot>> {
        self.projects.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The project of that name.
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

    /// Brings an index up to date. `None` if that takes longer, or more memory than it may and the state before is ready.
    fn refresh_if_possible(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        corpus: Corpus,
        patience: &Patience<'_>,
    ) -> Result<Option<Refreshed>, Error> {
        match self.refresh(slot, corpus, patience) {
            Err(error) if error.kind() == ErrorKind::Memory && slot.is_ready(corpus) => Ok(None),
            outcome => outcome,
        }
    }

    /// Brings an index up to date, or has it done by another thread if there is a limit. `None` if it takes longer.
    fn refresh(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        corpus: Corpus,
        patience: &Patience<'_>,
    ) -> Result<Option<Refreshed>, Error> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let Patience { limit, progress, .. } = *patience;
        let started = Instant::now();
        // A limit beyond all time is none.
        let deadline = limit.and_then(|limit| started.checked_add(limit));
        let tell = || {
            let (done, all) = slot.progress();
            if all > 0 {
                progress(done, all);
            }
            // What is ready takes time, too.
            if limit.is_some_and(|limit| started.elapsed() > limit / 2) {
                slot.gather(corpus);
            }
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
                let Some(held) = patience.wait(deadline, is_long, wait) else { return Ok(None) };
                held
            }
        };
        let Some(deadline) = deadline else {
            return self.refresh_now(slot, held, used, corpus, progress).map(Some);
        };
        let (sender, receiver) = mpsc::channel();
        let is_long = slot.is_behind(corpus);
        let (shared, working) = (Arc::clone(self), Arc::clone(slot));
        thread::spawn(move || {
            // Who asked may have gone meanwhile.
            _ = sender.send(shared.refresh_now(&working, held, used, corpus, &|_, _| {}));
        });
        let refreshed = |until: Option<Instant>| loop {
            let left = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()));
            match receiver.recv_timeout(left.min(TICK).min(left / 4 + Duration::from_millis(1))) {
                Ok(outcome) => return Some(outcome),
                Err(mpsc::RecvTimeoutError::Timeout) if left.is_zero() => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => tell(),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let message = format!("indexing {} failed", slot.path.display());
                    return Some(Err(Error::project(message, "this is a mistake in SSCG; please report it")));
                }
            }
        };
        patience.wait(Some(deadline), is_long, refreshed).transpose()
    }

    /// Brings an index up to date, whose turn it is.
    fn refresh_now(
        &self,
        slot: &Slot,
        mut held: Held<Engine>,
        used: u64,
        corpus: Corpus,
        progress: Progress<'_>,
    ) -> Result<Refreshed, Error> {
        // One whose directory is gone is opened anew: that says what is wrong.
        if held.value.as_ref().is_some_and(|engine| !engine.root().is_dir()) {
            slot.close(&mut held);
        }
        let engine = match &mut held.value {
            Some(open) => open,
            closed => closed.insert(Engine::open_with(&slot.path, slot.options.clone())?),
        };
        let mut refresh = || {
            slot.set_progress(0, 0);
            let outcome = engine.refresh_corpus(corpus, &|done, all| {
                slot.set_progress(done, all);
                progress(done, all);
            });
            slot.set_progress(0, 0);
            outcome
        };
        let mut outcome = refresh();
        if let Err(error) = &outcome
            && let Some(excess) = excess(error)
            && self.close_for(slot, excess)
        {
            outcome = refresh();
        }
        *slot.refused() =
            outcome.as_ref().err().filter(|it| it.kind() == ErrorKind::Memory).map(Error::to_string);
        if outcome.is_err() && slot.ready().is_none() {
            // What takes too much memory is looked for among what is ready.
            slot.close(&mut held);
        }
        let (snapshot, report) = outcome?;
        slot.set_ready(corpus, &snapshot, used);
        drop(held);
        self.close_others(slot, self.memory);
        Ok((snapshot, report))
    }

    /// Closes other projects until at least `excess` bytes are free by estimate; none if that is more than all of them take.
    /// True if any was closed.
    fn close_for(&self, used: &Slot, excess: usize) -> bool {
        let open = self.open_projects();
        let all: usize = open.iter().map(|(_, bytes)| bytes).sum();
        let others: usize = open.iter().filter(|(path, _)| *path != used.path).map(|(_, bytes)| bytes).sum();
        excess <= others && self.close_others(used, all - excess)
    }

    /// The projects that are open, with the bytes they take by estimate.
    fn open_projects(&self) -> Vec<(PathBuf, usize)> {
        let bytes = |slot: &Arc<Slot>| Some((slot.path.clone(), slot.ready().as_ref()?.bytes()));
        self.slots().iter().filter_map(bytes).collect()
    }

    /// Closes projects until the open ones take no more than `memory` bytes, but not this one, nor any that is being indexed.
    /// True if any was closed.
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
                sum -= bytes;
                has_closed = true;
            }
        }
        has_closed
    }
}

/// Bytes of memory that were missing, if that is the error.
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

    /// What it takes by estimate.
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
        }
    }

    /// Held for moments only, so nothing can panic meanwhile.
    fn ready(&self) -> MutexGuard<'_, Option<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held for moments only, too.
    fn gathered(&self) -> MutexGuard<'_, Option<(Corpus, Arc<Snapshot>)>> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held for moments only, too.
    fn refused(&self) -> MutexGuard<'_, Option<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether bringing its index up to date takes long, as far as is known.
    fn is_behind(&self, corpus: Corpus) -> bool {
        !self.is_ready(corpus) || self.progress().1 > 0
    }

    fn is_ready(&self, corpus: Corpus) -> bool {
        self.ready().as_mut().is_some_and(|ready| ready.of(corpus).is_some())
    }

    fn progress(&self) -> (usize, usize) {
        let [done, all] = &self.progress;
        (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed))
    }

    fn set_progress(&self, done: usize, all: usize) {
        self.progress[0].store(done, Ordering::Relaxed);
        self.progress[1].store(all, Ordering::Relaxed);
    }

    /// Collects in the background what the store has of an index that has never been complete, which another engine is
    /// writing to it. Without the user's model, which that one asks already.
    fn gather(self: &Arc<Self>, corpus: Corpus) {
        let is_ready = self.is_ready(corpus);
        let is_kept = !matches!(self.options.index.storage, Storage::Ephemeral);
        if is_ready || !is_kept || self.is_gathering.swap(true, Ordering::Relaxed) {
            return;
        }
        let slot = Arc::clone(self);
        thread::spawn(move || {
            let _done = OnDrop(|| slot.is_gathering.store(false, Ordering::Relaxed));
            let index = IndexOptions { busy: Busy::UseReady, embedder: None, ..slot.options.index.clone() };
            let options = EngineOptions { index, ..slot.options.clone() };
            let engine = Engine::open_with(&slot.path, options);
            let gathered = engine.and_then(|mut engine| engine.refresh_corpus(corpus, &|_, _| {}));
            if let Ok((snapshot, _)) = gathered
                && !snapshot.project.files().is_empty()
            {
                slot.keep(corpus, snapshot);
            }
        });
    }

    /// Keeps what was gathered, unless the whole has become ready meanwhile, or nobody makes it any more.
    fn keep(&self, corpus: Corpus, snapshot: Arc<Snapshot>) {
        let mut ready = self.ready();
        let is_ready = ready.as_mut().is_some_and(|ready| ready.of(corpus).is_some());
        if !is_ready && !self.engine.is_free() {
            *self.gathered() = Some((corpus, snapshot));
        }
    }

    /// Puts the whole in the place of what was gathered.
    fn set_ready(&self, corpus: Corpus, snapshot: &Arc<Snapshot>, used: u64) {
        let mut ready = self.ready();
        let of_slot = ready.get_or_insert_default();
        *of_slot.of(corpus) = Some(Arc::clone(snapshot));
        of_slot.used = used;
        *self.gathered() = None;
    }

    /// Forgets all that is in memory of it, the engine of whoever has the turn as well.
    fn close(&self, held: &mut Held<Engine>) {
        held.value = None;
        *self.ready() = None;
        *self.gathered() = None;
    }

    /// The state before, to answer from while the index is brought up to date, or where that takes too much memory.
    fn before(&self, corpus: Corpus) -> Option<Basis> {
        let before = self.ready().as_mut().and_then(|ready| ready.of(corpus).clone())?;
        if let Some(refused) = &*self.refused() {
            let warning =
                format!("the index is not up to date: {refused}; this answer is of the state before");
            return Some(Basis {
                snapshot: before,
                refresh: RefreshReport::default(),
                warning: Some(warning),
            });
        }
        let progress = match self.progress() {
            (_, 0) => ";".to_owned(),
            (done, all) => format!(", {done} of {all} done;"),
        };
        Some(late(before, format!("{progress} this answer is of the state before")))
    }

    /// The state before, or what could be gathered of an index that has never been complete. How much of it there is
    /// stands in the answer.
    fn at_hand(&self, corpus: Corpus) -> Result<Basis, Error> {
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
        match self.progress() {
            (_, 0) => Error::not_ready(format!("{path} is being indexed"), hint),
            (done, all) => Error::not_ready(format!("{path} is being indexed: {done} of {all} done"), hint),
        }
    }
}

/// A snapshot that is not of the tree as it is now, with how the sentence about that ends.
fn late(snapshot: Arc<Snapshot>, end: String) -> Basis {
    let warning = Some(format!("the index is being brought up to date{end}"));
    Basis { snapshot, refresh: RefreshReport::default(), warning }
}

/// Does something when it is dropped, even if that is by a panic.
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
        let mut engine = Engine::open_with(tree.path(), options.clone()).expect("it is there");
        let (snapshot, _) = engine.refresh(&|_, _| {}).expect("memory has no limit");
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
