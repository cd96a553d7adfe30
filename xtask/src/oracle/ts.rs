//! The TypeScript checker's answers: `xtask/oracles/ts.mjs DIR`, see [`script::facts`].

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    script::facts(Command::new("node").arg(root()?.join("xtask/oracles/ts.mjs")).arg(dir))
}
