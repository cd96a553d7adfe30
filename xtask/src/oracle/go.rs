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
    ensure!(
        is_installed(),
        "cannot start `go`: install Go 1.19 or later (Debian: `apt-get install golang-go`)"
    );
    let oracles = root()?.join("xtask/oracles");
    let mut program = Command::new("go");
    program.args(["run", "go.go"]).arg(dir).current_dir(oracles);
    program.env("GO111MODULE", "off").env("GOTOOLCHAIN", "local");
    script::facts(&mut program)
}

fn is_installed() -> bool {
    Command::new("go").arg("version").output().is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::script::edges;
    use super::*;

    #[test]
    fn names_mean_what_the_checker_resolves_them_to() {
        let project = tempfile::tempdir().expect("a directory is made");
        let files = [
            ("go.mod", "module example.com/m\n"),
            (
                "main.go",
                "package m\nimport \"example.com/m/store\"\ntype Keeper interface { Keep() }\n\
                 func run(k Keeper) {\n\tk.Keep()\n\tstore.New().Keep()\n\tmissing.Keep()\n}\n",
            ),
            (
                "store/store.go",
                "package store\ntype base struct{}\ntype Store struct { base }\n\
                 func New() *Store { return &Store{} }\nfunc (b base) Keep() {}\n",
            ),
            ("store/store_windows.go", "package store\nfunc (b base) Keep() { New() }\n"),
        ];
        fs::create_dir(project.path().join("store")).expect("a directory is made");
        for (path, text) in files {
            fs::write(project.path().join(path), text).expect("a file is written");
        }
        if !is_installed() {
            println!("skipped: Go is not installed");
            return;
        }
        let facts = facts(project.path()).expect("the program runs");
        assert_eq!(
            edges(&facts),
            [
                "main.go -imports-> store/store.go",
                "main.go:4 run -calls-> main.go:3 Keep",
                "main.go:4 run -calls-> store/store.go:4 New",
                "main.go:4 run -calls-> store/store.go:5 Keep",
                "main.go:4 run -uses_type-> main.go:3 Keeper",
                "store/store.go:2 base -implements-> main.go:3 Keeper",
                "store/store.go:3 Store -implements-> main.go:3 Keeper",
                "store/store.go:3 Store -inherits-> store/store.go:2 base",
                "store/store.go:4 New -instantiates-> store/store.go:3 Store",
                "store/store.go:4 New -uses_type-> store/store.go:3 Store",
                "store/store.go:5 Keep -overrides-> main.go:3 Keep",
            ]
        );
    }
}
