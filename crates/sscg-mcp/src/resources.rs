//! Resources that clients can read without calling a tool: the vocabulary of a project.

use std::path::PathBuf;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};
use sscg::core::quoted;
use sscg::{Corpus, SearchRequest, VOCABULARY_TOKENS};

use crate::content::MAX_TOKENS;
use crate::failure::Failure;
use crate::paths;
use crate::tool::ToolCall;

/// URI of the vocabulary of the only project.
const VOCABULARY: &str = "sscg://vocabulary";

const TITLE: &str = "Vocabulary";

const DESCRIPTION: &str = "\
Names in this project: its types and most used functions, by directory or file. Read it once before the first question to \
guess good `terms` for search_code.";

const MIME_TYPE: &str = "text/plain";

/// Returns the fixed resources: the vocabulary of each root.
pub(crate) fn list(roots: &[PathBuf]) -> Vec<Resource> {
    let of = |root: &PathBuf| {
        let path = root.to_string_lossy();
        let uri = match roots {
            [_] => VOCABULARY.to_owned(),
            _ => format!("{VOCABULARY}?project={}", utf8_percent_encode(&path, NON_ALPHANUMERIC)),
        };
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let vocabulary = Resource::new(uri, "vocabulary").with_title(format!("{TITLE} of {name}"));
        vocabulary.with_description(DESCRIPTION).with_mime_type(MIME_TYPE)
    };
    roots.iter().map(of).collect()
}

/// Returns the templates for vocabularies of parts of projects and with other budgets.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template =
        ResourceTemplate::new(format!("{VOCABULARY}/{{+path}}{{?budget,project}}"), "vocabulary_of");
    vec![
        template
            .with_title("Vocabulary of a part")
            .with_description(format!(
                "{DESCRIPTION} `path` is a file or directory, `budget` a number of tokens, {VOCABULARY_TOKENS} by default."
            ))
            .with_mime_type(MIME_TYPE),
    ]
}

/// Requested vocabulary.
#[derive(Debug, PartialEq)]
struct Asked {
    path: Option<String>,
    budget: usize,
    project: Option<String>,
}

/// Parses a URI such as `sscg://vocabulary/src/net?budget=600`.
fn parse(uri: &str) -> Result<Asked, Failure> {
    let unknown =
        || Failure::new(format!("no resource {}", quoted(uri)), format!("read {VOCABULARY}, or call a tool"));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(|it| it.into_owned()).ok();
    let rest = uri.strip_prefix(VOCABULARY).ok_or_else(unknown)?;
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    if !path.is_empty() && !path.starts_with('/') {
        return Err(unknown());
    }
    let path = decoded(path.strip_prefix('/').unwrap_or(path)).ok_or_else(unknown)?;
    let mut asked =
        Asked { path: Some(path).filter(|path| !path.is_empty()), budget: VOCABULARY_TOKENS, project: None };
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
    let Asked { path, budget, project } = parse(uri)?;
    let project = call.project(project.as_deref())?;
    let path = path.map(|path| paths::filter(&project, &path)).transpose()?;
    let (snapshot, _) = call.projects.refresh(&project, Corpus::Code, &call.wait_policy())?;
    let (found, text) = sscg::vocabulary(&snapshot, path.as_slice(), budget)?;
    if found.candidates == 0 {
        let place = path.map_or_else(|| project.display().to_string(), |path| quoted(&path).to_string());
        return Err(Failure::new(
            format!("no names in {place}"),
            format!("read {VOCABULARY} for all there are"),
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vocabulary_is_of_a_project_or_a_part_of_it() {
        let asked = |path: Option<&str>, budget, project: Option<&str>| Asked {
            path: path.map(str::to_owned),
            budget,
            project: project.map(str::to_owned),
        };
        let read = |uri| parse(uri).map_err(|failure| failure.message);
        assert_eq!(read("sscg://vocabulary"), Ok(asked(None, VOCABULARY_TOKENS, None)));
        assert_eq!(
            read("sscg://vocabulary/src/my%20net/?budget=600&project=%2Fa"),
            Ok(asked(Some("src/my net/"), 600, Some("/a")))
        );
        assert_eq!(read("sscg://vocabulary?budget=x"), Err("\"x\" is no number of tokens".to_owned()));
        assert_eq!(read("sscg://vocabularyx"), Err("no resource \"sscg://vocabularyx\"".to_owned()));
    }
}
