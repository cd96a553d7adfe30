//! Locations of the configuration files.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use sscg_index::describe;

use super::template;
use crate::Error;

/// Name of the project's file, and of the user's file in the directory `sscg`.
pub const FILE_NAME: &str = "sscg.toml";

/// Returns the user's file: `sscg/sscg.toml` in the system's configuration directory, or `None` if there is no such
/// directory. Does not check that the file exists.
pub fn user_file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("sscg").join(FILE_NAME))
}

/// Returns the project's file: the nearest one from the directory `root` up to the top of its repository; outside of
/// a repository, the one in `root`. `None` if there is none.
///
/// ```
/// use sscg::config::project_file;
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// std::fs::create_dir_all(path.join(".git"))?;
/// std::fs::create_dir_all(path.join("src/net"))?;
/// assert_eq!(project_file(&path.join("src/net")), None);
/// std::fs::write(path.join("sscg.toml"), "")?;
/// assert_eq!(project_file(&path.join("src/net")), Some(path.canonicalize()?.join("sscg.toml")));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn project_file(root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let top = root.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(&root);
    let within = root.ancestors().take_while(|directory| directory.starts_with(top));
    within.map(|directory| directory.join(FILE_NAME)).find(|path| path.is_file())
}

/// Writes the [`template`] to a new file, and creates its parent directories.
///
/// # Errors
/// If the file exists already, or cannot be written.
pub fn write_template(path: &Path) -> Result<(), Error> {
    let write = || {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        OpenOptions::new().write(true).create_new(true).open(path)?.write_all(template().as_bytes())
    };
    write().map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("{} is there already", path.display());
            Error::configuration(message, "edit it; `sscg config show` prints what counts")
        }
        _ => {
            let message = format!("cannot write {}: {}", path.display(), describe(&error));
            Error::configuration(message, "check that you may write there")
        }
    })
}
