//! Projects of arbitrary files, with manifests and settings, are indexed, linked, searched and shown.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::ask(data));
