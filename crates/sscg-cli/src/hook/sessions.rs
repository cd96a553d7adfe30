//! Number of suggestions in each session, kept in files between runs.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agents::Home;

/// Age from which a session counts as ended.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Characters of the name of a session's file.
const NAME_LENGTH: usize = 16;

/// Directory of the files: each has a byte per suggestion.
fn directory(home: &Home) -> PathBuf {
    home.data.join("hooks")
}

/// Counts a suggestion; false if the session has had this many, or if they cannot be counted: an agent that is told the same
/// thing all day is worse off than one that is told nothing.
pub(super) fn may_suggest(home: &Home, session: &str, limit: usize) -> bool {
    let directory = directory(home);
    let name = blake3::hash(session.as_bytes()).to_hex();
    let path = directory.join(&name[..NAME_LENGTH]);
    let had = path.metadata().map_or(0, |metadata| metadata.len());
    if had >= limit as u64 {
        return false;
    }
    if had == 0 {
        if fs::create_dir_all(&directory).is_err() {
            return false;
        }
        remove_old(&directory);
    }
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(b".")).is_ok()
}

/// Removes the files of sessions that have ended.
fn remove_old(directory: &Path) {
    for file in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = file.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > MAX_AGE) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Forgets all sessions.
pub(crate) fn forget(home: &Home) {
    let _ = fs::remove_dir_all(directory(home));
}
