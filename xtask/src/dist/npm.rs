//! Packages of npm: one with a launcher, and one for each target with the program, of which npm installs the one that fits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use super::Parts;
use super::archive::Files;
use super::target::{TARGETS, Target};

/// Writes both packages of the target.
pub(super) fn pack(parts: &Parts) -> Result<Vec<PathBuf>> {
    let main = &parts.product.package;
    let mut launcher = Files::default();
    launcher.add("bin/sscg.js", parts.templates.read("npm/sscg.js")?.into_bytes());
    let programs: BTreeMap<String, &str> =
        TARGETS.iter().map(|target| (package(main, target), parts.product.version.as_str())).collect();
    let mut program = Files::default();
    program.add_program(format!("bin/{}", parts.target.program()), &parts.program);
    Ok(vec![
        write(parts, main, &parts.render_with("npm/package.json", &programs)?, &launcher)?,
        write(
            parts,
            &package(main, &parts.target),
            &parts.render_with("npm/program.package.json", &package(main, &parts.target))?,
            &program,
        )?,
    ])
}

/// Returns the name of the package with the program of a target, from which the launcher finds it.
pub(super) fn package(main: &str, target: &Target) -> String {
    format!("{main}-{}-{}", target.node_os, target.node_cpu)
}

fn write(parts: &Parts, name: &str, manifest: &str, content: &Files) -> Result<PathBuf> {
    let mut files = Files::default();
    files.add("package/package.json", manifest.as_bytes());
    files.add("package/README.md", parts.readme.as_bytes());
    files.add_all("package", &parts.licenses);
    files.add_all("package", content);
    let path = parts.output.join(format!("{name}-{}.tgz", parts.product.version));
    files.write_tar_gz(&path, parts.effort)?;
    Ok(path)
}
