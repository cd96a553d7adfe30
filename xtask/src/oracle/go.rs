//! Facts of Go's type checker: `go run xtask/oracles/go.go DIR`, see [`script::facts`].
//!
//! The program only needs Go's standard library (Go 1.19 or later; Debian's `golang-go` has it), and never uses a
//! network: packages that are neither in the directory nor in GOPATH are missing.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::fact::Fact;
use super::script;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let is_installed = Command::new("go").arg("version").output().is_ok();
    ensure!(
        is_installed,
        "cannot start `go`: install Go 1.19 or later (Debian: `apt-get install golang-go`)"
    );
    let oracles = root()?.join("xtask/oracles");
    let mut program = Command::new("go");
    program.args(["run", "go.go"]).arg(dir).current_dir(oracles);
    program.env("GO111MODULE", "off").env("GOTOOLCHAIN", "local");
    script::facts(&mut program)
}
