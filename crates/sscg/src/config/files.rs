//! Where the files of the configuration are.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use sscg_index::describe;

use super::template;
use crate::Error;

/// What the project's file is called, and the user's in the directory `sscg`.
pub const FILE_NAME: &str = "sscg.toml";

/// The user's file: `sscg/sscg.toml` in the directory that the system keeps configurations in. `None` if the system
/// knows no such directory. Whether the file exists is not looked at.
pub fn user_file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("sscg").join(FILE_NAME))
}

/// The project's file: the nearest one from the directory `root` up to the top of its repository; outside of a
/// repository, the one in `root`. `None` if there is none.
pub fn project_file(root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let top = root.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(&root);
    let within = root.ancestors().take_while(|directory| directory.starts_with(top));
    within.map(|directory| directory.join(FILE_NAME)).find(|path| path.is_file())
}

/// Writes the [`template`] to a file that is not there yet, with the directories around it.
///
/// # Errors
/// If there is such a file, or it cannot be written.
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
