//! Parser rules on arbitrary bytes read as Rust.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(&["rs"], data));
