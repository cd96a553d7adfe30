//! Python programs that measure other libraries, each in its own virtual environment.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::workspace::{metadata, run};

/// A running program that answers requests, one JSON object per line.
pub(crate) struct Program {
    process: Child,
    answers: BufReader<ChildStdout>,
    name: String,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_args().next().unwrap_or(OsStr::new("python")).to_string_lossy().into_owned();
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let answers = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        Ok(Self { process, answers, name })
    }

    pub(crate) fn ask<T: DeserializeOwned>(&mut self, request: &impl Serialize) -> Result<T> {
        let mut requests = self.process.stdin.as_ref().expect("its input is a pipe");
        writeln!(requests, "{}", serde_json::to_string(request)?)?;
        self.read()
    }

    /// Reads the next line of output.
    pub(crate) fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("{} answers {line:?}", self.name))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program ends with its input. Its exit status is irrelevant, since all answers have arrived.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Returns the program directory of the virtual environment `name` with the packages of `requirements`. `PYTHON`
/// (default `python3`) creates it below the target directory, unless it is there.
pub(crate) fn environment(name: &str, requirements: &Path) -> Result<PathBuf> {
    let wanted = fs::read(requirements).with_context(|| requirements.display().to_string())?;
    let place = metadata()?.target_directory.into_std_path_buf().join(name);
    let programs = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let installed = place.join("installed.txt");
    if !fs::read(&installed).is_ok_and(|known| known == wanted) {
        let base = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        run(Command::new(base).args(["-m", "venv", "--clear"]).arg(&place))?;
        run(Command::new(programs.join("python"))
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(requirements))?;
        fs::write(installed, wanted)?;
    }
    Ok(programs)
}
