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
    // The description of the tool describes the modes.
    #[schemars(schema_with = "modes")]
    mode: Mode,
    /// Declarations (`Session > close`), lines (`src/auth.py:40-90`), files, directories, or texts.
    #[schemars(length(min = 1))]
    names: Vec<String>,
    /// Only these places, for `text`, `mentions`.
    #[serde(default)]
    path: Vec<String>,
    /// Token budget (default 8000).
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// Call depth for `callers` and `callees` (default 1).
    #[schemars(range(min = 1, max = 10), extend("x-rare" = true))]
    depth: Option<u32>,
    /// Append the listed code, for `callers`, `callees`.
    bodies: Option<bool>,
    /// Project, by its directory; required only if the server has several.
    #[schemars(extend("x-several" = true))]
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
List every place, for several names in one call; each list states whether it is complete. `callers`: all lines that use \
declarations, through interfaces and traits too, then uses that may mean them. `callees`, `tests`: what declarations call, and the \
tests that reach them. `text`: all lines with a text or `/regex/` in any text file, with the enclosing declaration; `mentions`: a \
name in any spelling. `show`: code of declarations, lines (`src/auth.py:12` for the one around a line) or files, numbered. \
`outline`: declarations of a file, directory or type.
Example: {\"mode\": \"callers\", \"names\": [\"Session > close\", \"verify_token\"]}";
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
