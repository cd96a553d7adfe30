//! Shell completion scripts, help, and the version.

use std::process::Command;

use crate::sandbox::Sandbox;

#[test]
fn every_shell_has_a_script_that_knows_commands_and_options() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.run(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shell}");
        assert!(
            ["uninstall", "self-check", "call-depth", "no-pager"]
                .iter()
                .all(|word| run.stdout.contains(word)),
            "{shell}"
        );
    }
}

/// Runs the script in bash, to check that it is valid code.
#[test]
fn bash_reads_its_script() {
    let sandbox = Sandbox::new();
    let script = sandbox.run(&["completions", "bash"]).stdout;
    sandbox.write(
        "script",
        format!(
            "{script}\nCOMP_WORDS=(sscg doct); COMP_CWORD=1; _sscg sscg doct sscg; echo \"${{COMPREPLY[@]}}\"\n"
        ),
    );
    match Command::new("bash").arg(sandbox.tree().join("script")).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), "doctor\n", "{output:?}"),
        // Without bash there is nothing to check.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["man", "pages/man1"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let page = |name: &str| {
        let path = sandbox.tree().join("pages/man1").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    assert!(page("sscg.1").contains("search"));
    assert!(page("sscg-search.1").contains("budget"));
    assert!(page("sscg-self-check.1").contains("temporary"));
    assert!(!page("sscg-knowledge.1").is_empty());
}

#[test]
fn the_version_names_the_commit_of_a_checkout() {
    let version = Sandbox::new().run(&["--version"]).stdout;
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let is_checkout = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.git").exists();
    let commit = if is_checkout { git(&["log", "-1", "--format=%h %cs", "--abbrev=7"]) } else { None };
    let number = env!("CARGO_PKG_VERSION");
    assert_eq!(
        version,
        commit.map_or_else(|| format!("sscg {number}\n"), |commit| format!("sscg {number} ({commit})\n"))
    );
}

#[test]
fn long_help_says_more_than_short() {
    let sandbox = Sandbox::new();
    for command in ["search", "export", "gc", "install", "uninstall", "doctor", "self-check", "completions"] {
        let (short, long) = (sandbox.run(&[command, "-h"]).stdout, sandbox.run(&[command, "--help"]).stdout);
        assert!(short.lines().count() < long.lines().count(), "{command}");
    }
}
