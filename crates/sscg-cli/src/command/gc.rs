//! `sscg gc`

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sscg::index::Collected;
use sscg::{Cleaned, Storage, collect_garbage};

use super::{open_tree, storage_of};
use crate::failure::{Failure, print_error};
use crate::text::{count, json, size};
use crate::{CommandResult, Global, print};

/// Remove data that no index needs.
///
/// Forgets work trees that are gone or unused for long, then removes data that no work tree has and that was unused for
/// as long. Removed data is made again if needed.
#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// Clean only the index of this directory, not all indexes.
    ///
    /// In a shared store it is always the index of one project.
    path: Option<PathBuf>,
    /// Keep data used within this many days [default: 30]
    #[arg(long, value_name = "N")]
    unused_days: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Removed data, as JSON.
#[derive(Serialize)]
struct Garbage {
    schema: &'static str,
    indexes: Vec<Removed>,
}

/// Data removed from one index, or the reason why none was.
#[derive(Serialize)]
struct Removed {
    place: String,
    work_trees: usize,
    texts: usize,
    vectors: usize,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Removed {
    fn new(cleaned: &Cleaned) -> Self {
        let collected = cleaned.outcome.as_ref().copied().unwrap_or_default();
        let Collected { trees: work_trees, facts: texts, vectors, bytes, .. } = collected;
        let error = cleaned.outcome.as_ref().err().map(ToString::to_string);
        Self { place: cleaned.place.clone(), work_trees, texts, vectors, bytes, error }
    }
}

impl Gc {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let path = self.path.as_deref().unwrap_or(Path::new("."));
        let flag = ("gc.unused_days", self.unused_days.map(|days| days.to_string()));
        // No model is needed here, so none is opened.
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
        for Cleaned { place, outcome, .. } in &cleaned {
            match outcome {
                Ok(collected) if *collected == Collected::default() => {}
                Ok(collected) => {
                    if !self.json {
                        print(&format!("{}: {place}\n", describe(collected)))?;
                    }
                    all.trees += collected.trees;
                    all.facts += collected.facts;
                    all.vectors += collected.vectors;
                    all.bytes += collected.bytes;
                }
                Err(error) => {
                    print_error(error);
                    failed = true;
                }
            }
        }
        print(&if self.json {
            json(&Garbage { schema: "sscg.gc.v1", indexes: cleaned.iter().map(Removed::new).collect() })
        } else {
            format!("{}, from {}\n", describe(&all), count(cleaned.len(), "index"))
        })?;
        if failed { Err(Failure::Told) } else { Ok(CommandResult::Found) }
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
