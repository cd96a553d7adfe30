//! Crates without input or output.
//!
//! The proof is clippy's: its `disallowed-methods` list the functions for input and output. This check ensures that the
//! proof applies to these crates.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// Crates that take values and return values.
const PURE: &[&str] = &["sscg-core", "sscg-graph", "sscg-parse", "sscg-pdf", "sscg-rank", "sscg-scip"];

/// Functions that the configuration must list, one of each kind, so that it cannot be emptied in all crates at once.
const DOORS: &[&str] = &[
    "std::fs::read",
    "std::env::var",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "std::process::Command::new",
];

pub(super) fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let configs: Vec<(&str, Option<String>)> = PURE
        .iter()
        .map(|name| (*name, fs::read_to_string(root.join("crates").join(name).join("clippy.toml")).ok()))
        .collect();
    let mut problems = config_problems(&configs);
    for file in files.iter().filter(|file| is_pure_source(file)) {
        problems.extend(source_problem(file, &fs::read_to_string(root.join(file))?));
    }
    Ok(problems)
}

fn config_problems(configs: &[(&str, Option<String>)]) -> Vec<String> {
    let mut problems = Vec::new();
    let reference = configs.iter().find_map(|(_, text)| text.as_deref()).unwrap_or_default();
    for (name, text) in configs {
        match text.as_deref() {
            None => problems.push(format!("{name} is pure and has no clippy.toml")),
            Some(text) if text != reference => {
                problems.push(format!("{name}: its clippy.toml differs from that of the other pure crates"));
            }
            Some(_) => {}
        }
    }
    for door in DOORS.iter().filter(|door| !reference.contains(&format!("{door:?}"))) {
        problems.push(format!("the clippy.toml of the pure crates does not disallow {door}"));
    }
    problems
}

/// True if a file is part of a pure crate's library. Its tests and benchmarks may do I/O and measure time.
fn is_pure_source(file: &str) -> bool {
    let sources = PURE.iter().any(|name| file.starts_with(&format!("crates/{name}/src/")));
    sources && file.ends_with(".rs")
}

fn source_problem(file: &str, text: &str) -> Option<String> {
    text.contains("clippy::disallowed_methods")
        .then(|| format!("{file} silences the lint that keeps its crate pure"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configs(texts: [Option<&str>; 2]) -> Vec<(&'static str, Option<String>)> {
        ["sscg-core", "sscg-rank"].into_iter().zip(texts.map(|text| text.map(str::to_owned))).collect()
    }

    fn full() -> String {
        format!("disallowed-methods = {DOORS:?}")
    }

    #[test]
    fn a_pure_crate_without_the_lint_is_found() {
        assert!(config_problems(&configs([Some(&full()), Some(&full())])).is_empty());
        assert_eq!(config_problems(&configs([Some(&full()), None])).len(), 1);
    }

    #[test]
    fn a_weaker_or_empty_configuration_is_found() {
        assert_eq!(config_problems(&configs([Some(&full()), Some("")])).len(), 1);
        assert_eq!(config_problems(&configs([Some(""), Some("")])).len(), DOORS.len());
    }

    #[test]
    fn only_tests_of_a_pure_crate_may_silence_the_lint() {
        assert!(is_pure_source("crates/sscg-parse/src/rust/mod.rs"));
        assert!(!is_pure_source("crates/sscg-parse/tests/fixtures.rs"));
        assert!(!is_pure_source("crates/sscg-index/src/lib.rs"));
        assert!(source_problem("a.rs", "#![allow(clippy::disallowed_methods)]").is_some());
        assert!(source_problem("a.rs", "fn main() {}").is_none());
    }
}
