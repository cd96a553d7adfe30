//! List of tools in `docs/mcp.md`.

use std::fmt::Write;

use expect_test::expect_file;
use serde_json::{Map, Value, json};
use sscg_mcp::{Server, Toolset};

use crate::client::{Client, Sandbox};

/// The text between these lines is generated here; the rest is written by hand, or by `cargo xtask conformance
/// --bless`.
const START: &str = "<!-- tools: made by `UPDATE_EXPECT=1 cargo test -p sscg-mcp` -->\n";
const END: &str = "<!-- end of tools -->\n";

#[tokio::test]
async fn the_page_lists_the_tools_as_clients_are_told_of_them() {
    let tools = all_tools().await;
    let page = include_str!("../../../../docs/mcp.md").replace("\r\n", "\n");
    let (before, rest) = page.split_once(START).expect("the page has the line that begins the list");
    let (_, after) = rest.split_once(END).expect("the page has the line that ends the list");
    let page = format!("{before}{START}{tools}{END}{after}");
    expect_file!["../../../../docs/mcp.md"].assert_eq(&page);
}

/// Returns a section for each set, with a subsection for each tool.
async fn all_tools() -> String {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    for set in Toolset::ALL {
        _ = write!(text, "\n### `{set}`\n");
        let mut lists = Vec::new();
        for all_arguments in [true, false] {
            let options = sandbox.options().with_toolsets(vec![*set]).with_all_arguments(all_arguments);
            let mut client = Client::start(&Server::new(options).expect("the tree is there")).await;
            let answer = client.request("tools/list", json!({})).await;
            lists.push(answer["result"]["tools"].as_array().expect("a list").clone());
        }
        for (tool, by_default) in lists[0].iter().zip(&lists[1]) {
            describe(tool, by_default, &mut text);
        }
    }
    text + "\n"
}

/// Describes a tool with all arguments; `by_default` is the tool as clients usually see it.
fn describe(tool: &Value, by_default: &Value, text: &mut String) {
    let told = |value: &Value| value.as_str().expect("a text").to_owned();
    let effect = if tool["annotations"]["readOnlyHint"] == true { "only reads" } else { "writes the index" };
    _ = write!(text, "\n#### `{}`\n\n{}; {effect}.\n\n", told(&tool["name"]), told(&tool["title"]));
    for paragraph in told(&tool["description"]).lines() {
        _ = writeln!(text, "> {paragraph}\n>");
    }
    text.truncate(text.trim_end_matches("\n>\n").len());
    text.push('\n');
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let none = Map::new();
    let arguments = schema["properties"].as_object().unwrap_or(&none);
    if !arguments.is_empty() {
        *text += "\n| argument | takes | meaning |\n| --- | --- | --- |\n";
    }
    for (name, argument) in arguments {
        let is_listed = !by_default["inputSchema"]["properties"][name].is_null();
        let needed = match (required.iter().any(|it| it == name), is_listed) {
            (true, _) => ", required",
            (false, true) => "",
            (false, false) => " \\*",
        };
        let about =
            argument["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let examples = argument["examples"].as_array().map(|examples| listed(examples)).unwrap_or_default();
        let example = if examples.is_empty() { examples } else { format!(" Such as {examples}.") };
        _ = writeln!(text, "| `{name}`{needed} | {} | {about}{example} |", takes(argument));
    }
}

/// Describes in words what a schema accepts.
fn takes(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return format!("one of {}", listed(values));
    }
    let range = |least: &str, most: &str, unit: &str| match (schema.get(least), schema.get(most)) {
        (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
        (Some(least), None) => format!(", at least {least}{unit}"),
        (None, Some(most)) => format!(", at most {most}{unit}"),
        (None, None) => String::new(),
    };
    match schema["type"].as_str().expect("an argument has a type") {
        "array" => format!("list{}, each {}", range("minItems", "maxItems", ""), takes(&schema["items"])),
        "string" => format!("text{}", range("minLength", "maxLength", " characters")),
        "boolean" => "true or false".to_owned(),
        number => format!("{number}{}", range("minimum", "maximum", "")),
    }
}

fn listed(values: &[Value]) -> String {
    values
        .iter()
        .map(|value| format!("`{value}`").replace("`\"", "`").replace("\"`", "`"))
        .collect::<Vec<_>>()
        .join(", ")
}
