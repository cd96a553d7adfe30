//! Text files of the user: read whole, replaced whole, and never lost.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use sscg::Error;
use sscg::index::describe;
use tempfile::NamedTempFile;

/// Text file as it was when it was read.
pub(crate) struct TextFile {
    /// Path with all links resolved.
    path: PathBuf,
    text: Option<String>,
}

impl TextFile {
    /// Reads a file; a missing file is no error.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let refused = |error: io::Error| {
            let message = format!("cannot read {}: {}", path.display(), describe(&error));
            Error::project(message, "check that it is a file which you may read")
        };
        let path = resolve(path).map_err(refused)?;
        let text = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
                Error::project(
                    format!("{} is not UTF-8", path.display()),
                    "it stays as it is; save it as UTF-8",
                )
            })?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(refused(error)),
        };
        Ok(Self { path, text })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text; empty if the file is missing.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    pub(crate) fn is_there(&self) -> bool {
        self.text.is_some()
    }

    /// Returns the missing directories around the file.
    pub(crate) fn missing_directories(&self) -> impl Iterator<Item = PathBuf> {
        self.path.ancestors().skip(1).take_while(|directory| !directory.exists()).map(Path::to_owned)
    }

    /// Replaces the text atomically. The file keeps its permissions; a new file has the default permissions.
    pub(crate) fn write(&self, text: &str) -> Result<(), Error> {
        self.replace(text, 0o666)
    }

    /// Replaces the text atomically; a new file is only accessible to the user.
    pub(crate) fn write_private(&self, text: &str) -> Result<(), Error> {
        self.replace(text, 0o600)
    }

    fn replace(&self, text: &str, mode: u32) -> Result<(), Error> {
        self.try_replace(text, mode).map_err(|error| {
            let message = format!("cannot write {}: {}", self.path.display(), describe(&error));
            Error::project(
                message,
                "it is as it was; check that you may write there, and run the command again",
            )
        })
    }

    fn try_replace(&self, text: &str, mode: u32) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let mut new = new_file(directory, mode)?;
        if self.is_there() {
            let metadata = fs::metadata(&self.path)?;
            if metadata.permissions().readonly() {
                return Err(io::Error::other("it is read-only"));
            }
            new.as_file().set_permissions(metadata.permissions())?;
            keep_owner(new.as_file(), &metadata);
        }
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        self.check_unchanged()?;
        new.persist(&self.path)?;
        Ok(())
    }

    /// Removes the file.
    pub(crate) fn remove(&self) -> Result<(), Error> {
        self.check_unchanged().and_then(|()| fs::remove_file(&self.path)).map_err(|error| {
            let message = format!("cannot remove {}: {}", self.path.display(), describe(&error));
            Error::project(message, "check that you may write there, and run the command again")
        })
    }

    /// Fails if the file has changed since it was read: agents write these files, too.
    fn check_unchanged(&self) -> io::Result<()> {
        let now = match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            read => Some(read?),
        };
        if now.as_deref() == self.text.as_ref().map(String::as_bytes) {
            Ok(())
        } else {
            Err(io::Error::other("someone else is writing it"))
        }
    }
}

/// Resolves the links of a path, whether or not the file exists.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if path.is_symlink() {
                return Err(io::Error::other("it is a link to a file that is not there"));
            }
            let path = std::path::absolute(path)?;
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
                _ => Ok(path),
            }
        }
        resolved => resolved,
    }
}

/// Creates a file to be written, with those of these permissions that new files may have.
#[cfg(unix)]
fn new_file(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(mode)).tempfile_in(directory)
}

#[cfg(not(unix))]
fn new_file(directory: &Path, _: u32) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(directory)
}

/// Gives a file to the owner of the one that it replaces, where that is allowed.
#[cfg(unix)]
fn keep_owner(file: &File, metadata: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_someone_else_wrote_meanwhile_is_neither_replaced_nor_removed() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let path = directory.path().join("settings.json");
        fs::write(&path, "{}").expect("writable");
        let file = TextFile::read(&path).expect("readable");
        fs::write(&path, "{ \"a\": 1 }").expect("writable");
        for refused in [file.write("[]"), file.remove()] {
            let error = refused.expect_err("it changed");
            assert!(error.to_string().ends_with("someone else is writing it"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "{ \"a\": 1 }");
        TextFile::read(&path).expect("readable").remove().expect("nobody writes it");
        assert!(!path.exists());
    }
}
