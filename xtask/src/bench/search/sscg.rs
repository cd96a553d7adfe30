//! The command, as released.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::bench::times::timed;
use crate::workspace::{cargo, metadata, run};

pub(super) struct Sscg {
    program: PathBuf,
}

impl Sscg {
    pub(super) fn build() -> Result<Self> {
        run(&mut cargo(["build", "--quiet", "--release", "--package", "sscg-cli"])?)?;
        let program = metadata()?.target_directory.join("release").join("sscg").into_std_path_buf();
        Ok(Self { program: program.with_extension(std::env::consts::EXE_EXTENSION) })
    }

    /// Times an answer about a tree whose index is below `store`.
    pub(super) fn answer(&self, question: &str, root: &Path, store: &Path) -> Result<Duration> {
        let mut command = Command::new(&self.program);
        answer(command.args(["search", question]).arg(root).arg("--index-dir").arg(store))
    }
}

/// Times a process that ends without an error, with or without results.
pub(super) fn answer(command: &mut Command) -> Result<Duration> {
    timed(|| {
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let found_or_not = matches!(output.status.code(), Some(0 | 1));
        ensure!(found_or_not, "{command:?} fails: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    })
}
