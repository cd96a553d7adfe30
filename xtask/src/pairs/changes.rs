//! Pairs of a commit's subject and the declarations that it changed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use sscg_core::LineRange;
use sscg_parse::{FileType, languages};

use super::source::Parsed;
use super::{PAIRS_OF_A_PACKAGE, Pair, prose};
use crate::corpus::Source;
use crate::history::{Blobs, git, hunk, named};

/// Number of newest commits to read.
const NEWEST: usize = 5_000;
/// Maximum number of source files, without tests, that a commit changes.
const MOST_FILES: usize = 4;
/// Maximum number of declarations that a commit changes: the subject of a larger one describes none of them.
const MOST_DECLARATIONS: usize = 6;

/// Subject of a commit and what it changed.
#[derive(Debug)]
struct Change {
    subject: String,
    files: Vec<ChangedFile>,
}

/// Changed source file, after the commit.
#[derive(Debug)]
struct ChangedFile {
    path: String,
    file_type: FileType,
    blob: String,
    lines: Vec<LineRange>,
}

/// Returns the pairs of a repository's newest commits.
pub(super) fn pairs_of(repository: &Path) -> Result<Vec<Pair>> {
    let root = named(repository);
    let mut blobs = Blobs::open(repository)?;
    let mut pairs = Vec::new();
    for change in changes(repository)? {
        pairs.extend(change.pairs(root, &mut blobs)?);
        if pairs.len() >= PAIRS_OF_A_PACKAGE {
            break;
        }
    }
    Ok(pairs)
}

/// Returns the changes to code by a repository's newest commits, newest first, without merges and bots.
fn changes(repository: &Path) -> Result<Vec<Change>> {
    let mut command = git(repository);
    command
        .args(["log", "--no-merges", &format!("-{NEWEST}"), "--format=%x1e%an%x1f%s"])
        .args(["--patch", "--unified=0", "--no-renames", "--no-color", "--full-index", "--no-ext-diff"])
        .args(["--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--"])
        .args(languages().iter().flat_map(|language| language.extensions).map(|it| format!("*.{it}")));
    // A log ends at the first object that the repository lacks; what it has printed counts.
    let mut process =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("cannot start git")?;
    let log = BufReader::new(process.stdout.take().context("git has no output")?);
    let changes = read_log(log)?;
    ensure!(process.wait()?.success() || !changes.is_empty(), "git log failed in {}", repository.display());
    Ok(changes)
}

fn read_log(mut log: impl BufRead) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    let mut is_skipped = true;
    let mut blob = String::new();
    let mut file: Option<ChangedFile> = None;
    // Lines of the current hunk that are not read yet.
    let mut rest = 0;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let is_end = log.read_until(b'\n', &mut bytes)? == 0;
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches('\n');
        if rest > 0 && !is_end {
            rest -= u32::from(!line.starts_with('\\'));
            continue;
        }
        let starts_commit = line.starts_with('\x1e');
        if is_end || starts_commit || line.starts_with("diff --git ") {
            let of = changes.last_mut().filter(|_| !is_skipped);
            if let (Some(change), Some(file)) = (of, file.take()) {
                change.files.push(file);
            }
        }
        if is_end {
            break;
        }
        if starts_commit {
            let head = line[1..].split_once('\x1f');
            let subject = head.filter(|(author, _)| !author.to_lowercase().contains("bot"));
            let subject = subject.and_then(|(_, subject)| prose::subject(subject));
            is_skipped = subject.is_none();
            changes.extend(subject.map(|subject| Change { subject, files: Vec::new() }));
        } else if let Some(index) = line.strip_prefix("index ") {
            // `<old>..<new>`, then the mode if it is the same.
            let new = index.split(' ').next().and_then(|blobs| blobs.split_once(".."));
            blob = new.map(|(_, new)| new.to_owned()).unwrap_or_default();
        } else if let Some(path) = line.strip_prefix("+++ b/") {
            let path = path.trim_end_matches('\t').to_owned();
            let file_type =
                FileType::of_path(&path).filter(|it| it.is_code() && prose::is_own(Path::new(&path)));
            let blob = std::mem::take(&mut blob);
            file = file_type.map(|file_type| ChangedFile { path, file_type, blob, lines: Vec::new() });
        } else if let Some([old, new]) = hunk(line) {
            rest = old.count.saturating_add(new.count);
            file.iter_mut().for_each(|file| file.lines.push(new.lines()));
        }
    }
    changes.retain(|change| (1..=MOST_FILES).contains(&change.files.len()));
    Ok(changes)
}

impl Change {
    /// Returns a pair for each declaration; none for a commit that changed too many.
    fn pairs(&self, root: &Path, blobs: &mut Blobs) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        for file in &self.files {
            let Some(text) = blobs.read(&file.blob)? else { continue };
            let text = String::from_utf8_lossy(&text);
            if prose::is_written_by_hand(Path::new(&file.path), &text) {
                let source = Source { path: root.join(&file.path), file_type: file.file_type };
                pairs.extend(Parsed::new(root, &source, &text)?.pairs_at(&self.subject, &file.lines));
            }
        }
        if pairs.len() > MOST_DECLARATIONS {
            pairs.clear();
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_as_subjects_and_changed_lines() {
        let log = "\x1eAnn\x1ffix: Keep the socket open (#1)\n\ndiff --git a/src/a.rs b/src/a.rs\nindex 12..34 100644\n\
                   --- a/src/a.rs\n+++ b/src/a.rs\n@@ -3,2 +3 @@ fn a() {\n-x\n--- a/no.rs\n+z\n@@ -9,0 +9,4 @@\n+++ b/no.rs\n+b\n\
                   +c\n+d\n\\ No newline at end of file\ndiff --git a/tests/b.rs b/tests/b.rs\nindex 1..2\n--- a/tests/b.rs\n\
                   +++ b/tests/b.rs\n@@ -1 +1 @@\n-a\n+b\n\x1ebuild-bot\x1fKeep the socket open too\n\ndiff --git a/c.rs b/c.rs\n\
                   index 5..6\n--- a/c.rs\n+++ b/c.rs\n@@ -1 +1 @@\n-a\n+b\n";
        let changes = read_log(log.as_bytes()).unwrap();
        let [Change { subject, files }] = &changes[..] else { panic!("{changes:?}") };
        let [ChangedFile { path, blob, lines, .. }] = &files[..] else { panic!("{files:?}") };
        assert_eq!(
            (subject.as_str(), path.as_str(), blob.as_str()),
            ("Keep the socket open", "src/a.rs", "34")
        );
        let lines: Vec<(u32, u32)> = lines.iter().map(|it| (it.start, it.end)).collect();
        assert_eq!(lines, [(3, 3), (9, 12)]);
    }
}
