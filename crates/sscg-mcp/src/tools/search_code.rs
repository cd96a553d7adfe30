//! `search_code`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::format::CodeStyle;
use sscg::{CentralityMode, Corpus, Response, SearchRequest, find_language};

use super::common::{Limits, confidence, confidence_names, one_of, some_of};
use crate::content::{self, MAX_TOKENS, SearchData};
use crate::failure::Failure;
use crate::paths;
use crate::projects::OpenProjects;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Main search tool.
pub(crate) struct SearchCode;

/// Default budget of a tour: about thirty signatures.
const TOUR_TOKENS: usize = 1_500;

/// Arguments of `search_code`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Question, or `symbol = src/a.py > Outer > inner`.
    #[schemars(length(min = 1, max = 10_000))]
    query: String,
    /// Six to fourteen guesses at identifiers, words or parts of strings in the code. Wrong ones cost little.
    #[serde(default)]
    terms: Vec<String>,
    /// Only this code that answers name: `src/a.py:40-62`, `Outer > inner`.
    #[serde(default)]
    more: Vec<String>,
    /// Only these files, directories or globs.
    #[serde(default)]
    path: Vec<String>,
    /// Only these languages.
    #[schemars(extend("x-rare" = true, "examples" = [["rust", "csharp"]]))]
    #[serde(default)]
    languages: Vec<String>,
    /// Only chunks of these kinds.
    #[schemars(schema_with = "kinds", extend("x-rare" = true))]
    #[serde(default)]
    kinds: Vec<String>,
    /// Rank results near this first in the graph: a declaration, a file, or a line of it.
    #[schemars(extend("x-rare" = true, "examples" = ["Session > close", "src/net/session.py:120"]))]
    anchor: Option<String>,
    /// Minimum confidence of edges.
    #[schemars(schema_with = "confidence_names", extend("x-rare" = true))]
    #[serde(default)]
    min_confidence: Option<String>,
    /// Result limit (default 50).
    #[schemars(range(min = 1, max = 200), extend("x-rare" = true))]
    limit: Option<usize>,
    /// Also list up to 10 neighbors within this many steps.
    #[schemars(range(min = 0, max = 10), extend("x-rare" = true))]
    ego_graph: Option<u32>,
    /// Show it, or `sort` by it.
    #[schemars(schema_with = "centralities", extend("x-rare" = true))]
    #[serde(default)]
    centrality: Option<CentralityMode>,
    /// Show communities.
    #[schemars(extend("x-rare" = true))]
    communities: Option<bool>,
    /// False ranks without the graph.
    #[schemars(extend("x-rare" = true))]
    graph: Option<bool>,
    /// Call-tree depth around each result (default 1); 0 means unlimited.
    #[schemars(range(min = 0, max = 100), extend("x-rare" = true))]
    call_depth: Option<u32>,
    /// Signatures instead of code, for orientation, in 1500 tokens by default.
    #[schemars(extend("x-rare" = true))]
    tour: Option<bool>,
    /// Budget of the answer before to the same question: send only what that one lacks.
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS), extend("x-rare" = true))]
    after: Option<usize>,
    /// Send code of earlier answers again; only with `--session-memory`.
    #[schemars(extend("x-rare" = true))]
    repeat: Option<bool>,
    #[serde(flatten)]
    limits: Limits,
}

fn kinds(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    some_of(sscg::core::ChunkKind::all().map(sscg::core::ChunkKind::as_str))
}

fn centralities(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    one_of(CentralityMode::ALL.map(CentralityMode::as_str))
}

impl Tool for SearchCode {
    const NAME: &'static str = "search_code";
    const TITLE: &'static str = "Search code";
    const DESCRIPTION: &'static str = "\
Find the code that answers a question about this project, with its connections. Use it first to understand, locate or change \
behavior, before grep and reading files.
Ask in plain words, with guesses at names in `terms` (sscg://vocabulary lists names), or paste an error message \
or a line of code. `symbol = Session > close` gives a declaration with callers, callees and types. For every use of a \
declaration or every line with a text use look_up.
The answer fits `budget` tokens: ranked results, connections, then the current lines of each file; `... 40-62` are omitted. \
`after: 1000` with a larger budget sends what follows; `more` takes what is named.
Example: {\"query\": \"how are dropped connections retried\", \"terms\": [\"retry\", \"backoff\"], \"budget\": 1000}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = SearchData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<SearchData>, Failure> {
        let projects = match &arguments.limits.project {
            None if call.roots.len() > 1 => call.roots.clone(),
            name => vec![call.project(name.as_deref())?],
        };
        let OpenProjects { projects, defaults, failures } =
            call.projects.open_all(&projects, &call.wait_policy())?;
        let config = defaults.expect("a project is open");
        let is_filtered =
            !(arguments.path.is_empty() && arguments.languages.is_empty() && arguments.kinds.is_empty());
        let paths = arguments.path.iter().map(|path| match &projects[..] {
            [project] => paths::filter(project, path),
            _ => {
                Err(Failure::new("`path` is relative to a project, and `project` is missing", "name it, too"))
            }
        });
        let languages = arguments.languages.iter().map(|name| find_language(Corpus::Code, name));
        let kinds = arguments.kinds.iter().map(|kind| kind.parse());
        let is_tour = arguments.tour.unwrap_or(false);
        let mut limits = arguments.limits;
        if is_tour {
            limits.set_default_budget(TOUR_TOKENS);
        }
        let mut request = limits
            .search(arguments.query, &config.search)
            .with_more(arguments.more)
            .with_paths(paths.collect::<Result<_, _>>()?)
            .with_languages(languages.collect::<Result<_, _>>()?)
            .with_kinds(kinds.collect::<Result<_, _>>().map_err(sscg::Error::from)?)
            .with_terms(arguments.terms)
            .with_min_confidence(confidence(arguments.min_confidence.as_deref()));
        if is_tour {
            request.code = CodeStyle::Signatures;
        }
        request.after = arguments.after;
        request.anchor = arguments.anchor;
        request.limit = arguments.limit.unwrap_or(request.limit);
        request.ego_graph = arguments.ego_graph.unwrap_or(request.ego_graph);
        request.centrality = arguments.centrality.unwrap_or(request.centrality);
        request.communities = arguments.communities.unwrap_or(request.communities);
        request.graph = arguments.graph.unwrap_or(true);
        request.call_depth = match arguments.call_depth {
            Some(0) => None,
            Some(steps) => Some(steps),
            None => request.call_depth,
        };
        let [project] = &projects[..] else {
            let merged = call.projects.search_merged(&projects, &request, &call.wait_policy())?;
            let data = SearchData::merged(&merged);
            return Ok(Reply { content: vec![content::item(merged.text + &failures, 1.0)], data });
        };
        let mut response = call.projects.search(project, &request, &call.wait_policy())?;
        call.omit_sent(project, &mut response, &request.format, arguments.repeat.unwrap_or(false));
        let advice = if is_filtered {
            "search without `path`, `languages` and `kinds`, or in other words"
        } else {
            "ask in other words, or for a declaration: symbol = Outer > inner"
        };
        let mut reply = reply(&response, &request.format, advice);
        if !failures.is_empty() {
            reply.content.push(content::item(failures, 0.5));
        }
        Ok(reply)
    }
}

/// Returns the answer, or a note that there are no results.
pub(super) fn reply(response: &Response, format: &str, advice: &str) -> Reply<SearchData> {
    let answer = &response.answer;
    let content = match answer.results.as_slice() {
        [] if format == "text" => content::nothing_found(answer, advice),
        _ => content::items(response, format),
    };
    Reply { content, data: SearchData::from(answer) }
}
