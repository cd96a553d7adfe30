//! Facts of Roslyn: `xtask/oracles/csharp/oracle.py DIR NODE_MODULES`, see [`script::facts`].
//!
//! Neither a .NET installation nor NuGet is needed: a wheel of `requirements.txt` has the runtime, a package of
//! `package.json` has Roslyn's libraries. Both are installed below the target directory. Roslyn 4.1 is the newest that
//! this runtime can load; it reads C# 10.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::python::environment;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let oracle = root()?.join("xtask/oracles/csharp");
    let programs = environment("oracle-csharp", &oracle.join("requirements.txt"))?;
    let modules = script::install_modules("oracle-csharp-modules", &oracle)?.join("node_modules");
    let mut program = Command::new(programs.join("python"));
    script::facts(program.arg(oracle.join("oracle.py")).arg(dir).arg(modules))
}
