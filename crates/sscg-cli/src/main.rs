//! The `sscg` command.
fn main() {}
