//! Exports as other programs read them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const FILES: &[(&str, &str)] = &[
    (
        "base.py",
        "import os\n\n\nclass Base:\n    \"\"\"It's \"quoted\" & <odd>.\"\"\"\n\n    def price(self):\n        return os.getpid()\n",
    ),
    (
        "shop \"x\".py",
        "from base import Base\n\n\nclass Shop(Base):\n    def sell(self):\n        self.price()\n        return self.price(\n            ship())\n",
    ),
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    FILES.iter().for_each(|(path, text)| sandbox.write(path, text));
    sandbox
}

fn export(sandbox: &Sandbox, format: &str, output: &Path) {
    let output = output.to_str().expect("temporary paths are text");
    let run = sandbox.run(&["export", "--format", format, "-o", output]);
    assert_eq!((run.code, &*run.stderr), (0, ""), "{format}");
}

/// Returns the interpreter in `SSCG_PYTHON`; `cargo xtask tools` installs it with the packages that the script needs.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn python() -> Option<PathBuf> {
    let python = env::var_os("SSCG_PYTHON").map(PathBuf::from);
    if python.is_none() {
        eprintln!("skipped: SSCG_PYTHON names no interpreter; `cargo xtask tools` installs one");
    }
    python
}

#[test]
#[cfg_attr(not(feature = "arrow"), ignore = "needs tables")]
fn pyarrow_duckdb_and_networkx_read_what_is_exported() {
    let Some(python) = python() else { return };
    let sandbox = sandbox();
    let output = sandbox.index().join("export");
    for (format, file) in [
        ("parquet", ""),
        ("arrow", ""),
        ("graphml", "graph.graphml"),
        ("dot", "graph.dot"),
        ("json-graph", "graph.json"),
    ] {
        export(&sandbox, format, &output.join(file));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/export.py");
    let read = Command::new(python).arg(script).arg(&output).output().expect("the interpreter starts");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let found: Value = serde_json::from_slice(&read.stdout).expect("it prints JSON");

    let rows = |table: &str| found[table].as_array().expect("a list of rows").clone();
    let shop =
        rows("chunks").into_iter().find(|chunk| chunk["name"] == "Shop").expect("the class is a chunk");
    assert_eq!(shop["path"], "shop \"x\".py");
    assert_eq!(
        shop["full_source"],
        FILES[1].1.split_once("\n\n\n").expect("it follows the import").1.trim_end()
    );
    assert_eq!(shop["relevant_imports"][0], "from base import Base");
    let sell = rows("chunks").into_iter().find(|chunk| chunk["name"] == "sell").expect("so is the method");
    assert_eq!(sell["parent_id"], shop["id"]);
    let symbols: Vec<String> =
        rows("symbols").iter().map(|row| row["id"].as_str().expect("text").into()).collect();
    assert!(symbols.contains(&"base.py::Base.price".to_owned()), "{symbols:?}");
    let is_call = |edge: &&Value| edge["relation"] == "calls" && edge["target"] == "base.py::Base.price";
    let edges = rows("edges");
    let call = edges.iter().find(is_call).expect("the method is called");
    assert_eq!((&call["source"], &call["lines"]), (&"shop \"x\".py::Shop.sell".into(), &json!([6, 7])));
    let unresolved = rows("unresolved");
    let [row] = &unresolved[..] else { panic!("one use: {unresolved:?}") };
    assert_eq!((&row["source"], &row["name"], &row["line"]), (&call["source"], &"ship".into(), &8.into()));
    assert_eq!(found["graph_unresolved"], found["unresolved"]);
    assert_eq!(found["graph_edges"].as_array().map(Vec::len), Some(edges.len()));
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let export = || {
        let sandbox = sandbox();
        ["graphml", "dot", "json-graph"].map(|format| sandbox.run(&["export", "--format", format]).stdout)
    };
    assert_eq!(export(), export());
}

#[test]
fn tables_want_a_directory() {
    let run = sandbox().run(&["export", "--format", "parquet"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--output"), "{}", run.stderr);
}

#[test]
#[cfg(not(feature = "arrow"))]
fn a_program_without_tables_names_the_feature() {
    let run = sandbox().run(&["export", "--format", "parquet", "-o", "tables"]);
    assert_eq!((run.code, &*run.stdout), (2, ""));
    assert!(run.stderr.contains("--features arrow"), "{}", run.stderr);
}
