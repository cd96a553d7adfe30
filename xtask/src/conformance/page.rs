//! Results as a table of a documentation page.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Outcome, Row};

/// Lines of the page that enclose the results.
const START: &str = "<!-- conformance: made by `cargo xtask conformance --bless` -->\n";
const END: &str = "<!-- end of conformance -->\n";

/// Returns a table of all checks.
pub(super) fn table(rows: &[Row]) -> String {
    let mut table = "| program | check | result |\n| --- | --- | --- |\n".to_owned();
    for Row { program, check, outcome } in rows {
        let result = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(problem) => {
                format!("**failed**: {}", problem.replace('\n', " ").replace('|', "\\|"))
            }
            Outcome::NotApplicable(reason) => format!("does not apply: {reason}"),
        };
        _ = writeln!(table, "| {program} | {check} | {result} |");
    }
    table
}

/// Replaces the table in the page.
pub(super) fn write(page: &Path, table: &str) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let (before, rest) = text.split_once(START).context("the page has no line where the results begin")?;
    let (_, after) = rest.split_once(END).context("the page has no line where the results end")?;
    fs::write(page, format!("{before}{START}\n{table}\n{END}{after}"))?;
    Ok(())
}
