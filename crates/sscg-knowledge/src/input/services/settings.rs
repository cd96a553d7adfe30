//! Settings of services: environments of deployments, files of variables, JSON settings and values of Helm charts.

use serde_json::Value;
use sscg_core::{Confidence, words_of};

use super::deployment::{Deployment, Variable};
use super::{dotenv, is_below, manifest};
use crate::input::interest::{Kind, has_chart_values, has_settings, kind, looks_like_contract};
use crate::input::text::{Tree, split, text_of};
use crate::{Service, Setting};

/// Maximum length of a value in bytes. Addresses and topics are shorter; certificates and scripts are not.
const MAX_VALUE_BYTES: usize = 256;

/// Words in names of secrets, which must appear in no answer; two words are next to each other.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "pass",
    "passphrase",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "api key",
    "access key",
    "account key",
    "encryption key",
    "private key",
    "signing key",
];

/// Last words of names of addresses and channels, which are no secrets: `TOKEN_SERVICE_URL`, `PASSWORD_RESET_TOPIC`.
const ADDRESSES: &[&str] = &[
    "url", "uri", "host", "hostname", "address", "addr", "endpoint", "port", "topic", "queue", "exchange",
    "subject", "channel",
];

/// Words in the paths of variables that only show what could be set.
const EXAMPLES: [&str; 4] = ["example", "sample", "template", "dist"];

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
            let is_example = words_of(path).any(|word| EXAMPLES.contains(&word.trim_end_matches('s')));
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
    let evidence = manifest(confidence, file);
    (is_known && !is_secret(name, value)).then(|| Setting {
        service,
        name: name.into(),
        value: without_user(value).into(),
        evidence,
    })
}

/// Returns true if a name has a word for secrets, or a value has a part with such a key: `Server=db;Pwd=x`.
fn is_secret(name: &str, value: &str) -> bool {
    let has_secret = |name: &str| {
        let words: Vec<String> = words_of(name).map(str::to_lowercase).collect();
        let is_address = words.last().is_some_and(|last| ADDRESSES.contains(&last.as_str()));
        let pairs = words.windows(2).map(|pair| pair.join(" "));
        !is_address && words.iter().cloned().chain(pairs).any(|word| SECRETS.contains(&word.as_str()))
    };
    let mut keys = value.split(['?', '&', ';', ',']).filter_map(|part| Some(part.split_once('=')?.0));
    has_secret(name) || keys.any(|key| has_secret(key) || key == "sig")
}

/// Removes the users and passwords of addresses: `amqp://user:pass@a/,amqp://user:pass@b/` is `amqp://a/,amqp://b/`.
fn without_user(value: &str) -> String {
    let address = |text: &str| {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let separator = if scheme.is_empty() { "" } else { "://" };
        // A password may have a slash, which a host never has before a colon.
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = &rest[..end];
        let has_password = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_err());
        let user = match host.rfind('@') {
            None if has_password => rest.rfind('@'),
            user => user,
        };
        let start = user.map_or(0, |at| at + 1);
        format!("{scheme}{separator}{}", &rest[start..])
    };
    value.split(',').map(address).collect::<Vec<_>>().join(",")
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
        for name in [
            "DB_PASSWORD",
            "DB_PASSWORD_2",
            "MYSQL_PWD",
            "Auth:ApiKey",
            "stripe.secret",
            "SECRET_KEY_BASE",
            "GITHUB_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "WebhookSecret:Value",
        ] {
            assert_eq!(value(name, "a1b2c3"), None, "{name}");
        }
        for given in ["Server=db;Uid=sa;Pwd=x", "redis:6379,password=x", "https://a.b/c?sig=x"] {
            assert_eq!(value("STORE", given), None, "{given}");
        }
        for (name, given, expected) in [
            ("TOKEN_SERVICE_URL", "http://tokens:80", "http://tokens:80"),
            ("PASSWORD_RESET_TOPIC", "password-reset", "password-reset"),
            ("ROUTING_KEY", "orders.created", "orders.created"),
            ("QUEUE", "amqp://user:p@ss@queue:5672/shop?x=a@b", "amqp://queue:5672/shop?x=a@b"),
            ("QUEUE", "amqp://user:p/ss@queue", "amqp://queue"),
            ("QUEUES", "amqp://u:p@a/,amqp://u:p@b/", "amqp://a/,amqp://b/"),
            ("HOST", "user:pass@host:5672", "host:5672"),
            ("PACKAGE", "https://registry/@scope/name", "https://registry/@scope/name"),
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
