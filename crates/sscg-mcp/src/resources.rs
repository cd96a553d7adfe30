//! Resources that clients can read without calling a tool: overview and vocabulary of a project, its files and
//! declarations.

use std::path::PathBuf;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};
use sscg::core::quoted;
use sscg::{Corpus, LOOKUP_TOKENS, OVERVIEW_TOKENS, SearchRequest, VOCABULARY_TOKENS};

use crate::content::{self, MAX_TOKENS};
use crate::failure::Failure;
use crate::paths;
use crate::tool::ToolCall;

const SCHEME: &str = "sscg://";

const MIME_TYPE: &str = "text/plain";

/// Kind of resources.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Overview,
    Vocabulary,
    File,
    Symbol,
}

/// Description of a kind of resources.
struct About {
    kind: Kind,
    /// Name in URIs, and as the name of the resource.
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Part of the project that follows the name in URIs, if any.
    of: Option<&'static str>,
    /// Default budget.
    tokens: usize,
}

const KINDS: [About; 4] = [
    About {
        kind: Kind::Overview,
        name: "overview",
        title: "Overview",
        description: "How this project is built and tested, its layers and what they use, its entry points, and the declarations that most \
            files refer to. Read it first in a project that is new to you.",
        of: None,
        tokens: OVERVIEW_TOKENS,
    },
    About {
        kind: Kind::Vocabulary,
        name: "vocabulary",
        title: "Vocabulary",
        description: "Names in this project: its types and most used functions, by directory or file. Read it once before the first question to \
            guess good `terms` for search_code.",
        of: Some("{+path}"),
        tokens: VOCABULARY_TOKENS,
    },
    About {
        kind: Kind::File,
        name: "file",
        title: "File",
        description: "Current text of a file with line numbers. Lines may follow: `src/net.py:40-90`.",
        of: Some("{+path}"),
        tokens: LOOKUP_TOKENS,
    },
    About {
        kind: Kind::Symbol,
        name: "symbol",
        title: "Declaration",
        description: "Code of a declaration with its callers, callees and types: `Session > close`, or `src/net.py > Session > close`.",
        of: Some("{+name}"),
        tokens: LOOKUP_TOKENS,
    },
];

/// Returns the fixed resources: overview and vocabulary of each root.
pub(crate) fn list(roots: &[PathBuf]) -> Vec<Resource> {
    let of = |root: &PathBuf| {
        let path = root.to_string_lossy();
        let project = match roots {
            [_] => String::new(),
            _ => format!("?project={}", utf8_percent_encode(&path, NON_ALPHANUMERIC)),
        };
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let whole = KINDS.iter().filter(|about| matches!(about.kind, Kind::Overview | Kind::Vocabulary));
        let resource = whole.map(move |about| {
            let uri = format!("{SCHEME}{}{project}", about.name);
            let resource = Resource::new(uri, about.name).with_title(format!("{} of {name}", about.title));
            resource.with_description(about.description).with_mime_type(MIME_TYPE)
        });
        resource.collect::<Vec<_>>()
    };
    roots.iter().flat_map(of).collect()
}

/// Returns the templates for parts of projects, and for other budgets.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |about: &About| {
        let (name, tokens) = (about.name, about.tokens);
        let uri = format!("{SCHEME}{name}/{}{{?budget,project}}", about.of?);
        let description =
            format!("{} `budget` is a number of tokens, {tokens} by default.", about.description);
        let template = ResourceTemplate::new(uri, format!("{name}_of")).with_title(about.title);
        Some(template.with_description(description).with_mime_type(MIME_TYPE))
    };
    KINDS.iter().filter_map(template).collect()
}

/// Requested resource.
#[derive(Debug, PartialEq)]
struct Asked {
    kind: Kind,
    /// Part of the project: a path, or the name of a declaration.
    part: Option<String>,
    budget: usize,
    project: Option<String>,
}

/// Parses a URI such as `sscg://vocabulary/src/net?budget=600`.
fn parse(uri: &str) -> Result<Asked, Failure> {
    let unknown = || {
        let kinds: Vec<String> = KINDS.iter().map(|about| format!("{SCHEME}{}", about.name)).collect();
        Failure::new(
            format!("no resource {}", quoted(uri)),
            format!("read one of {}, or call a tool", kinds.join(", ")),
        )
    };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(|it| it.into_owned()).ok();
    let rest = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (name, part) = path.split_once('/').unwrap_or((path, ""));
    let about = KINDS.iter().find(|about| about.name == name).ok_or_else(unknown)?;
    let part = Some(decoded(part).ok_or_else(unknown)?).filter(|part| !part.is_empty());
    let takes_part = match about.kind {
        Kind::Overview => part.is_none(),
        Kind::Vocabulary => true,
        Kind::File | Kind::Symbol => part.is_some(),
    };
    if !takes_part {
        return Err(unknown());
    }
    let mut asked = Asked { kind: about.kind, part, budget: about.tokens, project: None };
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or_else(unknown)?;
        let value = decoded(value).ok_or_else(unknown)?;
        match name {
            "budget" => {
                asked.budget = value.parse().map_err(|_| {
                    let least = SearchRequest::MIN_BUDGET;
                    let hint = format!("give `budget` a number from {least} to {MAX_TOKENS}");
                    Failure::new(format!("{value:?} is no number of tokens"), hint)
                })?;
            }
            "project" => asked.project = Some(value),
            _ => return Err(unknown()),
        }
    }
    asked.budget = asked.budget.min(MAX_TOKENS);
    Ok(asked)
}

/// Returns the text of a resource.
pub(crate) fn read(uri: &str, call: &ToolCall) -> Result<String, Failure> {
    let Asked { kind, part, budget, project } = parse(uri)?;
    let project = call.project(project.as_deref())?;
    let part = part.unwrap_or_default();
    let snapshot = || {
        let refreshed = call.projects.refresh(&project, Corpus::Code, &call.wait_policy());
        refreshed.map(|(snapshot, _)| snapshot)
    };
    match kind {
        Kind::Overview => Ok(sscg::overview(&*snapshot()?, budget)?.1),
        Kind::File => Ok(content::within_limit(sscg::show(&*snapshot()?, &[part], budget)?.1)),
        Kind::Symbol => {
            let request = SearchRequest::new(format!("symbol = {part}")).with_budget(budget);
            Ok(call.projects.search(&project, &request, &call.wait_policy())?.text)
        }
        Kind::Vocabulary => {
            let path = Some(&part).filter(|part| !part.is_empty());
            let path = path.map(|path| paths::filter(&project, path)).transpose()?;
            let (found, text) = sscg::vocabulary(&*snapshot()?, path.as_slice(), budget)?;
            if found.candidates > 0 {
                return Ok(text);
            }
            let place = path.map_or_else(|| project.display().to_string(), |path| quoted(&path).to_string());
            let hint = format!("read {SCHEME}vocabulary for all there are");
            Err(Failure::new(format!("no names in {place}"), hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_kind_and_a_part() {
        let asked = |kind, part: Option<&str>, budget, project: Option<&str>| Asked {
            kind,
            part: part.map(str::to_owned),
            budget,
            project: project.map(str::to_owned),
        };
        let read = |uri| parse(uri).map_err(|failure| failure.message);
        assert_eq!(read("sscg://vocabulary"), Ok(asked(Kind::Vocabulary, None, VOCABULARY_TOKENS, None)));
        assert_eq!(
            read("sscg://vocabulary/src/my%20net/?budget=600&project=%2Fa"),
            Ok(asked(Kind::Vocabulary, Some("src/my net/"), 600, Some("/a")))
        );
        assert_eq!(
            read("sscg://symbol/Session%20%3E%20close"),
            Ok(asked(Kind::Symbol, Some("Session > close"), LOOKUP_TOKENS, None))
        );
        assert_eq!(read("sscg://vocabulary?budget=x"), Err("\"x\" is no number of tokens".to_owned()));
        for wrong in
            ["sscg://vocabularyx", "sscg://file", "sscg://symbol/", "sscg://overview/src", "file:///a"]
        {
            assert_eq!(read(wrong), Err(format!("no resource {wrong:?}")), "{wrong}");
        }
    }
}
