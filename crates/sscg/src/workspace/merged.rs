//! One answer of several projects.

use std::path::Path;

use sscg_core::TokenCounter;
use sscg_format::{Format, O200k};

use super::{ProjectResponse, WaitPolicy, Workspace};
use crate::{Error, Response, SearchRequest, evidence};

/// Minimum number of tokens of a relevant project's share of the budget: with less, fewer projects are shown.
const MIN_SHARE: usize = 1_500;

/// Approximate number of tokens of the line with a project's name.
const NAME_TOKENS: usize = 40;

/// Maximum number of results that the line of a project with weak matches names.
const WEAK_RESULTS: usize = 3;

/// Answer of several projects to one question.
#[derive(Debug)]
#[non_exhaustive]
pub struct MergedResponse {
    /// Responses, most relevant project first, failed ones last; each within its share of the budget.
    pub projects: Vec<ProjectResponse>,
    /// Answers in the requested format, most relevant project first. As [evidence](Format::EVIDENCE): lines with `project`;
    /// as JSON: a line for each project, with `project` and either `answer` or `error`; in other formats: the answer of
    /// each project below a line with its name.
    pub text: String,
    /// Tokens of the text.
    pub token_count: usize,
}

impl MergedResponse {
    /// Returns true if any project has a result.
    pub fn has_results(&self) -> bool {
        self.projects.iter().filter_map(found).any(|found| !found.answer.results.is_empty())
    }
}

fn found(response: &ProjectResponse) -> Option<&Response> {
    response.outcome.as_ref().ok()
}

impl Workspace {
    /// Answers a question for all of these projects, or for all of the workspace if `projects` is empty, in one text.
    ///
    /// Projects are sorted by [`Response::relevance`]. The budget goes to those with a match that is not weak, or else to
    /// the first one, in equal shares; what a project does not need is left to the next. The others are named, each with
    /// its best results, as far as they fit; not so as [evidence](Format::EVIDENCE).
    ///
    /// # Errors
    /// As [`Workspace::search_within`], and with [`SearchRequest::after`]. If all projects fail: the error of the first.
    pub fn search_merged(
        &self,
        projects: &[impl AsRef<Path>],
        request: &SearchRequest,
        policy: &WaitPolicy<'_>,
    ) -> Result<MergedResponse, Error> {
        if request.after.is_some() {
            return Err(Error::argument_of_request(
                "after",
                "answers about several projects have no fixed order to go on in",
                "ask one project, or without `after`",
            ));
        }
        let mut projects = self.search_within(projects, request, policy)?;
        if projects.iter().all(|it| it.outcome.is_err()) && !projects.is_empty() {
            return projects.swap_remove(0).outcome.map(|_| unreachable!("it is an error"));
        }
        let relevance = |it: &ProjectResponse| found(it).map(|found| found.relevance);
        // An error is `None`, which is less than any number.
        projects.sort_by(|a, b| relevance(b).partial_cmp(&relevance(a)).expect("relevance is a number"));
        let relevant = projects.iter().filter(|it| relevance(it) >= Some(0.0)).count();
        let shown = relevant.clamp(1, (request.budget / MIN_SHARE).max(1));
        let mut left = request.budget.saturating_sub(NAME_TOKENS * projects.len());
        let mut text = String::new();
        for (at, project) in projects.iter_mut().enumerate() {
            let section = if at < shown {
                let share = (left / (shown - at)).max(SearchRequest::MIN_BUDGET);
                if found(project).is_some_and(|whole| whole.answer.token_count > share) {
                    let request = request.clone().with_budget(share);
                    let again = self.search_within(&[&project.project], &request, policy)?;
                    project.outcome = again.into_iter().next().expect("one project was asked").outcome;
                }
                whole(project, &request.format, share)
            } else {
                let named = named(project, &request.format);
                if O200k.count(&named) > left { String::new() } else { named }
            };
            left = left.saturating_sub(O200k.count(&section));
            text += &section;
        }
        Ok(MergedResponse { projects, token_count: O200k.count(&text), text })
    }
}

/// True for formats whose answers are JSON.
fn is_json(format: &Format) -> bool {
    [Format::COMPACT, Format::VERBOSE].contains(format)
}

/// Returns the answer of a project, with the project.
fn whole(ProjectResponse { project, outcome }: &ProjectResponse, format: &Format, budget: usize) -> String {
    let name = project.display().to_string();
    match outcome {
        Ok(found) if *format == Format::EVIDENCE => {
            let pieces =
                found.evidence().into_iter().map(|piece| piece.with_project(name.as_str())).collect();
            evidence::lines(pieces, budget, &O200k).0
        }
        Ok(found) if is_json(format) => {
            let answer: serde_json::Value =
                serde_json::from_str(&found.text).expect("these formats are JSON");
            format!("{}\n", serde_json::json!({ "project": name, "answer": answer }))
        }
        Ok(found) => format!("Project {name}\n{}", found.text),
        Err(error) => failed(&name, error, format),
    }
}

/// Returns the best results of a project by name.
fn named(ProjectResponse { project, outcome }: &ProjectResponse, format: &Format) -> String {
    let name = project.display().to_string();
    let found = match outcome {
        Ok(found) => found,
        Err(error) => return failed(&name, error, format),
    };
    let best = found.answer.results.iter().take(WEAK_RESULTS);
    let best: Vec<String> = best.map(|it| format!("{}:{} {}", it.file, it.lines.start, it.name)).collect();
    if *format == Format::EVIDENCE {
        return String::new();
    }
    if is_json(format) {
        return format!("{}\n", serde_json::json!({ "project": name, "weak": best }));
    }
    match best.as_slice() {
        [] => format!("Project {name}: nothing found\n"),
        best => format!("Project {name}: less relevant: {}\n", best.join("; ")),
    }
}

fn failed(project: &str, error: &Error, format: &Format) -> String {
    if *format == Format::EVIDENCE || is_json(format) {
        return format!("{}\n", serde_json::json!({ "project": project, "error": error.to_string() }));
    }
    format!("Project {project}: error: {error}; {}\n", error.hint())
}
