//! Parser rules on arbitrary bytes read as a language without a grammar.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(
    &["kt", "rb", "sh", "sql", "tf", "clj", "php"],
    data
));
