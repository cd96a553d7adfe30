//! Writes the code graph of a directory for Graphviz.
//!
//! ```sh
//! cargo run -p sscg-examples --example export -- [PATH] | dot -Tsvg > graph.svg
//! ```

use std::error::Error;

use sscg::Engine;
use sscg::export::{GraphFormat, write_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let (snapshot, _) = Engine::open(path)?.refresh()?;
    Ok(write_graph(&snapshot, GraphFormat::Dot, &mut std::io::stdout().lock())?)
}
