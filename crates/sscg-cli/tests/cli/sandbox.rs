//! Directory to search, directory for indexes, and the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use sscg::index::{EmbeddedStore, stores};
use tempfile::TempDir;

/// Output and exit code of a run. Paths of this machine are replaced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Run {
    /// Returns all three in one text, for comparison with an expected one.
    pub(crate) fn transcript(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text += &format!("--- stderr\n{}", self.stderr);
        }
        text + &format!("--- exit {}\n", self.code)
    }
}

/// Temporary directory with `tree`, the directory to search, and `index`.
pub(crate) struct Sandbox {
    dir: TempDir,
    /// Path as the command prints it.
    root: PathBuf,
}

impl Sandbox {
    /// Creates a sandbox with an empty tree.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let root = dir.path().canonicalize().expect("it exists");
        fs::create_dir(root.join("tree")).expect("writable");
        Self { dir, root }
    }

    /// Creates a sandbox with the project of that name in `fixtures/projects`.
    pub(crate) fn of_project(name: &str) -> Self {
        Self::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects").join(name))
    }

    /// Creates a sandbox with a copy of this directory.
    pub(crate) fn copy_of(from: &Path) -> Self {
        let sandbox = Self::new();
        copy(from, &sandbox.tree());
        sandbox
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// Writes a file of the tree, with the directories around it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("writable");
        fs::write(path, content).expect("writable");
    }

    /// Writes this many small files, from this number on, each with a function `task_<number>`.
    pub(crate) fn write_many(&self, numbers: std::ops::Range<usize>) {
        for number in numbers {
            let calls =
                (0..20).map(|at| format!("    task_{}(state, {at})\n", number * 7 % (number + at + 1)));
            let head = format!("def task_{number}(state, step):\n    \"\"\"Work of number {number}.\"\"\"\n");
            self.write(&format!("part_{}/file_{number}.py", number % 10), head + &calls.collect::<String>());
        }
    }

    /// Returns the only store in the index directory, if there is one yet.
    pub(crate) fn store(&self) -> Option<EmbeddedStore> {
        let stores = stores(Some(&self.index())).expect("readable");
        assert!(stores.len() <= 1, "{stores:?}");
        stores.into_iter().next()
    }

    /// Returns the name of the tree in its store.
    pub(crate) fn tree_name(&self) -> String {
        self.tree().to_string_lossy().into_owned()
    }

    /// Returns the path of the user's configuration, which a test may write.
    pub(crate) fn users_configuration(&self) -> PathBuf {
        self.root.join("sscg.toml")
    }

    /// Returns the command, to be run in the tree in a clean environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sscg"));
        command.current_dir(self.tree()).env_clear().env("SSCG_INDEX_DIR", self.index());
        // Excludes the configuration of the user who runs the tests.
        let users = self.users_configuration();
        command.env("SSCG_CONFIG", if users.exists() { users } else { PathBuf::new() });
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.stdin(Stdio::null());
        command
    }

    /// Runs the command with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.read(self.command().args(arguments).output().expect("the command starts"))
    }

    /// Starts the command with these arguments.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command();
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the command starts")
    }

    /// Waits for a command that was started, and returns its output.
    pub(crate) fn finish(&self, child: Child) -> Run {
        self.read(child.wait_with_output().expect("the command ends"))
    }

    /// Converts the output of a command.
    pub(crate) fn read(&self, output: Output) -> Run {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("the command prints UTF-8");
            let given = self.dir.path().to_string_lossy().into_owned();
            text.replace(&*self.root.to_string_lossy(), "[tmp]").replace(&given, "[tmp]")
        };
        let code = output.status.code().expect("the command is not killed");
        let run = Run { stdout: text(output.stdout), stderr: text(output.stderr), code };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    /// Returns every path in the tree with its size and time, to detect writes.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut paths = vec![self.tree()];
        let mut listing = Vec::new();
        while let Some(path) = paths.pop() {
            let metadata = fs::symlink_metadata(&path).expect("it was listed");
            let modified = metadata.modified().expect("the system knows times");
            listing.push(format!("{} {} {modified:?}", path.display(), metadata.len()));
            if metadata.is_dir() {
                let entries = fs::read_dir(&path).expect("readable");
                paths.extend(entries.map(|entry| entry.expect("readable").path()));
            }
        }
        listing.sort();
        listing
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("the fixture exists") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        let kind = entry.file_type().expect("readable");
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_file() {
            fs::copy(entry.path(), target).expect("writable");
        }
    }
}
