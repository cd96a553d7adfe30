//! Endpoints named by interfaces, resolved in the code.

use std::borrow::Cow;

use sscg_core::{Confidence, FileId, Project, SymbolId};

use crate::{Endpoint, Model, NamedEndpoint, Problem, Site};

/// Returns the endpoints of the model, followed by those that interfaces name, with their handlers where found. A name
/// with a file must be declared in that file; a name without one must be unique in the service's code.
pub(super) fn endpoints<'m>(
    project: &Project,
    model: &'m Model,
    problems: &mut Vec<Problem>,
) -> Vec<Cow<'m, Endpoint>> {
    let mut endpoints: Vec<Cow<'m, Endpoint>> = model.endpoints.iter().map(Cow::Borrowed).collect();
    for named in &model.named_endpoints {
        let (handler, confidence) = match handler(project, model, named) {
            Ok(found) => found,
            Err(why) => {
                let NamedEndpoint { method, path, evidence, .. } = named;
                let message = format!("{method} {path} of {}: {why}; it has no handler", named.service);
                problems.push(Problem::new(evidence.file.clone(), message).at(evidence.line));
                (None, named.evidence.confidence)
            }
        };
        let mut evidence = named.evidence.clone();
        evidence.confidence = evidence.confidence.min(confidence);
        endpoints.push(Cow::Owned(Endpoint {
            service: named.service.clone(),
            method: named.method.clone(),
            path: named.path.clone(),
            handler,
            evidence,
        }));
    }
    endpoints
}

fn handler(
    project: &Project,
    model: &Model,
    named: &NamedEndpoint,
) -> Result<(Option<Site>, Confidence), String> {
    if named.handler.is_empty() && named.file.is_empty() {
        return Ok((None, Confidence::Exact));
    }
    if !named.file.is_empty() {
        let file = project.file_at(&named.file).ok_or_else(|| format!("there is no file {}", named.file))?;
        if named.handler.is_empty() {
            return Ok((Some(Site { file, symbol: None, line: 1 }), Confidence::Exact));
        }
        let found = project.symbols_of(file).filter(|symbol| is_called(project, *symbol, &named.handler));
        let symbol = only(found, &named.handler, &named.file)?;
        return Ok((Some(site(project, file, symbol)), Confidence::Exact));
    }
    let root = model.services.iter().find(|service| service.name == named.service);
    let root = root.and_then(|service| service.root.as_deref()).unwrap_or_default();
    let last = named.handler.rsplit(['.', ':']).next().unwrap_or_default();
    let found = project.symbols_named(last).filter(|symbol| {
        let path = &project.files()[project.symbol_file(*symbol)].path;
        let is_below = root.is_empty() || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
        is_below && is_called(project, *symbol, &named.handler)
    });
    let symbol = only(found, &named.handler, "the code of the service")?;
    Ok((Some(site(project, project.symbol_file(symbol), symbol)), Confidence::Inferred))
}

fn only(mut found: impl Iterator<Item = SymbolId>, name: &str, place: &str) -> Result<SymbolId, String> {
    match (found.next(), found.next()) {
        (Some(symbol), None) => Ok(symbol),
        (None, _) => Err(format!("{place} declares no {name}")),
        (Some(_), Some(_)) => Err(format!("{place} declares several {name}")),
    }
}

/// True if the symbol has this name, qualified or not.
fn is_called(project: &Project, symbol: SymbolId, name: &str) -> bool {
    project.symbol_name(symbol) == name || project.qualified_name(symbol) == name.replace("::", ".")
}

fn site(project: &Project, file: FileId, symbol: SymbolId) -> Site {
    Site { file, symbol: Some(symbol), line: project.symbol(symbol).name_line }
}
