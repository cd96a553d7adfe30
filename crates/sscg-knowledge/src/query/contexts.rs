//! Search of context records.

use super::{ContextResult, HybridSearchRequest, QueryError, SearchResults};
use crate::{ContextRecord, ContextStore};

/// Searches context records by the similarity of their texts to the query and its terms. `similarities` returns the
/// similarity of a query to each record of the store, in order; NaN counts as 0. A service in the request selects its
/// own record.
///
/// # Errors
/// Fails if the query is empty, `n_results` is 0, the request has kinds of nodes or an anchor, or there is no such
/// service.
pub fn search_contexts(
    store: &ContextStore,
    request: &HybridSearchRequest,
    similarities: &dyn Fn(&str) -> Vec<f32>,
) -> Result<SearchResults, QueryError> {
    super::search::check(request)?;
    if !request.node_types.is_empty() || !request.anchor_node_id.is_empty() {
        return Err(QueryError::invalid(
            "records are no nodes: leave out `node_types` and `anchor_node_id`, or `records`",
        ));
    }
    let service = &*request.service_name;
    if !service.is_empty() && store.get(&format!("ctx::service::{service}")).is_none() {
        return Err(QueryError::invalid(format!("there is no context of a service `{service}`")));
    }
    let asked: Vec<&str> =
        std::iter::once(&request.query).chain(&request.terms).map(String::as_str).collect();
    let scores =
        similarities(&asked.join(" ")).into_iter().map(|it| if it.is_nan() { 0.0 } else { f64::from(it) });
    let mut found: Vec<(f64, &ContextRecord)> = scores.zip(store.records()).collect();
    found.retain(|(score, record)| *score > 0.0 && (service.is_empty() || *record.service_name == *service));
    // Records are in the order of their ids.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let contexts = found.into_iter().take(request.n_results);
    Ok(SearchResults {
        contexts: contexts.map(|(score, record)| ContextResult { score, record: record.clone() }).collect(),
        query: request.query.clone(),
        ..SearchResults::default()
    })
}
