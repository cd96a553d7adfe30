//! Drawings for Graphviz.

use std::fmt::Write;

use super::{Drawing, DrawnNode, Role};
use crate::Confidence;

pub(super) fn digraph(drawing: &Drawing) -> String {
    let mut out = String::from("digraph sscg {\n");
    // Writing to a string does not fail.
    let _ = write(drawing, &mut out);
    out
}

fn write(drawing: &Drawing, out: &mut String) -> std::fmt::Result {
    writeln!(out, "  label={}; labelloc=t; fontname=\"Helvetica\"; rankdir=LR;", dot_string(&drawing.title))?;
    writeln!(out, "  node [fontname=\"Helvetica\", fontsize=11, style=\"filled\", fillcolor=\"#eef2f7\"];")?;
    writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#66707d\"];")?;
    for (at, (file, nodes)) in drawing.by_file().into_iter().enumerate() {
        if file.is_empty() {
            nodes
                .iter()
                .try_for_each(|node| writeln!(out, "  {}", statement(*node, &drawing.nodes[*node])))?;
            continue;
        }
        writeln!(out, "  subgraph cluster_{at} {{")?;
        writeln!(out, "    label={}; color=\"#c5ccd6\";", dot_string(file))?;
        nodes.iter().try_for_each(|node| writeln!(out, "    {}", statement(*node, &drawing.nodes[*node])))?;
        writeln!(out, "  }}")?;
    }
    for edge in &drawing.edges {
        let style = match edge.confidence {
            Confidence::Exact => "solid",
            Confidence::Inferred => "dashed",
            Confidence::Ambiguous => "dotted",
        };
        let (source, target, label) = (edge.source, edge.target, dot_string(&edge.label()));
        writeln!(out, "  n{source} -> n{target} [label={label}, style={style}];")?;
    }
    writeln!(out, "}}")
}

/// Formats a node; an SVG shows its signature on hover.
fn statement(at: usize, node: &DrawnNode) -> String {
    let shape = match node.kind.as_str() {
        "class" | "struct" | "union" | "component" => "box",
        "interface" | "trait" | "type" => "diamond",
        "enum" | "module" | "impl" | "file" | "directory" => "hexagon",
        "external" => "plaintext",
        _ => "ellipse",
    };
    let tooltip = if node.signature.is_empty() { &node.id } else { &node.signature };
    let (label, tooltip) = (dot_string(&node.label()), dot_string(tooltip));
    let style = match node.role {
        Role::Result => ", penwidth=2",
        Role::Outside => ", style=\"filled,dashed\"",
        Role::Member | Role::Connection | Role::Neighbor => "",
    };
    format!("n{at} [label={label}, shape={shape}, tooltip={tooltip}{style}];")
}

/// Quotes a text as a DOT string, in which a backslash before a letter would have a meaning.
pub fn dot_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
