//! Expected scores of each question.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::table::mean;

/// Two scores by `repository,question`, written with four digits.
pub(crate) type Scores = BTreeMap<String, [f64; 2]>;

const HEADER: &str = "repository,question,";

/// Writes the file, for review in `git diff`; `columns` are the names of the scores.
pub(crate) fn bless(file: &Path, columns: &str, scores: &Scores) -> Result<()> {
    fs::write(file, write(columns, scores)).with_context(|| format!("cannot write {}", file.display()))
}

/// Compares with the file; questions about absent repositories are ignored.
///
/// # Errors
/// If a mean is lower, or any question scored differently, for better or worse.
pub(crate) fn check(file: &Path, scores: &Scores, absent: &[String]) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut expected = read(&text).with_context(|| format!("{} is damaged", file.display()))?;
    let found = read(&write("", scores)).context("a question cannot be written")?;
    expected.retain(|key, _| !absent.iter().any(|name| name == repository(key)));
    let differences = differences(&expected, &found);
    differences.iter().for_each(|difference| println!("{difference}"));
    let [before, after] = [&expected, &found].map(means);
    let means = format!("means {:.4}, {:.4} -> {:.4}, {:.4}", before[0], before[1], after[0], after[1]);
    ensure!(before.iter().zip(after).all(|(before, after)| after > before - 5e-5), "worse rankings: {means}");
    if !differences.is_empty() {
        let count = differences.len();
        bail!("{count} questions scored differently, {means}: look at them with --show, then use --bless");
    }
    println!("{} questions as expected, {means}", found.len());
    Ok(())
}

fn write(columns: &str, scores: &Scores) -> String {
    let line = |(key, [a, b]): (&String, &[f64; 2])| format!("{key},{a:.4},{b:.4}\n");
    format!("{HEADER}{columns}\n{}", scores.iter().map(line).collect::<String>())
}

fn read(text: &str) -> Option<Scores> {
    let line = |line: &str| {
        let mut parts = line.rsplitn(3, ',');
        let (second, first, key) = (parts.next()?, parts.next()?, parts.next()?);
        Some((key.to_owned(), [first.parse().ok()?, second.parse().ok()?]))
    };
    text.strip_prefix(HEADER)?.lines().skip(1).map(line).collect()
}

fn repository(key: &str) -> &str {
    key.split(',').next().unwrap_or_default()
}

/// Returns a line for each question that is new, removed, or scored differently.
fn differences(expected: &Scores, found: &Scores) -> Vec<String> {
    let show = |scores: Option<&[f64; 2]>| {
        scores.map_or_else(|| "none".to_owned(), |[first, second]| format!("{first:.4}, {second:.4}"))
    };
    let gone = expected.keys().filter(|key| !found.contains_key(*key));
    let keys = found.keys().filter(|key| expected.get(*key) != found.get(*key)).chain(gone);
    keys.map(|key| format!("{key}: {} -> {}", show(expected.get(key)), show(found.get(key)))).collect()
}

fn means(scores: &Scores) -> [f64; 2] {
    [0, 1].map(|at| mean(scores.iter().map(|(key, scores)| (repository(key), scores[at]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_question_is_a_difference() {
        let before =
            format!("{HEADER}chunks,files\na,\"one, two\",0.5000,0.5000\na,\"three\",1.0000,1.0000\n");
        let before = read(&before).expect("it is well-formed");
        let after = format!("{HEADER}chunks,files\na,\"one, two\",0.6000,0.5000\nb,\"four\",1.0000,1.0000\n");
        let after = read(&after).expect("it is well-formed");
        assert_eq!(differences(&before, &before), [""; 0]);
        assert_eq!(
            differences(&before, &after),
            [
                "a,\"one, two\": 0.5000, 0.5000 -> 0.6000, 0.5000",
                "b,\"four\": none -> 1.0000, 1.0000",
                "a,\"three\": 1.0000, 1.0000 -> none"
            ]
        );
        assert!(means(&before).iter().all(|mean| (mean - 0.75).abs() < 1e-12));
        assert!(read("question,chunks\n").is_none());
    }
}
