//! The peers: `xtask/peers/peers.py` in a virtual environment of its own.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::task::Request;
use crate::workspace::{metadata, root, run};

/// The running program.
pub(super) struct Peers {
    program: Child,
    answers: BufReader<ChildStdout>,
    result: PathBuf,
    /// The versions of the libraries.
    pub(super) versions: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Question<'a> {
    graph: &'a Path,
    task: &'a str,
    peer: &'a str,
    seeds: &'a [u32],
    seed: u64,
    tolerance: f64,
    result: &'a Path,
}

#[derive(Deserialize)]
struct Answer {
    ms: f64,
}

impl Peers {
    /// Starts the program, which leaves its results in a file of `scratch`.
    pub(super) fn start(scratch: &Path) -> Result<Self> {
        let scripts = root()?.join("xtask/peers");
        let mut program = Command::new(environment(&scripts)?)
            .arg(scripts.join("peers.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut answers = BufReader::new(program.stdout.take().expect("its output is a pipe"));
        let versions = read(&mut answers)?;
        Ok(Self { program, answers, result: scratch.join("result"), versions })
    }

    /// Has a peer do a task, and returns the milliseconds that it took and its result.
    pub(super) fn ask(
        &mut self,
        graph: &Path,
        task: &str,
        peer: &str,
        request: &Request,
    ) -> Result<(f64, Vec<f64>)> {
        let Request { seeds, seed, tolerance } = request;
        let question =
            Question { graph, task, peer, seeds, seed: *seed, tolerance: *tolerance, result: &self.result };
        let mut questions = self.program.stdin.as_ref().expect("its input is a pipe");
        writeln!(questions, "{}", serde_json::to_string(&question)?)?;
        let Answer { ms } = read(&mut self.answers).with_context(|| format!("{peer} fails at {task}"))?;
        let numbers = fs::read(&self.result)?;
        let numbers = numbers.as_chunks().0.iter().copied().map(f64::from_le_bytes);
        Ok((ms, numbers.collect()))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // The program ends with its input. How, is of no interest once all answers are there.
        drop(self.program.stdin.take());
        let _ = self.program.wait();
    }
}

fn read<T: DeserializeOwned>(answers: &mut impl BufRead) -> Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    serde_json::from_str(&line).with_context(|| format!("`peers.py` answers {line:?}"))
}

/// The Python of an environment with the libraries, made below the target directory by `PYTHON` (or `python3`) unless
/// it is there.
fn environment(scripts: &Path) -> Result<PathBuf> {
    let requirements = scripts.join("requirements.txt");
    let wanted = fs::read(&requirements)?;
    let place = metadata()?.target_directory.into_std_path_buf().join("bench-peers");
    let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let installed = place.join("installed.txt");
    if !fs::read(&installed).is_ok_and(|known| known == wanted) {
        let base = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        run(Command::new(base).args(["-m", "venv", "--clear"]).arg(&place))?;
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(requirements))?;
        fs::write(installed, wanted)?;
    }
    Ok(python)
}
