//! Histories of repositories, read by the `git` program.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use sscg_core::LineRange;

/// Returns a git command on a repository, bare or not.
pub(crate) fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    let inner = repository.join(".git");
    command.arg("--git-dir").arg(if inner.exists() { &inner } else { repository });
    command
}

/// Returns the directory with the repository's name: the one around a `.git` or a bare `repo`.
pub(crate) fn named(repository: &Path) -> &Path {
    let is_inner = repository.ends_with("repo") || repository.ends_with(".git");
    repository.parent().filter(|_| is_inner).unwrap_or(repository)
}

/// Reader of a repository's blobs, with one process for all of them.
pub(crate) struct Blobs {
    process: Child,
    names: ChildStdin,
    contents: BufReader<ChildStdout>,
}

impl Blobs {
    pub(crate) fn open(repository: &Path) -> Result<Self> {
        let mut command = git(repository);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start git")?;
        let names = process.stdin.take().context("git has no input")?;
        let contents = BufReader::new(process.stdout.take().context("git has no output")?);
        Ok(Self { process, names, contents })
    }

    /// Returns the content of a blob; `None` if the repository lacks it.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.names.write_all(format!("{name}\n").as_bytes())?;
        // `<object> <type> <size>`, then the content; or `<object> missing`.
        let mut head = String::new();
        ensure!(self.contents.read_line(&mut head)? > 0, "git cat-file has ended");
        let mut words = head.split_whitespace().skip(1);
        let (Some(kind), Some(size)) = (words.next(), words.next()) else { return Ok(None) };
        let mut content = vec![0; size.parse()?];
        self.contents.read_exact(&mut content)?;
        self.contents.read_exact(&mut [0])?;
        Ok(Some(content).filter(|_| kind == "blob"))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One side of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    start: u32,
    /// Number of lines; 0 if the hunk inserts or deletes lines after `start`.
    pub(crate) count: u32,
}

impl Side {
    fn read(text: &str) -> Option<Self> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Self { start: start.parse().ok()?, count: count.parse().ok()? })
    }

    /// Returns the changed lines; the line before them if the side has none.
    pub(crate) fn lines(self) -> LineRange {
        let start = self.start.max(1);
        LineRange { start, end: start.saturating_add(self.count.saturating_sub(1)) }
    }
}

/// Returns the old and the new side of a hunk from its header, as in `@@ -3,2 +3 @@`.
pub(crate) fn hunk(line: &str) -> Option<[Side; 2]> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(' ')?;
    Some([Side::read(old)?, Side::read(new)?])
}
