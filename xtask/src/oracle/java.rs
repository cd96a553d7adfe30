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
    ensure!(
        is_installed(),
        "cannot start `javac`: install a JDK, 17 or later (Debian: `apt-get install openjdk-17-jdk-headless`)"
    );
    script::facts(Command::new("java").arg(root()?.join("xtask/oracles/Java.java")).arg(dir))
}

fn is_installed() -> bool {
    Command::new("javac").arg("-version").output().is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::script::edges;
    use super::*;

    #[test]
    fn names_mean_what_the_compiler_resolves_them_to() {
        let project = tempfile::tempdir().expect("a directory is made");
        let base =
            "package a;\npublic class Base {\n  void keep(int i) {}\n  protected void keep(String s) {}\n}\n";
        let store = "package b;\nimport a.Base;\nimport static org.missing.Asserts.keep;\n\
                     class Store extends Base {\n  @Override protected void keep(String s) { super.keep(s); }\n  \
                     static Store make() { return new Store(); }\n  void run() { make().keep(\"\"); missing.keep(); }\n}\n";
        for (path, text) in [("Base.java", base), ("Store.java", store)] {
            fs::write(project.path().join(path), text).expect("a file is written");
        }
        if !is_installed() {
            println!("skipped: Java is not installed");
            return;
        }
        let facts = facts(project.path()).expect("the program runs");
        assert_eq!(
            edges(&facts),
            [
                "Store.java -imports-> Base.java:2 Base",
                "Store.java:4 Store -inherits-> Base.java:2 Base",
                "Store.java:5 keep -calls-> Base.java:4 keep",
                "Store.java:5 keep -overrides-> Base.java:4 keep",
                "Store.java:6 make -instantiates-> Store.java:4 Store",
                "Store.java:6 make -uses_type-> Store.java:4 Store",
                "Store.java:7 run -calls-> Store.java:5 keep",
                "Store.java:7 run -calls-> Store.java:6 make",
            ]
        );
    }
}
