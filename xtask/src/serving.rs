//! The MCP server as a process of its own.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

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

/// The version of the protocol that clients speak.
pub(crate) const VERSION: &str = "2025-11-25";

/// The memory of a process that runs, in MB: resident now (`VmRSS`), or at most so far (`VmHWM`).
pub(crate) fn memory(process: u32, what: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.context("only Linux tells the memory of a process that runs")?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)).context("no such line")?;
    let kibibytes: f64 = line.trim_start_matches(':').trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024.0 / 1e6)
}

/// What a client says of itself.
pub(crate) fn hello() -> Value {
    json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } })
}

/// The text of an answer, which must be one.
pub(crate) fn answer(message: &Value) -> Result<String> {
    let result = &message["result"];
    let text = result["content"][0]["text"].as_str();
    match text {
        Some(text) if result["isError"] != true => Ok(text.to_owned()),
        _ => bail!("no answer: {message}"),
    }
}

/// A server over its standard streams.
pub(crate) struct Client {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Client {
    /// Starts a server with some tools and tells it who asks.
    pub(crate) fn start(program: &Path, project: &Path, store: &Path, tools: &str) -> Result<Self> {
        let mut command = command(program, project, store, tools);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let mut client = Self { process, answers };
        client.ask("initialize", &hello())?;
        client.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    fn tell(&mut self, message: &Value) -> Result<()> {
        let mut input = self.process.stdin.as_ref().expect("it is a pipe");
        Ok(writeln!(input, "{message}")?)
    }

    /// The answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.tell(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the server answers {line:?}"))
    }

    /// The text that a tool answers.
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
