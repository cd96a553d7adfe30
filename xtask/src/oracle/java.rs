//! Facts of the Java compiler: `java xtask/oracles/Java.java DIR`, see [`script::facts`].
//!
//! The program reads what the compiler resolves from its syntax trees, not from call instructions in class files:
//! trees have the exact place of each use and declaration, also of types, fields and imports; they need no complete
//! build, and a missing dependency only leaves the uses of its own names unresolved. Dependencies that are installed can
//! be given in the environment variable CLASSPATH.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::fact::Fact;
use super::script;
use crate::workspace::root;

pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let is_installed = Command::new("javac").arg("-version").output().is_ok();
    ensure!(
        is_installed,
        "cannot start `javac`: install a JDK, 17 or later (Debian: `apt-get install openjdk-17-jdk-headless`)"
    );
    script::facts(Command::new("java").arg(root()?.join("xtask/oracles/Java.java")).arg(dir))
}
