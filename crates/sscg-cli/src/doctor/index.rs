//! Checks of the place of indexes, and of the project's index.

use std::path::{Path, PathBuf};

use sscg::index::{IndexError, IndexStatus, base_directory, describe, stores};
use sscg::{Config, Engine, Error, Storage, Watch, WatchMode};

use super::Check;
use crate::failure::{Failure, ROOM_HINT};
use crate::text::{count, size};
use crate::{Global, command, skipped};

/// Free space in bytes below which a warning is printed.
const LITTLE_SPACE: u64 = 1 << 30;

/// Checks the directory of all indexes: its location, whether it can be written, and its size.
pub(crate) fn check_place(storage: &Storage) -> Check {
    let about = "indexes";
    let base = match storage {
        Storage::Store { store, .. } => return Check::ok(about, format!("kept in {}", store.place())),
        Storage::Cache => None,
        Storage::Directory(base) => Some(base.as_path()),
        _ => return Check::ok(about, "kept nowhere: each command indexes anew"),
    };
    let base = match base_directory(base) {
        Ok(base) => base,
        Err(error) => return Check::error(about, &error.into()),
    };
    let place = base.display();
    // A missing directory will be created in its nearest existing ancestor.
    let nearest = base.ancestors().find(|directory| directory.exists()).unwrap_or(&base);
    let nearest = if nearest.as_os_str().is_empty() { Path::new(".") } else { nearest };
    if let Err(error) = tempfile::tempfile_in(nearest) {
        let message = format!("{place} cannot be written: {}", describe(&error));
        return Check::fail(about, message, ROOM_HINT);
    }
    let (number, bytes) = match holdings(&base) {
        Ok(holdings) => holdings,
        Err(error) => return Check::error(about, &error.into()),
    };
    let free = fs4::available_space(nearest).ok();
    let room = free.map_or_else(String::new, |free| format!(", {} free", size(free)));
    let message = format!("{place}: {}, {}{room}", count(number, "index"), size(bytes));
    if free.is_some_and(|free| free < LITTLE_SPACE) {
        return Check::warn(about, message, "`sscg gc` removes what no index needs any more");
    }
    Check::ok(about, message)
}

/// Returns the number of indexes, and their size in bytes.
fn holdings(base: &Path) -> Result<(usize, u64), IndexError> {
    let directories: Vec<PathBuf> =
        stores(Some(base))?.iter().map(|store| store.directory().to_owned()).collect();
    let files = directories.iter().filter_map(|directory| directory.read_dir().ok()).flatten().flatten();
    let bytes = files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum();
    Ok((directories.len(), bytes))
}

/// Checks the contents of the project, the state of its index, and whether changes in it can be watched.
pub(crate) fn check_project(root: &Path, global: &Global, config: &Config) -> Vec<Check> {
    let engine = match command::open_tree(root, global, config) {
        Ok(engine) => engine,
        Err(Failure::Engine(error)) => return vec![Check::error("project", &error)],
        Err(_) => return Vec::new(),
    };
    let status = match engine.status() {
        Ok(status) => status,
        Err(error) => return vec![check_error(&error)],
    };
    let mut checks = check_files(&engine, &status, global);
    if !status.files.is_empty() {
        checks.push(check_index(&engine, &status).unwrap_or_else(|error| check_error(&error)));
        checks.push(check_watch(engine.root(), config));
    }
    checks
}

/// Converts an error to a check. A damaged index is rebuilt, so it is no failure; one that cannot be written is.
fn check_error(error: &Error) -> Check {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<IndexError>());
    match source {
        Some(IndexError::Damaged { .. }) => {
            Check::warn("index", error.to_string(), "the next search does that, or `sscg index`")
        }
        Some(IndexError::InUse { .. }) => {
            Check::warn("index", error.to_string(), "wait until the other is done")
        }
        _ => Check::error("index", error),
    }
}

fn check_files(engine: &Engine, status: &IndexStatus, global: &Global) -> Vec<Check> {
    let about = "project";
    let root = engine.root().display();
    let all = status.files.values().sum();
    let mut checks = Vec::new();
    if all == 0 {
        let linked = sscg::parse::languages().iter().filter(|language| language.is_linked());
        let known: Vec<&str> = linked.map(|language| language.name).collect();
        let hint = format!("SSCG reads {} and others; give the directory of a project", known.join(", "));
        checks.push(Check::warn(about, format!("no source files in {root}"), hint));
    } else {
        let languages: Vec<String> =
            status.files.iter().map(|(name, files)| format!("{name} {files}")).collect();
        checks.push(Check::ok(about, format!("{root}: {}: {}", count(all, "file"), languages.join(", "))));
    }
    if let Some(summary) = skipped::summary(&status.skipped) {
        let more = if global.verbose { "" } else { "; --verbose names them" };
        checks.push(Check::ok(about, format!("{summary}{more}")));
    }
    if global.verbose {
        skipped::name(&status.skipped, &status.unsupported);
    }
    checks
}

fn check_index(engine: &Engine, status: &IndexStatus) -> Result<Check, Error> {
    let about = "index";
    let Some(usage) = engine.usage()? else { return Ok(Check::ok(about, "kept nowhere")) };
    if let Some((done, all)) = status.indexing {
        return Ok(Check::ok(
            about,
            format!("another process is indexing: {done} of {} done", count(all, "file")),
        ));
    }
    if status.is_new {
        return Ok(Check::ok(about, "none yet: the first search makes it, or `sscg index`"));
    }
    let missing = engine.count_missing()?;
    if missing > 0 {
        let message = format!("what was known of {} is lost", count(missing, "file"));
        return Ok(Check::warn(about, message, "the next search parses them again, or `sscg index`"));
    }
    let state = match (status.behind, status.gone) {
        (0, 0) => "up to date".to_owned(),
        (behind, 0) => format!("{} changed, which the next search reads", count(behind, "file")),
        (behind, gone) => {
            format!("{} changed and {gone} gone, as the next search finds", count(behind, "file"))
        }
    };
    Ok(Check::ok(about, format!("{}, {state}; {}", count(status.indexed, "file"), size(usage.bytes))))
}

fn check_watch(root: &Path, config: &Config) -> Check {
    let about = "watching";
    match Watch::new(root, config.watch.options()).mode() {
        WatchMode::Notified { directories } => {
            let plural = if *directories == 1 { "directory tells" } else { "directories tell" };
            Check::ok(about, format!("{directories} {plural} of changes"))
        }
        WatchMode::Polling { reason } => {
            let message =
                format!("the tree is looked at every {} ms, because of {reason}", config.watch.interval_ms);
            let hint = "raise watch.max_directories in sscg.toml, or the system's own limit (on Linux \
                        fs.inotify.max_user_watches)";
            Check::warn(about, message, hint)
        }
        _ => Check::ok(about, "works"),
    }
}
