//! Parser rules on arbitrary bytes read as documents of every format.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::parse(
    &["md", "rst", "txt", "html", "toml", "yaml", "json", "csv", "ini", "log"],
    data
));
