//! What each question scored when someone last looked.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::session::Row;
use super::table::mean;

/// NDCG@10 over chunks and over files, with four digits, by repository and question as the file has them.
type Scores = BTreeMap<String, [f64; 2]>;

const HEADER: &str = "repository,question,chunks,files\n";

/// Writes the file, for review in `git diff`.
pub(super) fn bless(file: &Path, rows: &[Row]) -> Result<()> {
    fs::write(file, write(rows)).with_context(|| format!("cannot write {}", file.display()))
}

/// Compares with the file.
///
/// # Errors
/// If a mean is lower, or any question scored differently, for better or worse.
pub(super) fn check(file: &Path, rows: &[Row]) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let expected = read(&text).with_context(|| format!("{} is damaged", file.display()))?;
    let found = read(&write(rows)).context("a question cannot be written")?;
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

fn write(rows: &[Row]) -> String {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let question = row.query.replace('"', "\"\"");
            format!("{},\"{question}\",{:.4},{:.4}\n", row.repository, row.scores[0], row.scores[1])
        })
        .collect();
    lines.sort();
    HEADER.to_owned() + &lines.concat()
}

fn read(text: &str) -> Option<Scores> {
    let line = |line: &str| {
        let mut parts = line.rsplitn(3, ',');
        let (files, chunks, key) = (parts.next()?, parts.next()?, parts.next()?);
        Some((key.to_owned(), [chunks.parse().ok()?, files.parse().ok()?]))
    };
    text.strip_prefix(HEADER)?.lines().map(line).collect()
}

/// A line for each question that is new, gone, or scored differently.
fn differences(expected: &Scores, found: &Scores) -> Vec<String> {
    let show = |scores: Option<&[f64; 2]>| {
        scores.map_or_else(|| "none".to_owned(), |[chunks, files]| format!("{chunks:.4}, {files:.4}"))
    };
    let gone = expected.keys().filter(|key| !found.contains_key(*key));
    let keys = found.keys().filter(|key| expected.get(*key) != found.get(*key)).chain(gone);
    keys.map(|key| format!("{key}: {} -> {}", show(expected.get(key)), show(found.get(key)))).collect()
}

fn means(scores: &Scores) -> [f64; 2] {
    let repository = |key: &'_ str| key.split(',').next().map_or(0, str::len);
    [0, 1].map(|at| mean(scores.iter().map(|(key, scores)| (&key[..repository(key)], scores[at]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_question_is_a_difference() {
        let before = format!("{HEADER}a,\"one, two\",0.5000,0.5000\na,\"three\",1.0000,1.0000\n");
        let before = read(&before).expect("it is well-formed");
        let after = format!("{HEADER}a,\"one, two\",0.6000,0.5000\nb,\"four\",1.0000,1.0000\n");
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
