//! Isolated machine for one test: a home directory, a project, and programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::sandbox::Run;

pub(crate) struct Machine {
    _dir: TempDir,
    /// Path as the command prints it.
    root: PathBuf,
}

/// Files by path: permissions and bytes, or the target of a link.
type Tree = BTreeMap<String, (u32, Vec<u8>)>;

impl Machine {
    /// Creates an empty home directory and project, with no program but `sscg` on the `PATH`.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let root = dir.path().canonicalize().expect("it exists");
        for name in ["user", "project", "bin"] {
            fs::create_dir(root.join(name)).expect("writable");
        }
        let machine = Self { _dir: dir, root };
        #[cfg(unix)]
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sscg"), machine.path("bin/sscg")).expect("writable");
        #[cfg(windows)]
        fs::copy(env!("CARGO_BIN_EXE_sscg"), machine.path("bin/sscg.exe")).expect("writable");
        machine
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("writable");
        fs::write(path, content).expect("writable");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns the command, to be run in the project in a clean environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sscg"));
        let home = self.path("user");
        command.current_dir(self.path("project")).env_clear().stdin(Stdio::null());
        command.env("PATH", self.path("bin")).env("HOME", &home).env("USERPROFILE", &home);
        command.env("APPDATA", home.join("AppData/Roaming")).env("LOCALAPPDATA", home.join("AppData/Local"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.command().args(arguments))
    }

    pub(crate) fn finish(&self, command: &mut Command) -> Run {
        let output = command.output().expect("the command starts");
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("the command prints UTF-8");
            text.replace(&*self.root.to_string_lossy(), "[tmp]").replace(env!("CARGO_BIN_EXE_sscg"), "[sscg]")
        };
        let code = output.status.code().expect("the command is not killed");
        let run = Run { stdout: text(output.stdout), stderr: text(output.stderr), code };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    /// Returns everything in the home directory and the project.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut paths = vec![self.path("user"), self.path("project")];
        while let Some(path) = paths.pop() {
            let metadata = fs::symlink_metadata(&path).expect("it was listed");
            let content = if metadata.is_symlink() {
                fs::read_link(&path).expect("readable").to_string_lossy().into_owned().into_bytes()
            } else if metadata.is_dir() {
                let entries = fs::read_dir(&path).expect("readable");
                paths.extend(entries.map(|entry| entry.expect("readable").path()));
                Vec::new()
            } else {
                fs::read(&path).expect("readable")
            };
            let name = path.strip_prefix(&self.root).expect("it is below").to_string_lossy().into_owned();
            tree.insert(name, (mode(&path), content));
        }
        tree
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).expect("it was listed").permissions().mode()
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0
}
