//! Endpoints that code handles: routes, traced to the library that serves them and to the mounts of their routers.
//!
//! A call is a route only if its receiver is a router of a known library: made by it, typed as one, or passed from
//! where one is made. A cache's `get("/x")` and a client's `post("/x")` are therefore not routes. Routers are read in
//! files that name a library, and from there in files that receive or mount a router.

mod annotated;
mod decorated;
mod denoted;
mod django;
mod expression;
mod find;
mod framework;
mod go;
mod javascript;
mod next;
mod path;
mod python;
mod read;
mod reader;
mod rest;
mod route;
mod router;
mod rust;
mod views;

use sscg_core::Confidence;

use super::code::Code;
use crate::{Endpoint, Model};
use reader::RouteReader;
pub(super) use router::PathText;

/// Adds the endpoints of all services, by service, path and method.
pub(crate) fn derive(code: &Code<'_>, model: &mut Model) {
    let mut reader = RouteReader::new(code);
    reader.read();
    let found = reader.found;
    let mut endpoints = Vec::new();
    for route in &found.routes {
        for base in found.bases(route.router) {
            let served_by = base.app.and_then(|app| code.service_of(app.file(code.project)));
            let Some(service) = served_by.or_else(|| code.service_of(route.file)) else { continue };
            let path = base.prefix.below(&route.path);
            let is_exact = path.exact && base.app.is_some();
            let confidence = if is_exact { Confidence::Exact } else { Confidence::Inferred };
            let site = code.site(route.file, 0, route.line);
            endpoints.push(Endpoint {
                service: service.into(),
                method: route.method.clone(),
                path: path::with_braces(&path::join("", &path.text)).into(),
                handler: Some(route.handler),
                evidence: code.evidence(site, confidence),
            });
        }
    }
    let key = |endpoint: &Endpoint| {
        (endpoint.service.clone(), endpoint.path.clone(), endpoint.method.clone(), endpoint.handler)
    };
    let surest = |endpoint: &Endpoint| std::cmp::Reverse(endpoint.evidence.confidence);
    endpoints.sort_by_cached_key(|endpoint| (key(endpoint), surest(endpoint), endpoint.evidence.clone()));
    endpoints.dedup_by_key(|endpoint| key(endpoint));
    model.endpoints.extend(endpoints);
}
