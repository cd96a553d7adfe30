//! Counts and sizes for people, and JSON for programs.

use serde::Serialize;

/// Formats a count: `1 file`, `2 files`, `2 indexes`.
pub(crate) fn count(n: usize, what: &str) -> String {
    let plural = if what.ends_with('x') { "es" } else { "s" };
    format!("{n} {what}{}", if n == 1 { "" } else { plural })
}

/// Formats a size: `17 B`, `1.5 KiB`, `20.0 MiB`, `1.2 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes} B"),
        0x400..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / 1024.0 / 1024.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1024.0 / 1024.0 / 1024.0),
    }
}

/// Serializes plain data as JSON, for `--json`.
pub(crate) fn json(data: &impl Serialize) -> String {
    serde_json::to_string_pretty(data).expect("it is plain data") + "\n"
}
