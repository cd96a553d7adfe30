//! Files of a tree that are no source code.

use std::fs;
use std::path::Path;

/// Returns the text of a regular file of at most `most` bytes. Symbolic links, which may lead out of the tree, and pipes are
/// not opened.
pub(crate) fn read_regular(path: &Path, most: u64) -> Option<String> {
    let is_short = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= most);
    is_short.then(|| fs::read_to_string(path).ok()).flatten()
}
