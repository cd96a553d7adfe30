//! Which agents there are, whether they are told of the server, and whether they can start it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Check;
use crate::agents::{AGENTS, Agent, Home, NAME, TextFile, is_own, launch_of};

const ABOUT: &str = "agents";

/// A program that says nothing for so long does not run.
const PATIENCE: Duration = Duration::from_secs(5);

/// All agents; of those that are not on this machine only the names.
pub(crate) fn check_agents(root: &Path) -> Vec<Check> {
    let Some(home) = Home::of_user() else {
        return vec![Check::warn(ABOUT, "the system knows no home directory of yours", "set HOME")];
    };
    let mut checks = Vec::new();
    let mut others = Vec::new();
    for agent in AGENTS {
        let found = agent.find(&home);
        let mut of_agent = Vec::new();
        for file in [agent.user_file(&home), agent.project_file(root)] {
            let check = check_file(agent, &file);
            if !of_agent.contains(&check) {
                of_agent.push(check);
            }
        }
        let registered: Vec<Check> = of_agent.into_iter().flatten().collect();
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

/// What a configuration has under the name of the server; `None` if it has nothing.
fn check_file(agent: &Agent, path: &Path) -> Option<Check> {
    let place = || format!("{}, {}", agent.title, path.display());
    let file = match TextFile::read(path) {
        Ok(file) => file,
        Err(error) => return Some(Check::error(ABOUT, &error)),
    };
    match agent.registered(file.text()) {
        Ok(server) => Some(check_server(agent, &place(), &server?)),
        Err(message) => Some(Check::fail(
            ABOUT,
            format!("{}: {message}", place()),
            format!("mend the file; {} cannot read it either", agent.title),
        )),
    }
}

fn check_server(agent: &Agent, place: &str, server: &Value) -> Check {
    let launch = launch_of(server);
    let (true, Some(launch)) = (is_own(server), launch) else {
        let hint = format!("`sscg install --agent {} --force` replaces it", agent.name);
        return Check::warn(ABOUT, format!("{place}: {NAME} is another program there"), hint);
    };
    let command = format!("{} {}", launch.program, launch.arguments.join(" "));
    match version_of(&launch.program) {
        Ok(version) if version == own_version() => Check::ok(ABOUT, format!("{place}: {command}")),
        Ok(version) => Check::warn(
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

/// What a program says of its version.
fn version_of(program: &str) -> Result<String, String> {
    let say = |error: &std::io::Error| sscg::index::describe(error);
    let path = which::which(program).map_err(|_| "there is no such program".to_owned())?;
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| say(&error))?;
    let started = Instant::now();
    while child.try_wait().map_err(|error| say(&error))?.is_none() {
        if started.elapsed() > PATIENCE {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err("it does not answer".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(|error| say(&error))?;
    if !output.status.success() {
        return Err(format!("it ends with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
