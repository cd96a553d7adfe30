//! Peers: `xtask/peers/peers.py` in its own virtual environment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::request::Request;
use crate::python::{Program, environment};
use crate::workspace::root;

/// The running program of the peers.
pub(super) struct Peers {
    program: Program,
    result: PathBuf,
    /// Versions of the libraries by name.
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
    /// Starts the program, which writes its results to a file in `scratch`.
    pub(super) fn start(scratch: &Path) -> Result<Self> {
        let scripts = root()?.join("xtask/peers");
        let programs = environment("bench-peers", &scripts.join("requirements.txt"))?;
        let mut program =
            Program::start(Command::new(programs.join("python")).arg(scripts.join("peers.py")))?;
        let versions = program.read()?;
        Ok(Self { program, result: scratch.join("result"), versions })
    }

    /// Runs a task with a peer, and returns the time in milliseconds and the result.
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
        let Answer { ms } = self.program.ask(&question).with_context(|| format!("{peer} fails at {task}"))?;
        let numbers = fs::read(&self.result)?;
        let numbers = numbers.as_chunks().0.iter().copied().map(f64::from_le_bytes);
        Ok((ms, numbers.collect()))
    }
}
