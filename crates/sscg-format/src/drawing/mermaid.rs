//! Drawings for Mermaid.

use std::fmt::Write;

use super::{Drawing, DrawnNode, Role};
use crate::Confidence;

pub(super) fn flowchart(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart LR\n");
    // Writing to a string does not fail.
    let _ = write(drawing, &mut out);
    out
}

fn write(drawing: &Drawing, out: &mut String) -> std::fmt::Result {
    for (at, (file, nodes)) in drawing.by_file().into_iter().enumerate() {
        if file.is_empty() {
            nodes
                .iter()
                .try_for_each(|node| writeln!(out, "  {}", statement(*node, &drawing.nodes[*node])))?;
            continue;
        }
        writeln!(out, "  subgraph f{at} [{}]", quoted(file))?;
        nodes.iter().try_for_each(|node| writeln!(out, "    {}", statement(*node, &drawing.nodes[*node])))?;
        writeln!(out, "  end")?;
    }
    for edge in &drawing.edges {
        // Lines are only solid or dotted, so an ambiguous edge has a question mark.
        let (arrow, doubt) = match edge.confidence {
            Confidence::Exact => ("-->", ""),
            Confidence::Inferred => ("-.->", ""),
            Confidence::Ambiguous => ("-.->", "?"),
        };
        let label = quoted(&format!("{}{doubt}", edge.label()));
        writeln!(out, "  n{} {arrow}|{label}| n{}", edge.source, edge.target)?;
    }
    writeln!(out, "  classDef result stroke-width:3px")?;
    writeln!(out, "  classDef outside stroke-dasharray:4 3")
}

/// Formats a node. Its name is quoted, so that a name such as `end` is no keyword.
fn statement(at: usize, node: &DrawnNode) -> String {
    let (open, close) = match node.kind.as_str() {
        "class" | "struct" | "union" | "component" => ("[", "]"),
        "interface" | "trait" | "type" => ("{{", "}}"),
        "enum" | "module" | "impl" | "file" | "directory" => ("[[", "]]"),
        "external" => (">", "]"),
        _ => ("(", ")"),
    };
    let class = match node.role {
        Role::Result => ":::result",
        Role::Outside => ":::outside",
        Role::Member | Role::Connection | Role::Neighbor => "",
    };
    format!("n{at}{open}{}{close}{class}", quoted(&node.label()))
}

/// Quotes a text; characters that end the quotes or have a meaning in them become numeric entities.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' | '*' | ';' => {
                let _ = write!(quoted, "#{};", u32::from(c));
            }
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
