//! Highlighting, elision and body analysis of arbitrary source code.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::show(data));
