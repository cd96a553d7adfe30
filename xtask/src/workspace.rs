//! The workspace that the commands work on, and functions that run programs in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

/// Returns the workspace's root directory, independent of the current directory.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest_dir = env::var_os("CARGO_MANIFEST_DIR").context("start this program as `cargo xtask`")?;
    let root = Path::new(&manifest_dir).parent().context("xtask stands in a folder of the workspace")?;
    Ok(root.to_owned())
}

/// Returns the manifests of all members, as cargo reads them.
pub(crate) fn metadata() -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.current_dir(root()?).no_deps().exec().context("cannot read the workspace's manifests")
}

/// True if a package is published on crates.io.
pub(crate) fn is_published(package: &Package) -> bool {
    package.publish.is_none()
}

/// Returns a cargo command in the root. All cargo commands get the same environment, so that none rebuilds the output
/// of another: without the variables that cargo sets for this program, and with a `protoc` for the crates that need
/// one.
pub(crate) fn cargo<'a>(args: impl IntoIterator<Item = &'a str>) -> Result<Command> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()?);
    for (name, _) in env::vars_os() {
        let told = name.to_str().is_some_and(|name| {
            ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
                .iter()
                .any(|it| name.starts_with(it))
        });
        if told {
            command.env_remove(name);
        }
    }
    if env::var_os("PROTOC").is_none() {
        command.env("PROTOC", protoc_bin_vendored::protoc_bin_path()?);
    }
    Ok(command)
}

/// In a development build, runs the same command again in an optimized build and returns true: measurements of
/// unoptimized code are meaningless.
pub(crate) fn rerun_optimized() -> Result<bool> {
    if !cfg!(debug_assertions) {
        return Ok(false);
    }
    let mut command = cargo(["run", "--quiet", "--release", "--package", "xtask", "--"])?;
    command.args(env::args_os().skip(1)).current_dir(env::current_dir()?);
    run(&mut command)?;
    Ok(true)
}

/// Returns a git command in the root.
pub(crate) fn git<'a>(args: impl IntoIterator<Item = &'a str>) -> Result<Command> {
    let mut command = Command::new("git");
    command.args(args).current_dir(root()?);
    Ok(command)
}

/// Returns the tracked and untracked files of the tree, without ignored ones, relative to the root and sorted.
pub(crate) fn files() -> Result<Vec<String>> {
    let listed = output(&mut git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?)?;
    let root = root()?;
    let mut files: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    // A file that was deleted but is still in git's index is listed too.
    files.retain(|file| root.join(file).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Runs a command to its end and returns an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed: {status}");
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed something other than UTF-8"))
}

/// Copies a directory recursively; links are skipped.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Returns the command line as a developer would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
