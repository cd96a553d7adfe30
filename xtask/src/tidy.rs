//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Each check is a function from plain data to a list of problems, so that its tests can show it failing.

mod edges;
mod manifests;
mod purity;
mod sources;

use anyhow::{Result, bail};

use crate::workspace::{files, metadata, root};

/// Check the architecture: who depends on whom, what every crate must have, which crates are pure
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    let (root, metadata, files) = (root()?, metadata()?, files()?);
    let problems = [
        edges::check(&metadata),
        manifests::check(&root, &metadata)?,
        purity::check(&root, &files)?,
        sources::check(&root, &files)?,
    ]
    .concat();
    for problem in &problems {
        println!("- {problem}");
    }
    if !problems.is_empty() {
        bail!("{} problems", problems.len());
    }
    println!("tidy: {} crates, {} files", metadata.packages.len(), files.len());
    Ok(())
}
