//! `cargo xtask fixtures`: runs the golden tests, blesses them, and prints statistics of the parser's fixtures.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};

use sscg_core::TOKEN_BYTES;
use sscg_parse::check::Rule;

use crate::corpus::{Report, sources};
use crate::workspace::{cargo, files, root, run as run_command};

/// Fixtures whose test compares its output for each with the golden file next to it.
struct Suite {
    /// Directory of the fixtures.
    dir: &'static str,
    /// Suffix of a golden file's path after that of its fixture, which is a file or a directory.
    golden: &'static str,
}

/// Name of the test target of every golden suite, in the crate that it tests.
const GOLDEN_TEST: &str = "fixtures";

/// Directory of the parser's fixtures.
const PARSER_FIXTURES: &str = "fixtures/parser";

/// All golden suites.
const SUITES: &[Suite] = &[
    Suite { dir: PARSER_FIXTURES, golden: ".expected.json" },
    Suite { dir: PARSER_FIXTURES, golden: ".chunker-expected.json" },
    Suite { dir: PARSER_FIXTURES, golden: ".references" },
    Suite { dir: "fixtures/document", golden: ".sections" },
    Suite { dir: "fixtures/graph", golden: "/edges.expected" },
    Suite { dir: "fixtures/graph", golden: "/queries.expected" },
    Suite { dir: "fixtures/snapshot", golden: "/snapshots.expected" },
    Suite { dir: "fixtures/connection", golden: ".txt" },
    Suite { dir: "fixtures/drawing", golden: ".dot" },
    Suite { dir: "fixtures/drawing", golden: ".mermaid" },
    Suite { dir: "fixtures/formats", golden: ".compact" },
    Suite { dir: "fixtures/formats", golden: ".toon" },
    Suite { dir: "fixtures/formats", golden: ".txt" },
    Suite { dir: "fixtures/hooks", golden: ".answer" },
];

/// Compare every fixture with its golden file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the golden files instead, for review in `git diff`.
    #[arg(long)]
    pub(crate) bless: bool,
}

pub(crate) fn run(Args { bless }: Args) -> Result<()> {
    let files = files()?;
    let orphans = orphans(SUITES, &files);
    if !orphans.is_empty() {
        bail!("golden files without a fixture:\n  {}", orphans.join("\n  "));
    }
    for (dir, count) in count(SUITES, &files) {
        println!("{count:5} {dir}");
    }
    // All packages are selected so that dependencies have the same features as in every other step and are not rebuilt.
    // The test name selects the suites.
    let mut command = cargo(["test", "--workspace", "--test", GOLDEN_TEST])?;
    if bless {
        command.env("UPDATE_EXPECT", "1");
    }
    run_command(&mut command)?;
    parser_summary()
}

/// Prints statistics of the parser's fixtures. The tests compared each with its golden files; this checks and counts
/// all of them against the ten rules again.
fn parser_summary() -> Result<()> {
    let fixtures = sources(&root()?.join(PARSER_FIXTURES))?;
    let report = Report::of(&fixtures)?;
    let total = report.total();
    let failed: BTreeSet<_> = report
        .violations
        .iter()
        .chain(&report.long_chunks)
        .map(|(path, _)| path)
        .chain(&report.panics)
        .collect();
    let uncovered = report.violations.iter().filter(|(_, it)| it.rule == Rule::Coverage).count();
    let unstable = report.violations.iter().filter(|(_, it)| it.rule == Rule::Determinism).count();
    println!("\nParser fixtures");
    println!("  fixtures     {} passed, {} failed", fixtures.len() - failed.len(), failed.len());
    for (language, counts) in &report.by_language {
        println!("               {} {language}", counts.files);
    }
    println!("  symbols      {}", total.symbols);
    println!("  chunks       {}", total.chunks);
    println!("  coverage     {uncovered} lines that are not blank in no chunk");
    let (bytes, name) = &report.longest;
    println!("  longest      about {} tokens ({name})", bytes.div_ceil(TOKEN_BYTES));
    println!("  depth        {} declarations around the innermost", total.depth);
    println!("  determinism  {unstable} facts or ids that differ between two runs");
    report.print_violations(usize::MAX);
    ensure!(failed.is_empty(), "rules are broken in {} fixtures", failed.len());
    Ok(())
}

/// Returns the golden files of a suite, as (golden, fixture).
fn goldens<'a>(suite: &'a Suite, files: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    files.iter().filter_map(|file| {
        let below = file.strip_prefix(suite.dir)?.starts_with('/');
        let fixture = file.strip_suffix(suite.golden)?;
        below.then_some((file.as_str(), fixture))
    })
}

/// Returns the golden files whose fixture was deleted or renamed. No test reads them.
fn orphans(suites: &[Suite], files: &[String]) -> Vec<String> {
    let goldens = suites.iter().flat_map(|suite| goldens(suite, files));
    let of_fixture = |file: &str, golden: &str, fixture: &str| {
        file != golden
            && file.strip_prefix(fixture).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let orphans =
        goldens.filter(|(golden, fixture)| !files.iter().any(|file| of_fixture(file, golden, fixture)));
    orphans.map(|(golden, _)| golden.to_owned()).collect()
}

/// Counts the fixtures of each directory below a suite's directory: one per language.
fn count<'a>(suites: &'a [Suite], files: &'a [String]) -> BTreeMap<&'a str, usize> {
    // A fixture may have a golden file in several suites.
    let fixtures: BTreeSet<(&str, &str)> = suites
        .iter()
        .flat_map(|suite| goldens(suite, files).map(|(_, fixture)| (suite.dir, fixture)))
        .collect();
    let mut counts = BTreeMap::new();
    for (dir, fixture) in fixtures {
        let group = fixture[dir.len() + 1..].find('/').map_or(dir.len(), |at| dir.len() + 1 + at);
        *counts.entry(&fixture[..group]).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Vec<String> {
        let files = [
            "fixtures/parser/rust/a.rs",
            "fixtures/parser/rust/a.rs.references",
            "fixtures/parser/rust/a.rs.expected.json",
            "fixtures/parser/rust/deep/b.rs",
            "fixtures/parser/rust/deep/b.rs.references",
            "fixtures/parser/python/c.py",
            "fixtures/parser/python/c.py.references",
            "fixtures/parser/python/gone.py.references",
            "fixtures/parserless.references",
            "fixtures/graph/rust/project/src/a.rs",
            "fixtures/graph/rust/project/edges.expected",
            "fixtures/graph/ts/emptied/edges.expected",
        ];
        files.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_golden_file_without_its_fixture_is_found() {
        let gone = ["fixtures/parser/python/gone.py.references", "fixtures/graph/ts/emptied/edges.expected"];
        assert_eq!(orphans(SUITES, &tree()), gone);
    }

    #[test]
    fn fixtures_are_counted_by_the_directory_of_their_language() {
        let files = tree();
        let counts: Vec<(&str, usize)> = count(SUITES, &files).into_iter().collect();
        let expected = [
            ("fixtures/graph/rust", 1),
            ("fixtures/graph/ts", 1),
            ("fixtures/parser/python", 2),
            ("fixtures/parser/rust", 2),
        ];
        assert_eq!(counts, expected);
    }
}
