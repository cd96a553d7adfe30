//! Ranks the nodes of any graph, with the ranking kernels alone. Reads an edge `SOURCE TARGET` from each line.
//!
//! ```sh
//! printf '0 1\n0 2\n1 2\n' | cargo run -p sscg-examples --example pagerank
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;

use sscg_rank::{Csr, PageRankOptions, RandomWalk, pagerank};

fn main() -> Result<(), Box<dyn Error>> {
    let mut edges: Vec<(u32, u32, f32)> = Vec::new();
    for line in std::io::stdin().lines() {
        let line = line?;
        let edge =
            line.split_once(' ').and_then(|(a, b)| Some((a.parse::<u16>().ok()?, b.parse::<u16>().ok()?)));
        let (source, target) =
            edge.ok_or(format!("{line:?} is no edge `SOURCE TARGET` of numbers up to 65535"))?;
        edges.push((source.into(), target.into(), 1.0));
    }
    let node_count = edges.iter().map(|edge| edge.0.max(edge.1) as usize + 1).max().unwrap_or_default();
    let ranks =
        pagerank(&RandomWalk::new(&Csr::from_edges(node_count, edges)), &[], &PageRankOptions::default());
    ranks.scores.iter().for_each(|(node, score)| println!("{node} {score:.3}"));
    Ok(())
}
