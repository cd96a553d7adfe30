//! Discovery of the source files or documents of a tree.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;
use std::{fmt, io};

use ignore::{DirEntry, WalkBuilder, WalkState};
use serde::{Deserialize, Serialize};
use sscg_core::Corpus;
use sscg_graph::is_manifest;
use sscg_parse::{Decoder, FileType};

use crate::stamps::{ChangeStamps, Notes, OWN_RULES};

/// Maximum size in bytes of a text file. Larger files are generated or data, and would crowd out handwritten text.
pub const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Maximum size in bytes of a file that needs a decoder; its text is the smaller part of it.
pub const MAX_ENCODED_BYTES: u64 = 32 * 1024 * 1024;

/// File or directory that is not part of the index, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Skipped {
    /// Path relative to the project's root, with forward slashes.
    pub path: String,
    /// Reason for skipping it.
    pub reason: SkipReason,
}

/// Reason why a file or directory is not part of the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SkipReason {
    /// Larger than [`MAX_FILE_BYTES`]; holds the size in bytes.
    TooLarge(u64),
    /// Contains bytes that do not occur in text.
    Binary,
    /// Encoded in UTF-16.
    Utf16,
    /// Encoded in neither UTF-8 nor UTF-16.
    NotUtf8,
    /// Symbolic link; its target is indexed at its real location.
    SymbolicLink,
    /// Unreadable file, or one with an unusable name; holds the cause.
    Unreadable(String),
    /// Lock file of a package manager: nobody searches for it, and it would be most of the text.
    LockFile,
    /// Document larger than [`MAX_ENCODED_BYTES`]; holds the size in bytes.
    EncodedTooLarge(u64),
    /// Document whose text cannot be extracted; holds the cause.
    NoText(String),
    /// Format that needs a cargo feature missing from this build; holds the name of the feature.
    NotBuilt(String),
}

impl SkipReason {
    /// Returns the reason without file-specific details, for counting.
    pub fn class(&self) -> &'static str {
        match self {
            SkipReason::TooLarge(_) | SkipReason::EncodedTooLarge(_) => "too large",
            SkipReason::Binary => "binary",
            SkipReason::Utf16 => "UTF-16",
            SkipReason::NotUtf8 => "not UTF-8",
            SkipReason::SymbolicLink => "symbolic link",
            SkipReason::Unreadable(_) => "unreadable",
            SkipReason::LockFile => "lock file",
            SkipReason::NoText(_) => "no text",
            SkipReason::NotBuilt(_) => "not in this build",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / MAX_FILE_BYTES as f64;
        match self {
            SkipReason::TooLarge(bytes) => write!(f, "too large: {:.1} MiB, the limit is 1 MiB", mib(*bytes)),
            SkipReason::EncodedTooLarge(bytes) => {
                write!(f, "too large: {:.1} MiB, the limit is 32 MiB", mib(*bytes))
            }
            SkipReason::NoText(why) => write!(f, "no text: {why}"),
            SkipReason::NotBuilt(feature) => {
                write!(f, "not in this build: `cargo install sscg-cli --features {feature}` adds it")
            }
            SkipReason::Unreadable(why) => write!(f, "unreadable: {why}"),
            SkipReason::Utf16 => f.write_str("UTF-16 text; SSCG reads UTF-8"),
            SkipReason::NotUtf8 => f.write_str("not UTF-8"),
            other => f.write_str(other.class()),
        }
    }
}

/// Files in unsupported languages, by lower-case file extension (empty for none).
pub type Unsupported = BTreeMap<String, Vec<String>>;

/// Source file found by the walk.
#[derive(Clone, Debug)]
pub(crate) struct FoundFile {
    pub(crate) file_type: FileType,
    pub(crate) seen: Seen,
}

/// Path and metadata of a file found by the walk.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) size: u64,
    /// Modification time in nanoseconds since the Unix epoch; 0 if unknown.
    pub(crate) mtime: u128,
    /// Decoder that extracts the text, for formats whose bytes are not their text.
    pub(crate) decoder: Option<Decoder>,
}

/// Result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    /// Source files, sorted by path.
    pub(crate) files: Vec<FoundFile>,
    /// Package manifests, sorted by path.
    pub(crate) manifests: Vec<Seen>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) unsupported: Unsupported,
    /// Change stamps of everything that this result depends on.
    pub(crate) stamps: ChangeStamps,
}

enum Finding {
    File(FoundFile),
    Manifest(Seen),
    Skipped(Skipped),
    Unsupported(String),
}

/// Names of lock files with the extension of a supported format. No format claims `.lock`.
const LOCK_FILES: &[&str] =
    &["npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pnpm-lock.yaml"];

/// Walks the tree below `root` in parallel, for its code or its documents. Hidden files and files excluded by
/// `.gitignore`, `.ignore` or `.sscgignore` are omitted without a report, as in version control. Links are not
/// followed.
pub(crate) fn discover(root: &Path, corpus: Corpus) -> Discovery {
    let all = Mutex::new((Vec::new(), ChangeStamps::begin(root)));
    walk(root).threads(rayon::current_num_threads()).build_parallel().run(|| {
        let mut batch = Batch { found: Vec::new(), notes: Notes::below(root), all: &all };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => batch.found.extend(examine(root, corpus, &entry, &mut batch.notes)),
                Err(error) => batch.found.extend(failure(root, &error)),
            }
            WalkState::Continue
        })
    });
    let (findings, stamps) = all.into_inner().expect("no walker panicked");
    let mut discovery = Discovery { stamps, ..Discovery::default() };
    for finding in findings {
        match finding {
            Finding::File(file) => discovery.files.push(file),
            Finding::Manifest(seen) => discovery.manifests.push(seen),
            Finding::Skipped(skipped) => discovery.skipped.push(skipped),
            Finding::Unsupported(path) => {
                let name = path.rsplit('/').next().unwrap_or(&path);
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
                discovery.unsupported.entry(ending).or_default().push(path);
            }
        }
    }
    discovery.files.sort_by(|a, b| a.seen.path.cmp(&b.seen.path));
    discovery.manifests.sort_by(|a, b| a.path.cmp(&b.path));
    discovery.skipped.sort();
    discovery.unsupported.values_mut().for_each(|paths| paths.sort());
    discovery
}

/// Returns `root` and the directories below it, as the walk finds them. Unreadable directories are omitted.
pub(crate) fn directories(root: &Path) -> impl Iterator<Item = PathBuf> {
    let is_directory = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
    walk(root).build().flatten().filter(is_directory).map(DirEntry::into_path)
}

/// Reads the selected files below `root`, sorted by path (relative, with forward slashes), each with its bytes or an
/// error message. `wanted` returns the maximum size in bytes for a path; 0 lists the file without reading it. Files
/// that [`Index`](crate::Index) omits without a report are omitted, except hidden ones such as `.env`, and so are links.
pub fn read_files(
    root: &Path,
    wanted: impl Fn(&str) -> Option<u64> + Sync,
) -> Vec<(String, Result<Vec<u8>, String>)> {
    let content = |path: &str, at: &Path| wanted(path).map(|most| (path.to_owned(), read_up_to(at, most)));
    let mut walk = walk(root);
    let is_hidden = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    walk.hidden(false).filter_entry(move |entry| entry.depth() == 0 || is_file(entry) || !is_hidden(entry));
    let mut files = map_walk(root, &mut walk, content);
    files.sort();
    files
}

/// Collects the results of `function` for the files below `root` that pass its ignore rules, in any order. `function`
/// gets the path relative to `root`, with forward slashes, and the full path. Symbolic links are not followed.
pub fn map_files<T: Send>(root: &Path, function: impl Fn(&str, &Path) -> Option<T> + Sync) -> Vec<T> {
    map_walk(root, &mut walk(root), function)
}

/// Collects the results of `function` for the files of a walk, as [`map_files`].
fn map_walk<T: Send>(
    root: &Path,
    walk: &mut WalkBuilder,
    function: impl Fn(&str, &Path) -> Option<T> + Sync,
) -> Vec<T> {
    let all = Mutex::new(Vec::new());
    walk.threads(rayon::current_num_threads()).build_parallel().run(|| {
        Box::new(|entry| {
            if let Some(entry) = entry.ok().filter(is_file)
                && let path = relative(root, entry.path())
                && !path.chars().any(steers)
                && let Some(made) = function(&path, entry.path())
            {
                all.lock().expect("no walker panicked").push(made);
            }
            WalkState::Continue
        })
    });
    all.into_inner().expect("no walker panicked")
}

/// True if `path` is a file below `root` that passes its ignore rules. Symbolic links are not followed. O(entries of
/// the directories on the path).
pub fn is_admitted(root: &Path, path: &str) -> bool {
    let target = root.join(path);
    let wanted = target.clone();
    let mut walk = walk(root);
    walk.filter_entry(move |entry| wanted.starts_with(entry.path()));
    walk.build().flatten().any(|entry| is_file(&entry) && entry.path() == target)
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| SkipReason::Unreadable(describe(&error)).to_string();
    let mut content = Vec::new();
    if most > 0 {
        // The read itself is limited, because a file may grow after its metadata is read.
        let file = File::open(path).map_err(unreadable)?;
        file.take(most + 1).read_to_end(&mut content).map_err(unreadable)?;
    }
    if content.len() as u64 > most {
        let bytes = path.metadata().map_or(most, |metadata| metadata.len());
        let mib = |bytes: u64| bytes as f64 / MAX_FILE_BYTES as f64;
        return Err(format!("too large: {:.1} MiB, the limit is {} MiB", mib(bytes), mib(most)));
    }
    Ok(content)
}

fn walk(root: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    // A user's global ignore rules are not a property of the project.
    walk.require_git(false).git_global(false).add_custom_ignore_filename(OWN_RULES);
    walk
}

/// Findings of one walker thread, merged into `all` on drop.
struct Batch<'a> {
    found: Vec<Finding>,
    notes: Notes<'a>,
    all: &'a Mutex<(Vec<Finding>, ChangeStamps)>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let (findings, stamps) = &mut *self.all.lock().expect("no walker panicked");
        findings.append(&mut self.found);
        stamps.add(&mut self.notes);
    }
}

/// True for characters that control the display instead of being shown: control characters and bidirectional marks.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the type of a file of this part of the tree.
pub(crate) fn file_type(corpus: Corpus, path: &str) -> Option<FileType> {
    FileType::of_path(path).filter(|it| it.language.corpus == corpus)
}

fn examine(root: &Path, corpus: Corpus, entry: &DirEntry, notes: &mut Notes<'_>) -> Option<Finding> {
    let kind = entry.file_type()?;
    if kind.is_dir() {
        notes.directory(entry.path());
        return None;
    }
    let path = relative(root, entry.path());
    if kind.is_file() && path.chars().any(steers) {
        // Printed verbatim, such a name could inject lines into answers.
        let known_type = file_type(corpus, &path);
        let reason = SkipReason::Unreadable("its name has control characters".to_owned());
        let path = path.escape_debug().to_string();
        return known_type.map(|_| Finding::Skipped(Skipped { path, reason }));
    }
    let known_type = file_type(corpus, &path);
    // The index of code already reports everything that is not a document.
    if corpus == Corpus::Documents && known_type.is_none() {
        return None;
    }
    if kind.is_symlink() {
        notes.target(entry.path());
        let hides_any = known_type.is_some() || entry.path().is_dir();
        let path = if path.chars().any(steers) { path.escape_debug().to_string() } else { path };
        return hides_any.then_some(Finding::Skipped(Skipped { path, reason: SkipReason::SymbolicLink }));
    }
    if !kind.is_file() {
        return None;
    }
    if entry.path().strip_prefix(root).is_ok_and(|path| path.to_str().is_none()) {
        let reason = SkipReason::Unreadable("its name is not UTF-8".to_owned());
        return known_type.map(|_| Finding::Skipped(Skipped { path, reason }));
    }
    let metadata = match entry.metadata() {
        Ok(metadata) => metadata,
        Err(error) => return failure(root, &error),
    };
    let size = metadata.len();
    let mtime = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let mtime = mtime.map_or(0, |since| since.as_nanos());
    notes.file(entry.path(), metadata);
    if let Some(feature) = known_type.and_then(|it| sscg_parse::missing_feature(it.language)) {
        return Some(Finding::Skipped(Skipped { path, reason: SkipReason::NotBuilt(feature.to_owned()) }));
    }
    let decoder = known_type.and_then(|it| sscg_parse::decoder(it.language));
    let too_large = match decoder {
        Some(_) => (size > MAX_ENCODED_BYTES).then_some(SkipReason::EncodedTooLarge(size)),
        None => (size > MAX_FILE_BYTES).then_some(SkipReason::TooLarge(size)),
    };
    if let Some(reason) = too_large {
        return Some(Finding::Skipped(Skipped { path, reason }));
    }
    let name = path.rsplit('/').next().unwrap_or(&path);
    if LOCK_FILES.contains(&name) && known_type.is_some() {
        return Some(Finding::Skipped(Skipped { path, reason: SkipReason::LockFile }));
    }
    if let Some(file_type) = known_type {
        return Some(Finding::File(FoundFile { file_type, seen: Seen { path, size, mtime, decoder } }));
    }
    Some(if is_manifest(&path) {
        Finding::Manifest(Seen { path, size, mtime, decoder })
    } else {
        Finding::Unsupported(path)
    })
}

fn failure(root: &Path, error: &ignore::Error) -> Option<Finding> {
    let path = relative(root, &path_of(error)?);
    let reason = SkipReason::Unreadable(match error.io_error() {
        Some(error) => describe(error),
        None => error.to_string(),
    });
    Some(Finding::Skipped(Skipped { path, reason }))
}

/// Returns the system's error message in lower case, without the error number, for use in a longer message.
pub fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(cut) => text[..cut].to_lowercase(),
        None => text.to_lowercase(),
    }
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child.clone()),
        _ => None,
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
