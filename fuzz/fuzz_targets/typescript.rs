//! Parser rules on arbitrary bytes read as TypeScript and JavaScript.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(&["ts", "tsx", "js", "cjs", "mjs", "d.ts"], data));
