//! Links two packages in memory and prints the edges between their files, with the parser and the graph alone.
//!
//! ```sh
//! cargo run -p sscg-examples --example link
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use sscg_core::{Manifest, Project};

const MANIFESTS: [(&str, &str); 2] =
    [("shape/Cargo.toml", "[package]\nname = \"shape\""), ("app/Cargo.toml", "[package]\nname = \"app\"")];

const SOURCES: [(&str, &str); 2] = [
    (
        "shape/src/lib.rs",
        "pub struct Square(pub f32);\nimpl Square { pub fn area(&self) -> f32 { self.0 * self.0 } }",
    ),
    ("app/src/lib.rs", "use shape::Square;\npub fn paint(square: &Square) -> f32 { square.area() }"),
];

fn main() {
    let manifests = MANIFESTS.map(|(path, text)| Manifest { path: path.into(), text: text.into() });
    let files = SOURCES.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
    let project = Project::new(files, sscg_graph::read_manifests(manifests));
    let graph = sscg_graph::link(&project);
    for edge in graph.edges().iter().filter(|edge| !edge.relation.is_containment()) {
        let (source, target) = (graph.label(&project, edge.source), graph.label(&project, edge.target));
        println!("{source} {} {target} ({})", edge.relation, edge.confidence.as_str());
    }
}
