"""Runs a test of the path of git's excludes file. Runs in the project's directory; needs Rust."""
import subprocess
from pathlib import Path

# Published manifests list their tests.
manifest = Path("Cargo.toml")
target = '\n[[test]]\nname = "tilde"\npath = "tests/tilde.rs"\n'
if target not in manifest.read_text():
    manifest.write_text(manifest.read_text() + target)
Path("tests/tilde.rs").write_text("""
fn excludes(setting: &str) -> std::path::PathBuf {
    let home = std::env::temp_dir().join(format!("tilde-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join(".gitconfig"), format!("[core]\\n excludesfile = {setting}\\n")).unwrap();
    unsafe {
        std::env::set_var("HOME", &home);
        std::env::remove_var("GIT_CONFIG_GLOBAL");
    }
    let found = ignore::gitignore::gitconfig_excludes_path().unwrap();
    std::fs::remove_dir_all(&home).unwrap();
    found.strip_prefix(&home).map(|path| std::path::Path::new("HOME").join(path)).unwrap_or(found)
}

#[test]
fn only_a_leading_tilde_is_the_home_directory() {
    assert_eq!(excludes("~/a~b"), std::path::Path::new("HOME/a~b"));
    assert_eq!(excludes("~"), std::path::Path::new("HOME"));
    assert_eq!(excludes("/a/~/b"), std::path::Path::new("/a/~/b"));
    assert_eq!(excludes("~other/x"), std::path::Path::new("~other/x"));
}
""")
subprocess.run(["cargo", "test", "--quiet", "--test", "tilde"], check=True)
