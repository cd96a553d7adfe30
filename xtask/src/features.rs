//! `cargo xtask features`: the crates with other features than those that the tests use.

use anyhow::Result;

use crate::workspace::{cargo, metadata, run as run_command};

/// Features that are left out, because their dependencies take long to build. The step "LanceDB" builds them.
const SLOW: &[&str] = &["lancedb"];

/// Check each crate that has features without any, with each of them alone, and with all but LanceDB
#[derive(clap::Args, Default)]
pub(crate) struct Args {}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    for package in metadata()?.packages {
        let names = package.features.keys().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| *name != "default" && !SLOW.contains(name)).collect();
        for features in combinations(&names) {
            let mut command =
                cargo(["clippy", "--quiet", "--no-default-features", "--package", &package.name])?;
            // Clippy, because a warning has to fail here, and rustc's flags would build all dependencies again.
            run_command(command.args(["--features", &features, "--", "--deny", "warnings"]))?;
        }
    }
    Ok(())
}

/// Returns the combinations to check: no features, each feature alone, all features.
fn combinations(features: &[&str]) -> Vec<String> {
    let mut combinations = Vec::new();
    if !features.is_empty() {
        combinations.push(String::new());
        combinations.extend(features.iter().map(|&feature| feature.to_owned()));
    }
    if features.len() > 1 {
        combinations.push(features.join(","));
    }
    combinations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_checked_alone_and_with_all_others() {
        assert_eq!(combinations(&["a", "b"]), ["", "a", "b", "a,b"]);
        assert_eq!(combinations(&["a"]), ["", "a"]);
        assert!(combinations(&[]).is_empty());
    }
}
