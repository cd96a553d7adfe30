//! Several projects in one process.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use sscg_core::Corpus;
use sscg_index::{Busy, RefreshReport, Snapshot};

use crate::engine::{Question, prepare};
use crate::responder::Responder;
use crate::{Engine, EngineOptions, Error, GraphRequest, GraphResponse, Response, SearchRequest, explore};

/// Projects that are opened when they are first asked about, and closed again, those asked about least recently first,
/// when together they take more memory than they may.
///
/// All methods take `&self` and may be called from many threads. Questions about different projects do not wait for each
/// other. Of two about the same project, one brings the index up to date; the other waits for it, or, with
/// [`Busy::UseReady`], is answered from the snapshot there is. Answers themselves are made side by side.
pub struct Workspace {
    /// In the order they were added.
    projects: RwLock<Vec<Arc<Slot>>>,
    memory: usize,
    clock: AtomicU64,
}

/// A project's place.
struct Slot {
    path: PathBuf,
    options: EngineOptions,
    responder: Responder,
    /// Held while the index is brought up to date.
    engine: Mutex<Option<Engine>>,
    ready: Mutex<Option<Ready>>,
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

impl Workspace {
    /// A workspace without projects, which may take `memory` bytes for those that are open, as
    /// [`Snapshot::memory`] estimates them. The project asked about last stays open whatever it takes.
    pub fn new(memory: usize) -> Self {
        Self { projects: RwLock::default(), memory, clock: AtomicU64::new(0) }
    }

    /// Adds a project, which is not opened before it is asked about. One that is there already is not added twice.
    pub fn add(&self, path: impl AsRef<Path>, options: EngineOptions) {
        // A path that does not exist yet is a project that cannot be opened yet.
        let path = path.as_ref().canonicalize().unwrap_or_else(|_| path.as_ref().to_owned());
        let mut projects = self.projects.write().unwrap_or_else(PoisonError::into_inner);
        if projects.iter().all(|slot| slot.path != path) {
            let responder = Responder::new(options.clone());
            let (engine, ready) = (Mutex::default(), Mutex::default());
            projects.push(Arc::new(Slot { path, options, responder, engine, ready }));
        }
    }

    /// The projects, in the order they were added.
    pub fn projects(&self) -> Vec<PathBuf> {
        self.slots().iter().map(|slot| slot.path.clone()).collect()
    }

    /// The projects that are open, with the bytes they take by estimate, in the order they were added.
    pub fn open_projects(&self) -> Vec<(PathBuf, usize)> {
        let bytes = |slot: &Arc<Slot>| Some((slot.path.clone(), slot.ready().as_ref()?.bytes()));
        self.slots().iter().filter_map(bytes).collect()
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
        let question = prepare(request)?;
        let chosen: Vec<(PathBuf, Result<Arc<Slot>, Error>)> = if projects.is_empty() {
            self.slots().into_iter().map(|slot| (slot.path.clone(), Ok(slot))).collect()
        } else {
            projects.iter().map(|name| (name.as_ref().to_owned(), self.named(name.as_ref()))).collect()
        };
        let answer = |slot: Arc<Slot>| {
            let (snapshot, refresh) = self.refresh_slot(&slot, request.corpus)?;
            let question: Question = (question.0.clone(), question.1);
            slot.responder.answer(request, question, snapshot, refresh)
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
        let renderer = explore::prepare(request)?;
        let (snapshot, refresh) = self.refresh(project)?;
        explore::answer(request, renderer, snapshot, refresh)
    }

    /// Brings the index of a project's code up to date, and returns the state of the tree it now stands for.
    ///
    /// # Errors
    /// If there is no such project, or it cannot be opened.
    pub fn refresh(&self, project: impl AsRef<Path>) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        self.refresh_slot(&*self.named(project.as_ref())?, Corpus::Code)
    }

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

    fn refresh_slot(&self, slot: &Slot, corpus: Corpus) -> Result<(Arc<Snapshot>, RefreshReport), Error> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut engine = match slot.engine.try_lock() {
            Ok(engine) => engine,
            Err(TryLockError::WouldBlock) => {
                if slot.options.index.busy == Busy::UseReady
                    && let Some(ready) = slot.ready().as_mut()
                    && let Some(snapshot) = ready.of(corpus).clone()
                {
                    ready.used = used;
                    return Ok((snapshot, RefreshReport::default()));
                }
                slot.engine.lock().unwrap_or_else(PoisonError::into_inner)
            }
            Err(TryLockError::Poisoned(engine)) => engine.into_inner(),
        };
        // One that panicked, or whose directory is gone, is opened anew: that says what is wrong.
        if slot.engine.is_poisoned() || engine.as_ref().is_some_and(|engine| !engine.root().is_dir()) {
            slot.engine.clear_poison();
            *engine = None;
            *slot.ready() = None;
        }
        let open = match &mut *engine {
            Some(open) => open,
            closed => closed.insert(Engine::open_with(&slot.path, slot.options.clone())?),
        };
        let (snapshot, report) = open.refresh_corpus(corpus, &|_, _| {})?;
        let mut ready = slot.ready();
        let of_slot = ready.get_or_insert_default();
        *of_slot.of(corpus) = Some(Arc::clone(&snapshot));
        of_slot.used = used;
        drop(ready);
        drop(engine);
        self.close_others(slot);
        Ok((snapshot, report))
    }

    /// Closes projects until the open ones take no more than they may, but not this one, nor any that is being indexed.
    fn close_others(&self, used: &Slot) {
        let mut open: Vec<(u64, usize, Arc<Slot>)> = Vec::new();
        for slot in self.slots() {
            let ready = slot.ready().as_ref().map(|ready| (ready.used, ready.bytes()));
            open.extend(ready.map(|(used, bytes)| (used, bytes, slot)));
        }
        open.sort_by_key(|(used, ..)| *used);
        let mut sum: usize = open.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, slot) in open {
            if sum <= self.memory {
                break;
            }
            if slot.path != used.path
                && let Ok(mut engine) = slot.engine.try_lock()
            {
                *engine = None;
                *slot.ready() = None;
                sum -= bytes;
            }
        }
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
    /// Held for moments only, so nothing can panic meanwhile.
    fn ready(&self) -> MutexGuard<'_, Option<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
