//! Embeds the commit of the build into the command, where it is known.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo says what it builds");
    let version = commit().map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=SSCG_VERSION={version}");
}

/// Returns hash and date of the commit; `None` outside of a checkout of the workspace, as in a package from crates.io,
/// which may be inside of another checkout.
fn commit() -> Option<String> {
    // Set at the run, unlike `env!`: target directories may be shared, and a build script is not compiled again for each.
    let directory = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let top = Path::new(&directory).ancestors().nth(2)?;
    if !top.join(".git").exists() {
        return None;
    }
    // Files that change with a new commit or another branch. A missing file would count as changed.
    let branch = git(top, &["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", "packed-refs", &branch] {
        let path = git(top, &["rev-parse", "--path-format=absolute", "--git-path", name]);
        if let Some(path) = path.filter(|path| Path::new(path).is_file()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(top, &["log", "-1", "--format=%h %cs", "--abbrev=7"])
}

fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(directory).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
}
