//! OpenAPI 2 (Swagger) and 3.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::reference::{ContractReader, DocumentValue, schemas};
use super::{Read, about, host};
use crate::input::text::text_of;
use crate::{ContractOperation, ContractType};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

pub(super) fn read<'t>(reader: &mut ContractReader<'t, '_>, document: &'t Value) -> Read {
    let mut contract = about(reader, document, ContractType::OpenApi);
    let root = reader.root(document);
    let is_2 = document.get("swagger").is_some();
    let version = text_of(document, if is_2 { "swagger" } else { "openapi" });
    let known = if is_2 {
        version == "2.0" || version == "2"
    } else {
        ["3.0", "3.1", "3.2"].iter().any(|known| version.starts_with(known))
    };
    if !known {
        reader.note(format!(
            "OpenAPI {version} is not known (2.0 and 3.0 to 3.2 are); what looks like {} is read",
            if is_2 { "2.0" } else { "3.x" }
        ));
    }
    let (base, hosts) = if is_2 { swagger_server(document) } else { server(document) };
    contract.hints.extend(hosts.iter().cloned());
    let lines = Lines::of(reader.text());
    let secured_by_default = secured(document.get("security")).unwrap_or(false);
    let mut all_deprecated = true;
    for (path, item) in root.get("paths").into_iter().flat_map(DocumentValue::entries) {
        if !path.starts_with('/') {
            continue;
        }
        let Some(item) = reader.resolve(item) else { continue };
        for method in METHODS {
            let Some(operation) = item.value.get(method).filter(|operation| operation.is_object()) else {
                continue;
            };
            all_deprecated &= operation.get("deprecated") == Some(&Value::Bool(true));
            contract.operations.push(ContractOperation {
                method: method.to_uppercase().into(),
                path: format!("{base}{path}").into(),
                operation_id: text_of(operation, "operationId").into(),
                summary: text_of(operation, "summary").trim().into(),
                secured: secured(operation.get("security")).unwrap_or(secured_by_default),
                line: lines.of_operation(path, method),
            });
        }
    }
    contract.deprecated |= all_deprecated && !contract.operations.is_empty();
    let types =
        if is_2 { root.get("definitions") } else { root.get("components").and_then(|it| it.get("schemas")) };
    contract.schemas = schemas(reader, types);
    Read { contract, hosts }
}

/// True if any security requirement needs credentials, even if an empty one makes them optional; `None` if there is no
/// list.
fn secured(requirements: Option<&Value>) -> Option<bool> {
    let requirements = requirements?.as_array()?;
    let asks = |it: &Value| it.as_object().is_some_and(|schemes| !schemes.is_empty());
    Some(requirements.iter().any(asks))
}

/// Returns the base path and the hosts of OpenAPI 2.
fn swagger_server(document: &Value) -> (String, Vec<Box<str>>) {
    let base = text_of(document, "basePath");
    let hosts = host(&text_of(document, "host")).map(Into::into).into_iter().collect();
    (plain(&base), hosts)
}

/// Returns the base path and the hosts of OpenAPI 3. The path of a public address often belongs to a gateway and is
/// dropped; the path of a host within the deployment, or a path without a host, belongs to the service.
fn server(document: &Value) -> (String, Vec<Box<str>>) {
    let servers = || document.get("servers").and_then(Value::as_array).into_iter().flatten();
    let url = |server: &Value| -> String {
        let mut url = text_of(server, "url").into_owned();
        for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
            url = url.replace(&format!("{{{name}}}"), &text_of(variable, "default"));
        }
        url
    };
    let first = servers().next().map(url).unwrap_or_default();
    let base = match first.split_once("://") {
        None => plain(&first),
        Some((_, rest)) => match rest.split_once('/') {
            Some((authority, path)) if !authority.contains('.') => plain(&format!("/{path}")),
            _ => String::new(),
        },
    };
    let hosts = servers()
        .filter_map(|server| host(&url(server)).filter(|_| url(server).contains("://")).map(Into::into));
    (base, hosts.collect())
}

/// Returns a base path as a prefix for paths; empty if it is unknown before run time.
fn plain(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let is_plain = base.starts_with('/') && !base.contains(['{', '$', '?']);
    if is_plain { base.to_owned() } else { String::new() }
}

/// Line numbers of the operations in a text.
struct Lines<'t> {
    /// Index into `keys`, by path.
    paths: FxHashMap<&'t str, usize>,
    /// Paths and methods with their lines, in order.
    keys: Vec<(u32, &'t str)>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let mut lines = Self { paths: FxHashMap::default(), keys: Vec::new() };
        for (line, text) in (1..).zip(text.lines()) {
            let Some(key) = key(text).filter(|key| key.starts_with('/') || METHODS.contains(key)) else {
                continue;
            };
            if key.starts_with('/') {
                lines.paths.entry(key).or_insert(lines.keys.len());
            }
            lines.keys.push((line, key));
        }
        lines
    }

    /// Returns the line of a method; the line of its path if the method has no line of its own below it, 0 if the path
    /// is not found.
    fn of_operation(&self, path: &str, method: &str) -> u32 {
        let Some(&at) = self.paths.get(path) else { return 0 };
        let below = self.keys[at + 1..].iter().take_while(|(_, key)| !key.starts_with('/'));
        below.copied().find(|(_, key)| *key == method).map_or(self.keys[at].0, |(line, _)| line)
    }
}

/// Returns the key at the start of a line of YAML or JSON.
fn key(line: &str) -> Option<&str> {
    let line = line.trim_start();
    match line.as_bytes().first()? {
        quote @ (b'"' | b'\'') => line[1..].split_once(char::from(*quote)).map(|(key, _)| key),
        _ => line.split_once(": ").map(|(key, _)| key).or_else(|| line.trim_end().strip_suffix(':')),
    }
}
