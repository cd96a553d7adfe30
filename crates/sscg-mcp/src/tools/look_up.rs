//! `look_up`

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sscg::{Corpus, LOOKUP_TOKENS, ListOptions, SearchRequest, UsesOptions};

use super::common::one_of;
use crate::content::{self, MAX_TOKENS};
use crate::failure::Failure;
use crate::paths;
use crate::tool::{Countable, Effect, Reply, Tool, ToolCall};

/// Complete lists of places.
pub(crate) struct LookUp;

/// Arguments of `look_up`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Mode: `callers` for every use of declarations, `callees` for what they call, `tests` for the tests that reach
    /// them; `text` for every line with texts, `mentions` for every line with names in any spelling; `show` for code
    /// with line numbers, `outline` for the declarations of files, directories or types.
    #[schemars(schema_with = "modes")]
    mode: Mode,
    /// Targets. For `callers`, `callees` and `tests` declarations: `Session > close`, `src/auth.py::Session.close`; for
    /// `show` these, `src/auth.py:12` for the one around a line, `src/auth.py:40-90` for lines, or a file; for
    /// `outline` files, directories or types; for `text` texts, or `/regex/`.
    #[schemars(length(min = 1), extend("examples" = [["Session > close", "verify_token"]]))]
    names: Vec<String>,
    /// Only these files, directories or globs, relative to the project root; for `text` and `mentions`.
    #[schemars(extend("examples" = [["src/net", "*.ts"]]))]
    #[serde(default)]
    path: Vec<String>,
    /// Token budget (default 8000).
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// Call depth for `callers` and `callees` (default 1).
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// True to append the listed code, for `callers` and `callees`.
    bodies: Option<bool>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

/// Lookup mode.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Every use of declarations.
    Callers,
    /// Callees of declarations.
    Callees,
    /// Tests that reach declarations.
    Tests,
    /// Every line with texts.
    Text,
    /// Every line with names in any spelling.
    Mentions,
    /// Code with line numbers.
    Show,
    /// Declarations of files, directories or types.
    Outline,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(["callers", "callees", "tests", "text", "mentions", "show", "outline"])
}

/// Result size.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct LookUpData {
    /// Number of listed places, including those that did not fit the text: uses and possible uses, calls, tests, lines,
    /// declarations, or pieces of code.
    found: usize,
}

impl Countable for LookUpData {
    fn count(&self) -> Option<usize> {
        Some(self.found)
    }
}

impl Tool for LookUp {
    const NAME: &'static str = "look_up";
    const TITLE: &'static str = "Look up";
    const DESCRIPTION: &'static str = "\
List every place, for several names in one call. `callers`: all lines that call or use declarations, through interfaces and traits \
too, then unresolved uses that may refer to them. `text`: all lines with an exact text or regular expression in any text file, with \
the enclosing declaration; `mentions`: a name in any spelling. `show`: code by name or lines, numbered. `outline`: declarations of a \
file, directory or type. `callees`, `tests`: callees and tests of declarations.
Example: {\"mode\": \"callers\", \"names\": [\"Session > close\"]}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = LookUpData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<LookUpData>, Failure> {
        let Arguments { mode, names, path, budget, depth, bodies, project } = arguments;
        let project = call.project(project.as_deref())?;
        let budget = budget.unwrap_or(LOOKUP_TOKENS).min(MAX_TOKENS);
        let list = ListOptions::default()
            .with_budget(budget)
            .with_depth(depth.unwrap_or(1))
            .with_bodies(bodies.unwrap_or_default());
        if !path.is_empty() && !matches!(mode, Mode::Text | Mode::Mentions) {
            return Err(Failure::new("only `text` and `mentions` take `path`", "leave it out"));
        }
        let path: Vec<String> =
            path.iter().map(|path| paths::filter(&project, path)).collect::<Result<_, _>>()?;
        let (snapshot, _) = call.projects.refresh(&project, Corpus::Code, &call.wait_policy())?;
        let (found, text) = match mode {
            Mode::Callers => {
                let (found, text) = sscg::uses(&snapshot, &names, &UsesOptions::default().with_list(list))?;
                let places = found.iter().flat_map(|of| of.places.iter().chain(&of.possible));
                (places.map(|place| place.lines.len()).sum(), text)
            }
            Mode::Callees => {
                let (found, text) = sscg::callees(&snapshot, &names, &list)?;
                (found.iter().map(|of| of.calls.len()).sum(), text)
            }
            Mode::Tests => {
                let (found, text) = sscg::tests(&snapshot, &names, budget)?;
                (found.iter().map(|of| of.tests.len()).sum(), text)
            }
            Mode::Mentions => {
                let (found, text) = sscg::mentions(&snapshot, &names, &path, budget)?;
                (found.iter().map(|of| of.lines).sum(), text)
            }
            Mode::Outline => {
                let (found, text) = sscg::outline(&snapshot, &names, budget)?;
                (found.len(), text)
            }
            Mode::Text => {
                let (found, text) = sscg::text(&snapshot, &names, &path, budget)?;
                (found.iter().map(|of| of.lines).sum(), text)
            }
            Mode::Show => {
                let (found, text) = sscg::show(&snapshot, &names, budget)?;
                (found.len(), content::within_limit(text))
            }
        };
        Ok(Reply { content: vec![content::item(text, 1.0)], data: LookUpData { found } })
    }
}
