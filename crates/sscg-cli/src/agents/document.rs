//! Files of our own in the directories of an agent: a skill, and a subagent.

use serde_json::Value;

use super::change::{Extent, Part, Presence};

/// Whole file, with its checksum in the last line: a text that someone has changed is not replaced.
pub(crate) struct Document(String);

/// Characters of the checksum.
const CHECKSUM_LENGTH: usize = 8;
/// Last line of a document, around the checksum.
const MARK: (&str, &str) = ("<!-- Written by `sscg install`, ", " -->\n");

impl Document {
    /// Returns the skill, in the open format that all agents with skills share.
    pub(crate) fn skill() -> Self {
        Self::of(include_str!("text/skill.md"))
    }

    /// Returns a subagent with these lines in its head.
    pub(crate) fn subagent(head: &str) -> Self {
        let about = "Answers where, how and what-uses questions about the code base, with files and lines. Use it for \
                     explorations that would take several searches.";
        Self::of(&format!("---\ndescription: {about}\n{head}---\n{}", include_str!("text/subagent.md")))
    }

    fn of(text: &str) -> Self {
        // A checkout on Windows may have other line breaks.
        let text = text.replace("\r\n", "\n");
        let (before, after) = MARK;
        Self(format!("{text}\n{before}{}{after}", checksum(&text)))
    }
}

fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..CHECKSUM_LENGTH].to_owned()
}

/// True if a text is a document of any version, without changes.
fn is_untouched(text: &str) -> bool {
    let marked = text.strip_suffix(MARK.1).and_then(|text| text.rsplit_once(&format!("\n{}", MARK.0)));
    marked.is_some_and(|(text, sum)| checksum(text) == sum)
}

impl Part for Document {
    fn extent(&self) -> Extent {
        Extent::File
    }

    fn find(&self, text: &str) -> Result<Presence, String> {
        Ok(match text {
            _ if text.trim().is_empty() => Presence::Absent,
            _ if text == self.0 => Presence::Same,
            _ if is_untouched(text) => Presence::Older,
            _ => Presence::Foreign,
        })
    }

    fn insert(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn remove(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }

    fn rest(&self, _: &str) -> Result<Value, String> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_another_version_is_replaced_and_a_changed_one_is_not() {
        let (one, other) = (Document::skill(), Document::subagent("name: sscg\n"));
        assert_eq!(one.find(&one.0), Ok(Presence::Same));
        assert_eq!(one.find(&other.0), Ok(Presence::Older));
        assert_eq!(one.find(&one.0.replace("grep", "rg")), Ok(Presence::Foreign));
        assert_eq!(one.find("# My own\n"), Ok(Presence::Foreign));
        assert_eq!(one.find("\n"), Ok(Presence::Absent));
    }

    #[test]
    fn agents_pay_little_for_a_skill_that_they_do_not_open() {
        let Document(text) = Document::skill();
        let description = text.lines().find_map(|line| line.strip_prefix("description: "));
        let length = description.expect("a skill is described").len();
        assert!(length <= 220, "{length}");
        assert!(text.len() <= 2_000, "{}", text.len());
    }
}
