//! Requests to the endpoints of other services.

mod address;
mod asked;
mod client;
mod typed;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sscg_core::{Confidence, FileId};

use self::address::{Addresses, Target};
use super::code::Code;
use super::passed::{LibraryUse, parameter_name, traced};
use super::value::{Piece, literal};
use crate::{Model, Request};

/// Adds the requests that services send to each other.
pub(super) fn derive(code: &Code<'_>, model: &mut Model) {
    let mut files = code.files_using(&[client::LIBRARIES, typed::LIBRARIES].concat());
    files.extend(code.csharp_naming(typed::DOTNET_NAMES));
    files.sort_unstable();
    files.dedup();
    let sent = files.into_par_iter().flat_map_iter(|file| {
        let calls = code.wired(file).calls().flat_map(move |call| client::sent(code, file, call));
        calls.chain(typed::described(code, file))
    });
    let addresses = Addresses::new(&model.services, &model.settings);
    let sent = traced(code, sent.collect(), |sent| is_open(code, sent));
    let sent: Vec<_> = sent.into_iter().flat_map(|sent| typed::registered(code, sent)).collect();
    let mut requests: BTreeMap<_, Vec<Request>> = BTreeMap::new();
    for (key, request) in sent.iter().filter_map(|sent| request(code, &addresses, sent)) {
        requests.entry(key).or_default().push(request);
    }
    model.requests.extend(requests.into_values().flat_map(settled));
}

/// Selects among the alternative requests of one call. An address with a default has two alternatives; those with the
/// highest confidence are kept. If they address several services, none is exact.
fn settled(mut alternatives: Vec<Request>) -> Vec<Request> {
    let surest = alternatives.iter().map(|request| request.evidence.confidence).max();
    alternatives.retain(|request| Some(request.evidence.confidence) == surest);
    if alternatives.iter().any(|request| request.to != alternatives[0].to) {
        for request in &mut alternatives {
            request.evidence.confidence = request.evidence.confidence.min(Confidence::Inferred);
        }
    }
    alternatives.dedup();
    alternatives
}

/// Names of parameters that hold more than one segment of an address.
const ADDRESSES: &[&str] = &["endpoint", "href", "path", "pathname", "resource", "route", "uri", "url"];

/// True if callers determine the request: its method, its service, or the start of its path.
fn is_open(code: &Code<'_>, sent: &LibraryUse<()>) -> bool {
    let [method, url] = sent.texts.as_slice() else { return false };
    let is_parameter = |piece: &Piece| matches!(piece, Piece::Parameter(_));
    let mut has_path = false;
    method.iter().any(is_parameter)
        || url.iter().any(|piece| match piece {
            Piece::Text(text) => {
                let after = text.split_once("://").map_or(&**text, |(_, after)| after);
                let path = match after.len() < text.len() || after.starts_with(':') {
                    true => after.find('/').map_or("", |at| &after[at..]),
                    false => after,
                };
                has_path |= !path.trim_matches('/').is_empty();
                false
            }
            Piece::Parameter(parameter) => !has_path || ADDRESSES.contains(&parameter_name(code, *parameter)),
            Piece::Variable(_) | Piece::Unknown => false,
        })
}

/// Location of a call, and the method of its request.
type Key = (FileId, u32, Box<str>);

/// Returns the request of a use, with the key that it shares with its alternatives.
fn request(code: &Code<'_>, addresses: &Addresses, sent: &LibraryUse<()>) -> Option<(Key, Request)> {
    let from = code.service_of(sent.file)?;
    let [method, url] = sent.texts.as_slice() else { return None };
    let Target { service, path, confidence } = addresses.target(from, url)?;
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
    let key = (site.file, sent.offset, method.clone());
    let evidence = code.evidence(site, confidence);
    Some((key, Request { from: from.into(), site, to: service.into(), method, path: path.into(), evidence }))
}
