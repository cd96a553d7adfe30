//! Helm charts: templates with the values of their chart filled in, as far as they are plain substitutions.

use serde_json::Value;

use super::dotenv::MAX_VALUE;
use crate::input::text::{Tree, split};

/// Stands for the value of an expression that is not evaluated.
const UNKNOWN: char = '\u{fffd}';

/// Maximum length of a rendered template in bytes; expressions beyond it stay unknown.
const MAX_RENDERED: usize = 1 << 20;

/// Returns a template of a chart as YAML. Lines of control structures are dropped, so that all branches of a condition
/// are kept. `None` if the file is no template of a chart.
pub(super) fn rendered(tree: &Tree<'_>, path: &str) -> Option<String> {
    let text = tree.text(path);
    let (chart, _) = path.rsplit_once("/templates/")?;
    text.contains("{{").then(|| render(text, split(chart).1, &values(tree, chart)))
}

/// Returns the values of a chart, with those that its parent chart sets for it.
fn values(tree: &Tree<'_>, chart: &str) -> Value {
    let of = |chart: &str| tree.value(&format!("{chart}/values.yaml")).cloned();
    let mut values = of(chart).unwrap_or_default();
    if let Some((parent, name)) = chart.rsplit_once("/charts/")
        && let Some(over) = of(parent).as_mut().and_then(|parent| parent.get_mut(name))
    {
        merge(&mut values, over.take());
    }
    values
}

fn merge(values: &mut Value, over: Value) {
    match (values, over) {
        (Value::Object(values), Value::Object(over)) => {
            for (key, value) in over {
                merge(values.entry(key).or_insert(Value::Null), value);
            }
        }
        (values, over) => *values = over,
    }
}

fn render(text: &str, chart: &str, values: &Value) -> String {
    let mut rendered = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        // An action can span several lines.
        let (mut end, mut open) = (0, 0);
        for line in rest.split_inclusive('\n') {
            end += line.len();
            open += line.matches("{{").count() as isize - line.matches("}}").count() as isize;
            if open <= 0 {
                break;
            }
        }
        let (line, after) = rest.split_at(end);
        let trimmed = line.trim();
        let is_action = trimmed.starts_with("{{") && trimmed.ends_with("}}") && !trimmed.contains(": ");
        if !is_action {
            filled(line, chart, values, &mut rendered);
        }
        rest = after;
    }
    rendered
}

/// Appends a line with its expressions replaced by their values.
fn filled(line: &str, chart: &str, values: &Value, into: &mut String) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((expression, after)) = after.split_once("}}") else { break };
        into.push_str(before);
        let value = value(expression.trim_matches(['-', ' ']), chart, values);
        match value.filter(|_| into.len() < MAX_RENDERED) {
            Some(value) => into.push_str(&value),
            None => into.push(UNKNOWN),
        }
        rest = after;
    }
    into.push_str(rest);
}

/// Returns the value of `.Values.orders.host`, of `.Chart.Name`, and of the names that charts form with it.
fn value(expression: &str, chart: &str, values: &Value) -> Option<String> {
    let mut stages = expression.split('|').map(str::trim);
    let first = stages.next()?;
    if first == ".Chart.Name" || first.starts_with("include") && first.contains("name\"") {
        return Some(chart.to_owned());
    }
    let path = first.strip_prefix("quote ").unwrap_or(first).trim().strip_prefix(".Values.")?;
    let found = path.split('.').try_fold(values, |value, key| value.get(key));
    let mut text = match found {
        Some(Value::String(text)) if text.len() <= MAX_VALUE => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(Value::Bool(truth)) => Some(truth.to_string()),
        _ => None,
    };
    for stage in stages {
        match stage.split_once(' ') {
            Some(("default", default)) if text.is_none() => text = Some(default.trim_matches('"').to_owned()),
            _ if matches!(stage, "quote" | "squote" | "toString" | "trim") => {}
            Some(("default", _)) => {}
            _ => return None,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_filled_in_and_control_is_dropped() {
        let template = "{{- /* a\n comment */ -}}\nkind: Deployment\nname: {{ include \"web.fullname\" . }}\n\
            {{- if .Values.a }}\nurl: \"http://{{ .Values.orders.host }}:{{ .Values.orders.port | default 80 }}/{{ .Release.Name }}\"\n\
            {{ end }}\nhost: {{ .Values.orders.host | quote }}\nx: {{ .Values.none | upper }}\n{{- toYaml .Values.b | nindent 2 }}\n";
        let expected =
            "kind: Deployment\nname: web\nurl: \"http://orders:80/\u{fffd}\"\nhost: orders\nx: \u{fffd}\n";
        assert_eq!(render(template, "web", &json!({"orders": {"host": "orders"}})), expected);
    }

    #[test]
    fn an_action_without_an_end_costs_no_more_than_its_text() {
        let text = format!("a: {{{{ .Values.a\n{}", "\n".repeat(300_000));
        assert_eq!(render(&text, "web", &json!({})).len(), text.len());
    }

    #[test]
    fn a_parent_chart_sets_values_of_its_parts() {
        let mut values = json!({"a": {"b": 1, "c": 2}, "d": 3});
        merge(&mut values, json!({"a": {"b": 4}, "e": 5}));
        assert_eq!(values, json!({"a": {"b": 4, "c": 2}, "d": 3, "e": 5}));
    }
}
