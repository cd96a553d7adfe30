//! What an agent is told in a project, so that it uses the server.

use serde_json::Value;

use super::change::{Part, Presence};

/// A few lines between two markers, in a file that agents read before they start.
pub(crate) struct Instructions;

const BEGIN: &str = "<!-- sscg: begin -->";
const END: &str = "<!-- sscg: end -->";

const TEXT: &str = "\
To find code here, call `search_code` of the MCP server `sscg` before grep or reading files: ask in English, or name a
declaration with `symbol = Outer > inner`. An answer holds the code that matters and how it connects; read a file only
for what an answer leaves out. Set `budget` to spend fewer tokens, and `path` to look in one place; if the answer is not
what you need, ask once more in other words.";

impl Instructions {
    /// With the line breaks that the text has.
    fn block(text: &str) -> String {
        let block = format!("{BEGIN}\n{TEXT}\n{END}\n");
        if text.contains("\r\n") { block.replace('\n', "\r\n") } else { block }
    }

    /// The text before the markers, what is between them, and the text after them.
    fn split(text: &str) -> Result<Option<[&str; 3]>, String> {
        let Some(start) = text.find(BEGIN) else { return Ok(None) };
        let length =
            text[start..].find(END).ok_or_else(|| format!("it has {BEGIN} and no {END} after it"))?;
        let end = start + length + END.len();
        let line = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        let end = if text[end..line].trim().is_empty() { line } else { end };
        Ok(Some([&text[..start], &text[start..end], &text[end..]]))
    }
}

impl Part for Instructions {
    fn find(&self, text: &str) -> Result<Presence, String> {
        Ok(match Self::split(text)? {
            None => Presence::Absent,
            Some([_, block, _]) if block.trim_end() == Self::block(text).trim_end() => Presence::Same,
            Some(_) => Presence::Older,
        })
    }

    fn insert(&self, text: &str) -> Result<String, String> {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let breaks = match text {
            "" => 0,
            _ if text.ends_with('\n') => 1,
            _ => 2,
        };
        Ok(text.to_owned() + &line_break.repeat(breaks) + &Self::block(text))
    }

    fn remove(&self, text: &str) -> Result<String, String> {
        let Some([before, _, after]) = Self::split(text)? else { return Ok(text.to_owned()) };
        let blank = ["\r\n\r\n", "\n\n"].into_iter().find(|blank| before.ends_with(blank));
        let before = blank.map_or(before, |blank| &before[..before.len() - blank.len() / 2]);
        Ok(before.to_owned() + after)
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let words = |text: &str| text.split_whitespace().map(Value::from).collect();
        Ok(match Self::split(text)? {
            None => words(text),
            Some([before, _, after]) => words(&format!("{before}\n{after}")),
        })
    }
}
