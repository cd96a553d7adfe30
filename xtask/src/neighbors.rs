//! `cargo xtask neighbors`: the file with the nearest neighbors of each term of the built-in table.

use std::fs;

use anyhow::{Context, Result};
use sscg_embed::{TermNeighbors, TermTable};

use crate::workspace::{rerun_optimized, root};

/// Recompute the nearest terms of the built-in table, after training
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Path of the file below the root.
const FILE: &str = "crates/sscg-embed/models/neighbors.bin";

pub(crate) fn run(Args {}: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    let bytes = TermNeighbors::compute(TermTable::built_in());
    println!("{} rows, {} bytes", TermTable::built_in().len(), bytes.len());
    fs::write(root()?.join(FILE), bytes).with_context(|| format!("cannot write {FILE}"))
}
