//! Facts of the TypeScript checker: `xtask/oracles/ts.mjs DIR NODE_MODULES`, see [`script::facts`].

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let oracles = root()?.join("xtask/oracles");
    let checker = script::install_modules("oracle-ts", &oracles)?;
    script::facts(Command::new("node").arg(oracles.join("ts.mjs")).arg(dir).arg(checker))
}
