//! Export of the graph as a SCIP index.

use std::io::{self, Write};

use sscg_index::Snapshot;

/// Writes a snapshot as a [SCIP](https://github.com/scip-code/scip) index: the declarations of each file, and the names that
/// refer to them. Ambiguous edges and unresolved uses are left out, since the format has no place for them; so are files
/// that have changed since they were indexed.
///
/// # Errors
/// If `out` cannot be written; a writer cancels with such an error.
pub fn write_scip(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&crate::scip::index_of(snapshot))
}
