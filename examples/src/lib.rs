//! Programs that embed SSCG, in `examples/`; this library is empty. Run one with
//! `cargo run -p sscg-examples --example quickstart -- [PATH]`.
