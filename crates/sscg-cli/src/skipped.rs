//! Reports of skipped files: counted, or listed under `--verbose`.

use std::collections::BTreeMap;

use sscg::RefreshReport;
use sscg::index::{Skipped, Snapshot, Unsupported};
use sscg::parse::FileType;

use crate::failure::{ROOM_HINT, hint};
use crate::note;
use crate::text::count;

/// Maximum number of listed files of one unsupported extension.
const NAMES_PER_ENDING: usize = 3;

/// Prints problems with the index to standard error and, if files were read for it, the number of skipped files: a
/// repeated question need not repeat that.
pub(crate) fn report(snapshot: &Snapshot, report: &RefreshReport, verbose: bool) {
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
    let mut has_unread = false;
    for (ending, paths) in unsupported {
        let what = if ending.is_empty() { "no ending".to_owned() } else { format!(".{ending}") };
        let (documents, unread): (Vec<&str>, Vec<&str>) =
            paths.iter().map(String::as_str).partition(|path| FileType::of_path(path).is_some());
        has_unread |= !unread.is_empty();
        for (label, paths) in
            [("document, searched by `sscg search --docs`", documents), ("not read", unread)]
        {
            if !paths.is_empty() {
                let names = paths[..paths.len().min(NAMES_PER_ENDING)].join(", ");
                let more = if paths.len() > NAMES_PER_ENDING { ", ..." } else { "" };
                note(&format!("{label} ({what}): {}: {names}{more}", count(paths.len(), "file")));
            }
        }
    }
    if has_unread {
        hint(
            "SSCG does not read the languages of files that are not read; `sscg text` and `sscg mentions` search their text",
        );
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
