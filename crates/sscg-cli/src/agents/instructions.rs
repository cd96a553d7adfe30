//! Instructions for agents in a project, so that they use the server.

use serde_json::Value;

use super::change::{Part, Presence};

/// A few lines between two markers, in a file that agents read before they start.
pub(crate) struct Instructions;

const BEGIN: &str = "<!-- sscg: begin -->";
const END: &str = "<!-- sscg: end -->";

const TEXT: &str = "\
To find code here, use the MCP server `sscg` before grep or reading files:
- `look_up` with `show` if you know or guess names: several in one call, also `path:12` or `path:40-90`, printed with line numbers.
  `callers`, `callees`, `tests`, `mentions`, `text`, `outline` are lists that say whether they are complete; then there is nothing
  to search again.
- `search_code` if you do not: a question in plain words, with `terms`, six to fourteen guesses at what the code is called; or a
  pasted error message, a line of code, `symbol = Outer > inner`. A `budget` of 1000 answers many; `budget: 2000` with
  `after: 1000` sends what follows. Further matches are named with their lines, for `more`.
What is shown is the file as it is now. Read files for what answers leave out. The command `sscg` does the same in a shell.";

impl Instructions {
    /// Returns the block with the line breaks of the text.
    fn block(text: &str) -> String {
        let block = format!("{BEGIN}\n{TEXT}\n{END}\n");
        if text.contains("\r\n") { block.replace('\n', "\r\n") } else { block }
    }

    /// Splits a text into its blocks and the pieces around them, one more. There may be several: people copy and merge
    /// files.
    fn split(text: &str) -> Result<(Vec<&str>, Vec<&str>), String> {
        let (mut blocks, mut around) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(start) = rest.find(BEGIN) {
            let length =
                rest[start..].find(END).ok_or_else(|| format!("it has {BEGIN} and no {END} after it"))?;
            let end = start + length + END.len();
            let line = rest[end..].find('\n').map_or(rest.len(), |at| end + at + 1);
            let end = if rest[end..line].trim().is_empty() { line } else { end };
            around.push(&rest[..start]);
            blocks.push(&rest[start..end]);
            rest = &rest[end..];
        }
        around.push(rest);
        Ok((blocks, around))
    }
}

impl Part for Instructions {
    fn find(&self, text: &str) -> Result<Presence, String> {
        let (blocks, _) = Self::split(text)?;
        Ok(match blocks.as_slice() {
            [] => Presence::Absent,
            [block] if block.trim_end() == Self::block(text).trim_end() => Presence::Same,
            _ => Presence::Older,
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
        let (_, around) = Self::split(text)?;
        let (last, before) = around.split_last().expect("there is something around, if it is empty");
        let mut left = String::with_capacity(text.len());
        for piece in before {
            left.push_str(piece);
            // The blank line goes with the block.
            let blank = ["\r\n\r\n", "\n\n"].into_iter().find(|blank| left.ends_with(blank));
            left.truncate(left.len() - blank.map_or(0, |blank| blank.len() / 2));
        }
        Ok(left + last)
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let (_, around) = Self::split(text)?;
        Ok(around.iter().flat_map(|piece| piece.split_whitespace()).map(Value::from).collect())
    }
}
