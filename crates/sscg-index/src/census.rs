//! Whether a tree is still as a walk found it, without another walk.
//!
//! A walk lists directories and compiles what they say is ignored, which takes several times as long as asking the
//! system for the state of every path. So a walk takes a *census*: a stamp of each directory it entered, whose time
//! tells of the names in it; of each file it looked at; and of each file that decides what is ignored, also above the
//! root and in git's own directories. While all stamps are the same, so is what a walk would find.
//!
//! This takes the file system at its word that the time of a directory changes with the names in it. Some that reach
//! over a network tell of what others did there seconds late.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{self, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

use crate::discovery::OWN_RULES;
use crate::examine::CLOCK_STEP;

/// The files that say what is ignored in the directory they stand in, and below.
const RULES: [&str; 3] = [".gitignore", ".ignore", OWN_RULES];

/// So few stamps are compared sooner by one thread than by several.
const FEW_STAMPS: usize = 128;

/// Elsewhere no time tells of every change of a file: programs may set the one there is.
const HAS_TIME_OF_CHANGE: bool = cfg!(unix);

/// Everything that the result of a walk depends on: about 150 bytes for each file and directory.
#[derive(Debug, Default)]
pub(crate) struct Census {
    /// Files above the root that decide what is ignored, or would if they were there.
    above: Vec<Note>,
    noted: Vec<Note>,
}

/// A path and what it was like.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    /// Relative to the root if it is below.
    path: Box<Path>,
    stamp: Stamp,
}

/// What the system said of a path, or of what it links to.
type Stamp = Result<Status, ErrorKind>;

/// Changes with whatever happens to a file, and to the names in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Status {
    device: u64,
    inode: u64,
    size: u64,
    modified: Time,
    /// When anything of it was changed last, which no program can set.
    changed: Time,
}

/// Seconds since the epoch, and nanoseconds.
type Time = (i64, i64);

impl Census {
    /// Of the walk that starts now. What is above the root is noted before: the times of those directories, in which
    /// others come and go, do not tell of a file that goes meanwhile.
    pub(crate) fn begin(root: &Path) -> Self {
        Self { above: above(root), noted: Vec::new() }
    }

    /// Takes what one thread of the walk noted.
    pub(crate) fn add(&mut self, notes: &mut Notes<'_>) {
        self.noted.append(&mut notes.noted);
    }

    /// Whether every later change will show. One may not where something changed during the walk or so shortly before
    /// it `started` that the clock of the file system may give the next change the same time.
    pub(crate) fn is_settled(&self, started: SystemTime) -> bool {
        let settled = started.checked_sub(CLOCK_STEP).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let Some(settled) = settled.filter(|_| HAS_TIME_OF_CHANGE) else { return false };
        let settled: Time = (settled.as_secs().cast_signed(), settled.subsec_nanos().into());
        self.above.iter().chain(&self.noted).all(|note| match note.stamp {
            Ok(status) => status.changed < settled,
            Err(kind) => matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory),
        })
    }

    /// What is not as it was, relative to `root`, which itself stands for what is above it.
    pub(crate) fn changed(&self, root: &Path) -> Vec<&Path> {
        let notes = self.noted.par_iter().with_min_len(FEW_STAMPS);
        let changed = notes.filter(|note| stamp(fs::metadata(root.join(&note.path))) != note.stamp);
        let mut changed: Vec<&Path> = changed.map(|note| &*note.path).collect();
        if above(root) != self.above {
            changed.push(Path::new(""));
        }
        changed
    }
}

/// What one thread of a walk looks at.
#[derive(Debug)]
pub(crate) struct Notes<'a> {
    root: &'a Path,
    noted: Vec<Note>,
}

impl<'a> Notes<'a> {
    pub(crate) fn below(root: &'a Path) -> Self {
        Self { root, noted: Vec::new() }
    }

    /// A file, of which the system has just told this.
    pub(crate) fn file(&mut self, path: &Path, metadata: Metadata) {
        self.note(path, Ok(metadata));
    }

    /// What a link leads to.
    pub(crate) fn target(&mut self, link: &Path) {
        self.note(link, fs::metadata(link));
    }

    /// A directory that was entered. Its time tells which files with rules are there.
    pub(crate) fn directory(&mut self, directory: &Path) {
        if !HAS_TIME_OF_CHANGE {
            return;
        }
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let mut rules: Vec<PathBuf> = RULES.map(|name| directory.join(name)).into();
        rules.retain(|path| is_there(path));
        if is_there(&directory.join(".git")) {
            rules.extend(excludes(directory));
        }
        for path in rules.iter().map(PathBuf::as_path).chain([directory]) {
            self.note(path, fs::metadata(path));
        }
    }

    fn note(&mut self, path: &Path, told: io::Result<Metadata>) {
        let path = path.strip_prefix(self.root).unwrap_or(path).into();
        self.noted.push(Note { path, stamp: stamp(told) });
    }
}

/// What decides above `root` what is ignored below it.
fn above(root: &Path) -> Vec<Note> {
    // The directories above are those that it really stands in.
    let root = root.canonicalize().unwrap_or_default();
    let rules =
        |directory: &Path| RULES.map(|name| directory.join(name)).into_iter().chain(excludes(directory));
    let paths = root.ancestors().skip(1).flat_map(|directory| rules(directory).collect::<Vec<_>>());
    paths.map(|path| Note { stamp: stamp(fs::metadata(&path)), path: path.into() }).collect()
}

/// The files with what is ignored in the work tree `directory` alone, and what says where they are: the way of the crate
/// `ignore`. The `.git` of a linked work tree is a file that names its own directory, which names that of the repository.
fn excludes(directory: &Path) -> Vec<PathBuf> {
    // The directory's time tells when the file goes while it is read.
    let in_directory = |git: PathBuf| [git.join("info/exclude"), git.join("info")];
    let git = directory.join(".git");
    let mut paths: Vec<PathBuf> = in_directory(git.clone()).into();
    if git.is_file() {
        let own = first_line(&git).and_then(|line| path::absolute(line.strip_prefix("gitdir: ")?).ok());
        paths.push(git);
        if let Some(own) = own {
            let names_common = own.join("commondir");
            let common = first_line(&names_common).map(|line| own.join(line));
            paths.push(names_common);
            paths.extend(common.into_iter().flat_map(in_directory));
        }
    }
    paths
}

fn first_line(path: &Path) -> Option<String> {
    BufReader::new(File::open(path).ok()?).lines().next()?.ok()
}

fn stamp(told: io::Result<Metadata>) -> Stamp {
    told.map(|metadata| Status::of(&metadata)).map_err(|error| error.kind())
}

impl Status {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Nothing that is compared: see [`HAS_TIME_OF_CHANGE`].
    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        Self { device: 0, inode: 0, size: metadata.len(), modified: (0, 0), changed: (0, 0) }
    }
}
