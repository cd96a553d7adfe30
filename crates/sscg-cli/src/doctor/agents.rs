//! Checks of agents: their presence, their registration of the server, and its answer to a call.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Check;
use super::server::{Problem, Trial, is_harmless, try_server};
use crate::agents::{AGENTS, Agent, Home, NAME, TextFile, is_own, launch_of};
use crate::text::count;

const ABOUT: &str = "agents";

/// Timeout after which a silent program counts as broken.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of bytes of a version.
const MAX_VERSION: u64 = 1000;

/// Checks all agents; those that are not on this machine are only named.
pub(crate) fn check_agents(root: &Path) -> Vec<Check> {
    let Some(home) = Home::of_user() else {
        return vec![Check::warn(ABOUT, "the system knows no home directory of yours", "set HOME")];
    };
    let mut checks = Vec::new();
    let mut others = Vec::new();
    let mut trials = Trials::default();
    for agent in AGENTS {
        let found = agent.find(&home);
        let mut registered = Vec::new();
        let (users, projects) = (agent.user_file(&home), agent.project_file(root));
        let is_same =
            users.canonicalize().is_ok_and(|users| projects.canonicalize().is_ok_and(|it| it == users));
        registered.extend(check_file(agent, &users, Author::User, &mut trials));
        if !is_same {
            registered.extend(check_file(agent, &projects, Author::Anyone, &mut trials));
        }
        match found {
            _ if !registered.is_empty() => checks.extend(registered),
            Some(at) => checks.push(Check::warn(
                ABOUT,
                format!("{} ({}) is not told of sscg", agent.title, at.display()),
                format!("`sscg install --agent {}`", agent.name),
            )),
            None => others.push(agent.title),
        }
    }
    if !others.is_empty() {
        checks.push(Check::ok(ABOUT, format!("not on this machine: {}", others.join(", "))));
    }
    checks
}

/// Author of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author {
    /// Current user: programs in the configuration may be started.
    User,
    /// Anyone, such as the author of a repository that was checked out.
    Anyone,
}

/// Checks the entry under the name of the server in a configuration; `None` if there is no entry.
fn check_file(agent: &Agent, path: &Path, author: Author, trials: &mut Trials) -> Option<Check> {
    let place = || format!("{}, {}", agent.title, path.display());
    let file = match TextFile::read(path) {
        Ok(file) => file,
        Err(error) => return Some(Check::error(ABOUT, &error)),
    };
    match agent.registered(file.text()) {
        Ok(server) => Some(check_server(agent, &place(), &server?, author, trials)),
        Err(message) => Some(Check::fail(
            ABOUT,
            format!("{}: {message}", place()),
            format!("mend the file; {} cannot read it either", agent.title),
        )),
    }
}

/// Trials of servers by their command lines: most agents have the same one.
type Trials = BTreeMap<(PathBuf, Vec<String>), Result<Trial, Problem>>;

fn check_server(agent: &Agent, place: &str, server: &Value, author: Author, trials: &mut Trials) -> Check {
    let launch = launch_of(server);
    let (true, Some(launch)) = (is_own(server), launch) else {
        let hint = format!("`sscg install --agent {} --force` replaces it", agent.name);
        return Check::warn(ABOUT, format!("{place}: {NAME} is another program there"), hint);
    };
    let command = format!("{} {}", launch.program, launch.arguments.join(" "));
    let program = find(&launch.program);
    if let (Ok(path), Author::Anyone) = (&program, author)
        && !is_known(path)
    {
        return Check::warn(
            ABOUT,
            format!("{place}: {command} is not the sscg of this machine, and was not started"),
            format!(
                "look at what it is; `sscg install --agent {} --scope project` registers this one",
                agent.name
            ),
        );
    }
    match program.and_then(|path| Ok((version_of(&path)?, path))) {
        // Someone else may have chosen arguments that write files or send code.
        Ok((version, _))
            if version == own_version() && author == Author::Anyone && !is_harmless(&launch.arguments) =>
        {
            Check::ok(ABOUT, format!("{place}: {command}, not started with these arguments of the project"))
        }
        Ok((version, path)) if version == own_version() => {
            let key = (path, launch.arguments);
            let tried = trials.entry(key).or_insert_with_key(|(path, arguments)| try_server(path, arguments));
            match tried {
                Ok(Trial { tools, called }) => {
                    let tools = count(*tools, "tool");
                    let called = called.map_or_else(String::new, |tool| format!(", {tool} answers"));
                    Check::ok(ABOUT, format!("{place}: {command}: {tools}{called}"))
                }
                Err(Problem { message, hint }) => {
                    Check::fail(ABOUT, format!("{place}: {command} {message}"), hint.clone())
                }
            }
        }
        Ok((version, _)) => Check::warn(
            ABOUT,
            format!("{place}: {command} is {version}, and this is {}", own_version()),
            format!("`sscg install --agent {}` registers this one", agent.name),
        ),
        Err(message) => Check::fail(
            ABOUT,
            format!("{place}: {command} does not start: {message}"),
            format!("`sscg install --agent {}` writes where sscg is now", agent.name),
        ),
    }
}

fn own_version() -> String {
    format!("sscg {}", env!("SSCG_VERSION"))
}

/// Returns the path of a program.
fn find(program: &str) -> Result<PathBuf, String> {
    which::which(program).map_err(|_| "there is no such program".to_owned())
}

/// True if a program is this one, or the one that a shell finds: the user has started both before.
fn is_known(path: &Path) -> bool {
    let known = [std::env::current_exe().ok(), which::which("sscg").ok()];
    let mut known = known.into_iter().flatten().filter_map(|path| path.canonicalize().ok());
    path.canonicalize().is_ok_and(|path| known.any(|known| known == path))
}

/// Returns the version that a program prints.
fn version_of(path: &Path) -> Result<String, String> {
    let say = |error: std::io::Error| sscg::index::describe(&error);
    // A file has an end even if the program leaves a child behind that could still write; a pipe does not.
    let mut output = tempfile::tempfile().map_err(say)?;
    let stdout = output.try_clone().map_err(say)?;
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null());
    let mut child = command.spawn().map_err(say)?;
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(say)? {
            break status;
        }
        if started.elapsed() > TIMEOUT {
            // The program may have exited meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err("it does not answer".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    if !status.success() {
        return Err(format!("it ends with {status}"));
    }
    let mut version = Vec::new();
    output.rewind().and_then(|()| output.take(MAX_VERSION).read_to_end(&mut version)).map_err(say)?;
    Ok(String::from_utf8_lossy(&version).trim().to_owned())
}
