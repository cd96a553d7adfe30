//! `cargo xtask tidy`: project rules that no compiler checks.
//!
//! Each check is a function from plain data to a list of problems, so that tests can make it fail.

mod edges;
mod manifests;
mod purity;
mod sources;
mod words;

use anyhow::{Result, bail};

use crate::workspace::{files, metadata, root};

/// Check the architecture: dependencies between crates, requirements of every crate, pure crates
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    let (root, metadata, files) = (root()?, metadata()?, files()?);
    let problems = [
        edges::check(&metadata),
        manifests::check(&root, &metadata)?,
        purity::check(&root, &files)?,
        sources::check(&root, &files)?,
        words::check(&root, &files)?,
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
