//! Arbitrary source code is coloured, cut to what is shown of it, and read for what it passes to what it calls.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::show(data));
