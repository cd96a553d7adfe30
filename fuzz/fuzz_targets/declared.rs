//! Parser rules on arbitrary bytes read as a language with declared types.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(&["go", "java", "c", "h", "cpp", "cs"], data));
