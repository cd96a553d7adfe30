//! Facts of the TypeScript checker: `xtask/oracles/ts.mjs DIR NODE_MODULES`, see [`script::facts`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::workspace::{metadata, root, run};

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let oracles = root()?.join("xtask/oracles");
    let checker = install(&oracles)?;
    script::facts(Command::new("node").arg(oracles.join("ts.mjs")).arg(dir).arg(checker))
}

/// Installs the checker version of `package.json` below the target directory, unless it is there, and returns the
/// directory from which it can be required.
fn install(oracles: &Path) -> Result<PathBuf> {
    let manifest = fs::read(oracles.join("package.json"))?;
    let cache = metadata()?.target_directory.into_std_path_buf().join("oracle-ts");
    let installed = cache.join("installed.json");
    if fs::read(&installed).is_ok_and(|known| known == manifest) {
        return Ok(cache);
    }
    fs::create_dir_all(&cache)?;
    fs::write(cache.join("package.json"), &manifest)?;
    let mut npm = Command::new("npm");
    run(npm
        .args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&cache))?;
    fs::write(installed, manifest)?;
    Ok(cache)
}
