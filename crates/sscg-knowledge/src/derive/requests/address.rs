//! Resolution of addresses to services and paths.

use rustc_hash::FxHashMap;
use sscg_core::Confidence;

use crate::derive::settings::Settings;
use crate::derive::value::Piece;
use crate::{Service, Setting};

/// Services by host name and address variable.
pub(super) struct Addresses<'a> {
    services: &'a [Service],
    hosts: FxHashMap<String, usize>,
    variables: FxHashMap<&'a str, Vec<usize>>,
    settings: Settings<'a>,
}

/// Target of an address.
pub(super) struct Target<'a> {
    pub service: &'a str,
    pub path: String,
    pub confidence: Confidence,
}

/// Words that variable names add to the name of a service.
const ADDRESS_WORDS: &[&str] = &[
    "addr", "address", "api", "base", "endpoint", "host", "hostname", "http", "https", "origin", "server",
    "service", "svc", "uri", "url",
];

/// Placeholder for an unknown piece of a path.
const OPEN: char = '\u{0}';

impl<'a> Addresses<'a> {
    pub(super) fn new(services: &'a [Service], settings: &'a [Setting]) -> Self {
        let mut hosts = FxHashMap::default();
        let mut variables: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        // The name of a service takes precedence over the other names of services.
        for (at, service) in services.iter().enumerate() {
            hosts.entry(folded(&service.name)).or_insert(at);
        }
        for (at, service) in services.iter().enumerate() {
            for host in &service.hosts {
                hosts.entry(folded(host)).or_insert(at);
            }
            for variable in &service.address_variables {
                variables.entry(variable).or_default().push(at);
            }
        }
        Self { services, hosts, variables, settings: Settings::new(settings) }
    }

    /// Resolves an address in code of the service `from` to its service and path; `None` if it belongs to no service
    /// here.
    pub(super) fn target(&self, from: &str, url: &[Piece]) -> Option<Target<'a>> {
        let (service, mut confidence, rest) = self.host(from, url)?;
        let (path, is_sure) = path(rest);
        if !is_sure {
            confidence = confidence.min(Confidence::Inferred);
        }
        Some(Target { service: &self.services[service].name, path, confidence })
    }

    /// Returns the service of an address, the confidence of the match, and the rest of the address.
    fn host(&self, from: &str, url: &[Piece]) -> Option<(usize, Confidence, String)> {
        let (first, rest) = url.split_first()?;
        match first {
            Piece::Variable(name) => self.of_variable(from, name, rest),
            Piece::Text(text) => {
                let (scheme, after) = text.split_once("://")?;
                if !is_http(scheme) {
                    return None;
                }
                if let ("", Some((Piece::Variable(name), rest))) = (after, rest.split_first()) {
                    return self.of_variable(from, name, rest);
                }
                let (service, end) = self.at_start(after)?;
                let rest = format!("{}{}", &after[end..], opened(rest));
                Some((service, Confidence::Exact, after_port(rest)))
            }
            Piece::Parameter(_) | Piece::Unknown => None,
        }
    }

    /// Returns the service whose host is at the start of a text, and the end of the host.
    fn at_start(&self, text: &str) -> Option<(usize, usize)> {
        let end = text.find(['/', '?', '#']).unwrap_or(text.len());
        let start = text[..end].rfind('@').map_or(0, |at| at + 1);
        let port = text[start..end].find(':').map_or(end, |at| start + at);
        // A published port is part of the name: `localhost:3001`.
        let published = || self.of_host(&text[start..end]).filter(|_| port < end);
        let service = self.of_host(&text[start..port]).or_else(published)?;
        Some((service, port))
    }

    fn of_host(&self, host: &str) -> Option<usize> {
        let known = |host: &str| self.hosts.get(&folded(host)).copied();
        // In Kubernetes, the host of a service is its name and its namespace.
        let in_cluster = || {
            let (name, rest) = host.split_once('.')?;
            let is_cluster =
                rest.contains("svc") || rest.ends_with("cluster.local") || rest.ends_with("internal");
            is_cluster.then(|| known(name)).flatten()
        };
        known(host).or_else(in_cluster)
    }

    /// Returns the service whose address a variable holds in the environment of the service `from`, according to a
    /// setting, to a manifest or by its name; with the rest of the address.
    fn of_variable(&self, from: &str, variable: &str, rest: &[Piece]) -> Option<(usize, Confidence, String)> {
        let rest = opened(rest);
        if let Some((service, confidence, path)) = self.of_setting(from, variable) {
            return Some((service, confidence, path + &after_port(rest)));
        }
        let (service, confidence) = self.of_manifest(variable).or_else(|| self.of_name(variable))?;
        Some((service, confidence, after_port(rest)))
    }

    /// Returns the service at the address in a setting, and the path of the address.
    fn of_setting(&self, from: &str, name: &str) -> Option<(usize, Confidence, String)> {
        let settings = self.settings.of(from, name).into_iter();
        let mut found: Vec<(usize, Confidence, String)> = settings
            .filter_map(|setting| {
                let address = match setting.value.split_once("://") {
                    Some((scheme, address)) => is_http(scheme).then_some(address)?,
                    None => &setting.value,
                };
                let (service, end) = self.at_start(address)?;
                let path = after_port(address[end..].to_owned());
                Some((service, setting.evidence.confidence, path.trim_end_matches('/').to_owned()))
            })
            .collect();
        // The best evidence first; files may repeat the same address.
        found.sort_by_key(|(_, confidence, _)| std::cmp::Reverse(*confidence));
        let is_one = found.iter().all(|(service, ..)| *service == found[0].0);
        let (service, confidence, path) = found.into_iter().next()?;
        Some((service, if is_one { confidence } else { Confidence::Ambiguous }, path))
    }

    /// Returns the service whose address a variable holds, according to manifests.
    fn of_manifest(&self, variable: &str) -> Option<(usize, Confidence)> {
        let services = self.variables.get(variable)?;
        let confidence = if services.len() == 1 { Confidence::Exact } else { Confidence::Ambiguous };
        Some((services[0], confidence))
    }

    /// Returns the service that a variable is named after: `ORDERS_URL`.
    fn of_name(&self, variable: &str) -> Option<(usize, Confidence)> {
        let words: Vec<String> = variable.split('_').map(str::to_lowercase).collect();
        let of_address = |word: &String| ADDRESS_WORDS.contains(&&**word);
        if !words.iter().any(of_address) {
            return None;
        }
        let end = (1..=words.len()).rev().filter(|end| words[*end..].iter().all(of_address));
        let mut services = end.filter_map(|end| self.hosts.get(&words[..end].concat()).copied());
        services.next().map(|service| (service, Confidence::Inferred))
    }
}

/// True if the scheme is one of HTTP, or of a client that finds the host by its name.
fn is_http(scheme: &str) -> bool {
    matches!(scheme, "http" | "https" | "http+https" | "https+http" | "lb")
}

/// Normalizes a name across its uses: `order-service` and `ORDER_SERVICE`.
fn folded(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric() || *char == '.').flat_map(char::to_lowercase).collect()
}

/// Joins pieces into one text, with placeholders for unknown pieces.
fn opened(pieces: &[Piece]) -> String {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.to_string(),
        _ => OPEN.to_string(),
    });
    pieces.collect()
}

/// Strips a leading port, if there is one.
fn after_port(rest: String) -> String {
    if !rest.starts_with(':') {
        return rest;
    }
    let start = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest[start..].to_owned()
}

/// Returns the path with `{}` for unknown parts and without its query, and true if its known parts are certain.
fn path(rest: String) -> (String, bool) {
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let rest = &rest[..end];
    let mut is_sure = rest.is_empty() || rest.starts_with('/');
    let mut segments: Vec<&str> = rest.split('/').filter(|segment| !segment.is_empty()).collect();
    // An unknown piece after a name without a slash is usually a query.
    if let Some(last) = segments.last_mut() {
        let known = last.trim_end_matches(OPEN);
        if !known.is_empty() && known.len() < last.len() && !known.contains(OPEN) {
            (*last, is_sure) = (known, false);
        }
    }
    let segments = segments.iter().map(|segment| if segment.contains(OPEN) { "{}" } else { segment });
    let path: String = segments.flat_map(|segment| ["/", segment]).collect();
    (if path.is_empty() { "/".to_owned() } else { path }, is_sure)
}
