//! `sscg install` and `sscg uninstall`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use sscg::Error;

use super::Directory;
use crate::agents::{
    AGENTS, Agent, Change, Home, Instructions, Launch, Part, Records, Scope, TextFile, What, put_in, take_out,
};
use crate::failure::{Failure, hint, print_error};
use crate::{CommandResult, Global, hook, note, print};

/// Register `sscg mcp` with coding agents, and suggest it to them.
///
/// Adds the server to each agent's configuration file, a skill (and a subagent where the agent has them) as files of their
/// own, and a hook that suggests the server when the agent is about to search without it; a hook never blocks anything.
/// `sscg uninstall` restores each file byte for byte. Running this twice changes nothing, and your additions stay.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  sscg install
  sscg install --agent cursor --agent codex --dry-run
  sscg install --no-hooks --no-skills
  sscg install --agent claude-code --scope project --instructions
  sscg install --agent zed --tools search,docs
  sscg install --agent vscode --print-config")]
pub(crate) struct Install {
    #[command(flatten)]
    directory: Directory,
    /// Register it with this agent; may be given more than once [default: those found on this machine]
    #[arg(long, value_name = "NAME", value_parser = names())]
    agent: Vec<String>,
    /// Register it for all your projects, or in a file of this one.
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Offer only these sets of tools: see `sscg mcp --help`.
    #[arg(long, value_name = "LIST")]
    tools: Option<String>,
    /// Add instructions to the project's AGENTS.md, CLAUDE.md or GEMINI.md, too.
    #[arg(long)]
    instructions: bool,
    /// Add no hooks, and remove those of an earlier installation.
    ///
    /// `agents.suggestions = 0` in sscg.toml, or SSCG_SUGGESTIONS=0, silences them instead.
    #[arg(long)]
    no_hooks: bool,
    /// Add no skills and no subagents, and remove those of an earlier installation.
    #[arg(long)]
    no_skills: bool,
    /// Replace another server of the same name, and skills that were changed.
    #[arg(long)]
    force: bool,
    /// Print the changes, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print the resulting configuration, and write nothing.
    #[arg(long, conflicts_with = "dry_run")]
    print_config: bool,
}

/// Remove `sscg mcp` from the configuration of coding agents.
///
/// Removes files and directories created for it, too. Other servers, and another program named `sscg`, stay.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  sscg uninstall
  sscg uninstall ~/src/shop --scope project
  sscg uninstall --agent cursor --dry-run")]
pub(crate) struct Uninstall {
    #[command(flatten)]
    directory: Directory,
    /// Only from this agent; may be given more than once [default: all]
    ///
    /// Instructions in the project stay then, because other agents may read them.
    #[arg(long, value_name = "NAME", value_parser = names())]
    agent: Vec<String>,
    /// Only registrations for all your projects, or only those in files of this one [default: both]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Print the changes, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

fn names() -> PossibleValuesParser {
    AGENTS.iter().map(|agent| PossibleValue::new(agent.name).help(agent.title)).collect::<Vec<_>>().into()
}

impl Install {
    pub(crate) fn run(self, _: &Global) -> Result<CommandResult, Failure> {
        let home = home()?;
        let agents: Vec<&'static Agent> = match self.agent.as_slice() {
            [] => AGENTS.iter().filter(|agent| agent.find(&home).is_some()).collect(),
            named => chosen(named).collect(),
        };
        if agents.is_empty() {
            let titles: Vec<&str> = AGENTS.iter().map(|agent| agent.title).collect();
            let message = format!("found none of {} on this machine", titles.join(", "));
            let hint = "name one with --agent, or print what to write with --agent NAME --print-config";
            return Err(Error::project(message, hint).into());
        }
        let launch = self.launch()?;
        if self.print_config {
            return print_config(&agents, &launch, |agent| self.file_of(agent, &home));
        }
        let mut work = Work::new(&home, self.dry_run);
        // Without the server, suggestions of it would mislead.
        let mut registered = agents.clone();
        registered.retain(|agent| match self.scope {
            Scope::User => self.install_for_user(agent, &launch, &home, &mut work),
            // Whoever checks out the project may have no sscg, and a hook would fail.
            Scope::Project => {
                let file = agent.project_file(self.directory.path());
                work.put_in(agent.title, &agent.server(&launch), &file, self.force)
            }
        });
        if self.no_skills {
            work.take_out_documents(&registered, self.scope, self.directory.path());
        } else {
            work.put_in_documents(&registered, self.scope, self.directory.path(), self.force);
        }
        if self.instructions {
            for name in instruction_files(&agents) {
                work.put_in("Instructions", &Instructions, &self.directory.path().join(name), false);
            }
        }
        let changed = work.finish()?;
        if self.scope == Scope::Project && Path::new(&launch.program).is_absolute() {
            note(&format!("warning: {} is where sscg stands on this machine", launch.program));
            hint("put its directory on PATH and run this again before others use the file");
        }
        if changed && !self.dry_run {
            hint("restart agents that run; `sscg doctor` checks that they can start the server");
        }
        Ok(CommandResult::Found)
    }

    /// Installs the server and the hook for all projects. Returns true if the agent has the server.
    fn install_for_user(
        &self,
        agent: &'static Agent,
        launch: &Launch,
        home: &Home,
        work: &mut Work<'_>,
    ) -> bool {
        let configuration = agent.configuration(launch, !self.no_hooks, home);
        let is_registered =
            work.put_in(agent.title, configuration.as_ref(), &agent.user_file(home), self.force);
        let hook = agent.separate_hook(launch, home).filter(|_| is_registered);
        if let Some((path, hook)) = hook {
            let title = format!("{}, hook", agent.title);
            if self.no_hooks {
                work.take_out(&title, &hook, &path);
            } else {
                work.put_in(&title, &hook, &path, self.force);
            }
        }
        is_registered
    }

    fn file_of(&self, agent: &Agent, home: &Home) -> PathBuf {
        match self.scope {
            Scope::User => agent.user_file(home),
            Scope::Project => agent.project_file(self.directory.path()),
        }
    }

    fn launch(&self) -> Result<Launch, Error> {
        let tools = self.tools.iter().flat_map(|tools| ["--tools".to_owned(), tools.clone()]);
        Ok(Launch {
            program: program()?,
            arguments: std::iter::once("mcp".to_owned()).chain(tools).collect(),
        })
    }
}

impl Uninstall {
    pub(crate) fn run(self, _: &Global) -> Result<CommandResult, Failure> {
        let home = home()?;
        let agents: Vec<&'static Agent> = match self.agent.as_slice() {
            [] => AGENTS.iter().collect(),
            named => chosen(named).collect(),
        };
        // The launch command does not matter for the removal.
        let launch = Launch::default();
        let mut work = Work::new(&home, self.dry_run);
        let is_all = self.agent.is_empty() && self.scope.is_none() && !self.dry_run;
        if is_all {
            hook::forget_sessions(&home);
        }
        for agent in &agents {
            if self.scope != Some(Scope::Project) {
                let configuration = agent.configuration(&launch, true, &home);
                work.take_out(agent.title, configuration.as_ref(), &agent.user_file(&home));
                if let Some((path, hook)) = agent.separate_hook(&launch, &home) {
                    work.take_out(&format!("{}, hook", agent.title), &hook, &path);
                }
            }
            if self.scope != Some(Scope::User) {
                let file = agent.project_file(self.directory.path());
                work.take_out(agent.title, &agent.server(&launch), &file);
            }
        }
        for scope in [Scope::User, Scope::Project] {
            if self.scope.is_none_or(|only| only == scope) {
                work.take_out_documents(&agents, scope, self.directory.path());
            }
        }
        if self.agent.is_empty() && self.scope != Some(Scope::User) {
            for name in instruction_files(&agents) {
                work.take_out("Instructions", &Instructions, &self.directory.path().join(name));
            }
        }
        let others = if is_all { work.elsewhere()? } else { Vec::new() };
        if !work.finish()? && others.is_empty() {
            print("nothing to remove: no agent has the server\n")?;
        }
        if !others.is_empty() {
            note(&format!("note: what was written for other projects stays: {}", others.join(", ")));
            hint("`sscg uninstall DIR` takes it out there");
        }
        Ok(CommandResult::Found)
    }
}

fn home() -> Result<Home, Error> {
    let hint = "set HOME, or write by hand what `sscg install --agent NAME --print-config` prints";
    Home::of_user().ok_or_else(|| Error::project("the system knows no home directory of yours", hint))
}

fn chosen(names: &[String]) -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| names.iter().any(|name| name == agent.name))
}

/// Returns the files that these agents read in a project, each once.
fn instruction_files(agents: &[&Agent]) -> Vec<&'static str> {
    let mut names: Vec<&str> = agents.iter().map(|agent| agent.instructions).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the command of this program: its name if a shell finds it by that, which survives updates, otherwise its
/// path.
fn program() -> Result<String, Error> {
    let own = std::env::current_exe().and_then(|path| path.canonicalize());
    let own = own.map_err(|error| {
        let message = format!("cannot find the path of sscg: {}", sscg::index::describe(&error));
        Error::project(message, "run it by its path")
    })?;
    let found = which::which("sscg")
        .and_then(|path| path.canonicalize().map_err(|_| which::Error::CannotFindBinaryPath));
    if found.is_ok_and(|found| found == own) {
        return Ok("sscg".to_owned());
    }
    let unprintable = || {
        let message = format!("the path of sscg is not UTF-8: {}", own.display());
        Error::project(message, "put it where configurations can name it")
    };
    own.to_str().map(str::to_owned).ok_or_else(unprintable)
}

fn print_config(
    agents: &[&Agent],
    launch: &Launch,
    file_of: impl Fn(&Agent) -> PathBuf,
) -> Result<CommandResult, Failure> {
    for (at, agent) in agents.iter().enumerate() {
        if agents.len() > 1 {
            let separator = if at > 0 { "\n" } else { "" };
            print(&format!("{separator}# {}, {}:\n", agent.title, file_of(agent).display()))?;
        }
        let config = agent.server(launch).insert("").expect("nothing stands in the way");
        print(&config)?;
    }
    Ok(CommandResult::Found)
}

/// Changes of files, one after the other: a failure of one does not prevent the others.
struct Work<'h> {
    home: &'h Home,
    records: Records,
    dry_run: bool,
    changed: bool,
    failed: bool,
}

impl<'h> Work<'h> {
    fn new(home: &'h Home, dry_run: bool) -> Self {
        Self { home, records: Records::read(&home.data), dry_run, changed: false, failed: false }
    }

    /// Inserts the files of our own for these agents, each once.
    fn put_in_documents(&mut self, agents: &[&Agent], scope: Scope, root: &Path, force: bool) {
        let mut done = BTreeSet::new();
        for agent in agents {
            for (name, path, document) in agent.documents(scope, self.home, root) {
                if done.insert(path.clone()) {
                    self.put_in(&format!("{}, {name}", agent.title), &document, &path, force);
                }
            }
        }
    }

    /// Removes the files of our own for these agents, except those that another agent with the server reads, too.
    fn take_out_documents(&mut self, agents: &[&Agent], scope: Scope, root: &Path) {
        let is_other = |agent: &&Agent| !agents.iter().any(|it| it.name == agent.name);
        let others = AGENTS.iter().filter(is_other).filter(|it| it.has_server(scope, self.home, root));
        let documents = others.flat_map(|agent| agent.documents(scope, self.home, root));
        let mut done: BTreeSet<PathBuf> = documents.map(|(_, path, _)| path).collect();
        for agent in agents {
            for (name, path, document) in agent.documents(scope, self.home, root) {
                if done.insert(path.clone()) {
                    self.take_out(&format!("{}, {name}", agent.title), &document, &path);
                }
            }
        }
    }

    /// Inserts a part into a file. Returns true if the file has it, or would have it.
    fn put_in(&mut self, title: &str, part: &dyn Part, path: &Path, force: bool) -> bool {
        let change = TextFile::read(path).and_then(|file| put_in(part, file, &self.records, force));
        self.make(title, change)
    }

    fn take_out(&mut self, title: &str, part: &dyn Part, path: &Path) {
        let change = TextFile::read(path).and_then(|file| take_out(part, file, &self.records));
        self.make(title, change);
    }

    /// Makes a change, and returns true if nothing prevented it.
    fn make(&mut self, title: &str, change: Result<Change, Error>) -> bool {
        let done = change.and_then(|change| {
            if !self.dry_run {
                change.make(&mut self.records)?;
            }
            Ok(change)
        });
        match &done {
            Ok(change) => {
                self.changed |= change.is_some();
                self.print_change(title, change);
            }
            Err(error) => {
                print_error(error);
                self.failed = true;
            }
        }
        done.is_ok()
    }

    fn print_change(&self, title: &str, change: &Change) {
        let what = match (change.what, self.dry_run) {
            (What::AlreadyThere, _) => "already in",
            (What::Added, false) => "added to",
            (What::Added, true) => "would be added to",
            (What::Updated, false) => "updated in",
            (What::Updated, true) => "would be updated in",
            (What::Removed, false) => "removed from",
            (What::Removed, true) => "would be removed from",
            (What::LeftAlone, _) => "another program has the name in",
            (What::Changed, _) => "was changed since, and stays as it is:",
            (What::NotThere, _) => return,
        };
        let diff = if self.dry_run { change.diff() } else { String::new() };
        // A closed standard output does not prevent changes of files.
        let _ = print(&format!("{title}: {what} {}\n{diff}", change.file().path().display()));
    }

    /// Returns the files that still have a change.
    fn elsewhere(&mut self) -> Result<Vec<String>, Error> {
        Ok(self.records.files()?.map(|file| file.display().to_string()).collect())
    }

    /// Returns true if anything changed; fails if any change failed.
    fn finish(self) -> Result<bool, Failure> {
        if self.failed { Err(Failure::Told) } else { Ok(self.changed) }
    }
}
