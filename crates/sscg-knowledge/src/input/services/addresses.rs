//! Hosts and environment variables by which services are addressed.

use std::collections::{BTreeMap, BTreeSet};

use super::deployment::Variable;
use crate::Service;

/// Assigns address variables to services: variables whose value has the host of a service, and variables without a
/// known value that are named after one. `key` normalizes a name for comparison.
pub(super) fn variables(
    key: impl Fn(&str) -> String,
    services: &mut [Service],
    variables: &BTreeSet<Variable>,
) {
    let values: BTreeSet<&str> =
        variables.iter().filter(|it| !it.value.is_empty()).map(|it| it.name.as_str()).collect();
    for variable in variables {
        let Some(stem) = address_of(&variable.name) else { continue };
        let at = match host(&variable.value) {
            Some(host) => services
                .iter()
                .position(|it| *it.name == *host || it.hosts.iter().any(|known| **known == *host)),
            None if variable.value.is_empty() && !values.contains(variable.name.as_str()) => {
                let stem = key(&stem);
                services.iter().position(|service| key(&service.name) == stem)
            }
            None => None,
        };
        if let Some(at) = at {
            services[at].address_variables.push(variable.name.as_str().into());
        }
    }
}

/// Returns the name of an address variable without its suffix (`ORDERS_URL`, `CART_ADDR`); `None` for other variables.
fn address_of(name: &str) -> Option<String> {
    let suffixes = [
        "_BASE_URL",
        "_SERVICE_URL",
        "_SERVICE_ADDR",
        "_SERVICE_HOST",
        "_SERVICE",
        "_URL",
        "_URI",
        "_ADDR",
        "_ADDRESS",
        "_HOST",
        "_ENDPOINT",
        "_API",
    ];
    let name = name.to_uppercase();
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).map(str::to_owned)
}

/// Returns the host of `http://orders:3001/v1`, `orders:3001` or `orders.shop.svc.cluster.local`.
fn host(value: &str) -> Option<&str> {
    let rest = match value.split_once("://") {
        Some(("http" | "https" | "grpc" | "ws" | "wss" | "tcp", rest)) => rest,
        Some(_) => return None,
        None => value,
    };
    let host = rest.split(['/', '?', ':']).next()?;
    let host = host.split_once(".svc").map_or(host, |(name, _)| name.split('.').next().unwrap_or(name));
    let is_host = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    (!host.is_empty() && host.chars().all(is_host)).then_some(host)
}

/// Removes hosts that several services share, as they identify none of them.
pub(super) fn no_shared_hosts(services: &mut [Service]) {
    let mut counts: BTreeMap<Box<str>, usize> = BTreeMap::new();
    for host in services.iter().flat_map(|service| service.hosts.iter().chain([&service.name])) {
        *counts.entry(host.clone()).or_default() += 1;
    }
    for service in services {
        service.hosts.retain(|host| counts[host] == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_taken_from_addresses() {
        assert_eq!(host("http://orders:3001/v1"), Some("orders"));
        assert_eq!(host("orders:3001"), Some("orders"));
        assert_eq!(host("https://orders.shop.svc.cluster.local/"), Some("orders"));
        assert_eq!(host("postgres://shop:shop@postgres:5432/orders"), None);
        assert_eq!(host(""), None);
    }
}
