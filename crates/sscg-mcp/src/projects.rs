//! Projects of a server, shared by all its clients.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sscg::config::{GraphConfig, KnowledgeConfig, SearchConfig};
use sscg::core::quoted;
use sscg::knowledge::{GivenInputs, Knowledge};
use sscg::{
    Corpus, GraphRequest, GraphResponse, MergedResponse, ProjectState, RefreshReport, Response,
    SearchRequest, WaitPolicy, Workspace,
};

use crate::failure::Failure;
use crate::options::{OpenProject, ProjectOptions};
use crate::paths;

/// Polling interval while a project is being configured.
const TICK: Duration = Duration::from_millis(5);

/// Projects of a server, shared by all its clients.
pub(crate) struct Projects {
    workspace: Workspace,
    open: OpenProject,
    /// Defaults for requests, by project.
    settings: Mutex<HashMap<PathBuf, Settings>>,
    /// Directories within roots that are projects of their own.
    added: Mutex<Vec<PathBuf>>,
    /// Given inputs of the service graph, by project.
    given: Mutex<HashMap<PathBuf, Arc<GivenInputs>>>,
}

/// Defaults for requests to a project.
enum Settings {
    /// Being determined on another thread.
    Asked(JoinHandle<Result<ProjectOptions, sscg::Error>>),
    Known(Arc<Defaults>),
}

/// Defaults for requests to a project, by kind of request.
pub(crate) struct Defaults {
    pub(crate) search: SearchConfig,
    pub(crate) graph: GraphConfig,
    pub(crate) knowledge: KnowledgeConfig,
}

/// Several projects of one request.
#[derive(Default)]
pub(crate) struct OpenProjects {
    pub(crate) projects: Vec<PathBuf>,
    /// Defaults of the first.
    pub(crate) defaults: Option<Arc<Defaults>>,
    /// Lines about those that cannot be opened.
    pub(crate) failures: String,
}

impl Projects {
    pub(crate) fn new(open: OpenProject, memory: usize) -> Self {
        let workspace = Workspace::new(memory);
        Self { workspace, open, settings: Mutex::default(), added: Mutex::default(), given: Mutex::default() }
    }

    /// Resolves a project by the path of a root or the end of that path; without a name, returns the only root.
    pub(crate) fn choose(&self, roots: &[PathBuf], name: Option<&str>) -> Result<PathBuf, Failure> {
        let known = self.known(roots);
        let hint = || {
            let names: Vec<String> = known.iter().map(|path| path.display().to_string()).collect();
            format!("`project` is one of: {}", names.join(", "))
        };
        let Some(name) = name else {
            return match roots {
                [only] => Ok(only.clone()),
                [] => {
                    Err(Failure::new("there is no project", "start the server in a directory, or with one"))
                }
                _ => Err(Failure::new("several projects are served, and `project` is missing", hint())),
            };
        };
        let path = Path::new(name);
        if let Some(exact) = known.iter().find(|known| *known == path) {
            return Ok(exact.clone());
        }
        let mut named = known.iter().filter(|known| known.ends_with(path));
        match (named.next(), named.next()) {
            (Some(only), None) => Ok(only.clone()),
            (None, _) => Err(Failure::new(format!("no project is named {}", quoted(name)), hint())),
            (Some(_), Some(_)) => {
                Err(Failure::new(format!("more than one project is named {}", quoted(name)), hint()))
            }
        }
    }

    /// Adds a directory within the roots as a project; without a path, returns the only root.
    pub(crate) fn add_directory(&self, roots: &[PathBuf], path: Option<&Path>) -> Result<PathBuf, Failure> {
        let Some(path) = path else { return self.choose(roots, None) };
        let directory = paths::directory(roots, path)?;
        let mut added = self.added();
        if !added.contains(&directory) {
            added.push(directory.clone());
        }
        Ok(directory)
    }

    /// Returns the projects that a client with these roots may query.
    pub(crate) fn known(&self, roots: &[PathBuf]) -> Vec<PathBuf> {
        let mut known = roots.to_vec();
        for directory in self.added().iter() {
            if roots.iter().any(|root| directory.starts_with(root)) && !known.contains(directory) {
                known.push(directory.clone());
            }
        }
        known
    }

    /// Returns the defaults for requests to a project. Determining them may require a call to a model provider; the
    /// wait for it is limited by `wait_policy`.
    pub(crate) fn settings(&self, project: &Path, policy: &WaitPolicy<'_>) -> Result<Arc<Defaults>, Failure> {
        let begun = Instant::now();
        loop {
            if let Some(known) = self.settings_now(project)? {
                return Ok(known);
            }
            if policy.limit.is_some_and(|limit| limit < begun.elapsed()) {
                let message = format!("{} is being opened: its model is asked", project.display());
                return Err(Failure { is_error: false, ..Failure::new(message, "ask again in a moment") });
            }
            (policy.yield_while_waiting)(&mut || thread::sleep(TICK));
        }
    }

    /// Opens several projects. One that fails does not affect the others.
    ///
    /// # Errors
    /// If all fail: the failure of the first.
    pub(crate) fn open_all(
        &self,
        projects: &[PathBuf],
        policy: &WaitPolicy<'_>,
    ) -> Result<OpenProjects, Failure> {
        let mut open = OpenProjects::default();
        let mut first = None;
        for project in projects {
            match self.settings(project, policy) {
                Ok(defaults) => {
                    open.defaults.get_or_insert(defaults);
                    open.projects.push(project.clone());
                }
                Err(failure) => {
                    let Failure { message, hint, .. } = &failure;
                    open.failures += &format!("Project {}: error: {message}; {hint}\n", project.display());
                    first.get_or_insert(failure);
                }
            }
        }
        first.filter(|_| open.projects.is_empty()).map_or(Ok(open), Err)
    }

    /// Returns the defaults for requests to a project if they are known; otherwise starts to determine them.
    fn settings_now(&self, project: &Path) -> Result<Option<Arc<Defaults>>, Failure> {
        let mut settings = self.lock_settings();
        match settings.remove(project) {
            Some(Settings::Known(known)) => {
                settings.insert(project.to_owned(), Settings::Known(Arc::clone(&known)));
                Ok(Some(known))
            }
            Some(Settings::Asked(asked)) if asked.is_finished() => {
                let ProjectOptions { engine, search, graph, knowledge } =
                    asked.join().map_err(|_| Failure::mistake())??;
                self.workspace.add(project, engine);
                let known = Arc::new(Defaults { search, graph, knowledge });
                settings.insert(project.to_owned(), Settings::Known(Arc::clone(&known)));
                Ok(Some(known))
            }
            asked => {
                let asked = asked.unwrap_or_else(|| {
                    let (open, project) = (Arc::clone(&self.open), project.to_owned());
                    Settings::Asked(thread::spawn(move || open(&project)))
                });
                settings.insert(project.to_owned(), asked);
                Ok(None)
            }
        }
    }

    pub(crate) fn search(
        &self,
        project: &Path,
        request: &SearchRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<Response, Failure> {
        self.settings(project, policy)?;
        let mut responses = self.workspace.search_within(&[project], request, policy)?;
        let response = responses.pop().expect("one project was asked");
        Ok(response.outcome?)
    }

    /// Searches several projects; see [`Workspace::search_merged`]. A project that cannot be opened does not affect the
    /// others.
    pub(crate) fn search_merged(
        &self,
        projects: &[PathBuf],
        request: &SearchRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<MergedResponse, Failure> {
        Ok(self.workspace.search_merged(projects, request, policy)?)
    }

    pub(crate) fn explore(
        &self,
        project: &Path,
        request: &GraphRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<GraphResponse, Failure> {
        self.settings(project, policy)?;
        Ok(self.workspace.explore_within(project, request, policy)?)
    }

    pub(crate) fn refresh(
        &self,
        project: &Path,
        corpus: Corpus,
        policy: &WaitPolicy<'_>,
    ) -> Result<(Arc<sscg::index::Snapshot>, RefreshReport), Failure> {
        self.settings(project, policy)?;
        Ok(self.workspace.refresh_within(project, corpus, policy)?)
    }

    /// Makes the next update of a project's indexes parse every file again.
    pub(crate) fn discard(&self, project: &Path, policy: &WaitPolicy<'_>) -> Result<(), Failure> {
        self.settings(project, policy)?;
        Ok(self.workspace.discard(project)?)
    }

    /// Returns the service graph of a project. Given inputs replace the previous ones; `None` keeps them.
    pub(crate) fn knowledge(
        &self,
        project: &Path,
        given: Option<GivenInputs>,
        policy: &WaitPolicy<'_>,
    ) -> Result<Arc<Knowledge>, Failure> {
        self.settings(project, policy)?;
        let given = {
            let mut known = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            let known = known.entry(project.to_owned()).or_default();
            if let Some(given) = given {
                *known = Arc::new(given);
            }
            Arc::clone(known)
        };
        Ok(self.workspace.knowledge_within(project, &given, policy)?)
    }

    /// Returns the state of a project without reading its files.
    pub(crate) fn state(&self, project: &Path) -> ProjectState {
        self.workspace.state(project).unwrap_or_default()
    }

    /// Locks the settings; the lock is held only briefly.
    fn lock_settings(&self) -> MutexGuard<'_, HashMap<PathBuf, Settings>> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the added directories; the lock is held only briefly.
    fn added(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
