//! `sscg watch`

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command};

use crate::sandbox::Sandbox;

/// Running `sscg watch` with its output.
struct Watching {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Watching {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut child = sandbox.spawn(&[&["watch"], arguments].concat());
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    /// Returns the next line of the output.
    fn line(&mut self) -> String {
        self.lines.next().expect("it goes on").expect("UTF-8")
    }

    /// Stops it as Ctrl-C does.
    fn stop(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
        assert_eq!(self.lines.next().transpose().expect("UTF-8"), None);
    }
}

#[cfg(unix)]
#[test]
fn each_change_is_indexed_and_told_until_it_is_stopped() {
    let sandbox = Sandbox::new();
    sandbox.write("lib/a.py", "def one():\n    pass\n");
    let mut watching = Watching::start(&sandbox, &[]);
    assert_eq!(watching.line(), format!("watching 2 directories of {}", sandbox.tree_name()));
    assert_eq!(watching.line(), "1 file indexed, 1 parsed");
    sandbox.write("lib/b.py", "def two():\n    pass\n");
    // The watcher may have seen the file before its text.
    while !watching.line().starts_with("2 files indexed") {}
    sandbox.write("lib/new/c.py", "def three():\n    pass\n");
    while !watching.line().starts_with("3 files indexed") {}
    assert_eq!(sandbox.run(&["search", "symbol = three"]).code, 0);
    watching.stop();
    assert!(sandbox.run(&["index"]).stdout.starts_with("3 files indexed, 0 parsed"));
}

#[cfg(unix)]
#[test]
fn a_tree_with_too_many_directories_is_polled() {
    let sandbox = Sandbox::new();
    sandbox.write("lib/a.py", "def one():\n    pass\n");
    let mut watching = Watching::start(&sandbox, &["--max-directories", "1"]);
    let said = format!("polling, because of more than 1 directories: {}", sandbox.tree_name());
    assert_eq!(watching.line(), said);
    assert_eq!(watching.line(), "1 file indexed, 1 parsed");
    sandbox.write("lib/b.py", "def two():\n    pass\n");
    while !watching.line().starts_with("2 files indexed") {}
    watching.stop();
}

#[cfg(all(unix, feature = "lancedb"))]
#[test]
fn each_change_is_published_to_a_shared_store() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def one():\n    pass\n");
    let store = format!("lance:{}", sandbox.index().join("shared").display());
    let mut watching = Watching::start(&sandbox, &["--store", &store]);
    assert_eq!(watching.line(), format!("watching 1 directory of {}", sandbox.tree_name()));
    assert_eq!(watching.line(), "1 file indexed, 1 parsed");
    // The file appears at once with its text.
    sandbox.write("b.txt", "def two():\n    pass\n");
    std::fs::rename(sandbox.tree().join("b.txt"), sandbox.tree().join("b.py")).expect("ours");
    while !watching.line().starts_with("2 files indexed") {}
    assert_eq!(sandbox.run(&["search", "symbol = two", "--store", &store]).code, 0);
    watching.stop();
}
