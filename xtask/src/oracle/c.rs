//! Facts of libclang for C and C++: `xtask/oracles/c/oracle.py DIR`, see [`script::facts`].
//!
//! The environment below the target directory has libclang's wheel of `requirements.txt`. Headers of the system are those
//! of the compiler `cc`. A `compile_commands.json` in the directory, or in one of its folders (CMake writes it with
//! `-DCMAKE_EXPORT_COMPILE_COMMANDS=ON`), makes the facts complete; without one, many options are a guess.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::fact::Fact;
use super::script;
use crate::python::environment;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let oracle = root()?.join("xtask/oracles/c");
    let programs = environment("oracle-c", &oracle.join("requirements.txt"))?;
    script::facts(Command::new(programs.join("python")).arg(oracle.join("oracle.py")).arg(dir))
}
