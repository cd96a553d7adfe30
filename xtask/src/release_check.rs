//! `cargo xtask release-check`: a release without the upload.

use anyhow::{Result, bail};

use crate::workspace::{cargo, is_published, metadata, output, run as run_command};

/// Files that every package must contain besides its code.
const REQUIRED: &[&str] = &["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Package every published crate in dependency order, as for a release, and check the packages
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Also build each package from its packaged files. This shares nothing with other builds, because a package does
    /// not have the workspace's profiles: it takes as long as a clean build.
    #[arg(long)]
    verify: bool,
}

pub(crate) fn run(Args { verify }: Args) -> Result<()> {
    let mut publish = cargo(["publish", "--workspace", "--dry-run", "--allow-dirty", "--quiet"])?;
    if !verify {
        publish.arg("--no-verify");
    }
    run_command(&mut publish)?;

    let metadata = metadata()?;
    let mut problems = Vec::new();
    for package in metadata.packages.iter().filter(|package| is_published(package)) {
        let listed = output(&mut cargo(["package", "--list", "--allow-dirty", "--package", &package.name])?)?;
        problems.extend(missing(&listed).map(|file| format!("{}: its package has no {file}", package.name)));
    }
    if !problems.is_empty() {
        bail!("packages that cannot be released:\n  {}", problems.join("\n  "));
    }
    Ok(())
}

fn missing(listed: &str) -> impl Iterator<Item = &'static str> {
    REQUIRED.iter().copied().filter(move |required| !listed.lines().any(|file| file == *required))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_its_license_or_readme_is_found() {
        assert_eq!(missing("Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nsrc/lib.rs\n").count(), 0);
        assert_eq!(
            missing("Cargo.toml\nLICENSE-MIT\nsrc/lib.rs\n").collect::<Vec<_>>(),
            ["LICENSE-APACHE", "README.md"]
        );
    }
}
