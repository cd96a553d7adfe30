//! Queries on a small project with arbitrary manifests, ignore files and configuration.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::ask_by_manifest(data));
