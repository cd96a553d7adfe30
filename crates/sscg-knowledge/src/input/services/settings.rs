//! Settings of services: environments of deployments, files of variables, JSON settings and values of Helm charts.

use serde_json::Value;
use sscg_core::Confidence;

use super::deployment::{Deployment, Variable};
use super::{dotenv, is_below, manifest};
use crate::input::interest::{Kind, has_chart_values, has_settings, kind, looks_like_contract};
use crate::input::text::{Tree, split, text_of};
use crate::{Service, Setting};

/// Maximum length of a value in bytes. Addresses and topics are shorter; certificates and scripts are not.
const MAX_VALUE_BYTES: usize = 256;

/// Ends of names whose values are secrets, and so must appear in no answer.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "credentials",
    "apikey",
    "accesskey",
    "accesskeyid",
    "encryptionkey",
    "privatekey",
    "secretkey",
    "signingkey",
];

/// Maximum nesting depth of JSON settings and of the values of a chart.
const MAX_DEPTH: usize = 16;

/// Reads all settings. `called` returns the service with the name of a container.
pub(super) fn read(
    tree: &Tree<'_>,
    deployment: &Deployment,
    services: &[Service],
    called: impl Fn(&str) -> Option<Box<str>>,
) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for Variable { name, value, owner, file } in &deployment.variables {
        let service = owner.as_deref().map(&called);
        // The environment of a container that is no service here, such as a database, has no reader.
        if service != Some(None) {
            settings.extend(setting(service.flatten(), name, value, Confidence::Exact, file));
        }
    }
    for path in tree.paths() {
        let service = service_at(services, path);
        let mut add = |name: &str, value: &str, confidence| {
            settings.extend(setting(service.clone(), name, value, confidence, path));
        };
        if kind(path) == Some(Kind::Environment) {
            // An example shows the values that a developer may choose.
            let is_example = ["example", "sample", "template", "dist"].iter().any(|word| path.contains(word));
            let confidence = if is_example { Confidence::Inferred } else { Confidence::Exact };
            for (name, value) in dotenv::read(tree.text(path)) {
                add(&name, &value, confidence);
            }
        } else if has_settings(path) && !looks_like_contract(tree.text(path)) {
            let mut text = tree.text(path).trim_start_matches('\u{feff}').to_owned();
            let value =
                json_strip_comments::strip(&mut text).ok().and_then(|()| serde_json::from_str(&text).ok());
            leaves(&value.unwrap_or_default(), "", MAX_DEPTH, &mut |name, value| {
                add(name, value, Confidence::Exact);
            });
        } else if has_chart_values(path) {
            // The templates decide on the use of a value.
            for document in tree.documents(path).unwrap_or_default() {
                leaves(document, "", MAX_DEPTH, &mut |name, value| {
                    add(name.rsplit(':').next().unwrap_or(name), value, Confidence::Inferred);
                });
            }
        }
    }
    settings.sort();
    settings.dedup();
    settings
}

/// Returns the service whose directory has a file, unless that is the root of the project.
fn service_at(services: &[Service], path: &str) -> Option<Box<str>> {
    let directory = split(path).0;
    let roots = services.iter().filter_map(|service| Some((service.root.as_deref()?, &service.name)));
    let around = roots.filter(|(root, _)| !root.is_empty() && is_below(directory, root));
    around.max_by_key(|(root, _)| root.len()).map(|(_, name)| name.clone())
}

/// Returns a setting, without the user and password of an address; `None` if its value can be neither an address nor a
/// name of a topic, or is a secret.
fn setting(
    service: Option<Box<str>>,
    name: &str,
    value: &str,
    confidence: Confidence,
    file: &str,
) -> Option<Setting> {
    let is_known =
        !value.is_empty() && value.len() <= MAX_VALUE_BYTES && !value.contains(char::is_whitespace);
    let plain: String = name.chars().filter(|char| char.is_alphanumeric()).collect::<String>().to_lowercase();
    let is_secret = SECRETS.iter().any(|end| plain.ends_with(end));
    let evidence = manifest(confidence, file);
    (is_known && !is_secret).then(|| Setting {
        service,
        name: name.into(),
        value: without_user(value).into(),
        evidence,
    })
}

/// Removes the user and password of an address: `amqp://user:pass@queue/` is `amqp://queue/`.
fn without_user(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host..])
}

/// Visits the texts of a value with their keys joined by colons: `Urls:Catalog`. An item `{name: X, value: Y}` of a
/// list is a text with the key `X`.
fn leaves(value: &Value, key: &str, depth: usize, visit: &mut impl FnMut(&str, &str)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let key = if key.is_empty() { name.clone() } else { format!("{key}:{name}") };
                leaves(value, &key, depth, visit);
            }
        }
        Value::Array(items) => {
            for item in items {
                let (name, value) = (text_of(item, "name"), text_of(item, "value"));
                if !name.is_empty() {
                    visit(&name, &value);
                }
            }
        }
        Value::String(text) => visit(key, text),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_no_settings() {
        let value = |name, value| setting(None, name, value, Confidence::Exact, ".env").map(|it| it.value);
        for name in ["DB_PASSWORD", "Auth:ApiKey", "stripe.secret", "GITHUB_TOKEN", "AWS_ACCESS_KEY_ID"] {
            assert_eq!(value(name, "a1b2c3"), None, "{name}");
        }
        for (name, given, expected) in [
            ("TOKEN_SERVICE_URL", "http://tokens:80", "http://tokens:80"),
            ("ROUTING_KEY", "orders.created", "orders.created"),
            ("QUEUE", "amqp://user:p@ss@queue:5672/shop?x=a@b", "amqp://queue:5672/shop?x=a@b"),
        ] {
            assert_eq!(value(name, given).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn texts_are_found_with_their_keys() {
        let value =
            json!({"Urls": {"Catalog": "http://catalog", "n": 1}, "env": [{"name": "A", "value": "b"}, "c"]});
        let mut found = Vec::new();
        leaves(&value, "", MAX_DEPTH, &mut |name, value| found.push(format!("{name}={value}")));
        assert_eq!(found, ["Urls:Catalog=http://catalog", "A=b"]);
    }
}
