//! The calls that a package's own tests make: `xtask/oracles/python.py DIR`, see [`script::facts`].

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    script::facts(Command::new("python3").arg(root()?.join("xtask/oracles/python.py")).arg(dir))
}
