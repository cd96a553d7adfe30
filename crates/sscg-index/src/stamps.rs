//! Detects whether a tree still matches the last walk, without another walk.
//!
//! A walk lists directories and compiles their ignore rules, which takes several times as long as one `stat` per path.
//! So each walk records *change stamps*: one for each directory it entered, whose time changes with the names in it;
//! one for each file it examined; and one for each ignore file, including those above the root and in git's own
//! directories. While all stamps match, another walk would find the same files.
//!
//! This relies on the file system to update the time of a directory when its entries change. Some network file systems
//! report changes by other hosts seconds late.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{self, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

/// Resolution of file system clocks. A file that changed within this time before it was examined may change again
/// without a new time, so its content is hashed again the next time.
pub(crate) const CLOCK_STEP: Duration = Duration::from_secs(2);

/// Name of the ignore file that applies to SSCG alone.
pub(crate) const OWN_RULES: &str = ".sscgignore";

/// Ignore files that apply to their directory and everything below it.
const RULES: [&str; 3] = [".gitignore", ".ignore", OWN_RULES];

/// Minimum number of stamps per parallel task: fewer are compared faster by one thread.
const FEW_STAMPS: usize = 128;

/// True on Unix, where programs cannot set the change time (ctime). Elsewhere programs can set the only time there is,
/// so no time reveals every change.
const HAS_TIME_OF_CHANGE: bool = cfg!(unix);

/// Change stamps of everything that the result of a walk depends on: about 150 bytes per file and directory.
#[derive(Debug, Default)]
pub(crate) struct ChangeStamps {
    /// Paths above the root that determine ignore rules, existing or not.
    above: Vec<Note>,
    noted: Vec<Note>,
}

/// Path with its stamp.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    /// Path, relative to the root if below it.
    path: Box<Path>,
    stamp: Stamp,
}

/// Metadata of a path or its link target, or the kind of error.
type Stamp = Result<Status, ErrorKind>;

/// File metadata that changes with any modification of a file or of a directory's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Status {
    device: u64,
    inode: u64,
    size: u64,
    modified: Time,
    /// Time of the last change to the inode (ctime), which programs cannot set.
    changed: Time,
}

/// Seconds and nanoseconds since the Unix epoch.
type Time = (i64, i64);

impl ChangeStamps {
    /// Starts the stamps of a walk that begins now. Paths above the root are stamped up front: the times of those
    /// directories change with unrelated files, so they cannot reveal an ignore file removed during the walk.
    pub(crate) fn begin(root: &Path) -> Self {
        Self { above: above(root), noted: Vec::new() }
    }

    /// Adds the stamps recorded by one walker thread.
    pub(crate) fn add(&mut self, notes: &mut Notes<'_>) {
        self.noted.append(&mut notes.noted);
    }

    /// True if every later change will alter a stamp. False if a path changed during the walk, or so shortly before it
    /// `started` that the file system clock may give the next change the same time.
    pub(crate) fn is_settled(&self, started: SystemTime) -> bool {
        let settled = started.checked_sub(CLOCK_STEP).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let Some(settled) = settled.filter(|_| HAS_TIME_OF_CHANGE) else { return false };
        let settled: Time = (settled.as_secs().cast_signed(), settled.subsec_nanos().into());
        self.above.iter().chain(&self.noted).all(|note| match note.stamp {
            Ok(status) => status.changed < settled,
            Err(kind) => matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory),
        })
    }

    /// Returns the paths whose stamp changed, relative to `root`. The empty path stands for anything above `root`.
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

/// Stamps recorded by one walker thread.
#[derive(Debug)]
pub(crate) struct Notes<'a> {
    root: &'a Path,
    noted: Vec<Note>,
}

impl<'a> Notes<'a> {
    pub(crate) fn below(root: &'a Path) -> Self {
        Self { root, noted: Vec::new() }
    }

    /// Stamps a file with the metadata just read.
    pub(crate) fn file(&mut self, path: &Path, metadata: Metadata) {
        self.note(path, Ok(metadata));
    }

    /// Stamps the target of a link.
    pub(crate) fn target(&mut self, link: &Path) {
        self.note(link, fs::metadata(link));
    }

    /// Stamps a directory that was entered, and its ignore files. Its time reveals ignore files added later.
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

/// Stamps the paths above `root` that determine what is ignored below it.
fn above(root: &Path) -> Vec<Note> {
    // Ignore rules come from the ancestors of the real path, not from those of a link to it.
    let root = root.canonicalize().unwrap_or_default();
    let rules =
        |directory: &Path| RULES.map(|name| directory.join(name)).into_iter().chain(excludes(directory));
    let paths = root.ancestors().skip(1).flat_map(|directory| rules(directory).collect::<Vec<_>>());
    paths.map(|path| Note { stamp: stamp(fs::metadata(&path)), path: path.into() }).collect()
}

/// Returns the exclude files that apply only to the work tree `directory`, and the files that locate them, as the crate
/// `ignore` resolves them. The `.git` of a linked work tree is a file that names its own git directory, which in turn
/// names that of the repository.
fn excludes(directory: &Path) -> Vec<PathBuf> {
    // The stamp of `info` catches removal of the exclude file while it is read.
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

    /// Leaves the stamp's fields unused: see [`HAS_TIME_OF_CHANGE`].
    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        Self { device: 0, inode: 0, size: metadata.len(), modified: (0, 0), changed: (0, 0) }
    }
}
