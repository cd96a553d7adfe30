//! Tests of the workflow that publishes a release: its list of targets, its pins, and its steps on a second attempt.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use regex::Regex;
use serde_json::Value;

use super::target::TARGETS;
use crate::workspace::root;

fn workflow(name: &str) -> Result<String> {
    let path = root()?.join(".github/workflows").join(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn release() -> Result<Value> {
    Ok(serde_saphyr::from_str(&workflow("release.yml")?)?)
}

#[test]
fn the_workflow_builds_the_published_targets() -> Result<()> {
    let release = release()?;
    let rows = release["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().context("no matrix")?;
    let built: Vec<&str> = rows.iter().filter_map(|row| row["target"].as_str()).collect();
    let published: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
    assert_eq!(built, published);
    Ok(())
}

#[test]
fn actions_of_others_are_pinned_to_commits() -> Result<()> {
    let pinned = Regex::new("^[\\w-]+/[\\w-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+$")?;
    for name in ["ci.yml", "release.yml"] {
        let text = workflow(name)?;
        let used: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses: "))
            .collect();
        assert!(used.len() > 3, "{name} uses {used:?}");
        for action in used.iter().filter(|action| !action.starts_with("./")) {
            assert!(pinned.is_match(action), "{name} uses {action}, which its owner can change");
        }
    }
    Ok(())
}

#[test]
fn files_that_pypi_has_are_skipped() -> Result<()> {
    let release = release()?;
    let steps = release["jobs"]["publish"]["steps"].as_array().context("no steps")?;
    let is_pypi = |step: &&Value| step["uses"].as_str().is_some_and(|it| it.starts_with("pypa/"));
    let step = steps.iter().find(is_pypi).context("nothing publishes to PyPI")?;
    assert_eq!(step["with"]["skip-existing"], true);
    Ok(())
}

/// Runs a step of the job `publish` as GitHub does, with programs that only note their arguments, and returns the notes.
/// `answers` are commands and what they print; a command that begins with `!` fails after printing.
#[cfg(unix)]
fn run_step(name: &str, version: &str, answers: &[(&str, &str)]) -> Result<(bool, Vec<String>)> {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    let release = release()?;
    let steps = release["jobs"]["publish"]["steps"].as_array().context("no steps")?;
    let step = steps.iter().find(|step| step["name"] == name).with_context(|| format!("no step {name}"))?;
    let script = step["run"].as_str().context("the step runs nothing")?;
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    for folder in ["bin", "artifacts", "rest", "published"] {
        fs::create_dir(path(folder))?;
    }
    for file in ["artifacts/a.tgz", "rest/install.sh", "published/server.json"] {
        fs::write(path(file), "")?;
    }
    let cases: String = answers
        .iter()
        .map(|(command, printed)| {
            let (command, status) = command.strip_prefix('!').map_or((*command, 0), |it| (it, 1));
            format!("  \"{command}\") printf '{printed}'; exit {status} ;;\n")
        })
        .collect();
    let note = |program: &Path| -> Result<()> {
        // A program that leaves its input unread may end the one that writes it.
        let text = format!(
            "#!/bin/sh\necho \"${{0##*/}} $*\" >> notes\ncase \"$*\" in *-stdin) cat > /dev/null ;; esac\n\
             case \"${{0##*/}} $*\" in\n{cases}esac\n"
        );
        fs::write(program, text)?;
        Ok(fs::set_permissions(program, fs::Permissions::from_mode(0o755))?)
    };
    for program in ["cargo", "curl", "docker", "gh", "npm", "tar"] {
        note(&path("bin").join(program))?;
    }
    note(&path("mcp-publisher"))?;
    let mut programs = vec![path("bin")];
    programs.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(directory.path());
    bash.env("PATH", std::env::join_paths(programs)?).env("VERSION", version);
    bash.env("PRERELEASE", if version.contains('-') { "true" } else { "false" });
    bash.envs([("GITHUB_REPOSITORY", "Owner/sscg"), ("GITHUB_ACTOR", "owner"), ("GH_TOKEN", "token")]);
    let succeeded = bash.output()?.status.success();
    let notes = fs::read_to_string(path("notes")).unwrap_or_default();
    Ok((succeeded, notes.lines().map(str::to_owned).collect()))
}

#[cfg(unix)]
#[test]
fn a_second_attempt_publishes_the_packages_that_are_left() -> Result<()> {
    let step = |name: &str, question: &str, left: &str| run_step(name, "1.2.0", &[(question, left)]);
    let crates = "cargo xtask dist --unpublished crates";
    let (_, ran) = step("crates.io", crates, "sscg-core\\nsscg-parse\\n")?;
    assert_eq!(ran[1..], ["cargo publish --no-verify --locked --package sscg-core --package sscg-parse"]);
    let npm = "cargo xtask dist --unpublished npm";
    let (_, ran) = step("npm", npm, "sscg-cli-linux-x64\\nsscg-cli\\n")?;
    let published = ["sscg-cli-linux-x64", "sscg-cli"];
    assert_eq!(ran[1..], published.map(|it| format!("npm publish --provenance ./published/{it}-1.2.0.tgz")));
    let mcp = "cargo xtask dist --unpublished mcp";
    let (_, ran) = step("MCP registry", mcp, "io.github.owner/sscg\\n")?;
    assert_eq!(ran.last().map(String::as_str), Some("mcp-publisher publish"));

    for (name, question) in [("crates.io", crates), ("npm", npm), ("MCP registry", mcp)] {
        let all_there = step(name, question, "")?;
        assert_eq!(all_there, (true, vec![question.to_owned()]), "{name}");
        let (succeeded, ran) = step(name, &format!("!{question}"), "sscg-core\\n")?;
        assert!(!succeeded && ran.len() == 1, "{name} goes on without an answer of the registry: {ran:?}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_release_is_a_draft_until_it_has_all_files() -> Result<()> {
    let (name, question) =
        ("Release with the section of the changelog", "gh release view v1.2.0 --json isDraft --jq .isDraft");
    let run =
        |answer: (&str, &str)| Ok::<_, anyhow::Error>(run_step(name, "1.2.0", &[answer])?.1[1..].to_vec());
    let create =
        "gh release create v1.2.0 --verify-tag --draft --title SSCG 1.2.0 --notes-file notes/notes.md";
    let rest = [
        "gh release upload v1.2.0 --clobber artifacts/a.tgz rest/install.sh",
        "gh release edit v1.2.0 --draft=false --prerelease=false",
        "gh release download v1.2.0 --dir published",
    ];
    assert_eq!(run((&format!("!{question}"), ""))?, [&[create], &rest[..]].concat());
    assert_eq!(run((question, "true"))?, rest);
    assert_eq!(run((question, "false"))?, rest[2..]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_version_before_a_release_is_for_those_who_ask_for_it() -> Result<()> {
    let notes =
        |name: &str, version: &str| Ok::<_, anyhow::Error>(run_step(name, version, &[])?.1.join("\n"));
    let release = notes("Release with the section of the changelog", "1.2.0-rc.1")?;
    assert!(release.contains("gh release edit v1.2.0-rc.1 --draft=false --prerelease=true"), "{release}");
    assert_eq!(notes("MCP registry", "1.2.0-rc.1")?, "");
    for (version, is_latest) in [("1.2.0-rc.1", false), ("1.2.0", true)] {
        let image = notes("Container image", version)?;
        assert!(image.contains(&format!("--tag ghcr.io/owner/sscg:{version}")), "{image}");
        assert_eq!(image.contains("--tag ghcr.io/owner/sscg:latest"), is_latest, "{image}");
    }
    Ok(())
}
