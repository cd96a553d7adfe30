//! The MCP server as a separate process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::workspace::{cargo, metadata, run};

/// Builds the command `sscg` as a release or for development, and returns its path.
pub(crate) fn build(is_release: bool) -> Result<PathBuf> {
    let (flags, folder): (&[&str], _) = if is_release { (&["--release"], "release") } else { (&[], "debug") };
    run(cargo(["build", "--quiet", "--package", "sscg-cli"])?.args(flags))?;
    let program = metadata()?.target_directory.join(folder).join("sscg").into_std_path_buf();
    Ok(program.with_extension(std::env::consts::EXE_EXTENSION))
}

/// Returns the command that serves a project, with its index in a directory. The server reads messages from standard
/// input unless `--http` is given.
pub(crate) fn command(program: &Path, project: &Path, index: &Path, tools: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["mcp", "--tools", tools, "--index-dir"]).arg(index).arg(project);
    command
}

/// A server that listens on a local port. It is killed on drop.
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
        // Forward further output to the developer; a full pipe would block the server.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::stderr()));
        Ok(serving)
    }

    /// Returns the process ID.
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

/// Protocol version that clients request.
pub(crate) const VERSION: &str = "2025-11-25";

/// Returns the memory of a running process in MB: resident size now (`VmRSS`) or at its peak (`VmHWM`).
pub(crate) fn memory(process: u32, what: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.context("only Linux tells the memory of a process that runs")?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)).context("no such line")?;
    let kibibytes: f64 = line.trim_start_matches(':').trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024.0 / 1e6)
}

/// Returns the parameters of the `initialize` request.
pub(crate) fn hello() -> Value {
    json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } })
}

/// Returns the text of a tool result, or an error if the call failed.
pub(crate) fn answer(message: &Value) -> Result<String> {
    let result = &message["result"];
    let text = result["content"][0]["text"].as_str();
    match text {
        Some(text) if result["isError"] != true => Ok(text.to_owned()),
        _ => bail!("no answer: {message}"),
    }
}

/// A server over its standard streams, and a client of it.
pub(crate) struct Client {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Client {
    /// Starts a server with some tools and initializes the session.
    pub(crate) fn start(program: &Path, project: &Path, store: &Path, tools: &str) -> Result<Self> {
        Self::connect(&mut command(program, project, store, tools))
    }

    /// Runs the command of a server and initializes the session.
    pub(crate) fn connect(command: &mut Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let mut client = Self { process, answers };
        client.ask("initialize", &hello())?;
        client.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Returns the process ID.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    fn tell(&mut self, message: &Value) -> Result<()> {
        let mut input = self.process.stdin.as_ref().expect("it is a pipe");
        Ok(writeln!(input, "{message}")?)
    }

    /// Sends a request and returns the response.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.tell(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the server answers {line:?}"))
    }

    /// Calls a tool and returns the text of its result.
    pub(crate) fn call(&mut self, call: &Value) -> Result<String> {
        answer(&self.ask("tools/call", call)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
