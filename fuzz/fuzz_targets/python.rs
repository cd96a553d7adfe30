//! Parser rules on arbitrary bytes read as Python.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(&["py", "pyi"], data));
