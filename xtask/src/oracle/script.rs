//! Oracles in separate programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

#[cfg(test)]
use super::fact::DeclarationLine;
use super::fact::Fact;
use crate::workspace::{metadata, output, run};

/// Runs an oracle's program and reads the facts that it prints, one JSON object per line.
///
/// The program gets the directory to measure as an argument, prints nothing else on standard output, and reports errors
/// on standard error. Its facts have the form of [`Fact`]:
///
/// ```json
/// {"kind":"covered","path":"src/a.ts","line":10,"name":"f","relations":["calls"]}
/// {"kind":"edge","relation":"calls","source":{"path":"src/a.ts","line":10,"name":"f"},
///  "target":{"path":"src/b.ts","line":3,"name":"g"},"at":23}
/// {"kind":"unknown","relation":"calls","source":{"path":"src/a.ts","line":10,"name":"f"},"name":"send","at":25}
/// {"kind":"same","place":{"path":"src/b.h","line":3,"name":"g"},"definition":{"path":"src/b.c","line":8,"name":"g"}}
/// ```
///
/// Paths are relative to the directory; `line` is the 1-based line of the declaration's name; `at` is the line of the
/// use. The name of a file's top-level code is empty, with line 0; `"name":"*"` covers a file and all its declarations.
/// Both ends of an edge are in the project. A source without a symbol of its own (a closure) maps to the innermost
/// declaration around its line. An edge whose target has no symbol is left out and reported.
pub(super) fn facts(program: &mut Command) -> Result<Vec<Fact>> {
    parse(&output(program)?)
}

/// Parses facts in the form of [`facts`].
pub(super) fn parse(printed: &str) -> Result<Vec<Fact>> {
    let lines = printed.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} of the facts: {line}", at + 1))
        })
        .collect()
}

/// Returns the edges among facts as text, sorted.
#[cfg(test)]
pub(super) fn edges(facts: &[Fact]) -> Vec<String> {
    let shown = |place: &DeclarationLine| match place.line {
        0 => place.path.clone(),
        line => format!("{}:{line} {}", place.path, place.name),
    };
    let mut edges = Vec::new();
    for fact in facts {
        if let Fact::Edge { relation, source, target, .. } = fact {
            edges.push(format!("{} -{}-> {}", shown(source), relation.0, shown(target)));
        }
    }
    edges.sort();
    edges
}

/// Installs the packages of `package.json` in `manifests` below the target directory, unless they are there, and returns
/// the directory from which they can be required.
pub(super) fn install_modules(name: &str, manifests: &Path) -> Result<PathBuf> {
    let manifest = fs::read(manifests.join("package.json"))?;
    let cache = metadata()?.target_directory.into_std_path_buf().join(name);
    let installed = cache.join("installed.json");
    if fs::read(&installed).is_ok_and(|known| known == manifest) {
        return Ok(cache);
    }
    fs::create_dir_all(&cache)?;
    fs::write(cache.join("package.json"), &manifest)?;
    let mut npm = Command::new("npm");
    run(npm
        .args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&cache))?;
    fs::write(installed, manifest)?;
    Ok(cache)
}
