//! `look_up`

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sscg::{Corpus, LOOKUP_TOKENS, SearchRequest, UsesOptions};

use super::common::one_of;
use crate::content::{self, MAX_TOKENS};
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// Lists that leave nothing out.
pub(crate) struct LookUp;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// `callers` for every place that uses declarations, `text` for every line with texts, `show` for code with its line numbers.
    #[schemars(schema_with = "modes")]
    mode: Mode,
    /// For `callers` declarations: `Session > close`, `src/auth.py::Session.close`; for `show` these, `src/auth.py:12` for the one
    /// around a line, `src/auth.py:40-90` for lines, or a file; for `text` texts, or `/regular expressions/`.
    #[schemars(length(min = 1), extend("examples" = [["Session > close", "verify_token"]]))]
    names: Vec<String>,
    /// At most this many tokens. Usually 8000.
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

/// What is looked up.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Every place that uses declarations.
    Callers,
    /// Every line with texts.
    Text,
    /// Code with its line numbers.
    Show,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(["callers", "text", "show"])
}

/// How much was found.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct LookUpData {
    /// The number of places that the lists have, those included that did not fit the text: uses and possible uses, lines, or
    /// pieces of code.
    found: usize,
}

impl Tool for LookUp {
    const NAME: &'static str = "look_up";
    const TITLE: &'static str = "Look up";
    const DESCRIPTION: &'static str = "\
List every place, for several names in one call. `callers`: all lines that call or use declarations, through interfaces and traits \
too, then those that no rule could tie to any declaration and that may be meant. `text`: all lines with an \
exact text or regular expression in any text file, with the declaration around each. `show`: code by name or lines, numbered.
Example: {\"mode\": \"callers\", \"names\": [\"Session > close\"]}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = LookUpData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<LookUpData>, Failure> {
        let Arguments { mode, names, budget, project } = arguments;
        let project = call.project(project.as_deref())?;
        let budget = budget.unwrap_or(LOOKUP_TOKENS).min(MAX_TOKENS);
        let (snapshot, _) = call.projects.refresh(&project, Corpus::Code, &call.patience())?;
        let (found, text) = match mode {
            Mode::Callers => {
                let (found, text) =
                    sscg::uses(&snapshot, &names, &UsesOptions { budget, ..UsesOptions::default() })?;
                let places = found.iter().flat_map(|of| of.places.iter().chain(&of.possible));
                (places.map(|place| place.lines.len()).sum(), text)
            }
            Mode::Text => {
                let (found, text) = sscg::text(&snapshot, &names, budget)?;
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
