//! Texts of a release: the section of the changelog, and links between pages.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use regex::Regex;

use crate::workspace::{files, root};

/// Returns the section of a version in a changelog, without its heading.
pub(super) fn changelog_section<'a>(changelog: &'a str, version: &str) -> Result<&'a str> {
    let heading = format!("## [{version}]");
    let start =
        changelog.match_indices(&heading).find(|(at, _)| *at == 0 || changelog[..*at].ends_with('\n'));
    let (at, _) = start.with_context(|| format!("CHANGELOG.md has no section {heading}"))?;
    let (_, rest) = changelog[at..].split_once('\n').context("the section is empty")?;
    let section = rest.find("\n## ").map_or(rest, |end| &rest[..end]).trim();
    (!section.is_empty()).then_some(section).with_context(|| format!("the section {heading} is empty"))
}

/// Returns the links of the tree's pages to files and headings that do not exist.
pub(super) fn broken_links() -> Result<Vec<String>> {
    let root = root()?;
    let mut problems = Vec::new();
    for page in files()?.iter().filter(|file| file.ends_with(".md") && !file.starts_with("fixtures/")) {
        let text = fs::read_to_string(root.join(page))?;
        let directory = root.join(page).parent().expect("a page stands in a directory").to_owned();
        for link in links(&text) {
            let (path, heading) = link.split_once('#').map_or((link, None), |(path, it)| (path, Some(it)));
            let target = if path.is_empty() { root.join(page) } else { directory.join(path) };
            if !target.exists() {
                problems.push(format!("{page} links to {link}, which does not exist"));
            } else if let Some(heading) = heading
                && !has_heading(&target, heading)?
            {
                problems.push(format!("{page} links to {link}, which is no heading there"));
            }
        }
    }
    Ok(problems)
}

/// Returns the targets of links that are no addresses, outside of code blocks.
fn links(text: &str) -> Vec<&str> {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("the pattern is valid");
    prose(text)
        .flat_map(|line| {
            link.captures_iter(line).map(|it| it.get(1).expect("it took part").as_str()).collect::<Vec<_>>()
        })
        .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        .collect()
}

/// Returns the lines outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// True if a page has a heading with this anchor. Other files have lines instead of headings.
fn has_heading(page: &Path, anchor: &str) -> Result<bool> {
    if page.extension().is_none_or(|it| it != "md") {
        return Ok(true);
    }
    let text = fs::read_to_string(page)?;
    Ok(prose(&text).any(|line| line.starts_with('#') && slug(line.trim_start_matches('#')) == anchor))
}

/// Returns the anchor of a heading as GitHub makes it.
fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_of_a_version_ends_at_the_next() {
        let changelog = "# Changelog\n\n## [0.2.0] - 2026-01-02\n\n### Added\n\n- A.\n\n## [0.1.0]\n\n- B.\n\n## [0.0.1]\n";
        assert_eq!(changelog_section(changelog, "0.2.0").expect("it is there"), "### Added\n\n- A.");
        assert_eq!(changelog_section(changelog, "0.1.0").expect("it is there"), "- B.");
        for version in ["0.0.1", "0.3.0", "0.2"] {
            assert!(changelog_section(changelog, version).is_err(), "{version}");
        }
    }

    #[test]
    fn links_to_files_are_found_outside_of_code() {
        let text = "[a](b.md#c) and [d](https://example.com)\n```\n[e](f.md)\n```\n![g](h.png)\n";
        assert_eq!(links(text), ["b.md#c", "h.png"]);
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        assert_eq!(
            slug(" Tables of LanceDB, one set for each repository"),
            "tables-of-lancedb-one-set-for-each-repository"
        );
        assert_eq!(slug(" `sscg mcp`"), "sscg-mcp");
    }
}
