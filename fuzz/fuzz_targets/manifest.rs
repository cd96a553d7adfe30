//! Arbitrary manifests, lists of what is ignored and configuration of a small project, which is then asked.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sscg_fuzz::ask_by_manifest(data));
