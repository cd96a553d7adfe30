//! Export of the graph: files, symbols and external names with typed edges.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use sscg_format::dot_string;
use sscg_index::Snapshot;
use sscg_index::rows::{EdgeRow, Rows, UnresolvedRow};

/// Format of graph tools. All formats hold a directed graph with parallel edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFormat {
    /// [GraphML](http://graphml.graphdrawing.org/), for networkx, Gephi, yEd and igraph.
    GraphMl,
    /// Language of [Graphviz](https://graphviz.org/doc/info/lang.html).
    Dot,
    /// Node-link JSON, as `networkx.node_link_graph` and D3 read it.
    JsonGraph,
}

impl GraphFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::GraphMl, Self::Dot, Self::JsonGraph];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GraphMl => "graphml",
            Self::Dot => "dot",
            Self::JsonGraph => "json-graph",
        }
    }
}

sscg_core::parsed_by_name! { GraphFormat, "graph format", Self::ALL.into_iter(); }

/// Attributes of a node or edge, by name.
type Attributes = BTreeMap<&'static str, Value>;

/// Value of an attribute.
#[derive(Debug)]
enum Value {
    Text(String),
    Number(u32),
    /// Numbers, in one text where the format has no lists.
    Numbers(Vec<u32>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Numbers(numbers) => {
                f.write_str(&numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// Writes all nodes by id, then all edges in the order of their files.
///
/// Nodes have `kind`, `name`, `path`, `language`, `start_line` and `end_line`; external nodes have only the first
/// two. Edges have `relation`, `line` (the first one), `lines` (all, in GraphML and DOT as one text with spaces),
/// `confidence`, `provenance` and `candidates`. In JSON, `graph.unresolved` lists the uses of names that no rule resolves;
/// the other formats have no place for them.
///
/// ```
/// use sscg::export::{GraphFormat, write_graph};
/// use sscg::{Engine, EngineOptions, Storage};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n\ndef main():\n    read()\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let mut dot = Vec::new();
/// write_graph(&snapshot, GraphFormat::Dot, &mut dot)?;
/// let dot = String::from_utf8(dot)?;
/// assert!(dot.starts_with("digraph") && dot.contains("a.py::main"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `out` cannot be written; a writer cancels with such an error.
pub fn write_graph(snapshot: &Snapshot, format: GraphFormat, out: &mut dyn Write) -> io::Result<()> {
    let rows = Rows::new(snapshot);
    let files = || snapshot.project.files().ids();
    let mut nodes: BTreeMap<String, Attributes> = BTreeMap::new();
    for file in files() {
        for edge in rows.edges(file) {
            nodes.entry(edge.target.clone()).or_insert_with(|| {
                BTreeMap::from([("kind", Value::Text(edge.target_kind)), ("name", Value::Text(edge.target))])
            });
        }
    }
    // Nodes of the project replace their less detailed versions.
    for file in files() {
        let entry = &snapshot.project.files()[file];
        let place = |kind: &str, name: &str, start: u32, end: u32| {
            BTreeMap::from([
                ("kind", Value::Text(kind.to_owned())),
                ("name", Value::Text(name.to_owned())),
                ("path", Value::Text(entry.path.to_string())),
                ("language", Value::Text(entry.language.name.to_owned())),
                ("start_line", Value::Number(start)),
                ("end_line", Value::Number(end)),
            ])
        };
        nodes.insert(entry.path.to_string(), place("file", &entry.path, 1, entry.facts.lines));
        for symbol in rows.symbols(file) {
            nodes.insert(symbol.id, place(&symbol.kind, &symbol.name, symbol.start_line, symbol.end_line));
        }
    }
    let edges = files().flat_map(|file| rows.edges(file));
    match format {
        GraphFormat::GraphMl => graph_ml(&nodes, edges, out),
        GraphFormat::Dot => dot(&nodes, edges, out),
        GraphFormat::JsonGraph => {
            node_link(&nodes, edges, files().flat_map(|file| rows.unresolved(file)), out)
        }
    }
}

fn edge_attributes(edge: &EdgeRow) -> Attributes {
    BTreeMap::from([
        ("relation", Value::Text(edge.relation.clone())),
        ("line", Value::Number(edge.lines[0])),
        ("lines", Value::Numbers(edge.lines.clone())),
        ("confidence", Value::Text(edge.confidence.clone())),
        ("provenance", Value::Text(edge.provenance.clone())),
        ("candidates", Value::Number(edge.candidates)),
    ])
}

/// Attributes of nodes and of edges with their types, which GraphML declares in advance.
const KEYS: &[(&str, &str, &str)] = &[
    ("node", "kind", "string"),
    ("node", "name", "string"),
    ("node", "path", "string"),
    ("node", "language", "string"),
    ("node", "start_line", "int"),
    ("node", "end_line", "int"),
    ("edge", "relation", "string"),
    ("edge", "line", "int"),
    ("edge", "lines", "string"),
    ("edge", "confidence", "string"),
    ("edge", "provenance", "string"),
    ("edge", "candidates", "int"),
];

fn graph_ml(
    nodes: &BTreeMap<String, Attributes>,
    edges: impl Iterator<Item = EdgeRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    for (of, name, value) in KEYS {
        writeln!(out, "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{value}\"/>")?;
    }
    writeln!(out, "  <graph id=\"sscg\" edgedefault=\"directed\">")?;
    let data = |out: &mut dyn Write, attributes: &Attributes| {
        for (name, value) in attributes {
            write!(out, "<data key=\"{name}\">{}</data>", xml(&value.to_string()))?;
        }
        Ok::<(), io::Error>(())
    };
    for (id, attributes) in nodes {
        write!(out, "    <node id=\"{}\">", xml(id))?;
        data(out, attributes)?;
        writeln!(out, "</node>")?;
    }
    for (at, edge) in edges.enumerate() {
        let (source, target) = (xml(&edge.source), xml(&edge.target));
        write!(out, "    <edge id=\"e{at}\" source=\"{source}\" target=\"{target}\">")?;
        data(out, &edge_attributes(&edge))?;
        writeln!(out, "</edge>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

/// Escapes a text between or inside XML tags; control characters, most of which XML forbids, are replaced.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

fn dot(
    nodes: &BTreeMap<String, Attributes>,
    edges: impl Iterator<Item = EdgeRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let list = |attributes: &Attributes| {
        let one = |(name, value): (&&str, &Value)| {
            // Graphviz shows the label on a node.
            let name = if *name == "name" { "label" } else { name };
            match value {
                Value::Number(number) => format!("{name}={number}"),
                text => format!("{name}={}", dot_string(&text.to_string())),
            }
        };
        attributes.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    writeln!(out, "digraph sscg {{")?;
    for (id, attributes) in nodes {
        writeln!(out, "  {} [{}];", dot_string(id), list(attributes))?;
    }
    for edge in edges {
        let (source, target) = (dot_string(&edge.source), dot_string(&edge.target));
        writeln!(out, "  {source} -> {target} [{}];", list(&edge_attributes(&edge)))?;
    }
    writeln!(out, "}}")
}

fn node_link(
    nodes: &BTreeMap<String, Attributes>,
    edges: impl Iterator<Item = EdgeRow>,
    unresolved: impl Iterator<Item = UnresolvedRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let object = |ends: &[(&str, &str)], attributes: &Attributes| {
        let ends = ends.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
        let rest = attributes.iter().map(|(name, value)| {
            let value = match value {
                Value::Text(text) => text.as_str().into(),
                Value::Number(number) => (*number).into(),
                Value::Numbers(numbers) => numbers.as_slice().into(),
            };
            ((*name).to_owned(), value)
        });
        serde_json::Value::Object(ends.chain(rest).collect())
    };
    write!(out, "{{\"directed\": true, \"multigraph\": true, \"graph\": {{\"unresolved\": [")?;
    for (at, row) in unresolved.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", serde_json::to_string(&row)?)?;
    }
    write!(out, "\n]}}, \"nodes\": [")?;
    for (at, (id, attributes)) in nodes.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", object(&[("id", id)], attributes))?;
    }
    write!(out, "\n], \"edges\": [")?;
    for (at, edge) in edges.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let ends = [("source", edge.source.as_str()), ("target", &edge.target)];
        write!(out, "{comma}\n{}", object(&ends, &edge_attributes(&edge)))?;
    }
    writeln!(out, "\n]}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(xml("a<b> & \"c\"\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;\u{FFFD}");
    }
}
