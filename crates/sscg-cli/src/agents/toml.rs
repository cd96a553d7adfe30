//! Servers in TOML. Additions are at the end, so that nothing else moves; removals are cut out.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Array, Document, DocumentMut, Item, Table};

use super::{Entry, Field};

/// Parses the whole text as a value; null if it is empty.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let value: Value = toml_edit::de::from_str(text).map_err(|error| describe(text, &error))?;
    Ok(if value.as_object().is_some_and(serde_json::Map::is_empty) { Value::Null } else { value })
}

fn describe(text: &str, error: &toml_edit::de::Error) -> String {
    let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(text));
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    format!("{} on line {line}", error.message())
}

/// Returns the text with an additional table at its end.
pub(super) fn insert(text: &str, keys: &[&str], name: &str, entry: &Entry) -> String {
    let mut table = Table::new();
    for (name, field) in entry {
        table.insert(name, value(field));
    }
    let outermost = keys.iter().rev().fold((name, table), |(name, table), key| {
        let mut outer = Table::new();
        outer.set_implicit(true);
        outer.insert(name, Item::Table(table));
        (*key, outer)
    });
    let mut document = DocumentMut::new();
    document.insert(outermost.0, Item::Table(outermost.1));
    let separator = match text {
        "" => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let added = format!("{separator}{document}");
    if text.contains("\r\n") {
        text.to_owned() + &added.replace('\n', "\r\n")
    } else {
        text.to_owned() + &added
    }
}

/// Returns the text with other fields in a table.
pub(super) fn update(text: &str, keys: &[&str], name: &str, fields: &Entry) -> Result<String, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let mut item = Some(document.as_item());
    for key in keys.iter().chain(std::iter::once(&name)) {
        item = item.and_then(|item| item.get(key));
    }
    let item = item.ok_or("it has no such table")?;
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (name, field) in fields {
        let new = value(field).to_string();
        let new = new.trim();
        match (item.get(name).and_then(Item::span), item.as_table().and_then(Table::span)) {
            (Some(span), _) => edits.push((span, new.to_owned())),
            (None, Some(header)) => {
                edits.push((header.end..header.end, format!("{line_break}{name} = {new}")));
            }
            (None, None) => return Err("it is no table of its own".to_owned()),
        }
    }
    edits.sort_unstable_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for (span, new) in edits {
        text.replace_range(span, &new);
    }
    Ok(text)
}

/// Returns the text without a table and the tables in it, and without the blank line before each.
pub(super) fn remove(text: &str, keys: &[&str], name: &str) -> Result<String, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let mut table = Some(document.as_table());
    for key in keys.iter().chain(std::iter::once(&name)) {
        table = table.and_then(|table| table.get(key)?.as_table());
    }
    let table = table.ok_or("it is no table of its own")?;
    let mut spans = Vec::new();
    collect_spans(table, &mut spans);
    spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for span in spans {
        let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
        let before = &text[..span.start];
        let without_blank = before.strip_suffix("\r\n\r\n").map(|kept| kept.len() + 2);
        let start = without_blank.or_else(|| before.strip_suffix("\n\n").map(|kept| kept.len() + 1));
        text.replace_range(start.unwrap_or(span.start)..end, "");
    }
    Ok(text)
}

/// Collects the spans of a table with its keys, and of each table in it. A table's own span is only that of its header.
fn collect_spans(table: &Table, spans: &mut Vec<Range<usize>>) {
    let values = table.iter().filter(|(_, item)| item.is_value()).filter_map(|(_, item)| item.span());
    spans.extend(table.span().map(|header| {
        let end = values.map(|value| value.end).fold(header.end, usize::max);
        header.start..end
    }));
    table.iter().filter_map(|(_, item)| item.as_table()).for_each(|inner| collect_spans(inner, spans));
}

fn value(field: &Field) -> Item {
    match field {
        Field::Text(text) => toml_edit::value(text),
        Field::List(texts) => toml_edit::value(texts.iter().collect::<Array>()),
    }
}
