//! Counts and sizes as people write them.

/// `1 file`, `2 files`, `2 indexes`.
pub(crate) fn count(n: usize, what: &str) -> String {
    let plural = if what.ends_with('x') { "es" } else { "s" };
    format!("{n} {what}{}", if n == 1 { "" } else { plural })
}

/// `17 B`, `1.5 KiB`, `20.0 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes} B"),
        0x400..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1024.0 / 1024.0),
    }
}
