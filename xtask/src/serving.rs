//! The MCP server as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace::{cargo, metadata, run};

/// The command `sscg`, built as a release or for development.
pub(crate) fn build(is_release: bool) -> Result<PathBuf> {
    let (flags, folder): (&[&str], _) = if is_release { (&["--release"], "release") } else { (&[], "debug") };
    run(cargo(["build", "--quiet", "--package", "sscg-cli"])?.args(flags))?;
    let program = metadata()?.target_directory.join(folder).join("sscg").into_std_path_buf();
    Ok(program.with_extension(std::env::consts::EXE_EXTENSION))
}

/// The command that serves a project, with its index in a directory. It takes messages on standard input unless told to
/// listen.
pub(crate) fn command(program: &Path, project: &Path, index: &Path, tools: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["mcp", "--tools", tools, "--index-dir"]).arg(index).arg(project);
    command
}

/// A server that listens on a port of this machine. It ends when this is dropped.
pub(crate) struct Serving {
    process: Child,
    pub(crate) url: String,
}

impl Serving {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut process = command
            .args(["--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let mut said = BufReader::new(process.stderr.take().expect("it is a pipe"));
        let mut serving = Self { process, url: String::new() };
        let mut line = String::new();
        said.read_line(&mut line)?;
        let url = line.trim().strip_prefix("listening at ");
        serving.url = url.with_context(|| format!("the server says {line:?}"))?.to_owned();
        // What else it says is for who reads this; a full pipe would stop it.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::stderr()));
        Ok(serving)
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
