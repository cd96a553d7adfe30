//! Locations of definitions.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

/// Location of a definition: the range of its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Path of the file.
    pub path: PathBuf,
    /// Line, counted from 0.
    pub line: u32,
    /// First character in the line, counted from 0 in the encoding of the server.
    pub start: u32,
    /// Character after the last one; equal to `start` if the range spans lines or is empty.
    pub end: u32,
}

impl Location {
    /// Reads the result of a request for definitions: nothing, a location, or a list of locations or links. Locations
    /// outside of files are left out.
    pub(crate) fn list(result: &Value) -> Vec<Self> {
        match result {
            Value::Array(items) => items.iter().filter_map(Self::of).collect(),
            Value::Object(_) => Self::of(result).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn of(item: &Value) -> Option<Self> {
        let uri = item.get("uri").or_else(|| item.get("targetUri"))?.as_str()?;
        let range = item.get("range").or_else(|| item.get("targetSelectionRange"))?;
        let number = |end: &str, field: &str| u32::try_from(range.get(end)?.get(field)?.as_u64()?).ok();
        let (line, start) = (number("start", "line")?, number("start", "character")?);
        let is_one_line = number("end", "line")? == line;
        let end = number("end", "character").filter(|_| is_one_line).unwrap_or(start);
        Some(Self { path: path(uri)?, line, start, end })
    }
}

/// Characters of a path that stay as they are in a URI.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns the URI of an absolute path, `file:///a%20b/c.py`.
///
/// ```
/// use std::path::Path;
///
/// use sscg_lsp::file_uri;
///
/// assert_eq!(file_uri(Path::new("/srv/my shop/cart.py")), "file:///srv/my%20shop/cart.py");
/// assert_eq!(file_uri(Path::new("C:\\shop\\cart.py")), "file:///C%3A/shop/cart.py");
/// ```
pub fn file_uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", utf8_percent_encode(&path, PLAIN))
}

/// Returns the path of a URI; `None` unless it is a file.
fn path(uri: &str) -> Option<PathBuf> {
    let path = percent_decode_str(uri.strip_prefix("file://")?).decode_utf8().ok()?;
    // `/C:/a` is a path with a drive.
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if has_drive { &path[1..] } else { &path[..] }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_a_result_is_read() {
        let range = |line: u32| json!({"start": {"line": line, "character": 4}, "end": {"line": line, "character": 8}});
        let location = |line: u32| json!({"uri": "file:///a%20b/c.py", "range": range(line)});
        let link =
            json!({"targetUri": "file:///d.py", "targetRange": range(0), "targetSelectionRange": range(2)});
        let expected = |path: &str, line| Location { path: path.into(), line, start: 4, end: 8 };
        assert_eq!(Location::list(&Value::Null), []);
        assert_eq!(Location::list(&location(1)), [expected("/a b/c.py", 1)]);
        assert_eq!(
            Location::list(&json!([location(1), link, {"uri": "untitled:1", "range": range(1)}, 7])),
            [expected("/a b/c.py", 1), expected("/d.py", 2)]
        );
        assert_eq!(file_uri(Path::new("/a b/c.py")), "file:///a%20b/c.py");
    }
}
