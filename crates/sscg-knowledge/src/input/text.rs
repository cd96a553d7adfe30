//! TOML, JSON and YAML texts as values, with line numbers in errors.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Options};

use super::InputFile;
use crate::Problem;

/// Format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Toml,
    Json,
    Yaml,
}

impl Format {
    /// Returns the format of a file with this name, by its extension.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// Parse error of a text.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    line: u32,
    message: String,
}

impl Broken {
    pub(super) fn problem(&self, input: &str) -> Problem {
        Problem::new(input, self.message.as_str()).at(self.line)
    }
}

/// Maximum nesting depth of YAML; no real file is deeper.
const MAX_DEPTH: usize = 100;

/// Maximum number of YAML events that the aliases of one text may replay in total. Real manifests repeat a few dozen
/// lines by aliases.
const MAX_REPEATED: usize = 100_000;

/// Parses the documents of a text: exactly one, except in YAML, where there may be any number.
pub(super) fn parse(format: Format, text: &str) -> Result<Vec<Value>, Broken> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => serde_json::from_str(text)
            .map(|value| vec![value])
            .map_err(|error| Broken { line: number(error.line()), message: format!("is no JSON: {error}") }),
        Format::Toml => toml::from_str(text).map(|value| vec![value]).map_err(|error| Broken {
            line: error.span().map_or(0, |span| line_at(text, span.start)),
            message: format!("is no TOML: {}", error.message()),
        }),
        Format::Yaml => yaml(text),
    }
}

fn yaml(text: &str) -> Result<Vec<Value>, Broken> {
    let mut options = Options::default();
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    // As in YAML 1.2, where `on` and `yes` are strings.
    options.strict_booleans = true;
    options.with_snippet = false;
    options.alias_limits.max_total_replayed_events = MAX_REPEATED;
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
        // Every service of a large compose file may use the same anchor; the limit above bounds the total expansion.
        budget.enforce_alias_anchor_ratio = false;
        // Every event takes at least one byte, and the length of the text was limited when it was read.
        budget.max_events = text.len() + MAX_REPEATED;
        budget.max_nodes = text.len() + MAX_REPEATED;
        budget.max_total_scalar_bytes = text.len() + MAX_REPEATED;
    }
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| Broken {
        line: error.location().map_or(0, |location| number(location.line() as usize)),
        message: format!("is no YAML: {error}"),
    })
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

fn line_at(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().iter().take(offset);
    number(1 + before.filter(|&&byte| byte == b'\n').count())
}

/// Files of a project, each parsed at most once, on demand.
pub(super) struct Tree<'a> {
    files: BTreeMap<&'a str, Leaf<'a>>,
}

struct Leaf<'a> {
    content: &'a Result<Vec<u8>, String>,
    parsed: OnceLock<Result<Vec<Value>, Broken>>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(files: &'a [InputFile]) -> Self {
        let leaf = |file: &'a InputFile| {
            (file.path.as_str(), Leaf { content: &file.content, parsed: OnceLock::new() })
        };
        Self { files: files.iter().map(leaf).collect() }
    }

    /// Parses the wanted files in parallel.
    pub(super) fn parse(&self, is_wanted: impl Fn(&str) -> bool + Sync) {
        self.files
            .par_iter()
            .filter(|(path, _)| is_wanted(path))
            .for_each(|(path, _)| drop(self.documents(path)));
    }

    /// Returns the paths of all files, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.files.keys().copied()
    }

    /// Returns the path as stored in the tree; `None` if there is no such file.
    pub(super) fn own_path(&self, path: &str) -> Option<&'a str> {
        self.files.get_key_value(path).map(|(path, _)| *path)
    }

    /// Returns the text of a file; empty if it cannot be read.
    pub(super) fn text(&self, path: &str) -> &'a str {
        self.readable(path).unwrap_or_default()
    }

    /// Returns the text of a file; empty if there is no such file. Fails if the file could not be read or is not UTF-8.
    pub(super) fn readable(&self, path: &str) -> Result<&'a str, Problem> {
        let bytes = self.files.get(path).map_or(Ok(&[][..]), |leaf| leaf.content.as_deref());
        let bytes = bytes.map_err(|why| Problem::new(path, why.as_str()))?;
        std::str::from_utf8(bytes).map_err(|_| Problem::new(path, "is not UTF-8"))
    }

    /// Returns the documents of a file, parsed in the format of its extension (default YAML). Fails if the file is
    /// missing, unreadable or malformed.
    pub(super) fn documents(&self, path: &str) -> Result<&[Value], Problem> {
        let Some((path, leaf)) = self.files.get_key_value(path) else {
            return Err(Problem::new(path, "is not in the tree"));
        };
        let parsed = leaf.parsed.get_or_init(|| {
            let broken = |problem: Problem| Broken { line: 0, message: problem.message.into() };
            let text = self.readable(path).map_err(broken)?;
            parse(Format::of(path).unwrap_or(Format::Yaml), text)
        });
        parsed.as_deref().map_err(|broken| broken.problem(path))
    }

    /// Returns the first document of a file, if it can be read.
    pub(super) fn value(&self, path: &str) -> Option<&Value> {
        self.documents(path).ok()?.first()
    }
}

/// Returns the string or number under `key` as text; empty if there is none.
pub(super) fn text_of<'v>(value: &'v Value, key: &str) -> std::borrow::Cow<'v, str> {
    match value.get(key) {
        Some(Value::String(text)) => text.as_str().into(),
        Some(number @ Value::Number(_)) => number.to_string().into(),
        _ => "".into(),
    }
}

/// Returns the strings of a list, or a single string as a list of one.
pub(super) fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Splits a path into directory and file name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the path of a Go package without its major version: `github.com/go-chi/chi` for `github.com/go-chi/chi/v5`.
pub(crate) fn without_version(module: &str) -> &str {
    let version = module.rsplit_once("/v");
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    version.filter(|(_, digits)| is_number(digits)).map_or(module, |(path, _)| path)
}

/// Resolves a path relative to a directory and normalizes `.` and `..`; `None` if it leads out of the project.
pub(super) fn join(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') { return None } else { dir.split('/').collect() };
    parts.retain(|part| !part.is_empty());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn yaml(text: &str) -> Vec<Value> {
        parse(Format::Yaml, text).expect("it is YAML")
    }

    #[test]
    fn yaml_is_read_as_people_mean_it() {
        assert_eq!(
            yaml("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n"),
            [json!({"a": {"b": 1}, "c": {"b": 1, "d": 2}})]
        );
        assert_eq!(
            yaml("on: yes\n200: {x: !Ref y}\na: 1\na: 2\n"),
            [json!({"on": "yes", "200": {"x": "y"}, "a": 2})]
        );
        assert_eq!(yaml("a: 1\n---\nb: 2\n---\n").len(), 2);
    }

    #[test]
    fn paths_are_joined_within_the_project() {
        assert_eq!(join("a/b", "../c.yaml").as_deref(), Some("a/c.yaml"));
        assert_eq!(join("", "./").as_deref(), Some(""));
        assert_eq!(join("a", "../../x"), None);
    }

    #[test]
    fn what_is_broken_says_where() {
        let line = |format, text| parse(format, text).expect_err("it is broken").line;
        assert_eq!(line(Format::Json, "{\n  \"a\": ,\n}"), 2);
        assert_eq!(line(Format::Toml, "a = 1\nb = \n"), 2);
        assert!(line(Format::Yaml, "a: 1\nb: [1, 2\nc: 3\n") > 0);
    }

    #[test]
    fn aliases_and_depth_have_limits() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let last = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{}]\n", last.trim_end_matches(", "));
        }
        parse(Format::Yaml, &bomb).expect_err("it would fill the memory");
        for format in [Format::Yaml, Format::Json, Format::Toml] {
            parse(
                format,
                &format!("{}{}", if format == Format::Toml { "a = " } else { "" }, "[".repeat(100_000)),
            )
            .expect_err("it is too deep");
        }
    }
}
