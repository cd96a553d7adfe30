//! `sscg index`

use std::path::PathBuf;

use clap::Args;

use super::open_tree;
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::Bar;
use crate::text::count;
use crate::{Found, Global, print, skipped};

/// Bring the index of a directory up to date. Searching does the same first.
#[derive(Debug, Args)]
pub(crate) struct Index {
    /// The directory to index.
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    model: Model,
}

impl Index {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let config = global.configure(&self.path, &[self.model.flag()])?;
        let mut engine = open_tree(&self.path, global, &config)?;
        let bar = Bar::new();
        let (snapshot, report) = engine.refresh(&|done, all| bar.update(done, all));
        drop(bar);
        skipped::tell(&snapshot, &report, global.verbose);
        let files = count(report.files, "file");
        print(&format!("{files} indexed, {} parsed, in {}\n", report.parsed, engine.root().display()))?;
        if report.refused {
            return Err(Failure::Told);
        }
        if report.files + report.pending == 0 {
            hint("`sscg status --verbose` says what else is there");
            return Ok(Found::No);
        }
        engine.save()?;
        Ok(Found::Yes)
    }
}
