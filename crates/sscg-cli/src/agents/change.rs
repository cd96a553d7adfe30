//! Insertion of parts into text files, and their removal.

use serde_json::Value;
use similar::TextDiff;
use sscg::Error;

use super::file::TextFile;
use super::record::{Records, Written};
use crate::note;

/// Part of a text file that can be inserted and removed.
pub(crate) trait Part {
    /// Returns the share of the file that the part is.
    fn extent(&self) -> Extent {
        Extent::Piece
    }

    /// Returns the presence of the part in the text.
    fn find(&self, text: &str) -> Result<Presence, String>;

    /// Returns the text with the part; the text must not have it.
    fn insert(&self, text: &str) -> Result<String, String>;

    /// Returns the text with the part as it should be; the text must have another version of it.
    fn update(&self, text: &str) -> Result<String, String> {
        self.insert(&self.remove(text)?)
    }

    /// Returns the text without the part; the text must have it.
    fn remove(&self, text: &str) -> Result<String, String>;

    /// Returns the rest of the text in a comparable form.
    fn rest(&self, text: &str) -> Result<Value, String>;
}

/// Share of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Piece of a file of someone else.
    Piece,
    /// File of our own.
    File,
}

/// Presence of a part in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    Same,
    /// Wording of another time or version.
    Older,
    /// Something of another origin in its place.
    Foreign,
}

/// Effect on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing: the part is already there.
    AlreadyThere,
    Added,
    Updated,
    /// Nothing: there is no part to remove.
    NotThere,
    /// Nothing: the existing part is not ours.
    LeftAlone,
    /// Nothing: someone has changed our file.
    Changed,
    Removed,
}

/// Pending change of a file.
pub(crate) struct Change {
    file: TextFile,
    pub(crate) what: What,
    /// New text; `None` if the file is removed.
    after: Option<String>,
    /// Change to record.
    written: Option<Written>,
}

/// Returns the change that inserts a part into a file. A part of another origin is only replaced with `force`.
pub(crate) fn put_in(
    part: &dyn Part,
    file: TextFile,
    records: &Records,
    force: bool,
) -> Result<Change, Error> {
    let text = file.text();
    let found = part.find(text).map_err(|message| broken(&file, &message))?;
    let before = match found {
        Presence::Same => return Ok(Change::none(file, What::AlreadyThere)),
        // Whoever changed such a file wants it so.
        Presence::Foreign if !force && part.extent() == Extent::File => {
            return Ok(Change::none(file, What::Changed));
        }
        Presence::Foreign if !force => {
            let message =
                format!("{} has a server of this name that is another program", file.path().display());
            return Err(Error::project(
                message,
                "give --force to replace it; `sscg uninstall` brings it back",
            ));
        }
        Presence::Absent | Presence::Foreign => text.to_owned(),
        Presence::Older => without(part, &file, records.get(file.path()))?,
    };
    let after = match found {
        Presence::Absent => part.insert(text),
        Presence::Foreign => part.remove(text).and_then(|bare| part.insert(&bare)),
        Presence::Same | Presence::Older => part.update(text),
    };
    let after = after.map_err(|message| broken(&file, &message))?;
    let is_right = part.find(&after) == Ok(Presence::Same) && part.rest(&after) == part.rest(text);
    if !is_right {
        return Err(broken(&file, "there is no way to add to it that changes nothing else"));
    }
    let noted = records.get(file.path()).filter(|_| found == Presence::Older);
    let is_new = noted.map_or(!file.is_there(), |written| written.is_new);
    let written = Written::between(&before, &after, is_new);
    let what = if found == Presence::Absent { What::Added } else { What::Updated };
    Ok(Change { file, what, after: Some(after), written: Some(written) })
}

/// Returns the change that removes a part from a file.
pub(crate) fn take_out(part: &dyn Part, file: TextFile, records: &Records) -> Result<Change, Error> {
    match part.find(file.text()).map_err(|message| broken(&file, &message))? {
        Presence::Absent => return Ok(Change::none(file, What::NotThere)),
        Presence::Foreign if part.extent() == Extent::File => return Ok(Change::none(file, What::Changed)),
        Presence::Foreign => return Ok(Change::none(file, What::LeftAlone)),
        Presence::Same | Presence::Older => {}
    }
    let written = records.get(file.path());
    let after = without(part, &file, written)?;
    // Without a record, a file of our own is one that was not there before.
    let is_new = written.map_or(part.extent() == Extent::File, |written| written.is_new);
    let after = Some(after).filter(|after| !(is_new && is_blank(after)));
    Ok(Change { file, what: What::Removed, after, written: None })
}

/// Returns a file's text without the part: to the byte if the change was recorded and is still there.
fn without(part: &dyn Part, file: &TextFile, written: Option<&Written>) -> Result<String, Error> {
    let is_right = |text: &String| {
        matches!(part.find(text), Ok(Presence::Absent | Presence::Foreign))
            && part.rest(text) == part.rest(file.text())
    };
    if let Some(undone) = written.and_then(|written| written.undo(file.text())).filter(is_right) {
        return Ok(undone);
    }
    let removed = part.remove(file.text()).map_err(|message| broken(file, &message))?;
    let unclear = || broken(file, "there is no way to remove from it that changes nothing else");
    Some(removed).filter(is_right).ok_or_else(unclear)
}

/// True if a text is blank: empty, or an empty object.
fn is_blank(text: &str) -> bool {
    matches!(text.split_whitespace().collect::<String>().as_str(), "" | "{}")
}

fn broken(file: &TextFile, message: &str) -> Error {
    let hint = "it stays as it is; mend it, or write by hand what --print-config prints";
    Error::project(format!("cannot change {}: {message}", file.path().display()), hint)
}

impl Change {
    fn none(file: TextFile, what: What) -> Self {
        Self { file, what, after: None, written: None }
    }

    pub(crate) fn file(&self) -> &TextFile {
        &self.file
    }

    /// True if the file changes.
    pub(crate) fn is_some(&self) -> bool {
        matches!(self.what, What::Added | What::Updated | What::Removed)
    }

    /// Returns the change as a unified diff.
    pub(crate) fn diff(&self) -> String {
        if !self.is_some() {
            return String::new();
        }
        let path = self.file.path().display().to_string();
        let nothing = || "/dev/null".to_owned();
        let before = if self.file.is_there() { path.clone() } else { nothing() };
        let after = if self.after.is_some() { path } else { nothing() };
        let diff = TextDiff::from_lines(self.file.text(), self.after.as_deref().unwrap_or(""));
        diff.unified_diff().header(&before, &after).to_string()
    }

    /// Makes the change and records it.
    pub(crate) fn make(&self, records: &mut Records) -> Result<(), Error> {
        let path = self.file.path();
        match (self.what, &self.after, &self.written) {
            (What::Added | What::Updated, Some(after), Some(written)) => {
                // Record first: a change that is recorded but not written does no harm. An unrecorded one can be
                // removed, too, but maybe not to the byte.
                if let Err(error) = records.note(&self.file, written) {
                    note(&format!("warning: {error}"));
                }
                self.file.write(after)
            }
            (What::Removed, after, _) => {
                match after {
                    Some(after) => self.file.write(after)?,
                    None => self.file.remove()?,
                }
                records.forget(path)
            }
            // A changed file belongs to whoever changed it.
            (What::NotThere | What::Changed, ..) => records.forget(path),
            _ => Ok(()),
        }
    }
}
