//! Reports of skipped files: counted, or listed under `--verbose`.

use std::collections::BTreeMap;

use sscg::RefreshReport;
use sscg::index::{Skipped, Snapshot, Unsupported};

use crate::failure::{ROOM_HINT, hint};
use crate::note;
use crate::text::count;

/// Maximum number of listed files of one unsupported extension.
const NAMES_PER_ENDING: usize = 3;

/// Prints problems with the index to standard error and, if files were read for it, the number of skipped files: a
/// repeated question need not repeat that.
pub(crate) fn tell(snapshot: &Snapshot, report: &RefreshReport, verbose: bool) {
    for warning in &report.warnings {
        note(&format!("warning: {warning}"));
    }
    if report.refused {
        hint(ROOM_HINT);
    }
    if report.pending > 0 {
        note(&format!("note: another process is indexing, {}", ready(report)));
    }
    if verbose {
        name(&snapshot.skipped, &snapshot.unsupported);
    } else if let Some(summary) = summary(&snapshot.skipped).filter(|_| report.parsed + report.hashed > 0) {
        note(&format!("note: {summary}; --verbose names them"));
    }
}

/// Lists the skipped files on standard error.
pub(crate) fn name(skipped: &[Skipped], unsupported: &Unsupported) {
    for skipped in skipped {
        note(&format!("skipped: {}: {}", skipped.path, skipped.reason));
    }
    for (ending, paths) in unsupported {
        let what = if ending.is_empty() { "no ending".to_owned() } else { format!(".{ending}") };
        let names = paths.iter().take(NAMES_PER_ENDING).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if paths.len() > NAMES_PER_ENDING { ", ..." } else { "" };
        note(&format!("not source code ({what}): {}: {names}{more}", count(paths.len(), "file")));
    }
}

/// Formats `12 of 20 files are ready`.
pub(crate) fn ready(report: &RefreshReport) -> String {
    format!("{} of {} are ready", report.files, count(report.files + report.pending, "file"))
}

/// Formats `3 paths skipped (2 binary, 1 too large)`; `None` if there are none.
pub(crate) fn summary(skipped: &[Skipped]) -> Option<String> {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for skipped in skipped {
        *classes.entry(skipped.reason.class()).or_default() += 1;
    }
    let parts: Vec<String> = classes.iter().map(|(class, count)| format!("{count} {class}")).collect();
    let all = count(skipped.len(), "path");
    (!parts.is_empty()).then(|| format!("{all} skipped ({})", parts.join(", ")))
}
