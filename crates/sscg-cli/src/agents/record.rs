//! Record of changes in files of other programs, so that they can be undone to the byte.
//!
//! Without the record, insertions are still found and removed, but the text around them (a final line break, an empty
//! object) may differ from before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sscg::Error;

use super::file::TextFile;
use crate::note;

/// Maximum number of attempts to write the record: another process may be writing it.
const ATTEMPTS: usize = 5;

/// Changes by file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Records {
    /// Directories that were created for files, and for the record itself.
    directories: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Written>,
    #[serde(skip)]
    path: PathBuf,
}

/// Change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    /// True if the file was created for it.
    pub(super) is_new: bool,
    /// Byte offset in the text.
    at: usize,
    /// Replaced text.
    removed: String,
    /// Inserted text.
    inserted: String,
}

impl Records {
    /// Reads the record in a directory; empty if there is none or it cannot be read.
    pub(crate) fn read(directory: &Path) -> Self {
        let path = directory.join("install.json");
        let read = TextFile::read(&path);
        let records = read.map_or_else(|_| Ok(Self::default()), |file| Self::parse(&file));
        let records = records.unwrap_or_else(|error| {
            note(&format!("warning: {} is damaged and not used: {error}", path.display()));
            Self::default()
        });
        Self { path, ..records }
    }

    fn parse(file: &TextFile) -> serde_json::Result<Self> {
        if file.is_there() { serde_json::from_str(file.text()) } else { Ok(Self::default()) }
    }

    pub(super) fn get(&self, file: &Path) -> Option<&Written> {
        self.files.get(file)
    }

    /// Records a change before it is written to a file.
    pub(super) fn note(&mut self, file: &TextFile, written: &Written) -> Result<(), Error> {
        self.change(|records, own| {
            records.files.insert(file.path().to_owned(), written.clone());
            records.directories.extend(file.missing_directories());
            records.directories.extend(own.missing_directories());
            records.save(own)
        })
    }

    /// Forgets a file, and removes created directories that are not needed any more. The record is removed with the
    /// last file.
    pub(super) fn forget(&mut self, file: &Path) -> Result<(), Error> {
        self.change(|records, own| {
            if records.files.remove(file).is_none() {
                return Ok(());
            }
            if records.files.is_empty() {
                own.remove()?;
            }
            // Directories sort before their contents, so the order is reversed.
            for directory in std::mem::take(&mut records.directories).into_iter().rev() {
                // A directory in use stays.
                let _ = fs::remove_dir(&directory);
                if directory.exists() {
                    records.directories.insert(directory);
                }
            }
            if records.files.is_empty() { Ok(()) } else { records.save(own) }
        })
    }

    /// Changes the current record: another command may have changed it since it was read, or may be about to.
    fn change(
        &mut self,
        mut change: impl FnMut(&mut Self, &TextFile) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut attempt = || {
            let own = TextFile::read(&self.path)?;
            let mut now = Self { path: self.path.clone(), ..Self::parse(&own).unwrap_or_default() };
            change(&mut now, &own)?;
            *self = now;
            Ok(())
        };
        let mut outcome = attempt();
        for _ in 1..ATTEMPTS {
            if outcome.is_ok() {
                break;
            }
            outcome = attempt();
        }
        outcome
    }

    /// Returns the recorded files, after forgetting those that are gone.
    pub(crate) fn files(&mut self) -> Result<impl Iterator<Item = &Path>, Error> {
        let gone: Vec<PathBuf> = self.files.keys().filter(|file| !file.exists()).cloned().collect();
        gone.iter().try_for_each(|file| self.forget(file))?;
        Ok(self.files.keys().map(PathBuf::as_path))
    }

    fn save(&self, own: &TextFile) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).expect("a record is plain data");
        // Files of other programs may contain secrets.
        own.write_private(&(text + "\n"))
    }
}

impl Written {
    /// Returns the change from `before` to `after`: one replaced piece.
    pub(super) fn between(before: &str, after: &str, is_new: bool) -> Self {
        let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let at = common(&mut before.chars().zip(after.chars()));
        let (old, new) = (&before[at..], &after[at..]);
        let end = common(&mut old.chars().rev().zip(new.chars().rev()));
        let removed = old[..old.len() - end].to_owned();
        let inserted = new[..new.len() - end].to_owned();
        Self { is_new, at, removed, inserted }
    }

    /// Returns the text without the change; `None` if it is not found, or in several places.
    pub(super) fn undo(&self, text: &str) -> Option<String> {
        let is_here = text.get(self.at..).is_some_and(|rest| rest.starts_with(&self.inserted));
        let mut places = text.match_indices(&self.inserted).map(|(at, _)| at);
        let at = if is_here { self.at } else { places.next().filter(|_| places.next().is_none())? };
        Some(format!("{}{}{}", &text[..at], self.removed, &text[at + self.inserted.len()..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_command_noted_meanwhile_stays() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let file = |name: &str| TextFile::read(&directory.path().join(name)).expect("it may be missing");
        let written = Written::between("", "a", true);
        let mut one = Records::read(directory.path());
        let mut other = Records::read(directory.path());
        one.note(&file("a"), &written).expect("writable");
        other.note(&file("b"), &written).expect("writable");
        let noted = Records::read(directory.path());
        assert_eq!(noted.files.len(), 2, "{noted:?}");
        one.forget(file("a").path()).expect("writable");
        let noted = Records::read(directory.path());
        assert_eq!(noted.files.keys().collect::<Vec<_>>(), [file("b").path()]);
    }

    #[test]
    fn what_was_written_is_taken_out_wherever_it_moved() {
        let written = Written::between("{ä}\n", "{ä\n  ö\n}\n", false);
        assert_eq!(written.undo("{ä\n  ö\n}\n").as_deref(), Some("{ä}\n"));
        assert_eq!(written.undo("{ab, ä\n  ö\n}\n").as_deref(), Some("{ab, ä}\n"));
        assert_eq!(written.undo("{ä}\n"), None);
        assert_eq!(written.undo("[{bb\n  ö\n}, {c\n  ö\n}]"), None);
    }
}
