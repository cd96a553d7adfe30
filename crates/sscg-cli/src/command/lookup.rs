//! Common parts of look-ups.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use sscg::index::Snapshot;
use sscg::{Corpus, LOOKUP_TOKENS, ListOptions};

use super::open;
use crate::failure::Failure;
use crate::progress::with_bar;
use crate::text::json;
use crate::{Global, print, skipped};

/// Directory and output of a look-up.
#[derive(Debug, Args)]
pub(crate) struct Lookup {
    /// Directory with the code.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Maximum number of tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = LOOKUP_TOKENS)]
    pub(crate) budget: usize,
    /// Print JSON, complete whatever the budget.
    #[arg(long)]
    json: bool,
}

/// Extent of call lists.
#[derive(Debug, Args)]
pub(crate) struct Calls {
    /// Call depth: 2 for the calls of each listed declaration, too
    #[arg(long, value_name = "STEPS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Print the listed code below the lists, as much as fits
    #[arg(long)]
    bodies: bool,
}

impl Calls {
    pub(crate) fn list(&self, lookup: &Lookup) -> ListOptions {
        ListOptions::default().with_budget(lookup.budget).with_depth(self.depth).with_bodies(self.bodies)
    }
}

impl Lookup {
    /// Opens the snapshot. A directory after the names is removed from them and searched, as in
    /// `sscg callers close src/`.
    pub(crate) fn open(&self, names: &mut Vec<String>, global: &Global) -> Result<Arc<Snapshot>, Failure> {
        let mut directory = &*self.directory;
        let last = names.last().filter(|last| names.len() > 1 && is_directory(last)).cloned();
        if let Some(last) = last.as_deref().filter(|_| directory == Path::new(".")) {
            names.pop();
            directory = Path::new(last);
        }
        let config = global.configure(directory, &[])?;
        let engine = open(directory, global, &config)?;
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        Ok(snapshot)
    }

    /// Removes and returns the files and directories after the texts, as in `sscg text retry src/net/pool.rs`: grep
    /// takes them last, too. Empty if the last is `.`, which [`Lookup::open`] takes.
    pub(crate) fn paths(&self, texts: &mut Vec<String>) -> Vec<String> {
        let is_path = |text: &String| text.contains(['/', '.']) && self.directory.join(text).exists();
        let is_within =
            |text: &String| Path::new(text).is_relative() && text != "." && !text.starts_with("..");
        let behind = texts.iter().skip(1).rev().take_while(|text| is_path(text) && is_within(text)).count();
        texts.split_off(texts.len() - behind)
    }

    pub(crate) fn print(&self, data: &impl Serialize, text: &str) -> Result<(), Failure> {
        if self.json { print(&json(data)) } else { print(text) }
    }
}

/// True if a name is meant as a directory: it is one, and written as one.
fn is_directory(name: &str) -> bool {
    (name == "." || name == ".." || name.contains('/')) && Path::new(name).is_dir()
}
