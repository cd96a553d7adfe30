//! `sscg gc`

use std::path::{Path, PathBuf};

use clap::Args;
use sscg::index::Collected;
use sscg::{Cleaned, Storage, collect_garbage};

use super::{open_tree, storage_of};
use crate::failure::{Failure, hint};
use crate::text::{count, size};
use crate::{Found, Global, note, print};

/// Remove what no index needs any more.
///
/// Work trees that are gone or that no one asked about for long are forgotten; then whatever no work tree has and no
/// one used for as long goes. What goes is made again if it is needed.
#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// Clean the index of this directory only, not all that there are. In a shared store it is always the index of one
    /// project.
    path: Option<PathBuf>,
    /// Keep what was of use within so many days [default: 30]
    #[arg(long, value_name = "N")]
    unused_days: Option<u32>,
}

impl Gc {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let path = self.path.as_deref().unwrap_or(Path::new("."));
        let flag = ("gc.unused_days", self.unused_days.map(|days| days.to_string()));
        // No model is asked for anything here, so none is opened.
        let config = global.configure(path, &[flag, ("model.name", Some(String::new()))])?;
        let storage = storage_of(path, global, &config)?;
        let unused_days = config.gc.unused_days;
        let cleaned = match (&self.path, &storage) {
            (_, Storage::Store { .. }) | (None, _) => collect_garbage(&storage, unused_days)?,
            (Some(path), _) => {
                let engine = open_tree(path, global, &config)?;
                let store = engine.store().into_iter();
                store.map(|store| Cleaned::new(store.as_ref(), unused_days)).collect()
            }
        };
        let mut failed = false;
        let mut all = Collected::default();
        for Cleaned { place, outcome } in &cleaned {
            match outcome {
                Ok(Collected { trees: 0, facts: 0, vectors: 0, bytes: 0, .. }) => {}
                Ok(collected) => {
                    print(&format!("{}: {place}\n", describe(collected)))?;
                    all.trees += collected.trees;
                    all.facts += collected.facts;
                    all.vectors += collected.vectors;
                    all.bytes += collected.bytes;
                }
                Err(error) => {
                    note(&format!("error: {error}"));
                    hint(error.hint());
                    failed = true;
                }
            }
        }
        print(&format!("{}, from {}\n", describe(&all), count(cleaned.len(), "index")))?;
        if failed { Err(Failure::Told) } else { Ok(Found::Yes) }
    }
}

fn describe(collected: &Collected) -> String {
    format!(
        "{} forgotten, {} and {} removed, {} freed",
        count(collected.trees, "work tree"),
        count(collected.facts, "text"),
        count(collected.vectors, "vector"),
        size(collected.bytes)
    )
}
