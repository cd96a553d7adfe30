//! Peers: semble, from the Python package index, and ck, if it is installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::sscg::answer;
use crate::python::{Program, environment};
use crate::workspace::{copy_tree, root, run};

/// Number of results of a peer, equal to SSCG's default.
const RESULTS: &str = "10";

/// semble with SSCG's built-in table as its model: as a command, and in a long-running process.
pub(super) struct Semble {
    command: PathBuf,
    model: PathBuf,
    scratch: PathBuf,
    /// `xtask/peers/search/search.py`
    program: Program,
    pub(super) versions: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Open<'a> {
    root: &'a Path,
    question: &'a str,
    workers: usize,
}

/// Time and size of an index.
#[derive(Deserialize)]
pub(super) struct Opened {
    pub(super) ms: f64,
    pub(super) files: usize,
    pub(super) chunks: usize,
}

#[derive(Serialize)]
struct Ask<'a> {
    questions: &'a [String],
}

#[derive(Deserialize)]
struct Asked {
    ms: Vec<f64>,
}

impl Semble {
    /// Installs semble, and writes its model to `scratch`.
    pub(super) fn start(scratch: &Path) -> Result<Self> {
        let root = root()?;
        let scripts = root.join("xtask/peers/search");
        let programs = environment("bench-search", &scripts.join("requirements.txt"))?;
        let (python, model) = (programs.join("python"), scratch.join("model"));
        run(Command::new(&python)
            .arg(root.join("training/export.py"))
            .arg(root.join("crates/sscg-embed/models/terms.bin"))
            .arg(&model))?;
        let mut command = Command::new(python);
        command.arg(scripts.join("search.py")).arg(&model);
        let mut program = Program::start(command.env(CACHE, scratch.join("cache")))?;
        let versions = program.read()?;
        Ok(Self { command: programs.join("semble"), model, scratch: scratch.to_owned(), program, versions })
    }

    /// Times the command for indexing a new tree and answering a question.
    pub(super) fn first_answer(&self, question: &str, root: &Path) -> Result<Duration> {
        let cache = tempfile::tempdir_in(&self.scratch)?;
        let mut command = Command::new(&self.command);
        command.env(CACHE, cache.path()).env("SEMBLE_MODEL_NAME", &self.model);
        answer(command.args(["search", "--top-k", RESULTS, question]).arg(root))
    }

    /// Indexes a tree for [`Self::ask`] and answers a question, in the long-running process. With `workers` greater
    /// than 0 it uses that many additional processes, for trees that semble considers large.
    pub(super) fn open(&mut self, question: &str, root: &Path, workers: usize) -> Result<Opened> {
        self.program.ask(&Open { root, question, workers })
    }

    /// Answers questions, and returns the time of each in milliseconds.
    pub(super) fn ask(&mut self, questions: &[String]) -> Result<Vec<f64>> {
        Ok(self.program.ask::<Asked>(&Ask { questions })?.ms)
    }
}

/// Environment variable with the location of semble's indexes.
const CACHE: &str = "SEMBLE_CACHE_LOCATION";

/// ck with lexical search instead of vectors.
pub(super) struct Ck {
    program: PathBuf,
    scratch: PathBuf,
    pub(super) name: String,
    pub(super) version: String,
}

impl Ck {
    /// Returns ck, or `None` if it is not installed.
    pub(super) fn find(program: &Path, scratch: &Path) -> Option<Self> {
        let output = Command::new(program).arg("--version").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (name, version) = text.trim().split_once(' ')?;
        let (program, scratch) = (program.to_owned(), scratch.to_owned());
        Some(Self { program, scratch, name: name.to_owned(), version: version.to_owned() })
    }

    /// Returns a copy of a tree with an index, which ck keeps in the tree.
    pub(super) fn index(&self, name: &str, root: &Path, question: &str) -> Result<PathBuf> {
        let copy = self.scratch.join(name);
        copy_tree(root, &copy)?;
        self.answer(question, &copy)?;
        let index = copy.join(".ck");
        ensure!(fs::exists(&index).context("cannot look for ck's index")?, "ck has made no index of {name}");
        Ok(copy)
    }

    /// Times an answer about an indexed tree.
    pub(super) fn answer(&self, question: &str, root: &Path) -> Result<Duration> {
        answer(Command::new(&self.program).args(["--lex", "--topk", RESULTS, question]).arg(root))
    }
}
