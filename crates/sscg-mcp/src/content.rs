//! Answers as the content of results.

use rmcp::model::{Annotations, ContentBlock, Role, TextContent};
use schemars::JsonSchema;
use serde::Serialize;
use sscg::core::{TokenCounter, quoted};
use sscg::format::{Answer, O200k, ResultItem, SubgraphEdge, pieces};
use sscg::{MergedResponse, ProjectResponse, Response};

use crate::tool::Countable;

/// Maximum number of tokens of an answer, whatever the requested budget: clients truncate longer ones.
pub(crate) const MAX_TOKENS: usize = 25_000;

/// Returns the content of a result. Text is split into pieces so that a client with little room can drop the last ones:
/// first the connections of the results, then the code of each file, best result first.
pub(crate) fn items(response: &Response, format: &str) -> Vec<ContentBlock> {
    let Response { answer, text, .. } = response;
    if format != "text" {
        return vec![item(text.clone(), 1.0)];
    }
    let mut pieces = pieces(answer);
    // The text that evens out the token count is at the end.
    let length: usize = pieces.iter().map(String::len).sum();
    if let (Some(last), Some(rest)) = (pieces.last_mut(), text.get(length..)) {
        last.push_str(rest);
    }
    let mut pieces = pieces.into_iter();
    let graph = pieces.next().map(|graph| item(graph, 1.0));
    graph
        .into_iter()
        .chain(pieces.zip(priorities(answer)).map(|(code, priority)| item(code, priority)))
        .collect()
}

/// Returns a content block for the agent, with a priority from 0 to 1.
pub(crate) fn item(text: String, priority: f32) -> ContentBlock {
    let annotations = Annotations::default().with_audience(vec![Role::Assistant]).with_priority(priority);
    ContentBlock::Text(TextContent::new(text).with_annotations(annotations))
}

/// Truncates a text after its last line within the token limit.
pub(crate) fn within_limit(text: String) -> String {
    let count = |text: &str| TokenCounter::count(&O200k, text);
    if count(&text) <= MAX_TOKENS {
        return text;
    }
    let lines: Vec<&str> = text.lines().collect();
    let note = |left_out: usize| format!("... and {left_out} more lines; ask more narrowly for them\n");
    let mut left = MAX_TOKENS - count(&note(lines.len()));
    let costs = lines.iter().map(|line| count(&format!("{line}\n")));
    let kept = costs.take_while(|cost| left.checked_sub(*cost).map(|rest| left = rest).is_some()).count();
    let kept_text: String = lines[..kept].iter().flat_map(|line| [line, "\n"]).collect();
    kept_text + &note(lines.len() - kept)
}

/// Returns the priority of each snapshot: the score of its best result relative to the best of all, and lower than the
/// priority before.
fn priorities(answer: &Answer) -> impl Iterator<Item = f32> {
    let score = |result: &ResultItem| result.blended_score.unwrap_or(result.score);
    let best = answer.results.iter().map(score).fold(f64::MIN_POSITIVE, f64::max);
    let mut before = 0.951;
    answer.snapshots.iter().map(move |snapshot| {
        let shown = answer.results.iter().filter(|result| snapshot.results.contains(&result.chunk_id));
        let share = shown.map(score).fold(0.0, f64::max) / best;
        let priority = ((0.1 + 0.85 * share) * 1e3).round() / 1e3;
        before = priority.min(before - 0.001_f64).max(0.0);
        ((before * 1e3).round() / 1e3) as f32
    })
}

/// Returns the content for an empty result, which is not an error.
pub(crate) fn nothing_found(answer: &Answer, advice: &str) -> Vec<ContentBlock> {
    let mut text = format!("No results for {} in {} files.", quoted(&answer.query), answer.index.files);
    for warning in &answer.warnings {
        text += &format!("\nWarning: {warning}");
    }
    if answer.index.pending > 0 {
        text += &format!("\nIndexing: {} more files were not searched.", answer.index.pending);
    }
    text += &match answer.suggestions.as_slice() {
        [] => format!("\nhint: {advice}"),
        similar => format!("\nDid you mean: {}", similar.join(" | ")),
    };
    vec![item(text, 1.0)]
}

/// Answer as data, without the source text.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct SearchData {
    /// Query as given.
    query: String,
    /// Number of tokens of the accompanying text.
    token_count: usize,
    /// Token budget.
    token_budget: usize,
    /// Results, best first, and their neighbors.
    results: Vec<ResultData>,
    /// Edges among results.
    edges: Vec<EdgeData>,
    /// Matches omitted because the budget was spent.
    omitted_results: usize,
    /// True if even the best result is a weak match.
    weak: bool,
    /// Files not searched because they are being indexed.
    pending: usize,
    /// Queries for similar names if nothing has the requested name.
    suggestions: Vec<String>,
    /// Requests that could not be met.
    warnings: Vec<String>,
}

impl SearchData {
    /// Returns the answers of several projects in one, most relevant first.
    pub(crate) fn merged(merged: &MergedResponse) -> Self {
        let mut all = Self { weak: true, ..Self::default() };
        for ProjectResponse { project, outcome, .. } in &merged.projects {
            let Ok(response) = outcome else { continue };
            let mut data = Self::from(&response.answer);
            let name = project.display().to_string();
            data.results.iter_mut().for_each(|result| result.project = Some(name.clone()));
            data.edges.iter_mut().for_each(|edge| edge.project = Some(name.clone()));
            all.query = data.query;
            all.token_budget += data.token_budget;
            all.results.append(&mut data.results);
            all.edges.append(&mut data.edges);
            all.omitted_results += data.omitted_results;
            all.weak &= data.weak;
            all.pending += data.pending;
            all.suggestions.append(&mut data.suggestions);
            all.warnings.append(&mut data.warnings);
        }
        all.token_count = merged.token_count;
        all
    }
}

impl Countable for SearchData {
    fn count(&self) -> Option<usize> {
        Some(self.results.len())
    }
}

/// Result.
#[derive(Serialize, JsonSchema)]
struct ResultData {
    /// `relative/path.ext:start-end:kind:name`.
    id: String,
    /// Project, if several were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Path relative to the project root.
    file: String,
    /// First line, from 1.
    start_line: u32,
    /// Last line.
    end_line: u32,
    /// Kind of declaration.
    kind: String,
    /// Qualified name.
    name: String,
    /// Score within this answer.
    score: f64,
    /// Detail level in the text: full, part, without_comments, collapsed, signature or name.
    shown: String,
}

/// Edge between results.
#[derive(Serialize, JsonSchema)]
struct EdgeData {
    /// Project, if several were searched: ids are unique within one.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Result id.
    source: String,
    /// Result id.
    target: String,
    /// Relation, read from source to target.
    relation: String,
    /// Line in the source's file; 0 for the whole file.
    line: u32,
    /// exact, inferred or ambiguous.
    confidence: String,
}

impl From<&Answer> for SearchData {
    fn from(answer: &Answer) -> Self {
        let result = |result: &ResultItem| ResultData {
            project: None,
            id: result.chunk_id.clone(),
            file: result.file.clone(),
            start_line: result.lines.start,
            end_line: result.lines.end,
            kind: result.kind.clone(),
            name: result.name.clone(),
            score: (result.blended_score.unwrap_or(result.score) * 1e4).round() / 1e4,
            shown: result.shown.clone(),
        };
        let edge = |edge: &SubgraphEdge| EdgeData {
            project: None,
            source: edge.src.clone(),
            target: edge.tgt.clone(),
            relation: edge.rel.clone(),
            line: edge.line,
            confidence: edge.confidence.to_string(),
        };
        Self {
            query: answer.query.clone(),
            token_count: answer.token_count,
            token_budget: answer.token_budget,
            results: answer.results.iter().map(result).collect(),
            edges: answer.subgraph_edges.iter().filter(|edge| !edge.boundary).map(edge).collect(),
            omitted_results: answer.omitted_results,
            weak: answer.weak,
            pending: answer.index.pending,
            suggestions: answer.suggestions.clone(),
            warnings: answer.warnings.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use sscg::format::FileSnapshot;

    use super::*;

    #[test]
    fn priorities_fall_with_the_best_score_of_each_file() {
        let result = |id: &str, score| ResultItem::default().with_chunk_id(id.to_owned()).with_score(score);
        let file = |ids: &[&str]| {
            FileSnapshot::default().with_results(ids.iter().map(|id| (*id).to_owned()).collect())
        };
        let answer = Answer::default()
            .with_results(vec![result("a", 2.0), result("b", 1.0), result("c", 1.0), result("d", 0.0)])
            .with_snapshots(vec![file(&["a", "d"]), file(&["b"]), file(&["c"]), file(&[])]);
        assert_eq!(priorities(&answer).collect::<Vec<_>>(), [0.95, 0.525, 0.524, 0.1]);
    }
}
