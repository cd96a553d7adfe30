//! `sscg watch`

use std::sync::Arc;

use clap::Args;
use sscg::WatchMode;

use super::{Directory, open_tree};
use crate::failure::Failure;
use crate::model::Model;
use crate::text::count;
use crate::{CommandResult, Global, note, print, skipped};

/// Keep the index of a directory up to date until Ctrl-C, so that searches find little to do.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    directory: Directory,
    /// Maximum number of watched directories; a larger tree is polled every few seconds [default: 4096]
    #[arg(long, value_name = "N")]
    max_directories: Option<usize>,
    #[command(flatten)]
    model: Model,
}

impl Watch {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let max_directories = self.max_directories.map(|number| number.to_string());
        let flags = [("watch.max_directories", max_directories), self.model.flag()];
        let config = global.configure(self.directory.path(), &flags)?;
        let engine = open_tree(self.directory.path(), global, &config)?;
        let mut watch = sscg::Watch::new(engine.root(), config.watch.options());
        let stopper = watch.stopper();
        if let Err(error) = ctrlc::set_handler(move || stopper.stop()) {
            note(&format!("warning: Ctrl-C will end this at once: {error}"));
        }
        let mut polls = None;
        let mut last = None;
        loop {
            let is_polling = matches!(watch.mode(), WatchMode::Polling { .. });
            if polls != Some(is_polling) {
                print(&format!("{} {}\n", describe(watch.mode()), engine.root().display()))?;
                polls = Some(is_polling);
            }
            let is_news =
                |snapshot: &_| last.as_ref().is_none_or(|last: &Arc<_>| !Arc::ptr_eq(last, snapshot));
            match engine.refresh() {
                Ok((snapshot, report)) if is_news(&snapshot) => {
                    skipped::report(&snapshot, &report, global.verbose);
                    // Other processes answer from the stored index. A failed save is tried again after the next change.
                    engine.save().unwrap_or_else(|error| note(&format!("warning: {error}")));
                    print(&format!("{} indexed, {} parsed\n", count(report.files, "file"), report.parsed))?;
                    last = Some(snapshot);
                }
                Ok(_) => {}
                // After the next change there may be enough memory.
                Err(error) if last.is_some() => note(&format!("warning: {error}")),
                Err(error) => return Err(error.into()),
            }
            if !watch.wait() {
                return Ok(CommandResult::Found);
            }
        }
    }
}

fn describe(mode: &WatchMode) -> String {
    match mode {
        WatchMode::Notified { directories } => {
            let plural = if *directories == 1 { "directory" } else { "directories" };
            format!("watching {directories} {plural} of")
        }
        WatchMode::Polling { reason } => format!("polling, because of {reason}:"),
        _ => "watching".to_owned(),
    }
}
