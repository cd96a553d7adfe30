//! Indexing, linking, search and display of projects with arbitrary files and manifests.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::ask(data));
