//! Text form of a service.

use sscg_core::TokenCounter;

use super::budget::{Section, within};
use super::facts::ServiceContext;
use crate::SchemaField;

/// Returns a service context as text, in at most `max_tokens` tokens.
pub(crate) fn service_text(context: &ServiceContext, max_tokens: usize, tokens: &dyn TokenCounter) -> String {
    let sections = [
        Section {
            title: "Service Dependencies",
            head: "",
            rows: dependencies(context),
            priority: 0,
            share: 5,
        },
        Section {
            title: "APIs This Service Provides",
            head: "| Method | Path | Handler |\n|---|---|---|\n",
            rows: provided(context),
            priority: 3,
            share: 15,
        },
        Section {
            title: "APIs This Service Must Consume",
            head: "| Method | Path | Provider Service |\n|---|---|---|\n",
            rows: consumed(context),
            priority: 1,
            share: 30,
        },
        Section {
            title: "Events Published",
            head: "| Event Name | Channel | Consumers |\n|---|---|---|\n",
            rows: published(context),
            priority: 4,
            share: 5,
        },
        Section {
            title: "Events Consumed",
            head: "| Event Name | Publisher |\n|---|---|\n",
            rows: listened(context),
            priority: 5,
            share: 5,
        },
        Section { title: "Domain Entities Owned", head: "", rows: owned(context), priority: 6, share: 10 },
        Section {
            title: "Domain Entities Referenced (from other services)",
            head: "",
            rows: referenced(context),
            priority: 2,
            share: 20,
        },
        Section {
            title: "Cross-Service Integration Notes",
            head: "",
            rows: context.integration_notes.iter().map(|note| format!("- {note}")).collect(),
            priority: 7,
            share: 10,
        },
    ];
    within(&format!("Service Context: {}", context.service_name), &sections, max_tokens, tokens)
}

fn dependencies(context: &ServiceContext) -> Vec<String> {
    let beyond = context.transitive_dependencies.iter();
    let beyond: Vec<Box<str>> =
        beyond.map(|it| format!("{} ({} calls away)", it.service_name, it.distance).into()).collect();
    let lists = [
        ("Depends on", &context.depends_on),
        ("Depended on by", &context.depended_on_by),
        ("Further away", &beyond),
    ];
    let known = lists.into_iter().filter(|(_, names)| !names.is_empty());
    known.map(|(what, names)| format!("- **{what}:** {}", names.join(", "))).collect()
}

fn provided(context: &ServiceContext) -> Vec<String> {
    let endpoints = context.provided_endpoints.iter();
    endpoints.map(|it| row(&[&it.method, &it.path, or_none(&it.handler)])).collect()
}

fn consumed(context: &ServiceContext) -> Vec<String> {
    let endpoints = context.consumed_endpoints.iter();
    endpoints.map(|it| row(&[&it.method, &it.path, &it.provider_service])).collect()
}

fn published(context: &ServiceContext) -> Vec<String> {
    let events = context.events_published.iter();
    events.map(|it| row(&[&it.event_name, &it.channel, or_none(&it.consumers.join(", "))])).collect()
}

fn listened(context: &ServiceContext) -> Vec<String> {
    let events = context.events_consumed.iter();
    events.map(|it| row(&[&it.event_name, or_none(&it.publishers.join(", "))])).collect()
}

fn owned(context: &ServiceContext) -> Vec<String> {
    context.owned_entities.iter().flat_map(|it| entity(it.name.to_string(), &it.fields)).collect()
}

fn referenced(context: &ServiceContext) -> Vec<String> {
    let entities = context.referenced_entities.iter();
    let owned_by =
        |owner: &str| if owner.is_empty() { String::new() } else { format!(" (owned by {owner})") };
    entities
        .flat_map(|it| entity(format!("{}{}", it.name, owned_by(&it.owning_service)), &it.fields))
        .collect()
}

/// Returns the text of a table cell, with a placeholder for an empty result.
fn or_none(found: &str) -> &str {
    if found.is_empty() { "(none found)" } else { found }
}

/// Returns a row of a table.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |", cells.join(" | "))
}

/// Returns the rows of an entity: its name with its first field, and a row for each further field.
fn entity(name: String, fields: &[SchemaField]) -> Vec<String> {
    let mut rows: Vec<String> = fields.iter().map(field).collect();
    match rows.first_mut() {
        Some(first) => *first = format!("#### {name}\n{first}"),
        None => rows.push(format!("#### {name}")),
    }
    rows
}

fn field(field: &SchemaField) -> String {
    let ty = if field.ty.is_empty() { String::new() } else { format!(": {}", field.ty) };
    let optional = if field.required { "" } else { " (optional)" };
    let description =
        if field.description.is_empty() { String::new() } else { format!(" – {}", field.description) };
    format!("- {}{ty}{optional}{description}", field.name)
}
