//! Calls between services.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use sscg_core::Confidence;

use super::Builder;
use super::endpoints::{ANY, Endpoints};
use crate::graph::service_id;
use crate::{EdgeData, EdgeKind, FactEvidence, Model, NodeIndex, Request, ServiceDependency, Source};

/// Directories of code that services share without calling each other.
const SHARED: &[&str] = &["shared", "common", "utils", "lib", "helpers"];

/// Imports across two services: the imported files, and the location of the first import.
struct Imports {
    targets: Vec<NodeIndex>,
    file: Box<str>,
    line: u32,
}

impl Builder<'_> {
    pub(super) fn add_service_calls(&mut self, model: &Model, endpoints: &Endpoints) {
        for request in &model.requests {
            self.add_request(request, endpoints);
        }
        self.add_imports_across();
        self.add_dependencies(model);
    }

    /// Adds an ambiguous edge for each dependency of deployments between services without a known call: they start in
    /// this order, which need not mean calls.
    fn add_dependencies(&mut self, model: &Model) {
        for ServiceDependency { from, to, evidence } in &model.dependencies {
            let ids = [from, to].map(|name| self.graph.find(&service_id(name)));
            let [Some(source), Some(target)] = ids else { continue };
            if self.graph.targets(source, EdgeKind::ServiceCalls).any(|known| known == target) {
                continue;
            }
            let sites = vec![self.use_site(None, evidence, "")];
            let data = EdgeData::ServiceCall { via_endpoint: "".into(), import_count: 0, sites };
            self.graph.add_edge(source, target, EdgeKind::ServiceCalls, data, evidence.clone());
        }
    }

    fn add_request(&mut self, request: &Request, endpoints: &Endpoints) {
        let (from, to) = (&request.from, &request.to);
        let Some(source) = self.service(from, "a request", &request.evidence) else { return };
        let Some(target) = self.service(to, "a request", &request.evidence) else { return };
        if source == target {
            return;
        }
        let Match { endpoints: found, confidence } = best(request, endpoints);
        let confidence = confidence.min(request.evidence.confidence);
        let ids = found.iter().map(|node| self.graph.node(*node).id());
        let mut via: Vec<Box<str>> = ids.map(Box::from).collect();
        via.sort();
        if via.is_empty() {
            via.push("".into());
        }
        for via_endpoint in via {
            let sites = vec![self.use_site(Some(&request.site), &request.evidence, "")];
            let data = EdgeData::ServiceCall { via_endpoint, import_count: 0, sites };
            let evidence = FactEvidence { confidence, ..request.evidence.clone() };
            self.graph.add_edge(source, target, EdgeKind::ServiceCalls, data, evidence);
        }
    }

    /// Adds an edge between services if one imports code of the other, except for code in shared directories.
    fn add_imports_across(&mut self) {
        let graph = &self.graph;
        let mut across: BTreeMap<(NodeIndex, NodeIndex), Imports> = BTreeMap::new();
        for edge in graph.edges().iter().filter(|edge| edge.kind == EdgeKind::Imports) {
            let (source, target) = (graph.node(edge.source), graph.node(edge.target));
            let service = |name: &str| graph.find(&service_id(name));
            let (Some(from), Some(to)) = (service(source.service_name()), service(target.service_name()))
            else {
                continue;
            };
            let dirs = target.file_path().rsplit('/').skip(1);
            if from == to || dirs.into_iter().any(|dir| SHARED.contains(&dir)) {
                continue;
            }
            let imports = across.entry((from, to)).or_insert_with(|| Imports {
                targets: Vec::new(),
                file: source.file_path().into(),
                line: edge.evidence.line,
            });
            imports.targets.push(edge.target);
        }
        for ((from, to), Imports { targets, file, line }) in across {
            let evidence =
                FactEvidence { confidence: Confidence::Inferred, source: Source::Graph, file, line };
            let data = EdgeData::ServiceCall {
                via_endpoint: targets.iter().find_map(|file| self.answered_in(*file)).unwrap_or_default(),
                import_count: targets.len() as u32,
                sites: Vec::new(),
            };
            self.graph.add_edge(from, to, EdgeKind::ServiceCalls, data, evidence);
        }
    }

    /// Returns the id of the first endpoint that code of a file handles.
    fn answered_in(&self, file: NodeIndex) -> Option<Box<str>> {
        let symbols = self.graph.targets(file, EdgeKind::DefinesSymbol);
        let answered =
            symbols.flat_map(|symbol| self.graph.targets(symbol, EdgeKind::HandlesEndpoint)).next()?;
        Some(self.graph.node(answered).id().into())
    }
}

/// Endpoints that a request may match.
struct Match {
    endpoints: Vec<NodeIndex>,
    /// Confidence of the match.
    confidence: Confidence,
}

/// Returns the endpoints of the service that match the method and path of a request. An unknown part of the path
/// matches anything, and a parameter of the endpoint matches any text. The best fit wins, starting with the most text
/// in common; on a tie, an endpoint with the same method wins over `ANY`.
fn best(request: &Request, endpoints: &Endpoints) -> Match {
    let mut best: Option<(Fit, bool)> = None;
    let mut found = Vec::new();
    for known in endpoints.of_service(&request.to) {
        if known.method != request.method && *known.method != *ANY && *request.method != *ANY {
            continue;
        }
        let Some(fit) = fit(&request.path, &known.shape) else { continue };
        let fit = (fit, known.method == request.method);
        if best.is_none_or(|best| fit > best) {
            best = Some(fit);
            found.clear();
        }
        if best == Some(fit) {
            found.push(known.node);
        }
    }
    let confidence = match (&found[..], best) {
        ([_], Some((fit, _)))
            if fit.guessed == Reverse(0) && fit.folded == Reverse(0) && *request.method != *ANY =>
        {
            Confidence::Exact
        }
        ([_] | [], _) => Confidence::Inferred,
        _ => Confidence::Ambiguous,
    };
    Match { endpoints: found, confidence }
}

/// Quality of a match between the paths of a request and an endpoint; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Number of parts with the same text, regardless of case.
    literal: usize,
    /// Number of these parts that differ in case. Only some frameworks, such as ASP.NET, treat them as equal.
    folded: Reverse<usize>,
    /// Number of parts that are unknown in the request and text in the endpoint, so that they may differ.
    guessed: Reverse<usize>,
    /// Number of parts that are unknown in the request and parameters in the endpoint.
    parameters: usize,
}

fn fit(request: &str, shape: &str) -> Option<Fit> {
    let parts = |path| str::split(str::trim_end_matches(path, '/'), '/');
    if parts(request).count() != parts(shape).count() {
        return None;
    }
    let mut fit = Fit { literal: 0, folded: Reverse(0), guessed: Reverse(0), parameters: 0 };
    for (asked, answered) in parts(request).zip(parts(shape)) {
        match (asked.contains("{}"), answered.contains("{}")) {
            (false, false) if asked.eq_ignore_ascii_case(answered) => {
                fit.literal += 1;
                fit.folded.0 += usize::from(asked != answered);
            }
            (false, false) => return None,
            (true, true) => fit.parameters += 1,
            (false, true) if !agree(answered, asked) => return None,
            (false, true) => {}
            (true, false) if !agree(asked, answered) => return None,
            (true, false) => fit.guessed.0 += 1,
        }
    }
    Some(fit)
}

/// True if the text has the literal start and end of a part with braces, with text in between.
fn agree(pattern: &str, text: &str) -> bool {
    let start = pattern.split("{}").next().unwrap_or_default();
    let end = pattern.rsplit("{}").next().unwrap_or_default();
    text.len() > start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fits_better_than_parameters_and_what_is_unknown_fits_parameters_best() {
        let better = |request: &str, good: &str, bad: &str| {
            assert!(fit(request, good) > fit(request, bad), "{request}: {good} before {bad}");
        };
        better("/orders/search", "/orders/search", "/orders/{}");
        better("/orders/search", "/orders/search", "/Orders/search");
        better("/orders/search", "/Orders/search", "/orders/{}");
        better("/orders/{}", "/orders/{}", "/orders/search");
        better("/payments/by-order/{}", "/payments/by-order/{}", "/payments/{}/{}");
    }

    #[test]
    fn paths_of_other_lengths_or_texts_do_not_fit() {
        assert_eq!(fit("/orders", "/orders/{}"), None);
        assert_eq!(fit("/orders/a", "/orders/b"), None);
        assert_eq!(fit("/v{}/orders", "/api/orders"), None);
        assert!(fit("/v{}/orders", "/v1/orders").is_some());
        assert!(fit("/orders/", "/orders").is_some());
    }
}
