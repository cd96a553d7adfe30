//! Interfaces of services, given as JSON by another program.

use serde_json::Value;
use sscg_core::Confidence;

use super::text::{Format, parse, text_of};
use crate::{EventUse, FactEvidence, MessageDirection, Model, NamedEndpoint, Problem, Source};

/// Name of the parameter in problems.
const NAME: &str = "service_interfaces_json";

/// Adds the interfaces: an object by service, each with `endpoints`, `events_published` and `events_consumed`.
pub(super) fn read(text: &str, model: &mut Model) {
    let documents = parse(Format::Json, text);
    let services = match documents.as_deref() {
        Ok([Value::Object(services), ..]) => services,
        Ok(_) => return model.errors.push(Problem::new(NAME, "is no object of services")),
        Err(broken) => return model.errors.push(broken.problem(NAME)),
    };
    for (name, interface) in services {
        if !interface.is_object() {
            model
                .errors
                .push(Problem::new(NAME, format!("the interface of {name} is no object; it is left out")));
            continue;
        }
        for endpoint in list(name, interface, "endpoints", &mut model.errors) {
            let path = text_of(endpoint, "path");
            if !path.starts_with('/') {
                let what = if path.is_empty() {
                    "no path".to_owned()
                } else {
                    format!("the path `{path}`, without a slash at its start")
                };
                model
                    .errors
                    .push(Problem::new(NAME, format!("an endpoint of {name} has {what}; it is left out")));
                continue;
            }
            let method = text_of(endpoint, "method").to_uppercase();
            model.named_endpoints.push(NamedEndpoint {
                service: name.as_str().into(),
                method: if method.is_empty() { "ANY".into() } else { method.into() },
                path: path.into(),
                handler: text_of(endpoint, "handler").into(),
                file: text_of(endpoint, "file_path").trim_start_matches("./").into(),
                evidence: evidence(),
            });
        }
        let sides = [
            ("events_published", MessageDirection::Publishes),
            ("events_consumed", MessageDirection::Consumes),
        ];
        for (side, direction) in sides {
            for event in list(name, interface, side, &mut model.errors) {
                let event_name = event.as_str().map_or_else(|| text_of(event, "event_name"), Into::into);
                if event_name.is_empty() {
                    let message = format!("one of `{side}` of {name} has no `event_name`; it is left out");
                    model.errors.push(Problem::new(NAME, message));
                    continue;
                }
                let channel = text_of(event, "channel");
                model.events.push(EventUse {
                    service: name.as_str().into(),
                    channel: if channel.is_empty() { event_name.as_ref().into() } else { channel.into() },
                    event: event_name.into(),
                    transport: Box::default(),
                    direction,
                    site: None,
                    evidence: evidence(),
                });
            }
        }
    }
}

fn list<'v>(service: &str, interface: &'v Value, key: &str, problems: &mut Vec<Problem>) -> &'v [Value] {
    match interface.get(key) {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => &[],
        Some(_) => {
            problems.push(Problem::new(NAME, format!("`{key}` of {service} is no list; it is left out")));
            &[]
        }
    }
}

fn evidence() -> FactEvidence {
    FactEvidence { confidence: Confidence::Exact, source: Source::Interface, file: Box::default(), line: 0 }
}
