//! `look_up`

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sscg::{Corpus, LOOKUP_TOKENS, ListOptions, SearchRequest, UsesOptions};

use super::common::one_of;
use crate::content::{self, MAX_TOKENS};
use crate::paths;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// Lists that leave nothing out.
pub(crate) struct LookUp;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// `callers` for every place that uses declarations, `callees` for what they call, `tests` for the tests that reach them; `text` for
    /// every line with texts, `mentions` for every line with names in any spelling; `show` for code with its line numbers, `outline`
    /// for what files, directories or types declare.
    #[schemars(schema_with = "modes")]
    mode: Mode,
    /// For `callers`, `callees` and `tests` declarations: `Session > close`, `src/auth.py::Session.close`; for `show` these, `src/auth.py:12` for the one
    /// around a line, `src/auth.py:40-90` for lines, or a file; for `outline` files, directories or types; for `text` texts, or `/regular expressions/`.
    #[schemars(length(min = 1), extend("examples" = [["Session > close", "verify_token"]]))]
    names: Vec<String>,
    /// For `text` and `mentions`: only in these files, directories or globs, relative to the project's root.
    #[schemars(extend("examples" = [["src/net", "*.ts"]]))]
    #[serde(default)]
    path: Vec<String>,
    /// At most this many tokens. Usually 8000.
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// For `callers` and `callees`: how many calls away, usually 1.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// For `callers` and `callees`: whether the code of what is listed follows.
    bodies: Option<bool>,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

/// What is looked up.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Every place that uses declarations.
    Callers,
    /// What declarations call.
    Callees,
    /// The tests that reach declarations.
    Tests,
    /// Every line with texts.
    Text,
    /// Every line with names in any spelling.
    Mentions,
    /// Code with its line numbers.
    Show,
    /// What files, directories or types declare.
    Outline,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(["callers", "callees", "tests", "text", "mentions", "show", "outline"])
}

/// How much was found.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct LookUpData {
    /// The number of places that the lists have, those included that did not fit the text: uses and possible uses, calls, tests,
    /// lines, declarations, or pieces of code.
    found: usize,
}

impl Tool for LookUp {
    const NAME: &'static str = "look_up";
    const TITLE: &'static str = "Look up";
    const DESCRIPTION: &'static str = "\
List every place, for several names in one call. `callers`: all lines that call or use declarations, through interfaces and traits \
too, then those that no rule could tie to any declaration and that may be meant. `text`: all lines with an \
exact text or regular expression in any text file, with the declaration around each; `mentions`: a name in any spelling. `show`: \
code by name or lines, numbered. `outline`: what a file, directory or type declares. `callees`, `tests`: what is called, what tests it.
Example: {\"mode\": \"callers\", \"names\": [\"Session > close\"]}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = LookUpData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<LookUpData>, Failure> {
        let Arguments { mode, names, path, budget, depth, bodies, project } = arguments;
        let project = call.project(project.as_deref())?;
        let budget = budget.unwrap_or(LOOKUP_TOKENS).min(MAX_TOKENS);
        let list = ListOptions { budget, depth: depth.unwrap_or(1), bodies: bodies.unwrap_or_default() };
        if !path.is_empty() && !matches!(mode, Mode::Text | Mode::Mentions) {
            return Err(Failure::new("only `text` and `mentions` take `path`", "leave it out"));
        }
        let path: Vec<String> =
            path.iter().map(|path| paths::filter(&project, path)).collect::<Result<_, _>>()?;
        let (snapshot, _) = call.projects.refresh(&project, Corpus::Code, &call.patience())?;
        let (found, text) = match mode {
            Mode::Callers => {
                let (found, text) =
                    sscg::uses(&snapshot, &names, &UsesOptions { list, ..UsesOptions::default() })?;
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
