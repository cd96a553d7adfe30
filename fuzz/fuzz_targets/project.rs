//! Projects of arbitrary files and manifests are indexed, linked, searched and shown.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::ask(data));
