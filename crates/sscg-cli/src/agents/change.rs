//! Putting something into a text file, and taking it out again.

use serde_json::Value;
use similar::TextDiff;
use sscg::Error;

use super::file::TextFile;
use super::record::{Records, Written};
use crate::note;

/// Something that is put into a text file.
pub(crate) trait Part {
    /// Whether the text has it.
    fn find(&self, text: &str) -> Result<Presence, String>;

    /// The text with it, given one that has it not.
    fn insert(&self, text: &str) -> Result<String, String>;

    /// The text with it as it is to be, given one that has it in other words.
    fn update(&self, text: &str) -> Result<String, String> {
        self.insert(&self.remove(text)?)
    }

    /// The text without it, given one that has it.
    fn remove(&self, text: &str) -> Result<String, String>;

    /// All else that the text says, in a form that can be compared.
    fn rest(&self, text: &str) -> Result<Value, String>;
}

/// Whether a text has a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    Same,
    /// In words of another time or version.
    Older,
    /// Something of another origin stands in its place.
    Foreign,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing: what is wanted is there.
    AlreadyThere,
    Added,
    Updated,
    /// Nothing: there is nothing to take out.
    NotThere,
    /// Nothing: what stands there is not ours.
    LeftAlone,
    Removed,
}

/// A change of a file that is yet to be made.
pub(crate) struct Change {
    file: TextFile,
    pub(crate) what: What,
    /// What the file says then; `None` if it goes.
    after: Option<String>,
    /// What is to be noted of it.
    written: Option<Written>,
}

/// The change that puts a part into a file. Something of another origin is only replaced by force.
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

/// The change that takes a part out of a file.
pub(crate) fn take_out(part: &dyn Part, file: TextFile, records: &Records) -> Result<Change, Error> {
    match part.find(file.text()).map_err(|message| broken(&file, &message))? {
        Presence::Absent => return Ok(Change::none(file, What::NotThere)),
        Presence::Foreign => return Ok(Change::none(file, What::LeftAlone)),
        Presence::Same | Presence::Older => {}
    }
    let written = records.get(file.path());
    let after = without(part, &file, written)?;
    let is_new = written.is_some_and(|written| written.is_new);
    let after = Some(after).filter(|after| !(is_new && is_blank(after)));
    Ok(Change { file, what: What::Removed, after, written: None })
}

/// What a file says without the part: to the byte if it was noted what was written, and is still there.
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

/// Whether a text says nothing: it is empty, or an empty object.
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

    /// Whether anything is done.
    pub(crate) fn is_some(&self) -> bool {
        matches!(self.what, What::Added | What::Updated | What::Removed)
    }

    /// What changes, as a unified diff.
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

    /// Makes the change, and notes it.
    pub(crate) fn make(&self, records: &mut Records) -> Result<(), Error> {
        let path = self.file.path();
        match (self.what, &self.after, &self.written) {
            (What::Added | What::Updated, Some(after), Some(written)) => {
                // Noted first: what is noted and not written does no harm. What is not noted can be taken out, too, but
                // maybe not to the byte.
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
            (What::NotThere, ..) => records.forget(path),
            _ => Ok(()),
        }
    }
}
