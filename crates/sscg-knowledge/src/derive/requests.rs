//! Requests to the endpoints of other services.

mod address;
mod client;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sscg_core::Confidence;

use self::address::{Addresses, Target};
use super::code::Code;
use super::passed::{Use, traced};
use super::value::literal;
use crate::{Model, Request};

/// Adds the requests that services send to one another.
pub(super) fn derive(code: &Code<'_>, model: &mut Model) {
    let files = code.files_using(client::LIBRARIES);
    let sent = files
        .into_par_iter()
        .flat_map_iter(|file| code.wired(file).calls().flat_map(move |call| client::sent(code, file, call)));
    let addresses = Addresses::new(&model.services);
    let sent = traced(code, sent.collect());
    let mut requests = BTreeMap::new();
    for (key, request) in sent.iter().filter_map(|sent| request(code, &addresses, sent)) {
        let known: &mut Vec<Request> = requests.entry(key).or_default();
        known.push(request);
    }
    // An address with a default is known twice; what is surer counts.
    model.requests.extend(requests.into_values().flat_map(|mut alternatives: Vec<Request>| {
        let surest = alternatives.iter().map(|request| request.evidence.confidence).max();
        alternatives.retain(|request| Some(request.evidence.confidence) == surest);
        alternatives.dedup();
        alternatives
    }));
}

/// The request that a use is, with what tells it from others.
fn request(
    code: &Code<'_>,
    addresses: &Addresses,
    sent: &Use<()>,
) -> Option<((u32, u32, Box<str>, Box<str>), Request)> {
    use sscg_core::Id;

    let from = code.service_of(sent.file)?;
    let [method, url] = sent.texts.as_slice() else { return None };
    let Target { service, path, confidence } = addresses.target(url)?;
    if service == from || code.is_test_code(sent.file, sent.offset) {
        return None;
    }
    let known = literal(method);
    let confidence = match sent.is_sure && known.is_some() {
        true => confidence,
        false => confidence.min(Confidence::Inferred),
    };
    let method: Box<str> = known.map_or("ANY".into(), |method| method.to_uppercase().into());
    let site = code.site(sent.file, sent.offset, sent.line);
    let key = (site.file.index() as u32, sent.offset, service.into(), method.clone());
    let evidence = code.evidence(site, confidence);
    Some((key, Request { from: from.into(), site, to: service.into(), method, path: path.into(), evidence }))
}
