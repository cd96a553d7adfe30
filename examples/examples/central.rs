//! Prints the ten most central declarations of some files, with the parser, the graph and the ranking kernels, without an
//! index.
//!
//! ```sh
//! cargo run -p sscg-examples --example central -- crates/sscg-rank/src/*.rs
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use sscg_core::{Id, Manifests, Project};
use sscg_graph::Node;
use sscg_rank::{PageRankOptions, RandomWalk, pagerank};

fn main() -> Result<(), String> {
    let read = |path: String| match std::fs::read_to_string(&path) {
        Ok(text) => Ok((text, path)),
        Err(error) => Err(format!("{path}: {error}")),
    };
    let texts: Vec<(String, String)> = std::env::args().skip(1).map(read).collect::<Result<_, _>>()?;
    let files = texts.iter().filter_map(|(text, path)| sscg_parse::project_file(path, text)).collect();
    let project = Project::new(files, Manifests::default());
    let graph = sscg_graph::link(&project);

    let ranks = pagerank(&RandomWalk::new(&graph), &[], &PageRankOptions::default());
    let nodes = project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol)));
    let mut scored: Vec<_> = nodes.map(|node| (ranks.scores.get(node.index() as u32), node)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.iter().take(10).for_each(|(score, node)| println!("{score:.4} {}", graph.label(&project, *node)));
    Ok(())
}
